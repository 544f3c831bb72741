// The READMEs tell the truth: every command in them works.
#include <regex>
#include <set>
#include <vector>

#include "tests/catch.h"
#include "tests/process.h"

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> readmes() {
    std::istringstream files(test::run("find . -name README.md -not -path './build*' | sort").out);
    std::vector<fs::path> found;
    for (std::string file; std::getline(files, file);) found.push_back(file);
    return found;
}

// The ```sh blocks; one is what a reader pastes.
std::vector<std::string> command_blocks(const fs::path& readme) {
    const std::string text = test::read_file(SOURCE_DIRECTORY / readme);
    std::vector<std::string> blocks;
    const std::regex block("```sh\n([^`]*)```");
    for (std::sregex_iterator at(text.begin(), text.end(), block), end; at != end; ++at) blocks.push_back((*at)[1]);
    return blocks;
}

bool starts_with(const std::string& line, const char* start) {
    return line.rfind(start, 0) == 0;
}

// We are in the checkout, the tests are what is running, and what measures a GPU takes minutes and writes to
// host/results.
bool is_left_out(const std::string& line) {
    for (const char* start :
         {"git clone", "cd ", "make test", "make sanitize", "make counters", "make judge", "make tune",
          "make microbench", "make figures", "make cuda", "make survey", "make chain"}) {
        if (starts_with(line, start)) return true;
    }
    return false;
}

std::string replace_all(std::string text, const std::string& from, const std::string& to) {
    for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
        text.replace(at, from.size(), to);
    return text;
}

// The whole race takes minutes, and the whole ladder most of one; other tests judge each rung, and the larger size says
// no more of a command.
std::string with_few_plugins(std::string command) {
    for (const auto& [all, options] : {std::pair{"build/compare build/plugins/cpu ", "--filter 20_packed "},
                                       std::pair{"build/compare --op chain ", "--filter 10_chain --quick "}}) {
        command = replace_all(command, all, std::string(all) + options);
    }
    return replace_all(command, "--shape 512", "--shape 128");
}

// What runs a block of a README in that build directory, with all plugins or with few; empty where all of it is left
// out.
std::string script_of(const std::string& block, const std::string& build, bool all) {
    std::istringstream lines(block);
    std::string script;
    for (std::string line; std::getline(lines, line);) {
        if (is_left_out(line)) continue;
        if (starts_with(line, "make run")) {
            line = std::string("make run ARGS=\"--shape 128 --quick --check-only") +
                   (all ? "\"" : " --filter '(10_naive|64_cp_async|20_packed)'\"");
        }
        script += (all ? line : with_few_plugins(line)) + "\n";
    }
    script = replace_all(script, "make ", "make BUILD=" + build + " ");
    return std::regex_replace(script, std::regex("([ \n]|^)build(?=[/ \n])"), "$1" + build);
}

// What is built, in a directory of its own, so that what the commands build is gone afterwards, and somebody's own
// library in build/plugins is not among what they judge.
class BuildDirectory {
  public:
    BuildDirectory() {
        fs::remove_all(path_);
        fs::create_directories(path_ / "plugins");
        for (const char* part : {"compare", "host", "emulator", "flags", "abi", "bin", "lib", "pch", "plugins/cpu",
                                 "plugins/cuda", "plugins/emulator"}) {
            const fs::path from = fs::path(test::kBuild) / part;
            if (fs::exists(from)) fs::copy(from, path_ / part, kLinks);
        }
    }
    ~BuildDirectory() { fs::remove_all(path_); }
    BuildDirectory(const BuildDirectory&) = delete;
    BuildDirectory& operator=(const BuildDirectory&) = delete;

    std::string string() const { return path_.string(); }

  private:
    // Hard links keep the times, by which make knows that all of it is built.
    static constexpr auto kLinks = fs::copy_options::recursive | fs::copy_options::create_hard_links;
    const fs::path path_ = fs::path(test::kBuild) / "readme";
};

}  // namespace

TEST_CASE("every command of every README runs and succeeds", "[larger]") {
    const BuildDirectory build;
    std::set<std::string> known;
    int scripts = 0, whole = 0;
    const bool all = std::getenv("TEST_ALL"), after = std::getenv("AFTER_TEST");
    for (const fs::path& readme : readmes()) {
        for (const std::string& block : command_blocks(readme)) {
            if (!known.insert(block).second) continue;
            const std::string commands = script_of(block, build.string(), all);
            // After `make test`, which has run those that are the same with few plugins.
            if (commands.empty() || (after && commands == script_of(block, build.string(), false))) continue;
            ++scripts;
            whole += test::contains(commands, " run ARGS=") || test::contains(commands, "/compare --op chain");
            const std::string script = "set -e\n" + commands;
            INFO(readme << ":\n" << script);
            // A machine that others use as well makes times that cannot be true, or that are slower than a moment ago,
            // now and then: hence three tries.
            constexpr int kRegression = 4, kSuspicious = 5;
            auto result = test::run(script);
            for (int i = 0; i < 2 && (result.exit_code == kRegression || result.exit_code == kSuspicious); ++i) {
                result = test::run(script);
            }
            INFO(result.out << result.err);
            CHECK(result.exit_code == 0);
        }
    }
    CHECK(scripts >= (after ? 5 : 15));
    // In `make test-all` these judge each plugin of this machine, which no other test has then to have judged.
    CHECK(whole >= 2);
}
