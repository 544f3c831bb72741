// What the tests of rung 90 multiply.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "../../../plugins/chain/by_90.h"

namespace test {

// A product of small integers, for which every order of additions gives the same, into a C with rows that are longer
// than K. C holds 3 before it, and NaN beside it.
struct Problem {
    static constexpr int kPadding = 4;
    int M, N, K, ldc = K + kPadding;
    std::vector<float> A, B, C, bias;
    ladder::Gemm gemm;

    Problem(int M, int N, int K) : M(M), N(N), K(K), A(M * N), B(N * K), C(M * ldc, NAN) {
        for (size_t i = 0; i < A.size(); ++i) A[i] = static_cast<float>(i * 7 % 11) - 5;
        for (size_t i = 0; i < B.size(); ++i) B[i] = static_cast<float>(i * 5 % 13) - 6;
        for (int i = 0; i < M; ++i) std::fill_n(&C[i * ldc], K, 3.0f);
        gemm = {A.data(), N, B.data(), K, C.data(), ldc, M, N, K, 2.0f, -1.0f};
    }
    Problem(const Problem&) = delete;

    // A bias of the columns in place of what C holds.
    void give_bias() {
        for (int k = 0; k < K; ++k) bias.push_back(static_cast<float>(k % 29 + 1));
        gemm.bias = bias.data(), gemm.beta = 0.0f;
    }

    // Elements of C that are not 2 * A * B - 3, or + the bias, and those beside it that were written.
    int wrong() const {
        int count = 0;
        for (int i = 0; i < M; ++i) {
            for (int k = 0; k < ldc; ++k) {
                if (k >= K) {
                    count += !std::isnan(C[i * ldc + k]);
                    continue;
                }
                float sum = 0;
                for (int n = 0; n < N; ++n) sum += A[i * N + n] * B[n * K + k];
                count += C[i * ldc + k] != 2 * sum + (bias.empty() ? -3 : bias[k]);
            }
        }
        return count;
    }
};

// A product whose matrices nobody reads, dense and aligned.
inline ladder::Gemm sized(int M, int N, int K) {
    return {nullptr, N, nullptr, K, nullptr, K, M, N, K};
}

inline const rung_90::DeviceFigures kH100 = {.capability = 90, .sms = 132, .l2 = 50 << 20};

}  // namespace test
