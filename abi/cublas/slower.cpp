#include "slower.h"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "slower_trees.h"

namespace drop_in {

namespace {

constexpr int kMostSize = 8192;
constexpr double kLeastProducts = 1e5, kMostProducts = 3e11;

// Sixteen times the logarithm to base 2, rounded down; between powers of two as if it were linear.
int sixteenths(double count) {
    return static_cast<int>(std::bit_cast<uint32_t>(static_cast<float>(count)) >> 19) - (127 << 4);
}

// Of an operand's rows: 2 if all begin at a multiple of 16 bytes, 1 at one of 8, else 0.
int alignment(const float* matrix, int64_t ld) {
    const auto all = reinterpret_cast<uintptr_t>(matrix) / sizeof(float) | static_cast<uintptr_t>(ld);
    return all % 2 ? 0 : all % 4 ? 1 : 2;
}

// All that the trees are asked about.
struct Asked {
    int M = 0, N = 0, K = 0, form = 0, alignment_a = 0, alignment_b = 0;

    bool operator==(const Asked&) const = default;

    // The number of its set in a cache of 128.
    unsigned set() const {
        unsigned hash = static_cast<unsigned>(form + 4 * alignment_a + 12 * alignment_b);
        for (const int size : {M, N, K}) hash = hash * 31 + static_cast<unsigned>(size);
        return hash * 2654435761u >> 25;
    }
};

Asked asked_of(const solve_gemm_t& call) {
    return {call.M,
            call.N,
            call.K,
            2 * (call.transpose_a == SOLVE_T) + (call.transpose_b == SOLVE_T),
            alignment(call.A, call.lda),
            alignment(call.B, call.ldb)};
}

bool trees_say_slower(const Asked& asked) {
    const double M = asked.M, N = asked.N, K = asked.K;
    const auto tiles = [&](int rows, int cols) {
        return sixteenths(double((asked.M + rows - 1) / rows) * ((asked.K + cols - 1) / cols));
    };
    const int features[] = {sixteenths(M),     sixteenths(N),     sixteenths(K),   sixteenths(M * N * K),
                            sixteenths(M / K), sixteenths(M * K), asked.form,      asked.alignment_a,
                            asked.alignment_b, tiles(128, 128),   tiles(128, 64),  tiles(64, 128),
                            tiles(64, 64),     tiles(256, 128),   tiles(128, 256), sixteenths(std::min(M, K)),
                            asked.M % 128,     asked.K % 128,     asked.M % 64,    asked.K % 64};
    int thousandths = 0;  // of the logarithm of how many times as fast
    for (int at : kTrees) {
        while (at >= 0) {
            const Question& question = kQuestions[at];
            at = features[question.feature] > question.above ? question.yes : question.no;
        }
        thousandths += at + kLeaf;
    }
    return thousandths < 0;
}

// The same from a cache of the thread's, 128 sets of four entries: the trees take a core of an AMD EPYC 0.9 us, where a
// whole call with one kernel takes the host of an H200 3.5.
bool cached_answer(const Asked& asked) {
    struct Entry {
        Asked asked;
        bool slower = false;
    };
    struct Set {
        Entry entries[4];
        int oldest = 0;
    };
    static thread_local Set sets[128];
    Set& set = sets[asked.set()];
    for (const Entry& entry : set.entries) {
        if (entry.asked == asked) return entry.slower;
    }
    Entry& replaced = set.entries[set.oldest];
    set.oldest = (set.oldest + 1) % 4;
    replaced = {asked, trees_say_slower(asked)};
    return replaced.slower;
}

}  // namespace

bool says_slower(const solve_gemm_t& call) {
    const double products = double(call.M) * call.N * call.K;
    if (call.batch != 1 || call.A_array || call.accuracy != SOLVE_ARITHMETIC_FP32) return false;
    if (std::max({call.M, call.N, call.K}) > kMostSize || products < kLeastProducts || products > kMostProducts)
        return false;
    return cached_answer(asked_of(call));
}

}  // namespace drop_in
