// The device interface over ordinary memory: for CPU plugins and for emulated ones.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <thread>

#include "base/parallel.h"
#include "device/device.h"
#include "values/data.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace judge {

namespace {

// One a core, none of them empty.
int64_t parts_of(int64_t count) {
    return std::clamp<int64_t>(std::thread::hardware_concurrency(), 1, std::max<int64_t>(count, 1));
}

void add_element(Comparison& into, int64_t row, int64_t col, double got, double want, double magnitude,
                 double rho_bound) {
    const double bound = rho_bound * kUnitRoundoff * magnitude;
    const double error = std::abs(got - want);
    bool bad = true;
    if (std::isnan(got)) {
        ++into.nan;
    } else if (std::isinf(got)) {
        ++into.inf;
    } else {
        bad = !(error <= bound);
        into.wrong += bad;
        const double rho = error == 0 ? 0 : error / (kUnitRoundoff * magnitude);
        into.max_error = std::max(into.max_error, error);
        into.rho = std::max(into.rho, rho);
        into.rho_sum_of_squares += rho * rho;
        into.error_sum_of_squares += error * error;
    }
    into.product_sum_of_squares += want * want;
    into.not_close += !close_enough(error, want);
    if (bad && !into.first) into.first = Mismatch{row, col, got, want, bound};
}

// One row of an FP64 product, and of the product of the absolute values.
struct RowProduct {
    std::vector<double> sum, magnitude;

    void assign(int columns) {
        sum.assign(columns, 0.0);
        magnitude.assign(columns, 0.0);
    }
    void add(double a, double absolute_a, const float* b) {
        for (size_t k = 0; k < sum.size(); ++k) {
            sum[k] += a * b[k];
            magnitude[k] += absolute_a * std::abs(double(b[k]));
        }
    }
};

// Calls reference(i, product), which fills in the product and returns its row, for each i, and compares that row of C.
template <class Reference>
Comparison compare_rows(int64_t count, int columns, const float* C, double rho_bound, Reference reference) {
    std::vector<Comparison> parts(parts_of(count));
    in_parallel(parts_of(count), count, [&](int64_t part, int64_t first, int64_t last) {
        RowProduct product;
        for (int64_t i = first; i < last; ++i) {
            const int64_t row = reference(i, product);
            for (int k = 0; k < columns; ++k) {
                add_element(parts[part], row, k, C[row * columns + k], product.sum[k], product.magnitude[k], rho_bound);
            }
        }
        parts[part].compared = uint64_t(last - first) * columns;
    });
    Comparison whole;
    for (const Comparison& part : parts) whole = merge(whole, part);
    return whole;
}

class HostDevice final : public Device {
  public:
    int compute_capability() const override { return 0; }

    float* allocate(size_t floats) override {
        constexpr size_t kAlignment = 256;  // cudaMalloc's, so that a plugin sees the same on every device
        const size_t bytes = (floats * sizeof(float) + kAlignment - 1) / kAlignment * kAlignment;
        void* const memory = std::aligned_alloc(kAlignment, std::max(bytes, kAlignment));
        if (memory == nullptr) throw OutOfMemory(fmt::format("{:.1f} GiB of memory", double(bytes) / (1 << 30)));
        return static_cast<float*>(memory);
    }

    void release(float* memory) noexcept override { std::free(memory); }

    void fill(float* memory, size_t floats, uint32_t bits) override {
        std::fill_n(memory, floats, std::bit_cast<float>(bits));
    }

    void fill_random(float* memory, size_t floats, const RandomMatrix& matrix) override {
        in_parallel(parts_of(floats), floats, [=](int64_t, int64_t first, int64_t last) {
            for (int64_t i = first; i < last; ++i) memory[i] = element(matrix, i);
        });
    }

    size_t count_other(const float* memory, size_t floats, uint32_t bits) override {
        size_t count = 0;
        for (size_t i = 0; i < floats; ++i) count += std::bit_cast<uint32_t>(memory[i]) != bits;
        return count;
    }

    size_t count_changed(const float* memory, size_t floats, const RandomMatrix& matrix) override {
        size_t count = 0;
        for (size_t i = 0; i < floats; ++i) {
            count += std::bit_cast<uint32_t>(memory[i]) != std::bit_cast<uint32_t>(element(matrix, i));
        }
        return count;
    }

    uint64_t hash(const float* memory, size_t floats) override {
        uint64_t sum = 0;
        for (size_t i = 0; i < floats; ++i) sum += hash_of_word(i, std::bit_cast<uint32_t>(memory[i]));
        return sum;
    }

    void write(float* to_device, const float* from_host, size_t floats) override {
        std::copy_n(from_host, floats, to_device);
    }
    void read(float* to_host, const float* from_device, size_t floats) override {
        std::copy_n(from_device, floats, to_host);
    }

#if defined(__SANITIZE_ADDRESS__)
    void forbid(float* memory, size_t floats) override {
        __asan_poison_memory_region(memory, floats * sizeof(float));
    }
    void allow(float* memory, size_t floats) override {
        __asan_unpoison_memory_region(memory, floats * sizeof(float));
    }
#endif

    Comparison compare(const float* A, const float* B, const float* C, const Shape& shape, double rho_bound,
                       const std::vector<int>& rows) override {
        const int64_t count = rows.empty() ? shape.M : int64_t(rows.size());
        return compare_rows(count, shape.K, C, rho_bound, [&, columns = shape.K](int64_t i, RowProduct& product) {
            const int64_t row = rows.empty() ? i : rows[i];
            product.assign(columns);
            for (int64_t n = 0; n < shape.N; ++n) {
                const double a = A[row * shape.N + n];
                product.add(a, std::abs(a), B + n * columns);
            }
            return row;
        });
    }

    Comparison compare_chain(const float* A, const float* B, const float* C, const float* E, const Shape& shape,
                             double rho_bound, const std::vector<int>& rows) override {
        const int64_t count = rows.empty() ? shape.M : int64_t(rows.size());
        return compare_rows(count, shape.L, E, rho_bound, [&](int64_t i, RowProduct& product) {
            const int64_t row = rows.empty() ? i : rows[i];
            RowProduct first;  // of A and B
            first.assign(shape.K);
            for (int64_t n = 0; n < shape.N; ++n) {
                const double a = A[row * shape.N + n];
                first.add(a, std::abs(a), B + n * shape.K);
            }
            product.assign(shape.L);
            for (int64_t k = 0; k < shape.K; ++k) {
                product.add(first.sum[k], first.magnitude[k], C + k * shape.L);
            }
            return row;
        });
    }

    std::vector<double> multiply(const float* matrix, int64_t rows, int64_t cols, const std::vector<double>& x,
                                 bool absolute) override {
        std::vector<double> y(rows);
        in_parallel(parts_of(rows), rows, [&](int64_t, int64_t first, int64_t last) {
            for (int64_t i = first; i < last; ++i) {
                const float* const row = matrix + i * cols;
                double sum = 0;
                for (int64_t j = 0; j < cols; ++j) sum += (absolute ? std::abs(double(row[j])) : double(row[j])) * x[j];
                y[i] = sum;
            }
        });
        return y;
    }

    // Behind a write of 64 MiB: more than the caches of its cores and of most processors; of a server's last level,
    // which many cores share, it takes a part.
    double cold_seconds(const std::function<void()>& call) override {
        flush_.assign(size_t{64} << 20, static_cast<char>(flush_.empty() || flush_[0] == 0));
        const auto start = std::chrono::steady_clock::now();
        call();
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }

    // 0.8e9 a second on one core at 4 operations each, measured on a 2-core EPYC virtual machine.
    double comparison_budget() const override {
        return 1.6e9 * std::max(1u, std::thread::hardware_concurrency());
    }

    void synchronize() override {}

  private:
    std::vector<char> flush_;
};

}  // namespace

std::unique_ptr<Device> make_host_device() {
    return std::make_unique<HostDevice>();
}

}  // namespace judge
