#include "host/checks/rounding.h"

#include <cmath>
#include <limits>

#include "host/values/data.h"
#include "tests/catch.h"

using namespace judge;

namespace {

constexpr Rounding kAll[] = {Rounding::tf32_nearest, Rounding::tf32_truncated, Rounding::fp16_nearest,
                             Rounding::bf16_nearest, Rounding::bf16_truncated};

}  // namespace

TEST_CASE("a number of as many bits as the format has is left alone, at either sign") {
    for (const Rounding rounding : kAll) {
        CAPTURE(to_string(rounding));
        const float widest = std::ldexp(1.0f, significant_bits(rounding)) - 1;
        for (const float value : {0.0f, 1.0f, -widest, widest * 0x1p-20f, 1.5f})
            CHECK(rounded(rounding, value) == value);
    }
    CHECK(rounded(Rounding::none, 1.0000001f) == 1.0000001f);
}

TEST_CASE("rounding to nearest is off by at most half a unit, truncating by less than a whole one, towards zero") {
    for (const Rounding rounding : kAll) {
        CAPTURE(to_string(rounding));
        const double unit = std::ldexp(1.0, 1 - significant_bits(rounding));
        double most = 0;
        for (int i = 0; i < 100'000; ++i) {
            const float value = element({1, Data::wide}, i), close = rounded(rounding, value);
            const double error = (close - double(value)) / value;
            if (truncates(rounding) && error > 0) FAIL(value << " became " << close);
            most = std::max(most, std::abs(error));
        }
        CHECK(most <= (truncates(rounding) ? unit : unit / 2));
        CHECK(most > (truncates(rounding) ? unit : unit / 2) * 0.9);
    }
}

TEST_CASE("ties go away from zero in TF32, to even in FP16 and BF16") {
    CHECK(rounded(Rounding::tf32_nearest, 1 + 0x1p-11f) == 1 + 0x1p-10f);
    CHECK(rounded(Rounding::tf32_nearest, -1 - 0x1p-11f) == -1 - 0x1p-10f);
    CHECK(rounded(Rounding::fp16_nearest, 1 + 0x1p-11f) == 1);
    CHECK(rounded(Rounding::fp16_nearest, 1 + 3 * 0x1p-11f) == 1 + 0x1p-9f);
    CHECK(rounded(Rounding::bf16_nearest, 1 + 0x1p-8f) == 1);
    CHECK(rounded(Rounding::bf16_nearest, 1 + 3 * 0x1p-8f) == 1 + 0x1p-6f);
}

TEST_CASE("half precision has a range of its own") {
    CHECK(rounded(Rounding::fp16_nearest, 65504.0f) == 65504.0f);
    CHECK(rounded(Rounding::fp16_nearest, 65519.0f) == 65504.0f);
    CHECK(std::isinf(rounded(Rounding::fp16_nearest, 65520.0f)));
    CHECK(rounded(Rounding::fp16_nearest, -1e10f) == -std::numeric_limits<float>::infinity());
    CHECK(rounded(Rounding::fp16_nearest, 0x1p-24f) == 0x1p-24f);
    CHECK(rounded(Rounding::fp16_nearest, 0x1.8p-24f) == 0x1p-23f);
    CHECK(rounded(Rounding::fp16_nearest, 0x1p-25f) == 0);
    CHECK(rounded(Rounding::fp16_nearest, -0x1.8p-23f) == -0x1.8p-23f);
}

TEST_CASE("NaN and infinity are left alone") {
    for (const Rounding rounding : kAll) {
        CHECK(std::isnan(rounded(rounding, std::numeric_limits<float>::quiet_NaN())));
        CHECK(std::isinf(rounded(rounding, -std::numeric_limits<float>::infinity())));
    }
}
