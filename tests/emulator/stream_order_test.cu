#include <cuda_runtime.h>

#include <string>

#include "../../host/emulator/runtime/stream.h"
#include "../catch.h"
#include "messages.h"

namespace {

__global__ void set_first(float* values) {
    values[threadIdx.x] = 1;
}

struct Handles {
    Handles() {
        REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
        REQUIRE(cudaEventCreate(&before) == cudaSuccess);
        REQUIRE(cudaEventCreate(&after) == cudaSuccess);
    }
    ~Handles() {
        cudaStreamDestroy(stream);
        cudaEventDestroy(before);
        cudaEventDestroy(after);
    }
    cudaStream_t stream = nullptr;
    cudaEvent_t before = nullptr, after = nullptr;
};

// What is said of a call that does this.
template <class Call>
std::string remark_on(Call call) {
    emulator::begin_ordered_call();
    call();
    return emulator::end_ordered_call();
}

constexpr const char* kTooEarly = "may begin while the default stream still writes";
constexpr const char* kTooLate = "may still be running when solve returns";

}  // namespace

TEST_CASE("work on a stream of its own must be ordered after the default stream's and before what follows") {
    const Handles on;
    float values[4] = {};
    const auto begin = [&] {
        cudaEventRecord(on.before);
        cudaStreamWaitEvent(on.stream, on.before);
    };
    const auto work = [&] { set_first<<<1, 4, 0, on.stream>>>(values); };
    const auto end = [&] {
        cudaEventRecord(on.after, on.stream);
        cudaStreamWaitEvent(nullptr, on.after);
    };
    CHECK(remark_on([&] { begin(), work(), end(); }) == "");
    CHECK(contains(remark_on([&] { work(), end(); }), kTooEarly));
    CHECK(contains(remark_on([&] { begin(), work(); }), kTooLate));
    CHECK(contains(remark_on([&] { begin(), end(), work(); }), kTooLate));
    CHECK(remark_on([&] { cudaDeviceSynchronize(), work(), cudaDeviceSynchronize(); }) == "");
    CHECK(remark_on([&] { begin(), work(), cudaStreamSynchronize(on.stream); }) == "");
    CHECK(contains(remark_on([&] { cudaStreamSynchronize(on.stream), work(), cudaStreamSynchronize(on.stream); }),
                   kTooEarly));
    CHECK(contains(remark_on([&] { begin(), work(), cudaStreamSynchronize(nullptr); }), kTooLate));
    CHECK(remark_on([&] { set_first<<<1, 4>>>(values); }) == "");
    CHECK(contains(remark_on([&] { cudaMemsetAsync(values, 0, sizeof(values), on.stream); }), kTooLate));
}

TEST_CASE("streams that wait for each other, and then the default stream for the last of them, are ordered") {
    const Handles on, other;
    float values[4] = {};
    CHECK(remark_on([&] {
              cudaEventRecord(on.before);
              cudaStreamWaitEvent(on.stream, on.before);
              set_first<<<1, 4, 0, on.stream>>>(values);
              cudaEventRecord(on.after, on.stream);
              cudaStreamWaitEvent(other.stream, on.after);
              set_first<<<1, 4, 0, other.stream>>>(values);
              cudaEventRecord(other.after, other.stream);
              cudaStreamWaitEvent(nullptr, other.after);
          }) == "");
}

TEST_CASE("streams and events are counted while they live") {
    const size_t before = emulator::live_streams_and_events();
    {
        const Handles handles;
        CHECK(emulator::live_streams_and_events() == before + 3);
    }
    CHECK(emulator::live_streams_and_events() == before);
}
