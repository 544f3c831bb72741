#include "parent/help_format.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>
#include <utility>

#include "base/terminal.h"
#include "base/text_width.h"
#include "parent/option_table.h"

namespace judge {

namespace {

constexpr size_t kIndent = 30, kLeast = 60, kMost = 120;

class HelpFormat final : public CLI::Formatter {
  public:
    HelpFormat(std::string usage, size_t columns) : usage_(std::move(usage)), columns_(columns) {}

    std::string make_usage(const CLI::App* app, std::string name) const override {
        return usage_.empty() ? CLI::Formatter::make_usage(app, name) : usage_ + "\n";
    }

    std::string make_option(const CLI::Option* option, bool is_positional) const override {
        std::string name = "  " + option->get_name(true), text = option->get_description();
        if (!is_positional) {
            const OptionEntry entry = option_entry(*option);
            name = fmt::format("  {}{}{}", fmt::join(entry.names, ", "), entry.value.empty() ? "" : " ", entry.value);
            if (!entry.choices.empty()) text += fmt::format("; one of {}", fmt::join(entry.choices, ", "));
            const std::string standard = option->get_default_str();
            if (!entry.value.empty() && !standard.empty()) text += fmt::format(" (default: {})", standard);
        }
        return beside(name, text);
    }

  private:
    std::string beside(const std::string& name, const std::string& text) const {
        std::string lines, line = name;
        if (width(line) + 2 > kIndent) {
            lines = line + "\n";
            line.clear();
        }
        line.resize(line.size() + kIndent - width(line), ' ');
        std::istringstream words(text);
        bool first = true;
        for (std::string word; words >> word; first = false) {
            if (!first && width(line) + 1 + width(word) > columns_) {
                lines += line + "\n";
                line.assign(kIndent, ' ');
                first = true;
            }
            line += (first ? "" : " ") + word;
        }
        return lines + line + "\n";
    }

    std::string usage_;
    size_t columns_;
};

}  // namespace

std::shared_ptr<CLI::FormatterBase> help_format(const std::string& usage, size_t columns) {
    if (columns == 0) columns = std::max(terminal_of(STDOUT_FILENO).columns, 0);
    return std::make_shared<HelpFormat>(usage, columns == 0 ? kMost : std::clamp(columns, kLeast, kMost));
}

}  // namespace judge
