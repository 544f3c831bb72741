// solve_enqueue of every plugin that exports it.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <thread>

#include "host/checks/enqueue_check.h"
#include "host/checks/guarded_matrix.h"
#include "plugins.h"

namespace {

using namespace test;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

template <class Body>
void for_each_enqueue(Body body) {
    for_each_plugin([&](const Candidate&, const Plugin& plugin, Device& device) {
        if (plugin.solve_enqueue) body(plugin, device);
    });
}

// Calls body(plugin, device, is_next), where each call of is_next() tells whether one more way has its turn (see
// has_its_turn).
template <class Body>
void for_each_enqueue_with_ways(Body body) {
    size_t number = 0;
    for_each_plugin([&](const Candidate& candidate, const Plugin& plugin, Device& device) {
        if (!plugin.solve_enqueue) return;
        ++number;
        size_t way = 0;
        body(plugin, device, [&] { return has_its_turn(candidate.target, number, way++); });
    });
}

// The same as for_each_enqueue for those whose turn it is in this way.
template <class Body>
void for_each_enqueue_in_turn(size_t way, Body body) {
    size_t number = 0;
    for_each_plugin([&](const Candidate& candidate, const Plugin& plugin, Device& device) {
        if (plugin.solve_enqueue && has_its_turn(candidate.target, ++number, way)) body(plugin, device);
    });
}

// rows x cols values with a pitch of `ld`; what lies between the rows holds `padding`. The last row ends the memory.
struct Strided {
    int rows, cols;
    int64_t ld;
    std::vector<float> values;

    Strided(int rows, int cols, int64_t ld, float padding)
        : rows(rows), cols(cols), ld(ld), values(rows && cols ? (rows - 1) * ld + cols : 0, padding) {}

    float& operator()(int row, int col) { return values[row * ld + col]; }
    const float& operator()(int row, int col) const { return values[row * ld + col]; }

    // Small integers, of which every arithmetic gives the exact product.
    Strided& fill_integers(int seed) {
        for (int i = 0; i < rows; ++i) {
            for (int j = 0; j < cols; ++j) (*this)(i, j) = float((i * 5 + j * 3 + seed) % 7 - 3);
        }
        return *this;
    }
    Strided& fill(float value) {
        for (int i = 0; i < rows; ++i) std::fill_n(&(*this)(i, 0), cols, value);
        return *this;
    }
};

struct Call {
    Shape shape;
    int64_t lda, ldb, ldc;
    float alpha, beta;
    int misalignment = 0;  // of all three matrices, in floats
};

std::string to_string(const Call& call) {
    return fmt::format("{}, lda {}, ldb {}, ldc {}, alpha {}, beta {}, {} floats past alignment", to_string(call.shape),
                       call.lda, call.ldb, call.ldc, call.alpha, call.beta, call.misalignment);
}

// What the BLAS makes of it: a product by alpha == 0, or of no elements, and a C under beta == 0 do not count.
Strided expected(const Call& call, const Strided& a, const Strided& b, Strided c) {
    for (int i = 0; i < call.shape.M; ++i) {
        for (int k = 0; k < call.shape.K; ++k) {
            float sum = 0;
            for (int n = 0; n < call.shape.N && call.alpha != 0; ++n) sum += a(i, n) * b(n, k);
            const float product = call.shape.N == 0 || call.alpha == 0 ? 0 : call.alpha * sum;
            c(i, k) = product + (call.beta == 0 ? 0 : call.beta * c(i, k));
        }
    }
    return c;
}

// Checks that the call turns c into what is expected, bit for bit, touches nothing around the matrices, and, where
// alpha == 0, neither A nor B.
void check(const Plugin& plugin, Device& device, const Call& call, const Strided& a, const Strided& b,
           const Strided& c) {
    INFO(to_string(call));
    GuardedMatrix A(device, a.values.size(), call.misalignment), B(device, b.values.size(), call.misalignment),
        C(device, c.values.size(), call.misalignment);
    device.write(A.data(), a.values.data(), a.values.size());
    device.write(B.data(), b.values.data(), b.values.size());
    device.write(C.data(), c.values.data(), c.values.size());
    device.synchronize();

    for (GuardedMatrix* const input : {&A, &B}) input->arm(call.alpha == 0 ? Access::none : Access::read);
    C.arm();
    CHECK(plugin.solve_enqueue(A.data(), call.lda, B.data(), call.ldb, C.data(), call.ldc, call.shape.M, call.shape.N,
                               call.shape.K, call.alpha, call.beta, nullptr) == SOLVE_OK);
    CHECK(plugin.last_error().empty());
    device.synchronize();
    for (GuardedMatrix* const matrix : {&A, &B, &C}) {
        matrix->disarm();
        CHECK(matrix->trespass() == "");
        CHECK(!matrix->misused());
    }

    std::vector<float> after(c.values.size());
    device.read(after.data(), C.data(), after.size());
    const std::vector<float> want = expected(call, a, b, c).values;
    int wrong = 0;
    for (size_t i = 0; i < after.size(); ++i) {
        wrong += !(after[i] == want[i] || (std::isnan(after[i]) && std::isnan(want[i])));
    }
    CHECK(wrong == 0);
    CHECK(A.damage() + B.damage() + C.damage() == 0);
}

void check(const Plugin& plugin, Device& device, const Call& call) {
    const auto& [M, N, K, L] = call.shape;
    check(plugin, device, call, Strided(M, N, call.lda, kNaN).fill_integers(1),
          Strided(N, K, call.ldb, kNaN).fill_integers(2), Strided(M, K, call.ldc, kNaN).fill_integers(3));
}

}  // namespace

// Not [larger]: in `make test-all` the README's `make run` judges all plugins of this machine, and asks each this.
TEST_CASE("every solve_enqueue passes what the judge asks of it") {
    int found = 0;
    for_each_enqueue_in_turn(0, [&](const Plugin& plugin, Device& device) {
        CHECK(check_enqueue(plugin, device) == "");
        ++found;
    });
    CHECK(found > 0);
}

TEST_CASE("every solve_enqueue is right for each matrix's own leading dimension and alignment", "[larger]") {
    for_each_enqueue_with_ways([&](const Plugin& plugin, Device& device, const auto& is_next) {
        for (const Call& call : {
                 Call{{129, 66, 131}, 68, 132, 136, 2, -1},  // aligned rows whose last group of 4 is not whole
                 Call{{64, 64, 64}, 65, 66, 67, 2, -1},      // whole groups in rows that are not aligned
                 Call{{64, 36, 68}, 36, 68, 69, 2, -1},      // one matrix of the three
                 Call{{64, 36, 68}, 36, 69, 68, 2, -1},
                 Call{{64, 36, 68}, 37, 68, 68, 2, -1},
                 Call{{64, 36, 68}, 40, 72, 76, 2, -1},  // all aligned and padded
                 Call{{64, 36, 68}, 40, 72, 76, 2, -1, 1},
                 Call{{64, 36, 68}, 40, 72, 76, 2, -1, 2},
                 Call{{3, 300, 5}, 304, 8, 8, 2, -1},  // deep enough to be split along N
                 Call{{130, 300, 132}, 301, 133, 134, 0.5, 1},
                 Call{{1, 300, 1}, 1000, 1, 1000, 1, 1},
                 Call{{300, 1, 2}, 1, 9, 2, -1, 2},
             }) {
            if (is_next()) check(plugin, device, call);
        }
    });
}

TEST_CASE("every solve_enqueue reads what counts and nothing else", "[larger]") {
    for_each_enqueue_with_ways([&](const Plugin& plugin, Device& device, const auto& is_next) {
        for (const Shape& shape : {Shape{35, 12, 68}, Shape{3, 200, 5}, Shape{35, 0, 68}}) {
            const auto& [M, N, K, L] = shape;
            for (const int padding : {0, 1}) {
                if (!is_next()) continue;
                const int64_t lda = N + padding, ldb = K + padding, ldc = K + padding;
                const auto a = Strided(M, N, lda, kNaN).fill_integers(1), a_nan = Strided(M, N, lda, kNaN);
                const auto b = Strided(N, K, ldb, kNaN).fill_integers(2), b_nan = Strided(N, K, ldb, kNaN);
                const auto c = Strided(M, K, ldc, 7.0f).fill_integers(3), c_nan = Strided(M, K, ldc, 7.0f).fill(kNaN);
                for (const float beta : {0.0f, 1.0f, -2.0f}) {
                    check(plugin, device, {shape, lda, ldb, ldc, 0, beta}, a_nan, b_nan, c);
                }
                check(plugin, device, {shape, lda, ldb, ldc, 0, 0}, a_nan, b_nan, c_nan);
                check(plugin, device, {shape, lda, ldb, ldc, 2, 0}, a, b, c_nan);
                check(plugin, device, {shape, lda, ldb, ldc, 2, 1}, a, b, c_nan);  // a NaN that counts spreads
                check(plugin, device, {shape, lda, ldb, ldc, 2, 0}, a_nan, b, c);
            }
        }
        // An infinity times a sum of nothing would be NaN.
        check(plugin, device, {{35, 0, 68}, 0, 68, 68, kInfinity, 0.5});
    });
}

TEST_CASE("every solve_enqueue writes nothing where C has no elements") {
    for_each_enqueue([&](const Plugin& plugin, Device& device) {
        for (const Shape& shape : {Shape{0, 8, 8}, Shape{8, 8, 0}, Shape{0, 0, 0}, Shape{0, 8, 0}}) {
            check(plugin, device, {shape, 8, 8, 8, 1, 0});
        }
        CHECK(plugin.solve_enqueue(nullptr, 0, nullptr, 0, nullptr, 0, 0, 0, 0, 1, 0, nullptr) == SOLVE_OK);
    });
}

TEST_CASE("every solve_enqueue refuses bad arguments and writes nothing") {
    for_each_enqueue([&](const Plugin& plugin, Device& device) {
        const std::vector<float> before(64, 7.0f);
        const Matrix a(device, before), b(device, before), c(device, before);
        const auto code = [&](int64_t lda, int64_t ldb, int64_t ldc, int M, int N, int K, float alpha = 1) {
            return plugin.solve_enqueue(a.data(), lda, b.data(), ldb, c.data(), ldc, M, N, K, alpha, 0, nullptr);
        };
        const auto code_of = [&](const float* A, const float* B, float* C, float alpha) {
            return plugin.solve_enqueue(A, 8, B, 8, C, 8, 8, 8, 8, alpha, 0, nullptr);
        };
        CHECK(code(7, 8, 8, 8, 8, 8) == SOLVE_INVALID_ARGUMENT);
        CHECK_FALSE(plugin.last_error().empty());
        CHECK(code(8, 7, 8, 8, 8, 8) == SOLVE_INVALID_ARGUMENT);
        CHECK(code(8, 8, 7, 8, 8, 8) == SOLVE_INVALID_ARGUMENT);
        CHECK(code(-8, 8, 8, 8, 8, 8) == SOLVE_INVALID_ARGUMENT);
        CHECK(code(7, 8, 8, 8, 8, 8, 0) == SOLVE_INVALID_ARGUMENT);  // even if A is not read
        CHECK(code(8, 8, 8, -8, 8, 8) == SOLVE_INVALID_ARGUMENT);
        CHECK(code(8, 8, 8, 8, -8, 8) == SOLVE_INVALID_ARGUMENT);
        CHECK(code(8, 8, 8, 8, 8, -8) == SOLVE_INVALID_ARGUMENT);
        for (const float alpha : {0.0f, 1.0f}) {
            CHECK(code_of(nullptr, b.data(), c.data(), alpha) == SOLVE_INVALID_ARGUMENT);
            CHECK(code_of(a.data(), nullptr, c.data(), alpha) == SOLVE_INVALID_ARGUMENT);
            CHECK(code_of(a.data(), b.data(), nullptr, alpha) == SOLVE_INVALID_ARGUMENT);
        }
        CHECK(same_bits(c.values(), before));
        CHECK(code(8, 8, 8, 8, 8, 8) == SOLVE_OK);
        CHECK(plugin.last_error().empty());
    });
}

TEST_CASE("every solve_enqueue may be called from two threads at once, each with a stream of its own", "[larger]") {
    for_each_enqueue_in_turn(2, [&](const Plugin& plugin, Device& device) {
        struct Work {
            std::vector<float> product;
            Matrix A, B, C;
            void* stream;
            int wrong = 0;
        };
        const Call call{{40, 200, 36}, 200, 36, 36, 1, 0};
        const auto& [M, N, K, L] = call.shape;
        const auto make = [&](int seed, void* stream) {
            const auto a = Strided(M, N, N, kNaN).fill_integers(seed), b = Strided(N, K, K, kNaN).fill_integers(2);
            const Strided c(M, K, K, kNaN);
            return Work{
                expected(call, a, b, c).values, {device, a.values}, {device, b.values}, {device, c.values}, stream};
        };
        Work works[] = {make(0, nullptr), make(1, device.side_stream())};
        device.synchronize();
        const auto run = [&](Work& work) {
            std::vector<float> result(work.product.size());
            for (int round = 0; round < 4; ++round) {
                const float alpha = float(1 << round);  // what the round before left in C is wrong now
                const int code = plugin.solve_enqueue(work.A.data(), N, work.B.data(), K, work.C.data(), K, M, N, K,
                                                      alpha, 0, work.stream);
                device.read_after(work.stream, result.data(), work.C.data(), result.size());
                bool right = code == SOLVE_OK;
                for (size_t i = 0; i < result.size(); ++i) right = right && result[i] == alpha * work.product[i];
                work.wrong += !right;
            }
        };
        std::thread other(run, std::ref(works[1]));
        run(works[0]);
        other.join();
        CHECK(works[0].wrong == 0);
        CHECK(works[1].wrong == 0);
    });
}
