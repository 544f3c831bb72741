// The loop of an FFMA kernel and nothing else: what the order of the FFMA, the length of the loop's body and the reads
// from shared memory cost. Eight warps per SM, the operands of the next n read while this one is multiplied, as in
// rung 80.
#include "microbench.h"

namespace {

constexpr int kWarps = 8;
constexpr int kPitchA = 132, kPitchB = 256, kDepth = 8;  // of a tile in shared memory, 128 x 256 outputs

enum class Order { rows_outside, columns_outside };

// Which 4 x 4 of the warp's 64 x 64 outputs a lane has first, as rows and columns of 4 x 4.
enum class Lanes { both_merged, a_merged, b_merged, none_merged, all_different };

__device__ __forceinline__ int2 corner(Lanes lanes, int lane) {
    switch (lanes) {
        case Lanes::both_merged:
            return make_int2(lane / 2 % 4, lane / 8 * 2 + lane % 2);
        case Lanes::a_merged:
            return make_int2(lane / 8, lane % 8);
        case Lanes::b_merged:
            return make_int2(lane % 4, lane / 4);
        case Lanes::none_merged:
            return make_int2(lane % 4, lane / 4 ^ lane % 4);
        default:
            return make_int2(lane, lane);  // no product: each lane its own 16 bytes
    }
}

template <int kRows, int kCols, Order kOrder, int kBody, int kReads, Lanes kLanes>
__global__ void __launch_bounds__(kWarps * 32, 1) inner_loop(float* memory, int passes, long long* cycles) {
    extern __shared__ __align__(16) float tile[];
    float *tile_a = tile, *tile_b = tile + 2 * kDepth * kPitchA;
    for (int i = threadIdx.x; i < 2 * kDepth * (kPitchA + kPitchB); i += blockDim.x) tile[i] = i * 1e-3f;
    __syncthreads();
    const int2 at = corner(kLanes, threadIdx.x % 32);
    alignas(16) float a[2][kRows], b[2][kCols], sum[kRows][kCols] = {};
    for (int i = 0; i < 2 * kRows; ++i) a[i % 2][i / 2] = memory[threadIdx.x + i];
    for (int i = 0; i < 2 * kCols; ++i) b[i % 2][i / 2] = memory[threadIdx.x + 64 + i];

    const long long start = clock64();
#pragma unroll 1
    for (int pass = 0; pass < passes; ++pass) {
        const float* from_a = tile_a + pass % 2 * kDepth * kPitchA + 4 * at.x;
        const float* from_b = tile_b + pass % 2 * kDepth * kPitchB + 4 * at.y;
#pragma unroll
        for (int n = 0; n < kBody; ++n) {
            const int now = n % 2, next = 1 - now, row = n % kDepth;
#pragma unroll
            for (int read = 0; read < kReads; ++read) {
                const bool of_b = read < kCols / 4;
                const int q = of_b ? read : read - kCols / 4;
                float4* to = reinterpret_cast<float4*>(of_b ? &b[next][4 * q] : &a[next][4 * q]);
                const float* from =
                    of_b ? from_b + row * kPitchB + q * (256 / kCols) : from_a + row * kPitchA + q * (256 / kRows);
                *to = *reinterpret_cast<const float4*>(from);
            }
#pragma unroll
            for (int step = 0; step < kRows * kCols; ++step) {
                const int slow = kOrder == Order::rows_outside ? step / kCols : step / kRows;
                const int count = kOrder == Order::rows_outside ? kCols : kRows;
                const int fast = slow % 2 ? count - 1 - step % count : step % count;
                const int i = kOrder == Order::rows_outside ? slow : fast,
                          j = kOrder == Order::rows_outside ? fast : slow;
                sum[i][j] = fmaf(a[now][i], b[now][j], sum[i][j]);
            }
        }
    }
    const long long end = clock64();

    float total = 0;
    for (int i = 0; i < kRows * kCols; ++i) total += sum[i / kCols][i % kCols];
    memory[1024 + blockIdx.x * blockDim.x + threadIdx.x] = total;
    if (threadIdx.x == 0) cycles[blockIdx.x] = end - start;
}

template <int kRows, int kCols, Order kOrder, int kBody, int kReads, Lanes kLanes = Lanes::both_merged>
void row(const char* lanes = "") {
    static float* const memory = microbench::allocate<float>(1 << 20);
    const int blocks = microbench::multiprocessors(), passes = 40000 / kBody;
    const size_t shared = 2 * kDepth * (kPitchA + kPitchB) * sizeof(float);
    const double cycles = microbench::median_cycles(blocks, [&](long long* found) {
        inner_loop<kRows, kCols, kOrder, kBody, kReads, kLanes><<<blocks, kWarps * 32, shared>>>(memory, passes, found);
    });
    const double per_cycle = double(passes) * kBody * kRows * kCols * kWarps * 32 / cycles;
    std::printf("| %d x %d | %s | %d | %d | %s | %.3f |\n", kRows, kCols,
                kOrder == Order::rows_outside ? "rows outside" : "columns outside", kBody, kReads, lanes,
                per_cycle / 128);
}

template <int kRows, int kCols, Order kOrder, int kBody>
void rows_by_reads() {
    row<kRows, kCols, kOrder, kBody, 0>();
    row<kRows, kCols, kOrder, kBody, 2>("pairs merged");
    row<kRows, kCols, kOrder, kBody, 6>("pairs merged");
}

}  // namespace

int main() {
    std::printf("## The inner loop: FFMA for each of 128 lanes and cycle\n\n");
    std::printf(
        "| outputs a thread | order | n a body | 128-bit reads an n | their lanes | rate "
        "|\n|---|---|--:|--:|---|--:|\n");
    rows_by_reads<16, 8, Order::rows_outside, 8>();
    rows_by_reads<16, 8, Order::columns_outside, 4>();
    rows_by_reads<16, 8, Order::columns_outside, 8>();
    rows_by_reads<16, 8, Order::columns_outside, 16>();
    rows_by_reads<16, 8, Order::columns_outside, 32>();
    rows_by_reads<8, 16, Order::columns_outside, 8>();
    row<16, 8, Order::rows_outside, 8, 6, Lanes::a_merged>("of A merged");
    row<16, 8, Order::rows_outside, 8, 6, Lanes::b_merged>("of B merged");
    row<16, 8, Order::rows_outside, 8, 6, Lanes::none_merged>("none merged");
    row<16, 8, Order::rows_outside, 8, 6, Lanes::all_different>("all different");
}
