// Any operand may be transposed, and one launch does all the products of a batch: whatever solve_gemm can ask for.
//
// Against 54: a block's second coordinate is the product, so 4096 products of 16 x 16 x 16 are one launch of 4096
// blocks, not 4096 launches of 2 us. A transposed operand only changes the index along which neighbouring threads load:
// always the one along which words are contiguous, so that loads are coalesced. In shared memory both tiles are
// [n][row] and [n][column] in any case, and the loop is always the same. Loads are of single words, and so nothing but
// the stores depends on alignment: for 8 x 4 outputs a thread that is 16 loads for 512 FFMA.
//
// The tile follows the size: 128 x 128 by 256 threads where there are enough of them to fill the GPU, 64 x 64 by 128,
// of which more fit per SM, and 16 x 16 by a single warp, with 32 products per SM at a time.
//
// Limit: latency, hidden by other blocks of the SM only; and for small products the memory, since 64 x 64 x 64 is 11
// operations a byte.
// Source: cuBLAS (its batched products); OK for alpha and beta.
#include "../common/export/device.h"
#include "../common/export/gemm.h"
#include "../common/gemm/tile.h"

namespace rung_56 {

// kM x kK outputs by kThreads threads, kRows x kCols each: in groups of at most 4 neighbours, along N in steps of kN.
// Registers are limited so that kResident blocks fit per SM: to 128 a thread.
template <int kM_, int kK_, int kN_, int kRows_, int kCols_, int kResident_>
struct Tile {
    static constexpr int kM = kM_, kK = kK_, kN = kN_, kRows = kRows_, kCols = kCols_;
    static constexpr int kResident = kResident_;
    static constexpr int kThreadsX = kK / kCols, kThreads = kThreadsX * (kM / kRows);
    static constexpr int kGroup = kCols < 4 ? kCols : 4;  // columns
    static constexpr int kStrideM = 4 * (kM / kRows), kStrideK = kGroup * kThreadsX;
    static constexpr int kPitchA = kM + 4, kPitchB = kK + 4;  // so that the words of a column are in different banks
};

using Large = Tile<128, 128, 8, 8, 8, 2>;
using Medium = Tile<64, 64, 16, 8, 4, 4>;
using Small = Tile<16, 16, 16, 4, 2, 16>;

// One thread's words of tiles of kLines lines of kN words, [n][line] in shared memory. A line is a row of op(A) or a
// column of op(B); kAlongN says that its words are contiguous, else those of one n do.
template <int kLines, int kN, int kThreads, bool kAlongN>
struct Words {
    static constexpr int kSide = kAlongN ? kN : kLines, kStep = kThreads / kSide, kCount = kLines * kN / kThreads;
    static_assert(kThreads % kSide == 0 && kLines * kN % kThreads == 0, "whole passes");

    float value[kCount];
    const float* next;
    const int64_t line_stride, n_stride;
    const int first_n, first_line;

    // From the first word of the first tile on; `ld` is that of the matrix in memory.
    __device__ Words(const float* tile, int64_t ld)
        : line_stride(kAlongN ? ld : 1),
          n_stride(kAlongN ? 1 : ld),
          first_n(kAlongN ? threadIdx.x % kSide : threadIdx.x / kSide),
          first_line(kAlongN ? threadIdx.x / kSide : threadIdx.x % kSide) {
        next = tile + first_line * line_stride + first_n * n_stride;
    }

    __device__ int n(int i) const { return first_n + (kAlongN ? 0 : i * kStep); }
    __device__ int line(int i) const { return first_line + (kAlongN ? i * kStep : 0); }

    // Fetches the next tile, of which `lines` lines and `left` n are inside the matrix; the rest is zeros.
    __device__ void fetch(int lines, int left) {
#pragma unroll
        for (int i = 0; i < kCount; ++i) {
            const bool inside = line(i) < lines && n(i) < left;
            value[i] = inside ? next[i * kStep * (kAlongN ? line_stride : n_stride)] : 0.0f;
        }
        next += kN * n_stride;
    }

    template <int kPitch>
    __device__ void put(float (&tile)[kN][kPitch]) const {
#pragma unroll
        for (int i = 0; i < kCount; ++i) tile[n(i)][line(i)] = value[i];
    }
};

template <int kGroup>
__device__ __forceinline__ void copy_group(float* to, const float* from) {
    if constexpr (kGroup == 4) {
        ladder::copy4(to, from);
    } else {
#pragma unroll
        for (int i = 0; i < kGroup; ++i) to[i] = from[i];
    }
}

// sum = the tile's part of op(A) * op(B).
template <class T, bool kTransposeA, bool kTransposeB>
__device__ __forceinline__ void multiply_tile(float (&sum)[T::kRows][T::kCols], const float* A, const float* B,
                                              const solve_gemm_t& call, int rows, int cols, int y, int x) {
    __shared__ alignas(16) float tile_a[2][T::kN][T::kPitchA];
    __shared__ alignas(16) float tile_b[2][T::kN][T::kPitchB];
    Words<T::kM, T::kN, T::kThreads, !kTransposeA> words_a(A, call.lda);
    Words<T::kK, T::kN, T::kThreads, kTransposeB> words_b(B, call.ldb);
    int buffer = 0;
    words_a.fetch(rows, call.N);
    words_b.fetch(cols, call.N);
    for (int left = call.N; left > 0; left -= T::kN) {
        words_a.put(tile_a[buffer]);
        words_b.put(tile_b[buffer]);
        __syncthreads();
        words_a.fetch(rows, left - T::kN);  // nothing, at the last step
        words_b.fetch(cols, left - T::kN);
#pragma unroll
        for (int n = 0; n < T::kN; ++n) {
            alignas(16) float a[T::kRows], b[T::kCols];
#pragma unroll
            for (int i = 0; i < T::kRows; i += 4) ladder::copy4(&a[i], &tile_a[buffer][n][y + i / 4 * T::kStrideM]);
#pragma unroll
            for (int j = 0; j < T::kCols; j += T::kGroup) {
                copy_group<T::kGroup>(&b[j], &tile_b[buffer][n][x + j / T::kGroup * T::kStrideK]);
            }
#pragma unroll
            for (int i = 0; i < T::kRows; ++i) {
#pragma unroll
                for (int j = 0; j < T::kCols; ++j) sum[i][j] += a[i] * b[j];
            }
        }
        buffer ^= 1;
    }
}

// blockIdx.x is the tile, row by row of tiles, blockIdx.y and z number the products.
template <class T, bool kTransposeA, bool kTransposeB>
__global__ void __launch_bounds__(T::kThreads, T::kResident) batched(solve_gemm_t call, bool vector_c) {
    const int tiles_k = ladder::ceil_div(call.K, T::kK);
    const int tile_row = blockIdx.x / tiles_k * T::kM, tile_col = blockIdx.x % tiles_k * T::kK;
    const int rows = call.M - tile_row, cols = call.K - tile_col;  // of C from the tile's corner on
    const int y = 4 * (threadIdx.x / T::kThreadsX), x = T::kGroup * (threadIdx.x % T::kThreadsX);
    const int64_t product = int64_t{blockIdx.z} * gridDim.y + blockIdx.y;
    if (product >= call.batch) return;
    alignas(16) float sum[T::kRows][T::kCols] = {};
    multiply_tile<T, kTransposeA, kTransposeB>(
        sum, ladder::a_of(call, product) + tile_row * (kTransposeA ? 1 : call.lda),
        ladder::b_of(call, product) + tile_col * (kTransposeB ? call.ldb : 1), call, rows, cols, y, x);
    float* const C = ladder::c_of(call, product) + tile_row * call.ldc + tile_col;
#pragma unroll
    for (int i = 0; i < T::kRows; ++i) {
#pragma unroll
        for (int j = 0; j < T::kCols; j += T::kGroup) {
            const int row = y + i / 4 * T::kStrideM + i % 4, col = x + j / T::kGroup * T::kStrideK;
            if (row >= rows || col >= cols) continue;
            float* const c = &C[row * call.ldc + col];
            const int left = cols - col;
            alignas(16) float value[T::kGroup];
#pragma unroll
            for (int q = 0; q < T::kGroup; ++q) {
                value[q] = call.alpha * sum[i][j + q];
                if (q >= left) continue;
                if (call.beta != 0.0f) value[q] += call.beta * c[q];
                value[q] += ladder::bias_of(call, product, tile_row + row, tile_col + col + q);
                if (!vector_c) c[q] = value[q];
            }
            if (vector_c) copy_group<T::kGroup>(c, value);
        }
    }
}

template <class T>
int64_t tiles_of(const solve_gemm_t& call) {
    return int64_t{ladder::ceil_div(call.M, T::kM)} * ladder::ceil_div(call.K, T::kK);
}

template <class T>
void launch(const solve_gemm_t& call) {
    const bool ta = call.transpose_a == SOLVE_T, tb = call.transpose_b == SOLVE_T;
    const auto kernel = ta ? (tb ? batched<T, true, true> : batched<T, true, false>)
                           : (tb ? batched<T, false, true> : batched<T, false, false>);
    const bool vector_c = ladder::vector_operand(call.C, call.C_array, call.ldc, call.stride_c, call.K);
    constexpr int kMost = 65535;  // of gridDim.y
    const dim3 grid(static_cast<unsigned>(tiles_of<T>(call)), std::min(call.batch, kMost),
                    ladder::ceil_div(call.batch, kMost));
    kernel<<<grid, T::kThreads, 0, static_cast<cudaStream_t>(call.stream)>>>(call, vector_c);
}

inline int multiply_all(const solve_gemm_t& call) {
    const bool full = tiles_of<Large>(call) * call.batch >= 2 * ladder::sm_count();
    if (std::max(call.M, call.K) <= Small::kM) {
        launch<Small>(call);
    } else {
        full&& std::min(call.M, call.K) > Medium::kM ? launch<Large>(call) : launch<Medium>(call);
    }
    return SOLVE_OK;
}

inline void multiply(const ladder::Gemm& gemm) {
    multiply_all(ladder::call_of(gemm));
}

}  // namespace rung_56

SOLVE_EXPORT_GEMM_AND_ALL(rung_56::multiply, rung_56::multiply_all,
                          .summary = "54 with transposed operands, a bias, and all products of a batch in one launch",
                          .source = "cuBLAS (batched products), OK")
