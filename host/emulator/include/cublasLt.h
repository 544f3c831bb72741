#error "the emulator has no <cublasLt.h>: NVIDIA's libraries need a GPU; build this file with nvcc"
