// Every kernel of rungs 87 to 89, narrow tiles of 79, and every way of 90, at a call that it would not be chosen for at
// sizes that fit here.
#include <cmath>
#include <vector>

#include "../../../plugins/chain/by_90.h"
#include "../../catch.h"
#include "../not_sanitized.h"

namespace {

// Products of small integers, for which every order of additions gives the same, into a C with longer rows. C holds 3
// before the call, and NaN beside it.
struct Products {
    int M, N, K, batch;
    bool ta, tb;
    int ldc = K + 4;
    std::vector<float> A, B, C;

    Products(int M, int N, int K, int batch, bool ta, bool tb)
        : M(M), N(N), K(K), batch(batch), ta(ta), tb(tb), A(batch * M * N), B(batch * N * K), C(batch * M * ldc, NAN) {
        for (size_t i = 0; i < A.size(); ++i) A[i] = static_cast<float>(i * 7 % 11) - 5;
        for (size_t i = 0; i < B.size(); ++i) B[i] = static_cast<float>(i * 5 % 13) - 6;
        for (int i = 0; i < batch * M; ++i) std::fill_n(&C[i * ldc], K, 3.0f);
    }

    solve_gemm_t call() {
        solve_gemm_t call = solve_gemm_one();
        call.M = M, call.N = N, call.K = K, call.batch = batch;
        call.transpose_a = ta, call.transpose_b = tb;
        call.A = A.data(), call.lda = ta ? M : N, call.stride_a = M * N;
        call.B = B.data(), call.ldb = tb ? N : K, call.stride_b = N * K;
        call.C = C.data(), call.ldc = ldc, call.stride_c = M * ldc;
        call.alpha = 2.0f, call.beta = -1.0f;
        return call;
    }

    NOT_SANITIZED int wrong() const {
        const float *const all_a = A.data(), *const all_b = B.data(), *const all_c = C.data();
        int count = 0;
        for (int i = 0; i < batch * M; ++i) {
            const float *const a = all_a + i / M * M * N, *const b = all_b + i / M * N * K;
            for (int k = 0; k < ldc; ++k) {
                const float c = all_c[i * ldc + k];
                float sum = 0;
                for (int n = 0; n < N && k < K; ++n) {
                    sum += (ta ? a[n * M + i % M] : a[i % M * N + n]) * (tb ? b[k * N + n] : b[n * K + k]);
                }
                count += k < K ? c != 2 * sum - 3 : c == c;  // NaN
            }
        }
        return count;
    }
};

template <class T>
void check_walk(bool ta, bool tb, int M, int N, int K) {
    INFO(T::kM << "x" << T::kK << " " << ta << tb << " " << M << "x" << N << "x" << K);
    const int steps = ladder::ceil_div(N, T::kN);
    Products one(M, N, K, 1, ta, tb);
    const int tiles = static_cast<int>(ladder::tiles_of<T>(M, K));
    rung_88::launch<T>(one.call(), {steps, tiles - 1, 1, 3}, 4);  // the last tile is cut into three
    CHECK(one.wrong() == 0);
    Products several(M, N, K, 3, ta, tb);
    rung_88::launch<T>(several.call(), {steps, 3 * tiles, 0, 1}, 4);
    CHECK(several.wrong() == 0);
}

}  // namespace

TEST_CASE("88: each tile and each pair of transposes, aligned or not, cut along N or in a batch") {
    for (const int odd : {0, 1}) {
        const int M = 140 + odd, N = 104 + odd, K = 148 + odd;
        for (const bool ta : {false, true}) {
            for (const bool tb : {false, true}) {
                check_walk<rung_88::Small>(ta, tb, M, N, K);
                check_walk<rung_88::Narrow>(ta, tb, M, N, K);
                if (!ta || !tb) check_walk<rung_88::Large>(ta, tb, M, N, K);
                if (ta) check_walk<rung_88::Tall>(ta, tb, M, N, K);
            }
        }
    }
}

TEST_CASE("89: each operand is turned or padded, however both lie, aligned or not, and none without memory for it") {
    using rung_89::Copy;
    const auto multiply = [](const solve_gemm_t& copied) { rung_88::multiply_all(copied); };
    for (int which = 0; which < 72; ++which) {
        const bool ta = which & 1, tb = which & 2;
        const int odd = which >> 2 & 1;
        const rung_89::Copies copies{Copy(which / 8 % 3), Copy(which / 24)};
        Products products(130 + odd, 68 + odd, 72 + odd, 1, ta, tb);
        CAPTURE(ta, tb, odd, int(copies.a), int(copies.b));
        CHECK(rung_89::copy_and_multiply(products.call(), copies, 4, true, multiply));
        CHECK(products.wrong() == 0);
        CHECK(rung_89::turn_transposed(products.call()).any() == (ta || tb));
    }
    solve_gemm_t call = solve_gemm_one();
    call.M = call.N = call.K = 1 << 30, call.transpose_a = SOLVE_T;
    const auto fail = [](const solve_gemm_t&) { FAIL("without memory"); };
    CHECK_FALSE(rung_89::copy_and_multiply(call, {Copy::turned, Copy::none}, 4, true, fail));
}

TEST_CASE("89: as many squares are turned right as only small blocks have resident at a time, aligned or not") {
    for (const int cols : {444, 443}) {
        const rung_89::Copied copied{381, cols, rung_89::Copy::turned};
        std::vector<float> from(copied.rows * cols), to(copied.bytes() / sizeof(float));
        for (size_t i = 0; i < from.size(); ++i) from[i] = static_cast<float>(i);
        copied.enqueue(from.data(), cols, to.data(), nullptr, false);
        CHECK(cudaDeviceSynchronize() == cudaSuccess);
        int wrong = 0;
        for (int row = 0; row < copied.rows; ++row) {
            for (int col = 0; col < cols; ++col) wrong += to[col * copied.pitch() + row] != from[row * cols + col];
        }
        CHECK(wrong == 0);
        const int squares = ladder::ceil_div(copied.rows, rung_89::kSide) * ladder::ceil_div(cols, rung_89::kSide);
        CHECK(rung_89::has_small_blocks(squares, ladder::sm_count()));
    }
}

TEST_CASE("79: a product of 9 to 20 rows or columns has a tile as narrow, however it lies, by one block or two") {
    using namespace rung_90;
    const DeviceFigures device = {.capability = 90, .sms = 4, .l2 = 50 << 20};
    struct {
        int thin;
        WayId of_rows, of_columns;
    } const tiles[] = {{16, WayId::clusters_16x32, WayId::clusters_32x16},
                       {9, WayId::clusters_16x32, WayId::clusters_32x16},
                       {20, WayId::clusters_20x64, WayId::clusters_64x20},
                       {17, WayId::clusters_20x64, WayId::clusters_64x20}};
    for (const auto& [thin, of_rows, of_columns] : tiles) {
        for (const int form : {0, 1, 2, 3}) {
            for (const int blocks : {1, 2}) {
                Products rows(thin, 150, 69, blocks, form & 1, form & 2), columns(70, 150, thin, 1, form & 1, form & 2);
                CAPTURE(thin, form, blocks);
                launch_way({of_rows, blocks}, rows.call(), device, multiply_copied);
                CHECK(rows.wrong() == 0);
                launch_way({of_columns, blocks}, columns.call(), device, multiply_copied);
                CHECK(columns.wrong() == 0);
            }
        }
    }
    const auto has = [&](WayId wanted, int M, int K) {
        bool found = false;
        for_each_way(Products(M, 50, K, 1, false, false).call(), device,
                     [&](WayId id, int, const Work&) { found = found || id == wanted; });
        return found;
    };
    for (const int thin : {8, 9, 16, 17, 20, 21}) {
        CAPTURE(thin);
        CHECK(has(WayId::clusters_16x32, thin, 70) == (thin >= 9 && thin <= 16));
        CHECK(has(WayId::clusters_32x16, 70, thin) == (thin >= 9 && thin <= 16));
        CHECK(has(WayId::clusters_20x64, thin, 70) == (thin >= 17 && thin <= 20));
        CHECK(has(WayId::clusters_64x20, 70, thin) == (thin >= 17 && thin <= 20));
    }
}

TEST_CASE("67: each tile is right whatever N leaves of a step, to an aligned C or not, by one block or three") {
    using namespace rung_90;
    const DeviceFigures device = {.capability = 90, .sms = 4, .l2 = 50 << 20};
    const WayId tiles[] = {WayId::small_32x32,  WayId::small_64x32,  WayId::small_32x64, WayId::small_64x64,
                           WayId::small_128x32, WayId::small_64x128, WayId::small_32x128};
    for (const WayId tile : tiles) {
        for (const int N : {1, 8, 9, 16, 24, 57}) {
            for (const int blocks : {1, 3}) {
                const bool ta = N % 2, tb = blocks == 3;
                Products words(71, N, 133, 1, ta, tb), fours(71, N, 132, 1, ta, tb);
                CAPTURE(ladder::name_of(tile), N, blocks);
                launch_way({tile, blocks}, words.call(), device, multiply_copied);
                CHECK(words.wrong() == 0);
                launch_way({tile, blocks}, fours.call(), device, multiply_copied);
                CHECK(fours.wrong() == 0);
            }
        }
    }
    const auto steps = [&](int N, int blocks) {
        const auto call = Products(64, N, 64, 1, false, false).call();
        return ladder::clusters_work<rung_67::Large>(call, ladder::Vectors(call), blocks, ladder::ClusterRoom(device),
                                                     device)
            .steps;
    };
    CHECK(steps(16, 1) == 1);
    CHECK(steps(17, 1) == 1.5);
    CHECK(steps(25, 1) == 2);
    CHECK(steps(33, 2) == 2);
}

TEST_CASE("71: blocks that take one tile after another are right whatever N leaves of a step, to an aligned C or not") {
    for (const int N : {17, 24, 25, 32, 57}) {
        for (const int form : {0, 1, 2, 3}) {
            const int batch = form == 0 ? 1 : 12;  // 48 tiles for 24 blocks on the emulator's 8 SMs
            Products words(71, N, 69, batch, form & 1, form & 2), fours(71, N, 68, batch, form & 1, form & 2);
            CAPTURE(N, form);
            rung_71::launch(words.call());
            CHECK(words.wrong() == 0);
            rung_71::launch(fours.call());
            CHECK(fours.wrong() == 0);
        }
    }
    CHECK(rung_71::blocks_per_sm(1000 / 132.0) == std::pair(4, 8.0));
    CHECK(rung_71::blocks_per_sm(1200 / 132.0) == std::pair(3, 9.0));  // twelve SMs have ten
    ladder::DeviceFigures device = {.capability = 90, .sms = 132, .l2 = 50 << 20};
    device.shared_of_sm = 228 << 10;
    CHECK(rung_71::is_for(Products(64, 64, 64, 1000, false, false).call(), device));
    CHECK_FALSE(rung_71::is_for(Products(64, 64, 64, 600, false, false).call(), device));
    CHECK_FALSE(rung_71::is_for(Products(65, 64, 64, 1000, false, false).call(), device));
}

TEST_CASE("67: each tile is right with N in pieces, the last of them shorter or empty, to an aligned C or not") {
    using namespace rung_90;
    const DeviceFigures device = {.capability = 90, .sms = 4, .l2 = 50 << 20};
    for (const WayId tile :
         {WayId::cut_64x64, WayId::cut_128x32, WayId::cut_32x128, WayId::cut_64x128, WayId::cut_128x64}) {
        for (const int pieces : {2, 5, 11}) {  // of 57 n the fifth is empty, of 171 the last of 11 shorter
            const bool ta = tile == WayId::cut_64x64 || pieces == 5, tb = pieces == 11;
            const int N = pieces == 11 ? 171 : 57;
            Products words(71, N, 133, 1, ta, tb), fours(71, N, 132, 1, ta, tb);
            CAPTURE(ladder::name_of(tile), pieces);
            launch_way({tile, pieces}, words.call(), device, multiply_copied);
            CHECK(words.wrong() == 0);
            launch_way({tile, pieces}, fours.call(), device, multiply_copied);
            CHECK(fours.wrong() == 0);
        }
    }
}

TEST_CASE("67: N is cut for one to as many blocks per SM as registers let, into no empty pieces, and not in batches") {
    const ladder::DeviceFigures device = {.capability = 90, .sms = 132, .l2 = 50 << 20};
    const auto pieces_of = [&](int M, int N, int K, int batch) {
        solve_gemm_t call = solve_gemm_one();
        call.M = M, call.N = N, call.K = K, call.batch = batch, call.lda = N, call.ldb = call.ldc = K;
        std::vector<int> found;
        ladder::for_each_cut<rung_67::Tall>(call, ladder::Vectors(call), device,
                                            [&](int pieces, const ladder::Work&) { found.push_back(pieces); });
        return found;
    };
    CHECK(pieces_of(6470, 8136, 30, 1) == std::vector{2, 5, 7, 10, 12});
    CHECK(pieces_of(128, 1000, 32, 1) == std::vector{13});  // of 63 steps no piece has fewer than four: five each
    CHECK(pieces_of(128 * 70, 1000, 32, 1) == std::vector{3, 5, 7, 9});
    CHECK(pieces_of(128 * 700, 1000, 32, 1).empty());
    CHECK(pieces_of(128, 100, 32, 1).empty());
    CHECK(pieces_of(128, 1000, 32, 2).empty());
}

TEST_CASE("90: each way to do a call is right, transposed or not, of one product or three") {
    using namespace rung_90;
    const DeviceFigures device = {.capability = 90, .sms = 4, .l2 = 50 << 20};
    for (const int form : {0, 1, 2, 3}) {
        for (const int batch : {1, 3}) {
            if (form == 0 && batch == 1) continue;  // dispatch_test.cu
            Products shape(69, 37, 35, batch, form & 1, form & 2);
            std::vector<Way> ways;
            for_each_way(shape.call(), device, [&](WayId id, int blocks, const Work&) {
                ways.push_back({id, blocks});
            });
            if (form == 0) ways.push_back({WayId::one_by_one});
            for (const Way& way : ways) {
                Products products(69, 37, 35, batch, form & 1, form & 2);
                launch_way(way, products.call(), device, multiply_copied);
                INFO(ladder::name_of(way.id) << " " << way.blocks << " form " << form << " batch " << batch);
                CHECK(products.wrong() == 0);
            }
        }
    }
}

TEST_CASE("90: a vector lies alike whether it is transposed or not") {
    using namespace rung_90;
    const auto is_plain = [](int M, int K, bool ta, bool tb) {
        Products products(M, 50, K, 1, ta, tb);
        const auto plain = as_plain(products.call());
        if (!plain) return false;
        multiply(*plain);
        CHECK(products.wrong() == 0);
        return true;
    };
    CHECK(is_plain(1, 30, false, true));
    CHECK(is_plain(1, 30, true, true));
    CHECK(is_plain(1, 30, true, false));
    CHECK(is_plain(30, 1, false, true));
    CHECK_FALSE(is_plain(30, 2, false, true));
}

TEST_CASE("90: many small products are one launch, a few large ones their own") {
    using namespace rung_90;
    const auto way = [](int M, int N, int K, int batch, bool tb = false) {
        solve_gemm_t call = solve_gemm_one();
        call.M = M, call.N = N, call.K = K, call.batch = batch, call.transpose_b = tb;
        call.lda = N, call.ldb = tb ? N : K, call.ldc = K;
        return choose(call, ladder::costs_for(90), {.capability = 90, .sms = 132, .l2 = 50 << 20}).id;
    };
    CHECK(way(16, 16, 16, 4096) == WayId::plain_16x16);
    CHECK(way(4096, 4096, 4096, 1, true) == WayId::copied);
    CHECK(way(1024, 1024, 1024, 12) == WayId::walk_128x256);
    const WayId transposed = way(3072, 3072, 3072, 4, true);  // of two walks that are expected to take as long
    CHECK((transposed == WayId::walk_nt_64x128 || transposed == WayId::walk_nt_128x64));
}

TEST_CASE("rung 90 leaves transposed operands and batches to 85 where they are large") {
    const ladder::DeviceFigures h200 = {.capability = 90, .sms = 132, .l2 = 50 << 20};
    const auto splits = [&](int size, int batch, bool ta, bool tb) {
        Products products(1, 1, 1, 1, ta, tb);
        solve_gemm_t call = products.call();
        call.M = call.N = call.K = call.lda = call.ldb = call.ldc = size, call.batch = batch;
        call.stride_a = call.stride_b = call.stride_c = int64_t{size} * size;
        return rung_90::pays_to_split(call, h200, rung_90::cycles_of_all(call, h200));
    };
    for (const bool ta : {false, true}) {
        for (const bool tb : {false, true}) {
            CHECK(splits(4096, 1, ta, tb));
            CHECK(splits(2048, 4, ta, tb));
            CHECK(splits(768, 1, ta, tb));
            // An H100 took 7.6 us for 10.7, and for 7.9; TN, 8.7 there, is at the limit.
            if (tb || !ta) CHECK(splits(512, 1, ta, tb) == tb);
            CHECK_FALSE(splits(256, 64, ta, tb));  // one by one they leave most SMs idle
        }
    }
}
