#include "checks/process_copy.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

namespace judge {

namespace {

constexpr unsigned kSeconds = 5;  // of a call that waits for what does not come
constexpr int kEnded = 77;        // the exit status of a copy that came to its end

// A plugin that ends its parent by a signal means the parent of this process, which notes that.
class DeafToSignals {
  public:
    DeafToSignals() {
        struct sigaction ignored {};
        ignored.sa_handler = SIG_IGN;
        for (int number = 1; number < NSIG; ++number) {
            if (number != SIGCHLD) sigaction(number, &ignored, &before_[number]);
        }
    }
    ~DeafToSignals() { hear(); }
    DeafToSignals(const DeafToSignals&) = delete;
    DeafToSignals& operator=(const DeafToSignals&) = delete;

    void hear() const {
        for (int number = 1; number < NSIG; ++number) {
            if (number != SIGCHLD) sigaction(number, &before_[number], nullptr);
        }
    }

  private:
    struct sigaction before_[NSIG] = {};
};

[[noreturn]] void work_in_copy(int milliseconds, const std::function<void()>& work) {
    const int nothing = open("/dev/null", O_WRONLY);
    dup2(nothing, STDOUT_FILENO);
    dup2(nothing, STDERR_FILENO);
    for (const int number : {SIGPROF, SIGALRM}) signal(number, SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    extend_copy(milliseconds);
    alarm(kSeconds);
    work();
    end_copy();
}

// Not fork(), whose handlers would stop the threads of libraries in this process.
pid_t copy_process() {
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
    return _Fork();
#else
    return static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr));
#endif
}

}  // namespace

void extend_copy(int milliseconds) {
    const itimerval limit{{}, {milliseconds / 1000, milliseconds % 1000 * 1000}};
    setitimer(ITIMER_PROF, &limit, nullptr);
}

void end_copy() {
    _exit(kEnded);
}

void* allocate_shared_with_copies(size_t bytes) {
    void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    return memory;
}

void release_shared_with_copies(void* memory, size_t bytes) {
    munmap(memory, bytes);
}

bool run_in_copy(int milliseconds, const std::function<void()>& work) {
#if defined(__SANITIZE_ADDRESS__)
    return false;  // its allocator and its handlers are not made for that
#else
    const DeafToSignals deaf;
    const pid_t copy = copy_process();
    if (copy == 0) {
        deaf.hear();
        work_in_copy(milliseconds, work);
    }
    int status = 0;
    while (copy > 0) {
        const pid_t found = waitpid(copy, &status, WUNTRACED);
        if (found < 0 && errno != EINTR) return false;
        if (found == copy && !WIFSTOPPED(status)) break;
        if (found == copy) kill(copy, SIGKILL);
    }
    return copy > 0 && WIFEXITED(status) && WEXITSTATUS(status) == kEnded;
#endif
}

}  // namespace judge
