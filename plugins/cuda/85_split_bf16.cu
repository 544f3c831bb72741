// Numbers whose range is too wide for FP16 are split into three of BF16 each, and the device chooses the split.
//
// Against 83: where 64 numbers of a line span more than 2^24, it computes all of C by FP32, at a fiftieth of its speed.
// BF16 has FP32's exponents and 8 bits, so three of them have all 24: x is h + m + l, exactly. Of the nine products of
// two such sums three are below 2^-24 of the largest, and six are left, twice the work of 83's three. Scaling is still
// needed: m and l are 2^-8 and 2^-16 of x and would be too small where x is below 2^-110, and the largest numbers would
// round up to infinity. With the largest of 64 at 2^59, whatever is larger than 2^-169 of it keeps all its bits.
//   - The choice: 83's packing leaves in a word of memory whether anything was lost, and stops once it was. Then a
//     block packs its numbers in BF16 as well (85_pack.h), or, where there are many, a second packing does, which
//     returns at once otherwise. One kernel multiplies what was packed. The host never knows, so a CUDA graph that was
//     captured with numbers that FP16 can hold is right when it is replayed with others.
//   - Small products are split by the kernel that multiplies, in which each block chooses (83_split_inside.h).
//   - FP32, as in 83, for numbers that even BF16 loses, and for NaN and Inf, which h + m + l cannot hold (Inf - Inf).
//   - Where few terms are most of a sum, FP32 rounds little, and each step in the tensor cores cuts something off. So
//     most sums are compensated (Kahan): what rounding has taken off is added to the next product. And where n are few,
//     sums in the tensor cores are of 32 or 16 n, in place of 64.
//   - The factor that scales a product back spans more than FP32's exponents do. It is two factors, of which the second
//     is 1 where the largest of 64 is from 2^-15 to 2^122; the sums are added with half the instructions then.
//
// Workspace: 6.1 bytes for each element of A and B, since the host does not know which split it will be; up to 2056 x
// 2056, where each format has memory of its own, 10.2.
// Limit, presumably: with FP16 L2; with BF16 the tensor cores, 3072 cycles for a tile's 64 n, then power. TFLOP/s on an
// H100: host/results/h100_split.md; what was tried: plugins/notes/83_split.md.
// Source: Henry, Tang and Heinecke (BF16 in three parts); cuBLAS (its BF16x9 mode); Kahan (sums).
// build: least=90 as=90a
#include <cuda_bf16.h>

#include "83_split_fp16.cu"
#include "85_pack.h"

namespace rung_85 {

using rung_83::Fp16, rung_83::Tiles, rung_83::multiply_split;

// Three numbers of BF16, the largest first.
template <int kTileRows, int kTileCols>
struct Bf16 {
    static constexpr int kRows = kTileRows, kCols = kTileCols;
    static constexpr int kParts = 3, kFactors = 2, kStages = kTileRows == kTileCols ? 2 : 3;
    // The sums of boxes (83_split_boxes.h) are compensated where those of warpgroups and blocks are added; there are no
    // registers for more. At 256, of normal numbers times 2^-40 to 2^40, sums of 16 n are up to 4.4 u |A||B| off, of
    // 32 n 4.8, and cuBLAS 4.6 to 5.7. They take 0.3 us more.
    static constexpr bool kIsCompensatedInside = true;
    static constexpr int kShortSumsUpTo = 480;
    static constexpr auto kOperands = ladder::Operands::bf16;
    static constexpr int kProducts = 6;
    // The small products come first: l h', m m', h l', m h', h m', h h'.
    static constexpr __device__ int left(int product) { return 0x001012 >> 4 * product & 3; }
    static constexpr __device__ int right(int product) { return 0x010210 >> 4 * product & 3; }

    // What split() says may be lost is lost, and no format but FP32 itself is wider.
    static __device__ __forceinline__ int judge(const float (&)[8]) { return 2; }

    static __device__ __forceinline__ bool split(const float (&value)[8], uint4 (&parts)[kParts], float (&factors)[2]) {
        const unsigned most = ladder::most_of_64(value);
        // 2^59 over the largest's power of two; or 2^127, with which all keep all their bits, if that is smaller.
        const int exponent = min(max(int(most >> 23), 59), 254);
        const float scale = __uint_as_float(unsigned(313 - exponent) << 23);
        unsigned least = ~0u;  // as in 83
#pragma unroll
        for (int q = 0; q < 8; ++q) least = min(least, __float_as_uint(fabsf(value[q]) - 0x1p-149f));
        unsigned* const words[] = {&parts[0].x, &parts[1].x, &parts[2].x};
#pragma unroll
        for (int q = 0; q < 8; q += 2) {
            float x = value[q] * scale, y = value[q + 1] * scale;
#pragma unroll
            for (int p = 0; p < kParts; ++p) {
                const __nv_bfloat162 pair = __floats2bfloat162_rn(x, y);
                const unsigned word = reinterpret_cast<const unsigned&>(pair);
                words[p][q / 2] = word;
                x -= __uint_as_float(word << 16), y -= __uint_as_float(word & 0xffff0000u);  // exact
            }
        }
        const int back = exponent - 186, first_back = min(max(back, -74), 63);
        factors[0] = __uint_as_float(unsigned(first_back + 127) << 23);
        factors[1] = __uint_as_float(unsigned(back - first_back + 127) << 23);
        const float whole = __uint_as_float(unsigned(exponent) << 23) * 0x1p-85f * 0x1p-84f;
        return most >= 0x7f800000u || least < __float_as_uint(whole);
    }

    // Of normal numbers times 2^-40 to 2^40, at 768: compensated sums of 32 n are up to 5.8 u |A||B| off, of 64 n 7.5,
    // and cuBLAS 6.2 to 7.0; at 1024 it has 13.6. 64 n take 32 us at 1024, 32 n 39. Large tiles of few n are faster by
    // turns, 32 us for 40 at 2000 x 200 x 2000, and have little to compensate.
    template <class Walk>
    static __device__ __forceinline__ auto* sum_tile(Walk& walk, typename Walk::Words& sum) {
        using namespace rung_83;
        if constexpr (kTileRows == 128) {
            return walk.of_tile < 12 ? sum_by_turns<2>(walk, sum) : sum_compensated<1>(walk, sum);
        } else if constexpr (kTileCols == 128) {
            return walk.of_tile < 15 ? sum_compensated<2>(walk, sum) : sum_compensated<1>(walk, sum);
        } else {
            return sum_compensated<2>(walk, sum);
        }
    }

    // sum += part, scaled back. A product of factors is 0 or infinite only if what it makes of the part is.
    static __device__ __forceinline__ float add(float sum, float part, const float (&of_a)[2], const float (&of_b)[2]) {
        return fmaf(part * (of_a[0] * of_b[0]), of_a[1] * of_b[1], sum);
    }
    static __device__ __forceinline__ float add(float sum, float part, const float (&of_a)[1], const float (&of_b)[1]) {
        return fmaf(part, of_a[0] * of_b[0], sum);
    }
};

// Either product. A kernel for each, of which one returns at once, takes 4 to 10 % longer from 1024 on. `squares`: of
// A and of B, where each format has memory of its own (85_pack.h).
template <class Narrow, class Wide, bool kIsOdd>
__global__ void __launch_bounds__(Tiles<Wide>::kThreads, Tiles<Wide>::kBlocks)
    split_by_range(ladder::SplitJob job, int2 squares) {
    if (!ladder::kHasWgmma) return;
    extern __shared__ ladder::SharedKilobyte memory[];
    ladder::wait_for_kernel_before();
    ladder::let_next_kernel_start();  // not before: add_edges.h
    unsigned level = job.level();
    if (level == 0) {
        return multiply_split<Narrow, kIsOdd>(*reinterpret_cast<typename Tiles<Narrow>::Shared*>(memory),
                                              job.as<Narrow>());
    }
    job.operands = squares.x > 0 ? wide_of<Narrow, Wide>(job.operands) : job.operands.as<Wide>();
    if (level == 1 && squares.x > 0) {
        pack_remaining<Wide>(*reinterpret_cast<PackShared*>(memory), job.operands, squares);
        level = job.level();
    }
    if (level == 1) {
        multiply_split<Wide, kIsOdd>(*reinterpret_cast<typename Tiles<Wide>::Shared*>(memory), job);
    } else if (threadIdx.x < Wide::kRows * 2) {
        ladder::multiply_as_they_are<Wide>(job, reinterpret_cast<float*>(memory));
    } else if (kIsOdd) {
        ladder::add_edges_in_product<Wide::kRows * 2, Tiles<Wide>::kThreads>(job);
    }
}

// `has_both`: each format has memory of its own, as is_for_both() says or a test wants it.
template <class Narrow, class Wide>
void enqueue_either(const ladder::SplitJob& job, bool has_both) {
    int2 squares = make_int2(0, 0);
    if (has_both && job.operands.state) {
        squares = enqueue_pack_either<Narrow, Wide>(job.operands, job.edges);
    } else {
        ladder::enqueue_pack<Narrow>(job.operands, 0, job.edges);
        ladder::enqueue_pack<Wide>(job.operands, 1);
    }
    ladder::launch_split<Wide>(split_by_range<Narrow, Wide, false>,
                               split_by_range<Narrow, Wide, ladder::kHasOddKernel<Wide>>, job,
                               sizeof(typename Tiles<Narrow>::Shared), squares);
}

template <class Narrow, class Wide>
size_t workspace_of(const solve_gemm_t& call, int2 edges, bool has_both) {
    return has_both ? ladder::workspace_of_split<Narrow, Wide>(call, edges)
                    : ladder::workspace_of_split<Wide>(call, edges);
}

template <class Narrow, class Wide>
int enqueue(const solve_gemm_t& call, int2 edges, bool has_both) {
    return ladder::enqueue_split(call, edges, workspace_of<Narrow, Wide>(call, edges, has_both),
                                 [&](const ladder::SplitJob& job) { enqueue_either<Narrow, Wide>(job, has_both); });
}

// visit(narrow, wide, edges) of the formats with the tiles that suit a call best.
template <class Visit>
auto with_formats(const solve_gemm_t& call, Visit visit) {
    const ladder::SplitWay way = ladder::best_split_way(call);
    switch (way.tile) {
        case ladder::SplitTile::small:
            return visit(Fp16<64, 64>(), Bf16<64, 64>(), way.edges);
        case ladder::SplitTile::medium:
            return visit(Fp16<64, 128>(), Bf16<64, 128>(), way.edges);
        default:
            return visit(Fp16<128, 128>(), Bf16<128, 128>(), way.edges);
    }
}

inline int multiply_all(const solve_gemm_t& call) {
    if (rung_83::is_for_inside(call)) return ladder::enqueue_inside(call, rung_83::best_inside<Fp16, Bf16>(call));
    return with_formats(call, [&](auto narrow, auto wide, int2 edges) {
        return enqueue<decltype(narrow), decltype(wide)>(call, edges, is_for_both(call));
    });
}

inline void multiply(const ladder::Gemm& gemm) {
    multiply_all(ladder::call_of(gemm));
}

}  // namespace rung_85

SOLVE_EXPORT_GEMM_AND_ALL(rung_85::multiply, rung_85::multiply_all,
                          .summary = "83, or three of BF16 and six products if the range asks for it; workspace 10 B",
                          .source = "Henry, Tang and Heinecke, cuBLAS", .arithmetic = SOLVE_ARITHMETIC_FP32_EMULATED,
                          .minimum_compute_capability = 90)
