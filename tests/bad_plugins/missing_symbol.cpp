// expect: load-error
// fault: F12: Needs a symbol that nothing provides.

extern "C" void function_that_no_library_has();

extern "C" void solve(const float*, const float*, float*, int, int, int) {
    function_that_no_library_has();
}
