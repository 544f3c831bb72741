#include "calls.h"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "abi/cublas/cublas_abi.h"

extern "C" {
int fake_cublas_calls();
cublas::Create cublasCreate_v2;
cublas::Destroy cublasDestroy_v2;
cublas::SetStream cublasSetStream_v2;
cublas::SetWorkspace cublasSetWorkspace_v2;
cublas::SetMode cublasSetPointerMode_v2, cublasSetMathMode;
cublas::Sgemm<int> cublasSgemm_v2;
cublas::Sgemm<int64_t> cublasSgemm_v2_64;
cublas::SgemmBatched<int> cublasSgemmBatched;
cublas::SgemmBatched<int64_t> cublasSgemmBatched_64;
cublas::SgemmStridedBatched<int> cublasSgemmStridedBatched;
cublas::SgemmStridedBatched<int64_t> cublasSgemmStridedBatched_64;
cublas::SgemmEx<int> cublasSgemmEx;
cublas::SgemmEx<int64_t> cublasSgemmEx_64;
cublas::GemmEx<int> cublasGemmEx;
cublas::GemmEx<int64_t> cublasGemmEx_64;
cublas::GemmBatchedEx<int> cublasGemmBatchedEx;
cublas::GemmBatchedEx<int64_t> cublasGemmBatchedEx_64;
cublas::GemmStridedBatchedEx<int> cublasGemmStridedBatchedEx;
cublas::GemmStridedBatchedEx<int64_t> cublasGemmStridedBatchedEx_64;
cublas::LtMatmul cublasLtMatmul;
int cublasLtMatmulDescCreate(cublas::Handle*, int, int);
int cublasLtMatrixLayoutCreate(cublas::Handle*, int, uint64_t, uint64_t, int64_t);
int cublasLtMatmulDescDestroy(cublas::Handle);
int cublasLtMatrixLayoutDestroy(cublas::Handle);
int cublasLtMatmulDescSetAttribute(cublas::Handle, int, const void*, size_t);
int cublasLtMatrixLayoutSetAttribute(cublas::Handle, int, const void*, size_t);
}

namespace {

// A batch of products by columns, with rows to spare between the columns, and what they should come to.
struct Products {
    int ta, tb, m, n, k, batch;
    float alpha, beta;
    bool with_bias = false;
    int lda, ldb, ldc;
    long long stride_a, stride_b, stride_c;
    std::vector<float> A, B, C, bias;
    std::vector<double> want;
    std::vector<const float*> A_array{}, B_array{};
    std::vector<float*> C_array{};

    Products(int ta, int tb, int m, int n, int k, int batch = 1, float alpha = 1, float beta = 0,
             bool with_bias = false)
        : ta(ta), tb(tb), m(m), n(n), k(k), batch(batch), alpha(alpha), beta(beta), with_bias(with_bias) {
        lda = (ta ? k : m) + 1, ldb = (tb ? n : k) + 2, ldc = m + 3;
        stride_a = lda * (ta ? m : k) + 5LL, stride_b = ldb * (tb ? k : n) + 1LL, stride_c = ldc * n + 2LL;
        A = values(stride_a * batch, 1), B = values(stride_b * batch, 2), C = values(stride_c * batch, 3);
        bias = values(m, 4);
        want.assign(C.begin(), C.end());
        for (int p = 0; p < batch; ++p) expect(p);
        for (int p = 0; p < batch; ++p) {
            A_array.push_back(&A[p * stride_a]), B_array.push_back(&B[p * stride_b]);
            C_array.push_back(&C[p * stride_c]);
        }
        if (beta == 0) fill_result_with_nan();
    }

    static std::vector<float> values(size_t count, unsigned seed) {
        std::vector<float> found(count);
        for (float& each : found)
            each = static_cast<float>((seed = seed * 1664525u + 1013904223u) >> 8) / (1 << 23) - 1;
        return found;
    }

    void expect(int p) {
        for (int j = 0; j < n; ++j) {
            for (int i = 0; i < m; ++i) {
                double sum = 0;
                for (int q = 0; q < k; ++q) {
                    const float* const a = &A[p * stride_a];
                    const float* const b = &B[p * stride_b];
                    sum += double(ta ? a[i * lda + q] : a[q * lda + i]) * (tb ? b[q * ldb + j] : b[j * ldb + q]);
                }
                double& element = want[p * stride_c + j * ldc + i];
                element = alpha * sum + beta * element + (with_bias ? bias[i] : 0);
            }
        }
    }

    void fill_result_with_nan() {
        for (int p = 0; p < batch; ++p) {
            for (int j = 0; j < n; ++j) std::fill_n(&C[p * stride_c + j * ldc], m, NAN);
        }
    }

    // Each element, and what lies between the columns and between the products, which must be as it was.
    bool is_right() const {
        for (size_t i = 0; i < C.size(); ++i) {
            if (!(std::abs(C[i] - want[i]) <= 1e-5 * (std::sqrt(double(k)) + 1))) return false;
        }
        return true;
    }
};

void tell(const std::string& name, int status, const Products& products) {
    std::printf("%s: status %d, %s, by cuBLAS %d\n", name.c_str(), status, products.is_right() ? "right" : "WRONG",
                fake_cublas_calls());
}

int sgemm(cublas::Handle h, Products& p) {
    return cublasSgemm_v2(h, p.ta, p.tb, p.m, p.n, p.k, &p.alpha, p.A.data(), p.lda, p.B.data(), p.ldb, &p.beta,
                          p.C.data(), p.ldc);
}

void tell_sgemm(const std::string& name, cublas::Handle handle, Products products) {
    const int status = sgemm(handle, products);
    tell(name, status, products);
}

// Each entry once, by 32-bit and by 64-bit integers.
template <class Int>
void every_entry(cublas::Handle h, const char* suffix, cublas::Sgemm<Int> plain, cublas::SgemmBatched<Int> by_array,
                 cublas::SgemmStridedBatched<Int> strided, cublas::SgemmEx<Int> ex, cublas::GemmEx<Int> gemm_ex,
                 cublas::GemmBatchedEx<Int> by_array_ex, cublas::GemmStridedBatchedEx<Int> strided_ex) {
    const auto one = [&](const char* name, int batch, auto call) {
        Products p(1, 0, 17, 9, 31, batch, 0.5f, -2);
        const int status = call(p);
        tell(std::string(name) + suffix, status, p);
    };
    constexpr int f = cublas::kFloat, compute = cublas::kCompute32;
    one("cublasSgemm_v2", 1, [&](Products& p) {
        return plain(h, p.ta, p.tb, p.m, p.n, p.k, &p.alpha, p.A.data(), p.lda, p.B.data(), p.ldb, &p.beta, p.C.data(),
                     p.ldc);
    });
    one("cublasSgemmBatched", 3, [&](Products& p) {
        return by_array(h, p.ta, p.tb, p.m, p.n, p.k, &p.alpha, p.A_array.data(), p.lda, p.B_array.data(), p.ldb,
                        &p.beta, p.C_array.data(), p.ldc, p.batch);
    });
    one("cublasSgemmStridedBatched", 3, [&](Products& p) {
        return strided(h, p.ta, p.tb, p.m, p.n, p.k, &p.alpha, p.A.data(), p.lda, p.stride_a, p.B.data(), p.ldb,
                       p.stride_b, &p.beta, p.C.data(), p.ldc, p.stride_c, p.batch);
    });
    one("cublasSgemmEx", 1, [&](Products& p) {
        return ex(h, p.ta, p.tb, p.m, p.n, p.k, &p.alpha, p.A.data(), f, p.lda, p.B.data(), f, p.ldb, &p.beta,
                  p.C.data(), f, p.ldc);
    });
    one("cublasGemmEx", 1, [&](Products& p) {
        return gemm_ex(h, p.ta, p.tb, p.m, p.n, p.k, &p.alpha, p.A.data(), f, p.lda, p.B.data(), f, p.ldb, &p.beta,
                       p.C.data(), f, p.ldc, compute, -1);
    });
    one("cublasGemmBatchedEx", 3, [&](Products& p) {
        return by_array_ex(h, p.ta, p.tb, p.m, p.n, p.k, &p.alpha,
                           reinterpret_cast<const void* const*>(p.A_array.data()), f, p.lda,
                           reinterpret_cast<const void* const*>(p.B_array.data()), f, p.ldb, &p.beta,
                           reinterpret_cast<void* const*>(p.C_array.data()), f, p.ldc, p.batch, compute, -1);
    });
    one("cublasGemmStridedBatchedEx", 3, [&](Products& p) {
        return strided_ex(h, p.ta, p.tb, p.m, p.n, p.k, &p.alpha, p.A.data(), f, p.lda, p.stride_a, p.B.data(), f,
                          p.ldb, p.stride_b, &p.beta, p.C.data(), f, p.ldc, p.stride_c, p.batch, compute, -1);
    });
}

void entries(cublas::Handle h) {
    every_entry<int>(h, "", cublasSgemm_v2, cublasSgemmBatched, cublasSgemmStridedBatched, cublasSgemmEx, cublasGemmEx,
                     cublasGemmBatchedEx, cublasGemmStridedBatchedEx);
    every_entry<int64_t>(h, "_64", cublasSgemm_v2_64, cublasSgemmBatched_64, cublasSgemmStridedBatched_64,
                         cublasSgemmEx_64, cublasGemmEx_64, cublasGemmBatchedEx_64, cublasGemmStridedBatchedEx_64);
}

void forms(cublas::Handle h) {
    const char letters[] = "NTC";
    for (int ta = 0; ta < 3; ++ta) {
        for (int tb = 0; tb < 3; ++tb) {
            tell_sgemm(std::string{letters[ta], letters[tb]}, h, Products(ta, tb, 13, 29, 7, 1, 1.5f));
        }
    }
    Products nothing_added(0, 0, 4, 5, 6, 1, 0, 2);  // alpha 0: A and B are not read
    std::fill(nothing_added.A.begin(), nothing_added.A.end(), NAN);
    tell_sgemm("alpha 0", h, nothing_added);
}

// What is not ours, and what is wrong: it gets cuBLAS's answer.
void passed_on(cublas::Handle h) {
    const Products p(0, 0, 4, 5, 6);
    for (const int mode : {2, 3, 16, 1, 4}) {
        cublasSetMathMode(h, mode);
        tell_sgemm("math mode " + std::to_string(mode), h, p);
    }
    cublasSetMathMode(h, 0);
    cublasSetPointerMode_v2(h, cublas::kDevice);
    tell_sgemm("device pointers", h, p);
    cublasSetPointerMode_v2(h, cublas::kHost);
    tell_sgemm("no rows", h, Products(0, 0, 0, 5, 6));
    tell_sgemm("no terms", h, Products(0, 0, 4, 5, 0, 1, 1, 3));
    const auto with = [&](const char* name, auto change) {
        Products q(0, 0, 4, 5, 6, 1, 1, 1);
        q.want.assign(q.C.begin(), q.C.end());
        change(q);
        tell_sgemm(name, h, q);
    };
    with("negative rows", [](Products& q) { q.m = -1; });
    with("short lda", [](Products& q) { q.lda = 3; });
    with("short ldb", [](Products& q) { q.ldb = 5; });
    with("short ldc", [](Products& q) { q.ldc = 3; });
    with("unknown operation", [](Products& q) { q.ta = 7; });
    Products q(0, 0, 4, 5, 6, 1, 1, 1);
    q.want.assign(q.C.begin(), q.C.end());
    tell_sgemm("no handle", nullptr, q);
    for (const int compute : {cublas::kCompute32Pedantic + 0, cublas::kCompute32FastTf32 + 0, 74}) {
        Products each(0, 0, 4, 5, 6);
        const int status = cublasGemmEx(h, 0, 0, 4, 5, 6, &each.alpha, each.A.data(), 0, each.lda, each.B.data(), 0,
                                        each.ldb, &each.beta, each.C.data(), 0, each.ldc, compute, -1);
        tell("compute type " + std::to_string(compute), status, each);
    }
    Products halves(0, 0, 4, 5, 6, 1, 1, 1);
    halves.want.assign(halves.C.begin(), halves.C.end());
    const int status = cublasGemmEx(h, 0, 0, 4, 5, 6, &halves.alpha, halves.A.data(), 2, 4, halves.B.data(), 2, 6,
                                    &halves.beta, halves.C.data(), 2, 4, 68, -1);
    tell("half precision", status, halves);
}

// cublasLtMatmul as PyTorch's linear layer calls it, and its relatives.
struct Lt {
    cublas::Handle product = nullptr, a = nullptr, b = nullptr, d = nullptr;

    explicit Lt(const Products& p, int compute = cublas::kCompute32) {
        cublasLtMatmulDescCreate(&product, compute, cublas::kFloat);
        set<int32_t>(cublas::kTransposeA, p.ta), set<int32_t>(cublas::kTransposeB, p.tb);
        if (p.with_bias) {
            set<uint32_t>(cublas::kEpilogue, cublas::kEpilogueBias);
            set<const void*>(cublas::kBiasPointer, p.bias.data());
        }
        layout(a, p.ta ? p.k : p.m, p.ta ? p.m : p.k, p.lda, p.batch, p.stride_a);
        layout(b, p.tb ? p.n : p.k, p.tb ? p.k : p.n, p.ldb, p.batch, p.stride_b);
        layout(d, p.m, p.n, p.ldc, p.batch, p.stride_c);
    }
    ~Lt() {
        cublasLtMatmulDescDestroy(product);
        for (const cublas::Handle each : {a, b, d}) cublasLtMatrixLayoutDestroy(each);
    }
    Lt(const Lt&) = delete;
    Lt& operator=(const Lt&) = delete;

    template <class Value>
    void set(int attribute, Value value) {
        cublasLtMatmulDescSetAttribute(product, attribute, &value, sizeof(value));
    }

    static void layout(cublas::Handle& made, int rows, int cols, int leading, int32_t batch, int64_t stride) {
        cublasLtMatrixLayoutCreate(&made, cublas::kFloat, rows, cols, leading);
        cublasLtMatrixLayoutSetAttribute(made, cublas::kBatch, &batch, sizeof(batch));
        cublasLtMatrixLayoutSetAttribute(made, cublas::kStride, &stride, sizeof(stride));
    }

    void call(const std::string& name, Products& p) const {
        static int something = 0;  // cuBLASLt's handle
        alignas(256) static char workspace[256];
        const int status = cublasLtMatmul(&something, product, &p.alpha, p.A.data(), a, p.B.data(), b, &p.beta,
                                          p.C.data(), d, p.C.data(), d, nullptr, workspace, sizeof(workspace), nullptr);
        tell(name, status, p);
    }
};

void lt(cublas::Handle) {
    const auto one = [](const char* name, Products p, auto change, int compute = cublas::kCompute32) {
        Lt call(p, compute);
        change(call);
        call.call(name, p);
    };
    const auto as_it_is = [](Lt&) {};
    one("lt plain", Products(1, 0, 33, 12, 20), as_it_is);
    one("lt bias", Products(1, 0, 33, 12, 20, 1, 1, 0, true), as_it_is);
    one("lt in place", Products(0, 1, 8, 9, 10, 1, 2, 0.5f), as_it_is);
    one("lt batch", Products(0, 0, 8, 9, 10, 4), as_it_is);
    one("lt TF32", Products(0, 0, 8, 9, 10), as_it_is, cublas::kCompute32FastTf32);
    one("lt pointer mode", Products(0, 0, 8, 9, 10), [](Lt& c) { c.set<int32_t>(cublas::kPointerMode, 1); });
    one("lt RELU", Products(0, 0, 8, 9, 10), [](Lt& c) { c.set<uint32_t>(cublas::kEpilogue, 2); });
    one("lt scaled", Products(0, 0, 8, 9, 10), [](Lt& c) { c.set<const void*>(cublas::kAScale, &c); });
    one("lt by rows", Products(0, 0, 8, 9, 10), [](Lt& c) {
        const int32_t order = 1;
        cublasLtMatrixLayoutSetAttribute(c.a, cublas::kOrder, &order, sizeof(order));
    });
    one("lt halves", Products(0, 0, 8, 9, 10), [](Lt& c) {
        const uint32_t type = 2;
        cublasLtMatrixLayoutSetAttribute(c.b, cublas::kType, &type, sizeof(type));
    });
}

// Many at a time, with handles of their own.
void threads(cublas::Handle) {
    std::vector<int> wrong(4, 0);
    std::vector<std::thread> all;
    for (size_t t = 0; t < wrong.size(); ++t) {
        all.emplace_back([&, t] {
            cublas::Handle handle = nullptr;
            cublasCreate_v2(&handle);
            for (int i = 0; i < 50; ++i) {
                Products p(int(t) & 1, i & 1, 8 + int(t), 9, 10 + i % 3);
                wrong[t] += sgemm(handle, p) != 0 || !p.is_right();
            }
            cublasDestroy_v2(handle);
        });
    }
    for (std::thread& each : all) each.join();
    std::printf("threads: %d wrong, by cuBLAS %d\n", wrong[0] + wrong[1] + wrong[2] + wrong[3], fake_cublas_calls());
}

void one(cublas::Handle h) {
    tell_sgemm("one", h, Products(0, 0, 24, 40, 16));
}

// One that 90_dispatch does slower than cuBLAS on an H200, by what slower.h says.
void slower(cublas::Handle h) {
    tell_sgemm("slower", h, Products(1, 0, 3899, 438, 68));
}

// The workspace of a handle: set, lost with a change of the stream, not set, not aligned enough for us, lost with the
// handle, whose address the next one is likely to have.
void workspaces(cublas::Handle) {
    alignas(256) static char memory[1024];
    cublas::Handle h = nullptr;
    cublasCreate_v2(&h);
    Products p(0, 0, 4, 5, 6);
    sgemm(h, p);
    std::printf("set %d\n", cublasSetWorkspace_v2(h, memory, 1024));
    sgemm(h, p);
    std::printf("stream %d\n", cublasSetStream_v2(h, nullptr));
    sgemm(h, p);
    std::printf("refused %d\n", cublasSetWorkspace_v2(h, memory, 1));
    sgemm(h, p);
    std::printf("unaligned %d\n", cublasSetWorkspace_v2(h, memory + 16, 512));
    sgemm(h, p);
    std::printf("set %d\n", cublasSetWorkspace_v2(h, memory, 768));
    sgemm(h, p);
    std::printf("destroyed %d\n", cublasDestroy_v2(h));
    cublasCreate_v2(&h);
    sgemm(h, p);
    cublasDestroy_v2(h);
}

void killed(cublas::Handle) {
    std::raise(SIGKILL);
}

}  // namespace

int make_calls(const char* what) {
    cublas::Handle handle = nullptr;
    cublasCreate_v2(&handle);
    const struct {
        const char* name;
        void (*make)(cublas::Handle);
    } kAll[] = {{"entries", entries}, {"forms", forms},     {"passed on", passed_on},
                {"lt", lt},           {"threads", threads}, {"one", one},
                {"slower", slower},   {"killed", killed},   {"workspaces", workspaces}};
    for (const auto& each : kAll) {
        if (std::strcmp(each.name, what) == 0) each.make(handle);
    }
    cublasDestroy_v2(handle);
    return 0;
}
