#include "host/checks/bad_arguments.h"

#include <algorithm>
#include <thread>

#include "tests/catch.h"
#include "tests/unit/multiply.h"
#include "tests/unit/text.h"

using namespace judge;
using namespace unit;

namespace {

using Matrices = ArgumentTest::Matrices;

// A plugin as abi/solve.h has it, of solve or of solve_chain.
class Plugin {
  public:
    explicit Plugin(bool chain) : chain_(chain) {}

    std::vector<int> sizes(const Shape& shape) const {
        return chain_ ? std::vector{shape.M, shape.N, shape.K, shape.L} : std::vector{shape.M, shape.N, shape.K};
    }
    bool is_bad(const Matrices& matrices, const Shape& shape) const {
        const std::vector<int> all = sizes(shape);
        if (*std::min_element(all.begin(), all.end()) < 0) return true;
        for (size_t i = 0; i < all.size(); ++i) {
            const int rows = i + 1 < all.size() ? all[i] : all[0], columns = all[std::min(i + 1, all.size() - 1)];
            if (!matrices[i] && rows > 0 && columns > 0) return true;
        }
        return false;
    }
    void multiply(const Matrices& in, const Shape& shape) const {
        chain_ ? multiply_chain(in[0], in[1], in[2], in[3], shape) : unit::multiply(in[0], in[1], in[2], shape);
    }

  private:
    bool chain_;
};

struct Found {
    std::string negative, null;
};

// `before` is what it does before it looks at its arguments, `reports` whether it says so of bad ones.
Found misuse(bool chain, const std::function<void(const Matrices&, const Shape&)>& before, bool reports = true) {
    const std::unique_ptr<Device> device = make_host_device();
    const Plugin plugin(chain);
    static thread_local std::string error;
    ArgumentTest test;
    test.chain = chain;
    test.call = [&](const Matrices& matrices, const Shape& shape) {
        error.clear();
        if (before) before(matrices, shape);
        if (!plugin.is_bad(matrices, shape)) return plugin.multiply(matrices, shape);
        if (reports) error = "bad";
    };
    test.last_error = [&] { return error; };
    return {misuse_of_negative_sizes(*device, test), misuse_of_null_pointers(*device, test)};
}

}  // namespace

TEST_CASE("who writes nothing of bad arguments, and reports them, misuses none") {
    for (const bool chain : {false, true}) {
        const Found found = misuse(chain, {});
        CHECK(found.negative == "");
        CHECK(found.null == "");
    }
}

TEST_CASE("an output that is cleared before the arguments are checked is told") {
    const auto clear = [](const Matrices& in, const Shape& shape) {
        if (in[2] && shape.M > 0 && shape.K > 0) std::fill_n(in[2], shape.M * shape.K, 0.0f);
    };
    const Found found = misuse(false, clear);
    CHECK(found.negative == "wrote to C at M = 5, N = -7, K = 3");
    CHECK(found.null == "wrote to C where A is null");
    const auto clear_chain = [](const Matrices& in, const Shape& shape) {
        if (in[3] && shape.M > 0 && shape.L > 0) std::fill_n(in[3], shape.M * shape.L, 0.0f);
    };
    CHECK(misuse(true, clear_chain).null == "wrote to E where A is null");
}

TEST_CASE("bad arguments that are not reported are told") {
    for (const bool chain : {false, true}) {
        const Found found = misuse(chain, {}, false);
        CHECK(contains(found.negative, "reports none at M = -5, N = 7, K = 3"));
        CHECK(found.null == "reports none where A is null");
    }
}

TEST_CASE("an error that another thread is told of too is told") {
    const std::unique_ptr<Device> device = make_host_device();
    ArgumentTest test;
    test.call = [](const Matrices&, const Shape&) {};
    test.last_error = [] { return std::string("of all threads"); };
    CHECK(misuse_of_negative_sizes(*device, test) == "reports it to another thread too at M = -5, N = 7, K = 3");
}

TEST_CASE("zeros for a sum of a negative number of terms are misuse only where errors are reported") {
    const std::unique_ptr<Device> device = make_host_device();
    ArgumentTest test;
    test.call = [](const Matrices& in, const Shape& shape) {
        if (shape.M > 0 && shape.K > 0) multiply(in[0], in[1], in[2], {shape.M, std::max(shape.N, 0), shape.K});
    };
    CHECK(misuse_of_negative_sizes(*device, test) == "");
    test.last_error = [own = std::this_thread::get_id()] {
        return std::string(std::this_thread::get_id() == own ? "always an error" : "");
    };
    CHECK(misuse_of_negative_sizes(*device, test) == "wrote to C at M = 5, N = -7, K = 3");
}

TEST_CASE("null for a matrix without elements is no error, and an error that stays is told") {
    const std::unique_ptr<Device> device = make_host_device();
    static thread_local std::string error;
    ArgumentTest test;
    test.last_error = [] { return error; };
    test.call = [&](const Matrices& in, const Shape& shape) {
        error = !in[0] || !in[1] || !in[2] ? "null" : "";
        if (error.empty()) multiply(in[0], in[1], in[2], shape);
    };
    CHECK(
        contains(misuse_of_null_pointers(*device, test), "refuses null for matrices without elements at 0x7x3: null"));
    test.call = [&](const Matrices& in, const Shape& shape) {
        if (Plugin(false).is_bad(in, shape)) {
            error = "stays";
        } else {
            multiply(in[0], in[1], in[2], shape);
        }
    };
    for (const auto misuse : {misuse_of_negative_sizes, misuse_of_null_pointers}) {
        CHECK(contains(misuse(*device, test), "has its error still after a call at 3x5x2 whose C is right: stays"));
    }
}
