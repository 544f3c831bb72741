// expect: load-error
// Exports data by that name.

extern "C" int solve;
int solve = 1;
