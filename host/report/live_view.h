// A run while it goes on, as text.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/table.h"
#include "values/record.h"

namespace judge {

struct RunState {
    size_t expected = 0;                  // rows of the whole run
    size_t passed = 0;                    // of those, found, or never to come since their plugin does not load
    double seconds = 0;                   // since it began
    std::string doing = {};               // "[2/7] 10_naive: timing 512x512x512"
    std::vector<double> batches_ms = {};  // of the row that is being timed: a call, batch by batch
};

// The table so far, and below it what is being done, the times of the batches as bars, and how long it will still take.
// At most `height` lines: of a longer table the end. No line is wider than style.width, if that is given.
std::vector<std::string> live_view(const std::vector<Row>& rows, const RunState& state, const TableStyle& style,
                                   size_t height);

// How long the rest takes if it goes on as so far: "40 s", "3 min"; empty before the first row.
std::string time_left(const RunState& state);

// What was found of one row, in a line.
std::string line_of(const Row& row);

}  // namespace judge
