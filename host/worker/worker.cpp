#include "worker/worker.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <new>
#include <optional>
#include <set>

#include "checks/accuracy.h"
#include "checks/conduct_check.h"
#include "checks/enqueue_check.h"
#include "checks/problem.h"
#include "checks/process_state.h"
#include "device/device.h"
#include "device/launch_trace.h"
#include "library/discovery.h"
#include "library/plugin.h"
#include "timing/speed.h"

namespace judge {

NLOHMANN_JSON_SERIALIZE_ENUM(Job::Kind, {{Job::Kind::probe, "probe"},
                                         {Job::Kind::inspect, "inspect"},
                                         {Job::Kind::judge, "judge"}})

NLOHMANN_JSON_SERIALIZE_ENUM(Operation, {{Operation::gemm, "gemm"}, {Operation::chain, "chain"}})

NLOHMANN_JSON_SERIALIZE_ENUM(Effort,
                             {{Effort::normal, "normal"}, {Effort::quick, "quick"}, {Effort::thorough, "thorough"}})

void to_json(Json& json, const Job& job) {
    json["kind"] = job.kind;
    json["plugin"] = job.plugin;
    json["copy"] = job.copy;
    json["device"] = job.device;
    json["operation"] = job.operation;
    json["shapes"] = Json::array();
    for (const Shape& shape : job.shapes) json["shapes"].push_back(to_string(shape));
    json["seed"] = job.seed;
    json["data"] = to_string(job.data);
    json["require"] = job.require ? Json(requirement(*job.require)) : Json(nullptr);
    json["check_only"] = job.check_only;
    json["effort"] = job.effort;
    json["baseline"] = job.baseline;
    json["baseline_copy"] = job.baseline_copy;
    json["channel"] = job.channel;
    json["go"] = job.go;
}

void from_json(const Json& json, Job& job) {
    json.at("kind").get_to(job.kind);
    json.at("plugin").get_to(job.plugin);
    json.at("copy").get_to(job.copy);
    json.at("device").get_to(job.device);
    json.at("operation").get_to(job.operation);
    for (const Json& shape : json.at("shapes")) job.shapes.push_back(parse_shape(shape, job.operation));
    json.at("seed").get_to(job.seed);
    job.data = parse_data(json.at("data"));
    if (!json.at("require").is_null()) job.require = parse_requirement(json.at("require"));
    json.at("check_only").get_to(job.check_only);
    json.at("effort").get_to(job.effort);
    json.at("baseline").get_to(job.baseline);
    json.at("baseline_copy").get_to(job.baseline_copy);
    json.at("channel").get_to(job.channel);
    json.at("go").get_to(job.go);
}

namespace {

// The private way to the parent: not stdout, which belongs to the plugin.
class Channel {
  public:
    explicit Channel(int fd) : fd_(fd) {}

    void send(const char* type, Json message = Json::object()) const {
        message["type"] = type;
        // A plugin's strings may hold any bytes: what is not UTF-8 is replaced, not thrown at.
        const std::string line = message.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
        for (size_t sent = 0; sent < line.size();) {
            const ssize_t count = write(fd_, line.data() + sent, line.size() - sent);
            if (count < 0 && errno == EINTR) continue;
            if (count <= 0) _exit(1);  // the parent is gone, or the plugin closed the channel: nobody listens
            sent += static_cast<size_t>(count);
        }
    }

    void phase(const std::string& text) const { send("phase", {{"text", text}}); }

  private:
    int fd_;
};

Json to_json(const GpuInfo& gpu) {
    return {{"problem", gpu.problem},
            {"name", gpu.name},
            {"uuid", gpu.uuid},
            {"compute_capability", gpu.compute_capability},
            {"multiprocessors", gpu.multiprocessors},
            {"memory_bytes", gpu.memory_bytes},
            {"driver", gpu.driver},
            {"cuda_runtime", gpu.cuda_runtime}};
}

bool does(const Plugin& plugin, Operation operation) {
    return operation == Operation::gemm ? plugin.solve != nullptr : plugin.solve_chain != nullptr;
}

// The call that is judged and timed.
std::function<void()> call_of(const Plugin& plugin, const Problem& problem) {
    const Shape& shape = problem.shape();
    if (shape.is_chain()) {
        return [&problem, shape, solve_chain = plugin.solve_chain] {
            solve_chain(problem.input(0), problem.input(1), problem.input(2), problem.output(), shape.M, shape.N,
                        shape.K, shape.L);
        };
    }
    return [&problem, shape, solve = plugin.solve] {
        solve(problem.A(), problem.B(), problem.C(), shape.M, shape.N, shape.K);
    };
}

std::string missing_capability(const Plugin& plugin, const Device& device) {
    if (!plugin.info() || device.compute_capability() == 0) return {};
    const int least = static_cast<int>(plugin.info()->minimum_compute_capability);
    if (least <= device.compute_capability()) return {};
    return fmt::format("needs sm_{}, this GPU is sm_{}", least, device.compute_capability());
}

// What to say of an exception of the judge's own; one of the plugin's does not get out of its Entry.
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

// The row of a plugin that cannot be judged at any shape.
void refuse(const Job& job, const Channel& channel, Status status, const std::string& message) {
    Row row;
    row.plugin = std::filesystem::path(job.plugin).stem().string();
    row.path = job.plugin;
    row.device = job.device;
    row.status = status;
    row.message = message;
    channel.send("row", row);
}

// Judges and times one plugin at one shape after another.
class Judge {
  public:
    // `note` goes with every row.
    Judge(const Job& job, const Channel& channel, Device& device, const Plugin& plugin, const Plugin* baseline,
          const std::string& note)
        : job_(job),
          channel_(channel),
          device_(device),
          plugin_(plugin),
          baseline_(baseline),
          note_(note),
          accuracy_(device, plugin,
                    {job.seed, job.device == Target::emulator, job.check_only, job.effort, job.require,
                     [this](const std::string& text) { channel_.phase(text); }, [this] { return next_seed(); }}) {
        // Once for nothing: what CUPTI allocates and starts is then there before the plugin is watched.
        if (job.device == Target::cuda) LaunchTrace();
    }

    void run(const Shape& shape) {
        Row row;
        row.plugin = plugin_.name();
        row.path = job_.plugin;
        row.device = job_.device;
        row.shape = to_string(shape);
        row.arithmetic = plugin_.describe().arithmetic;
        arithmetic_changes_.clear();
        try {
            const ProcessState process = process_state();
            const Device::Settings settings = device_.settings();
            judge_and_time(shape, row);
            add_note(row, note_);
            note_changes(process, settings, row);
        } catch (const DeviceLost& error) {
            row.status = Status::crashed;
            row.message = error.what();
            channel_.send("row", row);
            channel_.send("lost");
            _exit(1);  // nothing of a lost device can be released
        } catch (const std::exception& error) {
            row.status = Status::unsupported;
            row.message = own_failure(error);
        }
        channel_.send("row", row);
    }

  private:
    void judge_and_time(const Shape& shape, Row& row) {
        if (const std::string missing = missing_capability(plugin_, device_); !missing.empty()) {
            row.status = Status::unsupported;
            row.message = missing;
            return;
        }
        channel_.phase("checking " + row.shape);
        Problem problem(device_, shape, job_.seed, 0, job_.data, job_.effort);
        const std::function<void()> call = call_of(plugin_, problem);
        std::optional<LaunchTrace> trace;
        if (job_.device == Target::cuda) trace.emplace();
        const auto now = [] { return std::chrono::steady_clock::now(); };
        double least_seconds = 0;  // of the calls after the first, which loads the kernel, or gets cuBLAS ready
        const auto solve = [&] {
            const FloatingPointGuard guard;
            const auto start = now();
            if (trace) {
                row.kernels = trace->launches_of(call);
            } else {
                call();
            }
            for (const std::string& change : guard.changes()) arithmetic_changes_.insert(change);
            if (job_.device != Target::emulator) {
                device_.finish_default_stream();
                const double seconds = std::chrono::duration<double>(now() - start).count();
                if (row.first_ms) least_seconds = least_seconds > 0 ? std::min(least_seconds, seconds) : seconds;
                if (!row.first_ms) row.first_ms = 1e3 * seconds;
            }
            return CallErrors(plugin_.last_error(),
                              row.kernels ? std::optional(failed_launch(*row.kernels)) : std::nullopt);
        };
        accuracy_.judge(problem, solve, row);
        trace.reset();  // before anything is timed
        if (row.status == Status::ok && !shape.is_chain() && plugin_.solve_enqueue) check_enqueue_once(row);
        // An emulated call takes as long as all that is judged of it, and has no time that could be false.
        if (row.status != Status::ok || shape.flops() == 0 || job_.device == Target::emulator) return;
        check_resources_once(call, row);
        if (row.status != Status::ok || job_.check_only) return;

        channel_.phase("timing " + row.shape);
        const FloatingPointGuard guard;
        SpeedTest test;
        test.plugin = call;
        if (baseline_) {
            test.baseline = call_of(*baseline_, problem);
            accuracy_.compare_with_baseline(problem, test.baseline, row);
        }
        test.policy = policy_for(job_.effort, job_.device == Target::cuda);
        test.call_seconds = least_seconds;
        test.next_seed = [&] { return next_seed(); };
        test.seconds = [] {
            return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
        };
        test.batch_begins = [&] { channel_.send("batch_begins"); };
        test.batch_ended = [&](double seconds) { channel_.send("batch_ended", {{"seconds", seconds}}); };
        if (job_.effort == Effort::quick) test.waits = waits_;
        test_speed(test, problem, device_, row);
        waits_ = row.waits;
        if (baseline_) row.baseline = baseline_->name();
    }

    // Its shapes are its own, so it is called once, and what was found goes with every shape.
    void check_enqueue_once(Row& row) {
        if (!wrong_of_enqueue_) {
            channel_.phase("checking solve_enqueue");
            wrong_of_enqueue_ = check_enqueue(plugin_, device_);
        }
        if (wrong_of_enqueue_->empty()) return;
        row.status = Status::wrong;
        add_note(row, *wrong_of_enqueue_);
    }

    void check_resources_once(const Call& call, Row& row) {
        if (resources_checked_) return;
        resources_checked_ = true;
        channel_.phase("looking for leaks");
        const FloatingPointGuard guard;
        const std::string leak = check_resources(device_, call, job_.effort);
        if (leak.empty()) return;
        row.status = Status::suspicious;
        add_note(row, "C is right, but " + leak);
    }

    // Seeds far from each other: no input comes twice in a worker's life.
    uint64_t next_seed() { return job_.seed + (++refreshed_ << 32); }

    // A note, whatever the status: C is as right as before, the worker ends with its plugin, and what the judge itself
    // depends on is set back. (A leak is suspicious: who calls the plugin in a loop dies of it.)
    void note_changes(const ProcessState& process, const Device::Settings& settings, Row& row) const {
        std::vector<std::string> found = changes(process, process_state());
        found.insert(found.end(), arithmetic_changes_.begin(), arithmetic_changes_.end());
        const Device::Settings now = device_.settings();
        for (size_t i = 0; i < settings.size(); ++i) {
            if (settings[i] == now[i]) continue;
            found.push_back(fmt::format("{} ({}, now {})", settings[i].first, settings[i].second, now[i].second));
        }
        device_.restore(settings);
        if (!found.empty()) add_note(row, fmt::format("it changes {}", fmt::join(found, ", ")));
    }

    const Job& job_;
    const Channel& channel_;
    Device& device_;
    const Plugin& plugin_;
    const Plugin* baseline_;
    const std::string note_;
    AccuracyJudge accuracy_;
    std::set<std::string> arithmetic_changes_;     // by any call judged at this shape: each is set back before the next
    std::optional<std::string> wrong_of_enqueue_;  // once it has been checked
    std::optional<bool> waits_;                    // at the shape before
    bool resources_checked_ = false;
    uint64_t refreshed_ = 0;
};

// A baseline that does not load or does not work is no reason not to judge the plugin: it is raced against nothing.
std::optional<Plugin> load_baseline(const Job& job, const Channel& channel) {
    if (job.baseline.empty() || job.check_only) return std::nullopt;
    try {
        channel.phase("loading the baseline");
        Plugin plugin(job.baseline, job.baseline_copy);
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

void judge_plugin(const Job& job, const Channel& channel) {
    std::optional<Plugin> plugin;
    const ProcessState before = process_state();
    std::string note;
    try {
        channel.phase("loading");
        const FloatingPointGuard guard;
        plugin.emplace(job.plugin, job.copy);
        auto changed = changes(before, process_state());
        for (const std::string& change : guard.changes()) changed.push_back(change);
        if (!changed.empty()) note = fmt::format("loading it changes {}", fmt::join(changed, ", "));
    } catch (const std::runtime_error& error) {
        return refuse(job, channel, Status::load_error, error.what());
    }
    if (!does(*plugin, job.operation)) {
        const bool gemm = job.operation == Operation::gemm;
        return refuse(job, channel, Status::unsupported,
                      gemm ? "exports solve_chain, not solve" : "exports solve, not solve_chain");
    }

    const std::optional<Plugin> baseline = load_baseline(job, channel);
    wait_for_end(job.go);
    channel.phase("starting the device");
    std::unique_ptr<Device> device;
    try {
        device = job.device == Target::cuda ? make_cuda_device() : make_host_device();
    } catch (const NoDevice& error) {
        return refuse(job, channel, Status::unsupported, error.what());
    } catch (const DeviceLost& error) {
        return refuse(job, channel, Status::load_error,
                      fmt::format("the device fails once it is loaded: {}", error.what()));
    }
    Judge judge(job, channel, *device, *plugin, baseline ? &*baseline : nullptr, note);
    for (const Shape& shape : job.shapes) judge.run(shape);
}

void inspect_plugin(const Job& job, const Channel& channel) {
    channel.phase("loading");
    try {
        channel.send("info", Plugin(job.plugin).describe());
    } catch (const std::runtime_error& error) {
        channel.send("info", {{"problem", error.what()}});
    }
}

void answer_with_failure(const Job& job, const Channel& channel, const std::string& why) {
    GpuInfo no_gpu;
    no_gpu.problem = why;
    switch (job.kind) {
        case Job::Kind::probe:
            return channel.send("gpu", to_json(no_gpu));
        case Job::Kind::inspect:
            return channel.send("info", {{"problem", why}});
        case Job::Kind::judge:
            return refuse(job, channel, Status::unsupported, why);
    }
}

}  // namespace

void run_worker(const std::string& text) {
    const Job job = Json::parse(text).get<Job>();
    const Channel channel(job.channel);
    try {
        switch (job.kind) {
            case Job::Kind::probe:
                channel.send("gpu", to_json(query_gpu()));
                break;
            case Job::Kind::inspect:
                inspect_plugin(job, channel);
                break;
            case Job::Kind::judge:
                judge_plugin(job, channel);
                break;
        }
    } catch (const std::exception& error) {
        answer_with_failure(job, channel, own_failure(error));
    }
    channel.send("done");
    // Not exit(): a plugin's destructors and atexit handlers have no say in what was found.
    _exit(0);
}

}  // namespace judge
