// The reference over CUDA memory, on the GPU.
#include "device/reference.h"

#include <cmath>

#include "device/device_cuda_memory.h"

namespace judge {

namespace {

struct Totals {
    Count wrong, nan, inf;
    Count max_error, rho;  // bits of non-negative doubles, which order as integers do
    double rho_sum_of_squares, error_sum_of_squares, product_sum_of_squares;
    Count not_close;
    Count first;  // row * K + col of the first bad element; ~0 if there is none
};

constexpr Totals kNothing = {0, 0, 0, 0, 0, 0.0, 0.0, 0.0, 0, ~Count{0}};

// Of all lanes, which must all come here: what follows is an atomic operation a warp. A C of 1 x 8388481 has 33 million
// threads; with five such operations each, a trial of that size took 0.2 s on an H100.
template <class T, class Combine>
__device__ T of_warp(T value, Combine combine) {
    for (int distance = 16; distance > 0; distance /= 2) {
        value = combine(value, __shfl_xor_sync(~0u, value, distance));
    }
    return value;
}

// What one thread finds, added to the totals once: an atomic operation per element took 5 s for 2^31 of them.
class Tally {
  public:
    __device__ void add(double got, double want, double magnitude, double rho_bound, int64_t at) {
        bool bad = true;
        const double error = fabs(got - want);
        if (isnan(got)) {
            ++nan_;
        } else if (isinf(got)) {
            ++inf_;
        } else {
            const double unit = kUnitRoundoff * magnitude;
            const double rho = error == 0 ? 0 : error / unit;
            bad = !(error <= rho_bound * unit);
            wrong_ += bad;
            max_error_ = fmax(max_error_, error);
            rho_ = fmax(rho_, rho);
            rho_sum_of_squares_ += rho * rho;
            error_sum_of_squares_ += error * error;
        }
        product_sum_of_squares_ += want * want;
        not_close_ += !close_enough(error, want);
        if (bad && Count(at) < first_) first_ = at;
    }

    // By all threads of the block.
    __device__ void flush(Totals* totals) const {
        const auto sum = [](auto a, auto b) { return a + b; };
        const auto most = [](auto a, auto b) { return a > b ? a : b; };
        const auto least = [](auto a, auto b) { return a < b ? a : b; };
        Tally all;
        all.wrong_ = of_warp(wrong_, sum);
        all.nan_ = of_warp(nan_, sum);
        all.inf_ = of_warp(inf_, sum);
        all.not_close_ = of_warp(not_close_, sum);
        all.first_ = of_warp(first_, least);
        all.max_error_ = of_warp(max_error_, most);
        all.rho_ = of_warp(rho_, most);
        all.rho_sum_of_squares_ = of_warp(rho_sum_of_squares_, sum);
        all.error_sum_of_squares_ = of_warp(error_sum_of_squares_, sum);
        all.product_sum_of_squares_ = of_warp(product_sum_of_squares_, sum);
        if ((threadIdx.y * blockDim.x + threadIdx.x) % 32 == 0) all.add_to(totals);
    }

  private:
    __device__ void add_to(Totals* totals) const {
        if (wrong_) atomicAdd(&totals->wrong, wrong_);
        if (nan_) atomicAdd(&totals->nan, nan_);
        if (inf_) atomicAdd(&totals->inf, inf_);
        atomicMax(&totals->max_error, Count(__double_as_longlong(max_error_)));
        atomicMax(&totals->rho, Count(__double_as_longlong(rho_)));
        atomicAdd(&totals->rho_sum_of_squares, rho_sum_of_squares_);
        atomicAdd(&totals->error_sum_of_squares, error_sum_of_squares_);
        atomicAdd(&totals->product_sum_of_squares, product_sum_of_squares_);
        if (not_close_) atomicAdd(&totals->not_close, not_close_);
        if (first_ != ~Count{0}) atomicMin(&totals->first, first_);
    }

    Count wrong_ = 0, nan_ = 0, inf_ = 0, not_close_ = 0, first_ = ~Count{0};
    double max_error_ = 0, rho_ = 0;
    double rho_sum_of_squares_ = 0, error_sum_of_squares_ = 0, product_sum_of_squares_ = 0;
};

constexpr int kTile = 64;      // rows and columns of C for one block
constexpr int kDepth = 16;     // of N for one step
constexpr int kPerThread = 4;  // 16 x 16 threads, 4 x 4 elements each: 32 FP64 sums, no spills
constexpr int kSide = kTile / kPerThread;

__global__ void __launch_bounds__(kSide* kSide)
    compare_tiles(const float* A, const float* B, const float* C, const int* rows, int64_t row_count, int N, int K,
                  double rho_bound, Totals* totals) {
    __shared__ float a_tile[kDepth][kTile];
    __shared__ float b_tile[kDepth][kTile];
    const int thread = threadIdx.y * kSide + threadIdx.x;
    const int64_t col0 = int64_t(blockIdx.x) * kTile;
    const auto matrix_row = [&](int64_t i) { return rows ? int64_t(rows[i]) : i; };

    Tally tally;
    for (int64_t row0 = int64_t(blockIdx.y) * kTile; row0 < row_count; row0 += int64_t(gridDim.y) * kTile) {
        double sum[kPerThread][kPerThread] = {};
        double magnitude[kPerThread][kPerThread] = {};
        for (int n0 = 0; n0 < N; n0 += kDepth) {
            for (int i = thread; i < kDepth * kTile; i += kSide * kSide) {
                const int64_t row = row0 + i / kDepth, col = col0 + i % kTile;
                const int a_n = n0 + i % kDepth, b_n = n0 + i / kTile;
                const bool a_inside = row < row_count && a_n < N, b_inside = col < K && b_n < N;
                a_tile[i % kDepth][i / kDepth] = a_inside ? A[matrix_row(row) * N + a_n] : 0.0f;
                b_tile[i / kTile][i % kTile] = b_inside ? B[int64_t(b_n) * K + col] : 0.0f;
            }
            __syncthreads();
            for (int n = 0; n < kDepth; ++n) {
                for (int i = 0; i < kPerThread; ++i) {
                    for (int j = 0; j < kPerThread; ++j) {
                        const double a = a_tile[n][threadIdx.y + i * kSide];
                        const double b = b_tile[n][threadIdx.x + j * kSide];
                        sum[i][j] = fma(a, b, sum[i][j]);
                        magnitude[i][j] = fma(fabs(a), fabs(b), magnitude[i][j]);
                    }
                }
            }
            __syncthreads();
        }
        for (int i = 0; i < kPerThread; ++i) {
            for (int j = 0; j < kPerThread; ++j) {
                const int64_t row = row0 + threadIdx.y + i * kSide, col = col0 + threadIdx.x + j * kSide;
                if (row >= row_count || col >= K) continue;
                const int64_t at = matrix_row(row) * K + col;
                tally.add(C[at], sum[i][j], magnitude[i][j], rho_bound, at);
            }
        }
    }
    tally.flush(totals);
}

// The given rows, or all, of the first product of a chain, one element per thread, with those of the product of the
// absolute values.
__global__ void chain_first(const float* A, const float* B, const int* rows, int64_t elements, int N, int K,
                            double* sums, double* magnitudes) {
    for (int64_t at = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; at < elements;
         at += int64_t(gridDim.x) * blockDim.x) {
        const int64_t row = rows ? rows[at / K] : at / K, col = at % K;
        double sum = 0, magnitude = 0;
        for (int n = 0; n < N; ++n) {
            const double product = double(A[row * N + n]) * B[int64_t(n) * K + col];
            sum += product;
            magnitude += fabs(product);
        }
        sums[at] = sum;
        magnitudes[at] = magnitude;
    }
}

// Compares these rows of E with the second product.
__global__ void chain_compare(const double* sums, const double* magnitudes, const float* C, const float* E,
                              const int* rows, int64_t elements, int K, int L, double rho_bound, Totals* totals) {
    Tally tally;
    for (int64_t at = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; at < elements;
         at += int64_t(gridDim.x) * blockDim.x) {
        const int64_t i = at / L, col = at % L;
        double sum = 0, magnitude = 0;
        for (int k = 0; k < K; ++k) {
            const double c = C[int64_t(k) * L + col];
            sum = fma(sums[i * K + k], c, sum);
            magnitude = fma(magnitudes[i * K + k], fabs(c), magnitude);
        }
        const int64_t in_matrix = (rows ? rows[i] : i) * L + col;
        tally.add(E[in_matrix], sum, magnitude, rho_bound, in_matrix);
    }
    tally.flush(totals);
}

// The FP64 dot product behind one element, for the message about it.
__global__ void one_element(const float* A, const float* B, int N, int K, int64_t row, int64_t col, double* result) {
    double sum = 0, magnitude = 0;
    for (int n = 0; n < N; ++n) {
        const double product = double(A[row * N + n]) * B[int64_t(n) * K + col];
        sum += product;
        magnitude += fabs(product);
    }
    result[0] = sum;
    result[1] = magnitude;
}

__global__ void chain_element(const double* sums, const double* magnitudes, const float* C, int K, int L, int64_t col,
                              double* result) {
    double sum = 0, magnitude = 0;
    for (int k = 0; k < K; ++k) {
        const double c = C[int64_t(k) * L + col];
        sum = fma(sums[k], c, sum);
        magnitude = fma(magnitudes[k], fabs(c), magnitude);
    }
    result[0] = sum;
    result[1] = magnitude;
}

// One block per row: y[row] = row of the matrix (or its absolute values) times x.
__global__ void row_products(const float* matrix, int64_t rows, int64_t cols, const double* x, bool absolute,
                             double* y) {
    __shared__ double partial[kThreads];
    for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
        double sum = 0;
        for (int64_t j = threadIdx.x; j < cols; j += kThreads) {
            const double value = matrix[row * cols + j];
            sum = fma(absolute ? fabs(value) : value, x[j], sum);
        }
        partial[threadIdx.x] = sum;
        __syncthreads();
        for (int half = kThreads / 2; half > 0; half /= 2) {
            if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
            __syncthreads();
        }
        if (threadIdx.x == 0) y[row] = partial[0];
        __syncthreads();
    }
}

// These rows of a product, one element per thread. Eight steps at a time: the loads of one hide behind the others'.
__global__ void sum_rows(const float* A, const float* B, const int* rows, int64_t elements, int64_t N, int64_t K,
                         double* exact, double* magnitude, float* sequential) {
    for (int64_t at = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; at < elements;
         at += int64_t(gridDim.x) * blockDim.x) {
        const float* const a = A + rows[at / K] * N;
        const float* const b = B + at % K;
        double sum = 0, sum_of_absolutes = 0;
        float in_fp32 = 0;
#pragma unroll 8
        for (int64_t n = 0; n < N; ++n) {
            const double product = double(a[n]) * b[n * K];
            sum += product;
            sum_of_absolutes += fabs(product);
            in_fp32 = fmaf(a[n], b[n * K], in_fp32);
        }
        exact[at] = sum;
        magnitude[at] = sum_of_absolutes;
        sequential[at] = in_fp32;
    }
}

double from_bits(Count bits) {
    double value;
    static_assert(sizeof(value) == sizeof(bits));
    std::copy_n(reinterpret_cast<const char*>(&bits), sizeof(bits), reinterpret_cast<char*>(&value));
    return value;
}

void put_totals(Comparison& result, const Totals& found) {
    result.wrong = found.wrong;
    result.nan = found.nan;
    result.inf = found.inf;
    result.max_error = from_bits(found.max_error);
    result.rho = from_bits(found.rho);
    result.rho_sum_of_squares = found.rho_sum_of_squares;
    result.error_sum_of_squares = found.error_sum_of_squares;
    result.product_sum_of_squares = found.product_sum_of_squares;
    result.not_close = found.not_close;
}

// `element` holds what it should be and the magnitude of its terms.
Mismatch mismatch(const float* matrix, int64_t row, int64_t col, int columns, const Buffer<double>& element,
                  double rho_bound) {
    float got = 0;
    MUST(cudaMemcpy(&got, matrix + row * columns + col, sizeof(float), cudaMemcpyDeviceToHost));
    const auto values = element.to_host();
    return Mismatch{row, col, got, values[0], rho_bound * kUnitRoundoff * values[1]};
}

class CudaReference final : public Reference {
  public:
    CudaReference() {
        // FP64 lanes per SM, from the ratio that the driver gives: 128 / 2 on an H100, 128 / 64 on a GeForce.
        int ratio = 64, kilohertz = 0, multiprocessors = 0;
        cudaDeviceGetAttribute(&ratio, cudaDevAttrSingleToDoublePrecisionPerfRatio, 0);
        cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, 0);
        cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
        // Two FP64 operations per multiply-add (the sum and the magnitude), a quarter of the peak, two seconds.
        budget_ = multiprocessors * (128.0 / std::max(ratio, 1)) * kilohertz * 1e3 / 2 * 0.25 * 2;
    }

    Comparison compare(const float* A, const float* B, const float* C, const Shape& shape, double rho_bound,
                       const std::vector<int>& rows) override {
        Comparison result;
        const int64_t row_count = rows.empty() ? shape.M : int64_t(rows.size());
        result.compared = uint64_t(row_count) * shape.K;
        if (result.compared == 0) return result;
        const Buffer<int> row_list(rows);
        const Buffer<Totals> totals(std::vector<Totals>{kNothing});
        const dim3 grid((shape.K - 1) / kTile + 1, std::min<int64_t>((row_count - 1) / kTile + 1, 65535));
        compare_tiles<<<grid, dim3(kSide, kSide)>>>(A, B, C, row_list.data(), row_count, shape.N, shape.K, rho_bound,
                                                    totals.data());
        MUST(cudaGetLastError());
        put_totals(result, totals.to_host()[0]);
        if (const Count first = totals.to_host()[0].first; first != ~Count{0}) {
            const int64_t row = first / shape.K, col = first % shape.K;
            const Buffer<double> element(2);
            one_element<<<1, 1>>>(A, B, shape.N, shape.K, row, col, element.data());
            MUST(cudaGetLastError());
            result.first.emplace(mismatch(C, row, col, shape.K, element, rho_bound));
        }
        return result;
    }

    Comparison compare_chain(const float* A, const float* B, const float* C, const float* E, const Shape& shape,
                             double rho_bound, const std::vector<int>& rows) override {
        Comparison result;
        const int64_t row_count = rows.empty() ? shape.M : int64_t(rows.size());
        result.compared = uint64_t(row_count) * shape.L;
        if (result.compared == 0) return result;
        const Buffer<int> row_list(rows);
        const int64_t middle = row_count * shape.K;
        const Buffer<double> sums(middle), magnitudes(middle);
        const Buffer<Totals> totals(std::vector<Totals>{kNothing});
        if (middle > 0) {
            chain_first<<<blocks_for(middle), kThreads>>>(A, B, row_list.data(), middle, shape.N, shape.K, sums.data(),
                                                          magnitudes.data());
        }
        chain_compare<<<blocks_for(result.compared), kThreads>>>(sums.data(), magnitudes.data(), C, E, row_list.data(),
                                                                 result.compared, shape.K, shape.L, rho_bound,
                                                                 totals.data());
        MUST(cudaGetLastError());
        put_totals(result, totals.to_host()[0]);
        if (const Count first = totals.to_host()[0].first; first != ~Count{0}) {
            const int64_t row = first / shape.L, col = first % shape.L;
            const int64_t i = rows.empty() ? row : std::find(rows.begin(), rows.end(), row) - rows.begin();
            const Buffer<double> element(2);
            chain_element<<<1, 1>>>(sums.data() + i * shape.K, magnitudes.data() + i * shape.K, C, shape.K, shape.L,
                                    col, element.data());
            MUST(cudaGetLastError());
            result.first.emplace(mismatch(E, row, col, shape.L, element, rho_bound));
        }
        return result;
    }

    RowSums row_sums(const float* A, const float* B, const Shape& shape, const std::vector<int>& rows) override {
        const int64_t elements = int64_t(rows.size()) * shape.K;
        if (elements == 0) return {};
        const Buffer<int> row_list(rows);
        const Buffer<double> exact(elements), magnitude(elements);
        const Buffer<float> sequential(elements);
        sum_rows<<<blocks_for(elements), kThreads>>>(A, B, row_list.data(), elements, shape.N, shape.K, exact.data(),
                                                     magnitude.data(), sequential.data());
        MUST(cudaGetLastError());
        return {exact.to_host(), magnitude.to_host(), sequential.to_host()};
    }

    std::vector<double> multiply(const float* matrix, int64_t rows, int64_t cols, const std::vector<double>& x,
                                 bool absolute) override {
        const Buffer<double> x_device(x), y(rows);
        if (rows == 0) return {};
        row_products<<<unsigned(std::min<int64_t>(rows, 1 << 20)), kThreads>>>(matrix, rows, cols, x_device.data(),
                                                                               absolute, y.data());
        MUST(cudaGetLastError());
        return y.to_host();
    }

    double comparison_budget() const override { return budget_; }

  private:
    double budget_ = 0;
};

}  // namespace

std::unique_ptr<Reference> make_cuda_reference() {
    return std::make_unique<CudaReference>();
}

}  // namespace judge
