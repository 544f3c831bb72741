#include "watch/run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "base/clean_text.h"

namespace judge {

namespace fs = std::filesystem;

namespace {

std::string text_of(const fs::path& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
}

void close_end(int& end) {
    if (end >= 0) close(end);
    end = -1;
}

}  // namespace

RunProcess::Pipe::Pipe() {
    if (pipe2(ends_, O_CLOEXEC) != 0) throw std::runtime_error(fmt::format("pipe: {}", std::strerror(errno)));
}

RunProcess::Pipe::~Pipe() {
    for (int& end : ends_) close_end(end);
}

void RunProcess::Pipe::close_read_end() {
    close_end(ends_[0]);
}

// A pipe that is empty holds more than a command line. Who has ended meanwhile has said why.
void RunProcess::Pipe::write_all(const std::string& text) {
    [[maybe_unused]] const ssize_t written = write(ends_[1], text.data(), text.size());
    close_end(ends_[1]);
}

RunProcess::RunProcess(Target device, const fs::path& folder)
    : folder_(folder),
      compare_({"/proc/self/exe", "--standby", to_string(device)}, folder / "said", "/dev/null",
               arguments_.read_end()) {
    arguments_.close_read_end();
}

std::optional<Run> RunProcess::judge(const std::vector<std::string>& arguments,
                                     const std::function<bool()>& cancelled) {
    const fs::path json = folder_ / "rows.json";
    std::vector<std::string> words = {"compare", "--json", json.string()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::string text;
    for (const std::string& word : words) text += word + '\0';
    arguments_.write_all(text);
    while (!compare_.has_ended()) {
        if (cancelled()) return std::nullopt;
        usleep(3000);
    }
    const Json document = Json::parse(text_of(json), nullptr, false);
    if (document.is_object() && document.contains("rows")) {
        Run run{document.at("environment"), document.at("rows").get<std::vector<Row>>()};
        if (!run.rows.empty()) return run;
    }
    throw std::runtime_error(fmt::format("no verdict: {}", cleaned(text_of(folder_ / "said"), 1000)));
}

}  // namespace judge
