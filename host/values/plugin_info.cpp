#include "values/plugin_info.h"

#include "base/clean_text.h"
#include "values/json.h"

namespace judge {

void clean(PluginInfo& info) {
    constexpr size_t kMost = 300;
    for (std::string* text : {&info.problem, &info.name, &info.summary, &info.source, &info.arithmetic}) {
        *text = cleaned(*text, kMost);
    }
}

void to_json(Json& json, const PluginInfo& info) {
    json["problem"] = info.problem;
    json["name"] = info.name;
    json["summary"] = info.summary;
    json["source"] = info.source;
    json["arithmetic"] = info.arithmetic;
    json["minimum_compute_capability"] = info.minimum_compute_capability;
    json["entries"] = info.entries;
}

void from_json(const Json& json, PluginInfo& info) {
    json.at("problem").get_to(info.problem);
    json.at("name").get_to(info.name);
    json.at("summary").get_to(info.summary);
    json.at("source").get_to(info.source);
    json.at("arithmetic").get_to(info.arithmetic);
    json.at("minimum_compute_capability").get_to(info.minimum_compute_capability);
    json.at("entries").get_to(info.entries);
}

}  // namespace judge
