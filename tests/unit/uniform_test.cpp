#include "host/uniform.h"

#include <cmath>
#include <set>

#include "tests/catch.h"

using judge::uniform;

TEST_CASE("uniform numbers lie in [-1, 1) and are multiples of 2^-23") {
    float least = 1, most = -1;
    for (uint64_t i = 0; i < 200'000; ++i) {
        const float value = uniform(5, i);
        least = std::min(least, value);
        most = std::max(most, value);
        const float steps = value * 0x1p23f;
        if (steps != std::floor(steps)) FAIL("element " << i << " is " << value);
    }
    CHECK(least >= -1.0f);
    CHECK(least < -0.999f);
    CHECK(most < 1.0f);
    CHECK(most > 0.999f);
}

TEST_CASE("uniform numbers have the mean and the variance of the uniform distribution") {
    constexpr int kCount = 1'000'000;
    double sum = 0, squares = 0;
    for (int i = 0; i < kCount; ++i) {
        const double value = uniform(17, i);
        sum += value;
        squares += value * value;
    }
    CHECK(std::abs(sum / kCount) < 5 / std::sqrt(3.0 * kCount));
    CHECK(squares / kCount == Approx(1.0 / 3).epsilon(0.005));
}

TEST_CASE("a number depends on all 64 bits of the seed and of the index") {
    CHECK(uniform(1, 123'456'789'012) == uniform(1, 123'456'789'012));
    CHECK(uniform(1, 0) != uniform(1, uint64_t{1} << 32));  // the index is not cut to 32 bits
    CHECK(uniform(1, 0) != uniform(1 + (uint64_t{1} << 32), 0));
}

TEST_CASE("streams of neighbouring seeds share no numbers, shifted or not") {
    constexpr int kCount = 1000;
    std::set<float> first;
    for (int i = 0; i < kCount; ++i) first.insert(uniform(40, i));
    CHECK(first.size() > kCount - 5);
    int shared = 0;
    for (int i = 0; i < kCount; ++i) shared += int(first.count(uniform(41, i)));
    CHECK(shared < 5);

    double correlation = 0;
    for (int i = 0; i < 100'000; ++i) correlation += double(uniform(40, i)) * uniform(41, i);
    CHECK(std::abs(correlation / 100'000) < 5.0 / 3 / std::sqrt(100'000.0));
}
