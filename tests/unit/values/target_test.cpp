#include "host/values/target.h"

#include <stdexcept>

#include "host/values/json.h"
#include "tests/catch.h"
#include "tests/unit/text.h"

using namespace judge;
using namespace unit;

TEST_CASE("a device's name is read and written") {
    for (const char* name : {"cuda", "gpus", "cpu", "emulator"}) CHECK(to_string(parse_target(name)) == name);
    for (const char* name : {"gpu", "", "CUDA", "auto"}) {
        CAPTURE(name);
        const std::string message = message_thrown_by<std::invalid_argument>([&] { parse_target(name); });
        CHECK(contains(message, "'" + std::string(name) + "'"));
        CHECK(contains(message, "cuda, gpus, cpu or emulator"));
    }
}

TEST_CASE("a device is its name in JSON, and what names none is refused") {
    for (const Target target : {Target::cuda, Target::gpus, Target::cpu, Target::emulator}) {
        CHECK(Json(target) == Json(to_string(target)));
        CHECK(Json(target).get<Target>() == target);
    }
    CHECK_THROWS_AS(Json("tpu").get<Target>(), std::invalid_argument);
    CHECK_THROWS_AS(Json(1).get<Target>(), Json::exception);
}
