# Test program of the CPU engine.
#
#   make check-cpu-engine     tests it without a server

CHECK_PROGRAMS += check-cpu-engine
CPU_ENGINE_OBJS = $(patsubst %.cc,%.o,$(sort $(wildcard src/cpu_engine/*.cc)))

build/cpu_sort_test: src/cpu_engine/test/cpu_sort_test.cc cuda/tests/cases.h $(CPU_ENGINE_OBJS) $(HEADERS_ALL)
	@mkdir -p build
	$(CXX) -std=c++17 -O2 -Wall -Wextra $(COPT) -Isrc -Icuda -o $@ $< $(CPU_ENGINE_OBJS) -lpthread

.PHONY: check-cpu-engine
check-cpu-engine: build/cpu_sort_test
	build/cpu_sort_test
	! nm $(CPU_ENGINE_OBJS) | grep __cpu_model	# libgcc's, see vector_unit.cc
