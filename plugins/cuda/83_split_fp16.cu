// FP32's accuracy from the tensor cores: each number as two of FP16, and three products in place of one.
//
// Against 74: its TF32 products have 11 bits. Two numbers of FP16 have 22 between them: the first is x, rounded, the
// second what that leaves. (h + l)(h' + l') is hh' + hl' + lh', but for 2^-22 of it, and FP16 is twice as fast as TF32.
//   - Range: FP16 ends at 65504 and at 2^-24. Each 64 numbers of a line of A or B are scaled by a power of two, which
//     brings the largest of them to 2^14 ... 2^15; the product is scaled back (packed_tiles.h: a kernel of its own
//     splits, scales and packs, and so can read transposed operands and those that are not aligned).
//   - Sums: a tensor core cuts off what it adds, 25 places below the largest term, always towards zero. So a sum stays
//     there for 64 n only, first the small products and then the large ones, and goes on in FP32, in registers.
//   - Where 64 numbers have too wide a range for that, or hold NaN or Inf, the packing says so in a word of memory, and
//     then every tile is computed by FP32, slowly. 85 does better.
// Against 82: a producer thread copies a tile of 33 KB by one instruction, and a warpgroup multiplies by wgmma.
//
// Registers: 64 sums of the tensor core and 64 in FP32 a thread; two warpgroups, so that one multiplies while the other
// adds. Workspace: 4.1 bytes for each element of A and B.
// Predicted limit, nothing of it timed yet: L2, which a tile of 128 x 128 asks for 67 KB every 1536 cycles an SM.
// Source: Ootomo and Yokota (splitting, sums outside the tensor core); DeepGEMM and CUTLASS for the kernel's form.
// build: least=90 as=90a
#include <cuda_fp16.h>

#include "../common/gemm/ring.h"
#include "../common/gemm/split_launch.h"
#include "../common/ptx/bulk_copy.h"
#include "../common/ptx/register_share.h"

namespace rung_83 {

using ladder::kPackedBytes, ladder::kPackedDepth, ladder::kPackedLines, ladder::kPartBytes;
using ladder::kSplitTile, ladder::kSplitWords;

constexpr int kConsumers = ladder::kSplitThreads, kProducers = 128;

// Two numbers of FP16, of which the first is the larger.
struct Fp16 {
    static constexpr int kParts = 2, kFactors = 1, kStages = 3, kSums = 1;  // sums of the tensor core in 64 n
    static constexpr auto kOperands = ladder::Operands::fp16;
    static constexpr int kProducts = 3;
    // Parts of A and B of a product.
    static constexpr __device__ int left(int product) { return product == 0; }
    static constexpr __device__ int right(int product) { return product == 1; }

    static __device__ __forceinline__ int split(const float (&value)[8], uint4 (&parts)[kParts], float (&factors)[1]) {
        unsigned most = 0;
#pragma unroll
        for (int q = 0; q < 8; ++q) most = max(most, __float_as_uint(value[q]) & 0x7fffffffu);
        most = ladder::most_of_eight(most);
        const int exponent = min(max(int(most >> 23), 67), 187);  // the factor is a normal number: 2^-60 to 2^60
        // Below 2^-18 of the largest there are fewer than 22 bits, from 2^-24 on fewer than 16. One such number in 64
        // is an accident, two are not; below 2^-34 nearly nothing is left.
        int small = 0, lost = 0;
#pragma unroll
        for (int q = 0; q < 8; ++q) {
            const unsigned magnitude = __float_as_uint(value[q]) & 0x7fffffffu;
            small += magnitude != 0 && magnitude < unsigned(exponent - 24) << 23;
            lost += magnitude != 0 && magnitude < unsigned(exponent - 34) << 23;
        }
        small = ladder::sum_of_eight(small), lost = ladder::sum_of_eight(lost);
        const bool out = most != 0 && int(most >> 23) != exponent;
        const float scale = __uint_as_float(unsigned(268 - exponent) << 23);  // 2^14 over the largest's power of two
        auto* const high = reinterpret_cast<__half2*>(&parts[0]);
        auto* const low = reinterpret_cast<__half2*>(&parts[1]);
#pragma unroll
        for (int q = 0; q < 8; q += 2) {
            const float x = value[q] * scale, y = value[q + 1] * scale;
            high[q / 2] = __floats2half2_rn(x, y);
            low[q / 2] = __floats2half2_rn(x - __low2float(high[q / 2]), y - __high2float(high[q / 2]));
        }
        factors[0] = __uint_as_float(unsigned(exponent - 14) << 23);
        return most >= 0x7f800000u ? 2 : out || small > 1 || lost > 0;
    }

    // sum += part, scaled back.
    static __device__ __forceinline__ float add(float sum, float part, const float (&of_a)[1], const float (&of_b)[1]) {
        return fmaf(part, of_a[0] * of_b[0], sum);
    }
};

template <class Format>
struct Tiles {
    static constexpr int kStages = Format::kStages;
    struct alignas(1024) Stage {
        char a[kPackedBytes<Format>], b[kPackedBytes<Format>];
        ladder::Mbarrier full, empty;
    };
    struct Shared {
        Stage stages[kStages];
    };
    static_assert(sizeof(Shared) <= 227 << 10, "what a block can have");
};

// What the copying thread and the multiplying warpgroups do.
template <class Format>
__device__ __forceinline__ void produce(typename Tiles<Format>::Shared& shared, const ladder::SplitJob& job) {
    constexpr int kBytes = kPackedBytes<Format>;
    ladder::Ring<Tiles<Format>> ring(shared);
    const int steps = ladder::ceil_div(job.operands.N, kPackedDepth);
    for (int tile = blockIdx.x; tile < job.tiles; tile += gridDim.x) {
        const int2 corner = ladder::corner_of<kSplitTile, kSplitTile>(tile, job.rows(), job.cols());
        const char* a = job.operands.packed_a + int64_t{corner.x / kSplitTile} * steps * kBytes;
        const char* b = job.operands.packed_b + int64_t{corner.y / kSplitTile} * steps * kBytes;
        for (int step = 0; step < steps; ++step, a += kBytes, b += kBytes) {
            ring.stage->empty.wait(ring.parity ^ 1);
            ring.stage->full.arrive_expecting(2 * kBytes);
            ladder::bulk_copy(ring.stage->a, a, kBytes, ring.stage->full);
            ladder::bulk_copy(ring.stage->b, b, kBytes, ring.stage->full);
            ring.advance();
        }
    }
}

template <class Format>
__device__ __forceinline__ void consume(typename Tiles<Format>::Shared& shared, const ladder::SplitJob& job) {
    const int2 place = ladder::split_place();
    ladder::Ring<Tiles<Format>> ring(shared);
    ladder::AsyncProducts products;
    const int steps = ladder::ceil_div(job.operands.N, kPackedDepth);
    for (int tile = blockIdx.x; tile < job.tiles; tile += gridDim.x) {
        float sum[kSplitWords] = {}, part[kSplitWords] = {};
        for (int step = 0; step < steps; ++step) {
            ring.stage->full.wait(ring.parity);
            const ladder::SharedRows a(ring.stage->a + threadIdx.x / 128 * (kPartBytes / 2)), b(ring.stage->b);
            const auto factors = [&](const char* tile, int line, float(&of_line)[Format::kFactors]) {
                const auto* from = reinterpret_cast<const float*>(tile + Format::kParts * kPartBytes);
#pragma unroll
                for (int f = 0; f < Format::kFactors; ++f) of_line[f] = from[f * kPackedLines + line];
            };
#pragma unroll 1
            for (int piece = 0; piece < 128; piece += 128 / Format::kSums) {  // bytes of a line
                products.begin();
                constexpr int kRequests = 4 / Format::kSums;  // of 32 bytes
#pragma unroll
                for (int i = 0; i < Format::kProducts * kRequests; ++i) {
                    const int product = i / kRequests, from = piece + i % kRequests * 32;
                    products.request<Format::kOperands>(part, a.at(Format::left(product) * kPartBytes + from),
                                                        b.at(Format::right(product) * kPartBytes + from), i > 0);
                }
                products.commit();
                products.wait<0>();
                float of_row[2][Format::kFactors], of_col[Format::kFactors];
                factors(ring.stage->a, place.x, of_row[0]), factors(ring.stage->a, place.x + 8, of_row[1]);
#pragma unroll
                for (int i = 0; i < kSplitWords; ++i) {
                    const int word = i / 4 * 4 + i % 2 * 2 + i / 2 % 2;  // the two rows of a column together
                    if (i % 2 == 0) factors(ring.stage->b, place.y + i / 4 * 8 + word % 2, of_col);
                    sum[word] = Format::add(sum[word], part[word], of_row[i % 2], of_col);
                }
            }
            __syncwarp();  // all lanes have read the stage
            if (threadIdx.x % 32 == 0) ring.stage->empty.arrive();
            ring.advance();
        }
        ladder::store_split(job, ladder::corner_of<kSplitTile, kSplitTile>(tile, job.rows(), job.cols()), sum);
    }
}

template <class Format>
__device__ __forceinline__ void multiply_split(typename Tiles<Format>::Shared& shared, const ladder::SplitJob& job) {
    if (threadIdx.x == 0) {
        for (auto& stage : shared.stages) stage.full.init(1), stage.empty.init(kConsumers / 32);
        ladder::show_barriers_to_copies();
    }
    __syncthreads();
    if (threadIdx.x >= kConsumers) {
        ladder::give_registers<40>();
        if (threadIdx.x == kConsumers) produce<Format>(shared, job);
    } else {
        ladder::take_registers<232>();
        consume<Format>(shared, job);
    }
}

static __global__ void __launch_bounds__(kConsumers + kProducers, 1) split_fp16(ladder::SplitJob job) {
    if (!ladder::kHasWgmma) return;
    extern __shared__ Tiles<Fp16>::Shared memory[];
    ladder::let_next_kernel_start();
    ladder::wait_for_kernel_before();
    if (job.operands.level && *job.operands.level == 0) return multiply_split<Fp16>(*memory, job);
    if (threadIdx.x < kConsumers) ladder::multiply_as_they_are(job);
}

inline int multiply_all(const solve_gemm_t& call) {
    constexpr ladder::SplitKernel kKernel{split_fp16, kConsumers + kProducers, sizeof(Tiles<Fp16>::Shared)};
    return ladder::enqueue_split<Fp16>(call, kKernel, [](const ladder::SplitOperands& operands) {
        ladder::enqueue_pack<Fp16>(operands, 0);  // whatever the level
    });
}

inline void multiply(const ladder::Gemm& gemm) {
    multiply_all(ladder::call_of(gemm));
}

}  // namespace rung_83

SOLVE_EXPORT_GEMM_AND_ALL(
    rung_83::multiply, rung_83::multiply_all,
    .summary = "each number as two of FP16, three wgmma products; workspace 4.1 B an element of A, B",
    .source = "Ootomo and Yokota, DeepGEMM", .arithmetic = SOLVE_ARITHMETIC_FP32_EMULATED,
    .minimum_compute_capability = 90)
