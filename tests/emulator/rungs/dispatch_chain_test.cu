// Chains of rung 90's products, for which 90_chain has others in the emulator; what a product asks of its workspace;
// and what is left to 85, which is as accurate.
#include "../../../plugins/chain/enqueue_products.h"

#include "../../catch.h"
#include "dispatch_problem.h"

using namespace rung_90;
using namespace test;

namespace {

// A workspace that holds 7, and 64 floats more. Who is lent one has no block of the library's own, which a later test
// that resets the device would take away.
struct Lent {
    std::vector<float> memory;
    float* begin;

    explicit Lent(size_t bytes) : memory(bytes / sizeof(float) + 128, 7.0f) {
        begin = memory.data() + (256 - reinterpret_cast<uintptr_t>(memory.data()) % 256) % 256 / sizeof(float);
    }
    bool is_written(size_t from, size_t to) const {
        return std::any_of(begin + from, begin + to, [](float each) { return each != 7.0f; });
    }
};

solve_chain_t sized_chain(int M, int N, int K, int L) {
    solve_chain_t call = solve_chain_one();
    call.M = M, call.N = N, call.K = K, call.L = L;
    call.lda = N, call.ldb = K, call.ldc = L, call.lde = L;
    return call;
}

// Of small integers, whose sums are exact in any order: what A * B * C is, and an E that is 3 everywhere.
struct IntegerChain {
    std::vector<float> A, B, C, E, want;
    solve_chain_t call;

    IntegerChain(int M, int N, int K, int L)
        : A(M * N), B(N * K), C(K * L), E(M * L, 3.0f), want(M * L, 0.0f), call(sized_chain(M, N, K, L)) {
        for (size_t i = 0; i < A.size(); ++i) A[i] = static_cast<float>(i * 7 % 5) - 2;
        for (size_t i = 0; i < B.size(); ++i) B[i] = static_cast<float>(i * 5 % 7) - 3;
        for (size_t i = 0; i < C.size(); ++i) C[i] = static_cast<float>(i * 3 % 5) - 2;
        for (int i = 0; i < M; ++i) {
            for (int k = 0; k < K; ++k) {
                float sum = 0;
                for (int n = 0; n < N; ++n) sum += A[i * N + n] * B[n * K + k];
                for (int l = 0; l < L; ++l) want[i * L + l] += sum * C[k * L + l];
            }
        }
        call.A = A.data(), call.B = B.data(), call.C = C.data(), call.E = E.data();
    }
};

bool splits(int M, int N, int K, const DeviceFigures& device = kH100) {
    const ladder::Gemm gemm = sized(M, N, K);
    return pays_to_split(ladder::call_of(gemm), device, cycles_of(gemm, device));
}

}  // namespace

TEST_CASE("what a product of rung 90 asks of its workspace is known before, to the byte") {
    const int kOwnSms = ladder::sm_count();  // by which 76 and 78 go, whatever they are told
    struct {
        WayId id;
        int M, N, K, sms;
        bool asks;
    } const cases[] = {
        {WayId::warp_tile, 70, 40, 70, 8, false},         {WayId::cp_async, 70, 40, 70, 8, false},
        {WayId::slices_64x128, 64, 600, 70, 8, false},    {WayId::slices_64x64, 64, 600, 64, 8, true},
        {WayId::slices_64x64, 64, 40, 64, 1, false},      {WayId::slices_64x32, 64, 600, 36, 8, false},
        {WayId::few_rows, 2, 4000, 64, kOwnSms, true},    {WayId::few_columns, 64, 40000, 3, kOwnSms, true},
        {WayId::few_columns, 64, 400, 7, kOwnSms, false}, {WayId::few_rows, 2, 40, 64, kOwnSms, false},
        {WayId::walk_128x256, 130, 256, 60, 3, true},     {WayId::walk_64x128, 130, 256, 60, 2, true},
        {WayId::walk_64x128, 64, 256, 128, 1, false},     {WayId::clusters_32x32, 64, 256, 128, 8, false},
        {WayId::cut_64x64, 64, 600, 64, 8, true},         {WayId::cut_128x32, 70, 600, 30, 8, true},
        {WayId::cut_32x128, 30, 600, 70, 8, true},        {WayId::cut_64x128, 64, 600, 130, 8, true},
        {WayId::cut_128x64, 130, 600, 64, 8, true},       {WayId::small_32x128, 30, 600, 72, 8, false},
    };
    for (const auto& [id, M, N, K, sms, asks] : cases) {
        CAPTURE(ladder::name_of(id), M, N, K, sms);
        // Nothing is cut off where no second product pays.
        ladder::CostsOfGpu costs{90, {}};
        for (ladder::Costs& each : costs.of) each.start = 1e20;
        costs.of[static_cast<size_t>(id)] = {.start = 1};
        const int capability = id == WayId::warp_tile ? 75 : id == WayId::cp_async ? 80 : 90;
        Multiplier multiplier(SOLVE_ARITHMETIC_FP32, {.capability = capability, .sms = sms, .l2 = 50 << 20}, costs);
        Problem problem(M, N, K);
        solve_gemm_t call = ladder::call_of(problem.gemm);
        const size_t bytes = multiplier.workspace(call);
        CHECK((bytes > 0) == asks);
        if (bytes == 0) continue;
        const Lent lent(bytes);
        const size_t end = bytes / sizeof(float);
        call.workspace = lent.begin, call.workspace_bytes = bytes;
        CHECK(multiplier.enqueue(call) == SOLVE_OK);
        CHECK(cudaDeviceSynchronize() == cudaSuccess);
        CHECK(problem.wrong() == 0);
        CHECK_FALSE(lent.is_written(end, end + 64));
        const bool fills = id != WayId::walk_128x256 && id != WayId::walk_64x128;  // these have room over
        CHECK(lent.is_written(fills ? end - 4 : 0, end));  // the last of a row's 16 bytes may be beyond K
    }
}

TEST_CASE("a chain of rung 90 takes the order that is expected to take less") {
    const Multiplier on_h100(SOLVE_ARITHMETIC_FP32, kH100);
    const auto cost = [&](const solve_gemm_t& product) { return on_h100.cost(product); };
    const auto left_first = [&](int M, int N, int K, int L) {
        return ladder::cheaper_products(sized_chain(M, N, K, L), cost).left_first;
    };
    // Of multiply-adds the other order has 256 times as many.
    CHECK_FALSE(left_first(4096, 16, 4096, 16));
    CHECK(left_first(16, 4096, 16, 4096));
    CHECK(left_first(1, 4096, 4096, 4096));
    CHECK_FALSE(left_first(4096, 4096, 4096, 1));
    CHECK_FALSE(left_first(1000, 500, 2000, 100));
    CHECK(left_first(100, 2000, 500, 1000));
}

TEST_CASE("a chain of rung 90's products is right in either order, in the memory that it is lent") {
    struct {
        int M, N, K, L;
        bool left;
    } const chains[] = {{70, 70, 9, 20, true}, {70, 9, 68, 20, false}, {5, 300, 33, 64, true}, {64, 70, 80, 3, false}};
    for (const auto& [M, N, K, L, left] : chains) {
        CAPTURE(M, N, K, L);
        IntegerChain chain(M, N, K, L);
        solve_chain_t& call = chain.call;
        call.alpha = 2, call.beta = -1;
        const Multiplier multiplier(SOLVE_ARITHMETIC_FP32, {.capability = 90, .sms = 8, .l2 = 50 << 20});
        const auto cost = [&](const solve_gemm_t& product) { return multiplier.cost(product); };
        const ladder::TwoProducts two = ladder::cheaper_products(call, cost);
        CHECK(two.left_first == left);
        const size_t between = (two.elements_between() * sizeof(float) + 255) / 256 * 256;
        const size_t bytes = between + std::max(multiplier.workspace(two.first), multiplier.workspace(two.second));
        const Lent lent(bytes);
        call.workspace = lent.begin, call.workspace_bytes = bytes;
        CHECK(ladder::enqueue_products(call, multiplier) == SOLVE_OK);
        CHECK(cudaDeviceSynchronize() == cudaSuccess);
        int wrong = 0;
        for (size_t i = 0; i < chain.E.size(); ++i) wrong += chain.E[i] != 2 * chain.want[i] - 3;
        CHECK(wrong == 0);
        CHECK(lent.is_written(two.elements_between() - 1, two.elements_between()));
        CHECK_FALSE(lent.is_written(bytes / sizeof(float), bytes / sizeof(float) + 64));
    }
}

TEST_CASE("a chain of rung 90 that need not be strict has 85 multiply where that pays") {
    const Multiplier strict(SOLVE_ARITHMETIC_FP32, kH100), any(SOLVE_ARITHMETIC_FP32_EMULATED, kH100);
    for (const int size : {1024, 2048}) {
        const solve_gemm_t call = ladder::call_of(sized(size, size, size));
        CHECK(any.cost(call) == cycles_of_split(call, kH100.sms));
        CHECK(any.cost(call) < 0.8 * strict.cost(call));
        CHECK(any.workspace(call) == bytes_of_split(call));
    }
    const solve_gemm_t small = ladder::call_of(sized(512, 512, 512));
    CHECK(any.cost(small) == strict.cost(small));
    CHECK(any.workspace(small) == strict.workspace(small));
}

TEST_CASE("a chain whose products 85 packs and multiplies has the states of both cleared once, and is right") {
    const int M = 64 * ladder::sm_count() + 1, N = 33, K = 40, L = 3;  // a tile more than SMs
    ladder::CostsOfGpu costs{90, {}};
    for (ladder::Costs& each : costs.of) each.start = 1e20;
    const DeviceFigures device = {.capability = 90, .sms = ladder::sm_count(), .l2 = 50 << 20};
    Multiplier multiplier(SOLVE_ARITHMETIC_FP32_EMULATED, device, costs);
    IntegerChain chain(M, N, K, L);
    ladder::TwoProducts two(chain.call, true);
    std::vector<float> between(M * K);
    two.put_between(between.data());
    const size_t bytes = std::max(multiplier.workspace(two.first), multiplier.workspace(two.second));
    const Lent lent(bytes);
    for (solve_gemm_t* const product : {&two.first, &two.second}) {
        product->workspace = lent.begin, product->workspace_bytes = bytes;
        CHECK(multiplier.enqueue(*product) == SOLVE_OK);
    }
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(chain.E == chain.want);
    const auto* const states = reinterpret_cast<const ladder::PackState*>(lent.begin);
    for (int i = 0; i < ladder::kStates; ++i) CHECK(states[i].level == 0);

    // The second product takes a state of its own, which is not cleared again: where the first one's numbers were wild,
    // that is still to be seen, and the second one's are not.
    for (size_t i = 0; i < chain.A.size(); ++i) chain.A[i] = std::ldexp(1.0f, static_cast<int>(i % N) * 2 - 30);
    Multiplier again(SOLVE_ARITHMETIC_FP32_EMULATED, device, costs);
    for (const solve_gemm_t* const product : {&two.first, &two.second}) CHECK(again.enqueue(*product) == SOLVE_OK);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(states[0].level == 1);
    CHECK(states[1].level == 0);
}

TEST_CASE("rung 90 leaves to 85 what that is expected to be a seventh faster at, and has memory and tensor cores for") {
    for (const int size : {1024, 1536, 2048, 4096, 4097, 8192, 16384}) CHECK(splits(size, size, size));
    for (const int size : {64, 256, 512}) CHECK_FALSE(splits(size, size, size));
    CHECK_FALSE(splits(1, 4096, 4096));
    CHECK_FALSE(splits(4096, 4096, 1));
    CHECK_FALSE(splits(64, 16384, 64));
    CHECK(splits(20000, 32, 20000) == splits(20000, 33, 20000));
    CHECK_FALSE(splits(20000, 31, 20000));     // a short sum is FP32's own
    CHECK_FALSE(splits(32768, 32768, 32768));  // 13 GB
    for (const int capability : {75, 80, 89, 100, 120}) {
        CHECK_FALSE(splits(4096, 4096, 4096, {.capability = capability, .sms = 132}));
    }
}

TEST_CASE("rung 90's model of 85 has the times that an H100 took, to a tenth") {
    for (const auto& [size, microseconds] : {std::pair(128, 4.0),
                                             {256, 4.4},
                                             {512, 7.4},
                                             {768, 17.8},
                                             {1024, 22.7},
                                             {2048, 105.0},
                                             {4096, 700.0},
                                             {8192, 4990.0}}) {
        CAPTURE(size);
        const double cycles = cycles_of_split(ladder::call_of(sized(size, size, size)), 132);
        CHECK(cycles / 1755 == Approx(microseconds).epsilon(0.1));
    }
}

TEST_CASE("rung 90 leaves products to 85, which needs memory for those that are large") {
    const auto takes_memory = [](int M, int N, int K) {
        CAPTURE(M, N, K);
        Problem problem(M, N, K);
        solve_gemm_t call = ladder::call_of(problem.gemm);
        constexpr int kBytes = 1 << 24;
        const Lent lent(kBytes);
        call.workspace = lent.begin, call.workspace_bytes = kBytes;
        CHECK(multiply_by_split(call));
        CHECK(cudaDeviceSynchronize() == cudaSuccess);
        CHECK(problem.wrong() == 0);
        return lent.is_written(0, kBytes / sizeof(float));
    };
    for (const auto& [M, N, K] : {std::tuple(70, 90, 33), {64, 300, 60}, {1, 33, 3}})
        CHECK_FALSE(takes_memory(M, N, K));
    CHECK(takes_memory(64 * ladder::sm_count() + 1, 32, 1));  // a tile more than SMs
}

TEST_CASE("rung 90 knows two accuracies by name") {
    for (const char* const strict : {static_cast<const char*>(nullptr), "", "strict"}) {
        CHECK(accuracy_named(strict) == SOLVE_ARITHMETIC_FP32);
    }
    CHECK(accuracy_named("fp32-accurate") == SOLVE_ARITHMETIC_FP32_EMULATED);
    for (const char* const none : {"FP32", "fp32", "tf32", "strict ", "1"}) CHECK(accuracy_named(none) == 0);
}
