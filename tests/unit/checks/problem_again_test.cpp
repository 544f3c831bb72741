#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "host/checks/problem.h"
#include "tests/catch.h"
#include "tests/unit/checks/sampling_device.h"
#include "tests/unit/checks/solves.h"
#include "tests/unit/multiply.h"
#include "tests/unit/text.h"

using namespace judge;
using namespace unit;

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

TEST_CASE("an element of each input changes, that is no fault of the plugin's, and what ignores it is wrong") {
    const auto device = make_host_device();
    Problem problem(*device, kShape, 5);
    REQUIRE(problem.judge(right(kShape)).status == Status::ok);
    const auto compute = [&] { multiply(problem.A(), problem.B(), problem.output(), kShape); };
    problem.refresh(6);
    compute();
    for (int i = 0; i < 3; ++i) problem.change_an_element();
    CHECK(device->count_changed(problem.A(), kShape.a_elements(), {6, Data::uniform}) == 1);
    CHECK(problem.check_again().status == Status::wrong);
    compute();
    CHECK(problem.check_again().status == Status::ok);

    // What the plugin changes is counted beside it, the same element included.
    const auto position_of_change = [&] {
        size_t at = 0;
        while (problem.A()[at] == element({6, Data::uniform}, at)) ++at;
        return at;
    };
    float* const a = const_cast<float*>(problem.A());
    const size_t at = position_of_change();
    const auto status_with = [&](size_t place, float value) {
        const float before = std::exchange(a[place], value);
        compute();
        const Verdict verdict = problem.check_again();
        a[place] = before;
        return verdict.message;
    };
    CHECK(contains(status_with(at, 7), "changed its inputs: 1 element of A"));
    CHECK(contains(status_with(at, element({6, Data::uniform}, at)), "changed its inputs: 1 element of A"));
    CHECK(contains(status_with(at == 0 ? 1 : 0, 7), "changed its inputs: 1 element of A"));
    problem.refresh(6);
    CHECK(device->count_changed(problem.A(), kShape.a_elements(), {6, Data::uniform}) == 0);
}
