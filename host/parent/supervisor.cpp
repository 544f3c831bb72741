#include "parent/supervisor.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/clean_text.h"
#include "base/descriptors.h"
#include "base/handover.h"
#include "base/output.h"
#include "values/json.h"

namespace judge {

namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

volatile sig_atomic_t interrupt_signal = 0;

// The process groups of the worker that was started last and of the one before it, which may still be ending; and the
// signal that somebody in the former has sent us.
volatile sig_atomic_t worker_group = -1, earlier_group = -1, worker_signal = 0;

void take_signal(int number, siginfo_t* info, void*) {
    constexpr int kFaults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS};
    const bool own_fault = info->si_code > 0 && std::count(std::begin(kFaults), std::end(kFaults), number) > 0;
    const bool own_signal = info->si_code <= 0 && info->si_pid == getpid();  // an abort, a reader that has gone
    if (own_fault || own_signal) {
        signal(number, SIG_DFL);
        raise(number);  // once this handler has returned
        return;
    }
    const int error = errno;
    const pid_t group = info->si_code <= 0 ? getpgid(info->si_pid) : -1;  // -1: by the terminal, or by who has ended
    if (group < 0 || (group != worker_group && group != earlier_group)) {
        interrupt_signal = number;
    } else if (group == worker_group) {
        worker_signal = number;
    }
    errno = error;
}

int make_pipe(int* ends) {
    return pipe2(ends, O_CLOEXEC);
}

// Open files can be sent through it.
int make_socket(int* ends) {
    return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends);
}

struct Pipe {
    explicit Pipe(int (*make)(int*) = make_pipe) {
        int ends[2];
        if (make(ends) != 0) throw std::runtime_error(fmt::format("pipe: {}", std::strerror(errno)));
        read_end = move_up(ends[0]);
        write_end = move_up(ends[1]);
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
    // What survives exec besides 0, 1 and 2: of this, and nothing that our own parent left open, such as the pipe
    // through which make counts its jobs.
    close_range(3, ~0u, CLOSE_RANGE_CLOEXEC);
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
        return cleaned(text_.substr(start, end + 1 - start), 200);
    }

  private:
    static constexpr size_t kKept = 4096;
    std::string text_;
};

std::string signal_name(int number) {
    const char* const name = sigabbrev_np(number);
    return fmt::format("SIG{} ({}{})", name ? name : std::to_string(number), strsignal(number),
                       number == SIGKILL ? ": as the system does where memory runs out" : "");
}

std::string describe_exit(int status) {
    if (WIFSIGNALED(status)) return "killed by " + signal_name(WTERMSIG(status));
    if (WEXITSTATUS(status) == kChannelGone) {
        return "closed the descriptor that its results go through, or put another file there,";
    }
    return fmt::format("ended the process with exit status {}", WEXITSTATUS(status));
}

// By default it does nothing, or stops the process, as Ctrl-Z does.
bool harmless(int number) {
    constexpr int kHarmless[] = {SIGCHLD, SIGCONT, SIGURG, SIGWINCH, SIGTSTP, SIGTTIN, SIGTTOU, SIGKILL, SIGSTOP};
    return std::count(std::begin(kHarmless), std::end(kHarmless), number) > 0;
}

uint64_t random_key() {
    std::random_device random;
    return uint64_t{random()} << 32 | random();
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
    explicit WorkerProcess(Job job) : kind_(job.kind), device_(job.device) {
        job.channel = channel_.write_end;
        job.key = key_;
        job.go = go_.read_end;
        std::string program = "compare", flag = "--worker",
                    text = Json(job).dump(-1, ' ', false, Json::error_handler_t::replace);
        std::array<char*, 4> arguments = {program.data(), flag.data(), text.data(), nullptr};
        pid_ = fork();
        if (pid_ < 0) throw std::runtime_error(fmt::format("fork: {}", std::strerror(errno)));
        if (pid_ == 0) become_worker(job, output_, arguments.data());
        setpgid(pid_, pid_);  // here too: whoever comes first
        worker_signal = 0;
        earlier_group = worker_group;
        worker_group = pid_;
        channel_.close_write_end();
        output_.close_write_end();
        running = pid_;
    }

    ~WorkerProcess() {
        if (running == pid_) running = -1;
        kill(-pid_, SIGKILL);
        // A process that waits for a GPU dies when the driver lets go of it, or never.
        for (int ms = 0; !try_reap() && ms < 20'000; ++ms) usleep(1000);
        if (!reaped_) complain(fmt::format("process {} does not die; its GPU may be unusable", pid_));
        kill_children(running);
    }

    // It was started for such a job before there was one.
    bool stands_by_for(const Job& job) {
        return kind_ == Job::Kind::standby && job.kind == Job::Kind::judge && job.device == device_ && !try_reap();
    }

    // The device is free. Who has stood by for this job is told it.
    void go(const Job& job) {
        if (kind_ == Job::Kind::standby) tell(job);
        go_.close_write_end();
    }

    Ending listen(double timeout_s, const Listener& listener) {
        const auto allowed = std::chrono::duration_cast<Clock::duration>(Seconds(timeout_s));
        Clock::time_point deadline = Clock::now() + allowed;
        while (true) {
            const bool ended = try_reap();  // before reading, so that what it wrote last is not missed
            const bool heard = drain(listener);
            if (done_) return {Ending::Kind::done, {}};
            if (lost_) return {Ending::Kind::lost, {}};
            if (ended && phase_.empty()) {
                return {Ending::Kind::judge_failed, with_context("the worker " + describe_exit(status_))};
            }
            if (ended) return {Ending::Kind::crashed, with_context(describe_exit(status_))};
            if (stopped_by_ != 0) {
                return {Ending::Kind::crashed, with_context("stopped by " + signal_name(stopped_by_))};
            }
            if (worker_signal != 0) {
                return {Ending::Kind::crashed, with_context("sent compare a " + signal_name(worker_signal))};
            }
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
    // If nobody can take it over, the worker ends without a word, which listen() tells.
    void tell(const Job& job) {
        std::vector<int> copies;
        for (const int copy : {job.copy, job.baseline_copy}) {
            if (copy >= 0) copies.push_back(copy);
        }
        hand_over(go_.write_end, Json(job).dump(-1, ' ', false, Json::error_handler_t::replace), copies);
    }

    bool try_reap() {
        int status = 0;
        if (!reaped_ && waitpid(pid_, &status, WNOHANG | WUNTRACED) == pid_) {
            if (WIFSTOPPED(status)) {
                stopped_by_ = WSTOPSIG(status);
            } else {
                reaped_ = true;
                status_ = status;
            }
        }
        return reaped_;
    }

    // Reads what there is; true if a message came. All of it once the worker has ended; before that only so much, since
    // a plugin may write for ever.
    bool drain(const Listener& listener) {
        const size_t most = reaped_ ? size_t{64} << 20 : size_t{1} << 20;
        read_some(output_, most, [&](const char* text, size_t size) { tail_.add(text, size); });
        read_some(channel_, most, [&](const char* text, size_t size) { pending_.append(text, size); });
        bool heard = false;
        size_t begin = 0;
        for (size_t end; (end = pending_.find('\n', begin)) != std::string::npos; begin = end + 1) {
            heard |= take(pending_.substr(begin, end - begin), listener);
        }
        pending_.erase(0, begin);
        if (pending_.size() > kLongestLine) pending_.clear();
        return heard;
    }

    template <class Take>
    static void read_some(const Pipe& pipe, size_t most, Take take) {
        char buffer[65536];
        ssize_t count = 0;
        for (size_t taken = 0; taken < most && (count = read(pipe.read_end, buffer, sizeof(buffer))) > 0;) {
            take(buffer, static_cast<size_t>(count));
            taken += static_cast<size_t>(count);
        }
    }

    // A line that is no message of this worker's is a plugin writing to our descriptor: it says nothing.
    bool take(const std::string& line, const Listener& listener) {
        const std::optional<Message> message = parse_message(line, key_);
        if (!message) return false;
        if (const auto* phase = std::get_if<Phase>(&*message)) phase_ = phase->text;
        done_ |= kind_of(*message) == MessageKind::done;
        lost_ |= kind_of(*message) == MessageKind::lost;
        listener(*message);
        return true;
    }

    std::string with_context(const std::string& what) const {
        const std::string line = tail_.last_line();
        return fmt::format("{} while {}{}", what, phase_.empty() ? "starting" : phase_,
                           line.empty() ? "" : fmt::format("; it printed: {}", line));
    }

    static constexpr size_t kLongestLine = size_t{64} << 20;
    static inline pid_t running = -1;  // of the worker that was started last

    const Job::Kind kind_;
    const Target device_;
    Pipe channel_, output_, go_{make_socket};
    pid_t pid_ = -1;
    uint64_t key_ = random_key();
    int status_ = 0, stopped_by_ = 0;
    bool reaped_ = false, done_ = false, lost_ = false;
    std::string pending_, phase_;
    Tail tail_;
};

// The last worker that was done. Its process takes 0.1 s to end, which the driver needs for what it had of a GPU; the
// next one loads its libraries meanwhile.
std::unique_ptr<WorkerProcess> leaving;

// Has started its device, and waits for a job.
std::unique_ptr<WorkerProcess> standing_by;

std::unique_ptr<WorkerProcess> worker_for(const Job& job) {
    auto worker = std::move(standing_by);
    if (worker && worker->stands_by_for(job)) return worker;
    worker.reset();
    return std::make_unique<WorkerProcess>(job);
}

}  // namespace

Ending run_job(const Job& job, double timeout_s, const Listener& listen) {
    std::unique_ptr<WorkerProcess> worker;
    try {
        worker = worker_for(job);
    } catch (const std::exception& error) {
        return {Ending::Kind::judge_failed, fmt::format("no worker can be started: {}", error.what())};
    }
    leaving.reset();
    worker->go(job);
    Ending ending = worker->listen(timeout_s, listen);
    if (ending.kind == Ending::Kind::done) leaving = std::move(worker);
    return ending;
}

void start_worker_early(Target device) {
    reap_last_worker();
    Job job;
    job.kind = Job::Kind::standby;
    job.device = device;
    standing_by = std::make_unique<WorkerProcess>(job);
}

void reap_last_worker() {
    standing_by.reset();
    leaving.reset();
}

void start_supervising() {
    // What the environment may not decide: whether cuBLAS's FP32 is FP32, and whether OpenBLAS's idle threads, which
    // spin for 2^26 cycles by default, hold the cores while the plugin it is raced against runs (20_packed at 1024 went
    // from 0.78 of OpenBLAS to 0.98 without them). 4 is the least, 2^4 cycles; its own time stays the same.
    unsetenv("NVIDIA_TF32_OVERRIDE");
    setenv("OPENBLAS_THREAD_TIMEOUT", "4", 1);
    // In the emulator host code must not read through device pointers, nor kernels through the host's.
    setenv("EMULATOR_SEPARATE_MEMORY", "1", 0);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    struct sigaction action {};
    action.sa_sigaction = take_signal;
    action.sa_flags = SA_SIGINFO;
    for (int number = 1; number < NSIG; ++number) {
        struct sigaction before {};
        // nohup has SIGHUP ignored. SIGKILL and SIGSTOP cannot be taken, and the C library keeps two for itself.
        const bool ends = sigaction(number, nullptr, &before) == 0 && before.sa_handler == SIG_DFL && !harmless(number);
        if (ends) sigaction(number, &action, nullptr);
    }
}

bool interrupted() {
    return interrupt_signal != 0;
}

}  // namespace judge
