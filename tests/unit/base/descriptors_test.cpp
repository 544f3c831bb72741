#include "host/base/descriptors.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "tests/catch.h"

using namespace judge;

namespace {

// The exit status of a child that does this.
template <class Call>
int status_of(Call call) {
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) _exit(call());
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

TEST_CASE("standard descriptors that are closed are opened, and the others left alone") {
    CHECK(status_of([] {
              const int file = open("/dev/zero", O_RDONLY);
              dup2(file, STDOUT_FILENO);
              close(STDIN_FILENO);
              close(STDERR_FILENO);
              open_standard_descriptors();
              char byte = 1;
              const bool reads = read(STDOUT_FILENO, &byte, 1) == 1 && byte == 0;
              const bool ends = read(STDIN_FILENO, &byte, 1) == 0;
              return reads && ends && write(STDERR_FILENO, "x", 1) == 1 ? 7 : 8;
          }) == 7);
}

TEST_CASE("a descriptor is moved up, stays what it was, and is closed by exec") {
    const int low = open("/dev/zero", O_RDONLY);
    const int high = move_up(low);
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    CHECK(high >= int(std::min<rlim_t>(limit.rlim_cur, 1024) * 3 / 4));
    CHECK(fcntl(low, F_GETFD) == -1);
    CHECK(fcntl(high, F_GETFD) == FD_CLOEXEC);
    char byte = 1;
    CHECK(read(high, &byte, 1) == 1);
    CHECK(byte == 0);
    CHECK(move_up(high) == high);
    close(high);
}

TEST_CASE("a descriptor stays where it is if there is no room above") {
    CHECK(status_of([] {
              const int low = dup(STDIN_FILENO);
              const rlimit limit{rlim_t(low) + 1, rlim_t(low) + 1};
              setrlimit(RLIMIT_NOFILE, &limit);
              return move_up(low) == low && fcntl(low, F_GETFD) != -1 ? 7 : 8;
          }) == 7);
}
