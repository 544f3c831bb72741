#include "shared_memory.h"

#include <cstring>
#include <new>

#include "../include/emulator/shared.h"
#include "block_runner.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#endif

namespace emulator {
namespace {

// Functions, because variables are numbered and setters registered by constructors that may run before this file's.
int& variable_count() {
    static int count = 0;
    return count;
}

std::vector<void (*)(void*)>& setters() {
    static std::vector<void (*)(void*)> all;
    return all;
}

constexpr int kNaNByte = 0xff;  // every float, double and half of such bytes is a NaN

}  // namespace

int new_shared_variable() {
    return variable_count()++;
}

bool at_block_start(void (*set)(void*)) {
    setters().push_back(set);
    return true;
}

void* allocate_shared(int variable, size_t bytes) {
    return current()->block->runner->allocate_shared(variable, bytes);
}

SharedMemory::SharedMemory() : memory_(static_cast<char*>(operator new (kSize, std::align_val_t{128}))) {}

SharedMemory::~SharedMemory() {
    ASAN_UNPOISON_MEMORY_REGION(memory_, kSize);
    operator delete (memory_, std::align_val_t{128});
}

void SharedMemory::start_block(size_t dynamic_bytes) {
    variables_.assign(variable_count(), nullptr);
    static_end_ = kStaticBegin;
    static_bytes_ = 0;
    ASAN_POISON_MEMORY_REGION(memory_, kSize);
    ASAN_UNPOISON_MEMORY_REGION(memory_ + kGap, dynamic_bytes);
    std::memset(memory_ + kGap, kNaNByte, dynamic_bytes);
    for (const auto set : setters()) set(memory_ + kGap);
}

void* SharedMemory::allocate(int variable, size_t bytes) {
    static_bytes_ += (bytes + 15) / 16 * 16;
    const size_t begin = static_end_, end = begin + (bytes + kGap - 1) / kGap * kGap + kGap;
    if (static_bytes_ > kDefault || end > kSize) return nullptr;
    static_end_ = end;
    ASAN_UNPOISON_MEMORY_REGION(memory_ + begin, bytes);
    std::memset(memory_ + begin, kNaNByte, bytes);
    return variables_[variable] = memory_ + begin;
}

}  // namespace emulator
