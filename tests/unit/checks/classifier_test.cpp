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

TEST_CASE("the class at a shape follows from its exact product, and from r") {
    const auto grade_with = [](auto change) {
        ShapeEvidence evidence{{100, 1024, 100}, {1000, 0.4, 0.4}, {}};
        evidence.exact.single_rho = 1;
        evidence.exact.singles = evidence.exact.singles_off = 50;
        change(evidence);
        return to_string(classify(evidence).grade);
    };
    CHECK(grade_with([](ShapeEvidence&) {}) == "FP32");
    CHECK(grade_with([](ShapeEvidence& e) { e.exact.lost = 1; }) == "wrong");
    CHECK(grade_with([](ShapeEvidence& e) { e.exact.inexact = 1; }) == "normwise-only");
    CHECK(grade_with([](ShapeEvidence& e) { e.exact.nonzero = 1; }) == "normwise-only");
    CHECK(grade_with([](ShapeEvidence& e) { e.exact.single_rho = 1.5; }) == "FP32-emulated");
    CHECK(grade_with([](ShapeEvidence& e) { e.exact.single_rho = 1100; }) == "TF32-grade");
    CHECK(grade_with([](ShapeEvidence& e) { e.exact.single_rho = 33000; }) == "BF16-grade");
    CHECK(grade_with([](ShapeEvidence& e) { e.exact.single_rho = 300000; }) == "normwise-only");
    // One element off by a percent is no lower precision.
    CHECK(grade_with([](ShapeEvidence& e) { e.exact.single_rho = 33000, e.exact.singles_off = 1; }) == "wrong");
    CHECK(grade_with([](ShapeEvidence& e) { e.exact.single_rho = 1.5, e.exact.singles_off = 1; }) == "FP32-emulated");
    CHECK(grade_with([](ShapeEvidence& e) { e.errors.rho = 0.62; }) == "FP32");
    CHECK(grade_with([](ShapeEvidence& e) { e.errors.rho = 0.65; }) == "FP32-emulated");
    CHECK(grade_with([](ShapeEvidence& e) { e.errors.rho = 40; }) == "wrong");
    // What rounding the operands explains makes no class worse, as on positive data, where truncation adds up.
    CHECK(grade_with([](ShapeEvidence& e) {
              e.errors = {1000, 9000, 14};
              e.exact.single_rho = 15000;
          }) == "TF32-grade");
    // Of few elements: more may be chance, and where there is no product of two numbers alone, r is all there is.
    const auto of_one_element = [](double rho) {
        return to_string(classify(ShapeEvidence{{1, 1024, 1}, {1, rho, 0.4}, {}}).grade);
    };
    CHECK(of_one_element(10) == "FP32");
    CHECK(of_one_element(100) == "FP32-emulated");
    CHECK(of_one_element(2000) == "TF32-grade");
    CHECK(of_one_element(20000) == "BF16-grade");
    // Truncation to TF32 made r 2450 of the seven elements of a probe, to BF16 some eight times that.
    const auto of_seven = [](double r) {
        ShapeEvidence seven{{7, 256, 1}, {7, r * 0.4, 0.4}, {}};
        return to_string(classify(seven).grade);
    };
    CHECK(of_seven(2600) == "TF32-grade");
    CHECK(of_seven(20000) == "BF16-grade");
    ShapeEvidence rounded{{1, 1024, 1}, {1, 2000, 0.4}, {}};
    rounded.probes_single_rho = 15000;
    CHECK(to_string(classify(rounded).grade) == "FP32");  // and the probes decide
}

TEST_CASE("the lowest of the probes decides, and says where") {
    Evidence evidence = of_fp32();
    evidence.products = {{{31, 37, 41}, {1000, 0.4, 0.4}, {}}, {{128, 128, 128}, {1000, 0.4, 0.4}, {}}};
    CHECK(grade_of(evidence) == "FP32");
    evidence.products[1].exact.single_rho = 3;
    CHECK(grade_of(evidence) == "FP32-emulated");
    CHECK(classify(evidence).reason == "at 128x128x128 products of two numbers are off by up to 2^-22.4 of themselves");
    evidence.r = 100;
    evidence.inexact_24_bits = 1;
    CHECK(classify(evidence).reason == "r = 100, operands of 24 bits exact");
}
