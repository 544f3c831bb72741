#error "the emulator has only the cuBLAS of <cublas_v2.h>, whose functions take a handle; include that, or use nvcc"
