#include "checks/plugin_allocations.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <new>

#include "library/imports.h"

namespace judge {

namespace {

int allocations = 0;
bool has_failed = false;
FailingAllocations failing;

bool fails() {
    const int number = ++allocations;
    return failing.first > 0 && (failing.all ? number >= failing.first : number == failing.first);
}

void* noted(void* memory) {
    has_failed = has_failed || !memory;
    return memory;
}

void* no_memory() {
    errno = ENOMEM;
    return noted(nullptr);
}

void* watched_malloc(size_t bytes) {
    return fails() ? no_memory() : noted(std::malloc(bytes));
}
void* watched_calloc(size_t count, size_t bytes) {
    return fails() ? no_memory() : noted(std::calloc(count, bytes));
}
void* watched_realloc(void* memory, size_t bytes) {
    return fails() ? no_memory() : noted(std::realloc(memory, bytes));
}
void* watched_aligned_alloc(size_t alignment, size_t bytes) {
    return fails() ? no_memory() : noted(std::aligned_alloc(alignment, bytes));
}
int watched_posix_memalign(void** memory, size_t alignment, size_t bytes) {
    const int error = fails() ? ENOMEM : posix_memalign(memory, alignment, bytes);
    has_failed = has_failed || error == ENOMEM;
    return error;
}
void* watched_nothrow_new(size_t bytes, const std::nothrow_t&) noexcept {
    return noted(fails() ? nullptr : ::operator new(bytes, std::nothrow));
}
void* watched_aligned_nothrow_new(size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
    return noted(fails() ? nullptr : ::operator new(bytes, alignment, std::nothrow));
}
void* watched_new(size_t bytes) {
    if (void* const memory = watched_nothrow_new(bytes, std::nothrow)) return memory;
    throw std::bad_alloc();
}
void* watched_aligned_new(size_t bytes, std::align_val_t alignment) {
    if (void* const memory = watched_aligned_nothrow_new(bytes, alignment, std::nothrow)) return memory;
    throw std::bad_alloc();
}

template <class Function>
void* address(Function* function) {
    return reinterpret_cast<void*>(function);
}

// Arrays by the same functions, which the library's own operators delete.
const Import kAllocations[] = {
    {"malloc", address(watched_malloc)},
    {"calloc", address(watched_calloc)},
    {"realloc", address(watched_realloc)},
    {"aligned_alloc", address(watched_aligned_alloc)},
    {"memalign", address(watched_aligned_alloc)},
    {"posix_memalign", address(watched_posix_memalign)},
    {"_Znwm", address(watched_new)},
    {"_Znam", address(watched_new)},
    {"_ZnwmSt11align_val_t", address(watched_aligned_new)},
    {"_ZnamSt11align_val_t", address(watched_aligned_new)},
    {"_ZnwmRKSt9nothrow_t", address(watched_nothrow_new)},
    {"_ZnamRKSt9nothrow_t", address(watched_nothrow_new)},
    {"_ZnwmSt11align_val_tRKSt9nothrow_t", address(watched_aligned_nothrow_new)},
    {"_ZnamSt11align_val_tRKSt9nothrow_t", address(watched_aligned_nothrow_new)},
};

}  // namespace

std::string FailingAllocations::text() const {
    if (all) return "none of its allocations gets memory";
    return fmt::format("its allocation number {} gets no memory", first);
}

bool watch_allocations(void* library, const FailingAllocations& which) {
    if (!replace_imports(library, kAllocations)) return false;
    failing = which;
    allocations = 0;
    has_failed = false;
    return true;
}

void let_allocations_pass() {
    failing = {};
}

int allocations_watched() {
    return allocations;
}

bool has_allocation_failed() {
    return has_failed;
}

}  // namespace judge
