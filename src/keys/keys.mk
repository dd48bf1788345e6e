# Test program of the weights of glibc's collations.
#
#   make check-libc-weights      tests them in some locales, which localedef makes;
#                                GPUSORT_LOCALES="sv_SE ja_JP" names others, "all" is all of them

CHECK_PROGRAMS += check-libc-weights
LOCALE_SOURCES = /usr/share/i18n/locales
GPUSORT_LOCALES ?= en_US hu_HU cs_CZ da_DK fr_CA
LOCALES_TESTED = $(if $(filter all,$(GPUSORT_LOCALES)),$(filter-out translit% iso14651% i18n% POSIX C cns11643%,$(notdir $(wildcard $(LOCALE_SOURCES)/*_*))),$(GPUSORT_LOCALES))
LOCALE_FOLDERS = $(addprefix build/locales/,$(if $(wildcard $(LOCALE_SOURCES)),$(LOCALES_TESTED)))

build/libc_weights_test: src/keys/test/libc_weights_test.cc src/keys/libc_weights.o src/keys/libc_weights.h
	@mkdir -p build
	$(CXX) -std=c++17 -O2 -Wall -Wextra $(COPT) -Isrc -o $@ $< src/keys/libc_weights.o

# A locale that localedef refuses is reported by the test.
build/locales/%:
	@mkdir -p build/locales
	-@localedef -c -i $* -f UTF-8 ./$@ > /dev/null 2>&1

.PHONY: check-libc-weights
check-libc-weights: build/libc_weights_test $(LOCALE_FOLDERS)
	$(if $(LOCALE_FOLDERS),LOCPATH=$(CURDIR)/build/locales build/libc_weights_test 200000 $(notdir $(LOCALE_FOLDERS)),@echo "there are no locales to make")
