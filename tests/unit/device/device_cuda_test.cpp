#include "host/device/device.h"
#include "tests/catch.h"
#include "tests/unit/device_checks.h"
#include "tests/unit/skip.h"

using namespace judge;
using namespace unit;

namespace {

bool gpu_answers(const char* test) {
    const std::string problem = query_gpu().problem;
    if (!problem.empty()) say_skipped(test, problem);
    return problem.empty();
}

}  // namespace

TEST_CASE("CUDA memory passes what host memory passes") {
    if (!gpu_answers("CUDA memory passes what host memory passes")) return;
    check_everything(*make_cuda_device());
}

TEST_CASE("the GPU is described for the record") {
    if (!gpu_answers("the GPU is described for the record")) return;
    const GpuInfo gpu = query_gpu();
    CHECK(!gpu.name.empty());
    CHECK(gpu.compute_capability >= 50);
    CHECK(gpu.multiprocessors > 0);
    CHECK(gpu.memory_bytes > int64_t{1} << 28);
    CHECK(!gpu.driver.empty());
    CHECK(gpu.cuda_runtime.find('.') != std::string::npos);
    CHECK(make_cuda_device()->compute_capability() == gpu.compute_capability);
}

TEST_CASE("where no GPU answers, the CUDA device says why") {
    const std::string problem = query_gpu().problem;
    if (problem.empty()) {
        say_skipped("where no GPU answers, the CUDA device says why", "a GPU answers");
        return;
    }
    std::string message;
    try {
        make_cuda_device();
    } catch (const NoDevice& error) {
        message = error.what();
    }
    CHECK(message == problem);
}
