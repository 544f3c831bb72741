#include <algorithm>
#include <cmath>
#include <vector>

#include "host/checks/bound.h"
#include "host/checks/problem.h"
#include "host/checks/sampling.h"
#include "tests/catch.h"
#include "tests/unit/checks/sampling_device.h"
#include "tests/unit/checks/solves.h"
#include "tests/unit/multiply.h"
#include "tests/unit/text.h"

using namespace judge;
using namespace unit;

namespace {

constexpr Shape kTallShape{300, 40, 50};

int unsampled_row() {
    const std::vector<int> sampled = sample_rows(kTallShape.M, 5);
    int row = 10;
    while (std::binary_search(sampled.begin(), sampled.end(), row)) ++row;
    return row;
}

}  // namespace

TEST_CASE("a product too large to compare in full is sampled and checked by its row sums") {
    SamplingDevice device;
    const Verdict verdict = judge_on(device, kTallShape, right(kTallShape));
    CHECK(verdict.status == Status::ok);
    CHECK(verdict.sampled);
    CHECK(verdict.comparison.compared == 128u * 50);
    REQUIRE(device.compared_rows.size() == 1);
    CHECK(device.compared_rows[0] == sample_rows(kTallShape.M, 5));
}

TEST_CASE("with little effort a product is compared in full up to a hundredth of the budget") {
    SamplingDevice device;
    const auto sampled_within = [&](double budget, Effort effort) {
        device.budget = budget;
        return Problem(device, kTallShape, 5, 0, Data::uniform, effort).judge(right(kTallShape)).sampled;
    };
    const double work = double(kTallShape.M) * kTallShape.N * kTallShape.K;
    CHECK(!sampled_within(100 * work, Effort::quick));
    CHECK(sampled_within(99 * work, Effort::quick));
    CHECK(!sampled_within(work, Effort::normal));
    CHECK(!sampled_within(work, Effort::thorough));
}

TEST_CASE("one wrong element in a row that was not sampled is found and located") {
    SamplingDevice device;
    const int row = unsampled_row();
    const Verdict verdict = judge_on(
        device, kTallShape, right_and(kTallShape, [=](float*, float*, float* C) { C[row * 50 + 49] += 0.05f; }));
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
    const double bound = rho_bound(kTallShape.N, SOLVE_ARITHMETIC_FP32_EMULATED);
    const auto spoil = [=](const float* A, const float* B, float* C) {
        multiply(A, B, C, kTallShape);
        for (int k = 0; k < kTallShape.K; ++k) {
            double magnitude = 0;
            for (int n = 0; n < kTallShape.N; ++n)
                magnitude += std::abs(double(A[row * kTallShape.N + n]) * B[n * kTallShape.K + k]);
            C[row * kTallShape.K + k] += float((k % 2 ? -0.9 : 0.9) * bound * kUnitRoundoff * magnitude);
        }
        return std::string();
    };
    const Verdict verdict = Problem(device, kTallShape, 5).judge(spoil, SOLVE_ARITHMETIC_FP32_EMULATED);
    CAPTURE(verdict.message);
    CHECK(verdict.status == Status::suspicious);
    CHECK(contains(verdict.message, "each of their elements is within its bound"));
}

TEST_CASE("a wrong row that was sampled needs no checksum") {
    SamplingDevice device;
    const Verdict verdict =
        judge_on(device, kTallShape, right_and(kTallShape, [](float*, float*, float* C) { C[299 * 50] += 0.05f; }));
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

TEST_CASE("a right chain is ok on all data") {
    const Shape shape{40, 50, 60, 30};
    for (const std::string& name : data_names()) {
        CAPTURE(name);
        const auto device = make_host_device();
        Problem problem(*device, shape, 5, 0, parse_data(name));
        const Verdict verdict = problem.judge([&](const float* A, const float* B, const float* C, float* E) {
            multiply_chain(A, B, C, E, shape);
            return std::string();
        });
        CAPTURE(verdict.message);
        CHECK(verdict.status == Status::ok);
    }
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

TEST_CASE("the normwise error of what the output holds is found from some of its rows") {
    const Shape shape{300, 20, 30};
    const auto device = make_host_device();
    Problem problem(*device, shape, 5);
    const Verdict verdict = problem.judge(right(shape));
    CHECK(problem.sampled_normwise() == Approx(verdict.comparison.normwise()).epsilon(0.1));
    CHECK(verdict.comparison.normwise() > 1e-8);
}
