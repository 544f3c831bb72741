// The options of the command line as data, read from the parser: the one source of --help, the man page and what a
// shell completes.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace judge {

struct OptionEntry {
    std::vector<std::string> names;    // "--json", "--save", "-h"
    std::string value;                 // what it takes, in a word: "FILE"; empty for a flag
    std::vector<std::string> choices;  // the values there are, where they are few
    std::string description;
    std::string group;

    bool takes_file() const { return value == "FILE"; }
};

OptionEntry option_entry(const CLI::Option& option);

// In the order of --help, without the arguments that have no name.
std::vector<OptionEntry> option_table(const CLI::App& app);

}  // namespace judge
