// Executes blocks, one after the other, on the OS thread that calls it: a fiber for each thread of the block.
#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../include/emulator/barrier.h"
#include "../include/emulator/error_codes.h"
#include "../include/emulator/launch.h"
#include "fiber.h"
#include "random.h"
#include "shared_memory.h"
#include "stall.h"

namespace emulator {

// What the block runners of one launch share.
struct Grid {
    const Launch& launch;
    size_t shared_limit;  // static and dynamic bytes per block
    uint64_t seed;
    uint64_t blocks;
    std::atomic<uint64_t> next_block{0};
    // Every second launch with the same grid and arguments (pointers aside) takes the blocks in groups of eight, each
    // group in reverse, so that a sum which depends on their order has other bits. No larger groups, since blocks may
    // wait for earlier ones, of which a GPU executes hundreds at a time, and the emulator a few.
    bool reversed = false;
    static constexpr uint64_t kReversed = 8;
    uint64_t block_at(uint64_t place) const {
        if (!reversed) return place;
        const uint64_t first = place - place % kReversed, end = std::min(first + kReversed, blocks);
        return end - 1 - (place - first);
    }
    // Has another OS thread execute blocks too: all that do may be waiting for one that has not begun. False if there
    // are as many as there may be.
    std::function<bool()> add_runner{};
    Stall stall{};
    // Which of the blocks run: all, or those of one half, by chance.
    std::optional<bool> half{};
    bool includes(uint64_t block) const { return !half || *half == (Random(seed * 31 + block).next() & 1); }
    std::atomic<bool> failed{false};

    // Ends the launch with this error; the first one counts.
    void fail(cudaError_t error, const std::string& detail);
    cudaError_t error = cudaSuccess;
    std::string detail{};
};

// Unwinds the stack of a CUDA thread whose block has been given up.
struct Abandoned {};

class BlockRunner {
  public:
    BlockRunner() = default;
    ~BlockRunner();

    void run_blocks(Grid& grid);

    // The one that executes device code on this OS thread, or null.
    static BlockRunner* executing() { return executing_; }

    // Of CUDA threads that have ended; none other are there between two launches.
    size_t idle_stacks() const { return idle_.size(); }

    // After a fault, which leaves stacks behind that cannot be unwound: it can neither run nor be destroyed.
    bool is_lost() const { return lost_; }

    // Ends the launch where the CUDA thread that is executing stands. invalid_access() is called by a signal handler.
    [[noreturn]] void fault(cudaError_t error, const std::string& what);
    [[noreturn]] void invalid_access(const void* address);

    // For the CUDA thread that is executing.
    int block_barrier(Place place, bool predicate);
    void warp_barrier(Place place, unsigned mask);
    void wait_for_others(Place place);
    void wait_is_over() { progress(); }
    void look(Place place, bool changed);
    void refuse_block(size_t most_threads);
    void* allocate_shared(int variable, size_t bytes, size_t alignment);
    unsigned long long* warp_exchange();
    unsigned long long warp_exchange(Place place, unsigned mask, unsigned long long brought, unsigned from);
    unsigned warp_lanes();
    unsigned converge(Place place);

  private:
    struct Waiting {
        Fiber* fiber;
        Place place;
        unsigned mask;  // of a warp barrier; 0 elsewhere
    };
    struct Warp {
        std::vector<Waiting> waiting;
        std::vector<Waiting> converging;                 // at __activemask()
        unsigned converged = 0;                          // those that have met there last
        unsigned left = 0;                               // the lanes that have left the kernel or were never in it
        unsigned long long brought[32] = {}, taken[32];  // by each lane
        unsigned from[32] = {};                          // which lane's it takes, or all votes
    };

    void prepare(Grid& grid);
    void run_block(uint64_t index);
    void report_overrun();
    static void run_threads(Fiber& self, void* runner);
    bool start_thread(Fiber& self);
    void leave_thread(Fiber& self);

    void suspend(Fiber& self);
    Fiber& next();
    Fiber& take_ready();
    bool release_block_barrier();
    bool whole_warps_wait();
    bool release_warp_barriers();
    void poll(Place place, unsigned weight);
    bool release_converged();
    bool poll_again();
    void progress() {
        fruitless_ = 0;
        if (lap_ > 0) grid_->stall.moved(lap_);
    }
    void release_warp(Warp& warp, unsigned mask);
    void hand_over(Warp& warp, unsigned come);
    void report_deadlock();
    std::string position() const;
    void abandon(const std::string& why);
    Fiber& running() { return *running_; }

    static thread_local BlockRunner* executing_;

    Grid* grid_ = nullptr;
    Block block_;
    std::vector<Thread> threads_;
    SharedMemory shared_memory_;
    Random random_{0};

    Fiber main_;
    Fiber* running_ = &main_;
    Stacks stacks_;  // outlives the fibers
    std::vector<std::unique_ptr<Fiber>> fibers_;
    std::vector<Fiber*> idle_;

    std::vector<unsigned> order_;  // in which the threads start
    size_t started_ = 0, finished_ = 0;
    std::vector<Fiber*> ready_;
    size_t ready_at_ = 0;
    std::vector<Waiting> at_barrier_;
    std::vector<Waiting> polling_;
    std::vector<Warp> warps_;
    unsigned rounds_ = 0;     // of all that poll
    unsigned looks_ = 0;      // since one let the others run
    unsigned fruitless_ = 0;  // since a thread last did more than wait: the weights of its polls
    unsigned lap_ = 0;        // of the launch's stall that this one was counted in
    int predicates_ = 0, predicate_result_ = 0;
    bool abandoned_ = false;
    bool quitting_ = false;
    bool lost_ = false;
};

// The names are literals, of which each use may have its own copy.
bool same_place(const Place& a, const Place& b);

}  // namespace emulator
