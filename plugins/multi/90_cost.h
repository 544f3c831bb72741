// What a schedule of 90's costs, by a model of the machine: the copies in, from GPU to GPU and out, and the products,
// each kind in its order.
//
// Within 3 % it tells what one and two H200 took with slabs of 512, 1024, ... 8192 and one of the 512 that remained,
// and within 5 % nine schedules on four H100 (tests/emulator/multi_schedule_test.cu).
#pragma once

#include <algorithm>
#include <vector>

#include "90_tiles.h"

namespace rung_multi_90 {

constexpr int kMostChunks = 9;  // of a tile

// What the model knows of a GPU and its way to the host, measured on hosts of up to four H200. A test changes it, so
// that small matrices are cut as large ones are.
struct Machine {
    double in = 55e9, out = 55e9;            // bytes/s of a GPU's PCIe, where the host can feed all of them
    double all_in = 160e9, all_out = 148e9;  // bytes/s of the host, with four: 148 to 185, 134 to 148
    double staged = 84e9;  // bytes/s that 16 threads of the host copy between pageable and pinned memory, and GPUs load
    double row = 25e-9;  // s more for each row of a copy that leaves gaps: 46.5 GB/s with rows of 8 KB, 23.5 with 1 KB
    double peers = 400e9;     // bytes/s from GPU to GPU
    double network = 50e9;    // bytes/s into and out of each GPU from other hosts: a port of 400 Gbit/s for each
    double hop = 20e-6;       // s until a broadcast has gone from one host to the next
    double multiply = 57e12;  // operations/s of a product
    double memory = 2.5e12;   // bytes/s at which a product reads C, if it adds to it, and writes it
    double launch = 30e-6;    // s until a GPU is busy with a product, and at its end is not any more
    int unit = 64;            // terms, of which a slab has a multiple, but for the first one

    bool operator==(const Machine&) const = default;

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

    bool operator==(const Round&) const = default;
};

// How the rows of a tile are cut when the last slab is added; tapered is all equal, but for the last one's halves.
struct Chunks {
    enum Kind { equal, tapered, halving, doubling } kind = equal;
    int count = 1;
};

inline Share chunk_of(const Chunks& chunks, int rows, int which) {
    if (chunks.kind == Chunks::equal) return share_of(rows, chunks.count, which);
    if (chunks.kind == Chunks::tapered) {
        const int parts = std::max(1, chunks.count - 1);
        if (which < parts - 1) return share_of(rows, parts, which);
        const Share last = share_of(rows, parts, parts - 1);
        const int first = chunks.count > 1 ? ladder::half_of(last.count) : last.count;
        if (which == parts - 1) return {first, last.begin, first};
        return {last.count - first, last.begin + first, last.count - first};
    }
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
          in_(shared(machine.all_in, round.pageable_in)),
          out_(shared(machine.all_out, round.pageable_out)) {}

    // Seconds of the round: the copies in, from GPU to GPU and out, and the products, each kind in its order.
    double seconds(const Schedule& schedule) const {
        const size_t count = schedule.slabs.size();
        std::vector<double> multiplied(count);
        double loaded = round_.adds_to_c ? copy_in(round_.rows, round_.cols) : 0, passed = 0, computed = 0, left = 0;
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
                if (i + 1 == count) left = std::max(left, computed) + copy_out(rows.count, round_.cols);
            }
            multiplied[i] = computed;
        }
        return round_.is_last ? left : computed;
    }

  private:
    // A GPU's part of what the host feeds.
    double shared(double all, bool pageable) const {
        return (pageable ? std::min(all, machine_.staged) : all) / round_.grid.count();
    }
    // Where the host's bandwidth limits a copy, the gaps between its rows cost nothing.
    double copy(double rows, double cols, double own, double shared) const {
        return rows * std::max(4 * cols / own + machine_.row, 4 * cols / shared);
    }
    double copy_in(double rows, double cols) const { return copy(rows, cols, machine_.in, in_); }
    double copy_out(double rows, double cols) const { return copy(rows, cols, machine_.out, out_); }
    double load(int terms) const {
        return copy_in(double(round_.rows) / round_.grid.cols, terms) +
               copy_in(double(terms) / round_.grid.rows, round_.cols);
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

}  // namespace rung_multi_90
