// 67's tiles of 64 x 64 by persistent blocks: each takes one tile after another.
//
// Against 67: there each tile has a block of its own, which computes addresses, waits for its first copies, multiplies,
// stores, and ends; with N of 64 that is a fifth of its instructions, and blocks that start together wait together.
// Here the steps of all tiles of a block are one sequence: while the last two steps of a tile are multiplied, the first
// two of the next one are in flight. 1000 products of 64 x 64 x 64 are 1000 tiles for 528 blocks.
//
// The step that is not whole is the first of a tile, as in 67. Its n are the last of the step's 16: if they are eight
// or fewer, its first half is left out, and not the second, in which copies are requested.
//
// Limit: as for 67's loop: 512 of 640 instructions are FFMA. Few tiles: those of the busiest SM over the mean.
// Source: CUTLASS (persistent kernels).
// build: least=80
#include "../common/gemm/tile_walk.h"
#include "67_small_tiles.cu"

namespace rung_71 {

struct Tile : rung_67::Tile<64, 64, 8, 4, 4> {
    struct Shared {
        Stage stages[kStages];
        alignas(16) float sums[kM][kK + 4];  // only if C cannot be written 16 bytes at a time
    };
};

template <bool kTransposeA, bool kTransposeB>
__global__ void __launch_bounds__(Tile::kThreads, Tile::kResident)
    small_walk(solve_gemm_t call, ladder::WalkOfProducts walk, bool vector_c) {
    using T = Tile;
    if (!ladder::kHasCpAsync) return;
    extern __shared__ char memory[];
    auto& shared = *reinterpret_cast<T::Shared*>(memory);
    const ladder::LanePlace place = ladder::merging_place<T::kThreadsX>(threadIdx.x % 32);
    const int y = 4 * (int(threadIdx.x) / 32 * (32 / T::kThreadsX) + place.y), x = 4 * place.x;
    // A tile's first step has `some` n, of which half a step is enough if they are few.
    const int steps = ladder::ceil_div(call.N, T::kN), some = (call.N - 1) % T::kN + 1;
    if (ladder::has_arrays(call)) ladder::wait_for_kernel_before();
    ladder::TileOfProduct copied = walk.tile(blockIdx.x), stored = copied;  // whose copies are requested; multiplied
    ladder::WordCopies<T::kM, T::kN, T::kThreads, !kTransposeA> a(ladder::a_of(call, copied.product), call.lda, 0,
                                                                  copied.row * T::kM, call.M);
    ladder::WordCopies<T::kK, T::kN, T::kThreads, kTransposeB> b(ladder::b_of(call, copied.product), call.ldb, 0,
                                                                 copied.col * T::kK, call.K);
    ladder::wait_for_kernel_before(a.computed() | b.computed() | 1);

    ladder::AsyncCopies copies;
    const auto request_first = [&](T::Stage& to) {  // the step that is not whole
        a.request_last(copies, to.a, some), b.request_last(copies, to.b, some);
        copies.commit();
    };
    const auto request = [&]<int kParts>(float* own_a, float* own_b, int part) {
        a.template request_part<kParts>(copies, own_a, part, true);
        b.template request_part<kParts>(copies, own_b, part, true);
    };
    request_first(shared.stages[0]);
    request.template operator()<1>(a.own_word(shared.stages[1].a), b.own_word(shared.stages[1].b), 0);
    copies.commit();
    ladder::let_next_kernel_start();
    ladder::ThreadOperands<T> of[2];
    int stage = 0, free = T::kStages - 1;  // the one that is multiplied, the one that is filled
    const float *at_a, *at_b;              // the thread's first words of a stage
    const auto wait_for = [&](T::Stage& next) {
        copies.wait<T::kStages - 2>();
        __syncthreads();  // it is there, and nobody reads the one before any more
        at_a = ladder::opaque_shared(&next.a[0][y]), at_b = ladder::opaque_shared(&next.b[0][x]);
    };
    wait_for(shared.stages[0]);
    of[0].read(at_a, at_b, 0);
    alignas(16) float sum[T::kRows][T::kCols];
    // A step of the tile, or its last 8 n. kRequest: and the copies of the next step but one.
    const auto multiply = [&]<bool kRequest>(bool half) {
        float *own_a, *own_b;
        if (kRequest) {
            own_a = ladder::opaque_shared(a.own_word(shared.stages[free].a));
            own_b = ladder::opaque_shared(b.own_word(shared.stages[free].b));
        }
        free = stage;
        stage = stage + 1 == T::kStages ? 0 : stage + 1;
        if (!half) {
#pragma unroll
            for (int n = 0; n < T::kLeast; ++n) {
                of[(n + 1) % 2].read(at_a, at_b, n + 1);
                of[n % 2].multiply(sum);
            }
        }
#pragma unroll
        for (int n = T::kLeast; n < T::kN; ++n) {
            constexpr int kApart = T::kLeast / T::kParts;
            if (kRequest && n % kApart == 0) {
                request.template operator()<T::kParts>(own_a, own_b, (n - T::kLeast) / kApart);
            }
            if (n + 1 < T::kN) {
                of[(n + 1) % 2].read(at_a, at_b, n + 1);
            } else {
                if (kRequest) copies.commit();
                wait_for(shared.stages[stage]);
                of[0].read(at_a, at_b, 0);
            }
            of[n % 2].multiply(sum);
        }
    };
    const ladder::Epilogue epilogue{call.alpha, call.beta};
    for (int tile = blockIdx.x; tile < walk.tiles; tile += gridDim.x, walk.go_on(stored)) {
#pragma unroll
        for (int i = 0; i < T::kRows * T::kCols; ++i) sum[i / T::kCols][i % T::kCols] = 0.0f;
        for (int step = 0; step < steps; ++step) {
            const bool half = step == 0 && some <= T::kLeast;
            if (half) of[0].read(at_a, at_b, T::kLeast);
            if (step + 2 == steps) {
                const bool there = tile + gridDim.x < walk.tiles;
                if (there) walk.go_on(copied);
                a.move_to(ladder::a_of(call, copied.product), call.lda, copied.row * T::kM, call.M, there);
                b.move_to(ladder::b_of(call, copied.product), call.ldb, copied.col * T::kK, call.K, there);
                request_first(shared.stages[free]);
                multiply.template operator()<false>(half);
            } else {
                multiply.template operator()<true>(half);
            }
        }

        float* const c = ladder::c_of(call, stored.product) + stored.row * T::kM * call.ldc + stored.col * T::kK;
        const int rows = call.M - stored.row * T::kM, cols = call.K - stored.col * T::kK;
        const auto row_of = [&](int i) { return y + i / 4 * T::kStrideM + i % 4; };
        if (vector_c) {
#pragma unroll
            for (int i = 0; i < T::kRows; ++i) {
                if (row_of(i) < rows && x < cols) epilogue.store4(c + row_of(i) * call.ldc + x, sum[i]);
            }
        } else {
#pragma unroll
            for (int i = 0; i < T::kRows; ++i) ladder::copy4(&shared.sums[row_of(i)][x], sum[i]);
            __syncthreads();
            ladder::store_rows<T::kThreads, T::kK, T::kAhead>(shared.sums, c, call.ldc, rows, cols, epilogue);
        }
    }
    copies.wait<0>();
}

// Blocks per SM, three or four, whichever gives the busiest SMs fewer tiles; a few SMs with one tile more do not count.
// And how many tiles the busiest SMs have.
inline std::pair<int, double> blocks_per_sm(double tiles_of_sm) {
    const auto busiest = [&](int blocks) { return blocks * std::ceil(tiles_of_sm / blocks - 0.15); };
    const int best = busiest(3) <= busiest(4) ? 3 : 4;
    return {best, busiest(best)};
}

inline double tiles_of_sm(const solve_gemm_t& call, const ladder::DeviceFigures& device) {
    return ladder::tiles_of_call(call, Tile::kM, Tile::kK) / device.sms;
}

// Where it takes less time than 67 with the same tile, on an H200: for batches of products of a tile each, and so many
// that no SM has much more to do than the mean (71_small_walk.md).
inline bool is_for(const solve_gemm_t& call, const ladder::DeviceFigures& device) {
    const double tiles = tiles_of_sm(call, device);
    if (Tile::kResident * (int(sizeof(Tile::Shared)) + ladder::kSharedOfSystem) > device.shared_of_sm) return false;
    const bool of_a_tile = std::max(call.M, call.K) <= Tile::kM && call.N > Tile::kN && call.N <= 72;
    return of_a_tile && tiles >= 7 && tiles <= 1e6 && blocks_per_sm(tiles).second <= 1.12 * tiles;
}

// A call without a bias, with more n than a step has, and with no more tiles than an int counts.
inline void launch(const solve_gemm_t& call) {
    const bool ta = call.transpose_a == SOLVE_T, tb = call.transpose_b == SOLVE_T;
    const auto kernel = ta ? (tb ? small_walk<true, true> : small_walk<true, false>)
                           : (tb ? small_walk<false, true> : small_walk<false, false>);
    const ladder::DeviceFigures device = ladder::current_device();
    ladder::WalkOfProducts walk{.tiles_m = ladder::ceil_div(call.M, Tile::kM),
                                .tiles_k = ladder::ceil_div(call.K, Tile::kK)};
    walk.tiles = walk.tiles_m * walk.tiles_k * call.batch;
    const int of_sm = blocks_per_sm(tiles_of_sm(call, device)).first, blocks = std::min(walk.tiles, of_sm * device.sms);
    walk.by = walk.tile(blocks);
    const bool vector_c = ladder::Vectors(call).c;
    const int needed = vector_c ? offsetof(Tile::Shared, sums) : sizeof(Tile::Shared);
    const int shared = ladder::shared_for_fewest_blocks(needed, blocks, of_sm, device);
    ladder::allow_shared(kernel, shared);
    ladder::launch_early(kernel, dim3(blocks), Tile::kThreads, shared, static_cast<cudaStream_t>(call.stream), call,
                         walk, vector_c);
}

inline int multiply_all(const solve_gemm_t& given) {
    if (given.N <= Tile::kN || ladder::tiles_of_call(given, Tile::kM, Tile::kK) > 1 << 30) {
        return rung_67::multiply_all(given);
    }
    return launch(ladder::with_bias_added(given)), SOLVE_OK;
}

inline int multiply(const ladder::Gemm& gemm) {
    return multiply_all(ladder::call_of(gemm));
}

}  // namespace rung_71

SOLVE_EXPORT_GEMM_AND_ALL(rung_71::multiply, rung_71::multiply_all,
                          .summary = "67's tiles of 64x64 by blocks that stay: a tile's copies begin in the one before",
                          .source = "CUTLASS (persistent kernels)", .minimum_compute_capability = 80)
