// Turns preprocessed CUDA C++ into C++ that g++ compiles against host/emulator/include.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace emulator {

// what() is one line: "file:line: error: the emulator has no <construct>: <what to do>".
struct RewriteError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Rewrites launches and __shared__ declarations; everything else is kept byte for byte. Newlines are neither added nor
// removed, so that the compiler's messages name the lines of the .cu file. Throws RewriteError.
std::string rewrite(std::string_view preprocessed);

}  // namespace emulator
