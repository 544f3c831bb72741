#include "parent/supervisor.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <optional>
#include <stdexcept>

#include "values/json.h"

namespace judge {

namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

volatile sig_atomic_t interrupt_signal = 0;

struct Pipe {
    Pipe() {
        int ends[2];
        if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error(fmt::format("pipe: {}", std::strerror(errno)));
        read_end = ends[0];
        write_end = ends[1];
        fcntl(read_end, F_SETFL, O_NONBLOCK);
    }
    ~Pipe() {
        close(read_end);
        close_write_end();
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;

    void close_write_end() {
        if (write_end >= 0) close(write_end);
        write_end = -1;
    }

    int read_end;
    int write_end;
};

// Between fork and exec: only calls that are safe there.
[[noreturn]] void become_worker(const Job& job, const Pipe& output, char* const* arguments) {
    setpgid(0, 0);                     // so that it can be killed with whatever it starts
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // and dies with us
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    const int null = open("/dev/null", O_RDONLY);
    dup2(null, STDIN_FILENO);
    dup2(output.write_end, STDOUT_FILENO);
    dup2(output.write_end, STDERR_FILENO);
    // What survives exec besides 0, 1 and 2.
    for (const int fd : {job.channel, job.go, job.copy, job.baseline_copy}) fcntl(fd, F_SETFD, 0);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    execv("/proc/self/exe", arguments);
    _exit(127);
}

// The end of what the plugin printed: all of it is read, so that a plugin that prints megabytes does not block,
// and only the tail is kept.
class Tail {
  public:
    void add(const char* text, size_t size) {
        text_.append(text, size);
        if (text_.size() > 2 * kKept) text_.erase(0, text_.size() - kKept);
    }

    std::string last_line() const {
        const size_t end = text_.find_last_not_of(" \r\n\t");
        if (end == std::string::npos) return {};
        const size_t start = text_.find_last_of('\n', end) + 1;  // npos + 1 is 0
        std::string line = text_.substr(start, end + 1 - start);
        for (char& c : line) {
            if (static_cast<unsigned char>(c) < ' ') c = '?';
        }
        return line.substr(0, 200);
    }

  private:
    static constexpr size_t kKept = 4096;
    std::string text_;
};

std::string signal_name(int number) {
    const char* const name = sigabbrev_np(number);
    return fmt::format("SIG{} ({})", name ? name : std::to_string(number), strsignal(number));
}

std::string describe_exit(int status) {
    if (WIFSIGNALED(status)) return "killed by " + signal_name(WTERMSIG(status));
    return fmt::format("ended the process with exit status {}", WEXITSTATUS(status));
}

// Kills every child of this process, those included that a worker's death has just handed to us, until none is left but
// the worker that is running, if there is one.
void kill_children(pid_t running) {
    for (int attempt = 0; attempt < 100; ++attempt) {
        std::ifstream children(fmt::format("/proc/self/task/{}/children", getpid()));
        bool any = false;
        for (pid_t child = 0; children >> child;) {
            if (child == running) continue;
            any = true;  // its own children, too, are ours once it is dead
            kill(child, SIGKILL);
            waitpid(child, nullptr, WNOHANG);
        }
        if (!any) return;
        usleep(10'000);
    }
}

class WorkerProcess {
  public:
    explicit WorkerProcess(Job job) {
        job.channel = channel_.write_end;
        job.go = go_.read_end;
        std::string program = "compare", flag = "--worker",
                    text = Json(job).dump(-1, ' ', false, Json::error_handler_t::replace);
        std::array<char*, 4> arguments = {program.data(), flag.data(), text.data(), nullptr};
        pid_ = fork();
        if (pid_ < 0) throw std::runtime_error(fmt::format("fork: {}", std::strerror(errno)));
        if (pid_ == 0) become_worker(job, output_, arguments.data());
        setpgid(pid_, pid_);  // here too: whoever comes first
        channel_.close_write_end();
        output_.close_write_end();
        running = pid_;
    }

    ~WorkerProcess() {
        if (running == pid_) running = -1;
        kill(-pid_, SIGKILL);
        // A process that waits for a GPU dies when the driver lets go of it, or never.
        for (int ms = 0; !try_reap() && ms < 20'000; ++ms) usleep(1000);
        if (!reaped_) fmt::print(stderr, "compare: process {} does not die; its GPU may be unusable\n", pid_);
        kill_children(running);
    }

    // The device is free.
    void go() { go_.close_write_end(); }

    Ending listen(double timeout_s, const Listener& listener) {
        const auto allowed = std::chrono::duration_cast<Clock::duration>(Seconds(timeout_s));
        Clock::time_point deadline = Clock::now() + allowed;
        while (true) {
            const bool ended = try_reap();  // before reading, so that what it wrote last is not missed
            const bool heard = drain(listener);
            if (done_) return {Ending::Kind::done, {}};
            if (lost_) return {Ending::Kind::lost, {}};
            if (ended) return {Ending::Kind::crashed, with_context(describe_exit(status_))};
            if (interrupted()) return {Ending::Kind::interrupted, {}};
            if (heard) deadline = Clock::now() + allowed;
            if (Clock::now() > deadline) {
                return {Ending::Kind::timed_out,
                        with_context(fmt::format("no answer within {:g} s", timeout_s)) + " (--timeout allows more)"};
            }
            // The tick bounds how long a death goes unnoticed while a grandchild holds the pipes open.
            pollfd ends[] = {{channel_.read_end, POLLIN, 0}, {output_.read_end, POLLIN, 0}};
            poll(ends, 2, 20);
            if ((ends[0].revents | ends[1].revents) & POLLHUP) usleep(1000);  // closed by a plugin: do not spin
        }
    }

  private:
    bool try_reap() {
        if (!reaped_) reaped_ = waitpid(pid_, &status_, WNOHANG) == pid_;
        return reaped_;
    }

    // Reads what there is; true if a message came.
    bool drain(const Listener& listener) {
        char buffer[65536];
        ssize_t count;
        while ((count = read(output_.read_end, buffer, sizeof(buffer))) > 0) tail_.add(buffer, count);
        bool heard = false;
        while ((count = read(channel_.read_end, buffer, sizeof(buffer))) > 0) pending_.append(buffer, count);
        for (size_t end; (end = pending_.find('\n')) != std::string::npos; pending_.erase(0, end + 1)) {
            heard |= take(pending_.substr(0, end), listener);
        }
        return heard;
    }

    // A line that is no message of ours is a plugin writing to our descriptor: it says nothing.
    bool take(const std::string& line, const Listener& listener) {
        const std::optional<Message> message = parse_message(line);
        if (!message) return false;
        if (const auto* phase = std::get_if<Phase>(&*message)) phase_ = phase->text;
        done_ |= kind_of(*message) == MessageKind::done;
        lost_ |= kind_of(*message) == MessageKind::lost;
        listener(*message);
        return true;
    }

    std::string with_context(const std::string& what) const {
        const std::string line = tail_.last_line();
        return fmt::format("{} while {}{}", what, phase_, line.empty() ? "" : fmt::format("; it printed: {}", line));
    }

    static inline pid_t running = -1;  // of the worker that was started last

    Pipe channel_, output_, go_;
    pid_t pid_ = -1;
    int status_ = 0;
    bool reaped_ = false, done_ = false, lost_ = false;
    std::string pending_, phase_ = "starting";
    Tail tail_;
};

// The last worker that was done. Its process takes 0.1 s to end, which the driver needs for what it had of a GPU; the
// next one loads its libraries meanwhile.
std::unique_ptr<WorkerProcess> leaving;

}  // namespace

Ending run_job(Job job, double timeout_s, const Listener& listen) {
    auto worker = std::make_unique<WorkerProcess>(std::move(job));
    leaving.reset();
    worker->go();
    Ending ending = worker->listen(timeout_s, listen);
    if (ending.kind == Ending::Kind::done) leaving = std::move(worker);
    return ending;
}

void reap_last_worker() {
    leaving.reset();
}

void start_supervising() {
    // What the environment may not decide: whether cuBLAS's FP32 is FP32, and whether OpenBLAS's idle threads, which
    // spin for 2^26 cycles by default, hold the cores while the plugin it is raced against runs (20_packed at 1024 went
    // from 0.78 of OpenBLAS to 0.98 without them). 4 is the least, 2^4 cycles; its own time stays the same.
    unsetenv("NVIDIA_TF32_OVERRIDE");
    setenv("OPENBLAS_THREAD_TIMEOUT", "4", 1);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    struct sigaction action {};
    action.sa_handler = [](int number) { interrupt_signal = number; };
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaction(number, &action, nullptr);
}

bool interrupted() {
    return interrupt_signal != 0;
}

}  // namespace judge
