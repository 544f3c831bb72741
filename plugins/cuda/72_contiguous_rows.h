// A and C of up to four columns whose rows are contiguous: all of A, and all of C, is one line of words, which is read
// and written 16 bytes at a time.
//
// Against 72's other kernel: A does not pass through shared memory. A thread reads its four rows itself, in a way that
// leaves no bank conflicts in L1: N reads of 16 bytes for four rows side by side if N is odd, else one of 8 or 16 bytes
// for each of four rows that are 32 apart. C goes by way of shared memory, but within a warp: no barrier has a block
// wait for its slowest read. Of threads that write their rows straight to C each 16 bytes would be a store of their
// own, which takes twice as long: 1000000 x 3 x 3 8.2 us for 4.2 (H200, prototypes).
#pragma once

#include "../common/export/gemm.h"
#include "../common/gemm/epilogue.h"
#include "../common/ptx/early_launch.h"

namespace rung_72 {

constexpr int kMostContiguous = 4;  // columns of A, and of C
constexpr int kRowsOfLane = 4, kRowsOfWarp = 32 * kRowsOfLane;
constexpr int kWarpsOfRows = 4;

template <int kN, int kK>
struct ContiguousRows {
    static constexpr bool kAdjacent = kN % 2 != 0;  // whether a lane's rows are adjacent

    static __device__ __forceinline__ int row_of(int lane, int i) {
        return kAdjacent ? kRowsOfLane * lane + i : lane + 32 * i;
    }

    // Where group i of four words of the warp's rows of C lies. Lanes write groups that are K apart: with an even K
    // they would meet in few banks, so neighbours are exchanged.
    static __device__ __forceinline__ int place_of(int i) { return kAdjacent && kK % 2 == 0 ? i ^ (i / 8 % kK) : i; }

    // A lane's rows; `whole`: all of the warp's are inside A.
    static __device__ __forceinline__ void read(float (&rows)[kRowsOfLane][kN], const float* a, int64_t first_row,
                                                int M, int lane, bool whole) {
        if (!whole) {
#pragma unroll
            for (int i = 0; i < kRowsOfLane * kN; ++i) {
                const int64_t row = first_row + row_of(lane, i / kN);
                rows[i / kN][i % kN] = row < M ? a[row * kN + i % kN] : 0.0f;
            }
        } else if constexpr (kAdjacent) {
            const float* const from = a + (first_row + kRowsOfLane * lane) * kN;
#pragma unroll
            for (int i = 0; i < kN; ++i) ladder::copy4(&rows[0][0] + 4 * i, from + 4 * i);
        } else {
            using Row = std::conditional_t<kN == 2, float2, float4>;
#pragma unroll
            for (int i = 0; i < kRowsOfLane; ++i) {
                *reinterpret_cast<Row*>(rows[i]) =
                    *reinterpret_cast<const Row*>(a + (first_row + row_of(lane, i)) * kN);
            }
        }
    }
};

template <int kN, int kK>
static __global__ void __launch_bounds__(32 * kWarpsOfRows) contiguous_rows(solve_gemm_t call) {
    using Rows = ContiguousRows<kN, kK>;
    __shared__ alignas(16) float staged[kWarpsOfRows][kRowsOfWarp * kK];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    float* const own = staged[warp];
    const int64_t first_row = (int64_t{blockIdx.x} * kWarpsOfRows + warp) * kRowsOfWarp;
    ladder::wait_for_kernel_before();
    if (first_row >= call.M) return;
    const bool whole = first_row + kRowsOfWarp <= call.M;
    alignas(16) float a[kRowsOfLane][kN], c[kRowsOfLane][kK];
    Rows::read(a, call.A, first_row, call.M, lane, whole);
    float b[kN][kK];
    const bool tb = call.transpose_b == SOLVE_T;
#pragma unroll
    for (int i = 0; i < kN * kK; ++i)
        b[i / kK][i % kK] = call.B[i / kK * (tb ? 1 : call.ldb) + i % kK * (tb ? call.ldb : 1)];
    ladder::let_next_kernel_start();
#pragma unroll
    for (int i = 0; i < kRowsOfLane * kK; ++i) {
        float sum = 0.0f;
#pragma unroll
        for (int n = 0; n < kN; ++n) sum += a[i / kK][n] * b[n][i % kK];
        c[i / kK][i % kK] = sum;
    }
    if constexpr (Rows::kAdjacent) {
#pragma unroll
        for (int i = 0; i < kK; ++i) ladder::copy4(&own[4 * Rows::place_of(kK * lane + i)], &c[0][0] + 4 * i);
    } else {
#pragma unroll
        for (int i = 0; i < kRowsOfLane * kK; ++i) own[Rows::row_of(lane, i / kK) * kK + i % kK] = c[i / kK][i % kK];
    }
    __syncwarp();
    const ladder::Epilogue epilogue{call.alpha, call.beta};
    float* const to = call.C + first_row * kK;
    if (whole) {
#pragma unroll
        for (int i = lane; i < kRowsOfWarp * kK / 4; i += 32) epilogue.store4(to + 4 * i, &own[4 * Rows::place_of(i)]);
    } else {
        const int words = static_cast<int>(call.M - first_row) * kK;
        for (int i = lane; i < words; i += 32) epilogue.store(to + i, own[4 * Rows::place_of(i / 4) + i % 4]);
    }
}

// Whether a call can be done so.
inline bool is_contiguous(const solve_gemm_t& call) {
    const bool single = call.batch == 1 && !ladder::has_arrays(call) && call.transpose_a == SOLVE_N;
    const bool narrow = std::max(call.N, call.K) <= kMostContiguous;
    return single && narrow && ladder::is_line(call.A, call.lda, call.N) && ladder::is_line(call.C, call.ldc, call.K);
}

template <int kN = 1, int kK = 1>
void launch_contiguous(const solve_gemm_t& call) {
    if constexpr (kN < kMostContiguous) {
        if (call.N > kN) return launch_contiguous<kN + 1, kK>(call);
    }
    if constexpr (kK < kMostContiguous) {
        if (call.K > kK) return launch_contiguous<kN, kK + 1>(call);
    }
    ladder::launch_early(contiguous_rows<kN, kK>, dim3(ladder::ceil_div(call.M, kWarpsOfRows * kRowsOfWarp)),
                         32 * kWarpsOfRows, 0, static_cast<cudaStream_t>(call.stream), call);
}

}  // namespace rung_72
