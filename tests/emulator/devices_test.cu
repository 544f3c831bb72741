// Several devices: whose memory, streams and events are whose.
#include <cuda_runtime.h>

#include <string>
#include <thread>

#include "../catch.h"
#include "environment.h"
#include "messages.h"

namespace {

__global__ void add_one(const float* from, float* to) {
    to[threadIdx.x] = from[threadIdx.x] + 1;
}

constexpr size_t kBytes = 4 * sizeof(float);

// `count` devices, of which 0 is current again at the end.
struct Devices {
    explicit Devices(int count) : number("EMULATOR_DEVICES", count) {}
    ~Devices() {
        cudaSetDevice(0);
        cudaGetLastError();
    }
    Environment number;
};

float* allocate_on(int device) {
    float* memory = nullptr;
    cudaSetDevice(device);
    REQUIRE(cudaMalloc(&memory, kBytes) == cudaSuccess);
    return memory;
}

// What a launch comes to, which leaves no fault behind.
std::string error_of_add(const float* from, float* to, cudaStream_t stream = nullptr) {
    add_one<<<1, 4, 0, stream>>>(from, to);
    const std::string text = cudaGetErrorString(cudaPeekAtLastError());
    cudaDeviceReset();
    return text;
}

}  // namespace

TEST_CASE("there is one device unless EMULATOR_DEVICES says how many") {
    int count = 0;
    CHECK(cudaGetDeviceCount(&count) == cudaSuccess);
    CHECK(count == 1);
    CHECK(cudaDeviceEnablePeerAccess(1, 0) == cudaErrorInvalidDevice);
    const Devices three(3);
    CHECK(cudaGetDeviceCount(&count) == cudaSuccess);
    CHECK(count == 3);
    CHECK(cudaSetDevice(2) == cudaSuccess);
    CHECK(cudaSetDevice(3) == cudaErrorInvalidDevice);
    int current = -1;
    CHECK(cudaGetDevice(&current) == cudaSuccess);
    CHECK(current == 2);
    std::thread([&] { cudaGetDevice(&current); }).join();
    CHECK(current == 0);  // of a thread that has chosen none
}

TEST_CASE("a kernel uses another device's memory only if peer access was enabled") {
    const Devices two(2);
    float *here = allocate_on(0), *there = allocate_on(1);  // 1 is current
    CHECK(error_of_add(there, there) == "no error");
    CHECK(contains(error_of_add(here, there),
                   "is given a pointer to memory of device 0 on device 1, its pointer "
                   "number 1: cudaDeviceEnablePeerAccess was not called"));
    int can = 0;
    CHECK(cudaDeviceCanAccessPeer(&can, 1, 0) == cudaSuccess);
    CHECK(can == 1);
    CHECK(cudaDeviceEnablePeerAccess(0, 0) == cudaSuccess);
    CHECK(cudaDeviceEnablePeerAccess(0, 0) == cudaErrorPeerAccessAlreadyEnabled);
    cudaGetLastError();
    CHECK(error_of_add(here, there) == "no error");
    CHECK(cudaDeviceDisablePeerAccess(0) == cudaSuccess);
    cudaFree(here);
    cudaFree(there);
}

TEST_CASE("a kernel on another device's stream, and an event recorded there, are errors; to wait for it is none") {
    const Devices two(2);
    cudaStream_t stream = nullptr;
    cudaEvent_t event = nullptr, elsewhere = nullptr;
    float* const here = allocate_on(0);
    REQUIRE(cudaEventCreate(&event) == cudaSuccess);
    cudaSetDevice(1);
    REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
    REQUIRE(cudaEventCreate(&elsewhere) == cudaSuccess);
    CHECK(cudaEventRecord(elsewhere, stream) == cudaSuccess);
    CHECK(cudaEventRecord(event, stream) == cudaErrorInvalidResourceHandle);
    cudaSetDevice(0);
    CHECK(error_of_add(here, here, stream) == "invalid resource handle");
    CHECK(cudaStreamWaitEvent(nullptr, elsewhere) == cudaSuccess);
    CHECK(cudaMemcpyAsync(here, here, 0, cudaMemcpyDefault, stream) == cudaSuccess);
    cudaStreamDestroy(stream);
    cudaEventDestroy(event);
    cudaEventDestroy(elsewhere);
    cudaFree(here);
}

TEST_CASE("copies between devices name the devices that the memory belongs to") {
    const Devices two(2);
    float *here = allocate_on(0), *there = allocate_on(1);
    const float values[4] = {1, 2, 3, 4};
    float back[4] = {};
    CHECK(cudaMemcpy(here, values, kBytes, cudaMemcpyHostToDevice) == cudaSuccess);
    CHECK(cudaMemcpyPeerAsync(there, 1, here, 0, kBytes, nullptr) == cudaSuccess);
    CHECK(cudaMemcpy(back, there, kBytes, cudaMemcpyDeviceToHost) == cudaSuccess);
    CHECK(back[3] == 4);
    CHECK(cudaMemcpyPeer(there, 0, here, 1, kBytes) == cudaErrorInvalidValue);
    CHECK(cudaMemcpyPeer(there, 2, here, 0, kBytes) == cudaErrorInvalidDevice);
    cudaPointerAttributes attributes;
    CHECK(cudaPointerGetAttributes(&attributes, there + 3) == cudaSuccess);
    CHECK((attributes.type == cudaMemoryTypeDevice && attributes.device == 1));
    cudaFree(here);
    cudaFree(there);
}

TEST_CASE("each device has the memory that EMULATOR_DEVICE_MEMORY gives it") {
    const Devices two(2);
    const Environment memory("EMULATOR_DEVICE_MEMORY", 1 << 20);
    void *most = nullptr, *other = nullptr, *pinned = nullptr;
    size_t free = 0, total = 0;
    CHECK(cudaMalloc(&most, 1 << 20) == cudaSuccess);
    CHECK(cudaMemGetInfo(&free, &total) == cudaSuccess);
    CHECK((free == 0 && total == 1 << 20));
    CHECK(cudaMalloc(&other, 1) == cudaErrorMemoryAllocation);
    CHECK(cudaMallocHost(&pinned, 1) == cudaSuccess);  // is the host's
    cudaSetDevice(1);
    CHECK(cudaMalloc(&other, 1 << 20) == cudaSuccess);
    CHECK(cudaFree(most) == cudaSuccess);  // from another device
    cudaSetDevice(0);
    CHECK(cudaMemGetInfo(&free, &total) == cudaSuccess);
    CHECK(free == 1 << 20);
    cudaFree(other);
    cudaFreeHost(pinned);
}

TEST_CASE("pinned and registered memory is known as the host's, other memory is not known") {
    float *pinned = nullptr, own[16] = {};
    const auto type_of = [](const void* pointer) {
        cudaPointerAttributes attributes;
        CHECK(cudaPointerGetAttributes(&attributes, pointer) == cudaSuccess);
        return attributes.type;
    };
    REQUIRE(cudaHostAlloc(&pinned, kBytes, cudaHostAllocPortable) == cudaSuccess);
    CHECK(type_of(pinned + 1) == cudaMemoryTypeHost);
    CHECK(type_of(own) == cudaMemoryTypeUnregistered);
    CHECK(cudaHostRegister(own, sizeof(own), cudaHostRegisterDefault) == cudaSuccess);
    CHECK(type_of(own + 15) == cudaMemoryTypeHost);
    CHECK(cudaHostUnregister(own) == cudaSuccess);
    CHECK(type_of(own) == cudaMemoryTypeUnregistered);
    cudaFreeHost(pinned);
}
