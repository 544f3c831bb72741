// E = A * B * C as two calls of the CPU's BLAS, in the cheaper of the two orders: what CPU chains are raced against.
// Source: OpenBLAS (any library with a CBLAS interface will do).
// build: link=openblas
#include <cblas.h>

#include <algorithm>
#include <climits>
#include <memory>
#include <new>

#include "../common/export/chain.h"
#include "../common/export/host.h"
#include "two_products.h"

namespace chain_90 {

inline void product(const solve_gemm_t& call) {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, call.M, call.K, call.N, call.alpha, call.A, call.lda, call.B,
                call.ldb, call.beta, call.C, call.ldc);
}

inline int multiply(const solve_chain_t& call) {
    if (std::max({call.lda, call.ldb, call.ldc, call.lde}) > INT_MAX) {
        return ladder::fail("a leading dimension is more than %d", INT_MAX), SOLVE_UNSUPPORTED;
    }
    ladder::TwoProducts two = ladder::cheaper_products(call, ladder::multiply_adds);
    std::unique_ptr<float[]> own;
    const bool lent = call.workspace_bytes / sizeof(float) >= two.elements_between();
    if (!lent) own.reset(new (std::nothrow) float[two.elements_between()]);
    if (!lent && !own) {
        return ladder::fail("out of memory: %zu floats between the two products", two.elements_between()),
               SOLVE_DEVICE_ERROR;
    }
    two.put_between(lent ? static_cast<float*>(call.workspace) : own.get());
    product(two.first);
    product(two.second);
    return SOLVE_OK;
}

}  // namespace chain_90

SOLVE_BASELINE_MARK
SOLVE_EXPORT_CHAIN_AND_ENQUEUE(chain_90::multiply, .summary = "A*B*C as two cblas_sgemm", .source = "OpenBLAS",
                               .flags = SOLVE_FLAG_BASELINE)
