#include "host/worker/worker.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/checks/bound.h"
#include "host/values/job.h"
#include "host/values/message.h"
#include "tests/catch.h"
#include "tests/unit/files.h"
#include "tests/unit/text.h"

using namespace judge;
using namespace unit;

namespace {

constexpr const char* kRightSolve = R"(
    extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
        for (int i = 0; i < M; ++i) {
            for (int k = 0; k < K; ++k) C[i * K + k] = 0;
            for (int n = 0; n < N; ++n) {
                for (int k = 0; k < K; ++k) C[i * K + k] += A[i * N + n] * B[n * K + k];
            }
        }
    })";

struct Outcome {
    std::vector<Message> messages;
    int status = 0;  // as waitpid has it

    template <class Kind>
    std::vector<Kind> all() const {
        std::vector<Kind> found;
        for (const Message& message : messages) {
            if (const auto* const one = std::get_if<Kind>(&message)) found.push_back(*one);
        }
        return found;
    }
    Row only_row() const {
        const auto rows = all<Row>();
        REQUIRE(rows.size() == 1);
        return rows[0];
    }
    bool done() const { return !messages.empty() && kind_of(messages.back()) == MessageKind::done; }
};

// Does the job in a child of this process.
Outcome work(Job job) {
    int channel[2];
    REQUIRE(pipe(channel) == 0);
    job.channel = channel[1];
    const std::string text = Json(job).dump();
    std::fflush(nullptr);
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        const int null = open("/dev/null", O_WRONLY);
        dup2(null, STDOUT_FILENO);
        dup2(null, STDERR_FILENO);
        close(channel[0]);
        run_worker(text);
        _exit(99);
    }
    close(channel[1]);
    std::string received;
    char buffer[4096];
    for (ssize_t count; (count = read(channel[0], buffer, sizeof(buffer))) > 0;) received.append(buffer, size_t(count));
    close(channel[0]);
    Outcome outcome;
    waitpid(child, &outcome.status, 0);
    for (const std::string& line : lines_of(received)) {
        if (!line.empty()) outcome.messages.push_back(parse_message(line, job.key).value());
    }
    return outcome;
}

Job judging(const fs::path& plugin, const std::vector<Shape>& shapes) {
    Job job;
    job.kind = Job::Kind::judge;
    job.plugin = plugin;
    job.device = Target::cpu;
    job.shapes = shapes;
    job.seed = 3;
    job.check_only = true;
    return job;
}

}  // namespace

TEST_CASE("a worker loads its plugin, and waits until it may touch the device") {
    const TemporaryDirectory directory;
    int channel[2], go[2];
    REQUIRE(pipe(channel) == 0);
    REQUIRE(pipe(go) == 0);
    Job job = judging(compile_library(directory / "10_right.so", kRightSolve), {{2, 3, 4}});
    job.channel = channel[1];
    job.go = go[0];
    std::fflush(nullptr);
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        close(channel[0]);
        close(go[1]);
        run_worker(Json(job).dump());
    }
    close(channel[1]);
    const auto heard_within = [&](int ms) {  // of the message before
        std::string received;
        char buffer[4096];
        for (pollfd end{channel[0], POLLIN, 0}; poll(&end, 1, ms) > 0;) {
            const ssize_t count = read(channel[0], buffer, sizeof(buffer));
            if (count <= 0) break;
            received.append(buffer, size_t(count));
        }
        return received;
    };
    const std::string before = heard_within(300);
    CHECK(before.find("loading") != std::string::npos);
    CHECK(before.find("starting") == std::string::npos);
    close(go[1]);
    const std::string after = heard_within(20'000);
    CHECK(after.find("starting the device") != std::string::npos);
    CHECK(after.find("done") != std::string::npos);
    waitpid(child, nullptr, 0);
    for (const int end : {channel[0], go[0]}) close(end);
}

TEST_CASE("a worker judges a plugin at each shape, says what it does, and is done") {
    const TemporaryDirectory directory;
    const auto plugin = compile_library(directory / "10_right.so", kRightSolve);
    const Outcome outcome = work(judging(plugin, {{5, 6, 7}, {0, 3, 2}}));
    CHECK(outcome.done());
    CHECK(outcome.status == 0);
    const auto rows = outcome.all<Row>();
    REQUIRE(rows.size() == 2);
    const Row row = rows[0];
    CHECK(row.plugin == "10_right");
    CHECK(row.path == plugin.string());
    CHECK(row.device == Target::cpu);
    CHECK(row.arithmetic == "FP32");
    CHECK(row.shape == "5x6x7");
    CHECK(to_string(row.status) == "ok");
    CHECK(row.message == "");
    CHECK(row.rho);
    CHECK(row.max_error);
    CHECK(row.bound == 6.0);
    CHECK(row.precision == "FP32");
    CHECK(row.evidence.at("input_bits") == 24);
    CHECK(row.deterministic == true);
    CHECK(row.allclose == true);
    CHECK(row.normwise.value() < 1e-6);
    CHECK(row.time_ms.empty());
    CHECK(!row.median_ms);
    CHECK(rows[1].shape == "0x3x2");
    CHECK(to_string(rows[1].status) == "ok");
    CHECK(!rows[1].rho);

    std::vector<std::string> phases;
    std::vector<Activity> activities;
    for (const Phase& phase : outcome.all<Phase>()) {
        phases.push_back(phase.text);
        activities.push_back(phase.activity);
    }
    CHECK(
        (activities == std::vector{Activity::loading, Activity::starting_device, Activity::checking, Activity::checking,
                                   Activity::checking, Activity::checking, Activity::checking, Activity::checking}));
    CHECK(phases == std::vector<std::string>{"loading", "starting the device", "checking 5x6x7", "repeating 5x6x7",
                                             "measuring the precision", "looking for leaks", "checking 0x3x2",
                                             "repeating 0x3x2"});
}

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
    CHECK(ended.at(0).seconds == Approx(1e-3 * row.time_ms[0] * row.loops));
}

TEST_CASE("a worker times a quick job less often than a normal one") {
    const TemporaryDirectory directory;
    Job job = judging(compile_library(directory / "10_right.so", kRightSolve), {{32, 32, 32}});
    job.check_only = false;
    const size_t normal = work(job).only_row().cold_ms.size();
    job.effort = Effort::quick;
    CHECK(work(job).only_row().cold_ms.size() < normal);
}

TEST_CASE("a first call that takes long does not tell how many calls fill a batch") {
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

TEST_CASE("a baseline that does not load leaves the plugin timed alone") {
    const TemporaryDirectory directory;
    Job job = judging(compile_library(directory / "10_right.so", kRightSolve), {{32, 32, 32}});
    job.baseline = directory / "missing.so";
    job.check_only = false;
    const Row row = work(job).only_row();
    CHECK(!row.time_ms.empty());
    CHECK(row.baseline_ms.empty());
    CHECK(row.baseline == "");
    CHECK(!row.ratio);
}

TEST_CASE("an emulated plugin, an empty product and a wrong plugin are not timed") {
    const TemporaryDirectory directory;
    Job job = judging(compile_library(directory / "right.so", kRightSolve), {{4, 4, 4}});
    job.check_only = false;
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

TEST_CASE("a plugin's claim of TF32 is in the row, and in its bound") {
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

TEST_CASE("a plugin that does not load is one row without a shape") {
    const TemporaryDirectory directory;
    const Outcome outcome = work(judging(directory / "missing.so", {{1, 1, 1}, {2, 2, 2}}));
    CHECK(outcome.done());
    const Row row = outcome.only_row();
    CHECK(to_string(row.status) == "load-error");
    CHECK(row.plugin == "missing");
    CHECK(row.shape == "");
    CHECK(contains(row.message, "missing.so"));
}

TEST_CASE("a plugin of the second operator alone is unsupported") {
    const TemporaryDirectory directory;
    const auto plugin = compile_library(directory / "x.so", "extern \"C\" void solve_chain() {}");
    const Row row = work(judging(plugin, {{1, 1, 1}})).only_row();
    CHECK(to_string(row.status) == "unsupported");
    CHECK(contains(row.message, "solve_chain"));
}

TEST_CASE("matrices that do not fit are unsupported at their shape, and the next shape is judged") {
    const TemporaryDirectory directory;
    const auto plugin = compile_library(directory / "x.so", kRightSolve);
    const Outcome outcome = work(judging(plugin, {{2147483647, 2147483647, 1}, {2, 2, 2}}));
    const auto rows = outcome.all<Row>();
    REQUIRE(rows.size() == 2);
    CHECK(to_string(rows[0].status) == "unsupported");
    CHECK(contains(rows[0].message, "GiB of memory: take a smaller --shape"));
    CHECK(to_string(rows[1].status) == "ok");
}

namespace {

// Lets the process have 40 MB more than there is now, or as much as there is.
constexpr const char* kLimitMemory = R"(
    #include <sys/resource.h>
    #include <unistd.h>
    #include <fstream>
    static void limit_memory(bool limited) {
        rlimit limit;
        getrlimit(RLIMIT_AS, &limit);
        rlim_t pages = 0;
        std::ifstream("/proc/self/statm") >> pages;
        limit.rlim_cur = limited ? pages * sysconf(_SC_PAGESIZE) + 40'000'000 : limit.rlim_max;
        setrlimit(RLIMIT_AS, &limit);
    })";

constexpr const char* kNoMemory =
    "the judge itself failed, not the plugin: it could not get the memory that it needs: take a smaller --shape, or "
    "end other programs";

}  // namespace

TEST_CASE("memory that the judge cannot get for its reference is its own failure, and the next shape is judged") {
    const TemporaryDirectory directory;
    const std::string source = kRightSolve;
    const auto plugin = compile_library(
        directory / "x.so", kLimitMemory + std::string(source).insert(source.rfind('}'), "limit_memory(K > 1000);"));
    for (const int rows_of_a : {1, 2}) {  // the second row is for another thread of the judge
        // The FP64 sums of a row take 128 MB: more than malloc keeps in reserve for a thread (64 MiB).
        const Outcome outcome = work(judging(plugin, {{rows_of_a, 1, 16'000'000}, {2, 2, 2}}));
        CHECK(outcome.done());
        const auto rows = outcome.all<Row>();
        REQUIRE(rows.size() == 2);
        CHECK(to_string(rows[0].status) == "judge-failed");
        CHECK(rows[0].message == kNoMemory);
        CHECK(to_string(rows[1].status) == "ok");
    }
}

TEST_CASE("memory that the judge cannot get before the first shape is one row without a shape") {
    const TemporaryDirectory directory;
    // The judge copies the environment, to see what of it has changed.
    Job job = judging(compile_library(directory / "x.so", kLimitMemory + std::string(kRightSolve) + R"(
        #include <cstdlib>
        #include <string>
        __attribute__((constructor)) static void load() {
            static std::string variable = "LARGE=" + std::string(100'000'000, 'x');
            putenv(variable.data());
            limit_memory(true);
        })"),
                      {{1, 1, 1}, {2, 2, 2}});
    const Outcome judged = work(job);
    CHECK(judged.done());
    const Row row = judged.only_row();
    CHECK(to_string(row.status) == "judge-failed");
    CHECK(row.shape == "");
    CHECK(row.message == kNoMemory);
}

TEST_CASE("a plugin that ends the process leaves a worker that was never done, whatever its exit status") {
    const TemporaryDirectory directory;
    const auto ending = [&](const char* name, const std::string& body) {
        return work(judging(
            compile_library(
                directory / name,
                "#include <cstdlib>\n#include <new>\n#include <stdexcept>\nextern \"C\" void solve() {" + body + "}"),
            {{2, 2, 2}}));
    };
    const Outcome clean_exit = ending("a.so", "std::_Exit(0);");
    CHECK(clean_exit.status == 0);
    CHECK(!clean_exit.done());
    CHECK(clean_exit.all<Row>().empty());
    int number = 0;
    for (const char* thrown : {"7", "std::bad_alloc()", "std::runtime_error(\"x\")"}) {
        CAPTURE(thrown);
        const Outcome exception =
            ending(("b" + std::to_string(++number) + ".so").c_str(), "throw " + std::string(thrown) + ";");
        CHECK(WIFSIGNALED(exception.status));
        CHECK(!exception.done());
        CHECK(exception.all<Row>().empty());
    }
}

TEST_CASE("an inspection tells what the plugin says of itself, or why it does not load") {
    const TemporaryDirectory directory;
    Job job;
    job.kind = Job::Kind::inspect;
    job.plugin = compile_library(directory / "x.so", kEmptySolve);
    const Outcome outcome = work(job);
    CHECK(outcome.done());
    REQUIRE(outcome.all<PluginInfo>().size() == 1);
    CHECK(outcome.all<PluginInfo>()[0].name == "x");

    job.plugin = directory / "missing.so";
    const Outcome failed = work(job);
    CHECK(failed.done());
    REQUIRE(failed.all<PluginInfo>().size() == 1);
    CHECK(contains(failed.all<PluginInfo>()[0].problem, "missing.so"));
}

TEST_CASE("a plugin's text that is not UTF-8 does not keep its row from being sent") {
    const TemporaryDirectory directory;
    const auto plugin = compile_library(directory / "x.so", std::string(kRightSolve) + R"(
        extern "C" const char* solve_last_error() { return "caf\xe9"; })");
    const Outcome outcome = work(judging(plugin, {{2, 2, 2}}));
    CHECK(outcome.done());
    CHECK(to_string(outcome.only_row().status) == "suspicious");
    CHECK(contains(outcome.only_row().message, "caf"));
}

TEST_CASE("a probe answers with the GPU or with the reason why there is none") {
    Job job;
    const Outcome outcome = work(job);
    CHECK(outcome.done());
    const auto answers = outcome.all<GpuInfo>();
    REQUIRE(answers.size() == 1);
    CHECK(answers[0].problem.empty() == !answers[0].name.empty());
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
    Job job =
        judging(compile_library(directory / "x.so",
                                std::string("static int calls = 0;") +
                                    std::string(source).insert(source.find("for ("), "if (++calls > 1000) return;\n")),
                {{8, 8, 8}});
    job.check_only = false;
    const Row row = work(job).only_row();
    CHECK(to_string(row.status) == "not-written");
    CHECK(contains(row.message, "not when it was timed"));
    CHECK(row.unwritten_elements == 64);
    CHECK(row.precision == "FP32");  // measured before
    CHECK(row.time_ms.empty());
}

TEST_CASE("the data of a job fill new inputs and those of the race, too") {
    const TemporaryDirectory directory;
    // Right for M = 5 only where A is positive. The precision is measured on other sizes, and data of its own.
    Job job = judging(compile_library(directory / "x.so", R"(
        extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
            for (int i = 0; i < M; ++i) {
                for (int k = 0; k < K; ++k) {
                    float sum = 0;
                    for (int n = 0; n < N; ++n) {
                        const float a = A[i * N + n];
                        sum += (M == 5 && a < 0 ? -a : a) * B[n * K + k];
                    }
                    C[i * K + k] = sum;
                }
            }
        })"),
                      {{5, 6, 7}});
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
    const auto plugin =
        compile_library(directory / "x.so", "#include <cstdio>\n" + std::string(kRightSolve) + logged + R"(
        extern "C" int solve_enqueue() {
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

TEST_CASE("rows of zeros in A are tried at every shape, with little effort at the first, for the class of them all") {
    const TemporaryDirectory directory;
    // Adds 1 to the last of a row of zeros where M is the number of its file. The probes have other sizes.
    const auto class_where_adding_at = [&](const char* M, Effort effort) {
        const std::string source = kRightSolve;
        Job job = judging(
            compile_library(directory / (std::string(M) + ".so"), std::string(source).insert(source.rfind('}'), R"(
                float sum = 0;
                for (int n = 0; n < N; ++n) sum += A[M * N - 1 - n] < 0 ? -A[M * N - 1 - n] : A[M * N - 1 - n];
                if (M == )" + std::string(M) + " && sum == 0) C[M * K - 1] = 1;")),
            {{5, 6, 7}, {8, 6, 7}});
        job.effort = effort;
        std::string classes;
        for (const Row& row : work(job).all<Row>()) classes += row.precision + " ";
        return classes;
    };
    CHECK(class_where_adding_at("5", Effort::normal) == "normwise-only FP32 ");
    CHECK(class_where_adding_at("5", Effort::quick) == "normwise-only normwise-only ");
    CHECK(class_where_adding_at("8", Effort::normal) == "FP32 normwise-only ");
    CHECK(class_where_adding_at("8", Effort::quick) == "FP32 FP32 ");
}

TEST_CASE("the rounding that any of the calls at a shape changed is noted, that of another shape not") {
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

TEST_CASE("what loading a plugin changes is noted") {
    const TemporaryDirectory directory;
    const auto plugin = compile_library(directory / "x.so", std::string(kRightSolve) + R"(
        #include <stdlib.h>
        __attribute__((constructor)) static void load() { setenv("SET_WHILE_LOADING", "1", 1); })");
    const Row row = work(judging(plugin, {{5, 6, 7}})).only_row();
    CHECK(to_string(row.status) == "ok");
    CHECK(row.message == "loading it changes the environment variable SET_WHILE_LOADING (now 1)");
}
