# gpusort_test.so: what tests need from another extension: nodes that know their
# children, callers of aggregates that pass bytes of their own. It is no part of the
# extension: only ci/with-server installs it, into the private prefix of the tests.
#
#   make install-test-module

TEST_MODULE_OBJS = $(patsubst %.c,%.o,$(sort $(wildcard test_module/*.c)))

gpusort_test.so: $(TEST_MODULE_OBJS)
	$(CC) $(CFLAGS) $^ $(LDFLAGS) $(LDFLAGS_SL) -shared -o $@

$(TEST_MODULE_OBJS): $(wildcard test_module/*.h)

clean: clean-test-module

.PHONY: install-test-module clean-test-module
install-test-module: gpusort_test.so
	$(MKDIR_P) '$(DESTDIR)$(pkglibdir)'
	$(INSTALL_SHLIB) gpusort_test.so '$(DESTDIR)$(pkglibdir)/'

clean-test-module:
	rm -f gpusort_test.so $(TEST_MODULE_OBJS)
