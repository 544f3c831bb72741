// expect: ok
// fault: F29: The other plugin with the same unique static.
#include "unique_static.cpp"
