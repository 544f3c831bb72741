// The products of 54, which stand in for 90_dispatch's where those take too long to compile.
#pragma once

#include "../common/export/gemm.h"
#include "../cuda/54_alpha_beta.cu"

namespace rung_54 {

inline uint32_t arithmetic_of_process() {
    return SOLVE_ARITHMETIC_FP32;
}
inline uint32_t accuracy_of(uint32_t of_call) {
    return of_call ? of_call : SOLVE_ARITHMETIC_FP32;
}

struct Multiplier {
    explicit Multiplier(uint32_t) {}  // as accurate as all
    static constexpr bool kCostsAreCycles = false;
    double cost(const solve_gemm_t& product) const { return double(product.M) * product.N * product.K; }
    size_t workspace(const solve_gemm_t&) const { return 0; }
    int enqueue(const solve_gemm_t& product) const {
        launch(product.A, product.lda, product.B, product.ldb, product.C, product.ldc, product.M, product.N, product.K,
               product.alpha, product.beta, static_cast<cudaStream_t>(product.stream));
        return SOLVE_OK;
    }
};

}  // namespace rung_54
