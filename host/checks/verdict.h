// What a guarded call of a plugin came to, and how it is told.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "values/comparison.h"
#include "values/record.h"

namespace judge {

// What is known of a call besides what it did to the matrices.
struct CallErrors {
    // Implicit: a call may return no more than the text.
    CallErrors(std::string plugin_says = {}, std::optional<std::string> failed = {})
        : plugin(std::move(plugin_says)), launch(std::move(failed)) {}

    std::string plugin;                 // the text of the plugin's error; empty for none
    std::optional<std::string> launch;  // a launch that failed, empty for none; absent where nobody can tell
};

// What one guarded call of a plugin came to. `comparison` is meaningful for ok and wrong.
struct Verdict {
    Status status = Status::ok;
    std::string message;
    Comparison comparison;
    std::optional<bool> deterministic;  // after repeat()
    uint64_t unwritten = 0;             // when the call had returned and the default stream was done
    uint64_t written_late = 0;          // of those, 0.1 s later
    double rho_bound = 0;
    bool sampled = false;
};

// Into the row: the status, why, and how far off C is.
void put_verdict(Row& row, const Verdict& verdict);

// One line: how many elements are bad and how, and the first of them.
std::string explain(const Comparison& comparison);

// To be appended to a message: "; the plugin says: ..."; empty where there was no error.
std::string explain(const CallErrors& errors);

}  // namespace judge
