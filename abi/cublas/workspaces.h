// The workspaces that a program has given to its handles. cuBLAS can be told, but not asked.
#pragma once

#include <cstdint>

#include "cublas_abi.h"

namespace drop_in {

struct Workspace {
    void* data = nullptr;
    uint64_t bytes = 0;
};

// Of a handle; none, if the program has not set one since the last change of its stream. Any thread may ask.
Workspace workspace_of(cublas::Handle handle);

}  // namespace drop_in
