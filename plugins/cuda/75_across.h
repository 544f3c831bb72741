// The kernel of 75_vectors.cu for a matrix whose rows run across n, and what both of its kernels share.
#pragma once

#include "../common/gemm/block_sums.h"
#include "../common/gemm/lane_sums.h"
#include "../common/gemm/vector_plan.h"

namespace rung_75 {

constexpr int kThreads = 256, kWarps = kThreads / 32;
constexpr int kRows = 4;  // of a thread, along n
// Steps in flight.
template <int kCount, bool kStreamed>
constexpr int kAheadAlong = kStreamed    ? 4
                            : kCount > 2 ? 1
                                         : 2;
template <bool kStreamed, int kGroups>
constexpr int kAheadAcross = kStreamed ? 16 / kGroups : 8;
// Blocks per SM that are to have registers.
constexpr int resident_with(int vectors, bool along, bool streamed) {
    return !streamed && (vectors == 1 || (vectors == 2 && along)) ? 3 : 2;
}
constexpr ladder::VectorKernel kKernel{kThreads, kRows, resident_with};

// Where vector k begins, in a kernel for kCount vectors. If there are fewer, the last one is loaded in their place.
template <int kCount>
__device__ __forceinline__ int64_t step_to(const ladder::VectorProduct& product, int k) {
    return (kCount > 2 ? min(k, product.count - 1) : k) * product.step_v;
}

// What is contiguous: numbers of one vector, the four of all vectors for an n, 16 bytes, or nothing.
enum class Beside { kOfOne, kOfAll, kNone };

// The numbers of all vectors for an n, the first of which is at `from`; zeros if they are not `inside`.
template <Beside kBeside, int kCount>
__device__ __forceinline__ void load_numbers(float (&to)[kCount], const float* from,
                                             const ladder::VectorProduct& product, bool inside) {
    if constexpr (kBeside == Beside::kOfAll) {
        ladder::load4_ahead(to, from, inside);
    } else {
#pragma unroll
        for (int k = 0; k < kCount; ++k) to[k] = ladder::load_ahead(from + step_to<kCount>(product, k), inside);
    }
}

// Waits for the kernel before, and says how the matrix is to be kept in L2.
template <bool kStreamed>
__device__ __forceinline__ ladder::L2Policy wait_and_choose_policy(uint64_t computed,
                                                                   const ladder::VectorProduct& product) {
    if constexpr (kStreamed) {
        return ladder::L2Policy(ladder::wait_for_running_kernel(computed) ? product.evict_first : 1.0f);
    } else {
        ladder::wait_for_kernel_before(computed);
        return ladder::L2Policy(product.evict_first);
    }
}

// Rows across n. A warp's n are equal modulo 4; `lanes` lanes are adjacent along the columns, 4 columns each, and
// kGroups times so. kStreamed: VectorPlan::streamed.
template <int kCount, bool kStreamed = false, int kGroups = 1>
__global__ void __launch_bounds__(kThreads, resident_with(kCount, false, kStreamed))
    across_n(ladder::VectorProduct product, int lanes, int width, int blocks, int depth) {
    constexpr int kAhead = kAheadAcross<kStreamed, kGroups>;
    extern __shared__ float sums[];
    const int group = blockIdx.x / blocks, n_begin = (blockIdx.x - group * blocks) * depth, col = group * width;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, beside = 32 / lanes, n_step = beside * kWarps;
    const int n_own = warp % 4 + 4 * (lane / lanes + beside * (warp / 4)), cols = product.lines - col;
    const float* from = product.matrix + (int64_t{n_begin} + n_own) * product.ld + col;
    const int x = lane % lanes * 4 - (ladder::bits(from) / sizeof(float) & 3);  // this thread's first column
    from += x;
    const float* from_v = product.vectors + (int64_t{n_begin} + n_own) * product.step_n;
    const int64_t step = n_step * product.ld, step_v = n_step * product.step_n;
    const int n_count = min(depth, product.N - n_begin), apart = 4 * lanes, end = min(width, cols);
    int left = x < end ? n_count - n_own : 0;  // n
    // What is loaded beside a row goes into sums of columns that are not stored. Only before the first row and behind
    // the last may there be no memory: of these two rows the words inside are loaded one by one.
    const int skip_first = x < -col && n_begin == 0 ? n_count : 0;  // what is `left` then
    bool beyond = false;
#pragma unroll
    for (int g = 0; g < kGroups; ++g) beyond = beyond || (x + g * apart < end && x + g * apart + 4 > cols);
    const int skip_last = beyond && n_begin + n_count == product.N ? 1 : 0;
    const bool first = left > 0 && left == skip_first, last = left > 0 && skip_last && (left - 1) % n_step == 0;
    const bool has_edge = first || last;
    const float* const edge = from + (first ? 0 : (left - 1) / n_step * step);
    const float* const edge_vector = from_v + (first ? 0 : (left - 1) / n_step * step_v);
    const uint64_t computed = ladder::bits(from) | ladder::bits(from_v) | step | step_v | unsigned(left) |
                              ladder::bits(edge) | ladder::bits(edge_vector);
    const ladder::L2Policy policy = wait_and_choose_policy<kStreamed>(computed, product);
    ladder::let_next_kernel_start();

    float b[kAhead][kGroups][4], v[kAhead][kCount], edge_b[kGroups][4] = {}, edge_v[kCount] = {};
    float sum[kCount * kGroups][4] = {};
    const auto request = [&](int place, int left) {
        const bool inside = left > 0 && left != skip_first && left != skip_last;
#pragma unroll
        for (int g = 0; g < kGroups; ++g) {
            policy.load4(b[place][g], from + g * apart, inside && (g == 0 || x + g * apart < end));
        }
        load_numbers<Beside::kNone>(v[place], from_v, product, inside);
        from += step, from_v += step_v;
    };
    const auto load_edge = [&] {
#pragma unroll
        for (int j = 0; j < 4 * kGroups; ++j) {
            const int at = j / 4 * apart + j % 4;
            policy.load(&edge_b[j / 4][j % 4], edge + at, has_edge && x + at >= -col && x + at < cols);
        }
        load_numbers<Beside::kNone>(edge_v, edge_vector, product, has_edge);
    };
    const auto add = [&](const float(&b)[kGroups][4], const float(&v)[kCount]) {
#pragma unroll
        for (int i = 0; i < 4 * kCount * kGroups; ++i) {
            sum[i / 4][i % 4] += v[i / 4 / kGroups] * b[i / 4 % kGroups][i % 4];
        }
    };
    if (!kStreamed) load_edge();
#pragma unroll
    for (int place = 0; place < kAhead; ++place) request(place, left - place * n_step);
    for (; left > 0; left -= kAhead * n_step) {
#pragma unroll
        for (int place = 0; place < kAhead; ++place) {
            add(b[place], v[place]);
            request(place, left - (kAhead + place) * n_step);
        }
    }
    if (kStreamed && has_edge) load_edge();  // so late, because their registers are wanted in the loop
    add(edge_b, edge_v);
    __syncwarp();
    ladder::add_lanes(sum, lanes, 32);
    const int numbers = kCount * width;
#pragma unroll
    for (int i = 0; i < 4 * kCount * kGroups; ++i) {
        const int at = x + i / 4 % kGroups * apart + i % 4;
        if (lane < lanes && at >= 0 && at < width) {
            sums[warp * numbers + i / 4 / kGroups * width + at] = sum[i / 4][i % 4];
        }
    }
    ladder::store_block_sums<kThreads>(sums, numbers, kWarps, blocks, [&](int i, float total) {
        const int k = kCount > 1 ? i / width : 0, at = i - k * width;
        if (at < cols && k < product.count)
            product.epilogue.store(&product.C[(col + at) * product.c_line + k * product.c_v], total);
    });
}

}  // namespace rung_75
