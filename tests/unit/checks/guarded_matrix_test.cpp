#include "host/checks/guarded_matrix.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "tests/catch.h"

using namespace judge;

TEST_CASE("a red zone counts each float changed on either side") {
    const auto device = make_host_device();
    GuardedMatrix matrix(*device, 10, 2);
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

namespace {

// What is said of one access to a matrix of 10 floats that may only be read, its index counted from its beginning.
std::string trespass_of(int64_t index, bool write, Access access = Access::read) {
    const auto device = make_host_device();
    GuardedMatrix matrix(*device, 10, 2);  // the first index on a page of its own is 10
    matrix.arm(access);
    volatile float* const at = matrix.data() + index;
    if (write) {
        *at = 1;
    } else {
        [[maybe_unused]] const float value = *at;
    }
    matrix.disarm();
    CHECK(matrix.misused() == (index >= 0 && index < 10 && (write ? access != Access::any : access == Access::none)));
    CHECK(matrix.damage() == (write && (index < 0 || index >= 10)));
    return matrix.trespass();
}

}  // namespace

TEST_CASE("in host memory an access past the end, or far before the beginning, is noted, and goes on") {
    CHECK(trespass_of(9, false) == "");
    CHECK(trespass_of(0, false) == "");
    CHECK(trespass_of(10, false).ends_with(" right past the end of"));
    CHECK(trespass_of(13, false).ends_with(" 12 bytes past the end of"));
    CHECK(trespass_of(1000, true) == "wrote 3960 bytes past the end of");
    CHECK(trespass_of(-1024, true) == "wrote 4096 bytes before the beginning of");
}

TEST_CASE("in host memory an access a million bytes away is noted, and spoils nothing, whether armed or not") {
    CHECK(trespass_of(-250'000, false) == "read 1000000 bytes before the beginning of");
    const auto device = make_host_device();
    GuardedMatrix matrix(*device, 10, 2);
    matrix.data()[-1'000'000] = matrix.data()[1'000'000] = 1;
    CHECK(matrix.damage() == 0);
    matrix.arm();
    matrix.data()[1'000'000] = 1;
    matrix.disarm();
    CHECK(matrix.was_written_outside());
    CHECK(matrix.trespass() == "wrote 3999960 bytes past the end of");
}

TEST_CASE("a write to a matrix that may be read only is noted") {
    CHECK(trespass_of(5, true) == "");
    CHECK(trespass_of(5, true, Access::any) == "");
}

TEST_CASE("a matrix of whole pages that may not be used notes each access") {
    const auto device = make_host_device();
    GuardedMatrix matrix(*device, 4096, 0);
    matrix.arm(Access::none);
    [[maybe_unused]] const float value = *static_cast<volatile float*>(matrix.data() + 4095);
    matrix.disarm();
    CHECK(matrix.misused());
    CHECK(matrix.trespass() == "");
    matrix.arm();
    CHECK(!matrix.misused());
    matrix.data()[4095] = 1;
    matrix.disarm();
    CHECK(!matrix.misused());
}

TEST_CASE("what was written to a red zone is counted after each later call too, and between calls") {
    const auto device = make_host_device();
    GuardedMatrix matrix(*device, 10, 2);
    const auto call = [&](auto write) {
        matrix.arm();
        write();
        matrix.disarm();
        return matrix.damage();
    };
    CHECK(call([] {}) == 0);
    CHECK(call([&] { matrix.data()[-1] = 1; }) == 1);  // on the page of the matrix
    CHECK(call([&] { matrix.data()[1000] = 1; }) == 2);
    CHECK(matrix.trespass() != "");
    CHECK(call([] {}) == 2);
    CHECK(matrix.trespass() == "");

    GuardedMatrix other(*device, 10, 2);
    other.arm();
    other.disarm();
    other.data()[-1024] = other.data()[10] = 1;
    CHECK(other.damage() == 2);
    other.arm();
    other.disarm();
    CHECK(other.damage() == 2);
    CHECK(other.trespass() == "");
}
