// expect: limited
// fault: W8: A block has a thread for each column up to 1536 of them, as an SM has, and not 1024 as a block may have.
// emulated: limited:
#include "multiply.cuh"
