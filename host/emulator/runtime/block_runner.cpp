#include "block_runner.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <exception>

#include "../include/emulator/warp.h"
#include "device_memory.h"
#include "faults.h"
#include "strict.h"

namespace emulator {
namespace {

std::string coordinates(uint3 index) {
    return "(" + std::to_string(index.x) + ", " + std::to_string(index.y) + ", " + std::to_string(index.z) + ")";
}

// "1 thread waits", "3 threads wait".
std::string threads(size_t count, const char* of_one, const char* of_several) {
    return std::to_string(count) +
           (count == 1 ? std::string(" thread ") + of_one : std::string(" threads ") + of_several);
}

bool same_instruction(const Place& a, const Place& b) {
    return a.function == b.function || std::strcmp(a.function, b.function) == 0;
}

std::string describe(const Place& place) {
    return std::string(place.function) + "() in " + place.file + ":" + std::to_string(place.line);
}

}  // namespace

bool same_place(const Place& a, const Place& b) {
    return a.line == b.line && (a.file == b.file || std::strcmp(a.file, b.file) == 0);
}

// ---- What device code calls ----

int block_barrier(Place place, bool predicate) {
    return current()->block->runner->block_barrier(place, predicate);
}
void refuse_block(size_t most_threads) {
    current()->block->runner->refuse_block(most_threads);
}

int BlockRunner::block_barrier(Place place, bool predicate) {
    predicates_ += predicate;
    at_barrier_.push_back({running_, place, 0});
    suspend(running());
    return predicate_result_;
}

void BlockRunner::refuse_block(size_t most_threads) {
    grid_->fail(
        cudaErrorLaunchOutOfResources,
        std::to_string(threads_.size()) + " threads a block, __launch_bounds__ allows " + std::to_string(most_threads));
    abandoned_ = true;
    throw Abandoned{};
}

void* BlockRunner::allocate_shared(int variable, size_t bytes, size_t alignment) {
    void* memory = shared_memory_.allocate(variable, bytes, alignment);
    const size_t used = shared_memory_.static_bytes(), dynamic = grid_->launch.dynamic_shared;
    if (!memory) {
        abandon("kernel " + std::string(grid_->launch.name) + " declares more than " +
                std::to_string(SharedMemory::kDefault) +
                " bytes of static shared memory (or more than 128 variables): ptxas refuses that; use extern "
                "__shared__");
    } else if (used + dynamic > grid_->shared_limit) {
        grid_->fail(cudaErrorInvalidValue, std::to_string(used) + " bytes of static and " + std::to_string(dynamic) +
                                               " of dynamic shared memory, the limit is " +
                                               std::to_string(grid_->shared_limit));
        abandoned_ = true;
    } else {
        return memory;
    }
    throw Abandoned{};
}

// ---- Threads on fibers ----

void BlockRunner::run_threads(Fiber& self, void* opaque) {
    BlockRunner& runner = *static_cast<BlockRunner*>(opaque);
    while (!runner.quitting_) {
        // A thread that never waits costs no switch: the next one starts on the same stack.
        while (runner.start_thread(self)) {
            try {
                runner.grid_->launch.run_thread(runner.grid_->launch.arguments);
            } catch (const Abandoned&) {
            } catch (const std::exception& error) {
                runner.abandon("kernel " + std::string(runner.grid_->launch.name) +
                               " threw an exception: " + error.what());
            } catch (...) {
                runner.abandon("kernel " + std::string(runner.grid_->launch.name) + " threw an exception");
            }
            runner.leave_thread(self);
        }
        self.set_thread(nullptr);
        runner.idle_.push_back(&self);
        Fiber& next = runner.next();
        runner.running_ = &next;
        Fiber::switch_to(self, next);
    }
}

bool BlockRunner::start_thread(Fiber& self) {
    if (abandoned_ || started_ == order_.size()) return false;
    self.set_thread(&threads_[order_[started_++]]);
    return true;
}

void BlockRunner::leave_thread(Fiber& self) {
    ++finished_;
    progress();
    warps_[self.thread()->linear / 32].left |= 1u << self.thread()->linear % 32;
}

void BlockRunner::suspend(Fiber& self) {
    Fiber& other = next();
    if (&other != &self) {
        running_ = &other;
        Fiber::switch_to(self, other);
    }
    if (abandoned_) throw Abandoned{};
}

Fiber& BlockRunner::take_ready() {
    return *ready_[ready_at_++];
}

// Who runs next: a thread that was released, else one that has not started, else one that a complete barrier releases.
Fiber& BlockRunner::next() {
    if (ready_at_ < ready_.size()) return take_ready();
    ready_.clear();
    ready_at_ = 0;
    if (started_ < order_.size() && !abandoned_) {
        if (idle_.empty()) {
            fibers_.push_back(std::make_unique<Fiber>(stacks_.next(), run_threads, this));
            return *fibers_.back();
        }
        Fiber& fiber = *idle_.back();
        idle_.pop_back();
        return fiber;
    }
    if (!abandoned_ && (release_block_barrier() || release_warp_barriers() || release_converged() || poll_again())) {
        return take_ready();
    }

    const auto has_waiting = [](const Warp& warp) { return !warp.waiting.empty() || !warp.converging.empty(); };
    const bool all_left =
        at_barrier_.empty() && polling_.empty() && std::none_of(warps_.begin(), warps_.end(), has_waiting);
    if (all_left) return main_;
    if (!abandoned_) report_deadlock();

    // Whoever waits is woken to unwind its stack.
    const auto wake = [&](std::vector<Waiting>& waiting) {
        for (const Waiting& each : waiting) ready_.push_back(each.fiber);
        waiting.clear();
    };
    wake(at_barrier_);
    wake(polling_);
    for (Warp& warp : warps_) {
        wake(warp.waiting);
        wake(warp.converging);
    }
    return take_ready();
}

// ---- Barriers ----

// Of the threads that wait at several __syncthreads, those of a warp at the same one. A GPU counts the warps that have
// arrived at a barrier, not where, so that this works on each; the manual wants the condition to be the same for the
// whole block.
bool BlockRunner::whole_warps_wait() {
    const Place& first = at_barrier_.front().place;
    std::vector<const Place*> of_warp(warps_.size(), nullptr);
    const Place* other = &first;
    for (const Waiting& each : at_barrier_) {
        const Place*& place = of_warp[each.fiber->thread()->linear / 32];
        if (!place) place = &each.place;
        if (!same_place(*place, each.place) || !same_instruction(first, each.place)) return false;
        if (!same_place(first, each.place)) other = &each.place;
    }
    if (is_strict()) return false;
    warn_once("kernel " + std::string(grid_->launch.name) + ": some warps wait at " + describe(first) + ", others at " +
              describe(*other) + "; every GPU takes these for one barrier, CUDA does not promise it");
    return true;
}

bool BlockRunner::release_block_barrier() {
    // A thread that has left the kernel is not waited for: so since Volta.
    if (at_barrier_.empty() || at_barrier_.size() + finished_ != threads_.size()) return false;
    const auto elsewhere = [&](const Waiting& each) { return !same_place(each.place, at_barrier_.front().place); };
    if (std::any_of(at_barrier_.begin(), at_barrier_.end(), elsewhere) && !whole_warps_wait()) return false;
    for (const Waiting& each : at_barrier_) ready_.push_back(each.fiber);
    at_barrier_.clear();
    random_.shuffle(ready_);
    predicate_result_ = std::exchange(predicates_, 0);
    progress();
    return true;
}

// ---- Faults ----

void BlockRunner::abandon(const std::string& why) {
    abandoned_ = true;
    grid_->fail(cudaErrorLaunchFailure, why);
}

std::string BlockRunner::position() const {
    return "kernel " + std::string(grid_->launch.name) + ", block " + coordinates(block_.index);
}

void BlockRunner::fault(cudaError_t error, const std::string& what) {
    grid_->fail(error, position() + ", thread " + coordinates(running_->thread()->index) + ": " + what);
    lost_ = true;
    Fiber::switch_to(*running_, main_);
    std::abort();  // nobody switches back
}

void BlockRunner::invalid_access(const void* address) {
    const uintptr_t at = reinterpret_cast<uintptr_t>(address);
    const uintptr_t stack = reinterpret_cast<uintptr_t>(running_->stack_bottom());
    const uintptr_t dynamic = reinterpret_cast<uintptr_t>(shared_memory_.dynamic());
    std::string what = "an access to " + hexadecimal(at) + ", which is no device memory";
    if (is_unusable_memory(address))
        what = "an access to memory that is freed, or not allocated yet, by the streams' order";
    if (at < 4096) what = "an access through a null pointer";
    if (at < stack && stack - at <= kStackSize) {
        what = "a stack overflow: here a thread has " + std::to_string(kStackSize >> 10) + " KiB of local memory";
    }
    if (at >= dynamic && at - dynamic < SharedMemory::kMaximum) {
        what = "an access to byte " + std::to_string(at - dynamic) +
               " of dynamic shared memory, of which the launch asked for " +
               std::to_string(grid_->launch.dynamic_shared) + " bytes";
    }
    fault(cudaErrorIllegalAddress, what);
}

void BlockRunner::report_deadlock() {
    std::vector<Waiting> waiting = at_barrier_;
    waiting.insert(waiting.end(), polling_.begin(), polling_.end());
    for (const Warp& warp : warps_) waiting.insert(waiting.end(), warp.waiting.begin(), warp.waiting.end());
    const auto where = [](const Waiting& each) { return std::pair(each.place.line, each.mask); };
    std::sort(waiting.begin(), waiting.end(), [&](const Waiting& a, const Waiting& b) { return where(a) < where(b); });

    std::string text = position() + ": ";
    for (size_t i = 0, end; i < waiting.size(); i = end) {
        const Place& place = waiting[i].place;
        const unsigned mask = waiting[i].mask;
        const auto elsewhere = [&](const Waiting& each) { return where(each) != where(waiting[i]); };
        end = std::find_if(waiting.begin() + i, waiting.end(), elsewhere) - waiting.begin();
        text += threads(end - i, "waits", "wait") + " at " + describe(place) +
                (mask ? " with mask " + hexadecimal(mask) : "") + ", ";
    }
    if (finished_ > 0) text += threads(finished_, "has", "have") + " left the kernel";
    if (!polling_.empty()) {
        if (finished_ == 0) text.resize(text.size() - 2);  // the last comma
        return abandon(text + "; no thread of the launch makes progress any more");
    }
    if (finished_ == 0) text += "which are different barriers";
    abandon(text + "; every thread of the block must reach the same barrier, or have left the kernel");
}

// ---- Blocks ----

void Grid::fail(cudaError_t why, const std::string& text) {
    if (failed.exchange(true)) return;
    error = why;
    detail = text;
}

void BlockRunner::prepare(Grid& grid) {
    grid_ = &grid;
    const dim3 size = grid.launch.block;
    block_ = {{}, size, grid.launch.grid, this, nullptr, nullptr};
    threads_.clear();
    for (unsigned z = 0; z < size.z; ++z) {
        for (unsigned y = 0; y < size.y; ++y) {
            for (unsigned x = 0; x < size.x; ++x) {
                threads_.push_back({{x, y, z}, static_cast<unsigned>(threads_.size()), &block_});
            }
        }
    }
    order_.resize(threads_.size());
    warps_.resize((threads_.size() + 31) / 32);
}

void BlockRunner::run_block(uint64_t index) {
    const dim3 grid = grid_->launch.grid;
    block_.index = {static_cast<unsigned>(index % grid.x), static_cast<unsigned>(index / grid.x % grid.y),
                    static_cast<unsigned>(index / grid.x / grid.y)};
    shared_memory_.start_block(grid_->launch.dynamic_shared);
    block_.shared_variables = shared_memory_.variables();
    block_.dynamic_shared = shared_memory_.dynamic();

    // From the block's number alone, so that the order does not depend on which OS thread executes it.
    random_ = Random(grid_->seed * 0x100000001b3 + index);
    for (unsigned i = 0; i < order_.size(); ++i) order_[i] = i;
    random_.shuffle(order_);
    for (Warp& warp : warps_) warp.left = 0;
    if (const unsigned lanes = threads_.size() % 32)
        warps_.back().left = ~0u << lanes;  // those that the block does not have
    started_ = finished_ = 0;
    predicates_ = 0;
    looks_ = 0;
    progress();
    abandoned_ = false;

    running_ = &next();
    Fiber::switch_to(main_, *running_);
    running_ = &main_;
    if (!lost_) report_overrun();
}

void BlockRunner::report_overrun() {
    if (const std::string overrun = shared_memory_.overrun(); !overrun.empty()) {
        grid_->fail(cudaErrorIllegalAddress, position() + ": " + overrun);
    }
}

void BlockRunner::run_blocks(Grid& grid) {
    prepare(grid);
    const FaultTrap trap;
    executing_ = this;
    lap_ = 0;
    grid.stall.enter();
    while (!grid.failed) {
        const uint64_t place = grid.next_block++;
        if (place >= grid.blocks) break;
        const uint64_t index = grid.block_at(place);
        if (grid.includes(index)) run_block(index);
    }
    executing_ = nullptr;
    grid.stall.leave();
}

thread_local BlockRunner* BlockRunner::executing_ = nullptr;

BlockRunner::~BlockRunner() {
    quitting_ = true;
    for (Fiber* fiber : idle_) Fiber::finish(main_, *fiber);
}

}  // namespace emulator
