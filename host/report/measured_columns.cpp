#include "report/measured_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace judge {

namespace {

// They were asked for, so most others go first; of them, the parts of a whole.
constexpr int kRoom = 9, kPart = 3;

// "41.3 ms / 30.2 ms": with pageable memory, with pinned memory. What the emulator took says nothing of a GPU, so no
// cell passes for more.
std::string of_both(const Row& row, std::optional<double> CopiedCall::*part) {
    std::string text;
    for (const CopiedCall* const copied : {&row.pageable, &row.pinned}) {
        if (const auto& ms = copied->*part) text += (text.empty() ? "" : " / ") + duration(*ms);
    }
    return text.empty() || row.device != Target::emulator ? text : text + " emulated";
}

bool any_has_copies(const std::vector<Row>& rows) {
    return std::any_of(rows.begin(), rows.end(), has_copies);
}

bool any_has_counters(const std::vector<Row>& rows) {
    return std::any_of(rows.begin(), rows.end(), has_counters);
}

std::string percent(const std::optional<double>& value) {
    return value ? fmt::format("{:.1f}", *value) : "";
}

// "4096 (3.1 %)": of all wavefronts.
std::string conflicts(const Row& row) {
    const auto& [count, all] = std::pair(row.counters.bank_conflicts, row.counters.wavefronts);
    if (!count) return "";
    const std::string text = fmt::format("{:.0f}", *count);
    return all && *all > 0 ? fmt::format("{} ({:.1f} %)", text, 100 * *count / *all) : text;
}

std::string traffic(const Row& row) {
    const std::string dram = size_of(row.counters.dram_bytes), l2 = size_of(row.counters.l2_bytes);
    return dram + (dram.empty() || l2.empty() ? "" : " / ") + l2;
}

}  // namespace

std::string size_of(const std::optional<double>& bytes) {
    if (!bytes) return "";
    const char* const units[] = {"B", "kB", "MB", "GB", "TB"};
    double value = *bytes;
    size_t unit = 0;
    for (; value >= 999.5 && unit + 1 < std::size(units); ++unit) value /= 1000;
    return fmt::format("{:.3g} {}", value, units[unit]);
}

bool has_copies(const Row& row) {
    return row.pageable.total_ms.has_value();
}

bool has_counters(const Row& row) {
    const Counters& of = row.counters;
    return of.memory_percent || of.dram_percent || of.issue_percent || of.occupancy_percent || of.bank_conflicts ||
           of.dram_bytes || of.l2_bytes;
}

std::vector<Column> host_to_host_columns() {
    return {{"h2h", "host to host", true, [](const Row& row) { return of_both(row, &CopiedCall::total_ms); },
             "from A and B in the host's memory to C there, pageable / pinned: median of up to 7 calls with their "
             "copies; in the "
             "emulator the CPU's time",
             kRoom, any_has_copies},
            {"h2h-gpu", "of it GPU", true, [](const Row& row) { return of_both(row, &CopiedCall::gpu_ms); },
             "by the GPU's clock, from the begin of the first copy to the end of the last one", kPart, any_has_copies},
            {"h2h-kernel", "of it kernels", true, [](const Row& row) { return of_both(row, &CopiedCall::kernel_ms); },
             "by the GPU's clock, the call without its copies", kPart, any_has_copies},
            {"h2h-cpu", "of it CPU", true, [](const Row& row) { return of_both(row, &CopiedCall::cpu_ms); },
             "CPU time of all threads of the process", kPart, any_has_copies}};
}

std::vector<Column> counter_columns() {
    return {
        {"memory", "memory %", true, [](const Row& row) { return percent(row.counters.memory_percent); },
         "the busiest part of the memory system, of its peak: by ncu, as all counters, in one call", kRoom,
         any_has_counters},
        {"dram", "DRAM %", true, [](const Row& row) { return percent(row.counters.dram_percent); },
         "the memory's throughput, of its peak", kRoom, any_has_counters},
        {"issue", "issue %", true, [](const Row& row) { return percent(row.counters.issue_percent); },
         "issue slots used: cycles in which a scheduler issued an instruction", kRoom, any_has_counters},
        {"conflicts", "bank conflicts", true, conflicts,
         "wavefronts of shared memory that bank conflicts have added, and their part of all", kRoom, any_has_counters},
        {"occupancy", "occupancy %", true, [](const Row& row) { return percent(row.counters.occupancy_percent); },
         "resident warps, of the most that fit", kRoom, any_has_counters},
        {"traffic", "DRAM / L2", true, traffic, "bytes read and written in the memory / asked of the L2 cache", kPart,
         any_has_counters}};
}

}  // namespace judge
