// `compare --watch my.cpp`, driven through pipes: each step waits for the line of the one before.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <vector>

#include "tests/catch.h"
#include "tests/process.h"

namespace {

namespace fs = std::filesystem;

using test::contains;

// With a factor that a header may change.
const std::string kScaledProduct = R"(#include "factor.h"
extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < K; ++j) {
            float sum = 0;
            for (int k = 0; k < N; ++k) sum += A[i * N + k] * B[k * K + j];
            C[i * K + j] = FACTOR * sum;
        }
}
)";

// The process's own, by /proc; empty once it has ended.
std::string command_line(pid_t pid) {
    return test::read_file("/proc/" + std::to_string(pid) + "/cmdline");
}

// The child that was started with this option.
std::optional<pid_t> child_with(const std::string& option, pid_t parent) {
    const std::string process = std::to_string(parent);
    std::istringstream children(test::read_file("/proc/" + process + "/task/" + process + "/children"));
    for (pid_t child = 0; children >> child;) {
        if (contains(command_line(child), option)) return child;
    }
    return std::nullopt;
}

// What stands by while a save is built: a run, and its worker.
struct Standby {
    pid_t run = 0, worker = 0;

    bool is_there() const {
        return contains(command_line(run), "--standby") || contains(command_line(worker), "--worker");
    }
    // Waits for that.
    bool is_gone() const {
        for (int i = 0; i < 12'000 && is_there(); ++i) usleep(10'000);
        return !is_there();
    }
};

class Session {
  public:
    // `held`: the compiler waits until release().
    explicit Session(const std::string& options, bool held = false) {
        fs::create_directory(folder_ / "temporary");
        write("factor.h", "#define FACTOR 1\n");
        write("mine.cpp", kScaledProduct);
        if (held) hold();
        const char* const own = std::getenv("CXX");
        write("compiler", "#!/bin/sh\nwhile [ -e '" + path("held") + "' ]; do sleep 0.02; done\nexec " +
                              std::string(own ? own : "g++") + " \"$@\"\n");
        fs::permissions(folder_ / "compiler", fs::perms::owner_all);
        const std::string compiler = held ? "CXX='" + path("compiler") + "' " : "";
        int in[2], out[2];
        if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
        const std::string command = "cd '" + folder_.path().string() + "' && " + compiler +
                                    "TMPDIR=$PWD/temporary exec '" + test::kCompare + "' --watch mine.cpp " + options +
                                    " 2>messages";
        pid_ = fork();
        if (pid_ == 0) {
            dup2(in[0], STDIN_FILENO);
            dup2(out[1], STDOUT_FILENO);
            execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
            _exit(127);
        }
        close(in[0]);
        close(out[1]);
        keys_ = in[1];
        lines_ = out[0];
    }
    ~Session() {
        if (pid_ > 0) {
            kill(pid_, SIGTERM);
            waitpid(pid_, nullptr, 0);
        }
        close(keys_);
        close(lines_);
    }
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    // As an editor that writes in place, and as one that renames.
    void write(const std::string& file, const std::string& text) const { std::ofstream(folder_ / file) << text; }
    void replace(const std::string& file, const std::string& text) const {
        write(file + ".new", text);
        fs::rename(folder_ / (file + ".new"), folder_ / file);
    }
    void press(char key) const { REQUIRE(::write(keys_, &key, 1) == 1); }
    void end_input() {
        close(keys_);
        keys_ = -1;
    }
    void interrupt() const { kill(pid_, SIGTERM); }
    void hold() const { write("held", ""); }
    void release() const { fs::remove(folder_ / "held"); }

    // That is another one than this, which must be gone once it is there.
    Standby standby_after(const Standby& before) const {
        for (int i = 0; i < 12'000; ++i, usleep(10'000)) {
            const auto run = child_with("--standby", pid_);
            const auto worker = run ? child_with("--worker", *run) : std::nullopt;
            if (worker && *run != before.run) return {*run, *worker};
        }
        throw std::runtime_error("nothing stands by: " + messages());
    }

    // The next one; empty at the end. It is waited for as long as it takes on a busy machine.
    std::string line() const {
        std::string text;
        for (char byte = 0;;) {
            pollfd end{lines_, POLLIN, 0};
            if (poll(&end, 1, 120'000) <= 0) throw std::runtime_error("no line came: " + messages());
            if (read(lines_, &byte, 1) != 1 || byte == '\n') return text;
            text += byte;
        }
    }
    // A machine that others use as well makes times that cannot be true, now and then: hence three tries.
    std::string line_of_a_race() const {
        std::string text = line();
        for (int i = 0; i < 2 && contains(text, "suspicious"); ++i) {
            press('r');
            text = line();
        }
        return text;
    }
    void wait_for(const std::string& file) const {
        for (int i = 0; i < 12'000 && !fs::exists(folder_ / file); ++i) usleep(10'000);
        REQUIRE(fs::exists(folder_ / file));
    }
    void wait_for_message(const std::string& text) const {
        for (int i = 0; i < 12'000 && !contains(messages(), text); ++i) usleep(10'000);
        INFO(messages());
        REQUIRE(contains(messages(), text));
    }
    // What is left of it then is nothing.
    int exit_code() {
        int status = 0;
        waitpid(pid_, &status, 0);
        pid_ = -1;
        CHECK(fs::is_empty(folder_ / "temporary"));
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    std::string messages() const { return test::read_file(folder_ / "messages"); }
    std::string path(const std::string& file) const { return (folder_ / file).string(); }

  private:
    const test::TemporaryDirectory folder_;
    pid_t pid_ = -1;
    int keys_ = -1, lines_ = -1;
};

// It says that it runs, and runs until it is ended.
std::string endless(const Session& session) {
    return "#include <unistd.h>\n#include <cstdio>\n"
           "extern \"C\" void solve(const float*, const float*, float*, int, int, int) {\n"
           "    std::fclose(std::fopen(\"" +
           session.path("runs") + "\", \"w\"));\n    while (true) pause();\n}\n";
}

int occurrences(const std::string& text, const std::string& part) {
    int count = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
    return count;
}

}  // namespace

TEST_CASE(
    "every save of a file or of its header is one line: the verdict, the speed, and the ratio to the save before") {
    Session session("--quick --shape 24 --shape 9x8x7");
    const std::string first = session.line_of_a_race();
    INFO(first);
    CHECK(contains(first, " ✓ FP32 "));
    session.write("mine.cpp", "nothing\n");
    CHECK(contains(session.line(), " ✗ not built"));
    session.replace("mine.cpp", kScaledProduct + "\n");
    const std::string second = session.line_of_a_race();
    INFO(second);
    CHECK(contains(second, " ✓ FP32 "));
    // Time, mark, class, TFLOP/s, ratios to the save before and to the best so far.
    std::istringstream words(second);
    std::vector<std::string> all;
    for (std::string word; words >> word;) all.push_back(word);
    CHECK(all.size() >= 6);
    // The compiler warns when it is built, at this save and at its header's; for keys it is not built again.
    session.write("mine.cpp", "#warning is built\n" + kScaledProduct);
    CHECK(contains(session.line_of_a_race(), " ✓ FP32 "));
    session.press('r');
    CHECK(contains(session.line_of_a_race(), " ✓ FP32 "));
    session.press('s');
    CHECK(contains(session.line_of_a_race(), " ✓ FP32 "));
    session.write("factor.h", "#define FACTOR 2\n");
    CHECK(contains(session.line(), " ✗ wrong"));
    session.press('h');
    session.wait_for("mine.html");
    session.press('q');
    CHECK(session.line() == "");
    CHECK(session.exit_code() == 0);
    const std::string messages = session.messages();
    INFO(messages);
    CHECK(contains(messages, session.path("mine.cpp") + ":1:1: error: "));
    CHECK(!contains(messages, "not built: "));  // once is enough
    CHECK(contains(messages, "x before [95 %]"));
    CHECK(contains(messages, "shape 9x8x7"));
    CHECK(occurrences(messages, "[-Wcpp]") == 2);
    CHECK(contains(messages, "wrote mine.html"));
}

TEST_CASE("of an exercise each save says how much of its step from rung to rung is won", "[heavy]") {
    Session session("--quick --shape 24");
    CHECK(contains(session.line_of_a_race(), " ✓ FP32"));
    session.write("mine.cpp", "// step: from 00_serial to 10_blocked\n" + kScaledProduct);
    CHECK(contains(session.line_of_a_race(), " ✓ FP32"));
    session.wait_for_message("the speed of 00_serial, 10_blocked has ");
    session.write("mine.cpp", "// step: from 00_serial to 11_missing\n" + kScaledProduct);
    CHECK(contains(session.line_of_a_race(), " ✓ FP32"));
    session.wait_for_message("11_missing.so is not there: `make plugins` in ");
    session.press('q');
    CHECK(session.exit_code() == 0);
}

TEST_CASE("a save during a run ends the run, which is stale; the end of the input ends the loop when all is said",
          "[heavy]") {
    Session session("--check-only --shape 9");
    CHECK(contains(session.line(), " ✓ FP32"));
    session.write("mine.cpp", endless(session));
    session.wait_for("runs");
    session.write("mine.cpp", kScaledProduct);
    session.end_input();
    CHECK(contains(session.line(), " ✓ FP32"));
    CHECK(session.line() == "");
    CHECK(session.exit_code() == 0);
}

TEST_CASE("while a save is built a worker stands by, which judges it, and which is gone if there is nothing to judge") {
    Session session("--check-only --shape 9", true);
    const Standby first = session.standby_after({});
    session.write("mine.cpp", "#include <unistd.h>\n#include <fstream>\nstatic const auto& said = std::ofstream(\"" +
                                  session.path("workers") + "\", std::ios::app) << getpid() << std::endl;\n" +
                                  kScaledProduct);
    const Standby second = session.standby_after(first);
    CHECK(!first.is_there());
    session.release();
    CHECK(contains(session.line(), " ✓ FP32"));
    CHECK(second.is_gone());
    const std::string workers = test::read_file(session.path("workers"));
    INFO(workers);
    CHECK(workers.starts_with(std::to_string(second.worker) + "\n"));

    session.hold();
    session.write("mine.cpp", "nothing\n");
    const Standby third = session.standby_after(second);
    session.release();
    CHECK(contains(session.line(), " ✗ not built"));
    CHECK(third.is_gone());

    session.hold();
    session.write("mine.cpp", kScaledProduct);
    const Standby fourth = session.standby_after(third);
    session.interrupt();
    CHECK(session.line() == "");
    CHECK(session.exit_code() == 130);
    CHECK(!fourth.is_there());
}

TEST_CASE("a run or a worker that dies while it stands by costs a line at most", "[heavy]") {
    Session session("--check-only --shape 9");
    CHECK(contains(session.line(), " ✓ FP32"));
    Standby before{};
    session.hold();
    session.write("mine.cpp", kScaledProduct + "\n");
    before = session.standby_after(before);
    kill(before.worker, SIGKILL);
    session.release();
    CHECK(contains(session.line(), " ✓ FP32"));  // another one has judged it

    session.hold();
    session.write("mine.cpp", kScaledProduct);
    before = session.standby_after(before);
    kill(before.run, SIGKILL);
    session.release();
    session.line();  // of the run that could not judge
    session.wait_for_message("no verdict: the run ended without a word");
    session.press('r');
    CHECK(contains(session.line(), " ✓ FP32"));
    session.press('q');
    CHECK(session.line() == "");
    CHECK(session.exit_code() == 0);
}

TEST_CASE("a signal ends the loop, whatever runs", "[heavy]") {
    Session session("--check-only --shape 9");
    CHECK(contains(session.line(), " ✓ FP32"));
    session.write("mine.cpp", endless(session));
    session.wait_for("runs");
    session.interrupt();
    CHECK(session.line() == "");
    CHECK(session.exit_code() == 130);
}

TEST_CASE("the option --watch takes one source, and nothing else") {
    for (const std::string& arguments :
         {std::string("--watch"), "--watch " + test::kBuild, std::string("--watch tests/foreign/plain.cu Makefile"),
          std::string("--watch tests/foreign/plain.cu --json x.json")}) {
        const auto result = test::run(test::kCompare + " " + arguments);
        INFO(arguments << ": " << result.err);
        CHECK(result.exit_code == 1);
        CHECK(contains(result.err, "--watch"));
    }
}
