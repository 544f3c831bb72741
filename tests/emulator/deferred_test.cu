// Work that is deferred runs in the orders that streams and events allow, and in many of them.
#include <cuda_runtime.h>

#include <set>
#include <string>
#include <thread>
#include <vector>

#include "../../host/emulator/runtime/deferred.h"
#include "../catch.h"
#include "environment.h"

namespace {

__global__ void set_later(float* value, float to) {
    *value = to;
}
__global__ void append(float* value, float digit) {
    *value = 10 * *value + digit;
}

struct Stream {
    explicit Stream(unsigned flags = cudaStreamNonBlocking) {
        REQUIRE(cudaStreamCreateWithFlags(&stream, flags) == cudaSuccess);
        REQUIRE(cudaEventCreateWithFlags(&event, cudaEventDisableTiming) == cudaSuccess);
    }
    ~Stream() {
        cudaStreamDestroy(stream);
        cudaEventDestroy(event);
    }
    cudaStream_t stream = nullptr;
    cudaEvent_t event = nullptr;
};

// The values that body(value) leaves in device memory with forty seeds.
template <class Body>
std::set<float> outcomes(Body body) {
    std::set<float> found;
    float* value = nullptr;
    REQUIRE(cudaMalloc(&value, sizeof(float)) == cudaSuccess);
    for (int seed = 1; seed <= 40; ++seed) {
        const Environment deferred("EMULATOR_DEFERRED", seed);
        set_later<<<1, 1>>>(value, 0);
        cudaDeviceSynchronize();
        body(value);
        float result = 0;
        cudaDeviceSynchronize();
        cudaMemcpy(&result, value, sizeof(float), cudaMemcpyDeviceToHost);
        found.insert(result);
    }
    cudaFree(value);
    return found;
}

using Values = std::set<float>;

}  // namespace

TEST_CASE("a stream keeps its order, two streams have none unless one waits for the other's event") {
    const Stream a, b;
    CHECK(outcomes([&](float* value) {
              append<<<1, 1, 0, a.stream>>>(value, 1);
              append<<<1, 1, 0, a.stream>>>(value, 2);
          }) == Values{12});
    CHECK(outcomes([&](float* value) {
              append<<<1, 1, 0, a.stream>>>(value, 1);
              append<<<1, 1, 0, b.stream>>>(value, 2);
          }) == Values{12, 21});
    CHECK(outcomes([&](float* value) {
              append<<<1, 1, 0, a.stream>>>(value, 1);
              cudaEventRecord(a.event, a.stream);
              cudaStreamWaitEvent(b.stream, a.event);
              append<<<1, 1, 0, b.stream>>>(value, 2);
          }) == Values{12});
    CHECK(outcomes([&](float* value) {  // the wait is for what the event stood for when it was asked for
              cudaEventRecord(a.event, a.stream);
              cudaStreamWaitEvent(b.stream, a.event);
              append<<<1, 1, 0, a.stream>>>(value, 1);
              cudaEventRecord(a.event, a.stream);
              append<<<1, 1, 0, b.stream>>>(value, 2);
          }) == Values{12, 21});
}

TEST_CASE("the default stream waits for blocking streams and they for it, but not for others") {
    for (const unsigned flags : {cudaStreamDefault, cudaStreamNonBlocking}) {
        const Stream other(flags);
        const Values found = outcomes([&](float* value) {
            append<<<1, 1, 0, other.stream>>>(value, 1);
            append<<<1, 1>>>(value, 2);
            append<<<1, 1, 0, other.stream>>>(value, 3);
        });
        CHECK(found.count(123) == 1);
        CHECK((found.size() == 1) == (flags == cudaStreamDefault));
    }
}

TEST_CASE("a pinned buffer is read and written when the copy runs, a pageable one before the call returns") {
    const Stream a;
    float* pinned = nullptr;
    REQUIRE(cudaMallocHost(&pinned, sizeof(float)) == cudaSuccess);
    const auto copy_and_overwrite = [&](float* from) {
        return [&a, from](float* value) {
            *from = 1;
            cudaMemcpyAsync(value, from, sizeof(float), cudaMemcpyHostToDevice, a.stream);
            *from = 2;  // nobody has waited
        };
    };
    std::vector<float> pageable(1);
    CHECK(outcomes(copy_and_overwrite(pinned)) == Values{1, 2});
    CHECK(outcomes(copy_and_overwrite(pageable.data())) == Values{1});

    std::set<float> early, waited;
    outcomes([&](float* value) {
        *pinned = 5;
        append<<<1, 1, 0, a.stream>>>(value, 7);
        cudaMemcpyAsync(pinned, value, sizeof(float), cudaMemcpyDeviceToHost, a.stream);
        early.insert(*pinned);
        cudaEventRecord(a.event, a.stream);
        cudaEventSynchronize(a.event);
        waited.insert(*pinned);
    });
    CHECK(early == Values{5, 7});
    CHECK(waited == Values{7});
    cudaFreeHost(pinned);
}

TEST_CASE("an event that has not come is not ready, and comes to whoever asks again") {
    const Environment deferred("EMULATOR_DEFERRED", 3);
    const Stream a;
    float* value = nullptr;
    REQUIRE(cudaMalloc(&value, sizeof(float)) == cudaSuccess);
    for (int i = 0; i < 20; ++i) set_later<<<1, 1, 0, a.stream>>>(value, i);
    cudaEventRecord(a.event, a.stream);
    CHECK(cudaEventQuery(a.event) == cudaErrorNotReady);
    while (cudaEventQuery(a.event) == cudaErrorNotReady) continue;
    CHECK(*value == 19);
    cudaFree(value);
}

TEST_CASE("threads enqueue and wait side by side") {
    const Environment deferred("EMULATOR_DEFERRED", 5), devices("EMULATOR_DEVICES", 3);
    std::vector<float> results(3);
    std::vector<std::thread> threads;
    for (int device = 0; device < 3; ++device) {
        threads.emplace_back([&results, device] {
            cudaSetDevice(device);
            cudaStream_t stream = nullptr;
            cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
            float* value = nullptr;
            cudaMalloc(&value, sizeof(float));
            cudaMemsetAsync(value, 0, sizeof(float), stream);
            for (int i = 0; i < 6; ++i) append<<<1, 1, 0, stream>>>(value, device + 1);
            cudaStreamSynchronize(stream);
            results[device] = *value;
            cudaStreamDestroy(stream);
            cudaFree(value);
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(results == std::vector<float>{111111, 222222, 333333});
}
