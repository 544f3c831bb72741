// PyTorch's FP32 mm, addmm, bmm and baddbmm by a plugin, without a step in Python: what sgemm_ladder.torch.enable
// builds if it is asked to be compiled. It stands before PyTorch's kernels on the CPU or on CUDA devices, below
// autograd, for the whole process; what it does not serve goes on to them.
//
// Not by torch's stable ABI: that has no way to the kernels that are replaced.
#include <ATen/ATen.h>
#include <ATen/Context.h>
#include <ATen/ops/addmm_cpu_dispatch.h>
#include <ATen/ops/baddbmm_cpu_dispatch.h>
#include <ATen/ops/bmm_cpu_dispatch.h>
#include <ATen/ops/mm_cpu_dispatch.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <torch/library.h>
#ifdef WITH_CUDA
#include <ATen/ops/addmm_cuda_dispatch.h>
#include <ATen/ops/baddbmm_cuda_dispatch.h>
#include <ATen/ops/bmm_cuda_dispatch.h>
#include <ATen/ops/mm_cuda_dispatch.h>
#endif

#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <loader.hpp>

namespace {

using at::Scalar;
using at::Tensor;

struct Engine {
    sgemm_ladder::Plugin plugin;
    uint32_t accuracy;  // one of enum solve_arithmetic, or 0
    c10::DeviceType device;
};

// Null where nothing is enabled. Never destroyed: a GPU may still be at work with it.
const Engine* engine = nullptr;
std::atomic<int64_t> served{0}, passed_on{0};

// A matrix, or a batch of them, as solve_gemm has it.
struct Operand {
    const float* data;
    int64_t leading, stride;
    uint32_t transposed;
};

std::optional<Operand> operand_of(const Tensor& tensor) {
    const int64_t last = tensor.dim() - 1;
    const int64_t rows = tensor.size(last - 1), cols = tensor.size(last);
    const int64_t down = tensor.stride(last - 1), right = tensor.stride(last);
    const int64_t stride = last == 2 ? tensor.stride(0) : 0;
    const float* const data = tensor.const_data_ptr<float>();
    if ((right == 1 || cols <= 1) && (down >= cols || rows <= 1)) {
        return Operand{data, std::max<int64_t>({rows > 1 ? down : 0, cols, 1}), stride, SOLVE_N};
    }
    if ((down == 1 || rows <= 1) && (right >= rows || cols <= 1)) {
        return Operand{data, std::max<int64_t>({cols > 1 ? right : 0, rows, 1}), stride, SOLVE_T};
    }
    return std::nullopt;
}

// Whether PyTorch must multiply in FP32 itself. It throws where less was allowed by a backend's own fp32_precision, of
// which the setting for all backends knows nothing.
bool is_fp32_required() {
    try {
        return at::globalContext().float32MatmulPrecision() == at::Float32MatmulPrecision::HIGHEST;
    } catch (const c10::Error&) {
        return false;
    }
}

bool is_plain(const Tensor& tensor, const Tensor& like) {
    return tensor.scalar_type() == at::kFloat && tensor.device() == like.device() && tensor.layout() == at::kStrided &&
           !tensor.is_neg();
}

// Whether it is one that we do: of matrices that fit, or of batches of them.
bool is_ours(const Tensor& a, const Tensor& b, int64_t dimensions) {
    constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
    if (!engine || a.device().type() != engine->device || !is_plain(a, a) || !is_plain(b, a)) return false;
    if (a.dim() != dimensions || b.dim() != dimensions || a.size(-1) != b.size(-2)) return false;
    if (dimensions == 3 && a.size(0) != b.size(0)) return false;
    if (std::max({a.size(0), a.size(-2), a.size(-1), b.size(-1)}) > kMost) return false;
    return engine->accuracy != 0 || is_fp32_required();
}

std::vector<int64_t> shape_of_product(const Tensor& a, const Tensor& b) {
    auto shape = a.sizes().vec();
    shape.back() = b.size(-1);
    return shape;
}

// out = alpha * a * b + beta * out + bias, or false if the plugin refuses. `out` has the product's shape and is tight.
bool multiply(const Tensor& a, const Tensor& b, Tensor& out, float alpha, float beta, const float* bias) {
    // What has gaps in rows and in columns is copied, as PyTorch does it.
    Tensor copy_a, copy_b;
    auto A = operand_of(a), B = operand_of(b);
    if (!A) A = operand_of(copy_a = a.contiguous());
    if (!B) B = operand_of(copy_b = b.contiguous());
    if (!A || !B) return false;
    solve_gemm_t call = solve_gemm_one();
    call.M = static_cast<int32_t>(a.size(-2)), call.N = static_cast<int32_t>(a.size(-1));
    call.K = static_cast<int32_t>(b.size(-1));
    call.batch = a.dim() == 3 ? static_cast<int32_t>(a.size(0)) : 1;
    call.accuracy = engine->accuracy;
    call.A = A->data, call.lda = A->leading, call.stride_a = A->stride, call.transpose_a = A->transposed;
    call.B = B->data, call.ldb = B->leading, call.stride_b = B->stride, call.transpose_b = B->transposed;
    call.C = out.mutable_data_ptr<float>(), call.ldc = std::max<int64_t>(call.K, 1);
    call.stride_c = int64_t{call.M} * call.K;
    call.alpha = alpha, call.beta = beta;
    if (bias) call.bias = bias, call.bias_kind = SOLVE_BIAS_OF_COLUMNS;
    const c10::OptionalDeviceGuard guard(a.device());
    if (!a.is_cpu()) {
        call.stream = c10::impl::VirtualGuardImpl(a.device().type()).getStream(a.device()).native_handle();
    }
    try {
        engine->plugin.gemm(call);
        ++served;
        return true;
    } catch (const sgemm_ladder::Error& error) {
        const bool is_refusal = error.code() == SOLVE_UNSUPPORTED || error.code() == SOLVE_INVALID_ARGUMENT;
        TORCH_CHECK(is_refusal, error.what());
        return false;
    }
}

// What is added is a bias, or is in `out` already and has this beta.
struct Added {
    const float* bias = nullptr;
    float beta = 0;
};

// Puts c into out, unless it is there, or is a bias. Nothing if it cannot be expanded to it.
std::optional<Added> prepare(const Tensor& c, Tensor& out, const Scalar& beta) {
    const float factor = beta.toFloat();
    if (factor == 0) return Added{};
    const bool is_bias =
        c.dim() == 1 && factor == 1 && c.size(0) == out.size(-1) && (c.stride(0) == 1 || c.size(0) <= 1);
    if (is_bias && c.numel() > 0) return Added{c.const_data_ptr<float>(), 0};
    if (!c.is_same(out)) {
        if (!at::is_expandable_to(c.sizes(), out.sizes())) return std::nullopt;
        out.copy_(c);
    }
    return Added{nullptr, factor};
}

bool is_real(const Scalar& value) {
    return !value.isComplex();
}

// A tensor to be written that we can take: as large as the product, tight, and apart from what is read.
bool fits(const Tensor& out, const Tensor& a, const Tensor& b) {
    return is_plain(out, a) && out.is_contiguous() && out.sizes() == at::IntArrayRef(shape_of_product(a, b)) &&
           !out.is_alias_of(a) && !out.is_alias_of(b);
}

template <int dimensions>
std::optional<Tensor> product(const Tensor& a, const Tensor& b) {
    if (!is_ours(a, b, dimensions)) return std::nullopt;
    Tensor out = at::empty(shape_of_product(a, b), a.options());
    return multiply(a, b, out, 1, 0, nullptr) ? std::optional(out) : std::nullopt;
}

template <int dimensions>
bool product_out(const Tensor& a, const Tensor& b, Tensor& out) {
    return is_ours(a, b, dimensions) && fits(out, a, b) && multiply(a, b, out, 1, 0, nullptr);
}

template <int dimensions>
std::optional<Tensor> sum(const Tensor& c, const Tensor& a, const Tensor& b, const Scalar& beta, const Scalar& alpha) {
    if (!is_ours(a, b, dimensions) || !is_plain(c, a) || !is_real(alpha) || !is_real(beta)) return std::nullopt;
    Tensor out = at::empty(shape_of_product(a, b), a.options());
    const auto added = prepare(c, out, beta);
    const bool done = added && multiply(a, b, out, alpha.toFloat(), added->beta, added->bias);
    return done ? std::optional(out) : std::nullopt;
}

template <int dimensions>
bool sum_out(const Tensor& c, const Tensor& a, const Tensor& b, const Scalar& beta, const Scalar& alpha, Tensor& out) {
    if (!is_ours(a, b, dimensions) || !is_plain(c, a) || !is_real(alpha) || !is_real(beta)) return false;
    if (!fits(out, a, b) || (out.is_alias_of(c) && !out.is_same(c))) return false;
    const auto added = prepare(c, out, beta);
    return added && multiply(a, b, out, alpha.toFloat(), added->beta, added->bias);
}

// PyTorch's own kernels, in a namespace of at.
#define KERNEL(result, name, where) \
    template <class... X>           \
    static result name(X&&... x) {  \
        return where::name(x...);   \
    }
#define KERNELS(name, where)                \
    struct name {                           \
        KERNEL(Tensor, mm, where)           \
        KERNEL(Tensor, bmm, where)          \
        KERNEL(Tensor, addmm, where)        \
        KERNEL(Tensor, baddbmm, where)      \
        KERNEL(Tensor&, mm_out, where)      \
        KERNEL(Tensor&, bmm_out, where)     \
        KERNEL(Tensor&, addmm_out, where)   \
        KERNEL(Tensor&, baddbmm_out, where) \
    };
KERNELS(OnCpu, at::cpu)
#ifdef WITH_CUDA
KERNELS(OnCuda, at::cuda)
#endif

// The operators: by us, or by PyTorch's kernels.
template <class Behind>
struct Operators {
    static Tensor mm(const Tensor& a, const Tensor& b) {
        if (const auto ours = product<2>(a, b)) return *ours;
        return ++passed_on, Behind::mm(a, b);
    }
    static Tensor bmm(const Tensor& a, const Tensor& b) {
        if (const auto ours = product<3>(a, b)) return *ours;
        return ++passed_on, Behind::bmm(a, b);
    }
    static Tensor addmm(const Tensor& c, const Tensor& a, const Tensor& b, const Scalar& beta, const Scalar& alpha) {
        if (const auto ours = sum<2>(c, a, b, beta, alpha)) return *ours;
        return ++passed_on, Behind::addmm(c, a, b, beta, alpha);
    }
    static Tensor baddbmm(const Tensor& c, const Tensor& a, const Tensor& b, const Scalar& beta, const Scalar& alpha) {
        if (const auto ours = sum<3>(c, a, b, beta, alpha)) return *ours;
        return ++passed_on, Behind::baddbmm(c, a, b, beta, alpha);
    }
    static Tensor& mm_out(const Tensor& a, const Tensor& b, Tensor& out) {
        return product_out<2>(a, b, out) ? out : (++passed_on, Behind::mm_out(out, a, b));
    }
    static Tensor& bmm_out(const Tensor& a, const Tensor& b, Tensor& out) {
        return product_out<3>(a, b, out) ? out : (++passed_on, Behind::bmm_out(out, a, b));
    }
    static Tensor& addmm_out(const Tensor& c, const Tensor& a, const Tensor& b, const Scalar& beta, const Scalar& alpha,
                             Tensor& out) {
        return sum_out<2>(c, a, b, beta, alpha, out) ? out
                                                     : (++passed_on, Behind::addmm_out(out, c, a, b, beta, alpha));
    }
    static Tensor& baddbmm_out(const Tensor& c, const Tensor& a, const Tensor& b, const Scalar& beta,
                               const Scalar& alpha, Tensor& out) {
        return sum_out<3>(c, a, b, beta, alpha, out) ? out
                                                     : (++passed_on, Behind::baddbmm_out(out, c, a, b, beta, alpha));
    }
};

std::unique_ptr<torch::Library> standing;

template <class Behind>
void stand_before(c10::DispatchKey key) {
    using Ours = Operators<Behind>;
    standing = std::make_unique<torch::Library>(torch::Library::IMPL, "aten", key, __FILE__, __LINE__);
    standing->impl("mm", &Ours::mm).impl("mm.out", &Ours::mm_out).impl("bmm", &Ours::bmm);
    standing->impl("bmm.out", &Ours::bmm_out).impl("addmm", &Ours::addmm).impl("addmm.out", &Ours::addmm_out);
    standing->impl("baddbmm", &Ours::baddbmm).impl("baddbmm.out", &Ours::baddbmm_out);
}

// Until disable() products are the plugin's; `accuracy` is one of enum solve_arithmetic, or 0.
void enable(const std::string& path, int64_t accuracy) {
    TORCH_CHECK(!engine, "enabled already, for ", engine ? engine->plugin.path() : "");
    std::string why;
    auto plugin = sgemm_ladder::Plugin::open(path, why);
    TORCH_CHECK(plugin, why);
    TORCH_CHECK(plugin->has_gemm(), path, ": exports no solve_gemm");
    const auto device = plugin->takes_device_pointers() ? c10::kCUDA : c10::kCPU;
#ifdef WITH_CUDA
    if (device == c10::kCUDA) stand_before<OnCuda>(c10::DispatchKey::CUDA);
#else
    TORCH_CHECK(device == c10::kCPU, path, " takes matrices on a GPU, and this PyTorch has none");
#endif
    if (device == c10::kCPU) stand_before<OnCpu>(c10::DispatchKey::CPU);
    engine = new Engine{std::move(*plugin), static_cast<uint32_t>(accuracy), device};
}

void disable() {
    standing.reset();
    engine = nullptr;
}

// How many calls were ours since the process began, and how many were passed on.
std::vector<int64_t> counts() {
    return {served, passed_on};
}

}  // namespace

TORCH_LIBRARY(sgemm_ladder_compiled, library) {
    library.def("enable(str path, int accuracy) -> ()", &enable);
    library.def("disable() -> ()", &disable);
    library.def("counts() -> int[]", &counts);
}
