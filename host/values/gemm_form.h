// Which products solve_gemm is asked for: how the operands lie, and how many products there are.
#pragma once

#include <string>
#include <vector>

namespace judge {

struct GemmForm {
    bool transpose_a = false, transpose_b = false;
    int batch = 1;

    bool operator==(const GemmForm&) const = default;
};

// "NT": A as it is, B transposed.
std::string to_string(const GemmForm& form);

// Throws std::invalid_argument for what is no such name.
GemmForm parse_form(const std::string& name, int batch = 1);

// NN, NT, TN, TT.
std::vector<std::string> form_names();

}  // namespace judge
