#include "report/junit.h"

#include <fmt/format.h>

#include "base/whole_file.h"
#include "values/environment.h"
#include "values/json.h"

namespace judge {

namespace {

std::string xml(const std::string& text) {
    std::string result;
    for (const char c : text) {
        switch (c) {
            case '&':
                result += "&amp;";
                break;
            case '<':
                result += "&lt;";
                break;
            case '>':
                result += "&gt;";
                break;
            case '"':
                result += "&quot;";
                break;
            default:
                result += c;
        }
    }
    return result;
}

struct Outcome {
    const char* element = nullptr;  // failure, error, skipped; null for a pass
    std::string type, message;
};

Outcome outcome_of(const Row& row, bool allow_limited) {
    const std::string status = to_string(row.status);
    switch (row.status) {
        case Status::unsupported:
            return {"skipped", status, row.message};
        case Status::crashed:
        case Status::timed_out:
        case Status::load_error:
        case Status::judge_failed:
            return {"error", status, row.message};
        case Status::wrong:
        case Status::not_written:
        case Status::out_of_bounds:
        case Status::input_modified:
        case Status::suspicious:
            return {"failure", status, row.message};
        case Status::limited:
            if (!allow_limited) return {"failure", status, row.message};
            break;
        case Status::ok:
            break;
    }
    if (!row.regression.empty()) return {"failure", "regression", row.regression};
    return {};
}

}  // namespace

std::string format_junit(const Json& environment, const std::vector<Row>& rows, bool allow_limited) {
    std::string cases;
    int failures = 0, errors = 0, skipped = 0;
    for (const Row& row : rows) {
        const Outcome outcome = outcome_of(row, allow_limited);
        const std::string element = outcome.element ? outcome.element : "";
        failures += element == "failure";
        errors += element == "error";
        skipped += element == "skipped";
        cases += fmt::format("  <testcase classname=\"{}\" name=\"{} ({})\"{}>",
                             xml(row.shape.empty() ? "not run" : row.shape), xml(row.plugin), to_string(row.device),
                             row.median_ms ? fmt::format(" time=\"{:.9f}\"", *row.median_ms / 1e3) : "");
        if (!element.empty()) {
            cases += fmt::format("<{} type=\"{}\" message=\"{}\"/>", element, xml(outcome.type), xml(outcome.message));
        } else if (!row.message.empty()) {
            cases += fmt::format("<system-out>{}</system-out>", xml(row.message));
        }
        cases += "</testcase>\n";
    }
    return fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
        "<testsuite name=\"compare\" hostname=\"{}\" timestamp=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" "
        "skipped=\"{}\">\n{}</testsuite>\n</testsuites>\n",
        xml(machine(environment)), xml(text_of(environment, "date")), rows.size(), failures, errors, skipped, cases);
}

void write_junit(const std::filesystem::path& file, const Json& environment, const std::vector<Row>& rows,
                 bool allow_limited) {
    replace_file(file, format_junit(environment, rows, allow_limited), "--junit");
}

}  // namespace judge
