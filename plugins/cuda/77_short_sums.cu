// Short sums: N of some dozens at most, and a C that is large beside A and B. What takes the time is storing it.
//
// Against 69 and 88: no pipeline. The whole contraction of a tile is requested at once, and multiplied as it comes, 16
// n at a time. What hides the latency is other blocks of the SM, four if N leaves room. 3817 x 2 x 4361 is 67 MB to
// write, 25 us of an H100's memory, and half a us of its FFMA.
//
// A block is 8 warps. Warp w has the rows w, w + 8, w + 16, ... of the tile: with a stride of 8 leading dimensions they
// have the same offset in their sectors of 32 bytes, for any C. So each warp starts its columns up to 7 further left;
// all its stores are of 16 bytes and fill whole sectors, save at the ends of rows, even if rows of C have odd length.
// B lies in shared memory so that four neighbours can be read from any column on: each fourth column is in one plane,
// and adjacent lanes read neighbours of a plane. A's rows lie in the order in which warps have them.
//
// Operands of any form come by copies of words. Of a C larger than half of L2 the rest is evict-first (l2_policy.h).
// More than kChunk n are slow.
// Limit: memory, or L2 where C stays there; for small C the launch and the latency of one load and one store.
// Source: cuBLAS (its kernels for an outer product).
// build: least=75
#include <algorithm>

#include "../common/export/gemm.h"
#include "../common/gemm/fit_block.h"
#include "../common/gemm/operand_part.h"
#include "../common/gemm/short_work.h"
#include "../common/gemm/tile.h"
#include "../common/ptx/early_launch.h"
#include "../common/ptx/l2_policy.h"
#include "../common/ptx/opaque.h"

namespace rung_77 {

constexpr int kWarps = 8, kThreads = 32 * kWarps, kSector = ladder::kSector;
constexpr int kChunk = 64, kPiece = 16;  // n in shared memory at a time, at most; n that are waited for
static_assert(kWarps % kSector == 0, "the rows of a warp begin alike in their sectors");

// A thread has kRows rows and kGroups groups of 4 columns; kLanes lanes are adjacent along K.
template <int kRows_, int kLanes_, int kGroups, int kResident_>
struct Tile {
    static constexpr int kRows = kRows_, kLanes = kLanes_, kCols = 4 * kGroups, kResident = kResident_;
    static constexpr int kOfWarp = 32 / kLanes * kRows;  // rows
    static constexpr int kM = kWarps * kOfWarp, kK = kLanes * kCols;
    static constexpr int kWide = kSector + kK;  // columns of B: the tile's, and kSector before them for the shift
    // Words of a plane: 8 or 24 modulo 32, so that 8 neighbours in each of 4 planes are in different banks.
    static constexpr int kPlane = (kWide / 4 + 7) / 16 * 16 + 8;
    // From one n to the next: 8 n of 4 rows, or columns, are in different banks.
    static constexpr int kPitchA = kM + 4, kPitchB = 4 * kPlane + 1, kPitch = kPitchA + kPitchB;

    static constexpr __device__ int place_of_row(unsigned row) { return row % kWarps * kOfWarp + row / kWarps; }
    static constexpr __device__ int row_of(unsigned place) { return place % kOfWarp * kWarps + place / kOfWarp; }
    static constexpr __device__ int place_of_column(unsigned column) { return column % 4 * kPlane + column / 4; }
    static constexpr __device__ int column_of(int i) { return i; }
    static constexpr __device__ int offset_of(int j) { return j / 4 * 4 * kLanes + j % 4; }  // of a thread's column
};

struct Plan {
    int chunk;             // n in shared memory at a time
    int lanes_a, lanes_b;  // operand_part.h
    bool shift, vectors;   // whether rows of C do not begin with a sector; whether stores may be of 16 bytes
    float evict_first;
    int first_tile = 0, first_product = 0;  // of this launch
};

// blockIdx.x and y are the tile, z the product.
template <class T>
__global__ void __launch_bounds__(kThreads, T::kResident) short_sums(solve_gemm_t call, Plan plan) {
    extern __shared__ char memory[];
    const int tile_row = (plan.first_tile + blockIdx.y) * T::kM, tile_col = blockIdx.x * T::kK;
    const int rows = call.M - tile_row, cols = call.K - tile_col;  // of C from the tile's corner on
    const int warp = threadIdx.x / 32, lane = threadIdx.x % T::kLanes, part = threadIdx.x % 32 / T::kLanes;
    const int product = plan.first_product + blockIdx.z;
    float *const tile_a = reinterpret_cast<float*>(memory), *const tile_b = tile_a + plan.chunk * T::kPitchA;
    if (ladder::has_arrays(call)) ladder::wait_for_kernel_before();
    float* c = ladder::c_of(call, product) + (tile_row + warp) * call.ldc + tile_col;
    const int shift = plan.shift ? reinterpret_cast<uintptr_t>(c) / sizeof(float) % kSector : 0;
    const int x = 4 * lane - shift;  // this lane's first column
    alignas(16) float sum[T::kRows][T::kCols] = {};
    ladder::AsyncCopies copies;
    for (int left = call.N; left > 0; left -= plan.chunk) {
        const int first = call.N - left, count = min(left, plan.chunk);
        const ladder::OperandPart a(ladder::a_of(call, product), call.lda, plan.lanes_a, tile_row, 0, min(rows, T::kM));
        const ladder::OperandPart b(ladder::b_of(call, product), call.ldb, plan.lanes_b, tile_col - kSector,
                                    max(kSector - tile_col, 0), kSector + min(cols, T::kK));
        ladder::wait_for_kernel_before(a.computed() | b.computed() | ladder::bits(c) | unsigned(x));
        if (first > 0) __syncthreads();  // nobody reads the chunk before any more
        for (int n = 0; n < count; n += kPiece) {
            b.request<T::kWide, T::kPitchB, kThreads>(copies, tile_b + n * T::kPitchB, first + n,
                                                      min(count - n, kPiece), T::column_of, T::place_of_column);
            a.request<T::kM, T::kPitchA, kThreads>(copies, tile_a + n * T::kPitchA, first + n, min(count - n, kPiece),
                                                   T::row_of, T::place_of_row);
            copies.commit();
        }
        ladder::let_next_kernel_start();  // not before: 67
        const float *from_a = ladder::opaque_shared(tile_a + warp * T::kOfWarp + part * T::kRows), *from_b[4];
#pragma unroll
        for (int q = 0; q < 4; ++q) from_b[q] = ladder::opaque_shared(tile_b + T::place_of_column(kSector + x + q));
#pragma unroll 4
        for (int n = 0; n < count; ++n, from_a += T::kPitchA) {
            if (n % kPiece == 0) ladder::wait_but_for(copies, (count - 1 - n) / kPiece);
            alignas(16) float of_a[T::kRows], of_b[T::kCols];
#pragma unroll
            for (int i = 0; i < T::kRows; ++i) {
                if (T::kRows % 4 != 0) of_a[i] = from_a[i];
                if (T::kRows % 4 == 0 && i % 4 == 0) ladder::copy4(&of_a[i], &from_a[i]);
            }
#pragma unroll
            for (int j = 0; j < T::kCols; ++j) of_b[j] = from_b[j % 4][j / 4 * T::kLanes];
#pragma unroll
            for (int q = 0; q < 4; ++q) from_b[q] += T::kPitchB;
#pragma unroll
            for (int i = 0; i < T::kRows; ++i) {
#pragma unroll
                for (int j = 0; j < T::kCols; ++j) sum[i][j] += of_a[i] * of_b[j];
            }
        }
    }

    const ladder::L2Policy policy(plan.evict_first);  // C
    const auto inside = [&](int col) { return x + col >= -tile_col && x + col < cols; };
    const bool whole = plan.vectors && inside(0) && inside(T::offset_of(T::kCols - 1));
    c += part * T::kRows * kWarps * call.ldc + x;
    const auto for_each_row = [&](auto act) {
#pragma unroll
        for (int i = 0; i < T::kRows; ++i) {
            if (warp + (part * T::kRows + i) * kWarps < rows) act(sum[i], c + i * kWarps * call.ldc);
        }
    };
#pragma unroll
    for (int i = 0; i < T::kRows * T::kCols; ++i) sum[i / T::kCols][i % T::kCols] *= call.alpha;
    if (call.beta != 0.0f) {
        for_each_row([&](float(&value)[T::kCols], const float* from) {
            alignas(16) float old[T::kCols] = {};
#pragma unroll
            for (int j = 0; j < T::kCols; ++j) {
                if (whole && j % 4 == 0) ladder::copy4(&old[j], from + T::offset_of(j));
                if (!whole && inside(T::offset_of(j))) old[j] = from[T::offset_of(j)];
                value[j] += call.beta * old[j];
            }
        });
    }
    for_each_row([&](const float(&value)[T::kCols], float* to) {
#pragma unroll
        for (int j = 0; j < T::kCols; ++j) {
            if (whole && j % 4 == 0) policy.store4(to + T::offset_of(j), &value[j]);
            if (!whole && inside(T::offset_of(j))) policy.store(to + T::offset_of(j), value[j]);
        }
    });
}

template <class T>
void launch_tiles(const solve_gemm_t& call) {
    constexpr int kFloats = (64 << 10) / sizeof(float);  // of shared memory, that every GPU has
    const int most_shift = ladder::most_shift(call);
    const bool even = most_shift == 0, shift = !even && call.K <= INT32_MAX - kSector;
    const int chunk = std::min({call.N, kChunk, kFloats / T::kPitch});
    const int lanes_a = ladder::lanes_along(call.transpose_a == SOLVE_N, call.N);
    const int lanes_b = ladder::lanes_along(call.transpose_b == SOLVE_T, call.N);
    const double bytes = sizeof(float) * double(call.M) * call.K * call.batch;
    Plan plan{chunk, lanes_a, lanes_b, shift, even || shift, ladder::evict_first_fraction(bytes)};
    const int tiles_m = ladder::ceil_div(call.M, T::kM);
    const int tiles_k = ladder::ceil_div(ladder::columns_with_shift(call.K, most_shift, T::kK), T::kK);
    const int shared =
        ladder::shared_for_even_blocks(chunk * T::kPitch * int{sizeof(float)}, double(tiles_m) * tiles_k * call.batch,
                                       T::kResident, ladder::current_device());
    ladder::allow_shared(short_sums<T>, shared);
    ladder::for_each_slab(call.batch, 1, [&](int64_t product, int products) {
        ladder::for_each_slab(tiles_m, 1, [&](int64_t tile, int tiles) {
            plan.first_product = static_cast<int>(product), plan.first_tile = static_cast<int>(tile);
            ladder::launch_early(short_sums<T>, dim3(tiles_k, tiles, products), kThreads, shared,
                                 static_cast<cudaStream_t>(call.stream), call, plan);
        });
    });
}

template <class T>
constexpr ladder::ShortConfig config_of(ladder::WayId id) {
    return {id, {T::kM, T::kK, T::kResident}, launch_tiles<T>};
}
constexpr ladder::ShortConfig kConfigs[] = {
    config_of<Tile<2, 16, 1, 4>>(ladder::WayId::short_32x64),
    config_of<Tile<4, 32, 1, 4>>(ladder::WayId::short_32x128),
    config_of<Tile<4, 32, 2, 3>>(ladder::WayId::short_32x256),
    config_of<Tile<4, 16, 1, 4>>(ladder::WayId::short_64x64),
    config_of<Tile<8, 32, 1, 4>>(ladder::WayId::short_64x128),
    config_of<Tile<8, 16, 1, 2>>(ladder::WayId::short_128x64),
};

inline int multiply_all(const solve_gemm_t& given) {
    const solve_gemm_t call = ladder::with_bias_added(given);
    return ladder::best_short(kConfigs, call).launch(call), SOLVE_OK;
}

inline void multiply(const ladder::Gemm& gemm) {
    multiply_all(ladder::call_of(gemm));
}

}  // namespace rung_77

SOLVE_EXPORT_GEMM_AND_ALL(rung_77::multiply, rung_77::multiply_all,
                          .summary = "short sums: no pipeline, small blocks, stores of whole sectors",
                          .source = "cuBLAS (outer products)", .minimum_compute_capability = 75)
