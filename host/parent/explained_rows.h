// Holds a row of a failure back until the trials that may explain it have been made.
#pragma once

#include <functional>
#include <optional>

#include "parent/supervisor.h"
#include "values/job.h"
#include "values/record.h"
#include "values/trial.h"

namespace judge {

class ExplainedRows {
  public:
    // Keeps the job's trials up to date; it must outlive this.
    ExplainedRows(Job& job, std::function<void(const Row&)> report) : job_(job), report_(std::move(report)) {}

    void take(const Row& row);
    void take(const Trial& trial);

    // A trial that its worker did not survive gets the worker's end as its result. Returns whether there is anything
    // new for another worker to go on from.
    bool worker_ended(const Ending& ending);

    // Whether the next worker is to look for the mistake of the row that is held back.
    bool wants_explanation();

    // Reports the row that is held back, if there is one. To be called at the end.
    void flush();

  private:
    Job& job_;
    std::function<void(const Row&)> report_;
    std::optional<Row> held_;
    bool learned_ = false;    // of the present worker: it made a trial
    bool searching_ = false;  // the last worker died of a trial, or made one and handed over
    bool searched_ = false;   // a worker was started for it
};

}  // namespace judge
