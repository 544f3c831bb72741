#include "checks/chain_check.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "checks/bound.h"
#include "checks/general_trials.h"
#include "checks/guarded_matrix.h"
#include "checks/padding.h"
#include "checks/refusals.h"
#include "values/data.h"

namespace judge {

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct ChainCase {
    Shape shape;
    int padding;  // of every row, in elements
    float alpha, beta;
    bool side_stream = false;

    std::string text() const {
        return fmt::format("solve_chain_enqueue, {}, rows padded by {}, alpha {}, beta {}{}", to_string(shape), padding,
                           alpha, beta, side_stream ? ", on a stream of its own" : "");
    }
};

// rows x cols uniform numbers, or NaN; in the padding, which the last row has not, what between_rows() says.
struct Padded {
    int rows, cols;
    int64_t ld;
    std::vector<float> values;

    Padded(int rows, int cols, int padding, bool nan, uint64_t seed, bool e_is_read = false)
        : rows(rows), cols(cols), ld(cols + padding), values(rows == 0 ? 0 : (rows - 1) * ld + cols) {
        for (size_t at = 0; at < values.size(); ++at) values[at] = between_rows(at, e_is_read);
        for (int i = 0; i < rows && !nan; ++i) {
            for (int j = 0; j < cols; ++j) values[i * ld + j] = uniform(seed, i * ld + j);
        }
    }
    double at(int row, int col) const { return values[row * ld + col]; }
};

// A product in FP64, and that of the absolute values.
struct Sums {
    std::vector<double> sum, magnitude;
};

template <class Left, class LeftMagnitude>
Sums times(Left left, LeftMagnitude left_magnitude, int rows, const Padded& right) {
    Sums sums{std::vector<double>(size_t(rows) * right.cols), std::vector<double>(size_t(rows) * right.cols)};
    for (int i = 0; i < rows; ++i) {
        for (int n = 0; n < right.rows; ++n) {
            for (int k = 0; k < right.cols; ++k) {
                sums.sum[size_t(i) * right.cols + k] += left(i, n) * right.at(n, k);
                sums.magnitude[size_t(i) * right.cols + k] += left_magnitude(i, n) * std::abs(right.at(n, k));
            }
        }
    }
    return sums;
}

bool same(const std::vector<float>& a, const std::vector<float>& b) {
    return a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

class ChainCaseCheck {
  public:
    ChainCaseCheck(const ChainCase& chain, const Plugin& plugin, Device& device)
        : chain_(chain),
          plugin_(plugin),
          device_(device),
          a_(chain.shape.M, chain.shape.N, chain.padding, chain.alpha == 0, 1),
          b_(chain.shape.N, chain.shape.K, chain.padding, chain.alpha == 0, 2),
          c_(chain.shape.K, chain.shape.L, chain.padding, chain.alpha == 0, 3),
          e_(chain.shape.M, chain.shape.L, chain.padding, chain.beta == 0, 4, chain.beta != 0),
          stream_(chain.side_stream ? device.side_stream() : nullptr) {
        for (const Padded* each : {&a_, &b_, &c_, &e_}) {
            memory_.push_back(std::make_unique<GuardedMatrix>(device, each->values.size(), 0));
            device.write(memory_.back()->data(), each->values.data(), each->values.size());
        }
    }

    std::string run() {
        if (const std::string wrong = wrong_with(nullptr); !wrong.empty()) return wrong;
        const std::vector<float> first = found_;
        if (const std::string wrong = wrong_with(nullptr); !wrong.empty()) return "called again: " + wrong;
        if (!same(first, found_)) return "equal calls gave different bits";
        const bool plain = chain_.padding == 0 && chain_.alpha == 1 && chain_.beta == 0 && !stream_;
        return plain && plugin_.solve_chain ? wrong_of_solve_chain(first) : "";
    }

    // Lent memory that holds garbage: one that is surely enough, and some that are not, or just so.
    std::string run_with_workspaces() {
        GuardedMatrix large(device_, int64_t{1} << 18, 0);
        device_.fill(large.data(), large.elements(), kGarbage);
        if (const std::string wrong = wrong_with(&large); !wrong.empty()) return "with a workspace of 1 MiB: " + wrong;
        const std::vector<float> first = found_;
        if (const std::string wrong = wrong_with(&large); !wrong.empty()) return "with that workspace again: " + wrong;
        if (!same(first, found_)) return "with a workspace of 1 MiB equal calls gave different bits";
        device_.fill(large.data(), large.elements(), kPoison);  // it is the caller's again
        const int64_t between = int64_t{chain_.shape.M} * chain_.shape.K;
        for (const int64_t floats : {int64_t{0}, int64_t{64}, between - 1, between, (between + 63) / 64 * 64}) {
            GuardedMatrix small(device_, floats, 0);
            device_.fill(small.data(), floats, kGarbage);
            large.arm(Access::none);
            std::string wrong = wrong_with(&small);
            large.disarm();
            if (wrong.empty() && (large.misused() || device_.count_other(large.data(), large.elements(), kPoison))) {
                wrong = "used the workspace of an earlier call";
            }
            if (!wrong.empty()) return fmt::format("with a workspace of {} bytes: {}", 4 * floats, wrong);
        }
        return {};
    }

  private:
    static constexpr uint32_t kGarbage = 0xffffffff;  // NaN, and as a whole number neither 0 nor 1

    solve_chain_t call() const {
        solve_chain_t call = solve_chain_one();
        call.M = chain_.shape.M, call.N = chain_.shape.N, call.K = chain_.shape.K, call.L = chain_.shape.L;
        call.A = memory_[0]->data(), call.lda = a_.ld;
        call.B = memory_[1]->data(), call.ldb = b_.ld;
        call.C = memory_[2]->data(), call.ldc = c_.ld;
        call.E = memory_[3]->data(), call.lde = e_.ld;
        call.alpha = chain_.alpha, call.beta = chain_.beta;
        call.stream = stream_;
        return call;
    }

    void prepare() {
        device_.write(memory_[3]->data(), e_.values.data(), e_.values.size());
        device_.synchronize();
        if (stream_) device_.occupy_default_stream();
        for (size_t i = 0; i < 3; ++i) memory_[i]->arm(chain_.alpha == 0 ? Access::none : Access::read);
        memory_[3]->arm();
    }

    // What the call did besides; E is in found_ then.
    std::string damage() {
        found_.resize(e_.values.size());
        device_.read_after(stream_, found_.data(), memory_[3]->data(), found_.size());
        device_.synchronize();
        for (size_t i = 0; i < memory_.size(); ++i) {
            GuardedMatrix& matrix = *memory_[i];
            matrix.disarm();
            const char name = "ABCE"[i];
            if (!matrix.trespass().empty()) return fmt::format("{} {}", matrix.trespass(), name);
            if (matrix.misused()) return fmt::format("{} {}", chain_.alpha == 0 ? "used" : "wrote to", name);
            if (matrix.damage() > 0) return fmt::format("wrote outside {}", name);
        }
        return {};
    }

    std::string wrong_with(GuardedMatrix* workspace) {
        prepare();
        solve_chain_t lent = call();
        if (workspace) {
            lent.workspace = workspace->data(), lent.workspace_bytes = workspace->elements() * sizeof(float);
            workspace->arm();
        }
        const int code = plugin_.solve_chain_enqueue(&lent);
        const std::string error = code == SOLVE_OK ? std::string() : plugin_.last_error();
        const std::string wrong = damage();
        if (workspace) {
            workspace->disarm();
            if (!workspace->trespass().empty()) return workspace->trespass() + " it";
            if (workspace->damage() > 0) return "wrote outside it";
        }
        if (!wrong.empty()) return wrong;
        if (code == SOLVE_OK) return first_wrong();
        if (code != SOLVE_UNSUPPORTED) return fmt::format("returned {}: {}", code, error);
        return same(found_, e_.values) ? "" : "calls it unsupported, but wrote to E";
    }

    std::string wrong_of_solve_chain(const std::vector<float>& enqueued) {
        prepare();
        const auto& [M, N, K, L] = chain_.shape;
        plugin_.solve_chain(memory_[0]->data(), memory_[1]->data(), memory_[2]->data(), memory_[3]->data(), M, N, K, L);
        if (const std::string wrong = damage(); !wrong.empty()) return "solve_chain " + wrong;
        return same(enqueued, found_) ? "" : "left other bits in E than solve_chain does";
    }

    // The first element that is off, or whose padding was written; empty if there is none.
    std::string first_wrong() const {
        const auto& [M, N, K, L] = chain_.shape;
        const bool empty = N == 0 || K == 0 || chain_.alpha == 0;
        Sums exact;
        if (!empty) {
            const Sums first = times([&](int i, int n) { return a_.at(i, n); },
                                     [&](int i, int n) { return std::abs(a_.at(i, n)); }, M, b_);
            const int64_t row = K;
            exact = times([&](int i, int k) { return first.sum[i * row + k]; },
                          [&](int i, int k) { return first.magnitude[i * row + k]; }, M, c_);
        }
        const double rho = chain_rho_bound(N, K, plugin_.arithmetic(), Data::uniform, false);
        for (int i = 0; i < M; ++i) {
            for (int64_t l = 0; l < e_.ld; ++l) {
                const size_t at = i * e_.ld + l;
                if (at == e_.values.size()) break;  // the last row has no padding
                if (l >= L) {
                    if (std::memcmp(&found_[at], &e_.values[at], sizeof(float)) == 0) continue;
                    return fmt::format("wrote past the end of row {} of E", i);
                }
                const double sum = empty ? 0 : chain_.alpha * exact.sum[size_t(i) * L + l];
                const double magnitude = empty ? 0 : std::abs(chain_.alpha) * exact.magnitude[size_t(i) * L + l];
                const double old = chain_.beta == 0 ? 0 : double(chain_.beta) * e_.values[at];
                // Beside the products: alpha, beta and the sum of the two round once each.
                const double bound = kUnitRoundoff * ((rho + 3) * magnitude + 3 * std::abs(old));
                const double want = sum + old;
                if (std::isnan(want) ? std::isnan(found_[at]) : std::isinf(want) && !std::isfinite(found_[at])) {
                    continue;
                }
                if (std::isfinite(want) && std::abs(found_[at] - want) <= bound) continue;
                return fmt::format("({}, {}): got {:.9g}, want {:.9g} +- {:.3g}", i, l, found_[at], want, bound);
            }
        }
        return {};
    }

    const ChainCase& chain_;
    const Plugin& plugin_;
    Device& device_;
    const Padded a_, b_, c_, e_;
    void* const stream_;
    std::vector<std::unique_ptr<GuardedMatrix>> memory_;  // A, B, C and E
    std::vector<float> found_;
};

// A cube of one matrix.
std::string wrong_of_common_memory(const Plugin& plugin, Device& device) {
    constexpr int kSide = 24;
    const Padded matrix(kSide, kSide, 0, false, 5);
    const GuardedMatrix memory(device, matrix.values.size(), 0), E(device, matrix.values.size(), 0);
    device.write(memory.data(), matrix.values.data(), matrix.values.size());
    device.fill(E.data(), E.elements(), kPoison);
    device.synchronize();
    const Shape shape{kSide, kSide, kSide, kSide};
    const solve_chain_t call = dense_chain(shape, memory.data(), memory.data(), memory.data(), E.data());
    const int code = plugin.solve_chain_enqueue(&call);
    if (code != SOLVE_OK) return fmt::format("returned {}: {}", code, plugin.last_error());
    std::vector<float> found(matrix.values.size());
    device.synchronize();
    device.read(found.data(), E.data(), found.size());
    const auto absolute = [&](int i, int n) { return std::abs(matrix.at(i, n)); };
    const Sums square = times([&](int i, int n) { return matrix.at(i, n); }, absolute, kSide, matrix);
    const Sums exact = times([&](int i, int k) { return square.sum[i * kSide + k]; },
                             [&](int i, int k) { return square.magnitude[i * kSide + k]; }, kSide, matrix);
    for (size_t at = 0; at < found.size(); ++at) {
        if (std::abs(found[at] - exact.sum[at]) <= 0.02 * exact.magnitude[at]) continue;  // of any class
        return fmt::format("({}, {}): got {:.9g}, want {:.9g}", at / kSide, at % kSide, found[at], exact.sum[at]);
    }
    return {};
}

struct Refusal {
    const char* what;
    void (*spoil)(solve_chain_t& call);
    int code = SOLVE_INVALID_ARGUMENT;
};

constexpr Refusal kRefusals[] = {
    {"a size of 0", [](solve_chain_t& call) { call.size = 0; }},
    {"a struct that is shorter", [](solve_chain_t& call) { call.size = sizeof(call) - 8; }},
    {"a negative M", [](solve_chain_t& call) { call.M = -1; }},
    {"a negative N", [](solve_chain_t& call) { call.N = -1; }},
    {"a negative K", [](solve_chain_t& call) { call.K = -1; }},
    {"a negative L", [](solve_chain_t& call) { call.L = -1; }},
    {"no A", [](solve_chain_t& call) { call.A = nullptr; }},
    {"no B", [](solve_chain_t& call) { call.B = nullptr; }},
    {"no C", [](solve_chain_t& call) { call.C = nullptr; }},
    {"no E", [](solve_chain_t& call) { call.E = nullptr; }},
    {"alpha 0 and no B", [](solve_chain_t& call) { call.B = nullptr, call.alpha = 0; }},
    {"accuracy 99", [](solve_chain_t& call) { call.accuracy = 99; }},
    {"a longer struct, whose further bytes are not all 0,", [](solve_chain_t& call) { call.size += 8; },
     SOLVE_UNSUPPORTED},
    {"M 0 and neither A nor E", [](solve_chain_t& call) { call.M = 0, call.A = call.E = nullptr; }, SOLVE_OK},
    {"L 0 and neither C nor E", [](solve_chain_t& call) { call.L = 0, call.C = call.E = nullptr; }, SOLVE_OK},
};

std::string accepted(const std::string& what, const std::function<void(solve_chain_t&)>& spoil, int due,
                     const Plugin& plugin, Device& device) {
    const GuardedMatrix memory(device, 4 * 64, 0);
    device.fill(memory.data(), memory.elements(), kPoison);
    device.synchronize();
    struct Later {
        solve_chain_t known;
        uint64_t further;
    } later{solve_chain_one(), 1};
    solve_chain_t& call = later.known;
    call.M = call.N = call.K = call.L = 8;
    call.lda = call.ldb = call.ldc = call.lde = 8;
    call.A = memory.data(), call.B = memory.data() + 64, call.C = memory.data() + 128, call.E = memory.data() + 192;
    spoil(call);
    const int code = plugin.solve_chain_enqueue(&call);
    device.synchronize();
    const bool written = device.count_other(memory.data(), memory.elements(), kPoison) > 0 || memory.damage() > 0;
    if (written) return fmt::format("solve_chain_enqueue with {} writes to memory", what);
    if (code != due) return fmt::format("solve_chain_enqueue with {} returns {}, not {}", what, code, due);
    if (!plugin.reports_errors() || plugin.last_error().empty() == (due == SOLVE_OK)) return {};
    return fmt::format("solve_chain_enqueue with {} returns {}, and solve_last_error has {} text", what, code,
                       due == SOLVE_OK ? "a" : "no");
}

}  // namespace

std::string check_chain_enqueue(const Plugin& plugin, Device& device) {
    std::vector<ChainCase> cases;
    for (const Shape& shape : {Shape{65, 40, 33, 70}, Shape{32, 32, 32, 32}, Shape{3, 150, 5, 90}, Shape{90, 5, 150, 3},
                               Shape{5, 0, 7, 6}, Shape{5, 6, 0, 7}}) {
        for (const int padding : {0, 1, 4}) {
            for (const auto& [alpha, beta] : {std::pair{1.0f, 0.0f}, {-0.5f, 0.75f}, {0.0f, 0.5f}, {0.0f, 0.0f}}) {
                cases.push_back({shape, padding, alpha, beta});
            }
        }
    }
    for (const Shape& shape : chains_with_equal_sizes()) cases.push_back({shape, 1, -0.5f, 0.75f});
    // One size of 1, for which there may be a way of its own; and more than a dispatcher takes small products for.
    for (const Shape& thin : {Shape{1, 22, 27, 24}, {22, 1, 27, 24}, {27, 22, 1, 24}, {27, 22, 24, 1}}) {
        cases.push_back({thin, 3, -0.5f, 0.75f});
    }
    if (!plugin.is_emulated()) cases.push_back({{262, 35, 267, 37}, 1, -0.5f, 0.75f});
    if (plugin.arithmetic() == SOLVE_ARITHMETIC_FP32) {
        for (const auto& [alpha, beta] : {std::pair{kNaN, 0.0f}, {1.0f, kNaN}, {0.0f, kNaN}, {1.0f, -kInfinity}}) {
            cases.push_back({{9, 6, 7, 8}, 0, alpha, beta});
        }
    }
    cases.push_back({{5, 0, 7, 8}, 3, kInfinity, -2});
    cases.push_back({{5, 4, 0, 8}, 0, kNaN, 0});
    cases.push_back({{17, 9, 35, 8}, 1, -0.0f, -0.0f});  // are 0, too
    cases.push_back({{17, 9, 35, 8}, 1, 1e-9f, 0});      // is not
    for (const float beta : {1e-9f, 1.0f}) cases.push_back({{9, 17, 20, 8}, 0, 0, beta});
    cases.push_back({{7, 6, 9, 8}, 0, 1, 1});
    cases.push_back({{6, 9, 5, 7}, 2, 1, 1});
    cases.push_back({{0, 4, 5, 8}, 1, 1, 0});
    cases.push_back({{4, 5, 8, 0}, 1, 1, 1});
    if (device.side_stream()) cases.push_back({{129, 66, 131, 68}, 0, 1, 0.5f, true});
    for (const ChainCase& chain : cases) {
        if (const std::string wrong = ChainCaseCheck(chain, plugin, device).run(); !wrong.empty()) {
            return fmt::format("{}: {}", chain.text(), wrong);
        }
    }
    for (const ChainCase& chain : {ChainCase{{17, 150, 36, 21}, 0, 1, 0}, ChainCase{{33, 9, 34, 35}, 1, 2, -1}}) {
        ChainCaseCheck check(chain, plugin, device);
        if (const std::string wrong = check.run_with_workspaces(); !wrong.empty()) {
            return fmt::format("{}, {}", chain.text(), wrong);
        }
    }
    if (const std::string wrong = wrong_of_common_memory(plugin, device); !wrong.empty()) {
        return "solve_chain_enqueue with A, B and C in the same memory: " + wrong;
    }
    for (const Refusal& refusal : kRefusals) {
        const std::string wrong = accepted(refusal.what, refusal.spoil, refusal.code, plugin, device);
        if (!wrong.empty()) return wrong;
    }
    const std::pair<const char*, int64_t solve_chain_t::*> dimensions[] = {{"lda", &solve_chain_t::lda},
                                                                           {"ldb", &solve_chain_t::ldb},
                                                                           {"ldc", &solve_chain_t::ldc},
                                                                           {"lde", &solve_chain_t::lde}};
    for (const auto& [name, field] : dimensions) {
        for (const int64_t value : kShortDimensions) {
            const auto spoil = [&](solve_chain_t& call) { call.*field = value; };
            const std::string what = fmt::format("{} {}", name, value);
            const std::string wrong = accepted(what, spoil, SOLVE_INVALID_ARGUMENT, plugin, device);
            if (!wrong.empty()) return wrong;
        }
    }
    return {};
}

solve_chain_t dense_chain(const Shape& shape, const float* A, const float* B, const float* C, float* E) {
    solve_chain_t call = solve_chain_one();
    call.M = shape.M, call.N = shape.N, call.K = shape.K, call.L = shape.L;
    call.A = A, call.lda = shape.N;
    call.B = B, call.ldb = shape.K;
    call.C = C, call.ldc = shape.L;
    call.E = E, call.lde = shape.L;
    return call;
}

}  // namespace judge
