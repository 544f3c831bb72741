// 30_chain_tf32: both products in one launch, on data that two parts of TF32 can hold and on data that they cannot.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <tuple>
#include <vector>

#include "../../../plugins/chain/30_chain_tf32.cu"
#include "../../catch.h"
#include "../environment.h"

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

using Fill = std::function<float(std::mt19937&)>;

float integer(std::mt19937& random) {
    return static_cast<float>(random() % 7) - 3;
}
Fill normal(float factor = 1) {
    return [factor](std::mt19937& random) { return factor * std::normal_distribution<float>()(random); };
}
Fill wide(int binades) {
    return [binades](std::mt19937& random) {
        return std::ldexp(std::normal_distribution<float>()(random), int(random() % (2 * binades + 1)) - binades);
    };
}

// A call with matrices of its own; rows have `padding` floats more, and memory that the library is lent holds NaN.
struct Chain {
    int M, N, K, L;
    std::vector<float> a, b, c, e, lent;
    solve_chain_t call = solve_chain_one();

    Chain(int M, int N, int K, int L, const Fill& fill, int padding = 0, float alpha = 1, float beta = 0)
        : M(M), N(N), K(K), L(L), lent(1 << 20, NAN) {
        std::mt19937 random(M + N + K + L);
        const auto place = [&](std::vector<float>& memory, int rows, int cols, bool draws) {
            memory.assign(size_t(rows) * (cols + padding) + 64, 2.0f);
            float* const begin = aligned(memory);
            for (int i = 0; i < rows * cols && draws; ++i) begin[i / cols * (cols + padding) + i % cols] = fill(random);
            return begin;
        };
        call.M = M, call.N = N, call.K = K, call.L = L;
        call.A = place(a, M, N, true), call.lda = N + padding;
        call.B = place(b, N, K, true), call.ldb = K + padding;
        call.C = place(c, K, L, true), call.ldc = L + padding;
        call.E = place(e, M, L, false), call.lde = L + padding;
        call.alpha = alpha, call.beta = beta;
        call.workspace = aligned(lent), call.workspace_bytes = (lent.size() - 64) * sizeof(float);
    }

    static float* aligned(std::vector<float>& memory) {
        return memory.data() + (256 - reinterpret_cast<uintptr_t>(memory.data()) % 256) % 256 / sizeof(float);
    }
    float A(int i, int n) const { return call.A[i * call.lda + n]; }
    float B(int n, int k) const { return call.B[n * call.ldb + k]; }
    float C(int k, int l) const { return call.C[k * call.ldc + l]; }
    float E(int i, int l) const { return call.E[i * call.lde + l]; }

    void multiply() const {
        REQUIRE(chain_30::launch(call) == SOLVE_OK);
        REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    }

    // Calls visit(i, l, sum, magnitude) with the sum and the sum of magnitudes of each element, in arithmetic of T.
    template <class T, class Visit>
    void for_each(Visit visit) const {
        for (int i = 0; i < M; ++i) {
            std::vector<T> d(K, 0), magnitude(K, 0);
            for (int n = 0; n < N; ++n) {
                for (int k = 0; k < K; ++k) {
                    d[k] += T(A(i, n)) * T(B(n, k)), magnitude[k] += std::fabs(T(A(i, n)) * T(B(n, k)));
                }
            }
            for (int l = 0; l < L; ++l) {
                T sum = 0, of_all = 0;
                for (int k = 0; k < K; ++k) sum += d[k] * T(C(k, l)), of_all += magnitude[k] * std::fabs(T(C(k, l)));
                visit(i, l, sum, of_all);
            }
        }
    }

    // Elements that are not exactly alpha * sum + beta * 2, what E held.
    int wrong() const {
        int count = 0;
        for_each<float>([&](int i, int l, float sum, float) {
            count += E(i, l) != call.alpha * sum + (call.beta != 0 ? call.beta * 2 : 0);
        });
        return count;
    }

    // Errors over those of the same sums in FP32, one term after the other: normwise, 2^-22 being allowed, and the
    // largest of an element over its sum of magnitudes, of which half a unit in the last place is.
    struct Ratios {
        double normwise, largest;
    };
    Ratios ratios() const {
        struct Errors {
            double square = 0, largest = 0x1p-24;

            void add(double error, double magnitude) {
                square += error * error, largest = std::max(largest, std::fabs(error) / magnitude);
            }
        } ours, of_fp32;
        std::vector<float> sums;
        for_each<float>([&](int, int, float sum, float) { sums.push_back(sum); });
        size_t next = 0;
        double square = 0;
        bool is_finite = true;
        for_each<double>([&](int i, int l, double sum, double magnitude) {
            ours.add(E(i, l) - sum, magnitude), of_fp32.add(sums[next++] - sum, magnitude);
            is_finite = is_finite && std::isfinite(E(i, l)), square += sum * sum;
        });
        if (!is_finite) return {kInfinity, kInfinity};
        return {std::sqrt(ours.square / std::max(of_fp32.square, square * 0x1p-44)), ours.largest / of_fp32.largest};
    }
};

}  // namespace

TEST_CASE("a chain of two parts of TF32 is right in every order of threads, at remainders and paddings") {
    int number = 0;
    for (const auto& [M, N, K, L, padding] : std::vector<std::array<int, 5>>{
             {64, 64, 64, 64, 0},
             {1, 4, 4, 4, 0},
             {32, 32, 32, 64, 0},     // the second block of a pair has no n
             {36, 132, 20, 68, 0},    // blocks without a tile of D
             {64, 96, 132, 20, 0},    // and without one of E
             {70, 300, 64, 60, 4},    // two rows of tiles, a third stage of a team
             {40, 512, 128, 128, 0},  // all places in use
             {33, 40, 512, 60, 0},
         }) {
        const Environment order("EMULATOR_SEED", ++number), threads("EMULATOR_THREADS", number % 2 ? 8 : 2);
        CAPTURE(M, N, K, L, padding);
        const Chain chain(M, N, K, L, integer, padding);
        chain.multiply();
        CHECK(chain.wrong() == 0);
        chain.multiply();  // behind the marks of the call before, and in another order of blocks
        CHECK(chain.wrong() == 0);
    }
    const Chain scaled(40, 36, 36, 68, integer, 4, 2, -1);
    scaled.multiply();
    CHECK(scaled.wrong() == 0);
}

TEST_CASE("a chain of two parts of TF32 is as accurate as FP32, whatever the numbers' range") {
    // Where a few terms are most of a sum, as of wide numbers, FP32 rounds hardly at all.
    for (const auto& [name, fill, most_normwise, most] : std::vector<std::tuple<const char*, Fill, double, double>>{
             {"normal", normal(), 1, 1},
             {"positive", [](std::mt19937& random) { return std::uniform_real_distribution<float>()(random); }, 1, 1},
             {"2^+-20", wide(20), 1.1, 2},
             {"2^+-40", wide(40), 1.1, 2},
             {"small, computed in FP32", normal(0x1p-60f), 1, 1},
             {"some small ones", [](std::mt19937& random) { return random() % 50 ? normal()(random) : 0x1.8p-130f; }, 1,
              1},
         }) {
        CAPTURE(name);
        const Chain chain(33, 260, 72, 36, fill);
        chain.multiply();
        const auto [normwise, largest] = chain.ratios();
        CHECK(normwise <= most_normwise);
        CHECK(largest <= most);
    }
}

TEST_CASE("infinities, NaN and the largest numbers go through a chain of two parts of TF32 as through FP32") {
    Chain chain(40, 36, 68, 36, normal());
    auto* const A = const_cast<float*>(chain.call.A);
    auto* const B = const_cast<float*>(chain.call.B);
    auto* const C = const_cast<float*>(chain.call.C);
    A[3 * 36 + 5] = kInfinity;
    B[7 * 68 + 66] = -kInfinity;
    C[2 * 36 + 1] = std::numeric_limits<float>::quiet_NaN();
    std::fill_n(A + 20 * 36, 36, 0.0f);
    A[20 * 36] = std::numeric_limits<float>::max(), B[0] = 0.5f;  // rounded to 11 bits it would be infinite
    std::fill_n(B + 1, 67, 0.0f);
    B[0] = 0x1p-20f;
    chain.multiply();
    int wrong = 0;
    chain.for_each<float>([&](int i, int l, float sum, float magnitude) {
        const float e = chain.E(i, l);
        const bool alike = std::isnan(sum)   ? std::isnan(e)
                           : std::isinf(sum) ? e == sum
                                             : std::fabs(e - sum) <= 1e-5f * magnitude;
        wrong += !alike;
    });
    CHECK(wrong == 0);
}

TEST_CASE("one launch on the tensor cores is for what fits") {
    const ladder::DeviceFigures h100 = {.capability = 90, .sms = 132, .shared_of_block = 227 << 10};
    const auto fits = [&](int M, int N, int K, int L, int shift = 0) {
        alignas(16) static float memory[8];
        return chain_30::fits(ladder::dense_chain(memory + shift, memory, memory, memory, M, N, K, L), h100);
    };
    CHECK(fits(64, 512, 128, 128));  // four pairs of blocks, which the emulator's device can run at a time
    CHECK_FALSE(fits(64, 516, 128, 128));
    CHECK_FALSE(fits(64, 128, 516, 128));
    CHECK_FALSE(fits(128, 128, 192, 128));  // six pairs
    CHECK_FALSE(fits(64, 64, 64, 4096));    // more tiles in a row than lanes would wait for
    CHECK_FALSE(fits(64, 64, 63, 64));      // rows at no multiples of 16 bytes
    CHECK_FALSE(fits(64, 64, 64, 64, 1));
    CHECK_FALSE(chain_30::fits(ladder::dense_chain(nullptr, nullptr, nullptr, nullptr, 64, 64, 64, 64),
                               {.capability = 100, .sms = 148, .shared_of_block = 227 << 10}));
}
