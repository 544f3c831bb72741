#include "host/checks/guarded_matrix.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "tests/catch.h"

using namespace judge;

TEST_CASE("a red zone counts each float changed on either side") {
    const auto device = make_host_device();
    const GuardedMatrix matrix(*device, 10, 2);
    CHECK(matrix.elements() == 10);
    CHECK(matrix.damage() == 0);
    std::fill_n(matrix.data(), 10, 0.0f);
    CHECK(matrix.damage() == 0);
    matrix.data()[-1] = matrix.data()[10] = 0.0f;
    matrix.data()[-1024 - 2] = matrix.data()[10 + 1023] = 0.0f;
    CHECK(matrix.damage() == 4);
}

TEST_CASE("the poison and the red zone are different quiet NaNs") {
    CHECK(std::isnan(std::bit_cast<float>(kPoison)));
    CHECK(std::isnan(std::bit_cast<float>(kRedZone)));
    CHECK(kPoison != kRedZone);
    CHECK((kPoison & 0x400000) != 0);
    CHECK((kRedZone & 0x400000) != 0);
}
