// Returns the code that FAILING_ENGINE names, and says so; before a device error it writes to C. With 0 it prints how
// large the workspace is that it was given, and multiplies nothing.
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "abi/solve.h"

static thread_local char error[20];

extern "C" void solve(const float*, const float*, float*, int, int, int) {}

extern "C" const char* solve_last_error() {
    return error;
}

extern "C" int solve_gemm(const solve_gemm_t* call) {
    const int code = std::atoi(std::getenv("FAILING_ENGINE"));
    std::snprintf(error, sizeof(error), "code %d", code);
    if (code == SOLVE_DEVICE_ERROR) *(call->C_array ? call->C_array[0] : call->C) = NAN;
    if (code == SOLVE_OK) std::printf("workspace %u\n", unsigned(call->workspace ? call->workspace_bytes : 0));
    return code;
}
