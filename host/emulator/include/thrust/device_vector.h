// Vectors in managed memory, since the host reads and writes their elements.
#pragma once

#include <cstddef>
#include <iterator>
#include <new>
#include <type_traits>
#include <vector>

#include "../cuda_runtime.h"
#include "algorithms.h"

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

// A pointer to device memory that host code may use too, since a vector's memory is managed.
template <class T>
class device_ptr {
  public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = std::remove_const_t<T>;
    using difference_type = std::ptrdiff_t;
    using pointer = T*;
    using reference = T&;

    device_ptr() = default;
    explicit device_ptr(T* raw) : raw_(raw) {}
    T* get() const { return raw_; }
    T& operator*() const { return *raw_; }
    T& operator[](std::ptrdiff_t i) const { return raw_[i]; }
    device_ptr& operator++() { return *this += 1; }
    device_ptr& operator--() { return *this += -1; }
    device_ptr operator++(int) { return device_ptr(raw_++); }
    device_ptr operator--(int) { return device_ptr(raw_--); }
    device_ptr& operator+=(std::ptrdiff_t n) {
        raw_ += n;
        return *this;
    }
    device_ptr& operator-=(std::ptrdiff_t n) { return *this += -n; }
    friend device_ptr operator+(device_ptr a, std::ptrdiff_t n) { return a += n; }
    friend device_ptr operator+(std::ptrdiff_t n, device_ptr a) { return a += n; }
    friend device_ptr operator-(device_ptr a, std::ptrdiff_t n) { return a -= n; }
    friend std::ptrdiff_t operator-(device_ptr a, device_ptr b) { return a.raw_ - b.raw_; }
    friend auto operator<=>(const device_ptr&, const device_ptr&) = default;

  private:
    T* raw_ = nullptr;
};

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
using host_vector = vector<T, std::allocator<T>>;
template <class T>
class device_vector : public vector<T, ::emulator::DeviceAllocator<T>> {
    using Base = vector<T, ::emulator::DeviceAllocator<T>>;

  public:
    using Base::Base;
    using Base::operator=;
    device_vector() = default;
    device_ptr<T> data() { return device_ptr<T>(Base::data()); }
    device_ptr<const T> data() const { return device_ptr<const T>(Base::data()); }
};

template <class T>
T* raw_pointer_cast(T* pointer) {
    return pointer;
}
template <class T>
T* raw_pointer_cast(device_ptr<T> pointer) {
    return pointer.get();
}
template <class T>
device_ptr<T> device_pointer_cast(T* pointer) {
    return device_ptr<T>(pointer);
}
template <class T>
device_ptr<T> device_pointer_cast(device_ptr<T> pointer) {
    return pointer;
}

}  // namespace thrust
