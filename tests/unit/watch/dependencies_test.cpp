#include "host/watch/dependencies.h"

#include "tests/catch.h"

using namespace judge;

using Files = std::vector<std::filesystem::path>;

TEST_CASE("what a library was made from is read from the compiler's rules") {
    const std::string rules = R"(/tmp/x/0/my.so: /home/me/my\ kernel.cu /usr/include/math.h \
 plugins/common/tile.h host/emulator/include/cuda_runtime.h /home/me/a\#b$$.h \
 /home/me/../me/two.h

/home/me/two.h:
plugins/common/tile.h:
)";
    CHECK(dependencies_in(rules, "/tree") ==
          Files{"/home/me/my kernel.cu", "/tree/plugins/common/tile.h", "/home/me/a#b$.h", "/home/me/two.h"});
    CHECK(dependencies_in("", "/tree").empty());
}
