// The plans of the calls made last, kept for the next ones like them: to find one takes the host 0.05 us, to make one
// 20 to 200 us, and more where the trees are not in its caches. A program's calls have some hundreds of shapes, say the
// layers of a model, forwards and backwards.
#pragma once

#include <cstdint>
#include <mutex>
#include <shared_mutex>

#include "90_ways.h"

namespace rung_90 {

// How an operand or C lies in memory, as far as a way's time depends on that: whether its rows can be read 16 bytes at
// a time, whole or but for their ends, and whether it is a vector for 75.
struct Layout {
    bool in_vectors = false, aligned = false, unit = false;

    bool operator==(const Layout&) const = default;
};

// All that a plan depends on: what is left out could make a call's bits depend on the calls before it. The costs are
// known by their address, at which they never change.
struct Question {
    const CostsOfGpu* costs = nullptr;
    int capability = 0, sms = 0, l2 = 0, memory = 0;
    int M, N, K, batch;
    uint32_t transpose_a = 0, transpose_b = 0;
    Layout a, b, c;
    bool arrays = false;
    bool turns = false;  // whether operands may be turned

    bool operator==(const Question&) const = default;
};

inline Question question_of(const solve_gemm_t& call, const CostsOfGpu& costs, const DeviceFigures& device,
                            bool turns) {
    Question asked{&costs, device.capability, device.sms,       device.l2,       device.memory, call.M, call.N,
                   call.K, call.batch,        call.transpose_a, call.transpose_b};
    const ladder::Vectors vectors(call);
    asked.arrays = has_arrays(call), asked.turns = turns && is_transposed(call);
    const auto layout = [&](bool in_vectors, const float* matrix, int64_t ld) {
        return Layout{in_vectors, !asked.arrays && ladder::aligned16(matrix, ld), ld == 1};
    };
    asked.a = layout(vectors.a, call.A, call.lda);
    asked.b = layout(vectors.b, call.B, call.ldb);
    asked.c = layout(vectors.c, call.C, call.ldc);
    return asked;
}

// For all threads together. Eight in each of 128 places; the ninth takes the oldest one's. Has no destructor: other
// threads may still multiply while the process ends.
class KeptPlans {
  public:
    // Of what was asked before, or of what make() returns, which must be the same every time.
    template <class Make>
    Plan find_or(const Question& question, Make make) {
        Place& place = places_[place_of(question)];
        {
            const std::shared_lock reading(lock_);
            for (const Answer& answer : place.answers) {
                if (answer.question == question) return answer.plan;
            }
        }
        const Plan plan = make();
        const std::unique_lock writing(lock_);
        place.answers[place.next] = {question, plan};
        place.next = (place.next + 1) % kAnswers;
        return plan;
    }

    // Of 128. Equal sizes in other forms are asked for one after the other: each has a place of its own.
    static unsigned place_of(const Question& question) {
        const unsigned form = (question.transpose_a == SOLVE_T) + 2 * (question.transpose_b == SOLVE_T) +
                              4 * question.a.in_vectors + 8 * question.b.in_vectors;
        unsigned hash = form;
        for (const int size : {question.M, question.N, question.K, question.batch}) hash = hash * 31 + unsigned(size);
        return hash * 2654435761u >> 25;
    }

  private:
    static constexpr int kAnswers = 8;

    struct Answer {
        Question question;
        Plan plan;
    };
    struct Place {
        Answer answers[kAnswers];
        int next;
    };
    std::shared_mutex lock_;
    Place places_[128] = {};
};

}  // namespace rung_90
