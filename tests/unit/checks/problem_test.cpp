#include "host/checks/problem.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <thread>

#include "tests/catch.h"
#include "tests/unit/host_in_disguise.h"
#include "tests/unit/multiply.h"
#include "tests/unit/text.h"

using namespace judge;
using namespace unit;

namespace {

using Solve = std::function<std::string(const float*, const float*, float*)>;

constexpr Shape kShape{13, 17, 11};

Verdict judge_on(Device& device, const Shape& shape, const Solve& solve, int misalignment = 0) {
    return Problem(device, shape, 5, misalignment).judge(solve);
}

Verdict verdict_on(const Shape& shape, const Solve& solve, int misalignment = 0) {
    return judge_on(*make_host_device(), shape, solve, misalignment);
}

Solve right(const Shape& shape, const std::string& error = {}) {
    return [=](const float* A, const float* B, float* C) {
        multiply(A, B, C, shape);
        return error;
    };
}

// The right product, and then something else.
Solve right_and(const Shape& shape, const std::function<void(float* A, float* B, float* C)>& also) {
    return [=](const float* A, const float* B, float* C) {
        multiply(A, B, C, shape);
        also(const_cast<float*>(A), const_cast<float*>(B), C);
        return std::string();
    };
}

// Host memory, on which comparing every element always takes too long.
class SamplingDevice final : public HostInDisguise, private Reference {
  public:
    Reference& reference() override { return *this; }

    double budget = 1;
    std::vector<std::vector<int>> compared_rows;

  private:
    Comparison compare(const float* A, const float* B, const float* C, const Shape& shape, double rho_bound,
                       const std::vector<int>& rows) override {
        compared_rows.push_back(rows);
        return HostInDisguise::reference().compare(A, B, C, shape, rho_bound, rows);
    }
    Comparison compare_chain(const float* A, const float* B, const float* C, const float* E, const Shape& shape,
                             double rho_bound, const std::vector<int>& rows) override {
        compared_rows.push_back(rows);
        return HostInDisguise::reference().compare_chain(A, B, C, E, shape, rho_bound, rows);
    }
    std::vector<double> multiply(const float* matrix, int64_t rows, int64_t cols, const std::vector<double>& x,
                                 bool absolute) override {
        return HostInDisguise::reference().multiply(matrix, rows, cols, x, absolute);
    }
    double comparison_budget() const override { return budget; }
};

}  // namespace

TEST_CASE("a right product is ok, at any shape and misalignment") {
    for (const Shape& shape : {kShape, Shape{1, 1, 1}, Shape{1, 300, 2}, Shape{64, 1, 64}, Shape{33, 65, 129}}) {
        for (const int misalignment : {0, 1, 3, 63}) {
            CAPTURE(to_string(shape), misalignment);
            const Verdict verdict = verdict_on(shape, right(shape), misalignment);
            CAPTURE(verdict.message);
            CHECK(verdict.status == Status::ok);
            CHECK(verdict.message.empty());
            CHECK(verdict.comparison.compared == uint64_t(shape.c_elements()));
            CHECK(verdict.rho_bound == rho_bound(shape.N));
            CHECK(verdict.comparison.rho <= verdict.rho_bound);
            CHECK(verdict.unwritten == 0);
            CHECK(!verdict.sampled);
        }
    }
}

TEST_CASE("pointers are exactly as misaligned as was asked") {
    const auto device = make_host_device();
    for (const int misalignment : {0, 1, 2, 3, 4, 63}) {
        const Problem problem(*device, kShape, 1, misalignment);
        for (const float* matrix : {problem.A(), problem.B(), static_cast<const float*>(problem.C())}) {
            CAPTURE(misalignment);
            CHECK(reinterpret_cast<uintptr_t>(matrix) % 256 == 4u * unsigned(misalignment));
        }
    }
}

TEST_CASE("A and B hold different numbers, the same for the same seed, others for another") {
    const auto device = make_host_device();
    const Shape shape{20, 20, 20};
    const Problem one(*device, shape, 1), same(*device, shape, 1, 5), other(*device, shape, 2);
    CHECK(std::equal(one.A(), one.A() + 400, same.A()));
    CHECK(std::equal(one.B(), one.B() + 400, same.B()));
    CHECK(!std::equal(one.A(), one.A() + 400, one.B()));
    CHECK(!std::equal(one.A(), one.A() + 400, other.A()));
    CHECK(!std::equal(one.B(), one.B() + 400, other.B()));
}

TEST_CASE("C holds NaN when the plugin is called") {
    uint64_t numbers = 0;
    verdict_on(kShape, [&](const float* A, const float* B, float* C) {
        for (int64_t i = 0; i < kShape.c_elements(); ++i) numbers += !std::isnan(C[i]);
        multiply(A, B, C, kShape);
        return std::string();
    });
    CHECK(numbers == 0);
}

TEST_CASE("a plugin that writes nothing is told so, with the count") {
    const Verdict verdict = verdict_on(kShape, [](const float*, const float*, float*) { return std::string(); });
    CAPTURE(verdict.message);
    CHECK(verdict.status == Status::not_written);
    CHECK(verdict.unwritten == 143);
    CHECK(contains(verdict.message, "143 of 143 elements of C not written"));
    CHECK(contains(verdict.message, "launch fail?"));
}

TEST_CASE("a plugin that writes nothing and reports an error is quoted") {
    const Verdict verdict =
        verdict_on(kShape, [](const float*, const float*, float*) { return std::string("invalid device function"); });
    CAPTURE(verdict.message);
    CHECK(verdict.status == Status::not_written);
    CHECK(contains(verdict.message, "the plugin says: invalid device function"));
    CHECK(!contains(verdict.message, "launch fail?"));
}

TEST_CASE("a launch that failed explains what was not written, or is wrong, and nothing else") {
    const std::string failure = "launch of gemm failed: invalid argument, grid 1, block 2048";
    const auto message_of = [&](const Solve& also, const CallErrors& errors) {
        const Verdict verdict =
            Problem(*make_host_device(), kShape, 5).judge([&](const float* A, const float* B, float* C) {
                also(A, B, C);
                return errors;
            });
        return to_string(verdict.status) + ": " + verdict.message;
    };
    const Solve nothing = [](auto...) { return std::string(); };
    const Solve off_by_one = right_and(kShape, [](float*, float*, float* C) { C[0] += 1; });
    CHECK(message_of(nothing, {{}, failure}) == "not-written: 143 of 143 elements of C not written; " + failure);
    CHECK(message_of(nothing, {"no luck", failure}) ==
          "not-written: 143 of 143 elements of C not written; the plugin says: no luck; " + failure);
    CHECK(message_of(nothing, {{}, ""}) == "not-written: 143 of 143 elements of C not written");  // all were launched
    CHECK(message_of(off_by_one, {{}, failure}).ends_with("; " + failure));
    CHECK(message_of(off_by_one, {{}, ""}).starts_with("wrong: "));
    CHECK(message_of(right(kShape), {{}, failure}) == "ok: ");  // it took another way
}

TEST_CASE("a plugin that skips the last row leaves one row unwritten") {
    const Shape short_of_one{kShape.M - 1, kShape.N, kShape.K};
    const Verdict verdict = verdict_on(kShape, right(short_of_one));
    CAPTURE(verdict.message);
    CHECK(verdict.status == Status::not_written);
    CHECK(verdict.unwritten == uint64_t(kShape.K));
    CHECK(contains(verdict.message, "11 of 143 elements of C not written"));
    CHECK(!contains(verdict.message, "launch fail?"));
}

TEST_CASE("one float written outside any matrix is out-of-bounds, and the message says where") {
    const auto write = [](float* at) { *at = 1.0f; };
    for (const int misalignment : {0, 1}) {
        CAPTURE(misalignment);
        const auto verdict_after = [&](const std::function<void(float*, float*, float*)>& also) {
            const Verdict verdict = verdict_on(kShape, right_and(kShape, also), misalignment);
            CHECK(verdict.status == Status::out_of_bounds);
            return verdict.message;
        };
        CHECK(contains(verdict_after([&](float*, float*, float* C) { write(C + kShape.c_elements()); }),
                       "matrices: 1 float around C"));
        CHECK(contains(verdict_after([&](float*, float*, float* C) { write(C - 1); }), "matrices: 1 float around C"));
        CHECK(contains(verdict_after([&](float*, float*, float* C) { write(C + kShape.c_elements() + 1023); }),
                       "1 float around C"));
        CHECK(contains(verdict_after([&](float* A, float*, float*) { write(A + kShape.a_elements()); }),
                       "matrices: 1 float around A"));
        CHECK(contains(verdict_after([&](float*, float* B, float*) { write(B - 1024); }), "1 float around B"));
    }
}

TEST_CASE("a plugin that changes an input is told which, though its C is right") {
    const Verdict of_a = verdict_on(kShape, right_and(kShape, [](float* A, float*, float*) { A[16] = 2.0f; }));
    CHECK(of_a.status == Status::input_modified);
    CHECK(contains(of_a.message, "inputs: 1 element of A"));
    const Verdict of_b = verdict_on(kShape, right_and(kShape, [](float*, float* B, float*) { B[0] = B[186] = 2.0f; }));
    CHECK(of_b.status == Status::input_modified);
    CHECK(contains(of_b.message, "inputs: 2 elements of B"));
}

TEST_CASE("inputs changed and then multiplied do not make a consistent wrong product right") {
    const Verdict verdict = verdict_on(kShape, [](const float* A, const float* B, float* C) {
        std::fill_n(const_cast<float*>(A), kShape.a_elements(), 0.0f);
        multiply(A, B, C, kShape);
        return std::string();
    });
    CHECK(verdict.status == Status::input_modified);
}

TEST_CASE("C += A * B is told that it reads C") {
    const Verdict verdict = verdict_on(kShape, [](const float* A, const float* B, float* C) {
        for (int64_t i = 0; i < kShape.M; ++i) {
            for (int64_t n = 0; n < kShape.N; ++n) {
                for (int64_t k = 0; k < kShape.K; ++k) C[i * kShape.K + k] += A[i * kShape.N + n] * B[n * kShape.K + k];
            }
        }
        return std::string();
    });
    CAPTURE(verdict.message);
    CHECK(verdict.status == Status::wrong);
    CHECK(contains(verdict.message, "reads C"));
}

TEST_CASE("A * B + 0 * C is told that it reads C") {
    const Verdict verdict = verdict_on(kShape, [](const float* A, const float* B, float* C) {
        std::vector<float> product(kShape.c_elements());
        multiply(A, B, product.data(), kShape);
        for (int64_t i = 0; i < kShape.c_elements(); ++i) C[i] = product[i] + 0.0f * -C[i];
        return std::string();
    });
    CAPTURE(verdict.message);
    CHECK(verdict.status == Status::wrong);
    CHECK(contains(verdict.message, "reads C"));
}

TEST_CASE("a read past a matrix spreads NaN into C, even when it is multiplied by zero") {
    const auto verdict_after_reading = [](bool past_a) {
        return verdict_on(kShape, right_and(kShape, [=](float* A, float* B, float* C) {
                              C[kShape.c_elements() - 1] += 0.0f * (past_a ? A[kShape.a_elements()] : B[-1]);
                          }));
    };
    for (const bool past_a : {true, false}) {
        const Verdict verdict = verdict_after_reading(past_a);
        CAPTURE(past_a, verdict.message);
        CHECK(verdict.status == Status::wrong);
        CHECK(verdict.comparison.nan == 1);
        CHECK(contains(verdict.message, "1 NaN of 143 elements; first at (12, 10)"));
    }
}

TEST_CASE("one wrong element is wrong, and the message says where") {
    const Verdict verdict =
        verdict_on(kShape, right_and(kShape, [](float*, float*, float* C) { C[4 * 11 + 6] += 0.001f; }));
    CAPTURE(verdict.message);
    CHECK(verdict.status == Status::wrong);
    CHECK(verdict.comparison.wrong == 1);
    CHECK(contains(verdict.message, "1 wrong of 143 elements; first at (4, 6): got "));
}

TEST_CASE("one dropped term is wrong, also where N is large") {
    const Shape shape{16, 20'000, 16}, short_of_one{16, 19'999, 16};
    const Verdict verdict = verdict_on(shape, [=](const float* A, const float* B, float* C) {
        for (int64_t i = 0; i < shape.M; ++i)
            multiply(A + i * shape.N, B, C + i * shape.K, {1, short_of_one.N, shape.K});
        return std::string();
    });
    CHECK(verdict.status == Status::wrong);
    CHECK(verdict.comparison.wrong > 20);
}

TEST_CASE("operands rounded to 11 bits are right for TF32 and wrong for FP32") {
    const auto solve_in_tf32 = [](const float* A, const float* B, float* C) {
        const auto rounded = [](const float* matrix, int64_t elements) {
            std::vector<float> result(matrix, matrix + elements);
            for (float& value : result)
                value = std::bit_cast<float>((std::bit_cast<uint32_t>(value) + 0x1000) & ~0x1fffu);
            return result;
        };
        multiply(rounded(A, kShape.a_elements()).data(), rounded(B, kShape.b_elements()).data(), C, kShape);
        return std::string();
    };
    const auto device = make_host_device();
    Problem problem(*device, kShape, 5);
    CHECK(problem.judge(solve_in_tf32, SOLVE_ARITHMETIC_FP32).status == Status::wrong);
    const Verdict claimed = problem.judge(solve_in_tf32, SOLVE_ARITHMETIC_TF32);
    CHECK(claimed.status == Status::ok);
    CHECK(claimed.rho_bound == rho_bound(kShape.N, SOLVE_ARITHMETIC_TF32));
    CHECK(claimed.comparison.rho > rho_bound(kShape.N));
    CHECK(problem.judge(solve_in_tf32).status == Status::wrong);
}

TEST_CASE("M and K swapped is wrong, though every element is written") {
    const Shape shape{8, 5, 6}, swapped{6, 5, 8};
    CHECK(verdict_on(shape, right(swapped)).status == Status::wrong);
}

TEST_CASE("a right C with an error reported is suspicious") {
    const Verdict verdict = verdict_on(kShape, right(kShape, "out of resources"));
    CHECK(verdict.status == Status::suspicious);
    CHECK(verdict.message == "C is right, but the plugin says: out of resources");
}

TEST_CASE("a wrong C with an error reported stays wrong, and shows the error") {
    const Verdict verdict = verdict_on(kShape, [](const float*, const float*, float* C) {
        std::fill_n(C, kShape.c_elements(), 100.0f);
        return std::string("out of resources");
    });
    CAPTURE(verdict.message);
    CHECK(verdict.status == Status::wrong);
    CHECK(contains(verdict.message, "143 wrong of 143"));
    CHECK(contains(verdict.message, "; the plugin says: out of resources"));
}

TEST_CASE("N == 0 wants zeros") {
    const Shape shape{6, 0, 7};
    CHECK(verdict_on(shape, right(shape)).status == Status::ok);
    const Verdict ones = verdict_on(shape, [](const float*, const float*, float* C) {
        std::fill_n(C, 42, 1.0f);
        return std::string();
    });
    CHECK(ones.status == Status::wrong);
    CHECK(ones.comparison.wrong == 42);
}

TEST_CASE("a plugin that returns early where N == 0 has not written C") {
    const Verdict verdict = verdict_on({6, 0, 7}, [](const float*, const float*, float*) { return std::string(); });
    CAPTURE(verdict.message);
    CHECK(verdict.status == Status::not_written);
    CHECK(verdict.unwritten == 42);
}

TEST_CASE("M == 0 and K == 0 want nothing written") {
    for (const Shape& shape : {Shape{0, 5, 7}, Shape{5, 7, 0}, Shape{0, 0, 0}}) {
        CAPTURE(to_string(shape));
        CHECK(verdict_on(shape, right(shape)).status == Status::ok);
        const Verdict stray = verdict_on(shape, [](const float*, const float*, float* C) {
            C[0] = 0.0f;
            return std::string();
        });
        CHECK(stray.status == Status::out_of_bounds);
    }
}

TEST_CASE("a red zone counts each float changed on either side") {
    const auto device = make_host_device();
    const GuardedMatrix matrix(*device, 10, 2);
    CHECK(matrix.elements() == 10);
    CHECK(matrix.damage() == 0);
    std::fill_n(matrix.data(), 10, 0.0f);
    CHECK(matrix.damage() == 0);
    matrix.data()[-1] = matrix.data()[10] = 0.0f;
    matrix.data()[-1024 - 2] = matrix.data()[10 + 1023] = 0.0f;
    CHECK(matrix.damage() == 4);
}

TEST_CASE("the poison and the red zone are different quiet NaNs") {
    CHECK(std::isnan(std::bit_cast<float>(kPoison)));
    CHECK(std::isnan(std::bit_cast<float>(kRedZone)));
    CHECK(kPoison != kRedZone);
    CHECK((kPoison & 0x400000) != 0);
    CHECK((kRedZone & 0x400000) != 0);
}

TEST_CASE("matrices that do not fit are an OutOfMemory") {
    const auto device = make_host_device();
    CHECK_THROWS_AS(Problem(*device, {2147483647, 2147483647, 1}, 1), OutOfMemory);
}

namespace {

constexpr Shape kTall{300, 40, 50};

int unsampled_row() {
    const std::vector<int> sampled = sample_rows(kTall.M, 5);
    int row = 10;
    while (std::binary_search(sampled.begin(), sampled.end(), row)) ++row;
    return row;
}

}  // namespace

TEST_CASE("a product too large to compare in full is sampled and checked by its row sums") {
    SamplingDevice device;
    const Verdict verdict = judge_on(device, kTall, right(kTall));
    CHECK(verdict.status == Status::ok);
    CHECK(verdict.sampled);
    CHECK(verdict.comparison.compared == 128u * 50);
    REQUIRE(device.compared_rows.size() == 1);
    CHECK(device.compared_rows[0] == sample_rows(kTall.M, 5));
}

TEST_CASE("with little effort a product is compared in full up to a hundredth of the budget") {
    SamplingDevice device;
    const auto sampled_within = [&](double budget, Effort effort) {
        device.budget = budget;
        return Problem(device, kTall, 5, 0, Data::uniform, effort).judge(right(kTall)).sampled;
    };
    const double work = double(kTall.M) * kTall.N * kTall.K;
    CHECK(!sampled_within(100 * work, Effort::quick));
    CHECK(sampled_within(99 * work, Effort::quick));
    CHECK(!sampled_within(work, Effort::normal));
    CHECK(!sampled_within(work, Effort::thorough));
}

TEST_CASE("one wrong element in a row that was not sampled is found and located") {
    SamplingDevice device;
    const int row = unsampled_row();
    const Verdict verdict =
        judge_on(device, kTall, right_and(kTall, [=](float*, float*, float* C) { C[row * 50 + 49] += 0.05f; }));
    CAPTURE(verdict.message);
    CHECK(verdict.status == Status::wrong);
    CHECK(verdict.sampled);
    CHECK(verdict.comparison.wrong == 1);
    REQUIRE(verdict.comparison.first);
    CHECK(verdict.comparison.first->row == row);
    CHECK(verdict.comparison.first->col == 49);
    CHECK(contains(verdict.message, "the checksum of 1 of 300 rows is off"));
    REQUIRE(device.compared_rows.size() == 2);
    CHECK(device.compared_rows[1] == std::vector<int>{row});
}

TEST_CASE("a row whose every element is within its bound, but whose errors add up, is suspicious") {
    SamplingDevice device;
    const int row = unsampled_row();
    const Verdict verdict = judge_on(device, kTall, [=](const float* A, const float* B, float* C) {
        multiply(A, B, C, kTall);
        for (int k = 0; k < kTall.K; ++k) {
            double magnitude = 0;
            for (int n = 0; n < kTall.N; ++n) magnitude += std::abs(double(A[row * kTall.N + n]) * B[n * kTall.K + k]);
            C[row * kTall.K + k] += float((k % 2 ? -0.9 : 0.9) * rho_bound(kTall.N) * kUnitRoundoff * magnitude);
        }
        return std::string();
    });
    CAPTURE(verdict.message);
    CHECK(verdict.status == Status::suspicious);
    CHECK(contains(verdict.message, "each of their elements is within its bound"));
}

TEST_CASE("a wrong row that was sampled needs no checksum") {
    SamplingDevice device;
    const Verdict verdict =
        judge_on(device, kTall, right_and(kTall, [](float*, float*, float* C) { C[299 * 50] += 0.05f; }));
    CHECK(verdict.status == Status::wrong);
    CHECK(verdict.comparison.wrong == 1);
    CHECK(!contains(verdict.message, "checksum"));
    CHECK(device.compared_rows.size() == 1);
}

TEST_CASE("a chain is compared in full up to the budget for its two products, and sampled above it") {
    const Shape shape{300, 40, 50, 20};
    const auto solve = [&](const float* A, const float* B, const float* C, float* E) {
        multiply_chain(A, B, C, E, shape);
        return std::string();
    };
    SamplingDevice device;
    device.budget = 300.0 * 40 * 50 + 300.0 * 50 * 20;
    const Verdict whole = Problem(device, shape, 5).judge(solve);
    CHECK(whole.status == Status::ok);
    CHECK(!whole.sampled);
    CHECK(whole.comparison.compared == 300u * 20);

    device.budget -= 1;
    device.compared_rows.clear();
    Problem problem(device, shape, 5);
    const Verdict some = problem.judge(solve);
    CHECK(some.status == Status::ok);
    CHECK(some.sampled);
    CHECK(some.comparison.compared == 128u * 20);
    CHECK(device.compared_rows == std::vector<std::vector<int>>{sample_rows(shape.M, 5)});
    CHECK(problem.sampled_normwise() == Approx(whole.comparison.normwise()).epsilon(0.1));
}

TEST_CASE("one wrong element of a chain, in a row that was not sampled, is found and located") {
    const Shape shape{300, 40, 50, 20};
    SamplingDevice device;
    const int row = unsampled_row();
    const Verdict verdict =
        Problem(device, shape, 5).judge([&](const float* A, const float* B, const float* C, float* E) {
            multiply_chain(A, B, C, E, shape);
            E[row * shape.L + 19] += 0.3f;
            return std::string();
        });
    CAPTURE(verdict.message);
    CHECK(verdict.status == Status::wrong);
    CHECK(verdict.comparison.wrong == 1);
    REQUIRE(verdict.comparison.first);
    CHECK(verdict.comparison.first->row == row);
    CHECK(verdict.comparison.first->col == 19);
    CHECK(contains(verdict.message, "the checksum of 1 of 300 rows is off"));
}

TEST_CASE("new inputs are others, in the same memory, and the output is poisoned") {
    const auto device = make_host_device();
    Problem problem(*device, kShape, 5);
    REQUIRE(problem.judge(right(kShape)).status == Status::ok);
    const std::vector<float> before(problem.A(), problem.A() + kShape.a_elements());
    const float *const A = problem.A(), *const B = problem.B(), *const C = problem.C();
    problem.refresh(6);
    CHECK(problem.A() == A);
    CHECK(problem.B() == B);
    CHECK(problem.C() == C);
    CHECK(device->count_changed(A, kShape.a_elements(), {6, Data::uniform}) == 0);
    CHECK(!std::equal(before.begin(), before.end(), A));
    CHECK(device->count_other(C, kShape.output_elements(), kPoison) == 0);
}

TEST_CASE("checked again, a right output is ok, a stale one wrong, and none at all not written") {
    const auto device = make_host_device();
    Problem problem(*device, kShape, 5);
    REQUIRE(problem.judge(right(kShape)).status == Status::ok);
    const std::vector<float> stale(problem.C(), problem.C() + kShape.output_elements());
    const auto again_after = [&](const std::function<void()>& call) {
        static uint64_t seed = 6;
        problem.refresh(seed++);
        call();
        return problem.check_again();
    };
    const auto multiply_again = [&] { multiply(problem.A(), problem.B(), problem.output(), kShape); };
    CHECK(again_after(multiply_again).status == Status::ok);
    CHECK(again_after([&] { std::copy(stale.begin(), stale.end(), problem.output()); }).status == Status::wrong);
    CHECK(again_after([] {}).status == Status::not_written);
    problem.refresh(5);
    multiply_again();
    CHECK(problem.check_again({"it failed"}).status == Status::suspicious);
    const Verdict outside = again_after([&] {
        multiply_again();
        problem.output()[-1] = 0;
    });
    CHECK(outside.status == Status::out_of_bounds);
}

TEST_CASE("checked again, an empty output is ok") {
    const auto device = make_host_device();
    for (const Shape& shape : {Shape{0, 5, 6}, Shape{5, 6, 0}, Shape{5, 0, 6}}) {
        Problem problem(*device, shape, 5);
        REQUIRE(problem.judge(right(shape)).status == Status::ok);
        problem.refresh(6);
        multiply(problem.A(), problem.B(), problem.output(), shape);
        CHECK(problem.check_again().status == Status::ok);
    }
}

TEST_CASE("checked again, 128 rows of many are compared, and the others by their checksums") {
    const Shape shape{400, 9, 8};
    SamplingDevice device;
    Problem problem(device, shape, 5);
    REQUIRE(problem.judge(right(shape)).status == Status::ok);
    for (int row = 0; row < shape.M; row += 57) {
        device.compared_rows.clear();
        problem.refresh(row);
        multiply(problem.A(), problem.B(), problem.output(), shape);
        problem.output()[row * shape.K + 3] += 1;
        CHECK(problem.check_again().status == Status::wrong);
        CHECK(device.compared_rows.front().size() == 128);
    }
}

TEST_CASE("elements that a thread writes after the call has returned are not written, and said to come late") {
    std::thread late;
    const Verdict verdict = verdict_on(kShape, [&](const float* A, const float* B, float* C) {
        if (late.joinable()) late.join();
        late = std::thread([=] {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            multiply(A, B, C, kShape);
        });
        return std::string();
    });
    late.join();
    CHECK(verdict.status == Status::not_written);
    CHECK(verdict.unwritten == 143);
    CHECK(verdict.written_late == 143);
    CHECK(contains(verdict.message, "143 of them were written a moment later"));
}

TEST_CASE("the inputs are filled with the data asked for, and changes of them are found") {
    for (const std::string& name : data_names()) {
        CAPTURE(name);
        const auto device = make_host_device();
        Problem problem(*device, kShape, 5, 0, parse_data(name));
        CHECK(problem.A()[3] == element({5, parse_data(name)}, 3));
        CHECK(problem.judge(right(kShape)).status == Status::ok);
        const auto changes_b = right_and(kShape, [](float*, float* B, float*) { B[0] += 1; });
        CHECK(problem.judge(changes_b).status == Status::input_modified);
    }
}

TEST_CASE("truncated operands are right on positive data for a plugin that is known to truncate") {
    const Shape shape{20, 4096, 20};
    const auto truncated = [](float value) { return std::bit_cast<float>(std::bit_cast<uint32_t>(value) & ~0x1fffu); };
    const auto solve = [&](const float* A, const float* B, float* C) {
        std::vector<float> a(A, A + shape.a_elements()), b(B, B + shape.b_elements());
        std::transform(a.begin(), a.end(), a.begin(), truncated);
        std::transform(b.begin(), b.end(), b.begin(), truncated);
        multiply(a.data(), b.data(), C, shape);
        return std::string();
    };
    const auto device = make_host_device();
    Problem positive(*device, shape, 5, 0, Data::positive);
    CHECK(positive.judge(solve, SOLVE_ARITHMETIC_TF32, true).status == Status::ok);
    CHECK(positive.judge(solve, SOLVE_ARITHMETIC_TF32, false).status == Status::wrong);
    Problem uniform(*device, shape, 5);
    CHECK(uniform.judge(solve, SOLVE_ARITHMETIC_TF32, true).status == Status::ok);
    CHECK(uniform.judge(solve).status == Status::wrong);
}

TEST_CASE("equal bits from three calls are deterministic, and compared once") {
    SamplingDevice device;
    Problem problem(device, kShape, 5);
    int calls = 0;
    const auto counted = right_and(kShape, [&](float*, float*, float*) { ++calls; });
    Verdict verdict = problem.judge(counted);
    CHECK(!verdict.deterministic);
    const size_t comparisons = device.compared_rows.size();
    problem.repeat(verdict, counted);
    CHECK(verdict.status == Status::ok);
    CHECK(verdict.deterministic == true);
    CHECK(calls == 3);
    CHECK(device.compared_rows.size() == comparisons);
}

TEST_CASE("with little effort a call is repeated once, which tells other bits all the same") {
    const auto device = make_host_device();
    for (const bool same : {true, false}) {
        Problem problem(*device, kShape, 5, 0, Data::uniform, Effort::quick);
        int calls = 0;
        const auto counted = right_and(kShape, [&](float*, float*, float* C) {
            if (++calls == 2 && !same) C[0] = std::nextafter(C[0], 100.0f);
        });
        Verdict verdict = problem.judge(counted);
        problem.repeat(verdict, counted);
        CHECK(verdict.status == Status::ok);
        CHECK(verdict.deterministic == same);
        CHECK(calls == 2);
    }
}

TEST_CASE("other bits that are right are not deterministic, and no fault") {
    const auto device = make_host_device();
    Problem problem(*device, kShape, 5);
    int calls = 0;
    const auto wavering = right_and(kShape, [&](float*, float*, float* C) {
        if (++calls == 3) C[0] = std::nextafter(C[0], 100.0f);
    });
    Verdict verdict = problem.judge(wavering);
    problem.repeat(verdict, wavering);
    CHECK(verdict.status == Status::ok);
    CHECK(verdict.message.empty());
    CHECK(verdict.deterministic == false);
    CHECK(verdict.comparison.compared == uint64_t(kShape.c_elements()));
}

TEST_CASE("a call that is wrong once in three is wrong") {
    const auto device = make_host_device();
    for (const int bad_call : {2, 3}) {
        Problem problem(*device, kShape, 5);
        int calls = 0;
        const auto rarely_wrong = right_and(kShape, [&](float*, float*, float* C) {
            if (++calls == bad_call) C[5] += 1;
        });
        Verdict verdict = problem.judge(rarely_wrong);
        CHECK(verdict.status == Status::ok);
        problem.repeat(verdict, rarely_wrong);
        CHECK(verdict.status == Status::wrong);
        CHECK(verdict.deterministic == false);
        CHECK(verdict.comparison.wrong == 1);
        CHECK(contains(verdict.message, "not all: 1 wrong of 143 elements"));
    }
}

TEST_CASE("rows of zeros in A give rows of zeros in C, unless blocks of A are added") {
    const auto device = make_host_device();
    for (const Shape& shape : {kShape, Shape{1, 2, 3}, Shape{8, 8, 8}}) {
        Problem problem(*device, shape, 5);
        const auto solve = right(shape);
        CHECK(problem.nonzero_in_zero_rows(solve) == 0);
        CHECK(problem.judge(solve).status == Status::ok);  // A is what it was
        const auto minus_zeros = [&](const float*, const float*, float* C) {
            std::fill_n(C, shape.c_elements(), -0.0f);
            return std::string();
        };
        CHECK(problem.nonzero_in_zero_rows(minus_zeros) == 0);
        CHECK(problem.nonzero_in_zero_rows([](auto...) { return std::string(); }) == 0);
        const auto adds_blocks = right_and(shape, [&](float*, float*, float* C) {
            C[0] = 7;  // in the rows that are not zero, if there are any
            C[shape.c_elements() - 1] += 1e-30f;
        });
        CHECK(problem.nonzero_in_zero_rows(adds_blocks) == (shape.M == 1 ? 2u : 1u));
    }
}

TEST_CASE("the normwise error of what the output holds is found from some of its rows") {
    const Shape shape{300, 20, 30};
    const auto device = make_host_device();
    Problem problem(*device, shape, 5);
    const Verdict verdict = problem.judge(right(shape));
    CHECK(problem.sampled_normwise() == Approx(verdict.comparison.normwise()).epsilon(0.1));
    CHECK(verdict.comparison.normwise() > 1e-8);
}

TEST_CASE("a verdict puts its status and its figures into a row, and no error where nothing finite was compared") {
    Verdict verdict;
    verdict.status = Status::wrong;
    verdict.message = "off";
    verdict.rho_bound = 17;
    verdict.sampled = true;
    verdict.unwritten = 2;
    verdict.comparison.compared = 10;
    verdict.comparison.wrong = 3;
    verdict.comparison.nan = 4;
    verdict.comparison.inf = 5;
    verdict.comparison.max_error = 0.25;
    verdict.comparison.rho = 99;
    verdict.comparison.error_sum_of_squares = 9;
    verdict.comparison.product_sum_of_squares = 900;
    verdict.comparison.not_close = 1;
    verdict.deterministic = true;
    Row row;
    put_verdict(row, verdict);
    CHECK(row.status == Status::wrong);
    CHECK(row.message == "off");
    CHECK(row.bound == 17.0);
    CHECK(row.sampled);
    CHECK(row.unwritten_elements == 2);
    CHECK(row.wrong_elements == 3);
    CHECK(row.nan_elements == 4);
    CHECK(row.inf_elements == 5);
    CHECK(row.max_error == 0.25);
    CHECK(row.rho == 99.0);
    CHECK(row.normwise == Approx(0.1));
    CHECK(row.allclose == false);
    CHECK(row.deterministic == true);

    verdict.comparison.compared = 9;
    verdict.deterministic.reset();
    Row nothing;
    put_verdict(nothing, verdict);
    CHECK(!nothing.max_error);
    CHECK(!nothing.rho);
    CHECK(!nothing.normwise);
    CHECK(!nothing.deterministic);
    put_verdict(row, verdict);
    CHECK(row.deterministic == true);  // of the calls on the first inputs
}
