// What rung 90 chooses, and that each of its choices and every cut of C are right: by itself it would choose few of
// them at sizes that fit here.
#include <set>

#include "../../catch.h"
#include "dispatch_problem.h"

using namespace rung_90;
using namespace test;

namespace {

// The way of a whole product, of which nothing is cut off.
WayId chosen(const ladder::Gemm& gemm, const DeviceFigures& device = kH100) {
    return choose(ladder::call_of(gemm), ladder::costs_for(device.capability), device).id;
}

// Tiles of 64 x 64, each of which costs more than a second product, and thin products, of which none costs anything, so
// that every cut pays that saves a tile; or which are so dear that none does. All else is dearer.
ladder::CostsOfGpu costs_with_thin(double start) {
    ladder::CostsOfGpu costs{80, {}};
    for (ladder::Costs& each : costs.of) each.start = 1e20;
    costs.of[static_cast<size_t>(WayId::slices_64x64)] = {.start = 6500, .steps = 1e6, .word_steps = 1e6};
    for (const WayId id : {WayId::few_rows, WayId::few_columns}) costs.of[static_cast<size_t>(id)] = {.start = start};
    return costs;
}
const ladder::CostsOfGpu kFreeThin = costs_with_thin(0), kDearThin = costs_with_thin(1e12);
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
                launch_way({id, blocks}, ladder::call_of(problem.gemm), device, multiply_copied);
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
        for (const Part& part : parts) launch_way(part.way, ladder::call_of(part.gemm), kOneSm, multiply_copied);
        CHECK(cudaDeviceSynchronize() == cudaSuccess);
        CHECK(problem.wrong() == 0);
        Problem biased(M, N, K);
        biased.give_bias();
        for (const Part& part : parts_of(biased.gemm, kFreeThin, kOneSm))
            launch_one(part.way, part.gemm, kOneSm, multiply_copied);
        CHECK(cudaDeviceSynchronize() == cudaSuccess);
        CHECK(biased.wrong() == 0);
    }
}

TEST_CASE("what is behind rows or columns of any form of product is the rest of it") {
    constexpr int M = 70, N = 9, K = 67, kMost = 70;
    const Problem numbers(kMost, kMost, kMost);
    for (const auto& [ta, tb] :
         {std::pair(SOLVE_N, SOLVE_N), {SOLVE_N, SOLVE_T}, {SOLVE_T, SOLVE_N}, {SOLVE_T, SOLVE_T}}) {
        for (const auto& [rows, cols] : {std::pair(64, 0), {0, 64}}) {
            CAPTURE(ta, tb, rows, cols);
            std::vector<float> whole(M * K, NAN), cut(M * K, NAN);
            solve_gemm_t call = solve_gemm_one();
            call.M = M, call.N = N, call.K = K, call.transpose_a = ta, call.transpose_b = tb;
            call.A = numbers.A.data(), call.lda = ta == SOLVE_T ? M : N;
            call.B = numbers.B.data(), call.ldb = tb == SOLVE_T ? N : K;
            call.C = whole.data(), call.ldc = K;
            rung_56::launch<rung_56::Small>(call);
            call.C = cut.data();
            solve_gemm_t first = call;
            (rows > 0 ? first.M : first.K) = 64;
            rung_56::launch<rung_56::Small>(first);
            rung_56::launch<rung_56::Small>(behind(call, rows, cols));
            CHECK(cudaDeviceSynchronize() == cudaSuccess);
            CHECK(cut == whole);
        }
    }
}

TEST_CASE("rung 90 has 72 multiply few columns and many rows, of any form, and no others") {
    const auto way_of = [](int M, int N, int K, int batch) {
        solve_gemm_t call = ladder::call_of(sized(M, N, K));
        call.batch = batch, call.stride_a = int64_t{M} * N, call.stride_b = N * K, call.stride_c = int64_t{M} * K;
        return choose(call, ladder::costs_for(90), kH100).id;
    };
    CHECK(way_of(1000000, 3, 3, 1) == WayId::narrow);
    CHECK(way_of(300, 3, 3, 1000) == WayId::narrow);
    CHECK(way_of(1000, 3, 5, 1) != WayId::narrow);
    CHECK(way_of(1000, 3, 3, 1) == WayId::narrow);
    CHECK(way_of(1000000, 64, 3, 1) != WayId::narrow);
    CHECK(way_of(30, 12, 12, 2000) != WayId::narrow);
    Problem problem(30000, 3, 3);
    multiply(problem.gemm);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(problem.wrong() == 0);
}

TEST_CASE("rung 90 adds a bias as 86 stores C, or before, whatever its way") {
    const DeviceFigures device = {.capability = 90, .sms = 3, .l2 = 50 << 20};
    for (const auto& [M, N, K] : {std::tuple(70, 68, 76), {67, 69, 69}, {3, 37, 69}}) {
        for (const WayId id : {WayId::walk_128x256, WayId::walk_64x128, WayId::walk_128x64, WayId::plain_16x16}) {
            CAPTURE(M, N, K, ladder::name_of(id));
            Problem problem(M, N, K);
            problem.give_bias();
            launch_one(Way{id, 1}, problem.gemm, device, multiply_copied);
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
    CHECK(on_h100(64, 16384, 64) == WayId::cut_64x64);  // 8.8 us for 10.1 of slices_64x64, on an H200
    const WayId of_1024 = on_h100(1024, 1024, 1024);    // 44.4 and 45.3 us
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
