#include "host/parent/option_table.h"

#include <CLI/CLI.hpp>

#include "host/parent/completion.h"
#include "host/parent/help_format.h"
#include "host/parent/man_page.h"
#include "tests/catch.h"
#include "tests/unit/text.h"

using namespace judge;
using namespace unit;

namespace {

// Calls use(app); what the options refer to is gone afterwards.
template <class Use>
auto with_some_options(Use use) {
    CLI::App app{"Does it.", "compare"};
    std::string text;
    bool flag = false;
    app.add_option("PATH", text, "what to judge")->type_name("");
    app.add_option("--json,--save", text, "write it's [here]: or there")->type_name("FILE");
    app.add_option("--sort", text, "how")->check(CLI::IsMember({"speed", "name"}));
    app.add_option("--seed", text, "of it")->type_name("NUMBER")->group("Output");
    app.add_flag("-q,--quick", flag, "less");
    return use(app);
}

std::vector<OptionEntry> some_entries() {
    return with_some_options([](const CLI::App& app) { return option_table(app); });
}

}  // namespace

TEST_CASE("--help has an option, what it takes, its values and its default, in lines of so many columns") {
    const auto help = [](size_t columns, const std::string& usage = {}) {
        return with_some_options([&](CLI::App& app) {
            app.get_option("--sort")->default_str("name");
            app.get_option("--sort")->excludes(app.get_option("--seed"));
            app.get_option("--quick")->description(std::string(200, 'x') + " and some words more, and more, and more");
            app.formatter(help_format(usage, columns));
            return app.help();
        });
    };
    const std::string wide = help(100), narrow = help(60);
    CHECK(contains(wide, "\n  --json, --save FILE         write it's [here]: or there\n"));
    CHECK(contains(wide, "\n  --sort TEXT                 how; one of speed, name (default: name)\n"));
    CHECK(contains(wide, "\n  PATH                        what to judge\n"));
    CHECK(contains(wide, "Usage: compare [OPTIONS] [PATH]"));
    CHECK(contains(narrow, "\n  --sort TEXT                 how; one of speed, name\n" + std::string(30, ' ') +
                               "(default: name)\n"));
    for (const std::string& line : lines_of(narrow)) CHECK((line.size() <= 60 || contains(line, "xxx")));
    CHECK(contains(help(60, "Usage: it"), "\nUsage: it\n"));
}

TEST_CASE("the options are read from the parser: names, what they take, what there is to choose from") {
    const auto options = some_entries();
    REQUIRE(options.size() == 5);
    CHECK(options[0].names == std::vector<std::string>{"-h", "--help"});
    CHECK(options[0].value.empty());
    CHECK(options[1].names == std::vector<std::string>{"--json", "--save"});
    CHECK(options[1].takes_file());
    CHECK(options[2].choices == std::vector<std::string>{"speed", "name"});
    CHECK(options[2].value == "TEXT");
    CHECK(options[3].value == "NUMBER");
    CHECK(options[3].group == "Output");
    CHECK(options[4].names == std::vector<std::string>{"-q", "--quick"});
    CHECK(options[4].value.empty());
    CHECK(options[4].description == "less");
}

TEST_CASE("each shell has every option with its values, and quotes what it would read otherwise") {
    const auto options = some_entries();
    const std::string bash = completion_script(options, "bash"), zsh = completion_script(options, "zsh"),
                      fish = completion_script(options, "fish");
    CHECK(contains(bash, "--json|--save) COMPREPLY=($(compgen -f -- \"$cur\"))"));
    CHECK(contains(bash, "--sort) COMPREPLY=($(compgen -W 'speed name' -- \"$cur\"))"));
    CHECK(contains(bash, "'-h --help --json --save --sort --seed -q --quick'"));
    CHECK(contains(zsh, R"('*--save[write it'\''s \[here\]\: or there]:file:_files')"));
    CHECK(contains(zsh, "'*--sort[how]:TEXT:(speed name)'"));
    CHECK(contains(fish, R"(complete -c compare -l json -l save -r -d 'write it\'s [here]: or there')"));
    CHECK(contains(fish, "complete -c compare -l sort -x -a 'speed name' -d 'how'"));
    for (const std::string& script : {bash, zsh, fish}) CHECK(contains(script, "sgemm-ladder-compare"));
    CHECK(contains(fish, "complete -c compare -s q -l quick -d 'less'"));
    CHECK(completion_script(options, "csh").empty());
}

TEST_CASE("the manual page has every option, and no text of it is a request of roff's") {
    const std::string page = man_page("Does it.", some_entries(), "\n.first line\na \\ backslash\n'last line");
    CHECK(page.rfind(".TH COMPARE 1\n", 0) == 0);
    CHECK(contains(page, ".SH DESCRIPTION\nDoes it.\n"));
    CHECK(contains(page, ".TP\n\\fB\\-\\-json\\fR, \\fB\\-\\-save\\fR \\fIFILE\\fR\nwrite it's"));
    CHECK(contains(page, "how\n(speed, name)\n"));
    CHECK(contains(page, ".SH OUTPUT\n.TP\n\\fB\\-\\-seed\\fR"));
    CHECK(contains(page, ".nf\n\\&.first line\na \\e backslash\n\\&'last line\n.fi\n"));
}
