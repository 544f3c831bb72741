# The CUDA-on-CPU emulator: a source rewriter and a static library that every emulated plugin links.
#
#   x.cu --g++ -E--> x.ii --rewrite--> x.emulated.ii --g++--> x.so
#
# Preprocessing comes first, so that a launch or a __shared__ inside a macro or a header is rewritten too, and the
# linemarkers keep every message at the line of the .cu file.

# And cuda_runtime.h, compiled once.
EMULATOR := $(BUILD)/emulator/rewrite $(BUILD)/emulator/libemulator.a $(PCH:yes=$(BUILD)/pch/emulator.gch)

# The same under AddressSanitizer, for what is built with $(ASAN) in its extra flags.
ASAN_EMULATOR := $(BUILD)/emulator/rewrite $(BUILD)/asan/emulator/libemulator.a $(PCH:yes=$(BUILD)/asan/pch/emulator.gch)

$(BUILD)/emulator/%.o: host/emulator/%.cpp $(BUILD)/flags/emulator
	$(compile) $(EMULATOR_FLAGS) $(WARNINGS) -c $< -o $@

$(BUILD)/emulator/%/all.o: $(BUILD)/host/emulator/%/all.cpp $(BUILD)/flags/emulator
	$(compile) $(EMULATOR_FLAGS) -I. $(WARNINGS) -c $< -o $@

# What it is to check is the kernels: of the runtime it sees what that allocates, and its calls of memcpy and the like. With
# checks of its own accesses the tests of the rungs that split take a fifth longer.
ASAN_RUNTIME := $(ASAN) --param asan-instrument-reads=0 --param asan-instrument-writes=0

$(BUILD)/asan/emulator/%.o: host/emulator/%.cpp $(BUILD)/flags/emulator
	$(compile) $(EMULATOR_FLAGS) $(ASAN_RUNTIME) $(WARNINGS) -c $< -o $@

$(BUILD)/asan/emulator/%/all.o: $(BUILD)/host/emulator/%/all.cpp $(BUILD)/flags/emulator
	$(compile) $(EMULATOR_FLAGS) -I. $(ASAN_RUNTIME) $(WARNINGS) -c $< -o $@

$(BUILD)/emulator/libemulator.a: $(EMULATOR_OBJECTS)
	$(call say,ar,$@)
	@rm -f $@
	$(Q)$(AR) rcs $@ $^

$(BUILD)/asan/emulator/libemulator.a: $(EMULATOR_OBJECTS:$(BUILD)/%=$(BUILD)/asan/%)
	$(call say,ar,$@)
	@rm -f $@
	$(Q)$(AR) rcs $@ $^

# Of the runtime it needs which PTX instructions there are.
$(BUILD)/emulator/rewrite: $(REWRITER_OBJECTS) $(BUILD)/emulator/runtime/ptx_code.o
	$(link) $(EMULATOR_FLAGS) $^ -o $@

# What the kernels themselves need on top of EMULATOR_FLAGS:
#   - -O1: a third less for g++ to do than -O2 is, and the judge's calls take hardly longer; of -O2 there is what puts a
#     __forceinline__ function that is passed by its address where it is called. (With other levels g++ dies of a header
#     that was precompiled with these.)
#   - without passes of -O1 that find little in a kernel: with them g++ takes 70 s for 90_dispatch, not 56, and calls of
#     five rungs executed 0 to 6 % fewer instructions;
#   - fused multiply-add where this CPU has it, contracted as nvcc does by default; without it fmaf() is a library call;
#   - a float array read as uint4 is undefined to g++ and everyday CUDA;
#   - an access through a pointer that is less aligned than its type calls the runtime, which says where: a misaligned
#     float4 is a fault on a GPU, and nothing to most CPUs;
#   - default visibility: a plain file's `solve` has no attribute. The version script hides all the rest.
HAVE_FMA       = $(call once,HAVE_FMA,$(if $(shell grep -wm1 fma /proc/cpuinfo 2>/dev/null),yes))
LEAN          := -fira-region=one $(addprefix -fno-,compare-elim cprop-registers dce dse forward-propagate guess-branch-probability \
                     if-conversion if-conversion2 ipa-pure-const ipa-reference shrink-wrap tree-copy-prop tree-dominator-opts \
                     tree-dse tree-scev-cprop tree-sink tree-slsr)
EMULATED_FLAGS = -O1 -finline-small-functions -findirect-inlining $(LEAN) $(if $(HAVE_FMA),-mfma -mavx2 -mf16c) \
                 -fno-strict-aliasing -fsanitize=alignment -fvisibility=default -fno-semantic-interposition \
                 -ffunction-sections -fdata-sections -Wno-narrowing -Wno-volatile -Wno-register

# Into sections of their own, so that the linker drops what `solve` does not reach: the rest of somebody's program may
# call what the emulator does not have. -u pulls in the object with the weak solve_info and the mark, which no source
# refers to.
EMULATOR_LINK := -Wl,--gc-sections -Wl,-u,emulator_mark $(BOOST_LINK)

# In the ladder and in the tests no host code makes misaligned accesses, so that the call need not return: g++ has a sixth
# less to do.
of_ladder = $(if $(filter plugins/% tests/%,$(1)),-fno-sanitize-recover=alignment)

# $(call explained,source as the shell reads it) ends a command: what the emulator lacks is said in words of its own.
explained = 2>&1 | sed -E -f host/emulator/explain.sed >&2 || \
    (echo $(1)' cannot be emulated: the first error above says why' >&2; false)

# The precompiled header for what is built with these extra flags: none if there are some that headers may depend on.
precompiled = $(if $(filter-out $(ASAN),$(1)),,$(filter %.gch,$(if $(strip $(1)),$(ASAN_EMULATOR),$(EMULATOR))))

# $(call emulate,source,path of the results without suffix,extra flags,target[,precompiled header]) leaves X.emulated.ii for
# the target X. cuda_runtime.h comes before everything, as with nvcc.
define emulate
$(call say,emulate,$(4))
@mkdir -p $(dir $(2))
$(Q)set -o pipefail; $(CXX) $(EMULATOR_FLAGS) $(EMULATED_FLAGS) $(3) -MMD -MP -MT $(4) -MF $(2).d \
    -include $(if $(5),emulator/precompiled.h,cuda_runtime.h) -include emulator/plugin_name.h \
    -x c++ -E $(1) -o $(2).ii $(call explained,$(1))
$(Q)set -o pipefail; $(BUILD)/emulator/rewrite $(2).ii $(2).emulated.ii $(5) $(call explained,$(1))
endef

# $(call precompile_emulated,file[,flags]): the header as it is rewritten.
define precompile_emulated
$(call emulate,/dev/null,$(1:.gch=),-include emulator/precompiled.h $(2),$(1))
$(Q)$(CXX) $(EMULATOR_FLAGS) $(EMULATED_FLAGS) $(2) -fpreprocessed -x c++-header $(1:.gch=.emulated.ii) -o $(1).new && \
    mv -f $(1).new $(1)
endef

$(BUILD)/pch/emulator.gch: $(BUILD)/emulator/rewrite $(BUILD)/flags/emulator
	$(call precompile_emulated,$@)

$(BUILD)/asan/pch/emulator.gch: $(BUILD)/emulator/rewrite $(BUILD)/flags/emulator
	$(call precompile_emulated,$@,$(ASAN))

# $(call build_emulated_plugin,source as the shell reads it,library,extra flags). Linked without EMULATED_FLAGS: -fsanitize=alignment would bring
# in libubsan, and the runtime is what its calls go to. Its entries are renamed: the runtime has entries around them.
RENAMED_ENTRIES := solve solve_enqueue solve_gemm solve_chain solve_chain_enqueue
define build_emulated_plugin
$(call emulate,$(1),$(2:.so=),$(3) -DPLUGIN_NAME='"$(call stem,$(2))"',$(2),$(call precompiled,$(3)))
$(Q)set -o pipefail; $(CXX) $(EMULATOR_FLAGS) $(EMULATED_FLAGS) $(of_ladder) $(3) \
    -fpreprocessed -c $(2:.so=.emulated.ii) -o $(2:.so=.emulated.o) $(call explained,$(1))
$(Q)objcopy $(foreach entry,$(RENAMED_ENTRIES) solve_last_error,--redefine-sym $(entry)=$(entry)_of_source) $(2:.so=.emulated.o)
$(Q)set -o pipefail; $(CXX) $(EMULATOR_FLAGS) $(3) $(2:.so=.emulated.o) -o $(2) \
    $$(nm --defined-only $(2:.so=.emulated.o) | sed -n -E 's/.* T ($(subst $() ,|,$(RENAMED_ENTRIES)))_of_source$$/-Wl,-u,\1/p') \
    $(call plugin_link,$(3)) $(call stays_loaded,$(1)) $(BUILD)/$(if $(findstring $(ASAN),$(3)),asan/)emulator/libemulator.a $(EMULATOR_LINK) \
    $(call explained,$(1))
endef
