// Calls that are named one by one: 643x495x1576:NT,1024x64x512:NN:odd:96, that is MxNxK[:form[:odd|even[:batch]]].
#pragma once

#include <algorithm>
#include <cstdio>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "drawn.h"

namespace survey {

// Throws std::invalid_argument, which says what is wrong with the text.
inline Drawn named(const std::string& text) {
    Drawn drawn{};
    char form[3] = "NN", rows[5] = "even";
    const int found =
        std::sscanf(text.c_str(), "%dx%dx%d:%2[NT]:%4[a-z]:%d", &drawn.M, &drawn.N, &drawn.K, form, rows, &drawn.batch);
    const std::string operations = form, length = rows;
    if (found < 3 || std::min({drawn.M, drawn.N, drawn.K, drawn.batch}) < 1 || operations.size() != 2 ||
        (length != "odd" && length != "even")) {
        throw std::invalid_argument(text +
                                    " is no shape: MxNxK[:form[:odd|even[:batch]]], as in 1024x64x512:NT:odd:96");
    }
    drawn.transpose_a = form[0] == 'T', drawn.transpose_b = form[1] == 'T', drawn.misaligned = length == "odd";
    const int longer = drawn.misaligned ? 1 : 0;
    const double M = drawn.M + longer, N = drawn.N + longer, K = drawn.K + longer;
    if (drawn.batch * std::max({M * N, N * K, M * K}) > double(kArena)) {
        throw std::invalid_argument(text + " does not fit: a matrix of it, or a batch of them, has more than " +
                                    std::to_string(kArena) + " elements");
    }
    return drawn;
}

inline std::vector<Drawn> all_named(const std::string& list) {
    std::vector<Drawn> shapes;
    std::istringstream in(list);
    for (std::string text; std::getline(in, text, ',');) shapes.push_back(named(text));
    return shapes;
}

}  // namespace survey
