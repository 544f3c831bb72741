// What the loop waits for: saves of the files that matter, and keys.
#pragma once

#include <termios.h>

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace judge {

// While there is one, a terminal on stdin gives each key as it is pressed, and does not show it.
class Events {
  public:
    Events();  // throws std::runtime_error where the system has no more inotify instances
    ~Events();
    Events(const Events&) = delete;
    Events& operator=(const Events&) = delete;

    // From now on the saves of these files count, whether they are written in place or another file is renamed to
    // theirs. Their folders must be there; throws std::runtime_error with the folder and the cause.
    void follow(const std::vector<std::filesystem::path>& files);

    // Takes in what has come, and waits for at most so long for the first of it. A signal ends the wait.
    void wait(int milliseconds);

    // Since it was asked last.
    bool take_save();
    std::optional<char> take_key();

    // A save, or a key that changes what is to be done now.
    bool has_news() const { return saved_ || keys_.find_first_of("qrst") != std::string::npos; }
    bool input_has_ended() const { return input_ended_; }

  private:
    void read_saves();
    void read_keys();

    int inotify_;
    std::map<int, std::set<std::string>> names_;  // of the files, for each folder by its inotify descriptor
    bool saved_ = false;
    std::string keys_;
    bool input_ended_ = false;
    std::optional<termios> terminal_;  // as it was before
};

}  // namespace judge
