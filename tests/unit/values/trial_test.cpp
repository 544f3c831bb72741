#include "host/values/trial.h"

#include "host/values/json.h"
#include "tests/catch.h"

using namespace judge;

namespace {

Trial trial_at(const Shape& shape, Status status, bool alone = false) {
    Trial trial;
    trial.shape = shape;
    trial.status = status;
    trial.alone = alone;
    return trial;
}

}  // namespace

TEST_CASE("a trial comes back from JSON as it was") {
    Trial trial = trial_at({5, 0, 7}, Status::not_written, true);
    trial.misalignment = 3;
    trial.message = "35 of 35 elements of C not written";
    for (const Trial::Kind kind :
         {Trial::Kind::product, Trial::Kind::exchanged, Trial::Kind::layouts, Trial::Kind::precision,
          Trial::Kind::promises, Trial::Kind::negative, Trial::Kind::null_pointers}) {
        trial.kind = kind;
        CHECK(Json::parse(Json(trial).dump()).get<Trial>() == trial);
    }
    trial = trial_at({5, 0, 7, 3}, Status::ok);  // of a chain
    CHECK(Json::parse(Json(trial).dump()).get<Trial>() == trial);
}

TEST_CASE("what a trial came to replaces its announcement, and not the same call made alone") {
    std::vector<Trial> trials;
    learn(trials, trial_at({1, 2, 3}, Status::crashed));
    learn(trials, trial_at({1, 2, 3}, Status::wrong));
    learn(trials, trial_at({1, 2, 3}, Status::ok, true));
    learn(trials, trial_at({1, 2, 4}, Status::ok));
    REQUIRE(trials.size() == 3);
    CHECK(to_string(trials[0].status) == "wrong");
    CHECK(trials[1].alone);
    CHECK(trials[2].shape == Shape{1, 2, 4});
}

TEST_CASE("a trial is told as what the worker is doing") {
    Trial trial = trial_at({128, 64, 32}, Status::ok);
    CHECK(to_string(trial) == "trying 128x64x32");
    trial.misalignment = 1;
    CHECK(to_string(trial) == "trying 128x64x32, its matrices 4 bytes past an aligned address");
    trial.kind = Trial::Kind::exchanged;
    CHECK(to_string(trial) == "trying 128x64x32 with N and K exchanged");
    trial.kind = Trial::Kind::precision;
    CHECK(to_string(trial) == "measuring the precision");
}
