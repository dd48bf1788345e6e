# gpusort_cuda.so: the CUDA module, built beside the extension and loaded by the
# device worker only.
#
#   WITH_CUDA=yes|no   by default it is built where there are nvcc and a GPU, and
#                      `make install` installs what `make` built
#   CUDA_ARCHS="90"    code for these compute capabilities, and PTX of the last one. By
#                      default those of the GPUs here; without a GPU, or by all, every one
#                      in use that the toolkit knows from 7.5 up (8.9 runs the code
#                      of 8.6, 10.3 that of 10.0). make says how long it takes
#   CUDA_FLAGS=...     further flags for nvcc, such as -lineinfo for profilers
#   make check-kernels, check-kernels-sanitized, bench-kernels:
#                      programs that need a GPU, no server

NVCC ?= $(firstword $(wildcard $(addsuffix /bin/nvcc,$(CUDA_HOME) /usr/local/cuda)) $(shell command -v nvcc 2>/dev/null))
GPUS_HERE := $(if $(NVCC),$(sort $(subst .,,$(shell nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2> /dev/null | grep -x '[0-9]*\.[0-9]'))))

# Where something was built, installing takes that.
ifneq ($(and $(filter install,$(MAKECMDGOALS)),$(wildcard gpusort.so)),)
WITH_CUDA ?= $(if $(wildcard gpusort_cuda.so),yes,no)
endif
# Say why the CUDA module is not built, except for targets that list something.
ifeq ($(or $(MAKECMDGOALS),all)$(wildcard gpusort.so),all)
ifeq ($(origin WITH_CUDA)$(GPUS_HERE),undefined)
$(info gpusort: building for the CPU alone, which takes a minute: there is no $(if $(NVCC),GPU here; WITH_CUDA=yes builds the CUDA module all the same,nvcc))
endif
endif
WITH_CUDA ?= $(if $(GPUS_HERE),yes,no)

# with_cub.cu includes these.
WITH_CUB := cuda/methods/numbers.cu cuda/published/matrix.cu cuda/published/tagged.cu
CUDA_SOURCES := $(sort $(filter-out $(WITH_CUB),$(wildcard cuda/*.cu \
	$(addsuffix /*.cu,cuda/device cuda/methods cuda/network cuda/published))))
CUDA_OBJS = $(CUDA_SOURCES:.cu=.o)
# Forms that only the programs without a server run, and what these programs link.
FORM_OBJS := $(patsubst %.cu,%.o,$(sort $(wildcard cuda/published/forms/*.cu)))
KERNEL_OBJS = $(CUDA_OBJS) $(FORM_OBJS)

# These do not ask what was built with.
uninstall: uninstall-cuda
clean: clean-cuda

.PHONY: uninstall-cuda clean-cuda
uninstall-cuda:
	rm -f '$(DESTDIR)$(pkglibdir)/gpusort_cuda.so'

clean-cuda:
	rm -f gpusort_cuda.so $(KERNEL_OBJS) $(KERNEL_OBJS:.o=.d)

ifeq ($(WITH_CUDA),yes)

ifeq ($(NVCC),)
$(error WITH_CUDA=yes, but there is no nvcc: set NVCC or CUDA_HOME, or leave CUDA out by WITH_CUDA=no)
endif

CUDA_ARCHS_KNOWN := $(patsubst compute_%,%,$(shell $(NVCC) --list-gpu-arch))
CUDA_ARCHS_IN_USE := $(filter $(CUDA_ARCHS_KNOWN),75 80 86 90 100 120)
# A GPU newer than the toolkit runs the PTX of the last capability in use.
CUDA_ARCHS ?= $(if $(GPUS_HERE),$(or $(filter $(GPUS_HERE),$(CUDA_ARCHS_KNOWN)),$(lastword $(CUDA_ARCHS_IN_USE))),all)
ifeq ($(CUDA_ARCHS),all)
override CUDA_ARCHS := $(CUDA_ARCHS_IN_USE)
endif
CUDA_CODE = $(foreach arch,$(CUDA_ARCHS),-gencode=arch=compute_$(arch),code=sm_$(arch)) \
	-gencode=arch=compute_$(lastword $(CUDA_ARCHS)),code=compute_$(lastword $(CUDA_ARCHS))
# Compressed, where nvcc can, or the module would be several times as large; to the least size takes a fifth of the time.
NVCC_HELP := $(shell $(NVCC) --help 2> /dev/null)
CUDA_COMPRESS := $(if $(findstring --compress-mode,$(NVCC_HELP)),--compress-mode=balance)
# CUB without the number types that no key has and without marks for profilers: a second of each file that includes it.
CUB_FLAGS = -DCCCL_DISABLE_FP16_SUPPORT -DCCCL_DISABLE_BF16_SUPPORT -DCCCL_DISABLE_NVTX
NVCCFLAGS = -std=c++17 $(CUDA_COMPRESS) $(CUB_FLAGS) $(CUDA_FLAGS) -I$(srcdir)/src -I$(srcdir)/cuda \
	-Xcompiler=-fPIC,-fvisibility=hidden,-Wall,-Wextra -cudart=static
# Without kernels, these need the compiler of the host only.
cuda/segment_sort.o cuda/device/device.o cuda/device/job.o: NVCCFLAGS += -x c++
# Half of the time, and 1.1 times as fast; of the other kernels it makes slower ones.
cuda/network/pairs64.o: NVCCFLAGS += $(if $(findstring --Ofast-compile,$(NVCC_HELP)),--Ofast-compile=min)

CUDA_HEADERS := $(wildcard cuda/*.h cuda/*.cuh cuda/*/*.h cuda/*/*.cuh cuda/published/forms/*.cuh src/keys/*.h)

all: gpusort_cuda.so

# Said once, by the first that is compiled.
CUDA_SAY = $(if $(CUDA_SAID),,$(info gpusort: compiling the CUDA module for compute capability $(CUDA_ARCHS), which takes \
	two minutes of one core for each; make -j shares them out)$(eval CUDA_SAID := yes))

cuda/%.o: cuda/%.cu
	$(CUDA_SAY)$(NVCC) $(NVCCFLAGS) -Xcompiler=-O1 $(CUDA_CODE) -MMD -MP -c -o $@ $<
-include $(KERNEL_OBJS:.o=.d)

gpusort_cuda.so: $(CUDA_OBJS)
	$(NVCC) -shared -cudart=static $(CUDA_CODE) -Xlinker=--exclude-libs,ALL -o $@ $^

build/%_test: cuda/tests/%_test.cu $(wildcard cuda/tests/*.h cuda/tests/*.cuh) $(KERNEL_OBJS) $(CUDA_HEADERS)
	@mkdir -p $(@D)
	$(NVCC) -O3 $(NVCCFLAGS) $(CUDA_CODE) -o $@ $< $(KERNEL_OBJS)

# The CPU engine's sorts, which know no PostgreSQL, run beside the kernels.
CPU_SORT_OBJS = $(patsubst %.cc,%.o,$(sort $(wildcard src/cpu_engine/*.cc)))

KERNEL_BENCH_OBJS = $(patsubst bench/%.cu,build/bench/%.o,bench/kernels.cu $(sort $(wildcard bench/kernels/*.cu)))

build/bench/%.o: bench/%.cu $(wildcard bench/kernels/*.cuh) $(CUDA_HEADERS)
	@mkdir -p $(@D)
	$(NVCC) -O3 $(NVCCFLAGS) -Ibench $(CUDA_CODE) -c -o $@ $<

build/kernels_bench: $(KERNEL_BENCH_OBJS) $(KERNEL_OBJS) $(CPU_SORT_OBJS)
	@mkdir -p $(@D)
	$(NVCC) $(NVCCFLAGS) $(CUDA_CODE) -o $@ $^ -lpthread

# All of them, for where there is a compiler and no GPU.
.PHONY: cuda-programs
cuda-programs: build/kernels_test build/variants_test build/kernels_bench

.PHONY: check-kernels check-kernels-sanitized bench-kernels
check-kernels: build/kernels_test build/variants_test build/module_test gpusort_cuda.so
	build/kernels_test
	build/variants_test
	build/module_test ./gpusort_cuda.so

# The same kernels in small batches below the tools of compute-sanitizer.
check-kernels-sanitized: build/kernels_test build/variants_test
	cuda/tests/sanitize

bench-kernels: build/kernels_bench
	build/kernels_bench

install: install-cuda

.PHONY: install-cuda
install-cuda: gpusort_cuda.so
	$(MKDIR_P) '$(DESTDIR)$(pkglibdir)'
	$(INSTALL_SHLIB) gpusort_cuda.so '$(DESTDIR)$(pkglibdir)/'

endif
