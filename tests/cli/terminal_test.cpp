// What a terminal is shown: a pseudo-terminal stands in for one.
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <regex>

#include "tests/catch.h"
#include "tests/process.h"
#include "tests/terminal.h"

namespace {

using test::contains;
using test::kBuild;
using test::kCompare;

// What the command prints, through the shell, on a terminal of 80 columns.
std::string on_terminal(const std::string& command) {
    const winsize size{24, 80, 0, 0};
    int master = -1;
    const pid_t child = forkpty(&master, nullptr, nullptr, &size);
    REQUIRE(child >= 0);
    if (child == 0) {
        unsetenv("COLUMNS");
        unsetenv("LINES");
        unsetenv("NO_COLOR");
        setenv("TERM", "xterm", 1);
        execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
        _exit(127);
    }
    std::string text;
    char buffer[4096];
    for (ssize_t count = 0; (count = read(master, buffer, sizeof(buffer))) > 0;) text.append(buffer, size_t(count));
    close(master);
    waitpid(child, nullptr, 0);
    return text;
}

const std::string kControls = kCompare + " " + kBuild + "/bad_plugins --filter '^control_' --check-only --shape 9 ";

}  // namespace

TEST_CASE("on a terminal the table fills row by row, is taken away, and comes whole at the end") {
    if (!test::has_terminals("on a terminal the table fills row by row, is taken away, and comes whole at the end"))
        return;
    const std::string text = on_terminal(kControls);
    INFO(text);
    const size_t doing = text.find("[2/2] control_wrong: "), gone = text.rfind("\033[J");
    REQUIRE(doing != std::string::npos);
    REQUIRE(gone != std::string::npos);
    const size_t first = text.find("✓ control_correct");
    CHECK(first < doing);  // the row is there while the next one is judged
    CHECK(contains(text.substr(doing), "left"));
    CHECK(contains(text.substr(gone), "1 ok, 1 wrong"));
    CHECK(contains(text.substr(gone), "\033[32m✓\033[0m control_correct"));
    // No line of the table is longer than the terminal.
    const std::string table = std::regex_replace(text.substr(gone), std::regex("\033\\[[0-9;]*[mJ]"), "");
    CHECK(std::regex_search(table, std::regex("\n  ✗ control_wrong  [^\r\n]{1,64}\r\n")));
}

TEST_CASE("NO_COLOR and a terminal that cannot be drawn on leave text alone", "[heavy]") {
    if (!test::has_terminals("NO_COLOR and a terminal that cannot be drawn on leave text alone")) return;
    const std::string plain = on_terminal("NO_COLOR=1 " + kControls + "--progress none");
    CHECK(contains(plain, "  ✗ control_wrong"));
    CHECK(!contains(plain, "\033"));
    const std::string dumb = on_terminal("TERM=dumb " + kControls);
    CHECK(!contains(dumb, "\033"));
    CHECK(contains(dumb, "✓ control_correct (cpu) at 9x9x9: ok, FP32\r\n"));
}
