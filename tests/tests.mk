# The tests: one binary for each directory of tests/, Catch2 2 or 3, and the runner that adds them up.

# Version 2 is headers only.
hash       := \#
CATCH_LINK  = $(call once,CATCH_LINK,$(shell \
    printf '$(hash)if __has_include(<catch2/catch_all.hpp>)\n-lCatch2\n$(hash)endif\n' | $(CXX) -E -P -x c++ -))

# Most of a test is Catch2's macros: -O0 compiles them in two thirds of the time of -O1.
TEST_FLAGS := $(filter-out -O% -g%,$(HOST_FLAGS)) $(filter -fsyntax-only,$(OPT)) -O0 -DBUILD_DIRECTORY='"$(abspath $(BUILD))"' -DSOURCE_DIRECTORY='"$(abspath .)"'
$(BUILD)/flags/tests: USED = $(CXX) $(TEST_FLAGS) $(CATCH_LINK)

# Every test program, and what it needs to have been built before it runs.
TEST_PROGRAMS  = $(addprefix $(BUILD)/tests/,unit_test abi_test cli_test clients_test cublas_test readme_test emulator_test every_plugin_test) \
                 $(if $(TEST_ALL),$(addprefix $(BUILD)/asan/tests/,emulator_test emulated_rungs_test every_plugin_test))
TEST_SUBJECTS  = $(BUILD)/compare $(CPU_PLUGINS) $(EMULATED_PLUGINS) $(BAD_PLUGINS) $(BAD_EMULATED_PLUGINS) $(if $(TEST_ALL),$(ASAN_PLUGINS)) \
                 drop-in linked $(CUBLAS_STAND_IN) $(BUILD)/foreign/plain.so $(EMULATED_NOTEBOOK) $(if $(NVCC),$(CUDA_SUBJECTS))
# Where there is no GPU most of what nvcc would compile is not run: then a few, with `make test-all` 05 among them, which
# looks for a library first. (`make test-all` compiles each plugin for every architecture, too.)
CUDA_SUBJECTS  = $(BUILD)/foreign/plain_cuda.so $(BUILD)/bad_gpu_plugins/gpu_other_architecture.so \
                 $(if $(HAVE_GPU),$(CUDA_PLUGINS),$(addprefix $(BUILD)/plugins/cuda/,00_cublas_fp32.so $(if $(TEST_ALL),05_cublasmp.so) 10_naive.so 64_cp_async.so)) \
                 $(if $(or $(HAVE_GPU),$(TEST_ALL)),$(BAD_GPU_PLUGINS) $(NOTEBOOK:%=$(BUILD)/foreign/cuda/%.so) $(MICROBENCHMARKS) $(BUILD)/survey $(BUILD)/chain_graphs)
# What takes longest to build comes first, so that it is not waited for at the end: the tests that include 90_dispatch
# take g++ 77 s, sanitized, and 90_dispatch 52.
LONG_TO_BUILD  = $(if $(TEST_ALL),$(patsubst $(BUILD)/%,$(BUILD)/asan/%,$(filter %with_90.cu.o,$(EMULATED_RUNGS)) \
                     $(EMULATOR_KERNELS) $(filter %that_split.cu.o,$(EMULATED_RUNGS)))) \
                 $(EMULATOR_KERNELS) $(BUILD)/plugins/emulator/90_dispatch.so $(filter %/parent/all.o %/checks/all.o,$(HOST_OBJECTS)) $(BUILD)/tests/catch_main.o

# One architecture is enough for a test: the GPU's or, where there is none, the one that every rung can be compiled for.
TEST_ARCHS     = $(or $(GPU_ARCHS),90)
ifneq ($(origin CUDA_ARCHS),file)
TEST_ARCHS     = $(CUDA_ARCHS)
endif

.PHONY: test test-all test-programs objects have-nvcc
test: deps  ## build and run the tests (on the GPU too, if there is one)
	@$(MAKE) $(parallel) CUDA_ARCHS='$(TEST_ARCHS)' test-programs
	@CUDA_ARCHS='$(TEST_ARCHS)' python3 tests/run.py $(BUILD)

test-all: deps  ## the same with what is heavy: every architecture, every source by itself, larger sizes; AFTER=test: only that
	@$(MAKE) $(parallel) CUDA_ARCHS='$(TEST_ARCHS)' TEST_ALL=1 test-programs
	@CUDA_ARCHS='$(TEST_ARCHS)' python3 tests/run.py $(BUILD) $(if $(filter test,$(AFTER)),--heavy,--all)

have-nvcc:
	@test -n '$(NVCC)'

test_objects = $(call objects_of,$(wildcard tests/$(1)/*.cpp)) $(BUILD)/tests/catch_main.o $(BUILD)/host/base/regex.o

# Catch2's own code is not ours to warn about.
$(BUILD)/tests/catch_main.o: tests/catch_main.cpp $(BUILD)/flags/tests
	$(compile) $(TEST_FLAGS) -w -c $< -o $@

TEST_HEADERS = $(PCH:yes=$(BUILD)/pch/tests.h.gch) $(BUILD)/flags/tests

define build_test_object
$(compile) $(TEST_FLAGS) $(PCH:yes=-include $(BUILD)/pch/tests.h) -c $< -o $@
endef

$(BUILD)/tests/%.o: tests/%.cpp $(TEST_HEADERS)
	$(build_test_object)

$(BUILD)/tests/%/all.o: $(BUILD)/tests/%/all.cpp $(TEST_HEADERS)
	$(build_test_object)

$(BUILD)/tests/unit_test: $(call test_objects,unit/*) $(HOST_OBJECTS)
	$(link) $(TEST_FLAGS) $^ -o $@ $(CATCH_LINK) $(HOST_LINK)

$(foreach name,abi cli clients cublas readme,$(BUILD)/tests/$(name)_test): $(BUILD)/tests/%_test: $$(call test_objects,$$*)
	$(link) $(TEST_FLAGS) $^ -o $@ $(CATCH_LINK)

# Headers that most files include, compiled once for the tests and once for the host; the compiler finds X.gch beside X.
$(BUILD)/pch/tests.h.gch: tests/precompiled.h $(BUILD)/flags/tests
	$(compile) $(filter-out -fsyntax-only,$(TEST_FLAGS)) $(call precompile,$<,$@)

# ---- Plugins of other people: built as they would, with none of our flags ----------------------------------------

# $(call fixtures,extension): the names of those that `make test` builds, or of all.
fixtures     = $(if $(TEST_ALL),$(basename $(notdir $(wildcard tests/bad_plugins/*.$(1)))),$(shell tests/bad_plugins/in_make_test.py built $(1)))
BAD_PLUGINS  = $(patsubst %,$(BUILD)/bad_plugins/%.so,$(call fixtures,cpp))

# What these do to each number g++ does to four at a time from -O3 on: several tests judge them, each in half the time.
IN_VECTORS := rounds_to_tf32 claims_fp32_rounds_to_tf32 rounds_to_bf16 three_tf32_products short_accumulator
$(IN_VECTORS:%=$(BUILD)/bad_plugins/%.so): FIXTURE_OPT = -O3
$(BUILD)/bad_plugins/%.so: tests/bad_plugins/%.cpp $(wildcard tests/bad_plugins/*.h) abi/solve.h
	$(call say,c++,$@)
	@mkdir -p $(@D)
	$(Q)$(CXX) -std=c++20 $(or $(FIXTURE_OPT),-O2) -w -shared -fPIC $< -o $@

BAD_GPU_PLUGINS := $(patsubst tests/bad_plugins/%.cu,$(BUILD)/bad_gpu_plugins/%.so,$(wildcard tests/bad_plugins/*.cu))

# Built for whatever nvcc takes by default, with PTX; but one for a GPU that is not the one here, without.
OTHER_ARCH = $(if $(filter 75,$(GPU_ARCHS)),80,75)
$(BUILD)/bad_gpu_plugins/gpu_other_architecture.so: ARCHITECTURE = -gencode=arch=compute_$(OTHER_ARCH),code=sm_$(OTHER_ARCH)
$(BUILD)/bad_gpu_plugins/%.so: tests/bad_plugins/%.cu $(wildcard tests/bad_plugins/*.cuh)
	$(call say,nvcc,$@)
	@mkdir -p $(@D)
	$(Q)$(NVCC) -std=c++20 -w -shared -Xcompiler -fPIC $(ARCHITECTURE) $< -o $@

# Those that say what becomes of them in the emulator.
BAD_EMULATED_PLUGINS = $(patsubst %,$(BUILD)/bad_emulated_plugins/%.so,$(filter $(call fixtures,cu),$(basename $(notdir \
                         $(shell grep -l '^// emulated: ' tests/bad_plugins/*.cu)))))

$(BUILD)/bad_emulated_plugins/%.so: tests/bad_plugins/%.cu $(wildcard tests/bad_plugins/*.cuh) $(EMULATOR) $(BUILD)/flags/emulator
	$(call build_emulated_plugin,$<,$@)

$(BUILD)/foreign/plain.so: tests/foreign/plain.cu $(EMULATOR)
	$(call build_emulated_plugin,$<,$@)

# A learner's kernels, in the emulator and, where there is nvcc, as a learner builds them. Of those in the emulator `make
# test` takes three: one is called otherwise, one has sizes that it needs, and one an alignment.
NOTEBOOK          := $(patsubst tests/foreign/%.cu,%,$(wildcard tests/foreign/notebook/*.cu))
EMULATED_NOTEBOOK := $(patsubst tests/foreign/%.cu,$(BUILD)/foreign/%.so,$(wildcard tests/foreign/notebook/$(if $(TEST_ALL),,[237])*.cu))

$(BUILD)/foreign/notebook/%.so: tests/foreign/notebook/%.cu $(EMULATOR)
	$(call build_emulated_plugin,$<,$@)

$(BUILD)/foreign/cuda/notebook/%.so: tests/foreign/notebook/%.cu
	$(call say,nvcc,$@)
	@mkdir -p $(@D)
	$(Q)$(NVCC) -w -shared -Xcompiler -fPIC $< -o $@

$(BUILD)/foreign/plain_cuda.so: tests/foreign/plain.cu
	$(call say,nvcc,$@)
	@mkdir -p $(@D)
	$(Q)$(NVCC) -shared -Xcompiler -fPIC $< -o $@

# ---- A program that calls cuBLAS, and a cuBLAS that multiplies on the CPU ----------------------------------------

CUBLAS_STAND_IN := $(addprefix $(BUILD)/tests/cublas/,libcublas.so.13 libcalls.so failing_engine.so program opener) \
                   $(if $(wildcard $(CUDA_HOME)/lib64/libcublasLt.so),$(BUILD)/tests/cublas/descriptors)
build_stand_in   = $(compile) -std=c++20 -O1 -fPIC $(WARNINGS) -I. -pthread

$(BUILD)/tests/cublas/libcublas.so.13: tests/cublas/stand_in/fake_cublas.cpp
	$(build_stand_in) -shared -Wl,-soname,libcublas.so.13 $< -o $@

$(BUILD)/tests/cublas/libcalls.so: tests/cublas/stand_in/calls.cpp $(BUILD)/tests/cublas/libcublas.so.13
	$(build_stand_in) -shared $< $(BUILD)/tests/cublas/libcublas.so.13 -o $@ '-Wl,-rpath,$$ORIGIN'

$(BUILD)/tests/cublas/failing_engine.so: tests/cublas/stand_in/failing_engine.cpp
	$(build_stand_in) -shared $< -o $@

$(BUILD)/tests/cublas/program $(BUILD)/tests/cublas/opener: $(BUILD)/tests/cublas/%: tests/cublas/stand_in/%.cpp
	$(build_stand_in) $< -o $@ -ldl

# With NVIDIA's own cuBLASLt, where there is one.
$(BUILD)/tests/cublas/descriptors: tests/cublas/stand_in/descriptors.cpp
	$(build_stand_in) -I$(CUDA_HOME)/include $< -o $@ -L$(CUDA_HOME)/lib64 -lcublasLt -Wl,-rpath,$(CUDA_HOME)/lib64

# ---- Every plugin, at every shape --------------------------------------------------------------------------------
# As built for use and, of `make test-all`, the emulated and the CPU plugins with AddressSanitizer.

# What is sanitized are the plugins. The judge's code is the same object in both programs, but for the one that tells
# AddressSanitizer what a plugin may not read. 90_dispatch is left out: 66 s of g++ for kernels that are each in their own
# rung, and for code that the tests which include it run sanitized, too.

ASAN_PLUGINS      = $(patsubst $(BUILD)/%,$(BUILD)/asan/%,$(filter-out %/90_dispatch.so,$(EMULATED_PLUGINS)) $(CPU_PLUGINS))
ASAN_HOST_OBJECTS = $(patsubst $(BUILD)/host/device/device_host.o,$(BUILD)/asan/host/device/device_host.o,$(HOST_OBJECTS))

$(BUILD)/tests/every_plugin_test: $(call test_objects,every_plugin) $(HOST_OBJECTS)
	$(link) $(TEST_FLAGS) $^ -o $@ $(CATCH_LINK) $(HOST_LINK)

$(BUILD)/asan/tests/every_plugin_test: $(call test_objects,every_plugin) $(ASAN_HOST_OBJECTS)
	$(link) $(TEST_FLAGS) $(ASAN) $^ -o $@ $(CATCH_LINK) $(HOST_LINK)

$(BUILD)/asan/host/%.o: host/%.cpp $(BUILD)/flags/host
	$(compile) $(HOST_FLAGS) $(ASAN) -c $< -o $@

$(BUILD)/asan/plugins/emulator/%.so: %.cu abi/solve.map $(ASAN_EMULATOR) $(BUILD)/flags/emulator
	$(call build_emulated_plugin,$<,$@,$(ASAN))

$(BUILD)/asan/plugins/cpu/%.so: %.cpp abi/solve.map $(BUILD)/flags/cpu
	$(call build_cpu_plugin,$<,$@,$(ASAN))

# ---- The emulator: kernels that are rewritten, emulated and tested in one program, plain and sanitized -----------
# And another one for whole rungs, each of which takes the compiler as long as five of the others: `make test-all` has it
# sanitized only, which runs the same tests.

EMULATOR_SOURCES := $(wildcard tests/emulator/*.cu)
EMULATOR_KERNELS := $(if $(APART),$(patsubst tests/%,$(BUILD)/tests/%.o,$(EMULATOR_SOURCES)),$(BUILD)/tests/emulator/all.cu.o)
# Not sanitized: nothing of it runs in a kernel.
EMULATOR_TESTS   := $(call objects_of,$(wildcard tests/emulator/*.cpp)) $(BUILD)/tests/catch_main.o \
                    $(filter-out %/rewrite_main.o,$(REWRITER_OBJECTS))
# Those that include 90_dispatch, which takes g++ a minute, are compiled as one, and so are those of 83 and 85.
RUNGS            := $(wildcard tests/emulator/rungs/*.cu)
RUNGS_WITH_90    := $(if $(APART),,$(wildcard tests/emulator/rungs/dispatch_*.cu tests/emulator/rungs/transposed_*.cu))
RUNGS_THAT_SPLIT := $(if $(APART),,$(wildcard tests/emulator/rungs/split_*.cu))
EMULATED_RUNGS   := $(patsubst tests/%,$(BUILD)/tests/%.o,$(filter-out $(RUNGS_WITH_90) $(RUNGS_THAT_SPLIT),$(RUNGS))) \
                    $(if $(APART),,$(patsubst %,$(BUILD)/tests/emulator/rungs_%.cu.o,with_90 that_split)) \
                    $(BUILD)/tests/catch_main.o

# $(call build_emulator_test,source,object,extra flags). Places are tests/emulator/x.cu:1, however
# the file is found.
PLACES_AS_HERE := -fmacro-prefix-map=./=
define build_emulator_test
$(call emulate,$(1),$(2:.o=),-I. $(PLACES_AS_HERE) $(3),$(2),$(call precompiled,$(3)))
$(Q)set -o pipefail; $(CXX) $(EMULATOR_FLAGS) $(EMULATED_FLAGS) $(call of_ladder,tests/) $(PLACES_AS_HERE) $(3) -fpreprocessed -c $(2:.o=.emulated.ii) -o $(2) \
    $(call explained,$(1))
endef

$(BUILD)/tests/emulator/%.cu.o: tests/emulator/%.cu $(EMULATOR) $(BUILD)/flags/emulator
	$(call build_emulator_test,$<,$@)

$(BUILD)/asan/tests/emulator/%.cu.o: tests/emulator/%.cu $(ASAN_EMULATOR) $(BUILD)/flags/emulator
	$(call build_emulator_test,$<,$@,$(ASAN))

$(BUILD)/tests/emulator/all.cu: FORCE
	@$(call include_all,$(EMULATOR_SOURCES),$@)

$(BUILD)/tests/emulator/rungs_with_90.cu: FORCE
	@$(call include_all,$(RUNGS_WITH_90),$@)

$(BUILD)/tests/emulator/rungs_that_split.cu: FORCE
	@$(call include_all,$(RUNGS_THAT_SPLIT),$@)

TOGETHER := $(addprefix tests/emulator/,all.cu.o rungs_with_90.cu.o rungs_that_split.cu.o)
$(TOGETHER:%=$(BUILD)/%): %.o: % $(EMULATOR) $(BUILD)/flags/emulator
	$(call build_emulator_test,$<,$@)

$(TOGETHER:%=$(BUILD)/asan/%): $(BUILD)/asan/%.o: $(BUILD)/% $(ASAN_EMULATOR) $(BUILD)/flags/emulator
	$(call build_emulator_test,$<,$@,$(ASAN))

$(BUILD)/tests/emulator_test: $(EMULATOR_KERNELS) $(EMULATOR_TESTS) $(BUILD)/emulator/libemulator.a
$(BUILD)/tests/emulated_rungs_test: $(EMULATED_RUNGS) $(BUILD)/emulator/libemulator.a
$(BUILD)/asan/tests/emulator_test: $(EMULATOR_KERNELS:$(BUILD)/%=$(BUILD)/asan/%) $(EMULATOR_TESTS) $(BUILD)/asan/emulator/libemulator.a
$(BUILD)/asan/tests/emulated_rungs_test: $(EMULATED_RUNGS:$(BUILD)/tests/emulator/%=$(BUILD)/asan/tests/emulator/%) $(BUILD)/asan/emulator/libemulator.a
$(addprefix $(BUILD)/asan/tests/,emulator_test emulated_rungs_test): SANITIZER = $(ASAN)
$(foreach program,emulator_test emulated_rungs_test,$(BUILD)/tests/$(program) $(BUILD)/asan/tests/$(program)):
	$(link) $(EMULATOR_FLAGS) $(SANITIZER) $^ -o $@ $(EMULATOR_LINK) $(CATCH_LINK)

# Those that are compiled together, for `make objects APART=yes`: the others, catch_main.cpp among them, are compiled by
# themselves for the test programs. (What nvcc compiles has no precompiled header anyway.)
objects: $(filter-out $(BUILD)/tests/catch_main.o $(ALONE:%.cpp=$(BUILD)/%.o) $(NVCC_OBJECTS),$(HOST_OBJECTS) \
             $(foreach suite,unit/* abi cli clients cublas readme every_plugin,$(call test_objects,$(suite))))

# Last, because prerequisites are expanded where they stand.
test-programs: $(if $(call goal,test-programs),$(LONG_TO_BUILD) $(TEST_PROGRAMS) $(TEST_SUBJECTS))
