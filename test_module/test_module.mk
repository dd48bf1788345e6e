# gpusort_test.so: what tests need from another extension: nodes that know their
# children, callers of aggregates that pass bytes of their own, and faults of the emulated
# device.  Neither these nor that device (cuda/emulated.mk) are part of the extension: only
# ci/with-server installs them, into the private prefix of the tests.
#
#   make test-module, make install-test-module

TEST_MODULE_OBJS = $(patsubst %.c,%.o,$(sort $(wildcard test_module/*.c)))

# The emulated device's faults: their own copy is called, whatever of the same name the server
# has loaded.
gpusort_test.so: $(TEST_MODULE_OBJS) cuda/emulated/emulated_faults.o
	$(CC) $(CFLAGS) $^ $(LDFLAGS) $(LDFLAGS_SL) -shared -Wl,-Bsymbolic -o $@

$(TEST_MODULE_OBJS): $(HEADERS_ALL) $(wildcard test_module/*.h) cuda/emulated/arm_fault.h

clean: clean-test-module

.PHONY: test-module install-test-module clean-test-module
test-module: gpusort_test.so $(EMULATED)

install-test-module: test-module
	$(MKDIR_P) '$(DESTDIR)$(pkglibdir)'
	$(INSTALL_SHLIB) gpusort_test.so $(EMULATED) '$(DESTDIR)$(pkglibdir)/'

clean-test-module:
	rm -f gpusort_test.so $(TEST_MODULE_OBJS)
