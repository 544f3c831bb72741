#include "worker/worker.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/handover.h"
#include "base/output.h"
#include "base/processes.h"
#include "checks/problem.h"
#include "checks/process_state.h"
#include "device/device.h"
#include "library/plugin.h"
#include "values/job.h"
#include "values/json.h"
#include "worker/channel.h"
#include "worker/plugin_call.h"
#include "worker/plugin_judge.h"

namespace judge {

namespace {

// The row of a plugin that cannot be judged at any shape.
void refuse(const Job& job, const Channel& channel, Status status, const std::string& message) {
    Row row;
    row.plugin = std::filesystem::path(job.plugin).stem().string();
    row.path = job.plugin;
    row.device = job.device;
    row.status = status;
    row.message = message;
    channel.send(row);
}

// A baseline that does not load or does not work is no reason not to judge the plugin: it is raced against nothing.
std::optional<Plugin> load_baseline(const Job& job, const Channel& channel) {
    if (job.baseline.empty() || job.check_only) return std::nullopt;
    try {
        channel.phase(Activity::loading, "loading the baseline");
        const CallGuard guard;
        Plugin plugin(job.baseline, job.baseline_copy);
        if (does(plugin, job.operation) && job.device == Target::cpu) start_threads_of(plugin, job.operation);
        return does(plugin, job.operation) ? std::optional(std::move(plugin)) : std::nullopt;
    } catch (const std::runtime_error&) {
        return std::nullopt;
    }
}

void wait_for_end(int descriptor) {
    pollfd end{descriptor, POLLIN, 0};
    while (descriptor >= 0 && poll(&end, 1, -1) < 0 && errno == EINTR) {
    }
}

std::unique_ptr<Device> make_device(const Job& job) {
    switch (job.device) {
        case Target::cuda:
            return make_cuda_device();
        case Target::gpus:
            return make_gpus_device(!job.pageable);
        default:
            return make_host_device();
    }
}

// `device`: one that was started before the job was known; null for none.
void judge_plugin(const Job& job, const Channel& channel, std::unique_ptr<Device> device) {
    // The baseline first: it sees the process as it is without the plugin, and its threads are known from those of the
    // plugin.
    const std::optional<Plugin> baseline = load_baseline(job, channel);
    Surroundings surroundings{.note = {}, .before = process_state(), .threads = thread_ids(), .forks = forks_seen};
    std::optional<Plugin> plugin;
    try {
        channel.phase(Activity::loading, "loading");
        CallGuard guard;
        plugin.emplace(job.plugin, job.copy);
        std::vector<std::string> changed = guard.changes();
        for (const std::string& change : changes(surroundings.before, process_state())) changed.push_back(change);
        if (!changed.empty()) surroundings.note = fmt::format("loading it changes {}", fmt::join(changed, ", "));
    } catch (const std::runtime_error& error) {
        return refuse(job, channel, Status::load_error, error.what());
    }
    if (!does(*plugin, job.operation)) {
        return refuse(job, channel, Status::unsupported,
                      job.operation == Operation::gemm    ? "exports solve_chain, not solve"
                      : job.operation == Operation::chain ? "exports solve, not solve_chain"
                                                          : "exports no solve_gemm");
    }

    wait_for_end(job.go);
    channel.phase(Activity::starting_device, "starting the device");
    try {
        if (!device) device = make_device(job);
    } catch (const NoDevice& error) {
        return refuse(job, channel, Status::unsupported, error.what());
    } catch (const DeviceLost& error) {
        return refuse(job, channel, Status::load_error,
                      fmt::format("the device fails once it is loaded: {}", error.what()));
    }
    PluginJudge judge(job, channel, *device, *plugin, baseline ? &*baseline : nullptr, surroundings);
    judge.resume_trials();
    for (const Shape& shape : job.shapes) judge.run(shape);
}

template <class Answer>
Answer no_answer(const std::string& why) {
    Answer answer;
    answer.problem = why;
    return answer;
}

void inspect_plugin(const Job& job, const Channel& channel) {
    channel.phase(Activity::loading, "loading");
    try {
        channel.send(Plugin(job.plugin).describe());
    } catch (const std::runtime_error& error) {
        channel.send(no_answer<PluginInfo>(error.what()));
    }
}

void answer_with_failure(const Job& job, const Channel& channel, const std::exception& error) {
    const std::string why = own_failure(error);
    switch (job.kind) {
        case Job::Kind::probe:
            return channel.send(no_answer<GpuInfo>(why));
        case Job::Kind::inspect:
            return channel.send(no_answer<PluginInfo>(why));
        case Job::Kind::call:
        case Job::Kind::standby:
            return;
        case Job::Kind::judge:
            return refuse(job, channel, status_of_own_failure(error), why);
    }
}

// Not by _exit(): a profiler that watches takes what it counted from the process when that ends.
[[noreturn]] void call_once(const Job& job) {
    try {
        const Plugin plugin(job.plugin);
        const std::unique_ptr<Device> device = make_device(job);
        const auto form = job.operation == Operation::full_gemm ? std::optional(job.form) : std::nullopt;
        Problem problem(*device, job.shapes.at(0), job.seed, job.misalignment, job.data, Effort::quick, form);
        if (!does(plugin, job.operation)) throw std::runtime_error("lacks the entry that is to be called");
        const Call call = call_of(plugin, problem);
        call();  // what the first one loads is not of interest
        device->synchronize();
        device->profile(true);
        call();
        device->synchronize();
        device->profile(false);
    } catch (const std::exception& error) {
        complain(fmt::format("{}: {}", job.plugin, error.what()));
        std::exit(1);
    }
    std::exit(0);
}

// Ends the process if the text is no job: it was not this program's parent that wrote it.
Job read_job(const std::string& text) {
    try {
        return Json::parse(text).get<Job>();
    } catch (const std::exception& error) {
        complain(fmt::format("--worker is for this program's own use, and this is no job: {}", error.what()));
        _exit(1);
    }
}

// Null where it fails: it is tried again once there is somebody to tell why.
std::unique_ptr<Device> start_early(const Job& job) {
    try {
        return make_device(job);
    } catch (const std::exception&) {
        return nullptr;
    }
}

// Ends the process where there is none: the parent has no use for it any more.
Job late_job(const Job& standby) {
    const std::optional<Handover> handover = take_over(standby.go);
    if (!handover) _exit(0);
    Job job = read_job(handover->text);
    auto next = handover->descriptors.begin();
    for (int* const copy : {&job.copy, &job.baseline_copy}) {
        if (*copy >= 0 && next != handover->descriptors.end()) *copy = *next++;
    }
    close(standby.go);
    job.channel = standby.channel;
    job.key = standby.key;
    return job;
}

}  // namespace

void run_worker(const std::string& text) {
    Job job = read_job(text);
    if (job.kind == Job::Kind::call) call_once(job);
    std::unique_ptr<Device> device;
    if (job.kind == Job::Kind::standby) {
        device = start_early(job);
        job = late_job(job);
    }
    const Channel channel(job.channel, job.key);
    watch_for_forks();
    try {
        switch (job.kind) {
            case Job::Kind::probe:
                channel.send(query_gpu());
                break;
            case Job::Kind::inspect:
                inspect_plugin(job, channel);
                break;
            case Job::Kind::judge:
                judge_plugin(job, channel, std::move(device));
                break;
            case Job::Kind::call:     // has been done
            case Job::Kind::standby:  // has become another one
                break;
        }
    } catch (const std::exception& error) {
        answer_with_failure(job, channel, error);
    }
    channel.send(Done{});
    // Not exit(): a plugin's destructors and atexit handlers have no say in what was found.
    _exit(0);
}

}  // namespace judge
