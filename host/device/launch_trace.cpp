#include "device/launch_trace.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/counted.h"

#if defined(HAVE_CUDA) && __has_include(<cupti.h>)
#define HAVE_CUPTI
#include <cuda_runtime_api.h>
#include <cupti.h>
#include <dlfcn.h>

#include <atomic>
#include <mutex>
#endif

namespace judge {

namespace {

// "8x8" for {8, 8, 1}.
std::string extent(const std::array<unsigned, 3>& size) {
    if (size[2] != 1) return fmt::format("{}x{}x{}", size[0], size[1], size[2]);
    return size[1] != 1 ? fmt::format("{}x{}", size[0], size[1]) : fmt::format("{}", size[0]);
}

}  // namespace

std::string kernel_name(const std::string& mangled) {
    char* const demangled = abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, nullptr);
    if (demangled == nullptr) return mangled;  // extern "C"
    std::string name = demangled;
    std::free(demangled);
    // The parameters are the last parentheses: a name may hold others, as "(anonymous namespace)".
    if (name.ends_with(')')) {
        size_t start = name.size();
        int depth = 0;
        do {
            --start;
            depth += (name[start] == ')') - (name[start] == '(');
        } while (depth > 0 && start > 0);
        name.resize(start);
    }
    // Only the name of a template's instance begins with the type that it returns.
    return name.starts_with("void ") ? name.substr(5) : name;
}

std::vector<KernelLaunch> merge_equal(const std::vector<KernelLaunch>& launches) {
    std::vector<KernelLaunch> kinds;
    for (const KernelLaunch& launch : launches) {
        KernelLaunch same = launch;
        const auto known = std::ranges::find_if(kinds, [&](const KernelLaunch& kind) {
            same.launches = kind.launches;
            return same == kind;
        });
        if (known == kinds.end()) {
            kinds.push_back(launch);
        } else {
            known->launches += launch.launches;
        }
    }
    return kinds;
}

std::string failed_launch(const std::vector<KernelLaunch>& launches) {
    const auto failed =
        std::ranges::find_if(launches, [](const KernelLaunch& launch) { return !launch.error.empty(); });
    if (failed == launches.end()) return {};
    std::string text =
        fmt::format("launch of {} failed: {}, grid {}, block {}", failed->name.empty() ? "a kernel" : failed->name,
                    failed->error, extent(failed->grid), extent(failed->block));
    if (failed->shared_bytes > 0) text += ", " + counted(failed->shared_bytes, "byte") + " of shared memory";
    if (failed->registers) text += ", " + counted(*failed->registers, "register");
    return text;
}

#ifdef HAVE_CUPTI

namespace {

// cudaLaunchKernel of <<<>>> since CUDA 13: only that version's cupti_runtime_cbid.h names it. The same parameters.
constexpr CUpti_CallbackId kLaunchKernel13 = 505, kLaunchKernel13PerThread = 506;

constexpr struct {
    CUpti_CallbackDomain domain;
    CUpti_CallbackId id;
} kLaunches[] = {{CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel},
                 {CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz},
                 {CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx},
                 {CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz},
                 {CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel},
                 {CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz},
                 {CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000},
                 {CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_ptsz_v7000},
                 {CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_v11060},
                 {CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_ptsz_v11060},
                 {CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchCooperativeKernel_v9000},
                 {CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchCooperativeKernel_ptsz_v9000},
                 {CUPTI_CB_DOMAIN_RUNTIME_API, kLaunchKernel13},
                 {CUPTI_CB_DOMAIN_RUNTIME_API, kLaunchKernel13PerThread}};

// Parameters of cuLaunchKernel, or the CUlaunchConfig of cuLaunchKernelEx.
template <class Parameters>
void put_driver_size(KernelLaunch& launch, const Parameters& from) {
    launch.grid = {from.gridDimX, from.gridDimY, from.gridDimZ};
    launch.block = {from.blockDimX, from.blockDimY, from.blockDimZ};
    launch.shared_bytes = from.sharedMemBytes;
}

void put_runtime_size(KernelLaunch& launch, const dim3& grid, const dim3& block, size_t shared_bytes) {
    launch.grid = {grid.x, grid.y, grid.z};
    launch.block = {block.x, block.y, block.z};
    launch.shared_bytes = shared_bytes;
}

// The one subscriber that CUPTI allows per process.
class Cupti {
  public:
    // Never destroyed: a thread of the plugin may still be in hear().
    static Cupti& instance() {
        static Cupti* const only = new Cupti;
        return *only;
    }

    bool subscribe() {
        if (!complete_ || subscribe_(&subscriber_, hear, this) != CUPTI_SUCCESS) return false;
        for (const auto& launch : kLaunches) enable_(1, subscriber_, launch.domain, launch.id);
        return true;
    }

    void unsubscribe() { unsubscribe_(subscriber_); }

    // No more than this around the call: work on a stream of its own must not have time to end before C is looked at.
    std::vector<KernelLaunch> launches_of(const std::function<void()>& call) {
        {
            const std::lock_guard lock(mutex_);
            launches_.clear();
        }
        listening_ = true;
        call();
        listening_ = false;
        const std::lock_guard lock(mutex_);
        return merge_equal(launches_);
    }

  private:
    Cupti() {
        const std::string soname = fmt::format("libcupti.so.{}", CUDA_VERSION / 1000);
        // As any library is found, then where the toolkit was when this was compiled.
        for (const char* file :
             {soname.c_str(), CUDA_HOME "/lib64/libcupti.so", CUDA_HOME "/extras/CUPTI/lib64/libcupti.so"}) {
            if (!cupti_) cupti_ = dlopen(file, RTLD_NOW | RTLD_LOCAL);
        }
        driver_ = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
        complete_ = find(cupti_, "cuptiSubscribe", subscribe_) && find(cupti_, "cuptiUnsubscribe", unsubscribe_) &&
                    find(cupti_, "cuptiEnableCallback", enable_) &&
                    find(driver_, "cuFuncGetAttribute", get_attribute_) &&
                    find(driver_, "cuKernelGetFunction", get_function_);
    }

    template <class Function>
    static bool find(void* library, const char* name, Function*& function) {
        function = library ? reinterpret_cast<Function*>(dlsym(library, name)) : nullptr;
        return function != nullptr;
    }

    static void CUPTIAPI hear(void* self, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
        Cupti& cupti = *static_cast<Cupti*>(self);
        if (!cupti.listening_) return;
        cupti.add(domain == CUPTI_CB_DOMAIN_DRIVER_API, id, *static_cast<const CUpti_CallbackData*>(data));
    }

    // The driver's calls tell of every launch and its kernel. The runtime's tell of the launches that it refused
    // itself, and have a better reason for those that the driver refused: "invalid configuration argument" where the
    // driver knows "invalid argument" only.
    void add(bool of_driver, CUpti_CallbackId id, const CUpti_CallbackData& data) {
        // Of the runtime's call that this thread is in: which of launches_ the driver refused.
        static thread_local std::optional<size_t> refused;
        if (data.callbackSite == CUPTI_API_ENTER) {
            if (!of_driver) refused.reset();
            return;
        }
        // The driver's errors are among the runtime's, by the same numbers.
        const cudaError_t result = *static_cast<const cudaError_t*>(data.functionReturnValue);
        if (!of_driver && result == cudaSuccess) return;
        KernelLaunch launch = of_driver ? driver_launch(id, data) : runtime_launch(id, data);
        launch.name = kernel_name(data.symbolName ? data.symbolName : "");
        if (result != cudaSuccess) launch.error = cudaGetErrorString(result);

        const std::lock_guard lock(mutex_);
        if (!of_driver && refused && *refused < launches_.size()) {
            launches_[*refused].error = launch.error;
            return;
        }
        if (result != cudaSuccess) refused = launches_.size();
        launches_.push_back(launch);
    }

    KernelLaunch driver_launch(CUpti_CallbackId id, const CUpti_CallbackData& data) const {
        KernelLaunch launch;
        CUfunction kernel = nullptr;
        if (id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx || id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz) {
            const auto& parameters = *static_cast<const cuLaunchKernelEx_params*>(data.functionParams);
            if (parameters.config) put_driver_size(launch, *parameters.config);
            kernel = parameters.f;
        } else {
            // Those of cuLaunchCooperativeKernel begin with the same.
            const auto& parameters = *static_cast<const cuLaunchKernel_params*>(data.functionParams);
            put_driver_size(launch, parameters);
            kernel = parameters.f;
        }
        int number = 0;
        if (attribute(CU_FUNC_ATTRIBUTE_NUM_REGS, kernel, number)) launch.registers = number;
        if (attribute(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, kernel, number)) launch.local_bytes = number;
        if (attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, kernel, number)) launch.shared_bytes += number;
        return launch;
    }

    static KernelLaunch runtime_launch(CUpti_CallbackId id, const CUpti_CallbackData& data) {
        KernelLaunch launch;
        if (id == CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_v11060 ||
            id == CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_ptsz_v11060) {
            const auto& parameters = *static_cast<const cudaLaunchKernelExC_v11060_params*>(data.functionParams);
            const cudaLaunchConfig_t* const config = parameters.config;
            if (config) put_runtime_size(launch, config->gridDim, config->blockDim, config->dynamicSmemBytes);
        } else {
            const auto& parameters = *static_cast<const cudaLaunchKernel_v7000_params*>(data.functionParams);
            put_runtime_size(launch, parameters.gridDim, parameters.blockDim, parameters.sharedMem);
        }
        return launch;
    }

    // A CUkernel may be launched in place of a CUfunction, and has its attributes elsewhere.
    bool attribute(CUfunction_attribute which, CUfunction kernel, int& number) const {
        if (get_attribute_(&number, which, kernel) == CUDA_SUCCESS) return true;
        CUfunction function = nullptr;
        return get_function_(&function, reinterpret_cast<CUkernel>(kernel)) == CUDA_SUCCESS &&
               get_attribute_(&number, which, function) == CUDA_SUCCESS;
    }

    void *cupti_ = nullptr, *driver_ = nullptr;
    decltype(&cuptiSubscribe) subscribe_ = nullptr;
    decltype(&cuptiUnsubscribe) unsubscribe_ = nullptr;
    decltype(&cuptiEnableCallback) enable_ = nullptr;
    decltype(&cuFuncGetAttribute) get_attribute_ = nullptr;
    decltype(&cuKernelGetFunction) get_function_ = nullptr;
    bool complete_ = false;
    CUpti_SubscriberHandle subscriber_ = nullptr;
    std::atomic<bool> listening_ = false;
    std::mutex mutex_;  // threads of the plugin may launch, too
    std::vector<KernelLaunch> launches_;
};

}  // namespace

LaunchTrace::LaunchTrace() : listens_(Cupti::instance().subscribe()) {}

LaunchTrace::~LaunchTrace() {
    if (listens_) Cupti::instance().unsubscribe();
}

std::optional<std::vector<KernelLaunch>> LaunchTrace::launches_of(const std::function<void()>& call) {
    if (listens_) return Cupti::instance().launches_of(call);
    call();
    return std::nullopt;
}

#else

LaunchTrace::LaunchTrace() = default;
LaunchTrace::~LaunchTrace() = default;

std::optional<std::vector<KernelLaunch>> LaunchTrace::launches_of(const std::function<void()>& call) {
    call();
    return std::nullopt;
}

#endif

}  // namespace judge
