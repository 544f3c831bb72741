#error "the emulator has no <curand_kernel.h>: NVIDIA's libraries need a GPU; build this file with nvcc"
