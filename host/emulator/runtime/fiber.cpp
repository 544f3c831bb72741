#include "fiber.h"

#include <sys/mman.h>
#include <unistd.h>

#include <new>
#include <utility>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace emulator {

namespace {

struct StackAllocator {
    int number;

    // Aligned to its size, for current(); the rest of the mapping is given back. A guard page below each stack
    // turns an overflow into a fault.
    boost::context::stack_context allocate() {
        const size_t page = sysconf(_SC_PAGESIZE);
        const size_t mapped = 2 * kStackSize + page;
        void* memory =
            mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED) throw std::bad_alloc();
        const auto first = reinterpret_cast<uintptr_t>(memory);
        const uintptr_t bottom = (first + page + kStackSize - 1) / kStackSize * kStackSize;
        const uintptr_t guard = bottom - page, top = bottom + kStackSize;
        if (guard > first) munmap(memory, guard - first);
        if (first + mapped > top) munmap(reinterpret_cast<void*>(top), first + mapped - top);
        // May fail where the process has its 65530 mappings: no guard then.
        mprotect(reinterpret_cast<void*>(guard), page, PROT_NONE);
        boost::context::stack_context context;
        context.size = kStackSize + page;
        context.sp = reinterpret_cast<void*>(top);
        return context;
    }

    void deallocate(boost::context::stack_context& context) {
#ifdef __SANITIZE_ADDRESS__
        // munmap leaves the shadow as it is, and whatever is mapped here next would inherit it.
        ASAN_UNPOISON_MEMORY_REGION(static_cast<char*>(context.sp) - context.size, context.size);
#endif
        munmap(static_cast<char*>(context.sp) - context.size, context.size);
    }

    // Tops are staggered within one page, or the same frame of every thread would fall into the same few sets of the L1
    // cache.
    size_t stagger() const {
        return size_t(number % 21) * 192;
    }
};

}  // namespace

Fiber::Fiber(int number, void (*run)(Fiber&, void*), void* argument) {
    StackAllocator allocator{number};
    const boost::context::stack_context stack = allocator.allocate();
    const size_t usable = kStackSize - allocator.stagger();
    stack_bottom_ = static_cast<char*>(stack.sp) - kStackSize;
    stack_size_ = usable;
    slot_ = const_cast<Thread**>(static_cast<Thread* const*>(stack_bottom_));
    set_thread(nullptr);
    const boost::context::preallocated top(static_cast<char*>(stack.sp) - allocator.stagger(), usable, stack);
    context_ = boost::context::fiber(
        std::allocator_arg, top, allocator, [this, run, argument](boost::context::fiber&& caller) {
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
