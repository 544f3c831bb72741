// solve_chain, and solve_chain_enqueue, of every plugin that exports it.
#include "host/checks/chain_check.h"
#include "host/checks/graph_check.h"
#include "plugins.h"

namespace {

using namespace test;

auto solve_chain_with(const Plugin& plugin, const Shape& shape) {
    return [&plugin, shape](const float* A, const float* B, const float* C, float* E) {
        plugin.solve_chain(A, B, C, E, shape.M, shape.N, shape.K, shape.L);
        return plugin.last_error();
    };
}

void check(const Plugin& plugin, Device& device, const Shape& shape, int misalignment) {
    INFO("shape " << to_string(shape) << ", " << misalignment << " floats past alignment");
    Problem problem(device, shape, 77, misalignment);
    const Verdict verdict = problem.judge(solve_chain_with(plugin, shape), plugin.arithmetic());
    INFO(verdict.message);
    CHECK(verdict.status == Status::ok);
}

}  // namespace

TEST_CASE("every solve_chain is right at every shape and at misaligned pointers", "[larger]") {
    size_t found = 0;
    for_each_chain([&](const Candidate& candidate, const Plugin& plugin, Device& device) {
        size_t way = 0;
        ++found;
        for (const Shape& shape :
             {Shape{0, 3, 4, 5}, Shape{3, 0, 4, 5}, Shape{3, 4, 0, 5}, Shape{3, 4, 5, 0}, Shape{1, 1, 1, 1},
              Shape{17, 19, 23, 29}, Shape{64, 64, 64, 64}, Shape{70, 5, 131, 33}, Shape{2, 300, 3, 300},
              Shape{3, 2, 9000, 7}, Shape{1, 40, 50, 1}, Shape{129, 65, 33, 130}}) {
            for (const int misalignment : {0, 1}) {
                if (has_its_turn(candidate.target, found, way++)) check(plugin, device, shape, misalignment);
            }
        }
    });
    CHECK(found > 0);
}

TEST_CASE("every solve_chain reports bad arguments, and writes nothing") {
    for_each_chain([&](const Candidate&, const Plugin& plugin, Device& device) {
        const std::vector<float> before(64, 7.0f);
        const Matrix a(device, before), b(device, before), c(device, before), e(device, before);
        const auto error_of = [&](const float* A, const float* B, const float* C, float* E, int M, int N, int K,
                                  int L) {
            plugin.solve_chain(A, B, C, E, M, N, K, L);
            return plugin.last_error();
        };
        CHECK_FALSE(error_of(a.data(), b.data(), c.data(), e.data(), 4, 4, -4, 4).empty());
        CHECK_FALSE(error_of(a.data(), b.data(), nullptr, e.data(), 4, 4, 4, 4).empty());
        CHECK_FALSE(error_of(a.data(), b.data(), c.data(), nullptr, 4, 4, 4, 4).empty());
        CHECK(same_bits(e.values(), before));
        CHECK(error_of(nullptr, nullptr, nullptr, nullptr, 0, 0, 0, 0).empty());
    });
}

// Not [larger]: in `make test-all` the `compare --op chain` of host/checks/README.md asks each of all plugins this.
TEST_CASE("every solve_chain_enqueue passes what the judge asks of it, and has solve_chain beside it") {
    const bool sanitized = std::getenv("SANITIZED");  // then all of them
    size_t found = 0;
    for_each_plugin([&](const Candidate& candidate, const Plugin& plugin, Device& device) {
        if (!plugin.solve_chain_enqueue) return;
        CHECK(plugin.solve_chain != nullptr);
        if (sanitized || has_its_turn(candidate.target, found, 0)) CHECK(check_chain_enqueue(plugin, device) == "");
        ++found;
    });
    CHECK(found > 0);
}

TEST_CASE("every solve_chain_enqueue on a GPU can be captured, and its graphs leave what its calls leave") {
    for_each_chain([&](const Candidate&, const Plugin& plugin, Device& device) {
        const GraphFindings found = check_graphs_of_chain(
            plugin.solve_chain_enqueue, [&] { return plugin.last_error(); }, device);
        CHECK(found.not_captured == "");
        CHECK(found.wrong == "");
    });
}

TEST_CASE("every solve_chain_enqueue is right for each matrix's own leading dimension") {
    for_each_chain([&](const Candidate&, const Plugin& plugin, Device& device) {
        if (!plugin.solve_chain_enqueue) return;
        const int M = 5, N = 6, K = 7, L = 4;
        const auto integers = [](int rows, int64_t ld, int seed) {
            std::vector<float> values(rows * ld);
            for (size_t i = 0; i < values.size(); ++i) values[i] = float((i * 5 + seed) % 7) - 3;
            return values;
        };
        for (const int padded : {0, 1, 2, 3}) {  // A, B, C or E
            const auto ld = [&](int matrix, int cols) { return int64_t{cols} + (matrix == padded ? 3 : 0); };
            const auto a = integers(M, ld(0, N), 1), b = integers(N, ld(1, K), 2), c = integers(K, ld(2, L), 3);
            const auto before = integers(M, ld(3, L), 4);
            const Matrix A(device, a), B(device, b), C(device, c), E(device, before);
            solve_chain_t call = solve_chain_one();
            call.M = M, call.N = N, call.K = K, call.L = L;
            call.A = A.data(), call.lda = ld(0, N), call.B = B.data(), call.ldb = ld(1, K);
            call.C = C.data(), call.ldc = ld(2, L), call.E = E.data(), call.lde = ld(3, L);
            call.alpha = 2, call.beta = -1;
            CHECK(plugin.solve_chain_enqueue(&call) == SOLVE_OK);
            std::vector<float> want = before;
            for (int i = 0; i < M; ++i) {
                for (int l = 0; l < L; ++l) {
                    float sum = 0;
                    for (int n = 0; n < N; ++n) {
                        for (int k = 0; k < K; ++k) {
                            sum += a[i * call.lda + n] * b[n * call.ldb + k] * c[k * call.ldc + l];
                        }
                    }
                    want[i * call.lde + l] = 2 * sum - before[i * call.lde + l];
                }
            }
            CHECK(E.values() == want);
        }
    });
}
