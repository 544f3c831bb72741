// A worker's job, done in a child of the test's process.
#pragma once

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/values/job.h"
#include "host/values/json.h"
#include "host/values/message.h"
#include "host/worker/worker.h"
#include "tests/catch.h"
#include "tests/unit/files.h"
#include "tests/unit/text.h"

namespace unit {

using namespace judge;

constexpr const char* kRightSolve = R"(
    extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
        for (int i = 0; i < M; ++i) {
            for (int k = 0; k < K; ++k) C[i * K + k] = 0;
            for (int n = 0; n < N; ++n) {
                for (int k = 0; k < K; ++k) C[i * K + k] += A[i * N + n] * B[n * K + k];
            }
        }
    })";

struct Outcome {
    std::vector<Message> messages;
    int status = 0;  // as waitpid has it

    template <class Kind>
    std::vector<Kind> all() const {
        std::vector<Kind> found;
        for (const Message& message : messages) {
            if (const auto* const one = std::get_if<Kind>(&message)) found.push_back(*one);
        }
        return found;
    }
    Row only_row() const {
        const auto rows = all<Row>();
        REQUIRE(rows.size() == 1);
        return rows[0];
    }
    bool done() const { return !messages.empty() && kind_of(messages.back()) == MessageKind::done; }
};

// Calls body(descriptor of the channel), which ends the process, in a child of this one.
template <class Body>
Outcome work_in_child(uint64_t key, Body body) {
    int channel[2];
    REQUIRE(pipe(channel) == 0);
    std::fflush(nullptr);
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        const int null = open("/dev/null", O_WRONLY);
        dup2(null, STDOUT_FILENO);
        dup2(null, STDERR_FILENO);
        close(channel[0]);
        body(channel[1]);
        _exit(99);
    }
    close(channel[1]);
    std::string received;
    char buffer[4096];
    for (ssize_t count; (count = read(channel[0], buffer, sizeof(buffer))) > 0;) received.append(buffer, size_t(count));
    close(channel[0]);
    Outcome outcome;
    waitpid(child, &outcome.status, 0);
    for (const std::string& line : lines_of(received)) {
        if (!line.empty()) outcome.messages.push_back(parse_message(line, key).value());
    }
    return outcome;
}

// Does the job in a child of this process.
inline Outcome work(Job job) {
    return work_in_child(job.key, [&](int channel) {
        job.channel = channel;
        run_worker(Json(job).dump());
    });
}

inline Job judging(const fs::path& plugin, const std::vector<Shape>& shapes) {
    Job job;
    job.kind = Job::Kind::judge;
    job.plugin = plugin;
    job.device = Target::cpu;
    job.shapes = shapes;
    job.seed = 3;
    job.check_only = true;
    return job;
}

}  // namespace unit
