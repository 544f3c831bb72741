// Every plugin of tests/bad_plugins gets the status that its first line expects, and harms nobody else. Its second line
// says which fault it has: T (false times), W (wrong results that might pass), F (what breaks a harness). The README
// beside them lists them all, and what is not caught. `make test` judges those that in_make_test.py names.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <vector>

#include "tests/catch.h"
#include "tests/process.h"

namespace {

using test::contains;
using test::kBuild;
using test::kCompare;

struct BadPlugin {
    std::string name;
    std::string expected;  // status
    std::string faults;    // "F15 F18"; "control" and "contract" are not of the catalogue
    std::string emulated;  // status in the emulator, and what the message says there; empty if it is not run there
    std::string said;
    std::string options;    // what it is judged with beside, or in place of, the options of all; empty for nothing more
    std::string note;       // what the message of a row that is ok says; empty if it says nothing
    std::string precision;  // the class; empty for any
    std::string launch;     // what the message says of a failed launch, where CUPTI tells

    bool is_of(char fault_class) const {
        return faults.front() == fault_class && faults.find_first_of("0123456789") == 1;
    }
};

std::vector<BadPlugin> bad_plugins(const std::string& extension) {
    std::vector<BadPlugin> found;
    for (const auto& entry : std::filesystem::directory_iterator(SOURCE_DIRECTORY "/tests/bad_plugins")) {
        if (entry.path().extension() != extension) continue;
        const std::string source = test::read_file(entry.path());
        INFO(entry.path());
        std::smatch match;
        REQUIRE(std::regex_search(source, match,
                                  std::regex("^// expect: ([a-z-]+)\n// fault: ((?:[TWF][0-9]+ ?)+|control|contract): "
                                             "\\S.*\n(?:// emulated: ([a-z-]+)(?:: (.*))?\n)?(?:// options: (\\S.*)\n)?"
                                             "(?:// note: (.*)\n)?(?:// class: (.*)\n)?(?:// launch: (.*)\n)?")));
        found.push_back(
            {entry.path().stem(), match[1], match[2], match[3], match[4], match[5], match[6], match[7], match[8]});
    }
    return found;
}

// Those that are judged now: all in `make test-all`, or after `make test` those that it has left.
std::vector<BadPlugin> now(const std::vector<BadPlugin>& plugins, const std::string& extension) {
    const bool after = std::getenv("AFTER_TEST");
    if (std::getenv("TEST_ALL") && !after) return plugins;
    const auto listed =
        test::run(std::string("tests/bad_plugins/in_make_test.py ") + (after ? "left " : "judged ") + extension);
    INFO(listed.err);
    REQUIRE(listed.exit_code == 0);
    std::istringstream names(listed.out);
    const std::set<std::string> chosen{std::istream_iterator<std::string>(names), {}};
    std::vector<BadPlugin> found;
    for (const BadPlugin& plugin : plugins) {
        if (chosen.contains(plugin.name)) found.push_back(plugin);
    }
    CHECK(found.size() == chosen.size());
    return found;
}

// How many processes were started with this in their environment, which a process hands on to its children: other runs
// of compare beside this one do not count.
int processes_with(const std::string& variable) {
    int count = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
        count += contains(test::read_file(entry.path() / "environ"), variable);
    }
    return count;
}

// Judges them all in one run; true for each whose row, that of the last shape, is as its source says.
std::map<std::string, bool> judge_together(const std::vector<BadPlugin>& plugins, const std::string& folder,
                                           const std::string& options) {
    const test::TemporaryDirectory directory;
    const auto json_file = directory / "rows.json", temporary = directory / "tmp";
    std::filesystem::create_directory(temporary);
    const std::string mark = "TMPDIR=" + temporary.string();
    std::string command = mark + " " + kCompare + " --json " + json_file.string() + " " + options;
    for (const BadPlugin& plugin : plugins) command += " " + kBuild + "/" + folder + "/" + plugin.name + ".so";
    INFO(command);
    test::run(command);
    // What a plugin leaves there is not compare's.
    CHECK(std::none_of(
        std::filesystem::directory_iterator(temporary), std::filesystem::directory_iterator(),
        [](const auto& entry) { return !entry.path().filename().string().starts_with("left_by_a_plugin"); }));
    CHECK(processes_with(mark) == 0);

    std::map<std::string, nlohmann::json> rows;
    const auto document = nlohmann::json::parse(test::read_file(json_file));
    std::set<std::pair<std::string, std::string>> seen;
    for (const auto& row : document.at("rows")) {
        CHECK(seen.emplace(row.at("plugin"), row.at("shape")).second);
        rows[row.at("plugin")] = row;
    }
    CHECK(rows.size() == plugins.size());
    std::map<std::string, bool> caught;
    for (const BadPlugin& plugin : plugins) {
        const auto row = rows.find(plugin.name);
        REQUIRE(row != rows.end());
        const std::string status = row->second.at("status"), message = row->second.at("message");
        INFO(plugin.name << ": " << message);
        CHECK(status == plugin.expected);
        const bool said = plugin.expected == "ok" && plugin.note.empty()
                              ? message.empty()
                              : contains(message, plugin.note) && !message.empty();
        CHECK(said);
        const bool classed = plugin.precision.empty() || row->second.at("class") == plugin.precision;
        CHECK(classed);
        const bool explained = row->second.at("kernels").is_null() || contains(message, plugin.launch);
        CHECK(explained);
        caught[plugin.name] = status == plugin.expected && said && classed && explained;
    }
    return caught;
}

// Judges those of equal options in one run. The default shape is for those that do not say which they want.
std::map<std::string, bool> judge(const std::vector<BadPlugin>& plugins, const std::string& folder,
                                  const std::string& options, const std::string& default_shape) {
    std::map<std::string, std::vector<BadPlugin>> by_options;
    for (const BadPlugin& plugin : plugins) by_options[plugin.options].push_back(plugin);
    std::map<std::string, bool> caught;
    for (const auto& [own, of_these] : by_options) {
        const std::string shape = contains(own, "--shape ") ? "" : " --shape " + default_shape;
        caught.merge(judge_together(of_these, folder, options + " " + own + shape));
    }
    return caught;
}

void print_counts(const char* where, const std::vector<BadPlugin>& plugins, const std::map<std::string, bool>& caught,
                  size_t of_all) {
    std::string text;
    for (const auto& [fault_class, name] : {std::pair{'T', "timing"}, {'W', "wrong result"}, {'F', "harness"}}) {
        int of = 0, good = 0;
        for (const BadPlugin& plugin : plugins) {
            of += plugin.is_of(fault_class);
            good += plugin.is_of(fault_class) && caught.at(plugin.name);
        }
        text += std::string(text.empty() ? "" : ", ") + name + " " + std::to_string(good) + " of " + std::to_string(of);
    }
    const size_t left = of_all - plugins.size();
    const std::string of = std::getenv("AFTER_TEST") ? "make test" : "make test-all";
    if (left > 0) text += "; " + std::to_string(left) + " fixtures more: " + of;
    std::printf("FAULTS: %s: %s\n", where, text.c_str());
}

}  // namespace

TEST_CASE("every bad plugin gets the status that its source expects, and the other rows are unharmed", "[larger]") {
    const auto all = bad_plugins(".cpp"), plugins = now(all, "cpp");
    std::vector<BadPlugin> timing, hanging, others;
    for (const BadPlugin& plugin : plugins) {
        (plugin.is_of('T') ? timing : plugin.expected == "timed-out" ? hanging : others).push_back(plugin);
    }
    CHECK(all.size() >= 160);
    CHECK(timing.size() >= (std::getenv("AFTER_TEST") ? 7 : 8));
    CHECK(hanging.size() >= 2);
    CHECK(others.size() >= 40);
    // Only those that hang for ever have a short time: what a busy machine delays ends within the default minute.
    auto caught = judge(others, "bad_plugins", "--check-only", "33x17x29");
    caught.merge(judge(hanging, "bad_plugins", "--timeout 1 --check-only", "33x17x29"));
    caught.merge(judge(timing, "bad_plugins", "", "96x80x112"));
    CHECK(caught.at("control_correct"));
    CHECK(caught.at("control_wrong"));
    print_counts("CPU", plugins, caught, all.size());
}

TEST_CASE("every bad GPU plugin gets the status that its source expects, and the other rows are unharmed") {
    if (test::run("nvidia-smi").exit_code != 0) {
        std::printf("SKIPPED: bad GPU plugins: no GPU answers\n");
        return;
    }
    const auto memory_in_use = [] {
        return std::stod(test::run("nvidia-smi --query-gpu=memory.used --format=csv,noheader,nounits -i 0").out);
    };
    const double before_mib = memory_in_use();
    const auto plugins = bad_plugins(".cu");
    CHECK(plugins.size() >= 13);
    const auto caught = judge(plugins, "bad_gpu_plugins", "--timeout 10 --check-only", "257x129x383");
    CHECK(memory_in_use() < before_mib + 64);
    print_counts("GPU", plugins, caught, plugins.size());
}

TEST_CASE("every bad GPU plugin that runs in the emulator gets its status there too", "[larger]") {
    std::vector<BadPlugin> emulated;
    for (BadPlugin& plugin : bad_plugins(".cu")) {
        if (plugin.emulated.empty()) continue;
        plugin.expected = plugin.emulated;
        plugin.note = plugin.said;
        emulated.push_back(plugin);
    }
    CHECK(emulated.size() >= 12);
    const auto judged = now(emulated, "cu");
    const auto caught = judge(judged, "bad_emulated_plugins", "--check-only", "33x17x29");
    CHECK(caught.at("gpu_control_correct"));
    print_counts("emulator", judged, caught, emulated.size());
}

TEST_CASE("the README of the bad plugins lists them as their first comments do") {
    const auto result = test::run("tests/bad_plugins/write_readme.py --check");
    INFO(result.err);
    CHECK(result.exit_code == 0);
}

TEST_CASE("the exit code of a run is that of its worst kind of row") {
    const auto exit_code_of = [](const std::string& plugin, const std::string& options = "") {
        return test::run(kCompare + " " + kBuild + "/bad_plugins/" + plugin + ".so --check-only --shape 5" + options)
            .exit_code;
    };
    CHECK(exit_code_of("control_correct") == 0);
    CHECK(exit_code_of("control_wrong") == 2);
    CHECK(exit_code_of("crash_in_solve") == 3);
    CHECK(exit_code_of("hang_in_solve", " --timeout 1") == 3);
    CHECK(exit_code_of("no_solve") == 3);
    CHECK(exit_code_of("reports_error") == 5);
}

TEST_CASE("a crash at one shape leaves the plugin's other shapes to a new worker") {
    const auto result =
        test::run(kCompare + " " + kBuild + "/bad_plugins/crash_in_solve.so --check-only --shape 3 --shape 4");
    CHECK(result.out.find("2 crashed") != std::string::npos);
}

TEST_CASE("after a timeout the shapes left are not run", "[heavy]") {
    const auto result = test::run(kCompare + " " + kBuild +
                                  "/bad_plugins/hang_in_solve.so --check-only --shape 3 --shape 4 --timeout 1");
    CHECK(result.out.find("2 timed-out") != std::string::npos);
    CHECK(result.out.find("not run, after the timeout at 3x3x3") != std::string::npos);
}

TEST_CASE("a message says what went wrong and where") {
    const auto output_of = [](const std::string& plugin) {
        return test::run(kCompare + " " + kBuild + "/bad_plugins/" + plugin + ".so --check-only --shape 6x5x7 --seed 1")
            .out;
    };
    CHECK(contains(output_of("control_wrong"), "1 wrong of 42 elements; first at (5, 3): got "));
    CHECK(contains(output_of("skips_last_row"), "7 of 42 elements of C not written"));
    CHECK(contains(output_of("reads_c"), "reads C"));
    CHECK(contains(output_of("cpp_solve"), "extern \"C\""));
    CHECK(contains(output_of("crash_in_solve"), "SIGSEGV"));
    CHECK(contains(output_of("throw_from_solve"), "a C++ exception: not today"));
    CHECK(contains(output_of("missing_symbol"), "function_that_no_library_has"));
    CHECK(contains(output_of("exit_0_in_solve"), "exit status 0"));
}
