#include "slower.h"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "slower_trees.h"

namespace drop_in {

namespace {

constexpr int kMostSize = 8192;
constexpr double kLeastProducts = 1e5, kMostProducts = 3e11;

// Sixteen times the logarithm to base 2, rounded down; between powers of two as if it were linear.
int sixteenths(double count) {
    return static_cast<int>(std::bit_cast<uint32_t>(static_cast<float>(count)) >> 19) - (127 << 4);
}

// Of an operand's rows: 2 if all begin at a multiple of 16 bytes, 1 at one of 8, else 0.
int alignment(const float* matrix, int64_t ld) {
    const auto all = reinterpret_cast<uintptr_t>(matrix) / sizeof(float) | static_cast<uintptr_t>(ld);
    return all % 2 ? 0 : all % 4 ? 1 : 2;
}

}  // namespace

bool says_slower(const solve_gemm_t& call) {
    const double M = call.M, N = call.N, K = call.K;
    if (call.batch != 1 || call.A_array || call.accuracy != SOLVE_ARITHMETIC_FP32) return false;
    if (std::max({M, N, K}) > kMostSize || M * N * K < kLeastProducts || M * N * K > kMostProducts) return false;
    const auto tiles = [&](int rows, int cols) {
        return sixteenths(double((call.M + rows - 1) / rows) * ((call.K + cols - 1) / cols));
    };
    const int form = 2 * (call.transpose_a == SOLVE_T) + (call.transpose_b == SOLVE_T);
    const int features[] = {sixteenths(M),
                            sixteenths(N),
                            sixteenths(K),
                            sixteenths(M * N * K),
                            sixteenths(M / K),
                            sixteenths(M * K),
                            form,
                            alignment(call.A, call.lda),
                            alignment(call.B, call.ldb),
                            tiles(128, 128),
                            tiles(128, 64),
                            tiles(64, 128),
                            tiles(64, 64),
                            tiles(256, 128),
                            tiles(128, 256),
                            sixteenths(std::min(M, K)),
                            call.M % 128,
                            call.K % 128,
                            call.M % 64,
                            call.K % 64};
    int thousandths = 0;  // of the logarithm of how many times as fast
    for (int at : kTrees) {
        while (at >= 0) {
            const Question& asked = kQuestions[at];
            at = features[asked.feature] > asked.above ? asked.yes : asked.no;
        }
        thousandths += at + kLeaf;
    }
    return thousandths < 0;
}

}  // namespace drop_in
