// The device interface over ordinary memory: for CPU plugins and for emulated ones.
#include <fmt/format.h>

#include <algorithm>
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

    // Less a sixteenth, for what the judge and the plugin need beside the matrices.
    std::optional<uint64_t> bytes_available() override {
        const auto bytes = available_memory();
        return bytes ? std::optional(*bytes - *bytes / 16) : std::nullopt;
    }

    void release(float* memory) noexcept override { std::free(memory); }

    void fill(float* memory, size_t floats, uint32_t bits) override {
        std::fill_n(memory, floats, std::bit_cast<float>(bits));
    }

    void fill_random(float* memory, size_t floats, const RandomMatrix& matrix) override {
        in_parallel(one_part_per_core(floats), floats, [=](int64_t, int64_t first, int64_t last) {
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

    // Behind a write of 64 MiB: more than the caches of its cores and of most processors; of a server's last level,
    // which many cores share, it takes a part.
    double cold_seconds(const std::function<void()>& call) override {
        flush_.assign(size_t{64} << 20, static_cast<char>(flush_.empty() || flush_[0] == 0));
        const auto start = std::chrono::steady_clock::now();
        call();
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }

    Reference& reference() override {
        return *reference_;
    }

    void synchronize() override {}

  private:
    std::unique_ptr<Reference> reference_ = make_host_reference();
    std::vector<char> flush_;
};

}  // namespace

std::unique_ptr<Device> make_host_device() {
    return std::make_unique<HostDevice>();
}

}  // namespace judge
