#include "parent/ncu_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <sstream>

#include "base/clean_text.h"

namespace judge {

namespace {

constexpr const char* kTime = "gpu__time_duration.sum";

struct Metric {
    const char* name;
    std::optional<double> Counters::*counter;
    bool is_mean;  // over the kernels, by their time; else they are added
};

constexpr Metric kMetrics[] = {
    {"gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", &Counters::memory_percent, true},
    {"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", &Counters::dram_percent, true},
    {"smsp__issue_active.avg.pct_of_peak_sustained_active", &Counters::issue_percent, true},
    {"sm__warps_active.avg.pct_of_peak_sustained_active", &Counters::occupancy_percent, true},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", &Counters::bank_conflicts, false},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", &Counters::bank_conflicts, false},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", &Counters::wavefronts, false},
    {"dram__bytes.sum", &Counters::dram_bytes, false},
    {"lts__t_bytes.sum", &Counters::l2_bytes, false},
};

// The cells of a line of CSV, whose quotes are doubled within quotes.
std::vector<std::string> cells_of(const std::string& line) {
    std::vector<std::string> cells(1);
    bool quoted = false;
    for (size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '"') {
            const bool doubled = quoted && i + 1 < line.size() && line[i + 1] == '"';
            if (doubled) cells.back() += line[++i];
            if (!doubled) quoted = !quoted;
        } else if (line[i] == ',' && !quoted) {
            cells.emplace_back();
        } else if (line[i] != '\r') {
            cells.back() += line[i];
        }
    }
    return cells;
}

// By the names of the columns.
using Cells = std::map<std::string, std::string>;

struct Table {
    Cells units;
    std::vector<Cells> kernels;
};

// The first table of the output; each of its lines begins with the number of the kernel, that of the units with none.
Table table_of(const std::string& output) {
    Table table;
    std::vector<std::string> names;
    std::istringstream lines(output);
    for (std::string line; std::getline(lines, line);) {
        const std::vector<std::string> cells = cells_of(line);
        if (names.empty()) {
            if (cells[0] == "ID" && cells.size() > 1) names = cells;
            continue;
        }
        if (cells.size() != names.size()) break;
        Cells named;
        for (size_t i = 0; i < names.size(); ++i) named[names[i]] = cells[i];
        if (cells[0].empty()) {
            table.units = named;
        } else {
            table.kernels.push_back(named);
        }
    }
    return table;
}

// What the unit is of the one that a counter has: 1 for none, and for what counts things. Nothing for one that is not
// known.
std::optional<double> factor_of(const std::string& unit, const std::string& metric) {
    static const std::map<std::string, double> kSeconds = {{"nsecond", 1e-9}, {"ns", 1e-9},      {"usecond", 1e-6},
                                                           {"us", 1e-6},      {"msecond", 1e-3}, {"ms", 1e-3},
                                                           {"second", 1},     {"s", 1}};
    static const std::map<std::string, double> kBytes = {
        {"byte", 1}, {"Kbyte", 1e3}, {"Mbyte", 1e6}, {"Gbyte", 1e9}, {"Tbyte", 1e12}};
    const auto in = [&](const std::map<std::string, double>& factors) -> std::optional<double> {
        const auto found = factors.find(unit);
        return found == factors.end() ? std::nullopt : std::optional(found->second);
    };
    if (unit.empty()) return 1;
    if (metric == kTime) return in(kSeconds);
    if (metric.find("bytes") != std::string::npos) return in(kBytes);
    if (metric.find(".pct") != std::string::npos) return unit == "%" ? std::optional(1.0) : std::nullopt;
    return unit == "%" ? std::nullopt : std::optional(1.0);
}

// "1,234,567.5"
std::optional<double> number_of(std::string text) {
    std::erase(text, ',');
    char* stop = nullptr;
    const double value = std::strtod(text.c_str(), &stop);
    const bool whole = !text.empty() && *stop == '\0';
    return whole && std::isfinite(value) && value >= 0 ? std::optional(value) : std::nullopt;
}

std::optional<double> value_of(const Table& table, const Cells& kernel, const std::string& metric) {
    const auto cell = kernel.find(metric), unit = table.units.find(metric);
    if (cell == kernel.end()) return std::nullopt;
    const auto number = number_of(cell->second);
    const auto factor = factor_of(unit == table.units.end() ? "" : unit->second, metric);
    return number && factor ? std::optional(*number * *factor) : std::nullopt;
}

std::optional<double> combined(const Table& table, const Metric& metric) {
    const bool by_time =
        metric.is_mean && std::all_of(table.kernels.begin(), table.kernels.end(), [&](const auto& kernel) {
            return value_of(table, kernel, kTime).value_or(0) > 0;
        });
    double sum = 0, weights = 0;
    for (const Cells& kernel : table.kernels) {
        const auto value = value_of(table, kernel, metric.name);
        if (!value) continue;
        const double weight = by_time ? *value_of(table, kernel, kTime) : 1;
        sum += weight * *value;
        weights += weight;
    }
    if (weights == 0) return std::nullopt;
    return metric.is_mean ? sum / weights : sum;
}

}  // namespace

const std::vector<std::string>& counter_metrics() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> all = {kTime};
        for (const Metric& metric : kMetrics) all.emplace_back(metric.name);
        return all;
    }();
    return names;
}

std::optional<Counters> counters_of(const std::string& output) {
    const Table table = table_of(output);
    Counters counters;
    bool any = false;
    for (const Metric& metric : kMetrics) {
        const auto found = combined(table, metric);
        auto& counter = counters.*metric.counter;
        if (found) counter = counter.value_or(0) + *found;
        any |= found.has_value();
    }
    return any ? std::optional(counters) : std::nullopt;
}

CountersRefused refusal_of(const std::string& output) {
    const auto says = [&](const char* text) { return output.find(text) != std::string::npos; };
    if (says("ERR_NVGPUCTRPERM")) {
        return {
            "the driver lets only root read this GPU's counters. For everybody: put the line \"options nvidia "
            "NVreg_RestrictProfilingToAdminUsers=0\" into /etc/modprobe.d/nvidia-profiling.conf as root, and "
            "start the machine again; in a container that is its host, or give it --cap-add=SYS_ADMIN",
            true};
    }
    if (says("No kernels were profiled") || says("\"ID\"")) return {"ncu saw no kernel that it could count"};
    std::string last;
    std::istringstream lines(output);
    for (std::string line; std::getline(lines, line);) {
        if (line.find("==ERROR==") != std::string::npos) {
            last = line.substr(line.find("==ERROR==") + 9);
            break;
        }
        if (line.find_first_not_of(" \r\t") != std::string::npos) last = line;
    }
    const std::string said = cleaned(last, 300);
    return {said.empty() ? "ncu gave no counters and said nothing" : "ncu gave no counters: " + said};
}

}  // namespace judge
