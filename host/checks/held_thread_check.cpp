#include "checks/held_thread_check.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <thread>

#include "base/processes.h"
#include "checks/process_copy.h"
#include "checks/small_product.h"

namespace judge {

namespace {

// So large that threads are worth their while, with few elements of C: one row, three with a middle one, one column,
// and neither.
constexpr Shape kRacedShapes[] = {{1, 3000, 400}, {3, 1500, 240}, {400, 3000, 1}, {37, 900, 36}};

// Where a thread is held up: at its first read of A or B, at its first store to C, or at its first store that does
// not lie past all stores so far: there it adds to what has been cleared.
enum class HeldAt { input, output, output_again };

// Which thread is held up, by the order in which threads first touch these matrices. kAny: the first one that is at the
// place while there are several threads.
constexpr int kAny = -1;
struct Round {
    HeldAt place;
    int thread;
};
// Limits of CPU time. kMillisecondsAtFirst: of the first call, which does not end where a library waits for threads
// that are not in the copy. kMillisecondsAlone: of the same call if this process has no other threads, so that there is
// no such library. kMilliseconds: of all calls. After kMost seconds no further call is made, since threads that spin
// take 20 ms each time.
constexpr int kMillisecondsAtFirst = 30, kMillisecondsAlone = 300, kMilliseconds = 2000;
constexpr double kMost = 0.2;

constexpr Round kRounds[] = {{HeldAt::output_again, kAny},
                             {HeldAt::output, 1},
                             {HeldAt::output_again, 1},
                             {HeldAt::input, 1},
                             {HeldAt::input, 0}};

const char* text(HeldAt place) {
    return place == HeldAt::input ? "reads A or B" : place == HeldAt::output ? "writes to C" : "writes to C again";
}

size_t count_threads() {
    struct stat status {};
    return stat("/proc/self/task", &status) == 0 ? status.st_nlink - 2 : 1;
}

// Whether other threads than this one have worked since then, and be it for a moment: each new one touches a stack that
// is new to it.
class OtherThreads {
  public:
    bool have_worked() const { return count_threads() > 1 || events() != before_; }

  private:
    static long events() {
        rusage all{}, own{};
        getrusage(RUSAGE_SELF, &all);
        getrusage(RUSAGE_THREAD, &own);
        return all.ru_minflt - own.ru_minflt;
    }
    const long before_ = events();
};

pid_t this_thread() {
    return static_cast<pid_t>(syscall(SYS_gettid));
}

// A matrix that fills whole pages from its beginning on.
class Pages {
  public:
    explicit Pages(size_t floats)
        : bytes_((floats * sizeof(float) + 4095) / 4096 * 4096),
          memory_(
              static_cast<char*>(mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
        if (memory_ == MAP_FAILED) end_copy();
    }
    ~Pages() { munmap(memory_, bytes_); }
    Pages(const Pages&) = delete;
    Pages& operator=(const Pages&) = delete;

    float* data() const { return reinterpret_cast<float*>(memory_); }
    bool holds(const char* address) const { return address >= memory_ && address < memory_ + bytes_; }
    void allow(int access) const { mprotect(memory_, bytes_, access); }
    void allow_page_of(const char* address, int access) const {
        mprotect(memory_ + (address - memory_) / 4096 * 4096, 4096, access);
    }

  private:
    size_t bytes_;
    char* memory_;
};

// A call that is watched by handlers of signals, and by a thread that says when the one that is held may go on.
class HeldCall {
  public:
    HeldCall(const Pages& a, const Pages& b, const Pages& c, const Round& round)
        : inputs_{&a, &b}, c_(c), round_(round) {
        now_ = this;
        set_handler(SIGSEGV, [](int number, siginfo_t* info, void* context) { now_->on_fault(number, info, context); });
        set_handler(SIGTRAP, [](int, siginfo_t*, void* context) { now_->on_step(context); });
    }
    ~HeldCall() {
        open();
        for (const int number : {SIGSEGV, SIGTRAP}) signal(number, SIG_DFL);
        now_ = nullptr;
    }
    HeldCall(const HeldCall&) = delete;
    HeldCall& operator=(const HeldCall&) = delete;

    // CPU time of this process but for that of the threads that have watched.
    static double worked_seconds() { return process_cpu_seconds() - watched_seconds_; }

    template <class Call>
    void make(Call call) {
        std::thread watcher([this] {
            watch();
            watched_seconds_ += thread_cpu_seconds();
        });
        close();
        call();
        ended_ = true;
        watcher.join();
        open();
    }

  private:
    static constexpr int kMostThreads = 64;
    // Some 5 us each. Then a page stays open once it was touched, of C for half a millisecond.
    static constexpr int kMostSteps = 800;

    static void set_handler(int number, void (*handler)(int, siginfo_t*, void*)) {
        struct sigaction action {};
        action.sa_sigaction = handler;
        action.sa_flags = SA_SIGINFO | SA_NODEFER;
        sigaction(number, &action, nullptr);
    }

    // What is read cannot be read again unseen; a store to C comes after the load of what it adds to.
    void close() const {
        if (round_.place != HeldAt::input) return c_.allow(PROT_READ);
        for (const Pages* input : inputs_) input->allow(PROT_NONE);
    }
    void open() const {
        if (round_.place != HeldAt::input) return c_.allow(PROT_READ | PROT_WRITE);
        for (const Pages* input : inputs_) input->allow(PROT_READ | PROT_WRITE);
    }

    void open_page_of(const char* address) const {
        for (const Pages* each : {inputs_[0], inputs_[1], &c_}) {
            if (each->holds(address)) each->allow_page_of(address, PROT_READ | PROT_WRITE);
        }
    }

    bool is_watched(const char* address) const {
        return c_.holds(address) || inputs_[0]->holds(address) || inputs_[1]->holds(address);
    }

    // Which thread this is, in the order of their coming.
    int number_of_thread() {
        const pid_t self = this_thread();
        for (int i = 0; i < kMostThreads; ++i) {
            pid_t nobody = 0;
            if (threads_[i] == self || threads_[i].compare_exchange_strong(nobody, self)) return i;
            if (nobody == self) return i;
        }
        return kMostThreads;
    }

    void on_fault(int number, const siginfo_t* info, void* context) {
        const auto* const address = static_cast<const char*>(info->si_addr);
        if (!is_watched(address)) {
            signal(number, SIG_DFL);  // the instruction faults again
            return;
        }
        if (is_at_place(address) && !held_.exchange(true)) {
            open();
            holding_ = this_thread();
            const timespec moment{0, 200'000};
            while (!released_) nanosleep(&moment, nullptr);
        }
        if (held_) return open();
        if (++steps_ > kMostSteps) return open_page_of(address);
        open();
        step(context, true);
    }

    bool is_at_place(const char* address) {
        const bool again = address <= furthest_;
        if (!again) furthest_ = address;
        const int thread = number_of_thread();
        if (round_.place == HeldAt::output_again && !again) return false;
        constexpr size_t kOwn = 2;  // the caller and the one that watches
        return round_.thread == kAny ? count_threads() > kOwn : thread == round_.thread;
    }

    // After the one instruction that has been let through.
    void on_step(void* context) {
        step(context, false);
        if (!held_) close();
    }

    static void step([[maybe_unused]] void* context, [[maybe_unused]] bool on) {
#if defined(__x86_64__)
        constexpr long long kTrap = 0x100;  // the flag that stops after one instruction
        auto& flags = static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_EFL];
        flags = on ? flags | kTrap : flags & ~kTrap;
#endif
    }

    bool others_rest() const {
        for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
            const pid_t thread = std::stoi(entry.path().filename());
            if (thread == this_thread() || thread == holding_) continue;
            const char state = state_of_thread(thread);
            if (state != 0 && state != 'S') return false;
        }
        return true;
    }

    // Threads that spin never rest, so they are waited for only until all threads but this one have used kMostOfWait
    // seconds of CPU time: on a busy machine those that work may be waiting for a core while this one looks, which
    // takes some 60 us each time.
    void watch() {
        constexpr double kMostOfWait = 0.03;
        constexpr int kLooks = 3;
        std::optional<double> begin;
        for (int resting = 0;;) {
            std::this_thread::sleep_for(std::chrono::microseconds(500));
            if (ended_) return;
            if (!held_ && steps_ >= kMostSteps && round_.place != HeldAt::input) close();
            if (holding_ == 0 || released_) continue;
            const double now = process_cpu_seconds() - thread_cpu_seconds();
            if (!begin) begin = now;
            resting = others_rest() ? resting + 1 : 0;
            if (resting >= kLooks || now - *begin > kMostOfWait) released_ = true;
        }
    }

    static inline HeldCall* now_ = nullptr;
    static inline double watched_seconds_ = 0;

    const std::array<const Pages*, 2> inputs_;
    const Pages& c_;
    const Round round_;
    std::array<std::atomic<pid_t>, kMostThreads> threads_{};
    std::atomic<const char*> furthest_{nullptr};
    std::atomic<pid_t> holding_{0};
    std::atomic<int> steps_{0};
    std::atomic<bool> held_{false}, released_{false}, ended_{false};
};

class HeldProduct {
  public:
    HeldProduct(const Multiply& multiply, const Shape& shape)
        : multiply_(multiply),
          shape_(shape),
          operands_(random_operands(shape, 1, Data::positive)),
          a_(operands_.a.size()),
          b_(operands_.b.size()),
          c_(size_t(shape.c_elements())) {
        std::memcpy(a_.data(), operands_.a.data(), operands_.a.size() * sizeof(float));
        std::memcpy(b_.data(), operands_.b.data(), operands_.b.size() * sizeof(float));
    }

    std::string judge() {
        clear();
        const OtherThreads others;
        call();
        extend_copy(kMilliseconds);
        if (!others.have_worked()) return {};
        exact_ = exact_product(operands_);
        if (!first_wrong().empty()) return {};
        for (const Round& round : kRounds) {
            if (HeldCall::worked_seconds() > kMost) end_copy();
            clear();
            HeldCall(a_, b_, c_, round).make([&] { call(); });
            const std::string wrong = first_wrong();
            if (wrong.empty()) continue;
            return fmt::format(
                "its threads race: right at {}, but not if one of them is held up where it first {}, until the others "
                "rest: {}",
                to_string(shape_), text(round.place), wrong);
        }
        return {};
    }

  private:
    void clear() const { std::fill_n(c_.data(), size_t(shape_.c_elements()), std::numeric_limits<float>::quiet_NaN()); }
    void call() const { multiply_(a_.data(), b_.data(), c_.data(), shape_.M, shape_.N, shape_.K); }

    std::string first_wrong() const {
        for (size_t at = 0; at < exact_.sum.size(); ++at) {
            const float got = c_.data()[at];
            const double bound = 0.02 * exact_.magnitude[at];  // of any class; what a thread adds is more
            if (std::abs(got - exact_.sum[at]) <= bound) continue;
            return fmt::format("({}, {}): got {:.9g}, want {:.9g} +- {:.3g}", at / shape_.K, at % shape_.K, got,
                               exact_.sum[at], bound);
        }
        return {};
    }

    const Multiply& multiply_;
    const Shape shape_;
    const Operands operands_;
    const Pages a_, b_, c_;
    Exact exact_;
};

}  // namespace

bool check_with_held_threads(const Multiply& multiply, std::string& wrong) {
    const SharedWithCopies<std::array<char, 512>> found;
    const bool ended = run_in_copy(count_threads() == 1 ? kMillisecondsAlone : kMillisecondsAtFirst, [&] {
        for (const Shape& shape : kRacedShapes) {
            const std::string text = HeldProduct(multiply, shape).judge();
            if (text.empty()) continue;
            text.copy(found->data(), found->size() - 1);
            return;
        }
    });
    wrong = found->data();
    return ended;
}

}  // namespace judge
