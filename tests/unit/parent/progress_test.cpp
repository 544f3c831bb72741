#include "host/parent/progress.h"

#include "tests/catch.h"
#include "tests/unit/text.h"

TEST_CASE("progress prints nothing where stderr is not a terminal") {
    const std::string printed = unit::printed_to(2, [] {
        const judge::Progress progress;
        progress.show("[1/2] checking");
    });
    CHECK(printed == "");
}
