// The products that a program asks for, as `sgemm-ladder trace` (abi/cublas) writes them: a line a product,
//     gemm:NT 8192x768x3072 96    # 4800 calls
// how its operands lie, its sizes, and how many products there are in a call if it is not one. What follows # is a
// comment.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "values/gemm_form.h"
#include "values/shape.h"

namespace judge {

struct Products {
    GemmForm form;
    std::vector<Shape> shapes;

    bool operator==(const Products&) const = default;
};

// In the order of the file, those of one form together; each product once. Throws UsageError, naming the option, the
// file, the line and what is wrong with it; a file without products is wrong too.
std::vector<Products> load_products(const std::filesystem::path& file);

// What a row of such a run has for its shape: "8192x768x3072 NT x96".
std::string label_of(const std::string& shape, const GemmForm& form);

}  // namespace judge
