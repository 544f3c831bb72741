#error "the emulator has no <cusolverDn.h>: NVIDIA's libraries need a GPU; build this file with nvcc"
