// Turns preprocessed CUDA C++ into C++ that g++ compiles against host/emulator/include.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace emulator {

// what() is one line: "file:line: error: the emulator has no <construct>: <what to do>".
struct RewriteError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Rewrites launches and __shared__ declarations; everything else is kept byte for byte. Newlines are neither added nor
// removed, so that the compiler's messages name the lines of the .cu file. Throws RewriteError, also for calls that
// nvcc refuses because of where their functions run; `warnings` gets a line for each that it takes only with a flag.
std::string rewrite(std::string_view preprocessed, std::vector<std::string>* warnings = nullptr);

// In place of the headers that the text begins with, up to the pragma at the end of emulator/precompiled.h, has g++
// load the file that they were compiled to. (Only now: what headers declare matters to what is rewritten.)
std::string load_precompiled(std::string_view rewritten, const std::string& file);

}  // namespace emulator
