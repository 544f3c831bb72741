// What the user asks for in the environment.
#pragma once

#include <cstdint>
#include <string>

namespace drop_in {

enum class Mode {
    off,  // cuBLAS does everything, and nothing is recorded
    log,  // cuBLAS does everything; what we would take is recorded
    on
};

// What is served of what we can do.
enum class Serve {
    by_gpu,  // on GPUs that it was measured on: what cuBLAS is not expected to do faster; on others all
    faster,  // the same on every GPU
    all
};

struct Settings {
    Mode mode = Mode::on;
    Serve serve = Serve::by_gpu;
    uint32_t accuracy = 0;      // one of enum solve_arithmetic
    uint64_t verify_every = 0;  // every so many calls of ours one is checked; 0: none
    std::string log;            // a file to append to; empty: standard error in the mode `log`, else nowhere
    std::string engine;         // the library whose solve_gemm is called; empty: the installed or built 90_dispatch
    std::string folders;        // where to look for that first, separated by colons
};

// The environment's, read at the first call of cuBLAS. A value that is none gets one line on standard error, and turns
// all off: better the program that it was than one that only looks as if it did what was asked for.
const Settings& settings();

// One line on standard error, with our name before it.
void tell(const std::string& text);

}  // namespace drop_in
