// What every Device must do, told through its interface alone, so that host memory and CUDA memory pass the same tests.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "host/checks/bound.h"
#include "host/device/device.h"
#include "host/values/data.h"
#include "tests/catch.h"

namespace unit {

class DeviceMatrix {
  public:
    DeviceMatrix(judge::Device& device, size_t floats) : device_(device), memory_(device.allocate(floats)) {}
    ~DeviceMatrix() { device_.release(memory_); }
    DeviceMatrix(const DeviceMatrix&) = delete;
    DeviceMatrix& operator=(const DeviceMatrix&) = delete;

    float* data() const { return memory_; }
    void set(int64_t index, float value) { device_.write(memory_ + index, &value, 1); }
    void set(const std::vector<float>& values) { device_.write(memory_, values.data(), values.size()); }

  private:
    judge::Device& device_;
    float* memory_;
};

inline void check_memory(judge::Device& device) {
    for (const size_t floats : {0, 1, 63, 64, 1000}) {
        const DeviceMatrix matrix(device, floats);
        CAPTURE(floats);
        CHECK(reinterpret_cast<uintptr_t>(matrix.data()) % 256 == 0);
    }
    CHECK_THROWS_AS(device.allocate(size_t{1} << 60), judge::OutOfMemory);
    const DeviceMatrix afterwards(device, 10);
    CHECK(afterwards.data() != nullptr);
}

inline void check_copying(judge::Device& device) {
    const std::vector<float> numbers{1.0f, -2.5f, std::nanf(""), 1e-40f, 0.0f};
    DeviceMatrix matrix(device, 10);
    device.fill(matrix.data(), 10, 0x7fedbeef);
    device.write(matrix.data() + 3, numbers.data(), 5);
    CHECK(device.count_other(matrix.data(), 10, 0x7fedbeef) == 5);
    std::vector<float> back(5);
    device.read(back.data(), matrix.data() + 3, 5);
    for (size_t i = 0; i < 5; ++i) CHECK(std::bit_cast<uint32_t>(back[i]) == std::bit_cast<uint32_t>(numbers[i]));
    CHECK_NOTHROW(device.write(matrix.data(), nullptr, 0));
    CHECK_NOTHROW(device.read(nullptr, matrix.data(), 0));
}

inline void check_filling_and_counting(judge::Device& device) {
    constexpr size_t kFloats = 1000;
    constexpr uint32_t kPattern = 0x7fedbeef;  // a NaN: bits are compared, not values
    DeviceMatrix matrix(device, kFloats);

    device.fill(matrix.data(), kFloats, kPattern);
    CHECK(device.count_other(matrix.data(), kFloats, kPattern) == 0);
    CHECK(device.count_other(matrix.data(), kFloats, kPattern ^ 1) == kFloats);
    device.fill(matrix.data() + kFloats - 1, 1, kPattern ^ 1);
    CHECK(device.count_other(matrix.data(), kFloats, kPattern) == 1);
    CHECK(device.count_other(matrix.data(), kFloats - 1, kPattern) == 0);
    CHECK(device.count_other(matrix.data(), 0, 0) == 0);

    device.fill_random(matrix.data(), kFloats, {7});
    CHECK(device.count_changed(matrix.data(), kFloats, {7}) == 0);
    CHECK(device.count_changed(matrix.data(), kFloats, {8}) > kFloats * 9 / 10);
    CHECK(device.count_other(matrix.data() + 3, 1, std::bit_cast<uint32_t>(judge::uniform(7, 3))) == 0);
    matrix.set(kFloats - 1, 2.0f);
    CHECK(device.count_changed(matrix.data(), kFloats, {7}) == 1);
    CHECK(device.count_changed(matrix.data(), 0, {7}) == 0);

    const judge::RandomMatrix lines{9, judge::Data::uniform, {40, 40, false, 13, 5, 0}};
    device.fill_random(matrix.data(), kFloats, lines);
    std::vector<float> filled(kFloats);
    device.read(filled.data(), matrix.data(), kFloats);
    for (size_t i = 0; i < kFloats; ++i) CHECK(filled[i] == judge::element(lines, i));

    matrix.set(0, 0.0f);
    CHECK(device.count_other(matrix.data(), 1, std::bit_cast<uint32_t>(-0.0f)) == 1);
}

// The bits that the device makes are those that the host makes, for every distribution.
inline void check_distributions(judge::Device& device) {
    constexpr size_t kFloats = 5000;
    DeviceMatrix matrix(device, kFloats);
    std::vector<judge::RandomMatrix> matrices;
    for (const std::string& name : judge::data_names()) {
        for (const auto random : {judge::random_a, judge::random_b}) {
            matrices.push_back(random(12345678901234567ull, judge::parse_data(name), 50));
        }
    }
    for (const judge::RandomMatrix& random : matrices) {
        CAPTURE(to_string(random.data), random.powers.are_rows);
        auto of_other_seed = random;
        ++of_other_seed.seed;
        device.fill_random(matrix.data(), kFloats, random);
        std::vector<float> made(kFloats);
        device.read(made.data(), matrix.data(), kFloats);
        size_t different = 0;
        for (size_t i = 0; i < kFloats; ++i) {
            different += std::bit_cast<uint32_t>(made[i]) != std::bit_cast<uint32_t>(judge::element(random, i));
        }
        CHECK(different == 0);
        CHECK(device.count_changed(matrix.data(), kFloats, random) == 0);
        CHECK(device.count_changed(matrix.data(), kFloats, of_other_seed) > kFloats / 2);
        matrix.set(kFloats / 2, 100.5f);
        CHECK(device.count_changed(matrix.data(), kFloats, random) == 1);
    }
}

inline void check_hashes(judge::Device& device) {
    constexpr size_t kFloats = 3000;
    DeviceMatrix matrix(device, kFloats);
    device.fill_random(matrix.data(), kFloats, {4});
    const uint64_t hash = device.hash(matrix.data(), kFloats);
    uint64_t want = 0;
    for (size_t i = 0; i < kFloats; ++i) {
        want += judge::hash_of_word(i, std::bit_cast<uint32_t>(judge::uniform(4, i)));
    }
    CHECK(hash == want);
    CHECK(device.hash(matrix.data(), kFloats) == hash);
    CHECK(device.hash(matrix.data(), kFloats - 1) != hash);
    CHECK(device.hash(matrix.data(), 0) == 0);
    matrix.set(7, judge::uniform(4, 8));  // two neighbours, exchanged
    matrix.set(8, judge::uniform(4, 7));
    CHECK(device.hash(matrix.data(), kFloats) != hash);
    device.fill_random(matrix.data(), kFloats, {4});
    CHECK(device.hash(matrix.data(), kFloats) == hash);
    matrix.set(0, std::bit_cast<float>(std::bit_cast<uint32_t>(judge::uniform(4, 0)) ^ 1));
    CHECK(device.hash(matrix.data(), kFloats) != hash);
}

// A times the identity, with C made by the generator that made A: right to the last bit.
struct IdentityProduct {
    static constexpr judge::Shape kShape{130, 70, 70};
    static constexpr uint64_t kSeed = 11;

    explicit IdentityProduct(judge::Device& device)
        : A(device, kShape.a_elements()), B(device, kShape.b_elements()), C(device, kShape.c_elements()) {
        device.fill_random(A.data(), kShape.a_elements(), {kSeed});
        device.fill_random(C.data(), kShape.c_elements(), {kSeed});
        device.fill(B.data(), kShape.b_elements(), 0);
        for (int64_t i = 0; i < kShape.N; ++i) B.set(i * kShape.K + i, 1.0f);
    }
    static int64_t at(int64_t row, int64_t col) { return row * kShape.K + col; }

    DeviceMatrix A, B, C;
};

inline void check_comparison(judge::Device& device) {
    const auto shape = IdentityProduct::kShape;
    const double infinity = std::numeric_limits<double>::infinity();
    IdentityProduct product(device);
    const auto compare = [&](const std::vector<int>& rows) {
        return device.reference().compare(product.A.data(), product.B.data(), product.C.data(), shape,
                                          judge::rho_bound(shape.N), rows);
    };

    const judge::Comparison exact = compare({});
    CHECK(exact.right());
    CHECK(exact.compared == uint64_t(shape.c_elements()));
    CHECK(exact.max_error == 0);
    CHECK(exact.rho == 0);
    CHECK(exact.rho_sum_of_squares == 0);
    CHECK(exact.error_sum_of_squares == 0);
    CHECK(exact.normwise() == 0);
    CHECK(exact.not_close == 0);
    double squares = 0;
    for (int64_t i = 0; i < shape.c_elements(); ++i) {
        const double value = judge::uniform(product.kSeed, i);
        squares += value * value;
    }
    CHECK(exact.product_sum_of_squares == Approx(squares));
    CHECK(!exact.first);

    const float want = judge::uniform(product.kSeed, product.at(77, 69));
    product.C.set(product.at(77, 69), want + 0.5f);
    const judge::Comparison one_wrong = compare({});
    CHECK(!one_wrong.right());
    CHECK(one_wrong.wrong == 1);
    CHECK(one_wrong.nan + one_wrong.inf == 0);
    CHECK(one_wrong.max_error == Approx(0.5).epsilon(1e-6));
    const double unit = judge::kUnitRoundoff * std::abs(want);
    CHECK(one_wrong.rho == Approx(one_wrong.max_error / unit));
    CHECK(one_wrong.rho_sum_of_squares == Approx(one_wrong.rho * one_wrong.rho));
    CHECK(one_wrong.error_sum_of_squares == Approx(0.25).epsilon(1e-6));
    CHECK(one_wrong.normwise() == Approx(0.5 / std::sqrt(squares)).epsilon(1e-6));
    CHECK(one_wrong.not_close == 1);
    REQUIRE(one_wrong.first);
    CHECK(one_wrong.first->row == 77);
    CHECK(one_wrong.first->col == 69);
    CHECK(one_wrong.first->got == double(want + 0.5f));
    CHECK(one_wrong.first->want == double(want));
    CHECK(one_wrong.first->bound == Approx(judge::rho_bound(shape.N) * unit));

    product.C.set(product.at(77, 70 - 2), std::nanf(""));
    product.C.set(product.at(3, 69), -float(infinity));
    product.C.set(product.at(129, 0), float(infinity));
    const judge::Comparison all_kinds = compare({});
    CHECK(all_kinds.wrong == 1);
    CHECK(all_kinds.nan == 1);
    CHECK(all_kinds.inf == 2);
    CHECK(all_kinds.not_close == 4);
    CHECK(all_kinds.error_sum_of_squares == Approx(0.25).epsilon(1e-6));
    CHECK(all_kinds.max_error == Approx(0.5).epsilon(1e-6));
    REQUIRE(all_kinds.first);
    CHECK(all_kinds.first->row == 3);
    CHECK(all_kinds.first->col == 69);
    CHECK(all_kinds.first->got == -infinity);

    const judge::Comparison some_rows = compare({0, 77, 128});
    CHECK(some_rows.compared == uint64_t(3 * shape.K));
    CHECK(some_rows.wrong == 1);
    CHECK(some_rows.nan == 1);
    CHECK(some_rows.inf == 0);
    REQUIRE(some_rows.first);
    CHECK(some_rows.first->row == 77);
    CHECK(some_rows.first->col == 68);
    CHECK(std::isnan(some_rows.first->got));
    CHECK(compare({0, 1, 128}).right());
}

// No two sizes equal: a transposed or square-only comparison cannot pass it.
inline void check_rectangles(judge::Device& device) {
    const judge::Shape shape{67, 33, 130};
    DeviceMatrix A(device, shape.a_elements()), B(device, shape.b_elements()), C(device, shape.c_elements());
    device.fill_random(A.data(), shape.a_elements(), {1});
    device.fill_random(B.data(), shape.b_elements(), {2});
    std::vector<float> rounded_once(shape.c_elements());
    for (int64_t i = 0; i < shape.M; ++i) {
        for (int64_t k = 0; k < shape.K; ++k) {
            double sum = 0;
            for (int64_t n = 0; n < shape.N; ++n) {
                sum += double(judge::uniform(1, i * shape.N + n)) * judge::uniform(2, n * shape.K + k);
            }
            rounded_once[i * shape.K + k] = float(sum);
        }
    }
    C.set(rounded_once);
    const auto compare = [&](double bound) {
        return device.reference().compare(A.data(), B.data(), C.data(), shape, bound, {});
    };
    const judge::Comparison rounded = compare(judge::rho_bound(shape.N));
    CHECK(rounded.right());
    CHECK(rounded.rho > 0.1);
    CHECK(rounded.rho <= 1.0);
    const judge::Comparison held_to_zero = compare(0.0);
    CHECK(held_to_zero.wrong > uint64_t(shape.c_elements()) / 2);
}

// A chain of no two equal sizes, all rows of it and some.
inline void check_chains(judge::Device& device) {
    const judge::Shape shape{67, 33, 130, 45};
    DeviceMatrix A(device, shape.a_elements()), B(device, shape.b_elements()), C(device, shape.c_elements()),
        E(device, shape.output_elements());
    device.fill_random(A.data(), shape.a_elements(), {1});
    device.fill_random(B.data(), shape.b_elements(), {2});
    device.fill_random(C.data(), shape.c_elements(), {3});
    std::vector<double> sums(shape.output_elements()), magnitudes(shape.output_elements());
    for (int64_t i = 0; i < shape.M; ++i) {
        for (int64_t k = 0; k < shape.K; ++k) {
            double sum = 0, magnitude = 0;
            for (int64_t n = 0; n < shape.N; ++n) {
                const double product = double(judge::uniform(1, i * shape.N + n)) * judge::uniform(2, n * shape.K + k);
                sum += product;
                magnitude += std::abs(product);
            }
            for (int64_t l = 0; l < shape.L; ++l) {
                const double c = judge::uniform(3, k * shape.L + l);
                sums[i * shape.L + l] += sum * c;
                magnitudes[i * shape.L + l] += magnitude * std::abs(c);
            }
        }
    }
    E.set(std::vector<float>(sums.begin(), sums.end()));
    const auto compare = [&](const std::vector<int>& rows) {
        return device.reference().compare_chain(A.data(), B.data(), C.data(), E.data(), shape, 1.0, rows);
    };
    CHECK(compare({}).right());
    CHECK(compare({}).compared == 67u * 45);
    CHECK(compare({}).rho > 1e-3);

    const auto spoil = [&](int64_t row, int64_t col) {
        E.set(row * shape.L + col, float(sums[row * shape.L + col]) + 1);
    };
    spoil(66, 44);
    spoil(20, 7);
    spoil(20, 9);
    const judge::Comparison all = compare({});
    CHECK(all.wrong == 3);
    REQUIRE(all.first);
    CHECK(all.first->row == 20);
    CHECK(all.first->col == 7);
    const judge::Comparison some = compare({0, 21, 66});
    CHECK(some.compared == 3u * 45);
    CHECK(some.wrong == 1);
    REQUIRE(some.first);
    CHECK(some.first->row == 66);
    CHECK(some.first->col == 44);
    CHECK(some.first->got == Approx(sums.back() + 1));
    CHECK(some.first->want == Approx(sums.back()));
    CHECK(some.first->bound == Approx(judge::kUnitRoundoff * magnitudes.back()));
    CHECK(compare({0, 19, 21, 65}).right());
    const judge::Shape nothing{67, 33, 130, 0};
    CHECK(device.reference().compare_chain(A.data(), B.data(), C.data(), E.data(), nothing, 1.0, {0, 66}).compared ==
          0);
}

// What should be 0 exactly: every deviation is beyond the bound.
inline void check_empty_sums(judge::Device& device) {
    const judge::Shape shape{4, 0, 6};
    DeviceMatrix A(device, 0), B(device, 0), C(device, shape.c_elements());
    device.fill(C.data(), shape.c_elements(), 0);
    const auto compare = [&](const judge::Shape& of) {
        return device.reference().compare(A.data(), B.data(), C.data(), of, judge::rho_bound(of.N), {});
    };
    CHECK(compare(shape).right());
    CHECK(compare(shape).compared == 24);
    C.set(23, 1e-30f);
    const judge::Comparison off = compare(shape);
    CHECK(off.wrong == 1);
    CHECK(std::isinf(off.rho));

    for (const judge::Shape& nothing : {judge::Shape{0, 0, 6}, judge::Shape{4, 0, 0}, judge::Shape{0, 0, 0}}) {
        CAPTURE(to_string(nothing));
        CHECK(compare(nothing).right());
        CHECK(compare(nothing).compared == 0);
    }
}

// Some rows of a product, in FP64 and in FP32, against sums of the same elements made here.
inline void check_row_sums(judge::Device& device) {
    const judge::Shape shape{9, 1003, 37};
    DeviceMatrix A(device, shape.a_elements()), B(device, shape.b_elements());
    device.fill_random(A.data(), shape.a_elements(), {1});
    device.fill_random(B.data(), shape.b_elements(), {2});
    const std::vector<int> rows{0, 3, 8};
    const judge::RowSums sums = device.reference().row_sums(A.data(), B.data(), shape, rows);
    REQUIRE(sums.exact.size() == rows.size() * shape.K);
    REQUIRE(sums.magnitude.size() == sums.exact.size());
    REQUIRE(sums.sequential.size() == sums.exact.size());
    for (size_t at = 0; at < sums.exact.size(); ++at) {
        const int64_t row = rows[at / shape.K], col = int64_t(at) % shape.K;
        double exact = 0, magnitude = 0;
        float sequential = 0;
        for (int64_t n = 0; n < shape.N; ++n) {
            const float a = judge::uniform(1, row * shape.N + n), b = judge::uniform(2, n * shape.K + col);
            exact += double(a) * b;
            magnitude += std::abs(double(a) * b);
            sequential = std::fmaf(a, b, sequential);
        }
        CHECK(sums.exact[at] == Approx(exact).margin(1e-12));
        CHECK(sums.magnitude[at] == Approx(magnitude));
        CHECK(sums.sequential[at] == Approx(sequential).margin(1e-6));
        CHECK(std::abs(sums.sequential[at] - exact) < 17 * judge::kUnitRoundoff * magnitude);
    }
    CHECK(device.reference().row_sums(A.data(), B.data(), shape, {}).exact.empty());
}

inline void check_products_with_a_vector(judge::Device& device) {
    constexpr int64_t kRows = 37, kCols = 300;
    DeviceMatrix matrix(device, kRows * kCols);
    device.fill_random(matrix.data(), kRows * kCols, {3});
    std::vector<double> x(kCols);
    for (int64_t j = 0; j < kCols; ++j) x[j] = 0.25 * double(j) - 30.0;

    const std::vector<double> plain = device.reference().multiply(matrix.data(), kRows, kCols, x, false);
    const std::vector<double> absolute = device.reference().multiply(matrix.data(), kRows, kCols, x, true);
    REQUIRE(plain.size() == size_t(kRows));
    REQUIRE(absolute.size() == size_t(kRows));
    for (int64_t i = 0; i < kRows; ++i) {
        double sum = 0, absolute_sum = 0;
        for (int64_t j = 0; j < kCols; ++j) {
            const double element = judge::uniform(3, i * kCols + j);
            sum += element * x[j];
            absolute_sum += std::abs(element) * x[j];
        }
        CAPTURE(i);
        CHECK(plain[i] == Approx(sum).epsilon(1e-12));
        CHECK(absolute[i] == Approx(absolute_sum).epsilon(1e-12));
    }
    CHECK(device.reference().multiply(matrix.data(), 0, kCols, x, false).empty());
    CHECK(device.reference().multiply(matrix.data(), 2, 0, {}, false) == std::vector<double>{0.0, 0.0});
}

inline void check_everything(judge::Device& device) {
    check_memory(device);
    check_copying(device);
    check_filling_and_counting(device);
    check_distributions(device);
    check_hashes(device);
    check_comparison(device);
    check_rectangles(device);
    check_chains(device);
    check_empty_sums(device);
    check_row_sums(device);
    check_products_with_a_vector(device);
    CHECK(device.reference().comparison_budget() > 1e8);
    CHECK_NOTHROW(device.synchronize());
}

}  // namespace unit
