// The one result record: what a worker finds out about one plugin at one shape. Every report reads it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/statistics.h"
#include "values/json_fwd.h"
#include "values/kernel_launch.h"
#include "values/target.h"
#include "values/wrong_places.h"

namespace judge {

enum class Status {
    ok,
    limited,  // right at the shapes asked for, not in general
    wrong,
    not_written,
    out_of_bounds,
    input_modified,
    crashed,
    timed_out,
    load_error,
    unsupported,
    suspicious,
    judge_failed,  // which says nothing of the plugin
};

// As a name; what is read and is none becomes `crashed`.
void to_json(Json& json, Status status);
void from_json(const Json& json, Status& status);
std::string to_string(Status status);

// ok or limited: C is right at the row's shape. Such rows are timed and ranked.
constexpr bool is_right(Status status) {
    return status == Status::ok || status == Status::limited;
}

// A call between matrices in the host's memory: A and B are copied to the GPU, then comes the call, then C is copied
// back. Medians, in milliseconds; absent where it was not measured. The parts are by the GPU's clock, in the emulator,
// which has none, by the host's.
struct CopiedCall {
    std::optional<double> total_ms;   // from before the first copy until C is in the host's memory
    std::optional<double> gpu_ms;     // of these, from the begin of the first copy to the end of the last one
    std::optional<double> kernel_ms;  // and those of the call alone
    std::optional<double> cpu_ms;     // CPU time of all of the process's threads meanwhile
};

// What a GPU's hardware counters say of one call, of all its kernels: percentages are means over their time, the rest
// are sums. Absent where this GPU has no such counter, or nothing was read.
struct Counters {
    std::optional<double> memory_percent;     // the busiest part of the memory system, of its peak
    std::optional<double> dram_percent;       // of its peak
    std::optional<double> issue_percent;      // cycles in which a scheduler issued an instruction
    std::optional<double> occupancy_percent;  // resident warps, of the most that fit
    std::optional<double> bank_conflicts;     // extra wavefronts of shared memory
    std::optional<double> wavefronts;         // of shared memory, all of them
    std::optional<double> dram_bytes;         // read and written
    std::optional<double> l2_bytes;           // asked of the L2 cache
};

struct Row {
    std::string plugin;  // the file's stem
    std::string path;    // the file
    std::string sha256;  // of the bytes that were loaded; empty where it was never loaded
    Target device = Target::cpu;
    std::string arithmetic;           // what the plugin claims: FP32, TF32, ...; its bound follows from it
    std::string shape;                // "MxNxK"; empty where no shape was reached (a file that does not load)
    Status status = Status::crashed;  // until proved otherwise
    std::string message;              // why it is not ok, or what is to be known although it is

    std::vector<std::string> not_judged;  // entries that the plugin has for another operation: solve_gemm, solve_chain

    // What the last call that was judged launched; absent where that is not known.
    std::optional<std::vector<KernelLaunch>> kernels;

    // Accuracy; absent where C could not be compared. Errors are against an FP64 reference.
    std::optional<double> max_error;    // largest |C - C64|
    std::optional<double> rho;          // largest |C - C64| / (u |A||B|), u = 2^-24
    std::optional<double> bound;        // what rho may reach
    std::optional<double> normwise;     // ||C - C64||_F / ||C64||_F
    std::optional<double> error_ratio;  // normwise over the baseline's on the same data
    std::optional<bool> allclose;       // |C - C64| <= 1e-3 + 1e-5 |C64| everywhere
    std::optional<bool> deterministic;  // three calls, with --quick two, gave the same bits
    std::string precision;              // the class that was measured: to_string of a PrecisionClass; "class" in JSON
    // What the class rests on: the fields of Evidence, and the reason; null where it was not measured.
    std::shared_ptr<const Json> evidence;
    bool sampled = false;  // rows sampled and the rest checked by Freivalds, not every element compared
    uint64_t wrong_elements = 0;
    uint64_t nan_elements = 0;
    uint64_t inf_elements = 0;
    uint64_t unwritten_elements = 0;
    std::optional<WrongPlaces> wrong_places;  // where in C; absent where it is right, or was not looked at

    // Speed; empty where it was not timed. Hot: batches of `loops` calls back to back, a sample is the mean of a batch.
    // Cold: single calls that find nothing in the caches. In milliseconds, two samples a block; see timing.h.
    std::vector<double> time_ms;
    std::vector<double> baseline_ms;
    std::vector<double> cold_ms;
    std::vector<double> baseline_cold_ms;
    std::string baseline;            // the baseline's name
    std::optional<double> first_ms;  // the first call at this shape, until its work is done: what it loads included
    std::optional<double> host_us;   // from a call to its return, where it does not wait for its work
    std::optional<double> cpu_ms;    // hot, of a call: CPU time of all of the process's threads, median of the batches
    int loops = 0;
    bool waits = false;  // solve returns only when its work is done; the baseline was then made to do the same
    std::optional<double> mean_ms;
    std::optional<double> deviation_ms;  // standard deviation of the samples
    std::optional<double> median_ms;
    std::optional<double> cold_median_ms;
    std::optional<double> tflops;            // 2MNK over the hot median
    std::optional<double> ratio;             // median over the blocks of baseline / plugin, hot: above 1 is faster
    std::optional<Interval> ratio_interval;  // 95 %
    std::optional<double> cold_ratio;

    CopiedCall pageable, pinned;  // with --host-to-host, by the kind of the host's memory

    // Of matrices in host memory that are multiplied on GPUs.
    std::optional<double> pcie_ms;     // that A and B take into the GPUs, or C back, as measured in this run
    std::optional<double> one_gpu_ms;  // hot, on one of the GPUs; where that was asked for

    Counters counters;  // with --counters

    // The GPU's state over the hot batches, where NVML tells it: clock of the multiprocessors (median), and the most of
    // the power and the temperature.
    std::optional<double> clock_mhz;
    std::optional<double> power_w;
    std::optional<double> temperature_c;
    std::vector<std::string> slowed_by;  // what held the clock down at some time

    // Against a saved run: how many times as long a call takes now, and why that is a regression; empty if it is none.
    std::optional<Interval> slowdown;
    std::string regression;
};

// The class that was measured, or what the plugin claims, with a question mark.
std::string class_of(const Row& row);

// Appends to the message; the status stays.
void add_note(Row& row, const std::string& note);

// Makes every text of the row one that can be shown, and none too long: they come from the plugin, or name its file.
void clean(Row& row);

// Where the baseline's times say nothing.
void drop_ratio(Row& row);

void to_json(Json& json, const Interval& interval);  // [low, high]
void from_json(const Json& json, Interval& interval);

void to_json(Json& json, const KernelLaunch& launch);
void from_json(const Json& json, KernelLaunch& launch);

// An object with a key for every field (values/record_fields.h). Reading throws Json::exception, or
// std::invalid_argument for a name that is none, if a field is missing that must be there.
void to_json(Json& json, const Row& row);
void from_json(const Json& json, Row& row);

}  // namespace judge
