#include "fiber.h"

#include <sys/mman.h>

#include <new>
#include <utility>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace emulator {

namespace {

// What boost asks for: a fiber's stack goes with those of its slab.
struct KeepsStack {
    void deallocate(boost::context::stack_context&) {}
};

}  // namespace

Stacks::~Stacks() {
    for (void* slab : slabs_) {
#ifdef __SANITIZE_ADDRESS__
        // munmap leaves the shadow as it is, and whatever is mapped here next would inherit it.
        for (size_t i = slab == slabs_.back() ? left_ : 0; i < kOfSlab; ++i) {
            ASAN_UNPOISON_MEMORY_REGION(stack(slab, i), kStackSize);
        }
#endif
        munmap(slab, kSlab);
    }
}

void* Stacks::next() {
    if (left_ == 0) {
        void* slab = mmap(nullptr, kSlab, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (slab == MAP_FAILED) throw std::bad_alloc();
        slabs_.push_back(slab);
        left_ = kOfSlab;
    }
    char* const next = stack(slabs_.back(), --left_);
    // May fail where the process has its 65530 mappings: no guard then.
    mprotect(next - kStackSize, kStackSize, PROT_NONE);
    return next;
}

char* Stacks::stack(void* slab, size_t i) {
    const auto first = reinterpret_cast<uintptr_t>(slab);
    return reinterpret_cast<char*>((first + kPlace - 1) / kPlace * kPlace + i * kPlace + kStackSize);
}

Fiber::Fiber(void* stack, void (*run)(Fiber&, void*), void* argument)
    : slot_(first_word(reinterpret_cast<uintptr_t>(stack))),
      stack_bottom_(stack),
      stack_size_(reinterpret_cast<char*>(slot_) - static_cast<char*>(stack)) {
    set_thread(nullptr);
    const boost::context::preallocated top(slot_, stack_size_, {});
    context_ = boost::context::fiber(
        std::allocator_arg, top, KeepsStack(), [this, run, argument](boost::context::fiber&& caller) {
            came_from_->context_ = std::move(caller);
            arrive();
            run(*this, argument);
            Fiber& next = *came_from_;
#ifdef __SANITIZE_ADDRESS__
            // Not null, which would free the fake stack that the return value lies on.
            __sanitizer_start_switch_fiber(&fake_stack_, next.stack_bottom_, next.stack_size_);
#endif
            return std::move(next.context_);
        });
}

void Fiber::leave_for([[maybe_unused]] Fiber& to) {
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_start_switch_fiber(&fake_stack_, to.stack_bottom_, to.stack_size_);
#endif
}

void Fiber::arrive() {
#ifdef __SANITIZE_ADDRESS__
    const void* bottom;
    size_t size;
    __sanitizer_finish_switch_fiber(fake_stack_, &bottom, &size);
    // Learns the bounds of the OS thread's stack, which differ from launch to launch.
    if (came_from_) {
        came_from_->stack_bottom_ = bottom;
        came_from_->stack_size_ = size;
    }
#endif
}

void Fiber::switch_to(Fiber& from, Fiber& to) {
    to.came_from_ = &from;
    from.leave_for(to);
    boost::context::fiber other = std::move(to.context_).resume();
    from.came_from_->context_ = std::move(other);
    from.arrive();
}

void Fiber::finish(Fiber& from, Fiber& to) {
    to.came_from_ = &from;
    from.leave_for(to);
    std::move(to.context_).resume();
    from.came_from_ = nullptr;
    from.arrive();
}

}  // namespace emulator
