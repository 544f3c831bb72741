#error "the emulator has no <curand.h>: NVIDIA's libraries need a GPU; build this file with nvcc"
