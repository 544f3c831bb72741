#include "parent/shapes_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "base/usage_error.h"

namespace judge {

namespace {

struct Product {
    GemmForm form;
    Shape shape;
};

// Throws std::invalid_argument.
Product parse_product(const std::vector<std::string>& words) {
    constexpr int kMostProducts = 1 << 20;
    if (words.size() > 3 || words.size() < 2 || !words[0].starts_with("gemm:")) {
        throw std::invalid_argument(
            "expected an operation, a shape and perhaps a number of products, as in "
            "gemm:NT 1000x777x3000 96");
    }
    int batch = 1;
    if (words.size() == 3) {
        size_t length = 0;
        try {
            batch = std::stoi(words[2], &length);
        } catch (const std::exception&) {
        }
        if (length != words[2].size() || batch < 1 || batch > kMostProducts) {
            throw std::invalid_argument(
                fmt::format("'{}' is no number of products from 1 to {}", words[2], kMostProducts));
        }
    }
    return {parse_form(words[0].substr(5), batch), parse_shape(words[1], Operation::full_gemm)};
}

std::vector<std::string> words_of(const std::string& line) {
    std::istringstream stream(line.substr(0, line.find('#')));
    std::vector<std::string> words;
    for (std::string word; stream >> word;) words.push_back(word);
    return words;
}

}  // namespace

std::vector<Products> load_products(const std::filesystem::path& file) {
    const std::string option = fmt::format("--shapes-from: {}", file.string());
    std::ifstream stream(file);
    if (!stream) throw UsageError(option + ": cannot be read");
    std::vector<Products> all;
    int number = 0;
    for (std::string line; std::getline(stream, line);) {
        ++number;
        const std::vector<std::string> words = words_of(line);
        if (words.empty()) continue;
        try {
            const Product product = parse_product(words);
            auto same =
                std::find_if(all.begin(), all.end(), [&](const Products& each) { return each.form == product.form; });
            if (same == all.end()) same = all.insert(all.end(), {product.form, {}});
            if (std::find(same->shapes.begin(), same->shapes.end(), product.shape) != same->shapes.end()) continue;
            same->shapes.push_back(product.shape);
        } catch (const std::invalid_argument& error) {
            throw UsageError(fmt::format("{}:{}: {}", option, number, error.what()));
        }
    }
    if (all.empty()) throw UsageError(option + ": no products in it: each is a line, as gemm:NT 1000x777x3000.");
    return all;
}

std::string label_of(const std::string& shape, const GemmForm& form) {
    return fmt::format("{} {}{}", shape, to_string(form), form.batch > 1 ? fmt::format(" x{}", form.batch) : "");
}

}  // namespace judge
