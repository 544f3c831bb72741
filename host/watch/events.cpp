#include "watch/events.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace judge {

namespace fs = std::filesystem;

Events::Events() : inotify_(inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
    if (inotify_ < 0) {
        throw std::runtime_error(fmt::format("no files can be watched: inotify: {}", std::strerror(errno)));
    }
    termios now{};
    if (isatty(STDIN_FILENO) == 1 && tcgetattr(STDIN_FILENO, &now) == 0) {
        terminal_ = now;
        now.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);  // but Ctrl-C stays a signal
        now.c_cc[VMIN] = 1;
        now.c_cc[VTIME] = 0;
        tcsetattr(STDIN_FILENO, TCSANOW, &now);
    }
}

Events::~Events() {
    if (terminal_) tcsetattr(STDIN_FILENO, TCSANOW, &*terminal_);
    close(inotify_);
}

void Events::follow(const std::vector<fs::path>& files) {
    std::map<int, std::set<std::string>> names;
    const auto add = [&](const fs::path& file) {
        const fs::path folder = file.parent_path();
        const int watch = inotify_add_watch(inotify_, folder.c_str(), IN_CLOSE_WRITE | IN_MOVED_TO | IN_ONLYDIR);
        if (watch < 0) throw std::runtime_error(fmt::format("{}: {}", folder.string(), std::strerror(errno)));
        names[watch].insert(file.filename().string());
    };
    for (const fs::path& file : files) {
        add(fs::absolute(file));
        std::error_code error;  // an editor may write through a link
        const fs::path linked = fs::canonical(file, error);
        if (!error && linked != file) add(linked);
    }
    names_ = std::move(names);
}

void Events::wait(int milliseconds) {
    pollfd ends[] = {{inotify_, POLLIN, 0}, {input_ended_ ? -1 : STDIN_FILENO, POLLIN, 0}};
    if (poll(ends, 2, milliseconds) <= 0) return;
    if (ends[0].revents != 0) read_saves();
    if (ends[1].revents != 0) read_keys();
}

bool Events::take_save() {
    return std::exchange(saved_, false);
}

std::optional<char> Events::take_key() {
    if (keys_.empty()) return std::nullopt;
    const char key = keys_.front();
    keys_.erase(0, 1);
    return key;
}

void Events::read_saves() {
    alignas(inotify_event) char buffer[16384];
    for (ssize_t size; (size = read(inotify_, buffer, sizeof(buffer))) > 0;) {
        for (const char* at = buffer; at < buffer + size;) {
            const auto* const event = reinterpret_cast<const inotify_event*>(at);
            const auto folder = names_.find(event->wd);
            const bool ours = folder != names_.end() && event->len > 0 && folder->second.contains(event->name);
            saved_ |= ours || (event->mask & IN_Q_OVERFLOW) != 0;  // what was lost may have been ours
            at += sizeof(inotify_event) + event->len;
        }
    }
}

void Events::read_keys() {
    char buffer[256];
    const ssize_t size = read(STDIN_FILENO, buffer, sizeof(buffer));
    if (size > 0) {
        for (const char key : std::string(buffer, static_cast<size_t>(size))) {
            if (key != '\n' && key != '\r' && key != ' ') keys_ += key;
        }
    } else if (size == 0 || (errno != EINTR && errno != EAGAIN)) {
        input_ended_ = true;
    }
}

}  // namespace judge
