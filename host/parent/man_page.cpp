#include "parent/man_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

namespace judge {

namespace {

// Text as it is: a backslash begins an escape, a hyphen may become a dash, and a point or an apostrophe at the
// beginning of a line a request.
std::string roff(const std::string& text) {
    std::string result;
    for (const char c : text) {
        const bool at_begin = result.empty() || result.back() == '\n';
        if (at_begin && (c == '.' || c == '\'')) result += "\\&";
        result += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
    }
    return result;
}

// As the titles of sections are written.
std::string upper_case(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return char(std::toupper(c)); });
    return text;
}

}  // namespace

std::string man_page(const std::string& summary, const std::vector<OptionEntry>& options, const std::string& notes) {
    std::string text = fmt::format(
        ".TH COMPARE 1\n.SH NAME\ncompare \\- judge and race matrix\\-multiplication kernels\n.SH SYNOPSIS\n"
        ".B compare\n[\\fIoption\\fR]... [\\fIpath\\fR]...\n.SH DESCRIPTION\n{}\n",
        roff(summary));
    std::string group;
    for (const OptionEntry& option : options) {
        if (option.group != group) text += fmt::format(".SH {}\n", roff(upper_case(option.group)));
        group = option.group;
        std::vector<std::string> names;
        for (const std::string& name : option.names) names.push_back("\\fB" + roff(name) + "\\fR");
        text += fmt::format(".TP\n{}", fmt::join(names, ", "));
        if (!option.value.empty()) text += " \\fI" + roff(option.value) + "\\fR";
        text += "\n" + roff(option.description) + "\n";
        if (!option.choices.empty()) text += roff(fmt::format("({})", fmt::join(option.choices, ", "))) + "\n";
    }
    return text + ".SH NOTES\n.nf\n" + roff(notes.substr(std::min(notes.find_first_not_of('\n'), notes.size()))) +
           "\n.fi\n";
}

}  // namespace judge
