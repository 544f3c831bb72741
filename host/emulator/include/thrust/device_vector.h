// Vectors in managed memory, since the host reads and writes their elements; and what is commonly done with them.
#pragma once

#include <algorithm>
#include <new>
#include <numeric>
#include <vector>

#include "../cuda_runtime.h"

namespace emulator {

template <class T>
struct DeviceAllocator {
    using value_type = T;

    DeviceAllocator() = default;
    template <class U>
    DeviceAllocator(const DeviceAllocator<U>&) {}
    T* allocate(size_t count) {
        void* memory = nullptr;
        if (cudaMallocManaged(&memory, count * sizeof(T)) != cudaSuccess) throw std::bad_alloc();
        return static_cast<T*>(memory);
    }
    void deallocate(T* memory, size_t) { cudaFree(memory); }
    friend bool operator==(DeviceAllocator, DeviceAllocator) { return true; }
};

}  // namespace emulator

namespace thrust {

template <class T, class Allocator>
class vector : public std::vector<T, Allocator> {
  public:
    using std::vector<T, Allocator>::vector;
    vector() = default;
    template <class OtherAllocator>
    vector(const std::vector<T, OtherAllocator>& other) : std::vector<T, Allocator>(other.begin(), other.end()) {}
    template <class OtherAllocator>
    vector& operator=(const std::vector<T, OtherAllocator>& other) {
        this->assign(other.begin(), other.end());
        return *this;
    }
};
template <class T>
using device_vector = vector<T, ::emulator::DeviceAllocator<T>>;
template <class T>
using host_vector = vector<T, std::allocator<T>>;
template <class T>
using device_ptr = T*;

template <class T>
T* raw_pointer_cast(T* pointer) {
    return pointer;
}
template <class T>
T* device_pointer_cast(T* pointer) {
    return pointer;
}

using std::copy;
using std::fill;
using std::generate;
template <class Iterator>
void sequence(Iterator first, Iterator last) {
    std::iota(first, last, typename std::iterator_traits<Iterator>::value_type(0));
}

}  // namespace thrust
