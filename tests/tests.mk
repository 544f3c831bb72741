# The tests: one binary for each directory of tests/, Catch2 2 or 3, and the runner that adds them up.

# Version 2 is headers only.
hash       := \#
CATCH_LINK := $(shell printf '$(hash)if __has_include(<catch2/catch_all.hpp>)\n-lCatch2\n$(hash)endif\n' | $(CXX) -E -P -x c++ -)
TEST_FLAGS := $(filter-out -O%,$(HOST_FLAGS)) -O1 -DBUILD_DIRECTORY='"$(abspath $(BUILD))"' -DSOURCE_DIRECTORY='"$(abspath .)"'
ASAN_TEST_FLAGS := $(filter-out -DHAVE_CUDA,$(TEST_FLAGS)) $(ASAN)
$(BUILD)/flags/tests: FLAGS = $(CXX) $(TEST_FLAGS) $(CATCH_LINK)

# Every test program, and what it needs to have been built before it runs.
TEST_PROGRAMS := $(addprefix $(BUILD)/tests/,unit_test abi_test cli_test clients_test readme_test emulator_test every_plugin_test) \
                 $(addprefix $(BUILD)/asan/tests/,emulator_test every_plugin_test)
TEST_SUBJECTS = $(BUILD)/compare $(CPU_PLUGINS) $(EMULATED_PLUGINS) $(CUDA_PLUGINS) $(ASAN_PLUGINS) $(BAD_PLUGINS) \
                $(BUILD)/foreign/plain.so $(if $(NVCC),$(BUILD)/foreign/plain_cuda.so $(BAD_GPU_PLUGINS) $(MICROBENCHMARKS))

.PHONY: test test-programs
test: deps  ## build and run all tests (on the GPU too, if there is one)
	@$(MAKE) $(parallel) test-programs
	@python3 tests/run.py $(BUILD)

test_objects = $(patsubst tests/%.cpp,$(BUILD)/tests/%.o,$(wildcard tests/$(1)/*.cpp)) $(BUILD)/tests/catch_main.o
asan_objects = $(patsubst $(BUILD)/%,$(BUILD)/asan/%,$(call test_objects,$(1)))

# Catch2's own code is not ours to warn about.
catch_quiet = $(if $(filter %/catch_main.o,$@),-w)

$(BUILD)/tests/%.o: tests/%.cpp $(BUILD)/flags/tests
	$(compile) $(TEST_FLAGS) $(catch_quiet) -c $< -o $@

$(BUILD)/asan/tests/%.o: tests/%.cpp $(BUILD)/flags/tests
	$(compile) $(ASAN_TEST_FLAGS) $(catch_quiet) -c $< -o $@

$(BUILD)/tests/unit_test: $(call test_objects,unit/*) $(HOST_OBJECTS)
	$(link) $(TEST_FLAGS) $^ -o $@ $(CATCH_LINK) $(HOST_LINK)

$(foreach name,abi cli clients readme,$(BUILD)/tests/$(name)_test): $(BUILD)/tests/%_test: $$(call test_objects,$$*)
	$(link) $(TEST_FLAGS) $^ -o $@ $(CATCH_LINK)

# ---- Plugins of other people: built as they would, with none of our flags ----------------------------------------

BAD_PLUGINS := $(patsubst tests/bad_plugins/%.cpp,$(BUILD)/bad_plugins/%.so,$(wildcard tests/bad_plugins/*.cpp))

$(BUILD)/bad_plugins/%.so: tests/bad_plugins/%.cpp tests/bad_plugins/multiply.h abi/solve.h
	$(call say,c++,$@)
	@mkdir -p $(@D)
	$(Q)$(CXX) -std=c++20 -O2 -w -shared -fPIC $< -o $@

BAD_GPU_PLUGINS := $(patsubst tests/bad_plugins/%.cu,$(BUILD)/bad_gpu_plugins/%.so,$(wildcard tests/bad_plugins/*.cu))

# Built for whatever nvcc takes by default, with PTX; but one for a GPU that is not the one here, without.
OTHER_ARCH := $(if $(filter 75,$(GPU_ARCHS)),80,75)
$(BUILD)/bad_gpu_plugins/gpu_other_architecture.so: ARCHITECTURE = -gencode=arch=compute_$(OTHER_ARCH),code=sm_$(OTHER_ARCH)
$(BUILD)/bad_gpu_plugins/%.so: tests/bad_plugins/%.cu tests/bad_plugins/multiply.cuh
	$(call say,nvcc,$@)
	@mkdir -p $(@D)
	$(Q)$(NVCC) -std=c++20 -w -shared -Xcompiler -fPIC $(ARCHITECTURE) $< -o $@

$(BUILD)/foreign/plain.so: tests/foreign/plain.cu $(EMULATOR)
	$(call build_emulated_plugin,$<,$@)

$(BUILD)/foreign/plain_cuda.so: tests/foreign/plain.cu
	$(call say,nvcc,$@)
	@mkdir -p $(@D)
	$(Q)$(NVCC) -shared -Xcompiler -fPIC $< -o $@

# ---- Every plugin, at every shape --------------------------------------------------------------------------------
# Twice: as built for use (the CUDA plugins run here), and with AddressSanitizer (the emulated and the CPU plugins).

EVERY_PLUGIN_HOST := checks/problem checks/check checks/enqueue_check device/device_host device/device_no_cuda \
                      library/plugin library/discovery library/elf_file library/library_file library/fatbin \
                      $(patsubst host/%.cpp,%,$(wildcard host/values/*.cpp))
ASAN_PLUGINS      := $(EMULATED_PLUGINS:$(BUILD)/%=$(BUILD)/asan/%) $(CPU_PLUGINS:$(BUILD)/%=$(BUILD)/asan/%)

$(BUILD)/tests/every_plugin_test: $(call test_objects,every_plugin) $(HOST_OBJECTS)
	$(link) $(TEST_FLAGS) $^ -o $@ $(CATCH_LINK) $(HOST_LINK)

$(BUILD)/asan/tests/every_plugin_test: $(call asan_objects,every_plugin) $(EVERY_PLUGIN_HOST:%=$(BUILD)/asan/host/%.o)
	$(link) $(ASAN_TEST_FLAGS) $^ -o $@ $(CATCH_LINK) $(FMT_LINK) $(CRYPTO_LINK) -ldl

$(BUILD)/asan/host/%.o: host/%.cpp $(BUILD)/flags/tests
	$(compile) $(ASAN_TEST_FLAGS) -c $< -o $@

$(BUILD)/asan/plugins/emulator/%.so: %.cu abi/solve.map $(ASAN_EMULATOR) $(BUILD)/flags/emulator
	$(call build_emulated_plugin,$<,$@,$(ASAN))

$(BUILD)/asan/plugins/cpu/%.so: %.cpp abi/solve.map $(BUILD)/flags/cpu
	$(call build_cpu_plugin,$<,$@,$(ASAN))

# ---- The emulator: kernels that are rewritten, emulated and tested in one program, plain and sanitized -----------

EMULATOR_TESTS := $(patsubst tests/%,$(BUILD)/tests/%.o,$(wildcard tests/emulator/*.cu tests/emulator/*.cpp)) \
                  $(filter-out %/rewrite_main.o,$(REWRITER_OBJECTS))

# $(call build_emulator_test,source,object,extra flags). -O1: most of it is Catch2.
define build_emulator_test
$(call emulate,$(1),$(2:.o=),-O1 $(3),$(2))
$(Q)$(CXX) $(EMULATOR_FLAGS) $(EMULATED_FLAGS) -O1 $(3) -fpreprocessed -c $(2:.o=.emulated.ii) -o $(2) \
    $(call emulated_failure,$(1))
endef

$(BUILD)/tests/emulator/%.cu.o: tests/emulator/%.cu $(BUILD)/emulator/rewrite $(BUILD)/flags/emulator
	$(call build_emulator_test,$<,$@)

$(BUILD)/asan/tests/emulator/%.cu.o: tests/emulator/%.cu $(BUILD)/emulator/rewrite $(BUILD)/flags/emulator
	$(call build_emulator_test,$<,$@,$(ASAN))

$(BUILD)/tests/emulator/%.cpp.o: tests/emulator/%.cpp $(BUILD)/flags/emulator
	$(compile) $(EMULATOR_FLAGS) -O1 $(WARNINGS) -c $< -o $@

$(BUILD)/asan/tests/emulator/%.cpp.o: tests/emulator/%.cpp $(BUILD)/flags/emulator
	$(compile) $(EMULATOR_FLAGS) -O1 $(ASAN) $(WARNINGS) -c $< -o $@

$(BUILD)/tests/emulator_test: $(EMULATOR_TESTS) $(BUILD)/tests/catch_main.o $(BUILD)/emulator/libemulator.a
	$(link) $(EMULATOR_FLAGS) $^ -o $@ $(EMULATOR_LINK) $(CATCH_LINK)

$(BUILD)/asan/tests/emulator_test: $(EMULATOR_TESTS:$(BUILD)/%=$(BUILD)/asan/%) $(BUILD)/asan/tests/catch_main.o \
    $(BUILD)/asan/emulator/libemulator.a
	$(link) $(EMULATOR_FLAGS) $(ASAN) $^ -o $@ $(EMULATOR_LINK) $(CATCH_LINK)

# Last, because prerequisites are expanded where they stand.
test-programs: $(TEST_PROGRAMS) $(TEST_SUBJECTS)
