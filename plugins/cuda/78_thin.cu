// Products with few rows or few columns: the large matrix is streamed once, and memory is all that counts.
//
// Against 68: no tiles, and no shared memory on the way of the large matrix. For a single row a tile of 128 x 128 would
// be 127 rows of zeros, and each word of B is used once: 4096 x 4096 of them are 64 MB, 20 us of an H100's memory, and
// 33 MFLOP, 0.5 us of its FFMA. What counts is how many loads are under way. An SM's part of memory is 14 bytes a cycle
// and an answer takes some 800 cycles, so 12 KB must always be under way, and a multiple of that where there are queues
// and barriers. Here a block of 512 threads, one an SM, has 72 to 128 KB under way.
//   - few_rows, M <= 8: a thread sums 4 columns of all rows. 8 lanes side by side read 128 bytes of a row of B, other
//     lanes and warps other n; in the end they add their sums, by shuffles and through shared memory. Each thread has 9
//     asynchronous copies under way, to places that nobody else reads, and asks for the next one when the oldest is
//     there: no barrier, and no bursts. As loads to registers, 12 or 16 at a time, 8 rows took 16 % longer, 3 rows that
//     are not aligned 30 %.
//   - few_columns, K <= 8 < M: a thread sums all columns of 4 rows; 8 to 512 threads lie side by side along n. It loads
//     to registers: there each number of B, from shared memory, is for 4 rows.
//
// Of the large matrix as much as half of L2 can hold stays there for the next product (l2_policy.h): 4096 x 4096 for the
// second time takes 18 to 20 us, not 25. The first time rows take 6 % less than without, and columns 8 % more.
//
// The thin matrix comes by way of shared memory, as [n][row] or [column][n].
//
// Only where that makes too few blocks is N cut among blocks too, and a second kernel adds the pieces. Its launch takes
// 2 us, a tenth of the time above, so narrow blocks come first: 4096 columns are 128 blocks of 32, one an SM. All sums
// have a fixed order: the same bits every run.
//
// Products that are not thin are right but slow: 8 rows at a time, and B is read again for the next 8.
//
// Limit: memory, at 90 % of its peak for some 30 MB and more; below that the start of a block, 1 us, and the launches.
// For 8 rows or columns the loop issues for 8 us where memory takes 20.
// Source: none of the five texts; gemv kernels, as in the CUDA libraries.
#include <algorithm>

#include "../common/export/gemm.h"
#include "../common/export/workspace.h"
#include "../common/gemm/add_pieces.h"
#include "../common/gemm/epilogue.h"
#include "../common/gemm/tile.h"
#include "../common/ptx/cp_async.h"
#include "../common/ptx/early_launch.h"
#include "../common/ptx/l2_policy.h"

namespace rung_78 {

constexpr int kThin = 8;  // rows or columns at most that are summed at a time
constexpr int kWarps = 16;
constexpr int kThreads = 32 * kWarps;  // a block at most: one an SM
constexpr int kOwn = 4;                // columns or rows a thread

// few_rows
constexpr int kStages = 10;  // copies of B that a thread has under way, and the one that it multiplies
constexpr int kTurn = 16;    // steps for which A is in shared memory
static_assert(kStages <= kTurn, "the next turn of A has come with the copies of B requested after it");

// Floats of shared memory that few_rows needs: of B four for each copy, of A two turns, as [n][row].
constexpr int few_rows_floats(int rows, int threads, int across) {
    return kStages * threads * kOwn + 2 * kTurn * threads / across * rows;
}

// blockIdx.x counts groups of rows first, then of columns; blockIdx.y is the piece of N, `depth` long or what is left
// of it. `across` lanes, a power of 2, lie side by side along K. A block has at most kThreads * across / kRows threads.
template <int kRows, bool kVectorB>
__global__ void __launch_bounds__(kThreads, 1)
    few_rows(const float* A, int64_t lda, const float* B, int64_t ldb, float* C, int64_t ldc, int64_t slice, int M,
             int N, int K, int across, int depth, float evict_first, ladder::Epilogue epilogue) {
    ladder::let_next_kernel_start();
    ladder::wait_for_kernel_before();
    constexpr int kPass = kRows < 4 ? kRows : 4;  // rows whose sums are in shared memory at a time
    extern __shared__ char memory[];              // the copies; in the end the sums as [warp][row][column]
    float* const shared = reinterpret_cast<float*>(memory);

    const int row_groups = ladder::ceil_div(M, kRows), width = across * kOwn;
    const int row = blockIdx.x % row_groups * kRows, col = blockIdx.x / row_groups * width;
    const int rows = M - row, cols = K - col;  // of C from the block's corner on
    const int n_begin = blockIdx.y * depth, n_count = min(depth, N - n_begin);
    C += blockIdx.y * slice;

    // This thread's columns are x + j * apart: neighbours for 128-bit copies, else as far apart as there are lanes, so
    // that a warp's copies of single words are coalesced too. Of each step it has one n, the n_own-th.
    const int thread = threadIdx.x, threads = blockDim.x, warp = thread / 32, lane = thread % 32;
    const int x = kVectorB ? lane % across * kOwn : lane % across, apart = kVectorB ? 1 : across;
    const int n_own = thread / across, n_step = threads / across, steps = ladder::ceil_div(n_count, n_step);
    const float* from_a = A + row * lda + n_begin;
    const float* from_b = B + (int64_t{n_begin} + n_own) * ldb + col + x;
    float* const own = shared + thread * kOwn;  // of stage 0
    float* const turns = shared + kStages * threads * kOwn;
    const int stage_size = threads * kOwn, turn_n = kTurn * n_step;

    const ladder::L2Policy policy(evict_first);  // B
    ladder::AsyncCopies copies;
    const auto request_a = [&](int turn) {
        float* const to = turns + turn % 2 * turn_n * kRows;
        for (int n = thread; n < turn_n; n += threads) {
            const int at = turn * turn_n + n;
#pragma unroll
            for (int m = 0; m < kRows; ++m) {
                copies.copy4(&to[n * kRows + m], from_a + m * lda + at, m < rows && at < n_count);
            }
        }
    };
    const auto request_b = [&](int stage, int step) {
        const bool inside = step * n_step + n_own < n_count;
        float* const to = own + stage * stage_size;
        if constexpr (kVectorB) {
            policy.copy16(copies, to, from_b, inside && x < cols);
        } else {
#pragma unroll
            for (int j = 0; j < kOwn; ++j) {
                policy.copy4(copies, &to[j], from_b + j * apart, inside && x + j * apart < cols);
            }
        }
        from_b += n_step * ldb;
        copies.commit();
    };

    request_a(0);
#pragma unroll 1
    for (int stage = 0; stage < kStages - 1; ++stage) request_b(stage, stage);
    float sum[kRows][kOwn] = {};
    int stage = 0, free = kStages - 1;  // the stage that is multiplied, the one to be filled next
#pragma unroll 1
    for (int step = 0; step < steps; ++step) {
        copies.wait<kStages - 2>();
        if (step % kTurn == 0) {
            __syncthreads();  // everybody's copies of this turn of A are there, and nobody reads the one before
            if (step + kTurn < steps) request_a(step / kTurn + 1);
        }
        alignas(16) float b[kOwn], a[kRows];
        ladder::copy4(b, own + stage * stage_size);
        const float* const from = turns + (step / kTurn % 2 * turn_n + step % kTurn * n_step + n_own) * kRows;
        if constexpr (kRows % 4 == 0) {
#pragma unroll
            for (int m = 0; m < kRows; m += 4) ladder::copy4(&a[m], from + m);
        } else {
#pragma unroll
            for (int m = 0; m < kRows; ++m) a[m] = from[m];
        }
        request_b(free, step + kStages - 1);
        free = stage;
        stage = stage == kStages - 1 ? 0 : stage + 1;
#pragma unroll
        for (int m = 0; m < kRows; ++m) {
#pragma unroll
            for (int j = 0; j < kOwn; ++j) sum[m][j] += a[m] * b[j];
        }
    }
    copies.wait<0>();  // no copy comes later than the sums

    for (int offset = across; offset < 32; offset *= 2) {
#pragma unroll
        for (int m = 0; m < kRows; ++m) {
#pragma unroll
            for (int j = 0; j < kOwn; ++j) sum[m][j] += __shfl_xor_sync(0xffffffff, sum[m][j], offset);
        }
    }
#pragma unroll
    for (int first = 0; first < kRows; first += kPass) {
        __syncthreads();
        if (lane < across) {
#pragma unroll
            for (int m = 0; m < kPass; ++m) {
#pragma unroll
                for (int j = 0; j < kOwn; ++j) shared[(warp * kPass + m) * width + x + j * apart] = sum[first + m][j];
            }
        }
        __syncthreads();
        for (int at = thread; at < kPass * width; at += threads) {
            const int m = at / width, k = at % width;
            if (first + m >= rows || k >= cols) continue;
            float total = 0.0f;
            for (int w = 0; w < threads / 32; ++w) total += shared[w * kPass * width + at];
            epilogue.store(&C[(row + first + m) * ldc + col + k], total);
        }
    }
}

// few_columns
constexpr int kMostAhead = 4;                           // groups of 4 loads that a thread has under way
constexpr int kSpan = 4;                                // n of a group
constexpr int kShared = kThreads * kMostAhead * kSpan;  // floats, 32 KB: of B, for a turn of the groups

// As many groups as there are registers for. Beside 32 sums, or the addresses of single words, a fourth is too many: up
// to 300 bytes of spills, not 52.
template <int kCols, bool kVector>
constexpr int kGroups = kCols == kThin || !kVector ? kMostAhead - 1 : kMostAhead;

// `along` threads, a power of 2 from 8 to kThreads / kCols, are a team for 4 rows: they lie side by side along N. K is
// at most kCols. blockIdx.x counts groups of rows.
template <int kCols, bool kVectorA>
__global__ void __launch_bounds__(kThreads, 1)
    few_columns(const float* A, int64_t lda, const float* B, int64_t ldb, float* C, int64_t ldc, int64_t slice, int M,
                int N, int K, int along, int depth, float evict_first, ladder::Epilogue epilogue) {
    ladder::let_next_kernel_start();
    ladder::wait_for_kernel_before();
    constexpr int kAhead = kGroups<kCols, kVectorA>;
    constexpr int kPitch = kShared / kCols + 4;
    __shared__ alignas(16) float shared[kCols * kPitch];  // B as [column][n], in the end the sums

    const int thread = threadIdx.x, row = blockIdx.x * (kThreads / along * kOwn), own = thread / along * kOwn;
    const int rows = M - row;  // from the block's first on
    const int n_begin = blockIdx.y * depth, n_count = min(depth, N - n_begin);
    C += blockIdx.y * slice;

    // This thread's n of a group are n_first + i * apart, as the columns in few_rows.
    const int at = thread % along, n_first = kVectorA ? at * kSpan : at, apart = kVectorA ? 1 : along;
    const int n_step = along * kSpan;
    const float* from_a = A + (int64_t{row} + own) * lda + n_begin + n_first;
    const float* from_b = B + n_begin * ldb;

    const ladder::L2Policy policy(evict_first);  // A
    float a[kAhead][kOwn][kSpan];                // on their way
    const auto request = [&](float(&group)[kOwn][kSpan], int left) {
#pragma unroll
        for (int m = 0; m < kOwn; ++m) {
            const bool inside = own + m < rows;
            if constexpr (kVectorA) {
                alignas(16) float four[4] = {};
                if (inside && left > 0) policy.load4(four, from_a + m * lda);
#pragma unroll
                for (int i = 0; i < kSpan; ++i) group[m][i] = four[i];
            } else {
#pragma unroll
                for (int i = 0; i < kSpan; ++i) {
                    group[m][i] = 0.0f;
                    if (inside && i * apart < left) policy.load(&group[m][i], from_a + m * lda + i * apart);
                }
            }
        }
        from_a += n_step;
    };

    float sum[kOwn][kCols] = {};
#pragma unroll
    for (int g = 0; g < kAhead; ++g) request(a[g], n_count - n_first - g * n_step);
    for (int ahead = n_count; ahead > 0;) {
        __syncthreads();  // nobody reads the B of the turn before
#pragma unroll 4
        for (int i = thread; i < kAhead * n_step * kCols; i += kThreads) {
            const int n = i / kCols, k = i % kCols;  // 4 n x 8 columns go to the banks n + 4 k, all different
            shared[k * kPitch + n] = n < ahead && k < K ? __ldg(from_b + n * ldb + k) : 0.0f;
        }
        from_b += kAhead * n_step * ldb;
        __syncthreads();
        const float* next_b = shared + n_first;
#pragma unroll
        for (int g = 0; g < kAhead; ++g) {
#pragma unroll
            for (int k = 0; k < kCols; ++k) {
                alignas(16) float b[kSpan];
                if constexpr (kVectorA) {
                    ladder::copy4(b, &next_b[k * kPitch]);
                } else {
#pragma unroll
                    for (int i = 0; i < kSpan; ++i) b[i] = next_b[k * kPitch + i * apart];
                }
#pragma unroll
                for (int m = 0; m < kOwn; ++m) {
#pragma unroll
                    for (int i = 0; i < kSpan; ++i) sum[m][k] += a[g][m][i] * b[i];
                }
            }
            next_b += n_step;
            request(a[g], ahead - n_first - kAhead * n_step);
            ahead -= n_step;
        }
    }

    const int lanes = min(along, 32);  // of a warp that share their rows
    for (int offset = 1; offset < lanes; offset *= 2) {
#pragma unroll
        for (int m = 0; m < kOwn; ++m) {
#pragma unroll
            for (int k = 0; k < kCols; ++k) sum[m][k] += __shfl_xor_sync(0xffffffff, sum[m][k], offset);
        }
    }
    __syncthreads();
    if (thread % lanes == 0) {
#pragma unroll
        for (int m = 0; m < kOwn; ++m) {
#pragma unroll
            for (int k = 0; k < kCols; ++k) shared[(thread / lanes * kOwn + m) * kCols + k] = sum[m][k];
        }
    }
    __syncthreads();
    const int warps = along / lanes;  // of a team, 1 if it is less than one
    for (int i = thread; i < kThreads / along * kOwn * kCols; i += kThreads) {
        const int m = i / kCols, k = i % kCols;
        if (m >= rows || k >= K) continue;
        float total = 0.0f;
        for (int w = 0; w < warps; ++w) total += shared[((m / kOwn * warps + w) * kOwn + m % kOwn) * kCols + k];
        epilogue.store(&C[(row + m) * ldc + k], total);
    }
}

// How a product is dealt out, and the cycles that it is expected to take.
struct Plan {
    int beside = 0;  // threads: `across` of few_rows, `along` of few_columns
    int64_t blocks = 0;
    int depth = 0, pieces = 1;
    double cycles = 1e300;
};

// Memory gives each SM 13 bytes a cycle, and one alone some 24. A block's first loads and last sums take 2000 cycles.
inline double cycles_for(int64_t blocks, double bytes, int processors) {
    const int64_t rounds = blocks / processors, rest = blocks % processors;
    const double last = rest ? 2000 + bytes / std::min(24.0, 13.0 * processors / rest) : 0;
    return rounds * (2000 + bytes / 13) + last;
}

// The best cut of N for blocks that take as long for each n as memory for `bytes`, and for at least `step` of them. The
// second launch takes some 2.5 us, and L2 moves 2000 bytes a cycle.
inline Plan cut(int beside, int64_t blocks, double bytes, int step, int N, int64_t slice, int processors) {
    constexpr int kMinDepth = 128;
    constexpr int64_t kWorkspace = 64 << 20;  // bytes at most
    Plan best{beside, blocks, N, 1, cycles_for(blocks, bytes * std::max(N, step), processors)};
    const int64_t most = std::min<int64_t>(N / kMinDepth, kWorkspace / 4 / slice);
    for (const int rounds : {1, 2, 4}) {
        const int64_t wanted = std::min(most, int64_t{rounds} * processors / blocks);
        if (wanted < 2) continue;
        const int depth = ladder::ceil_div(ladder::ceil_div(N, static_cast<int>(wanted)), 32) * 32;  // whole sectors
        const int pieces = ladder::ceil_div(N, depth);
        const double adding = 4500 + 8.0 * slice * pieces / 2000;
        const double cycles = cycles_for(blocks * pieces, bytes * std::max(depth, step), processors) + adding;
        if (cycles < best.cycles) best = {beside, blocks, depth, pieces, cycles};
    }
    return best;
}

// The best way for few_columns if `columns`, else for few_rows, with the instance for `thin` columns or rows. Every
// block reads the thin matrix as well, but from L2, which is twice as fast as memory.
inline Plan plan_for(bool columns, int thin, int M, int N, int K, int processors) {
    const int64_t slice = int64_t{M} * K;
    Plan best;
    const auto consider = [&](const Plan& plan) { best = plan.cycles < best.cycles ? plan : best; };
    if (columns) {
        for (int along = 8; along <= kThreads / thin; along *= 2) {
            const int rows = kThreads / along * kOwn;
            consider(
                cut(along, ladder::ceil_div(M, rows), 4.0 * rows + 2.0 * thin, along * kSpan, N, slice, processors));
        }
        return best;
    }
    // 8 lanes if there are as many columns: 128 bytes, so that blocks share no line of B.
    int least = 1;
    while (least < 8 && least * kOwn < K) least *= 2;
    for (int across = least; across <= (least < 8 ? least : 32); across *= 2) {
        const int width = across * kOwn;
        const int64_t blocks = int64_t{ladder::ceil_div(K, width)} * ladder::ceil_div(M, thin);
        consider(cut(across, blocks, 4.0 * width + 2.0 * thin, 1, N, slice, processors));
    }
    return best;
}

// Which of the two kernels, and for 1 << index rows or columns at a time.
struct Kind {
    bool columns;
    int index;
};

inline Kind kind_of(int M, int K) {
    Kind kind{K <= kThin && M > kThin, 0};
    while (1 << kind.index < std::min(kind.columns ? K : M, kThin)) ++kind.index;
    return kind;
}

inline Plan plan_of(int M, int N, int K, int processors) {
    const Kind kind = kind_of(M, K);
    return plan_for(kind.columns, 1 << kind.index, M, N, K, processors);
}

struct Block {
    int threads, shared;  // bytes
};

// For few_rows with `rows` rows at a time: as many threads as there are n for, and shared memory on a device where a
// block can have `most_shared` bytes of the `of_sm` of an SM.
inline Block block_for(int rows, const Plan& plan, int most_shared, int of_sm) {
    const int64_t wanted = std::min<int64_t>(kThreads / rows * plan.beside, int64_t{plan.depth} * plan.beside);
    int threads = ladder::ceil_div(static_cast<int>(std::min<int64_t>(wanted, kThreads)), 32) * 32, bytes = 0;
    for (;; threads = ladder::ceil_div(threads / 2, 32) * 32) {
        bytes = int{sizeof(float)} * few_rows_floats(rows, threads, plan.beside);
        if (bytes <= most_shared || threads == 32) break;
    }
    // So that an SM has no room for two blocks: those of the next kernel, which start early, would be dealt out two to
    // an SM that has room, and every other SM would stay idle.
    return {threads, std::clamp(of_sm / 2 + 1, bytes, std::max(bytes, most_shared))};
}

using Kernel = void (*)(const float*, int64_t, const float*, int64_t, float*, int64_t, int64_t, int, int, int, int, int,
                        float, ladder::Epilogue);
constexpr Kernel kFewRows[][2] = {{few_rows<1, false>, few_rows<1, true>},
                                  {few_rows<2, false>, few_rows<2, true>},
                                  {few_rows<4, false>, few_rows<4, true>},
                                  {few_rows<8, false>, few_rows<8, true>}};
constexpr Kernel kFewColumns[][2] = {{few_columns<1, false>, few_columns<1, true>},
                                     {few_columns<2, false>, few_columns<2, true>},
                                     {few_columns<4, false>, few_columns<4, true>},
                                     {few_columns<8, false>, few_columns<8, true>}};

inline void multiply(const ladder::Gemm& gemm) {
    int device = 0, processors = 1;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);

    const int M = gemm.M, N = gemm.N, K = gemm.K;
    const int64_t slice = int64_t{M} * K;
    const auto [columns, index] = kind_of(M, K);
    const int thin = 1 << index;
    Plan plan = plan_of(M, N, K, processors);

    const ladder::Workspace workspace(plan.pieces > 1 ? sizeof(float) * slice * plan.pieces : 0, gemm.stream);
    if (!workspace.data()) plan.depth = N, plan.pieces = 1;  // not needed, or not to be had
    const bool cut_up = plan.pieces > 1;
    const dim3 grid(static_cast<unsigned>(plan.blocks), plan.pieces);
    const Kernel kernel = columns ? kFewColumns[index][gemm.vector_a()] : kFewRows[index][gemm.vector_b()];
    int most_shared = 0, of_sm = 0;
    cudaDeviceGetAttribute(&most_shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    cudaDeviceGetAttribute(&of_sm, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device);
    const Block block = columns ? Block{kThreads, 0} : block_for(thin, plan, most_shared, of_sm);
    if (!columns) cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, block.shared);
    const float evict_first = ladder::evict_first_fraction(sizeof(float) * double(N) * (columns ? M : K), device);
    // 1.2 us sooner each than after the end of the kernel before: 5 % of what 64 MB take.
    ladder::launch_early(kernel, grid, block.threads, block.shared, gemm.stream, gemm.A, gemm.lda, gemm.B, gemm.ldb,
                         cut_up ? workspace.data() : gemm.C, cut_up ? K : gemm.ldc, slice, M, N, K, plan.beside,
                         plan.depth, evict_first,
                         cut_up ? ladder::Epilogue{} : ladder::Epilogue{gemm.alpha, gemm.beta});
    if (!cut_up) return;
    ladder::add_pieces(workspace.data(), plan.pieces, gemm);
}

}  // namespace rung_78

SOLVE_EXPORT_GEMM(rung_78::multiply,
                  .summary = "few rows or few columns: the large matrix is streamed once, 128 KB under way an SM",
                  .source = "gemv kernels, as in the CUDA libraries", .minimum_compute_capability = 75)
