#include "record.h"

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

}  // namespace

std::string to_string(Status status) {
    return Json(status).get<std::string>();
}

void to_json(Json& json, const Row& row) {
    json["plugin"] = row.plugin;
    json["path"] = row.path;
    json["device"] = row.device;
    json["arithmetic"] = row.arithmetic;
    json["shape"] = row.shape;
    json["status"] = row.status;
    json["message"] = row.message;
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
    json["loops"] = row.loops;
    put(json, "mean_ms", row.mean_ms);
    put(json, "deviation_ms", row.deviation_ms);
    put(json, "median_ms", row.median_ms);
    put(json, "tflops", row.tflops);
    json["baseline"] = row.baseline;
    json["baseline_ms"] = row.baseline_ms;
    put(json, "ratio", row.ratio);
}

void from_json(const Json& json, Row& row) {
    json.at("plugin").get_to(row.plugin);
    json.at("path").get_to(row.path);
    json.at("device").get_to(row.device);
    json.at("arithmetic").get_to(row.arithmetic);
    json.at("shape").get_to(row.shape);
    json.at("status").get_to(row.status);
    json.at("message").get_to(row.message);
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
    json.at("loops").get_to(row.loops);
    row.mean_ms = get(json, "mean_ms");
    row.deviation_ms = get(json, "deviation_ms");
    row.median_ms = get(json, "median_ms");
    row.tflops = get(json, "tflops");
    json.at("baseline").get_to(row.baseline);
    json.at("baseline_ms").get_to(row.baseline_ms);
    row.ratio = get(json, "ratio");
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
