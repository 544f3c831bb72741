// expect: load-error
// fault: F10: Exports something else.

extern "C" void resolve(const float*, const float*, float*, int, int, int) {}
