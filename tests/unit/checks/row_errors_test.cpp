#include "host/checks/row_errors.h"

#include <cmath>
#include <vector>

#include "host/checks/bound.h"
#include "tests/catch.h"
#include "tests/unit/multiply.h"

using namespace judge;
using namespace unit;

namespace {

struct ErrorsOf {
    ErrorsOf(const Shape& of, Data fill) : shape(of), data(fill) {
        device->fill_random(a.data(), a.size(), {7, data});
        device->fill_random(b.data(), b.size(), {8, data});
        multiply(a.data(), b.data(), c.data(), shape);
    }
    RowErrors errors() const { return row_errors(*device, a.data(), b.data(), c.data(), shape, data, 5); }

    Shape shape;
    Data data;
    std::unique_ptr<Device> device = make_host_device();
    std::vector<float> a = std::vector<float>(shape.a_elements()), b = std::vector<float>(shape.b_elements()),
                       c = std::vector<float>(shape.c_elements());
};

}  // namespace

TEST_CASE("a product in FP32 is as far off as a sequential sum, on all data") {
    for (const Data data : {Data::uniform, Data::normal, Data::positive, Data::wide}) {
        for (const Shape& shape : {Shape{50, 300, 40}, Shape{3, 1000, 2000}, Shape{2000, 100, 1}}) {
            const RowErrors errors = ErrorsOf(shape, data).errors();
            CAPTURE(to_string(data), to_string(shape));
            CHECK(errors.elements >= 1000);
            CHECK(errors.elements <= 4000);
            CHECK(errors.r() > 0.75);
            CHECK(errors.r() < 1.2);
        }
    }
}

TEST_CASE("few elements are held against what is typical, and products that are exact have no r") {
    const RowErrors one = ErrorsOf({1, 500, 1}, Data::uniform).errors();
    CHECK(one.elements == 1);
    CHECK(one.sequential_rho >= typical_rho(500, Data::uniform));
    CHECK(ErrorsOf({20, 500, 20}, Data::integers).errors().r() == 0);
    CHECK(ErrorsOf({0, 5, 5}, Data::uniform).errors().elements == 0);
    CHECK(ErrorsOf({5, 5, 0}, Data::uniform).errors().elements == 0);
    CHECK(ErrorsOf({5, 0, 5}, Data::uniform).errors().elements == 0);
}

TEST_CASE("an error in the last row is seen, and one that is not finite") {
    ErrorsOf product({5000, 100, 10}, Data::uniform);
    product.c.back() += 1;
    CHECK(product.errors().r() > 1000);
    product.c.front() = NAN;
    CHECK(std::isinf(product.errors().r()));
}
