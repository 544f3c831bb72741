// Where a plugin is right that was right at the shapes asked for: which trials tell, and what they come to.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "checks/general_trials.h"
#include "checks/probes.h"
#include "values/target.h"
#include "values/trial.h"

namespace judge {

// The first of these that failed, or the measurement of the precision if the plugin died of it; null if none did, or
// only after other calls and not alone.
const Trial* failed_trial(const std::vector<Trial>& trials, Target device);

// After one of them failed: the trial to make next, alone, to find out on what it depends: on the divisibility of a
// size (of which, by what power of two), on equal sizes, on the order of the arguments, on the alignment. Nothing once
// that is known, or after a trial that timed out, or after twenty that crashed, each of which costs a process.
std::optional<Trial> next_trial(const std::vector<Trial>& trials, Target device);

// What next_trial() was made for.
struct Limits {
    // Of M, N and K where the others are kept: what each must be a multiple of.
    int M = 1, N = 1, K = 1;
    enum class Equal { none, MN, NK, MK, MNK };
    Equal equal = Equal::none;     // sizes that must be
    bool exchanged = false;        // with the sizes given as M, K, N it is right where it is not with M, N, K
    bool located = true;           // right at all sizes of this kind that were tried; if not, only where it was asked
    int alignment = 4;             // of the pointers, in bytes
    const Trial* state = nullptr;  // wrong after other calls, though right alone
    std::vector<const Trial*> unexplained;  // what failed though the above does not say so
    const Trial* of_no_terms = nullptr;     // failed, with N = 0
    struct Most {
        int right = 0;  // up to this size, as far as powers of two and their successors were tried
        int wrong = 0;  // and no more from this one on; 0: there is no such limit
    };
    std::array<Most, 3> most;  // of each Dimension
    bool any() const;
};

Limits limits_of(const std::vector<Trial>& trials, Target device);

// Sizes like these at which it is right, also with A and B exchanged; nothing if none are known.
std::optional<Shape> within(const Limits& limits, const Shape& shape);
std::optional<ProbeSizes> within(const Limits& limits, const ProbeSizes& sizes);

}  // namespace judge
