#include "host/values/gemm_form.h"

#include <stdexcept>

#include "tests/catch.h"

using namespace judge;

TEST_CASE("a form is read as it is written") {
    for (const std::string& name : form_names()) CHECK(to_string(parse_form(name)) == name);
    CHECK(parse_form("NT", 3) == GemmForm{false, true, 3});
    CHECK(parse_form("TN") == GemmForm{true, false, 1});
}

TEST_CASE("what is no form is refused") {
    for (const char* name : {"", "N", "NNN", "nt", "CN"}) CHECK_THROWS_AS(parse_form(name), std::invalid_argument);
}
