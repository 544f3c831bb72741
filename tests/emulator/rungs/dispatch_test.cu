// What rung 90 chooses, and that each of its choices and every cut of C are right: by itself it would choose few of
// them at sizes that fit here. And chains of its products, for which 90_chain has others in the emulator.
#include "../../../plugins/chain/by_90.h"
#include "../../../plugins/chain/enqueue_products.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "../../catch.h"

using namespace rung_90;

namespace {

// A product of small integers, for which every order of additions gives the same, into a C with rows that are longer
// than K. C holds 3 before it, and NaN beside it.
struct Problem {
    static constexpr int kPadding = 4;
    int M, N, K, ldc = K + kPadding;
    std::vector<float> A, B, C, bias;
    ladder::Gemm gemm;

    Problem(int M, int N, int K) : M(M), N(N), K(K), A(M * N), B(N * K), C(M * ldc, NAN) {
        for (size_t i = 0; i < A.size(); ++i) A[i] = static_cast<float>(i * 7 % 11) - 5;
        for (size_t i = 0; i < B.size(); ++i) B[i] = static_cast<float>(i * 5 % 13) - 6;
        for (int i = 0; i < M; ++i) std::fill_n(&C[i * ldc], K, 3.0f);
        gemm = {A.data(), N, B.data(), K, C.data(), ldc, M, N, K, 2.0f, -1.0f};
    }
    Problem(const Problem&) = delete;

    // A bias of the columns in place of what C holds.
    void give_bias() {
        for (int k = 0; k < K; ++k) bias.push_back(static_cast<float>(k % 29 + 1));
        gemm.bias = bias.data(), gemm.beta = 0.0f;
    }

    // Elements of C that are not 2 * A * B - 3, or + the bias, and those beside it that were written.
    int wrong() const {
        int count = 0;
        for (int i = 0; i < M; ++i) {
            for (int k = 0; k < ldc; ++k) {
                if (k >= K) {
                    count += !std::isnan(C[i * ldc + k]);
                    continue;
                }
                float sum = 0;
                for (int n = 0; n < N; ++n) sum += A[i * N + n] * B[n * K + k];
                count += C[i * ldc + k] != 2 * sum + (bias.empty() ? -3 : bias[k]);
            }
        }
        return count;
    }
};

// A product whose matrices nobody reads, dense and aligned.
ladder::Gemm sized(int M, int N, int K) {
    return {nullptr, N, nullptr, K, nullptr, K, M, N, K};
}

const DeviceFigures kH100 = {.capability = 90, .sms = 132, .l2 = 50 << 20};

// The way of a whole product, of which nothing is cut off.
WayId chosen(const ladder::Gemm& gemm, const DeviceFigures& device = kH100) {
    return choose(ladder::call_of(gemm), ladder::costs_for(device.capability), device).id;
}

// Tiles of 64 x 64, and thin products, of which none costs anything, that of a second product included, so that every
// cut pays that saves a tile; or which are so dear that none does. All else is dearer.
ladder::CostsOfGpu costs_with_thin(double start) {
    ladder::CostsOfGpu costs{80, {}};
    for (ladder::Costs& each : costs.of) each.start = 1e20;
    costs.of[static_cast<size_t>(WayId::slices_64x64)] = {.start = 6500, .steps = 1400, .word_steps = 1400};
    for (const WayId id : {WayId::few_rows, WayId::few_columns}) costs.of[static_cast<size_t>(id)] = {.start = start};
    return costs;
}
const ladder::CostsOfGpu kFreeThin = costs_with_thin(-kSecond), kDearThin = costs_with_thin(1e12);
constexpr DeviceFigures kOneSm = {.capability = 80, .sms = 1, .l2 = 50 << 20};  // so that every tile counts

struct Place {
    int64_t row, col;
};

Place place_of(const ladder::Gemm& part, const ladder::Gemm& whole) {
    const int64_t offset = part.C - whole.C;
    return {offset / whole.ldc, offset % whole.ldc};
}

// How many elements of C are in no part or in several; and checks that each part has its own of A and B.
int badly_covered(const ladder::Gemm& gemm, const std::vector<Part>& parts) {
    std::vector<int> covered(gemm.M * gemm.ldc);
    for (const Part& each : parts) {
        const ladder::Gemm& part = each.gemm;
        const auto [row, col] = place_of(part, gemm);
        CHECK(part.A == gemm.A + row * gemm.lda);
        CHECK(part.B == gemm.B + col);
        CHECK((part.lda == gemm.lda && part.ldb == gemm.ldb && part.ldc == gemm.ldc));
        CHECK(part.N == gemm.N);
        CHECK((part.alpha == gemm.alpha && part.beta == gemm.beta));
        REQUIRE((row + part.M <= gemm.M && col + part.K <= gemm.K));
        for (int i = 0; i < part.M; ++i) {
            for (int k = 0; k < part.K; ++k) ++covered[(row + i) * gemm.ldc + col + k];
        }
    }
    int count = 0;
    for (int i = 0; i < gemm.M; ++i) {
        for (int k = 0; k < gemm.ldc; ++k) count += covered[i * gemm.ldc + k] != (k < gemm.K);
    }
    return count;
}

}  // namespace

TEST_CASE("the costs of a GPU are those of all ways, none is negative, and there is one group for a capability") {
    std::set<int> capabilities;
    for (const ladder::CostsOfGpu& group : ladder::kCostsOfGpus) {
        CAPTURE(group.capability);
        CHECK(capabilities.insert(group.capability).second);
        for (const ladder::Costs& costs : group.of) {
            CAPTURE(&costs - group.of);
            double sum = 0;
            for (const ladder::Count count : ladder::kCounts) {
                CHECK(costs.*count >= 0);
                sum += costs.*count;
            }
            CHECK(sum > 0);
        }
    }
}

TEST_CASE("a GPU takes the costs of the newest one that is not newer, or the first ones") {
    for (const auto& [capability, group] : {std::pair(75, 90), {80, 90}, {90, 90}, {100, 90}, {120, 90}}) {
        CAPTURE(capability);
        CHECK(ladder::costs_for(capability).capability == group);
    }
}

TEST_CASE("what is counted of a way is its tiles' steps: one row more, or nine columns, are another tile") {
    struct {
        WayId id;
        int M, K, capability;
    } const tiles[] = {
        {WayId::plain_128x128, 128, 128, 90}, {WayId::plain_64x64, 64, 64, 90},   {WayId::plain_16x16, 16, 16, 90},
        {WayId::warp_tile, 128, 128, 75},     {WayId::cp_async, 128, 128, 80},    {WayId::slices_64x128, 64, 128, 90},
        {WayId::slices_64x64, 64, 64, 90},    {WayId::slices_64x32, 64, 32, 90},  {WayId::walk_128x256, 128, 256, 90},
        {WayId::small_32x32, 32, 32, 90},     {WayId::small_64x32, 64, 32, 90},   {WayId::small_64x64, 64, 64, 90},
        {WayId::walk_64x128, 64, 128, 90},    {WayId::walk_128x64, 128, 64, 90},  {WayId::clusters_32x32, 32, 32, 90},
        {WayId::clusters_8x32, 8, 32, 90},    {WayId::clusters_32x8, 32, 8, 90},  {WayId::clusters_32x64, 32, 64, 90},
        {WayId::short_32x64, 32, 64, 90},     {WayId::short_128x64, 128, 64, 90}, {WayId::short_64x128, 64, 128, 90},
        {WayId::short_64x64, 64, 64, 90},
    };
    for (const auto& [id, tile_m, tile_k, capability] : tiles) {
        CAPTURE(ladder::name_of(id));
        // Enough tiles for one SM that a step more or less for each of several resident ones does not count.
        const DeviceFigures device = {.capability = capability, .sms = 1, .l2 = 50 << 20};
        const auto steps = [&, id = id](int M, int K) {
            double found = 0;
            for_each_way(ladder::call_of(sized(M, 64, K)), device, [&](WayId each, int blocks, const Work& work) {
                if (each == id && blocks == 1) found = work.steps + work.word_steps;
            });
            return found;
        };
        constexpr int kTiles = 48;  // as many as are resident, several times
        const double all = steps(kTiles * tile_m, tile_k);
        CHECK(all > 0);
        CHECK(steps(2 * kTiles * tile_m, tile_k) == Approx(2 * all).epsilon(0.01));
        CHECK(steps(kTiles * tile_m, tile_k + 9) == Approx((1 + (tile_k + 9 - 1) / tile_k) * all / 1).epsilon(0.01));
        CHECK(steps(kTiles * tile_m + 1, tile_k) >= all);
    }
}

TEST_CASE("every way of 90 that a product has is right when it is taken") {
    for (const int capability : {75, 80, 90}) {
        const DeviceFigures device = {.capability = capability, .sms = 3, .l2 = 50 << 20};
        // Remainders in all directions: with rows of whole 16 bytes, and without; thin, and with a short sum.
        for (const auto& [M, N, K] :
             {std::tuple(70, 68, 76), {67, 69, 69}, {70, 37, 72}, {5, 36, 76}, {3, 37, 69}, {70, 37, 7}}) {
            std::set<WayId> taken;
            const Problem shape(M, N, K);
            for_each_way(ladder::call_of(shape.gemm), device, [&](WayId id, int blocks, const Work&) {
                CAPTURE(M, N, K, ladder::name_of(id), blocks);
                Problem problem(M, N, K);
                launch_way({id, blocks}, ladder::call_of(problem.gemm), device, multiply);
                CHECK(cudaDeviceSynchronize() == cudaSuccess);
                CHECK(problem.wrong() == 0);
                taken.insert(id);
            });
            CHECK(taken.count(WayId::plain_64x64) == 1);
            CHECK((taken.count(WayId::walk_128x256) == 1) == (capability >= 90));
            CHECK((taken.count(WayId::warp_tile) == 1) == (capability < 80));
        }
    }
}

TEST_CASE("a choice is kept for those who ask the same, and made anew for others") {
    const auto cycles = [](const ladder::Gemm& gemm, const ladder::CostsOfGpu& costs, const DeviceFigures& device) {
        return choose(ladder::call_of(gemm), costs, device).cycles;
    };
    const ladder::CostsOfGpu& costs = ladder::costs_for(90);
    const double one = cycles(sized(300, 200, 100), costs, kH100);
    CHECK(cycles(sized(300, 200, 100), costs, kH100) == one);
    CHECK(cycles(sized(300, 200, 101), costs, kH100) != one);
    CHECK(cycles(sized(300, 200, 100), costs, {.capability = 90, .sms = 66, .l2 = 50 << 20}) != one);
    CHECK(cycles(sized(300, 200, 100), kDearThin, kH100) != one);
    solve_gemm_t call = ladder::call_of(sized(2048, 2048, 2048));
    const WayId plain = choose(call, costs, kH100).id;
    call.transpose_a = SOLVE_T;
    CHECK(choose(call, costs, kH100).id != plain);
    CHECK(cycles(sized(300, 200, 100), costs, kH100) == one);
}

TEST_CASE("a choice that is kept for a vector whose numbers are neighbours is none for one with a stride") {
    solve_gemm_t call = solve_gemm_one();
    call.M = call.K = 1, call.N = 64, call.transpose_a = SOLVE_T, call.lda = 7, call.ldc = 1;
    const auto chosen_for = [&](int64_t ldb) {
        call.ldb = ldb;
        return choose(call, ladder::costs_for(90), kH100).id;
    };
    CHECK(chosen_for(1) == WayId::vectors);
    CHECK(chosen_for(5) != WayId::vectors);  // of which 75 has no line along n
    CHECK(chosen_for(1) == WayId::vectors);
}

TEST_CASE("steps are counted as those of words where a copy of 16 bytes is not legal") {
    alignas(16) static const float memory[8] = {};
    const auto by_words = [](WayId id, const float* a, const float* b, int N, int K) {
        bool words = false;
        const ladder::Gemm gemm{a, N, b, K, nullptr, K, 64, N, K};
        for_each_way(ladder::call_of(gemm), kH100, [&](WayId each, int, const Work& work) {
            if (each == id) words = work.word_steps > 0 && work.steps == 0;
        });
        return words;
    };
    // 69's smallest tile copies A and B so, the larger ones B only.
    CHECK_FALSE(by_words(WayId::slices_64x32, memory, memory, 64, 64));
    CHECK(by_words(WayId::slices_64x32, memory + 1, memory, 64, 64));
    CHECK(by_words(WayId::slices_64x32, memory, memory + 1, 64, 64));
    CHECK(by_words(WayId::slices_64x32, memory, memory, 63, 64));
    CHECK_FALSE(by_words(WayId::slices_64x64, memory + 1, memory, 63, 64));
    CHECK(by_words(WayId::slices_64x64, memory, memory, 64, 63));
    CHECK_FALSE(by_words(WayId::walk_64x128, memory + 1, memory, 63, 64));
    CHECK(by_words(WayId::walk_64x128, memory, memory, 64, 63));
}

TEST_CASE("rung 90's parts cover C once, and are cut off where that pays") {
    struct {
        int M, K, last_rows, last_cols;  // the latter: what a free thin product gets
    } const shapes[] = {
        // No remainder, or too large a one; of 64 and fewer there is nothing to cut off.
        {128, 128, 0, 0},
        {73, 64, 0, 0},
        {64, 73, 0, 0},
        {63, 63, 0, 0},
        {7, 64, 0, 0},
        // A remainder of rows, of columns, and of both: then those that save more tiles.
        {65, 64, 1, 0},
        {72, 256, 8, 0},
        {129, 128, 1, 0},
        {64, 65, 0, 1},
        {128, 1031, 0, 7},
        {65, 1031, 1, 0},
        {1031, 65, 0, 1},
    };
    for (const auto& [M, K, last_rows, last_cols] : shapes) {
        CAPTURE(M, K);
        const Problem problem(M, 9, K);
        const ladder::Gemm& gemm = problem.gemm;
        const std::vector<Part> cut = parts_of(gemm, kFreeThin, kOneSm), whole = parts_of(gemm, kDearThin, kOneSm);
        CHECK(badly_covered(gemm, cut) == 0);
        CHECK(badly_covered(gemm, whole) == 0);
        CHECK(whole.size() == 1);
        if (last_rows + last_cols == 0) {
            CHECK(cut.size() == 1);
            continue;
        }
        REQUIRE(cut.size() == 2);
        CHECK(cut[0].gemm.M == M - last_rows);
        CHECK(cut[0].gemm.K == K - last_cols);
        CHECK(cut[0].way.id == WayId::slices_64x64);
        CHECK(cut[1].gemm.M == (last_rows > 0 ? last_rows : M));
        CHECK(cut[1].gemm.K == (last_cols > 0 ? last_cols : K));
        CHECK(cut[1].way.id == (last_rows > 0 ? WayId::few_rows : WayId::few_columns));
    }
}

TEST_CASE("rung 90's parts give the product") {
    for (const auto& [M, N, K] : {std::tuple(65, 12, 132), {136, 9, 68}, {64, 9, 1031}, {70, 20, 70}}) {
        CAPTURE(M, N, K);
        Problem problem(M, N, K);
        const std::vector<Part> parts = parts_of(problem.gemm, kFreeThin, kOneSm);
        CHECK(parts.size() == 2);
        for (const Part& part : parts) launch_way(part.way, ladder::call_of(part.gemm), kOneSm, multiply);
        CHECK(cudaDeviceSynchronize() == cudaSuccess);
        CHECK(problem.wrong() == 0);
        Problem biased(M, N, K);
        biased.give_bias();
        for (const Part& part : parts_of(biased.gemm, kFreeThin, kOneSm))
            launch_one(part.way, part.gemm, kOneSm, multiply);
        CHECK(cudaDeviceSynchronize() == cudaSuccess);
        CHECK(biased.wrong() == 0);
    }
}

TEST_CASE("rung 90 adds a bias as 86 stores C, or before, whatever its way") {
    const DeviceFigures device = {.capability = 90, .sms = 3, .l2 = 50 << 20};
    for (const auto& [M, N, K] : {std::tuple(70, 68, 76), {67, 69, 69}, {3, 37, 69}}) {
        for (const WayId id : {WayId::walk_128x256, WayId::walk_64x128, WayId::walk_128x64, WayId::plain_16x16}) {
            CAPTURE(M, N, K, ladder::name_of(id));
            Problem problem(M, N, K);
            problem.give_bias();
            launch_one(Way{id, 1}, problem.gemm, device, multiply);
            CHECK(cudaDeviceSynchronize() == cudaSuccess);
            CHECK(problem.wrong() == 0);
        }
    }
}

TEST_CASE("rung 90 adds any bias to any form of product") {
    constexpr int M = 5, N = 70, K = 37;
    std::vector<float> a(M * N), b(N * K), bias(K), C(M * K);
    for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i * 7 % 11) - 5;
    for (size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i * 5 % 13) - 6;
    for (int k = 0; k < K; ++k) bias[k] = static_cast<float>(k % 29 + 1);
    for (const uint32_t kind : {SOLVE_BIAS_OF_ROWS, SOLVE_BIAS_OF_COLUMNS}) {
        for (const float beta : {0.0f, -1.0f}) {
            for (const int form : {0, 1, 2, 3}) {
                CAPTURE(kind, beta, form);
                solve_gemm_t call = solve_gemm_one();
                call.M = M, call.N = N, call.K = K, call.beta = beta, call.bias = bias.data(), call.bias_kind = kind;
                call.transpose_a = form & 1 ? SOLVE_T : SOLVE_N, call.transpose_b = form & 2 ? SOLVE_T : SOLVE_N;
                call.A = a.data(), call.lda = form & 1 ? M : N;
                call.B = b.data(), call.ldb = form & 2 ? N : K;
                call.C = C.data(), call.ldc = K;
                std::fill(C.begin(), C.end(), beta == 0 ? NAN : 3.0f);
                CHECK(solve_all(call) == SOLVE_OK);
                CHECK(cudaDeviceSynchronize() == cudaSuccess);
                int wrong = 0;
                for (int i = 0; i < M * K; ++i) {
                    float sum = kind == SOLVE_BIAS_OF_ROWS ? bias[i / K] : bias[i % K];
                    for (int n = 0; n < N; ++n) {
                        sum += (form & 1 ? a[n * M + i / K] : a[i / K * N + n]) *
                               (form & 2 ? b[i % K * N + n] : b[n * K + i % K]);
                    }
                    wrong += C[i] != sum + (beta == 0 ? 0 : 3 * beta);
                }
                CHECK(wrong == 0);
            }
        }
    }
}

TEST_CASE("rung 90's choices on an H100 were measured to be the fastest, or within 2 % of it") {
    const auto on_h100 = [](int M, int N, int K) { return chosen(sized(M, N, K)); };
    CHECK(on_h100(256, 256, 256) == WayId::clusters_8x32);
    CHECK(on_h100(512, 512, 512) == WayId::slices_64x32);
    CHECK(on_h100(64, 16384, 64) == WayId::slices_64x64);
    const WayId of_1024 = on_h100(1024, 1024, 1024);  // 44.4 and 45.3 us
    CHECK((of_1024 == WayId::walk_64x128 || of_1024 == WayId::slices_64x128));
    CHECK(on_h100(8192, 8192, 128) == WayId::walk_64x128);
    CHECK(on_h100(4096, 4096, 4096) == WayId::walk_128x256);
    CHECK(on_h100(8192, 8192, 8192) == WayId::walk_128x256);
    const WayId of_row = on_h100(1, 4096, 4096);  // 17.83 and 17.76 us
    CHECK((of_row == WayId::vectors || of_row == WayId::few_rows));
    CHECK(on_h100(4096, 4096, 1) == WayId::vectors);
    CHECK(on_h100(445, 851, 1) == WayId::vectors);
    CHECK(on_h100(1, 2175, 1090) == WayId::vectors);
    CHECK(on_h100(4096, 4096, 8) == WayId::clusters_32x8);  // 29.3 us, few_columns 34.5

    const auto parts = [](int M, int N, int K) {
        return parts_of(sized(M, N, K), ladder::costs_for(90), kH100).size();
    };
    CHECK(parts(8193, 8191, 8189) == 2);
    CHECK(parts(4096, 4096, 4097) == 2);
}

TEST_CASE("rung 90 has a way for every product on every GPU") {
    for (const auto& [capability, sms] : {std::pair(75, 46), {80, 108}, {86, 82}, {89, 128}}) {
        const DeviceFigures device = {.capability = capability, .sms = sms, .l2 = 6 << 20};
        for (const int M : {1, 8, 100, 512, 1031, 4096, 20000}) {
            for (const int N : {1, 100, 4096, 100000}) {
                for (const int K : {1, 8, 100, 512, 1031, 4096, 20000}) {
                    CAPTURE(capability, M, N, K);
                    for (const Part& part : parts_of(sized(M, N, K), ladder::costs_for(capability), device)) {
                        CHECK(part.way.cycles < 1e10);
                        if (capability < 80) CHECK(part.way.id != WayId::slices_64x64);
                        CHECK(part.way.id != WayId::walk_128x256);
                    }
                }
            }
        }
    }
}

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
        CHECK(lent.is_written(fills ? end - 1 : 0, end));
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

TEST_CASE("a chain whose products 85 packs and multiplies has the levels of both cleared once, and is right") {
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
    const auto* const levels = reinterpret_cast<const unsigned*>(lent.begin);
    CHECK(std::count(levels, levels + ladder::kLevels, 0u) == ladder::kLevels);

    // The second product takes a level of its own, which is not cleared again: where the first one's numbers were wild,
    // that is still to be seen, and the second one's are not.
    for (size_t i = 0; i < chain.A.size(); ++i) chain.A[i] = std::ldexp(1.0f, static_cast<int>(i % N) * 2 - 30);
    Multiplier again(SOLVE_ARITHMETIC_FP32_EMULATED, device, costs);
    for (const solve_gemm_t* const product : {&two.first, &two.second}) CHECK(again.enqueue(*product) == SOLVE_OK);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(levels[0] == 1);
    CHECK(levels[1] == 0);
}

TEST_CASE("rung 90 leaves to 85 what that was measured to be a fifth faster at, and has memory and tensor cores for") {
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
    for (const auto& [size, microseconds] :
         {std::pair(128, 4.0), {256, 4.4}, {512, 7.4}, {1024, 26.8}, {2048, 107.0}, {4096, 700.0}, {8192, 4990.0}}) {
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
