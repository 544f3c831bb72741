#include "host/values/job.h"

#include "host/values/json.h"
#include "tests/catch.h"

using namespace judge;

TEST_CASE("a job comes back from JSON as it was") {
    Job job;
    job.kind = Job::Kind::judge;
    job.plugin = "/somewhere/a \"b\".so";
    job.named = "/somewhere/a.cu";
    job.device = Target::emulator;
    job.shapes = {{1, 2, 3}, {0, 2147483647, 5}};
    job.untimed = {{1, 2, 3}};
    job.seed = 18446744073709551615u;
    job.data = Data::wide;
    job.require = PrecisionClass::tf32;
    job.any_shape = true;
    job.misalignment = 3;
    job.trials.resize(2);
    job.trials[1].shape = {5, 0, 7};
    job.explain = true;
    job.check_only = true;
    job.effort = Effort::thorough;
    job.pageable = job.scaling = job.host_to_host = true;
    job.baseline = "/somewhere/90_blas.so";
    job.copy = 8;
    job.baseline_copy = 9;
    job.channel = 7;
    job.key = 18446744073709551557u;
    job.go = 11;
    const Job back = Json::parse(Json(job).dump()).get<Job>();
    CHECK(back.kind == job.kind);
    CHECK(back.plugin == job.plugin);
    CHECK(back.named == job.named);
    CHECK(back.device == job.device);
    CHECK(back.shapes == job.shapes);
    CHECK(back.untimed == job.untimed);
    CHECK(back.seed == job.seed);
    CHECK(back.data == Data::wide);
    CHECK(back.require == PrecisionClass::tf32);
    CHECK(!Json(Job{}).get<Job>().require);
    CHECK(back.any_shape);
    CHECK(back.misalignment == 3);
    CHECK(back.trials == job.trials);
    CHECK(back.explain);
    CHECK(back.check_only);
    CHECK(back.effort == Effort::thorough);
    CHECK(back.pageable);
    CHECK(back.scaling);
    CHECK(back.host_to_host);
    CHECK(back.baseline == job.baseline);
    CHECK(back.copy == 8);
    CHECK(back.baseline_copy == 9);
    CHECK(back.channel == 7);
    CHECK(back.key == job.key);
    CHECK(back.go == 11);
    for (const Job::Kind kind :
         {Job::Kind::probe, Job::Kind::inspect, Job::Kind::judge, Job::Kind::call, Job::Kind::standby}) {
        Job other;
        other.kind = kind;
        CHECK(Json(other).get<Job>().kind == kind);
    }
    for (const Effort effort : {Effort::quick, Effort::normal}) {
        Job other;
        other.effort = effort;
        CHECK(Json(other).get<Job>().effort == effort);
    }
}
