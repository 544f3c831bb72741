# sgemm-ladder. `make help` lists the targets.
#
# Every plugin is one source file and becomes one library; wildcards find them, so adding a kernel is adding a file:
#   plugins/cuda/X.cu  -> build/plugins/cuda/X.so       where nvcc is found
#                      -> build/plugins/emulator/X.so   the same file, executed on the CPU
#   plugins/cpu/X.cpp  -> build/plugins/cpu/X.so
#   plugins/chain/X.cu and X.cpp: the same, for the product of three matrices
#   plugins/multi/X.cu: the same, for matrices in host memory and several GPUs

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.SUFFIXES:
.SECONDEXPANSION:
SHELL := /bin/bash

# $(call once,NAME,value): the value of the variable NAME, found out where it is first used. Make expands the
# prerequisites of all rules, so those that ask the machine are $(if $(call goal,X),...): a goal that needs none of
# them, as help, asks nothing.
once = $(eval $(1) := $(2))$($(1))
goal = $(filter $(1),$(MAKECMDGOALS))

# $(call quoted,text): one word for the shell.
quoted = '$(subst ','\'',$(1))'

# ---- What the build links ------------------------------------------------------------------------------------------

CXX         ?= g++
BLAS_LINK   := -lopenblas
# Boost goes in statically, so that an emulated plugin needs nothing but the C++ runtime.
BOOST_LINK  := -Wl,-Bstatic -lboost_context -Wl,-Bdynamic
FMT_LINK    := -lfmt
CRYPTO_LINK := -lcrypto
ZLIB_LINK   := -lz

# Asks the compiler for these; the build and the installation of what is missing are told the same.
DEPS = CXX='$(CXX)' BLAS_LINK='$(BLAS_LINK)' BOOST_LINK='$(BOOST_LINK)' FMT_LINK='$(FMT_LINK)' \
       CRYPTO_LINK='$(CRYPTO_LINK)' ZLIB_LINK='$(ZLIB_LINK)' CATCH_LINK='$(CATCH_LINK)' host/tools/deps.sh

# ---- What this machine has -------------------------------------------------------------------------------------

# What `make toolchain` brings is the last to be looked for.
TOOLCHAIN := build/toolchain
NVCC      := $(firstword $(wildcard $(addsuffix /nvcc,$(subst :, ,$(PATH)) /usr/local/cuda/bin $(TOOLCHAIN)/nvidia/cu13/bin)))
CUDA_HOME := $(if $(NVCC),$(patsubst %/bin/nvcc,%,$(realpath $(NVCC))))
GPU_ARCHS  = $(call once,GPU_ARCHS,$(shell nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | \
                 tr -d . | grep -xE '[0-9]+' | sort -un))
HAVE_GPU   = $(if $(GPU_ARCHS),yes)
HAVE_BLAS  = $(call once,HAVE_BLAS,$(shell $(DEPS) libopenblas-dev && echo yes))

# The architectures to compile for: those of the GPUs present, else all from Turing on (and PTX of the last).
ALL_ARCHS  := 75 80 86 89 90
CUDA_ARCHS ?= $(or $(GPU_ARCHS),$(ALL_ARCHS))
# The same for plugins/multi and 90_chain: each compiles all kernels of 90_dispatch, a minute for five architectures.
MULTI_ARCHS ?= $(CUDA_ARCHS)
DEVICE     ?= $(if $(and $(NVCC),$(HAVE_GPU)),cuda,emulator)

# ---- Flags -----------------------------------------------------------------------------------------------------

OPT      ?= -O2
WARNINGS := -Wall -Wextra -Wpedantic
# g++ collects garbage in its own heap from a gigabyte on, in place of 128 MB, which a precompiled header alone takes: a
# tenth faster.
GARBAGE  := --param ggc-min-heapsize=1000000
CXXFLAGS += -std=c++20 $(OPT) -g1 -fPIC $(WARNINGS) $(GARBAGE)
NVFLAGS  += -std=c++20 $(if $(FAST),-O0,-O3 -lineinfo) --threads 0 -Xcompiler -fPIC,-Wall,-fno-gnu-unique $(FAST_COMPILE)

# `make cuda FAST=yes` asks nvcc for less, which nvcc can do from 12.9 on: it tells whether all of it compiles in a sixth of
# the time (90_dispatch for one architecture: 7 s for 41), and what comes of it is slow, also the host's part, at -O0. What
# has all kernels of 90_dispatch is compiled to PTX alone then: for five architectures that takes 23 s of CPU for 100, and
# the machine code of each kernel comes with its own rung. At `max` nvcc keeps code that an architecture never reaches;
# where that has instructions which only later ones have, it is `mid`.
FAST_COMPILE = $(if $(FAST),$(if $(call once,CAN_BE_FAST,$(shell $(NVCC) --help | grep -m1 -o Ofast-compile)),-Ofc $(if \
                   $(filter 87_batched_slices,$(call stem,$@)),mid,max)))

# $(call gencode,architectures[,90a][,86 89][,PTX]): machine code for each architecture, and PTX of the last. If 90a is
# named, sm_90 may use what only sm_90a has. Those named then are compiled from the PTX of 80 if 80 is one of the
# architectures. PTX: that alone, of each that has its own.
from_80 = $(if $(filter 80,$(1)),$(filter $(2),$(1)))
gencode = $(if $(4),\
              $(foreach a,$(filter-out $(call from_80,$(1),$(3)),$(1)),$(foreach code,$(or $(filter $(a)a,$(2)),$(a)), \
                  -gencode=arch=compute_$(code),code=compute_$(code))), \
              $(foreach a,$(1),$(foreach code,$(or $(filter $(a)a,$(2)),$(a)), \
                  -gencode=arch=compute_$(if $(filter $(a),$(call from_80,$(1),$(3))),80,$(code)),code=sm_$(code))) \
              $(foreach a,$(lastword $(1)),-gencode=arch=compute_$(a),code=compute_$(a)))

# Precompiled headers, for the host and for the tests; `make PCH=` does without.
PCH      ?= yes

# What makes a library a plugin: only solve* leaves it, and no template static is shared between two of them.
# (A sanitized one has undefined symbols, which the sanitized program provides.)
plugin_link     = -shared -Wl,--version-script=abi/solve.map $(if $(findstring $(ASAN),$(1)),,-Wl,--no-undefined)
CPU_FLAGS      := $(CXXFLAGS) -O3 -fno-gnu-unique -fno-semantic-interposition -pthread
EMULATOR_FLAGS := -std=c++20 -O2 -g1 -fPIC $(GARBAGE) -fvisibility=hidden -fno-gnu-unique -pthread -DSOLVE_EMULATOR \
                  -Ihost/emulator/include
# With calls that check, not with the checks in line, g++ compiles 90_dispatch in 48 s for 77, and its tests run 6 to 25 %
# longer.
ASAN           := -fsanitize=address -fno-omit-frame-pointer --param asan-instrumentation-with-call-threshold=0

# What works with threads of its own must not be unloaded: $(call stays_loaded,source).
stays_loaded = $(if $(filter plugins/multi/%,$(1)),-z nodelete)

# One line a step; `make V=1` shows the commands.
Q   := $(if $(V),,@)
say = @printf '  %-9s%s\n' $(1) $(2)

# ---- Sources ---------------------------------------------------------------------------------------------------

BUILD := build

CUDA_SOURCES := $(wildcard plugins/cuda/*.cu plugins/chain/*.cu plugins/multi/*.cu)
HOST_SOURCES := $(wildcard plugins/cpu/*.cpp plugins/chain/*.cpp)

# What a plugin's build needs stands in one line of its source, after the first comment:
#   // build: least=80 as=90a link=cublas
# least     compiled for no older GPU; if CUDA_ARCHS names only such, for the last of them: then it says so when it is called
# as        of sm_90 all that only sm_90a has (setmaxnreg), and no later GPU
# link      cublas: of the CUDA Toolkit, so not emulated; openblas: left out where that is missing
# All lines are read at once, as stem/word; $(call declared,stem,least) is 80.
stem       = $(basename $(notdir $(1)))
DECLARED   = $(call once,DECLARED,$(shell awk '/^\/\/ build: / { name = FILENAME; sub(/.*\//, "", name); sub(/\.[^.]*$$/, "", name); \
                 for (i = 3; i <= NF; ++i) print (own ? own : name) "/" $$i }' $(CUDA_SOURCES) $(HOST_SOURCES) \
                 $(if $(FILE),own=$(OWN_STEM) $(call quoted,$(FILE)))))
declared   = $(patsubst $(1)/$(2)=%,%,$(filter $(1)/$(2)=%,$(DECLARED)))
linking    = $(foreach source,$(1),$(if $(filter $(2),$(call declared,$(call stem,$(source)),link)),$(source)))

EMULATED_SOURCES = $(filter-out $(call linking,$(CUDA_SOURCES),cublas),$(CUDA_SOURCES))
CPU_SOURCES      = $(filter-out $(if $(HAVE_BLAS),,$(call linking,$(HOST_SOURCES),openblas)),$(HOST_SOURCES))

# Where a library goes: plugins of all folders side by side, in one directory for each device.
libraries_in = $(patsubst %,$(BUILD)/plugins/$(1)/%.so,$(basename $(notdir $(2))))

CUDA_PLUGINS     := $(if $(NVCC),$(call libraries_in,cuda,$(CUDA_SOURCES)))
EMULATED_PLUGINS  = $(call libraries_in,emulator,$(EMULATED_SOURCES))
CPU_PLUGINS       = $(call libraries_in,cpu,$(CPU_SOURCES))

# All files of a folder are compiled as one, which takes less than half the time that they take one by one; `make APART=yes`
# compiles each for itself, which is quicker where one file is changed again and again. Those that are built with flags of
# their own are always apart. $(call objects_of,files)
# So are the files of the emulator that some libraries and programs have to do without.
ALONE       := host/base/regex.cpp host/base/term_sums.cpp host/device/device_host.cpp host/source/tree.cpp \
               $(addprefix host/emulator/runtime/,plain_plugin.cpp ptx_code.cpp nccl.cpp cublas.cpp cublasmp.cpp) \
               $(wildcard host/emulator/runtime/solve*_entry.cpp) \
               host/emulator/rewriter/rewrite_main.cpp
together     = $(filter-out $(if $(APART),%,$(ALONE)),$(1))
objects_of   = $(patsubst %.cpp,$(BUILD)/%.o,$(filter-out $(call together,$(1)),$(1))) \
               $(patsubst %,$(BUILD)/%all.o,$(sort $(dir $(call together,$(1)))))

MICROBENCHMARKS  := $(patsubst host/tools/microbench/%.cu,$(BUILD)/microbench/%,$(wildcard host/tools/microbench/*.cu))
# The rooms of host/ that compare is made of; host/README.md says what each is for.
ROOMS            := watch parent report report/html worker timing checks device library source values base
HOST_FILES       := $(wildcard $(ROOMS:%=host/%/*.cpp))
NVCC_OBJECTS     := $(if $(NVCC),$(patsubst host/%.cu,$(BUILD)/host/%.o,$(wildcard $(ROOMS:%=host/%/*.cu))))
HOST_OBJECTS     := $(call objects_of,$(HOST_FILES)) $(NVCC_OBJECTS)
HOST_FLAGS       := $(CXXFLAGS:-O2=-O1) -I. -Ihost -fvisibility=hidden -pthread $(if $(NVCC),-DHAVE_CUDA -DCUDA_HOME='"$(CUDA_HOME)"' \
                    -I$(CUDA_HOME)/include -I$(CUDA_HOME)/extras/CUPTI/include)
HOST_LINK        := $(if $(NVCC),-L$(CUDA_HOME)/lib64 -lcudart_static) $(FMT_LINK) $(CRYPTO_LINK) $(ZLIB_LINK) -pthread -ldl -lrt

EMULATOR_OBJECTS := $(patsubst $(BUILD)/host/%,$(BUILD)/%,$(call objects_of,$(wildcard host/emulator/runtime/*.cpp)))
REWRITER_OBJECTS := $(patsubst $(BUILD)/host/%,$(BUILD)/%,$(call objects_of,$(wildcard host/emulator/rewriter/*.cpp)))

# ---- The main job ----------------------------------------------------------------------------------------------

.PHONY: help run test plugins plugin deps clean format cuda emulator

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 16
	@echo
	@echo 'variables: CUDA_ARCHS="75 90"   DEVICE=cuda|emulator   ARGS="options of compare"'

# All cores, unless make was told how many.
parallel = --no-print-directory $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc))

ARGS ?=
run: deps  ## build what this machine can run, then judge and race it (options: ARGS="--shape 512x512x512")
	@$(MAKE) $(parallel) $(BUILD)/compare plugins drop-in linked
	$(BUILD)/compare $(ARGS)

# With DIR the files of somebody's own folder, each as `make plugin` builds it.
ifeq ($(origin DIR),command line)
plugins:
	+@host/tools/own_plugins.py $(call quoted,$(DIR)) $(MAKE)
else
plugins: $(if $(call goal,plugins),$(CPU_PLUGINS) $(if $(filter cuda,$(DEVICE)),$(CUDA_PLUGINS),$(EMULATED_PLUGINS)))  ## build the plugins of this machine's device; DIR=folder: every .cu and .cpp file of that, into build/plugins
	$(if $(NVCC),,@echo 'nvcc not found: the CUDA libraries are left out; the emulator runs the same kernels$(if $(wildcard /dev/nvidia0),; `make toolchain` brings nvcc')')
	$(if $(HAVE_BLAS),,@echo 'no CBLAS: the CPU BLAS plugin is left out, and rows of CPU plugins have no ratio')
endif

# What has the kernels of 90_dispatch takes longest, and comes first, so that it is not waited for at the end.
LONG_CUDA := $(filter $(call libraries_in,cuda,$(wildcard plugins/*/90_*.cu plugins/multi/*.cu)),$(CUDA_PLUGINS))
cuda: $(LONG_CUDA) $(CUDA_PLUGINS)  ## compile every CUDA plugin with nvcc, for CUDA_ARCHS
emulator: $(if $(call goal,emulator),$(EMULATED_PLUGINS))  ## build every CUDA plugin for the CPU emulator

include host/emulator/emulator.mk
include tests/tests.mk

# $(call include_all,files,into): a source that includes all files of a folder, rewritten only if the list has changed.
# It is written under a name with the shell's process ID first, and renamed: compare runs several makes at once for
# files that are named together, and none of them may find its new file renamed by another.
include_all = mkdir -p $(dir $(2)) && new=$(2).$$$$.new && printf '\#include "%s"\n' $(1) > $$new && \
              if cmp -s $$new $(2); then rm $$new; else mv $$new $(2); fi

.PRECIOUS: $(BUILD)/%/all.cpp
$(BUILD)/%/all.cpp: FORCE
	@$(call include_all,$(call together,$(wildcard $*/*.cpp)),$@)

# A changed flag rebuilds what was built with the old one: each rule depends on a file that holds its flags.
$(BUILD)/flags/%: FORCE
	@mkdir -p $(@D)
	@echo '$(subst ','\'',$(USED))' | cmp -s - $@ || echo '$(subst ','\'',$(USED))' > $@
.PHONY: FORCE
FORCE:
$(BUILD)/flags/cuda: USED = $(NVCC) $(NVFLAGS) $(CUDA_ARCHS)
$(BUILD)/flags/cpu: USED = $(CXX) $(CPU_FLAGS)
# A precompiled header is of use to the compiler that made it only.
$(BUILD)/flags/emulator: USED = $(CXX) $(shell $(CXX) --version | head -1) $(EMULATOR_FLAGS) $(EMULATED_FLAGS)
$(BUILD)/flags/host: USED = $(CXX) $(HOST_FLAGS) $(HOST_LINK)
$(BUILD)/flags/drop-in: USED = $(CXX) $(DROP_IN_FLAGS) $(DROP_IN_LINK)

# ---- Plugins ---------------------------------------------------------------------------------------------------

# $(call nvflags_of,stem,extra flags): without the options that the extra flags give too, since nvcc refuses to get them
# twice. nvcc's front end makes the same of the ladder's own sources for 80, 86 and 89, so it runs once for the three:
# for one of them it takes 34 s of 90_dispatch's 45. What has all kernels of 90_dispatch goes without -lineinfo, with
# which their PTX lies beside the machine code, 20 of 34 MB for sm_90a that the first call of a process loads; and so it
# asks for the compression, to 2 MB for 9, that what has debugging data gets unasked.
least_of   = $(or $(call declared,$(1),least),0)
has_90     = $(wildcard plugins/multi/$(1).cu)$(filter 90_chain,$(1))
all_of_90  = $(has_90)$(filter 90_dispatch,$(1))
archs_for  = $(if $(has_90),$(MULTI_ARCHS),$(CUDA_ARCHS))
archs_of   = $(or $(shell for a in $(archs_for); do [ $$a -ge $(call least_of,$(1)) ] && echo $$a; done),$(lastword $(archs_for)))
nvflags_of = $(filter-out $(if $(filter -std=%,$(2)),-std=%) $(if $(filter -O%,$(2)),-O%) \
                 $(if $(all_of_90),-lineinfo),$(NVFLAGS)) $(if $(all_of_90),-Xfatbin=-compress-all) \
             $(if $(filter -arch=% -gencode=%,$(2)),,$(call gencode,$(call archs_of,$(1)),$(call declared,$(1),as), \
                 $(if $(filter %/$(1).cu,$(CUDA_SOURCES)),86 89),$(if $(FAST),$(all_of_90))))

# $(call build_X_plugin,source as the shell reads it,library,extra flags)
define build_cuda_plugin
$(call say,nvcc,$(2))
@mkdir -p $(dir $(2))
$(Q)$(if $(AT_ONCE),host/tools/nvcc_at_once.sh) $(NVCC) $(call nvflags_of,$(call stem,$(2)),$(3)) $(3) -shared -DPLUGIN_NAME='"$(call stem,$(2))"' \
    -MMD -MP -MF $(2:.so=.d) -Xlinker --version-script=abi/solve.map $(1) -o $(2) \
    $(foreach library,$(call declared,$(call stem,$(2)),link),-l$(library) -Xlinker -rpath=$(CUDA_HOME)/lib64) \
    $(addprefix -Xlinker ,$(call stays_loaded,$(1)))
endef

define build_cpu_plugin
$(call say,c++,$(2))
@mkdir -p $(dir $(2))
$(Q)$(CXX) $(CPU_FLAGS) $(3) -DPLUGIN_NAME='"$(call stem,$(2))"' -MMD -MP -MF $(2:.so=.d) $(1) -o $(2) $(call plugin_link,$(3)) \
    $(if $(call declared,$(call stem,$(2)),link),$(BLAS_LINK))
endef

vpath %.cu plugins/cuda plugins/chain plugins/multi
vpath %.cpp plugins/cpu plugins/chain

$(BUILD)/plugins/cuda/%.so: %.cu abi/solve.map $(BUILD)/flags/cuda
	$(call build_cuda_plugin,$<,$@)

$(BUILD)/plugins/cpu/%.so: %.cpp abi/solve.map $(BUILD)/flags/cpu
	$(call build_cpu_plugin,$<,$@)

$(BUILD)/plugins/emulator/%.so: %.cu abi/solve.map $(EMULATOR) $(BUILD)/flags/emulator
	$(call build_emulated_plugin,$<,$@)

# Somebody's own kernel: `make plugin FILE=path/x.cu` (or x.cpp) builds build/plugins/x.so, or INTO/x.so, for this
# machine. With SANITIZE=1 it is build/asan/plugins/x.so, since a program must bring AddressSanitizer along to load it.
# RESOURCES=1: nvcc says how many registers each kernel takes. AT_ONCE=1: nvcc's steps side by side, which is sooner done.
# The path may hold blanks and the like: the library's name has _ for them, and make sees a pattern that matches it.
FILE_WORD = $(subst $() $(),?,$(FILE))
OWN_STEM  = $(call once,OWN_STEM,$(shell printf %s $(call quoted,$(basename $(notdir $(FILE_WORD)))) | LC_ALL=C tr -c 'A-Za-z0-9._+\200-\377-' _))
OWN_KIND  = $(if $(filter %.cpp,$(FILE_WORD)),cpu,$(DEVICE:emulator=emulated))
INTO     ?= $(BUILD)/$(if $(SANITIZE),asan/)plugins
OWN       = $(INTO)/$(OWN_STEM).so
# What the first lines of the file ask for: flags, and another file to compile, which calls what is in this one. Most ask
# for nothing, and starting Python twice takes as long as half of a small kernel's compilation.
own_plugin = $(shell host/tools/own_plugin.py $(1))$(if $(filter-out 0,$(.SHELLSTATUS)),$(error nothing was built))
OWN_WISHES = $(call once,OWN_WISHES,$(shell head -n 20 $(call quoted,$(FILE)) | grep -cE '^//[[:space:]]*(compile|solve):'))
OWN_FLAGS  = $(if $(filter-out 0,$(OWN_WISHES)),$(call own_plugin,flags $(OWN_KIND) $(call quoted,$(FILE))))
OWN_SOURCE = $(if $(filter-out 0,$(OWN_WISHES)),$(call own_plugin,adapt $(call quoted,$(FILE)) $(OWN:.so=.adapted)$(if \
                 $(filter cpu,$(OWN_KIND)),.cpp,.cu)),$(call quoted,$(FILE)))
plugin: abi/solve.map $(if $(call goal,plugin),$(if $(filter emulated,$(OWN_KIND)),$(if $(SANITIZE),$(ASAN_EMULATOR),$(EMULATOR))))  ## build one file of yours into build/plugins: FILE=path/x.cu [DEVICE=cuda|emulator] [FLAGS="-I dir -DX=1"] [INTO=dir] [SANITIZE=1]
	$(if $(FILE),,$(error say which file: make plugin FILE=path/x.cu))
	$(if $(wildcard $(FILE_WORD)),,$(error no such file: $(FILE)))
	$(if $(filter %.cu %.cpp,$(FILE_WORD)),,$(error $(FILE): a plugin is built from a .cu or a .cpp file))
	$(if $(word 2,$(INTO)),$(error INTO is a folder whose path holds no blanks, which '$(INTO)' does))
	$(if $(filter cuda emulator,$(DEVICE)),,$(error DEVICE is cuda or emulator, not '$(DEVICE)'))
	$(if $(or $(NVCC),$(filter-out cuda,$(OWN_KIND))),,$(error DEVICE=cuda needs nvcc: install the CUDA Toolkit, or use DEVICE=emulator))
	$(if $(and $(SANITIZE),$(filter cuda,$(OWN_KIND))),$(error SANITIZE=1 is for the emulator and for .cpp files; on a GPU there is compute-sanitizer))
	$(call build_$(OWN_KIND)_plugin,$(OWN_SOURCE),$(OWN),$(if $(SANITIZE),$(ASAN)) $(if $(and $(RESOURCES),$(filter cuda,$(OWN_KIND))),-Xptxas=-v) $(OWN_FLAGS) $(FLAGS))
	@host/tools/exports.sh $(call quoted,$(FILE)) $(OWN) $(if $(filter emulated,$(OWN_KIND)),$(OWN:.so=.emulated.o)); \
	    status=$$?; rm -f $(OWN:.so=.ii) $(OWN:.so=.emulated.ii) $(OWN:.so=.emulated.o); exit $$status
	@echo 'built $(OWN) for $(OWN_KIND:emulated=emulator); judge it with: $(if $(SANITIZE),ASAN_OPTIONS=detect_leaks=0:quarantine_size_mb=0:thread_local_quarantine_size_kb=0 LD_PRELOAD=$(shell $(CXX) -print-file-name=libasan.so) )$(BUILD)/compare $(OWN)'

.PHONY: toolchain
RELEASE ?=
toolchain:  ## where a GPU is and nvcc is not: bring CUDA 13 into build/toolchain, 0.9 GB, without root [RELEASE=13.0]
	@$(if $(NVCC),echo 'nvcc is here: $(NVCC)',host/tools/toolchain.sh $(TOOLCHAIN) $(RELEASE))

.PHONY: exercise
exercise:  ## for a learner: write my_34.cu, a rung without the body of its kernel: RUNG=34 [FILE=path/x.cu]
	@python3 host/tools/exercise.py '$(RUNG)' $(if $(FILE),'$(FILE)')

# $(compile) and $(link) begin the recipe of an object and of a program.
define compile
$(call say,c++,$@)
@mkdir -p $(@D)
$(Q)$(CXX) -MMD -MP
endef

# Under its name when it is whole: the compiler maps it into memory.
precompile = -MT $(2) -MF $(2:.gch=.d) -x c++-header $(1) -o $(2).new && mv -f $(2).new $(2) && \
    echo '\#include "$(abspath $(1))"' > $(2:.gch=)

define link
$(call say,link,$@)
@mkdir -p $(@D)
$(Q)$(CXX)
endef

# ---- The host --------------------------------------------------------------------------------------------------

# JSON and format strings are most of what the host's files include. At -O1 g++ has a third less to do than at -O2: of a run
# of compare in the emulator the host's own code takes a twentieth of the time, and half of that is vectorised below.
HOST_PCH = $(PCH:yes=-include $(BUILD)/pch/host.h)

$(BUILD)/pch/host.h.gch: host/base/precompiled.h $(BUILD)/flags/host
	$(compile) $(filter-out -fsyntax-only,$(HOST_FLAGS)) $(call precompile,$<,$@)

$(BUILD)/host/base/regex.o: private HOST_PCH =

# The products that every other is held against are vectorised. At -O3, too: the loops that fill and compare matrices.
$(BUILD)/host/base/term_sums.o $(BUILD)/host/device/device_host.o: private OPTIMISED = $(OPT:-O2=-O3)
$(BUILD)/host/base/term_sums.o $(BUILD)/host/device/device_host.o: private HOST_PCH =

# The source tree, build folder and compiler with which `compare my.cu` builds a file. Only this object has them, so
# that all other objects are the same in two source trees.
$(BUILD)/host/source/tree.o: TREE = -DSOURCE_TREE='"$(CURDIR)"' -DSOURCE_BUILD='"$(abspath $(BUILD))"' -DSOURCE_COMPILER='"$(CXX)"'

HOST_HEADERS = $(PCH:yes=$(BUILD)/pch/host.h.gch) $(BUILD)/flags/host

define build_host_object
$(compile) $(HOST_FLAGS) $(OPTIMISED) $(HOST_PCH) $(TREE) -c $< -o $@
endef

$(BUILD)/host/%.o: host/%.cpp $(HOST_HEADERS)
	$(build_host_object)

$(BUILD)/host/%/all.o: $(BUILD)/host/%/all.cpp $(HOST_HEADERS)
	$(build_host_object)

$(BUILD)/host/%.o: host/%.cu $(BUILD)/flags/cuda
	$(call say,nvcc,$@)
	@mkdir -p $(@D)
	$(Q)$(NVCC) $(NVFLAGS) $(call gencode,$(CUDA_ARCHS),,86 89) -I. -Ihost \
	    -MMD -MP -c $< -o $@

$(BUILD)/compare: $(BUILD)/host/main.o $(HOST_OBJECTS)
	$(link) $(HOST_FLAGS) $^ -o $@ $(HOST_LINK)

# ---- The drop-in for cuBLAS ----------------------------------------------------------------------------------------
# It needs no CUDA Toolkit. libstdc++ goes in statically: every process of a program that it is preloaded into gets it.

DROP_IN         := $(BUILD)/lib/libsgemm_ladder_cublas.so
DROP_IN_AUDIT   := $(BUILD)/lib/libsgemm_ladder_cublas_audit.so
DROP_IN_FLAGS   := $(CXXFLAGS) -pthread
DROP_IN_LINK    := -shared -static-libstdc++ -static-libgcc -Wl,--no-undefined -pthread -ldl
DROP_IN_OBJECTS := $(patsubst abi/%.cpp,$(BUILD)/abi/%.o,$(wildcard abi/cublas/*.cpp))

$(BUILD)/abi/%.o: abi/%.cpp $(BUILD)/flags/drop-in
	$(compile) $(DROP_IN_FLAGS) -c $< -o $@

# The audit library looks its symbols up in the older kind of table.
$(DROP_IN): $(DROP_IN_OBJECTS) abi/cublas/drop_in.map
	$(link) $(DROP_IN_OBJECTS) -o $@ $(DROP_IN_LINK) -Wl,--version-script=abi/cublas/drop_in.map -Wl,--hash-style=both

$(DROP_IN_AUDIT): $(BUILD)/abi/cublas/audit/audit.o
	$(link) $< -o $@ $(DROP_IN_LINK) -Wl,--version-script=abi/cublas/audit/audit.map

$(BUILD)/bin/%: abi/cublas/%
	@mkdir -p $(@D)
	@cp $< $@

.PHONY: drop-in
drop-in: $(DROP_IN) $(DROP_IN_AUDIT) $(BUILD)/bin/sgemm-ladder  ## build what takes FP32 products away from cuBLAS in other programs (abi/cublas)

# ---- To link with ---------------------------------------------------------------------------------------------------
# As the drop-in it needs neither the CUDA Toolkit nor, in the program, libstdc++.

LINKED         := $(BUILD)/lib/libsgemm_ladder.so.1
LINKED_OBJECTS := $(patsubst abi/%.cpp,$(BUILD)/abi/%.o,$(wildcard abi/link/*.cpp))

$(LINKED): $(LINKED_OBJECTS) abi/link/sgemm_ladder.map
	$(link) $(LINKED_OBJECTS) -o $@ $(DROP_IN_LINK) -Wl,--version-script=abi/link/sgemm_ladder.map -Wl,-soname,$(@F)
	$(Q)ln -sf $(@F) $(@:.1=)

.PHONY: linked
linked: $(LINKED)  ## build libsgemm_ladder.so.1, which programs link with (abi/link)

# ---- On a GPU ----------------------------------------------------------------------------------------------------

.PHONY: sanitize counters figures judge microbench tune ways survey operations chain split tf32
sanitize: $(BUILD)/compare $(CUDA_PLUGINS)  ## run every CUDA plugin under compute-sanitizer (memcheck, racecheck)
	python3 tests/sanitize/sanitize.py $(BUILD) host/results

counters: $(BUILD)/compare $(CUDA_PLUGINS)  ## read the hardware counters of every rung with ncu
	python3 host/tools/counters.py $(BUILD) host/results 512x512x512 4096x4096x4096 512x512x512x512 1000x777x3000x500
	python3 host/tools/slots.py $(BUILD) host/results 90_dispatch 512x512x512 1024x1024x1024 \
	    2048x2048x2048 4096x4096x4096 8192x8192x8192 8192x8192x128 128x8192x8192 16384x256x256 1x4096x4096 64x16384x64

figures: $(BUILD)/compare $(CUDA_PLUGINS)  ## measure the READMEs' figures on this GPU, some ten minutes, and write them
	python3 host/tools/measure.py $(BUILD) host/results
	python3 host/tools/table.py $(BUILD) --write

judge: $(BUILD)/compare $(CUDA_PLUGINS)  ## put what is claimed of the judge to the test on this GPU
	python3 host/tools/judge.py $(BUILD) host/results

$(BUILD)/microbench/%: host/tools/microbench/%.cu host/tools/microbench/microbench.h
	$(call say,nvcc,$@)
	@mkdir -p $(@D)
	$(Q)$(NVCC) -std=c++20 -O3 -arch=sm_$(lastword $(CUDA_ARCHS)) $< -o $@

# What results.py calls the GPU in the names of files.
GPU_NAME = $(shell cd host/tools && python3 -c "import results; print(results.short_name(results.gpu()[0]))")
microbench: $(MICROBENCHMARKS)  ## measure what bounds the Hopper rungs on this GPU
	{ printf '# Microbenchmarks\n\n%s, %s, `make microbench`; what is measured: host/tools/microbench.\n\n' \
	    "$$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader)" "$$(date +%F)"; \
	  for each in $(sort $^); do $$each || exit; done; } > host/results/$(GPU_NAME)_microbench.md

tune: $(BUILD)/ways  ## measure what 90_dispatch's kernels take on this GPU, and write way_costs.h and way_trees.h in plugins/common/gemm: SEED=7
	python3 host/tools/tune/tune.py $(BUILD) plugins/common/gemm host/results $(SEED)

$(BUILD)/ways: host/tools/tune/ways.cu host/base/statistics.cpp $(wildcard host/tools/survey/*.h host/tools/*.h plugins/cuda/*.cu plugins/cuda/*.h plugins/common/*/*.h) $(BUILD)/flags/cuda
	$(call say,nvcc,$@)
	@mkdir -p $(@D)
	$(Q)$(NVCC) $(call nvflags_of,90_dispatch) -Ihost -DPLUGIN_NAME='"ways"' $(filter %ways.cu %.cpp,$^) -o $@

ways: $(BUILD)/ways  ## time every way that 90_dispatch has at 60 shapes drawn from a seed, beside the one that it takes: SEED=7, or SHAPES=643x495x1576:NT
	python3 host/tools/tune/ways.py $(BUILD) $(or $(SHAPES),$(SEED))

RACE := host/tools/graph_race.h host/tools/microbench/microbench.h host/base/statistics.cpp abi/loader.hpp abi/solve.h
$(BUILD)/survey: host/tools/survey/survey.cu host/tools/survey/drawn.h host/tools/survey/named.h $(RACE)
$(BUILD)/host_time: host/tools/survey/host_time.cu host/tools/survey/drawn.h host/tools/survey/named.h $(RACE)
$(BUILD)/chain_graphs: host/tools/chain/chain.cu $(RACE)
$(BUILD)/survey $(BUILD)/host_time $(BUILD)/chain_graphs:
	$(call say,nvcc,$@)
	@mkdir -p $(@D)
	$(Q)$(NVCC) -std=c++20 -O3 -arch=sm_$(lastword $(CUDA_ARCHS)) -Ihost $(filter %.cu %.cpp,$^) -o $@

SEED ?= $(shell echo $$RANDOM)
survey: $(BUILD)/survey $(CUDA_PLUGINS)  ## race 90_dispatch and cuBLAS at 300 shapes drawn from a seed: SEED=7
	python3 host/tools/survey/survey.py $(BUILD) host/results $(SEED)

operations: $(BUILD)/survey $(BUILD)/host_time $(CUDA_PLUGINS)  ## race 90_dispatch and cuBLAS where operands are transposed, and in batches: SEED=7
	python3 host/tools/survey/operations.py $(BUILD) host/results $(SEED)

chain: $(BUILD)/chain_graphs $(addprefix $(BUILD)/plugins/cuda/,90_chain.so 20_chain_clusters.so 30_chain_tf32.so 00_cublas_fp32.so 02_cublas_default.so)  ## race 90_chain, two cuBLAS calls and PyTorch in CUDA graphs, beside what is asked of 90_chain
	python3 host/tools/chain/chain.py $(BUILD) host/results

split: $(BUILD)/compare $(BUILD)/plugins/cuda/00_cublas_fp32.so  ## race 83, 85 and versions of them beside their goals on this GPU
	python3 host/tools/split.py $(BUILD) host/results/$(GPU_NAME)_split.md '83*' '85*'

tf32: $(BUILD)/compare $(addprefix $(BUILD)/plugins/cuda/,00_cublas_fp32.so 01_cublas_tf32.so)  ## race 81 and versions of it beside cuBLAS's TF32 on this GPU
	python3 host/tools/split.py $(BUILD) host/results/$(GPU_NAME)_tf32.md '81*'

# ---- Installing ------------------------------------------------------------------------------------------------

.PHONY: install uninstall package wheel
PREFIX  ?= /usr/local
DESTDIR ?=
install:  ## install the plugins of this machine's device, compare and the headers: PREFIX=/usr/local DESTDIR=
	@$(MAKE) $(parallel) $(BUILD)/compare plugins drop-in linked
	@host/tools/install.sh $(BUILD) '$(PREFIX)' '$(DESTDIR)'

uninstall:  ## remove what install has installed: PREFIX=/usr/local DESTDIR=
	@host/tools/install.sh --remove '$(PREFIX)' '$(DESTDIR)'

package:  ## make a Debian package of the same, in build/
	@$(MAKE) $(parallel) $(BUILD)/compare plugins drop-in linked
	@host/tools/package.sh $(BUILD)

PYTHON ?= python3
wheel:  ## make a Python package of the plugins of this machine's device, in build/wheel: PYTHON=python3
	@$(MAKE) $(parallel) plugins
	@abi/python/wheel.sh $(BUILD) $(PYTHON)

# ---- Set-up, tidying -------------------------------------------------------------------------------------------

deps:  ## install the Debian/Ubuntu packages that are missing, or print the line that does
	@$(DEPS)

FORMATTED     = $(shell find abi plugins host tests -name '*.h' -o -name '*.hpp' -o -name '*.cpp' -o -name '*.cu')
CLANG_FORMAT ?= $(call once,CLANG_FORMAT,$(firstword $(shell command -v clang-format-14 clang-format 2>/dev/null)))
format:  ## reformat the sources with clang-format 14
	$(if $(CLANG_FORMAT),,$(error clang-format not found: apt-get install clang-format-14))
	$(CLANG_FORMAT) -i $(FORMATTED)

clean:  ## remove build/
	rm -rf $(BUILD)

# What the compiler found each object to depend on; not what `make plugin` built, whose rule has no target of that name,
# and no folder, as there are where something was installed below here.
DEPENDENCIES := $(filter-out $(wildcard $(BUILD)/plugins/*.d),\
                    $(foreach depth,*.d */*.d */*/*.d */*/*/*.d */*/*/*/*.d,$(wildcard $(BUILD)/$(depth))))
-include $(filter-out $(patsubst %/.,%,$(wildcard $(DEPENDENCIES:=/.))),$(DEPENDENCIES))
