// E = alpha * A * B * C + beta * E as two products, in either order of association.
#pragma once

#include "../common/export/chain_call.h"

namespace ladder {

// The second takes what the first leaves, `between`: A * B or B * C, whose rows lie one behind the other.
struct TwoProducts {
    solve_gemm_t first = solve_gemm_one(), second = solve_gemm_one();
    bool left_first;

    // (A * B) * C, or A * (B * C), with no place for the product between yet.
    TwoProducts(const solve_chain_t& call, bool left_first) : left_first(left_first) {
        const int M = call.M, N = call.N, K = call.K, L = call.L;
        if (left_first) {
            first.M = M, first.N = N, first.K = K, second.M = M, second.N = K, second.K = L;
            first.A = call.A, first.lda = call.lda, first.B = call.B, first.ldb = call.ldb;
            second.lda = K, second.B = call.C, second.ldb = call.ldc;
        } else {
            first.M = N, first.N = K, first.K = L, second.M = M, second.N = N, second.K = L;
            first.A = call.B, first.lda = call.ldb, first.B = call.C, first.ldb = call.ldc;
            second.A = call.A, second.lda = call.lda, second.ldb = L;
        }
        first.ldc = first.K;
        second.C = call.E, second.ldc = call.lde;
        second.alpha = call.alpha, second.beta = call.beta;
        first.stream = second.stream = call.stream;
    }

    size_t elements_between() const { return size_t(first.M) * first.K; }

    void put_between(float* memory) {
        first.C = memory;
        (left_first ? second.A : second.B) = memory;
    }
};

// The order in which the two products together are expected to take less: cost(product) says how long each takes, in
// any unit; it may look at the alignment of pointers, of which that of the product between is the best there is.
template <class Cost>
TwoProducts cheaper_products(const solve_chain_t& call, Cost cost) {
    const TwoProducts left(call, true), right(call, false);
    const auto cost_of = [&](const TwoProducts& two) { return cost(two.first) + cost(two.second); };
    return cost_of(left) <= cost_of(right) ? left : right;
}

// The cost where nothing is known but the sizes: multiply-adds.
inline double multiply_adds(const solve_gemm_t& product) {
    return double(product.M) * product.N * product.K;
}

}  // namespace ladder
