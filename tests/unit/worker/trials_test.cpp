#include "host/worker/trials.h"

#include "host/parent/explained_rows.h"
#include "host/values/json.h"
#include "tests/unit/worker/work.h"

using namespace judge;
using namespace unit;

namespace {

// Right where `condition` holds, in terms of the sizes; elsewhere it does `otherwise`.
std::string solve_where(const std::string& condition, const std::string& otherwise) {
    return R"(
    #include <stdlib.h>
    extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
        if (!()" +
           condition + ")) { " + otherwise + R"(; }
        for (int i = 0; i < M; ++i) {
            for (int k = 0; k < K; ++k) C[i * K + k] = 0;
            for (int n = 0; n < N; ++n) {
                for (int k = 0; k < K; ++k) C[i * K + k] += A[i * N + n] * B[n * K + k];
            }
        }
    })";
}

struct Judged {
    std::vector<Row> rows;
    int workers = 0;
};

// As the parent does: worker after worker, until one is done.
Judged judge_to_the_end(Job job) {
    Judged judged;
    ExplainedRows rows(job, [&](const Row& row) { judged.rows.push_back(row); });
    job.effort = Effort::quick;
    for (bool more = true; more && judged.workers < 30;) {
        job.explain = rows.wants_explanation();
        if (job.shapes.empty() && !job.explain) break;
        const Outcome outcome = work(job);
        ++judged.workers;
        for (const Trial& trial : outcome.all<Trial>()) rows.take(trial);
        for (const Row& row : outcome.all<Row>()) {
            rows.take(row);
            job.shapes.erase(job.shapes.begin());
        }
        const bool lost = !outcome.messages.empty() && kind_of(outcome.messages.back()) == MessageKind::lost;
        more = rows.worker_ended({outcome.done() ? Ending::Kind::done
                                  : lost         ? Ending::Kind::lost
                                                 : Ending::Kind::crashed,
                                  "killed by SIGABRT"});
        if (lost) more = true;
        if (!more && !outcome.done()) {
            Row row;
            row.status = Status::crashed;
            row.shape = to_string(job.shapes.at(0));
            rows.take(row);
            job.shapes.erase(job.shapes.begin());
            more = true;
        }
    }
    rows.flush();
    return judged;
}

}  // namespace

TEST_CASE("a plugin that is right everywhere is judged by one worker, and its trials are made once") {
    const TemporaryDirectory directory;
    const Outcome outcome = work(judging(compile_library(directory / "right.so", kRightSolve), {{5, 6, 7}, {6, 6, 6}}));
    CHECK(outcome.done());
    size_t products = 0;
    for (const Trial& trial : outcome.all<Trial>()) products += trial.kind == Trial::Kind::product && trial.right();
    CHECK(products == general_trials(Target::cpu).size() + drawn_trials(1).size());
    for (const Row& row : outcome.all<Row>()) CHECK(to_string(row.status) == "ok");
}

TEST_CASE("a plugin that is right at some sizes is limited there, and wrong elsewhere") {
    const TemporaryDirectory directory;
    const auto plugin = compile_library(directory / "limited.so", solve_where("K % 8 == 0", "return"));
    const Judged judged = judge_to_the_end(judging(plugin, {{16, 16, 16}, {16, 16, 17}, {9, 9, 24}}));
    CHECK(judged.workers >= 3);  // one finds it out, one or more investigate, one judges
    REQUIRE(judged.rows.size() == 3);
    for (const size_t i : {0, 2}) {
        CHECK(to_string(judged.rows[i].status) == "limited");
        CHECK(contains(judged.rows[i].message, "right where K is a multiple of 8; leaves C unwritten at 317x251x283"));
        CHECK(judged.rows[i].precision == "FP32");
    }
    CHECK(to_string(judged.rows[1].status) == "not-written");
    CHECK(contains(judged.rows[1].message, "; right where K is a multiple of 8"));
}

TEST_CASE("a crash at a shape that nobody asked for costs no row", "[heavy]") {
    const TemporaryDirectory directory;
    const auto plugin = compile_library(directory / "limited.so", solve_where("M % 16 == 0 && N % 16 == 0", "abort()"));
    Job job = judging(plugin, {{16, 16, 16}});
    const Judged judged = judge_to_the_end(job);
    REQUIRE(judged.rows.size() == 1);
    CHECK(to_string(judged.rows[0].status) == "limited");
    CHECK(contains(judged.rows[0].message, "right where M, N are multiples of 16"));
    CHECK(contains(judged.rows[0].message, "crashed (SIGABRT) at 317x251x283"));
    CHECK(judged.rows[0].precision == "FP32");

    job.any_shape = true;
    const Judged required = judge_to_the_end(job);
    REQUIRE(required.rows.size() == 1);
    CHECK(to_string(required.rows[0].status) == "wrong");
    CHECK(contains(required.rows[0].message, "--require any-shape"));
}

TEST_CASE("a plugin that dies of the precision's probes is limited, and its class is that of its shape", "[heavy]") {
    const TemporaryDirectory directory;
    const auto dies = compile_library(directory / "dies.so", R"(
        #include <math.h>
        #include <stdlib.h>
        extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
            for (int i = 0; i < M * N; ++i) if (isnan(A[i])) abort();
            for (int i = 0; i < M; ++i) {
                for (int k = 0; k < K; ++k) C[i * K + k] = 0;
                for (int n = 0; n < N; ++n) {
                    for (int k = 0; k < K; ++k) C[i * K + k] += A[i * N + n] * B[n * K + k];
                }
            }
        })");
    const Judged judged = judge_to_the_end(judging(dies, {{16, 16, 16}}));
    REQUIRE(judged.rows.size() == 1);
    CHECK(to_string(judged.rows[0].status) == "limited");
    CHECK(judged.rows[0].message == "crashed (SIGABRT) while its precision was measured");
    CHECK(judged.rows[0].precision == "FP32");
    CHECK(judged.rows[0].evidence->at("decided_by") == "shape");
}

TEST_CASE("N and K exchanged are told, also where the plugin crashes of it") {
    const TemporaryDirectory directory;
    for (const char* otherwise : {"return", "abort()"}) {
        const auto plugin = compile_library(directory / "mkn.so", R"(
            #include <stdlib.h>
            static void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
                for (int i = 0; i < M; ++i) {
                    for (int k = 0; k < K; ++k) C[i * K + k] = 0;
                    for (int n = 0; n < N; ++n) {
                        for (int k = 0; k < K; ++k) C[i * K + k] += A[i * N + n] * B[n * K + k];
                    }
                }
            }
            extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
                if (N < K && K % 7 == 0) { )" + std::string(otherwise) +
                                                                      R"(; }
                multiply(A, B, C, M, K, N);
            })");
        const Judged judged = judge_to_the_end(judging(plugin, {{20, 14, 21}}));
        REQUIRE(judged.rows.size() == 1);
        CAPTURE(otherwise, judged.rows[0].message);
        CHECK(to_string(judged.rows[0].status) != "limited");
        CHECK(contains(judged.rows[0].message, "N is the contraction here; this kernel takes M, K, N"));
    }
}
