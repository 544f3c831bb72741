#include "worker/plugin_judge.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <new>
#include <utility>

#include "base/processes.h"
#include "base/scoped_variable.h"
#include "checks/gemm_check.h"
#include "checks/interface_check.h"
#include "checks/room.h"
#include "device/launch_trace.h"
#include "timing/speed.h"
#include "values/precision_class.h"
#include "worker/host_to_host.h"
#include "worker/one_gpu.h"
#include "worker/plugin_call.h"

namespace judge {

namespace {

using Clock = std::chrono::steady_clock;

double in_seconds(Clock::duration duration) {
    return std::chrono::duration<double>(duration).count();
}

std::string missing_capability(const Plugin& plugin, const Device& device) {
    if (!plugin.info() || device.compute_capability() == 0) return {};
    const int least = static_cast<int>(plugin.info()->minimum_compute_capability);
    if (least <= device.compute_capability()) return {};
    return fmt::format("needs sm_{}, this GPU is sm_{}", least, device.compute_capability());
}

}  // namespace

std::string own_failure(const std::exception& error) {
    const char* const next_step = "take a smaller --shape, or end other programs";
    if (dynamic_cast<const OutOfMemory*>(&error)) {
        return fmt::format("the matrices do not fit, or what the judge needs beside them: could not get {}: {}",
                           error.what(), next_step);
    }
    return fmt::format(
        "the judge itself failed, not the plugin: {}: {}",
        dynamic_cast<const std::bad_alloc*>(&error) ? "it could not get the memory that it needs" : error.what(),
        next_step);
}

Status status_of_own_failure(const std::exception& error) {
    return dynamic_cast<const OutOfMemory*>(&error) ? Status::unsupported : Status::judge_failed;
}

PluginJudge::PluginJudge(const Job& job, const Channel& channel, Device& device, const Plugin& plugin,
                         const Plugin* baseline, const Surroundings& surroundings)
    : job_(job),
      channel_(channel),
      device_(device),
      plugin_(plugin),
      baseline_(baseline),
      surroundings_(surroundings),
      trials_(job, channel, device, plugin),
      accuracy_(device, plugin,
                {job.seed, job.device == Target::emulator, job.check_only, job.effort, job.require,
                 [this](const std::string& text) { channel_.phase(Activity::checking, text); },
                 [this] { return next_seed(); },
                 [this](const ProbeSizes& sizes) {
                     if (job_.operation != Operation::full_gemm) trials_.make_general();
                     return trials_.probe_sizes(sizes);
                 },
                 [this](const std::function<void()>& measure) { trials_.survive(Trial::Kind::precision, measure); }}),
      own_threads_(surroundings.threads),
      forks_(surroundings.forks) {
    // Once for nothing: what CUPTI allocates and starts is then there before the plugin is watched.
    if (job.device == Target::cuda) LaunchTrace();
}

void PluginJudge::resume_trials() {
    if (job_.operation != Operation::gemm) return;
    trials_.investigate();
    if (job_.explain) trials_.look_for_mistake();
}

void PluginJudge::run(const Shape& shape) {
    Row row;
    row.plugin = plugin_.name();
    row.path = job_.plugin;
    row.device = job_.device;
    row.shape = to_string(shape);
    row.arithmetic = plugin_.describe().arithmetic;
    if (job_.operation == Operation::gemm && plugin_.solve_gemm) row.not_judged.push_back("solve_gemm");
    if (job_.operation == Operation::gemm && plugin_.solve_chain) row.not_judged.push_back("solve_chain");
    call_changes_.clear();
    CallGuard guard;
    try {
        const ProcessState process = process_state();
        const Device::Settings settings = device_.settings();
        judge_and_time(shape, row);
        add_note(row, surroundings_.note);
        note_changes(process, settings, row);
    } catch (const DeviceLost& error) {
        row.status = Status::crashed;
        row.message = error.what();
        channel_.send(row);
        channel_.send(Lost{});
        _exit(1);
    } catch (const std::exception& error) {
        row.status = status_of_own_failure(error);
        row.message = own_failure(error);
        // By a thread of the plugin's, since a call's changes are put back at its end; or a hard limit.
        if (const auto changed = guard.changes(); !changed.empty()) {
            row.status = Status::crashed;
            row.message = fmt::format("the judge could not go on, since the plugin changes {}: {}",
                                      fmt::join(changed, ", "), error.what());
        }
    }
    channel_.send(row);
    const bool failed =
        row.status == Status::wrong || row.status == Status::not_written || row.status == Status::out_of_bounds;
    const bool at_first = !row.deterministic;  // which is found out only of what was right once
    if (failed && at_first && job_.operation == Operation::gemm) trials_.leave_mistake_to_next();
}

void PluginJudge::judge_and_time(const Shape& shape, Row& row) {
    if (const std::string missing = missing_capability(plugin_, device_); !missing.empty()) {
        row.status = Status::unsupported;
        row.message = missing;
        return;
    }
    check_in_copies_once();
    channel_.phase(Activity::checking, "checking " + row.shape);
    const bool full_gemm = job_.operation == Operation::full_gemm;
    require_room(device_, shape, full_gemm ? job_.form : GemmForm{});
    Problem problem(device_, shape, job_.seed, job_.misalignment, job_.data, job_.effort,
                    full_gemm ? std::optional(job_.form) : std::nullopt);
    const double least_seconds = judge(problem, call_of(plugin_, problem), row);
    if (row.status == Status::not_written && plugin_.solve_gemm && shape.flops() > 0 && !shape.is_chain() &&
        find_out_whether_supported(problem, row)) {
        return;
    }
    const Call call = guarded_call(problem);
    note_wrong_places(problem, call, row);
    if (job_.device == Target::emulator) note_last_error(row);
    if (job_.device == Target::emulator && row.status == Status::wrong && row.nan_elements > 0) {
        add_note(row,
                 "in the emulator what nobody has stored to shared memory is NaN too: is a __syncthreads() missing?");
    }
    if (full_gemm && is_right(row.status) && row.deterministic == false) {
        row.status = Status::wrong;
        add_note(row, "equal calls gave different bits, which solve_gemm may not (abi/solve.h)");
    }
    // Asked once: the next answer may be another.
    if (const std::string claim = is_right(row.status) ? plugin_.wrong_claim() : ""; !claim.empty()) {
        row.status = Status::wrong;
        add_note(row, claim);
    }
    if (is_right(row.status)) {
        if (!wrong_in_copies_->empty()) row.status = Status::wrong;
        add_note(row, *wrong_in_copies_);
        add_note(row, far_elements_);
    }
    if (row.status == Status::ok) apply_limits(row);
    if (is_right(row.status) && problem.is_plain() && plugin_.solve_enqueue) check_enqueue_once(row);
    if (is_right(row.status) && full_gemm) check_gemm_once(row);
    const bool chain_enqueue = shape.is_chain() && plugin_.solve_chain_enqueue;
    if (is_right(row.status) && chain_enqueue) check_chain_enqueue_once(row);
    if (is_right(row.status) && (full_gemm || chain_enqueue || (problem.is_plain() && plugin_.solve_enqueue))) {
        check_graphs_once(row);
        if (is_right(row.status)) check_equal_calls_once(row);
    }
    const bool plain = is_right(row.status) && problem.is_plain() && plugin_.solve;
    const bool may_try =
        !trials_.died_of(Trial::Kind::promises) && trials_.shape_like(kInterfaceShape) == kInterfaceShape;
    if (plain && may_try) check_interface_once(row);
    if (is_right(row.status) && job_.device == Target::emulator) check_order_once(row);
    if (is_right(row.status) && (job_.device == Target::cpu || job_.device == Target::emulator))
        check_two_calls_once(row);
    if (!is_right(row.status) || shape.flops() == 0) return;
    check_resources_once(problem, call, row);
    // An emulated call has no time that could be false.
    const bool untimed = std::ranges::find(job_.untimed, shape) != job_.untimed.end();
    const bool timed = !job_.check_only && !untimed && job_.device != Target::emulator;
    if (is_right(row.status) && timed) time(problem, call, least_seconds, row);
    const bool copied = job_.device == Target::cuda || job_.device == Target::emulator;
    if (is_right(row.status) && job_.host_to_host && !untimed && copied) {
        channel_.phase(Activity::timing, "timing " + row.shape + " with copies from and to the host");
        const CallGuard guard;
        time_host_to_host(
            problem, call, device_, [this] { return next_seed(); }, row);
    }
}

void PluginJudge::apply_limits(Row& row) const {
    if (const std::string dependence = trials_.dependence(); !dependence.empty()) {
        row.status = Status::wrong;
        add_note(row, dependence);
    } else if (const std::string limits = trials_.limits(); !limits.empty()) {
        row.status = job_.any_shape ? Status::wrong : Status::limited;
        add_note(row, job_.any_shape ? "--require any-shape, and it is limited: " + limits : limits);
    }
    add_note(row, trials_.complaint());
}

Call PluginJudge::guarded_call(const Problem& problem) const {
    const Call call = call_of(plugin_, problem);
    if (call_changes_.empty()) return call;
    return [call] {
        const CallGuard guard;
        call();
    };
}

double PluginJudge::judge(Problem& problem, const Call& call, Row& row) {
    std::optional<LaunchTrace> trace;
    if (job_.device == Target::cuda) trace.emplace();
    double least_seconds = 0;
    const auto solve = [&] {
        CallGuard guard;
        const auto start = Clock::now();
        if (trace) {
            row.kernels = trace->launches_of(call);
        } else {
            call();
        }
        for (const std::string& change : guard.changes()) call_changes_.insert(change);
        if (job_.device != Target::emulator) {
            device_.finish_default_stream();
            const double seconds = in_seconds(Clock::now() - start);
            if (row.first_ms) least_seconds = least_seconds > 0 ? std::min(least_seconds, seconds) : seconds;
            if (!row.first_ms) row.first_ms = 1e3 * seconds;
        }
        // On a GPU without CUPTI nobody can tell whether a launch failed; elsewhere none does so unseen.
        std::optional<std::string> failed;
        if (row.kernels) failed = failed_launch(*row.kernels);
        if (!is_on_gpu(job_.device)) failed = "";
        return CallErrors(plugin_.last_error(), failed);
    };
    accuracy_.judge(problem, solve, row);
    return least_seconds;
}

void PluginJudge::note_wrong_places(Problem& problem, const Call& call, Row& row) {
    const uint64_t elements = row.wrong_elements + row.nan_elements + row.inf_elements + row.unwritten_elements;
    if (is_right(row.status) || elements == 0 || problem.shape().is_chain()) return;
    channel_.phase(Activity::checking, "looking where C is wrong at " + row.shape);
    const CallGuard guard;
    try {
        // In the emulator an equal call takes the threads in the same order, with which a race ends the same.
        const auto in_another_order = [&] {
            const ScopedVariable order("EMULATOR_SEED", "1", job_.device == Target::emulator);
            call();
        };
        row.wrong_places = problem.find_wrong_places(call, in_another_order);
    } catch (const DeviceLost&) {  // the row is the first call's
        channel_.send(row);
        channel_.send(Lost{});
        _exit(1);
    } catch (const OutOfMemory&) {  // then there is no picture
        return;
    } catch (const std::bad_alloc&) {
        return;
    }
    add_note(row, row.wrong_places->text());
}

// The emulator says what it has seen in all calls: memory that each leaves behind, a race that one of the probes met.
void PluginJudge::note_last_error(Row& row) const {
    const std::string error = plugin_.last_error();
    if (error.empty() || row.message.find(error) != std::string::npos) return;
    const bool right = row.status == Status::ok;
    if (right) row.status = Status::suspicious;
    add_note(row, (right ? "C is right, but the emulator says: " : "the emulator says: ") + error);
}

bool PluginJudge::find_out_whether_supported(const Problem& problem, Row& row) const {
    const CallGuard guard;
    const std::string of_solve = plugin_.last_error();
    const solve_gemm_t call =
        problem.form() ? call_of(problem) : dense_call({}, {1, 1, 1}, problem.A(), problem.B(), problem.C());
    if (plugin_.solve_gemm(&call) != SOLVE_UNSUPPORTED) return false;
    if (!problem.form() && (of_solve.empty() || plugin_.last_error() != of_solve)) return false;
    row.status = Status::unsupported;
    row.message = plugin_.last_error();
    return true;
}

void PluginJudge::time(Problem& problem, const Call& call, double least_seconds, Row& row) {
    channel_.phase(Activity::timing, "timing " + row.shape);
    const CallGuard guard;
    SpeedTest test;
    test.plugin = call;
    if (baseline_) {
        own_threads();
        test.baseline = call_of(*baseline_, problem);
        accuracy_.compare_with_baseline(problem, test.baseline, row);
    }
    test.own_threads = [this] { return own_threads(); };
    test.adopted = true;
    test.policy = policy_for(job_.effort, is_on_gpu(job_.device));
    test.call_seconds = least_seconds;
    test.next_seed = [&] { return next_seed(); };
    test.seconds = [] { return in_seconds(Clock::now().time_since_epoch()); };
    test.batch_begins = [&](bool) { channel_.send(BatchBegins{}); };
    test.batch_ended = [&](bool of_baseline, double seconds, int calls) {
        channel_.send(BatchEnded{seconds, of_baseline, calls});
    };
    if (job_.effort == Effort::quick) test.waits = waits_;
    test_speed(test, problem, device_, row);
    waits_ = row.waits;
    if (baseline_) row.baseline = baseline_->name();
    drop_void_ratio(row);
    note_gpus(problem, call, row);
}

std::set<pid_t> PluginJudge::own_threads() {
    if (forks_ == forks_seen) return own_threads_;
    forks_ = forks_seen;
    const std::set<pid_t> before = thread_ids();
    start_threads_of(*baseline_, job_.operation);
    std::erase_if(own_threads_, [&](pid_t thread) { return !before.contains(thread); });
    for (const pid_t thread : thread_ids()) {
        if (!before.contains(thread)) own_threads_.insert(thread);
    }
    return own_threads_;
}

void PluginJudge::note_gpus(Problem& problem, const Call& call, Row& row) {
    const Shape& shape = problem.shape();
    const double bytes_in = sizeof(float) * (double(shape.a_elements()) + double(shape.b_elements()));
    const auto seconds = device_.seconds_to_cross(bytes_in, sizeof(float) * double(shape.output_elements()));
    if (seconds && problem.is_plain()) row.pcie_ms = 1e3 * *seconds;
    if (!job_.scaling || job_.device != Target::gpus || !is_right(row.status)) return;
    channel_.phase(Activity::timing, "timing " + row.shape + " on one GPU");
    const auto [ms, verdict] = time_on_one_gpu(problem, call, [this] { return next_seed(); });
    if (verdict.status == Status::ok) {
        row.one_gpu_ms = ms;
    } else {
        const std::string error = plugin_.last_error();
        row.status = verdict.status;
        add_note(row, "with SOLVE_GPUS=1: " + (error.empty() ? verdict.message : error));
    }
}

void PluginJudge::drop_void_ratio(Row& row) const {
    if (!row.ratio) return;
    const std::vector<std::string> changed = changes_of_speed(surroundings_.before, process_state());
    if (changed.empty()) return;
    drop_ratio(row);
    add_note(row, fmt::format("no ratio: the plugin has changed what decides how fast the baseline is: {}",
                              fmt::join(changed, ", ")));
}

uint64_t PluginJudge::next_seed() {
    return job_.seed + (++refreshed_ << 32);
}

void PluginJudge::note_changes(const ProcessState& process, const Device::Settings& settings, Row& row) const {
    std::vector<std::string> found = changes(process, process_state());
    found.insert(found.end(), call_changes_.begin(), call_changes_.end());
    const Device::Settings now = device_.settings();
    for (size_t i = 0; i < settings.size(); ++i) {
        if (settings[i] == now[i]) continue;
        found.push_back(fmt::format("{} ({}, now {})", settings[i].first, settings[i].second, now[i].second));
    }
    device_.restore(settings);
    if (!found.empty()) add_note(row, fmt::format("it changes {}", fmt::join(found, ", ")));
}

}  // namespace judge
