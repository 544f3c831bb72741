#error "the emulator has no <cublasXt.h>: use <cublas_v2.h>, or nvcc"
