// compare: options -> discover -> a worker for each plugin -> report.
#include <fmt/format.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "base/descriptors.h"
#include "base/output.h"
#include "base/terminal.h"
#include "base/usage_error.h"
#include "parent/campaign.h"
#include "parent/ci.h"
#include "parent/counters.h"
#include "parent/describe_environment.h"
#include "parent/exit_code.h"
#include "parent/gpu_lock.h"
#include "parent/measurements.h"
#include "parent/options.h"
#include "parent/regression.h"
#include "parent/report_command.h"
#include "parent/run_progress.h"
#include "parent/selection.h"
#include "parent/standby.h"
#include "parent/supervisor.h"
#include "report/html.h"
#include "report/list.h"
#include "report/markdown.h"
#include "report/row_order.h"
#include "report/saved_files.h"
#include "report/table.h"
#include "values/json.h"
#include "watch/watch.h"
#include "worker/worker.h"

namespace judge {

namespace {

// Prints what the run was for; the exit status is `code`, or that of a file that cannot be written.
int show(const std::string& text, int code) {
    const std::string why = print(text);
    if (why.empty()) return code;
    complain(fmt::format("stdout: cannot be written: {}", why));
    return kUsageError;
}

int print_list(const Selection& selection, const Options& options) {
    std::vector<PluginInfo> infos;
    for (const Candidate& candidate : selection.candidates) infos.push_back(inspect(candidate, options.timeout_s));
    const auto format = options.markdown ? format_list_as_markdown : format_list;
    return show(format(selection.candidates, infos), kAllOk);
}

std::filesystem::path baseline_for(Selection selection, Target target) {
    if (target == Target::emulator) return {};  // an emulated time is no performance
    return selection.baseline_for(target);
}

// The GPUs to ourselves that we use: two runs at a time would time each other. `held`: one that is ours already, or
// null; of several GPUs it is given back first, since all runs must lock them in the same order.
std::vector<std::unique_ptr<GpuLock>> lock_gpus(const Selection& selection, std::unique_ptr<GpuLock> held) {
    std::vector<std::unique_ptr<GpuLock>> locks;
    const std::vector<std::string> uuids = gpus_to_lock(selection);
    if (held && uuids == std::vector{held->uuid()}) {
        locks.push_back(std::move(held));
        return locks;
    }
    held.reset();
    bool said = false;
    for (const std::string& uuid : uuids) {
        locks.push_back(std::make_unique<GpuLock>(uuid, [&] {
            if (!said) complain("waiting for another run that uses this GPU");
            said = true;
            return !interrupted();
        }));
    }
    return locks;
}

// The run to compare with, if there is one to. Throws UsageError if it is none that this one can be compared with.
std::optional<SavedRun> saved_run(const Options& options, const Json& environment) {
    if (options.against.empty()) return std::nullopt;
    SavedRun saved = load_run(options.against);
    if (const std::string why = not_comparable(saved, environment); !why.empty()) {
        throw UsageError(fmt::format("--against: not comparable: {}", why));
    }
    if (const std::string other = other_software(saved, environment); !other.empty()) {
        complain("--against: " + other);
    }
    return saved;
}

// How many there will be: one of a plugin that does not load, else one a shape.
std::vector<size_t> rows_of_plugins(const Options& options, const Selection& selection) {
    std::vector<size_t> rows;
    for (const Candidate& candidate : selection.candidates) {
        const bool runs = candidate.problem.empty() && candidate.unsupported.empty();
        size_t count = 0;
        for (const Products& each : products_for(options, candidate.target)) count += each.shapes.size();
        rows.push_back(runs ? count : 1);
    }
    return rows;
}

Campaign campaign_of(const Options& options, const Selection& selection, const Candidate& candidate,
                     const Products& products) {
    return {.candidate = candidate,
            .operation = options.operation,
            .form = products.form,
            .shapes = products.shapes,
            .untimed = untimed_shapes_for(options, candidate.target),
            .seed = options.seed,
            .data = options.data,
            .require = options.require,
            .any_shape = options.any_shape,
            .misalignment = options.misalignment,
            .check_only = options.check_only,
            .effort = options.effort,
            .pageable = options.pageable,
            .scaling = options.scaling,
            .host_to_host = options.host_to_host,
            .timeout_s = options.timeout_s,
            .baseline = baseline_for(selection, candidate.target)};
}

// Adds a row to `rows`, and to the files, as soon as it is found.
void run_all(const Options& options, const Selection& selection, const std::optional<SavedRun>& saved,
             std::unique_ptr<GpuLock> held, SavedFiles& files, std::vector<Row>& rows) {
    const std::vector<std::unique_ptr<GpuLock>> locks = lock_gpus(selection, std::move(held));
    RunProgress progress(options.progress, rows_of_plugins(options, selection),
                         {.sort = options.sort, .columns = options.columns});
    CounterReader counters(options.counters ? find_ncu() : std::filesystem::path(), complain);
    for (size_t i = 0; i < selection.candidates.size() && !interrupted(); ++i) {
        const Candidate& candidate = selection.candidates[i];
        progress.begin(i, candidate.name);
        for (const Products& products : products_for(options, candidate.target)) {
            const Campaign campaign = campaign_of(options, selection, candidate, products);
            bool runs = true;
            const auto report = [&](Row row) {
                runs = !row.shape.empty();
                if (runs && !options.products.empty()) row.shape = label_of(row.shape, products.form);
                rows.push_back(row);
                if (saved) compare_with(*saved, options.max_slowdown, rows.back());
                files.write(sorted(rows, options.sort));
                progress.found(rows);
            };
            const size_t first = rows.size();
            run(campaign, report, [&](const Message& message) { progress.hear(message); });
            counters.read(campaign, rows, first, [&](const std::string& doing) {
                progress.hear(Phase{Activity::timing, doing});
            });
            if (options.counters) files.write(sorted(rows, options.sort));
            if (!runs || interrupted()) break;  // it would not run at the next ones either
        }
    }
    reap_last_worker();  // while the GPU is ours
    const std::string missed = saved ? not_compared(*saved, rows) : "";
    if (!missed.empty()) complain("--against: " + missed);
}

std::string report_of(const Json& environment, const std::vector<Row>& rows, const Options& options) {
    if (options.markdown) return format_markdown(environment, sorted(rows, options.sort), options.columns);
    const Terminal terminal = terminal_of(STDOUT_FILENO);
    return format_table(environment, rows,
                        {.colour = terminal.colour,
                         .width = static_cast<size_t>(terminal.columns),
                         .sort = options.sort,
                         .columns = options.columns});
}

int compare(int argc, char** argv, std::unique_ptr<GpuLock> held = nullptr) {
    const auto parsed = parse_options(argc, argv);
    if (const int* const code = std::get_if<int>(&parsed)) return *code;
    const Options& options = std::get<Options>(parsed);

    start_supervising();
    if (options.watch) return watch(options);
    Selection selection = select_plugins(options);
    for (const std::string& note : selection.notes) complain(note);
    if (!selection.failure.empty()) {
        complain(selection.failure);
        return selection.failure_code;
    }
    if (options.list) return print_list(selection, options);
    for (const std::string& line : not_measured(options, selection, find_ncu())) complain(line);

    const Json environment = describe_environment(options, selection);
    const std::optional<SavedRun> saved = saved_run(options, environment);
    SavedFiles files(options.json, options.csv, environment);
    add_files_for_ci(options, environment, files);
    if (!options.html.empty()) files.add(html_writer(options.html, environment, saved));
    std::vector<Row> rows;
    run_all(options, selection, saved, std::move(held), files, rows);
    selection.built.reset();  // now: a reader of stdout that has gone ends this process
    const bool complete = tell_github(options, environment, rows) && files.complete();
    const int code =
        show(report_of(environment, rows, options), complete ? exit_code(rows, options.allow_limited) : kUsageError);
    if (!interrupted()) return code;
    complain("interrupted; the rows above are what was finished");
    return 130;  // as a shell reports SIGINT
}

// The command line comes when the device has been started.
int compare_later(const char* device) {
    start_supervising();
    LateCommand late = stand_by(parse_target(device));
    if (late.words.empty()) {
        reap_last_worker();  // while the GPU is ours
        return 130;
    }
    std::vector<char*> words;
    for (std::string& word : late.words) words.push_back(word.data());
    return compare(static_cast<int>(words.size()), words.data(), std::move(late.lock));
}

int report(int argc, char** argv) {
    const auto parsed = parse_report_command(argc, argv);
    if (const int* const code = std::get_if<int>(&parsed)) return *code;
    const auto& [run, earlier, html] = std::get<ReportCommand>(parsed);
    try {
        html_writer(html, run.environment, earlier)(run.rows);
    } catch (const std::system_error& error) {
        throw UsageError(error.what());
    }
    return kAllOk;
}

}  // namespace

}  // namespace judge

int main(int argc, char** argv) {
    judge::open_standard_descriptors();
    if (argc == 3 && std::strcmp(argv[1], "--worker") == 0) judge::run_worker(argv[2]);
    try {
        if (argc == 3 && std::strcmp(argv[1], "--standby") == 0) return judge::compare_later(argv[2]);
        const bool reports = argc > 1 && std::strcmp(argv[1], "report") == 0;
        return reports ? judge::report(argc - 1, argv + 1) : judge::compare(argc, argv);
    } catch (const judge::UsageError& error) {
        judge::complain(error.what());
        return judge::kUsageError;
    } catch (const std::exception& error) {
        judge::complain(fmt::format("the judge itself failed: {}", error.what()));
        return judge::kJudgeFailed;
    }
}
