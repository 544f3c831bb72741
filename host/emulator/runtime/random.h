// A random generator whose orders are the same on every machine.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace emulator {

// splitmix64
class Random {
  public:
    explicit Random(uint64_t seed) : state_(seed) {}

    uint64_t next() {
        uint64_t z = state_ += 0x9e3779b97f4a7c15;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return z ^ (z >> 31);
    }

    // Shuffles the values from index `first` on.
    template <class T>
    void shuffle(std::vector<T>& values, size_t first = 0) {
        for (size_t count = values.size() - first; count > 1; --count) {
            std::swap(values[first + count - 1], values[first + ((next() >> 32) * count >> 32)]);
        }
    }

  private:
    uint64_t state_;
};

}  // namespace emulator
