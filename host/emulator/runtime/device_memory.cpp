#include "device_memory.h"

#include <dlfcn.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>

namespace emulator {
namespace {

constexpr uintptr_t kPage = 4096;

struct Region {
    uintptr_t begin, end;
    Access access;
};

std::mutex device_memory_mutex;
std::vector<Region> regions;
int accesses = 0;

// Of the pages that hold nothing else.
void protect(const Region& region, int protection) {
    if (region.access == Access::shared || !is_separate()) return;
    const uintptr_t begin = (region.begin + kPage - 1) / kPage * kPage, end = region.end / kPage * kPage;
    if (begin < end) mprotect(reinterpret_cast<void*>(begin), end - begin, protection);
}

void open(const Region& region) {
    const int protection = region.access == Access::none    ? PROT_NONE
                           : region.access == Access::write ? PROT_READ | PROT_WRITE
                                                            : PROT_READ;
    protect(region, protection);
}

void protect_all() {
    for (const Region& region : regions) accesses > 0 ? open(region) : protect(region, PROT_NONE);
}

// The variables of this library, among them those that are __device__ or __constant__.
bool is_own_variable(uintptr_t address) {
    Dl_info here{}, there{};
    const int known = dladdr(reinterpret_cast<const void*>(&is_separate), &here) &&
                      dladdr(reinterpret_cast<const void*>(address), &there);
    return known && here.dli_fbase == there.dli_fbase;
}

bool contains(const Region& region, uintptr_t address, uintptr_t margin = 0) {
    return address + margin >= region.begin && address < region.end + margin;
}

template <class Predicate>
bool any_region(Predicate predicate) {
    const std::lock_guard lock(device_memory_mutex);
    return std::any_of(regions.begin(), regions.end(), predicate);
}

// Whether the process could read there, if it is not the device's.
bool is_mapped(uintptr_t address) {
    const std::unique_ptr<FILE, int (*)(FILE*)> maps(std::fopen("/proc/self/maps", "r"), std::fclose);
    char line[512];
    while (maps && std::fgets(line, sizeof(line), maps.get())) {
        unsigned long begin = 0, end = 0;
        char access[5] = "";
        if (std::sscanf(line, "%lx-%lx %4s", &begin, &end, access) < 3) continue;
        if (address >= begin && address < end) return access[0] == 'r';
    }
    return false;
}

}  // namespace

bool is_separate() {
#ifdef __SANITIZE_ADDRESS__
    return false;
#else
    const char* text = std::getenv("EMULATOR_SEPARATE_MEMORY");
    return text && *text && std::string(text) != "0";
#endif
}

void add_device_memory(const void* begin, size_t bytes, Access access) {
    const std::lock_guard lock(device_memory_mutex);
    const uintptr_t first = reinterpret_cast<uintptr_t>(begin);
    regions.push_back({first, first + bytes, access});
    if (accesses == 0) protect(regions.back(), PROT_NONE);
}

void remove_device_memory(const void* begin) {
    const std::lock_guard lock(device_memory_mutex);
    const auto found = std::find_if(regions.begin(), regions.end(), [=](const Region& region) {
        return region.begin == reinterpret_cast<uintptr_t>(begin);
    });
    if (found == regions.end()) return;
    protect(*found, PROT_READ | PROT_WRITE);
    regions.erase(found);
    protect_all();  // another call's matrix may be the same one
}

void change_device_memory(const void* begin, Access access) {
    const std::lock_guard lock(device_memory_mutex);
    for (Region& region : regions) {
        if (region.begin == reinterpret_cast<uintptr_t>(begin)) region.access = access;
    }
    protect_all();
}

DeviceAccess::DeviceAccess() {
    const std::lock_guard lock(device_memory_mutex);
    if (accesses++ == 0) protect_all();
}

DeviceAccess::~DeviceAccess() {
    const std::lock_guard lock(device_memory_mutex);
    if (--accesses == 0) protect_all();
}

bool is_unusable_memory(const void* pointer) {
    const uintptr_t address = reinterpret_cast<uintptr_t>(pointer);
    return any_region([=](const Region& region) { return region.access == Access::none && contains(region, address); });
}

bool is_closed_memory(const void* pointer) {
    const uintptr_t address = reinterpret_cast<uintptr_t>(pointer);
    return any_region(
        [=](const Region& region) { return region.access != Access::shared && contains(region, address); });
}

bool is_host_memory(const void* pointer) {
    const uintptr_t address = reinterpret_cast<uintptr_t>(pointer);
    return !any_region([=](const Region& region) { return contains(region, address, kPage); }) &&
           !is_own_variable(address) && is_mapped(address);
}

bool is_ordinary_memory(const void* pointer) {
    const uintptr_t address = reinterpret_cast<uintptr_t>(pointer);
    return !any_region([=](const Region& region) { return contains(region, address); }) && !is_own_variable(address);
}

std::vector<Range> writable_device_memory() {
    const std::lock_guard lock(device_memory_mutex);
    std::vector<Range> ranges;
    for (const Region& region : regions) {
        if (region.access == Access::write)
            ranges.push_back({reinterpret_cast<char*>(region.begin), region.end - region.begin});
    }
    return ranges;
}

}  // namespace emulator
