#include "checks/between_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>
#include <vector>

#include "checks/chain_check.h"
#include "checks/process_copy.h"
#include "checks/process_state.h"
#include "checks/reserved_call.h"
#include "values/shape.h"

namespace judge {

namespace {

// M K and N L are each 2^32 elements, and as many more as 32 bits leave of them: of M K 3, 1 and 4.6 million. That goes
// up and down by a factor of 6 while the sizes change by 1 %, as no size does that somebody means. All are multiples of
// 128, so that tiles leave nothing over.
constexpr std::array<Shape, 3> kShapes = {{{65536 + 3840, 65536 + 3968, 65536 - 3584, 65536 - 3712},
                                           {65536 + 4096, 65536 + 3840, 65536 - 3840, 65536 - 3584},
                                           {65536 + 3584, 65536 + 4096, 65536 - 3328, 65536 - 3840}}};

int64_t bytes(int64_t rows, int64_t columns) {
    return rows * columns * int64_t{sizeof(float)};
}

// The same of an int that counts the elements, or the bytes, as of an unsigned one.
int64_t left_of(int64_t size) {
    return size % (int64_t{1} << 32);
}

struct Between {
    int rows, columns;
    int64_t size() const { return bytes(rows, columns); }
};

Between between(const Shape& shape, bool left_first) {
    return left_first ? Between{shape.M, shape.K} : Between{shape.N, shape.L};
}

struct Memory {
    int64_t heap, mapped;
};

Memory memory_now() {
    const Usage usage = process_usage();
    return {usage.heap_bytes, usage.mapped_bytes};
}

// What the process gets, from the call to its first touch of a matrix; nothing where it touches none.
class Growth {
  public:
    explicit Growth(const ChainCall& call) : call_(call) {}

    std::optional<Memory> of(const Shape& shape, int64_t workspace_bytes = 0) const {
        struct Found {
            bool touched = false;
            Memory before{}, after{};
        };
        const SharedWithCopies<Found> found;
        ReservedCall reserved;
        reserved.elements = {shape.a_elements(), shape.b_elements(), shape.c_elements(), shape.output_elements(),
                             workspace_bytes / int64_t{sizeof(float)}};
        reserved.stops_at_launch = true;
        reserved.call = [&](const std::vector<float*>& data) {
            found->before = memory_now();
            call(shape, data, workspace_bytes);
        };
        reserved.touched = [&](int, int64_t) {
            found->after = memory_now();
            found->touched = true;
            return false;
        };
        if (!make_reserved_call(reserved) || !found->touched) return std::nullopt;
        return Memory{found->after.heap - found->before.heap, found->after.mapped - found->before.mapped};
    }

  private:
    void call(const Shape& shape, const std::vector<float*>& data, int64_t workspace_bytes) const {
        solve_chain_t chain = dense_chain(shape, data[0], data[1], data[2], data[3]);
        if (workspace_bytes > 0) chain.workspace = data[4], chain.workspace_bytes = uint64_t(workspace_bytes);
        call_(&chain);
    }

    const ChainCall& call_;
};

// That much, or what a pool makes of it.
bool is_about(int64_t grown, int64_t wanted) {
    return grown >= wanted - 4096 && grown <= 2 * wanted + (int64_t{1} << 18);
}

// What the memory may be for: which of the two products, of malloc's memory or of other.
struct Explanation {
    bool left_first;
    int64_t Memory::*of;
};

std::string wrong_of_sizes(const Growth& growth) {
    std::vector<Explanation> explanations = {
        {true, &Memory::heap}, {true, &Memory::mapped}, {false, &Memory::heap}, {false, &Memory::mapped}};
    Memory last{};
    for (const Shape& shape : kShapes) {
        const std::optional<Memory> grown = growth.of(shape);
        std::erase_if(explanations, [&](const Explanation& each) {
            return !grown || !is_about((*grown).*each.of, left_of(between(shape, each.left_first).size()));
        });
        if (explanations.empty()) return {};
        last = *grown;
    }
    const auto [left_first, of] = explanations.front();
    const Between product = between(kShapes.back(), left_first);
    return fmt::format(
        "at {} it asks for {} bytes for the product between, whose {} x {} elements have {}: its size "
        "is computed in 32 bits",
        to_string(kShapes.back()), last.*of, product.rows, product.columns, product.size());
}

// A plugin that allocates the whole size if it is lent half of (size modulo 2^32), and nothing if it is lent twice
// that.
std::string wrong_of_workspaces(const Growth& growth) {
    const Shape& shape = kShapes[0];
    for (const bool left_first : {true, false}) {
        const int64_t needed = between(shape, left_first).size(), left = left_of(needed);
        const auto gets_memory_beside = [&](int64_t workspace_bytes) -> std::optional<bool> {
            const std::optional<Memory> grown = growth.of(shape, workspace_bytes);
            if (!grown) return std::nullopt;
            return std::max(grown->heap, grown->mapped) >= needed;
        };
        if (gets_memory_beside(left / 2) != true || gets_memory_beside(2 * left) != false) continue;
        return fmt::format(
            "at {} it takes a workspace of {} bytes for enough, though the product between has {} bytes: more than 32 "
            "bits hold",
            to_string(shape), 2 * left, needed);
    }
    return {};
}

}  // namespace

std::string check_product_between(const MultiplyChain& multiply, const ChainCall& enqueue) {
    if (multiply) {
        const ChainCall plain = [&](const solve_chain_t* chain) {
            const auto& [A, B, C, E] = std::tie(chain->A, chain->B, chain->C, chain->E);
            multiply(A, B, C, E, chain->M, chain->N, chain->K, chain->L);
            return int{SOLVE_OK};
        };
        if (const std::string wrong = wrong_of_sizes(Growth(plain)); !wrong.empty()) return "solve_chain: " + wrong;
    }
    if (!enqueue) return {};
    const Growth growth(enqueue);
    std::string wrong = wrong_of_sizes(growth);
    if (wrong.empty()) wrong = wrong_of_workspaces(growth);
    return wrong.empty() ? wrong : "solve_chain_enqueue: " + wrong;
}

}  // namespace judge
