// cuBLAS's own functions, behind those of ours that have the same names.
#pragma once

namespace drop_in {

// The function of that name which the program would have without us, or null: then standard error has been told.
void* real_function(const char* name);

// The same with its type: real<cublas::GetStream>("cublasGetStream_v2").
template <class Function>
Function* real(const char* name) {
    return reinterpret_cast<Function*>(real_function(name));
}

}  // namespace drop_in
