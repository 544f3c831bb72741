#error "the emulator has no <nvrtc.h>: NVIDIA's libraries need a GPU; build this file with nvcc"
