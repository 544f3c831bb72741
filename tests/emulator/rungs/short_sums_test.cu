// Rungs 72 and 77: every config at every form, at calls that it would not be chosen for.
#include "../../../plugins/cuda/72_narrow.cu"
#include "../../../plugins/cuda/77_short_sums.cu"

#include <cmath>
#include <vector>

#include "../../catch.h"

namespace {

constexpr int kBefore = 3;  // what each element of C is before the call

// The matrices of a batch, as they lie in memory: `skip` floats past a multiple of 32 bytes, with rows that are longer
// by `padding`. What is no element is NaN.
struct Matrices {
    Matrices(int batch, int rows, int cols, int skip, int padding)
        : ld(cols + padding), stride(rows * ld + padding), memory(batch * stride + 16, NAN) {
        first = (8 - reinterpret_cast<uintptr_t>(memory.data()) / sizeof(float) % 8) % 8 + skip;
        for (int i = 0; i < batch; ++i) {
            for (int at = 0; at < rows * cols; ++at) element(i, at / cols, at % cols) = kBefore;
        }
    }
    Matrices(const Matrices&) = delete;

    // Other integers, from -period / 2 on.
    void fill(int period) {
        int next = 0;
        for (float& each : memory)
            each = std::isnan(each) ? each : static_cast<float>(next++ * 7 % period - period / 2);
    }
    float& element(int64_t i, int row, int col) { return memory[first + i * stride + row * ld + col]; }
    float* data() { return &memory[first]; }
    std::vector<float*> each(int batch) {
        std::vector<float*> pointers;
        for (int i = 0; i < batch; ++i) pointers.push_back(data() + i * stride);
        return pointers;
    }

    int64_t ld, stride;
    std::vector<float> memory;
    size_t first;
};

struct Case {
    int M, N, K, batch = 1;
    bool ta = false, tb = false;
    int skip = 0, padding = 0;
    float beta = 0;
    uint32_t bias = SOLVE_BIAS_NONE;
    bool arrays = false;
};

// Elements of C that are wrong, or no elements and written.
template <class Launch>
int wrong_after(Launch launch, const Case& given) {
    const auto& [M, N, K, batch, ta, tb, skip, padding, beta, bias_kind, arrays] = given;
    Matrices a(batch, ta ? N : M, ta ? M : N, skip, padding), b(batch, tb ? K : N, tb ? N : K, skip, padding);
    Matrices c(batch, M, K, skip, padding);
    a.fill(11), b.fill(13);
    std::vector<float> bias(std::max(M, K) + batch);
    for (size_t i = 0; i < bias.size(); ++i) bias[i] = static_cast<float>(i % 17);
    const auto arrays_a = a.each(batch), arrays_b = b.each(batch), arrays_c = c.each(batch);
    solve_gemm_t call = solve_gemm_one();
    call.M = M, call.N = N, call.K = K, call.batch = batch;
    call.transpose_a = ta, call.transpose_b = tb;
    call.A = a.data(), call.lda = a.ld, call.stride_a = a.stride;
    call.B = b.data(), call.ldb = b.ld, call.stride_b = b.stride;
    call.C = c.data(), call.ldc = c.ld, call.stride_c = c.stride;
    call.alpha = 2, call.beta = beta;
    call.bias = bias.data(), call.stride_bias = 1, call.bias_kind = bias_kind;
    if (arrays) call.A_array = arrays_a.data(), call.B_array = arrays_b.data(), call.C_array = arrays_c.data();
    Matrices expected(batch, M, K, skip, padding);
    for (int i = 0; i < batch; ++i) {
        for (int row = 0; row < M; ++row) {
            for (int col = 0; col < K; ++col) {
                float sum = 0;
                for (int n = 0; n < N; ++n) {
                    sum += (ta ? a.element(i, n, row) : a.element(i, row, n)) *
                           (tb ? b.element(i, col, n) : b.element(i, n, col));
                }
                expected.element(i, row, col) = 2 * sum + beta * kBefore + ladder::bias_of(call, i, row, col);
            }
        }
    }
    if (beta == 0) {  // then it is not read
        for (float& each : c.memory) each = NAN;
    }
    launch(ladder::with_bias_added(call));
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    int count = 0;
    for (size_t i = 0; i < c.memory.size(); ++i) {
        // The two may begin differently in their memory.
        const size_t there = i + expected.first - c.first;
        const float is = c.memory[i], wanted = there < expected.memory.size() ? expected.memory[there] : NAN;
        count += std::isnan(wanted) ? !std::isnan(is) : is != wanted;
    }
    return count;
}

void check_all(const Case& given) {
    for (const ladder::ShortConfig& config : rung_77::kConfigs) {
        INFO(config.tile.m << "x" << config.tile.k << ": " << given.M << "x" << given.N << "x" << given.K << " "
                           << given.ta << given.tb << " +" << given.skip);
        CHECK(wrong_after(config.launch, given) == 0);
    }
}

// By 72, with 1, 2 and 4 rows per thread where they fit.
void check_narrow(const Case& given) {
    INFO(given.M << "x" << given.N << "x" << given.K << " " << given.ta << given.tb << " +" << given.skip);
    constexpr int kNoSms = 0;  // however few blocks it is
    CHECK(wrong_after(rung_72::launch, given) == 0);
    const auto by_two = [](const solve_gemm_t& call) {
        if (!rung_72::launch_if_fits<8, 2>(call, kNoSms)) rung_72::launch(call);
    };
    const auto by_four = [](const solve_gemm_t& call) {
        if (!rung_72::launch_if_fits<4, 4>(call, kNoSms)) rung_72::launch(call);
    };
    CHECK((given.K > 4 ? wrong_after(by_two, given) : wrong_after(by_four, given)) == 0);
}

}  // namespace

TEST_CASE("72: rows in one piece and not, every form, at more blocks than one and at more columns than it is for") {
    for (const bool ta : {false, true}) {
        for (const bool tb : {false, true}) {
            check_narrow({.M = 1500, .N = 3, .K = 3, .ta = ta, .tb = tb});
            check_narrow({.M = 1027, .N = 4, .K = 2, .ta = ta, .tb = tb, .skip = 4});
            check_narrow({.M = 600, .N = 5, .K = 7, .ta = ta, .tb = tb, .skip = 1, .padding = 2});
            check_narrow({.M = 258, .N = 33, .K = 17, .ta = ta, .tb = tb});
            check_narrow({.M = 3, .N = 1, .K = 1, .ta = ta, .tb = tb});
        }
    }
}

TEST_CASE("72: contiguous rows of up to four columns, with remainders of a warp's rows and of four words") {
    int contiguous = 0;
    const auto launch = [&](const solve_gemm_t& call) {
        contiguous += rung_72::is_contiguous(call);
        rung_72::launch(call);
    };
    for (const int M : {1, 2, 127, 643}) {
        for (int N = 1; N <= rung_72::kMostContiguous; ++N) {
            for (int K = 1; K <= rung_72::kMostContiguous; ++K) {
                CAPTURE(M, N, K);
                CHECK(wrong_after(launch, {.M = M, .N = N, .K = K, .tb = M == 127, .beta = M == 2 ? -1.0f : 0.0f}) ==
                      0);
            }
        }
    }
    CHECK(contiguous == 64);
    CHECK(wrong_after(launch, {.M = 130, .N = 3, .K = 3, .ta = true}) == 0);
    CHECK(wrong_after(launch, {.M = 130, .N = 3, .K = 3, .skip = 1}) == 0);
    CHECK(wrong_after(launch, {.M = 130, .N = 3, .K = 3, .padding = 1}) == 0);
    CHECK(contiguous == 64);
}

TEST_CASE("72: beta, both biases, batches by strides and by arrays") {
    for (const bool arrays : {false, true}) {
        for (const uint32_t bias : {SOLVE_BIAS_NONE, SOLVE_BIAS_OF_ROWS, SOLVE_BIAS_OF_COLUMNS}) {
            check_narrow({.M = 300, .N = 3, .K = 5, .batch = 3, .beta = -1, .bias = bias, .arrays = arrays});
            check_narrow({.M = 300, .N = 6, .K = 3, .skip = 1, .bias = bias, .arrays = arrays});
        }
        check_narrow({.M = 1100, .N = 3, .K = 3, .beta = -1, .arrays = arrays});
    }
}

TEST_CASE("77: every config and form, aligned or not, at more tiles than one along both axes, and at few columns") {
    for (const bool ta : {false, true}) {
        for (const bool tb : {false, true}) {
            for (const int K : {31, 260}) {
                check_all({.M = 139, .N = 13, .K = K, .ta = ta, .tb = tb, .skip = 1, .padding = (K + 1) % 2});
                check_all({.M = 139, .N = 13, .K = K, .ta = ta, .tb = tb, .skip = 0, .padding = (1000 - K) % 8});
            }
            check_all({.M = 132, .N = 5, .K = 32, .ta = ta, .tb = tb, .skip = 4});
        }
    }
}

TEST_CASE("77: sums of one product, of a chunk, and of more") {
    for (const int N : {1, 2, 3, 8, rung_77::kChunk, 2 * rung_77::kChunk + 3}) {
        check_all({.M = 9, .N = N, .K = 67, .skip = 3});
        check_all({.M = 67, .N = N, .K = 9, .ta = true, .tb = true, .skip = 2, .padding = 1});
    }
}

TEST_CASE("77: columns at every place in a sector, where a tile's end is the row's") {
    for (int skip = 0; skip < 8; ++skip) {
        for (const int K : {57, 64, 65, 121, 128, 129})
            check_all({.M = 8, .N = 3, .K = K, .skip = skip, .padding = 8 - K % 8});
        check_all({.M = 8, .N = 3, .K = 128 - skip, .skip = skip, .padding = 1 + skip % 2 + skip / 4 * 2});
    }
}

TEST_CASE("77: words before a row in its sector, at most, are those of some row; a choice knows whether C is aligned") {
    const auto call_at = [](uintptr_t word, int64_t ldc, int64_t stride) {
        solve_gemm_t call = solve_gemm_one();
        call.M = call.K = 8, call.batch = stride ? 8 : 1;
        call.C = reinterpret_cast<float*>(word * sizeof(float)), call.ldc = ldc, call.stride_c = stride;
        return call;
    };
    for (uintptr_t word = 0; word < 8; ++word) {
        for (int64_t ldc = 8; ldc < 16; ++ldc) {
            for (const int64_t stride : {int64_t{0}, 8 * ldc, 8 * ldc + 2, 8 * ldc + 4}) {
                int most = 0;
                for (int at = 0; at < 64; ++at)
                    most = std::max(most, int((word + at / 8 * ldc + at % 8 * stride) % ladder::kSector));
                CAPTURE(word, ldc, stride);
                CHECK(ladder::most_shift(call_at(word, ldc, stride)) == most);
                const uintptr_t other = word % 4 ? word % 4 % 3 + 1 : 4 - word;  // as much aligned, or as little
                CHECK(ladder::expected_shift(call_at(word, ldc, stride)) ==
                      ladder::expected_shift(call_at(other, ldc, stride)));
            }
        }
    }
}

TEST_CASE("77: beta, both biases, batches by strides and by arrays") {
    for (const bool arrays : {false, true}) {
        for (const uint32_t bias : {SOLVE_BIAS_NONE, SOLVE_BIAS_OF_ROWS, SOLVE_BIAS_OF_COLUMNS}) {
            for (const float beta : {0.0f, -1.0f}) {
                check_all(
                    {.M = 37, .N = 6, .K = 29, .batch = 3, .skip = 5, .beta = beta, .bias = bias, .arrays = arrays});
                check_all(
                    {.M = 20, .N = 6, .K = 132, .batch = 2, .tb = true, .beta = beta, .bias = bias, .arrays = arrays});
            }
        }
    }
}
