#include "shared_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <string_view>

#include "../include/emulator/memory_access.h"
#include "../include/emulator/shared.h"
#include "block_runner.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#define ASAN_POISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#endif

namespace emulator {
namespace {

// Functions, because variables are numbered and setters registered by constructors that may run before this file's.
std::vector<std::string_view>& variable_names() {
    static std::vector<std::string_view> names;
    return names;
}

std::vector<void (*)(void*)>& setters() {
    static std::vector<void (*)(void*)> all;
    return all;
}

constexpr int kNaNByte = 0xff;               // every float, double and half of such bytes is a NaN
constexpr uint32_t kZoneWord = 0x7ff87fd1u;  // another NaN of each, so that writing the first is seen

// "float (&)[8][32]" and "key of the variable `tile`" are in the compiler's name of the key: the variable's name.
std::string name_of(int variable) {
    const std::string_view key = variable_names()[variable];
    const size_t end = key.find("_emulated_key");
    if (end == key.npos) return "a shared variable";
    const size_t begin = key.find_last_of(": <,=", end) + 1;
    return std::string(key.substr(begin, end - begin));
}

size_t round_up(size_t value, size_t unit) {
    return (value + unit - 1) / unit * unit;
}

}  // namespace

int new_shared_variable(const char* key) {
    variable_names().push_back(key);
    return static_cast<int>(variable_names().size()) - 1;
}

bool at_block_start(void (*set)(void*)) {
    setters().push_back(set);
    return true;
}

void* allocate_shared(int variable, size_t bytes, size_t alignment) {
    return current()->block->runner->allocate_shared(variable, bytes, alignment);
}

SharedMemory::SharedMemory() {
    void* const mapping =
        mmap(nullptr, kAlignment + kSize, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping == MAP_FAILED) throw std::bad_alloc();
    mapping_ = static_cast<char*>(mapping);
    memory_ = reinterpret_cast<char*>(round_up(reinterpret_cast<uintptr_t>(mapping_), kAlignment));
    mprotect(memory_ + kStatic, kStaticSize, PROT_READ | PROT_WRITE);
}

SharedMemory::~SharedMemory() {
    ASAN_UNPOISON_MEMORY_REGION(memory_, kSize);
    munmap(mapping_, kAlignment + kSize);
}

// From the first page on that the launch did not ask for, the dynamic part cannot be accessed.
void SharedMemory::open_dynamic(size_t bytes) {
    const size_t wanted = round_up(bytes, kPage);
    if (wanted == open_bytes_) return;
    char* const begin = memory_ + kDynamic;
    mprotect(begin, std::max(wanted, open_bytes_), PROT_NONE);
    mprotect(begin, wanted, PROT_READ | PROT_WRITE);
    open_bytes_ = wanted;
}

void SharedMemory::add_zone(const Zone& zone) {
#ifdef __SANITIZE_ADDRESS__
    ASAN_POISON_MEMORY_REGION(zone.begin, zone.end - zone.begin);
#else
    std::fill(reinterpret_cast<uint32_t*>(zone.begin), reinterpret_cast<uint32_t*>(zone.end), kZoneWord);
#endif
    zones_.push_back(zone);
}

void SharedMemory::start_block(size_t dynamic_bytes) {
    ASAN_UNPOISON_MEMORY_REGION(memory_, kSize);
    variables_.assign(variable_names().size(), nullptr);
    zones_.clear();
    open_dynamic(dynamic_bytes);
    char* const dynamic = memory_ + kDynamic;
    std::memset(dynamic, kNaNByte, dynamic_bytes);
    std::memset(dynamic + dynamic_bytes, kNaNByte, round_up(dynamic_bytes, 4) - dynamic_bytes);
    add_zone({kDynamicPart, dynamic_bytes, dynamic + round_up(dynamic_bytes, 4), dynamic + open_bytes_});
    static_bytes_ = 0;
    static_end_ = kStatic + kZone;
    add_zone({kBefore, 0, memory_ + kStatic, memory_ + static_end_});
    for (const auto set : setters()) set(dynamic);
}

void* SharedMemory::allocate(int variable, size_t bytes, size_t alignment) {
    static_bytes_ += round_up(bytes, 16);
    const size_t begin = round_up(static_end_, std::clamp(alignment, kLeast, kAlignment));
    const size_t end = begin + round_up(bytes, 4), zone_end = round_up(end, kLeast) + kZone;
    if (static_bytes_ > kDefault || zone_end > kSize || zones_.size() > kVariables + 1) return nullptr;
    static_end_ = zone_end;
    std::memset(memory_ + begin, kNaNByte, end - begin);
    add_zone({variable, bytes, memory_ + end, memory_ + zone_end});
    return variables_[variable] = memory_ + begin;
}

std::string SharedMemory::overrun() const {
    if constexpr (kSanitized) return {};  // which sees such a write when it is made
    for (const Zone& zone : zones_) {
        const uint32_t* const begin = reinterpret_cast<const uint32_t*>(zone.begin);
        const uint32_t* const end = reinterpret_cast<const uint32_t*>(zone.end);
        const uint32_t* const damaged = std::find_if(begin, end, [](uint32_t word) { return word != kZoneWord; });
        if (damaged == end) continue;
        if (zone.variable == kBefore) return "wrote before its first shared array";
        const std::string of = zone.variable == kDynamicPart ? "the dynamic shared memory that the launch asked for, "
                                                             : "the shared array " + name_of(zone.variable) + ", ";
        return "wrote past the end of " + of + std::to_string(zone.bytes) + " bytes: at byte " +
               std::to_string(reinterpret_cast<const char*>(damaged) - zone.begin + round_up(zone.bytes, 4));
    }
    return {};
}

bool is_shared_memory(const void* address) {
    return SharedMemory::is_within(current()->block->dynamic_shared, address);
}

}  // namespace emulator
