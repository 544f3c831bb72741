// 90 of plugins/multi on emulated devices, whose work is deferred: every grid, every way to pass on what was loaded.
#include "../../../plugins/multi/90_nccl_grid.cu"

#include "../../../host/emulator/runtime/memory.h"
#include "../../../host/emulator/runtime/stream.h"
#include "../../catch.h"
#include "multi.h"

namespace {

using ladder::GpuGrid;
using ladder::GpuSet;

constexpr Sizes kSizes[] = {{1, 1, 1}, {5, 3, 7}, {130, 33, 70}, {100, 90, 3}, {2, 150, 90}, {67, 200, 66}};
constexpr GpuGrid kGrids[] = {{1, 1}, {1, 2}, {2, 1}, {1, 3}, {2, 2}, {1, 4}, {2, 3}, {2, 4}};

// Buffers of 4 KiB, so that most matrices make several pieces.
const bool small_buffers = (ladder::PinnedBuffer::elements() = 1024, true);

// A GPU so slow that these matrices are worth to be cut into several slabs and chunks, as large ones are on a real one.
const bool slow_gpu = [] {
    rung_multi_90::Machine& machine = rung_multi_90::Machine::assumed();
    machine.launch = machine.row = 0, machine.unit = 4, machine.multiply *= 0.01;
    return true;
}();

bool contains(const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
}

std::string error_on(const GpuGrid& grid, HostProduct& product) {
    return product.error_of([&](auto... operands) { rung_multi_90::multiply_on(grid, ladder::call_of(operands...)); });
}

// With which seeds, so that two tests draw other orders.
void check(const GpuGrid& grid, const Sizes& size, bool pinned, int seed) {
    const Environment deferred("EMULATOR_DEFERRED", seed);
    HostProduct product(size.M, size.N, size.K, pinned);
    INFO(grid.rows << " x " << grid.cols << " GPUs, " << size.M << " x " << size.N << " x " << size.K
                   << (pinned ? ", pinned" : ", pageable") << ", seed " << seed);
    CHECK(error_on(grid, product) == "");
    CHECK(product.wrong() == 0);
}

// A call that makes the GPUs give back everything, by a cap that is too small.
void release_all() {
    const Variable memory("SOLVE_DEVICE_MEMORY", "1");
    HostProduct product(2, 2, 2);
    CHECK(contains(error_on({1, 1}, product), "1 bytes of memory of a GPU are too few"));
}

struct Counts {
    size_t allocations = emulator::live_allocations(), handles = emulator::live_streams_and_events();
    bool operator==(const Counts& other) const { return allocations == other.allocations && handles == other.handles; }
};

}  // namespace

TEST_CASE("the grid is right on every number of GPUs, in every shape and by every exchange") {
    const Environment devices("EMULATOR_DEVICES", 8);
    int seed = 0;
    for (const char* exchange : {"zero-cta", "peer", "nccl"}) {
        const Variable way("SOLVE_EXCHANGE", exchange);
        for (const GpuGrid& grid : kGrids) {
            if (exchange == std::string("nccl") && grid.count() < 8) continue;  // the same calls as without CTAs
            INFO(exchange);
            for (const Sizes& size : kSizes) check(grid, size, ++seed % 2 == 0, seed);
        }
    }
}

TEST_CASE("what is tested here is cut into slabs and chunks") {
    using namespace rung_multi_90;
    const Schedule schedule = choose_schedule(Machine::assumed(), {34, 200, 33, {2, 2}}, 200);
    CHECK(schedule.slabs.size() > 3);
    CHECK(schedule.chunks.kind == Chunks::halving);
    CHECK(schedule.chunks.count > 3);
}

TEST_CASE("the grid is right with little memory, where tiles and slabs come one after the other") {
    const Environment devices("EMULATOR_DEVICES", 8);
    int seed = 1000;
    for (const char* cap : {"12K", "40K"}) {
        const Variable memory("SOLVE_DEVICE_MEMORY", cap);
        for (const GpuGrid& grid : {GpuGrid{1, 1}, GpuGrid{2, 2}, GpuGrid{2, 4}}) {
            for (const char* exchange : {"zero-cta", "peer"}) {
                const Variable way("SOLVE_EXCHANGE", exchange);
                check(grid, {75, 60, 50}, ++seed % 4 < 2, seed);
                check(grid, {260, 2, 250}, true, ++seed);  // a slab for each of many tiles
            }
        }
    }
}

namespace {

struct Form {
    bool ta, tb;
    float alpha, beta;
    int padding;  // of the rows of A, B and C, in elements
};

// Elements of C that are wrong, or that are none of C and have changed; -1 if the call failed.
int wrong_of_gemm(const GpuGrid& grid, const Form& form, const Sizes& size) {
    const auto [M, N, K] = size;
    const int64_t lda = (form.ta ? M : N) + form.padding, ldb = (form.tb ? N : K) + form.padding,
                  ldc = K + form.padding;
    std::vector<float> A((form.ta ? N : M) * lda), B((form.tb ? K : N) * ldb), C(M * ldc);
    for (size_t i = 0; i < A.size(); ++i) A[i] = static_cast<float>(i * 7 % 11) - 5;
    for (size_t i = 0; i < B.size(); ++i) B[i] = static_cast<float>(i * 5 % 13) - 6;
    for (size_t i = 0; i < C.size(); ++i) C[i] = form.beta == 0 ? NAN : static_cast<float>(i % 9);
    std::vector<float> want = C;
    for (int i = 0; i < M; ++i) {
        for (int k = 0; k < K; ++k) {
            float sum = 0;
            for (int n = 0; n < N; ++n)
                sum += A[form.ta ? n * lda + i : i * lda + n] * B[form.tb ? k * ldb + n : n * ldb + k];
            float& c = want[i * ldc + k];
            c = form.alpha * sum + (form.beta == 0 ? 0 : form.beta * c);
        }
    }
    solve_gemm_t call = solve_gemm_one();
    call.M = M, call.N = N, call.K = K;
    call.transpose_a = form.ta, call.transpose_b = form.tb;
    call.A = A.data(), call.B = B.data(), call.C = C.data();
    call.lda = lda, call.ldb = ldb, call.ldc = ldc;
    call.alpha = form.alpha, call.beta = form.beta;
    try {
        rung_multi_90::multiply_on(grid, call);
    } catch (const ladder::Failure&) {
        return -1;
    }
    int wrong = 0;
    for (size_t i = 0; i < C.size(); ++i) wrong += !(C[i] == want[i] || (std::isnan(C[i]) && std::isnan(want[i])));
    return wrong;
}

}  // namespace

TEST_CASE("transposed operands, leading dimensions, alpha and beta on grids, with much and with little memory") {
    const Environment devices("EMULATOR_DEVICES", 6);
    int seed = 3000;
    for (const char* cap : {"1G", "24K"}) {
        const Variable memory("SOLVE_DEVICE_MEMORY", cap);
        for (const GpuGrid& grid : {GpuGrid{1, 1}, GpuGrid{2, 3}}) {
            for (const char* exchange : {"zero-cta", "peer"}) {
                const Variable way("SOLVE_EXCHANGE", exchange);
                for (int form = 0; form < 4; ++form) {
                    const Environment deferred("EMULATOR_DEFERRED", ++seed);
                    const bool ta = form & 1, tb = form & 2;
                    INFO(grid.rows << " x " << grid.cols << " GPUs, " << (ta ? "T" : "N") << (tb ? "T" : "N") << ", "
                                   << exchange << ", cap " << cap << ", seed " << seed);
                    CHECK(wrong_of_gemm(grid, {ta, tb, 1, 0, 0}, {67, 90, 66}) == 0);
                    CHECK(wrong_of_gemm(grid, {ta, tb, 2, -0.5f, 3}, {43, 70, 59}) == 0);
                    CHECK(wrong_of_gemm(grid, {ta, tb, -1, 1, 1}, {3, 5, 200}) == 0);
                }
            }
        }
    }
}

TEST_CASE("many seeds, of the long tests") {
    if (!std::getenv("TEST_ALL")) return;
    const Environment devices("EMULATOR_DEVICES", 4);
    const Variable memory("SOLVE_DEVICE_MEMORY", "40K");
    for (int seed = 2000; seed < 2160; ++seed) {
        const Variable way("SOLVE_EXCHANGE", seed % 4 < 2 ? "peer" : "zero-cta");
        check({2, 2}, {67, 90, 66}, seed % 2 == 0, seed);
    }
}

TEST_CASE(
    "what fails on a GPU or in NCCL, or never ends, is an error, leaves nothing behind, and the next call is right") {
    const Environment devices("EMULATOR_DEVICES", 4), deferred("EMULATOR_DEFERRED", 9);
    const Variable way("SOLVE_EXCHANGE", "zero-cta"), threads("SOLVE_HOST_THREADS", "4");
    release_all();
    const Counts before;
    const struct {
        const char* variable;
        std::vector<int> calls;  // that fail, one at a time
        const char* text;
    } failures[] = {
        {"EMULATOR_NCCL_FAIL", {1, 6, 20}, "NCCL 22809: ncclAllGather: internal error: as EMULATOR_NCCL_FAIL says"},
        {"EMULATOR_NCCL_STALL", {1, 6, 20}, "NCCL 22809: a collective: remote process exited"},
        {"EMULATOR_NCCL_HANG", {1, 20}, "has not ended within 0.3 s (SOLVE_TIMEOUT)"},
        {"EMULATOR_NCCL_SETUP_FAIL", {1, 3, 8}, "NCCL 22809: ncclCommInitRank: unhandled system error"},
        {"EMULATOR_NCCL_SETUP_FAIL", {9, 12, 16}, "NCCL 22809: ncclCommWindowRegister: unhandled system error"},
        {"EMULATOR_MEMORY_FAIL", {1, 4}, "NCCL 22809: ncclMemAlloc: unhandled cuda error: out of memory"},
        {"EMULATOR_MEMORY_FAIL", {5, 9}, ": cudaHostAlloc: out of memory (cudaErrorMemoryAllocation)"},
        {"EMULATOR_COPY_FAIL", {1, 17, 40}, ": cudaMemcpy2DAsync: unknown error (cudaErrorUnknown)"},
        {"EMULATOR_KERNEL_FAIL", {1, 7}, "an illegal memory access was encountered: as EMULATOR_KERNEL_FAIL says"},
    };
    for (const auto& [variable, calls, text] : failures) {
        for (const int call : calls) {
            HostProduct product(67, 200, 66);
            INFO(variable << "=" << call);
            {
                const Environment failing(variable, call);
                const Variable timeout("SOLVE_TIMEOUT", std::string(variable).ends_with("HANG") ? "0.3" : "60");
                const std::string error = error_on({2, 2}, product);
                INFO(error);
                CHECK(contains(error, text));
            }
            cudaDeviceReset();  // a process whose GPU has faulted cannot go on; this one can
            CHECK(Counts() == before);
            for (const bool pinned : {false, true}) {
                HostProduct next(67, 200, 66, pinned);
                CHECK(error_on({2, 2}, next) == "");
                CHECK(next.wrong() == 0);
            }
            release_all();
        }
    }
}

TEST_CASE("a GPU that never ends anything is an error in time, though what it works with cannot be freed") {
    const Environment devices("EMULATOR_DEVICES", 4), deferred("EMULATOR_DEFERRED", 9);
    HostProduct product(67, 200, 66);
    const double usual = std::exchange(GpuSet::patience(), 0.05);
    for (const auto& [exchange, call] : {std::pair("peer", 1), {"peer", 9}, {"zero-cta", 9}}) {
        const Variable way("SOLVE_EXCHANGE", exchange);
        {
            const Environment hanging("EMULATOR_KERNEL_HANG", call);
            const Variable timeout("SOLVE_TIMEOUT", "0.2");
            CHECK(contains(error_on({2, 2}, product), "has not ended within 0.2 s (SOLVE_TIMEOUT)"));
        }
        cudaDeviceReset();
        CHECK(error_on({2, 2}, product) == "");
        CHECK(product.wrong() == 0);
    }
    GpuSet::patience() = usual;
    release_all();
}

TEST_CASE("where the way without CTAs cannot be set up, and was not asked for, the GPUs copy from each other") {
    const Environment devices("EMULATOR_DEVICES", 4), deferred("EMULATOR_DEFERRED", 9);
    for (const int call : {1, 8, 9, 16}) {
        release_all();
        const Environment failing("EMULATOR_NCCL_SETUP_FAIL", call);
        HostProduct product(67, 200, 66);
        CHECK(error_on({2, 2}, product) == "");
        CHECK(product.wrong() == 0);
    }
    release_all();
}

TEST_CASE("where NCCL takes the memory and makes no windows of it, the GPUs copy from each other") {
    const Environment devices("EMULATOR_DEVICES", 4), none("EMULATOR_NCCL_NO_WINDOWS", 1);
    release_all();
    HostProduct product(67, 200, 66);
    CHECK(error_on({2, 2}, product) == "");
    CHECK(product.wrong() == 0);
    release_all();
    const Variable way("SOLVE_EXCHANGE", "zero-cta");
    CHECK(error_on({2, 2}, product) == "NCCL 22809 makes no window of this memory");
    release_all();
}

TEST_CASE("the time to wait is ten minutes, and more for what takes more, or what a variable says") {
    solve_gemm_t call = solve_gemm_one();
    call.M = call.N = call.K = 100;
    CHECK(rung_multi_90::default_timeout(call, 1) == Approx(600));
    call.M = call.N = call.K = 262144;  // ten minutes on one H200
    CHECK(rung_multi_90::default_timeout(call, 1) > 10 * 600);
    CHECK(ladder::read_settings().timeout_s == 0);
    const Variable timeout("SOLVE_TIMEOUT", "2.5");
    CHECK(ladder::read_settings().timeout_s == 2.5);
    for (const char* wrong : {"0", "-1", "soon", "5s", "inf"}) {
        const Variable none("SOLVE_TIMEOUT", wrong);
        CHECK_THROWS_WITH(ladder::read_settings(),
                          "SOLVE_TIMEOUT=" + std::string(wrong) + ": a number of seconds is expected");
    }
}

TEST_CASE("where NCCL is not there the GPUs copy from each other, and one GPU needs neither") {
    const Environment devices("EMULATOR_DEVICES", 2), deferred("EMULATOR_DEFERRED", 3);
    const auto way_of = [](bool there, int gpus, const char* asked) {
        ladder::NcclFound found;
        if (!there) found.problem = "libnccl.so.2 is not there";
        found.nccl = ladder::look_for_nccl().nccl;
        const Variable way("SOLVE_EXCHANGE", asked);
        return ladder::choose_exchange(0, gpus, found, false).exchange;
    };
    using ladder::Exchange;
    CHECK(way_of(true, 2, "") == Exchange::zero_cta);
    CHECK(way_of(false, 2, "") == Exchange::peer);
    CHECK(way_of(true, 1, "") == Exchange::none);
    CHECK(way_of(true, 2, "nccl") == Exchange::nccl);
    CHECK_THROWS_WITH(way_of(false, 2, "nccl"), "SOLVE_EXCHANGE=nccl: libnccl.so.2 is not there");
    CHECK_THROWS_WITH(way_of(true, 2, "mpi"), "SOLVE_EXCHANGE=mpi: zero-cta, peer or nccl is expected");
    {
        const Environment alone("EMULATOR_NO_PEERS", 1);  // NCCL would use SMs, whatever it is asked for
        CHECK(way_of(true, 2, "") == Exchange::nccl);
        CHECK(way_of(false, 2, "") == Exchange::peer);
    }
    const Environment none("EMULATOR_NO_NCCL", 1);
    CHECK(ladder::look_for_nccl().problem == "libnccl.so.2 is not there");
}

TEST_CASE("memory of a GPU that runs out in the grid is an error on all, and leaves nothing behind") {
    const Environment devices("EMULATOR_DEVICES", 4);
    release_all();
    const Counts before;
    void* others = nullptr;
    HostProduct product(67, 90, 66);
    {
        const Environment memory("EMULATOR_DEVICE_MEMORY", 4096);
        cudaMalloc(&others, 4000);
        CHECK(contains(error_on({2, 2}, product), "bytes of memory of a GPU are too few"));
    }
    cudaFree(others);
    CHECK(Counts() == before);
    CHECK(error_on({2, 2}, product) == "");
    CHECK(product.wrong() == 0);
    release_all();
}
