#error "the emulator has no <cufft.h>: NVIDIA's libraries need a GPU; build this file with nvcc"
