#include "values/gpu_info.h"

#include "values/json.h"

namespace judge {

void to_json(Json& json, const GpuInfo& gpu) {
    json["problem"] = gpu.problem;
    json["name"] = gpu.name;
    json["uuid"] = gpu.uuid;
    json["compute_capability"] = gpu.compute_capability;
    json["multiprocessors"] = gpu.multiprocessors;
    json["memory_bytes"] = gpu.memory_bytes;
    json["fp32_tflops"] = gpu.fp32_tflops;
    json["memory_gb_s"] = gpu.memory_gb_s;
    json["uuids"] = gpu.uuids;
    json["links"] = gpu.links;
    json["nccl"] = gpu.nccl;
    json["driver"] = gpu.driver;
    json["cuda_runtime"] = gpu.cuda_runtime;
}

void from_json(const Json& json, GpuInfo& gpu) {
    json.at("problem").get_to(gpu.problem);
    json.at("name").get_to(gpu.name);
    json.at("uuid").get_to(gpu.uuid);
    json.at("compute_capability").get_to(gpu.compute_capability);
    json.at("multiprocessors").get_to(gpu.multiprocessors);
    json.at("memory_bytes").get_to(gpu.memory_bytes);
    json.at("fp32_tflops").get_to(gpu.fp32_tflops);
    json.at("memory_gb_s").get_to(gpu.memory_gb_s);
    json.at("uuids").get_to(gpu.uuids);
    json.at("links").get_to(gpu.links);
    json.at("nccl").get_to(gpu.nccl);
    json.at("driver").get_to(gpu.driver);
    json.at("cuda_runtime").get_to(gpu.cuda_runtime);
}

}  // namespace judge
