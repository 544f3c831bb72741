#include "checks/classifier.h"

#include <fmt/format.h>

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
    std::string text = "C is the product neither of A and B nor of any rounding of theirs";
    // One term lost of each sum makes r above 1e5.
    if (e.inexact_accumulator > 0.5 && e.r < 3e4) {
        text += fmt::format("; {} of sums of 2^23 and ones are off (I4): the accumulator is shorter than 24 bits",
                            percent(e.inexact_accumulator));
    } else if (e.inexact_integers > 0) {
        text += fmt::format("; {} of exact integer sums are off (I1): terms are lost, doubled or misplaced",
                            percent(e.inexact_integers));
    }
    return text;
}

}  // namespace

Precision classify(const Evidence& e) {
    const auto graded = [&](PrecisionClass grade, const std::string& reason) { return Precision{grade, reason, e}; };
    // What a product of lower precision says of itself, after why.
    const std::string figures = fmt::format("r = {:.3g}, operands of {} bits exact", e.r, e.input_bits);

    const bool of_rounded = of_rounded_operands(e);
    if (!elementwise(e) && !of_rounded && !normwise(e)) return graded(PrecisionClass::wrong, why_wrong(e));
    if (e.lost_special > 0) {
        return graded(PrecisionClass::wrong, fmt::format("a NaN in A or an infinity in B does not reach {} of the "
                                                         "elements of C that it is a term of (N1)",
                                                         e.lost_special));
    }
    if (of_rounded) {
        const bool eleven = significant_bits(e.rounding) == 11;
        return graded(eleven ? PrecisionClass::tf32 : PrecisionClass::bf16,
                      fmt::format("C is the product of A and B rounded to {}; {}", to_string(e.rounding), figures));
    }
    if (!elementwise(e)) {
        return graded(PrecisionClass::normwise_only,
                      "right for matrices of one magnitude, not for each element of others");
    }
    if (e.nonzero_in_zero_rows > 0) {
        return graded(PrecisionClass::normwise_only, "rows of zeros in A do not give rows of zeros in C");
    }
    if (e.inexact_integers > 0) {
        return graded(PrecisionClass::normwise_only, fmt::format("within the bound, but {} of exact integer sums are "
                                                                 "off (I1)",
                                                                 percent(e.inexact_integers)));
    }
    if (e.spread_special > 0) {
        return graded(PrecisionClass::normwise_only, fmt::format("a NaN in A or an infinity in B spoils {} of C (N1)",
                                                                 counted(e.spread_special, "other element")));
    }
    const bool exact = e.inexact_12_bits == 0 && e.inexact_24_bits == 0 && e.inexact_accumulator == 0;
    if (e.r <= 1.5 && exact) return graded(PrecisionClass::fp32, figures);
    if (e.r <= 30 && e.inexact_12_bits == 0) return graded(PrecisionClass::fp32_emulated, figures);
    return graded(e.r <= 2500 ? PrecisionClass::tf32 : PrecisionClass::bf16, figures);
}

}  // namespace judge
