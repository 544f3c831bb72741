#include "host/report/markdown_text.h"

#include "tests/catch.h"

using namespace judge;

TEST_CASE("what means something in Markdown is shown as it is") {
    CHECK(escaped("10_naive: C = A * B, 1.5e-3") == "10_naive: C = A * B, 1.5e-3");
    CHECK(escaped("a|b") == "a\\|b");
    CHECK(escaped("a\\|b") == "a\\\\\\|b");  // the backslash of the text does not undo ours
    CHECK(escaped("`rm`") == "\\`rm\\`");
    CHECK(escaped("<b>[x](y)") == "\\<b>\\[x](y)");
    CHECK(escaped("\033[1ma\r\n\nb") == "a b");
}

TEST_CASE("code may hold anything, backticks at its ends too") {
    CHECK(code("compare --markdown") == "`compare --markdown`");
    CHECK(code("a|b") == "`a|b`");
    CHECK(code("`a``b") == "``` `a``b ```");
    CHECK(code("a\nb") == "`a b`");
}
