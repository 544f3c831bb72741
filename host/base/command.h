// Another program, run beside this one.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace judge {

// In a process group of its own, so that Ctrl-C on the terminal is ours to pass on.
class Command {
  public:
    // arguments[0] is looked for in PATH. What it prints to stderr goes to the first file, what to stdout to the other
    // one. It reads from the descriptor `input`, or, without one, nothing. Throws std::runtime_error if it cannot be
    // started.
    Command(const std::vector<std::string>& arguments, const std::filesystem::path& stderr_file,
            const std::filesystem::path& stdout_file = "/dev/null", int input = -1);
    ~Command() { stop(); }
    Command(const Command&) = delete;
    Command& operator=(const Command&) = delete;

    bool has_ended();

    // Once it has ended: its exit status, or 128 + the signal that ended it.
    int status() const { return status_; }

    // Asks it and what it has started to end with SIGTERM and, after 5 s, makes them.
    void stop();

  private:
    pid_t pid_ = -1;
    int status_ = -1;
    bool ended_ = false;
};

}  // namespace judge
