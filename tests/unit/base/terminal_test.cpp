#include "host/base/terminal.h"

#include <pty.h>
#include <unistd.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "tests/catch.h"
#include "tests/terminal.h"

using namespace judge;

namespace {

// One of 100 x 30 characters, and the variables that speak of it as they are given; they are set back at the end.
class PseudoTerminal {
  public:
    PseudoTerminal() {
        const winsize size{30, 100, 0, 0};
        REQUIRE(openpty(&master_, &end_, nullptr, nullptr, &size) == 0);
        for (const char* name : kNames) {
            const char* const value = std::getenv(name);
            before_.push_back(value ? std::optional<std::string>(value) : std::nullopt);
            unsetenv(name);
        }
        setenv("TERM", "xterm", 1);
    }
    ~PseudoTerminal() {
        for (size_t i = 0; i < before_.size(); ++i) {
            if (before_[i]) {
                setenv(kNames[i], before_[i]->c_str(), 1);
            } else {
                unsetenv(kNames[i]);
            }
        }
        close(master_);
        close(end_);
    }
    PseudoTerminal(const PseudoTerminal&) = delete;
    PseudoTerminal& operator=(const PseudoTerminal&) = delete;
    Terminal ask() const { return terminal_of(end_); }

  private:
    static constexpr const char* kNames[] = {"TERM", "NO_COLOR", "COLUMNS", "LINES"};
    int master_ = -1, end_ = -1;
    std::vector<std::optional<std::string>> before_;
};

}  // namespace

TEST_CASE("what is no terminal has no colours and no width") {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    setenv("COLUMNS", "70", 1);
    const Terminal terminal = terminal_of(ends[1]);
    unsetenv("COLUMNS");
    CHECK(!terminal.is_terminal);
    CHECK(!terminal.colour);
    CHECK(!terminal.movable);
    CHECK(terminal.columns == 0);
    close(ends[0]);
    close(ends[1]);
}

TEST_CASE("a terminal says its size, and COLUMNS and LINES stand above that") {
    if (!test::has_terminals("a terminal says its size, and COLUMNS and LINES stand above that")) return;
    const PseudoTerminal terminal;
    CHECK(terminal.ask().is_terminal);
    CHECK(terminal.ask().columns == 100);
    CHECK(terminal.ask().rows == 30);
    setenv("COLUMNS", "72", 1);
    setenv("LINES", "many", 1);
    CHECK(terminal.ask().columns == 72);
    CHECK(terminal.ask().rows == 30);
}

TEST_CASE("colours need a terminal that has them, and NO_COLOR turns them off") {
    if (!test::has_terminals("colours need a terminal that has them, and NO_COLOR turns them off")) return;
    const PseudoTerminal terminal;
    CHECK(terminal.ask().colour);
    setenv("NO_COLOR", "", 1);
    CHECK(terminal.ask().colour);  // no-color.org: present and not an empty string
    setenv("NO_COLOR", "1", 1);
    CHECK(!terminal.ask().colour);
    CHECK(terminal.ask().movable);
    unsetenv("NO_COLOR");
    setenv("TERM", "dumb", 1);
    CHECK(!terminal.ask().colour);
    CHECK(!terminal.ask().movable);
}
