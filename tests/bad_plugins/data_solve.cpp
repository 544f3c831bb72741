// expect: load-error
// fault: F10: Exports data by that name.

extern "C" int solve;
int solve = 1;
