// The device interface over CUDA memory: for plugins that hold GPU code. Runs in worker processes only.
#include <cuda_runtime.h>
#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "device.h"
#include "uniform.h"

namespace judge {

namespace {

using Count = unsigned long long;  // what atomicAdd and atomicMin take

constexpr int kThreads = 256;

std::string gpu_memory(size_t bytes) {
    return std::to_string((bytes >> 20) + 1) + " MiB of GPU memory";
}
std::string version(int number) {
    return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

template <class Error = DeviceLost>
void must(cudaError_t error, const char* call) {
    if (error == cudaSuccess) return;
    throw Error(std::string(call) + ": " + cudaGetErrorString(error) + " (" + cudaGetErrorName(error) + ")");
}
#define MUST(call) must(call, #call)

// cudaMalloc'ed memory of the judge's own.
template <class T>
class Buffer {
  public:
    explicit Buffer(size_t count) : count_(count) {
        if (count_ > 0 && cudaMalloc(&data_, count_ * sizeof(T)) != cudaSuccess) {
            cudaGetLastError();
            throw OutOfMemory(gpu_memory(count_ * sizeof(T)));
        }
    }
    explicit Buffer(const std::vector<T>& values) : Buffer(values.size()) {
        MUST(cudaMemcpy(data_, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
    }
    ~Buffer() { cudaFree(data_); }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;

    T* data() const { return data_; }
    std::vector<T> to_host() const {
        std::vector<T> values(count_);
        MUST(cudaMemcpy(values.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost));
        return values;
    }

  private:
    size_t count_;
    T* data_ = nullptr;
};

// ---- Filling and counting ----

__global__ void fill_bits(uint32_t* memory, size_t count, uint32_t bits) {
    const size_t stride = size_t(gridDim.x) * blockDim.x;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) memory[i] = bits;
}

__global__ void fill_random(float* memory, size_t count, uint64_t seed) {
    const size_t stride = size_t(gridDim.x) * blockDim.x;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) memory[i] = uniform(seed, i);
}

// Counts the words that are not `bits`, or, if `random`, not uniform(seed, i).
__global__ void count_differing(const uint32_t* memory, size_t count, uint32_t bits, bool random, uint64_t seed,
                                Count* total) {
    const size_t stride = size_t(gridDim.x) * blockDim.x;
    Count found = 0;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) {
        found += memory[i] != (random ? __float_as_uint(uniform(seed, i)) : bits);
    }
    if (found) atomicAdd(total, found);
}

__global__ void spin(long long cycles) {
    const long long start = clock64();
    while (clock64() - start < cycles) {
    }
}

// ---- Comparing with an FP64 product ----

struct Totals {
    Count wrong, nan, inf;
    Count max_error, rho;  // bits of non-negative doubles, which order as integers do
    double rho_sum_of_squares;
    Count first;  // row * K + col of the first bad element; ~0 if there is none
};

// What one thread finds, added to the totals once: an atomic operation an element took 5 s for 2^31 of them.
class Tally {
  public:
    __device__ void add(double got, double want, double magnitude, double rho_bound, int64_t at) {
        bool bad = true;
        if (isnan(got)) {
            ++nan_;
        } else if (isinf(got)) {
            ++inf_;
        } else {
            const double error = fabs(got - want);
            const double unit = kUnitRoundoff * magnitude;
            const double rho = error == 0 ? 0 : error / unit;
            bad = !(error <= rho_bound * unit);
            wrong_ += bad;
            max_error_ = fmax(max_error_, error);
            rho_ = fmax(rho_, rho);
            rho_sum_of_squares_ += rho * rho;
        }
        if (bad && Count(at) < first_) first_ = at;
    }

    __device__ void flush(Totals* totals) const {
        if (wrong_) atomicAdd(&totals->wrong, wrong_);
        if (nan_) atomicAdd(&totals->nan, nan_);
        if (inf_) atomicAdd(&totals->inf, inf_);
        atomicMax(&totals->max_error, Count(__double_as_longlong(max_error_)));
        atomicMax(&totals->rho, Count(__double_as_longlong(rho_)));
        atomicAdd(&totals->rho_sum_of_squares, rho_sum_of_squares_);
        if (first_ != ~Count{0}) atomicMin(&totals->first, first_);
    }

  private:
    Count wrong_ = 0, nan_ = 0, inf_ = 0, first_ = ~Count{0};
    double max_error_ = 0, rho_ = 0, rho_sum_of_squares_ = 0;
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

// The first product of a chain, one element a thread, with the product of the absolute values.
__global__ void chain_first(const float* A, const float* B, int64_t elements, int N, int K, double* sums,
                            double* magnitudes) {
    for (int64_t at = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; at < elements;
         at += int64_t(gridDim.x) * blockDim.x) {
        const int64_t row = at / K, col = at % K;
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

// Compares E with the second product.
__global__ void chain_compare(const double* sums, const double* magnitudes, const float* C, const float* E,
                              int64_t elements, int K, int L, double rho_bound, Totals* totals) {
    Tally tally;
    for (int64_t at = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; at < elements;
         at += int64_t(gridDim.x) * blockDim.x) {
        const int64_t row = at / L, col = at % L;
        double sum = 0, magnitude = 0;
        for (int k = 0; k < K; ++k) {
            const double c = C[int64_t(k) * L + col];
            sum = fma(sums[row * K + k], c, sum);
            magnitude = fma(magnitudes[row * K + k], fabs(c), magnitude);
        }
        tally.add(E[at], sum, magnitude, rho_bound, at);
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

// One block a row: y[row] = row of the matrix (or its absolute values) times x.
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

double from_bits(Count bits) {
    double value;
    static_assert(sizeof(value) == sizeof(bits));
    std::copy_n(reinterpret_cast<const char*>(&bits), sizeof(bits), reinterpret_cast<char*>(&value));
    return value;
}

class CudaDevice final : public Device {
  public:
    CudaDevice() {
        const GpuInfo gpu = query_gpu();
        if (!gpu.problem.empty()) throw NoDevice(gpu.problem);
        capability_ = gpu.compute_capability;
        // FP64 lanes a multiprocessor, from the ratio that the driver gives: 128 / 2 on an H100, 128 / 64 on a GeForce.
        int ratio = 64, kilohertz = 0;
        cudaDeviceGetAttribute(&ratio, cudaDevAttrSingleToDoublePrecisionPerfRatio, 0);
        cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, 0);
        // Two FP64 operations a multiply-add (the sum and the magnitude), a quarter of the peak, two seconds.
        budget_ = gpu.multiprocessors * (128.0 / std::max(ratio, 1)) * kilohertz * 1e3 / 2 * 0.25 * 2;
        canary_.emplace(std::vector<uint32_t>{kCanary});
    }

    int compute_capability() const override { return capability_; }

    float* allocate(size_t floats) override {
        float* memory = nullptr;
        if (cudaMalloc(&memory, std::max<size_t>(floats, 1) * sizeof(float)) == cudaSuccess) return memory;
        cudaGetLastError();
        throw OutOfMemory(gpu_memory(floats * sizeof(float)));
    }

    void release(float* memory) noexcept override { cudaFree(memory); }

    void fill(float* memory, size_t floats, uint32_t bits) override {
        if (floats == 0) return;
        fill_bits<<<blocks_for(floats), kThreads>>>(reinterpret_cast<uint32_t*>(memory), floats, bits);
        MUST(cudaGetLastError());
    }

    void fill_uniform(float* memory, size_t floats, uint64_t seed) override {
        if (floats == 0) return;
        fill_random<<<blocks_for(floats), kThreads>>>(memory, floats, seed);
        MUST(cudaGetLastError());
    }

    size_t count_other(const float* memory, size_t floats, uint32_t bits) override {
        return count(memory, floats, bits, false, 0);
    }

    size_t count_changed(const float* memory, size_t floats, uint64_t seed) override {
        return count(memory, floats, 0, true, seed);
    }

    void write(float* to_device, const float* from_host, size_t floats) override {
        MUST(cudaMemcpy(to_device, from_host, floats * sizeof(float), cudaMemcpyHostToDevice));
    }

    void read(float* to_host, const float* from_device, size_t floats) override {
        MUST(cudaMemcpy(to_host, from_device, floats * sizeof(float), cudaMemcpyDeviceToHost));
    }

    void* side_stream() override {
        if (side_stream_ == nullptr) MUST(cudaStreamCreateWithFlags(&side_stream_, cudaStreamNonBlocking));
        return side_stream_;
    }

    void occupy_default_stream() override {
        spin<<<1, 1>>>(20'000'000);  // 10 ms at 2 GHz
        MUST(cudaGetLastError());
    }

    void read_after(void* stream, float* to_host, const float* from_device, size_t floats) override {
        const cudaStream_t own = static_cast<cudaStream_t>(stream);
        MUST(cudaMemcpyAsync(to_host, from_device, floats * sizeof(float), cudaMemcpyDeviceToHost, own));
        MUST(cudaStreamSynchronize(own));
    }

    Settings settings() override {
        unsigned flags = 0;
        cudaFuncCache cache = cudaFuncCachePreferNone;
        MUST(cudaGetDeviceFlags(&flags));
        MUST(cudaDeviceGetCacheConfig(&cache));
        Settings found = {{"the current device", std::exchange(left_current_, 0)},
                          {"the device's flags", flags},
                          {"the split of L1 and shared memory", cache}};
        for (const auto& [limit, name] : kLimits) {
            size_t value = 0;
            if (cudaDeviceGetLimit(&value, limit) == cudaSuccess) found.emplace_back(name, int64_t(value));
        }
        cudaGetLastError();  // of a limit that this GPU does not have
        return found;
    }

    void restore(const Settings& wanted) override {
        const Settings now = settings();
        for (const auto& [limit, name] : kLimits) {
            for (size_t i = 0; i < wanted.size(); ++i) {
                if (wanted[i].first != name || wanted[i] == now[i]) continue;
                MUST(cudaDeviceSetLimit(limit, size_t(wanted[i].second)));
                // Lines that were made to persist would outlive a flush of the cache.
                if (limit == cudaLimitPersistingL2CacheSize) MUST(cudaCtxResetPersistingL2Cache());
            }
        }
    }

    int64_t bytes_in_use() override {
        size_t free = 0, total = 0;
        MUST(cudaMemGetInfo(&free, &total));
        return int64_t(total - free);
    }

    // By copying four bytes: that waits for the default stream, and fails where a cudaDeviceReset has taken the memory,
    // after which cudaDeviceSynchronize still reports success.
    void finish_default_stream() override {
        int current = 0;
        if (cudaGetDevice(&current) == cudaSuccess && current != 0) {
            left_current_ = current;
            MUST(cudaSetDevice(0));
        }
        uint32_t bits = 0;
        const cudaError_t copied = cudaMemcpy(&bits, canary_->data(), sizeof(bits), cudaMemcpyDeviceToHost);
        if (copied == cudaSuccess && bits == kCanary) return must(cudaGetLastError(), "the GPU stopped");
        // A kernel's failure stays with the context: every later call reports it.
        if (cudaDeviceSynchronize() == copied) must(copied, "the GPU stopped");
        throw DeviceLost(
            std::string("the CUDA context was destroyed (by cudaDeviceReset?): memory of before the call ") +
            (copied == cudaSuccess ? "holds something else" : cudaGetErrorString(copied)));
    }

    Comparison compare(const float* A, const float* B, const float* C, const Shape& shape, double rho_bound,
                       const std::vector<int>& rows) override {
        Comparison result;
        const int64_t row_count = rows.empty() ? shape.M : int64_t(rows.size());
        result.compared = uint64_t(row_count) * shape.K;
        if (result.compared == 0) return result;
        const Buffer<int> row_list(rows);
        const Buffer<Totals> totals(std::vector<Totals>{{0, 0, 0, 0, 0, 0.0, ~Count{0}}});
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
                             double rho_bound) override {
        Comparison result;
        result.compared = shape.output_elements();
        if (result.compared == 0) return result;
        const int64_t middle = int64_t{shape.M} * shape.K;
        const Buffer<double> sums(middle), magnitudes(middle);
        const Buffer<Totals> totals(std::vector<Totals>{{0, 0, 0, 0, 0, 0.0, ~Count{0}}});
        if (middle > 0) {
            chain_first<<<blocks_for(middle), kThreads>>>(A, B, middle, shape.N, shape.K, sums.data(),
                                                          magnitudes.data());
        }
        chain_compare<<<blocks_for(result.compared), kThreads>>>(sums.data(), magnitudes.data(), C, E, result.compared,
                                                                 shape.K, shape.L, rho_bound, totals.data());
        MUST(cudaGetLastError());
        put_totals(result, totals.to_host()[0]);
        if (const Count first = totals.to_host()[0].first; first != ~Count{0}) {
            const int64_t row = first / shape.L, col = first % shape.L;
            const Buffer<double> element(2);
            chain_element<<<1, 1>>>(sums.data() + row * shape.K, magnitudes.data() + row * shape.K, C, shape.K, shape.L,
                                    col, element.data());
            MUST(cudaGetLastError());
            result.first.emplace(mismatch(E, row, col, shape.L, element, rho_bound));
        }
        return result;
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

    void synchronize() override {
        must(cudaDeviceSynchronize(), "the GPU stopped");
        must(cudaGetLastError(), "the GPU stopped");
    }

  private:
    static unsigned blocks_for(size_t floats) {
        return unsigned(std::min<size_t>((floats - 1) / kThreads + 1, 132 * 32));
    }

    size_t count(const float* memory, size_t floats, uint32_t bits, bool random, uint64_t seed) {
        if (floats == 0) return 0;
        const Buffer<Count> total(std::vector<Count>{0});
        count_differing<<<blocks_for(floats), kThreads>>>(reinterpret_cast<const uint32_t*>(memory), floats, bits,
                                                          random, seed, total.data());
        MUST(cudaGetLastError());
        return total.to_host()[0];
    }

    static void put_totals(Comparison& result, const Totals& found) {
        result.wrong = found.wrong;
        result.nan = found.nan;
        result.inf = found.inf;
        result.max_error = from_bits(found.max_error);
        result.rho = from_bits(found.rho);
        result.rho_sum_of_squares = found.rho_sum_of_squares;
    }

    // `element` holds what it should be and the magnitude of its terms.
    static Mismatch mismatch(const float* matrix, int64_t row, int64_t col, int columns, const Buffer<double>& element,
                             double rho_bound) {
        float got = 0;
        MUST(cudaMemcpy(&got, matrix + row * columns + col, sizeof(float), cudaMemcpyDeviceToHost));
        const auto values = element.to_host();
        return Mismatch{row, col, got, values[0], rho_bound * kUnitRoundoff * values[1]};
    }

    static constexpr uint32_t kCanary = 0xca4a2135;
    static constexpr std::pair<cudaLimit, const char*> kLimits[] = {
        {cudaLimitStackSize, "the stack of a GPU thread"},
        {cudaLimitPrintfFifoSize, "the buffer of printf on the GPU"},
        {cudaLimitMallocHeapSize, "the heap of malloc on the GPU"},
        {cudaLimitDevRuntimePendingLaunchCount, "the limit of launches by kernels"},
        {cudaLimitMaxL2FetchGranularity, "the L2 cache's fetch granularity"},
        {cudaLimitPersistingL2CacheSize, "the part of the L2 cache that persists"},
    };

    int capability_ = 0;
    double budget_ = 0;
    std::optional<Buffer<uint32_t>> canary_;
    int left_current_ = 0;  // the device that a plugin left current instead of ours
    cudaStream_t side_stream_ = nullptr;
};

// The driver's own version, which the CUDA runtime does not tell; NVML comes with the driver.
std::string driver_version() {
    if (void* const nvml = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL)) {
        const auto init = reinterpret_cast<int (*)()>(dlsym(nvml, "nvmlInit_v2"));
        const auto get_version = reinterpret_cast<int (*)(char*, unsigned)>(dlsym(nvml, "nvmlSystemGetDriverVersion"));
        const auto shutdown = reinterpret_cast<int (*)()>(dlsym(nvml, "nvmlShutdown"));
        char text[80] = "";
        if (init && get_version && shutdown && init() == 0) {
            const bool known = get_version(text, sizeof(text)) == 0;
            shutdown();
            if (known) return text;
        }
    }
    int cuda = 0;
    cudaDriverGetVersion(&cuda);
    return "for CUDA " + version(cuda);
}

}  // namespace

std::unique_ptr<Device> make_cuda_device() {
    return std::make_unique<CudaDevice>();
}

GpuInfo query_gpu() {
    GpuInfo gpu;
    int devices = 0;
    const cudaError_t error = cudaGetDeviceCount(&devices);
    if (error != cudaSuccess || devices == 0) {
        gpu.problem =
            std::string("no GPU answers: ") + (error == cudaSuccess ? "none found" : cudaGetErrorString(error));
        return gpu;
    }
    cudaDeviceProp properties{};
    must<NoDevice>(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
    gpu.name = properties.name;
    gpu.compute_capability = 10 * properties.major + properties.minor;
    gpu.multiprocessors = properties.multiProcessorCount;
    gpu.memory_bytes = int64_t(properties.totalGlobalMem);
    gpu.driver = driver_version();
    int runtime = 0;
    cudaRuntimeGetVersion(&runtime);
    gpu.cuda_runtime = version(runtime);
    return gpu;
}

}  // namespace judge
