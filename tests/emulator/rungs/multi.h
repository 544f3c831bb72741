// Products of host matrices for the rungs of plugins/multi.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "../environment.h"

// A variable with a text for the length of a scope.
class Variable {
  public:
    Variable(const char* name, const std::string& value) : name_(name) { setenv(name, value.c_str(), 1); }
    ~Variable() { unsetenv(name_); }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

  private:
    const char* name_;
};

// Matrices of small integers, whose sums are exact in any order, in pageable or in pinned memory.
class HostProduct {
  public:
    HostProduct(int M, int N, int K, bool pinned = false) : M(M), N(N), K(K), pinned_(pinned) {
        A = allocate(size_t(M) * N), B = allocate(size_t(N) * K), C = allocate(size_t(M) * K);
        for (size_t i = 0; i < size_t(M) * N; ++i) A[i] = static_cast<float>(i * 7 % 11) - 5;
        for (size_t i = 0; i < size_t(N) * K; ++i) B[i] = static_cast<float>(i * 5 % 13) - 6;
        for (size_t i = 0; i < size_t(M) * K; ++i) C[i] = NAN;
    }
    ~HostProduct() {
        for (float* each : {A, B, C}) pinned_ ? void(cudaFreeHost(each)) : std::free(each);
    }
    HostProduct(const HostProduct&) = delete;
    HostProduct& operator=(const HostProduct&) = delete;

    // Elements of C that are not those of A * B.
    int wrong() const {
        int count = 0;
        std::vector<float> sums(K);
        for (int row = 0; row < M; ++row) {
            std::fill(sums.begin(), sums.end(), 0.0f);
            for (int n = 0; n < N; ++n) {
                const float a = A[size_t(row) * N + n];
                for (int col = 0; col < K; ++col) sums[col] += a * B[size_t(n) * K + col];
            }
            for (int col = 0; col < K; ++col) count += !(sums[col] == C[size_t(row) * K + col]);
        }
        return count;
    }

    // What multiply throws, or "".
    template <class Multiply>
    std::string error_of(Multiply multiply) {
        try {
            multiply(A, B, C, M, N, K);
            return "";
        } catch (const std::exception& error) {
            return error.what();
        }
    }

    const int M, N, K;
    float *A, *B, *C;

  private:
    float* allocate(size_t elements) const {
        void* memory = nullptr;
        if (!pinned_) return static_cast<float*>(std::malloc(elements * sizeof(float)));
        cudaMallocHost(&memory, elements * sizeof(float));
        return static_cast<float*>(memory);
    }
    bool pinned_;
};

struct Sizes {
    int M, N, K;
};
