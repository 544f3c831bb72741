#include "checks/graph_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/scoped_variable.h"
#include "checks/chain_check.h"
#include "checks/gemm_check.h"
#include "checks/guarded_matrix.h"
#include "values/shape.h"

namespace judge {

namespace {

// Small and ragged ones, few tiles of a long sum, for which a kernel may want a workspace, and one of each size class
// that a library has kernels for.
constexpr Shape kGraphShapes[] = {{64, 64, 64},   {129, 66, 131},  {16, 8192, 24},
                                  {1, 3000, 500}, {333, 333, 333}, {768, 768, 768}};

class Stream {
  public:
    explicit Stream(Device& device) : device_(device), stream_(device.create_stream()) {}
    ~Stream() { device_.destroy_stream(stream_); }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    operator void*() const { return stream_; }

  private:
    Device& device_;
    void* const stream_;
};

// What is enqueued: its name, how many products it makes, and a call of it that returns its code.
struct Enqueued {
    const char* name;
    int products;
    std::function<int(const float* A, const float* B, float* C, const Shape& shape, void* stream)> call;
};

// A product, or several, with matrices of its own.
class EnqueuedProduct {
  public:
    EnqueuedProduct(const Enqueued& enqueued, Device& device, const Shape& shape, uint64_t seed)
        : enqueued_(enqueued),
          device_(device),
          shape_(shape),
          A_(device, enqueued.products * shape.a_elements(), 0),
          B_(device, enqueued.products * shape.b_elements(), 0),
          C_(device, enqueued.products * shape.c_elements(), 0) {
        device.fill_random(A_.data(), A_.elements(), {seed});
        device.fill_random(B_.data(), B_.elements(), {seed + 1});
        poison();
    }

    int enqueue(void* stream) const { return enqueued_.call(A_.data(), B_.data(), C_.data(), shape_, stream); }

    void poison() const {
        device_.fill(C_.data(), C_.elements(), kPoison);
        device_.synchronize();
    }

    // What C holds when the stream has ended.
    std::vector<float> result(void* stream) const {
        std::vector<float> values(C_.elements());
        device_.read_after(stream, values.data(), C_.data(), values.size());
        return values;
    }

    bool untouched() const {
        device_.synchronize();
        return device_.count_other(C_.data(), C_.elements(), kPoison) == 0;
    }

    Captured capture(void* stream, CaptureMode mode) const {
        int code = SOLVE_OK;
        Captured captured = device_.capture(stream, mode, [&] { code = enqueue(stream); });
        if (code != SOLVE_OK) captured = {nullptr, fmt::format("returned {}", code)};
        return captured;
    }

    const Shape& shape() const { return shape_; }

  private:
    const Enqueued& enqueued_;
    Device& device_;
    const Shape shape_;
    const GuardedMatrix A_, B_, C_;
};

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
    return std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

// As near to each other as two orders of a sum; NaN is near to nothing.
bool near(const std::vector<float>& a, const std::vector<float>& b) {
    double square = 0, difference = 0;
    for (size_t i = 0; i < a.size(); ++i) {
        square += double(a[i]) * a[i];
        difference += (double(a[i]) - b[i]) * (double(a[i]) - b[i]);
    }
    return difference <= 1e-6 * square;
}

// What plain calls of the product leave, and whether always the same bits.
struct Plain {
    std::vector<float> bits;
    bool repeats = true;
    std::string problem;

    Plain(const EnqueuedProduct& product, void* stream) {
        for (int i = 0; i < 2 && problem.empty(); ++i) {
            product.poison();
            const int code = product.enqueue(stream);
            if (code != SOLVE_OK) problem = fmt::format("returned {}", code);
            const std::vector<float> again = product.result(stream);
            repeats = i == 0 || same_bits(bits, again);
            bits = again;
        }
    }

    bool holds(const std::vector<float>& found) const { return repeats ? same_bits(bits, found) : near(bits, found); }
};

class GraphCheck {
  public:
    GraphCheck(const Enqueued& enqueued, const std::function<std::string()>& last_error, Device& device)
        : enqueued_(enqueued), last_error_(last_error), device_(device) {}

    GraphFindings run() {
        for (const Shape& shape : kGraphShapes) {
            check_modes(shape);
            if (!clean()) break;
            check_two_at_a_time(shape);
            if (!clean()) break;
        }
        return found_;
    }

  private:
    bool clean() const { return found_.not_captured.empty() && found_.wrong.empty(); }

    void wrong(const Shape& shape, const std::string& what) {
        found_.wrong = fmt::format("{} at {}: {}", enqueued_.name, to_string(shape), what);
    }

    std::unique_ptr<Graph> captured(const EnqueuedProduct& product, void* stream, CaptureMode mode) {
        Captured captured = product.capture(stream, mode);
        if (!captured.graph) {
            if (const std::string error = last_error_(); !error.empty()) captured.problem += ": " + error;
            found_.not_captured = fmt::format("{} at {} cannot be captured in a graph, in {} mode: {}", enqueued_.name,
                                              to_string(product.shape()), to_string(mode), captured.problem);
        }
        return std::move(captured.graph);
    }

    void check_modes(const Shape& shape) {
        const EnqueuedProduct product(enqueued_, device_, shape, 1);
        const Stream stream(device_);
        const Plain plain(product, stream);
        if (!plain.problem.empty()) return wrong(shape, plain.problem);
        for (const CaptureMode mode : kCaptureModes) {
            product.poison();
            const std::unique_ptr<Graph> graph = captured(product, stream, mode);
            if (!graph) return;
            if (!product.untouched()) return wrong(shape, "computes while it is captured in a graph");
            for (int i = 0; i < 2; ++i) {
                product.poison();
                graph->replay(stream);
                if (!plain.holds(product.result(stream))) {
                    return wrong(shape, fmt::format("a graph captured in {} mode leaves other bits in C than a call",
                                                    to_string(mode)));
                }
            }
        }
    }

    // The graphs must have nothing in common, and the second stream may have the handle of one that is gone.
    void check_two_at_a_time(const Shape& shape) {
        const EnqueuedProduct product[] = {{enqueued_, device_, shape, 1}, {enqueued_, device_, shape, 11}};
        const Stream captured_on(device_), first(device_);
        const Plain plain[] = {{product[0], captured_on}, {product[1], captured_on}};
        const auto graph0 = captured(product[0], captured_on, CaptureMode::global);
        const auto graph1 = graph0 ? captured(product[1], captured_on, CaptureMode::global) : nullptr;
        if (!graph1) return;
        for (int round = 0; round < 3; ++round) {
            const Stream second(device_);  // another one each round
            for (const EnqueuedProduct& each : product) each.poison();
            for (int i = 0; i < 4; ++i) graph0->replay(first), graph1->replay(second);
            if (!plain[0].holds(product[0].result(first)) || !plain[1].holds(product[1].result(second))) {
                return wrong(shape, "two graphs replayed at a time on two streams leave other bits in C than a call");
            }
            for (const EnqueuedProduct& each : product) each.poison();
            for (int i = 0; i < 4; ++i) product[0].enqueue(first), product[1].enqueue(second);
            if (!plain[0].holds(product[0].result(first)) || !plain[1].holds(product[1].result(second))) {
                return wrong(shape, "calls on two streams at a time leave other bits in C than one");
            }
        }
    }

    const Enqueued enqueued_;
    const std::function<std::string()>& last_error_;
    Device& device_;
    GraphFindings found_;
};

// In the emulator, which captures nothing, but refuses what CUDA refuses then. The second one is larger than what
// has been called before: it may want more memory than the plugin has.
constexpr Shape kShapesOfRefusals[] = {{33, 20, 35}, {36, 1700, 41}};

GraphFindings check_refusals_of_capture(const Enqueued& enqueued, const std::function<std::string()>& last_error,
                                        Device& device) {
    for (const Shape& shape : kShapesOfRefusals) {
        const EnqueuedProduct product(enqueued, device, shape, 1);
        const ScopedVariable capture("EMULATOR_CAPTURE", "1");
        const int code = product.enqueue(nullptr);
        std::string problem = last_error();
        if (problem.empty() && code != SOLVE_OK) problem = fmt::format("returned {}", code);
        if (problem.empty()) continue;
        return {fmt::format("{} at {} cannot be captured in a graph: {}", enqueued.name, to_string(shape), problem),
                ""};
    }
    return {};
}

GraphFindings check_graphs_of(const Enqueued& enqueued, const std::function<std::string()>& last_error, Device& device,
                              bool emulated) {
    return emulated ? check_refusals_of_capture(enqueued, last_error, device)
                    : GraphCheck(enqueued, last_error, device).run();
}

}  // namespace

GraphFindings check_graphs(const Enqueue& enqueue, const std::function<std::string()>& last_error, Device& device,
                           bool emulated) {
    if (!enqueue || !(emulated || device.has_graphs())) return {};
    const auto call = [&](const float* A, const float* B, float* C, const Shape& shape, void* stream) {
        const int N = shape.N, K = shape.K;
        return enqueue(A, N, B, K, C, K, shape.M, N, K, 1.0f, 0.0f, stream);
    };
    return check_graphs_of({"solve_enqueue", 1, call}, last_error, device, emulated);
}

GraphFindings check_graphs_of_gemm(const EnqueueGemm& enqueue, const GemmForm& form,
                                   const std::function<std::string()>& last_error, Device& device, bool emulated) {
    if (!enqueue || !(emulated || device.has_graphs())) return {};
    constexpr int kProducts = 2;
    const auto enqueue_call = [&](const float* A, const float* B, float* C, const Shape& shape, void* stream) {
        solve_gemm_t call = dense_call({form.transpose_a, form.transpose_b, kProducts}, shape, A, B, C);
        call.stream = stream;
        return enqueue(&call);
    };
    return check_graphs_of({"solve_gemm", kProducts, enqueue_call}, last_error, device, emulated);
}

GraphFindings check_graphs_of_chain(const EnqueueChain& enqueue, const std::function<std::string()>& last_error,
                                    Device& device, bool emulated) {
    if (!enqueue || !(emulated || device.has_graphs())) return {};
    int64_t largest = 0;
    for (const Shape& shape : kGraphShapes) largest = std::max(largest, int64_t{shape.K} * shape.K);
    const GuardedMatrix third(device, largest, 0);  // of every call, which only reads it
    device.fill_random(third.data(), third.elements(), {99});
    device.synchronize();
    const auto enqueue_call = [&](const float* A, const float* B, float* E, const Shape& shape, void* stream) {
        solve_chain_t call = dense_chain({shape.M, shape.N, shape.K, shape.K}, A, B, third.data(), E);
        call.stream = stream;
        return enqueue(&call);
    };
    return check_graphs_of({"solve_chain_enqueue", 1, enqueue_call}, last_error, device, emulated);
}

}  // namespace judge
