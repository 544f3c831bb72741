#include "host/values/environment.h"

#include "host/values/json.h"
#include "tests/catch.h"

using namespace judge;

TEST_CASE("a field of the environment that is absent, null or no text reads as empty") {
    const Json environment = {{"device", "Some GPU"}, {"driver", nullptr}, {"cores", 8}};
    CHECK(text_of(environment, "device") == "Some GPU");
    for (const char* key : {"driver", "cores", "missing"}) {
        CAPTURE(key);
        CHECK(text_of(environment, key).empty());
    }
}

TEST_CASE("figures are of the GPU where there is one, else of the processor") {
    Json environment = {{"device", nullptr}, {"processor", "Some CPU"}, {"cores", 1}};
    CHECK(machine(environment) == "Some CPU, 1 core");
    environment["cores"] = 8;
    CHECK(machine(environment) == "Some CPU, 8 cores");
    environment.update({{"device", "Some GPU"}, {"driver", "580.1"}, {"cuda", "13.0"}});
    CHECK(machine(environment) == "Some GPU, driver 580.1, CUDA 13.0");
}
