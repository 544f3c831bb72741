// The sizes of one product, of two matrices or of three.
#pragma once

#include <cstdint>
#include <string>

namespace judge {

// The operation that a plugin is judged at: solve, solve_chain or solve_gemm of abi/solve.h.
enum class Operation { gemm, chain, full_gemm };

// gemm: C[M x K] = A[M x N] * B[N x K], N is the contraction, as in abi/solve.h.
// chain: E[M x L] = A[M x N] * B[N x K] * C[K x L].
struct Shape {
    int M = 0;
    int N = 0;
    int K = 0;
    int L = kNone;  // kNone for a gemm

    static constexpr int kNone = -1;

    bool is_chain() const { return L != kNone; }
    int64_t a_elements() const { return int64_t{M} * N; }
    int64_t b_elements() const { return int64_t{N} * K; }
    int64_t c_elements() const { return is_chain() ? int64_t{K} * L : int64_t{M} * K; }
    int64_t output_elements() const { return int64_t{M} * (is_chain() ? L : K); }
    double flops() const;  // of a chain: in the cheaper of its two orders
    bool operator==(const Shape&) const = default;
};

// "1000x777x3000", "512x512x512x512"
std::string to_string(const Shape& shape);

// Reads "MxNxK", or "MxNxKxL" for a chain, or one number S for SxSxS(xS). Throws std::invalid_argument, with the text
// and the form expected.
Shape parse_shape(const std::string& text, Operation operation = Operation::gemm);

}  // namespace judge
