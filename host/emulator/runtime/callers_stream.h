// The caller's end of the stream that a call is made on. Here every launch has ended when it returns, so a kernel on
// another stream than the caller's would be as right as any. With EMULATOR_CALLERS_ORDER=first or =last, which
// `compare` sets for some calls, the call's work is deferred. The matrices are written on the caller's stream before
// it, and C is copied from there after it, all of which comes before, or after, what other streams hold, as far as
// events and waits allow. So work that is not ordered with that stream meets NaN, or comes too late for C; and memory
// that is freed on another stream than the one that uses it is freed too early, with one of the two.
//
// With EMULATOR_CALLERS_ORDER=beside an entry that takes a stream is called once more, with other numbers, on another
// stream, and the work of both is done by turns: memory that they share holds what the other one's work has left there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "../include/cuda_runtime_api.h"
#include "deferred.h"
#include "faults.h"

namespace emulator {

class CallersStream {
  public:
    // What the caller gave; where that is null, a call of an entry that takes one gets a stream of
    // cudaStreamNonBlocking, and `solve` the default stream.
    enum class Entry { takes_stream, takes_none };
    CallersStream(Entry entry, void* given);
    ~CallersStream();  // waits for all work
    CallersStream(const CallersStream&) = delete;
    CallersStream& operator=(const CallersStream&) = delete;

    cudaStream_t stream() const { return stream_; }

    // With `beside`: makes the call once more, whose C is dropped. Before this, `call` was made.
    template <class Call>
    void call_again_beside(Call call) {
        if (!is_beside_) return;
        begin_second();
        call();
    }

    bool is_second() const { return is_second_; }  // which gets no workspace of the caller's

    // In place of the caller's matrix one that has its elements from the stream's point of view. Of null or nothing,
    // without the variable, and where there is no memory, the caller's own.
    const float* input(const float* matrix, size_t floats);
    float* output(float* matrix, size_t floats);

  private:
    void begin_second();
    float* stand_in(const float* matrix, size_t floats);
    void enqueue_copy(float* target, const float* source, size_t floats) const;

    struct Output {
        float *matrix, *stand_in;
        size_t floats;
    };

    cudaStream_t stream_;
    bool is_beside_ = false, is_second_ = false;
    std::optional<FaultTrap> trap_;
    std::optional<OrderAround> order_;  // where the variable is set
    std::vector<void*> memory_;
    std::vector<Output> outputs_;
};

// Elements from the first to the last one of a matrix, of a batch too; 0 where there are none.
size_t extent(int64_t rows, int64_t columns, int64_t leading, int64_t matrices = 1, int64_t stride = 0);

}  // namespace emulator
