#include "checks/gemm_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/counted.h"
#include "checks/padding.h"
#include "values/data.h"
#include "values/shape.h"

namespace judge {

std::string GemmCase::text() const {
    constexpr const char* kBias[] = {"no bias", "a bias of rows", "a bias of columns"};
    std::string text =
        fmt::format("solve_gemm {}, {}x{}x{}, rows padded {}, alpha {}, beta {}, {}, {}", to_string(form), M, N, K,
                    padding == kToVectors ? "to whole vectors" : fmt::format("by {}", padding), alpha, beta,
                    kBias[bias], counted(form.batch, "product"));
    if (arrays != 0) {
        text += fmt::format(" with arrays of pointers to{}{}{}", arrays & kArrayOfA ? " A" : "",
                            arrays & kArrayOfB ? " B" : "", arrays & kArrayOfC ? " C" : "");
    }
    for (const auto& [bit, what] : {std::pair{kSharedA, "A"}, {kSharedB, "B"}, {kSharedBias, "bias"}}) {
        if (shared & bit) text += fmt::format(" with a shared {}", what);
    }
    if (interleaved) text += ", whose rows alternate";
    if (side_stream) text += ", on a stream of its own";
    if (accuracy != 0) text += fmt::format(", accuracy {}", accuracy);
    if (specials) text += ", with infinities and NaN";
    return text;
}

namespace {

// Each field of a call where two sizes or all are equal, since a plugin may take the matrices for square ones, or tell
// a bias of rows from one of columns by its length; and where one or two sizes are 1, for which it may have paths of
// their own. Each is tried with two of the four pairs of transposes, in the emulator, where it takes a hundred times as
// long, with one.
void add_equal_and_single_sizes(const std::string& name, bool emulated, std::vector<GemmCase>& list) {
    constexpr Shape kShapes[] = {{24, 24, 40}, {40, 24, 24}, {24, 40, 24}, {28, 28, 12}, {12, 28, 28},
                                 {28, 12, 28}, {20, 20, 20}, {1, 22, 27},  {22, 1, 27},  {27, 22, 1},
                                 {1, 1, 29},   {1, 29, 1},   {29, 1, 1}};
    constexpr int kFields = 9;
    const std::vector<std::string> names = form_names();
    int turn = int(std::find(names.begin(), names.end(), name) - names.begin());
    for (const auto& [M, N, K, L] : kShapes) {
        const auto form = [&](int batch) { return parse_form(name, batch); };
        const GemmCase fields[kFields] = {
            {M, N, K, form(1), 0, 1, 0.5f},
            {M, N, K, form(1), 4, 1, 0.5f},
            {M, N, K, form(1), 0, 2, 0, SOLVE_BIAS_OF_ROWS},
            {M, N, K, form(1), 1, -0.5f, 0.75f, SOLVE_BIAS_OF_COLUMNS},
            {M, N, K, form(2), 3, 1, 1, SOLVE_BIAS_OF_ROWS, kArrays, kSharedBias},
            {M, N, K, form(3), 0, 1, 0, SOLVE_BIAS_OF_COLUMNS, kArrayOfB},
            {M, N, K, form(3), 0, -0.5f, 0, SOLVE_BIAS_OF_ROWS, 0, kSharedA},
            {M, N, K, form(2), 1, 1, 0.5f, SOLVE_BIAS_OF_ROWS, 0, kSharedB, false, 0, false, true},
            {M, N, K, form(2), 0, 0, 0.5f, SOLVE_BIAS_OF_ROWS},
        };
        for (const GemmCase& field : fields) {
            if (turn++ % (emulated ? 4 : 2) == 0) list.push_back(field);
        }
    }
}

}  // namespace

std::vector<GemmCase> gemm_cases(const Plugin& plugin, bool has_side_stream) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    const bool emulated = plugin.is_emulated();
    std::vector<GemmCase> list;
    if (!emulated) list.push_back({1, 2, 1, parse_form("NN", kMany)});
    for (const std::string& name : form_names()) {
        const auto form = [&](int batch) { return parse_form(name, batch); };
        list.push_back({129, 66, 131, form(1)});
        list.push_back({129, 66, 131, form(1), 1, -0.5f, 0, SOLVE_BIAS_OF_ROWS});  // of more rows than one tile has
        list.push_back({64, 64, 64, form(2), 4});
        list.push_back({64, 64, 64, form(2), 0, 1, 0, SOLVE_BIAS_NONE, 0, kSharedB});
        list.push_back({20, 24, 28, form(3), 0, 1, 1, SOLVE_BIAS_OF_COLUMNS, 0, kSharedA | kSharedBias});
        list.push_back({7, 9, 5, form(2), 1, 1, 1, SOLVE_BIAS_OF_ROWS, 0, kSharedA | kSharedB | kSharedBias});
        list.push_back({20, 24, 28, form(3), 0, 1, 0, SOLVE_BIAS_NONE, 0, 0, false, 0, false, true});
        list.push_back({7, 9, 5, form(2), 3, 2, 1, SOLVE_BIAS_NONE, 0, 0, false, 0, false, true});
        // Sizes and leading dimensions of whole tiles and whole vectors, which have paths of their own.
        list.push_back({64, 64, 64, form(1), 0, -0.5f, 0.75f, SOLVE_BIAS_OF_COLUMNS});
        list.push_back({33, 20, 35, form(3), 1, -0.5f, 0.75f, SOLVE_BIAS_OF_ROWS});
        list.push_back({16, 16, 16, form(5), 0, 2, 0, SOLVE_BIAS_OF_COLUMNS, kArrays});
        list.push_back({70, 131, 2, form(2), 1, 0.5f, 0, SOLVE_BIAS_NONE, kArrays});
        for (unsigned arrays = 1; arrays < kArrays; ++arrays) {
            list.push_back({12, 20, 16, form(3), 0, 1, 0.5f, SOLVE_BIAS_NONE, arrays});
        }
        add_equal_and_single_sizes(name, emulated, list);
        list.push_back({34, 17, 67, form(1), kToVectors, 1, 0.5f});
        list.push_back({5, 7, 6, form(2), kToVectors});
        // In the emulator one of them, since each takes as many blocks.
        if (!emulated || name == "TN") list.push_back({kMany, 3, 2, form(1)});
        if (!emulated) list.push_back({2, 3, kMany, form(1)}), list.push_back({3, kMany, 2, form(1)});
        if (emulated && name == "NN") list.push_back({3, 2, 4097, form(1)});
        if (emulated && name == "TT") list.push_back({2, 4097, 3, form(1)});
        list.push_back({17, 9, 35, form(3), 1, 0, 0.5f, SOLVE_BIAS_OF_COLUMNS});
        list.push_back({17, 9, 35, form(2), 1, 0, 0});
        list.push_back({17, 9, 35, form(2), 1, -0.0f, -0.0f});  // are 0, too
        // Which are not 0, however small; and with a beta of 1 what alpha 0 leaves out is left out all the same.
        list.push_back({17, 9, 35, form(1), 1, 1e-9f, 0});
        list.push_back({9, 17, 20, form(1), 0, 0, 1e-9f});
        list.push_back({17, 9, 20, form(1), 0, 0, 1});
        list.push_back({5, 0, 7, form(2), 3, 1, -2, SOLVE_BIAS_OF_ROWS});
        list.push_back({5, 0, 7, form(1), 3, kInfinity, -2, SOLVE_BIAS_OF_ROWS});
        list.push_back({5, 0, 8, form(2), 0, kNaN, 0});
        list.push_back({5, 0, 8, form(1), 1, 1, 0, SOLVE_BIAS_OF_COLUMNS});
        list.push_back({9, 6, 7, form(1), 0, 0, 0, SOLVE_BIAS_OF_ROWS});
        for (uint32_t accuracy = SOLVE_ARITHMETIC_FP32; accuracy <= SOLVE_ARITHMETIC_BF16; ++accuracy) {
            list.push_back({16, 16, 16, form(1), 0, 1, 0, SOLVE_BIAS_NONE, 0, 0, false, accuracy});
        }
        if (has_side_stream) {
            list.push_back({129, 66, 131, form(2), 0, 1, 0.5f, SOLVE_BIAS_OF_ROWS, 0, 0, true});
        }
        // More products than are handed out at a time, or than the arrays of a kernel's parameters have room for.
        if (!emulated) {
            list.push_back({6, 5, 7, form(70), 1, -0.5f, 0.75f, SOLVE_BIAS_OF_ROWS, 0, kSharedB});
            list.push_back({5, 7, 6, form(37), 0, 1, 0.5f, SOLVE_BIAS_OF_COLUMNS, kArrays});
        } else if (name == "NT") {
            list.push_back({6, 5, 7, form(37), 1, -0.5f, 0.75f, SOLVE_BIAS_OF_ROWS, 0, kSharedB});
        }
        if (plugin.arithmetic() != SOLVE_ARITHMETIC_FP32) continue;
        for (const auto& [alpha, beta] : {std::pair{kInfinity, 0.0f}, {1.0f, -kInfinity}, {0.0f, kNaN}}) {
            list.push_back({9, 6, 7, form(1), 0, alpha, beta});
        }
        list.push_back({64, 64, 64, form(1), 0, 1, 0, SOLVE_BIAS_NONE, 0, 0, false, 0, true});
        list.push_back({33, 20, 35, form(2), 1, 1, 0, SOLVE_BIAS_NONE, 0, 0, false, 0, true});
        list.push_back({9, 6, 7, form(1), 0, kNaN, 0});
        list.push_back({9, 6, 7, form(1), 0, 1, kNaN});
    }
    // Larger than the tiles that a dispatcher takes small products with; and one above 512 each way.
    for (const char* const name : {"NT", "TN", "TT"}) {
        if (!emulated) list.push_back({262, 259, 261, parse_form(name, 1), 1, -0.5f, 0.75f, SOLVE_BIAS_OF_ROWS});
    }
    if (!emulated) list.push_back({519, 513, 521, parse_form("NN", 1), 1, -0.5f, 0.75f, SOLVE_BIAS_OF_ROWS});
    return list;
}

}  // namespace judge
