// The tiles of rung 69: its own choice would try few of them at sizes that fit here.
#include "../../../plugins/cuda/69_slices.cu"

#include <cmath>
#include <vector>

#include "../../catch.h"

using namespace rung_69;

namespace {

// Small integers: every order of additions gives the same.
float value_at(int64_t i, int period) {
    return static_cast<float>(i * 7 % period) - period / 2;
}

// A matrix with stride `ld` that begins `before` floats past a multiple of 16 bytes. What lies before it and beside its
// rows is NaN.
struct Matrix {
    int rows, cols, before;
    int64_t ld;
    std::vector<float> memory;

    Matrix(int rows, int cols, int before, int64_t ld)
        : rows(rows), cols(cols), before(before), ld(ld), memory(before + rows * ld, NAN) {}
    float* data() { return memory.data() + before; }
    float& at(int row, int col) { return memory[before + row * ld + col]; }

    template <class Value>
    void fill(Value value) {
        for (int row = 0; row < rows; ++row) {
            for (int col = 0; col < cols; ++col) at(row, col) = value(row, col);
        }
    }

    // How many floats besides the matrix's are no NaN any more.
    int written_outside() const {
        int count = 0;
        for (int64_t i = 0; i < static_cast<int64_t>(memory.size()); ++i) {
            const bool inside = i >= before && (i - before) % ld < cols;
            count += !inside && !std::isnan(memory[i]);
        }
        return count;
    }
};

// How the operands lie in memory: aligned ones can be read 16 bytes at a time if their rows' length allows it.
struct Layout {
    bool aligned_a, aligned_b, aligned_c;
    int64_t padding;  // of every row, a multiple of 4
};

// Elements of C that are wrong, or written though they are not C's, after a product with that alpha and beta. Where
// beta is 0, C holds NaN before. N is cut into so many pieces.
template <class T>
int wrong_after(int M, int N, int K, const Layout& layout, const ladder::Epilogue& epilogue, int pieces = 1) {
    Matrix a(M, N, layout.aligned_a ? 0 : 1, N + layout.padding), b(N, K, layout.aligned_b ? 0 : 3, K + layout.padding);
    Matrix c(M, K, layout.aligned_c ? 0 : 2, K + layout.padding);
    a.fill([&](int i, int n) { return value_at(int64_t{i} * N + n, 11); });
    b.fill([&](int n, int k) { return value_at(int64_t{n} * K + k, 13); });
    const auto before = [&](int i, int k) { return value_at(i + k, 5); };
    if (epilogue.beta != 0) c.fill(before);

    launch<T>({a.data(), a.ld, b.data(), b.ld, c.data(), c.ld, M, N, K, epilogue.alpha, epilogue.beta}, pieces);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);

    int wrong = c.written_outside();
    for (int i = 0; i < M; ++i) {
        for (int k = 0; k < K; ++k) {
            float sum = 0;
            for (int n = 0; n < N; ++n) sum += a.at(i, n) * b.at(n, k);
            const float added = epilogue.beta != 0 ? epilogue.beta * before(i, k) : 0;
            wrong += c.at(i, k) != epilogue.alpha * sum + added;  // so is NaN
        }
    }
    return wrong;
}

template <class T>
void check_tile() {
    CAPTURE(T::kM, T::kK);
    const ladder::Epilogue plain, scaled{2.0f, -3.0f}, halved{0.5f, 0.0f};
    for (const bool aligned_a : {true, false}) {
        for (const bool aligned_b : {true, false}) {
            for (const int64_t padding : {0, 4}) {
                CAPTURE(aligned_a, aligned_b, padding);
                const Layout layout{aligned_a, aligned_b, aligned_b, padding};
                // One whole tile and a single step: the other stages get zeros.
                CHECK(wrong_after<T>(T::kM, T::kN, T::kK, layout, plain) == 0);
                // N less than a step: slices with nothing to add, and one with less than its 8 n.
                CHECK(wrong_after<T>(T::kM, 4, T::kK, layout, scaled) == 0);
                CHECK(wrong_after<T>(5, 1, 7, layout, plain) == 0);
                // Two by two tiles that end within M, N and K, at multiples of 4, more steps than stages.
                CHECK(wrong_after<T>(T::kM + 3, 5 * T::kN + 4, T::kK + 4, layout, scaled) == 0);
                // The same at no multiples of 4, and the last tiles nearly whole.
                CHECK(wrong_after<T>(2 * T::kM - 1, 4 * T::kN - 1, 2 * T::kK - 1, layout, halved) == 0);
            }
        }
    }
    // 16 bytes at a time in A and B, but not in C; and the other way round.
    CHECK(wrong_after<T>(T::kM, T::kN, T::kK, {true, true, false, 0}, scaled) == 0);
    CHECK(wrong_after<T>(T::kM, T::kN, T::kK, {false, false, true, 0}, scaled) == 0);
}

}  // namespace

TEST_CASE("rung 69 is right for every tile, alignment and remainder, and writes nothing but C") {
    check_tile<Large>();
    check_tile<Medium>();
    check_tile<Small>();
}

TEST_CASE("rung 69 is right where N is cut among blocks") {
    const ladder::Epilogue plain, scaled{2.0f, -3.0f};
    for (const bool aligned : {true, false}) {
        CAPTURE(aligned);
        const Layout layout{aligned, aligned, aligned, aligned ? 4 : 0};
        // Pieces of two steps, the last one shorter; and of one step, more than a warp adds at a time.
        CHECK(wrong_after<Medium>(64, 5 * Medium::kN + 4, 72, layout, scaled, 3) == 0);
        CHECK(wrong_after<Medium>(65, 70 * Medium::kN, 33, layout, plain, 70) == 0);
    }
}

TEST_CASE("rung 69 cuts N where there are SMs for the pieces") {
    const auto pieces = [](int M, int N, int K) { return ladder::tile_plan<Medium>({0.7, 5000}, M, N, K, 132).pieces; };
    CHECK(pieces(64, 16384, 64) == 128);
    CHECK(pieces(1024, 1024, 1024) == 1);
    CHECK(pieces(64, 128, 64) == 1);  // adding takes longer
    for (const int M : {1, 64, 200, 1024}) {
        for (const int N : {1, 64, 1000, 16384, INT32_MAX}) {
            CAPTURE(M, N);
            const int count = pieces(M, N, 70);
            REQUIRE(count >= 1);
            const int depth = ladder::depth_of_pieces<Medium>(N, count);
            CHECK((count - 1) * int64_t{depth} < N);
            CHECK(count * int64_t{depth} >= N);
            CHECK(count * ladder::ceil_div(M, Medium::kM) * 2 <= 132 + (count == 1) * (1 << 20));
        }
    }
}

TEST_CASE("rung 69 leaves a remainder of few columns to blocks of their own") {
    const auto is = [](const ladder::TileGrid& blocks, int tiles_m, int tiles_k, int edge, int edges) {
        return blocks.tiles_m == tiles_m && blocks.tiles_k == tiles_k && blocks.edge == edge && blocks.edges == edges;
    };
    CHECK(is(ladder::tile_grid<Large>(1023, 1031), 16, 8, 7, 4));
    CHECK(is(ladder::tile_grid<Large>(65, 136), 2, 1, 8, 1));
    CHECK(is(ladder::tile_grid<Large>(65, 137), 2, 2, 0, 0));
    CHECK(is(ladder::tile_grid<Large>(65, 128), 2, 1, 0, 0));
    CHECK(is(ladder::tile_grid<Large>(65, 7), 2, 1, 0, 0));
    CHECK(is(ladder::tile_grid<Medium>(65, 65), 2, 2, 0, 0));

    const ladder::Epilogue plain, scaled{2.0f, -3.0f};
    for (const bool aligned : {true, false}) {
        CAPTURE(aligned);
        const Layout layout{aligned, aligned, aligned, aligned ? 4 : 0};
        // One column, and less N than is in shared memory at a time; all eight, more N, and a block of rows that ends
        // within its warps'.
        CHECK(wrong_after<Large>(70, 5, 129, layout, plain) == 0);
        CHECK(wrong_after<Large>(301, 513 + 255, 136, layout, scaled) == 0);
    }
    // More blocks of edges than columns of tiles: rows of the grid that are not all used.
    CHECK(wrong_after<Large>(5 * 256 + 1, 9, 256 + 3, {true, false, false, 0}, scaled) == 0);
}
