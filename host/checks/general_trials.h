// Trial calls at shapes that the user did not ask for: those that a plugin without limits passes, and those whose
// failure is noted only.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "values/target.h"
#include "values/trial.h"

namespace judge {

Trial product_at(const Shape& shape, int misalignment = 0);

// Where these are in general_trials(); those from kOthers on have no name.
enum GeneralTrial { kPrime, kDeep, kMisaligned, kNoTerms, kTall, kWide, kOthers };

// Sizes that are prime; a long contraction; pointers aligned to 4 bytes and no more; a contraction of no terms; a C
// that is tall and one that is wide, since a grid whose axes are exchanged covers neither; no rows and no columns, of
// which nothing may be written; tiny sizes, and each size 1 by itself; odd multiples of 2, 4, 8 and 16, where an
// unrolled loop has its second-last remainder; each size just above 2^10, 2^12 and 2^16, past the most threads of a
// block or blocks of a grid; on the CPU N and K above 2^21.
// Two of the sizes equal, and the third one larger or smaller: a kernel may take the matrices for square ones.
// Then one or two sizes that are whole multiples of a vector or a tile and the others ragged, every such mixture of the
// three, within a tile and past one of 128.
std::vector<Trial> general_trials(Target device);

// Thin products, long in one size, which each seed draws anew: M, N and K each lie once in each interval between two
// successive powers of two, from 2^7 to 2^14, while one of the other two sizes is 1, and once while the other one is.
// So a path that a plugin takes only between two sizes, for a single row, is found sooner or later.
std::vector<Trial> drawn_trials(uint64_t seed);

enum Dimension { kM, kN, kK };
constexpr std::array<Dimension, 3> kDimensions = {kM, kN, kK};
int size_of(const Shape& shape, Dimension dimension);

// A product of few elements that is long in one of its sizes. Of its terms none is 0 in all of C, but for one seed in
// 500000: a ninth of its numbers are 0, and whether the last term is left out decides where a plugin's limit is.
Trial long_trial(Dimension dimension, int size);

// Of M, N, K and L each two equal and the others different, with either order of the products the shorter one; and two
// pairs of equal sizes.
std::vector<Shape> chains_with_equal_sizes();

// The same of solve_chain: each size 1, 0 and long by itself, K != L, each two equal, and sizes of every kind.
std::vector<Trial> chain_trials();

// Negative sizes; null pointers, only for a plugin that reports errors; and, for GPU code, so many rows or columns that
// blocks of 128 of them are more than the 65535 that a grid has along y. Most published kernels fail there, but nobody
// uses such sizes, so it does not count as a limit.
std::vector<Trial> noted_trials(Target device);

// The same with fewer rows or columns, if it is one of those: 2^exponent + 1.
constexpr int kLeastExponent = 17, kMostExponent = 22;
Trial shorter(const Trial& noted, int exponent);

// Whether the emulator only looks at the launches of such a call, as a GPU does before it executes them: past 4097 in a
// size, unless it is a long trial of up to 65537 and will take less than a tenth of a second, going by the time that
// the one of 4097 took, which is one of those made before.
bool is_of_launches_only(const Trial& trial, Target device, const std::vector<Trial>& made);

}  // namespace judge
