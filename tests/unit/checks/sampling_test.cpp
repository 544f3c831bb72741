#include "host/checks/sampling.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "host/checks/bound.h"
#include "host/device/device.h"
#include "tests/catch.h"
#include "tests/unit/device_checks.h"
#include "tests/unit/multiply.h"

using namespace judge;
using namespace unit;

namespace {

// A, B and their FP32 product, on the host.
struct SampledProduct {
    explicit SampledProduct(const Shape& of)
        : shape(of), A(*device, of.a_elements()), B(*device, of.b_elements()), C(*device, of.c_elements()) {
        device->fill_random(A.data(), of.a_elements(), {1});
        device->fill_random(B.data(), of.b_elements(), {2});
        multiply(A.data(), B.data(), C.data(), of);
    }
    float& c(int64_t row, int64_t col) { return C.data()[row * shape.K + col]; }
    double rms_rho() {
        const Comparison all = device->reference().compare(A.data(), B.data(), C.data(), shape, rho_bound(shape.N), {});
        REQUIRE(all.right());
        return std::sqrt(all.rho_sum_of_squares / double(all.compared));
    }
    std::vector<int> bad_rows(double rms_rho, uint64_t seed = 99) {
        return freivalds(device->reference(), {A.data(), B.data()}, C.data(), shape, rms_rho, seed);
    }

    Shape shape;
    std::unique_ptr<Device> device = make_host_device();
    DeviceMatrix A, B, C;
};

}  // namespace

TEST_CASE("Freivalds passes a correct FP32 product, whatever its signs") {
    SampledProduct product({300, 500, 400});
    const double rms_rho = product.rms_rho();
    for (uint64_t seed = 0; seed < 20; ++seed) {
        CAPTURE(seed);
        CHECK(product.bad_rows(rms_rho, seed).empty());
    }
}

TEST_CASE("Freivalds finds the rows of single elements that are off by a hundredth of a typical one") {
    SampledProduct product({300, 500, 400});
    const double rms_rho = product.rms_rho();
    const float typical = std::sqrt(500.0f) / 3;
    product.c(0, 0) += 0.01f * typical;
    product.c(133, 250) -= 0.01f * typical;
    product.c(299, 399) += 0.01f * typical;
    for (uint64_t seed = 0; seed < 5; ++seed) {
        CAPTURE(seed);
        CHECK(product.bad_rows(rms_rho, seed) == std::vector<int>{0, 133, 299});
    }
}

TEST_CASE("Freivalds finds a row of NaN, one of infinity, and one that was left zero") {
    SampledProduct product({40, 50, 60});
    product.c(3, 59) = std::numeric_limits<float>::quiet_NaN();
    product.c(5, 0) = std::numeric_limits<float>::infinity();
    for (int col = 0; col < 60; ++col) product.c(39, col) = 0;
    CHECK(product.bad_rows(1.0) == std::vector<int>{3, 5, 39});
}

TEST_CASE("Freivalds finds two elements of a row that are swapped") {
    SampledProduct product({30, 200, 100});
    std::swap(product.c(17, 20), product.c(17, 80));
    int found = 0;  // a swap of two elements with equal signs is unseen: half of the seeds
    for (uint64_t seed = 0; seed < 40; ++seed) found += product.bad_rows(1.0, seed) == std::vector<int>{17};
    CHECK(found > 8);
    CHECK(found < 32);
}

TEST_CASE("Freivalds holds a kernel that is exact on these data to a whole unit, not to zero") {
    SampledProduct product({64, 300, 300});
    CHECK(product.bad_rows(0.0).empty());
    CHECK(product.bad_rows(0.0) == product.bad_rows(1.0));
}

TEST_CASE("Freivalds passes right products of wide numbers, and finds what is off in the smallest of uneven columns") {
    for (const Data data : {Data::wide20, Data::wide40, Data::uneven}) {
        for (const Shape& shape : {Shape{128, 128, 128}, Shape{100, 300, 200}}) {
            CAPTURE(to_string(data), to_string(shape));
            SampledProduct product(shape);
            const RandomMatrix b = random_b(2, data, shape.K);
            product.device->fill_random(product.A.data(), shape.a_elements(), random_a(1, data, shape.N));
            product.device->fill_random(product.B.data(), shape.b_elements(), b);
            multiply(product.A.data(), product.B.data(), product.C.data(), shape);
            const double rms_rho = product.rms_rho(), allowance = std::max(1.0, spread(data) / spread(Data::wide));
            const auto column_power = [&](int j) { return line_power(b, j); };
            const auto bad_rows = [&](uint64_t seed) {
                return freivalds(product.device->reference(), {product.A.data(), product.B.data()}, product.C.data(),
                                 shape, rms_rho, seed, allowance, column_power);
            };
            for (uint64_t seed = 0; seed < 20; ++seed) CHECK(bad_rows(seed).empty());
            if (data != Data::uneven) continue;
            int least = 0;
            for (int j = 0; j < shape.K; ++j) least = column_power(j) < column_power(least) ? j : least;
            product.c(17, least) *= 1.1f;
            CHECK(bad_rows(99) == std::vector<int>{17});
        }
    }
}

TEST_CASE("Freivalds passes a correct chain, and finds elements of one that are off by a thousandth") {
    const Shape shape{40, 300, 500, 200};
    const auto device = make_host_device();
    DeviceMatrix A(*device, shape.a_elements()), B(*device, shape.b_elements()), C(*device, shape.c_elements()),
        E(*device, shape.output_elements());
    for (const std::string& name : data_names()) {
        CAPTURE(name);
        const Data data = parse_data(name);
        device->fill_random(A.data(), shape.a_elements(), {1, data});
        device->fill_random(B.data(), shape.b_elements(), {2, data});
        device->fill_random(C.data(), shape.c_elements(), {3, data});
        multiply_chain(A.data(), B.data(), C.data(), E.data(), shape);
        const Comparison all =
            device->reference().compare_chain(A.data(), B.data(), C.data(), E.data(), shape, rho_bound(shape.N), {});
        const double rms_rho = std::sqrt(all.rho_sum_of_squares / double(all.compared));
        const auto bad_rows = [&](uint64_t seed) {
            return freivalds(device->reference(), {A.data(), B.data(), C.data()}, E.data(), shape, rms_rho, seed);
        };
        for (uint64_t seed = 0; seed < 20; ++seed) CHECK(bad_rows(seed).empty());
        const float typical = std::sqrt(all.product_sum_of_squares / double(all.compared));
        E.data()[0] += 0.001f * typical;
        E.data()[17 * shape.L + 100] -= 0.001f * typical;
        E.data()[39 * shape.L + 199] += 0.001f * typical;
        for (uint64_t seed = 0; seed < 5; ++seed) CHECK(bad_rows(seed) == std::vector<int>{0, 17, 39});
    }
}

TEST_CASE("few rows are all sampled") {
    CHECK(sample_rows(0, 1).empty());
    CHECK(sample_rows(1, 1) == std::vector<int>{0});
    CHECK(sample_rows(3, 1) == std::vector<int>{0, 1, 2});
    CHECK(sample_rows(15, 1).size() == 15);
    CHECK(sample_rows(128, 1).size() == 128);
}

TEST_CASE("of many rows 128 are sampled: the first and the last 8, and others, each once and in order") {
    for (const int M : {129, 1000, 8192, 2147483647}) {
        CAPTURE(M);
        const std::vector<int> rows = sample_rows(M, 42);
        CHECK(rows.size() == 128);
        CHECK(std::is_sorted(rows.begin(), rows.end()));
        CHECK(std::set<int>(rows.begin(), rows.end()).size() == 128);
        for (int i = 0; i < 8; ++i) {
            CHECK(rows[i] == i);
            CHECK(rows[127 - i] == M - 1 - i);
        }
    }
    CHECK(sample_rows(8192, 1) == sample_rows(8192, 1));
    CHECK(sample_rows(8192, 1) != sample_rows(8192, 2));
}
