// The size of one product.
#pragma once

#include <cstdint>
#include <string>

namespace judge {

// C[M x K] = A[M x N] * B[N x K]: N is the contraction, as in abi/solve.h.
struct Shape {
    int M = 0;
    int N = 0;
    int K = 0;

    int64_t a_elements() const { return int64_t{M} * N; }
    int64_t b_elements() const { return int64_t{N} * K; }
    int64_t c_elements() const { return int64_t{M} * K; }
    double flops() const { return 2.0 * M * N * K; }
    bool operator==(const Shape&) const = default;
};

// "1000x777x3000"
std::string to_string(const Shape& shape);

// Reads "MxNxK", or one number S for SxSxS. Throws std::invalid_argument, with the text and the form expected.
Shape parse_shape(const std::string& text);

}  // namespace judge
