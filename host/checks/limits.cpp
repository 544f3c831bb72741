#include "checks/limits.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <utility>

namespace judge {

namespace {

constexpr int kMostCrashes = 20;

// A trial that is to be made before the investigation can go on.
struct Missing {
    Trial trial;
};

bool is_right_exchanged(const Trial& trial) {
    return trial.kind == Trial::Kind::exchanged && trial.right();
}

// Written as if every trial could be made on the spot. The first one that has not been made ends it, and it is begun
// anew once that one is known.
class Investigation {
  public:
    Investigation(const std::vector<Trial>& trials, Target device) : trials_(trials), device_(device) {}

    std::optional<Trial> run() {
        try {
            investigate();
            return std::nullopt;
        } catch (const Missing& missing) {
            return missing.trial;
        }
    }

    const Limits& found() const { return found_; }

  private:
    // What passed after other calls need not be repeated; what failed then is decided alone.
    const Trial& result_of(Trial trial) {
        for (const Trial& made : trials_) {
            if (made.is_same_call(trial) && (made.alone || made.right())) return made;
        }
        trial.alone = true;
        throw Missing{trial};
    }

    bool right(const Trial& trial) { return result_of(trial).right(); }

    bool right_with(int m, int n, int k) { return right(product_at({m, n, k})); }

    void investigate() {
        const std::vector<Trial> general = general_trials(device_);
        if (keeps_state(general)) return;
        const std::array<const Trial*, 4> of_sizes = {&result_of(general[kPrime]), &result_of(general[kDeep]),
                                                      &result_of(general[kTall]), &result_of(general[kWide])};
        if (!std::all_of(of_sizes.begin(), of_sizes.end(), std::mem_fn(&Trial::right))) find_sizes(of_sizes);
        if (!right(general[kMisaligned])) find_alignment();
        const bool any_size = found_.located && found_.equal == Limits::Equal::none && !has_multiples();
        find_no_terms(general[kNoTerms], any_size);
        if (any_size) find_lengths(general);
        constexpr size_t kEnough = 3;  // to be told
        for (size_t other = kOthers; any_size && other < general.size() && found_.unexplained.size() < kEnough;
             ++other) {
            if (is_too_long(general[other].shape)) continue;
            if (!right(general[other])) found_.unexplained.push_back(&result_of(general[other]));
        }
        for (size_t i = 0; any_size && i < trials_.size() && found_.unexplained.size() < kEnough; ++i) {
            const Trial& made = trials_[i];
            if (!made.drawn || made.right() || is_too_long(made.shape)) continue;
            if (!right(made)) found_.unexplained.push_back(&result_of(made));
        }
    }

    // Where a product that is long in one size fails: from which power of two on, by bisection, and whether at that
    // power or past it.
    void find_lengths(const std::vector<Trial>& general) {
        for (const Dimension dimension : kDimensions) {
            const auto fails = [&](const Trial& trial) {
                const int size = size_of(trial.shape, dimension);
                return size > 1024 && trial.is_same_call(long_trial(dimension, size)) && !right(trial);
            };
            const auto first = std::find_if(general.begin(), general.end(), fails);
            if (first == general.end()) continue;
            int low = 6;
            if (!right(long_trial(dimension, (1 << low) + 1))) continue;  // then it is not for its length
            int high = std::countr_zero(unsigned(size_of(first->shape, dimension) - 1));
            while (high - low > 1) {
                const int middle = (low + high) / 2;
                (right(long_trial(dimension, (1 << middle) + 1)) ? low : high) = middle;
            }
            Limits::Most& most = found_.most[dimension];
            most = {(1 << low) + 1, 1 << high};
            if (right(long_trial(dimension, 1 << high))) most = {1 << high, (1 << high) + 1};
        }
        std::erase_if(found_.unexplained, [&](const Trial* trial) { return is_too_long(trial->shape); });
    }

    bool is_too_long(const Shape& shape) const {
        return std::any_of(kDimensions.begin(), kDimensions.end(), [&](Dimension dimension) {
            const int wrong = found_.most[dimension].wrong;
            return wrong > 0 && size_of(shape, dimension) >= wrong;
        });
    }

    bool has_multiples() const { return std::max({found_.M, found_.N, found_.K}) > 1; }

    // One failed at first, and is right alone.
    bool keeps_state(std::vector<Trial> calls) {
        std::copy_if(trials_.begin(), trials_.end(), std::back_inserter(calls), std::mem_fn(&Trial::drawn));
        for (const Trial& trial : calls) {
            const Trial *after_others = nullptr, *alone = nullptr;
            for (const Trial& made : trials_) {
                if (made.is_same_call(trial)) (made.alone ? alone : after_others) = &made;
            }
            if (after_others && alone && !after_others->right() && alone->right()) found_.state = after_others;
        }
        return found_.state != nullptr;
    }

    // From a cube: which sizes may be twice the others, and which may be less divisible. Tiles of 128 are the most that
    // is common, those of 256 a second guess.
    void find_sizes(const std::array<const Trial*, 4>& of_sizes) {
        base_ = right_with(128, 128, 128) ? 128 : right_with(256, 256, 256) ? 256 : 0;
        if (base_ == 0) {
            found_.located = false;
            find_exchange({256, 128, 384});
            return;
        }
        const int s = base_;
        const bool m_free = right_with(2 * s, s, s), n_free = right_with(s, 2 * s, s), k_free = right_with(s, s, 2 * s);
        if (m_free && n_free && k_free) {
            found_.M = divisor(1, 0, 0);
            found_.N = divisor(0, 1, 0);
            found_.K = divisor(0, 0, 1);
        } else if (m_free && !n_free && !k_free) {
            tie(Limits::Equal::NK, 0, 1, 1);
            found_.M = divisor(1, 0, 0);
        } else if (k_free && !m_free && !n_free) {
            tie(Limits::Equal::MN, 1, 1, 0);
            found_.K = divisor(0, 0, 1);
        } else if (n_free && !m_free && !k_free) {
            tie(Limits::Equal::MK, 1, 0, 1);
            found_.N = divisor(0, 1, 0);
        } else if (!m_free && !n_free && !k_free) {
            tie(Limits::Equal::MNK, 1, 1, 1);
        } else {
            found_.located = false;  // none of the constraints that kernels have
        }
        if (!n_free && !k_free) find_exchange({s, s, 2 * s});
        if (found_.equal != Limits::Equal::none || has_multiples()) return;
        for (const Trial* trial : of_sizes) {
            if (!trial->right()) found_.unexplained.push_back(trial);
        }
    }

    void tie(Limits::Equal equal, int m, int n, int k) {
        found_.equal = equal;
        const int multiple = divisor(m, n, k);
        if (m != 0) found_.M = multiple;
        if (n != 0) found_.N = multiple;
        if (k != 0) found_.K = multiple;
    }

    void find_exchange(const Shape& shape) {
        Trial trial = product_at(shape);
        trial.kind = Trial::Kind::exchanged;
        found_.exchanged = std::any_of(trials_.begin(), trials_.end(), is_right_exchanged) || right(trial);
    }

    // The least power of two that these sizes may be an odd multiple of, by bisection: what is right there is taken to
    // be right at greater ones.
    int divisor(int m, int n, int k) {
        int low = 1, high = base_;
        while (low < high) {
            const int middle = low << (std::countr_zero(unsigned(high / low)) / 2);
            const int size = base_ + middle;
            if (right_with(m ? size : base_, n ? size : base_, k ? size : base_)) {
                high = middle;
            } else {
                low = 2 * middle;
            }
        }
        return high;
    }

    // At a shape that is right with aligned pointers.
    void find_alignment() {
        const int s = base_ != 0 ? base_ : 128;
        if (!found_.located || !right_with(s, s, s) || right(product_at({s, s, s}, 1))) return;
        for (const int floats : {2, 4, 32}) {
            found_.alignment = 4 * floats;
            if (right(product_at({s, s, s}, floats))) return;
        }
        found_.alignment = 256;
    }

    // Where the other sizes are right.
    void find_no_terms(const Trial& small, bool any_size) {
        if (!found_.located || found_.equal != Limits::Equal::none) return;
        const Trial& no_terms = result_of(any_size ? small : product_at({base_, 0, base_}));
        if (no_terms.right()) return;
        // With one term and the same M and K it is right: else it is for these, which one of the others tells.
        if (any_size && !right_with(small.shape.M, 1, small.shape.K)) return;
        found_.of_no_terms = &no_terms;
    }

    const std::vector<Trial>& trials_;
    const Target device_;
    int base_ = 0;
    Limits found_;
};

int rounded_up(int size, int multiple) {
    return (size + multiple - 1) / multiple * multiple;
}

}  // namespace

const Trial* failed_trial(const std::vector<Trial>& trials, Target device) {
    const std::vector<Trial> general = general_trials(device);
    const auto same_as = [](const Trial& trial) {
        return [&](const Trial& other) { return other.is_same_call(trial); };
    };
    for (const Trial& trial : trials) {
        if (trial.right()) continue;
        const bool counts = trial.kind == Trial::Kind::precision || trial.kind == Trial::Kind::promises ||
                            trial.drawn || trial.shape.is_chain() ||
                            std::any_of(general.begin(), general.end(), same_as(trial));
        const bool right_alone = std::any_of(trials.begin(), trials.end(), [&](const Trial& other) {
            return other.is_same_call(trial) && other.alone && other.right();
        });
        if (counts && !right_alone) return &trial;
    }
    return nullptr;
}

std::optional<Trial> next_trial(const std::vector<Trial>& trials, Target device) {
    const auto is = [](Status status) { return [=](const Trial& trial) { return trial.status == status; }; };
    if (std::any_of(trials.begin(), trials.end(), is(Status::timed_out))) return std::nullopt;
    if (std::count_if(trials.begin(), trials.end(), is(Status::crashed)) >= kMostCrashes) return std::nullopt;
    return Investigation(trials, device).run();
}

bool Limits::any() const {
    return std::max({M, N, K}) > 1 || equal != Equal::none || exchanged || !located || alignment > 4 || state ||
           !unexplained.empty() || of_no_terms ||
           std::any_of(most.begin(), most.end(), [](const Most& each) { return each.wrong > 0; });
}

Limits limits_of(const std::vector<Trial>& trials, Target device) {
    Investigation investigation(trials, device);
    const bool complete = !investigation.run();
    Limits limits = investigation.found();
    if (!complete) limits.located = false;
    return limits;
}

std::optional<Shape> within(const Limits& limits, const Shape& shape) {
    if (!limits.located) return std::nullopt;
    const int rows = std::lcm(limits.M, limits.K);
    if (limits.equal == Limits::Equal::none) {
        const auto at_most = [&](Dimension dimension, int size) {
            const int most = limits.most[dimension].right;
            return most > 0 ? std::min(size, most) : size;
        };
        return Shape{at_most(kM, rounded_up(shape.M, rows)), at_most(kN, rounded_up(shape.N, limits.N)),
                     at_most(kK, rounded_up(shape.K, rows))};
    }
    const int side = rounded_up(shape.M, std::lcm(rows, limits.N));
    return Shape{side, side, side};
}

std::optional<ProbeSizes> within(const Limits& limits, const ProbeSizes& sizes) {
    if (!limits.located) return std::nullopt;
    ProbeSizes limited{*within(limits, sizes.shape),
                       *within(limits, sizes.deep),
                       *within(limits, sizes.prime),
                       *within(limits, sizes.exact),
                       *within(limits, sizes.odd),
                       *within(limits, sizes.even),
                       *within(limits, sizes.many),
                       sizes.thin,
                       sizes.large,
                       sizes.larger};
    const auto can = [&](const Shape& shape) { return within(limits, shape) == shape; };
    limited.large =
        sizes.large && limited == sizes && std::all_of(std::begin(kLargeShapes), std::end(kLargeShapes), can);
    limited.larger = sizes.larger && limited.large && can(kLargerShape);
    limited.thin = false;  // what it cannot do may be just that
    return limited;
}

}  // namespace judge
