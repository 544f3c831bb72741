#error "the emulator has no <cublas_v2.h>: NVIDIA's libraries need a GPU; build this file with nvcc"
