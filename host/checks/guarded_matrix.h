// A matrix in a device's memory, between red zones.
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/device.h"

namespace judge {

// A quiet NaN that no arithmetic makes: what C holds before a call. What still has these bits was not written.
constexpr uint32_t kPoison = 0x7fedbeef;
// Another one for the red zones: a read past a matrix spreads NaN into C, a write changes the bits.
constexpr uint32_t kRedZone = 0x7fd00d1e;

// A matrix of `elements` floats with 4 KiB of red zone on both sides.
class GuardedMatrix {
  public:
    // `misalignment` in floats, 0 to 63: how far data() is from a 256-byte boundary. Throws OutOfMemory.
    GuardedMatrix(Device& device, int64_t elements, int misalignment);
    ~GuardedMatrix();
    GuardedMatrix(const GuardedMatrix&) = delete;
    GuardedMatrix& operator=(const GuardedMatrix&) = delete;

    float* data() const { return memory_ + before_; }
    size_t elements() const { return elements_; }

    // How many floats of the red zones have changed.
    size_t damage() const;

    // Around a call: where the device can, an access to a red zone is made an error at once.
    void arm() const;
    void disarm() const;

  private:
    static constexpr size_t kZone = 1024;  // floats

    Device& device_;
    size_t elements_;
    size_t before_;
    float* memory_;
};

}  // namespace judge
