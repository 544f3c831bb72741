// What the models of a product's time share. A rung that has a choice, of tiles or of cuts of N, estimates the cycles
// of each and takes the least; 90 does the same with other rungs' models.
#pragma once

#include <cstdint>

#include "../export/launch.h"
#include "speed.h"

namespace ladder {

// The cycles of a plan that is not possible.
constexpr double kNever = 1e300;

// How often `sms` SMs take a tile each until `tiles` are done.
inline int64_t waves_of(int64_t tiles, int sms) {
    return (tiles + sms - 1) / sms;
}

// The cycles in which one SM, at 128 FFMA a cycle, adds `depth` products to each of `sums` sums.
inline double ffma_cycles(double sums, double depth, double rate) {
    return sums * depth / 128 / rate;
}

}  // namespace ladder
