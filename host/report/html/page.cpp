#include "report/html/page.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <utility>

#include "base/counted.h"
#include "report/html/accuracy.h"
#include "report/html/base64.h"
#include "report/html/by_shape.h"
#include "report/html/changes.h"
#include "report/html/chart.h"
#include "report/html/conditions.h"
#include "report/html/launches.h"
#include "report/html/markup.h"
#include "report/html/measured.h"
#include "report/html/ratios.h"
#include "report/html/roofline.h"
#include "report/html/samples.h"
#include "report/html/script.h"
#include "report/html/sources.h"
#include "report/html/staircase.h"
#include "report/html/style.h"
#include "report/html/summary.h"
#include "report/html/verdicts.h"
#include "report/html/view.h"
#include "values/environment.h"
#include "values/json.h"

namespace judge::html {

namespace {

constexpr size_t kLargestPage = 1'000'000;  // bytes: what mail and issue trackers take without a word
constexpr size_t kRecord = 70'000;          // of these, for the record: the ladder's at 8 shapes, without samples
constexpr size_t kFrame = 10'000;           // and for what is not in a section's body
constexpr size_t kMostShapes = 8;

// What names the page's own script in its policy, which lets no other one run.
std::string hash_of(std::string_view script) {
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    EVP_Digest(script.data(), script.size(), digest, &size, EVP_sha256(), nullptr);
    return base64({reinterpret_cast<const char*>(digest), size});
}

// Which panel is shown, by the choice of a shape: no script is needed.
std::string panel_rules(const View& view) {
    std::string rules;
    for (size_t i = 0; i < view.shapes().size(); ++i) {
        rules += fmt::format(
            ":root:has(#shape-{0}:checked) .panel{{display:none}}\n"
            ":root:has(#shape-{0}:checked) .panel.p{0}{{display:block}}\n",
            i);
    }
    return rules;
}

std::string choice_of_shape(const View& view) {
    if (view.shapes().size() < 2) return {};
    std::string choices;
    for (size_t i = 0; i < view.shapes().size(); ++i) {
        choices += fmt::format(
            "<div class=\"shape\"><input type=\"radio\" name=\"shape\" id=\"shape-{0}\"{1}><label "
            "for=\"shape-{0}\">{2}</label></div>",
            i, i == view.chosen() ? " checked" : "", text(short_shape(view.shapes()[i])));
    }
    const size_t others = view.all_shapes().size() - view.shapes().size();
    if (others > 0) {
        choices += fmt::format("<span>and {}: <a href=\"#shapes\">shape by shape</a></span>",
                               counted(int64_t(others), "smaller one"));
    }
    return "<form class=\"bar\"><fieldset><legend>Shape of the charts</legend>" + choices + "</fieldset></form>\n";
}

std::string machine_of(const Json& environment) {
    try {
        return machine(environment);
    } catch (const Json::exception&) {
        return "a machine that the record does not describe";  // made by another program
    }
}

std::string heading(const View& view) {
    std::set<std::string> kernels, shapes;
    for (const Row& row : view.rows()) {
        kernels.insert(row.plugin);
        if (!row.shape.empty()) shapes.insert(row.shape);
    }
    return fmt::format("{} at {}", counted(int64_t(kernels.size()), "matrix-multiplication kernel"),
                       counted(int64_t(shapes.size()), "shape"));
}

std::vector<Section> charts(const View& view, const SavedRun* earlier) {
    std::vector<Section> sections = {summary(view)};
    if (earlier) sections.push_back(changes(view, *earlier));
    for (const auto part :
         {staircase, roofline, ratios, by_shape, accuracy, samples, launches, host_to_host, counters}) {
        sections.push_back(part(view));
    }
    return sections;
}

// All but the record.
std::vector<Section> sections_of(const View& view, const SavedRun* earlier, SourceFiles& files, size_t room) {
    std::vector<Section> sections = charts(view, earlier);
    sections.push_back(sources(view, files, room));
    sections.push_back(verdicts(view));
    return sections;
}

size_t bytes_of(const std::vector<Section>& sections) {
    size_t bytes = std::strlen(kStyle) + std::strlen(kScript) + kFrame;
    for (const Section& section : sections) bytes += section.body.size();
    return bytes;
}

std::string element(const Section& section) {
    return fmt::format(
        "<section id=\"{0}\" aria-labelledby=\"{0}-name\">\n<h2 id=\"{0}-name\">{1}</h2>\n{2}</section>\n", section.id,
        section.name, section.body);
}

std::string assembled(const View& view, const std::vector<Section>& sections) {
    std::string contents, body;
    std::vector<std::pair<std::string, std::string>> left_out;  // why, and what
    for (const Section& section : sections) {
        if (section.body.empty()) {
            const auto same = [&](const auto& other) { return other.first == section.left_out; };
            const auto found = std::find_if(left_out.begin(), left_out.end(), same);
            if (found == left_out.end()) {
                left_out.emplace_back(section.left_out, section.name);
            } else {
                found->second += ", " + section.name;
            }
            continue;
        }
        contents += fmt::format("<a href=\"#{}\">{}</a>\n", section.id, section.name);
        body += element(section);
    }
    if (!left_out.empty()) {
        std::string items;
        for (const auto& [why, what] : left_out) items += fmt::format("<li>{}: {}.</li>\n", what, text(why));
        body += element({"left-out", "Left out", "<ul>\n" + items + "</ul>\n", {}});
    }
    const Json& environment = view.environment();
    return fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
        "script-src 'sha256-{0}'\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<title>{1} on {2}</title>\n<style>{3}{4}</style>\n</head>\n<body>\n{5}<header>\n"
        "<button id=\"theme\" type=\"button\" hidden></button>\n<h1>{1}</h1>\n<p>{2}<br>{6}, {7}</p>\n"
        "<nav aria-label=\"contents\">\n{8}</nav>\n</header>\n<main>\n{9}{10}</main>\n"
        "<footer><p>Made by compare --html. This file needs no network.</p></footer>\n"
        "<script>{11}</script>\n</body>\n</html>\n",
        hash_of(kScript), text(heading(view)), text(machine_of(environment)), kStyle, panel_rules(view), Chart::forms(),
        text(text_of(environment, "operation")), text(text_of(environment, "date")), contents, choice_of_shape(view),
        body, kScript);
}

}  // namespace

std::string page(const Json& environment, const std::vector<Row>& rows, const SavedRun* earlier, SourceFiles& files) {
    // The charts of a shape take the most room: only as many are made as leave some for all sources.
    size_t shapes = kMostShapes;
    std::vector<Section> sections;
    for (; shapes > 0; --shapes) {
        sections = sections_of(View(environment, rows, shapes), earlier, files, kLargestPage);
        if (bytes_of(sections) + kRecord <= kLargestPage || shapes == 1) break;
    }
    const View view(environment, rows, shapes);
    const size_t others = bytes_of(charts(view, earlier)) + bytes_of({verdicts(view)});
    if (bytes_of(sections) + kRecord > kLargestPage) {
        sections =
            sections_of(view, earlier, files, others + kRecord < kLargestPage ? kLargestPage - others - kRecord : 0);
    }
    const size_t taken = bytes_of(sections);
    sections.push_back(conditions(view, taken < kLargestPage ? kLargestPage - taken : 0));
    return assembled(view, sections);
}

}  // namespace judge::html
