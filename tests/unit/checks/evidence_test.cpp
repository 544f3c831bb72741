#include "host/checks/evidence.h"

#include <limits>

#include "host/values/json.h"
#include "tests/catch.h"

using namespace judge;

TEST_CASE("the evidence is JSON, with null for what is infinite") {
    Evidence evidence;
    evidence.r = 1;
    evidence.input_bits = 24;
    evidence.zero_mean = {0.05, 0.01};
    evidence.wide.elementwise = std::numeric_limits<double>::infinity();
    evidence.rounding = Rounding::bf16_nearest;
    const Json json = to_json(evidence);
    CHECK(json.at("r") == 1.0);
    CHECK(json.at("wide").at("elementwise").is_null());
    CHECK(json.at("zero_mean").at("elementwise") == 0.05);
    CHECK(json.at("rounding") == "BF16, nearest");
    CHECK(json.at("input_bits") == 24);
    evidence.products.push_back({{128, 384, 256}, {1024, 0.5, 0.25}, {}});
    evidence.products[0].exact.lost = 3;
    const Json product = to_json(evidence).at("products").at(0);
    CHECK(product.at("shape") == "128x384x256");
    CHECK(product.at("r") == 2.0);
    CHECK(product.at("lost") == 3);
}
