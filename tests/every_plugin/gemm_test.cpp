// solve_gemm of every plugin that exports it.
#include "host/checks/gemm_check.h"

#include "host/checks/graph_check.h"
#include "plugins.h"

using namespace test;

namespace {

template <class Body>
void for_each_full_gemm(Body body) {
    int found = 0;
    for_each_plugin([&](const Candidate& candidate, const Plugin& plugin, Device& device) {
        if (!plugin.solve_gemm) return;
        ++found;
        CHECK(candidate.full_gemm);
        body(plugin, device);
    });
    CHECK(found > 0);
}

// A call that the plugins here can do, of 8 x 8 matrices in that memory; the fields that differ are set afterwards.
solve_gemm_t call_in(const Matrix& memory) {
    solve_gemm_t call = solve_gemm_one();
    call.M = call.N = call.K = 8;
    call.lda = call.ldb = call.ldc = 8;
    call.A = memory.data(), call.B = memory.data() + 64, call.C = memory.data() + 128;
    return call;
}

// Whether the plugin does calls of this form at all: SOLVE_UNSUPPORTED is an answer.
bool does(const Plugin& plugin, Device& device, const GemmForm& form) {
    const Matrix A(device, random_values(64 * 64, 1)), B(device, random_values(64 * 64, 2)),
        C(device, random_values(64 * 64, 3));
    const solve_gemm_t call = dense_call(form, {64, 64, 64}, A.data(), B.data(), C.data());
    return plugin.solve_gemm(&call) != SOLVE_UNSUPPORTED;
}

}  // namespace

TEST_CASE("every solve_gemm passes what the judge asks of it") {
    for_each_full_gemm([](const Plugin& plugin, Device& device) { CHECK(check_gemm(plugin, device) == ""); });
}

TEST_CASE("every solve_gemm on a GPU can be captured in each mode, and its graphs leave what its calls leave") {
    for_each_full_gemm([](const Plugin& plugin, Device& device) {
        for (const std::string& form : form_names()) {
            INFO(form);
            if (!does(plugin, device, parse_form(form))) continue;
            const GraphFindings found = check_graphs_of_gemm(
                plugin.solve_gemm, parse_form(form), [&] { return plugin.last_error(); }, device);
            CHECK(found.not_captured == "");
            CHECK(found.wrong == "");
        }
    });
}

TEST_CASE("every solve_gemm computes what solve_enqueue does, to the bit, where that can") {
    for_each_full_gemm([](const Plugin& plugin, Device& device) {
        if (!plugin.solve_enqueue) return;
        const Matrix A(device, random_values(100 * 70, 1)), B(device, random_values(70 * 90, 2));
        const Matrix one(device, random_values(100 * 90, 3)), other(device, random_values(100 * 90, 3));
        CHECK(plugin.solve_enqueue(A.data(), 70, B.data(), 90, one.data(), 90, 100, 70, 90, 2, 0.5f, nullptr) ==
              SOLVE_OK);
        solve_gemm_t call = dense_call({}, {100, 70, 90}, A.data(), B.data(), other.data());
        call.alpha = 2, call.beta = 0.5f;
        CHECK(plugin.solve_gemm(&call) == SOLVE_OK);
        CHECK(same_bits(one.values(), other.values()));
    });
}

TEST_CASE("every solve_gemm knows its own struct from older and newer ones") {
    for_each_full_gemm([](const Plugin& plugin, Device& device) {
        const std::vector<float> before(192, 1.0f);
        const Matrix memory(device, before);
        struct Newer {
            solve_gemm_t known;
            uint64_t further;
        } newer{call_in(memory), 1};
        newer.known.size = sizeof(newer);
        CHECK(plugin.solve_gemm(&newer.known) == SOLVE_UNSUPPORTED);
        CHECK(plugin.last_error() != "");
        CHECK(same_bits(memory.values(), before));
        newer.further = 0;
        CHECK(plugin.solve_gemm(&newer.known) == SOLVE_OK);
        CHECK(memory.values()[128] == 8);
        CHECK(plugin.solve_gemm(nullptr) == SOLVE_INVALID_ARGUMENT);
    });
}

TEST_CASE("every solve_gemm refuses an accuracy that it has not, and no call of nothing") {
    for_each_full_gemm([](const Plugin& plugin, Device& device) {
        const std::vector<float> before(192, 1.0f);
        const Matrix memory(device, before);
        solve_gemm_t call = call_in(memory);
        call.accuracy = SOLVE_ARITHMETIC_FP32;
        const bool exact = plugin.arithmetic() == SOLVE_ARITHMETIC_FP32;
        CHECK(plugin.solve_gemm(&call) == (exact ? SOLVE_OK : SOLVE_UNSUPPORTED));
        CHECK(same_bits(memory.values(), before) == !exact);
        call = solve_gemm_one();
        CHECK(plugin.solve_gemm(&call) == SOLVE_OK);  // M, N and K are 0
        call.M = call.N = call.K = 8;
        call.lda = call.ldb = call.ldc = 8;
        call.batch = 0;
        CHECK(plugin.solve_gemm(&call) == SOLVE_OK);  // no products, and no pointers
    });
}
