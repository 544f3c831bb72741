#include "host/parent/describe_environment.h"

#include <cctype>
#include <cstdlib>
#include <ctime>
#include <regex>
#include <thread>

#include "host/values/json.h"
#include "tests/catch.h"

using namespace judge;

namespace {

Options some_options() {
    Options options;
    options.seed = 18446744073709551615u;
    options.command_line = "compare --list";
    return options;
}

}  // namespace

TEST_CASE("without a GPU its fields are null, and the rest is there") {
    Selection unasked, absent;
    absent.gpu = GpuInfo{};
    absent.gpu->problem = "no GPU answers";
    absent.gpu->name = "half a GPU";
    for (const Selection& selection : {unasked, absent}) {
        const Json environment = describe_environment(some_options(), selection);
        for (const char* key :
             {"device", "compute_capability", "multiprocessors", "fp32_tflops", "memory_gb_s", "driver", "cuda"}) {
            CAPTURE(key);
            CHECK(environment.at(key).is_null());
        }
        CHECK(!environment.at("processor").get<std::string>().empty());
        CHECK(environment.at("cores") == std::thread::hardware_concurrency());
        CHECK(environment.at("compiler").get<std::string>().size() > 4);
        CHECK(environment.at("seed") == 18446744073709551615u);
        CHECK(environment.at("command") == "compare --list");
    }
}

TEST_CASE("a GPU that answers is described") {
    Selection selection;
    selection.gpu = GpuInfo{};
    selection.gpu->name = "Some GPU";
    selection.gpu->compute_capability = 90;
    selection.gpu->uuids = {"GPU-1", "GPU-2"};
    selection.gpu->links = "PCIe 5.0 x16";
    selection.gpu->nccl = "2.28.9";
    selection.gpu->driver = "580.1";
    selection.gpu->cuda_runtime = "13.0";
    const Json environment = describe_environment(some_options(), selection);
    CHECK(environment.at("device") == "Some GPU");
    CHECK(environment.at("compute_capability") == 90);
    CHECK(environment.at("gpus") == 2);
    CHECK(environment.at("links") == "PCIe 5.0 x16");
    CHECK(environment.at("nccl") == "2.28.9");
    CHECK(environment.at("driver") == "580.1");
    CHECK(environment.at("cuda") == "13.0");
}

TEST_CASE("the date is the time now, UTC, in ISO 8601") {
    const std::time_t before = std::time(nullptr);
    const std::string date = describe_environment(some_options(), {}).at("date");
    CAPTURE(date);
    REQUIRE(std::regex_match(date, std::regex(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)")));
    std::tm parsed{};
    REQUIRE(strptime(date.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parsed) != nullptr);
    const std::time_t then = timegm(&parsed);
    CHECK(then >= before);
    CHECK(then <= std::time(nullptr));
}

TEST_CASE("what the user has set that decides how fast a BLAS is goes with the figures") {
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    setenv("OPENBLAS_THREAD_TIMEOUT", "4", 1);  // by compare itself
    setenv("SOLVE_GPUS", "2", 1);
    setenv("NCCL_DEBUG", "WARN", 1);
    setenv("SOMETHING_ELSE", "1", 1);
    const Json environment = describe_environment(some_options(), {});
    CHECK(environment.at("variables").at("OPENBLAS_NUM_THREADS") == "1");
    CHECK(environment.at("variables").at("SOLVE_GPUS") == "2");
    CHECK(environment.at("variables").at("NCCL_DEBUG") == "WARN");
    CHECK(!environment.at("variables").contains("OPENBLAS_THREAD_TIMEOUT"));
    CHECK(!environment.at("variables").contains("SOMETHING_ELSE"));
    CHECK(std::isdigit(environment.at("processors").get<std::string>().at(0)));
    for (const char* const name :
         {"OPENBLAS_NUM_THREADS", "OPENBLAS_THREAD_TIMEOUT", "SOLVE_GPUS", "NCCL_DEBUG", "SOMETHING_ELSE"})
        unsetenv(name);
    CHECK(!describe_environment(some_options(), {}).at("variables").contains("OPENBLAS_NUM_THREADS"));
}
