#include "worker/trials.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>

#include "base/scoped_variable.h"
#include "checks/bad_arguments.h"
#include "checks/limits_text.h"
#include "checks/mistakes.h"
#include "checks/problem.h"
#include "checks/process_state.h"

namespace judge {

Trials::Trials(const Job& job, const Channel& channel, Device& device, const Plugin& plugin)
    : job_(job), channel_(channel), device_(device), plugin_(plugin), made_(job.trials) {}

void Trials::investigate() {
    if (failed_trial(made_, job_.device) == nullptr) return;
    const size_t before = made_.size();
    while (const std::optional<Trial> next = next_trial(made_, job_.device)) {
        make(*next);
        if (may_have_spoiled(made_.back())) hand_over();
    }
    if (made_.size() > before) hand_over();
}

std::vector<Trial> Trials::planned() const {
    const bool chain = job_.operation == Operation::chain;
    std::vector<Trial> trials = chain ? chain_trials() : general_trials(job_.device);
    if (job_.operation == Operation::gemm) {
        const std::vector<Trial> drawn = drawn_trials(job_.seed);
        trials.insert(trials.end(), drawn.begin(), drawn.end());
    }
    for (const Trial& noted : noted_trials(job_.device)) {
        // Of millions of rows: of a kernel that fails there, how many it can do takes 1.2 s of a GPU's 2 to find out.
        const bool product = noted.kind == Trial::Kind::product;
        if (product && (chain || job_.effort == Effort::quick)) continue;
        // A plain kernel that says nothing of errors dies of a null pointer, as it must.
        if (noted.kind == Trial::Kind::null_pointers && !plugin_.reports_errors()) continue;
        trials.push_back(noted);
    }
    return trials;
}

void Trials::make_general() {
    for (const Trial& trial : planned()) {
        if (failed_trial(made_, job_.device) != nullptr) return;
        if (is_made(trial)) continue;
        make(trial);
        const bool noted = failed_trial(made_, job_.device) == nullptr;
        if (!made_.back().right() && !(noted && failed_at_launch(made_.back()))) hand_over();
    }
    while (const std::optional<Trial> next = next_noted_trial(made_, job_.device)) {
        make(*next);
        if (may_have_spoiled(made_.back())) hand_over();
    }
}

void Trials::leave_mistake_to_next() const {
    if (made_.empty()) hand_over();
}

void Trials::look_for_mistake() {
    for (const Trial& trial : mistake_trials()) {
        if (is_made(trial)) continue;
        make(trial);
        if (may_have_spoiled(made_.back())) hand_over();
    }
}

// In host memory a write outside the matrices may have hit anything, and a fault in the emulator fails all later calls.
// A GPU tells faults (DeviceLost).
bool Trials::may_have_spoiled(const Trial& trial) const {
    if (failed_at_launch(trial)) return false;
    return !trial.right() && (job_.device != Target::cuda || trial.status == Status::out_of_bounds);
}

// In the emulator, where nothing was executed.
bool Trials::failed_at_launch(const Trial& trial) const {
    return trial.status == Status::not_written && is_of_launches_only(trial, job_.device, made_);
}

bool Trials::died_of(Trial::Kind kind) const {
    return std::any_of(made_.begin(), made_.end(),
                       [&](const Trial& trial) { return trial.kind == kind && !trial.right(); });
}

void Trials::survive(Trial::Kind kind, const std::function<void()>& call) {
    Trial trial;
    trial.kind = kind;
    record(trial);
    try {
        call();
    } catch (const DeviceLost& error) {
        trial.message = error.what();
        record(trial);
        hand_over();
    }
    trial.status = Status::ok;
    record(trial);
}

std::optional<ProbeSizes> Trials::probe_sizes(const ProbeSizes& sizes) const {
    if (died_of(Trial::Kind::precision)) return std::nullopt;
    return failed_trial(made_, job_.device) == nullptr ? sizes : within(limits_of(made_, job_.device), sizes);
}

std::optional<Shape> Trials::shape_like(const Shape& shape) const {
    return failed_trial(made_, job_.device) == nullptr ? shape : within(limits_of(made_, job_.device), shape);
}

std::string Trials::limits() const {
    return describe(made_, job_.device, job_.named.empty() ? job_.plugin : job_.named);
}

std::string Trials::complaint() const {
    return describe_noted(made_, job_.device);
}

std::string Trials::dependence() const {
    return describe_dependence(made_, job_.device);
}

void Trials::make(Trial trial) {
    channel_.phase(Activity::checking, to_string(trial));
    trial.status = Status::crashed;
    trial.message.clear();
    record(trial);
    try {
        if (trial.kind == Trial::Kind::negative || trial.kind == Trial::Kind::null_pointers) {
            try_bad_arguments(trial);
        } else {
            trial.kind == Trial::Kind::product ? judge(trial) : search(trial);
        }
    } catch (const DeviceLost& error) {
        trial.message = error.what();
        record(trial);
        hand_over();
    }
    record(trial);
}

void Trials::judge(Trial& trial) const {
    if (is_of_launches_only(trial, job_.device, made_)) return check_launches(trial);
    const auto [M, N, K, L] = trial.shape;
    Problem problem(device_, trial.shape, job_.seed, trial.misalignment, Data::integers,
                    trial.drawn ? Effort::quick : Effort::normal);
    const auto solve = [&, M = M, N = N, K = K](const float* A, const float* B, float* C) {
        const CallGuard guard;
        plugin_.solve(A, B, C, M, N, K);
        return CallErrors(plugin_.last_error());
    };
    const auto solve_chain = [&, M = M, N = N, K = K, L = L](const float* A, const float* B, const float* C, float* E) {
        const CallGuard guard;
        plugin_.solve_chain(A, B, C, E, M, N, K, L);
        return CallErrors(plugin_.last_error());
    };
    const std::clock_t start = std::clock();
    const Verdict verdict = trial.shape.is_chain() ? problem.judge(solve_chain) : problem.judge(solve);
    trial.seconds = double(std::clock() - start) / CLOCKS_PER_SEC;
    trial.status = verdict.status;
    trial.message = verdict.message;
}

// Nothing is executed, so nothing touches the matrices.
void Trials::check_launches(Trial& trial) const {
    const auto [M, N, K, L] = trial.shape;
    const GuardedMatrix A(device_, trial.shape.a_elements(), 0), B(device_, trial.shape.b_elements(), 0),
        C(device_, trial.shape.c_elements(), 0);
    {
        const ScopedVariable launches_only("EMULATOR_CHECK_LAUNCHES_ONLY", "1");
        plugin_.solve(A.data(), B.data(), C.data(), M, N, K);
    }
    trial.message = plugin_.last_error();
    trial.status = trial.message.empty() ? Status::ok : Status::not_written;
}

void Trials::try_bad_arguments(Trial& trial) const {
    ArgumentTest test;
    test.chain = job_.operation == Operation::chain;
    test.call = [&](const ArgumentTest::Matrices& in, const Shape& sizes) {
        const auto [M, N, K, L] = sizes;
        test.chain ? plugin_.solve_chain(in[0], in[1], in[2], in[3], M, N, K, L)
                   : plugin_.solve(in[0], in[1], in[2], M, N, K);
        // Of a plain kernel in the emulator: there should be one, and it is not that of a later call.
        if (!test.last_error) plugin_.last_error();
    };
    if (plugin_.reports_errors()) test.last_error = [this] { return plugin_.last_error(); };
    trial.message = trial.kind == Trial::Kind::negative ? misuse_of_negative_sizes(device_, test)
                                                        : misuse_of_null_pointers(device_, test);
    trial.status = trial.message.empty() ? Status::ok : Status::wrong;
}

// Room for M x max(N, K): with N and K exchanged A is taken for M x K, and C for M x N, also by what guards the memory.
Matrix Trials::multiply(const Operands& operands, bool exchanged) const {
    const auto [M, N, K, L] = operands.shape;
    const size_t larger = size_t(M) * std::max(N, K);
    const GuardedMatrix A(device_, larger, 0), B(device_, operands.b.size(), 0), C(device_, larger, 0);
    device_.fill(A.data(), larger, kPoison);
    device_.fill(C.data(), larger, kPoison);
    device_.write(A.data(), operands.a.data(), operands.a.size());
    device_.write(B.data(), operands.b.data(), operands.b.size());
    device_.synchronize();
    {
        const CallGuard guard;
        plugin_.solve(A.data(), B.data(), C.data(), M, exchanged ? K : N, exchanged ? N : K);
    }
    device_.synchronize();
    Matrix c(size_t(M) * K);
    device_.read(c.data(), C.data(), c.size());
    return c;
}

void Trials::search(Trial& trial) const {
    const Operands operands = random_operands(trial.shape, job_.seed, Data::integers);
    const bool exchanged = trial.kind == Trial::Kind::exchanged;
    const Matrix c = multiply(operands, exchanged);
    if (!exchanged) trial.message = other_product(operands, c);
    const bool found = exchanged ? c == sequential_product(operands) : !trial.message.empty();
    trial.status = found ? Status::ok : Status::wrong;
    if (!found) trial.message = "no product that is known";
}

void Trials::record(const Trial& trial) {
    learn(made_, trial);
    channel_.send(trial);
}

bool Trials::is_made(const Trial& trial) const {
    return std::any_of(made_.begin(), made_.end(), [&](const Trial& made) { return made.is_same_call(trial); });
}

void Trials::hand_over() const {
    channel_.send(Lost{});
    _exit(0);
}

}  // namespace judge
