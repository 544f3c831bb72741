#include "deferred.h"

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "error.h"
#include "random.h"

namespace emulator {

struct Operation {
    Lane lane;
    uint64_t number;
    std::function<void()> work;
    std::function<bool()> may_begin;
    bool ended = false;
};

namespace {

uint64_t seed() {
    const char* const text = std::getenv("EMULATOR_DEFERRED");
    return text && *text ? std::strtoull(text, nullptr, 10) : 0;
}

// One operation runs at a time, on whichever thread waits for something.
class Scheduler {
  public:
    OperationPtr add(const Lane& lane, std::function<void()> work, std::function<bool()> may_begin) {
        std::unique_lock lock(mutex_);
        follow_seed();
        auto operation = std::make_shared<Operation>(Operation{lane, ++added_, std::move(work), std::move(may_begin)});
        lanes_[key_of(lane)].push_back(operation);
        changed_.notify_all();
        if (draw(8) == 0) run_some(lock);
        return operation;
    }

    bool has_ended(const Operation& operation) {
        const std::lock_guard lock(mutex_);
        return operation.ended;
    }

    void run_some() {
        std::unique_lock lock(mutex_);
        run_some(lock);
    }

    // Until no operation that was added before, and that `includes` takes, is left.
    template <class Includes>
    void wait(Includes includes) {
        std::unique_lock lock(mutex_);
        const uint64_t last = added_;
        const auto is_left = [&] {
            for (const auto& [key, queue] : lanes_) {
                for (const auto& each : queue) {
                    if (each->number <= last && includes(*each)) return true;
                }
            }
            return false;
        };
        while (is_left()) {
            if (run_one(lock)) continue;
            const bool told = changed_.wait_for(lock, std::chrono::seconds(10)) == std::cv_status::no_timeout;
            if (told || running_ || !is_left()) continue;
            record_fault(cudaErrorLaunchFailure,
                         "streams wait for what nobody enqueues: a collective that not all ranks have called");
            lanes_.clear();
            changed_.notify_all();
        }
    }

    void forget() {
        const std::lock_guard lock(mutex_);
        for (auto& [key, queue] : lanes_) {
            while (!queue.empty() && queue.back() != running_) queue.pop_back();
        }
        changed_.notify_all();
    }

    static bool ended(const OperationPtr& operation) { return operation->ended; }

  private:
    using Key = std::pair<int, unsigned long long>;
    using Queue = std::deque<std::shared_ptr<Operation>>;

    static Key key_of(const Lane& lane) { return {lane.device, lane.stream}; }

    void follow_seed() {
        if (const uint64_t now = seed(); now != seed_) seed_ = now, random_ = Random(now);
    }

    uint64_t draw(uint64_t count) { return (random_.next() >> 32) * count >> 32; }

    bool may_begin(const Operation& operation) const {
        const Lane& lane = operation.lane;
        for (const auto& [key, queue] : lanes_) {
            if (queue.empty() || key.first != lane.device || queue.front()->number >= operation.number) continue;
            const bool waits = lane.stream == 0 ? queue.front()->lane.is_blocking : lane.is_blocking && key.second == 0;
            if (waits) return false;
        }
        return !operation.may_begin || operation.may_begin();
    }

    // Mostly the stream that ran last goes on, so that one may come far ahead of the others.
    std::shared_ptr<Operation> pick() {
        std::vector<std::shared_ptr<Operation>> ready;
        for (const auto& [key, queue] : lanes_) {
            if (queue.empty() || !may_begin(*queue.front())) continue;
            if (key == last_ && draw(4) != 0) return queue.front();
            ready.push_back(queue.front());
        }
        return ready.empty() ? nullptr : ready[draw(ready.size())];
    }

    // False if nothing can begin now.
    bool run_one(std::unique_lock<std::mutex>& lock) {
        if (running_) return false;
        running_ = pick();
        if (!running_) return false;
        last_ = key_of(running_->lane);
        const std::shared_ptr<Operation> operation = running_;
        lock.unlock();
        if (operation->work) operation->work();
        lock.lock();
        operation->ended = true;
        operation->work = nullptr;
        Queue& queue = lanes_[last_];
        if (!queue.empty() && queue.front() == operation) queue.pop_front();
        running_ = nullptr;
        changed_.notify_all();
        return true;
    }

    void run_some(std::unique_lock<std::mutex>& lock) {
        for (uint64_t left = draw(6); left > 0 && run_one(lock);) --left;
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<Key, Queue> lanes_;
    std::shared_ptr<Operation> running_;
    Key last_{};
    uint64_t added_ = 0, seed_ = 0;
    Random random_{0};
};

// Never destroyed: threads of a plugin may still wait when the process ends.
Scheduler& scheduler() {
    static Scheduler* const only = new Scheduler;
    return *only;
}

}  // namespace

bool is_deferred() {
    return seed() != 0;
}

OperationPtr defer(const Lane& lane, std::function<void()> work, std::function<bool()> may_begin) {
    return scheduler().add(lane, std::move(work), std::move(may_begin));
}

bool has_ended(const OperationPtr& operation) {
    return !operation || scheduler().has_ended(*operation);
}

OperationPtr defer_wait(const Lane& lane, OperationPtr before) {
    return defer(lane, nullptr, [before = std::move(before)] { return !before || Scheduler::ended(before); });
}

void wait_for(const OperationPtr& operation) {
    if (operation && is_deferred()) scheduler().wait([&](const Operation& each) { return &each == operation.get(); });
}

void wait_for_lane(const Lane& lane) {
    if (!is_deferred()) return;
    scheduler().wait(
        [&](const Operation& each) { return each.lane.device == lane.device && each.lane.stream == lane.stream; });
}

void wait_for_device(int device) {
    if (is_deferred()) scheduler().wait([=](const Operation& each) { return each.lane.device == device; });
}

void wait_for_all_devices() {
    if (is_deferred()) scheduler().wait([](const Operation&) { return true; });
}

void run_some_deferred() {
    if (is_deferred()) scheduler().run_some();
}

void forget_deferred() {
    scheduler().forget();
}

}  // namespace emulator
