// Runs made up for the tests of the page, and what any page must be.
#pragma once

#include <regex>
#include <set>
#include <string>
#include <vector>

#include "host/values/json.h"
#include "host/values/record.h"
#include "tests/catch.h"

namespace unit {

using namespace judge;

inline Json gpu_environment() {
    return {{"device", "Some GPU"},
            {"compute_capability", 90},
            {"fp32_tflops", 60.0},
            {"memory_gb_s", 3000.0},
            {"driver", "580.1"},
            {"cuda", "13.0"},
            {"processor", "Some Processor"},
            {"cores", 3},
            {"date", "2024-05-06T07:08:09Z"},
            {"operation", "C[M x K] = A[M x N] * B[N x K], shapes are MxNxK"},
            {"seed", 7},
            {"command", "compare --html x.html"}};
}

inline Row checked_row(const std::string& plugin, const std::string& shape) {
    Row row;
    row.plugin = plugin;
    row.device = Target::cuda;
    row.arithmetic = row.precision = "FP32";
    row.shape = shape;
    row.status = Status::ok;
    row.normwise = 3e-7;
    row.rho = 4;
    row.bound = 100;
    row.max_error = 1e-5;
    row.deterministic = true;
    return row;
}

// As many TFLOP/s, `ratio` times as fast as "base", with an interval of 1 % to either side.
inline Row timed_row(const std::string& plugin, const std::string& shape, double tflops, double ratio) {
    Row row = checked_row(plugin, shape);
    row.tflops = tflops;
    row.ratio = row.cold_ratio = ratio;
    row.ratio_interval = Interval{0.99 * ratio, 1.01 * ratio};
    row.baseline = "base";
    row.median_ms = row.mean_ms = row.cold_median_ms = 100 / tflops;
    row.deviation_ms = row.first_ms = 1;
    row.loops = 3;
    for (int i = 0; i < 40; ++i) {
        row.time_ms.push_back(*row.median_ms * (1 + 1e-4 * (i % 5 - 2)));
        row.baseline_ms.push_back(row.time_ms.back() * ratio);
    }
    row.cold_ms = {1.0, 1.1};
    return row;
}

// The text of the page's headings, without tags.
inline std::string headings(const std::string& page) {
    std::string found;
    const std::regex heading("<h3>([\\s\\S]*?)</h3>"), tag("<[^>]*>");
    for (std::sregex_iterator at(page.begin(), page.end(), heading), end; at != end; ++at) {
        found += std::regex_replace((*at)[1].str(), tag, "") + "\n";
    }
    return found;
}

// What is wrong with a page, empty if nothing: a tag that is not closed where it must be, an attribute without quotes
// or given twice, an id given twice or referred to in vain, a table's line with more or fewer cells than the table has
// headings, a handler of events, anything that is fetched.
inline std::string fault_of(const std::string& page) {
    static const std::set<std::string> kVoid = {"meta", "input", "br"};
    std::vector<std::string> open;
    std::set<std::string> ids, named;
    size_t headings = 0, cells = 0;  // of a table, of a line
    size_t at = page.find('>') + 1;  // after the doctype
    while ((at = page.find('<', at)) != std::string::npos) {
        const auto fault = [&](const std::string& what) { return what + ": " + page.substr(at, 160); };
        const bool closes = page[at + 1] == '/';
        size_t i = at + 1 + closes;
        std::string name;
        while (std::isalnum(static_cast<unsigned char>(page[i]))) name += page[i++];
        if (name.empty()) return fault("no tag");
        std::set<std::string> attributes;
        bool empty = false;
        while (page[i] != '>') {
            if (i >= page.size()) return fault("a tag without an end");
            if (page[i] == ' ' || page[i] == '/') {
                empty = empty || page[i] == '/';
                ++i;
                continue;
            }
            const size_t end = page.find_first_of("= >/", i);
            const std::string attribute = page.substr(i, end - i);
            if (attribute.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-") !=
                attribute.npos) {
                return fault("no attribute");
            }
            if (!attributes.insert(attribute).second) return fault("an attribute twice");
            if (attribute.substr(0, 2) == "on" || attribute == "src") return fault(attribute);
            i = end;
            if (page[i] != '=') continue;
            if (page[i + 1] != '"') return fault("no quotes");
            const size_t quote = page.find('"', i + 2);
            const std::string value = page.substr(i + 2, quote - i - 2);
            if (value.find('<') != value.npos) return fault("a tag in a value");
            if (attribute == "id" && !ids.insert(value).second) return fault("an id twice");
            if (attribute == "for" || attribute == "aria-labelledby") named.insert(value);
            if (attribute == "href" && value[0] == '#') named.insert(value.substr(1));
            if (attribute == "href" && value[0] != '#' && value.substr(0, 5) != "data:") return fault("a link");
            i = quote + 1;
        }
        if (name == "table") headings = cells = 0;
        if (!closes && (name == "th" || name == "td")) ++cells;
        if (closes && name == "thead") headings = cells;
        if (closes && name == "tr" && headings > 0 && cells != headings) return fault("a line of other cells");
        if (!closes && name == "tr") cells = 0;
        if (closes) {
            if (open.empty() || open.back() != name) return fault("closed, but not open");
            open.pop_back();
        } else if (!empty && kVoid.count(name) == 0) {
            open.push_back(name);
        }
        at = i;
        if (!closes && (name == "script" || name == "style")) at = page.find("</" + name, i);
    }
    if (!open.empty()) return "not closed: " + open.back();
    for (const std::string& id : named) {
        if (ids.count(id) == 0) return "no such id: " + id;
    }
    for (const char* fetch : {"http:", "https:", "url(", "@import"}) {
        if (page.find(fetch) != page.npos) return std::string("fetches: ") + fetch;
    }
    return {};
}

inline void check_page(const std::string& page) {
    CHECK(fault_of(page) == "");
}

}  // namespace unit
