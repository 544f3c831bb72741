// Catch2 2 has no SKIP: a test that cannot run here says so by name, and returns.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>

namespace unit {

inline void say_skipped(const std::string& test, const std::string& reason) {
    fmt::print("SKIPPED: {}: {}\n", test, reason);
    std::fflush(stdout);
}

}  // namespace unit
