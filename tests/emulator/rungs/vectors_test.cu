// Rung 75: every plan that it could choose, however the matrix lies, and calls of every form.
#include "../../../plugins/cuda/75_vectors.cu"

#include <algorithm>
#include <cmath>
#include <vector>

#include "../../catch.h"

using namespace rung_75;

namespace {

const ladder::DeviceFigures kH100 = {.capability = 90, .sms = 132, .l2 = 50 << 20};

// A product of small integers, for which every order of additions gives the same: op(A) and op(B), M x N and N x K, are
// stored with rows that are longer by `padding`, from `offset` floats past a multiple of 16 bytes. Beside them, and
// beside C, is NaN.
struct Product {
    struct Matrix {
        std::vector<float> memory;
        float* begin;
        int ld;

        Matrix(int rows, int cols, int padding, int offset, int seed)
            : memory(rows * (cols + padding) + 8, NAN), ld(cols + padding) {
            begin = memory.data() + (16 - reinterpret_cast<uintptr_t>(memory.data()) % 16) % 16 / 4 + offset;
            for (int i = 0; i < rows; ++i) {
                for (int j = 0; j < cols; ++j) begin[i * ld + j] = static_cast<float>((i * 7 + j * seed) % 11) - 5;
            }
        }
    };
    Matrix a, b, c;
    solve_gemm_t call = solve_gemm_one();

    Product(int M, int N, int K, bool ta, bool tb, int padding, int offset)
        : a(ta ? N : M, ta ? M : N, padding, offset, 5),
          b(tb ? K : N, tb ? N : K, padding, offset, 3),
          c(M, K, padding, offset, 1) {
        call.M = M, call.N = N, call.K = K;
        call.A = a.begin, call.B = b.begin, call.C = c.begin;
        call.lda = a.ld, call.ldb = b.ld, call.ldc = c.ld;
        call.transpose_a = ta ? SOLVE_T : SOLVE_N, call.transpose_b = tb ? SOLVE_T : SOLVE_N;
        call.alpha = 2;
    }

    // Elements of C that are not 2 * op(A) * op(B), and those beside it that were written.
    int wrong() const {
        CHECK(cudaGetLastError() == cudaSuccess);
        CHECK(cudaDeviceSynchronize() == cudaSuccess);
        int count = 0;
        for (int i = 0; i < call.M; ++i) {
            for (int k = 0; k < c.ld; ++k) {
                const float value = c.begin[i * c.ld + k];
                float sum = 0;
                for (int n = 0; n < call.N && k < call.K; ++n) {
                    sum += a.begin[call.transpose_a == SOLVE_T ? n * a.ld + i : i * a.ld + n] *
                           b.begin[call.transpose_b == SOLVE_T ? k * b.ld + n : n * b.ld + k];
                }
                count += k < call.K ? value != 2 * sum : i + 1 < call.M && !std::isnan(value);
            }
        }
        return count;
    }
};

void launch_as(const Product& product, const ladder::VectorProduct& vectors, ladder::VectorPlan plan) {
    plan.depth = ladder::ceil_div(ladder::ceil_div(vectors.N, plan.blocks), 32) * 32;
    launch(vectors, plan, static_cast<cudaStream_t>(product.call.stream));
}

ladder::VectorPlan plan_of(int M, int N, int K, int capability) {
    solve_gemm_t call = solve_gemm_one();
    call.M = M, call.N = N, call.K = K, call.lda = N, call.ldb = K;
    const ladder::DeviceFigures device = {.capability = capability, .sms = 132, .l2 = 50 << 20};
    return plan_to_launch(choose(call, device), device);
}

}  // namespace

TEST_CASE("rung 75 is right with every number of lanes and blocks where rows lie along n") {
    int beside = 0;
    for (const int lanes : {8, 32, 128}) {
        for (const int blocks : {1, 2, 8}) {
            for (int offset = 0; offset < 4; ++offset) {
                // two groups of teams, or three, where a block has few, and one where it has more than enough
                const int of_block = kThreads / lanes, M = std::min(37, of_block * kRows + 5) - offset;
                const int N = offset == 0 && blocks == 2 ? 3 : 300 * blocks + 7 * offset;
                const int groups = ladder::ceil_div(ladder::ceil_div(M, 4 * kRows) * 4, of_block);
                for (const int K : {1, 2, 3, 4}) {
                    if ((K + offset + blocks / 2) % 2 != 0) continue;  // each other combination takes half the time
                    CAPTURE(lanes, blocks, offset, K);
                    Product product(M, N, K, false, K == 2 && offset % 2 == 1, offset, offset);
                    const auto vectors = *ladder::by_columns(product.call);
                    beside += vectors.four_beside();
                    launch_as(product, vectors, {lanes, of_block * kRows, groups, blocks});
                    CHECK(product.wrong() == 0);
                }
            }
        }
    }
    CHECK(beside == 6);  // lanes and 1 or 8 blocks
}

TEST_CASE("rung 75 is right with every number of lanes and blocks where rows lie across n") {
    for (const int lanes : {2, 4, 8, 16, 32}) {
        for (const int blocks : {1, 2, 8}) {
            for (int offset = 0; offset < 4; ++offset) {
                const bool odd = offset > 0;
                const int N = offset == 3 ? 3 : 77 * blocks + offset, padding = odd ? offset : 3;
                // a whole group, and what is left: one more, or two
                const int lines = 4 * lanes - (odd ? 4 : 0), K = 4 * lanes + 13 - offset;
                const int groups = ladder::ceil_div(K, lines);
                for (const int M : {1, 2, 3, 4}) {
                    if ((M + offset + blocks / 2) % 2 != 0) continue;
                    CAPTURE(lanes, blocks, offset, M);
                    Product product(M, N, K, offset == 2, false, padding, offset);
                    for (const int streamed : {0, 1}) {
                        if (streamed > 0 && M > 1) continue;
                        std::fill_n(product.c.begin, K, 0.0f);
                        launch_as(product, *ladder::by_rows(product.call), {lanes, lines, groups, blocks, 0, streamed});
                        CHECK(product.wrong() == 0);
                    }
                }
            }
        }
    }
}

TEST_CASE("rung 75 is right where it is streamed, at one or several places across n, and along n") {
    for (int offset = 0; offset < 4; ++offset) {
        for (const auto& [lines, places] : {std::pair(112, 1), {160, 2}, {224, 2}, {288, 4}, {480, 4}}) {
            for (const auto& [N, blocks] : {std::pair(3, 1), {200, 1}, {333, 3}}) {
                CAPTURE(offset, lines, places, N, blocks);
                Product product(1, N, 2 * lines + 13 - offset, false, false, offset, offset);
                launch_as(product, *ladder::by_rows(product.call), {32, lines, 3, blocks, 0, places});
                CHECK(product.wrong() == 0);
            }
        }
        for (const int lanes : {32, 128}) {
            for (const int blocks : {1, 3}) {
                CAPTURE(offset, lanes, blocks);
                const int of_block = kThreads / lanes, M = of_block * kRows + 5 - offset;
                const bool beside = true;  // so lie the vector's numbers
                Product product(M, 700 * blocks + 7 * offset, 1, false, beside, offset, offset);
                const int groups = ladder::ceil_div(ladder::ceil_div(M, 4 * kRows) * 4, of_block);
                launch_as(product, *ladder::by_columns(product.call), {lanes, of_block * kRows, groups, blocks, 0, 1});
                CHECK(product.wrong() == 0);
            }
        }
    }
}

TEST_CASE("rung 75 is right for calls of every form") {
    for (const bool ta : {false, true}) {
        for (const bool tb : {false, true}) {
            for (const auto& [M, N, K] : {std::tuple(1, 70, 45),
                                          {2, 33, 50},
                                          {3, 37, 41},
                                          {43, 66, 1},
                                          {50, 35, 2},
                                          {44, 35, 4},
                                          {2, 900, 1}}) {
                for (const int offset : {0, 1}) {
                    CAPTURE(ta, tb, M, N, K, offset);
                    Product product(M, N, K, ta, tb, offset, offset);
                    // Of both operands the rows lie across n, and none has three columns.
                    const bool impossible = M == 2 && K == 1 && ta && !tb && offset == 1;
                    CHECK((choose(product.call, kH100).plan.cycles == ladder::kNever) == impossible);
                    if (impossible) continue;
                    multiply_vectors(product.call, kH100);
                    CHECK(product.wrong() == 0);
                }
            }
        }
    }
}

TEST_CASE("rung 75 does more than two rows and columns two at a time") {
    for (const auto& [M, K] : {std::pair(5, 9), {9, 5}}) {
        CAPTURE(M, K);
        Product product(M, 40, K, false, false, 1, 0);
        const solve_gemm_t& call = product.call;
        multiply({call.A, call.lda, call.B, call.ldb, call.C, call.ldc, M, 40, K, call.alpha, 0.0f});
        CHECK(product.wrong() == 0);
    }
}

TEST_CASE("rung 75 cuts N only where there are clusters, and too few blocks") {
    CHECK(plan_of(1, 8192, 256, 90).blocks > 1);
    CHECK(plan_of(1, 8192, 256, 80).blocks == 1);
    CHECK(plan_of(16, 65536, 1, 90).blocks > 1);
    CHECK(plan_of(1, 768, 50257, 90).blocks == 1);
    CHECK(plan_of(8192, 8192, 1, 90).blocks == 1);
    CHECK(plan_of(5, 100, 5, 90).cycles == ladder::kNever);
    for (const auto& [M, K] : {std::pair(1, INT32_MAX), {INT32_MAX, 1}}) {
        const auto plan = plan_of(M, INT32_MAX, K, 90);
        CHECK((plan.groups > 0 && plan.blocks == 1 && plan.depth == INT32_MAX));
    }
}

TEST_CASE("rung 75 streams a matrix of which a part is evict-first, with a block per SM at most") {
    const auto check = [](const ladder::VectorPlan& plan, int places) {
        CHECK(plan.streamed == places);
        CHECK(plan.groups * plan.blocks <= 132);
    };
    for (const auto& [N, K] : {std::pair(4096, 4096), {2316, 3104}, {4012, 4156}, {1664, 7024}, {5666, 1547}}) {
        CAPTURE(N, K);
        check(plan_of(1, N, K, 90), 1);
        CHECK(plan_of(1, N, K, 80).streamed == 0);  // there no kernel starts early
        CHECK(plan_of(2, N, K, 90).streamed == 0);
        CHECK(plan_of(1, N / 4, K, 90).streamed == 0);
    }
    check(plan_of(4096, 4096, 1, 90), 1);
    // 34 groups of 128 columns, or 68 of 64: too many for clusters of four or two, and too few for two or one.
    check(plan_of(1, 6000, 4300, 90), 2);
    CHECK(plan_of(1, 6000, 4300, 90).blocks == 7);
    check(plan_of(1, 1024, 32000, 90), 2);
    check(plan_of(1, 768, 50257, 90), 4);
    CHECK(plan_of(1, 768, 100000, 90).streamed == 0);  // more than a block per SM
}
