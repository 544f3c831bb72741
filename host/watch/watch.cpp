#include "watch/watch.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <ctime>
#include <fstream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include "base/command.h"
#include "base/output.h"
#include "base/private_folder.h"
#include "base/terminal.h"
#include "base/text_width.h"
#include "base/usage_error.h"
#include "base/whole_file.h"
#include "library/discovery.h"
#include "parent/exit_code.h"
#include "parent/probe_gpu.h"
#include "parent/progress.h"
#include "parent/selection.h"
#include "parent/supervisor.h"
#include "source/build.h"
#include "values/json.h"
#include "watch/attempt.h"
#include "watch/contest.h"
#include "watch/dependencies.h"
#include "watch/events.h"
#include "watch/run.h"
#include "watch/step.h"

namespace judge {

namespace fs = std::filesystem;

namespace {

constexpr const char* kKeys = "keys: s next shape, t time (quick, normal, thorough), r again, h page, q quit";

std::string time_of_day() {
    const std::time_t now = std::time(nullptr);
    return fmt::format("{:%H:%M:%S}", fmt::localtime(now));
}

class Watch {
  public:
    explicit Watch(const Options& options)
        : options_(options), source_(options.paths[0]), tree_(source_tree(fs::canonical("/proc/self/exe"))) {
        follow({source_});
    }

    int loop() {
        tell(kKeys);
        tell(history_heading());
        bool saved = true, again = false;
        while (!interrupted() && !quit_) {
            if ((saved || again) && judge_save(saved)) saved = again = false;
            if (events_.input_has_ended() && !events_.has_news() && !saved && !again) break;
            events_.wait(saved || again ? 0 : 200);
            while (events_.take_save()) {  // an editor's save may be several events
                saved = true;
                built_.reset();
                events_.wait(30);
            }
            while (const auto key = events_.take_key()) again |= press(*key);
        }
        return interrupted() ? 130 : kAllOk;
    }

  private:
    // `saved`: else it is the save before, judged otherwise. False, and no line is printed, if something else has
    // become more urgent.
    bool judge_save(bool saved) {
        if (saved) contest_.next_save();
        Attempt attempt;
        attempt.time = time_of_day();
        const bool finished = build_and_judge(attempt);
        progress_.show("");
        if (finished) {
            const bool colour = terminal_of(STDOUT_FILENO).colour;
            if (!print(history_line(attempt, colour) + "\n").empty()) quit_ = true;  // nobody reads it any more
            // What a right kernel cannot do is said once.
            const bool known = is_right(attempt.status) && attempt.message == last_note_;
            if (!attempt.message.empty() && !known) tell("  " + attempt.message);
            last_note_ = is_right(attempt.status) ? attempt.message : "";
            remember(attempt);
        }
        process_.reset();  // once the line is there: its worker may take 0.1 s to end
        if (finished) tell_step(attempt);
        forget_folders();
        return finished;
    }

    // What no save has changed since it was built is not built again.
    bool build_and_judge(Attempt& attempt) {
        const auto cancelled = [this] { return is_stale(); };
        try {
            if (!built_) build(cancelled);
        } catch (const UsageError&) {
            throw;
        } catch (const std::runtime_error& error) {
            attempt.status = Status::judge_failed;
            attempt.message = error.what();
            return true;
        }
        if (cancelled()) {
            if (built_->library.empty()) built_.reset();  // it may have been ended
            return false;
        }
        const std::string messages = without_resources(built_->messages);
        if (!messages.empty()) progress_.show("");  // its line ends here
        print_messages(messages);
        attempt.resources = built_->resources;
        built_->messages.clear();  // they have been told
        if (built_->library.empty()) {
            // What names the error stands above, as the compiler said it.
            const std::string prefix = "not built: ";
            const bool told = built_->problem.starts_with(prefix) &&
                              messages.find(built_->problem.substr(prefix.size())) != std::string::npos;
            attempt.message = told ? "" : built_->problem;
            built_.reset();  // the next try tells them again
            return true;
        }
        const Target target = discover({built_->library}).front().target;
        shapes_ = shapes_for(options_, target);
        entry_ = {.library = built_->library,
                  .folder = built_->folder,
                  .target = target,
                  .shape = shapes_[shape_ % shapes_.size()],
                  .effort = effort_};
        try {
            if (!process_) process_ = std::make_unique<RunProcess>(target, built_->folder);
            return contest_.judge(
                entry_, *process_, cancelled, [&](const std::string& text) { progress_.show(text); }, attempt);
        } catch (const std::runtime_error& error) {
            attempt.status = Status::judge_failed;
            attempt.message = error.what();
            return true;
        }
    }

    void build(const std::function<bool()>& cancelled) {
        progress_.show("building " + source_.filename().string());
        const fs::path folder = folder_.path() / std::to_string(++count_);
        fs::create_directories(folder);
        const BuildWishes wishes = wishes_for_gpu();
        process_ = std::make_unique<RunProcess>(expected_target(wishes), folder);
        built_ = Build{build_sources({source_}, tree_, wishes, folder, cancelled).front(), folder, std::nullopt};
        built_->resources = resources_in(built_->messages);
        follow(files_of(folder));
    }

    // The GPU is asked for once, and neither by make nor by compare at each save.
    BuildWishes wishes_for_gpu() {
        BuildWishes wishes{.device = device_to_build_for(), .resources = true, .at_once = true};
        if (!tree_.has_cuda || source_.extension() != ".cu" || wishes.device == to_string(Target::emulator)) {
            return wishes;
        }
        if (!gpu_) {
            gpu_ = probe_gpu(options_.timeout_s);
            reap_last_worker();
            if (gpu_->problem.empty()) remember_gpu(*gpu_);
        }
        if (gpu_->problem.empty()) {
            wishes.device = to_string(Target::cuda);
            wishes.architecture = gpu_->compute_capability;
        }
        return wishes;
    }

    // What the build will be for; a run that has started another device starts a worker anew.
    Target expected_target(const BuildWishes& wishes) const {
        if (source_.extension() == ".cpp") return Target::cpu;
        return wishes.device == to_string(Target::cuda) ? Target::cuda : Target::emulator;
    }

    // Something else has become more urgent.
    bool is_stale() {
        events_.wait(0);
        return events_.has_news() || interrupted();
    }

    // Of a right save of an exercise: how much of its step has been won. Its line is not kept waiting for it.
    void tell_step(const Attempt& attempt) {
        const auto step = step_of(source_);
        if (!step || !is_right(attempt.status)) return;
        if (attempt.emulated) {
            if (!std::exchange(step_explained_, true)) tell("  " + not_told_by_emulator(*step));
        } else if (attempt.tflops) {
            const std::string progress = measured(*step);
            progress_.show("");
            if (!progress.empty()) tell("  " + progress);
        }
    }

    // Empty if it was cancelled.
    std::string measured(const Step& step) {
        const fs::path rungs = tree_.build / "plugins" / to_string(entry_.target);
        const fs::path from = rungs / (step.from + ".so"), to = rungs / (step.to + ".so");
        for (const fs::path& rung : {from, to}) {
            if (fs::exists(rung)) continue;
            return fmt::format("the step is not measured: {} is not there: `make plugins` in {} builds it",
                               rung.string(), tree_.root.string());
        }
        progress_.show(fmt::format("timing at {} against {} and {}", to_string(entry_.shape), step.from, step.to));
        try {
            const auto run = contest_.race_both(entry_, to, from, [this] { return is_stale(); });
            return run ? progress_on(step, run->rows, entry_.library.stem().string()) : "";
        } catch (const std::runtime_error& error) {
            return error.what();
        }
    }

    // Whether the last save is to be judged again.
    bool press(char key) {
        switch (key) {
            case 'q':
                quit_ = true;
                return false;
            case 'r':
                return true;
            case 'h':
                write_page();
                return false;
            case 's':
                if (shapes_.empty()) return false;
                shape_ = (shape_ + 1) % shapes_.size();
                tell("shape " + to_string(shapes_[shape_]));
                return true;
            case 't':
                effort_ = effort_ == Effort::quick    ? Effort::normal
                          : effort_ == Effort::normal ? Effort::thorough
                                                      : Effort::quick;
                tell(effort_ == Effort::quick    ? "time: quick"
                     : effort_ == Effort::normal ? "time: normal"
                                                 : "time: thorough");
                return true;
            default:
                tell(kKeys);
                return false;
        }
    }

    // The saves that were judged are the rows of the page, each under its time.
    void remember(const Attempt& attempt) {
        if (!attempt.row) return;
        Row row = *attempt.row;
        row.plugin = fmt::format("{} {}", source_.stem().string(), attempt.time);
        row.path = source_.string();
        clean(row);
        saved_run_["environment"] = attempt.environment;
        saved_run_["rows"].push_back(row);
    }

    void write_page() {
        if (saved_run_.is_null()) return tell("no page: nothing was judged yet");
        const fs::path json = folder_.path() / "saves.json", said = folder_.path() / "said";
        const std::string page = source_.stem().string() + ".html";
        std::ofstream(json) << saved_run_.dump(1, ' ', false, Json::error_handler_t::replace);
        Command report({"/proc/self/exe", "report", json.string(), "--html", page}, said);
        while (!report.has_ended()) usleep(3000);
        if (report.status() == 0) return tell("wrote " + page);
        print_messages(whole_text(said));
    }

    std::string device_to_build_for() const {
        return options_.device && *options_.device != Target::cpu ? to_string(*options_.device) : "";
    }

    void follow(const std::vector<fs::path>& files) {
        try {
            events_.follow(files);
        } catch (const std::runtime_error& error) {
            throw UsageError(fmt::format("--watch: {}", error.what()));
        }
    }

    // The source, and its headers by the newest build that knows them: one that failed early does not.
    std::vector<fs::path> files_of(const fs::path& folder) {
        std::error_code error;
        for (const auto& entry : fs::directory_iterator(folder / "0", error)) {
            if (entry.path().extension() != ".d") continue;
            std::vector<fs::path> found = dependencies_in(whole_text(entry.path()), tree_.root);
            std::erase_if(found, [](const fs::path& file) { return !fs::exists(file); });
            if (!found.empty()) headers_ = found;
        }
        std::vector<fs::path> files = headers_;
        files.push_back(source_);
        std::erase_if(files, [&](const fs::path& file) { return !fs::exists(fs::absolute(file).parent_path()); });
        return files;
    }

    void forget_folders() {
        for (const auto& entry : fs::directory_iterator(folder_.path())) {
            std::error_code error;
            const bool current = built_ && built_->folder == entry.path();
            if (!current && !contest_.needs(entry.path())) fs::remove_all(entry.path(), error);
        }
    }

    static void tell(const std::string& text) {
        print_messages(wrapped(text, size_t(terminal_of(STDERR_FILENO).columns)) + "\n");
    }

    struct Build : Built {
        fs::path folder;
        std::optional<Resources> resources;
    };

    const Options& options_;
    const fs::path source_;
    const SourceTree tree_;
    const PrivateFolder folder_;
    const Progress progress_;
    Events events_;
    Contest contest_{options_};
    Contest::Entry entry_;                 // that was judged last
    std::optional<Build> built_;           // of the file as it is now
    std::unique_ptr<RunProcess> process_;  // that judges the save; while that is built, it starts
    std::optional<GpuInfo> gpu_;           // of CUDA plugins; why there is none
    std::vector<fs::path> headers_;
    std::vector<Shape> shapes_;  // of the device that the last save was built for
    size_t shape_ = 0;           // which of them is timed
    Effort effort_ = options_.effort == Effort::normal ? Effort::quick : options_.effort;  // a verdict is soon there
    Json saved_run_;                                                                       // as --save writes it
    std::string last_note_;  // of the last save, if that was right
    bool step_explained_ = false;
    int count_ = 0;
    bool quit_ = false;
};

}  // namespace

int watch(const Options& options) {
    signal(SIGPIPE, SIG_IGN);  // print() says it
    return Watch(options).loop();
}

}  // namespace judge
