#include "../include/emulator/async_copy.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include "../include/emulator/shared.h"

namespace emulator {
namespace {

struct Copy {
    char* target;
    const char* source;
    size_t bytes, from_source;
    size_t group;
};
struct Queue {
    std::vector<Copy> copies;  // requested and not waited for, oldest first
    size_t group = 0;          // the one that the next commit closes
};

// Of the block that this OS thread executes, by the thread's number.
using Queues = std::unordered_map<unsigned, Queue>;
Queues& queues() {
    static thread_local Queues all;
    return all;
}
Queue& queue() {
    return queues()[current()->linear];
}

[[maybe_unused]] const bool copies_registered = at_block_start([](void*) { queues().clear(); });

}  // namespace

void async_copy(void* target, const void* source, size_t bytes, size_t from_source) {
    const bool size_exists = bytes == 4 || bytes == 8 || bytes == 16;
    const auto misaligned = [&](const void* address) { return reinterpret_cast<uintptr_t>(address) % bytes != 0; };
    if (!size_exists || misaligned(target) || (from_source > 0 && misaligned(source))) {
        throw std::runtime_error("an asynchronous copy of " + std::to_string(bytes) +
                                 " bytes: they must be 4, 8 or 16, and both addresses multiples of that");
    }
    std::memset(target, 0xff, bytes);
    Queue& mine = queue();
    mine.copies.push_back({static_cast<char*>(target), static_cast<const char*>(source), bytes,
                           std::min(bytes, from_source), mine.group});
}

void async_commit() {
    ++queue().group;
}

void async_wait(size_t newest) {
    Queue& mine = queue();
    auto copy = mine.copies.begin();
    for (; copy != mine.copies.end() && copy->group + newest < mine.group; ++copy) {
        std::memcpy(copy->target, copy->source, copy->from_source);
        std::memset(copy->target + copy->from_source, 0, copy->bytes - copy->from_source);
    }
    mine.copies.erase(mine.copies.begin(), copy);
}

}  // namespace emulator
