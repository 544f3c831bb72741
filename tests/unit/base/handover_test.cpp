#include "host/base/handover.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/catch.h"

using namespace judge;

namespace {

struct Sockets {
    Sockets() { REQUIRE(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0); }
    ~Sockets() {
        for (const int end : ends) close(end);
    }
    int ends[2];
};

}  // namespace

TEST_CASE("text and open files are handed over, in their order and closed by exec") {
    const Sockets sockets;
    int one[2], other[2];
    REQUIRE(pipe(one) == 0);
    REQUIRE(pipe(other) == 0);
    CHECK(hand_over(sockets.ends[0], "two of them", {one[1], other[1]}));
    for (const int end : {one[1], other[1]}) close(end);
    const auto handover = take_over(sockets.ends[1]);
    REQUIRE(handover);
    CHECK(handover->text == "two of them");
    REQUIRE(handover->descriptors.size() == 2);
    for (const int end : handover->descriptors) CHECK((fcntl(end, F_GETFD) & FD_CLOEXEC) != 0);
    REQUIRE(write(handover->descriptors[1], "x", 1) == 1);
    char byte = 0;
    CHECK(read(other[0], &byte, 1) == 1);
    CHECK(byte == 'x');
    for (const int end : {one[0], other[0], handover->descriptors[0], handover->descriptors[1]}) close(end);
}

TEST_CASE("text alone is handed over, too, and what is too long is not") {
    const Sockets sockets;
    CHECK(!hand_over(sockets.ends[0], std::string(100'000, 'x'), {}));
    CHECK(hand_over(sockets.ends[0], std::string(10'000, 'x'), {}));
    const auto handover = take_over(sockets.ends[1]);
    REQUIRE(handover);
    CHECK(handover->text == std::string(10'000, 'x'));
    CHECK(handover->descriptors.empty());
}

TEST_CASE("there is no handover between processes of which one is gone") {
    Sockets sockets;
    close(sockets.ends[0]);
    CHECK(!take_over(sockets.ends[1]));
    CHECK(!hand_over(sockets.ends[1], "x", {}));
    sockets.ends[0] = -1;
}
