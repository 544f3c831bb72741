// cuBLAS's own way over several GPUs, cublasXt, with its block chosen by size: what the others here are against.
//
// It cuts C into square blocks, which it hands to the GPUs in turn, and streams what each needs. Its default block of
// 1024 reaches 24 TFLOP/s on four H200 at any size. The best ones were 4096 at n = 8192, 6144 at 16384 and 8192 from
// 32768 on, with 40, 105 and 182 to 204 TFLOP/s. A baseline that is not tuned would flatter.
//
// Limit: what a block needs is loaded for it alone, over PCIe, and nothing goes from GPU to GPU.
//
// Source: cublasXt, of the CUDA Toolkit.
// build: link=cublas
#include <cublasXt.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "../common/multi/export.h"
#include "../common/multi/gpu.h"
#include "../common/multi/settings.h"

namespace rung_multi_00 {

inline void must(cublasStatus_t status, const char* what) {
    if (status != CUBLAS_STATUS_SUCCESS) ladder::give_up("%s: %s", what, cublasGetStatusString(status));
}

// A handle for so many GPUs.
struct Kept {
    cublasXtHandle_t handle = nullptr;
    int gpus = 0;

    ~Kept() {
        if (handle) cublasXtDestroy(handle);
    }
    void use(int count) {
        if (gpus == count) return;
        if (handle) cublasXtDestroy(handle);
        handle = nullptr, gpus = 0;
        must(cublasXtCreate(&handle), "cublasXtCreate");
        std::vector<int> numbers(count);
        for (int i = 0; i < count; ++i) numbers[i] = i;
        must(cublasXtDeviceSelect(handle, count, numbers.data()), "cublasXtDeviceSelect");
        gpus = count;
    }
};

// The block by the size of a cube of as many operations; half of that where it is small.
inline int block_for(int M, int N, int K) {
    const double size = std::cbrt(double(M) * N * K);
    if (size > 24576) return 8192;
    if (size > 12288) return 6144;
    return std::clamp(static_cast<int>(size / 2) / 256 * 256, 256, 4096);
}

inline void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
    const ladder::Settings settings = ladder::read_settings();
    ladder::with_kept<Kept>([&](Kept& kept) {
        kept.use(settings.gpus);
        must(cublasXtSetBlockDim(kept.handle, block_for(M, N, K)), "cublasXtSetBlockDim");
        const float one = 1, zero = 0;
        // It reads columns where we have rows: C' = B' * A'.
        must(cublasXtSgemm(kept.handle, CUBLAS_OP_N, CUBLAS_OP_N, K, M, N, &one, B, K, A, N, &zero, C, K),
             "cublasXtSgemm");
    });
}

}  // namespace rung_multi_00

SOLVE_BASELINE_MARK
SOLVE_EXPORT_HOST(rung_multi_00::multiply, .summary = "cublasXt on all GPUs, its block chosen by size",
                  .source = "cublasXt", .flags = SOLVE_FLAG_BASELINE)
