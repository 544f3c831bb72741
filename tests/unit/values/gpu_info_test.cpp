#include "host/values/gpu_info.h"

#include "host/values/json.h"
#include "tests/catch.h"

using namespace judge;

TEST_CASE("what is known of a GPU comes back from JSON as it was") {
    GpuInfo gpu;
    gpu.problem = "a problem";
    gpu.name = "a GPU";
    gpu.uuid = "GPU-01234567-89ab";
    gpu.compute_capability = 90;
    gpu.multiprocessors = 132;
    gpu.memory_bytes = int64_t{80} << 30;
    gpu.fp32_tflops = 66.9;
    gpu.memory_gb_s = 4814;
    gpu.uuids = {gpu.uuid, "GPU-fedcba98-7654"};
    gpu.links = "PCIe 5.0 x16, 18 NVLinks";
    gpu.nccl = "2.28.9";
    gpu.driver = "580.159.04";
    gpu.cuda_runtime = "13.0";
    const auto back = Json::parse(Json(gpu).dump()).get<GpuInfo>();
    CHECK(back.problem == gpu.problem);
    CHECK(back.name == gpu.name);
    CHECK(back.uuid == gpu.uuid);
    CHECK(back.compute_capability == 90);
    CHECK(back.multiprocessors == 132);
    CHECK(back.memory_bytes == gpu.memory_bytes);
    CHECK(back.fp32_tflops == 66.9);
    CHECK(back.memory_gb_s == 4814);
    CHECK(back.uuids == gpu.uuids);
    CHECK(back.links == gpu.links);
    CHECK(back.nccl == "2.28.9");
    CHECK(back.driver == gpu.driver);
    CHECK(back.cuda_runtime == gpu.cuda_runtime);
}
