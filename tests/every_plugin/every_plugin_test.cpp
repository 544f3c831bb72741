// Every plugin found, at every shape of a list and at misaligned pointers: right, inside its matrices, deterministic,
// and honest about errors. Built twice: with AddressSanitizer for the emulated and the CPU plugins, so that a read past
// a matrix is an error at once; and without, for the CUDA plugins, where a GPU answers.
#include <fmt/format.h>

#include <limits>

#include "plugins.h"

namespace {

using namespace test;

std::vector<Shape> shapes_for(Target target) {
    std::vector<Shape> shapes = {
        {0, 0, 0},
        {0, 5, 7},
        {5, 0, 7},
        {5, 7, 0},
        {1, 1, 1},
        {1, 1, 130},
        {130, 1, 1},
        {1, 130, 1},
        {2, 3, 5},
        {17, 19, 23},
        {131, 127, 137},
        // around the edges of tiles of 16, 32, 64 and 128, and of steps of 8 and 16
        {15, 16, 17},
        {17, 15, 16},
        {16, 17, 15},
        {31, 32, 33},
        {33, 31, 32},
        {32, 33, 31},
        {63, 64, 65},
        {65, 63, 64},
        {64, 65, 63},
        {127, 128, 129},
        {129, 127, 128},
        {128, 129, 127},
        {64, 64, 64},
        {128, 8, 128},
        {128, 7, 128},
        {128, 9, 128},
        {128, 128, 128},
        // rows that are multiples of 4 but not of 8 or of a tile, so that 16-byte loads meet the edges
        {132, 20, 140},
        {68, 12, 76},
        // tall, wide, deep
        {1000, 3, 2},
        {2, 3, 1000},
        {3, 1000, 2},
        {257, 16, 4},
        {4, 16, 257},
        {1, 777, 300},
        // few columns, with an N for which 78's loop takes a second turn; a longer one it would cut
        {9, 800, 8},
    };
    if (target != Target::cuda) return shapes;
    const std::vector<Shape> large = {
        {1000, 777, 3000}, {1024, 1024, 1024}, {4097, 33, 4099}, {65, 8191, 63}, {1, 4096, 4096},
        {4096, 4096, 1},   {3, 100000, 5},     {1100000, 2, 3},  // more than 65535 rows of tiles of 16
        {2, 3, 1100000},
    };
    shapes.insert(shapes.end(), large.begin(), large.end());
    return shapes;
}

auto solve_with(const Plugin& plugin, const Shape& shape) {
    return [&plugin, shape](const float* A, const float* B, float* C) {
        plugin.solve(A, B, C, shape.M, shape.N, shape.K);
        return plugin.last_error();
    };
}

}  // namespace

TEST_CASE("every plugin is right at every shape", "[larger]") {
    int cases = 0;
    size_t number = 0;
    for_each_gemm([&](const Candidate& candidate, const Plugin& plugin, Device& device) {
        size_t way = 0;
        ++number;
        for (const Shape& shape : shapes_for(candidate.target)) {
            if (!has_its_turn(candidate.target, number, way++)) continue;
            INFO("shape " << to_string(shape));
            Problem problem(device, shape, 1234 + cases);
            const Verdict verdict = problem.judge(solve_with(plugin, shape), plugin.arithmetic());
            INFO(verdict.message);
            CHECK(verdict.status == Status::ok);
            ++cases;
        }
    });
    fmt::print("{} plugins and shapes judged\n", cases);
}

TEST_CASE("every plugin is right at pointers that are aligned to 4 bytes only", "[larger]") {
    size_t number = 0;
    for_each_gemm([&](const Candidate& candidate, const Plugin& plugin, Device& device) {
        ++number;
        for (const Shape& shape : {Shape{64, 64, 64}, Shape{132, 20, 140}, Shape{129, 33, 131}, Shape{5, 8, 12}}) {
            for (const int misalignment : {1, 2, 3}) {
                if (!has_its_turn(candidate.target, number, size_t(misalignment + shape.M))) continue;
                INFO("shape " << to_string(shape) << ", " << misalignment << " floats past alignment");
                Problem problem(device, shape, 99, misalignment);
                const Verdict verdict = problem.judge(solve_with(plugin, shape), plugin.arithmetic());
                INFO(verdict.message);
                CHECK(verdict.status == Status::ok);
            }
        }
    });
}

TEST_CASE("every CUDA plugin is right where A, B or C has more than 2^31 elements") {
    const std::pair<const char*, Shape> cases[] = {// 8.6 GB of that matrix
                                                   {"A", {46400, 46401, 9}},
                                                   {"B", {9, 46401, 46400}},
                                                   {"C", {46400, 9, 46401}}};
    for_each_gemm([&](const Candidate& candidate, const Plugin& plugin, Device& device) {
        if (candidate.target != Target::cuda) return;
        for (const auto& [matrix, shape] : cases) {
            INFO("more than 2^31 elements of " << matrix);
            try {
                Problem problem(device, shape, 5);
                const Verdict verdict = problem.judge(solve_with(plugin, shape), plugin.arithmetic());
                INFO(verdict.message);
                CHECK(verdict.status == Status::ok);
            } catch (const OutOfMemory& error) {
                fmt::print("SKIPPED: {} where {} has more than 2^31 elements: no {}\n", candidate.name, matrix,
                           error.what());
            }
        }
    });
}

TEST_CASE("every plugin gives the same bits twice", "[larger]") {
    size_t number = 0;
    for_each_gemm([&](const Candidate& candidate, const Plugin& plugin, Device& device) {
        if (!has_its_turn(candidate.target, ++number, 0)) return;
        const Shape shape{150, 210, 170};
        const Matrix a(device, random_values(shape.a_elements(), 1)), b(device, random_values(shape.b_elements(), 2));
        const Matrix c1(device, random_values(shape.c_elements(), 3)), c2(device, random_values(shape.c_elements(), 4));
        plugin.solve(a.data(), b.data(), c1.data(), shape.M, shape.N, shape.K);
        plugin.solve(a.data(), b.data(), c2.data(), shape.M, shape.N, shape.K);
        CHECK(same_bits(c1.values(), c2.values()));
    });
}

TEST_CASE("in every plugin a NaN in A spoils its row of C and nothing else, and an infinity in B its column") {
    for_each_gemm([&](const Candidate&, const Plugin& plugin, Device& device) {
        const Shape shape{70, 37, 66};
        std::vector<float> a = random_values(shape.a_elements(), 1), b = random_values(shape.b_elements(), 2);
        const int row = 41, col = 13;
        a[row * shape.N + 36] = std::numeric_limits<float>::quiet_NaN();  // in the last, partial step of most tilings
        b[36 * shape.K + col] = std::numeric_limits<float>::infinity();
        const Matrix a_device(device, a), b_device(device, b), c(device, std::vector<float>(shape.c_elements(), 1.0f));
        plugin.solve(a_device.data(), b_device.data(), c.data(), shape.M, shape.N, shape.K);
        const std::vector<float> values = c.values();
        int misplaced = 0;
        for (int i = 0; i < shape.M; ++i) {
            for (int k = 0; k < shape.K; ++k) {
                misplaced += std::isfinite(values[i * shape.K + k]) == (i == row || k == col);
            }
        }
        CHECK(misplaced == 0);
    });
}

TEST_CASE("every plugin that reports errors reports bad arguments, and writes nothing") {
    for_each_gemm([&](const Candidate&, const Plugin& plugin, Device& device) {
        if (!plugin.info()) return;
        const std::vector<float> before(64, 7.0f);
        const Matrix a(device, before), b(device, before), c(device, before);
        const auto error_of = [&](const float* A, const float* B, float* C, int M, int N, int K) {
            plugin.solve(A, B, C, M, N, K);
            return plugin.last_error();
        };
        CHECK_FALSE(error_of(a.data(), b.data(), c.data(), -1, 4, 4).empty());
        CHECK_FALSE(error_of(a.data(), b.data(), c.data(), 4, -1, 4).empty());
        CHECK_FALSE(error_of(a.data(), b.data(), c.data(), 4, 4, -1).empty());
        CHECK_FALSE(error_of(nullptr, b.data(), c.data(), 4, 4, 4).empty());
        CHECK_FALSE(error_of(a.data(), nullptr, c.data(), 4, 4, 4).empty());
        CHECK_FALSE(error_of(a.data(), b.data(), nullptr, 4, 4, 4).empty());
        CHECK(same_bits(c.values(), before));
        CHECK(error_of(nullptr, nullptr, nullptr, 0, 0, 0).empty());
        CHECK(error_of(nullptr, b.data(), nullptr, 0, 4, 4).empty());
        CHECK(error_of(nullptr, nullptr, c.data(), 8, 0, 8).empty());  // an empty sum: C = 0
        CHECK(same_bits(c.values(), std::vector<float>(64, 0.0f)));
        CHECK(error_of(a.data(), b.data(), c.data(), 8, 8, 8).empty());  // an old error does not stick
    });
}

TEST_CASE("every plugin describes itself") {
    for_each_plugin([&](const Candidate& candidate, const Plugin& plugin, Device&) {
        REQUIRE(plugin.info());
        const solve_info_t& info = *plugin.info();
        CHECK(info.size == sizeof(solve_info_t));
        CHECK(info.abi_version == SOLVE_ABI_VERSION);
        REQUIRE(info.name != nullptr);
        CHECK(info.name == candidate.name);
        CHECK(std::strlen(info.summary) > 10);
        CHECK(std::strlen(info.source) > 3);
        CHECK(info.memory == (candidate.target == Target::cuda ? SOLVE_MEMORY_DEVICE : SOLVE_MEMORY_HOST));
        CHECK(bool(info.flags & SOLVE_FLAG_EMULATED) == (candidate.target == Target::emulator));
        CHECK(bool(info.entries & SOLVE_ENTRY_SOLVE) == (plugin.solve != nullptr));
        CHECK(bool(info.entries & SOLVE_ENTRY_ENQUEUE) == (plugin.solve_enqueue != nullptr));
        CHECK(bool(info.entries & SOLVE_ENTRY_CHAIN) == (plugin.solve_chain != nullptr));
        CHECK(bool(info.entries & SOLVE_ENTRY_CHAIN_ENQUEUE) == (plugin.solve_chain_enqueue != nullptr));
        CHECK((info.minimum_compute_capability > 0) == (candidate.target == Target::cuda));
    });
}
