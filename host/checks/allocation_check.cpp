#include "checks/allocation_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "abi/solve.h"
#include "checks/guarded_matrix.h"
#include "checks/plain_entries.h"
#include "checks/plugin_allocations.h"
#include "checks/process_copy.h"
#include "checks/small_product.h"
#include "values/data.h"

namespace judge {

namespace {

// Of the host: worth threads and packed copies. Of an emulated plugin: one whose sums may be cut into parts.
constexpr Shape kShapeOnHost{130, 260, 134}, kShapeEmulated{17, 300, 36};
// CPU time of a call: as it is, by which it is found out whether it comes to an end in a copy, and where it fails.
constexpr int kMillisecondsInCopy = 100, kMillisecondsWithoutMemory = 1000;
constexpr int kMostFailures = 3;  // that are tried one by one

// What a call in a copy came to.
struct Outcome {
    bool ended = false;
    int code = SOLVE_OK;
    int allocations = 0;
    char error[256] = "";

    bool says_failed() const { return code != SOLVE_OK || *error; }
};

class AllocationCheck {
  public:
    AllocationCheck(const Plugin& plugin, const PlainEntry& entry, const Shape& shape)
        : plugin_(plugin),
          entry_(entry),
          shape_(shape),
          operands_(random_operands(shape, 1, Data::uniform)),
          c_(shape.c_elements()) {}

    std::string run() {
        // An emulated plugin's allocations are not counted; on the host a call without any is enough.
        if (!plugin_.is_emulated() && !call({}).allocations) return {};
        std::string wrong = wrong_of({1, true});
        for (int number = 1; wrong.empty() && reacted_ && number <= kMostFailures; ++number) wrong = wrong_of({number});
        if (wrong.empty()) return {};
        const Outcome as_ever = call({});
        return as_ever.ended && !as_ever.says_failed() && is_right() ? wrong : "";
    }

  private:
    std::string wrong_of(const FailingAllocations& which) {
        Outcome outcome = call(which);
        if (!outcome.ended) outcome = call(which);
        reacted_ = !outcome.ended || outcome.says_failed();
        if (outcome.says_failed() || (outcome.ended && is_right())) return {};
        const char* const what = !outcome.ended        ? "does not return, or ends the process"
                                 : entry_.returns_code ? "returns SOLVE_OK, and the result is wrong"
                                                       : "reports no error, and the result is wrong";
        return fmt::format("right, but {} at {}, where {}, {}", entry_.name, to_string(shape_), which.text(), what);
    }

    Outcome call(const FailingAllocations& which) {
        std::fill_n(c_.data(), shape_.c_elements(), kNaN);
        const SharedWithCopies<Outcome> outcome;
        const int milliseconds = which.first == 0 ? kMillisecondsInCopy : kMillisecondsWithoutMemory;
        const bool ended = run_in_copy(milliseconds, [&] { call_in_copy(which, *outcome); });
        Outcome found = *outcome;
        found.ended &= ended;
        return found;
    }

    void call_in_copy(const FailingAllocations& which, Outcome& outcome) const {
        if (plugin_.is_emulated()) {
            const std::string value = fmt::format("{}{}", which.first, which.all ? "+" : "");
            if (which.first > 0) setenv("EMULATOR_MEMORY_FAIL", value.c_str(), 1);
        } else if (!watch_allocations(plugin_.library(), which)) {
            outcome.ended = true;
            return;
        }
        const int code = entry_.call(shape_, operands_.a.data(), operands_.b.data(), c_.data());
        outcome.allocations = allocations_watched();
        let_allocations_pass();
        outcome.code = code;
        const std::string error = plugin_.reports_errors() ? plugin_.last_error() : std::string();
        std::strncpy(outcome.error, error.c_str(), sizeof(outcome.error) - 1);
        outcome.ended = true;
    }

    bool is_right() {
        if (exact_.sum.empty()) exact_ = exact_product(operands_);
        return is_roughly(c_.data(), exact_);
    }

    const Plugin& plugin_;
    const PlainEntry& entry_;
    const Shape shape_;
    const Operands operands_;
    const SharedMatrix c_;
    Exact exact_;
    bool reacted_ = false;
};

}  // namespace

std::string check_failing_allocations(const Plugin& plugin, Operation operation, const GemmForm& form) {
    for (const PlainEntry& entry : plain_entries(plugin, operation, form)) {
        if (!entry.returns_code && !plugin.reports_errors()) continue;
        const Shape& shape = plugin.is_emulated() ? kShapeEmulated : kShapeOnHost;
        if (std::string wrong = AllocationCheck(plugin, entry, shape).run(); !wrong.empty()) return wrong;
    }
    return {};
}

}  // namespace judge
