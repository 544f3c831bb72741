#include "host/worker/channel.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/catch.h"
#include "tests/unit/text.h"

using namespace judge;
using namespace unit;

namespace {

constexpr uint64_t kKey = 77;

struct ChannelEnd {
    int status;  // of the exit
    std::string received;
};

// What comes of a child that gets a channel, whose descriptor it is told.
template <class Call>
ChannelEnd outcome_of(Call call) {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    std::fflush(nullptr);
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        close(ends[0]);
        call(Channel(ends[1], kKey), ends[1]);
        _exit(0);
    }
    close(ends[1]);
    ChannelEnd outcome{};
    char buffer[4096];
    for (ssize_t count; (count = read(ends[0], buffer, sizeof(buffer))) > 0;)
        outcome.received.append(buffer, size_t(count));
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return outcome;
}

std::vector<Message> messages_in(const std::string& received) {
    std::vector<Message> messages;
    for (const std::string& line : lines_of(received)) {
        if (const auto message = parse_message(line, kKey)) messages.push_back(*message);
    }
    return messages;
}

}  // namespace

TEST_CASE("what a plugin writes to the descriptor between two messages costs neither of them") {
    for (const std::string written : {"x", "x\n", "{\"type\": \"done\"}\n", "\xff\n\n\0"}) {
        const ChannelEnd outcome = outcome_of([&](const Channel& channel, int descriptor) {
            channel.phase(Activity::loading, "loading");
            if (write(descriptor, written.data(), written.size()) < 0) _exit(1);
            channel.phase(Activity::checking, "checking");
            if (write(descriptor, written.data(), written.size()) < 0) _exit(1);
        });
        CAPTURE(written);
        CHECK(outcome.status == 0);
        CHECK(messages_in(outcome.received).size() == 2);
    }
}

TEST_CASE("a message waits for room in a pipe that the plugin has made non-blocking") {
    const std::string text(1'000'000, 'x');
    const ChannelEnd outcome = outcome_of([&](const Channel& channel, int descriptor) {
        fcntl(descriptor, F_SETFL, O_NONBLOCK);
        channel.phase(Activity::loading, text);
    });
    CHECK(outcome.status == 0);
    REQUIRE(messages_in(outcome.received).size() == 1);
    CHECK(std::get<Phase>(messages_in(outcome.received)[0]).text == text);
}

TEST_CASE("where the plugin has closed the descriptor, or put another file there, the worker ends") {
    CHECK(outcome_of([](const Channel& channel, int descriptor) {
              close(descriptor);
              channel.phase(Activity::loading, "");
          }).status == kChannelGone);
    CHECK(outcome_of([](const Channel& channel, int descriptor) {
              dup2(open("/dev/null", O_WRONLY), descriptor);
              channel.phase(Activity::loading, "");
          }).status == kChannelGone);
}

TEST_CASE("a child that the plugin forked sends nothing") {
    const ChannelEnd outcome = outcome_of([](const Channel& channel, int) {
        const pid_t child = fork();
        channel.phase(Activity::loading, "loading");
        int status = 0;
        const bool ended = child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status);
        _exit(ended ? WEXITSTATUS(status) : 1);
    });
    CHECK(outcome.status == kChannelGone);
    CHECK(messages_in(outcome.received).size() == 1);
}
