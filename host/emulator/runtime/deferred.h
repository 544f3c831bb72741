// Work of streams that is done later than it was asked for, as on a GPU. With EMULATOR_DEFERRED=SEED, a number from 1
// on, each launch, copy and fill is kept until somebody waits for it; what may run then, by the rules of streams and
// events, runs one after the other in an order that is drawn from the seed. Now and then some of it runs before anybody
// waits. So what was not ordered by an event, or not waited for, shows as a wrong result, with one seed or another.
// Without the variable all runs at once, in the order of the calls.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace emulator {

bool is_deferred();

// Where operations follow each other. The default stream of a device is number 0: it waits for the device's blocking
// streams, and they for it.
struct Lane {
    int device = 0;
    unsigned long long stream = 0;
    bool is_blocking = true;
};

struct Operation;
using OperationPtr = std::shared_ptr<const Operation>;

// Enqueues work that may begin as soon as `may_begin` says so, if there is one, which is asked with a lock held.
OperationPtr defer(const Lane& lane, std::function<void()> work, std::function<bool()> may_begin = nullptr);
bool has_ended(const OperationPtr& operation);  // of none: true
OperationPtr defer_wait(const Lane& lane, OperationPtr before);

// Return when what was enqueued has ended. What can never begin, 10 s after the last event of any kind, is a fault.
void wait_for(const OperationPtr& operation);
void wait_for_lane(const Lane& lane);
void wait_for_device(int device);
void wait_for_all_devices();

// The same, but for ever where it can never begin; until it is dropped.
void wait_for_ever_for_device(int device);

// Whether nothing is left that was enqueued.
bool is_empty(const Lane& lane);

// Runs some of it, or nothing: what another look at an event or a stream comes to.
void run_some_deferred();

// Drops what has not begun.
void forget_deferred();

// Of what may begin: that of a lane comes first, and then that of the lane that was made first; or both last; or one
// lane's after the other's, by turns.
enum class LaneOrder { first, last, by_turns };

// While there is one, work is deferred whatever the variable says, and has this order around a lane. One at a time.
class OrderAround {
  public:
    OrderAround(const Lane& lane, LaneOrder order);
    ~OrderAround();
    OrderAround(const OrderAround&) = delete;
    OrderAround& operator=(const OrderAround&) = delete;

    static bool exists();
};

}  // namespace emulator
