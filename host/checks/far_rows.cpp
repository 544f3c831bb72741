#include "checks/far_rows.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "checks/bound.h"
#include "checks/small_product.h"
#include "values/gemm_form.h"

namespace judge {

namespace {

struct Spacing {
    int rows;
    int64_t ld;
};
// Row times leading dimension passes 2^31, and 2^32; and the leading dimension itself does.
constexpr Spacing kSpacings[] = {{68, (int64_t{1} << 26) + 16}, {2, (int64_t{1} << 32) + 16}};
// Two products, with a stride that 32 bits do not hold.
constexpr int kFarProducts = 2, kSizeOfFarProducts = 8;
constexpr int64_t kFarStride = (int64_t{1} << 32) + 16;
constexpr size_t kBytesBehind = (size_t{68} * ((size_t{1} << 26) + 16)) * sizeof(float);

// Address space that reads as zeros, on both sides of data(): a wrong index of 32 bits, which may be negative, is a
// wrong result then, and ends nothing.
class Sparse {
  public:
    Sparse() {
        void* const memory =
            mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED) return;
        memory_ = static_cast<char*>(memory);
        madvise(memory_, kBytes, MADV_NOHUGEPAGE);  // 4 KiB a row, not 2 MiB
    }
    ~Sparse() {
        if (memory_) munmap(memory_, kBytes);
    }
    Sparse(const Sparse&) = delete;
    Sparse& operator=(const Sparse&) = delete;

    explicit operator bool() const { return memory_ != nullptr; }
    float* data() const { return reinterpret_cast<float*>(memory_ + kBytesBefore); }
    void clear() { madvise(memory_, kBytes, MADV_DONTNEED); }

  private:
    static constexpr size_t kBytesBefore = (size_t{1} << 31) * sizeof(float);
    static constexpr size_t kBytes = kBytesBefore + kBytesBehind;
    char* memory_ = nullptr;
};

// Which matrix has the large leading dimension or stride, and what these are.
struct Far {
    char matrix;
    int64_t ld, stride;
};

// Square matrices, dense or with a large leading dimension or stride.
struct SparseRows {
    float* data;
    int64_t ld, stride;

    void put(int product, const Matrix& values, int rows) const {
        for (int i = 0; i < rows; ++i) std::memcpy(row(product, i), &values[size_t(i) * rows], rows * sizeof(float));
    }
    Matrix values(int product, int rows) const {
        Matrix values(size_t(rows) * rows);
        for (int i = 0; i < rows; ++i) std::memcpy(&values[size_t(i) * rows], row(product, i), rows * sizeof(float));
        return values;
    }

  private:
    float* row(int product, int i) const { return data + product * stride + i * ld; }
};

std::string wrong_of(const GemmEntry& entry, uint32_t arithmetic, const GemmForm& form, int size, const Far& far,
                     Sparse& sparse) {
    const size_t elements = size_t(size) * size;
    const Matrix unwritten(elements, std::numeric_limits<float>::quiet_NaN());
    std::vector<Matrix> near(3, Matrix(form.batch * elements));
    const auto rows_of = [&](char name) {
        return name == far.matrix ? SparseRows{sparse.data(), far.ld, far.stride}
                                  : SparseRows{near[name - 'A'].data(), size, int64_t(elements)};
    };
    const SparseRows A = rows_of('A'), B = rows_of('B'), C = rows_of('C');
    sparse.clear();
    std::vector<Operands> operands;
    for (int p = 0; p < form.batch; ++p) {
        operands.push_back(random_operands({size, size, size}, p + 1, Data::uniform));
        const Operands turned = transposed(operands[p]);
        A.put(p, form.transpose_a ? turned.b : operands[p].a, size);
        B.put(p, form.transpose_b ? turned.a : operands[p].b, size);
        C.put(p, unwritten, size);
    }

    solve_gemm_t call = solve_gemm_one();
    call.transpose_a = form.transpose_a, call.transpose_b = form.transpose_b;
    call.M = call.N = call.K = size;
    call.batch = form.batch;
    call.A = A.data, call.lda = A.ld, call.stride_a = A.stride;
    call.B = B.data, call.ldb = B.ld, call.stride_b = B.stride;
    call.C = C.data, call.ldc = C.ld, call.stride_c = C.stride;
    const int code = entry.call(call);
    if (code == SOLVE_UNSUPPORTED) return {};
    if (code != SOLVE_OK) return fmt::format("returned {}", code);

    for (int p = 0; p < form.batch; ++p) {
        const Matrix got = C.values(p, size);
        const Exact exact = exact_product(operands[p]);
        for (size_t at = 0; at < got.size(); ++at) {
            const double bound = kUnitRoundoff * (rho_bound(size, arithmetic) + 4) * exact.magnitude[at];
            if (std::abs(got[at] - exact.sum[at]) <= bound) continue;
            return fmt::format("{}({}, {}): got {:.9g}, want {:.9g} +- {:.3g}",
                               form.batch > 1 ? fmt::format("product {}, ", p) : "", at / size, at % size, got[at],
                               exact.sum[at], bound);
        }
    }
    return {};
}

// Empty, or what is wrong where a leading dimension is as large as that.
std::string wrong_of_far_rows(const GemmEntry& entry, uint32_t arithmetic, const GemmForm& form, Sparse& sparse) {
    for (const Spacing& spacing : kSpacings) {
        for (const char matrix : {'A', 'B', 'C'}) {
            const int rows = spacing.rows;
            const std::string wrong = wrong_of(entry, arithmetic, form, rows, {matrix, spacing.ld, 0}, sparse);
            if (wrong.empty()) continue;
            return fmt::format("{}x{}x{}, leading dimension of {} {}, rows that 32 bits do not index: {}", rows, rows,
                               rows, matrix, spacing.ld, wrong);
        }
    }
    return {};
}

// The same of a stride from one product to the next.
std::string wrong_of_far_products(const GemmEntry& entry, uint32_t arithmetic, GemmForm form, Sparse& sparse) {
    constexpr int kSize = kSizeOfFarProducts;
    form.batch = kFarProducts;
    for (const char matrix : {'A', 'B', 'C'}) {
        const std::string wrong = wrong_of(entry, arithmetic, form, kSize, {matrix, kSize, kFarStride}, sparse);
        if (wrong.empty()) continue;
        return fmt::format("{}x{}x{}, {} products, stride of {} {}, which 32 bits do not hold: {}", kSize, kSize, kSize,
                           kFarProducts, matrix, kFarStride, wrong);
    }
    return {};
}

}  // namespace

std::string check_far_rows(const GemmEntry& entry, uint32_t arithmetic, Device& device) {
    if (device.has_streams()) return {};
    Sparse sparse;
    if (!sparse) return {};
    for (const std::string& name : form_names()) {
        const GemmForm form = parse_form(name);
        if (!entry.takes_transposed && (form.transpose_a || form.transpose_b)) continue;
        std::string wrong = wrong_of_far_rows(entry, arithmetic, form, sparse);
        if (wrong.empty() && entry.takes_transposed) {
            wrong = wrong_of_far_products(entry, arithmetic, form, sparse);
        }
        if (wrong.empty()) continue;
        return fmt::format("{}{}, {}", entry.name, entry.takes_transposed ? " " + name : "", wrong);
    }
    return {};
}

}  // namespace judge
