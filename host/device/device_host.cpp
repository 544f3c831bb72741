// The device interface over ordinary memory: for CPU plugins and for emulated ones.
#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstdlib>

#include "base/parallel.h"
#include "device/device.h"
#include "device/host_memory.h"
#include "values/data.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace judge {

namespace {

// Calls use(element_at), where element_at(i) is element(matrix, i). Nearly all matrices are uniform: for these the
// compiler has one short loop, in which what depends on the seed alone is computed once.
template <class Use>
auto with_elements_of(const RandomMatrix& matrix, Use use) {
    if (matrix.lines.columns == 0 && matrix.data == Data::uniform) {
        return use([seed = matrix.seed](uint64_t i) { return uniform(seed, i); });
    }
    return use([matrix](uint64_t i) { return element(matrix, i); });
}

class HostDevice final : public Device {
  public:
    explicit HostDevice(const std::optional<GpusBehind>& gpus) : gpus_(gpus) {}

    int compute_capability() const override { return 0; }

    float* allocate(size_t floats) override {
        const size_t bytes = (floats * sizeof(float) + page_ - 1) / page_ * page_;
        void* const memory = std::aligned_alloc(page_, std::max(bytes, page_));
        const bool pinned = memory != nullptr && gpus_ && gpus_->pin && bytes > 0;
        if (pinned && !gpus_->pin(memory, bytes)) {
            std::free(memory);
            throw OutOfMemory(fmt::format("{:.1f} GiB of pinned memory", double(bytes) / (1 << 30)));
        }
        if (memory == nullptr) throw OutOfMemory(fmt::format("{:.1f} GiB of memory", double(bytes) / (1 << 30)));
        return static_cast<float*>(memory);
    }

    // Less a sixteenth, for what the judge and the plugin need beside the matrices.
    std::optional<uint64_t> bytes_available() override {
        const auto bytes = available_memory();
        return bytes ? std::optional(*bytes - *bytes / 16) : std::nullopt;
    }

    void release(float* memory) noexcept override {
        if (memory != nullptr && gpus_ && gpus_->unpin) gpus_->unpin(memory);
        std::free(memory);
    }

    void fill(float* memory, size_t floats, uint32_t bits) override {
        in_parallel(parts_of(floats, 1), floats, [=](int64_t, int64_t first, int64_t last) {
            std::fill(memory + first, memory + last, std::bit_cast<float>(bits));
        });
    }

    void fill_random(float* memory, size_t floats, const RandomMatrix& matrix) override {
        if (matrix.lines.columns != 0) return fill_lines(memory, floats, matrix);
        with_elements_of(matrix, [=](auto element_at) {
            in_parallel(parts_of(floats, 4), floats, [=](int64_t, int64_t first, int64_t last) {
                for (int64_t i = first; i < last; ++i) memory[i] = element_at(i);
            });
        });
    }

    size_t count_other(const float* memory, size_t floats, uint32_t bits) override {
        return sum(floats, 1, [=](size_t i) { return std::bit_cast<uint32_t>(memory[i]) != bits; });
    }

    size_t count_changed(const float* memory, size_t floats, const RandomMatrix& matrix) override {
        return with_elements_of(matrix, [=](auto element_at) {
            return sum(floats, 4, [=](size_t i) {
                return std::bit_cast<uint32_t>(memory[i]) != std::bit_cast<uint32_t>(element_at(i));
            });
        });
    }

    uint64_t hash(const float* memory, size_t floats) override {
        return sum(floats, 2, [=](size_t i) { return hash_of_word(i, std::bit_cast<uint32_t>(memory[i])); });
    }

    void write(float* to_device, const float* from_host, size_t floats) override {
        std::copy_n(from_host, floats, to_device);
    }
    void read(float* to_host, const float* from_device, size_t floats) override {
        std::copy_n(from_device, floats, to_host);
    }

    size_t page_floats() const override { return page_ / sizeof(float); }

    bool restrict_access(float* memory, size_t floats, Access access) override {
        const auto [begin, end] = pages(memory, floats, access);
        bool may_stay =
            begin >= end || guard_pages(reinterpret_cast<void*>(begin), end - begin, access == Access::read);
#if defined(__SANITIZE_ADDRESS__)
        if (access == Access::none) __asan_poison_memory_region(memory, floats * sizeof(float)), may_stay = false;
#endif
        return may_stay;
    }

    std::optional<Trespass> trespass_on(const float* memory, size_t floats, Access access) override {
        const auto [begin, end] = pages(memory, floats, access);
        return begin < end ? trespass_on_pages(reinterpret_cast<const void*>(begin)) : std::nullopt;
    }

    std::optional<Trespass> lift_restriction(float* memory, size_t floats, Access access) override {
#if defined(__SANITIZE_ADDRESS__)
        if (access == Access::none) __asan_unpoison_memory_region(memory, floats * sizeof(float));
#endif
        const auto [begin, end] = pages(memory, floats, access);
        return begin < end ? unguard_pages(reinterpret_cast<void*>(begin)) : std::nullopt;
    }

    // Behind a write of 64 MiB: more than the caches of its cores and of most processors; of a server's last level,
    // which many cores share, it takes a part.
    double cold_seconds(const std::function<void()>& call) override {
        flush_.assign(size_t{64} << 20, static_cast<char>(flush_.empty() || flush_[0] == 0));
        const auto start = std::chrono::steady_clock::now();
        call();
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }

    // No processor has been sold with a higher clock, turbo included, than 6.5 GHz; and none does more a cycle and core
    // than two FMAs of its widest vectors in FP32, or, in narrower formats, AMX's 16 x 16 sums of two products.
    double least_seconds(double flops, bool fp32) const override {
        constexpr double kClock = 6.5e9;
        if (gpus_) return flops / (fp32 ? gpus_->fp32_flops : gpus_->fastest_flops);
        const double flops_a_cycle = fp32 ? 2 * 2 * lanes() : 2 * 16 * 16 * 2;
        return flops / (cores_ * flops_a_cycle * kClock);
    }

    // Both directions of PCIe work at a time.
    std::optional<double> seconds_to_cross(double bytes_in, double bytes_out) const override {
        if (!gpus_) return {};
        return std::max(bytes_in / gpus_->bytes_in, bytes_out / gpus_->bytes_out);
    }

    bool computes_on_cores() const override {
        return !gpus_;
    }

    Reference& reference() override {
        return *reference_;
    }

    void synchronize() override {}

  private:
    // Of what term(i) is for each i below count, modulo 2^64; a term takes so many operations.
    template <class Term>
    static uint64_t sum(size_t count, double operations_each, Term term) {
        std::atomic<uint64_t> whole = 0;
        in_parallel(parts_of(count, operations_each), count, [&](int64_t, int64_t first, int64_t last) {
            uint64_t part = 0;
            for (int64_t i = first; i < last; ++i) part += term(size_t(i));
            whole += part;
        });
        return whole;
    }

    // The same bits as element()'s. What a line is of is asked for once a line, not for each element, which took longer
    // than the element itself.
    static void fill_lines(float* memory, size_t floats, const RandomMatrix& matrix) {
        const int64_t columns = matrix.lines.columns, size = static_cast<int64_t>(floats);
        const int64_t rows = (size + columns - 1) / columns;
        const bool are_rows = matrix.lines.are_rows;
        std::vector<LineKind> kinds(are_rows ? rows : columns);
        for (size_t i = 0; i < kinds.size(); ++i) kinds[i] = kind_of_line(matrix.seed, matrix.lines, int64_t(i));
        in_parallel(parts_of(rows, 4 * double(columns)), rows, [&](int64_t, int64_t first, int64_t last) {
            for (int64_t row = first; row < last; ++row) {
                for (int64_t column = 0; column < std::min(columns, size - row * columns); ++column) {
                    const int64_t line = are_rows ? row : column, along = are_rows ? column : row;
                    const int64_t index = row * columns + column;
                    memory[index] = element_of_line(matrix, kinds[line], along, index);
                }
            }
        });
    }

    // Addresses: of the pages that lie in the floats, or, if these may be read, that hold any of them.
    std::pair<uintptr_t, uintptr_t> pages(const float* memory, size_t floats, Access access) const {
        const auto down = [&](uintptr_t address) { return address / page_ * page_; };
        const auto up = [&](uintptr_t address) { return down(address + page_ - 1); };
        const auto begin = reinterpret_cast<uintptr_t>(memory), end = begin + floats * sizeof(float);
        return access == Access::none ? std::pair{up(begin), down(end)} : std::pair{down(begin), floats ? up(end) : 0};
    }

    const std::optional<GpusBehind> gpus_;
    const size_t page_ = static_cast<size_t>(sysconf(_SC_PAGESIZE));

    // Of FP32 in the widest vectors there are: of other processors SVE's 512 bits.
    static double lanes() {
#if defined(__x86_64__)
        return __builtin_cpu_supports("avx512f") ? 16 : 8;
#else
        return 16;
#endif
    }

    // Those that this process may use, now that no plugin has been called.
    static double allowed_cores() {
        cpu_set_t set;
        CPU_ZERO(&set);
        return sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1024;
    }

    const double cores_ = allowed_cores();
    std::unique_ptr<Reference> reference_ = make_host_reference();
    std::vector<char> flush_;
};

}  // namespace

std::unique_ptr<Device> make_host_device(const std::optional<GpusBehind>& gpus) {
    return std::make_unique<HostDevice>(gpus);
}

}  // namespace judge
