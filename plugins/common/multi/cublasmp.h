// cuBLASMp, found when it is first wanted: a plugin must load where it is not installed. Declared here is what is
// called of it, as version 0.10 does, the first one with which one process may work on several GPUs.
#pragma once

#include <cublas_v2.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#ifdef SOLVE_EMULATOR
#include <cublasmp.h>
#else
#include <dlfcn.h>
#include <glob.h>

extern "C" {
typedef struct cublasMpHandle* cublasMpHandle_t;
typedef struct cublasMpGrid* cublasMpGrid_t;
typedef struct cublasMpMatrixDescriptor* cublasMpMatrixDescriptor_t;
typedef struct ncclComm* ncclComm_t;
typedef enum { CUBLASMP_STATUS_SUCCESS = 0 } cublasMpStatus_t;
typedef enum { CUBLASMP_GRID_LAYOUT_COL_MAJOR = 0 } cublasMpGridLayout_t;

cublasMpStatus_t cublasMpGetVersion(int*);
const char* cublasMpGetStatusString(cublasMpStatus_t);
cublasMpStatus_t cublasMpCreate(cublasMpHandle_t*, cudaStream_t);
cublasMpStatus_t cublasMpDestroy(cublasMpHandle_t);
cublasMpStatus_t cublasMpGridCreate(int64_t rows, int64_t cols, cublasMpGridLayout_t, ncclComm_t, cublasMpGrid_t*);
cublasMpStatus_t cublasMpGridDestroy(cublasMpGrid_t);
cublasMpStatus_t cublasMpMatrixDescriptorCreate(int64_t rows, int64_t cols, int64_t block_rows, int64_t block_cols,
                                                int64_t first_row, int64_t first_col, int64_t local_ld, cudaDataType_t,
                                                cublasMpGrid_t, cublasMpMatrixDescriptor_t*);
cublasMpStatus_t cublasMpMatrixDescriptorDestroy(cublasMpMatrixDescriptor_t);
cublasMpStatus_t cublasMpGemm_bufferSize(cublasMpHandle_t, cublasOperation_t, cublasOperation_t, int64_t m, int64_t n,
                                         int64_t k, const void* alpha, const void* a, int64_t ia, int64_t ja,
                                         cublasMpMatrixDescriptor_t, const void* b, int64_t ib, int64_t jb,
                                         cublasMpMatrixDescriptor_t, const void* beta, void* c, int64_t ic, int64_t jc,
                                         cublasMpMatrixDescriptor_t, cublasComputeType_t, size_t* on_gpu,
                                         size_t* on_host);
cublasMpStatus_t cublasMpGemm(cublasMpHandle_t, cublasOperation_t, cublasOperation_t, int64_t m, int64_t n, int64_t k,
                              const void* alpha, const void* a, int64_t ia, int64_t ja, cublasMpMatrixDescriptor_t,
                              const void* b, int64_t ib, int64_t jb, cublasMpMatrixDescriptor_t, const void* beta,
                              void* c, int64_t ic, int64_t jc, cublasMpMatrixDescriptor_t, cublasComputeType_t,
                              void* on_gpu, size_t, void* on_host, size_t);
}
#endif

#include "failure.h"

namespace ladder {

// The functions above, by pointers.
struct CublasMp {
#define CUBLASMP_POINTER(name) decltype(&::cublasMp##name) name = nullptr
    CUBLASMP_POINTER(GetVersion);
    CUBLASMP_POINTER(GetStatusString);
    CUBLASMP_POINTER(Create);
    CUBLASMP_POINTER(Destroy);
    CUBLASMP_POINTER(GridCreate);
    CUBLASMP_POINTER(GridDestroy);
    CUBLASMP_POINTER(MatrixDescriptorCreate);
    CUBLASMP_POINTER(MatrixDescriptorDestroy);
    CUBLASMP_POINTER(Gemm_bufferSize);
    CUBLASMP_POINTER(Gemm);
#undef CUBLASMP_POINTER
    int version = 0;  // 1000 is 0.10.0

    void must(cublasMpStatus_t status, const char* what) const {
        if (status == CUBLASMP_STATUS_SUCCESS) return;
        int gpu = -1;
        cudaGetDevice(&gpu);
        give_up("GPU %d: cuBLASMp %s: %s: %s", gpu, version_text().c_str(), what, GetStatusString(status));
    }
    std::string version_text() const {
        return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
               std::to_string(version % 100);
    }
};

// The library and, if there is none that can be used, why.
struct CublasMpFound {
    CublasMp library;
    std::string problem;
};

#ifndef SOLVE_EMULATOR
// Where the Python package puts it: of the environment that is active, of the user, of the system.
inline std::vector<std::string> cublasmp_of_python() {
    const char* const kPackages = "/python3*/*-packages/nvidia/cublasmp/cu13/lib/libcublasmp.so.0";
    std::vector<std::string> found;
    const auto look_in = [&](const std::string& folder) {
        glob_t paths{};
        if (glob((folder + kPackages).c_str(), 0, nullptr, &paths) == 0)
            found.insert(found.end(), paths.gl_pathv, paths.gl_pathv + paths.gl_pathc);
        globfree(&paths);
    };
    for (const auto& [variable, below] :
         {std::pair("VIRTUAL_ENV", "/lib"), {"CONDA_PREFIX", "/lib"}, {"HOME", "/.local/lib"}}) {
        if (const char* const folder = std::getenv(variable)) look_in(std::string(folder) + below);
    }
    for (const char* const folder : {"/usr/local/lib", "/usr/lib"}) look_in(folder);
    return found;
}

// In the folder that SOLVE_CUBLASMP names and nowhere else; without it where the loader looks, and then where Python's
// packages are. Null, with the loader's words, if it is not there or lacks what it needs itself.
inline void* open_cublasmp(std::string& problem) {
    std::vector<std::string> paths{"libcublasmp.so.0"};
    if (const char* const folder = std::getenv("SOLVE_CUBLASMP"); folder && *folder) {
        paths = {std::string(folder) + "/libcublasmp.so.0"};
    } else {
        for (const std::string& each : cublasmp_of_python()) paths.push_back(each);
    }
    for (const std::string& each : paths) {
        if (void* const library = dlopen(each.c_str(), RTLD_NOW | RTLD_LOCAL)) return problem.clear(), library;
        problem = dlerror();  // the last one stays: what is said of a file that is there says more
    }
    return nullptr;
}

// The major version of the cuBLAS that the library has brought with it: that of CUDA.
inline int cuda_of(void* library) {
    int major = 0;
    const auto property =
        reinterpret_cast<cublasStatus_t (*)(libraryPropertyType, int*)>(dlsym(library, "cublasGetProperty"));
    if (property) property(MAJOR_VERSION, &major);
    return major;
}
#endif

inline CublasMpFound look_for_cublasmp() {
    CublasMpFound found;
    CublasMp& mp = found.library;
    int cuda = 13;
#ifdef SOLVE_EMULATOR
#define CUBLASMP_TAKE(name) mp.name = &::cublasMp##name
    if (std::getenv("EMULATOR_NO_CUBLASMP")) found.problem = "libcublasmp.so.0 is not there";
#else
#define CUBLASMP_TAKE(name) mp.name = reinterpret_cast<decltype(mp.name)>(dlsym(library, "cublasMp" #name))
    void* const library = open_cublasmp(found.problem);
    if (library) cuda = cuda_of(library);
#endif
    if (found.problem.empty()) {
        CUBLASMP_TAKE(GetVersion);
        CUBLASMP_TAKE(GetStatusString);
        CUBLASMP_TAKE(Create);
        CUBLASMP_TAKE(Destroy);
        CUBLASMP_TAKE(GridCreate);
        CUBLASMP_TAKE(GridDestroy);
        CUBLASMP_TAKE(MatrixDescriptorCreate);
        CUBLASMP_TAKE(MatrixDescriptorDestroy);
        CUBLASMP_TAKE(Gemm_bufferSize);
        CUBLASMP_TAKE(Gemm);
        const bool complete = mp.GetStatusString && mp.Create && mp.Destroy && mp.GridCreate && mp.GridDestroy &&
                              mp.MatrixDescriptorCreate && mp.MatrixDescriptorDestroy && mp.Gemm_bufferSize && mp.Gemm;
        if (!mp.GetVersion || mp.GetVersion(&mp.version) != CUBLASMP_STATUS_SUCCESS) {
            found.problem = "libcublasmp.so.0 tells no version";
        } else if (mp.version < 1000 || mp.version >= 10000) {
            found.problem = "version " + mp.version_text() + " is installed, and 0.10 or a later 0.x is needed";
        } else if (cuda != 13) {
            found.problem = "the one that is installed is for CUDA " + std::to_string(cuda) + ", and CUDA 13 is needed";
        } else if (!complete) {
            found.problem = "libcublasmp.so.0 lacks functions that are called";
        }
    }
#undef CUBLASMP_TAKE
    if (!found.problem.empty()) {
        found.problem = "no cuBLASMp: " + found.problem +
                        "; python3 -m pip install nvidia-cublasmp-cu13, or SOLVE_CUBLASMP=folder of libcublasmp.so.0";
    }
    return found;
}

}  // namespace ladder
