#include "host/values/data.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <set>
#include <stdexcept>

#include "tests/catch.h"

using judge::Data;
using judge::element;
using judge::uniform;

namespace {

struct Moments {
    double mean = 0, mean_square = 0, least = 0, most = 0;
};

Moments moments(Data data, int count) {
    Moments found;
    for (int i = 0; i < count; ++i) {
        const double value = element({17, data}, i);
        found.mean += value / count;
        found.mean_square += value * value / count;
        found.least = i == 0 ? value : std::min(found.least, value);
        found.most = i == 0 ? value : std::max(found.most, value);
    }
    return found;
}

}  // namespace

TEST_CASE("uniform numbers lie in [-1, 1) and are multiples of 2^-23") {
    float least = 1, most = -1;
    for (uint64_t i = 0; i < 200'000; ++i) {
        const float value = uniform(5, i);
        least = std::min(least, value);
        most = std::max(most, value);
        const float steps = value * 0x1p23f;
        if (steps != std::floor(steps)) FAIL("element " << i << " is " << value);
    }
    CHECK(least >= -1.0f);
    CHECK(least < -0.999f);
    CHECK(most < 1.0f);
    CHECK(most > 0.999f);
}

TEST_CASE("uniform numbers have the mean and the variance of the uniform distribution") {
    constexpr int kCount = 1'000'000;
    double sum = 0, squares = 0;
    for (int i = 0; i < kCount; ++i) {
        const double value = uniform(17, i);
        sum += value;
        squares += value * value;
    }
    CHECK(std::abs(sum / kCount) < 5 / std::sqrt(3.0 * kCount));
    CHECK(squares / kCount == Approx(1.0 / 3).epsilon(0.005));
}

TEST_CASE("a number depends on all 64 bits of the seed and of the index") {
    CHECK(uniform(1, 123'456'789'012) == uniform(1, 123'456'789'012));
    CHECK(uniform(1, 0) != uniform(1, uint64_t{1} << 32));  // the index is not cut to 32 bits
    CHECK(uniform(1, 0) != uniform(1 + (uint64_t{1} << 32), 0));
}

TEST_CASE("streams of neighbouring seeds share no numbers, shifted or not") {
    constexpr int kCount = 1000;
    std::set<float> first;
    for (int i = 0; i < kCount; ++i) first.insert(uniform(40, i));
    CHECK(first.size() > kCount - 5);
    int shared = 0;
    for (int i = 0; i < kCount; ++i) shared += int(first.count(uniform(41, i)));
    CHECK(shared < 5);

    double correlation = 0;
    for (int i = 0; i < 100'000; ++i) correlation += double(uniform(40, i)) * uniform(41, i);
    CHECK(std::abs(correlation / 100'000) < 5.0 / 3 / std::sqrt(100'000.0));
}

TEST_CASE("normal numbers have mean 0, variance 1 and the tails of eight uniform ones") {
    const Moments found = moments(Data::normal, 1'000'000);
    CHECK(std::abs(found.mean) < 5e-3);
    CHECK(found.mean_square == Approx(1).epsilon(0.005));
    CHECK(found.least < -4);
    CHECK(found.most > 4);
    CHECK(found.most < 4.91);
    int within_one = 0, odd_mantissas = 0;
    for (int i = 0; i < 100'000; ++i) {
        const float value = element({3, Data::normal}, i);
        within_one += std::abs(value) < 1;
        odd_mantissas += std::bit_cast<uint32_t>(value) & 1;
    }
    CHECK(within_one / 1e5 == Approx(0.683).epsilon(0.02));
    CHECK(odd_mantissas / 1e5 == Approx(0.5).epsilon(0.1));  // all 24 bits are used
}

TEST_CASE("positive numbers are uniform on [0, 1), multiples of 2^-24") {
    const Moments found = moments(Data::positive, 1'000'000);
    CHECK(found.least >= 0);
    CHECK(found.most < 1);
    CHECK(found.most > 0.999);
    CHECK(found.mean == Approx(0.5).epsilon(0.01));
    CHECK(found.mean_square == Approx(1.0 / 3).epsilon(0.01));
    for (int i = 0; i < 1000; ++i) {
        const float steps = element({5, Data::positive}, i) * 0x1p24f;
        CHECK(steps == std::floor(steps));
    }
}

TEST_CASE("wide numbers have each of 16 exponents and both signs equally often") {
    std::map<int, int> of_exponent;
    int negative = 0;
    constexpr int kCount = 160'000;
    for (int i = 0; i < kCount; ++i) {
        const float value = element({7, Data::wide}, i);
        ++of_exponent[std::ilogb(value)];
        negative += value < 0;
    }
    CHECK(of_exponent.size() == 16);
    CHECK(of_exponent.begin()->first == -8);
    CHECK(of_exponent.rbegin()->first == 7);
    for (const auto& [exponent, count] : of_exponent) CHECK(count == Approx(kCount / 16).epsilon(0.1));
    CHECK(negative == Approx(kCount / 2).epsilon(0.02));
}

TEST_CASE("integers are -4 to 4, each equally often") {
    std::map<float, int> of_value;
    constexpr int kCount = 90'000;
    for (int i = 0; i < kCount; ++i) ++of_value[element({9, Data::integers}, i)];
    CHECK(of_value.size() == 9);
    CHECK(of_value.begin()->first == -4);
    CHECK(of_value.rbegin()->first == 4);
    for (const auto& [value, count] : of_value) CHECK(count == Approx(kCount / 9).epsilon(0.1));
}

TEST_CASE("uniform data are the uniform numbers") {
    for (uint64_t i = 0; i < 100; ++i) CHECK(element({5}, i) == uniform(5, i));
}

TEST_CASE("powers of two multiply normal numbers, for each number, for each row of A and column of B, or for all") {
    constexpr int kRows = 400, kColumns = 300;
    const auto powers = [&](const judge::RandomMatrix& matrix, int row, int column) {
        const int index = row * kColumns + column;
        if (element(matrix, index) == 0) return 0.0f;  // 0 in any case
        return std::log2(element(matrix, index) / element({matrix.seed, Data::normal}, index));
    };
    for (const auto& [data, most] : {std::pair(Data::wide20, 20), std::pair(Data::wide40, 40)}) {
        for (const auto& matrix : {judge::random_a(5, data, kColumns), judge::random_b(6, data, kColumns)}) {
            std::set<double> found;
            for (int i = 0; i < kRows * kColumns; ++i) found.insert(powers(matrix, i / kColumns, i % kColumns));
            CHECK(found.size() == size_t(2 * most + 1));
            CHECK(*found.begin() == -most);
            CHECK(*found.rbegin() == most);
        }
    }
    std::set<double> of_rows, of_columns;
    const auto a = judge::random_a(5, Data::uneven, kColumns), b = judge::random_b(6, Data::uneven, kColumns);
    for (int i = 0; i < kRows * kColumns; ++i) {
        const int row = i / kColumns, column = i % kColumns;
        if (element(a, i) != 0) CHECK(powers(a, row, column) == powers(a, row, 0));
        if (element(b, i) != 0) CHECK(powers(b, row, column) == powers(b, 0, column));
        of_rows.insert(powers(a, row, 0)), of_columns.insert(powers(b, 0, column));
    }
    CHECK(*of_rows.rbegin() - *of_rows.begin() > 95);
    CHECK(*of_columns.rbegin() - *of_columns.begin() > 95);
}

TEST_CASE("tiny numbers are below FP32's normal range, huge ones near its end, and their products are neither") {
    float most = 0;
    int subnormal = 0;
    for (int i = 0; i < 100'000; ++i) {
        const float tiny = element(judge::random_a(5, Data::tiny, 10), i),
                    huge = element(judge::random_a(5, Data::huge, 10), i);
        subnormal += std::fpclassify(tiny) == FP_SUBNORMAL;
        CHECK(std::isfinite(huge));
        most = std::max(most, std::abs(huge));
        CHECK(std::abs(tiny * element(judge::random_b(6, Data::tiny, 10), i)) < 0x1p-30f);
        CHECK(std::abs(huge * element(judge::random_b(6, Data::huge, 10), i)) < 0x1p40f);
    }
    CHECK(subnormal > 99'000);
    CHECK(most > 0x1p127f);
}

TEST_CASE("each distribution has a name of its own and comes back from it") {
    std::set<std::string> names;
    for (const std::string& name : judge::data_names()) {
        CHECK(to_string(judge::parse_data(name)) == name);
        names.insert(name);
    }
    CHECK(names.size() == 10);
    CHECK(judge::parse_data("wide") == Data::wide);
    CHECK(judge::parse_data("integers") == Data::integers);
    CHECK_THROWS_AS(judge::parse_data("constant"), std::invalid_argument);
}

TEST_CASE("of 16 lines one holds one number of 24 bits, one nothing, and the others whole numbers from 1 on") {
    constexpr int kColumns = 160, kRows = 96, kTerm = 31;
    for (const bool are_rows : {true, false}) {
        const judge::RandomMatrix matrix{
            21, Data::uniform, {kColumns, are_rows ? kRows : kColumns, are_rows, kTerm, 7, 0}};
        std::map<judge::LineKind, int> of_kind;
        std::map<float, int> of_value;
        for (int line = 0; line < (are_rows ? kRows : kColumns); ++line) {
            const judge::LineKind kind = judge::kind_of_line(21, matrix.lines, line);
            ++of_kind[kind];
            if (line == 0 || line == matrix.lines.count - 1) CHECK((kind == judge::LineKind::whole));
            int numbers = 0;
            for (int at = 0; at < (are_rows ? kColumns : kRows); ++at) {
                const float value = element(matrix, are_rows ? line * kColumns + at : at * kColumns + line);
                numbers += value != 0;
                if (kind == judge::LineKind::whole) ++of_value[value];
                if (kind != judge::LineKind::single || value == 0) continue;
                CHECK(at == kTerm);
                CHECK(value > 1);
                CHECK(value < 2);
                CHECK((std::bit_cast<uint32_t>(value) & 1) == 1);
            }
            if (kind == judge::LineKind::single) CHECK(numbers == 1);
            if (kind == judge::LineKind::empty) CHECK(numbers == 0);
        }
        const int blocks = (are_rows ? kRows : kColumns) / 16;
        CHECK(of_kind[judge::LineKind::single] == blocks);
        CHECK(of_kind[judge::LineKind::empty] >= blocks - 1);  // the last line may have been one
        CHECK(of_kind[judge::LineKind::empty] <= blocks);
        CHECK(of_value.size() == 7);
        CHECK(of_value.begin()->first == 1);
        CHECK(of_value.rbegin()->first == 7);
    }
}

TEST_CASE("whole numbers may be rare, and zeros between them") {
    const judge::RandomMatrix matrix{21, Data::uniform, {1, 1, false, 0, 1, 7}};
    int ones = 0;
    for (int i = 0; i < 80'000; ++i) ones += element(matrix, i) == 1;
    CHECK(ones == Approx(10'000).epsilon(0.1));
}
