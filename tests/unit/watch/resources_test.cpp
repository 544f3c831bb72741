#include "host/watch/resources.h"

#include "tests/catch.h"

using namespace judge;

namespace {

const std::string kMessages = R"(my.cu(3): warning #177-D: variable "x" was declared but never referenced
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_Z5smallPf' for 'sm_90'
ptxas info    : Function properties for _Z5smallPf
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 40 registers, used 0 barriers
ptxas info    : Compiling entry function '_Z3bigPf' for 'sm_90'
ptxas info    : Function properties for _Z3bigPf
    800 bytes stack frame, 96 bytes spill stores, 128 bytes spill loads
ptxas info    : Used 32 registers, used 1 barriers, 800 bytes cumulative stack size
)";

}  // namespace

TEST_CASE("the most registers and spilled bytes of any kernel are taken from what nvcc says") {
    CHECK(resources_in(kMessages) == Resources{40, 96});
    CHECK(resources_in("my.cu:3:4: error: nothing\n") == std::nullopt);
}

TEST_CASE("the compiler's other messages stay") {
    CHECK(without_resources(kMessages) ==
          "my.cu(3): warning #177-D: variable \"x\" was declared but never referenced\n");
}
