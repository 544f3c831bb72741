#include "values/record.h"

#include <cmath>

namespace judge {

namespace {

// JSON has no NaN and no infinity: they become null here, and the counts beside them tell.
void put(Json& json, const char* key, const std::optional<double>& value) {
    json[key] = value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

void put(Json& json, const char* key, const std::optional<bool>& value) {
    json[key] = value ? Json(*value) : Json(nullptr);
}

template <class T = double>
std::optional<T> get(const Json& json, const char* key) {
    const auto found = json.find(key);
    if (found == json.end() || found->is_null()) return std::nullopt;
    return found->get<T>();
}

void put(Json& json, const char* key, const std::optional<Interval>& value) {
    const bool finite = value && std::isfinite(value->low) && std::isfinite(value->high);
    json[key] = finite ? Json{value->low, value->high} : Json(nullptr);
}

std::optional<Interval> get_interval(const Json& json, const char* key) {
    const auto found = json.find(key);
    if (found == json.end() || found->is_null()) return std::nullopt;
    return Interval{found->at(0), found->at(1)};
}

}  // namespace

std::string to_string(Status status) {
    return Json(status).get<std::string>();
}

std::string class_of(const Row& row) {
    return row.precision.empty() && !row.arithmetic.empty() ? row.arithmetic + "?" : row.precision;
}

void add_note(Row& row, const std::string& note) {
    if (!note.empty()) row.message += (row.message.empty() ? "" : "; ") + note;
}

void to_json(Json& json, const KernelLaunch& launch) {
    json["name"] = launch.name;
    json["launches"] = launch.launches;
    json["grid"] = launch.grid;
    json["block"] = launch.block;
    json["shared_bytes"] = launch.shared_bytes;
    json["registers"] = launch.registers ? Json(*launch.registers) : Json(nullptr);
    json["local_bytes"] = launch.local_bytes ? Json(*launch.local_bytes) : Json(nullptr);
    if (!launch.error.empty()) json["error"] = launch.error;
}

void from_json(const Json& json, KernelLaunch& launch) {
    json.at("name").get_to(launch.name);
    json.at("launches").get_to(launch.launches);
    json.at("grid").get_to(launch.grid);
    json.at("block").get_to(launch.block);
    json.at("shared_bytes").get_to(launch.shared_bytes);
    launch.registers = get<int>(json, "registers");
    launch.local_bytes = get<uint64_t>(json, "local_bytes");
    launch.error = json.value("error", std::string());
}

void to_json(Json& json, const Row& row) {
    json["plugin"] = row.plugin;
    json["path"] = row.path;
    json["sha256"] = row.sha256;
    json["device"] = row.device;
    json["arithmetic"] = row.arithmetic;
    json["shape"] = row.shape;
    json["status"] = row.status;
    json["message"] = row.message;
    json["kernels"] = row.kernels ? Json(*row.kernels) : Json(nullptr);
    put(json, "max_error", row.max_error);
    put(json, "rho", row.rho);
    put(json, "bound", row.bound);
    put(json, "normwise", row.normwise);
    put(json, "error_ratio", row.error_ratio);
    put(json, "allclose", row.allclose);
    put(json, "deterministic", row.deterministic);
    json["class"] = row.precision;
    json["evidence"] = row.evidence;
    json["sampled"] = row.sampled;
    json["wrong_elements"] = row.wrong_elements;
    json["nan_elements"] = row.nan_elements;
    json["inf_elements"] = row.inf_elements;
    json["unwritten_elements"] = row.unwritten_elements;
    json["time_ms"] = row.time_ms;
    json["cold_ms"] = row.cold_ms;
    put(json, "first_ms", row.first_ms);
    json["loops"] = row.loops;
    json["waits"] = row.waits;
    put(json, "mean_ms", row.mean_ms);
    put(json, "deviation_ms", row.deviation_ms);
    put(json, "median_ms", row.median_ms);
    put(json, "cold_median_ms", row.cold_median_ms);
    put(json, "tflops", row.tflops);
    json["baseline"] = row.baseline;
    json["baseline_ms"] = row.baseline_ms;
    json["baseline_cold_ms"] = row.baseline_cold_ms;
    put(json, "ratio", row.ratio);
    put(json, "ratio_interval", row.ratio_interval);
    put(json, "cold_ratio", row.cold_ratio);
    put(json, "clock_mhz", row.clock_mhz);
    put(json, "power_w", row.power_w);
    put(json, "temperature_c", row.temperature_c);
    json["slowed_by"] = row.slowed_by;
    put(json, "slowdown", row.slowdown);
    json["regression"] = row.regression;
}

void from_json(const Json& json, Row& row) {
    json.at("plugin").get_to(row.plugin);
    json.at("path").get_to(row.path);
    json.at("sha256").get_to(row.sha256);
    json.at("device").get_to(row.device);
    json.at("arithmetic").get_to(row.arithmetic);
    json.at("shape").get_to(row.shape);
    json.at("status").get_to(row.status);
    json.at("message").get_to(row.message);
    row.kernels = get<std::vector<KernelLaunch>>(json, "kernels");
    row.max_error = get(json, "max_error");
    row.rho = get(json, "rho");
    row.bound = get(json, "bound");
    row.normwise = get(json, "normwise");
    row.error_ratio = get(json, "error_ratio");
    row.allclose = get<bool>(json, "allclose");
    row.deterministic = get<bool>(json, "deterministic");
    row.precision = json.value("class", std::string());
    row.evidence = json.value("evidence", Json());
    json.at("sampled").get_to(row.sampled);
    json.at("wrong_elements").get_to(row.wrong_elements);
    json.at("nan_elements").get_to(row.nan_elements);
    json.at("inf_elements").get_to(row.inf_elements);
    json.at("unwritten_elements").get_to(row.unwritten_elements);
    json.at("time_ms").get_to(row.time_ms);
    json.at("cold_ms").get_to(row.cold_ms);
    row.first_ms = get(json, "first_ms");
    json.at("loops").get_to(row.loops);
    json.at("waits").get_to(row.waits);
    row.mean_ms = get(json, "mean_ms");
    row.deviation_ms = get(json, "deviation_ms");
    row.median_ms = get(json, "median_ms");
    row.cold_median_ms = get(json, "cold_median_ms");
    row.tflops = get(json, "tflops");
    json.at("baseline").get_to(row.baseline);
    json.at("baseline_ms").get_to(row.baseline_ms);
    json.at("baseline_cold_ms").get_to(row.baseline_cold_ms);
    row.ratio = get(json, "ratio");
    row.ratio_interval = get_interval(json, "ratio_interval");
    row.cold_ratio = get(json, "cold_ratio");
    row.clock_mhz = get(json, "clock_mhz");
    row.power_w = get(json, "power_w");
    row.temperature_c = get(json, "temperature_c");
    json.at("slowed_by").get_to(row.slowed_by);
    row.slowdown = get_interval(json, "slowdown");
    json.at("regression").get_to(row.regression);
}

void to_json(Json& json, const PluginInfo& info) {
    json["name"] = info.name;
    json["summary"] = info.summary;
    json["source"] = info.source;
    json["arithmetic"] = info.arithmetic;
    json["minimum_compute_capability"] = info.minimum_compute_capability;
    json["entries"] = info.entries;
}

void from_json(const Json& json, PluginInfo& info) {
    json.at("name").get_to(info.name);
    json.at("summary").get_to(info.summary);
    json.at("source").get_to(info.source);
    json.at("arithmetic").get_to(info.arithmetic);
    json.at("minimum_compute_capability").get_to(info.minimum_compute_capability);
    json.at("entries").get_to(info.entries);
}

}  // namespace judge
