// What CUDA refuses while a stream is captured into a graph.
#include "../../host/emulator/runtime/capture.h"

#include <cstdlib>
#include <string>

#include "../catch.h"
#include "environment.h"

namespace {

__global__ void set_one(float* value) {
    *value = 1;
}

// What `call`, given a stream that is said to be captured, is told.
template <class Call>
std::string refused_to(Call call) {
    const Environment captured("EMULATOR_CAPTURE", 1);
    {
        const emulator::Capture capture(nullptr);
        call(capture.stream());
    }
    const char* const text = emulator::take_refused_in_capture();
    return text ? text : "";
}

}  // namespace

TEST_CASE("a captured stream is said to be, and launches on it are as ever") {
    float value = 0;
    CHECK(refused_to([&](cudaStream_t stream) {
              cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
              CHECK(cudaStreamIsCapturing(stream, &status) == cudaSuccess);
              CHECK(status == cudaStreamCaptureStatusActive);
              set_one<<<1, 1, 0, stream>>>(&value);
              void* memory = nullptr;
              CHECK(cudaMallocAsync(&memory, 64, stream) == cudaSuccess);
              CHECK(cudaFreeAsync(memory, stream) == cudaSuccess);
          }) == "");
    CHECK(value == 1);
}

TEST_CASE("what waits, allocates or works elsewhere is refused while a stream is captured, and named") {
    const std::string why = ", which CUDA refuses while a stream is captured";
    void* memory = nullptr;
    float value = 0;
    cudaEvent_t event = nullptr;
    REQUIRE(cudaEventCreate(&event) == cudaSuccess);
    CHECK(refused_to([](cudaStream_t stream) {
              CHECK(cudaStreamSynchronize(stream) == cudaErrorStreamCaptureUnsupported);
          }) == "cudaStreamSynchronize" + why);
    CHECK(refused_to([](cudaStream_t) { cudaDeviceSynchronize(); }) == "cudaDeviceSynchronize" + why);
    CHECK(refused_to([&](cudaStream_t stream) {
              cudaEventRecord(event, stream);
              cudaEventSynchronize(event);
          }) == "cudaEventSynchronize" + why);
    CHECK(refused_to([&](cudaStream_t) { cudaMalloc(&memory, 64); }) == "cudaMalloc" + why);
    CHECK(refused_to([&](cudaStream_t) { set_one<<<1, 1>>>(&value); }) == "a launch on the default stream" + why);
    CHECK(memory == nullptr);
    CHECK(value == 0);
    CHECK(cudaGetLastError() == cudaSuccess);
    CHECK(cudaStreamSynchronize(nullptr) == cudaSuccess);
    CHECK(cudaEventDestroy(event) == cudaSuccess);
}

TEST_CASE("a thread whose capture mode is relaxed may allocate") {
    CHECK(refused_to([](cudaStream_t) {
              cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
              void* memory = nullptr;
              CHECK(cudaThreadExchangeStreamCaptureMode(&mode) == cudaSuccess);
              CHECK(cudaMalloc(&memory, 64) == cudaSuccess);
              CHECK(cudaFree(memory) == cudaSuccess);
              CHECK(cudaThreadExchangeStreamCaptureMode(&mode) == cudaSuccess);
          }) == "");
}
