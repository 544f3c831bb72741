// cuBLASMp's calls, within one process: a thread calls for each rank of a grid, and those of all of them are one. A
// product is computed element by element when it has come to the front of the streams of all ranks. What a call gets
// wrong of sizes, blocks, leading dimensions, memory and workspace, and what ranks do not agree on, is refused.
// EMULATOR_CUBLASMP_VERSION=700 is what cublasMpGetVersion says then.
#include "../include/cublasmp.h"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <vector>

#include "deferred.h"
#include "device_memory.h"
#include "injected.h"
#include "memory.h"
#include "nccl_rank.h"
#include "stream.h"

struct cublasMpHandle {
    cudaStream_t stream;
};
struct cublasMpGrid {
    emulator::NcclRank own;
    int64_t rows, cols;
    bool by_columns;
    uint64_t calls = 0;

    int64_t row_of(int rank) const { return by_columns ? rank % rows : rank / cols; }
    int64_t col_of(int rank) const { return by_columns ? rank / rows : rank % cols; }
    int rank_at(int64_t row, int64_t col) const { return int(by_columns ? col * rows + row : row * cols + col); }
};
struct cublasMpMatrixDescriptor {
    int64_t rows, cols, block_rows, block_cols, ld;
    const cublasMpGrid* grid;

    int64_t rows_of(int rank) const { return cublasMpNumroc(rows, block_rows, grid->row_of(rank), 0, grid->rows); }
    int64_t cols_of(int rank) const { return cublasMpNumroc(cols, block_cols, grid->col_of(rank), 0, grid->cols); }
};

namespace emulator {
namespace {

constexpr size_t kOnDevice = 512, kOnHost = 64;  // bytes of workspace

struct Sizes {
    bool transposed_a, transposed_b;
    int64_t m, n, k;
    float alpha, beta;

    bool agrees_with(const Sizes& other) const {
        const auto key = [](const Sizes& of) {
            return std::tuple(of.transposed_a, of.transposed_b, of.m, of.n, of.k, std::bit_cast<uint32_t>(of.alpha),
                              std::bit_cast<uint32_t>(of.beta));  // a NaN is the same NaN
        };
        return key(*this) == key(other);
    }
};

// What a rank has of A, B and C.
struct Local {
    std::array<cublasMpMatrixDescriptor, 3> descriptors;
    std::array<float*, 3> data;
};

struct Product {
    Sizes sizes{};
    std::vector<Local> ranks;
    cublasMpGrid grid;
    int posted = 0, arrived = 0;

    float& at(int matrix, int64_t row, int64_t col) const {
        const cublasMpMatrixDescriptor& global = ranks[0].descriptors[matrix];
        const int64_t block_row = row / global.block_rows, block_col = col / global.block_cols;
        const int owner = grid.rank_at(block_row % grid.rows, block_col % grid.cols);
        const int64_t local_row = block_row / grid.rows * global.block_rows + row % global.block_rows,
                      local_col = block_col / grid.cols * global.block_cols + col % global.block_cols;
        return ranks[owner].data[matrix][local_col * ranks[owner].descriptors[matrix].ld + local_row];
    }

    void compute() const {
        const DeviceAccess access;
        for (int64_t col = 0; col < sizes.n; ++col) {
            for (int64_t row = 0; row < sizes.m; ++row) {
                float sum = 0;
                for (int64_t term = 0; term < sizes.k; ++term) {
                    sum += (sizes.transposed_a ? at(0, term, row) : at(0, row, term)) *
                           (sizes.transposed_b ? at(1, col, term) : at(1, term, col));
                }
                float& c = at(2, row, col);
                c = sizes.alpha * sum + (sizes.beta == 0 ? 0 : sizes.beta * c);
            }
        }
    }
};

std::mutex mutex;
std::condition_variable come;
std::map<const void*, int> in_grid;                                                  // ranks that have come
std::map<std::pair<const void*, uint64_t>, std::shared_ptr<Product>> open_products;  // that not all ranks have called

bool is_in_device_memory(const void* begin, size_t elements, int device) {
    if (elements == 0) return true;
    const Memory first = memory_at(begin), last = memory_at(static_cast<const float*>(begin) + elements - 1);
    return first.type == cudaMemoryTypeDevice && first.device == device && last.type == cudaMemoryTypeDevice &&
           last.device == device;
}

bool is_right(const cublasMpMatrixDescriptor* descriptor, int64_t rows, int64_t cols, const void* data, int64_t first,
              int64_t second) {
    if (!descriptor || first != 1 || second != 1 || descriptor->rows != rows || descriptor->cols != cols) return false;
    const int rank = descriptor->grid->own.rank;
    const int64_t own_rows = descriptor->rows_of(rank), own_cols = descriptor->cols_of(rank);
    const size_t elements = own_rows == 0 || own_cols == 0 ? 0 : (own_cols - 1) * descriptor->ld + own_rows;
    return is_in_device_memory(data, elements, descriptor->grid->own.device);
}

}  // namespace
}  // namespace emulator

using emulator::Sizes;

cublasMpStatus_t cublasMpGetVersion(int* version) {
    const char* const text = std::getenv("EMULATOR_CUBLASMP_VERSION");
    *version = text ? std::atoi(text) : CUBLASMP_VERSION;
    return CUBLASMP_STATUS_SUCCESS;
}

const char* cublasMpGetStatusString(cublasMpStatus_t status) {
    constexpr const char* kTexts[] = {"success",        "not initialized",       "allocation failed",
                                      "invalid value",  "architecture mismatch", "execution failed",
                                      "internal error", "not supported"};
    return status >= 0 && status <= CUBLASMP_STATUS_NOT_SUPPORTED ? kTexts[status] : "unknown status";
}

cublasMpStatus_t cublasMpCreate(cublasMpHandle_t* handle, cudaStream_t stream) {
    *handle = new cublasMpHandle{stream};
    return CUBLASMP_STATUS_SUCCESS;
}

cublasMpStatus_t cublasMpDestroy(cublasMpHandle_t handle) {
    delete handle;
    return CUBLASMP_STATUS_SUCCESS;
}

// Waits until all ranks have come.
cublasMpStatus_t cublasMpGridCreate(int64_t rows, int64_t cols, cublasMpGridLayout_t layout, ncclComm_t communicator,
                                    cublasMpGrid_t* grid) {
    const emulator::NcclRank own = emulator::rank_of(communicator);
    if (rows * cols != own.ranks) return CUBLASMP_STATUS_INVALID_VALUE;
    std::unique_lock lock(emulator::mutex);
    const int all = (emulator::in_grid[own.clique.get()] / own.ranks + 1) * own.ranks;  // of this grid of the clique
    ++emulator::in_grid[own.clique.get()];
    emulator::come.notify_all();
    const bool met = emulator::come.wait_for(lock, std::chrono::seconds(10),
                                             [&] { return emulator::in_grid[own.clique.get()] >= all; });
    if (!met) return CUBLASMP_STATUS_INTERNAL_ERROR;
    *grid = new cublasMpGrid{own, rows, cols, layout == CUBLASMP_GRID_LAYOUT_COL_MAJOR};
    return CUBLASMP_STATUS_SUCCESS;
}

cublasMpStatus_t cublasMpGridDestroy(cublasMpGrid_t grid) {
    const std::lock_guard lock(emulator::mutex);
    emulator::in_grid.erase(grid->own.clique.get());
    std::erase_if(emulator::open_products,
                  [&](const auto& each) { return each.first.first == grid->own.clique.get(); });
    delete grid;
    return CUBLASMP_STATUS_SUCCESS;
}

int64_t cublasMpNumroc(int64_t length, int64_t block, uint32_t own, uint32_t first, uint32_t ranks) {
    const int64_t place = (own + ranks - first) % ranks, whole = length / block;
    int64_t count = 0;
    for (int64_t each = place; each <= whole; each += ranks) count += each < whole ? block : length % block;
    return count;
}

cublasMpStatus_t cublasMpMatrixDescriptorCreate(int64_t rows, int64_t cols, int64_t block_rows, int64_t block_cols,
                                                int64_t first_row, int64_t first_col, int64_t local_ld,
                                                cudaDataType_t type, cublasMpGrid_t grid,
                                                cublasMpMatrixDescriptor_t* descriptor) {
    if (first_row != 0 || first_col != 0 || type != CUDA_R_32F) return CUBLASMP_STATUS_NOT_SUPPORTED;
    if (rows < 0 || cols < 0 || block_rows < 1 || block_cols < 1) return CUBLASMP_STATUS_INVALID_VALUE;
    const cublasMpMatrixDescriptor made{rows, cols, block_rows, block_cols, local_ld, grid};
    if (local_ld < std::max<int64_t>(1, made.rows_of(grid->own.rank))) return CUBLASMP_STATUS_INVALID_VALUE;
    *descriptor = new cublasMpMatrixDescriptor(made);
    return CUBLASMP_STATUS_SUCCESS;
}

cublasMpStatus_t cublasMpMatrixDescriptorDestroy(cublasMpMatrixDescriptor_t descriptor) {
    delete descriptor;
    return CUBLASMP_STATUS_SUCCESS;
}

cublasMpStatus_t cublasMpGemm_bufferSize(cublasMpHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                         int64_t m, int64_t n, int64_t k, const void*, const void* a, int64_t ia,
                                         int64_t ja, cublasMpMatrixDescriptor_t desc_a, const void* b, int64_t ib,
                                         int64_t jb, cublasMpMatrixDescriptor_t desc_b, const void*, void* c,
                                         int64_t ic, int64_t jc, cublasMpMatrixDescriptor_t desc_c,
                                         cublasComputeType_t compute, size_t* bytes_on_device, size_t* bytes_on_host) {
    if (!handle) return CUBLASMP_STATUS_NOT_INITIALIZED;
    const bool ta = transa != CUBLAS_OP_N, tb = transb != CUBLAS_OP_N;
    const bool right = compute == CUBLAS_COMPUTE_32F && emulator::is_right(desc_a, ta ? k : m, ta ? m : k, a, ia, ja) &&
                       emulator::is_right(desc_b, tb ? n : k, tb ? k : n, b, ib, jb) &&
                       emulator::is_right(desc_c, m, n, c, ic, jc);
    if (!right) return CUBLASMP_STATUS_INVALID_VALUE;
    // The blocks along m, n and k are those of both matrices that have them.
    const auto rows = [](auto* of, bool transposed) { return transposed ? of->block_cols : of->block_rows; };
    const auto cols = [](auto* of, bool transposed) { return transposed ? of->block_rows : of->block_cols; };
    const bool fits = rows(desc_a, ta) == desc_c->block_rows && cols(desc_b, tb) == desc_c->block_cols &&
                      cols(desc_a, ta) == rows(desc_b, tb);
    if (!fits) return CUBLASMP_STATUS_INVALID_VALUE;
    *bytes_on_device = emulator::kOnDevice, *bytes_on_host = emulator::kOnHost;
    return CUBLASMP_STATUS_SUCCESS;
}

cublasMpStatus_t cublasMpGemm(cublasMpHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int64_t m,
                              int64_t n, int64_t k, const void* alpha, const void* a, int64_t ia, int64_t ja,
                              cublasMpMatrixDescriptor_t desc_a, const void* b, int64_t ib, int64_t jb,
                              cublasMpMatrixDescriptor_t desc_b, const void* beta, void* c, int64_t ic, int64_t jc,
                              cublasMpMatrixDescriptor_t desc_c, cublasComputeType_t compute, void* on_device,
                              size_t bytes_on_device, void* on_host, size_t bytes_on_host) {
    size_t device_bytes = 0, host_bytes = 0;
    const cublasMpStatus_t status =
        cublasMpGemm_bufferSize(handle, transa, transb, m, n, k, alpha, a, ia, ja, desc_a, b, ib, jb, desc_b, beta, c,
                                ic, jc, desc_c, compute, &device_bytes, &host_bytes);
    if (status != CUBLASMP_STATUS_SUCCESS) return status;
    cublasMpGrid& grid = const_cast<cublasMpGrid&>(*desc_c->grid);
    const emulator::NcclRank& own = grid.own;
    const emulator::Lane lane = emulator::lane_of(handle->stream);
    const bool has_workspace = bytes_on_device >= device_bytes && bytes_on_host >= host_bytes && on_host &&
                               emulator::is_in_device_memory(on_device, bytes_on_device / sizeof(float), own.device);
    if (!has_workspace || lane.device != own.device) return CUBLASMP_STATUS_INVALID_VALUE;
    if (emulator::is_injected("EMULATOR_CUBLASMP_FAIL")) return CUBLASMP_STATUS_EXECUTION_FAILED;

    const Sizes sizes{
        transa != CUBLAS_OP_N,           transb != CUBLAS_OP_N, m, n, k, *static_cast<const float*>(alpha),
        *static_cast<const float*>(beta)};
    std::shared_ptr<emulator::Product> product;
    bool complete = false;
    {
        const std::lock_guard lock(emulator::mutex);
        const std::pair<const void*, uint64_t> number{own.clique.get(), grid.calls++};
        std::shared_ptr<emulator::Product>& entry = emulator::open_products[number];
        if (!entry) entry.reset(new emulator::Product{sizes, std::vector<emulator::Local>(own.ranks), grid});
        product = entry;
        if (!product->sizes.agrees_with(sizes)) return CUBLASMP_STATUS_INVALID_VALUE;
        float* const data_a = static_cast<float*>(const_cast<void*>(a));
        float* const data_b = static_cast<float*>(const_cast<void*>(b));
        product->ranks[own.rank] = {{*desc_a, *desc_b, *desc_c}, {data_a, data_b, static_cast<float*>(c)}};
        complete = ++product->posted == own.ranks;
        if (complete) emulator::open_products.erase(number);
    }
    if (!emulator::is_deferred()) {
        if (complete) product->compute();
        return CUBLASMP_STATUS_SUCCESS;
    }
    emulator::defer(lane, [product] {
        if (++product->arrived == int(product->ranks.size())) product->compute();
    });
    emulator::defer(lane, nullptr, [product] { return product->arrived == int(product->ranks.size()); });
    return CUBLASMP_STATUS_SUCCESS;
}
