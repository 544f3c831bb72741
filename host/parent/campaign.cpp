#include "parent/campaign.h"

#include <fmt/format.h>

#include <exception>
#include <optional>
#include <stdexcept>

#include "library/library_copy.h"
#include "parent/explained_rows.h"
#include "parent/supervisor.h"
#include "timing/second_clock.h"

namespace judge {

Job job_of(const Campaign& campaign) {
    Job job;
    job.kind = Job::Kind::judge;
    job.plugin = campaign.candidate.path;
    job.named = campaign.candidate.source;
    job.device = campaign.candidate.target;
    job.operation = campaign.operation;
    job.form = campaign.form;
    job.shapes = campaign.shapes;
    job.untimed = campaign.untimed;
    job.seed = campaign.seed;
    job.data = campaign.data;
    job.require = campaign.require;
    job.any_shape = campaign.any_shape;
    job.misalignment = campaign.misalignment;
    job.check_only = campaign.check_only;
    job.effort = campaign.effort;
    job.pageable = campaign.pageable;
    job.scaling = campaign.scaling;
    job.host_to_host = campaign.host_to_host;
    return job;
}

namespace {

Row empty_row(const Candidate& candidate) {
    Row row;
    row.plugin = candidate.name;
    row.path = known_as(candidate);
    row.device = candidate.target;
    return row;
}

// Of a worker that failed. `started`: it had reached a shape.
Status status_of(const Ending& ending, bool started) {
    if (ending.kind == Ending::Kind::judge_failed) return Status::judge_failed;
    if (ending.kind == Ending::Kind::timed_out) return Status::timed_out;
    return started ? Status::crashed : Status::load_error;
}

// Why there is no row for the shape that the worker had come to.
std::string message_of(const Ending& ending) {
    switch (ending.kind) {
        case Ending::Kind::done:
        case Ending::Kind::lost:
            return "the worker ended as if it had been done, and told no result";
        case Ending::Kind::judge_failed:
            return "the judge itself failed, not the plugin: " + ending.message;
        default:
            return ending.message;
    }
}

// With as many workers as that takes. `blank`: a row with nothing but the plugin in it.
void run_shapes(const Campaign& campaign, Job& job, const Row& blank, ExplainedRows& rows,
                const std::function<void(const Message&)>& progress) {
    while (true) {
        job.explain = rows.wants_explanation();
        if (job.shapes.empty() && !job.explain) return;
        size_t finished = 0;
        bool started = false;  // reached a shape: past loading
        bool refused = false;  // cannot be run at any shape
        SecondClock clock;
        const Ending ending = run_job(job, campaign.timeout_s, [&](const Message& message) {
            if (const auto* phase = std::get_if<Phase>(&message)) {
                started |= phase->activity == Activity::checking;
                progress(message);
            } else if (kind_of(message) == MessageKind::batch_begins) {
                clock.batch_begins(std::chrono::steady_clock::now(), waited_for_a_core());
            } else if (const auto* batch = std::get_if<BatchEnded>(&message)) {
                clock.batch_ended(batch->seconds, std::chrono::steady_clock::now(), waited_for_a_core());
                progress(message);
            } else if (const auto* found = std::get_if<Row>(&message)) {
                // A row that was not asked for, or not yet, is none of the judge's.
                Row row = *found;
                const bool next = finished < job.shapes.size() && row.shape == to_string(job.shapes[finished]);
                if (refused || !(next || row.shape.empty())) return;
                clock.judge(row);
                refused |= row.shape.empty();
                finished += !row.shape.empty();
                rows.take(row);
            } else if (const auto* trial = std::get_if<Trial>(&message)) {
                rows.take(*trial);
            }
        });
        if (refused || ending.kind == Ending::Kind::interrupted) return;
        job.shapes.erase(job.shapes.begin(), job.shapes.begin() + finished);
        if (rows.worker_ended(ending) || job.shapes.empty()) continue;
        if (ending.kind == Ending::Kind::lost && finished > 0) continue;

        Row row = blank;
        row.status = status_of(ending, started);
        row.message = message_of(ending);
        if (!started) {
            rows.take(row);
            return;
        }
        row.shape = to_string(job.shapes.front());
        rows.take(row);
        job.shapes.erase(job.shapes.begin());
        if (ending.kind != Ending::Kind::timed_out) continue;
        for (const Shape& shape : job.shapes) {
            const std::string earlier = row.shape;
            Row skipped = row;
            skipped.shape = to_string(shape);
            skipped.message = fmt::format("not run, after the timeout at {}", earlier);
            rows.take(skipped);
        }
        return;
    }
}

void run_workers(const Campaign& campaign, const std::function<void(const Row&)>& report_row,
                 const std::function<void(const Message&)>& progress) {
    std::optional<LibraryCopy> copy, baseline_copy;
    const auto report = [&](Row row) {
        row.plugin = campaign.candidate.name;
        row.path = known_as(campaign.candidate);
        if (copy) {
            row.sha256 = copy->sha256();
            add_note(row, copy->note());
        }
        clean(row);
        report_row(row);
    };
    Row blank = empty_row(campaign.candidate);
    const std::string& problem = campaign.candidate.problem;
    const std::string& unsupported = campaign.candidate.unsupported;
    if (!problem.empty() || !unsupported.empty()) {
        blank.status = problem.empty() ? Status::unsupported : Status::load_error;
        blank.message = problem.empty() ? unsupported : problem;
        report(blank);
        return;
    }
    if (campaign.shapes.empty()) return;
    try {
        progress(Phase{Activity::loading, "copying"});
        copy.emplace(campaign.candidate.path);
    } catch (const std::runtime_error& error) {
        blank.status = Status::load_error;
        blank.message = error.what();
        report(blank);
        return;
    }
    try {
        if (!campaign.baseline.empty() && !campaign.check_only) baseline_copy.emplace(campaign.baseline);
    } catch (const std::runtime_error&) {
        // Then it is raced against nothing.
    }

    Job job = job_of(campaign);
    job.copy = copy->descriptor();
    if (baseline_copy) {
        job.baseline = campaign.baseline;
        job.baseline_copy = baseline_copy->descriptor();
    }

    ExplainedRows rows(job, report);
    run_shapes(campaign, job, blank, rows, progress);
    rows.flush();
}

}  // namespace

void run(const Campaign& campaign, const std::function<void(const Row&)>& report_row,
         const std::function<void(const Message&)>& progress) {
    try {
        run_workers(campaign, report_row, progress);
    } catch (const std::exception& error) {
        Row row = empty_row(campaign.candidate);
        row.status = Status::judge_failed;
        row.message = message_of({Ending::Kind::judge_failed, error.what()});
        clean(row);
        report_row(row);
    }
}

PluginInfo inspect(const Candidate& candidate, double timeout_s) {
    PluginInfo info;
    info.problem = candidate.problem;
    if (info.problem.empty()) {
        Job job;
        job.kind = Job::Kind::inspect;
        job.plugin = candidate.path;
        const Ending ending = run_job(job, timeout_s, [&](const Message& message) {
            if (const auto* answer = std::get_if<PluginInfo>(&message)) info = *answer;
        });
        if (ending.kind != Ending::Kind::done) info.problem = message_of(ending);
    }
    if (info.name.empty()) info.name = candidate.name;
    if (!info.problem.empty()) info.summary = info.problem;
    clean(info);
    return info;
}

}  // namespace judge
