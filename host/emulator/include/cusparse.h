#error "the emulator has no <cusparse.h>: NVIDIA's libraries need a GPU; build this file with nvcc"
