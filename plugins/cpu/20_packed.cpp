// Packed panels and tiles of C in registers, on all CPU cores.
//
// Against 10: there every multiply-add of a vector loads B, loads C and stores C. Here a tile of C, 14 x 32 with
// AVX-512, stays in registers for 512 steps of N, and 14 + 2 loads feed 28 vector multiply-adds. For that both
// operands are first copied ("packed") into panels that hold exactly what a tile reads, in the order in which it reads
// it: no stride, no TLB miss, no edge (zeros fill up the last panel). Copying is O(MN + NK) beside O(MNK).
//
//     for each slab of 8192 columns of B                         packed slabs, together 32 MiB at most
//       for each 512 steps of N
//         for each slab of 8192 rows of A                        pack; then, shared out among the cores:
//           for each task of 84 rows x 256 columns of C            its part of B, 512 KiB, in L2
//             for each panel of A, 14 rows                           28 KiB, in L1
//               for each panel of B, 32 columns                        64 KiB, streaming from L2
//                 for each of the 512 steps                              micro_kernel.h: 28 multiply-adds
//
// The loops and the packing are in packed_gemm.h, the innermost loop in micro_kernel.h; 30 uses both too. The tile is
// chosen when it runs: AVX-512, AVX2, or 16-byte vectors that any compiler target has.
//
// One core per thread, OMP_NUM_THREADS of them where that is set, fewer for products under 4 million multiply-adds
// a thread; all have ended when solve returns. Each element is one sum in the order n = 0, 1, 2, ..., rounded
// every 512 steps into C, so the bits do not depend on the number of threads; they do on the instruction set (fused
// multiply-adds or not).
//
// Limit: the multiply-add units. One core of a Zen 4 server does 116 GFLOP/s in the innermost loop alone (32 a cycle)
// and 95 to 103 of them in all of solve at 1024 and 2048; what is missing is packing, stores, and at sizes under 512
// the start of the threads (0.02 ms each). A library that keeps its threads, as OpenBLAS does, has that advantage.
// Source: Goto; BLIS for the micro-kernel's shape.
#include "../common/cpu/packed_gemm.h"
#include "../common/export/host.h"

namespace cpu_20 {

inline void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
    // One product of one matrix each: data, leading dimension, rows, columns, sign; C is set, not added to.
    ladder::multiply({{M, N, K, {{A, N, M, N, 1}}, {{B, K, N, K, 1}}, {{C, K, M, K, 1, false}}}});
}

// A product of a call: the factor alpha is the sign of what is stored. C holds beta * C and the bias already where
// there is something to add to.
inline ladder::Product product_of(const solve_gemm_t& call, int64_t i, bool add) {
    const bool ta = call.transpose_a == SOLVE_T, tb = call.transpose_b == SOLVE_T;
    const int64_t M = call.M, N = call.N, K = call.K;
    return {.M = M,
            .N = N,
            .K = K,
            .a = {{ladder::a_of(call, i), call.lda, ta ? N : M, ta ? M : N, 1}},
            .b = {{ladder::b_of(call, i), call.ldb, tb ? K : N, tb ? N : K, 1}},
            .c = {{ladder::c_of(call, i), call.ldc, M, K, call.alpha, add}},
            .transpose_a = ta,
            .transpose_b = tb};
}

inline int multiply_all(const solve_gemm_t& call) {
    const bool add = call.beta != 0.0f || call.bias_kind != SOLVE_BIAS_NONE;
    std::vector<ladder::Product> products;
    for (int64_t i = 0; i < call.batch; ++i) {
        if (add) ladder::scale_and_bias(call, i);
        products.push_back(product_of(call, i, add));
    }
    return ladder::multiply(products) ? SOLVE_OK : SOLVE_DEVICE_ERROR;
}

}  // namespace cpu_20

SOLVE_EXPORT_ALL(cpu_20::multiply, cpu_20::multiply_all,
                 .summary = "packed panels, register tiles of AVX-512, AVX2 or 16-byte vectors, all cores",
                 .source = "Goto, BLIS")
