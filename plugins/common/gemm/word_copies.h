// A thread's copies, word by word, of tiles of an operand that lies in memory however: shared memory has them as
// [n][line], a line being a row of op(A) or a column of op(B).
#pragma once

#include "../ptx/cp_async.h"
#include "../ptx/opaque.h"

namespace ladder {

// kThreads threads copy steps of kN n of kLines lines. kAlongN: a line's words are contiguous; else those of one n
// do. Words of a thread at a constant stride share an address: the stride stands in the instruction.
template <int kLines, int kN, int kThreads, bool kAlongN>
class WordCopies {
    static constexpr int kSide = kAlongN ? 8 : kLines < 32 ? kLines : 32;  // adjacent threads
    static constexpr int kBesides = (kAlongN ? kN : kLines) / kSide;       // a thread's words side by side
    static constexpr int kStep = kThreads / kSide, kPasses = (kAlongN ? kLines : kN) / kStep;
    static_assert((kAlongN ? kLines : kN) % kStep == 0 && (kAlongN ? kN : kLines) % kSide == 0, "whole passes");

  public:
    __device__ __forceinline__ WordCopies(const float* matrix, int64_t ld, int first_n, int first_line, int all_lines)
        : n_(kAlongN ? threadIdx.x % kSide : threadIdx.x / kSide),
          line_(kAlongN ? threadIdx.x / kSide : threadIdx.x % kSide),
          next_(matrix + (first_line + line_) * (kAlongN ? ld : 1) + (first_n + n_) * (kAlongN ? 1 : ld)),
          of_n_(kAlongN ? 1 : ld),
          of_pass_(kStep * ld),
          lines_(all_lines - first_line - line_) {}

    // Goes on with another matrix, or other lines; or with none, if not `there`.
    __device__ __forceinline__ void move_to(const float* matrix, int64_t ld, int first_line, int all_lines,
                                            bool there) {
        next_ = matrix + (first_line + line_) * (kAlongN ? ld : 1) + n_ * (kAlongN ? 1 : ld);
        lines_ = there ? all_lines - first_line - line_ : 0;
    }

    // The next kN n, a part at a time: kParts parts in order, from own_word(). Lines that are not there are zero, and
    // all is zero if not `there`.
    template <int kParts>
    __device__ __forceinline__ void request_part(AsyncCopies& copies, float* own, int part, bool there) {
        constexpr int kWords = kBesides * kPasses;
        if (part == 0) from_ = next_;
#pragma unroll
        for (int word = part * kWords / kParts; word < (part + 1) * kWords / kParts; ++word) {
            request<Which::all>(copies, own, word, kN, there ? lines_ : 0);
        }
        if (part + 1 == kParts) next_ = kAlongN ? next_ + kN : from_;
    }

    // The next n, so many; the other ones of the step are zero.
    __device__ __forceinline__ void request_some(AsyncCopies& copies, float (&to)[kN][kLines + 4], int count) {
        from_ = next_;
#pragma unroll
        for (int word = 0; word < kBesides * kPasses; ++word) {
            request<Which::first>(copies, own_word(to), word, count, lines_);
        }
        next_ += count * of_n_;
    }

    // The same as the last n of the step.
    __device__ __forceinline__ void request_last(AsyncCopies& copies, float (&to)[kN][kLines + 4], int count) {
        from_ = next_ - (kN - count) * of_n_;
#pragma unroll
        for (int word = 0; word < kBesides * kPasses; ++word) {
            request<Which::last>(copies, own_word(to), word, count, lines_);
        }
        next_ += count * of_n_;
    }

    __device__ __forceinline__ float* own_word(float (&to)[kN][kLines + 4]) const {
        return &to[n_][line_];
    }

    // What the addresses are made of, for wait_for_kernel_before().
    __device__ __forceinline__ uint64_t computed() const {
        return reinterpret_cast<uintptr_t>(next_) | uint64_t(of_pass_);
    }

  private:
    enum class Which { all, first, last };  // n of a step, `count` of them

    template <Which kWhich>
    __device__ __forceinline__ void request(AsyncCopies& copies, float* own, int word, int count, int lines) {
        const int pass = word / kBesides, i = word % kBesides;
        const int n = kAlongN ? i * kSide : pass * kStep, line = kAlongN ? pass * kStep : i * kSide;
        const bool inside =
            line < lines && (kWhich == Which::all || (kWhich == Which::first ? n_ + n < count : n_ + n >= kN - count));
        copies.copy4(own + n * (kLines + 4) + line, from_ + i * kSide, inside);
        if (i + 1 == kBesides && (!kAlongN || pass + 1 < kPasses)) from_ = opaque(from_ + of_pass_);
    }

    const int n_, line_;  // the first word's, in a step
    const float *next_, *from_ = nullptr;
    const int64_t of_n_, of_pass_;  // floats from one n, and from one pass, to the next
    int lines_;                     // from the first one's on
};

}  // namespace ladder
