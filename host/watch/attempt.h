// What a save came to.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "values/json.h"
#include "values/record.h"
#include "watch/resources.h"
#include "watch/run.h"

namespace judge {

// How many times as fast it is as another one.
struct SpeedRatio {
    double value = 1;
    std::optional<Interval> interval;  // 95 %; absent where there were too few samples
};

// Of x to y and of y to z, measured apart: that of x to z, whose interval is as wide as both are together, as squares.
SpeedRatio product(const SpeedRatio& x_to_y, const SpeedRatio& y_to_z);

struct Attempt {
    std::string time;  // of the day: "19:22:01"
    Status status = Status::load_error;
    std::string precision;  // the class that was measured; empty where it is not right
    std::string message;    // why it is not ok
    bool emulated = false;
    std::optional<double> tflops;
    std::optional<SpeedRatio> before;  // the last right save before it, in the same class
    std::optional<SpeedRatio> best;    // the best so far of its class at this shape
    std::optional<Resources> resources;
    std::optional<Row> row;  // at the shape that is timed, or the one that says that there is none; absent if not built
    Json environment;        // of its run
};

// Of a run at ragged shapes and at the one that is timed, the last: right there and not elsewhere is limited.
void take_verdict(const Run& run, Attempt& attempt);

// How much faster than what it was raced against.
std::optional<SpeedRatio> ratio_in(const Row& row);

// Below each other, in 80 columns; one line without its end. `colour`: the mark is green, yellow or red.
std::string history_heading();
std::string history_line(const Attempt& attempt, bool colour);

}  // namespace judge
