# What the compiler and the linker say about what the emulator lacks: one line that names it and the next step.

# A header.
s/: fatal error: (.*): No such file or directory$/: error: there is no header <\1>: if it is your own, name its folder, as in make plugin FLAGS="-I folder"; if it is CUDA's, the emulator does not have it: keep what needs it behind #ifndef SOLVE_EMULATOR, or build with nvcc/
/^compilation terminated\.$/d

# A name of CUDA's.
s/(: error: .?.?.?(__[a-z]|cuda|cu[A-Z]|CU)[A-Za-z0-9_]*.?.?.? was not declared in this scope.*)$/\1: if it is CUDA's, the emulator does not have it: keep it behind #ifndef SOLVE_EMULATOR/

# A function that is declared only. Some linkers name the section behind the line.
s/(:[0-9]+):\([^)]*\+0x[0-9a-f]+\): undefined reference/\1: undefined reference/
/^[^ ]*ld: .*: in function .*:$/d
s/^([^ ]*ld: )?(.*): undefined reference to `emulator_has_no_PTX_([^']*)'$/\2: error: the emulator does not know the inline PTX \3: write what it does in C++ behind #ifdef SOLVE_EMULATOR, or build with nvcc/
s/^([^ ]*ld: )?(.*): undefined reference to `((cu|nv)[A-Za-z0-9]*|__nv[A-Za-z0-9_:]*)(_v2)?(\([^']*\))?'$/\2: error: the emulator has no \3, which this file calls: keep the call behind #ifndef SOLVE_EMULATOR, or build with nvcc/
s/^([^ ]*ld: )?(.*): undefined reference to `([^']*)'$/\2: error: nothing in this file defines \3: a plugin is one file; #include the one that does/
/^collect2: error: ld returned 1 exit status$/d
