// What the judge needs of a device: memory to hand to plugins, streams, clocks, and a reference for their products.
// One implementation for host memory (device_host.cpp: CPU and emulated plugins), one for CUDA (device_cuda.cu).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "device/graph.h"
#include "device/nvml.h"
#include "device/page_guard.h"
#include "device/reference.h"
#include "values/data.h"
#include "values/gpu_info.h"

namespace judge {

// The matrices do not fit; the text says how much was asked for.
struct OutOfMemory : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The device is unusable from here on (a kernel's illegal address poisons the whole CUDA context): the worker must end.
struct DeviceLost : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// There is no such device here; the text says why and what to do.
struct NoDevice : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// What a plugin may do with memory.
enum class Access { none, read, any };

// Points in what the default stream does, and the seconds between them by the device's clock.
class StreamTimes {
  public:
    static constexpr int kPoints = 4;

    virtual ~StreamTimes() = default;
    virtual void record(int point) = 0;                  // from 0 to kPoints - 1
    virtual double seconds(int from, int to) const = 0;  // waits until both have been reached
};

// Every pointer is to this device's memory, and counts are of floats. Any call but allocate may throw DeviceLost.
class Device {
  public:
    virtual ~Device() = default;

    // 10 * major + minor; 0 where that means nothing.
    virtual int compute_capability() const = 0;

    // What products in this memory are compared with; lives as long as the device.
    virtual Reference& reference() = 0;

    // ---- Memory

    // Aligned to 256 bytes, contents undefined. Throws OutOfMemory.
    virtual float* allocate(size_t floats) = 0;
    virtual void release(float* memory) noexcept = 0;

    // Every float gets these bits; float i becomes element(matrix, i).
    virtual void fill(float* memory, size_t floats, uint32_t bits) = 0;
    virtual void fill_random(float* memory, size_t floats, const RandomMatrix& matrix) = 0;

    // How many floats are not what fill, or fill_random, put there.
    virtual size_t count_other(const float* memory, size_t floats, uint32_t bits) = 0;
    virtual size_t count_changed(const float* memory, size_t floats, const RandomMatrix& matrix) = 0;

    // The sum of hash_of_word(i, bits of float i): equal for equal bits, and for others once in 2^64.
    virtual uint64_t hash(const float* memory, size_t floats) = 0;

    // Copies to the device, and back after the work enqueued so far.
    virtual void write(float* to_device, const float* from_host, size_t floats) = 0;
    virtual void read(float* to_host, const float* from_device, size_t floats) = 0;

    // to[cols x rows] = the transpose of from[rows x cols].
    virtual void transpose(float* to, const float* from, int64_t rows, int64_t cols);

    // Memory of the host that the device copies from and to by itself; null where there is none, or no more of it.
    virtual float* allocate_pinned(size_t /*floats*/) { return nullptr; }
    virtual void release_pinned(float*) noexcept {}

    // How many floats the unit has that accesses can be restricted for; 0 where they cannot. What is allocated begins
    // with one.
    virtual size_t page_floats() const { return 0; }

    // What a plugin may do with these floats until that is lifted, which says who did more. `none` is for the pages
    // that lie in them (and, in AddressSanitizer builds, each float: there an access ends the process), `read` for the
    // pages that hold any of them. Whether these pages are restricted now, and may stay so while the judge looks at
    // what shares a page with them (not in AddressSanitizer builds); if they were already, what was done to them before
    // is forgotten.
    virtual bool restrict_access(float*, size_t /*floats*/, Access) { return false; }
    virtual std::optional<Trespass> lift_restriction(float*, size_t /*floats*/, Access) { return std::nullopt; }
    // The same of floats that stay restricted, if nobody has done more: where somebody has, they are not any more.
    virtual std::optional<Trespass> trespass_on(const float*, size_t /*floats*/, Access) { return std::nullopt; }

    // Bytes that allocate() can hand out in all, where that is known; more of the host's would be found missing only
    // when they are written to.
    virtual std::optional<uint64_t> bytes_available() { return std::nullopt; }

    // Bytes of its own memory in use, by whomever; 0 for host memory, which the process's counters tell.
    virtual int64_t bytes_in_use() { return 0; }

    // ---- Streams

    // Whether work may still be running when a call returns, and a store by the host costs more than nothing.
    virtual bool has_streams() const { return false; }

    // Waits for all work of the device. Throws DeviceLost if any of it failed.
    virtual void synchronize() = 0;

    // Waits for what a reader on the default stream would wait for. Throws DeviceLost as synchronize() does, and also
    // if what was allocated is gone.
    virtual void finish_default_stream() { synchronize(); }

    // A stream that does not wait for the default stream, null where there are no streams; something for the default
    // stream to do for some milliseconds; and a read that waits for one stream only.
    virtual void* side_stream() { return nullptr; }
    virtual void occupy_default_stream() {}
    virtual void read_after(void* /*stream*/, float* to_host, const float* from_device, size_t floats) {
        read(to_host, from_device, floats);
    }

    // Streams of the caller's own, which do not wait for the default stream either, and what is captured on them;
    // without graphs there are no such streams, and none of these is called.
    virtual bool has_graphs() const { return false; }
    virtual void* create_stream() { return nullptr; }
    virtual void destroy_stream(void* /*stream*/) noexcept {}
    virtual Captured capture(void* /*stream*/, CaptureMode, const std::function<void()>& /*enqueue*/) { return {}; }

    // ---- Clocks

    // Null where there are no streams, and a steady clock of the host's says as much.
    virtual std::unique_ptr<StreamTimes> stream_times() { return nullptr; }

    // Seconds of one call that finds none of its operands in a cache: all of them hold other data when it begins.
    virtual double cold_seconds(const std::function<void()>& call) = 0;

    // Whether the call returns only when its work is done, as one on the CPU always does.
    virtual bool waits_for_its_work(const std::function<void()>& /*call*/) { return true; }

    // The least seconds that this many operations take, by the unit's nominal rate, or that this many bytes take from
    // memory; 0 where no such rate is known. `fp32` for the CUDA cores' FP32 units, else the fastest unit there is.
    virtual double least_seconds(double /*flops*/, bool /*fp32*/) const { return 0; }
    virtual double least_seconds_for_bytes(double /*bytes*/) const { return 0; }

    // The least seconds that so many bytes take to GPUs, and so many back, by what this device has measured; nothing
    // where there is no such way.
    virtual std::optional<double> seconds_to_cross(double /*bytes_in*/, double /*bytes_out*/) const { return {}; }

    // Whether it computes on the host's cores, so that it matters what else they do.
    virtual bool computes_on_cores() const { return !has_streams(); }

    // From here on, or no longer, what runs is of interest to a profiler that has started this process.
    virtual void profile(bool /*on*/) {}

    // How hot and how fast it runs at the moment, where that is known.
    virtual std::optional<GpuHealth> health() const { return std::nullopt; }

    // ---- Settings that a plugin may change under the judge: the current device, its limits

    using Settings = std::vector<std::pair<std::string, int64_t>>;
    virtual Settings settings() { return {}; }
    virtual void restore(const Settings&) {}  // sets back those that differ
};

// What stands behind host memory whose matrices are multiplied on GPUs.
struct GpusBehind {
    double fp32_flops = 0, fastest_flops = 0;  // a second, of all of them, nominal
    double bytes_in = 0, bytes_out = 0;  // a second, measured: into all of them at a time from pinned memory, back
    std::function<bool(void*, size_t)> pin = {};  // whether it could; none: the memory stays pageable
    std::function<void(void*)> unpin = {};
};

std::unique_ptr<Device> make_host_device(const std::optional<GpusBehind>& gpus = {});
std::unique_ptr<Device> make_cuda_device();  // throws NoDevice

// Host memory before all GPUs that are visible, or as many of them as SOLVE_GPUS says. Throws NoDevice.
std::unique_ptr<Device> make_gpus_device(bool pinned);

// The GPU that make_cuda_device uses. `nvml` tells the version of the driver: who has one hands it over, and no second
// one is started.
GpuInfo query_gpu(const Nvml& nvml = Nvml());

}  // namespace judge
