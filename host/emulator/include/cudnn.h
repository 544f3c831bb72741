#error "the emulator has no <cudnn.h>: NVIDIA's libraries need a GPU; build this file with nvcc"
