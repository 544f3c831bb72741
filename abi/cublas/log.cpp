#include "log.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <map>
#include <mutex>

#include "cublas_abi.h"
#include "engine.h"
#include "settings.h"

namespace drop_in {

namespace {

struct Log {
    std::mutex mutex;
    int file = -1;
    bool has_started = false;
    std::map<std::string, uint64_t> calls;
};

// Null until there is something to record: a process that calls no cuBLAS does nothing at its end either.
std::atomic<Log*> opened{nullptr};

// Never destroyed: a program may multiply until its end.
Log& the_log();

// In the child of a fork no call has been made.
void before_fork() {
    the_log().mutex.lock();
}
void after_fork_in_parent() {
    the_log().mutex.unlock();
}
void after_fork_in_child() {
    the_log().calls.clear();
    the_log().has_started = false;
    the_log().mutex.unlock();
}

Log* open_log() {
    auto* const log = new Log;
    const std::string& path = settings().log;
    log->file = path.empty() ? STDERR_FILENO : open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    opened = log;
    return log;
}

Log& the_log() {
    static Log& log = *open_log();
    return log;
}

// One write each, so that the lines of several processes do not mix.
void put(const Log& log, const std::string& line) {
    const std::string text = std::to_string(getpid()) + "\t" + line + "\n";
    [[maybe_unused]] const auto written = write(log.file, text.data(), text.size());
}

const char* name_of(Mode mode) {
    return mode == Mode::on ? "on" : mode == Mode::log ? "log" : "off";
}

void start(Log& log) {
    if (log.has_started) return;
    log.has_started = true;
    char program[4096] = "?";
    if (const auto length = readlink("/proc/self/exe", program, sizeof(program) - 1); length > 0) program[length] = 0;
    put(log, std::string("start\t") + program + "\tmode " + name_of(settings().mode) + "\tengine " +
                 (settings().mode == Mode::on ? engine_name() : "none"));
    static const int registered = pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
    (void)registered;
}

// A factor as the log shows it; one in the GPU's memory is unknown.
std::string factor(const Call& call, const float* value) {
    if (!value || !call.reads_factors) return "?";
    char text[32];
    std::snprintf(text, sizeof(text), "%g", *value);
    return text;
}

std::string describe(const Call& call, const std::string& where) {
    const auto letter = [](int operation) { return operation == cublas::kN ? 'N' : 'T'; };
    const std::string form{letter(call.transpose_b), letter(call.transpose_a)};
    const auto number = [](int64_t value) { return std::to_string(value); };
    return std::string(call.entry) + "\tgemm:" + form + "\t" + number(call.n) + "x" + number(call.k) + "x" +
           number(call.m) + "\tbatch=" + number(call.batch) + (call.has_arrays ? " by array" : "") +
           "\tlda=" + number(call.ldb) + " ldb=" + number(call.lda) + " ldc=" + number(call.ldc) +
           "\tbeta=" + factor(call, call.beta) + "\tbias=" + (call.bias ? "yes" : "no") + "\t" + where;
}

// When the process ends, or when this library is unloaded.
__attribute__((destructor)) void write_counts() {
    Log* const log = opened;
    if (!log) return;
    const std::lock_guard lock(log->mutex);
    for (const auto& [call, count] : log->calls) put(*log, "calls\t" + std::to_string(count) + "\t" + call);
    log->calls.clear();
}

}  // namespace

bool is_logging() {
    return settings().mode == Mode::log || (settings().mode == Mode::on && !settings().log.empty());
}

void record(const Call& call, const std::string& where) {
    if (!is_logging() || !call.is_fp32) return;
    const std::string line = describe(call, where);
    Log& log = the_log();
    const std::lock_guard lock(log.mutex);
    start(log);
    if (log.calls[line]++ == 0) put(log, "first\t" + line);
}

void note(const std::string& text, bool is_urgent) {
    if (is_urgent) tell(text);
    if (!is_logging() || (is_urgent && settings().log.empty())) return;
    Log& log = the_log();
    const std::lock_guard lock(log.mutex);
    start(log);
    put(log, "note\t" + text);
}

}  // namespace drop_in
