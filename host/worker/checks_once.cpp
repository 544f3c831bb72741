// What a plugin is asked once, whatever the shapes: the promises of abi/solve.h, and what it leaves behind.
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <string>
#include <vector>

#include "base/processes.h"
#include "base/scoped_variable.h"
#include "checks/allocation_check.h"
#include "checks/between_check.h"
#include "checks/chain_check.h"
#include "checks/conduct_check.h"
#include "checks/enqueue_check.h"
#include "checks/far_elements.h"
#include "checks/first_calls_check.h"
#include "checks/gemm_check.h"
#include "checks/graph_check.h"
#include "checks/held_thread_check.h"
#include "checks/interface_check.h"
#include "checks/plain_entries.h"
#include "checks/plugin_allocations.h"
#include "device/launch_trace.h"
#include "values/json.h"
#include "values/precision_class.h"
#include "worker/plugin_call.h"
#include "worker/plugin_judge.h"

namespace judge {

namespace {

int count_launches(const std::vector<KernelLaunch>& kernels) {
    int count = 0;
    for (const KernelLaunch& kernel : kernels) count += static_cast<int>(kernel.launches);
    return count;
}

}  // namespace

void PluginJudge::check_enqueue_once(Row& row) {
    if (!wrong_of_enqueue_) {
        channel_.phase(Activity::checking, "checking solve_enqueue");
        wrong_of_enqueue_ = check_enqueue(plugin_, device_);
    }
    if (wrong_of_enqueue_->empty()) return;
    row.status = Status::wrong;
    add_note(row, *wrong_of_enqueue_);
}

void PluginJudge::check_gemm_once(Row& row) {
    if (!wrong_of_gemm_) {
        channel_.phase(Activity::checking, "checking solve_gemm");
        wrong_of_gemm_ = check_gemm(plugin_, device_);
    }
    if (wrong_of_gemm_->empty()) return;
    row.status = Status::wrong;
    add_note(row, "right at this call, but " + *wrong_of_gemm_);
}

void PluginJudge::check_chain_enqueue_once(Row& row) {
    if (!wrong_of_chain_) {
        channel_.phase(Activity::checking, "checking solve_chain_enqueue");
        const CallGuard guard;
        wrong_of_chain_ = check_chain_enqueue(plugin_, device_);
    }
    if (wrong_of_chain_->empty()) return;
    row.status = Status::wrong;
    add_note(row, "solve_chain is right, but " + *wrong_of_chain_);
}

void PluginJudge::check_in_copies_once() {
    if (wrong_in_copies_) return;
    wrong_in_copies_.emplace();
    const bool on_host = job_.device == Target::cpu || job_.device == Target::emulator;
    if (!on_host) return;
    channel_.phase(Activity::checking,
                   "looking at huge sizes, at threads that are held up, at first calls, and at memory that is not got");
    const std::vector<pid_t> before = descendants(true);
    bool useful = true;
    // Of one that reports no errors, too, a call that gets no memory is no call that does nothing.
    const auto last_error = [&] { return has_allocation_failed() ? "no memory" : plugin_.last_error(); };
    if (job_.operation == Operation::chain) {
        ChainCall enqueue;
        if (plugin_.solve_chain_enqueue) enqueue = plugin_.solve_chain_enqueue;
        wrong_in_copies_ = check_product_between(plugin_.solve_chain, enqueue);
        far_elements_ = check_far_elements_of_chain(
            [&](auto... arguments) {
                watch_allocations(plugin_.library());
                plugin_.solve_chain(arguments...);
            },
            last_error);
    } else if (job_.operation == Operation::gemm) {
        useful = job_.device == Target::emulator || check_with_held_threads(plugin_.solve, *wrong_in_copies_);
        if (useful) {
            far_elements_ = check_far_elements(
                [&](auto... arguments) {
                    watch_allocations(plugin_.library());
                    plugin_.solve(arguments...);
                },
                last_error);
        }
    }
    if (useful && wrong_in_copies_->empty() && job_.device == Target::cpu) {
        wrong_in_copies_ = check_first_calls(plugin_, job_.operation, job_.form);
    }
    if (useful && wrong_in_copies_->empty()) {
        wrong_in_copies_ = check_failing_allocations(plugin_, job_.operation, job_.form);
    }
    // What the plugin has started in a copy has nobody to work for; it would be taken for left behind by a call.
    for (const pid_t process : descendants(true)) {
        if (std::find(before.begin(), before.end(), process) == before.end()) kill(process, SIGKILL);
    }
}

void PluginJudge::check_graphs_once(Row& row) {
    if (!graphs_) {
        channel_.phase(Activity::checking, "capturing graphs");
        const auto last_error = [&] { return plugin_.last_error(); };
        const bool emulated = job_.device == Target::emulator;
        graphs_ = job_.operation == Operation::full_gemm
                      ? check_graphs_of_gemm(plugin_.solve_gemm, job_.form, last_error, device_, emulated)
                  : job_.operation == Operation::chain
                      ? check_graphs_of_chain(plugin_.solve_chain_enqueue, last_error, device_, emulated)
                      : check_graphs(plugin_.solve_enqueue, last_error, device_, emulated);
    }
    if (!graphs_->wrong.empty()) row.status = Status::wrong;
    add_note(row, graphs_->wrong);
    add_note(row, graphs_->not_captured);
}

void PluginJudge::check_equal_calls_once(Row& row) {
    if (!equal_calls_) {
        channel_.phase(Activity::checking, "making equal calls in other circumstances");
        const bool emulated = job_.device == Target::emulator;
        equal_calls_ = job_.operation == Operation::full_gemm
                           ? check_equal_calls_of_gemm(plugin_, job_.form, device_, emulated)
                       : job_.operation == Operation::chain ? check_equal_calls_of_chain(plugin_, device_, emulated)
                                                            : check_equal_calls_of_enqueue(plugin_, device_, emulated);
    }
    if (equal_calls_->wrong.empty()) return;
    row.status = Status::wrong;
    add_note(row, equal_calls_->wrong);
}

void PluginJudge::check_two_calls_once(Row& row) {
    if (!wrong_of_two_calls_) {
        wrong_of_two_calls_.emplace();
        const bool emulated = job_.device == Target::emulator;
        const ScopedVariable pauses("EMULATOR_PAUSE_US", "300", emulated);
        for (const PlainEntry& entry : plain_entries(plugin_, job_.operation, job_.form)) {
            if (entry.name == "solve" || !wrong_of_two_calls_->empty()) continue;
            channel_.phase(Activity::checking, "calling " + entry.name + " from two threads");
            const CallGuard guard;
            InterfaceTest test;
            test.multiply = [&](const float* A, const float* B, float* C, int M, int N, int K) {
                entry.call({M, N, K}, A, B, C);
            };
            test.arithmetic = plugin_.arithmetic();
            if (emulated) test.rounds = 1, test.large_rounds = 0, test.shape_of_two = {33, 20, 35};
            test.next_seed = [this] { return next_seed(); };
            const Verdict verdict = check_two_calls_at_a_time(device_, test);
            if (verdict.status != Status::ok) wrong_of_two_calls_ = entry.name + ": " + verdict.message;
        }
    }
    if (wrong_of_two_calls_->empty()) return;
    row.status = Status::wrong;
    add_note(row, *wrong_of_two_calls_);
}

void PluginJudge::check_order_once(Row& row) {
    if (!wrong_of_order_) {
        channel_.phase(Activity::checking, "checking the order of its work on streams");
        wrong_of_order_.emplace();
        const CallGuard guard;
        // Of the second one the contraction is long: parts of it may lie in memory of the plugin's.
        for (Shape shape : {kInterfaceShape, Shape{17, 300, 36}}) {
            if (job_.operation == Operation::chain) shape.L = shape.M - 3;
            if (job_.operation == Operation::gemm) shape = trials_.shape_like(shape).value_or(Shape{});
            if (shape.flops() == 0 || shape.flops() > 2e7 || !wrong_of_order_->empty()) continue;
            wrong_of_order_ = wrong_of_order_at(shape);
        }
    }
    if (wrong_of_order_->empty()) return;
    row.status = Status::wrong;
    add_note(row, *wrong_of_order_);
}

std::string PluginJudge::wrong_of_order_at(const Shape& shape) {
    const auto form = job_.operation == Operation::full_gemm ? std::optional(job_.form) : std::nullopt;
    for (const std::string order : {"first", "last", "beside"}) {
        if (order == "beside" && job_.operation == Operation::gemm) continue;  // solve takes no stream
        Problem problem(device_, shape, next_seed(), 0, Data::uniform, Effort::quick, form);
        const ScopedVariable ordered("EMULATOR_CALLERS_ORDER", order.c_str());
        const Call call = call_of(plugin_, problem);
        const auto solve = [&](auto...) {
            call();
            return CallErrors(plugin_.last_error(), "");
        };
        // What comes too early or too late is NaN or is not written: how accurate C is has been judged.
        const Verdict verdict = problem.judge(solve, SOLVE_ARITHMETIC_BF16, true);
        if (verdict.status == Status::ok) continue;
        return fmt::format(
            "right where each launch has ended when it returns, but at {} not {}: {}", to_string(shape),
            order == "beside" ? "beside another call on another stream" : "in every order that the streams allow",
            verdict.message);
    }
    return {};
}

void PluginJudge::check_interface_once(Row& row) {
    if (!interface_) {
        channel_.phase(Activity::checking, "checking what abi/solve.h promises");
        // The emulator pauses after launches then, so that two threads' calls come between each other's.
        const ScopedVariable pauses("EMULATOR_PAUSE_US", "300", job_.device == Target::emulator);
        const CallGuard guard;
        InterfaceTest test;
        test.multiply = [this](const float* A, const float* B, float* C, int M, int N, int K) {
            plugin_.solve(A, B, C, M, N, K);
        };
        test.arithmetic = plugin_.arithmetic();
        test.fp32 = row.precision == to_string(PrecisionClass::fp32);
        test.full_range = row.evidence && row.evidence->value("out_of_range", 1.0) == 0;
        if (job_.device != Target::cpu) test.large_rounds = 0;
        test.emulated = job_.device == Target::emulator;
        test.any_alignment = trials_.limits().empty();
        if (test.emulated) test.rounds = 2;
        // Not on a GPU: there what cuBLAS was to write for a second thread was not written, and it is not known why.
        if (job_.device == Target::cuda) test.rounds = 0;
        test.next_seed = [this] { return next_seed(); };
        trials_.survive(Trial::Kind::promises, [&] {
            interface_ = check_interface(device_, test);
            // An entry that promises equal bits computes as solve does; emulated, what is launched is always the same.
            if (interface_->status != Status::ok || test.emulated || equal_calls_) return;
            EqualCallsTest equal{.name = "solve", .promises_bits = false, .arithmetic = plugin_.arithmetic()};
            equal.call = [this](const float* A, const float* B, float* C, const Shape& shape) {
                plugin_.solve(A, B, C, shape.M, shape.N, shape.K);
                return SOLVE_OK;
            };
            equal_calls_of_solve_ = check_equal_calls(device_, equal);
        });
    }
    add_note(row, interface_->message);
    if (interface_->status != Status::ok) {
        row.status = interface_->status;
    } else if (equal_calls_of_solve_) {
        if (!equal_calls_of_solve_->wrong.empty()) row.status = Status::wrong;
        add_note(row, equal_calls_of_solve_->wrong);
        add_note(row, equal_calls_of_solve_->note);
    }
}

void PluginJudge::check_resources_once(Problem& problem, const Call& call, Row& row) {
    if (!leaks_) {
        channel_.phase(Activity::checking, "looking for leaks");
        const CallGuard guard;
        leaks_ = find_leaks(problem, call, count_launches(row.kernels.value_or(std::vector<KernelLaunch>())));
    }
    if (leaks_->empty()) return;
    row.status = Status::suspicious;
    add_note(row, "C is right, but " + *leaks_);
}

std::string PluginJudge::find_leaks(Problem& problem, const Call& call, int launches) {
    std::vector<Shape> shapes = {{23, 17, 19}};  // a kernel may allocate only where rows are no multiples of 16 bytes
    std::optional<std::string> found;
    // An emulated call takes as long as all that is judged of it.
    if (job_.device != Target::emulator) {
        found = find_leaks_in(problem, call, launches);
        problem.refresh(job_.seed);  // the baseline's error is that on the inputs that were judged
    }
    if (!found) shapes.insert(shapes.begin(), {24, 16, 20});
    // What is allocated from some size on only: each is long once, at little cost.
    shapes.insert(shapes.end(), {{3, 5, 1001}, {1001, 3, 5}, {5, 1001, 3}});
    if (found.value_or("").empty() && trials_.limits().empty() && job_.operation == Operation::gemm) {
        // C has room for all of them.
        Problem room(device_, {517, 2, 515}, next_seed(), 0, Data::uniform, job_.effort);
        found = find_leaks_in_a_round(call_of_many_sizes(room));
    }
    for (Shape shape : shapes) {
        if (found && !found->empty()) break;
        if (problem.shape().is_chain()) {
            shape.L = std::max(1, shape.N - 4);
        } else if (const std::optional<Shape> like = trials_.shape_like(shape)) {
            shape = *like;
            // One for squares only would multiply 1024 x 1024 x 1024, a second a call where it is emulated.
            if (job_.device != Target::cuda && shape.flops() > 2e7) continue;
        } else {
            continue;
        }
        Problem small(device_, shape, next_seed(), 0, Data::uniform, job_.effort, problem.form());
        const bool is_long = std::max({shape.M, shape.N, shape.K}) > 1000;
        if (is_long && job_.device == Target::emulator) {
            found = find_leaks_by_emulator(guarded_call(small));
        } else {
            const Call both = call_of_both_entries(small);
            found = find_leaks_in(small, both, 2 * launches);
            // The driver keeps some bytes a launch, and a plugin may have far more of them here: of 1001 columns,
            // eight at a time, 126.
            if (!found.value_or("").empty()) found = find_leaks_in(small, both, launches_in(both));
        }
    }
    return found.value_or("");
}

// Which a kernel may have ways of its own for: empty, of one row, column or term; and a C of more than 2^18 elements.
Call PluginJudge::call_of_many_sizes(const Problem& room) const {
    return [this, &room] {
        for (const Shape& shape :
             {Shape{5, 0, 7}, {0, 5, 7}, {5, 7, 0}, {1, 30, 30}, {30, 1, 30}, {30, 30, 1}, {517, 2, 515}}) {
            if (job_.device == Target::emulator && shape.M > 500) continue;
            const CallGuard guard;
            plugin_.solve(room.A(), room.B(), room.C(), shape.M, shape.N, shape.K);
        }
    };
}

// 0 where it cannot be told.
int PluginJudge::launches_in(const Call& call) const {
    if (job_.device != Target::cuda) return 0;
    LaunchTrace trace;
    return count_launches(trace.launches_of(call).value_or(std::vector<KernelLaunch>()));
}

std::optional<std::string> PluginJudge::find_leaks_in_a_round(const Call& call) const {
    if (job_.device == Target::emulator) return find_leaks_by_emulator(call);
    const std::string leaks = find_leaks_of_few_calls(device_, call, launches_in(call));
    return leaks.empty() ? leaks
                         : fmt::format("each round of seven calls, empty, thin and large ones, leaks {}", leaks);
}

Call PluginJudge::call_of_both_entries(const Problem& problem) const {
    const Call call = guarded_call(problem);
    if (job_.device == Target::emulator) return call;
    if (problem.is_plain() && plugin_.solve_enqueue) {
        return [this, call, &problem] {
            call();
            const CallGuard guard;
            const auto& [M, N, K, L] = problem.shape();
            plugin_.solve_enqueue(problem.A(), N, problem.B(), K, problem.C(), K, M, N, K, 1, 0, nullptr);
        };
    }
    if (!problem.shape().is_chain() || !plugin_.solve_chain_enqueue) return call;
    return [this, call, &problem] {
        call();
        const CallGuard guard;
        const solve_chain_t chain =
            dense_chain(problem.shape(), problem.input(0), problem.input(1), problem.input(2), problem.output());
        plugin_.solve_chain_enqueue(&chain);
    };
}

// What the emulator says of memory, streams and events, after as few calls as that takes. (Of a product that it cannot
// make at such a shape the plugin itself says something.)
std::string PluginJudge::find_leaks_by_emulator(const Call& call) const {
    for (int i = 0; i < 4; ++i) {
        call();
        if (std::string error = plugin_.last_error(); error.starts_with("each call leaves")) return error;
    }
    return {};
}

std::optional<std::string> PluginJudge::find_leaks_in(Problem& problem, const Call& call, int launches) {
    return check_resources(device_, {.call = call,
                                     .renew = [&] { problem.refresh(next_seed()); },
                                     .processes = [] { return descendants(true); },
                                     .launches = job_.device == Target::cuda ? launches + 1 : 0,
                                     .effort = job_.effort,
                                     .emulated = job_.device == Target::emulator});
}

}  // namespace judge
