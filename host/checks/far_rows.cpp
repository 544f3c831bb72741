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

// A square matrix, dense or with a large leading dimension.
struct Rows {
    float* data;
    int64_t ld;

    void put(const Matrix& values, int rows) const {
        for (int i = 0; i < rows; ++i) std::memcpy(data + i * ld, &values[size_t(i) * rows], rows * sizeof(float));
    }
    Matrix values(int rows) const {
        Matrix values(size_t(rows) * rows);
        for (int i = 0; i < rows; ++i) std::memcpy(&values[size_t(i) * rows], data + i * ld, rows * sizeof(float));
        return values;
    }
};

std::string wrong_of(const GemmEntry& entry, uint32_t arithmetic, const GemmForm& form, const Spacing& spacing,
                     char far, Sparse& sparse) {
    const int size = spacing.rows;
    const Operands operands = random_operands({size, size, size}, 1, Data::uniform), turned = transposed(operands);
    const Matrix unwritten(size_t(size) * size, std::numeric_limits<float>::quiet_NaN());
    Matrix near[] = {unwritten, unwritten, unwritten};
    const auto rows_of = [&](char name) {
        return name == far ? Rows{sparse.data(), spacing.ld} : Rows{near[name - 'A'].data(), size};
    };
    const Rows A = rows_of('A'), B = rows_of('B'), C = rows_of('C');
    sparse.clear();
    A.put(form.transpose_a ? turned.b : operands.a, size);
    B.put(form.transpose_b ? turned.a : operands.b, size);
    C.put(unwritten, size);

    solve_gemm_t call = solve_gemm_one();
    call.transpose_a = form.transpose_a, call.transpose_b = form.transpose_b;
    call.M = call.N = call.K = size;
    call.A = A.data, call.lda = A.ld;
    call.B = B.data, call.ldb = B.ld;
    call.C = C.data, call.ldc = C.ld;
    const int code = entry.call(call);
    if (code == SOLVE_UNSUPPORTED) return {};
    if (code != SOLVE_OK) return fmt::format("returned {}", code);

    const Matrix got = C.values(size);
    const Exact exact = exact_product(operands);
    for (size_t at = 0; at < got.size(); ++at) {
        const double bound = kUnitRoundoff * (rho_bound(size, arithmetic) + 4) * exact.magnitude[at];
        if (std::abs(got[at] - exact.sum[at]) <= bound) continue;
        return fmt::format("({}, {}): got {:.9g}, want {:.9g} +- {:.3g}", at / size, at % size, got[at], exact.sum[at],
                           bound);
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
        for (const Spacing& spacing : kSpacings) {
            for (const char far : {'A', 'B', 'C'}) {
                const std::string wrong = wrong_of(entry, arithmetic, form, spacing, far, sparse);
                if (wrong.empty()) continue;
                return fmt::format("{}{}, {}x{}x{}, leading dimension of {} {}, rows that 32 bits do not index: {}",
                                   entry.name, entry.takes_transposed ? " " + name : "", spacing.rows, spacing.rows,
                                   spacing.rows, far, spacing.ld, wrong);
            }
        }
    }
    return {};
}

}  // namespace judge
