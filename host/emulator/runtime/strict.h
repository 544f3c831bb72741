// What works on every GPU though no manual allows it: a warning, or with SOLVE_EMULATOR_STRICT=1 a fault.
#pragma once

#include <string>

namespace emulator {

bool is_strict();

// To stderr; the same text once in a process.
void warn_once(const std::string& text);

}  // namespace emulator
