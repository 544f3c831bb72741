#error "the emulator has no <cublas.h>: NVIDIA's libraries need a GPU; build this file with nvcc"
