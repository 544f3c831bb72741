// E = A * B * C as two cuBLAS products with a workspace between them, in the order of fewer multiply-adds: what other
// chains are raced against.
//
// Source: cuBLAS; MM3 compares with it through PyTorch, which multiplies from left to right.
// build: link=cublas
#include <cublas_v2.h>

#include "../common/export/chain.h"
#include "../common/export/cublas.h"
#include "enqueue_products.h"

namespace chain_00 {

struct Multiplier {
    double cost(const solve_gemm_t& product) const { return ladder::multiply_adds(product); }
    // Besides its own, which is taken on streams other than the default one.
    size_t workspace(const solve_gemm_t& product) const { return product.stream ? ladder::kCublasWorkspace : 0; }
    int enqueue(const solve_gemm_t& product) const {
        return ladder::cublas_multiply_all(product, CUBLAS_COMPUTE_32F_PEDANTIC);
    }
};

inline int multiply(const solve_chain_t& call) {
    return ladder::enqueue_products(call, Multiplier());
}

}  // namespace chain_00

SOLVE_BASELINE_MARK
SOLVE_EXPORT_CHAIN_AND_ENQUEUE(chain_00::multiply, .summary = "A*B*C as two cuBLAS products",
                               .source = "cuBLAS, CUBLAS_COMPUTE_32F_PEDANTIC", .flags = SOLVE_FLAG_BASELINE)
