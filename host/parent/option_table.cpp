#include "parent/option_table.h"

#include <CLI/CLI.hpp>

#include <sstream>

namespace judge {

namespace {

// CLI11 tells what an option takes as "TEXT:{speed,name}", which --help shows too.
void read_type(const std::string& type, OptionEntry& entry) {
    entry.value = type.substr(0, type.find(':'));
    const size_t begin = type.find('{'), end = type.find('}');
    if (begin == std::string::npos || end == std::string::npos) return;
    std::istringstream choices(type.substr(begin + 1, end - begin - 1));
    for (std::string choice; std::getline(choices, choice, ',');) entry.choices.push_back(choice);
}

}  // namespace

OptionEntry option_entry(const CLI::Option& option) {
    OptionEntry entry;
    for (const std::string& name : option.get_snames()) entry.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) entry.names.push_back("--" + name);
    if (option.get_expected_max() > 0) read_type(option.get_type_name(), entry);
    entry.description = option.get_description();
    entry.group = option.get_group();
    return entry;
}

std::vector<OptionEntry> option_table(const CLI::App& app) {
    std::vector<OptionEntry> table;
    for (const CLI::Option* option : app.get_options()) {
        if (option->nonpositional()) table.push_back(option_entry(*option));
    }
    return table;
}

}  // namespace judge
