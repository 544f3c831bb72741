// The devices that there are: EMULATOR_DEVICES of them, 1 if that is not set, each with EMULATOR_DEVICE_MEMORY bytes,
// else with what the machine has. A thread has one of them current, at first device 0.
//
// Device memory, a stream and an event belong to the device that was current when they were made, and a kernel runs on
// the current one: a launch on another device's stream, or with a pointer to the memory of one whose peer access was
// not enabled, is the error that it is on GPUs. With EMULATOR_NO_PEERS=1 none can have access to another. `__device__`
// variables are there once, for all devices.
#pragma once

#include <cstddef>

namespace emulator {

constexpr int kMostDevices = 64;

int device_count();
bool is_device(int number);
int current_device();
size_t memory_of_device();  // bytes

// Whether kernels of `device` may use the memory of `owner`.
bool has_access(int device, int owner);

}  // namespace emulator
