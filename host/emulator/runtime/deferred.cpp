#include "deferred.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <limits>
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
        if (!around_ && draw(8) == 0) run_some(lock);
        return operation;
    }

    void order_around(const Lane& lane, LaneOrder order) {
        const std::lock_guard lock(mutex_);
        around_ = {key_of(lane), order};
        turns_.clear();
    }

    void order_around_none() {
        const std::lock_guard lock(mutex_);
        around_.reset();
    }

    bool has_ended(const Operation& operation) {
        const std::lock_guard lock(mutex_);
        return operation.ended;
    }

    bool is_empty(const Lane& lane) {
        const std::lock_guard lock(mutex_);
        return !lanes_.contains(key_of(lane));
    }

    void run_some() {
        std::unique_lock lock(mutex_);
        run_some(lock);
    }

    // Until no operation that was added before, and that `includes` takes, is left. For ever, or there is a fault.
    template <class Includes>
    void wait(Includes includes, bool for_ever = false) {
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
            if (told || running_ || for_ever || !is_left()) continue;
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
        std::erase_if(lanes_, [](const auto& lane) { return lane.second.empty(); });
        changed_.notify_all();
    }

    static bool ended(const OperationPtr& operation) { return operation->ended; }

  private:
    using Key = std::pair<int, unsigned long long>;
    using Queue = std::deque<std::shared_ptr<Operation>>;
    struct Around {
        Key key;
        LaneOrder order;
    };

    static Key key_of(const Lane& lane) { return {lane.device, lane.stream}; }

    void follow_seed() {
        const uint64_t now = seed();
        if (now == seed_) return;
        seed_ = now, random_ = Random(now), places_.clear();
        steadiness_ = 4 << 2 * draw(5);
    }

    uint64_t draw(uint64_t count) { return (random_.next() >> 32) * count >> 32; }

    bool may_begin(const Operation& operation) const {
        const Lane& lane = operation.lane;
        for (const auto& [key, queue] : lanes_) {
            if (key.first != lane.device || queue.front()->number >= operation.number) continue;
            const bool waits = lane.stream == 0 ? queue.front()->lane.is_blocking : lane.is_blocking && key.second == 0;
            if (waits) return false;
        }
        return !operation.may_begin || operation.may_begin();
    }

    // In an order of the streams that is drawn, in which one changes its place now and then, with some seeds often,
    // with others hardly ever: so a stream may stay far behind the others.
    uint64_t drawn_place(const Key& key) {
        const auto [place, is_new] = places_.try_emplace(key, 0);
        if (is_new || draw(steadiness_) == 0) place->second = random_.next();
        return place->second;
    }

    uint64_t place_around(const Around& around, const Key& key) const {
        if (around.order == LaneOrder::by_turns) {
            const auto last = turns_.find(key);
            return last == turns_.end() ? 0 : last->second;
        }
        constexpr uint64_t kLast = std::numeric_limits<uint64_t>::max();
        const bool first = around.order == LaneOrder::first;
        if (key == around.key) return first ? 0 : kLast;
        return first ? key.second + 1 : kLast - 1 - key.second;
    }

    std::shared_ptr<Operation> pick() {
        std::shared_ptr<Operation> first;
        uint64_t least = 0;
        for (const auto& [key, queue] : lanes_) {
            if (!may_begin(*queue.front())) continue;
            const uint64_t place = around_ ? place_around(*around_, key) : drawn_place(key);
            if (!first || place < least) first = queue.front(), least = place;
        }
        if (first && around_) turns_[key_of(first->lane)] = ++picked_;
        return first;
    }

    // False if nothing can begin now.
    bool run_one(std::unique_lock<std::mutex>& lock) {
        if (running_) return false;
        running_ = pick();
        if (!running_) return false;
        const std::shared_ptr<Operation> operation = running_;
        lock.unlock();
        if (operation->work) operation->work();
        lock.lock();
        operation->ended = true;
        operation->work = nullptr;
        const auto found = lanes_.find(key_of(operation->lane));
        if (found != lanes_.end() && found->second.front() == operation) {
            found->second.pop_front();
            if (found->second.empty()) lanes_.erase(found);
        }
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
    std::map<Key, uint64_t> places_;
    std::optional<Around> around_;
    std::map<Key, uint64_t> turns_;  // of each lane, when it was picked last
    uint64_t added_ = 0, seed_ = 0, picked_ = 0;
    uint64_t steadiness_ = 16;  // picks, after which a stream's place is drawn anew, on average
    Random random_{0};
};

// Never destroyed: threads of a plugin may still wait when the process ends.
Scheduler& scheduler() {
    static Scheduler* const only = new Scheduler;
    return *only;
}

std::atomic<bool> is_ordered_around{false};

}  // namespace

bool is_deferred() {
    return is_ordered_around || seed() != 0;
}

OrderAround::OrderAround(const Lane& lane, LaneOrder order) {
    scheduler().order_around(lane, order);
    is_ordered_around = true;
}

OrderAround::~OrderAround() {
    is_ordered_around = false;
    scheduler().order_around_none();
}

bool OrderAround::exists() {
    return is_ordered_around;
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

void wait_for_ever_for_device(int device) {
    scheduler().wait([=](const Operation& each) { return each.lane.device == device; }, true);
}

bool is_empty(const Lane& lane) {
    return !is_deferred() || scheduler().is_empty(lane);
}

void run_some_deferred() {
    if (is_deferred()) scheduler().run_some();
}

void forget_deferred() {
    scheduler().forget();
}

}  // namespace emulator
