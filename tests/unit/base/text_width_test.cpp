#include "host/base/text_width.h"

#include "tests/catch.h"

using namespace judge;

TEST_CASE("text is as wide as it has characters, whatever they take in bytes") {
    CHECK(width("") == 0);
    CHECK(width("10_naive") == 8);
    CHECK(width("✓ ± ≈") == 5);
}

TEST_CASE("a long name keeps its beginning and its end, with an ellipsis between them, and is as wide as asked for") {
    CHECK(shortened("10_naive", 8) == "10_naive");
    CHECK(shortened("abcdefghij", 7) == "abcd…ij");
    CHECK(shortened("±±±±±±±±±±", 7) == "±±±±…±±");
    CHECK(shortened("abc", 1) == "…");
    CHECK(shortened("abc", 0).empty());
    for (size_t most = 1; most < 12; ++most) CHECK(width(shortened("0123456789ab", most)) == most);
}

TEST_CASE("a long text is broken between words, and goes on with an indentation") {
    CHECK(wrapped("a b c", 0) == "a b c");
    CHECK(wrapped("a  b", 4) == "a  b");
    CHECK(wrapped("one two three four", 9) == "one two\n  three\n  four");
    CHECK(wrapped("  ± ± ± ±", 5) == "  ± ±\n    ±\n    ±");
    CHECK(wrapped("a wordthatislonger b", 6) == "a\n  wordthatislonger\n  b");
}
