// Rows of A, and all of B, to each GPU; rows of C back.
//
// Against plugins/cuda: the matrices are in host memory, and every GPU computes a part of C. A product of rows of A and
// all of B needs nothing of the other rows, so no GPU waits for another one.
//
// Limit: PCIe, and the order of things. B crosses it once for each GPU; a GPU computes nothing until its last byte has
// come, and copies nothing back until it has computed all. With four H200 at n = 16384 that is 3 GB for each of them at
// some 50 GB/s each way, 60 ms, beside 39 ms of computing, and in pageable memory six times as long. All of B and the
// rows of A and C must fit into a GPU.
//
// Source: the usual way to split a product over GPUs; PyTorch users do so by hand.
// build: least=75 as=90a
#include <algorithm>
#include <deque>

#include "../common/multi/export.h"
#include "../common/multi/gpu.h"
#include "../common/multi/settings.h"
#include "product.h"

namespace rung_multi_10 {

using ladder::Gpu;

inline size_t bytes_needed(int rows, int N, int K) {
    return ladder::aligned_bytes(size_t(rows) * N) + ladder::aligned_bytes(size_t(N) * K) +
           ladder::aligned_bytes(size_t(rows) * K);
}

inline void check_memory(const Gpu& gpu, size_t most, int rows, int N, int K) {
    const size_t needed = bytes_needed(rows, N, K), memory = gpu.memory(most);
    if (needed <= memory) return;
    ladder::give_up("GPU %d: %zu bytes are needed, and %zu there: 20_streamed needs less than all of B", gpu.number(),
                    needed, memory);
}

// Some rows of C and what they are made of: here on the host, and `a`, `b`, `c` on a GPU.
struct Part {
    Gpu gpu;
    int rows;
    const float *A, *B;
    float *C, *a = nullptr, *b = nullptr, *c = nullptr;

    Part(int number, int rows, const float* A, const float* B, float* C) : gpu(number), rows(rows), A(A), B(B), C(C) {}
    void copy(float* to, const float* from, size_t elements, cudaMemcpyKind kind) {
        gpu.make_current();
        ladder::must(cudaMemcpyAsync(to, from, sizeof(float) * elements, kind, gpu.stream(0)), "cudaMemcpyAsync");
    }
    void enqueue_product(int N, int K) {
        gpu.reserve(bytes_needed(rows, N, K));
        a = gpu.take(size_t(rows) * N), b = gpu.take(size_t(N) * K), c = gpu.take(size_t(rows) * K);
        copy(a, A, size_t(rows) * N, cudaMemcpyHostToDevice);
        copy(b, B, size_t(N) * K, cudaMemcpyHostToDevice);
        multi::enqueue_product({a, N, b, K, c, K, rows, N, K, 1.0f, 0.0f, gpu.stream(0)});
    }
};

inline void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
    const ladder::Settings settings = ladder::read_settings();
    std::deque<Part> parts;  // freed at the end, whatever happens
    const int each = ladder::ceil_div(M, settings.gpus);
    for (int64_t first = 0; first < M; first += each) {
        const int rows = static_cast<int>(std::min<int64_t>(each, M - first));
        parts.emplace_back(static_cast<int>(parts.size()), rows, A + first * N, B, C + first * K);
        check_memory(parts.back().gpu, settings.device_memory, rows, N, K);
    }
    for (Part& part : parts) part.enqueue_product(N, K);
    // After the products of all: a copy into pageable memory returns when it is done.
    for (Part& part : parts) part.copy(part.C, part.c, size_t(part.rows) * K, cudaMemcpyDeviceToHost);
    for (Part& part : parts) {
        part.gpu.make_current();
        ladder::must(cudaStreamSynchronize(part.gpu.stream(0)), "cudaStreamSynchronize");
    }
}

}  // namespace rung_multi_10

SOLVE_EXPORT_HOST(rung_multi_10::multiply, .summary = "rows of A and all of B to each GPU, rows of C back",
                  .source = "the usual way")
