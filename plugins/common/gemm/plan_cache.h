// A cache of what was chosen for calls, a rung's plans: a lookup takes the host 0.05 us, to make rung 90's plan 20 to
// 200 us, and more where the trees are not in the CPU's caches. A program's calls have some hundreds of shapes, say the
// layers of a model, forwards and backwards.
#pragma once

#include <cstdint>
#include <mutex>
#include <shared_mutex>

#include "sector_shift.h"
#include "way_costs.h"

namespace ladder {

// How an operand or C lies in memory, as far as a way's time depends on that: whether its rows can be read 16 bytes at
// a time, whole or but for their ends, whether all of it can, as one line of words, and whether it is a vector for 75.
struct Layout {
    bool in_vectors = false, aligned = false, line = false, unit = false;

    bool operator==(const Layout&) const = default;
};

// The key, all that a plan depends on: what is left out could make a call's bits depend on the calls before it. The
// costs are known by their address, at which they never change.
struct PlanKey {
    const CostsOfGpu* costs = nullptr;
    int capability = 0, sms = 0, l2 = 0, memory = 0;
    int M, N, K, batch;
    uint32_t transpose_a = 0, transpose_b = 0;
    Layout a, b, c;
    int shift_c = 0;  // words before rows of C in their sectors, as expected (sector_shift.h)
    bool arrays = false;
    uint32_t padded = 0;  // operands in workspace, enum Padded
    bool copies = false;  // whether operands may be copied first

    bool operator==(const PlanKey&) const = default;
};

inline PlanKey key_of(const solve_gemm_t& call, const CostsOfGpu& costs, const DeviceFigures& device, bool copies) {
    PlanKey key{&costs, device.capability, device.sms,       device.l2,       device.memory, call.M, call.N,
                call.K, call.batch,        call.transpose_a, call.transpose_b};
    const Vectors vectors(call);
    key.arrays = has_arrays(call), key.padded = call.reserved, key.copies = copies;
    const auto layout = [&](bool in_vectors, const float* matrix, int64_t ld, int cols) {
        return Layout{in_vectors, !key.arrays && aligned16(matrix, ld), is_line(matrix, ld, cols), ld == 1};
    };
    key.a = layout(vectors.a, call.A, call.lda, call.transpose_a == SOLVE_T ? call.M : call.N);
    key.b = layout(vectors.b, call.B, call.ldb, call.transpose_b == SOLVE_T ? call.N : call.K);
    key.c = layout(vectors.c, call.C, call.ldc, call.K);
    key.shift_c = expected_shift(call);
    return key;
}

// The number of a key's set, of 128. Equal sizes in other forms are looked up one after the other: each has a set of
// its own.
inline unsigned set_of(const PlanKey& key) {
    const unsigned form =
        (key.transpose_a == SOLVE_T) + 2 * (key.transpose_b == SOLVE_T) + 4 * key.a.in_vectors + 8 * key.b.in_vectors;
    unsigned hash = form;
    for (const int size : {key.M, key.N, key.K, key.batch}) hash = hash * 31 + unsigned(size);
    return hash * 2654435761u >> 25;
}

// Shared by all threads; 128 sets of eight entries, of which the oldest is replaced. Its destructor is trivial, since
// other threads may still multiply while the process ends.
template <class Plan>
class PlanCache {
  public:
    // The plan of that key, or else what make() returns, which must be the same every time.
    template <class Make>
    Plan find_or(const PlanKey& key, Make make) {
        Set& set = sets_[set_of(key)];
        {
            const std::shared_lock reading(lock_);
            for (const Entry& entry : set.entries) {
                if (entry.key == key) return entry.plan;
            }
        }
        const Plan plan = make();
        const std::unique_lock writing(lock_);
        set.entries[set.oldest] = {key, plan};
        set.oldest = (set.oldest + 1) % kEntries;
        return plan;
    }

  private:
    static constexpr int kEntries = 8;

    struct Entry {
        PlanKey key;
        Plan plan;
    };
    struct Set {
        Entry entries[kEntries];
        int oldest;
    };
    std::shared_mutex lock_;
    Set sets_[128] = {};
};

}  // namespace ladder
