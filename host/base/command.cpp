#include "base/command.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <stdexcept>

namespace judge {

Command::Command(const std::vector<std::string>& arguments, const std::filesystem::path& stderr_file,
                 const std::filesystem::path& stdout_file, int input) {
    std::vector<char*> words;
    for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
    words.push_back(nullptr);

    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    if (input < 0) posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (input >= 0) posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
    constexpr int kWrite = O_WRONLY | O_CREAT | O_TRUNC;
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, stdout_file.c_str(), kWrite, 0600);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, stderr_file.c_str(), kWrite, 0600);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t signals;  // that we may have ignored, which others do not expect
    sigemptyset(&signals);
    sigaddset(&signals, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes, &signals);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setpgroup(&attributes, 0);
    const int error = posix_spawnp(&pid_, words[0], &files, &attributes, words.data(), environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    if (error != 0) {
        ended_ = true;
        throw std::runtime_error(fmt::format("{} cannot be started: {}", arguments[0], std::strerror(error)));
    }
}

bool Command::has_ended() {
    int status = 0;
    if (!ended_ && waitpid(pid_, &status, WNOHANG) != 0) {
        ended_ = true;
        status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    return ended_;
}

void Command::stop() {
    if (has_ended()) return;
    kill(-pid_, SIGTERM);
    for (int ms = 0; !has_ended(); ++ms) {
        if (ms == 5000) kill(-pid_, SIGKILL);
        usleep(1000);
    }
}

}  // namespace judge
