#include "parent/describe_environment.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstring>
#include <ctime>
#include <fstream>
#include <thread>

#include "base/counted.h"
#include "values/environment.h"
#include "values/json.h"

namespace judge {

namespace {

std::string processor() {
    std::ifstream cpuinfo("/proc/cpuinfo");
    for (std::string line; std::getline(cpuinfo, line);) {
        if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
    }
    utsname system{};
    uname(&system);
    return system.machine;
}

// What of those this run may use, where it is not all of them, is the user's doing: "0-3".
std::string allowed_processors() {
    std::ifstream status("/proc/self/status");
    constexpr const char* kName = "Cpus_allowed_list:";
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with(kName)) return line.substr(line.find_first_not_of(" \t", std::strlen(kName)));
    }
    return "unknown";
}

// By the plugins that work on several GPUs (plugins/multi), and by NCCL.
bool is_read_for_gpus(const std::string& name) {
    for (const char* each :
         {"SOLVE_GPUS", "SOLVE_DEVICE_MEMORY", "SOLVE_HOST_THREADS", "SOLVE_EXCHANGE", "SOLVE_BLOCK"}) {
        if (name == each) return true;
    }
    return name.starts_with("NCCL_");
}

// Those the user has set that decide how fast the baseline is, or what works on several GPUs. One is set by
// start_supervising for every run.
Json variables() {
    Json found = Json::object();
    for (char** variable = environ; *variable; ++variable) {
        const std::string text = *variable, name = text.substr(0, text.find('='));
        const bool counts = is_read_by_blas(name) || is_read_for_gpus(name);
        if (counts && name != "OPENBLAS_THREAD_TIMEOUT") found[name] = text.substr(name.size() + 1);
    }
    return found;
}

std::string describe_operation(const Options& options) {
    if (options.operation == Operation::chain) {
        return "E[M x L] = A[M x N] * B[N x K] * C[K x L], shapes are MxNxKxL";
    }
    const std::string product = "C[M x K] = A[M x N] * B[N x K], shapes are MxNxK";
    if (options.operation == Operation::gemm) return product;
    if (!options.products.empty()) return product + "; by solve_gemm, A and B lie as said, xB: B products a call";
    return fmt::format("{}; by solve_gemm, A and B lie as {}, {} a call", product, to_string(options.form),
                       counted(options.form.batch, "product"));
}

}  // namespace

Json describe_environment(const Options& options, const Selection& selection) {
    const bool has_gpu = selection.gpu && selection.gpu->problem.empty();
    const auto of_gpu = [&](auto field) { return has_gpu ? Json(field(*selection.gpu)) : Json(nullptr); };
    Json environment;
    environment["device"] = of_gpu([](const GpuInfo& gpu) { return gpu.name; });
    environment["compute_capability"] = of_gpu([](const GpuInfo& gpu) { return gpu.compute_capability; });
    environment["multiprocessors"] = of_gpu([](const GpuInfo& gpu) { return gpu.multiprocessors; });
    environment["fp32_tflops"] = of_gpu([](const GpuInfo& gpu) { return gpu.fp32_tflops; });
    environment["memory_gb_s"] = of_gpu([](const GpuInfo& gpu) { return gpu.memory_gb_s; });
    environment["gpus"] = of_gpu([](const GpuInfo& gpu) { return gpu.uuids.size(); });
    environment["links"] = of_gpu([](const GpuInfo& gpu) { return gpu.links; });
    environment["nccl"] = of_gpu([](const GpuInfo& gpu) { return gpu.nccl; });
    environment["driver"] = of_gpu([](const GpuInfo& gpu) { return gpu.driver; });
    environment["cuda"] = of_gpu([](const GpuInfo& gpu) { return gpu.cuda_runtime; });
    environment["processor"] = processor();
    environment["cores"] = std::thread::hardware_concurrency();
    environment["processors"] = allowed_processors();
    environment["variables"] = variables();
    environment["compiler"] = "g++ " __VERSION__;
    environment["date"] = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
    environment["operation"] = describe_operation(options);
    environment["seed"] = options.seed;
    environment["data"] = to_string(options.data);
    environment["command"] = options.command_line;
    return environment;
}

}  // namespace judge
