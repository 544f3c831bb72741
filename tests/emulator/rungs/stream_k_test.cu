// The tiles of rung 84, and the ways in which rung 86 divides them among blocks: their own choices would try few of
// them at sizes that fit here.
#include "../../../plugins/cuda/86_stream_k.cu"

#include <cmath>
#include <vector>

#include "../../catch.h"
#include "../not_sanitized.h"

using namespace rung_86;

namespace {

struct Problem {
    int M, N, K;
    std::vector<float> A, B, C;

    Problem(int M, int N, int K, int before_b) : M(M), N(N), K(K), A(M * N), B(before_b + N * K), C(M * K, NAN) {
        for (size_t i = 0; i < A.size(); ++i) A[i] = static_cast<float>(i * 7 % 11) - 5;
        for (size_t i = 0; i < B.size(); ++i) B[i] = static_cast<float>(i * 5 % 13) - 6;
    }

    // Small integers: every order of additions gives the same.
    NOT_SANITIZED int wrong(const float* b, float alpha, float beta, float before, const float* bias = nullptr) const {
        const float *const a = A.data(), *const c = C.data();
        int count = 0;
        for (int i = 0; i < M; ++i) {
            for (int k = 0; k < K; ++k) {
                float sum = 0;
                for (int n = 0; n < N; ++n) sum += a[i * N + n] * b[n * K + k];
                count += c[i * K + k] != alpha * sum + (beta != 0 ? beta * before : 0) + (bias ? bias[k] : 0);
            }
        }
        return count;
    }
};

// Elements of C that are wrong after a product that was divided like this, by that many blocks.
template <class T>
int wrong_after(int M, int N, int K, int whole, int blocks_of_remainder, int blocks, bool vector) {
    Problem problem(M, N, K, vector ? 0 : 1);
    const float* b = problem.B.data() + (vector ? 0 : 1);
    const int tiles = ladder::ceil_div(M, T::kM) * ladder::ceil_div(K, T::kK), steps = ladder::ceil_div(N, T::kN);
    const Partition partition{steps, whole, tiles - whole, blocks_of_remainder};
    launch<T>({problem.A.data(), N, b, K, problem.C.data(), K, M, N, K}, partition, blocks);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    int wrong = problem.wrong(b, 1, 0, 0);
    std::fill(problem.C.begin(), problem.C.end(), 3.0f);
    launch<T>({problem.A.data(), N, b, K, problem.C.data(), K, M, N, K, 2.0f, -1.0f}, partition, blocks);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    wrong += problem.wrong(b, 2, -1, 3);
    std::vector<float> bias(K);
    for (int k = 0; k < K; ++k) bias[k] = static_cast<float>(k % 29 + 1);
    std::fill(problem.C.begin(), problem.C.end(), NAN);
    ladder::Gemm biased{problem.A.data(), N, b, K, problem.C.data(), K, M, N, K, -1.0f};
    biased.bias = bias.data();
    launch<T>(biased, partition, blocks);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    return wrong + problem.wrong(b, -1, 0, 0, bias.data());
}

template <class T>
void check_partitions() {
    CAPTURE(T::kM, T::kK);
    for (const bool vector : {true, false}) {
        CAPTURE(vector);
        // Three tiles, whole: one block for all of them, and one for each.
        CHECK(wrong_after<T>(T::kM, 40, 3 * T::kK - 4, 3, 1, 1, vector) == 0);
        CHECK(wrong_after<T>(3 * T::kM - 5, 3 * T::kN + 4, T::kK, 3, 1, 3, vector) == 0);
        // One tile cut: between two, and between as many as there are steps.
        CHECK(wrong_after<T>(T::kM - 1, 6 * T::kN - 4, T::kK - 4, 0, 2, 2, vector) == 0);
        CHECK(wrong_after<T>(T::kM, 5 * T::kN, T::kK, 0, 5, 5, vector) == 0);
        // Three tiles of five steps for four blocks: pieces that end within a tile, begin within one, and both.
        CHECK(wrong_after<T>(T::kM, 5 * T::kN, 3 * T::kK, 0, 4, 4, vector) == 0);
        // Two whole tiles and one that is cut, not by all blocks.
        CHECK(wrong_after<T>(3 * T::kM, 4 * T::kN + 4, T::kK, 2, 2, 3, vector) == 0);
        // Pieces enough that several threads share the adding, not equally many each.
        CHECK(wrong_after<T>(T::kM - 3, 11 * T::kN, T::kK, 0, 11, 11, vector) == 0);
        // More blocks than steps: some have nothing.
        CHECK(wrong_after<T>(T::kM, 2 * T::kN, T::kK, 0, 3, 3, vector) == 0);
    }
}

}  // namespace

TEST_CASE("rung 84 is right with each tile, one or several for a block") {
    const auto check = [](auto launch, int M, int N, int K) {
        for (const int before_b : {0, 1}) {  // where B is aligned, and where it is not
            for (const int blocks : {1, 2, 132}) {
                CAPTURE(M, N, K, before_b, blocks);
                Problem problem(M, N, K, before_b);
                const float* b = problem.B.data() + before_b;
                launch({problem.A.data(), N, b, K, problem.C.data(), K, M, N, K}, blocks);
                CHECK(cudaDeviceSynchronize() == cudaSuccess);
                CHECK(problem.wrong(b, 1, 0, 0) == 0);
            }
        }
    };
    check(rung_84::launch<Large>, 2 * Large::kM - 3, 2 * Large::kN + 4, Large::kK + 4);
    check(rung_84::launch<Small>, 2 * Small::kM - 3, 2 * Small::kN + 4, Small::kK + 4);
    check(rung_84::launch<Narrow>, 2 * Narrow::kM - 3, 2 * Narrow::kN + 4, Narrow::kK + 4);
}

TEST_CASE("rung 86 is right for every tile and every way to divide tiles") {
    check_partitions<Large>();
    check_partitions<Small>();
    check_partitions<Narrow>();
}

template <class T>
void check_rings() {
    constexpr int kRing = T::kStages * T::kN;
    CAPTURE(T::kM, T::kK);
    for (const bool vector : {true, false}) {
        CAPTURE(vector);
        // Two tiles of two rings and two steps: the second begins in the midst of the ring.
        CHECK(wrong_after<T>(8, 2 * kRing + 2 * T::kN, 2 * T::kK, 2, 1, 1, vector) == 0);
        // Pieces that begin within a tile: half a ring and then whole ones, and a tile after a half.
        CHECK(wrong_after<T>(8, 3 * kRing, T::kK, 0, 2, 2, vector) == 0);
        CHECK(wrong_after<T>(8, 2 * kRing, 3 * T::kK, 0, 2, 2, vector) == 0);
        // Many more columns past the last than a row has.
        CHECK(wrong_after<T>(8, 2 * T::kK, 12, 1, 1, 1, vector) == 0);
    }
    // So many rows that the last column's tile just fills a ring, and reads B to its end; and one fewer.
    CHECK(wrong_after<T>(8, kRing + T::kK - 1, 1, 1, 1, 1, false) == 0);
    CHECK(wrong_after<T>(8, kRing + T::kK - 2, 1, 1, 1, 1, false) == 0);
}

TEST_CASE("rung 86 is right where the whole ring is filled at once") {
    check_rings<Large>();
    check_rings<Small>();
    check_rings<Narrow>();
}

TEST_CASE("rung 86 reads what lies between the rows of B, and nothing comes of it") {
    constexpr int M = 8, N = 2 * Large::kStages * Large::kN, K = Large::kK - 4, kPadding = 8;
    for (const int begin : {0, 1}) {  // where B is aligned, and where it is not
        CAPTURE(begin);
        Problem problem(M, N, K, 0);
        std::vector<float> padded(begin + (N - 1) * (K + kPadding) + K, NAN);
        for (int n = 0; n < N; ++n) {
            std::copy_n(&problem.B[n * K], K, &padded[begin + n * (K + kPadding)]);
        }
        launch<Large>({problem.A.data(), N, padded.data() + begin, K + kPadding, problem.C.data(), K, M, N, K},
                      Partition{N / Large::kN, 1, 0, 1}, 1);
        CHECK(cudaDeviceSynchronize() == cudaSuccess);
        CHECK(problem.wrong(problem.B.data(), 1, 0, 0) == 0);
    }
}

TEST_CASE("rung 86's plans cover the product, and cut no more than the blocks can share") {
    for (const int processors : {1, 2, 46, 108, 132}) {
        for (const int size : {1, 64, 100, 512, 1024, 1536, 2560, 3072, 4096, 16384}) {
            for (const int N : {1, 8, 512, 4096, 1 << 30}) {
                CAPTURE(processors, size, N);
                const Plan plan = plan_for<Small>({0.6, 6000}, size, N, size, processors);
                const int64_t tiles = int64_t{ladder::ceil_div(size, Small::kM)} * ladder::ceil_div(size, Small::kK);
                CHECK(plan.partition.whole + plan.partition.cut == tiles);
                CHECK(plan.partition.whole >= 0);
                CHECK(plan.partition.cut < processors);
                CHECK(plan.partition.blocks_of_remainder <= processors);
                CHECK(plan.cycles > 0);
                if (plan.partition.cut > 0)
                    CHECK(plan.partition.begin(plan.partition.blocks_of_remainder) ==
                          plan.partition.cut * plan.partition.steps);
            }
        }
    }
}
