#include "host/checks/classifier.h"

#include <string>

#include "tests/catch.h"

using namespace judge;

namespace {

// What a right FP32 kernel leaves.
Evidence of_fp32() {
    Evidence evidence;
    evidence.r = 1;
    evidence.input_bits = 24;
    evidence.zero_mean = evidence.wide = evidence.cancelling = {0.05, 0.01};
    return evidence;
}

std::string grade_of(const Evidence& evidence) {
    return to_string(classify(evidence).grade);
}

}  // namespace

TEST_CASE("the class follows from r and the exact probes") {
    CHECK(grade_of(of_fp32()) == "FP32");
    const auto with = [](auto change) {
        Evidence evidence = of_fp32();
        change(evidence);
        return grade_of(evidence);
    };
    CHECK(with([](Evidence& e) { e.r = 0.1; }) == "FP32");
    CHECK(with([](Evidence& e) { e.r = 1.6; }) == "FP32-emulated");
    CHECK(with([](Evidence& e) { e.inexact_24_bits = 0.5; }) == "FP32-emulated");
    CHECK(with([](Evidence& e) { e.inexact_accumulator = 0.5; }) == "FP32-emulated");
    CHECK(with([](Evidence& e) { e.r = 31; }) == "TF32-grade");
    CHECK(with([](Evidence& e) { e.inexact_12_bits = 0.9; }) == "TF32-grade");
    CHECK(with([](Evidence& e) { e.r = 2501; }) == "BF16-grade");
    CHECK(with([](Evidence& e) { e.inexact_integers = 0.1; }) == "normwise-only");
    CHECK(with([](Evidence& e) { e.spread_special = 1; }) == "normwise-only");
    CHECK(with([](Evidence& e) { e.nonzero_in_zero_rows = 1; }) == "normwise-only");
    CHECK(with([](Evidence& e) { e.lost_special = 1; }) == "wrong");
    CHECK(with([](Evidence& e) { e.wide = {50, 0.5}; }) == "normwise-only");
    CHECK(with([](Evidence& e) { e.wide = {50, 2}; }) == "wrong");
    CHECK(with([](Evidence& e) { e.zero_mean = {2, 0.5}; }) == "wrong");
    CHECK(with([](Evidence& e) { e.integers = {50, 20}; }) == "wrong");
    const auto of = [](Rounding rounding) {
        return [=](Evidence& e) {
            e.zero_mean = {12, 3};
            e.rounding = rounding;
        };
    };
    CHECK(with(of(Rounding::tf32_nearest)) == "TF32-grade");
    CHECK(with(of(Rounding::bf16_truncated)) == "BF16-grade");
}
