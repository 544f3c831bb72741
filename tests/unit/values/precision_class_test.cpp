#include "host/values/precision_class.h"

#include <stdexcept>

#include "tests/catch.h"

using namespace judge;

TEST_CASE("--require takes the class named and the better ones; no element is promised by normwise-only") {
    CHECK(satisfies(PrecisionClass::fp32, PrecisionClass::fp32));
    CHECK(satisfies(PrecisionClass::fp32, PrecisionClass::bf16));
    CHECK(satisfies(PrecisionClass::tf32, PrecisionClass::tf32));
    CHECK(!satisfies(PrecisionClass::tf32, PrecisionClass::fp32_emulated));
    CHECK(!satisfies(PrecisionClass::fp32_emulated, PrecisionClass::fp32));
    CHECK(!satisfies(PrecisionClass::normwise_only, PrecisionClass::bf16));
    CHECK(!satisfies(PrecisionClass::wrong, PrecisionClass::bf16));
    for (const std::string& name : requirements()) CHECK(requirement(parse_requirement(name)) == name);
    CHECK(parse_requirement("bf16") == PrecisionClass::bf16);
    CHECK_THROWS_AS(parse_requirement("fp8"), std::invalid_argument);
}
