// A matrix in a device's memory, between red zones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "device/device.h"

namespace judge {

// A quiet NaN that no arithmetic makes: what C holds before a call. What still has these bits was not written.
constexpr uint32_t kPoison = 0x7fedbeef;
// Another one for the red zones: a read past a matrix spreads NaN into C, a write changes the bits.
constexpr uint32_t kRedZone = 0x7fd00d1e;
// What no result may depend on.
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

// A matrix of `elements` floats with at least 4 KiB of red zone on both sides. In host memory it lies as near to the
// end of a page as 16 bytes allow, so that what is read past it is found even if nothing comes of it; and beyond the
// red zones lie 4 MiB or more that nobody uses, as far as there is address space: a write that goes astray by whole
// rows or tiles is found there, and does not spoil the judge's own memory.
class GuardedMatrix {
  public:
    // `misalignment` in floats, 0 to 63: how far data() is from a 256-byte boundary, in host memory from a 16-byte one.
    // Throws OutOfMemory.
    GuardedMatrix(Device& device, int64_t elements, int misalignment);
    ~GuardedMatrix();
    GuardedMatrix(const GuardedMatrix&) = delete;
    GuardedMatrix& operator=(const GuardedMatrix&) = delete;

    float* data() const { return memory_ + unused_ + before_; }
    size_t elements() const { return elements_; }

    // How many floats of the red zones have changed.
    size_t damage() const;

    // Around a call: where the device can tell, accesses to the red zones are noted, and those to the matrix that are
    // not allowed. The zones stay closed between calls, until somebody has been there: to close and open them took a
    // tenth of the judge's time.
    void arm(Access access = Access::any);
    void disarm();

    // What was noted since the last arm(): "read 16 bytes past the end of" this matrix; empty if nothing was.
    std::string trespass() const { return outside_; }
    bool was_written_outside() const { return wrote_outside_; }  // as far as that was noted
    // Whether its elements were accessed as arm() does not allow.
    bool misused() const { return misused_; }

  private:
    static constexpr size_t kZone = 1024;  // floats

    void allocate(size_t page);
    void note(const std::optional<Trespass>& found);
    bool is_trespassed() const;
    void open_zones();
    float* behind() const { return data() + elements_; }
    float* zone() const { return data() - before_; }
    size_t floats_behind() const { return size_ - before_ - elements_; }

    Device& device_;
    size_t elements_;
    size_t before_, size_;  // of the red zone before the matrix, and of it, the matrix and the other zone, in floats
    size_t unused_ = 0;     // floats on both sides of those
    float* memory_;
    Access armed_ = Access::any;
    bool zones_closed_ = false, were_trespassed_ = false;
    bool is_armed_ = false, misused_ = false, wrote_outside_ = false;
    std::string outside_;
};

}  // namespace judge
