#include "host/base/output.h"

#include <fcntl.h>
#include <unistd.h>

#include "tests/catch.h"
#include "tests/unit/text.h"

using namespace judge;
using namespace unit;

namespace {

// What the call returns while all writes to the descriptor find the disk full.
template <class Call>
auto on_a_full_disk(int descriptor, Call call) {
    std::fflush(nullptr);
    const int saved = dup(descriptor), full = open("/dev/full", O_WRONLY);
    dup2(full, descriptor);
    const auto result = call();
    dup2(saved, descriptor);
    close(saved);
    close(full);
    std::clearerr(descriptor == STDOUT_FILENO ? stdout : stderr);
    return result;
}

}  // namespace

TEST_CASE("what is printed is there at once, and what cannot be printed is said") {
    std::string why = "not called";
    const std::string text("a\n\0b", 4);
    CHECK(printed_to(STDOUT_FILENO, [&] { why = print(text); }) == text);
    CHECK(why == "");
    CHECK(on_a_full_disk(STDOUT_FILENO, [] { return print("text"); }) == "No space left on device");
    CHECK(on_a_full_disk(STDOUT_FILENO, [] { return print(std::string(1'000'000, 'x')); }) ==
          "No space left on device");
}

TEST_CASE("a complaint is one clean line, and none where stderr cannot be written") {
    CHECK(printed_to(STDERR_FILENO, [] { complain("no plugin in \033[2J/a\nb"); }) == "compare: no plugin in /a b\n");
    CHECK(on_a_full_disk(STDERR_FILENO, [] {
        complain("nobody hears this");
        return true;
    }));
}
