// A loaded plugin on a started device: judged and timed at one shape after another.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "checks/accuracy.h"
#include "checks/equal_calls.h"
#include "checks/graph_check.h"
#include "checks/problem.h"
#include "checks/process_state.h"
#include "checks/verdict.h"
#include "device/device.h"
#include "library/plugin.h"
#include "timing/timing.h"
#include "values/job.h"
#include "values/record.h"
#include "values/shape.h"
#include "worker/channel.h"
#include "worker/trials.h"

namespace judge {

// What to say of an exception of the judge's own, and the status that goes with it; one of the plugin's does not get
// out of its Entry.
std::string own_failure(const std::exception& error);
Status status_of_own_failure(const std::exception& error);

// The process as it was before the plugin was loaded, and what loading it came to.
struct Surroundings {
    std::string note;  // goes with every row
    ProcessState before;
    std::set<pid_t> threads;  // of the judge and the baseline
    uint64_t forks = 0;       // see forks_seen
};

class PluginJudge {
  public:
    // `baseline` may be null. All must outlive this.
    PluginJudge(const Job& job, const Channel& channel, Device& device, const Plugin& plugin, const Plugin* baseline,
                const Surroundings& surroundings);

    // Before the first shape: goes on with the trials that earlier workers could not finish. May end the process.
    void resume_trials();

    // Sends one row. Ends the process where the device is lost, since nothing of it can then be released.
    void run(const Shape& shape);

  private:
    void judge_and_time(const Shape& shape, Row& row);

    // Right at this shape: is it in general? Not where no trials were made, as of a chain.
    void apply_limits(Row& row) const;

    // The call to make many times in a row. Where the judged ones have changed the process, each is within a guard of
    // its own: between two calls the judge itself needs memory.
    Call guarded_call(const Problem& problem) const;

    // Returns the least seconds of a call after the first, which loads the kernel, or gets cuBLAS ready; 0 if there was
    // none.
    double judge(Problem& problem, const Call& call, Row& row);

    // Its shapes are its own, so it is called once, and what was found goes with every shape.
    void note_wrong_places(Problem& problem, const Call& call, Row& row);
    void note_last_error(Row& row) const;
    void check_enqueue_once(Row& row);

    // The same of solve_gemm.
    void check_gemm_once(Row& row);
    void check_chain_enqueue_once(Row& row);

    // A call that the plugin says is unsupported leaves C unwritten. solve must not refuse any size, but the plugin may
    // lack something that every call needs here: then solve_gemm refuses 1 x 1 x 1 too, and solve_last_error gives the
    // same reason after both.
    bool find_out_whether_supported(const Problem& problem, Row& row) const;

    // Of one that runs on the host, before it is called otherwise: what it does at sizes that 32 bits do not hold, and
    // where its threads race.
    void check_in_copies_once();

    // The same for its graphs: a plugin that cannot be captured is told so in its rows.
    void check_graphs_once(Row& row);

    // Likewise whether calls that promise equal bits leave them in other circumstances.
    void check_equal_calls_once(Row& row);

    // Likewise, of the entries beside solve, whether two calls at a time are both right; not on a GPU.
    void check_two_calls_once(Row& row);

    // Of an emulated plugin: whether its work waits for what it must, on whatever streams it is.
    void check_order_once(Row& row);
    std::string wrong_of_order_at(const Shape& shape);

    // Likewise what abi/solve.h promises beside a right product.
    void check_interface_once(Row& row);

    // Once, at the first shape, or else on a small product where its calls take too long; and on a small one of odd
    // sizes. What was found goes with every shape from there on.
    void check_resources_once(Problem& problem, const Call& call, Row& row);
    std::string find_leaks(Problem& problem, const Call& call, int launches);
    std::string find_leaks_by_emulator(const Call& call) const;
    Call call_of_many_sizes(const Problem& room) const;
    int launches_in(const Call& call) const;
    std::optional<std::string> find_leaks_in_a_round(const Call& call) const;
    // Of a product that the plugin has another entry for too: by both.
    Call call_of_both_entries(const Problem& problem) const;
    std::optional<std::string> find_leaks_in(Problem& problem, const Call& call, int launches);
    void time(Problem& problem, const Call& call, double least_seconds, Row& row);

    // Of a row on all GPUs: what must cross PCIe and, where that was asked for, the time on one of them.
    void note_gpus(Problem& problem, const Call& call, Row& row);

    // Of the judge and the baseline. OpenBLAS ends its threads at a fork, by a handler, and makes others in its next
    // call: that is made here, so that the new ones are known from those of the plugin.
    std::set<pid_t> own_threads();

    // A ratio to a baseline whose surroundings the plugin has changed is none.
    void drop_void_ratio(Row& row) const;

    // Seeds far from each other: no input comes twice in a worker's life.
    uint64_t next_seed();

    // A note, whatever the status: C is as right as before, the worker ends with its plugin, and what the judge itself
    // depends on is set back. (A leak is suspicious: who calls the plugin in a loop dies of it.)
    void note_changes(const ProcessState& process, const Device::Settings& settings, Row& row) const;

    const Job& job_;
    const Channel& channel_;
    Device& device_;
    const Plugin& plugin_;
    const Plugin* baseline_;
    const Surroundings& surroundings_;
    Trials trials_;
    AccuracyJudge accuracy_;
    std::set<std::string> call_changes_;           // by any call judged at this shape: each is set back before the next
    std::optional<std::string> wrong_of_enqueue_;  // once it has been checked
    std::optional<std::string> wrong_of_gemm_;
    std::optional<std::string> wrong_of_chain_;
    std::optional<std::string> wrong_in_copies_;
    std::optional<std::string> wrong_of_order_;
    std::optional<std::string> wrong_of_two_calls_;
    std::string far_elements_;                       // how it counts them, if that is with 32 bits
    std::optional<GraphFindings> graphs_;            // once they have been checked
    std::optional<EqualCallsFindings> equal_calls_;  // of an entry that promises equal bits
    std::optional<EqualCallsFindings> equal_calls_of_solve_;
    std::optional<bool> waits_;         // at the shape before
    std::optional<std::string> leaks_;  // once they have been looked for
    std::optional<Verdict> interface_;  // once it has been checked
    uint64_t refreshed_ = 0;
    std::set<pid_t> own_threads_;
    uint64_t forks_;  // after which these are there
};

}  // namespace judge
