// The algorithms: as kernels of one thread, so that device memory may be what they work on; with or without a policy.
#pragma once

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>
#include <optional>
#include <type_traits>

#include "../cuda_runtime.h"

namespace thrust {

struct emulated_policy {
    template <class T>
    const emulated_policy& on(T) const {
        return *this;
    }
    template <class T>
    const emulated_policy& operator()(const T&) const {
        return *this;
    }
};
inline constexpr emulated_policy device, host, seq;
namespace cuda {
inline constexpr emulated_policy par, par_nosync;
}

namespace emulated {

template <class Work>
auto run(const char* name, Work work) {
    if (::emulator::is_device_code()) return work();
    const auto launch = [&](const auto& body) {
        ::emulator::launch({name, 1, 1, 0, nullptr,
                            [](const void* opaque) { (*static_cast<const std::decay_t<decltype(body)>*>(opaque))(); },
                            &body});
    };
    if constexpr (std::is_void_v<decltype(work())>) {
        launch([&] { work(); });
    } else {
        std::optional<decltype(work())> result;
        launch([&] { result.emplace(work()); });
        return result ? *result : decltype(work()){};
    }
}

template <class T>
concept Policy = std::is_same_v<T, emulated_policy>;

}  // namespace emulated

// The calls of the standard library, with its order of arguments.
#define EMULATOR_ALGORITHM(name, call)                                                  \
    template <class First, class... Others>                                             \
    requires(!emulated::Policy<First>) auto name(First first, Others... others) {       \
        return emulated::run("thrust::" #name, [&] { return call(first, others...); }); \
    }                                                                                   \
    template <class... Arguments>                                                       \
    auto name(const emulated_policy&, Arguments... arguments) {                         \
        return name(arguments...);                                                      \
    }
EMULATOR_ALGORITHM(copy, std::copy)
EMULATOR_ALGORITHM(copy_n, std::copy_n)
EMULATOR_ALGORITHM(count, std::count)
EMULATOR_ALGORITHM(count_if, std::count_if)
EMULATOR_ALGORITHM(equal, std::equal)
EMULATOR_ALGORITHM(exclusive_scan, std::exclusive_scan)
EMULATOR_ALGORITHM(fill, std::fill)
EMULATOR_ALGORITHM(fill_n, std::fill_n)
EMULATOR_ALGORITHM(for_each_n, std::for_each_n)
EMULATOR_ALGORITHM(generate, std::generate)
EMULATOR_ALGORITHM(inclusive_scan, std::inclusive_scan)
EMULATOR_ALGORITHM(inner_product, std::inner_product)
EMULATOR_ALGORITHM(max_element, std::max_element)
EMULATOR_ALGORITHM(min_element, std::min_element)
EMULATOR_ALGORITHM(reduce, std::reduce)
EMULATOR_ALGORITHM(sort, std::sort)
EMULATOR_ALGORITHM(stable_sort, std::stable_sort)
EMULATOR_ALGORITHM(transform, std::transform)

// With an order of their own.
namespace emulated {
template <class Iterator, class Work>
Iterator for_each(Iterator first, Iterator last, Work work) {
    std::for_each(first, last, work);
    return last;
}
template <class Iterator, class T = typename std::iterator_traits<Iterator>::value_type>
void sequence(Iterator first, Iterator last, T start = T(0), T step = T(1)) {
    for (; first != last; ++first, start = T(start + step)) *first = start;
}
template <class Iterator, class Unary, class T, class Binary>
T transform_reduce(Iterator first, Iterator last, Unary unary, T start, Binary binary) {
    for (; first != last; ++first) start = binary(start, unary(*first));
    return start;
}
}  // namespace emulated
EMULATOR_ALGORITHM(for_each, emulated::for_each)
EMULATOR_ALGORITHM(sequence, emulated::sequence)
EMULATOR_ALGORITHM(transform_reduce, emulated::transform_reduce)
#undef EMULATOR_ALGORITHM

// ---- What is commonly passed to them -------------------------------------------------------------------------------

using std::divides;
using std::equal_to;
using std::greater;
using std::less;
using std::minus;
using std::modulus;
using std::multiplies;
using std::negate;
using std::plus;
template <class T = void>
struct maximum {
    T operator()(const T& a, const T& b) const { return a < b ? b : a; }
};
template <class T = void>
struct minimum {
    T operator()(const T& a, const T& b) const { return b < a ? b : a; }
};
template <class T = void>
struct square {
    T operator()(const T& a) const { return a * a; }
};
template <class T = void>
struct identity {
    const T& operator()(const T& a) const { return a; }
};

template <class T>
class counting_iterator {
  public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = const T*;
    using reference = T;

    counting_iterator() = default;
    explicit counting_iterator(T value) : value_(value) {}
    T operator*() const { return value_; }
    T operator[](std::ptrdiff_t i) const { return T(value_ + i); }
    counting_iterator& operator++() { return *this += 1; }
    counting_iterator& operator--() { return *this += -1; }
    counting_iterator operator++(int) { return counting_iterator(value_++); }
    counting_iterator operator--(int) { return counting_iterator(value_--); }
    counting_iterator& operator+=(std::ptrdiff_t n) {
        value_ = T(value_ + n);
        return *this;
    }
    counting_iterator& operator-=(std::ptrdiff_t n) { return *this += -n; }
    friend counting_iterator operator+(counting_iterator a, std::ptrdiff_t n) { return a += n; }
    friend counting_iterator operator-(counting_iterator a, std::ptrdiff_t n) { return a -= n; }
    friend std::ptrdiff_t operator-(counting_iterator a, counting_iterator b) {
        return std::ptrdiff_t(a.value_) - std::ptrdiff_t(b.value_);
    }
    friend auto operator<=>(const counting_iterator&, const counting_iterator&) = default;

  private:
    T value_{};
};
template <class T>
counting_iterator<T> make_counting_iterator(T value) {
    return counting_iterator<T>(value);
}

}  // namespace thrust
