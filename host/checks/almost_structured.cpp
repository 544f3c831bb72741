#include "checks/almost_structured.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <span>

#include "checks/device_product.h"
#include "values/data.h"

namespace judge {

namespace {

// Whole numbers that are not 0, to make a structured matrix of.
struct Source {
    const Matrix& numbers;
    int side;
    float at(int row, int column) const { return numbers[size_t(row) * side + column]; }
};

struct Structure {
    const char* what;
    float (*element)(const Source& from, int i, int j);
};

constexpr Structure kRandom{"random", [](const Source& r, int i, int j) { return r.at(i, j); }};
constexpr Structure kZeros{"zero", [](const Source&, int, int) { return 0.0f; }};
constexpr Structure kOnes{"all 1", [](const Source&, int, int) { return 1.0f; }};
constexpr Structure kSigns{"of 1 and -1",
                           [](const Source& r, int i, int j) { return std::copysign(1.0f, r.at(i, j)); }};
constexpr Structure kIdentity{"an identity", [](const Source&, int i, int j) { return float(i == j); }};
constexpr Structure kDiagonal{"diagonal", [](const Source& r, int i, int j) { return i == j ? r.at(i, j) : 0; }};
constexpr Structure kPermutation{"a permutation",
                                 [](const Source& r, int i, int j) { return float((5 * i + 3) % r.side == j); }};
constexpr Structure kBanded{"tridiagonal",
                            [](const Source& r, int i, int j) { return std::abs(i - j) <= 1 ? r.at(i, j) : 0; }};
constexpr Structure kBlocks{"block-diagonal",
                            [](const Source& r, int i, int j) { return i / 16 == j / 16 ? r.at(i, j) : 0; }};
constexpr Structure kLower{"lower triangular", [](const Source& r, int i, int j) { return j <= i ? r.at(i, j) : 0; }};
constexpr Structure kUpper{"upper triangular", [](const Source& r, int i, int j) { return j >= i ? r.at(i, j) : 0; }};
constexpr Structure kSymmetric{"symmetric",
                               [](const Source& r, int i, int j) { return r.at(std::max(i, j), std::min(i, j)); }};
constexpr Structure kCirculant{"circulant",
                               [](const Source& r, int i, int j) { return r.at(0, (j - i + r.side) % r.side); }};
constexpr Structure kEqualRows{"of equal rows", [](const Source& r, int, int j) { return r.at(0, j); }};
constexpr Structure kEqualColumns{"of equal columns", [](const Source& r, int i, int) { return r.at(i, 0); }};
constexpr Structure kPeriodic{"of rows that repeat", [](const Source& r, int i, int j) { return r.at(i % 8, j); }};
constexpr Structure kRankOne{"of rank one", [](const Source& r, int i, int j) { return r.at(i, 0) * r.at(0, j); }};
constexpr Structure kSparse{"sparse",
                            [](const Source& r, int i, int j) { return (j + 3 * i) % 16 == 0 ? r.at(i, j) : 0; }};

// What elements of a structured matrix are in place of their values: each a whole number, but for the fraction.
struct Exception {
    const char* what;
    float (*value)(float before);
    // What the other elements of its row, of A, or column, of B, become; none: they stay.
    std::optional<float> line = {};
    bool fp32_only = false;
};

constexpr Exception kOther{"other whole numbers", [](float before) { return before == 3 ? -2.0f : 3.0f; }};
constexpr Exception kLine{"full lines", [](float before) { return before == 3 ? -2.0f : 3.0f; }, 1};
constexpr Exception kFraction{"fractions", [](float before) { return before + 0.5f; }};
constexpr float kLongNumber = 109227;  // twelve of them times 4 are less than 2^24
constexpr Exception kLong{"numbers of 17 bits", [](float) { return kLongNumber; }, {}, true};

struct StructureTrial {
    Structure a, b;
    Exception exception = kOther;
};

// Each structure as A and as B, beside one in which what was left out shows; and those that may be asked of both. First
// those that are looked for most.
constexpr StructureTrial kTrials[] = {
    {kZeros, kRandom},         {kOnes, kIdentity},        {kRankOne, kCirculant},
    {kRandom, kZeros},         {kIdentity, kOnes},        {kRandom, kRandom, kFraction},
    {kDiagonal, kSymmetric},   {kLower, kUpper},          {kBanded, kEqualRows},
    {kSymmetric, kDiagonal},   {kUpper, kLower},          {kEqualRows, kBanded},
    {kCirculant, kRankOne},    {kEqualColumns, kBlocks},  {kBlocks, kEqualColumns},
    {kPermutation, kPeriodic}, {kPeriodic, kPermutation}, {kSparse, kSigns, kLine},
    {kSigns, kSparse, kLine},  {kDiagonal, kDiagonal},    {kSymmetric, kSymmetric},
    {kLower, kLower},          {kRandom, kRandom, kLong},
};

struct Place {
    int row, column;
};

// Not where a sample is likely: near the edges and the diagonals, at corners and in the middles of tiles, at each
// fourth row or column.
bool is_hidden(const Place& place, int side) {
    const auto within_four = [](int i) { return i % 4 == 1 || i % 4 == 2; };
    return within_four(place.row) && within_four(place.column) && place.row / 16 != place.column / 16 &&
           std::abs(place.row + place.column - side + 1) > 2;
}

// One above the diagonal and one below it.
std::array<Place, 2> hidden_places(int side, uint64_t seed) {
    std::array<Place, 2> places{};
    uint64_t draw = 0;
    for (const bool below : {false, true}) {
        Place& place = places[below];
        do {
            const uint64_t bits = random_bits(seed, draw++);
            place = {int(bits % uint64_t(side - 6)) + 3, int((bits >> 32) % uint64_t(side - 6)) + 3};
        } while (!is_hidden(place, side) || (place.row > place.column) != below);
    }
    return places;
}

Matrix structured(const Structure& structure, const Source& from) {
    Matrix matrix(from.numbers.size());
    for (int i = 0; i < from.side; ++i) {
        for (int j = 0; j < from.side; ++j) matrix[size_t(i) * from.side + j] = structure.element(from, i, j);
    }
    return matrix;
}

void except(Matrix& matrix, int side, const Exception& exception, bool of_a, const Place& place) {
    float& value = matrix[size_t(place.row) * side + place.column];
    const float other = exception.value(value);
    for (int i = 0; i < side && exception.line; ++i) {
        matrix[of_a ? size_t(place.row) * side + i : size_t(i) * side + place.column] = *exception.line;
    }
    value = other;
}

// By a checksum of each row, with which one element that is off is always found. No product and no sum of numbers of at
// most 17 bits with weights of 8 rounds in FP64: they are multiples of 1/4 below 2^40.
bool is_exact(const Operands& operands, const Matrix& c, uint64_t seed) {
    const int side = operands.shape.N;
    std::vector<double> weights(side), of_b(side);
    for (int k = 0; k < side; ++k) weights[k] = double(1 + (random_bits(seed, k) & 0xff));
    const auto times = [side](const Matrix& matrix, int row, const std::vector<double>& by) {
        double sum[4] = {};  // side by side, since the additions of one sum wait for each other
        const float* const elements = matrix.data() + size_t(row) * side;
        for (int j = 0; j < side; j += 4) {
            for (int lane = 0; lane < 4; ++lane) sum[lane] += elements[j + lane] * by[j + lane];
        }
        return sum[0] + sum[1] + sum[2] + sum[3];
    };
    for (int n = 0; n < side; ++n) of_b[n] = times(operands.b, n, weights);
    for (int i = 0; i < side; ++i) {
        if (!(times(c, i, weights) == times(operands.a, i, of_b))) return false;  // NaN is not
    }
    return true;
}

Operands full_operands(int side, uint64_t seed) {
    Operands operands = random_operands({side, side, side}, seed, Data::integers);
    for (Matrix* const matrix : {&operands.a, &operands.b}) {
        for (size_t i = 0; i < matrix->size(); ++i) {
            if ((*matrix)[i] == 0) (*matrix)[i] = i % 2 == 0 ? 1 : -2;
        }
    }
    return operands;
}

class AlmostStructured {
  public:
    AlmostStructured(Device& device, const Multiply& multiply, uint64_t seed, const AlmostStructuredTest& test)
        : test_(test), seed_(seed), full_(full_operands(test.side, seed)), product_(device, multiply, full_) {}

    std::string run() {
        const std::string wrong = first_wrong();
        if (wrong.empty()) return {};
        // Not if it is wrong, or rounds its operands, at this size whatever its matrices hold.
        const Operands plain = was_long_ ? with_long_numbers() : full_;
        return is_exact(plain, product(plain), seed_) ? wrong : std::string();
    }

  private:
    std::string first_wrong() {
        const auto trials = std::span(kTrials).first(std::min<size_t>(test_.trials, std::size(kTrials)));
        for (const StructureTrial& trial : trials) {
            if (std::string wrong = try_exceptions(trial); !wrong.empty()) return wrong;
        }
        if (trials.size() < std::size(kTrials) || !test_.fp32) return {};
        for (const bool of_a : {true, false}) {
            for (const Structure& structure : {kZeros, kIdentity, kLower}) {
                if (std::string wrong = try_nan(structure, of_a); !wrong.empty()) return wrong;
            }
        }
        return {};
    }

    Operands operands(const Structure& a, const Structure& b) const {
        return {full_.shape, structured(a, {full_.a, test_.side}), structured(b, {full_.b, test_.side})};
    }

    // No sample overlooks them.
    Operands with_long_numbers() const {
        Operands operands = full_;
        for (int i = 0; i < test_.side; ++i) {
            for (int j = i % 8; j < test_.side; j += 8) operands.A(i, j) = kLongNumber;
        }
        return operands;
    }

    Matrix product(const Operands& operands) const {
        product_.replace(true, operands.a);
        product_.replace(false, operands.b);
        product_.call();
        return product_.result();
    }

    std::array<Place, 2> next_places() { return hidden_places(test_.side, random_bits(seed_, ++drawn_)); }

    std::string try_exceptions(const StructureTrial& trial) {
        const auto& [a, b, exception] = trial;
        if (exception.fp32_only && !test_.fp32) return {};
        was_long_ = exception.fp32_only;
        Operands now = operands(a, b);
        const auto in_a = next_places();
        auto in_b = next_places();
        // No product of two exceptions, which could be too long for FP32.
        const auto meets = [&](const Place& of_b) { return of_b.row == in_a[0].column || of_b.row == in_a[1].column; };
        while (meets(in_b[0]) || meets(in_b[1])) in_b = next_places();
        for (const Place& place : in_a) except(now.a, test_.side, exception, true, place);
        for (const Place& place : in_b) except(now.b, test_.side, exception, false, place);
        const Matrix c = product(now);
        if (is_exact(now, c, seed_)) return {};
        return fmt::format(
            "right on random whole numbers, but not where A is {} and B {} but for {} at ({}, {}) and ({}, {}) of A, "
            "({}, {}) and ({}, {}) of B: at {} {}: what holds of some elements is taken to hold of all",
            a.what, b.what, exception.what, in_a[0].row, in_a[0].column, in_a[1].row, in_a[1].column, in_b[0].row,
            in_b[0].column, in_b[1].row, in_b[1].column, to_string(now.shape),
            first_off(c, sequential_product(now), test_.side, 0));
    }

    std::string try_nan(const Structure& structure, bool of_a) {
        Operands now = of_a ? operands(structure, kRandom) : operands(kRandom, structure);
        const Place place = next_places()[0];
        (of_a ? now.b : now.a)[size_t(place.row) * test_.side + place.column] = std::numeric_limits<float>::quiet_NaN();
        const Matrix c = product(now);
        for (int i = 0; i < test_.side; ++i) {
            const int row = of_a ? i : place.row, column = of_a ? place.column : i;
            const float value = c[size_t(row) * test_.side + column];
            if (std::isnan(value)) continue;
            return fmt::format(
                "right on finite numbers, but not where {} is {} and ({}, {}) of {} NaN: at {} ({}, {}) of C is "
                "{:.9g}, "
                "not NaN: a term may not be left out because a factor of it is 0",
                of_a ? 'A' : 'B', structure.what, place.row, place.column, of_a ? 'B' : 'A', to_string(now.shape), row,
                column, value);
        }
        return {};
    }

    const AlmostStructuredTest test_;
    const uint64_t seed_;
    const Operands full_;
    const DeviceProduct product_;
    uint64_t drawn_ = 0;
    bool was_long_ = false;  // at the last trial
};

}  // namespace

std::string check_almost_structured(Device& device, const Multiply& multiply, uint64_t seed,
                                    const AlmostStructuredTest& test) {
    return AlmostStructured(device, multiply, seed, test).run();
}

}  // namespace judge
