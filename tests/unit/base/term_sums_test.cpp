#include "base/term_sums.h"

#include <cmath>
#include <vector>

#include "tests/catch.h"

TEST_CASE("sums of terms have the bits that they have element by element, whatever vectors there are") {
    for (const size_t count : {0, 1, 3, 8, 17, 64, 100}) {
        std::vector<float> b(count), in_fp32(count, 0.1f), want_in_fp32 = in_fp32;
        std::vector<double> sum(count, 0.3), magnitude(count, 0.7), want_sum = sum, want_magnitude = magnitude;
        for (int n = 1; n <= 50; ++n) {
            const float a = std::sin(float(n));
            for (size_t k = 0; k < count; ++k) b[k] = std::cos(float(n * (k + 1)));
            judge::add_term(a, std::abs(a), b.data(), count, sum.data(), magnitude.data());
            judge::add_term_in_fp32(a, b.data(), count, in_fp32.data());
            for (size_t k = 0; k < count; ++k) {
                const double product = double(a) * b[k];
                want_sum[k] += product;
                want_magnitude[k] += std::abs(product);
                want_in_fp32[k] = static_cast<float>(product + want_in_fp32[k]);
            }
        }
        CHECK(sum == want_sum);
        CHECK(magnitude == want_magnitude);
        CHECK(in_fp32 == want_in_fp32);
    }
}
