#include "report/html/sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>

#include "base/counted.h"
#include "report/html/diff.h"
#include "report/html/markup.h"

namespace judge::html {

namespace {

namespace fs = std::filesystem;

struct Printed {
    const Row* row;
    const SourceFile* source;
};

struct Lower {
    std::string name;  // empty: there is none
    std::string text;
    std::string why;
};

// The rung that the source's first comment says it is to be read against, "Against 40: ...", in the same folder; else
// the one before it in this run, by name.
Lower lower_of(const std::vector<Printed>& kernels, size_t at) {
    const SourceFile& source = *kernels[at].source;
    std::smatch match;
    const std::string start = source.text.substr(0, 4096);
    if (std::regex_search(start, match, std::regex("^// Against ([0-9]{2})\\b", std::regex::multiline))) {
        std::error_code error;
        for (const auto& entry : fs::directory_iterator(source.file.parent_path(), error)) {
            const fs::path& other = entry.path();
            if (!other.stem().string().starts_with(match[1].str() + "_") ||
                other.extension() != source.file.extension())
                continue;
            if (other == source.file) continue;
            return {other.stem().string(), read_source(other), "which its first comment names"};
        }
    }
    for (size_t i = at; i-- > 0;) {
        const Printed& before = kernels[i];
        if (before.source->file.empty() || before.source->file.parent_path() != source.file.parent_path()) continue;
        if (before.row->plugin == before.row->baseline) continue;
        return {before.row->plugin, before.source->text, "the rung before it in this run"};
    }
    return {};
}

// Lines added and removed, marked in blocks; the removed ones only where they are not most of the lower rung.
struct Marked {
    std::string html;
    size_t added = 0, removed = 0;
    bool shows_removed = false;
};

Marked marked(const std::vector<DiffLine>& lines) {
    Marked result;
    size_t kept = 0;
    for (const DiffLine& line : lines) {
        kept += line.kind == ' ';
        result.added += line.kind == '+';
        result.removed += line.kind == '-';
    }
    result.shows_removed = result.removed > 0 && result.removed <= kept;
    char before = ' ';
    const auto change_to = [&](char kind) {
        if (kind == before) return;
        if (before != ' ') result.html += before == '+' ? "</ins>" : "</del>";
        if (kind != ' ') result.html += kind == '+' ? "<ins>" : "<del>";
        before = kind;
    };
    for (const DiffLine& line : lines) {
        if (line.kind == '-' && !result.shows_removed) continue;
        change_to(line.kind);
        result.html += code(line.text) + "\n";
    }
    change_to(' ');
    return result;
}

std::string listing(const Printed& kernel, const Lower& lower, size_t number) {
    const auto own = lines_of(kernel.source->text);
    const Marked shown = marked(diff(lower.name.empty() ? own : lines_of(lower.text), own));
    std::string against, note, box;
    if (!lower.name.empty()) {
        against = fmt::format(" against {}, {}: {} added, {} removed{}", name(lower.name), lower.why,
                              counted(int64_t(shown.added), "line"), shown.removed,
                              shown.removed > 0 && !shown.shows_removed ? " (most of it: not shown)" : "");
    }
    if (!kernel.source->note.empty()) note = fmt::format("<p class=\"note\">{}</p>\n", text(kernel.source->note));
    if (shown.shows_removed) {
        box = fmt::format(
            "<p><label><input type=\"checkbox\" class=\"own\" id=\"own-{}\"> without the removed lines</label></p>\n",
            number);
    }
    return fmt::format(
        "<details class=\"source\"><summary><b>{0}</b><small>{1}</small></summary>\n{2}{3}"
        "<pre tabindex=\"0\" aria-label=\"source of {0}\">{4}</pre></details>\n",
        text(kernel.row->plugin), against, note, box, shown.html);
}

}  // namespace

Section sources(const View& view, SourceFiles& files, size_t room) {
    Section section{"sources", "Sources", {}, {}};
    std::vector<Printed> kernels;
    for (const Row& row : view.rows()) {
        const auto same = [&](const Printed& kernel) { return kernel.row->path == row.path; };
        if (row.path.empty() || std::any_of(kernels.begin(), kernels.end(), same)) continue;
        kernels.push_back({&row, &files.of(row)});
    }
    std::stable_sort(kernels.begin(), kernels.end(),
                     [](const Printed& a, const Printed& b) { return a.row->plugin < b.row->plugin; });
    std::string body, missing, too_large;
    size_t found = 0, against = 0;
    for (size_t i = 0; i < kernels.size(); ++i) {
        if (kernels[i].source->file.empty()) {
            missing += (missing.empty() ? "" : ", ") + name(kernels[i].row->plugin);
            continue;
        }
        const Lower lower = lower_of(kernels, i);
        const std::string source = listing(kernels[i], lower, found);
        if (body.size() + source.size() > room) {
            too_large += (too_large.empty() ? "" : ", ") + name(kernels[i].row->plugin);
            continue;
        }
        body += source;
        ++found;
        against += !lower.name.empty();
    }
    if (found == 0 && too_large.empty()) {
        section.left_out = "no source was found: no compiler's list (.d) beside a library names one that is there";
        return section;
    }
    section.body = fmt::format(
        "<h3>The sources of {} of {}; {} against a lower rung.</h3>\n"
        "<p class=\"note\">Green: added against that rung; red: removed.</p>\n{}",
        found, kernels.size() == 1 ? "1 library" : fmt::format("{} libraries", kernels.size()),
        against == 1 ? "1 is shown" : fmt::format("{} are shown", against), body);
    if (!missing.empty()) section.body += fmt::format("<p class=\"note\">Not found: the sources of {}.</p>\n", missing);
    if (!too_large.empty()) {
        section.body +=
            fmt::format("<p class=\"note\">Left out, to keep this page small: the sources of {}.</p>\n", too_large);
    }
    return section;
}

}  // namespace judge::html
