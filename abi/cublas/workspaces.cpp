// cublasSetWorkspace, and what ends its effect: a new stream, and the end of the handle. All go to cuBLAS first.
#include "workspaces.h"

#include <mutex>
#include <unordered_map>

#include "cublas_abi.h"
#include "real.h"

namespace drop_in {

namespace {

struct Table {
    std::mutex mutex;
    std::unordered_map<cublas::Handle, Workspace> of_handle;
};

// Never destroyed: a program may multiply until its end.
Table& table() {
    static Table& found = *new Table;
    return found;
}

void remember(cublas::Handle handle, Workspace workspace) {
    const std::lock_guard lock(table().mutex);
    if (workspace.data) {
        table().of_handle[handle] = workspace;
    } else {
        table().of_handle.erase(handle);
    }
}

}  // namespace

Workspace workspace_of(cublas::Handle handle) {
    const std::lock_guard lock(table().mutex);
    const auto found = table().of_handle.find(handle);
    return found == table().of_handle.end() ? Workspace{} : found->second;
}

}  // namespace drop_in

extern "C" int cublasSetWorkspace_v2(cublas::Handle handle, void* workspace, size_t bytes) {
    static auto* const cublas_function = drop_in::real<cublas::SetWorkspace>("cublasSetWorkspace_v2");
    if (!cublas_function) return cublas::kNotInitialized;
    const int status = cublas_function(handle, workspace, bytes);
    if (status == cublas::kSuccess) drop_in::remember(handle, {workspace, bytes});
    return status;
}

extern "C" int cublasSetStream_v2(cublas::Handle handle, void* stream) {
    static auto* const cublas_function = drop_in::real<cublas::SetStream>("cublasSetStream_v2");
    if (!cublas_function) return cublas::kNotInitialized;
    const int status = cublas_function(handle, stream);
    if (status == cublas::kSuccess) drop_in::remember(handle, {});
    return status;
}

// Forgotten before it ends: its address may be another's right after.
extern "C" int cublasDestroy_v2(cublas::Handle handle) {
    static auto* const cublas_function = drop_in::real<cublas::Destroy>("cublasDestroy_v2");
    if (!cublas_function) return cublas::kNotInitialized;
    drop_in::remember(handle, {});
    return cublas_function(handle);
}
