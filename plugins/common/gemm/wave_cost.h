// The time of a product whose blocks go from tile to tile, as many blocks as SMs: so many waves of tiles, the last of
// them as long as the others (wave quantisation).
#pragma once

#include "cost_model.h"

namespace ladder {

// T is a tile: kM x kK of C, in steps of kN along N, by warps of which kSlices share a part of it.
template <class T>
int64_t tiles_of(int M, int K) {
    return int64_t{ceil_div(M, T::kM)} * ceil_div(K, T::kK);
}

// The cycles of a step, and those of a tile besides its steps: to be stored, and to have its slices added.
template <class T>
double step_cycles(const Speed& speed) {
    return ffma_cycles(T::kM * T::kK, T::kN, speed.rate);
}
template <class T>
constexpr double kStoreCycles = T::kSlices > 1 ? 3000 : 1000;

// The cycles of a product of so many waves.
template <class T>
double wave_cycles(const Speed& speed, int64_t waves, int N) {
    return speed.start + waves * (ceil_div(N, T::kN) * step_cycles<T>(speed) + kStoreCycles<T>);
}

// Of one in whole tiles.
template <class T>
double wave_cycles(const Speed& speed, int M, int N, int K, int sms) {
    return wave_cycles<T>(speed, waves_of(tiles_of<T>(M, K), sms), N);
}

}  // namespace ladder
