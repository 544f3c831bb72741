#include "watch/attempt.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text_width.h"
#include "values/json.h"

namespace judge {

namespace {

constexpr size_t kVerdict = 15, kSpeed = 8, kRatio = 19;

std::string padded(const std::string& text, size_t columns, bool to_the_right = false) {
    const std::string padding(columns - std::min(columns, width(text)), ' ');
    return to_the_right ? padding + text : text + padding;
}

std::string line(const std::string& time, const std::string& verdict, const std::string& speed,
                 const std::string& before, const std::string& best, const std::string& resources) {
    const std::string text = padded(time, 8) + " " + verdict + " " + padded(speed, kSpeed, true) + " " +
                             padded(before, kRatio) + " " + padded(best, kRatio) + " " + resources;
    return text.substr(0, text.find_last_not_of(' ') + 1);
}

std::string text_of(const std::optional<SpeedRatio>& ratio) {
    if (!ratio) return "";
    if (!ratio->interval) return fmt::format("{:.3f}", ratio->value);
    return fmt::format("{:.3f} [{:.3f},{:.3f}]", ratio->value, ratio->interval->low, ratio->interval->high);
}

std::string three_digits(double value) {
    return value >= 100 ? fmt::format("{:.0f}", value) : fmt::format("{:#.3g}", value);
}

}  // namespace

SpeedRatio product(const SpeedRatio& x_to_y, const SpeedRatio& y_to_z) {
    SpeedRatio ratio{x_to_y.value * y_to_z.value, std::nullopt};
    if (!x_to_y.interval || !y_to_z.interval) return ratio;
    const auto distance = [&](double Interval::*end) {
        return std::hypot(std::log((*x_to_y.interval).*end / x_to_y.value),
                          std::log((*y_to_z.interval).*end / y_to_z.value));
    };
    ratio.interval =
        Interval{ratio.value * std::exp(-distance(&Interval::low)), ratio.value * std::exp(distance(&Interval::high))};
    return ratio;
}

void take_verdict(const Run& run, Attempt& attempt) {
    if (run.rows.empty()) return;
    const Row& timed = run.rows.back();
    attempt.row = timed;
    attempt.environment = run.environment;
    attempt.status = timed.status;
    attempt.message = timed.message;
    attempt.precision = is_right(timed.status) ? class_of(timed) : "";
    attempt.emulated = timed.device == Target::emulator;
    if (timed.status != Status::ok) return;
    for (const Row& row : run.rows) {
        if (is_right(row.status)) continue;
        attempt.status = Status::limited;
        attempt.message =
            fmt::format("right at {}, but {} at {}: {}", timed.shape, to_string(row.status), row.shape, row.message);
        return;
    }
}

std::optional<SpeedRatio> ratio_in(const Row& row) {
    if (!row.ratio) return std::nullopt;
    return SpeedRatio{*row.ratio, row.ratio_interval};
}

std::string history_heading() {
    return line("time", padded("verdict", kVerdict), "TFLOP/s", "x before [95 %]", "x best [95 %]", "regs");
}

std::string history_line(const Attempt& attempt, bool colour) {
    const bool right = is_right(attempt.status);
    const char* const mark = attempt.status == Status::ok ? "✓" : right ? "!" : "✗";
    const char* const code = attempt.status == Status::ok ? "32" : right ? "33" : "31";
    const bool built = attempt.row || attempt.status != Status::load_error;
    const std::string verdict_text = right ? attempt.precision : built ? to_string(attempt.status) : "not built";
    const std::string plain = padded(fmt::format("{} {}", mark, verdict_text), kVerdict);
    const std::string verdict = colour ? fmt::format("\033[{}m{}\033[0m", code, plain) : plain;
    const std::string speed = attempt.tflops              ? three_digits(*attempt.tflops)
                              : right && attempt.emulated ? "emulated"
                                                          : "";
    const std::string resources =
        attempt.resources
            ? fmt::format("{}{}", attempt.resources->registers,
                          attempt.resources->spill_bytes > 0 ? fmt::format("+{}B", attempt.resources->spill_bytes) : "")
            : "";
    return line(attempt.time, verdict, speed, text_of(attempt.before), text_of(attempt.best), resources);
}

}  // namespace judge
