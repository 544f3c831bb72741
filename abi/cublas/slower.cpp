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

    // In which of 128 places the answer is kept.
    unsigned place() const {
        unsigned hash = static_cast<unsigned>(form + 4 * alignment_a + 12 * alignment_b);
        for (const int size : {M, N, K}) hash = hash * 31 + static_cast<unsigned>(size);
        return hash * 2654435761u >> 25;
    }
};

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

// The same, kept by each thread for the 300 and more calls that it has made last: the trees take a core of an AMD EPYC
// 0.9 us, where a whole call with one kernel takes the host of an H200 3.5.
bool kept_answer(const Asked& asked) {
    struct Answer {
        Asked asked;
        bool slower = false;
    };
    struct Place {
        Answer answers[4];
        int next = 0;
    };
    static thread_local Place kept[128];
    Place& place = kept[asked.place()];
    for (const Answer& answer : place.answers) {
        if (answer.asked == asked) return answer.slower;
    }
    Answer& oldest = place.answers[place.next];
    place.next = (place.next + 1) % 4;
    oldest = {asked, trees_say_slower(asked)};
    return oldest.slower;
}

}  // namespace

bool says_slower(const solve_gemm_t& call) {
    const double products = double(call.M) * call.N * call.K;
    if (call.batch != 1 || call.A_array || call.accuracy != SOLVE_ARITHMETIC_FP32) return false;
    if (std::max({call.M, call.N, call.K}) > kMostSize || products < kLeastProducts || products > kMostProducts)
        return false;
    const Asked asked{call.M,
                      call.N,
                      call.K,
                      2 * (call.transpose_a == SOLVE_T) + (call.transpose_b == SOLVE_T),
                      alignment(call.A, call.lda),
                      alignment(call.B, call.ldb)};
    return kept_answer(asked);
}

}  // namespace drop_in
