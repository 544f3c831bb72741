#include "values/job.h"

#include "values/json.h"

namespace judge {

NLOHMANN_JSON_SERIALIZE_ENUM(Job::Kind, {{Job::Kind::probe, "probe"},
                                         {Job::Kind::inspect, "inspect"},
                                         {Job::Kind::judge, "judge"},
                                         {Job::Kind::call, "call"},
                                         {Job::Kind::standby, "standby"}})

NLOHMANN_JSON_SERIALIZE_ENUM(Operation, {{Operation::gemm, "gemm"},
                                         {Operation::chain, "chain"},
                                         {Operation::full_gemm, "full_gemm"}})

NLOHMANN_JSON_SERIALIZE_ENUM(Effort,
                             {{Effort::normal, "normal"}, {Effort::quick, "quick"}, {Effort::thorough, "thorough"}})

void to_json(Json& json, const Job& job) {
    json["kind"] = job.kind;
    json["plugin"] = job.plugin;
    json["named"] = job.named;
    json["copy"] = job.copy;
    json["device"] = job.device;
    json["operation"] = job.operation;
    json["form"] = to_string(job.form);
    json["batch"] = job.form.batch;
    const auto texts_of = [](const std::vector<Shape>& shapes) {
        Json texts = Json::array();
        for (const Shape& shape : shapes) texts.push_back(to_string(shape));
        return texts;
    };
    json["shapes"] = texts_of(job.shapes);
    json["untimed"] = texts_of(job.untimed);
    json["seed"] = job.seed;
    json["data"] = to_string(job.data);
    json["require"] = job.require ? Json(requirement(*job.require)) : Json(nullptr);
    json["any_shape"] = job.any_shape;
    json["misalignment"] = job.misalignment;
    json["trials"] = job.trials;
    json["explain"] = job.explain;
    json["check_only"] = job.check_only;
    json["effort"] = job.effort;
    json["pageable"] = job.pageable;
    json["scaling"] = job.scaling;
    json["host_to_host"] = job.host_to_host;
    json["baseline"] = job.baseline;
    json["baseline_copy"] = job.baseline_copy;
    json["channel"] = job.channel;
    json["key"] = job.key;
    json["go"] = job.go;
}

void from_json(const Json& json, Job& job) {
    json.at("kind").get_to(job.kind);
    json.at("plugin").get_to(job.plugin);
    json.at("named").get_to(job.named);
    json.at("copy").get_to(job.copy);
    json.at("device").get_to(job.device);
    json.at("operation").get_to(job.operation);
    job.form = parse_form(json.at("form"), json.at("batch"));
    for (const Json& shape : json.at("shapes")) job.shapes.push_back(parse_shape(shape, job.operation));
    for (const Json& shape : json.at("untimed")) job.untimed.push_back(parse_shape(shape, job.operation));
    json.at("seed").get_to(job.seed);
    job.data = parse_data(json.at("data"));
    if (!json.at("require").is_null()) job.require = parse_requirement(json.at("require"));
    json.at("any_shape").get_to(job.any_shape);
    json.at("misalignment").get_to(job.misalignment);
    json.at("trials").get_to(job.trials);
    json.at("explain").get_to(job.explain);
    json.at("check_only").get_to(job.check_only);
    json.at("effort").get_to(job.effort);
    json.at("pageable").get_to(job.pageable);
    json.at("scaling").get_to(job.scaling);
    json.at("host_to_host").get_to(job.host_to_host);
    json.at("baseline").get_to(job.baseline);
    json.at("baseline_copy").get_to(job.baseline_copy);
    json.at("channel").get_to(job.channel);
    json.at("key").get_to(job.key);
    json.at("go").get_to(job.go);
}

}  // namespace judge
