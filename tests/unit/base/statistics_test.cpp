#include "host/base/statistics.h"

#include <cmath>
#include <random>

#include "tests/catch.h"

using namespace judge;

TEST_CASE("mean, standard deviation and median") {
    const std::vector<double> samples{2, 4, 4, 4, 5, 5, 7, 9};
    CHECK(mean(samples) == 5);
    CHECK(standard_deviation(samples) == 2);  // of the population
    CHECK(median(samples) == 4.5);
    CHECK(median({9, 1, 5}) == 5);
    CHECK(median({3}) == 3);
    CHECK(standard_deviation({3}) == 0);
    CHECK(median({100, 1, 2, 3, 4, 5, 6}) == 4);  // one outlier moves nothing
}

TEST_CASE("the median's interval lies between the samples that the binomial distribution names") {
    CHECK(!median_interval({}));
    CHECK(!median_interval({5, 4, 3, 2, 1}));
    const auto bounds = [](int count) {
        std::vector<double> samples;
        for (int i = 0; i < count; ++i) samples.push_back(count - i);  // in no order that helps
        const auto interval = median_interval(samples);
        REQUIRE(interval);
        return std::pair(interval->low, interval->high);
    };
    // From a table of the sign test at 95 %.
    CHECK(bounds(6) == std::pair(1.0, 6.0));
    CHECK(bounds(8) == std::pair(1.0, 8.0));
    CHECK(bounds(9) == std::pair(2.0, 8.0));
    CHECK(bounds(12) == std::pair(3.0, 10.0));
    CHECK(bounds(20) == std::pair(6.0, 15.0));
    CHECK(bounds(25) == std::pair(8.0, 18.0));
}

TEST_CASE("an outlier does not move the interval") {
    CHECK(median_interval({1, 2, 3, 4, 5, 6, 7, 8, 1e9})->high == 8);
}

TEST_CASE("the interval holds the median of a skewed distribution 19 times in 20") {
    std::mt19937 random(1);
    std::exponential_distribution<double> distribution(1);
    const double truth = std::log(2.0);
    for (const int count : {6, 9, 12, 30}) {
        CAPTURE(count);
        int held = 0;
        for (int trial = 0; trial < 4000; ++trial) {
            std::vector<double> samples;
            for (int i = 0; i < count; ++i) samples.push_back(distribution(random));
            held += median_interval(samples)->contains(truth);
        }
        CHECK(held >= 0.945 * 4000);
        CHECK(held < 4000);  // nor is it so wide that it says nothing
    }
}

TEST_CASE("thousands of samples have an interval, too, as narrow as it should be") {
    for (const int count : {1000, 1001, 5000}) {
        std::vector<double> samples(static_cast<size_t>(count));
        for (int i = 0; i < count; ++i) samples[size_t(i)] = double(i) / count;
        const auto interval = median_interval(samples);
        REQUIRE(interval);
        CHECK(std::abs(interval->half_width() * std::sqrt(double(count)) - 0.98) < 0.05);
    }
}
