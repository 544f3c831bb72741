#include "host/values/shape.h"

#include <stdexcept>

#include "tests/catch.h"
#include "tests/unit/text.h"

using namespace judge;
using unit::contains;
using unit::message_thrown_by;

TEST_CASE("a shape is read as MxNxK and written the same way") {
    const Shape shape = parse_shape("1000x777x3000");
    CHECK(shape.M == 1000);
    CHECK(shape.N == 777);
    CHECK(shape.K == 3000);
    CHECK(to_string(shape) == "1000x777x3000");
}

TEST_CASE("one number stands for a cube") {
    CHECK(parse_shape("512") == Shape{512, 512, 512});
}

TEST_CASE("sizes go from 0 to the largest int") {
    CHECK(parse_shape("0x1x2147483647") == Shape{0, 1, 2147483647});
    CHECK(parse_shape("0") == Shape{0, 0, 0});
}

TEST_CASE("what is not a shape is refused with the text and the form expected") {
    for (const char* text :
         {"", "x", "abc", "-1x2x3", "1x2x-3", "+1x2x3", "1x2x3x", "x1x2x3", "1xx3", "1 x2x3", " 1x2x3", "1x2x3 ",
          "1,2,3", "1X2X3", "1.5x2x3", "2147483648", "1x2x99999999999999999999", "0x10"}) {
        CAPTURE(text);
        const std::string message = message_thrown_by<std::invalid_argument>([&] { parse_shape(text); });
        CAPTURE(message);
        CHECK(contains(message, "'" + std::string(text) + "'"));
        CHECK(contains(message, "MxNxK"));
    }
}

TEST_CASE("two sizes or four are no shape, and the message counts them") {
    const auto message_for = [](const char* text) {
        return message_thrown_by<std::invalid_argument>([&] { parse_shape(text); });
    };
    CHECK(contains(message_for("1x2"), "2 sizes"));
    CHECK(contains(message_for("1x2x3x4"), "4 sizes"));
}

TEST_CASE("element counts and operations pass 2^31") {
    const Shape shape{70'000, 65'536, 80'000};
    CHECK(shape.a_elements() == 4'587'520'000);
    CHECK(shape.b_elements() == 5'242'880'000);
    CHECK(shape.c_elements() == 5'600'000'000);
    CHECK(shape.flops() == Approx(2.0 * 70e3 * 65536 * 80e3));
}

TEST_CASE("A is M x N, B is N x K and C is M x K") {
    const Shape shape{2, 3, 5};
    CHECK(shape.a_elements() == 6);
    CHECK(shape.b_elements() == 15);
    CHECK(shape.c_elements() == 10);
    CHECK(shape.flops() == 60);
    CHECK(Shape{2, 5, 3} != shape);
}

TEST_CASE("a chain has four sizes, its output M x L, and counts the cheaper order") {
    const Shape shape = parse_shape("10x20x30x5", Operation::chain);
    CHECK(shape == Shape{10, 20, 30, 5});
    CHECK(shape.is_chain());
    CHECK(to_string(shape) == "10x20x30x5");
    CHECK(shape.c_elements() == 150);
    CHECK(shape.output_elements() == 50);
    CHECK(shape.flops() == 2.0 * 20 * 30 * 5 + 2.0 * 10 * 20 * 5);
    CHECK(parse_shape("7", Operation::chain) == Shape{7, 7, 7, 7});
    CHECK_FALSE(parse_shape("7").is_chain());
    CHECK_THROWS_AS(parse_shape("1x2x3", Operation::chain), std::invalid_argument);
    CHECK_THROWS_AS(parse_shape("1x2x3x4"), std::invalid_argument);
}
