#include "devices.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>

#include "../include/cuda_runtime_api.h"
#include "error.h"

namespace emulator {
namespace {

thread_local int own_device = 0;
std::atomic<bool> peers[kMostDevices][kMostDevices];  // [device][owner]

unsigned long long number_in(const char* variable) {
    const char* const text = std::getenv(variable);
    return text && *text ? std::strtoull(text, nullptr, 10) : 0;
}

bool has_no_peers() {
    return number_in("EMULATOR_NO_PEERS") > 0;
}

}  // namespace

int device_count() {
    return static_cast<int>(std::clamp<unsigned long long>(number_in("EMULATOR_DEVICES"), 1, kMostDevices));
}

bool is_device(int number) {
    return number == 0 || (number > 0 && number < device_count());
}

int current_device() {
    return own_device;
}

size_t memory_of_device() {
    const size_t asked = number_in("EMULATOR_DEVICE_MEMORY");
    return asked > 0 ? asked : static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
}

bool has_access(int device, int owner) {
    return device == owner || peers[device][owner];
}

}  // namespace emulator

using emulator::has_no_peers;
using emulator::is_device;
using emulator::record;
using emulator::success_or_fault;

cudaError_t cudaGetDevice(int* device) {
    if (!device) return record(cudaErrorInvalidValue);
    *device = emulator::own_device;
    return success_or_fault();
}

cudaError_t cudaSetDevice(int device) {
    if (!is_device(device)) return record(cudaErrorInvalidDevice);
    emulator::own_device = device;
    return success_or_fault();
}

cudaError_t cudaGetDeviceCount(int* count) {
    if (!count) return record(cudaErrorInvalidValue);
    *count = emulator::device_count();
    return success_or_fault();
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
    if (!can) return record(cudaErrorInvalidValue);
    if (!is_device(device) || !is_device(peer)) return record(cudaErrorInvalidDevice);
    *can = device != peer && !has_no_peers();
    return success_or_fault();
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags) {
    if (flags != 0) return record(cudaErrorInvalidValue);
    if (!is_device(peer) || peer == emulator::own_device) return record(cudaErrorInvalidDevice);
    if (has_no_peers()) return record(cudaErrorPeerAccessUnsupported);
    if (emulator::peers[emulator::own_device][peer].exchange(true)) return record(cudaErrorPeerAccessAlreadyEnabled);
    return success_or_fault();
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
    if (!is_device(peer) || peer == emulator::own_device) return record(cudaErrorInvalidDevice);
    if (!emulator::peers[emulator::own_device][peer].exchange(false)) return record(cudaErrorPeerAccessNotEnabled);
    return success_or_fault();
}
