// The fields of a Row, listed once: JSON reads and writes by this list, and CSV has its columns from it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <type_traits>

#include "values/json.h"
#include "values/record.h"

namespace judge {

// Whether JSON must have the key when a row is read. What is absent where it may be is left as in a new row.
enum class Presence { always, maybe };

// Calls visit(key, field), or visit(key, field, presence) where that is not `always`, for every field of the row (Row&
// or const Row&), in the order of JSON and of CSV. An std::optional may always be absent.
template <class RowReference, class Visit>
void visit_fields(RowReference&& row, const Visit& visit) {
    visit("plugin", row.plugin);
    visit("path", row.path);
    visit("sha256", row.sha256);
    visit("device", row.device);
    visit("arithmetic", row.arithmetic);
    visit("shape", row.shape);
    visit("status", row.status);
    visit("message", row.message);
    visit("not_judged", row.not_judged, Presence::maybe);
    visit("kernels", row.kernels);
    visit("max_error", row.max_error);
    visit("rho", row.rho);
    visit("bound", row.bound);
    visit("normwise", row.normwise);
    visit("error_ratio", row.error_ratio);
    visit("allclose", row.allclose);
    visit("deterministic", row.deterministic);
    visit("class", row.precision, Presence::maybe);
    visit("evidence", row.evidence, Presence::maybe);
    visit("sampled", row.sampled);
    visit("wrong_elements", row.wrong_elements);
    visit("nan_elements", row.nan_elements);
    visit("inf_elements", row.inf_elements);
    visit("unwritten_elements", row.unwritten_elements);
    visit("wrong_places", row.wrong_places);
    visit("time_ms", row.time_ms);
    visit("cold_ms", row.cold_ms);
    visit("first_ms", row.first_ms);
    visit("host_us", row.host_us);
    visit("cpu_ms", row.cpu_ms);
    visit("loops", row.loops);
    visit("waits", row.waits);
    visit("mean_ms", row.mean_ms);
    visit("deviation_ms", row.deviation_ms);
    visit("median_ms", row.median_ms);
    visit("cold_median_ms", row.cold_median_ms);
    visit("tflops", row.tflops);
    visit("baseline", row.baseline);
    visit("baseline_ms", row.baseline_ms);
    visit("baseline_cold_ms", row.baseline_cold_ms);
    visit("ratio", row.ratio);
    visit("ratio_interval", row.ratio_interval);
    visit("cold_ratio", row.cold_ratio);
    visit("pageable_ms", row.pageable.total_ms);
    visit("pageable_gpu_ms", row.pageable.gpu_ms);
    visit("pageable_kernel_ms", row.pageable.kernel_ms);
    visit("pageable_cpu_ms", row.pageable.cpu_ms);
    visit("pinned_ms", row.pinned.total_ms);
    visit("pinned_gpu_ms", row.pinned.gpu_ms);
    visit("pinned_kernel_ms", row.pinned.kernel_ms);
    visit("pinned_cpu_ms", row.pinned.cpu_ms);
    visit("pcie_ms", row.pcie_ms);
    visit("one_gpu_ms", row.one_gpu_ms);
    visit("memory_percent", row.counters.memory_percent);
    visit("dram_percent", row.counters.dram_percent);
    visit("issue_percent", row.counters.issue_percent);
    visit("occupancy_percent", row.counters.occupancy_percent);
    visit("bank_conflicts", row.counters.bank_conflicts);
    visit("wavefronts", row.counters.wavefronts);
    visit("dram_bytes", row.counters.dram_bytes);
    visit("l2_bytes", row.counters.l2_bytes);
    visit("clock_mhz", row.clock_mhz);
    visit("power_w", row.power_w);
    visit("temperature_c", row.temperature_c);
    visit("slowed_by", row.slowed_by);
    visit("slowdown", row.slowdown);
    visit("regression", row.regression);
}

// Whether a field of this type is one value, which fits into a cell: a number, a truth value, a name or a text.
template <class T>
constexpr bool is_one_value = std::is_arithmetic_v<T> || std::is_enum_v<T> || std::is_same_v<T, std::string>;
template <class T>
constexpr bool is_one_value<std::optional<T>> = is_one_value<T>;

// JSON of a field that may be absent: null where it is, or where it is not finite, for which JSON has no number. (The
// counts beside it tell.)
Json json_of(const std::optional<double>& value);
Json json_of(const std::optional<Interval>& value);
Json json_of(const std::shared_ptr<const Json>& value);
template <class T>
Json json_of(const std::optional<T>& value) {
    return value ? Json(*value) : Json(nullptr);
}

template <class T>
Json json_of(const T& value) {
    return Json(value);
}

}  // namespace judge
