// solve_chain of every plugin that exports it.
#include "plugins.h"

namespace {

using namespace test;

auto solve_with(const Plugin& plugin, const Shape& shape) {
    return [&plugin, shape](const float* A, const float* B, const float* C, float* E) {
        plugin.solve_chain(A, B, C, E, shape.M, shape.N, shape.K, shape.L);
        return plugin.last_error();
    };
}

void check(const Plugin& plugin, Device& device, const Shape& shape, int misalignment) {
    INFO("shape " << to_string(shape) << ", " << misalignment << " floats past alignment");
    Problem problem(device, shape, 77, misalignment);
    const Verdict verdict = problem.judge(solve_with(plugin, shape), plugin.arithmetic());
    INFO(verdict.message);
    CHECK(verdict.status == Status::ok);
}

}  // namespace

TEST_CASE("every solve_chain is right at every shape and at misaligned pointers") {
    int found = 0;
    for_each_chain([&](const Candidate&, const Plugin& plugin, Device& device) {
        ++found;
        for (const Shape& shape :
             {Shape{0, 3, 4, 5}, Shape{3, 0, 4, 5}, Shape{3, 4, 0, 5}, Shape{3, 4, 5, 0}, Shape{1, 1, 1, 1},
              Shape{17, 19, 23, 29}, Shape{64, 64, 64, 64}, Shape{70, 5, 131, 33}, Shape{2, 300, 3, 300},
              Shape{3, 2, 9000, 7}, Shape{1, 40, 50, 1}, Shape{129, 65, 33, 130}}) {
            for (const int misalignment : {0, 1}) check(plugin, device, shape, misalignment);
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
