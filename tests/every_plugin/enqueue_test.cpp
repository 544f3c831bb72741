// solve_enqueue of every plugin that exports it.
#include "host/enqueue_check.h"
#include "plugins.h"

namespace {

using namespace test;

template <class Body>
void for_each_enqueue(Body body) {
    for_each_plugin([&](const Candidate&, const Plugin& plugin, Device& device) {
        if (plugin.solve_enqueue) body(plugin, device);
    });
}

}  // namespace

TEST_CASE("every solve_enqueue passes what the judge asks of it") {
    int found = 0;
    for_each_enqueue([&](const Plugin& plugin, Device& device) {
        CHECK(check_enqueue(plugin, device) == "");
        ++found;
    });
    CHECK(found > 0);
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
