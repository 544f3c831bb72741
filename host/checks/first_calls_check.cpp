#include "checks/first_calls_check.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <thread>
#include <utility>

#include "abi/solve.h"
#include "checks/guarded_matrix.h"
#include "checks/plain_entries.h"
#include "checks/process_copy.h"
#include "checks/small_product.h"
#include "library/imports.h"

namespace judge {

namespace {

constexpr Shape kFirstShape{130, 110, 134};  // worth threads
constexpr int kMillisecondsOfTwo = 500;      // of CPU time
constexpr int kMostHolds = 5;
// Of a caller that the other one waits for.
constexpr std::chrono::milliseconds kLongestHold{20};

// ---- In the copy: where the first caller is held up

struct Meeting {
    int hold_at = 0;  // at which of its imports, counted from 1; 0: at none
    int imports = 0;  // of the first caller
    std::atomic<bool> is_held{false};
    std::atomic<int> begun{0};
    std::atomic<bool> second_ended{false};
};
Meeting* meeting = nullptr;
thread_local bool is_first_caller = false;

void hold_first_caller() {
    if (!is_first_caller || ++meeting->imports != meeting->hold_at) return;
    meeting->is_held = true;
    const auto end = std::chrono::steady_clock::now() + kLongestHold;
    while (!meeting->second_ended && std::chrono::steady_clock::now() < end) std::this_thread::yield();
}

// Of memory, of threads, and of what keeps them apart: functions of at most six integers and pointers, which registers
// hold, so that one kind of replacement does for all.
constexpr std::array kPlacesToHold = {"malloc",
                                      "calloc",
                                      "realloc",
                                      "aligned_alloc",
                                      "posix_memalign",
                                      "mmap",
                                      "_Znwm",
                                      "_Znam",
                                      "_ZnwmSt11align_val_t",
                                      "_ZnamSt11align_val_t",
                                      "pthread_create",
                                      "pthread_once",
                                      "pthread_mutex_lock",
                                      "_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_"
                                      "EEPFvvE",
                                      "_ZNSt6thread20hardware_concurrencyEv"};
using AnyFunction = intptr_t (*)(intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t);
std::array<AnyFunction, kPlacesToHold.size()> held_functions;

template <size_t Number>
intptr_t hold_and_call(intptr_t a, intptr_t b, intptr_t c, intptr_t d, intptr_t e, intptr_t f) {
    hold_first_caller();
    return held_functions[Number](a, b, c, d, e, f);
}

template <size_t... Numbers>
std::array<Import, sizeof...(Numbers)> imports_to_hold(std::index_sequence<Numbers...>) {
    ((held_functions[Numbers] = reinterpret_cast<AnyFunction>(dlsym(RTLD_DEFAULT, kPlacesToHold[Numbers]))), ...);
    return {Import{kPlacesToHold[Numbers], reinterpret_cast<void*>(hold_and_call<Numbers>)}...};
}

// ---- Calls

enum class Order { one_after_the_other, at_a_time };

class FirstCalls {
  public:
    FirstCalls(const Plugin& plugin, const PlainEntry& entry) : plugin_(plugin), entry_(entry), products_{{{1}, {2}}} {}

    std::string run() {
        if (!is_right(Order::one_after_the_other, 0)) return {};
        // Twice as they come; what does not return may have waited for the machine.
        for (int hold_at = -1; hold_at <= kMostHolds; ++hold_at) {
            const int at = std::max(hold_at, 0);
            if (is_right(Order::at_a_time, at)) {
                if (at > 0 && !was_held_) break;
                continue;
            }
            if (!has_ended_ && is_right(Order::at_a_time, at)) continue;
            return fmt::format(
                "right alone, but not where the first two calls of a process are made at the same time: {} at {} {}",
                entry_.name, to_string(kFirstShape),
                has_ended_ ? "leaves a wrong C" : "does not return, or ends the process");
        }
        return {};
    }

  private:
    struct Product {
        Product(uint64_t seed)
            : operands(random_operands(kFirstShape, seed, Data::uniform)),
              exact(exact_product(operands)),
              C(kFirstShape.c_elements()) {}
        Operands operands;
        Exact exact;
        SharedMatrix C;
    };

    bool is_right(Order order, int hold_at) {
        for (const Product& each : products_) std::fill_n(each.C.data(), kFirstShape.c_elements(), kNaN);
        const SharedWithCopies<bool> was_held;
        has_ended_ = run_in_copy(kMillisecondsOfTwo, [&] { call_in_copy(order, hold_at, *was_held); });
        was_held_ = *was_held;
        return has_ended_ && std::all_of(products_.begin(), products_.end(),
                                         [](const Product& each) { return is_roughly(each.C.data(), each.exact); });
    }

    void call_in_copy(Order order, int hold_at, bool& was_held) const {
        Meeting here;
        here.hold_at = hold_at;
        meeting = &here;
        if (hold_at > 0) {
            static const auto imports = imports_to_hold(std::make_index_sequence<kPlacesToHold.size()>());
            replace_imports(plugin_.library(), imports);
        }
        const auto call = [&](const Product& product) {
            entry_.call(kFirstShape, product.operands.a.data(), product.operands.b.data(), product.C.data());
        };
        const int callers = order == Order::at_a_time ? 2 : 1;
        const auto meet = [&] {
            ++here.begun;
            while (here.begun < callers) {
            }
        };
        std::thread second([&] {
            meet();
            // The second comes when the first is held up, or has none to be held up at.
            while (order == Order::at_a_time && hold_at > 0 && !here.is_held && here.begun < 3)
                std::this_thread::yield();
            call(products_[1]);
            here.second_ended = true;
        });
        if (order == Order::one_after_the_other) second.join();
        meet();
        is_first_caller = true;
        call(products_[0]);
        is_first_caller = false;
        ++here.begun;
        if (second.joinable()) second.join();
        was_held = here.is_held;
    }

    const Plugin& plugin_;
    const PlainEntry& entry_;
    const std::array<Product, 2> products_;
    bool has_ended_ = false, was_held_ = false;
};

}  // namespace

std::string check_first_calls(const Plugin& plugin, Operation operation, const GemmForm& form) {
    for (const PlainEntry& entry : plain_entries(plugin, operation, form)) {
        if (std::string wrong = FirstCalls(plugin, entry).run(); !wrong.empty()) return wrong;
    }
    return {};
}

}  // namespace judge
