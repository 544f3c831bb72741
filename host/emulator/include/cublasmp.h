// The part of cuBLASMp that is emulated: products of FP32 matrices on a grid of the devices of one process, each of
// which a thread calls for.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cublas_v2.h"
#include "nccl.h"

#define CUBLASMP_VER_MAJOR 0
#define CUBLASMP_VER_MINOR 10
#define CUBLASMP_VER_PATCH 0
#define CUBLASMP_VERSION (CUBLASMP_VER_MAJOR * 10000 + CUBLASMP_VER_MINOR * 100 + CUBLASMP_VER_PATCH)

extern "C" {

typedef struct cublasMpHandle* cublasMpHandle_t;
typedef struct cublasMpGrid* cublasMpGrid_t;
typedef struct cublasMpMatrixDescriptor* cublasMpMatrixDescriptor_t;

typedef enum {
    CUBLASMP_STATUS_SUCCESS = 0,
    CUBLASMP_STATUS_NOT_INITIALIZED = 1,
    CUBLASMP_STATUS_ALLOCATION_FAILED = 2,
    CUBLASMP_STATUS_INVALID_VALUE = 3,
    CUBLASMP_STATUS_ARCHITECTURE_MISMATCH = 4,
    CUBLASMP_STATUS_EXECUTION_FAILED = 5,
    CUBLASMP_STATUS_INTERNAL_ERROR = 6,
    CUBLASMP_STATUS_NOT_SUPPORTED = 7
} cublasMpStatus_t;
typedef enum { CUBLASMP_GRID_LAYOUT_COL_MAJOR = 0, CUBLASMP_GRID_LAYOUT_ROW_MAJOR = 1 } cublasMpGridLayout_t;

cublasMpStatus_t cublasMpGetVersion(int* version);
const char* cublasMpGetStatusString(cublasMpStatus_t status);
cublasMpStatus_t cublasMpCreate(cublasMpHandle_t* handle, cudaStream_t stream);
cublasMpStatus_t cublasMpDestroy(cublasMpHandle_t handle);
cublasMpStatus_t cublasMpGridCreate(int64_t rows, int64_t cols, cublasMpGridLayout_t layout, ncclComm_t communicator,
                                    cublasMpGrid_t* grid);
cublasMpStatus_t cublasMpGridDestroy(cublasMpGrid_t grid);
cublasMpStatus_t cublasMpMatrixDescriptorCreate(int64_t rows, int64_t cols, int64_t block_rows, int64_t block_cols,
                                                int64_t first_row, int64_t first_col, int64_t local_ld,
                                                cudaDataType_t type, cublasMpGrid_t grid,
                                                cublasMpMatrixDescriptor_t* descriptor);
cublasMpStatus_t cublasMpMatrixDescriptorDestroy(cublasMpMatrixDescriptor_t descriptor);
int64_t cublasMpNumroc(int64_t length, int64_t block, uint32_t own, uint32_t first, uint32_t ranks);
cublasMpStatus_t cublasMpGemm_bufferSize(cublasMpHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                         int64_t m, int64_t n, int64_t k, const void* alpha, const void* a, int64_t ia,
                                         int64_t ja, cublasMpMatrixDescriptor_t desc_a, const void* b, int64_t ib,
                                         int64_t jb, cublasMpMatrixDescriptor_t desc_b, const void* beta, void* c,
                                         int64_t ic, int64_t jc, cublasMpMatrixDescriptor_t desc_c,
                                         cublasComputeType_t compute, size_t* bytes_on_device, size_t* bytes_on_host);
cublasMpStatus_t cublasMpGemm(cublasMpHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int64_t m,
                              int64_t n, int64_t k, const void* alpha, const void* a, int64_t ia, int64_t ja,
                              cublasMpMatrixDescriptor_t desc_a, const void* b, int64_t ib, int64_t jb,
                              cublasMpMatrixDescriptor_t desc_b, const void* beta, void* c, int64_t ic, int64_t jc,
                              cublasMpMatrixDescriptor_t desc_c, cublasComputeType_t compute, void* on_device,
                              size_t bytes_on_device, void* on_host, size_t bytes_on_host);

}  // extern "C"
