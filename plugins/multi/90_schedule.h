// How much of the contraction 90 loads at a time, and in what chunks of rows C leaves: as a model of the machine says
// that it ends first. Two things cannot be hidden behind the computing: the load of the first slab, while there is
// nothing to compute, so that one is short; and the way back of the last rows of C, so the last slab is long, and the
// rows that are computed last are few. Each slab costs a pass over C, though, and each product the filling of the GPU.
//
// With slabs of 512, 1024, ... 8192 and a last one of the 512 that remained, in eight equal chunks, one H200 was
// measured to reach 44.6, 51.1 and 52.7 TFLOP/s at 8192, 16384 and 32768; the model says 43.6, 50.5 and 53.5. For the
// schedules that are chosen now it predicts 52.1, 55.7 and 56.3 (tests/emulator/multi_schedule_test.cu).
#pragma once

#include <algorithm>
#include <vector>

#include "../common/export/gemm_call.h"
#include "90_tiles.h"

namespace rung_multi_90 {

constexpr int kMostChunks = 8;  // of a tile

// What the model knows of a GPU and its way to the host, measured on hosts of up to four H200. A test changes it, so
// that small matrices are cut as large ones are.
struct Machine {
    double in = 55e9, out = 55e9;            // bytes/s of a GPU's PCIe, where the host can feed all of them
    double all_in = 160e9, all_out = 134e9;  // bytes/s of the host, with four: of three, the slowest
    double staged = 84e9;  // bytes/s that 16 threads of the host copy between pageable and pinned memory, and GPUs load
    double row = 25e-9;  // s more for each row of a copy that leaves gaps: 46.5 GB/s with rows of 8 KB, 23.5 with 1 KB
    double peers = 400e9;     // bytes/s from GPU to GPU
    double network = 50e9;    // bytes/s into and out of each GPU from other hosts: a port of 400 Gbit/s for each
    double hop = 20e-6;       // s until a broadcast has gone from one host to the next
    double multiply = 57e12;  // operations/s of a product
    double memory = 4e12;     // bytes/s at which a product reads C, if it adds to it, and writes it
    double launch = 20e-6;    // s until a GPU is busy with a product, and at its end is not any more
    int unit = 64;            // terms, of which a slab has a multiple, but for the first one

    static Machine& assumed() {
        static Machine machine;
        return machine;
    }
};

// The largest tile of a round, and how many GPUs share its rows of A and its columns of B.
struct Round {
    int rows, terms, cols;
    GpuGrid grid;
    bool pageable_in = false, pageable_out = false;
    bool adds_to_c = false;  // which comes first, then
    bool is_first = true;    // else the computing of the round before hides the first load,
    bool is_last = true;     // and that of the next one the way back
    int hosts = 1;
};

// How the rows of a tile are cut when the last slab is added.
struct Chunks {
    enum Kind { equal, halving, doubling } kind = equal;
    int count = 1;
};

inline Share chunk_of(const Chunks& chunks, int rows, int which) {
    if (chunks.kind == Chunks::equal) return share_of(rows, chunks.count, which);
    const bool mirrored = chunks.kind == Chunks::doubling;
    int left = rows;
    for (int i = mirrored ? chunks.count - 1 - which : which; i > 0; --i) left = ladder::half_of(left);
    const bool is_smallest = which == (mirrored ? 0 : chunks.count - 1);
    const int count = is_smallest ? left : left - ladder::half_of(left);
    return {count, mirrored ? left - count : rows - left, count};
}

struct Schedule {
    std::vector<int> slabs;  // terms of each
    Chunks chunks;
};

class CostModel {
  public:
    CostModel(const Machine& machine, const Round& round)
        : machine_(machine),
          round_(round),
          in_(speed(machine.in, machine.all_in, round.pageable_in)),
          out_(speed(machine.out, machine.all_out, round.pageable_out)) {}

    // Seconds of the round: the copies in, from GPU to GPU and out, and the products, each kind in its order.
    double seconds(const Schedule& schedule) const {
        const size_t count = schedule.slabs.size();
        std::vector<double> multiplied(count);
        double loaded = round_.adds_to_c ? copy(round_.rows, round_.cols, in_) : 0, passed = 0, computed = 0, left = 0;
        for (size_t i = 0; i < count; ++i) {
            const int terms = schedule.slabs[i];
            if (i >= kSlabBuffers) loaded = std::max(loaded, multiplied[i - kSlabBuffers]);
            loaded += load(terms) + receive(terms);
            passed = std::max(passed, loaded) + pass_on(terms);
            computed = std::max(computed, passed);
            const Chunks chunks = i + 1 == count ? schedule.chunks : Chunks{};
            for (int chunk = 0; chunk < chunks.count; ++chunk) {
                const Share rows = chunk_of(chunks, round_.rows, chunk);
                if (rows.count == 0) continue;
                computed += multiply(rows.count, terms, i > 0 || round_.adds_to_c);
                if (i + 1 == count) left = std::max(left, computed) + copy(rows.count, round_.cols, out_);
            }
            multiplied[i] = computed;
        }
        return round_.is_last ? left : computed;
    }

  private:
    double speed(double own, double all, bool pageable) const {
        const int gpus = round_.grid.count();
        return std::min(own, (pageable ? std::min(all, machine_.staged) : all) / gpus);
    }
    double copy(double rows, double cols, double speed) const { return rows * (4 * cols / speed + machine_.row); }
    double load(int terms) const {
        return copy(double(round_.rows) / round_.grid.cols, terms, in_) +
               copy(double(terms) / round_.grid.rows, round_.cols, in_);
    }
    // B comes from rank 0 in a chain of hosts, each of which passes on what it has while more comes.
    double receive(int terms) const {
        if (round_.hosts == 1) return 0;
        const double bytes = 4.0 * terms / round_.grid.rows * round_.cols;
        return bytes / machine_.network + machine_.hop * (round_.hosts - 1);
    }
    double pass_on(int terms) const {
        const double a = double(round_.rows) * (round_.grid.cols - 1) / round_.grid.cols,
                     b = double(round_.cols) * (round_.grid.rows - 1) / round_.grid.rows;
        return 4 * terms * (a + b) / machine_.peers;
    }
    double multiply(double rows, double terms, bool adds) const {
        return machine_.launch + 2 * rows * terms * round_.cols / machine_.multiply +
               4 * rows * round_.cols * (adds ? 2 : 1) / machine_.memory;
    }

    const Machine machine_;
    const Round round_;
    const double in_, out_;
};

// Seconds after which what has not ended never will: ten minutes, and twenty times as long as the product should take.
inline double default_timeout(const solve_gemm_t& call, int gpus) {
    return 600 + 20 * 2.0 * call.M * call.N * call.K / (gpus * Machine{}.multiply);
}

// A first slab of `first` terms, each next one so many times as long, and what remains in slabs of equal lengths, of
// `most` terms at the most. What is no multiple of the unit is in the first one, which may be short.
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

// Of ramps that begin with some units and grow at some rate, and of chunks of each kind, those that are predicted to
// end first. Slabs have `most` terms at the most. While the host feeds four GPUs, a slab's load takes two thirds of its
// product's time: where each slab is twice the one before, GPUs wait for a tenth of 8192^3's time, where it is half as
// long again they do not. The most chunks are tried with all ramps, fewer with the best one only.
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
        for (const Chunks::Kind kind : {Chunks::equal, Chunks::halving, Chunks::doubling}) {
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

}  // namespace rung_multi_90
