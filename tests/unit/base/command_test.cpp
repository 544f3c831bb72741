#include "host/base/command.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <stdexcept>

#include "host/base/private_folder.h"
#include "tests/catch.h"

using judge::Command;

namespace {

std::string text_of(const std::filesystem::path& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
}

int status_of(const std::vector<std::string>& arguments) {
    const judge::PrivateFolder folder;
    Command command(arguments, folder.path() / "stderr");
    while (!command.has_ended()) usleep(1000);
    return command.status();
}

}  // namespace

TEST_CASE("a command's status, and what it says, are kept") {
    const judge::PrivateFolder folder;
    Command command({"sh", "-c", "echo out; echo err >&2; read line; exit 3"}, folder.path() / "err",
                    folder.path() / "out");
    while (!command.has_ended()) usleep(1000);
    CHECK(command.status() == 3);
    CHECK(text_of(folder.path() / "out") == "out\n");
    CHECK(text_of(folder.path() / "err") == "err\n");
    CHECK(status_of({"sh", "-c", "kill -TERM $$"}) == 128 + SIGTERM);
    CHECK_THROWS_AS(status_of({"/no/such/program"}), std::runtime_error);
}

TEST_CASE("a command reads from the descriptor that it is given") {
    const judge::PrivateFolder folder;
    int ends[2];
    REQUIRE(pipe2(ends, O_CLOEXEC) == 0);
    Command command({"cat"}, folder.path() / "err", folder.path() / "out", ends[0]);
    close(ends[0]);
    REQUIRE(write(ends[1], "words", 5) == 5);
    close(ends[1]);
    while (!command.has_ended()) usleep(1000);
    CHECK(text_of(folder.path() / "out") == "words");
}

TEST_CASE("a command that is stopped takes what it has started with it") {
    const judge::PrivateFolder folder;
    const auto child = folder.path() / "child";
    Command command({"sh", "-c", "sleep 1000 & echo $! > \"$0.new\"; mv \"$0.new\" \"$0\"; wait", child.string()},
                    folder.path() / "stderr");
    while (!std::filesystem::exists(child)) usleep(1000);
    command.stop();
    CHECK(command.has_ended());
    const pid_t pid = std::stoi(text_of(child));
    // Whoever adopts it reaps it in a moment; until then it is dead and has no command line.
    const auto alive = [&] { return !text_of("/proc/" + std::to_string(pid) + "/cmdline").empty(); };
    for (int i = 0; i < 2000 && alive(); ++i) usleep(1000);
    CHECK_FALSE(alive());
}
