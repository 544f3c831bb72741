#include "checks/far_elements.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "checks/process_copy.h"
#include "checks/reserved_call.h"
#include "values/shape.h"

namespace judge {

namespace {

constexpr int kRows = 16;
// Of a row: a multiple of 128, for kernels of whole tiles, and one whose multiples, in 32 bits, lie neither near the
// beginning of another row nor where one of up to 64 threads begins that share a row's columns.
constexpr int kColumns = 1'543'402'496;
constexpr int64_t kWindow = 2048;  // elements: what a row begins with lies in two pages

struct FarCase {
    Shape shape;
    std::array<bool, 4> far;  // which of A, B, C and E have such rows
};
constexpr FarCase kProducts[] = {{{kRows, kRows, kColumns}, {false, true, true}}, {{kRows, kColumns, kRows}, {true}}};
constexpr FarCase kChains[] = {{{kRows, kRows, kRows, kColumns}, {false, false, true, true}},
                               {{kRows, kColumns, kRows, kRows}, {true}}};

bool is_in(int64_t element, int64_t begin) {
    return element >= begin && element < begin + kWindow;
}

// What 32 bits leave of the place of a row, counted in elements and in bytes; none of them has a sign, since what has
// one lies before the matrix.
std::array<int64_t, 2> misplaced(int64_t row) {
    const int64_t begin = row * kColumns;
    return {begin % (int64_t{1} << 32), begin % (int64_t{1} << 30)};
}

// Of one matrix, in memory that copies of the process share.
struct Rows {
    std::array<bool, kRows> begun{};

    // The first row that is looked for at a wrong place, if this is one; else 0.
    int misplaced_at(int64_t element) const {
        for (int row = 1; row < kRows; ++row) {
            const auto is_here = [&](int64_t place) {
                return place != int64_t{row} * kColumns && is_in(element, place);
            };
            const auto places = misplaced(row);
            if (!begun[row] && std::any_of(places.begin(), places.end(), is_here)) return row;
        }
        return 0;
    }
    void note(int64_t element) {
        const int64_t row = element / kColumns;
        if (row < kRows && is_in(element, row * kColumns)) begun[row] = true;
    }
    // One row that begins past 2^32 elements.
    bool is_right() const {
        return std::any_of(begun.begin() + 3, begun.end(), [](bool row) { return row; });
    }
};

struct Found {
    std::array<Rows, 4> matrices{};
    int wrong_matrix = -1, row = 0;
    int64_t element = 0;
    bool used_output = false;
    bool did_nothing = false;  // came to its end so, and without an error
};

// Whether the call is to go on.
bool look(const FarCase& which, Found& found, int matrix, int64_t element) {
    if (matrix == (which.shape.is_chain() ? 3 : 2)) found.used_output = true;
    if (!which.far[matrix]) return true;
    Rows& rows = found.matrices[matrix];
    const int row = element < 0 ? 0 : rows.misplaced_at(element);
    if (element < 0 || row > 0) {
        found.wrong_matrix = matrix, found.row = row, found.element = element;
        return false;
    }
    rows.note(element);
    for (size_t i = 0; i < which.far.size(); ++i) {
        if (which.far[i] && !found.matrices[i].is_right()) return true;
    }
    return false;
}

using FarCall = std::function<void(const std::vector<float*>& matrices, const Shape& shape)>;

std::string wrong_of(const FarCase& which, const FarCall& call, const LastError& last_error) {
    const Shape& shape = which.shape;
    const SharedWithCopies<Found> found;
    ReservedCall reserved;
    reserved.elements = {shape.a_elements(), shape.b_elements(), shape.c_elements()};
    if (shape.is_chain()) reserved.elements.push_back(shape.output_elements());
    reserved.milliseconds = 20;
    reserved.call = [&](const std::vector<float*>& matrices) {
        call(matrices, shape);
        found->did_nothing = !found->used_output && last_error().empty();
    };
    reserved.touched = [&](int matrix, int64_t element) { return look(which, *found, matrix, element); };
    make_reserved_call(reserved);
    if (found->did_nothing) return fmt::format("at {} it does nothing, and reports no error", to_string(shape));
    if (found->wrong_matrix < 0) return {};
    const char name = "ABCE"[found->wrong_matrix];
    if (found->row == 0) {
        return fmt::format("at {} it touches memory {:.1f} GiB before {}", to_string(shape),
                           -4.0 * double(found->element) / (1 << 30), name);
    }
    return fmt::format("at {} it touches element {} of {} in place of {}, where row {} begins", to_string(shape),
                       found->element, name, int64_t{found->row} * kColumns, found->row);
}

std::string first_wrong_of(std::span<const FarCase> cases, const FarCall& call, const LastError& last_error) {
    for (const FarCase& which : cases) {
        const std::string wrong = wrong_of(which, call, last_error);
        if (!wrong.empty()) return "it counts elements in 32 bits: " + wrong;
    }
    return {};
}

}  // namespace

std::string check_far_elements(const Multiply& multiply, const LastError& last_error) {
    const auto call = [&](const std::vector<float*>& in, const Shape& shape) {
        multiply(in[0], in[1], in[2], shape.M, shape.N, shape.K);
    };
    return first_wrong_of(kProducts, call, last_error);
}

std::string check_far_elements_of_chain(const MultiplyChain& multiply, const LastError& last_error) {
    const auto call = [&](const std::vector<float*>& in, const Shape& shape) {
        multiply(in[0], in[1], in[2], in[3], shape.M, shape.N, shape.K, shape.L);
    };
    return first_wrong_of(kChains, call, last_error);
}

}  // namespace judge
