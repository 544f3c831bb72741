#include "parent/explained_rows.h"

#include <algorithm>

#include "checks/limits_text.h"

namespace judge {

namespace {

bool may_be_a_mistake(Status status) {
    return status == Status::wrong || status == Status::not_written || status == Status::out_of_bounds ||
           status == Status::crashed;
}

}  // namespace

void ExplainedRows::take(const Row& row) {
    flush();
    const bool was_right_once = row.deterministic.has_value();
    if (job_.operation == Operation::gemm && may_be_a_mistake(row.status) && !was_right_once && !row.shape.empty()) {
        held_ = row;
    } else {
        report_(row);
    }
}

void ExplainedRows::take(const Trial& trial) {
    learn(job_.trials, trial);
    learned_ = true;
}

bool ExplainedRows::worker_ended(const Ending& ending) {
    const auto open = std::find_if(job_.trials.begin(), job_.trials.end(), [](const Trial& trial) {
        return trial.status == Status::crashed && trial.message.empty();
    });
    const bool died =
        open != job_.trials.end() && (ending.kind == Ending::Kind::crashed || ending.kind == Ending::Kind::timed_out);
    if (died) {
        open->status = ending.kind == Ending::Kind::timed_out ? Status::timed_out : Status::crashed;
        open->message = ending.message;
    }
    searching_ = died || (learned_ && ending.kind == Ending::Kind::lost);
    learned_ = false;
    return searching_;
}

bool ExplainedRows::wants_explanation() {
    if (!held_) return false;
    const bool wanted = searching_ || (job_.trials.empty() && !searched_);
    searched_ |= wanted;
    return wanted;
}

void ExplainedRows::flush() {
    if (!held_) return;
    add_note(*held_, explain_failure(job_.trials, job_.device));
    report_(*held_);
    held_.reset();
}

}  // namespace judge
