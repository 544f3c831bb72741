#include "settings.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "../solve.h"

namespace drop_in {

namespace {

std::string variable(const char* name) {
    const char* const value = std::getenv(name);
    return value ? value : "";
}

[[noreturn]] void refuse(const char* name, const std::string& value, const std::string& expected) {
    throw std::invalid_argument(std::string(name) + "=" + value + ": " + expected);
}

Mode parse_mode(const std::string& value) {
    if (value.empty() || value == "on") return Mode::on;
    if (value == "log") return Mode::log;
    if (value == "off") return Mode::off;
    refuse("SGEMM_LADDER", value, "expected on, log or off");
}

Serve parse_serve(const std::string& value) {
    if (value.empty()) return Serve::by_gpu;
    if (value == "faster") return Serve::faster;
    if (value == "all") return Serve::all;
    refuse("SGEMM_LADDER_SERVE", value, "expected faster or all");
}

uint32_t parse_accuracy(const std::string& value) {
    if (value.empty() || value == "strict") return SOLVE_ARITHMETIC_FP32;
    if (value == "fp32-accurate") return SOLVE_ARITHMETIC_FP32_EMULATED;
    refuse("SGEMM_LADDER_ACCURACY", value, "expected strict or fp32-accurate");
}

uint64_t parse_count(const std::string& value) {
    uint64_t count = 0;
    const char* const end = value.data() + value.size();
    const auto [stop, error] = std::from_chars(value.data(), end, count);
    if (!value.empty() && (stop != end || error != std::errc{})) {
        refuse("SGEMM_LADDER_VERIFY", value, "expected a whole number: every so many calls one is checked, 0 for none");
    }
    return count;
}

std::string parse_log(const std::string& path) {
    if (path.empty()) return path;
    const int file = open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0) refuse("SGEMM_LADDER_LOG", path, std::string("cannot be written: ") + std::strerror(errno));
    close(file);
    return path;
}

Settings read() {
    Settings found;
    try {
        found.mode = parse_mode(variable("SGEMM_LADDER"));
        if (found.mode == Mode::off) return found;
        found.serve = parse_serve(variable("SGEMM_LADDER_SERVE"));
        found.accuracy = parse_accuracy(variable("SGEMM_LADDER_ACCURACY"));
        found.verify_every = parse_count(variable("SGEMM_LADDER_VERIFY"));
        found.log = parse_log(variable("SGEMM_LADDER_LOG"));
        found.engine = variable("SGEMM_LADDER_ENGINE");
        found.folders = variable("SGEMM_LADDER_PATH");
    } catch (const std::invalid_argument& error) {
        tell(std::string(error.what()) + "; all calls go to cuBLAS");
        found.mode = Mode::off;
    }
    return found;
}

}  // namespace

const Settings& settings() {
    static const Settings& found = *new Settings(read());  // never destroyed: a program may multiply until its end
    return found;
}

void tell(const std::string& text) {
    const std::string line = "sgemm-ladder: " + text + "\n";
    [[maybe_unused]] const auto written = write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace drop_in
