// A stack that a CUDA thread runs on, and the switch between two of them.
#pragma once

#include <boost/context/fiber.hpp>
#include <cstddef>
#include <vector>

#include "../include/emulator/thread.h"

namespace emulator {

// Memory for stacks, each aligned to kStackSize, with as much below it that nobody may touch, which turns an overflow
// into a fault. It comes a slab at a time: with a mapping for each stack, the kernel's share of judging 20_shared_tile,
// whose blocks have 1024 threads, was 3.0 s of 4.7, and is 1.6 of 3.4.
class Stacks {
  public:
    Stacks() = default;
    ~Stacks();
    Stacks(const Stacks&) = delete;
    Stacks& operator=(const Stacks&) = delete;

    void* next();  // its lowest byte

  private:
    static constexpr size_t kOfSlab = 32, kPlace = 2 * kStackSize;
    static constexpr size_t kSlab = (kOfSlab + 1) * kPlace;  // with what aligning them may take

    static char* stack(void* slab, size_t i);

    std::vector<void*> slabs_;
    size_t left_ = 0;  // of the last one
};

// Symmetric: any fiber may switch to any other one of its block runner. The OS thread's own stack is a Fiber too, one
// without memory of its own.
class Fiber {
  public:
    Fiber() = default;                                               // the OS thread's stack
    Fiber(void* stack, void (*run)(Fiber&, void*), void* argument);  // starts at the first switch
    Fiber(const Fiber&) = delete;
    Fiber& operator=(const Fiber&) = delete;

    // Leaves `from`, which must be the one executing, for `to`; returns when somebody switches back.
    static void switch_to(Fiber& from, Fiber& to);

    // Switches to a fiber whose `run` then returns.
    static void finish(Fiber& from, Fiber& to);

    // The CUDA thread on this stack: what current() returns there. Not for an OS thread's own stack.
    Thread* thread() const { return *slot_; }
    void set_thread(Thread* thread) { *slot_ = thread; }
    const void* stack_bottom() const { return stack_bottom_; }

  private:
    void leave_for(Fiber& to);
    void arrive();

    boost::context::fiber context_;
    Fiber* came_from_ = nullptr;
    Thread** slot_ = nullptr;
    // AddressSanitizer must know which stack is in use.
    void* fake_stack_ = nullptr;
    const void* stack_bottom_ = nullptr;
    size_t stack_size_ = 0;
};

}  // namespace emulator
