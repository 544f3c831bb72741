#include "watch/run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "base/clean_text.h"
#include "base/whole_file.h"
#include "values/json.h"

namespace judge {

namespace fs = std::filesystem;

namespace {

// One row without a shape is of a library that cannot be judged at any.
bool is_all(const Run& run, size_t rows) {
    return run.rows.size() == rows || run.rows.front().shape.empty();
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
      json_(folder / "rows.json"),
      compare_({"/proc/self/exe", "--standby", to_string(device)}, folder / "said", "/dev/null",
               arguments_.read_end()) {
    arguments_.close_read_end();
}

std::optional<Run> RunProcess::judge(const std::vector<std::string>& arguments, size_t rows,
                                     const std::function<bool()>& cancelled) {
    std::vector<std::string> words = {"compare", "--json", json_.string()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::string text;
    for (const std::string& word : words) text += word + '\0';
    fs::remove(json_);  // of the run before, of the same library
    arguments_.write_all(text);
    fs::file_time_type read{};
    while (true) {
        const bool ended = compare_.has_ended();  // before reading, so that what it wrote last is not missed
        std::error_code error;
        const auto written = fs::last_write_time(json_, error);
        if (!error && (ended || written != read)) {
            const auto run = rows_so_far();
            if (run && (ended || is_all(*run, rows))) return run;
            read = written;
        }
        if (ended) {
            const std::string said = cleaned(whole_text(folder_ / "said"), 1000);
            throw std::runtime_error("no verdict: " + (said.empty() ? "the run ended without a word" : said));
        }
        if (cancelled()) return std::nullopt;
        usleep(3000);
    }
}

std::optional<Run> RunProcess::rows_so_far() const {
    const Json document = Json::parse(whole_text(json_), nullptr, false);
    if (!document.is_object() || !document.contains("rows")) return std::nullopt;
    Run run{document.at("environment"), document.at("rows").get<std::vector<Row>>()};
    return run.rows.empty() ? std::nullopt : std::optional(std::move(run));
}

}  // namespace judge
