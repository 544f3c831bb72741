#include "host/parent/explained_rows.h"

#include "host/checks/general_trials.h"
#include "host/checks/limits_text.h"
#include "host/values/json.h"
#include "tests/catch.h"

using namespace judge;

namespace {

Row row_of(Status status) {
    Row row;
    row.shape = "1x2x3";
    row.status = status;
    row.message = "why";
    return row;
}

struct Reported {
    Job job;
    std::vector<Row> rows;
    ExplainedRows explained{job, [this](const Row& row) { rows.push_back(row); }};

    Reported() { job.shapes = {{1, 2, 3}}; }
};

const Ending kCrash{Ending::Kind::crashed, "killed by SIGSEGV"};

}  // namespace

TEST_CASE("a row that needs no explanation is reported at once") {
    Reported reported;
    for (const Status status : {Status::ok, Status::limited, Status::unsupported, Status::timed_out}) {
        reported.explained.take(row_of(status));
    }
    CHECK(reported.rows.size() == 4);
    CHECK(!reported.explained.wants_explanation());
}

TEST_CASE("a wrong row waits for the trials that follow it") {
    Reported reported;
    reported.explained.take(row_of(Status::wrong));
    CHECK(reported.rows.empty());
    CHECK(reported.explained.wants_explanation());
    Trial trial = mistake_trials()[0];
    reported.explained.take(trial);
    trial.status = Status::ok;
    reported.explained.take(trial);
    reported.explained.take(row_of(Status::ok));
    REQUIRE(reported.rows.size() == 2);
    CHECK(reported.rows[0].message == "why; N is the contraction here; this kernel takes M, K, N");
    CHECK(reported.rows[1].message == "why");
    CHECK(reported.job.trials == std::vector<Trial>{trial});
}

TEST_CASE("after a crash a new worker looks for the mistake, once") {
    Reported reported;
    CHECK(!reported.explained.worker_ended(kCrash));
    reported.explained.take(row_of(Status::crashed));
    CHECK(reported.explained.wants_explanation());
    CHECK(!reported.explained.worker_ended(kCrash));  // without having made a trial
    CHECK(!reported.explained.wants_explanation());
    reported.explained.flush();
    REQUIRE(reported.rows.size() == 1);
    CHECK(reported.rows[0].message == "why");
}

TEST_CASE("a trial that its worker did not survive is one that crashed, and another worker goes on") {
    Reported reported;
    reported.explained.take(row_of(Status::crashed));
    reported.explained.take(mistake_trials()[0]);
    CHECK(reported.explained.worker_ended(kCrash));
    CHECK(reported.job.trials[0].message == "killed by SIGSEGV");
    CHECK(reported.explained.wants_explanation());
    reported.explained.take(mistake_trials()[1]);
    CHECK(reported.explained.worker_ended({Ending::Kind::timed_out, "no answer"}));
    CHECK(to_string(reported.job.trials[1].status) == "timed-out");
    CHECK(!reported.explained.worker_ended({Ending::Kind::done, ""}));
    CHECK(!reported.explained.wants_explanation());
}

TEST_CASE("a worker that hands over after a trial is followed by another") {
    Reported reported;
    Trial trial = general_trials(Target::cpu)[0];
    trial.status = Status::wrong;
    trial.message = "why";
    reported.explained.take(trial);
    CHECK(reported.explained.worker_ended({Ending::Kind::lost, ""}));
    CHECK(!reported.explained.worker_ended({Ending::Kind::lost, ""}));
}

TEST_CASE("a chain has no trials") {
    Reported reported;
    reported.job.operation = Operation::chain;
    reported.explained.take(row_of(Status::crashed));
    CHECK(reported.rows.size() == 1);
    CHECK(!reported.explained.wants_explanation());
}
