#include "host/checks/equal_calls.h"

#include <cstdlib>
#include <thread>

#include "abi/solve.h"
#include "host/checks/circumstances.h"
#include "tests/catch.h"
#include "tests/unit/multiply.h"
#include "tests/unit/text.h"

using namespace judge;
using namespace unit;

namespace {

using SolveAny = std::function<void(const float* A, const float* B, float* C, const Shape&)>;

EqualCallsFindings findings(const SolveAny& solve, bool promises_bits) {
    EqualCallsTest test;
    test.name = "solve_enqueue";
    test.call = [&](const float* A, const float* B, float* C, const Shape& shape) {
        solve(A, B, C, shape);
        return SOLVE_OK;
    };
    test.promises_bits = promises_bits;
    test.arithmetic = SOLVE_ARITHMETIC_FP32;
    test.emulated = true;  // at one shape, which takes less time
    return check_equal_calls(*make_host_device(), test);
}

// The last bit of an element is another.
void other_bits(const float* A, const float* B, float* C, const Shape& shape) {
    multiply(A, B, C, shape);
    C[0] *= 1 + 0x1p-22f;
}

bool says_busy() {
    double load = 0;
    return getloadavg(&load, 1) == 1 && load >= 1000;
}

}  // namespace

TEST_CASE("equal calls of a right product are equal in all circumstances") {
    for (const bool promises_bits : {true, false}) {
        const auto [wrong, note] = findings(multiply, promises_bits);
        CHECK(wrong == "");
        CHECK(note == "");
    }
}

TEST_CASE("bits that depend on the load, a thread, the environment or addresses are wrong if they are promised") {
    const std::thread::id own = std::this_thread::get_id();
    const auto depending = [](const std::function<bool(const float*)>& other) {
        return [=](const float* A, const float* B, float* C, const Shape& shape) {
            other(A) ? other_bits(A, B, C, shape) : multiply(A, B, C, shape);
        };
    };
    const SolveAny on_load = depending([](const float*) { return says_busy(); });
    const SolveAny on_thread = depending([=](const float*) { return std::this_thread::get_id() != own; });
    const SolveAny on_environment = depending([](const float*) {
        const char* const value = std::getenv("OMP_NUM_THREADS");
        return value && *value == '1';
    });
    const SolveAny on_address = depending([](const float* A) { return reinterpret_cast<uintptr_t>(A) % 32 != 0; });
    CHECK(
        contains(findings(on_load, true).wrong, "which they may not (abi/solve.h): where getloadavg tells of a busy"));
    CHECK(contains(findings(on_thread, true).wrong, "which they may not (abi/solve.h): from another thread"));
    CHECK(contains(findings(on_environment, true).wrong, "which they may not (abi/solve.h): with OMP_NUM_THREADS"));
    CHECK(contains(findings(on_address, true).wrong, "which they may not (abi/solve.h): with matrices elsewhere"));
    const auto [wrong, note] = findings(on_load, false);
    CHECK(wrong == "");
    CHECK(contains(note, "the bits of C are others where getloadavg tells of a busy machine"));
}

TEST_CASE("a product that is wrong in some circumstances is wrong, whatever it promises") {
    const SolveAny wrong = [](const float* A, const float* B, float* C, const Shape& shape) {
        multiply(A, B, C, shape);
        if (says_busy()) C[shape.K - 1] += 1;
    };
    CHECK(contains(findings(wrong, true).wrong, "equal calls gave different bits"));
    CHECK(
        contains(findings(wrong, false).wrong, "right, but not where getloadavg tells of a busy machine: (0, 39) of"));
}

TEST_CASE("bits of solve that differ at each call are not noted once more") {
    int calls = 0;
    const auto [wrong, note] =
        findings([&](const float* A, const float* B, float* C,
                     const Shape& shape) { ++calls % 2 == 0 ? other_bits(A, B, C, shape) : multiply(A, B, C, shape); },
                 false);
    CHECK(wrong == "");
    CHECK(note == "");
}

TEST_CASE("each circumstance makes its call once, and leaves the load as it was told before") {
    double before = 0, after = 0;
    REQUIRE(getloadavg(&before, 1) == 1);
    for (const Circumstance& circumstance : circumstances()) {
        CAPTURE(circumstance.what);
        int calls = 0;
        circumstance.with([&] { ++calls; });
        CHECK(calls == 1);
    }
    REQUIRE(getloadavg(&after, 1) == 1);
    CHECK(after < before + 1000);
}
