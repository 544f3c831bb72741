// Work in a copy of the process, which ends with it: what a plugin does there, the process does not see.
#pragma once

#include <cstdint>
#include <functional>
#include <new>
#include <type_traits>

namespace judge {

// Does the work in a copy of this process, without its threads, and waits for that. The copy may take so many
// milliseconds of CPU time, and 5 s; what it writes to standard output and error is lost. Whether the work came to an
// end, or called end_copy(). False too under AddressSanitizer, where nothing is done. A plugin must not have been
// called before, since its threads are not in the copy.
bool run_in_copy(int milliseconds, const std::function<void()>& work);

// In the copy: so many milliseconds from now on.
void extend_copy(int milliseconds);

// Ends the copy, as if the work had come to its end. For handlers of signals too.
[[noreturn]] void end_copy();

// Memory that is the same in the copies of the process, for what is found out there.
template <class T>
class SharedWithCopies {
  public:
    static_assert(std::is_trivially_destructible_v<T>);
    SharedWithCopies();
    ~SharedWithCopies();
    SharedWithCopies(const SharedWithCopies&) = delete;
    SharedWithCopies& operator=(const SharedWithCopies&) = delete;
    T& operator*() const { return *value_; }
    T* operator->() const { return value_; }

  private:
    T* value_;
};

// Throws std::bad_alloc.
void* allocate_shared_with_copies(size_t bytes);
void release_shared_with_copies(void* memory, size_t bytes);

// Memory of which this process sees what copies wrote.
class SharedMatrix {
  public:
    explicit SharedMatrix(int64_t elements)
        : bytes_(size_t(elements) * sizeof(float)), data_(static_cast<float*>(allocate_shared_with_copies(bytes_))) {}
    ~SharedMatrix() { release_shared_with_copies(data_, bytes_); }
    SharedMatrix(const SharedMatrix&) = delete;
    SharedMatrix& operator=(const SharedMatrix&) = delete;
    float* data() const { return data_; }

  private:
    size_t bytes_;
    float* data_;
};

template <class T>
SharedWithCopies<T>::SharedWithCopies() : value_(new (allocate_shared_with_copies(sizeof(T))) T()) {}
template <class T>
SharedWithCopies<T>::~SharedWithCopies() {
    release_shared_with_copies(value_, sizeof(T));
}

}  // namespace judge
