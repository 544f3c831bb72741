#include "host/base/counted.h"

#include "tests/catch.h"

using namespace judge;

TEST_CASE("one of a thing is singular, none and several are plural") {
    CHECK(counted(1, "float") == "1 float");
    CHECK(counted(0, "float") == "0 floats");
    CHECK(counted(2, "file descriptor") == "2 file descriptors");
    CHECK(counted(4294967297, "byte") == "4294967297 bytes");
}
