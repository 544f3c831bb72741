// cublasLtMatmul. What it is to do stands in descriptors, which cuBLASLt reads for us.
#include "arithmetic.h"
#include "cublas_abi.h"
#include "real.h"
#include "serve.h"

namespace drop_in {

namespace {

// The attributes of one descriptor. An attribute that this cuBLASLt does not know keeps the value that it is given.
class Attributes {
  public:
    Attributes(cublas::GetAttribute* get, cublas::Handle descriptor) : get_(get), descriptor_(descriptor) {}

    template <class Value>
    Value of(int attribute, Value otherwise) const {
        Value found = otherwise;
        size_t written = 0;
        const bool is_known = get_ && get_(descriptor_, attribute, &found, sizeof(found), &written) == cublas::kSuccess;
        return is_known && written == sizeof(found) ? found : otherwise;
    }

  private:
    cublas::GetAttribute* get_;
    cublas::Handle descriptor_;
};

Attributes of_product(cublas::Handle descriptor) {
    static auto* const get = real<cublas::GetAttribute>("cublasLtMatmulDescGetAttribute");
    return {get, descriptor};
}

Attributes of_layout(cublas::Handle descriptor) {
    static auto* const get = real<cublas::GetAttribute>("cublasLtMatrixLayoutGetAttribute");
    return {get, descriptor};
}

// A matrix as its layout describes it; -1 for what cuBLASLt does not tell.
struct Layout {
    int64_t rows = -1, cols = -1, leading = -1, stride = 0;
    int batch = -1;
    bool is_fp32 = false, is_plain = false;

    explicit Layout(cublas::Handle descriptor) {
        const Attributes get = of_layout(descriptor);
        is_fp32 = get.of<uint32_t>(cublas::kType, ~0u) == cublas::kFloat;
        if (!is_fp32) return;
        rows = static_cast<int64_t>(get.of<uint64_t>(cublas::kRows, ~uint64_t{0}));
        cols = static_cast<int64_t>(get.of<uint64_t>(cublas::kCols, ~uint64_t{0}));
        leading = get.of<int64_t>(cublas::kLeading, -1);
        batch = get.of<int32_t>(cublas::kBatch, -1);
        stride = get.of<int64_t>(cublas::kStride, 0);
        is_plain = get.of<int32_t>(cublas::kOrder, -1) == cublas::kOrderOfColumns &&
                   get.of<int64_t>(cublas::kPlane, 0) == 0 && get.of<uint32_t>(cublas::kBatchMode, 0) == 0;
    }
};

// What of a product's descriptor is beyond a plain product and a bias; null if nothing.
const char* unusual(const Attributes& get) {
    if (get.of<int32_t>(cublas::kScaleType, -1) != cublas::kFloat) return "a scale type that is not FP32";
    if (get.of<int32_t>(cublas::kTransposeC, 0) != cublas::kN) return "C is transposed";
    if (get.of<int32_t>(cublas::kFillMode, cublas::kWhole) != cublas::kWhole) return "a part of C only";
    for (const int attribute :
         {cublas::kAScale, cublas::kBScale, cublas::kCScale, cublas::kDScale, cublas::kDMaximum}) {
        if (get.of<const void*>(attribute, nullptr)) return "a scale of its own for a matrix";
    }
    const auto epilogue = get.of<uint32_t>(cublas::kEpilogue, 0);
    if (epilogue != cublas::kEpilogueNone && epilogue != cublas::kEpilogueBias) return "an epilogue that is no bias";
    if (epilogue == cublas::kEpilogueBias) {
        const int type = get.of<int32_t>(cublas::kBiasType, -1);  // -1: that of D
        if (type != -1 && type != cublas::kFloat) return "a bias that is not FP32";
        if (!get.of<const void*>(cublas::kBiasPointer, nullptr)) return "a null pointer";
    }
    return nullptr;
}

struct Matmul {
    cublas::Handle handle, product;
    const void *alpha, *A;
    cublas::Handle layout_a;
    const void* B;
    cublas::Handle layout_b;
    const void *beta, *C;
    cublas::Handle layout_c;
    void* D;
    cublas::Handle layout_d;
};

const char* mismatch(const Call& call, const Layout& a, const Layout& b, const Layout& c, const Layout& d,
                     const Matmul& given) {
    if (!a.is_plain || !b.is_plain || !d.is_plain) return "a layout that is not by columns";
    const bool ta = call.transpose_a != cublas::kN, tb = call.transpose_b != cublas::kN;
    if ((ta ? a.cols : a.rows) != d.rows || (tb ? b.cols : b.rows) != call.k || (tb ? b.rows : b.cols) != d.cols ||
        a.batch != d.batch || b.batch != d.batch) {
        return "sizes that do not fit";
    }
    if (*call.beta == 0.0f) return nullptr;
    const bool in_place = given.C == given.D && c.is_plain && c.rows == d.rows && c.cols == d.cols &&
                          c.leading == d.leading && c.batch == d.batch && c.stride == d.stride;
    return in_place ? nullptr : "C is not the D that is written";
}

Call describe_matmul(const Matmul& given) {
    Call call;
    call.entry = "cublasLtMatmul";
    call.reads_factors = false;
    if (!given.handle || !given.product || !given.layout_a || !given.layout_b || !given.layout_c || !given.layout_d ||
        !given.alpha || !given.beta) {
        call.is_fp32 = false;
        call.not_ours = "a null pointer";
        return call;
    }
    const Layout a(given.layout_a), b(given.layout_b), c(given.layout_c), d(given.layout_d);
    if (!a.is_fp32 || !b.is_fp32 || !c.is_fp32 || !d.is_fp32) {
        call.is_fp32 = false;
        call.not_ours = "not FP32";
        return call;
    }
    const Attributes get = of_product(given.product);
    call.transpose_a = get.of<int32_t>(cublas::kTransposeA, -1);
    call.transpose_b = get.of<int32_t>(cublas::kTransposeB, -1);
    call.m = d.rows, call.n = d.cols, call.k = call.transpose_a == cublas::kN ? a.cols : a.rows;
    call.batch = d.batch;
    call.A = static_cast<const float*>(given.A), call.lda = a.leading, call.stride_a = a.stride;
    call.B = static_cast<const float*>(given.B), call.ldb = b.leading, call.stride_b = b.stride;
    call.C = static_cast<float*>(given.D), call.ldc = d.leading, call.stride_c = d.stride;
    call.alpha = static_cast<const float*>(given.alpha), call.beta = static_cast<const float*>(given.beta);
    const auto compute = get.of<int32_t>(cublas::kComputeType, -1);
    call.is_pedantic = is_pedantic(cublas::kDefaultMath, compute);
    call.reads_factors = get.of<int32_t>(cublas::kPointerMode, -1) == cublas::kHost;
    if ((call.not_ours = not_fp32(cublas::kDefaultMath, compute))) return call;
    if (!call.reads_factors) return call.not_ours = "alpha and beta are in the GPU's memory", call;
    if ((call.not_ours = unusual(get))) return call;
    if ((call.not_ours = mismatch(call, a, b, c, d, given))) return call;
    if (get.of<uint32_t>(cublas::kEpilogue, 0) == cublas::kEpilogueBias) {
        call.bias = get.of<const float*>(cublas::kBiasPointer, nullptr);
        call.stride_bias = get.of<int64_t>(cublas::kBiasBatchStride, 0);
    }
    return call;
}

}  // namespace

}  // namespace drop_in

extern "C" int cublasLtMatmul(cublas::Handle handle, cublas::Handle product, const void* alpha, const void* A,
                              cublas::Handle layout_a, const void* B, cublas::Handle layout_b, const void* beta,
                              const void* C, cublas::Handle layout_c, void* D, cublas::Handle layout_d,
                              const void* algorithm, void* workspace, size_t workspace_bytes, void* stream) {
    using namespace drop_in;
    static auto* const cublas_function = real<cublas::LtMatmul>("cublasLtMatmul");
    const auto describe = [&] {
        Call call = describe_matmul({handle, product, alpha, A, layout_a, B, layout_b, beta, C, layout_c, D, layout_d});
        call.stream = stream, call.workspace = workspace, call.workspace_bytes = workspace_bytes;
        return call;
    };
    return answer(cublas_function, describe, handle, product, alpha, A, layout_a, B, layout_b, beta, C, layout_c, D,
                  layout_d, algorithm, workspace, workspace_bytes, stream);
}
