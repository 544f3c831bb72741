// 05 of plugins/multi on emulated devices, with a cuBLASMp that multiplies element by element.
#include "../../../plugins/multi/05_cublasmp.cu"

#include "../../../host/emulator/runtime/memory.h"
#include "../../../host/emulator/runtime/stream.h"
#include "../../catch.h"
#include "multi.h"

namespace {

using ladder::GpuGrid;

constexpr Sizes kSizes[] = {{1, 1, 1}, {5, 3, 7}, {33, 70, 40}, {100, 9, 3}, {2, 150, 90}, {67, 45, 66}};
constexpr GpuGrid kGrids[] = {{1, 1}, {1, 2}, {2, 1}, {1, 3}, {2, 2}, {2, 3}};

// Buffers of 4 KiB, so that most matrices make several pieces.
const bool small_buffers = (ladder::PinnedBuffer::elements() = 1024, true);

std::string error_on(const GpuGrid& grid, int block, HostProduct& product) {
    return product.error_of(
        [&](auto... operands) { rung_multi_05::multiply_on(grid, block, ladder::call_of(operands...)); });
}

void check(const GpuGrid& grid, int block, const Sizes& size, bool pinned) {
    HostProduct product(size.M, size.N, size.K, pinned);
    INFO(grid.rows << " x " << grid.cols << " GPUs, blocks of " << block << ", " << size.M << " x " << size.N << " x "
                   << size.K << (pinned ? ", pinned" : ", pageable"));
    CHECK(error_on(grid, block, product) == "");
    CHECK(product.wrong() == 0);
}

// Elements of C that are wrong, or that are none of C and have changed, of A and B as they lie and alpha, beta and rows
// that are longer than they need be.
int wrong_of_gemm(bool ta, bool tb, float alpha, float beta, int padding) {
    const int M = 37, N = 29, K = 53;
    const int64_t lda = (ta ? M : N) + padding, ldb = (tb ? N : K) + padding, ldc = K + padding;
    std::vector<float> A((ta ? N : M) * lda), B((tb ? K : N) * ldb), C(M * ldc);
    for (size_t i = 0; i < A.size(); ++i) A[i] = static_cast<float>(i * 7 % 11) - 5;
    for (size_t i = 0; i < B.size(); ++i) B[i] = static_cast<float>(i * 5 % 13) - 6;
    for (size_t i = 0; i < C.size(); ++i) C[i] = beta == 0 ? -1000.0f : static_cast<float>(i % 9);
    std::vector<float> want = C;
    for (int i = 0; i < M; ++i) {
        for (int k = 0; k < K; ++k) {
            float sum = 0;
            for (int n = 0; n < N; ++n) sum += A[ta ? n * lda + i : i * lda + n] * B[tb ? k * ldb + n : n * ldb + k];
            float& c = want[i * ldc + k];
            c = alpha * sum + (beta == 0 ? 0 : beta * c);
        }
    }
    solve_gemm_t call = solve_gemm_one();
    call.M = M, call.N = N, call.K = K;
    call.transpose_a = ta, call.transpose_b = tb;
    call.A = A.data(), call.B = B.data(), call.C = C.data();
    call.lda = lda, call.ldb = ldb, call.ldc = ldc;
    call.alpha = alpha, call.beta = beta;
    rung_multi_05::multiply_on({2, 3}, 8, call);
    int wrong = 0;
    for (size_t i = 0; i < C.size(); ++i) wrong += C[i] != want[i];
    return wrong;
}

bool contains(const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("cuBLASMp's blocks are distributed to every grid and come back, whatever the remainder") {
    const Environment devices("EMULATOR_DEVICES", 6);
    int seed = 5000;
    for (const GpuGrid& grid : kGrids) {
        for (const int block : {1, 7, 16, 1024}) {
            for (const Sizes& size : kSizes) {
                const Environment deferred("EMULATOR_DEFERRED", ++seed % 3 ? seed : 0);
                check(grid, block, size, seed % 2 == 0);
            }
        }
    }
}

TEST_CASE("cuBLASMp is told how operands lie, alpha, beta and leading dimensions") {
    const Environment devices("EMULATOR_DEVICES", 6);
    for (int form = 0; form < 4; ++form) {
        const bool ta = form & 1, tb = form & 2;
        INFO((ta ? "T" : "N") << (tb ? "T" : "N"));
        CHECK(wrong_of_gemm(ta, tb, 1, 0, 0) == 0);
        CHECK(wrong_of_gemm(ta, tb, 2, -0.5f, 3) == 0);
    }
}

TEST_CASE("by itself 05 takes all GPUs, and blocks that leave none without") {
    const Environment devices("EMULATOR_DEVICES", 4);
    using rung_multi_05::block_for;
    CHECK(block_for({2, 2}, 100, 37, 90) == 25);
    CHECK(block_for({1, 3}, 1, 1, 1) == 1);
    CHECK(block_for({2, 2}, 8192, 8192, 8192) == 2048);
    CHECK(block_for({2, 2}, 16384, 16384, 16384) == 4096);
    CHECK(block_for({2, 2}, 3000, 20, 500) == 768);  // four of 750, each a multiple of 64
    CHECK(block_for({2, 3}, 2147483647, 1, 1) == 4096);
    HostProduct product(100, 37, 90);
    CHECK(product.error_of([](auto... operands) { rung_multi_05::multiply(ladder::call_of(operands...)); }) == "");
    CHECK(product.wrong() == 0);
    const Variable block("SOLVE_BLOCK", "12");
    CHECK(block_for({2, 2}, 16384, 16384, 16384) == 12);
}

TEST_CASE("what fails in 05 is an error, leaves nothing behind, and the next call is right") {
    const Environment devices("EMULATOR_DEVICES", 4);
    HostProduct product(67, 45, 66);
    {
        const Variable memory("SOLVE_DEVICE_MEMORY", "1");
        CHECK(contains(error_on({2, 2}, 16, product), "GPU 0: its share of A, B and C is"));
    }
    const size_t allocations = emulator::live_allocations(), handles = emulator::live_streams_and_events();
    for (const auto& [variable, text] :
         {std::pair("EMULATOR_CUBLASMP_FAIL", "cuBLASMp 0.10.0: cublasMpGemm: execution failed"),
          {"EMULATOR_NCCL_SETUP_FAIL", "ncclCommInitRank: unhandled system error"},
          {"EMULATOR_MEMORY_FAIL", "out of memory"},
          {"EMULATOR_COPY_FAIL", "cudaMemcpy2DAsync: unknown error"}}) {
        for (const int call : {1, 3}) {
            const Environment failing(variable, call);
            INFO(variable << "=" << call);
            CHECK(contains(error_on({2, 2}, 16, product), text));
            CHECK(emulator::live_allocations() == allocations);
            CHECK(emulator::live_streams_and_events() == handles);
        }
    }
    check({2, 2}, 16, {67, 45, 66}, false);
    const Variable several("SOLVE_RENDEZVOUS", "/nowhere"), rank("SOLVE_RANK", "0"), world("SOLVE_WORLD", "2");
    CHECK(contains(product.error_of([](auto... all) { rung_multi_05::multiply(ladder::call_of(all...)); }),
                   "several hosts"));
}

TEST_CASE("without cuBLASMp, or with one that is too old, it is said what to do") {
    CHECK(ladder::look_for_cublasmp().problem == "");
    {
        const Variable absent("EMULATOR_NO_CUBLASMP", "1");
        CHECK(ladder::look_for_cublasmp().problem ==
              "no cuBLASMp: libcublasmp.so.0 is not there; python3 -m pip install nvidia-cublasmp-cu13, or "
              "SOLVE_CUBLASMP=folder of libcublasmp.so.0");
    }
    for (const char* version : {"701", "10000"}) {
        const Variable other("EMULATOR_CUBLASMP_VERSION", version);
        CHECK(contains(ladder::look_for_cublasmp().problem, " is installed, and 0.10 or a later 0.x is needed; "));
    }
}
