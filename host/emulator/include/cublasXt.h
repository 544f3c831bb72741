#error "the emulator has no <cublasXt.h>: NVIDIA's libraries need a GPU; build this file with nvcc"
