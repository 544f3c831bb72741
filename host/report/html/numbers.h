// Figures as a reader takes them in: three digits, a unit that keeps them short.
#pragma once

#include <optional>
#include <string>

#include "base/statistics.h"

namespace judge::html {

// Three significant digits, and whole numbers from 100 on.
std::string three_digits(double value);

std::string duration(double ms);                 // "12.3 us", "4.56 ms"
std::string percent(double part);                // of 1: "3.1 %"
std::string change(double factor);               // "+3.1 %", "-0.4 %", and from 2 on "2.20x"
std::string interval(const Interval& interval);  // "[0.981, 1.013]"
std::string scientific(double value);            // "3.1e-07"

}  // namespace judge::html
