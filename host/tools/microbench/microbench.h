// What the microbenchmarks share. Each is a program that prints rows of a Markdown table; `make microbench` collects
// them.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace microbench {

#define MUST(call) microbench::must((call), #call)

inline void must(cudaError_t error, const char* call) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(error));
    std::exit(1);
}

inline int multiprocessors() {
    int count = 0;
    MUST(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0));
    return count;
}

template <class T>
T* allocate(size_t count) {
    T* memory = nullptr;
    MUST(cudaMalloc(&memory, count * sizeof(T)));
    MUST(cudaMemset(memory, 0, count * sizeof(T)));
    return memory;
}

// The median over the blocks of what each found its loop to take, in cycles, best of three launches. launch(cycles)
// starts a kernel of that many blocks, each of which stores one number.
template <class Launch>
double median_cycles(int blocks, Launch launch) {
    static long long* const cycles = allocate<long long>(4096);
    std::vector<long long> found(blocks);
    double best = 1e300;
    for (int i = 0; i < 3; ++i) {
        launch(cycles);
        MUST(cudaGetLastError());
        MUST(cudaMemcpy(found.data(), cycles, blocks * sizeof(long long), cudaMemcpyDeviceToHost));
        std::nth_element(found.begin(), found.begin() + blocks / 2, found.end());
        best = std::min(best, double(found[blocks / 2]));
    }
    return best;
}

// Microseconds of each of `count` calls back to back, best of five times.
template <class Call>
double microseconds(int count, Call call) {
    cudaEvent_t start, stop;
    MUST(cudaEventCreate(&start));
    MUST(cudaEventCreate(&stop));
    float best = 1e30f;
    for (int i = 0; i < 5; ++i) {
        MUST(cudaEventRecord(start));
        for (int k = 0; k < count; ++k) call();
        MUST(cudaEventRecord(stop));
        MUST(cudaEventSynchronize(stop));
        float ms = 0;
        MUST(cudaEventElapsedTime(&ms, start, stop));
        best = std::min(best, ms);
    }
    MUST(cudaGetLastError());
    return 1e3 * best / count;
}

}  // namespace microbench
