// Few columns (skinny; GEMV, if one): A is streamed once, by loads to registers, of which a thread has up to 64 words
// in flight.
//
// Against 76: the large matrix is A, and its rows lie along N. A thread sums all columns of 4 rows; 8 to 512 threads
// are adjacent along N, and add their sums in the end. It loads to registers, not by asynchronous copies: here each
// number of B, from shared memory, is for 4 rows, and what a thread has of A is multiplied where it arrived. As in 76 a
// block of 512 threads, one per SM, has 96 to 128 KB in flight.
//
// B comes by way of shared memory, as [column][n]. Of A as much as half of L2 can hold stays there for the next product
// (l2_policy.h): 4096 x 4096 for the second time takes 20 us, not 25, and for the first time 8 % more. N is cut among
// blocks only where there are too few of them. All sums have a fixed order: the same bits every run.
//
// More than 8 columns are right but slow: 8 in each launch, and A is read again for the next 8.
//
// Limit: memory, at 90 % of its peak for some 30 MB and more; below that the start of a block, 1 us, and the launches.
// For 8 columns the loop issues for 8 us where memory takes 20.
// Source: cuBLAS (gemv).
// build: least=75
#include <bit>

#include "../common/gemm/add_pieces.h"
#include "../common/gemm/lane_sums.h"
#include "../common/gemm/thin_plan.h"
#include "../common/ptx/l2_policy.h"

namespace rung_78 {

constexpr int kThreads = 512;                            // a block: one per SM
constexpr int kRows = 4;                                 // a thread
constexpr int kMostGroups = 4;                           // of loads that a thread has in flight
constexpr int kSpan = 4;                                 // n of a group
constexpr int kShared = kThreads * kMostGroups * kSpan;  // floats, 32 KB: of B, for all groups of all threads

// As many groups as there are registers for. Beside 32 sums, or the addresses of single words, a fourth is too many: up
// to 300 bytes of spills, not 52.
template <int kCols, bool kVector>
constexpr int kGroups = kCols == ladder::kThin || !kVector ? kMostGroups - 1 : kMostGroups;

// `along` threads, a power of 2 from 8 to kThreads / kCols, are a team for 4 rows: they are adjacent along N. K is
// at most kCols. blockIdx.x counts groups of rows; blockIdx.y is the piece of N, `depth` long or what there is of it.
template <int kCols, bool kVectorA>
__global__ void __launch_bounds__(kThreads, 1)
    few_columns(const float* A, int64_t lda, const float* B, int64_t ldb, float* C, int64_t ldc, int64_t piece_stride,
                int M, int N, int K, int along, int depth, float evict_first, ladder::Epilogue epilogue) {
    ladder::let_next_kernel_start();
    constexpr int kAhead = kGroups<kCols, kVectorA>;
    constexpr int kPitch = kShared / kCols + 4;
    __shared__ alignas(16) float shared[kCols * kPitch];  // B as [column][n], in the end the sums

    const int thread = threadIdx.x, row = blockIdx.x * (kThreads / along * kRows), own = thread / along * kRows;
    const int rows = M - row;  // from the block's first on
    const int n_begin = blockIdx.y * depth, n_count = min(depth, N - n_begin);
    C += blockIdx.y * piece_stride;

    // This thread's n of a group are n_first + i * stride: neighbours for 128-bit loads, else every `along`-th.
    const int at = thread % along, n_first = kVectorA ? at * kSpan : at, stride = kVectorA ? 1 : along;
    const int n_step = along * kSpan;
    const float* from_a = A + (int64_t{row} + own) * lda + n_begin + n_first;
    const float* from_b = B + n_begin * ldb;

    const ladder::L2Policy policy(evict_first);  // A
    float a[kAhead][kRows][kSpan];               // in flight
    const auto request = [&](float(&group)[kRows][kSpan], int left) {
#pragma unroll
        for (int m = 0; m < kRows; ++m) {
            const bool inside = own + m < rows;
            if constexpr (kVectorA) {
                alignas(16) float four[4] = {};
                if (inside && left > 0) policy.load4(four, from_a + m * lda);
#pragma unroll
                for (int i = 0; i < kSpan; ++i) group[m][i] = four[i];
            } else {
#pragma unroll
                for (int i = 0; i < kSpan; ++i) {
                    group[m][i] = 0.0f;
                    if (inside && i * stride < left) policy.load(&group[m][i], from_a + m * lda + i * stride);
                }
            }
        }
        from_a += n_step;
    };

    ladder::wait_for_kernel_before(ladder::bits(from_a) | ladder::bits(from_b) | unsigned(n_step));
    float sum[kRows][kCols] = {};
#pragma unroll
    for (int g = 0; g < kAhead; ++g) request(a[g], n_count - n_first - g * n_step);
    for (int ahead = n_count; ahead > 0;) {
        __syncthreads();  // nobody reads the B of the groups before
#pragma unroll 4
        for (int i = thread; i < kAhead * n_step * kCols; i += kThreads) {
            const int n = i / kCols, k = i % kCols;  // 4 n x 8 columns go to the banks n + 4 k, all different
            shared[k * kPitch + n] = n < ahead && k < K ? ladder::load_ahead(from_b + n * ldb + k) : 0.0f;
        }
        from_b += kAhead * n_step * ldb;
        __syncthreads();
        const float* next_b = shared + n_first;
#pragma unroll
        for (int g = 0; g < kAhead; ++g) {
#pragma unroll
            for (int k = 0; k < kCols; ++k) {
                alignas(16) float b[kSpan];
                if constexpr (kVectorA) {
                    ladder::copy4(b, &next_b[k * kPitch]);
                } else {
#pragma unroll
                    for (int i = 0; i < kSpan; ++i) b[i] = next_b[k * kPitch + i * stride];
                }
#pragma unroll
                for (int m = 0; m < kRows; ++m) {
#pragma unroll
                    for (int i = 0; i < kSpan; ++i) sum[m][k] += a[g][m][i] * b[i];
                }
            }
            next_b += n_step;
            request(a[g], ahead - n_first - kAhead * n_step);
            ahead -= n_step;
        }
    }

    const int lanes = min(along, 32);  // of a warp that share their rows
    constexpr int kSums = kRows * kCols;
    const int first = ladder::divide_among_lanes<kSums>(&sum[0][0], lanes);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kSums; ++i) {
        if (thread % lanes < kSums && i < max(kSums / lanes, 1))
            shared[thread / lanes * kSums + first + i] = sum[i / kCols][i % kCols];
    }
    __syncthreads();
    const int warps = along / lanes;  // of a team, 1 if it is less than one
    for (int i = thread; i < kThreads / along * kRows * kCols; i += kThreads) {
        const int m = i / kCols, k = i % kCols;
        if (m >= rows || k >= K) continue;
        float total = 0.0f;
        for (int w = 0; w < warps; ++w) total += shared[((m / kRows * warps + w) * kRows + m % kRows) * kCols + k];
        epilogue.store(&C[(row + m) * ldc + k], total);
    }
}

// For at most kThin columns.
inline ladder::ThinPlan plan_for(int M, int N, int K, int sms) {
    const int cols = ladder::thin_instance(K);
    ladder::ThinPlan best;
    for (int along = 8; along <= kThreads / cols; along *= 2) {
        const int rows = kThreads / along * kRows, blocks = ladder::ceil_div(M, rows);
        const double bytes = 4.0 * rows + 2.0 * cols;  // for each n
        const auto plan = ladder::thin_plan(along, blocks, bytes, along * kSpan, N, int64_t{M} * K, sms);
        if (plan.cycles < best.cycles) best = plan;
    }
    return best;
}

constexpr decltype(&few_columns<1, false>) kKernels[][2] = {{few_columns<1, false>, few_columns<1, true>},
                                                            {few_columns<2, false>, few_columns<2, true>},
                                                            {few_columns<4, false>, few_columns<4, true>},
                                                            {few_columns<8, false>, few_columns<8, true>}};

inline void multiply_thin(const ladder::Gemm& gemm) {
    const ladder::ThinPlan plan = plan_for(gemm.M, gemm.N, gemm.K, ladder::sm_count());
    const ladder::Pieces pieces(gemm, plan.pieces, plan.depth);
    const ladder::Gemm part = pieces.part();
    const unsigned cols = ladder::thin_instance(part.K);
    const float evict_first = ladder::evict_first_fraction(4.0 * part.M * part.N);  // A
    ladder::launch_early(kKernels[std::countr_zero(cols)][part.vector_a()],
                         dim3(static_cast<unsigned>(plan.blocks), pieces.count()), kThreads, 0, part.stream, part.A,
                         part.lda, part.B, part.ldb, part.C, part.ldc, pieces.stride(), part.M, part.N, part.K,
                         plan.beside, pieces.depth(), evict_first, ladder::Epilogue{part.alpha, part.beta});
    pieces.add();
}

inline void multiply(const ladder::Gemm& gemm) {
    for (int64_t col = 0; col < gemm.K; col += ladder::kThin) {
        ladder::Gemm part = gemm;
        part.B += col, part.C += col, part.K = static_cast<int>(std::min<int64_t>(gemm.K - col, ladder::kThin));
        multiply_thin(part);
    }
}

}  // namespace rung_78

SOLVE_EXPORT_GEMM(rung_78::multiply, .summary = "few columns: A is streamed once, up to 64 loads in flight per thread",
                  .source = "cuBLAS (gemv)", .minimum_compute_capability = 75)
