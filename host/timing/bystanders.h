// What of the plugin's works while the baseline runs: threads that spin and processes that it has started take the
// cores from the baseline, and the ratio is none.
#pragma once

#include <sys/types.h>

#include <set>
#include <string>
#include <utility>

namespace judge {

class Bystanders {
  public:
    // `adopted`: see descendants().
    explicit Bystanders(bool adopted) : adopted_(adopted) {}

    // Before a batch of the baseline: waits until they are quiet, for some milliseconds. Threads of OpenMP spin for
    // that long after a call, in case that another one comes; on a busy machine one that is kept from its core does so
    // when it gets it. If they are not quiet after 200 ms, later ones wait for 20, and all of them for two seconds at
    // most. `own`: the judge's and the baseline's threads. All others of this process, and all processes that came of
    // it, are the plugin's.
    void wait_until_quiet(std::set<pid_t> own);

    // Around a batch of the baseline that took so long.
    void batch_begins();
    void batch_ended(double seconds);

    // What they used of the cores while the baseline ran; empty if it was next to nothing.
    std::string complaint() const;

  private:
    double cpu_seconds() const;
    bool any_thread_runs() const;  // or waits for a core

    std::set<pid_t> own_;
    bool adopted_;
    bool gave_up_ = false;
    int left_ms_ = 2000;
    double before_ = 0, used_ = 0, seconds_ = 0;
};

}  // namespace judge
