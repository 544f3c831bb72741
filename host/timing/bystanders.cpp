#include "timing/bystanders.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/processes.h"

namespace judge {

void Bystanders::wait_until_quiet(std::set<pid_t> own) {
    own_ = std::move(own);
    constexpr int kLongest = 20, kLongestAtFirst = 200;
    constexpr double kQuiet = 0.2e-3;
    double before = cpu_seconds();
    for (int ms = 0; ms < (gave_up_ ? kLongest : kLongestAtFirst) && left_ms_ > 0 && before > 0; ++ms, --left_ms_) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        const double now = cpu_seconds();
        if (now - before < kQuiet && !any_thread_runs()) return;
        before = now;
    }
    gave_up_ = gave_up_ || before > 0;
}

void Bystanders::batch_begins() {
    before_ = cpu_seconds();
}

void Bystanders::batch_ended(double seconds) {
    used_ += std::max(0.0, cpu_seconds() - before_);  // of one that has ended nothing is known any more
    seconds_ += seconds;
}

std::string Bystanders::complaint() const {
    // A tenth of a core is more than what wakes up now and then takes; on a machine that others use, too, each thread
    // that works still gets its share.
    if (used_ < 0.1 * seconds_ || used_ < 1e-3) return {};
    return fmt::format(
        "while the baseline ran, for {:.0f} ms, threads or processes of the plugin used {:.0f} ms of CPU time: the "
        "ratio is none (OpenMP threads that spin: OMP_WAIT_POLICY=passive)",
        1e3 * seconds_, 1e3 * used_);
}

bool Bystanders::any_thread_runs() const {
    const std::set<pid_t> threads = thread_ids();
    return std::any_of(threads.begin(), threads.end(),
                       [&](pid_t thread) { return !own_.contains(thread) && state_of_thread(thread) == 'R'; });
}

double Bystanders::cpu_seconds() const {
    double seconds = 0;
    for (const pid_t thread : thread_ids()) {
        if (!own_.contains(thread)) seconds += cpu_seconds_of_thread(thread);
    }
    for (const pid_t process : descendants(adopted_)) seconds += cpu_seconds_of_process(process);
    return seconds;
}

}  // namespace judge
