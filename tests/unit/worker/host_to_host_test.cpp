#include "host/worker/host_to_host.h"

#include <array>
#include <vector>

#include "host/checks/problem.h"
#include "host/values/json.h"
#include "tests/unit/host_in_disguise.h"
#include "tests/unit/multiply.h"
#include "tests/unit/text.h"
#include "tests/unit/worker/work.h"

using namespace judge;
using namespace unit;

namespace {

// Host memory that plays a GPU's: with pinned memory beside it, if there is any left, and a clock of its own.
class GpuInDisguise : public HostInDisguise {
  public:
    explicit GpuInDisguise(bool has_pinned) : has_pinned_(has_pinned) {}

    bool has_streams() const override { return true; }
    float* allocate_pinned(size_t floats) override {
        if (!has_pinned_) return nullptr;
        ++held_;
        return allocate(floats);
    }
    void release_pinned(float* memory) noexcept override {
        --held_;
        release(memory);
    }
    std::unique_ptr<StreamTimes> stream_times() override {
        struct Fixed : StreamTimes {
            void record(int) override {}
            double seconds(int from, int to) const override { return 0.25 * (to - from); }
        };
        return std::make_unique<Fixed>();
    }

    void write(float* to_device, const float* from_host, size_t floats) override {
        written_ += floats;
        HostInDisguise::write(to_device, from_host, floats);
    }

    int held() const { return held_; }  // blocks of pinned memory
    size_t written() const { return written_; }

  private:
    bool has_pinned_;
    int held_ = 0;
    size_t written_ = 0;
};

constexpr Shape kSizes{6, 5, 7};

// After judging a right call, what `call` makes of the times.
Row timed(Device& device, const std::function<void(const Problem&)>& call) {
    Problem problem(device, kSizes, 1);
    const Verdict verdict = problem.judge([](const float* A, const float* B, float* C) {
        multiply(A, B, C, kSizes);
        return std::string();
    });
    REQUIRE(verdict.status == Status::ok);
    Row row;
    row.status = Status::ok;
    uint64_t seed = 1;
    time_host_to_host(
        problem, [&] { call(problem); }, device, [&] { return ++seed; }, row);
    return row;
}

void multiply_problem(const Problem& problem) {
    multiply(problem.A(), problem.B(), problem.C(), kSizes);
}

}  // namespace

TEST_CASE("a call is timed between pageable and between pinned memory, the GPU's and the kernels' time apart") {
    GpuInDisguise device(true);
    const Row row = timed(device, multiply_problem);
    CHECK(row.status == Status::ok);
    CHECK(row.message == "");
    for (const CopiedCall& found : {row.pageable, row.pinned}) {
        CHECK(found.total_ms.value() >= 0);
        CHECK(found.gpu_ms == 750.0);
        CHECK(found.kernel_ms == 250.0);
        CHECK(found.cpu_ms.value() >= 0);
    }
    CHECK(device.held() == 0);
}

TEST_CASE("where pinned memory cannot be got the row says so, and has the other times") {
    GpuInDisguise device(false);
    const Row row = timed(device, multiply_problem);
    CHECK(row.pageable.total_ms);
    CHECK(!row.pinned.total_ms);
    CHECK(contains(row.message, "no time with pinned memory"));
    const auto host = make_host_device();
    CHECK(timed(*host, multiply_problem).message == "");  // it has none to begin with
}

TEST_CASE("each call has A and B copied to the device before it") {
    GpuInDisguise device(true);
    size_t calls = 0;
    const Row row = timed(device, [&](const Problem& problem) {
        multiply_problem(problem);
        ++calls;
        CHECK(device.written() == calls * size_t(kSizes.a_elements() + kSizes.b_elements()));
    });
    CHECK(row.status == Status::ok);
}

TEST_CASE("what is wrong behind copies is told") {
    GpuInDisguise device(true);
    int calls = 0;
    const Row row = timed(device, [&](const Problem& problem) {
        multiply_problem(problem);
        if (++calls > 3) problem.C()[0] += 100;
    });
    CHECK(to_string(row.status) == "wrong");
    CHECK(contains(row.message, "right when it was judged, but not behind copies from the host's memory"));
}

TEST_CASE("an emulated row has the whole time and the kernels', and none by a GPU's clock") {
    const TemporaryDirectory directory;
    Job job = judging(compile_library(directory / "x.so", kRightSolve), {kSizes});
    job.device = Target::emulator;
    job.host_to_host = true;
    const Row emulated = work(job).only_row();
    CHECK(to_string(emulated.status) == "ok");
    CHECK(emulated.pageable.total_ms);
    CHECK(emulated.pageable.kernel_ms);
    CHECK(!emulated.pageable.gpu_ms);
    CHECK(!emulated.pinned.total_ms);
}

TEST_CASE("for a profiler the plugin is called, and the exit status says whether it could be") {
    const TemporaryDirectory directory;
    const std::string counts_calls = fmt::format(R"(
        #include <stdio.h>
        extern "C" void solve(const float*, const float*, float*, int M, int N, int K) {{
            FILE* const calls = fopen("{}", "a");
            fprintf(calls, "%d%d%d\n", M, N, K);
            fclose(calls);
        }})",
                                                 (directory / "calls").string());
    Job job = judging(compile_library(directory / "x.so", counts_calls), {kSizes});
    job.kind = Job::Kind::call;
    const auto status = [](const Job& job) {
        return work_in_child(job.key, [&](int) { run_worker(Json(job).dump()); }).status;
    };
    CHECK(status(job) == 0);
    CHECK(read_file(directory / "calls") == "657\n657\n");
    job.operation = Operation::chain;
    job.shapes = {{6, 5, 7, 4}};
    CHECK(WEXITSTATUS(status(job)) == 1);
    job.plugin = directory / "missing.so";
    CHECK(WEXITSTATUS(status(job)) == 1);
}
