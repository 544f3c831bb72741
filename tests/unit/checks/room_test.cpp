#include <cmath>

#include "host/checks/room.h"

#include "tests/catch.h"
#include "tests/unit/text.h"

using namespace judge;
using namespace unit;

TEST_CASE("a product fits if all its matrices do, and is refused with what it takes and what there is") {
    const auto device = make_host_device();
    const uint64_t available = device->bytes_available().value();
    CHECK_NOTHROW(require_room(*device, {1000, 1000, 1000}));
    CHECK_NOTHROW(require_room(*device, {0, 5, 0}));
    // Three squares that take three quarters of the memory each, and four of a chain.
    const int side = static_cast<int>(std::sqrt(0.75 * double(available) / sizeof(float)));
    const Shape gemm{side, side, side}, chain{side, side, side, side};
    CHECK(contains(message_thrown_by<OutOfMemory>([&] { require_room(*device, gemm); }), " GiB of memory, of which "));
    CHECK_THROWS_AS(require_room(*device, chain), OutOfMemory);
    // One of them alone would fit.
    CHECK_NOTHROW(require_room(*device, {side, side / 8, 1}));
    CHECK_THROWS_AS(require_room(*device, {2147483647, 2147483647, 2147483647}), OutOfMemory);
}
