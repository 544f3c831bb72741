// FP32's accuracy from the tensor cores: each number as two of FP16, and three products in place of one.
//
// Against 74: its TF32 products have 11 bits. Two numbers of FP16 have 22 between them: the first is x, rounded, the
// second what that leaves. (h + l)(h' + l') is hh' + hl' + lh', but for 2^-22 of it, and FP16 is twice as fast as TF32.
//   - Range: FP16 ends at 65504 and at 2^-24. Each 64 numbers of a line of A or B are scaled by a power of two, which
//     brings the largest of them to 2^14 ... 2^15; the product is scaled back (packed_tiles.h: a kernel of its own
//     splits, scales and packs, and so can read transposed operands and those that are not aligned).
//   - Sums: a tensor core cuts off what it adds, 25 places below the largest term, always towards zero. So a sum stays
//     there for 64 n only, first the small products and then the large ones, and goes on in FP32, in registers.
//   - A row or two too many for the tiles are left to the packing, in FP32 (edge_lines.h).
//   - Small products are split by the kernel that multiplies (83_split_inside.h).
//   - Where 64 numbers have too wide a range for that, or hold NaN or Inf, the packing says so in a word of memory, and
//     then every tile is computed by FP32, slowly. 85 does better.
// Against 82: a producer thread copies a tile of 33 KB by one instruction, and a warpgroup multiplies by wgmma.
//
// Registers: twice 64 sums of the tensor core and 64 in FP32 a thread: while the products of a batch come, the batch
// before it is added. Workspace: 4.1 bytes for each element of A and B.
// Limit, it is thought: L2, which a tile of 128 x 128 asks for 67 KB per SM every 1536 cycles, and power. TFLOP/s on an
// H100 at 512 to 8192: 35, 112, 174, 204, 217 (host/results/h100_split.md).
// Source: Ootomo and Yokota (splitting, sums outside the tensor core); DeepGEMM and CUTLASS for the kernel's form.
// build: least=90 as=90a
#include <cuda_fp16.h>

#include "../common/gemm/split_launch.h"
#include "83_split_boxes.h"
#include "83_split_packed.h"

namespace rung_83 {

// Two numbers of FP16, of which the first is the larger; and the tile of C that they are packed for.
template <int kTileRows, int kTileCols>
struct Fp16 {
    static constexpr int kRows = kTileRows, kCols = kTileCols;
    static constexpr int kParts = 2, kFactors = 1;
    // For small products, split by the kernel that multiplies: whether sums are compensated, and up to which N the
    // tensor cores' sums are of 16 n.
    static constexpr bool kIsCompensatedInside = false;
    static constexpr int kShortSumsUpTo = 0;
    // Small, at 512, where threads copy: 11.4 us with two, 13.7 with three.
    static constexpr int kStages = kTileRows == kTileCols ? kTileRows == 64 ? 2 : 3 : 4;
    static constexpr int kProducts = 3;
    static constexpr auto kOperands = ladder::Operands::fp16;
    static constexpr __device__ int left(int product) { return product == 0; }  // parts of A and B
    static constexpr __device__ int right(int product) { return product == 1; }

    // The exponent of the largest, so that the factor is a normal number, 2^-60 to 2^60: its bits.
    static __device__ __forceinline__ unsigned exponent_of(unsigned most) {
        return min(max(most & 0x7f800000u, 67u << 23), 187u << 23);
    }

    // Below 2^-18 of the largest there are fewer than 22 bits, from 2^-24 on fewer than 16. One such number in 64 is an
    // accident, two are not; below 2^-34 nearly nothing is left.
    static __device__ __forceinline__ int judge(const float (&value)[8]) {
        const unsigned most = ladder::most_of_64(value), exponent = exponent_of(most);
        int small = 0, lost = 0;
#pragma unroll
        for (int q = 0; q < 8; ++q) {
            const unsigned magnitude = __float_as_uint(value[q]) & 0x7fffffffu;
            small += magnitude != 0 && magnitude < exponent - (24u << 23);
            lost += magnitude != 0 && magnitude < exponent - (34u << 23);
        }
        small = ladder::sum_of_eight(small), lost = ladder::sum_of_eight(lost);
        const bool out = most != 0 && (most & 0x7f800000u) != exponent;
        return most >= 0x7f800000u ? 2 : out || small > 1 || lost > 0;
    }

    // The bits of the smallest magnitude but 0: less the smallest denormal, a 0 is negative, and its bits are the
    // largest. By an addition, since the pipe of the comparisons takes twice as long for an instruction and has half of
    // them.
    template <int kCount>
    static __device__ __forceinline__ unsigned least_of(const float (&value)[kCount]) {
        unsigned least = ~0u;
#pragma unroll
        for (int q = 0; q < kCount; ++q) least = min(least, __float_as_uint(fabsf(value[q]) - 0x1p-149f));
        return least;
    }

    // Whether split() would report a possible loss for these four numbers alone.
    static __device__ __forceinline__ bool is_wild(const float (&value)[4]) {
        return least_of(value) < exponent_of(ladder::most_of(value)) - (24u << 23);
    }

    static __device__ __forceinline__ bool split(const float (&value)[8], uint4 (&parts)[kParts], float (&factors)[1]) {
        const unsigned most = ladder::most_of_64(value), exponent = exponent_of(most), least = least_of(value);
        const bool out = most != 0 && (most & 0x7f800000u) != exponent;
        const float scale = __uint_as_float((268u << 23) - exponent);  // 2^14 over the largest's power of two
        auto* const high = reinterpret_cast<__half2*>(&parts[0]);
        auto* const low = reinterpret_cast<__half2*>(&parts[1]);
#pragma unroll
        for (int q = 0; q < 8; q += 2) {
            const float x = value[q] * scale, y = value[q + 1] * scale;
            high[q / 2] = __floats2half2_rn(x, y);
            low[q / 2] = __floats2half2_rn(x - __low2float(high[q / 2]), y - __high2float(high[q / 2]));
        }
        factors[0] = __uint_as_float(exponent - (14u << 23));
        return out || least < exponent - (24u << 23);
    }

    template <class Walk>
    static __device__ __forceinline__ auto* sum_tile(Walk& walk, typename Walk::Words& sum) {
        // Of positive numbers, at 768: sums of 64 n in the tensor cores, which cut off towards zero, are up to 6.2
        // u |A||B| off, of 32 n 4.9, and cuBLAS 5.4 to 6.2; at 896 cuBLAS has 16.8. They take 15.6 us for 14.4.
        if (kRows == 64 && kCols == 128 && walk.of_tile < 13) return sum_by_turns<2>(walk, sum);
        return sum_by_turns<1>(walk, sum);
    }

    // sum += part, scaled back.
    static __device__ __forceinline__ float add(float sum, float part, const float (&of_a)[1], const float (&of_b)[1]) {
        return fmaf(part, of_a[0] * of_b[0], sum);
    }
};

template <class F, bool kIsOdd>
__global__ void __launch_bounds__(Tiles<F>::kThreads, Tiles<F>::kBlocks) split(ladder::SplitJob job) {
    if (!ladder::kHasWgmma) return;
    extern __shared__ ladder::SharedKilobyte memory[];
    ladder::wait_for_kernel_before();
    ladder::let_next_kernel_start();  // not before: add_edges.h
    if (job.level() == 0) {
        multiply_split<F, kIsOdd>(*reinterpret_cast<typename Tiles<F>::Shared*>(memory), job);
    } else if (threadIdx.x < F::kRows * 2) {
        ladder::multiply_as_they_are<F>(job, reinterpret_cast<float*>(memory));
    } else if (kIsOdd) {
        ladder::add_edges_in_product<F::kRows * 2, Tiles<F>::kThreads>(job);
    }
}

template <class F>
int enqueue(const solve_gemm_t& call, int2 edges) {
    return ladder::enqueue_split(
        call, edges, ladder::workspace_of_split<F>(call, edges), [](const ladder::SplitJob& job) {
            ladder::enqueue_pack<F>(job.operands, 0, job.edges);
            ladder::launch_split<F>(split<F, false>, split<F, ladder::kHasOddKernel<F>>, job.as<F>());
        });
}

// Up to which size this is faster than packing: as long as there is at most one tile per SM.
inline bool is_for_inside(const solve_gemm_t& call, int sms = ladder::sm_count()) {
    return call.N >= 32 && int64_t{ladder::ceil_div(call.M, 64)} * ladder::ceil_div(call.K, 64) <= sms;
}

// With a tile, cut among so many blocks at most; and the way that is expected to be the fastest.
template <class T>
ladder::InsideWay way_inside(const solve_gemm_t& call, double step_cycles, int most, int sms) {
    using Boxes = BoxesTile<typename T::Narrow, typename T::Wide>;
    auto way = ladder::way_inside<T>(call, split_inside<T>, step_cycles, most, sms);
    way.of_boxes = split_boxes<Boxes>, way.box_threads = Boxes::kThreads,
    way.box_shared = sizeof(typename Boxes::Shared);
    if constexpr (T::Wide::kShortSumsUpTo > 0) {
        if (call.N <= T::Wide::kShortSumsUpTo) {
            way.of_boxes = split_boxes<BoxesTile<typename T::Narrow, typename T::Wide, 2>>;
        }
    }
    return way;
}
template <template <int, int> class Narrow, template <int, int> class Wide>
ladder::InsideWay best_inside(const solve_gemm_t& call, int sms = ladder::sm_count()) {
    return way_inside<InsideTile<Narrow<64, 64>, Wide<64, 64>>>(call, 1300, 4, sms);
}

// A template, so that who includes this file compiles the kernels only if it calls it: a quarter of 85's time.
template <class = void>
int multiply_all(const solve_gemm_t& call) {
    if (is_for_inside(call)) return ladder::enqueue_inside(call, best_inside<Fp16, Fp16>(call));
    const ladder::SplitWay way = ladder::best_split_way(call);
    switch (way.tile) {
        case ladder::SplitTile::small:
            return enqueue<Fp16<64, 64>>(call, way.edges);
        case ladder::SplitTile::medium:
            return enqueue<Fp16<64, 128>>(call, way.edges);
        default:
            return enqueue<Fp16<128, 128>>(call, way.edges);
    }
}

template <class = void>
void multiply(const ladder::Gemm& gemm) {
    multiply_all(ladder::call_of(gemm));
}

}  // namespace rung_83

SOLVE_EXPORT_GEMM_AND_ALL(
    rung_83::multiply<>, rung_83::multiply_all<>,
    .summary = "each number as two of FP16, three wgmma products; workspace 4.1 B an element of large A, B",
    .source = "Ootomo and Yokota, DeepGEMM", .arithmetic = SOLVE_ARITHMETIC_FP32_EMULATED,
    .minimum_compute_capability = 90)
