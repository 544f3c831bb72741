// How much of the contraction 90 loads at a time, and in what chunks of rows C leaves: as a model of the machine says
// that it ends first. Two things cannot be hidden behind the computing: the load of the first slab, while there is
// nothing to compute, so that one is short; and the way back of the last rows of C, so the last slab is long, and the
// rows that are computed last are few. Each slab costs a pass over C, though, and each product the filling of the GPU.
#pragma once

#include <algorithm>
#include <vector>

#include "../common/export/gemm_call.h"
#include "90_cost.h"

namespace rung_multi_90 {

// Seconds after which what has not ended never will: ten minutes, and twenty times as long as the product should take.
inline double default_timeout(const solve_gemm_t& call, int gpus) {
    return 600 + 20 * 2.0 * call.M * call.N * call.K / (gpus * Machine{}.multiply);
}

// A first slab of `first` terms, each next one so many times as long, and the remainder in slabs of equal lengths, of
// `most` terms at the most. The remainder by the unit is in the first one, which may be short.
inline std::vector<int> ramp(int terms, int first, double growth, int most, int unit) {
    std::vector<int> slabs;
    const int odd = terms % unit;
    int left = terms - odd;
    double next = first;
    for (int slab = first; slab < most && left - slab >= slab; slab = int(next *= growth) / unit * unit) {
        slabs.push_back(slab);
        left -= slab;
    }
    const int pieces = left == 0 ? 0 : ceil_div(left, std::max(unit, most / unit * unit));
    for (int i = pieces; i > 0; --i) {
        slabs.push_back(std::min(left, ceil_div(ceil_div(left, i), unit) * unit));
        left -= slabs.back();
    }
    if (odd > 0 && !slabs.empty() && slabs.front() + odd <= most) {
        slabs.front() += odd;
    } else if (odd > 0) {
        slabs.insert(slabs.begin(), odd);
    }
    return slabs;
}

// The ramp and the chunks that are predicted to end first, among ramps of several first slabs and growth rates and all
// kinds of chunks. Slabs have `most` terms at the most. While the host feeds four GPUs, a slab's load takes two thirds
// of its product's time: with each slab twice the one before, GPUs wait for a tenth of the time of 8192^3; with each
// 1.5 times the one before they do not wait. kMostChunks chunks are tried with all ramps, fewer only with the best one.
inline Schedule choose_schedule(const Machine& machine, const Round& round, int most) {
    const int unit = std::min(machine.unit, most);
    const CostModel model(machine, round);
    Schedule best;
    double least = 0;
    const auto consider = [&](const Schedule& schedule) {
        const double seconds = model.seconds(schedule);
        if (!best.slabs.empty() && seconds >= least) return;
        best = schedule, least = seconds;
    };
    const auto consider_chunks = [&](const std::vector<int>& slabs, int count) {
        for (const Chunks::Kind kind : {Chunks::equal, Chunks::tapered, Chunks::halving, Chunks::doubling}) {
            consider({slabs, {kind, count}});
        }
    };
    const auto consider_slabs = [&](const std::vector<int>& slabs) {
        consider({slabs, {}});
        if (round.is_last) consider_chunks(slabs, kMostChunks);
    };
    consider_slabs(ramp(round.terms, most, 2, most, unit));
    for (const int units : {1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 32, 64}) {
        if (units * unit >= most || !round.is_first) break;
        for (const double growth : {1.5, 2.0, 3.0, 4.0}) {
            consider_slabs(ramp(round.terms, units * unit, growth, most, unit));
        }
    }
    const std::vector<int> slabs = best.slabs;
    for (int count = 2; count < kMostChunks && round.is_last; ++count) consider_chunks(slabs, count);
    return best;
}

// The schedules that were chosen last, since to choose one takes 60 to 300 us.
class Schedules {
  public:
    const Schedule& choose(const Machine& machine, const Round& round, int most) {
        for (const Known& each : known_) {
            if (each.machine == machine && each.round == round && each.most == most) return each.schedule;
        }
        if (known_.size() == kMostKnown) known_.erase(known_.begin());
        known_.push_back({machine, round, most, choose_schedule(machine, round, most)});
        return known_.back().schedule;
    }

  private:
    static constexpr size_t kMostKnown = 16;
    struct Known {
        Machine machine;
        Round round;
        int most;
        Schedule schedule;
    };
    std::vector<Known> known_;
};

}  // namespace rung_multi_90
