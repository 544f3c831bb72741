#include "host/parent/exit_code.h"

#include "host/values/json.h"
#include "tests/catch.h"

using namespace judge;

namespace {

int code_of(const std::vector<Status>& statuses) {
    std::vector<Row> rows(statuses.size());
    for (size_t i = 0; i < rows.size(); ++i) rows[i].status = statuses[i];
    return exit_code(rows);
}

}  // namespace

TEST_CASE("the numbers of the exit codes are part of the interface") {
    CHECK(kAllOk == 0);
    CHECK(kUsageError == 1);
    CHECK(kWrongResult == 2);
    CHECK(kPluginFailed == 3);
    CHECK(kRegression == 4);
    CHECK(kSuspicious == 5);
    CHECK(kNoDevice == 6);
    CHECK(kNothingMatched == 7);
    CHECK(kLimited == 8);
    CHECK(kJudgeFailed == 9);
}

TEST_CASE("each status has its exit code") {
    CHECK(code_of({Status::ok}) == 0);
    for (const Status status : {Status::wrong, Status::not_written, Status::out_of_bounds, Status::input_modified}) {
        CAPTURE(to_string(status));
        CHECK(code_of({status}) == 2);
    }
    for (const Status status : {Status::crashed, Status::timed_out, Status::load_error}) {
        CAPTURE(to_string(status));
        CHECK(code_of({status}) == 3);
    }
    CHECK(code_of({Status::suspicious}) == 5);
    CHECK(code_of({Status::unsupported}) == 6);
    CHECK(code_of({Status::limited}) == 8);
    CHECK(code_of({Status::judge_failed}) == 9);
    CHECK(code_of({Status::judge_failed, Status::unsupported}) == 9);
    CHECK(code_of({Status::judge_failed, Status::suspicious}) == 5);
}

TEST_CASE("the lowest code that a row calls for wins, wherever the row is") {
    CHECK(code_of({Status::ok, Status::suspicious}) == 5);
    CHECK(code_of({Status::suspicious, Status::crashed, Status::ok}) == 3);
    CHECK(code_of({Status::crashed, Status::ok, Status::wrong}) == 2);
    CHECK(code_of({Status::wrong, Status::crashed, Status::suspicious}) == 2);
    CHECK(code_of({Status::suspicious, Status::ok}) == 5);
}

TEST_CASE("a limited row is no failure where it is allowed, and one that is slower is a regression") {
    std::vector<Row> rows(2);
    rows[0].status = Status::ok;
    rows[1].status = Status::limited;
    CHECK(exit_code(rows) == 8);
    CHECK(exit_code(rows, true) == 0);
    rows[1].regression = "slower";
    CHECK(exit_code(rows) == 4);
    CHECK(exit_code(rows, true) == 4);
    rows[0].status = Status::wrong;
    CHECK(exit_code(rows, true) == 2);
}

TEST_CASE("unsupported rows matter only where there is nothing else") {
    CHECK(code_of({Status::unsupported, Status::unsupported}) == 6);
    CHECK(code_of({Status::unsupported, Status::ok}) == 0);
    CHECK(code_of({Status::unsupported, Status::wrong}) == 2);
    CHECK(code_of({Status::unsupported, Status::suspicious}) == 5);
    CHECK(code_of({}) == 0);
}

TEST_CASE("a regression exits with 4, unless something is wrong or failed too") {
    Row slower, wrong, suspicious;
    slower.status = Status::ok;
    slower.regression = "5 % slower";
    CHECK(exit_code({slower}) == 4);
    suspicious.status = Status::suspicious;
    CHECK(exit_code({suspicious, slower}) == 4);
    wrong.status = Status::wrong;
    wrong.regression = "5 % slower";
    CHECK(exit_code({slower, wrong}) == 2);
    CHECK(exit_code({wrong}) == 2);
    slower.slowdown = Interval{1.05, 1.06};
    slower.regression.clear();
    CHECK(exit_code({slower}) == 0);
}
