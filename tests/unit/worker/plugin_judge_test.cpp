#include "host/worker/plugin_judge.h"

#include <algorithm>
#include <cstdlib>

#include "host/checks/bound.h"
#include "host/device/device.h"
#include "host/library/plugin.h"
#include "host/values/json.h"
#include "host/worker/channel.h"
#include "tests/unit/worker/work.h"

using namespace judge;
using namespace unit;

TEST_CASE("a worker times a right plugin, beside the baseline") {
    const TemporaryDirectory directory;
    Job job = judging(compile_library(directory / "10_right.so", kRightSolve), {{32, 32, 32}});
    job.baseline = compile_library(directory / "90_other.so", kRightSolve);
    job.check_only = false;
    const Outcome outcome = work(job);
    CHECK(outcome.done());
    CHECK(outcome.all<Phase>().back().activity == Activity::timing);
    const Row row = outcome.only_row();
    CHECK(row.time_ms.size() >= 2);
    CHECK(row.baseline_ms.size() == row.time_ms.size());
    CHECK(row.cold_ms.size() >= 2);
    CHECK(row.baseline_cold_ms.size() == row.cold_ms.size());
    CHECK(row.baseline == "90_other");
    CHECK(row.loops >= 1);
    CHECK(row.waits);
    REQUIRE(row.median_ms);
    CHECK(*row.median_ms > 0);
    CHECK(row.tflops.value() == Approx(2.0 * 32 * 32 * 32 / (*row.median_ms * 1e9)));
    CHECK(row.mean_ms);
    CHECK(row.deviation_ms);
    CHECK(row.ratio.value() > 0);
    CHECK(outcome.all<BatchBegins>().size() == 2 * row.time_ms.size());
    const auto ended = outcome.all<BatchEnded>();
    CHECK(ended.size() == 2 * row.time_ms.size());
    // A batch has as many calls as fill it, or up to a quarter fewer.
    const double filled = 1e-3 * row.time_ms[0] * row.loops, seconds = ended.at(0).seconds;
    CHECK(seconds <= filled * 1.0001);
    CHECK(seconds >= filled * 0.7499);
}

TEST_CASE("a worker times a quick job less often than a normal one", "[heavy]") {
    const TemporaryDirectory directory;
    Job job = judging(compile_library(directory / "10_right.so", kRightSolve), {{32, 32, 32}});
    job.check_only = false;
    const size_t normal = work(job).only_row().cold_ms.size();
    job.effort = Effort::quick;
    CHECK(work(job).only_row().cold_ms.size() < normal);
}

TEST_CASE("a first call that takes long does not tell how many calls fill a batch", "[heavy]") {
    const TemporaryDirectory directory;
    const auto plugin = compile_library(directory / "10_starts_slowly.so", R"(
        #include <unistd.h>
        extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
            static const int slept = usleep(200'000);
            for (int i = 0; i < M; ++i) {
                for (int k = 0; k < K; ++k) {
                    float sum = slept;
                    for (int n = 0; n < N; ++n) sum += A[i * N + n] * B[n * K + k];
                    C[i * K + k] = sum;
                }
            }
        })");
    Job job = judging(plugin, {{5, 6, 7}});
    job.check_only = false;
    job.effort = Effort::quick;
    // A worker that is interrupted in its shortest batches takes them for long ones.
    int loops = 0;
    for (int attempt = 0; attempt < 5 && loops <= 100; ++attempt) {
        const Row row = work(job).only_row();
        CHECK(*row.first_ms > 199);
        loops = row.loops;
    }
    CHECK(loops > 100);
}

TEST_CASE("an emulated plugin, an empty product, a wrong plugin and a shape to check only are not timed") {
    const TemporaryDirectory directory;
    Job job = judging(compile_library(directory / "right.so", kRightSolve), {{4, 4, 4}});
    job.check_only = false;
    job.untimed = job.shapes;
    CHECK(work(job).only_row().time_ms.empty());
    job.untimed = {{4, 4, 5}};
    CHECK(!work(job).only_row().time_ms.empty());
    job.device = Target::emulator;
    const Row emulated = work(job).only_row();
    CHECK(to_string(emulated.status) == "ok");
    CHECK(emulated.time_ms.empty());

    job.device = Target::cpu;
    job.shapes = {{4, 0, 4}};
    CHECK(work(job).only_row().time_ms.empty());

    job.plugin = compile_library(directory / "empty.so", kEmptySolve);
    job.shapes = {{4, 4, 4}};
    const Row unwritten = work(job).only_row();
    CHECK(to_string(unwritten.status) == "not-written");
    CHECK(unwritten.unwritten_elements == 16);
    CHECK(unwritten.time_ms.empty());
    CHECK(!unwritten.rho);
}

TEST_CASE("what writes nothing is unsupported if both of its entries say so for one reason, and else not written") {
    const TemporaryDirectory directory;
    const auto status_where = [&](const std::string& of_solve, const std::string& of_gemm) {
        const std::string code =
            "static const char* why = nullptr; extern \"C\" {\n"
            "const char* solve_last_error() { return why; }\n"
            "void solve(const float*, const float*, float*, int, int, int) { why = " +
            of_solve + "; }\nint solve_gemm(const void*) { why = " + of_gemm + "; return 2; }\n}";
        return to_string(work(judging(compile_library(directory / "x.so", code), {{4, 4, 4}})).only_row().status);
    };
    static_assert(SOLVE_UNSUPPORTED == 2);
    CHECK(status_where("\"no library\"", "\"no library\"") == "unsupported");
    CHECK(status_where("nullptr", "nullptr") == "not-written");  // solve fails, and solve_gemm is a stub
    CHECK(status_where("nullptr", "\"not yet\"") == "not-written");
    CHECK(status_where("\"launch failed\"", "\"not yet\"") == "not-written");
}

TEST_CASE("a plugin's claim of TF32 is in the row, and in its bound", "[heavy]") {
    const TemporaryDirectory directory;
    const auto plugin = compile_library(directory / "x.so", std::string(kRightSolve) + R"(
        struct Info {
            unsigned size, version;
            const char *name, *summary, *source;
            unsigned memory, arithmetic, rest[3];
        };
        extern "C" const Info* solve_info() {
            static const Info info = {sizeof(Info), 1, 0, "", "", 2, 3, {0, 1, 0}};
            return &info;
        })");
    const Row row = work(judging(plugin, {{4, 16, 4}})).only_row();
    CHECK(row.arithmetic == "TF32");
    CHECK(row.bound == rho_bound(16, SOLVE_ARITHMETIC_TF32));
}

TEST_CASE("a result that is remembered is wrong, whether it is timed or not") {
    const TemporaryDirectory directory;
    Job job = judging(compile_library(directory / "x.so", std::string("#include <cstring>\n") + R"(
        static float first[64];
        static bool filled = false;
        static void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
            for (int i = 0; i < M * K; ++i) C[i] = 0;
            for (int i = 0; i < M; ++i)
                for (int n = 0; n < N; ++n)
                    for (int k = 0; k < K; ++k) C[i * K + k] += A[i * N + n] * B[n * K + k];
        }
        extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
            if (!filled) multiply(A, B, first, M, N, K);
            filled = true;
            std::memcpy(C, first, sizeof(float) * M * K);
        })"),
                      {{8, 8, 8}});
    for (const bool check_only : {true, false}) {
        job.check_only = check_only;
        const Row row = work(job).only_row();
        CHECK(to_string(row.status) == "wrong");
        CHECK(contains(row.message, "not on new inputs"));
        CHECK(row.wrong_elements > 32);
        CHECK(row.time_ms.empty());
    }
}

TEST_CASE("a plugin that stops writing when it is timed is not written, and what is counted is that") {
    const TemporaryDirectory directory;
    const std::string source = kRightSolve;
    // Of this shape only: on a busy machine the checks at other shapes may take more than 1000 calls. And from a call
    // on that finds C unwritten, NaN: within a batch C is as the call before left it, which is wrong, not unwritten.
    const std::string stop =
        "stops = stops || (M == 8 && N == 8 && K == 8 && ++calls > 1000 && C[0] != C[0]);\nif (stops) return;\n";
    Job job =
        judging(compile_library(directory / "x.so", std::string("static int calls = 0; static bool stops = false;") +
                                                        std::string(source).insert(source.find("for ("), stop)),
                {{8, 8, 8}});
    job.check_only = false;
    const Row row = work(job).only_row();
    CHECK(to_string(row.status) == "not-written");
    CHECK(contains(row.message, "not when it was timed"));
    CHECK(row.unwritten_elements == 64);
    CHECK(row.precision == "FP32");  // measured before
    CHECK(row.time_ms.empty());
}

TEST_CASE("the data of a job fill new inputs and those of the race, too", "[heavy]") {
    const TemporaryDirectory directory;
    // Right for M = 11 only where A is positive. The precision is measured on other sizes, and data of its own.
    Job job = judging(compile_library(directory / "x.so", R"(
        extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
            for (int i = 0; i < M; ++i) {
                for (int k = 0; k < K; ++k) {
                    float sum = 0;
                    for (int n = 0; n < N; ++n) {
                        const float a = A[i * N + n];
                        sum += (M == 11 && a < 0 ? -a : a) * B[n * K + k];
                    }
                    C[i * K + k] = sum;
                }
            }
        })"),
                      {{11, 6, 7}});
    for (const bool check_only : {true, false}) {
        job.check_only = check_only;
        job.data = Data::positive;
        const Row positive = work(job).only_row();
        CAPTURE(positive.message);
        CHECK(to_string(positive.status) == "ok");
        CHECK(positive.precision == "FP32");
        job.data = Data::uniform;
        CHECK(to_string(work(job).only_row().status) == "wrong");
    }
}

TEST_CASE("a plugin that leaks is suspicious, and one that changes its process is ok with a note") {
    const TemporaryDirectory directory;
    const auto spoiled = [&](const char* name, const std::string& body) {
        const std::string source = std::string(kRightSolve);
        const std::string renamed = std::string(source).replace(source.find("void solve("), 11, "void multiply(");
        return work(judging(
                        compile_library(directory / name, "#include <cstdlib>\n#include <sys/stat.h>\n" + renamed + R"(
            extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
                multiply(A, B, C, M, N, K);)" + body + "}"),
                        {{5, 6, 7}}))
            .only_row();
    };
    const Row leak = spoiled("a.so", "static void* volatile kept; kept = std::malloc(50000);");
    CHECK(to_string(leak.status) == "suspicious");
    CHECK(contains(leak.message, "C is right, but each call leaks 500"));
    const Row change = spoiled("b.so", "umask(0123);");
    CHECK(to_string(change.status) == "ok");
    CHECK(contains(change.message, "it changes the umask ("));
}

TEST_CASE("solve_enqueue is called at the first shape that is right, and what is wrong with it goes with every one") {
    const TemporaryDirectory directory;
    const fs::path log = directory / "log";
    const std::string logged = "\nstatic const char* const kLog = \"" + log.string() + "\";";
    const auto plugin = compile_library(
        directory / "x.so", "#include <cstdio>\n#include <unistd.h>\n" + std::string(kRightSolve) + logged + R"(
        static const pid_t kProcess = getpid();
        extern "C" int solve_enqueue() {
            if (getpid() != kProcess) return 1;  // a copy of it
            std::FILE* const log = std::fopen(kLog, "a");
            std::fputc('x', log);
            std::fclose(log);
            return 1;
        })");
    const auto rows = work(judging(plugin, {{5, 6, 7}, {7, 6, 5}})).all<Row>();
    CHECK(fs::file_size(log) == 1);
    REQUIRE(rows.size() == 2);
    for (const Row& row : rows) {
        CHECK(to_string(row.status) == "wrong");
        CHECK(contains(row.message, "solve is right, but solve_enqueue"));
    }
}

TEST_CASE("an exact product is tried at every shape, and its class holds for that shape", "[heavy]") {
    const TemporaryDirectory directory;
    // Changes C where M is the number of its file. The probes have other sizes.
    const auto rows_where_spoiling_at = [&](const char* M, const std::string& spoil, Effort effort) {
        const std::string source = kRightSolve;
        Job job = judging(compile_library(directory / (std::string(M) + spoil.substr(0, 1) + ".so"),
                                          std::string(source).insert(source.rfind('}'), R"(
                                              for (int i = 0; i < M && M == )" + std::string(M) +
                                                                                            "; ++i) {" + spoil + "}")),
                          {{17, 6, 7}, {25, 6, 7}});
        job.effort = effort;
        return work(job).all<Row>();
    };
    const auto classes = [](const std::vector<Row>& rows) {
        std::string text;
        for (const Row& row : rows)
            text += row.precision + ", by " + row.evidence->at("decided_by").get<std::string>() + "; ";
        return text;
    };
    // Of rows of zeros, as a method does that adds rows of A up.
    const std::string into_zeros = R"(
        float sum = 0;
        for (int n = 0; n < N; ++n) sum += A[i * N + n] < 0 ? -A[i * N + n] : A[i * N + n];
        if (sum == 0) C[i * K] = 1;)";
    for (const Effort effort : {Effort::normal, Effort::quick}) {
        CHECK(classes(rows_where_spoiling_at("17", into_zeros, effort)) ==
              "normwise-only, by shape; FP32, by probes; ");
        CHECK(classes(rows_where_spoiling_at("25", into_zeros, effort)) ==
              "FP32, by probes; normwise-only, by shape; ");
    }
    // Off by one, of 10^6: nothing on these data, which are below 1.
    const auto rows = rows_where_spoiling_at("25", "if (C[i * K] > 1000) C[i * K] += 1;", Effort::normal);
    CHECK(classes(rows) == "FP32, by probes; wrong, by shape; ");
    REQUIRE(rows.size() == 2);
    CHECK(to_string(rows[0].status) == "ok");
    CHECK(to_string(rows[1].status) == "wrong");
    CHECK(contains(rows[1].message, "right on these data, but at this shape exact sums of whole numbers are off"));
    CHECK(rows[1].evidence->at("shape").at("lost").get<int>() > 0);
}

TEST_CASE("the rounding that any of the calls at a shape changed is noted, that of another shape not", "[heavy]") {
    const TemporaryDirectory directory;
    const std::string source = kRightSolve;
    const auto plugin =
        compile_library(directory / "x.so",
                        "#include <cfenv>\nstatic int calls = 0;" +
                            std::string(source).insert(source.rfind('}'), "if (++calls == 1) fesetround(FE_UPWARD);"));
    const auto rows = work(judging(plugin, {{5, 6, 7}, {7, 6, 5}})).all<Row>();
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].message == "it changes the rounding (to nearest, now upwards)");
    CHECK(rows[1].message == "");
}

// As `work`, with a device that stands before GPUs which are none.
static Outcome work_before_gpus(const Job& job) {
    return work_in_child(job.key, [&](int channel) {
        const GpusBehind gpus{.fp32_flops = 1e15, .fastest_flops = 1e15, .bytes_in = 1e9, .bytes_out = 0.25e9};
        const Channel sent(channel, job.key);
        const auto device = make_host_device(gpus);
        const Plugin plugin(job.plugin);
        const Surroundings surroundings;
        PluginJudge(job, sent, *device, plugin, nullptr, surroundings).run(job.shapes[0]);
        sent.send(Done{});
        _exit(0);
    });
}

TEST_CASE("a row on all GPUs has the time that PCIe needs and, where it was asked for, the time on one GPU",
          "[heavy]") {
    const TemporaryDirectory directory;
    Job job = judging(compile_library(directory / "x.so", kRightSolve), {{64, 32, 16}});
    job.device = Target::gpus;
    job.check_only = false;
    job.effort = Effort::quick;
    const Row row = work_before_gpus(job).only_row();
    CHECK(to_string(row.status) == "ok");
    CHECK(row.pcie_ms.value() == Approx(1e3 * std::max(4.0 * (64 * 32 + 32 * 16) / 1e9, 4.0 * 64 * 16 / 0.25e9)));
    CHECK(!row.one_gpu_ms);
    job.scaling = true;
    CHECK(work_before_gpus(job).only_row().one_gpu_ms.value() > 0);
    job.device = Target::cpu;
    const Row on_cpu = work(job).only_row();
    CHECK(on_cpu.median_ms);
    CHECK(!on_cpu.pcie_ms);
    CHECK(!on_cpu.one_gpu_ms);
}

TEST_CASE("the time on one GPU is that of SOLVE_GPUS=1: what is wrong then is told", "[heavy]") {
    const TemporaryDirectory directory;
    Job job = judging(compile_library(directory / "x.so", std::string("#include <stdlib.h>\n") + R"(
        extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
            const char* const gpus = getenv("SOLVE_GPUS");
            const float offset = gpus && *gpus == '1' ? 100 : 0;
            for (int i = 0; i < M; ++i) {
                for (int k = 0; k < K; ++k) {
                    float sum = offset;
                    for (int n = 0; n < N; ++n) sum += A[i * N + n] * B[n * K + k];
                    C[i * K + k] = sum;
                }
            }
        })"),
                      {{6, 5, 7}});
    job.device = Target::gpus;
    job.check_only = false;
    job.effort = Effort::quick;
    CHECK(to_string(work_before_gpus(job).only_row().status) == "ok");
    job.scaling = true;
    const Row row = work_before_gpus(job).only_row();
    CHECK(to_string(row.status) == "wrong");
    CHECK(contains(row.message, "with SOLVE_GPUS=1: "));
}

TEST_CASE("what is said of a C that nobody writes to does not blame a launch where there is none to fail unseen") {
    const TemporaryDirectory directory;
    Job job = judging(compile_library(directory / "x.so", kEmptySolve), {{6, 5, 7}});
    for (const Target target : {Target::cpu, Target::emulator}) {
        job.device = target;
        const Row row = work(job).only_row();
        CHECK(to_string(row.status) == "not-written");
        CHECK(contains(row.message, "42 of 42 elements of C not written"));
        CHECK(!contains(row.message, "launch"));
    }
}

TEST_CASE("NaN in the emulator may have been read from shared memory, which the row says") {
    const TemporaryDirectory directory;
    Job job = judging(compile_library(directory / "x.so", R"(
        extern "C" void solve(const float*, const float*, float* C, int M, int, int K) {
            for (int i = 0; i < M * K; ++i) C[i] = __builtin_nanf("");
        })"),
                      {{6, 5, 7}});
    job.device = Target::emulator;
    CHECK(contains(work(job).only_row().message, "is a __syncthreads() missing?"));
    job.device = Target::cpu;
    CHECK(!contains(work(job).only_row().message, "__syncthreads"));
}
