# gpusort_cuda.so: the CUDA module, built beside the extension and loaded by the
# device worker only. WITH_CUDA=no, or no nvcc, leaves it out.
#
#   CUDA_ARCHS="90"    code for these compute capabilities, and PTX of the last one;
#                      by default all in use that the toolkit knows from 7.5 up (8.9
#                      runs the code of 8.6, 10.3 that of 10.0): 25 minutes of one core
#   CUDA_FLAGS=...     further flags for nvcc, such as -lineinfo for profilers
#   make check-kernels, check-kernels-sanitized, bench-kernels, bench-stream
#                      programs that need a GPU, no server

NVCC ?= $(firstword $(wildcard $(addsuffix /bin/nvcc,$(CUDA_HOME) /usr/local/cuda)) $(shell command -v nvcc 2>/dev/null))
WITH_CUDA ?= $(if $(NVCC),yes,no)

ifeq ($(WITH_CUDA),yes)

ifeq ($(NVCC),)
$(error WITH_CUDA=yes, but there is no nvcc: set NVCC or CUDA_HOME, or leave CUDA out by WITH_CUDA=no)
endif

CUDA_ARCHS ?= $(filter $(patsubst compute_%,%,$(shell $(NVCC) --list-gpu-arch)),75 80 86 90 100 120)
CUDA_CODE = $(foreach arch,$(CUDA_ARCHS),-gencode=arch=compute_$(arch),code=sm_$(arch)) \
	-gencode=arch=compute_$(lastword $(CUDA_ARCHS)),code=compute_$(lastword $(CUDA_ARCHS))
# Compressed, where nvcc can, or the module would be ten times as large.
CUDA_COMPRESS := $(if $(findstring --compress-mode,$(shell $(NVCC) --help 2> /dev/null)),--compress-mode=size)
NVCCFLAGS = -O3 -std=c++17 $(CUDA_COMPRESS) $(CUDA_FLAGS) -I$(srcdir)/src -I$(srcdir)/cuda \
	-Xcompiler=-fPIC,-fvisibility=hidden,-Wall,-Wextra -cudart=static

CUDA_SOURCES := $(sort $(wildcard cuda/*.cu $(addsuffix /*.cu,cuda/device cuda/methods cuda/network cuda/published)))
CUDA_OBJS = $(CUDA_SOURCES:.cu=.o)
CUDA_HEADERS := $(wildcard cuda/*.h cuda/*.cuh cuda/*/*.h cuda/*/*.cuh src/keys/*.h)
# What the programs without a server link.
KERNEL_OBJS = $(CUDA_OBJS)

all: gpusort_cuda.so

cuda/%.o: cuda/%.cu
	$(NVCC) $(NVCCFLAGS) $(CUDA_CODE) -MMD -MP -c -o $@ $<
-include $(CUDA_OBJS:.o=.d)

gpusort_cuda.so: $(CUDA_OBJS)
	$(NVCC) -shared -cudart=static $(CUDA_CODE) -Xlinker=--exclude-libs,ALL -o $@ $^

build/%_test: cuda/tests/%_test.cu cuda/tests/cases.cuh $(KERNEL_OBJS) $(CUDA_HEADERS)
	@mkdir -p $(@D)
	$(NVCC) $(NVCCFLAGS) $(CUDA_CODE) -o $@ $< $(KERNEL_OBJS)

# The CPU engine's sorts, which know no PostgreSQL, run beside the kernels.
CPU_SORT_OBJS = $(patsubst %.cc,%.o,$(sort $(wildcard src/cpu_engine/*.cc)))

build/kernels_bench: bench/kernels.cu $(wildcard bench/kernels/*) $(KERNEL_OBJS) $(CPU_SORT_OBJS) $(CUDA_HEADERS)
	@mkdir -p $(@D)
	$(NVCC) $(NVCCFLAGS) -Ibench $(CUDA_CODE) -o $@ $(filter %.cu %.o,$^) -lhwy_contrib -lhwy -lpthread

# Arrays beyond device memory, through the module's own border.
build/stream: bench/stream.cu $(CUDA_HEADERS)
	@mkdir -p $(@D)
	$(NVCC) $(NVCCFLAGS) $(CUDA_CODE) -o $@ $< -ldl

.PHONY: check-kernels check-kernels-sanitized bench-kernels bench-stream
check-kernels: build/kernels_test build/variants_test
	build/kernels_test
	build/variants_test

# The same kernels in small batches below the tools of compute-sanitizer.
check-kernels-sanitized: build/kernels_test build/variants_test
	cuda/tests/sanitize

bench-kernels: build/kernels_bench
	build/kernels_bench

bench-stream: build/stream gpusort_cuda.so
	build/stream ./gpusort_cuda.so

install: install-cuda
uninstall: uninstall-cuda
clean: clean-cuda

.PHONY: install-cuda uninstall-cuda clean-cuda
install-cuda: gpusort_cuda.so
	$(MKDIR_P) '$(DESTDIR)$(pkglibdir)'
	$(INSTALL_SHLIB) gpusort_cuda.so '$(DESTDIR)$(pkglibdir)/'

uninstall-cuda:
	rm -f '$(DESTDIR)$(pkglibdir)/gpusort_cuda.so'

clean-cuda:
	rm -f gpusort_cuda.so $(CUDA_OBJS) $(CUDA_OBJS:.o=.d)

endif
