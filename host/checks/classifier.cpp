#include "checks/classifier.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/counted.h"

namespace judge {

namespace {

bool elementwise(const Evidence& e) {
    return e.zero_mean.elementwise <= 1 && e.wide.elementwise <= 1 && e.cancelling.elementwise <= 1 &&
           e.integers.elementwise <= 1;
}

bool normwise(const Evidence& e) {
    return e.zero_mean.elementwise <= 1 && e.wide.normwise <= 1 && e.cancelling.normwise <= 1 &&
           e.integers.normwise <= 1;
}

// I1 holds numbers that every format holds: low precision is no excuse there.
bool of_rounded_operands(const Evidence& e) {
    return !elementwise(e) && e.rounding != Rounding::none && e.integers.elementwise <= 1;
}

std::string percent(double share) {
    return fmt::format("{:.3g}%", 100 * share);
}

std::string why_wrong(const Evidence& e) {
    std::string text = "C is neither the product of A and B nor of any rounding of theirs";
    // One term lost of each sum makes r above 1e5.
    if (e.inexact_accumulator > 0.5 && e.r < 3e4) {
        text += fmt::format("; {} of sums of 2^23 and ones are off: the accumulator is shorter than 24 bits",
                            percent(e.inexact_accumulator));
    } else if (e.inexact_integers > 0) {
        text += fmt::format("; {} of exact integer sums are off: terms are lost, doubled or misplaced",
                            percent(e.inexact_integers));
    }
    return text;
}

PrecisionClass class_of_r(double r) {
    if (r <= 30) return PrecisionClass::fp32_emulated;
    return r <= 2500 ? PrecisionClass::tf32 : PrecisionClass::bf16;
}

// Of the probes but the products.
Grade classify_probes(const Evidence& e) {
    const auto graded = [](PrecisionClass grade, const std::string& reason) { return Grade{grade, reason}; };
    // What a product of lower precision says of itself, after why.
    const std::string figures = fmt::format("r = {:.3g}, operands of {} bits exact", e.r, e.input_bits);

    const bool of_rounded = of_rounded_operands(e);
    if (!elementwise(e) && !of_rounded && !normwise(e)) return graded(PrecisionClass::wrong, why_wrong(e));
    if (e.lost_special > 0) {
        return graded(PrecisionClass::wrong, fmt::format("a NaN in A or an infinity in B does not reach {} of the "
                                                         "elements of C that it is a term of",
                                                         e.lost_special));
    }
    if (of_rounded) {
        const bool eleven = significant_bits(e.rounding) == 11;
        return graded(eleven ? PrecisionClass::tf32 : PrecisionClass::bf16,
                      fmt::format("C is the product of A and B{} rounded to {}; {}",
                                  e.rounded == RoundedOperands::a_alone   ? ", of which A alone is"
                                  : e.rounded == RoundedOperands::b_alone ? ", of which B alone is"
                                                                          : "",
                                  to_string(e.rounding), figures));
    }
    if (!elementwise(e)) {
        return graded(PrecisionClass::normwise_only,
                      "right for matrices of one magnitude, not for each element of others");
    }
    if (e.nonzero_in_zero_rows > 0) {
        return graded(PrecisionClass::normwise_only,
                      "rows of zeros in A, or columns of zeros in B, do not give zeros in C");
    }
    if (e.inexact_integers > 0) {
        return graded(PrecisionClass::normwise_only, fmt::format("within the bound, but {} of exact integer sums are "
                                                                 "off",
                                                                 percent(e.inexact_integers)));
    }
    if (e.spread_special > 0) {
        return graded(PrecisionClass::normwise_only, fmt::format("a NaN in A or an infinity in B spoils {} of C",
                                                                 counted(e.spread_special, "other element")));
    }
    const bool exact = e.inexact_12_bits == 0 && e.inexact_24_bits == 0 && e.inexact_accumulator == 0;
    if (e.r <= 1.5 && exact) return graded(PrecisionClass::fp32, figures);
    return graded(e.inexact_12_bits == 0 ? class_of_r(e.r) : std::max(class_of_r(e.r), PrecisionClass::tf32), figures);
}

Grade classify_exact_product(const ExactFindings& e) {
    if (e.lost > 0) {
        return {PrecisionClass::wrong, fmt::format("exact sums of whole numbers are off: terms are lost, doubled or "
                                                   "misplaced, or C or its sums are kept in too few bits; first {}",
                                                   e.first)};
    }
    if (e.nonzero > 0) {
        return {PrecisionClass::normwise_only,
                fmt::format("{} not zero though each of their terms is", counted(e.nonzero, "element"))};
    }
    if (e.inexact > 0) {
        return {PrecisionClass::normwise_only,
                fmt::format("{} of whole numbers are no whole numbers", counted(e.inexact, "sum"))};
    }
    if (e.single_rho <= 1) return {PrecisionClass::fp32, "exact products are exact"};
    const double bits = 24 - std::log2(e.single_rho);
    // Operands rounded to 11 or 8 bits make nearly all products of numbers of 24 inexact.
    const bool few = (e.singles_off == 1 && e.singles > 1) || 20 * e.singles_off < e.singles;
    if (bits < 14 && few) {
        return {PrecisionClass::wrong,
                fmt::format("{} of {} products of two numbers are off", e.singles_off, e.singles)};
    }
    const std::string reason = fmt::format("products of two numbers are off by up to 2^{:.1f} of themselves", -bits);
    return {bits >= 14  ? PrecisionClass::fp32_emulated
            : bits >= 9 ? PrecisionClass::tf32
            : bits >= 6 ? PrecisionClass::bf16
                        : PrecisionClass::normwise_only,
            reason};
}

Grade classify_errors(const ShapeEvidence& e) {
    const double limit = 1.5 + 80.0 / (double(e.errors.elements) + 2);
    // Rounding the operands moves a sum by no more than the part of |A||B| that it moves each product by.
    const double of_rounding = e.product_rho() > 1 ? e.product_rho() : 0;
    if (e.errors.rho <= limit * e.errors.sequential_rho + of_rounding) return {PrecisionClass::fp32, ""};
    const std::string reason =
        fmt::format("the error of {} is {:.3g} times that of a sequential FP32 sum, and may be {:.3g} times",
                    counted(e.errors.elements, "element"), e.errors.r(), limit);
    // Over few elements r may by chance be larger than over many, by the factor that `limit` allows FP32: it is divided
    // by that.
    const double r_at_256 = e.errors.rho / 0.4 * std::sqrt(e.shape.N / 256.0) * 1.5 / limit;
    const bool fp32_otherwise = e.exact.singles > 0 && e.exact.single_rho <= 1;
    return {fp32_otherwise && e.errors.r() > 30 ? PrecisionClass::wrong : class_of_r(r_at_256), reason};
}

}  // namespace

Grade worse(const Grade& first, const Grade& second) {
    return second.grade > first.grade ? second : first;
}

Grade classify(const ShapeEvidence& e) {
    return worse(classify_exact_product(e.exact), classify_errors(e));
}

Precision classify(const Evidence& e) {
    Grade grade = classify_probes(e);
    for (const ShapeEvidence& product : e.products) {
        Grade found = classify(product);
        found.reason = fmt::format("at {} {}", to_string(product.shape), found.reason);
        grade = worse(grade, found);
    }
    return {grade, e};
}

}  // namespace judge
