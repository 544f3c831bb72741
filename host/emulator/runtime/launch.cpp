// Checks a launch's configuration as the real runtime does and spreads its blocks over the cores.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <random>
#include <thread>

#include "../include/emulator/launch.h"
#include "block_runner.h"
#include "capture.h"
#include "device_memory.h"
#include "devices.h"
#include "error.h"
#include "function_attributes.h"
#include "injected.h"
#include "memory.h"
#include "race_check.h"
#include "solve_call.h"
#include "stream.h"

namespace emulator {
namespace {

uint64_t environment_number(const char* name, uint64_t otherwise) {
    const char* text = std::getenv(name);
    return text && *text ? std::strtoull(text, nullptr, 10) : otherwise;
}

constexpr size_t kMostConstant = 64 << 10;

// A function, because variables are counted by constructors that may run before this file's.
size_t& constant_bytes() {
    static size_t bytes = 0;
    return bytes;
}

std::string dimensions(const char* what, dim3 size) {
    return std::string(what) + " (" + std::to_string(size.x) + ", " + std::to_string(size.y) + ", " +
           std::to_string(size.z) + ")";
}

// Records the error that the real runtime would return, and returns false.
bool check_configuration(const Launch& launch) {
    const dim3 block = launch.block, grid = launch.grid;
    const std::string where = "kernel " + std::string(launch.name) + ", ";
    const bool block_fits = block.x <= 1024 && block.y <= 1024 && block.z <= 64 &&
                            uint64_t{block.x} * block.y * block.z <= 1024 && block.x > 0 && block.y > 0 && block.z > 0;
    if (!block_fits) {
        record(cudaErrorInvalidConfiguration,
               where + dimensions("block", block) + ": at least 1 and at most 1024 threads, z at most 64");
        return false;
    }
    const bool grid_fits =
        grid.x <= 0x7fffffff && grid.y <= 65535 && grid.z <= 65535 && grid.x > 0 && grid.y > 0 && grid.z > 0;
    if (!grid_fits) {
        record(cudaErrorInvalidConfiguration,
               where + dimensions("grid", grid) + ": at least 1 each, x at most 2147483647, y and z at most 65535");
        return false;
    }
    if (constant_bytes() > kMostConstant) {
        record(cudaErrorInvalidValue, where + "the library holds " + std::to_string(constant_bytes()) +
                                          " bytes of __constant__, of which there are " +
                                          std::to_string(kMostConstant) + ": ptxas refuses that");
        return false;
    }
    const size_t limit = dynamic_shared_limit(launch.function);
    if (launch.dynamic_shared > limit) {
        record(cudaErrorInvalidValue, where + std::to_string(launch.dynamic_shared) +
                                          " bytes of dynamic shared memory, the limit is " + std::to_string(limit) +
                                          "; cudaFuncSetAttribute raises it");
        return false;
    }
    return true;
}

// What is wrong with a pointer that a kernel is given; empty if nothing is.
std::string problem_of(const void* pointer, int device) {
    if (SolveCall::knows_all_memory() && is_host_memory(pointer)) {
        return "a pointer to host memory, #: copy with cudaMemcpy to what cudaMalloc returns";
    }
    const Memory memory = device_count() > 1 ? memory_at(pointer) : Memory{};
    if (memory.type != cudaMemoryTypeDevice || has_access(device, memory.device)) return {};
    return "a pointer to memory of device " + std::to_string(memory.device) + " on device " + std::to_string(device) +
           ", #: cudaDeviceEnablePeerAccess was not called";
}

// As a fault, since on a GPU the kernel would run into it.
bool check_pointers(const Launch& launch) {
    for (size_t i = 0; i < launch.pointer_count; ++i) {
        std::string problem = problem_of(launch.pointers[i], current_device());
        if (problem.empty()) continue;
        problem.replace(problem.find('#'), 1, "its pointer number " + std::to_string(i + 1));
        record_fault(cudaErrorIllegalAddress, "kernel " + std::string(launch.name) + " is given " + problem);
        success_or_fault();
        return false;
    }
    return true;
}

bool check_stream(const Launch& launch) {
    if (lane_of(launch.stream).device == current_device()) return true;
    record(cudaErrorInvalidResourceHandle,
           "kernel " + std::string(launch.name) + " is launched on a stream of another device");
    return false;
}

// Block runners keep their stacks from launch to launch, but no OS thread outlives one: a plugin may be unloaded.
class BlockRunnerPool {
  public:
    std::unique_ptr<BlockRunner> take() {
        const std::lock_guard lock(mutex_);
        if (idle_.empty()) return std::make_unique<BlockRunner>();
        std::unique_ptr<BlockRunner> runner = std::move(idle_.back());
        idle_.pop_back();
        stacks_ -= runner->idle_stacks();
        return runner;
    }
    void give(std::unique_ptr<BlockRunner> runner) {
        const std::lock_guard lock(mutex_);
        if (stacks_ >= kMostStacks) return;
        stacks_ += runner->idle_stacks();
        idle_.push_back(std::move(runner));
    }

  private:
    // So that those of 40 plugins in one process, which share its 65530 mappings, are not too many, on any number of
    // cores.
    static constexpr size_t kMostStacks = 512;

    std::mutex mutex_;
    std::vector<std::unique_ptr<BlockRunner>> idle_;
    size_t stacks_ = 0;  // of those
};

BlockRunnerPool& runner_pool() {
    static BlockRunnerPool pool;
    return pool;
}

// Each stack takes two of the 65530 mappings that Linux gives a process: 16384 stacks are safe.
uint64_t most_runners(const Grid& grid) {
    return 16384 / (uint64_t{grid.launch.block.x} * grid.launch.block.y * grid.launch.block.z);
}

uint64_t runner_count(const Grid& grid) {
    const uint64_t cores = std::max(1u, std::thread::hardware_concurrency());
    const uint64_t wanted = std::max<uint64_t>(1, environment_number("EMULATOR_THREADS", cores));
    return std::min({wanted, grid.blocks, most_runners(grid)});
}

void run(Grid& grid) {
    const auto work = [&grid] {
        std::unique_ptr<BlockRunner> runner = runner_pool().take();
        runner->run_blocks(grid);
        if (runner->is_lost()) {
            runner.release();
        } else {
            runner_pool().give(std::move(runner));
        }
    };
    std::mutex mutex;
    std::vector<std::thread> helpers;
    const uint64_t runners = runner_count(grid), most = std::min<uint64_t>(runners + 32, most_runners(grid));
    grid.add_runner = [&] {
        const std::lock_guard lock(mutex);
        if (helpers.size() + 1 >= most) return false;
        helpers.emplace_back(work);
        return true;
    };
    for (uint64_t i = 1; i < runners; ++i) grid.add_runner();
    work();
    auto next_helper = [&, joined = size_t{0}]() mutable {
        const std::lock_guard lock(mutex);
        return joined < helpers.size() ? std::move(helpers[joined++]) : std::thread();
    };
    for (std::thread helper = next_helper(); helper.joinable(); helper = next_helper()) helper.join();
}

}  // namespace

bool constant_variable(size_t bytes) {
    constant_bytes() += bytes;
    return true;
}

bool is_device_code() {
    return BlockRunner::executing() != nullptr;
}

namespace {

// As on a GPU, whatever the caller's thread does: kernels round to the nearest and keep subnormal numbers. The threads
// that run blocks begin with what this one has.
class OwnArithmetic {
  public:
    OwnArithmetic() {
        std::fegetenv(&callers_);
        std::fesetenv(FE_DFL_ENV);
    }
    ~OwnArithmetic() { std::fesetenv(&callers_); }
    OwnArithmetic(const OwnArithmetic&) = delete;
    OwnArithmetic& operator=(const OwnArithmetic&) = delete;

  private:
    std::fenv_t callers_;
};

// With the order of threads that was asked for when it was launched.
void execute(const Launch& launch, uint64_t seed) {
    if (is_injected("EMULATOR_KERNEL_FAIL")) {
        record_fault(cudaErrorIllegalAddress, "as EMULATOR_KERNEL_FAIL says");
        success_or_fault();
        return;
    }
    const size_t dynamic_limit = dynamic_shared_limit(launch.function);
    Grid grid{launch, std::max(dynamic_limit, SharedMemory::kDefault), seed,
              uint64_t{launch.grid.x} * launch.grid.y * launch.grid.z};
    {
        const DeviceAccess access;
        const OwnArithmetic arithmetic;
        RaceCheck check(grid);
        run(grid);
        if (check.is_wanted()) check.run_other_half([&] { run(grid); });
    }
    if (is_fault(grid.error)) {
        record_fault(grid.error, grid.detail);
        success_or_fault();  // this thread's last error
    } else if (grid.error != cudaSuccess) {
        record(grid.error, "kernel " + std::string(launch.name) + ", " + grid.detail);
    }
}

// What nobody can copy the arguments of runs at once, after what the stream holds.
void execute_later(const Launch& launch, uint64_t seed) {
    if (!launch.keep) {
        wait_for_lane(lane_of(launch.stream));
        return execute(launch, seed);
    }
    if (is_injected("EMULATOR_KERNEL_HANG")) defer(lane_of(launch.stream), nullptr, [] { return false; });
    const auto arguments = launch.keep(launch.arguments);
    std::vector<const void*> pointers(launch.pointers, launch.pointers + launch.pointer_count);
    defer(lane_of(launch.stream), [launch = Launch(launch), seed, arguments, pointers = std::move(pointers)]() mutable {
        launch.arguments = arguments.get();
        launch.pointers = pointers.data();
        execute(launch, seed);
    });
}

// Up to EMULATOR_PAUSE_US microseconds, none unless it is set: what a thread's calls keep between two launches, or
// copy for one, is then met by those of another one.
void pause_for_other_threads() {
    const uint64_t most = environment_number("EMULATOR_PAUSE_US", 0);
    if (most == 0) return;
    static std::atomic<unsigned> threads{0};
    static thread_local std::minstd_rand random(++threads);
    std::this_thread::sleep_for(std::chrono::microseconds(random() % most));
}

}  // namespace

void launch(const Launch& launch) {
    if (BlockRunner::executing()) {
        const std::string why =
            "kernel " + std::string(launch.name) + " is launched by device code, which the emulator cannot do";
        record_fault(cudaErrorLaunchFailure, why);
        return;
    }
    pause_for_other_threads();  // between it and what was copied for it
    if (success_or_fault() != cudaSuccess || !check_configuration(launch) || !check_stream(launch) ||
        !check_pointers(launch)) {
        return;
    }
    if (refuse_legacy_in_capture("a launch on the default stream", launch.stream) != cudaSuccess) return;
    work_begins_on(launch.stream);
    if (const uint64_t number = environment_number("EMULATOR_SIGNAL_AT_LAUNCH", 0)) {
        kill(getpid(), static_cast<int>(number));
        return;
    }
    if (environment_number("EMULATOR_CHECK_LAUNCHES_ONLY", 0) != 0) return;
    const uint64_t seed = environment_number("EMULATOR_SEED", 0);
    is_deferred() ? execute_later(launch, seed) : execute(launch, seed);
    pause_for_other_threads();
}

}  // namespace emulator
