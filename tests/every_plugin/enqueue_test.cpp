// solve_enqueue of every plugin that exports it: alpha, beta, leading dimensions, and the rules of the BLAS about what
// is not read.
#include <limits>

#include "plugins.h"

namespace {

using namespace test;

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

// Rows of `ld` floats of which the first `cols` count; the others hold NaN, so that reading one shows.
std::vector<float> padded(int rows, int cols, int ld, uint64_t seed) {
    std::vector<float> values(size_t(rows) * ld, kNaN);
    const std::vector<float> dense = random_values(size_t(rows) * cols, seed);
    for (int i = 0; i < rows; ++i) std::copy_n(dense.begin() + size_t(i) * cols, cols, values.begin() + size_t(i) * ld);
    return values;
}

struct Gemm {
    Shape shape;
    int lda, ldb, ldc;
    float alpha, beta;
};

// Largest |C - want| over the bound, and whether the padding of C was left alone.
void check(const Gemm& gemm, const std::vector<float>& a, const std::vector<float>& b,
           const std::vector<float>& c_before, const std::vector<float>& c_after) {
    const auto& [M, N, K] = gemm.shape;
    int wrong = 0, spilled = 0;
    for (int i = 0; i < M; ++i) {
        for (int k = 0; k < gemm.ldc; ++k) {
            const size_t at = size_t(i) * gemm.ldc + k;
            if (k >= K) {
                spilled += std::memcmp(&c_after[at], &c_before[at], sizeof(float)) != 0;
                continue;
            }
            double sum = 0, magnitude = 0;
            for (int n = 0; gemm.alpha != 0 && n < N; ++n) {
                const double product = double(a[size_t(i) * gemm.lda + n]) * b[size_t(n) * gemm.ldb + k];
                sum += product;
                magnitude += std::abs(product);
            }
            const double old = gemm.beta == 0 ? 0 : double(gemm.beta) * c_before[at];
            const double want = gemm.alpha * sum + old;
            const double bound =
                kUnitRoundoff * ((rho_bound(N) + 3) * std::abs(gemm.alpha) * magnitude + 3 * std::abs(old));
            wrong += !(std::abs(c_after[at] - want) <= bound);
        }
    }
    CHECK(wrong == 0);
    CHECK(spilled == 0);
}

template <class Body>
void for_each_enqueue(Body body) {
    for_each_plugin([&](const Candidate&, const Plugin& plugin, Device& device) {
        if (plugin.solve_enqueue) body(plugin, device);
    });
}

}  // namespace

TEST_CASE("every solve_enqueue computes alpha A B + beta C with padded leading dimensions") {
    int found = 0;
    for_each_enqueue([&](const Plugin& plugin, Device& device) {
        ++found;
        for (const auto& [M, N, K] :
             {Shape{1, 1, 1}, Shape{64, 64, 64}, Shape{130, 20, 132}, Shape{129, 131, 65}, Shape{7, 0, 9}}) {
            for (const int padding : {0, 1, 4}) {
                for (const auto& [alpha, beta] : {std::pair{1.0f, 0.0f}, {-0.5f, 0.75f}, {2.0f, 1.0f}, {0.0f, 0.5f}}) {
                    INFO(M << "x" << N << "x" << K << ", padding " << padding << ", alpha " << alpha << ", beta "
                           << beta);
                    const Gemm gemm{{M, N, K}, N + padding, K + padding, K + padding, alpha, beta};
                    const auto a = padded(M, N, gemm.lda, 1), b = padded(N, K, gemm.ldb, 2),
                               c = padded(M, K, gemm.ldc, 3);
                    const Matrix a_device(device, a), b_device(device, b), c_device(device, c);
                    const int code = plugin.solve_enqueue(a_device.data(), gemm.lda, b_device.data(), gemm.ldb,
                                                          c_device.data(), gemm.ldc, M, N, K, alpha, beta, nullptr);
                    INFO(plugin.last_error());
                    CHECK(code == SOLVE_OK);
                    check(gemm, a, b, c, c_device.values());
                }
            }
        }
    });
    CHECK(found > 0);
}

TEST_CASE("no solve_enqueue reads C when beta is 0, nor A and B when alpha is 0") {
    for_each_enqueue([&](const Plugin& plugin, Device& device) {
        const Shape shape{70, 33, 68};
        const auto random = [](int64_t count, uint64_t seed) { return random_values(count, seed); };
        const std::vector<float> nan_a(shape.a_elements(), kNaN), nan_b(shape.b_elements(), kNaN),
            nan_c(shape.c_elements(), kNaN);
        const auto a = random(shape.a_elements(), 1), b = random(shape.b_elements(), 2),
                   c = random(shape.c_elements(), 3);
        const auto run = [&](const std::vector<float>& a, const std::vector<float>& b, const std::vector<float>& c,
                             float alpha, float beta) {
            const Matrix a_device(device, a), b_device(device, b), c_device(device, c);
            const int code = plugin.solve_enqueue(a_device.data(), shape.N, b_device.data(), shape.K, c_device.data(),
                                                  shape.K, shape.M, shape.N, shape.K, alpha, beta, nullptr);
            CHECK(code == SOLVE_OK);
            return c_device.values();
        };
        check({shape, shape.N, shape.K, shape.K, 1, 0}, a, b, nan_c, run(a, b, nan_c, 1, 0));
        check({shape, shape.N, shape.K, shape.K, 0, 0.5f}, nan_a, nan_b, c, run(nan_a, nan_b, c, 0, 0.5f));
        CHECK(same_bits(run(nan_a, nan_b, nan_c, 0, 0), std::vector<float>(shape.c_elements(), 0.0f)));
    });
}

TEST_CASE("every solve_enqueue refuses bad arguments and writes nothing") {
    for_each_enqueue([&](const Plugin& plugin, Device& device) {
        const std::vector<float> before(64, 7.0f);
        const Matrix a(device, before), b(device, before), c(device, before);
        const auto code = [&](int64_t lda, int64_t ldb, int64_t ldc, int M, int N, int K) {
            return plugin.solve_enqueue(a.data(), lda, b.data(), ldb, c.data(), ldc, M, N, K, 1, 0, nullptr);
        };
        CHECK(code(7, 8, 8, 8, 8, 8) == SOLVE_INVALID_ARGUMENT);
        CHECK_FALSE(plugin.last_error().empty());
        CHECK(code(8, 7, 8, 8, 8, 8) == SOLVE_INVALID_ARGUMENT);
        CHECK(code(8, 8, 7, 8, 8, 8) == SOLVE_INVALID_ARGUMENT);
        CHECK(code(8, 8, 8, -8, 8, 8) == SOLVE_INVALID_ARGUMENT);
        CHECK(plugin.solve_enqueue(nullptr, 8, b.data(), 8, c.data(), 8, 8, 8, 8, 1, 0, nullptr) ==
              SOLVE_INVALID_ARGUMENT);
        CHECK(same_bits(c.values(), before));
        CHECK(code(8, 8, 8, 8, 8, 8) == SOLVE_OK);
        CHECK(plugin.last_error().empty());
    });
}
