// Which memory is the device's. Here all is the process's own, and host code that reads through a device pointer would
// get away with it, as would a kernel that was given a host pointer. With EMULATOR_SEPARATE_MEMORY=1, which `compare`
// sets, device memory can only be accessed while a kernel runs, or the runtime copies; page by page, so that what
// shares a page with other memory stays open.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace emulator {

bool is_separate();

// By kernels. What is shared (pinned, managed) can be accessed by host code too, at any time. `none` is for what is not
// allocated yet in the order of the streams, or freed already.
enum class Access { none, read, write, shared };

// Memory is the device's from add to remove. The bytes need not fill whole pages.
void add_device_memory(const void* begin, size_t bytes, Access access);
void remove_device_memory(const void* begin);
void change_device_memory(const void* begin, Access access);

// While one exists device memory can be accessed.
class DeviceAccess {
  public:
    DeviceAccess();
    ~DeviceAccess();
    DeviceAccess(const DeviceAccess&) = delete;
    DeviceAccess& operator=(const DeviceAccess&) = delete;
};

// Device memory that not even kernels can access now.
bool is_unusable_memory(const void* address);

// Device memory that is not shared.
bool is_closed_memory(const void* address);

// Memory that kernels must not touch. Not so of null, of what no memory is at, of this library's variables, and of what
// lies next to device memory: a pointer may be to the end of a matrix, or a little before it.
bool is_host_memory(const void* address);

// Memory that neither cudaMalloc and its kin nor a caller of solve has given, nor a variable of this library.
bool is_ordinary_memory(const void* address);

struct Range {
    char* begin;
    size_t bytes;
};
// What kernels may write, of device memory alone.
std::vector<Range> writable_device_memory();

}  // namespace emulator
