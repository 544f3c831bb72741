#include "host/device/nvml.h"

#include "host/device/device.h"
#include "tests/catch.h"
#include "tests/unit/skip.h"

using namespace judge;

TEST_CASE("what holds a clock down is said in words, and idleness is not among it") {
    CHECK(slowdowns(0).empty());
    CHECK(slowdowns(0x1).empty());
    CHECK(slowdowns(0x2).empty());
    CHECK(slowdowns(0x4) == std::vector<std::string>{"power limit"});
    CHECK(slowdowns(0x44) == std::vector<std::string>{"power limit", "hardware thermal limit"});
}

TEST_CASE("a GPU that does not exist has no health") {
    CHECK(!Nvml().health("GPU-00000000-0000-0000-0000-000000000000"));
}
