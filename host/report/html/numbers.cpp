#include "report/html/numbers.h"

#include <fmt/format.h>

#include <cmath>

namespace judge::html {

std::string three_digits(double value) {
    return std::abs(value) >= 99.95 ? fmt::format("{:.0f}", value) : fmt::format("{:#.3g}", value);
}

std::string duration(double ms) {
    if (ms < 0.9995) return three_digits(ms * 1e3) + " us";
    if (ms < 999.5) return three_digits(ms) + " ms";
    return three_digits(ms / 1e3) + " s";
}

std::string percent(double part) {
    return fmt::format("{:.{}f} %", 100 * part, std::abs(part) < 0.0995 ? 1 : 0);
}

std::string change(double factor) {
    if (factor >= 1.995) return fmt::format("{:.{}f}x", factor, factor < 9.95 ? 2 : 1);
    const double part = 100 * (factor - 1);
    return fmt::format("{:+.1f} %", std::abs(part) < 0.05 ? 0 : part);
}

std::string interval(const Interval& interval) {
    return fmt::format("[{:.3f}, {:.3f}]", interval.low, interval.high);
}

std::string scientific(double value) {
    return value == 0 ? "0" : fmt::format("{:.1e}", value);
}

}  // namespace judge::html
