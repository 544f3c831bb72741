// What an inline PTX statement is rewritten to: its text becomes a Program, decoded once, and each execution runs that
// with the statement's operands.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>

#include "barrier.h"

namespace emulator::ptx {

struct Code;

class Program {
  public:
    explicit Program(const char* text, const char* file = __builtin_FILE(), int line = __builtin_LINE());
    ~Program();

    // The operands %0, %1, ... are registers[0], registers[1], ... and hold what they hold on a GPU: the low bits
    // count.
    void execute(uint64_t* registers) const;

  private:
    std::unique_ptr<const Code> code_;
    Place place_;
};

constexpr int kMostOperands = 64;

template <class T>
uint64_t bits_of(const T& value) {
    static_assert(sizeof(T) <= 8);
    uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(T));
    return bits;
}

template <class T>
struct Output {
    T& target;
    bool read;  // "+r"

    uint64_t before() const { return read ? bits_of(target) : 0; }
    void after(uint64_t bits) const { std::memcpy(const_cast<std::remove_cv_t<T>*>(&target), &bits, sizeof(T)); }
};
struct Input {
    uint64_t bits;

    uint64_t before() const { return bits; }
    void after(uint64_t) const {}
};

template <bool kRead, class T>
Output<T> output(T& target) {
    return {target, kRead};
}
// The constraint says how wide the register is: an int becomes one of 64 bits for "l".
template <char kConstraint, class T>
Input input(const T& value) {
    using Plain = std::decay_t<T>;
    if constexpr (std::is_array_v<T>) {
        return {reinterpret_cast<uint64_t>(&value)};
    } else if constexpr (kConstraint == 'f') {
        return {bits_of(static_cast<float>(value))};
    } else if constexpr (kConstraint == 'd') {
        return {bits_of(static_cast<double>(value))};
    } else if constexpr (std::is_integral_v<Plain> || std::is_enum_v<Plain>) {
        return {static_cast<uint64_t>(static_cast<int64_t>(value))};
    } else {
        return {bits_of(value)};
    }
}

template <class... Operands>
void run(const Program& program, Operands... operands) {
    static_assert(sizeof...(Operands) <= kMostOperands);
    uint64_t registers[kMostOperands];
    int next = 0;
    ((registers[next++] = operands.before()), ...);
    program.execute(registers);
    next = 0;
    ((operands.after(registers[next++])), ...);
}

}  // namespace emulator::ptx
