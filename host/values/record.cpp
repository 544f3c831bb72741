#include "values/record.h"

#include <cmath>
#include <utility>

#include "base/clean_text.h"
#include "values/record_fields.h"

namespace judge {

namespace {

template <class T>
void read_field(const Json& json, std::optional<T>& field) {
    field = json.is_null() ? std::nullopt : std::optional(json.get<T>());
}

template <class T>
void read_field(const Json& json, T& field) {
    json.get_to(field);
}

void read_field(const Json& json, std::shared_ptr<const Json>& field) {
    field = json.is_null() ? nullptr : std::make_shared<const Json>(json);
}

template <class T>
constexpr bool is_optional = false;
template <class T>
constexpr bool is_optional<std::optional<T>> = true;

// Throws Json::exception if it is not there but must be.
template <class T>
void read_field(const Json& json, const char* key, T& field, Presence presence = Presence::always) {
    const auto found = json.find(key);
    if (found != json.end()) return read_field(*found, field);
    if (presence == Presence::always && !is_optional<T>) json.at(key);
}

// What is read and is none of these becomes the first of them.
constexpr std::pair<Status, const char*> kNames[] = {{Status::crashed, "crashed"},
                                                     {Status::ok, "ok"},
                                                     {Status::limited, "limited"},
                                                     {Status::wrong, "wrong"},
                                                     {Status::not_written, "not-written"},
                                                     {Status::out_of_bounds, "out-of-bounds"},
                                                     {Status::input_modified, "input-modified"},
                                                     {Status::timed_out, "timed-out"},
                                                     {Status::load_error, "load-error"},
                                                     {Status::unsupported, "unsupported"},
                                                     {Status::suspicious, "suspicious"},
                                                     {Status::judge_failed, "judge-failed"}};

}  // namespace

std::string to_string(Status status) {
    for (const auto& [each, name] : kNames) {
        if (each == status) return name;
    }
    return kNames[0].second;
}

void to_json(Json& json, Status status) {
    json = to_string(status);
}

void from_json(const Json& json, Status& status) {
    status = kNames[0].first;
    for (const auto& [each, name] : kNames) {
        if (json == name) status = each;
    }
}

std::string class_of(const Row& row) {
    return row.precision.empty() && !row.arithmetic.empty() ? row.arithmetic + "?" : row.precision;
}

void add_note(Row& row, const std::string& note) {
    if (!note.empty()) row.message += (row.message.empty() ? "" : "; ") + note;
}

void clean(Row& row) {
    constexpr size_t kMost = 1000, kLongestPath = 4096;
    visit_fields(row, [&](const char*, auto& field, Presence = Presence::always) {
        if constexpr (std::is_same_v<decltype(field), std::string&>) {
            field = cleaned(field, &field == &row.path ? kLongestPath : kMost);
        }
    });
    if (row.wrong_places) clean(*row.wrong_places);
    if (!row.kernels) return;
    for (KernelLaunch& kernel : *row.kernels) {
        kernel.name = cleaned(kernel.name, kMost);
        kernel.error = cleaned(kernel.error, kMost);
    }
}

void drop_ratio(Row& row) {
    row.ratio.reset();
    row.ratio_interval.reset();
    row.cold_ratio.reset();
}

void to_json(Json& json, const Interval& interval) {
    json = Json{interval.low, interval.high};
}

void from_json(const Json& json, Interval& interval) {
    interval = {json.at(0), json.at(1)};
}

Json json_of(const std::optional<double>& value) {
    return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

Json json_of(const std::shared_ptr<const Json>& value) {
    return value ? *value : Json(nullptr);
}

Json json_of(const std::optional<Interval>& value) {
    const bool finite = value && std::isfinite(value->low) && std::isfinite(value->high);
    return finite ? Json(*value) : Json(nullptr);
}

void to_json(Json& json, const KernelLaunch& launch) {
    json["name"] = launch.name;
    json["launches"] = launch.launches;
    json["grid"] = launch.grid;
    json["block"] = launch.block;
    json["shared_bytes"] = launch.shared_bytes;
    json["registers"] = json_of(launch.registers);
    json["local_bytes"] = json_of(launch.local_bytes);
    if (!launch.error.empty()) json["error"] = launch.error;
}

void from_json(const Json& json, KernelLaunch& launch) {
    json.at("name").get_to(launch.name);
    json.at("launches").get_to(launch.launches);
    json.at("grid").get_to(launch.grid);
    json.at("block").get_to(launch.block);
    json.at("shared_bytes").get_to(launch.shared_bytes);
    read_field(json, "registers", launch.registers);
    read_field(json, "local_bytes", launch.local_bytes);
    read_field(json, "error", launch.error, Presence::maybe);
}

void to_json(Json& json, const Row& row) {
    visit_fields(row,
                 [&](const char* key, const auto& field, Presence = Presence::always) { json[key] = json_of(field); });
}

void from_json(const Json& json, Row& row) {
    visit_fields(row, [&](const char* key, auto& field, Presence presence = Presence::always) {
        read_field(json, key, field, presence);
    });
}

}  // namespace judge
