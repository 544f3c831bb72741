// A and C of few columns and very many rows (tall and skinny): 1000000 x 3 x 3. What takes the time is reading A and
// writing C.
//
// Against 75 and 77: a thread has whole rows of C, so that the narrowest tile is 4 columns, not 32, and no sum is split
// among threads. No thread reads its own row of 3 words from memory: a block copies 256 to 1024 rows, a word per
// thread, or 16 bytes where the rows are contiguous, and stores C's in the same way. So all accesses are coalesced.
//
// Rows that are not contiguous wait in shared memory with a stride without bank conflicts, A as [n][row], C as
// [row][k]. All of B is there, and the threads of a warp read the same four words of it at once, a broadcast. 32 n at a
// time, and 16 columns: more are right, but slow.
// Contiguous rows of up to four columns have their own kernel (72_contiguous_rows.h). Measured on an H200: 1000000 x
// 3 x 3 takes 4.7 us in a graph and 10.4 cold, cuBLAS 44 and 49; a kernel that copies as many bytes 4.0 and 10.8.
// Limit: memory, or L2 where all of it stays there.
// Source: none; a matrix of points times a rotation.
// build: least=75
#include "../common/ptx/cp_async.h"
#include "72_contiguous_rows.h"

namespace rung_72 {

constexpr int kThreads = 256;               // and rows of a block
constexpr int kChunk = 32, kMostCols = 16;  // n and columns at a time
constexpr int kBanks = 32;
constexpr unsigned kShift = 18;

struct Plan {
    bool linear_a, linear_c;  // a block's rows are contiguous, and copied as they are, 16 bytes at a time
    int step_n, step_row;     // words in shared memory from one n of A, or row, to the next
    int pitch_c;              // and from one row of C
    int first_product = 0;    // of this launch
};

// For i < 256 * 32, of which i times the error of the factor stays below one part in d.
constexpr __host__ __device__ unsigned inverse_of(int d) {
    return ((1u << kShift) + d - 1) / d;
}

// op(A)'s `count` n from the first_n-th on, of `rows` rows.
__device__ __forceinline__ void request_rows(ladder::AsyncCopies& copies, float* to, const float* a, int64_t lda,
                                             bool transposed, int rows, int count, const Plan& plan) {
    if (transposed) {
        for (int row = threadIdx.x; row < rows; row += kThreads) {
            for (int n = 0; n < count; ++n) copies.copy4(&to[n * plan.step_n + row], a + n * lda + row, true);
        }
    } else if (plan.linear_a) {
        const int words = rows * count, whole = words / 4;
        for (int i = threadIdx.x; i < whole; i += kThreads) copies.copy16(&to[4 * i], a + 4 * i, true);
        const int last = 4 * whole + threadIdx.x;
        if (last < words) copies.copy4(&to[last], a + last, true);
    } else {
        const unsigned over = inverse_of(count);
        for (unsigned i = threadIdx.x; i < unsigned(rows * count); i += kThreads) {
            const int row = i * over >> kShift, n = i - row * count;
            copies.copy4(&to[n * plan.step_n + row * plan.step_row], a + row * lda + n, true);
        }
    }
}

// C's `cols` columns from the first one on, of `rows` rows.
__device__ __forceinline__ void store_rows(float* c, int64_t ldc, const float* from, int rows, int cols,
                                           const Plan& plan, const ladder::Epilogue& epilogue) {
    if (plan.linear_c) {
        const int words = rows * cols, whole = words / 4;
        for (int i = threadIdx.x; i < whole; i += kThreads) epilogue.store4(c + 4 * i, &from[4 * i]);
        const int last = 4 * whole + threadIdx.x;
        if (last < words) epilogue.store(c + last, from[last]);
    } else {
        const unsigned over = inverse_of(cols);
        for (unsigned i = threadIdx.x; i < unsigned(rows * cols); i += kThreads) {
            const int row = i * over >> kShift, k = i - row * cols;
            epilogue.store(c + row * ldc + k, from[row * plan.pitch_c + k]);
        }
    }
}

// Blocks per SM for which registers are to suffice: where a thread has few sums six, or four on a GPU older than
// cp.async, of 1024 threads per SM.
constexpr int resident(int cols, int per) {
    return cols * per > 16 ? 1 : ladder::kHasCpAsync ? 6 : 4;
}

// blockIdx.x: 256 rows for each of a thread's. blockIdx.y: the product.
template <int kCols, int kPer>
__global__ void __launch_bounds__(kThreads, resident(kCols, kPer)) narrow(solve_gemm_t call, Plan plan) {
    extern __shared__ char memory[];
    __shared__ alignas(16) float part_of_b[kChunk][kCols];
    float *const rows_of_a = reinterpret_cast<float*>(memory), *const rows_of_c = rows_of_a;
    const int product = plan.first_product + blockIdx.y, first_row = blockIdx.x * kThreads * kPer;
    const int rows = min(call.M - first_row, kThreads * kPer);
    const bool ta = call.transpose_a == SOLVE_T, tb = call.transpose_b == SOLVE_T;
    ladder::wait_for_kernel_before();
    const float* const a = ladder::a_of(call, product) + first_row * (ta ? 1 : call.lda);
    const float* const b = ladder::b_of(call, product);
    float* const c = ladder::c_of(call, product) + first_row * call.ldc;
    const ladder::Epilogue epilogue{call.alpha, call.beta};
    for (int col = 0; col < call.K; col += kCols) {
        const int cols = min(call.K - col, kCols);
        float sum[kPer][kCols] = {};
        for (int first = 0; first < call.N; first += kChunk) {
            const int count = min(call.N - first, kChunk);
            ladder::AsyncCopies copies;
            request_rows(copies, rows_of_a, a + first * (ta ? call.lda : 1), call.lda, ta, rows, count, plan);
            copies.commit();
            for (int i = threadIdx.x; i < count * kCols; i += kThreads) {
                const int n = i / kCols, k = i % kCols;
                const float* const from = b + (first + n) * (tb ? 1 : call.ldb) + (col + k) * (tb ? call.ldb : 1);
                part_of_b[n][k] = k < cols ? *from : 0.0f;
            }
            copies.wait<0>();
            __syncthreads();
            ladder::let_next_kernel_start();
            const float* own = rows_of_a + threadIdx.x * plan.step_row;
#pragma unroll 4
            for (int n = 0; n < count; ++n, own += plan.step_n) {
                alignas(16) float of_b[kCols];
#pragma unroll
                for (int j = 0; j < kCols; j += 4) ladder::copy4(&of_b[j], &part_of_b[n][j]);
#pragma unroll
                for (int j = 0; j < kPer * kCols; ++j)
                    sum[j / kCols][j % kCols] += own[j / kCols * kThreads * plan.step_row] * of_b[j % kCols];
            }
            __syncthreads();  // nobody reads A any more
        }
#pragma unroll
        for (int i = 0; i < kPer; ++i) {
#pragma unroll
            for (int j = 0; j < kCols; ++j) {
                if (j < cols) rows_of_c[(threadIdx.x + i * kThreads) * plan.pitch_c + j] = sum[i][j];
            }
        }
        __syncthreads();
        store_rows(c + col, call.ldc, rows_of_c, rows, cols, plan, epilogue);
        if (col + kCols < call.K) __syncthreads();
    }
}

template <int kCols, int kPer>
bool launch_if_fits(const solve_gemm_t& call, int sms) {
    constexpr int kMostFloats = 6144, kBlocks = 8;  // with which eight blocks fit per SM
    const int chunk = std::min(call.N, kChunk), cols = std::min(call.K, kCols), rows = kThreads * kPer;
    const bool single = call.batch == 1 && !ladder::has_arrays(call);
    // Where a row is a multiple of 16 words, bank conflicts cost more than it saves.
    const auto is_linear = [&](const float* matrix, int64_t ld, int size, int most) {
        return single && ladder::is_line(matrix, ld, size) && size <= most && size % 16 != 0;
    };
    const bool linear_a = call.transpose_a != SOLVE_T && is_linear(call.A, call.lda, call.N, kChunk);
    const bool linear_c = is_linear(call.C, call.ldc, call.K, kCols);
    const int pitch = rows + kBanks / chunk;
    Plan plan{linear_a, linear_c, linear_a ? 1 : pitch, linear_a ? call.N : 1, linear_c ? cols : cols | 1};
    const int floats = std::max(chunk * pitch, rows * plan.pitch_c), blocks = ladder::ceil_div(call.M, rows);
    if (kPer > 1 && (floats > kMostFloats || blocks < sms * kBlocks / 2)) return false;
    const int shared = floats * static_cast<int>(sizeof(float));
    ladder::allow_shared(narrow<kCols, kPer>, shared);
    ladder::for_each_slab(call.batch, 1, [&](int64_t product, int products) {
        plan.first_product = static_cast<int>(product);
        ladder::launch_early(narrow<kCols, kPer>, dim3(blocks, products), kThreads, shared,
                             static_cast<cudaStream_t>(call.stream), call, plan);
    });
    return true;
}

template <int kCols>
void launch_with(const solve_gemm_t& call) {
    const int sms = ladder::current_device().sms;
    launch_if_fits<kCols, 4>(call, sms) || launch_if_fits<kCols, 2>(call, sms) || launch_if_fits<kCols, 1>(call, sms);
}

inline void launch(const solve_gemm_t& call) {
    if (is_contiguous(call)) return launch_contiguous(call);
    (call.K <= 4 ? launch_with<4> : call.K <= 8 ? launch_with<8> : launch_with<kMostCols>)(call);
}

// Where it is the fastest, on an H200: a rule chosen by 90 calls that were drawn from a seed (72_narrow.md).
inline bool is_for(const solve_gemm_t& call) {
    const double rows = double(call.M) * call.batch;
    if (is_contiguous(call)) return call.M >= 300;
    if (call.M < 100 || rows < (call.K == 1 ? 1e5 : 3e4)) return false;
    return call.N <= kChunk && call.K <= kMostCols && call.N * call.K <= 192;
}

// Of 1755 MHz there.
inline double cycles_of(const solve_gemm_t& call) {
    return 3500 + 1.6e-3 * call.M * (double(call.N) + call.K) * call.batch;
}

inline int multiply_all(const solve_gemm_t& given) {
    return launch(ladder::with_bias_added(given)), SOLVE_OK;
}

inline void multiply(const ladder::Gemm& gemm) {
    multiply_all(ladder::call_of(gemm));
}

}  // namespace rung_72

SOLVE_EXPORT_GEMM_AND_ALL(rung_72::multiply, rung_72::multiply_all,
                          .summary = "few columns and many rows: a thread has a row, memory is read as it lies",
                          .source = "none", .minimum_compute_capability = 75)
