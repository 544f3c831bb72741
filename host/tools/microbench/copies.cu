// The bandwidth per SM from the L2 cache into shared memory, by the width of its copies.
#include "microbench.h"

namespace {

constexpr int kThreads = 128, kBytes = 32 << 10;  // a pass of a block

// Copies pieces of a region that fits into the L2 cache, `kInFlight` passes ahead.
template <int kWidth>
__global__ void __launch_bounds__(kThreads) copy(const char* from, size_t region, int passes, long long* cycles) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    constexpr int kInFlight = 4;
    extern __shared__ __align__(16) char to[];
    const unsigned base = static_cast<unsigned>(__cvta_generic_to_shared(to));
    const long long start = clock64();
    size_t at = size_t(blockIdx.x) * kBytes;
    for (int pass = 0; pass < passes; ++pass) {
        for (int i = threadIdx.x * kWidth; i < kBytes; i += kThreads * kWidth) {
            if constexpr (kWidth == 16) {
                asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(base + pass % kInFlight * kBytes + i),
                             "l"(from + at + i));
            } else {
                asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(base + pass % kInFlight * kBytes + i),
                             "l"(from + at + i));
            }
        }
        asm volatile("cp.async.commit_group;");
        asm volatile("cp.async.wait_group %0;" ::"n"(kInFlight - 1));
        at = (at + size_t(gridDim.x) * kBytes) % region;
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
    if (threadIdx.x == 0) cycles[blockIdx.x] = clock64() - start;
#endif
}

template <int kWidth>
void row(const char* memory, size_t region) {
    const int passes = 2000;
    for (const int blocks : {1, microbench::multiprocessors()}) {
        MUST(cudaFuncSetAttribute(copy<kWidth>, cudaFuncAttributeMaxDynamicSharedMemorySize, 4 * kBytes));
        const double cycles = microbench::median_cycles(blocks, [&](long long* found) {
            copy<kWidth><<<blocks, kThreads, 4 * kBytes>>>(memory, region, passes, found);
        });
        std::printf("| %d | %d | %.1f |\n", kWidth, blocks, double(passes) * kBytes / cycles);
    }
}

}  // namespace

int main() {
    const size_t region = size_t(132) * 4 * kBytes;  // 17 MB
    const char* memory = microbench::allocate<char>(region + (size_t(1) << 20));
    std::printf(
        "\n## From the L2 cache into shared memory, bytes a cycle and SM\n\n| bytes a copy | SMs at work | bytes a "
        "cycle |\n|--:|--:|--:|\n");
    row<4>(memory, region);
    row<16>(memory, region);
}
