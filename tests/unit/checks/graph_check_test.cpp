#include "host/checks/graph_check.h"

#include <algorithm>
#include <functional>

#include "tests/catch.h"
#include "tests/unit/host_in_disguise.h"
#include "tests/unit/text.h"

using namespace judge;
using namespace unit;

namespace {

// Where the enqueued work of a capture goes; null while there is none.
std::vector<std::function<void()>>* recorded = nullptr;
CaptureMode mode_of_capture;
std::function<void()> invalidate;

void run_or_record(const std::function<void()>& work) {
    recorded ? recorded->push_back(work) : work();
}

// A host that captures what is handed to run_or_record(), and refuses capture `refused` of those it is asked for.
class CapturingDevice final : public HostInDisguise {
  public:
    bool has_graphs() const override { return true; }
    void* create_stream() override { return this; }
    void read_after(void*, float* to_host, const float* from_device, size_t floats) override {
        read(to_host, from_device, floats);
    }
    Captured capture(void*, CaptureMode mode, const std::function<void()>& enqueue) override {
        auto graph = std::make_unique<Recorded>();
        bool valid = true;
        invalidate = [&] { valid = false; };
        mode_of_capture = mode;
        recorded = &graph->work;
        enqueue();
        recorded = nullptr;
        if (!valid) return {nullptr, "invalidated"};
        return {std::move(graph), {}};
    }

  private:
    struct Recorded final : Graph {
        std::vector<std::function<void()>> work;
        void replay(void*) override {
            for (const auto& each : work) each();
        }
    };
};

using Function = decltype(solve_enqueue);

// In place of the product, since only bits are compared: its first and its last term.
void two_terms(const float* A, const float* B, float* C, const Shape& shape) {
    const auto [M, N, K, L] = shape;
    for (int64_t i = 0; i < M; ++i) {
        for (int64_t k = 0; k < K; ++k) C[i * K + k] = A[i * N] * B[k] + A[i * N + N - 1] * B[(N - 1) * int64_t{K} + k];
    }
}

int enqueued_right(const float* A, int64_t, const float* B, int64_t, float* C, int64_t, int M, int N, int K, float,
                   float, void*) {
    run_or_record([=] { two_terms(A, B, C, {M, N, K}); });
    return SOLVE_OK;
}

// Allocates in a way that all modes but the relaxed one forbid.
int allocates(const float* A, int64_t lda, const float* B, int64_t ldb, float* C, int64_t ldc, int M, int N, int K,
              float alpha, float beta, void* stream) {
    if (recorded && mode_of_capture != CaptureMode::relaxed) invalidate();
    return enqueued_right(A, lda, B, ldb, C, ldc, M, N, K, alpha, beta, stream);
}

int computes_at_once(const float* A, int64_t, const float* B, int64_t, float* C, int64_t, int M, int N, int K, float,
                     float, void*) {
    two_terms(A, B, C, {M, N, K});
    return SOLVE_OK;
}

// Its captures have a part of the result from a place that they share.
int shares_a_workspace(const float* A, int64_t, const float* B, int64_t, float* C, int64_t, int M, int N, int K, float,
                       float, void*) {
    static float first = 0;
    run_or_record([=, captured = recorded != nullptr] {
        two_terms(A, B, C, {M, N, K});
        if (!captured) first = C[0];
        C[0] = first;
    });
    return SOLVE_OK;
}

int refuses(const float*, int64_t, const float*, int64_t, float*, int64_t, int, int, int, float, float, void*) {
    return recorded ? SOLVE_UNSUPPORTED : SOLVE_OK;
}

GraphFindings findings(Function* enqueue) {
    CapturingDevice device;
    return check_graphs(
        enqueue, [] { return std::string("what it says"); }, device);
}

}  // namespace

TEST_CASE("of a solve_enqueue that can be captured there is nothing to say") {
    const GraphFindings found = findings(enqueued_right);
    CHECK(found.wrong == "");
    CHECK(found.not_captured == "");
}

TEST_CASE("what cannot be captured is told with the mode and the reason, and is not wrong") {
    const GraphFindings found = findings(allocates);
    CHECK(found.wrong == "");
    CHECK(contains(found.not_captured, "64x64x64 cannot be captured in a graph, in global mode: invalidated"));
    CHECK(contains(found.not_captured, "what it says"));
    CHECK(contains(findings(refuses).not_captured, "returned 2"));
}

TEST_CASE("work that is done while it should be captured is wrong") {
    CHECK(contains(findings(computes_at_once).wrong, "computes while it is captured"));
}

TEST_CASE("graphs that share a place are wrong") {
    CHECK(contains(findings(shares_a_workspace).wrong, "other bits in C than a call"));
}

TEST_CASE("a chain that cannot be captured is told so, and one that shares a place is wrong") {
    CapturingDevice device;
    const auto no_error = [] { return std::string(); };
    const auto run = [](const solve_chain_t* call, bool shares) {
        static float first = 0;
        run_or_record([call = *call, shares, captured = recorded != nullptr] {
            two_terms(call.A, call.B, call.E, {call.M, call.N, call.K});
            if (!captured) first = call.E[0];
            if (shares) call.E[0] = first;
        });
        return int{SOLVE_OK};
    };
    static const auto& run_it = run;
    using Chain = int(const solve_chain_t*);
    Chain* const right = [](const solve_chain_t* call) { return run_it(call, false); };
    Chain* const shares = [](const solve_chain_t* call) { return run_it(call, true); };
    Chain* const refuses = [](const solve_chain_t*) { return int{recorded ? SOLVE_UNSUPPORTED : SOLVE_OK}; };
    CHECK(check_graphs_of_chain(right, no_error, device).wrong == "");
    CHECK(check_graphs_of_chain(right, no_error, device).not_captured == "");
    CHECK(contains(check_graphs_of_chain(shares, no_error, device).wrong, "other bits in C than a call"));
    CHECK(contains(check_graphs_of_chain(refuses, no_error, device).not_captured, "solve_chain_enqueue"));
}

TEST_CASE("where there are no graphs, and without solve_enqueue, nothing is checked") {
    const std::unique_ptr<Device> host = make_host_device();
    const auto no_error = [] { return std::string(); };
    CHECK(check_graphs(&computes_at_once, no_error, *host).wrong == "");
    CapturingDevice device;
    CHECK(check_graphs(nullptr, no_error, device).wrong == "");
}
