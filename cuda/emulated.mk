# gpusort_emulated.so: the device module that needs no device, for tests.  It has
# the CPU engine's sorts inside, and exports one symbol.  The test module installs it
# (test_module/test_module.mk); make and make install leave it out.

EMULATED = gpusort_emulated.so
EMULATED_SOURCES := $(sort $(wildcard cuda/emulated/*.cc))
EMULATED_OBJS = $(EMULATED_SOURCES:.cc=.o)
EMULATED_CPU_OBJS := $(patsubst %.cc,%.o,$(sort $(wildcard src/cpu_engine/*.cc)))

$(EMULATED_OBJS): %.o: %.cc $(HEADERS_ALL) $(wildcard cuda/emulated/*.h)
	$(CXX) $(PG_CXXFLAGS) -Wall -Wextra -fPIC -fvisibility=hidden $(PG_CPPFLAGS) -c -o $@ $<

$(EMULATED): $(EMULATED_OBJS) $(EMULATED_CPU_OBJS)
	$(CXX) -shared -o $@ $^ -Wl,--exclude-libs,ALL -lpthread -lm

clean: clean-emulated
.PHONY: clean-emulated
clean-emulated:
	rm -f $(EMULATED) $(EMULATED_OBJS)

# The test that every device module must pass, on this one, which keeps its faults in the
# folder where it runs.
CHECK_PROGRAMS += check-emulated
build/module_test: cuda/tests/module_test.cc $(wildcard cuda/tests/*.h) $(HEADERS_ALL)
	@mkdir -p $(@D)
	$(CXX) -std=c++17 -O2 -Wall -Wextra $(COPT) -Isrc -Icuda -o $@ $< -ldl -lpthread

.PHONY: check-emulated
check-emulated: build/module_test $(EMULATED)
	cd build && ./module_test ../$(EMULATED)
