#include "host/base/clean_text.h"

#include "tests/catch.h"

using namespace judge;

TEST_CASE("what is fit to be shown stays as it is") {
    for (const char* text :
         {"", "a", "1 wrong of 42 elements; first at (5, 3)", "caf\u00e9 \u00d7 \u221e \U0001f600", "[31m"}) {
        CHECK(cleaned(text, 100) == text);
    }
}

TEST_CASE("an escape sequence does nothing, whether it is whole or not") {
    CHECK(cleaned("a\033[31mb\033[0mc", 100) == "abc");
    CHECK(cleaned("a\033]0;a title\ab", 100) == "ab");
    CHECK(cleaned("a\033]8;;http://x\033\\b", 100) == "ab");
    CHECK(cleaned("a\033Pq#0\033\\b\033cd", 100) == "abd");
    for (const char* cut : {"a\033", "a\033[", "a\033[31", "a\033]0;title", "a\033]0;title\033"})
        CHECK(cleaned(cut, 100) == "a");
    CHECK(cleaned("a\xc2\x9b"
                  "31mb",
                  100) == "a?31mb");  // the same as ESC [ in one character
}

TEST_CASE("line ends and tabs become one blank, and none at the ends") {
    CHECK(cleaned(" \n a\r\n\tb\v\f\u0085\u2028c \n", 100) == "a b c");
    CHECK(cleaned("\n\n", 100) == "");
}

TEST_CASE("other control characters, and what turns the letters around, are question marks") {
    CHECK(cleaned(std::string("a\0b\b\x7f", 5), 100) == "a?b??");
    CHECK(cleaned("a\u202eb\u2066c\u200f", 100) == "a?b?c?");
}

TEST_CASE("bytes that are no UTF-8 are replaced, each by one character") {
    CHECK(cleaned("a\xff"
                  "b",
                  100) ==
          "a\ufffd"
          "b");
    CHECK(cleaned("\xc3", 100) == "\ufffd");
    CHECK(cleaned("\xc0\xaf", 100) == "\ufffd\ufffd");                      // too long for a '/'
    CHECK(cleaned("\xe0\x80\xaf", 100) == "\ufffd\ufffd\ufffd");            // likewise
    CHECK(cleaned("\xed\xa0\x80", 100) == "\ufffd\ufffd\ufffd");            // a surrogate
    CHECK(cleaned("\xf4\x90\x80\x80", 100) == "\ufffd\ufffd\ufffd\ufffd");  // past the last character
    CHECK(cleaned("\ufffd", 100) == "\ufffd");
}

TEST_CASE("a long text is cut between characters, and shows that it is") {
    CHECK(cleaned("abcde", 5) == "abcde");
    CHECK(cleaned("abcdef", 5) == "abcde ...");
    CHECK(cleaned("\u00e9\u00e9\u00e9", 2) == "\u00e9\u00e9 ...");
    CHECK(cleaned(std::string(50'000'000, 'x'), 1000).size() == 1004);
    CHECK(cleaned("ab  \n ", 2) == "ab");
    CHECK(cleaned("ab c", 3) == "ab ...");
}
