#include "checks/evidence.h"
#include "values/json.h"

#include <cmath>

namespace judge {

namespace {

Json finite(double value) {
    return std::isfinite(value) ? Json(value) : Json(nullptr);
}

}  // namespace

Json to_json(const Evidence& e) {
    const auto of_gate = [&](const Gate& gate) {
        return Json{{"elementwise", finite(gate.elementwise)}, {"normwise", finite(gate.normwise)}};
    };
    Json products = Json::array();
    for (const ShapeEvidence& product : e.products) products.push_back(to_json(product));
    return {{"r", finite(e.r)},
            {"r_positive", finite(e.r_positive)},
            {"zero_mean", of_gate(e.zero_mean)},
            {"wide", of_gate(e.wide)},
            {"cancelling", of_gate(e.cancelling)},
            {"integers", of_gate(e.integers)},
            {"rounding", to_string(e.rounding)},
            {"inexact_integers", e.inexact_integers},
            {"inexact_12_bits", e.inexact_12_bits},
            {"inexact_24_bits", e.inexact_24_bits},
            {"input_bits", e.input_bits},
            {"inexact_accumulator", e.inexact_accumulator},
            {"out_of_range", e.out_of_range},
            {"flushes_subnormals", e.flushes_subnormals},
            {"lost_special", e.lost_special},
            {"spread_special", e.spread_special},
            {"nonzero_in_zero_rows", e.nonzero_in_zero_rows},
            {"products", products},
            {"deterministic", e.deterministic}};
}

Json to_json(const ShapeEvidence& e) {
    return {{"shape", to_string(e.shape)},
            {"r", finite(e.errors.r())},
            {"elements", e.errors.elements},
            {"rho", finite(e.errors.rho)},
            {"sequential_rho", finite(e.errors.sequential_rho)},
            {"lost", e.exact.lost},
            {"inexact", e.exact.inexact},
            {"nonzero", e.exact.nonzero},
            {"single_rho", finite(e.exact.single_rho)},
            {"singles", e.exact.singles},
            {"singles_off", e.exact.singles_off}};
}

}  // namespace judge
