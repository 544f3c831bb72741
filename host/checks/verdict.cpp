#include "checks/verdict.h"

#include <fmt/format.h>

#include "base/counted.h"

namespace judge {

void put_verdict(Row& row, const Verdict& verdict) {
    const Comparison& found = verdict.comparison;
    row.status = verdict.status;
    row.message = verdict.message;
    row.bound = verdict.rho_bound;
    row.sampled = verdict.sampled;
    if (verdict.deterministic) row.deterministic = verdict.deterministic;
    row.unwritten_elements = verdict.unwritten;
    row.wrong_elements = found.wrong;
    row.nan_elements = found.nan;
    row.inf_elements = found.inf;
    if (found.compared > 0) row.allclose = found.not_close == 0;
    if (found.compared > found.nan + found.inf) {
        row.max_error = found.max_error;
        row.rho = found.rho;
        row.normwise = found.normwise();
    }
}

std::string explain(const Comparison& comparison) {
    std::string text;
    const auto add = [&](uint64_t count, const char* what) {
        if (count == 0) return;
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, what);
    };
    add(comparison.wrong, "wrong");
    add(comparison.nan, "NaN");
    add(comparison.inf, "infinite");
    text += " of " + counted(comparison.compared, "element");
    if (comparison.first) {
        const Mismatch& at = *comparison.first;
        text += fmt::format("; first at ({}, {}): got {:.9g}, want {:.9g} +- {:.3g}", at.row, at.col, at.got, at.want,
                            at.bound);
    }
    if (comparison.nan > 0) {
        text += "; A and B hold no NaN, but the memory around them and C before the call do: something else was read";
    }
    return text;
}

std::string explain(const CallErrors& errors) {
    std::string text;
    if (!errors.plugin.empty()) text += "; the plugin says: " + errors.plugin;
    if (errors.launch && !errors.launch->empty()) text += "; " + *errors.launch;
    return text;
}

}  // namespace judge
