# gpusort: builds the extension through PGXS, and the CUDA module beside it
# where there are nvcc and a GPU (cuda/cuda.mk: WITH_CUDA, CUDA_ARCHS).
#
#   make, make install, make installcheck     as for any extension
#   make check, make demo, make demo-sharded, make bench-arrays, make bench-sets, make bench-gpu
#                                             do everything on a server of their own;
#                                             make check SUITES='regress tap' runs some of ci/check's
#   make deps                                 install the packages that those need and that are
#                                             missing; they do it too, but for DEPS=no
#   make deb, make dist                       Debian packages, and an archive for PGXN, in build/
#   make site                                 the pages as a static site in build/site, by pandoc
#   make docs                                 docs/functions.md anew, from docs/functions and the catalogs

# These goals install what they need and come back for the rest, so they work
# before there is a PGXS to include.
ALONE = site docs check demo demo-sharded deps deb bench-arrays bench-sets bench-gpu
ifneq ($(filter $(ALONE),$(MAKECMDGOALS)),)

.NOTPARALLEL:
.PHONY: $(MAKECMDGOALS)
check:
	+@ci/check $(SUITES)
demo:
	+@demo/run
demo-sharded:
	+@demo/sharded
deps:
	+@ci/packages
deb:
	+@ci/deb
site:
	+@docs/site/build
docs:
	+@ci/packages && ci/with-server docs/functions/write
bench-arrays:
	+@ci/packages && ci/with-server -c "shared_buffers = '2GB'" bench/run arrays
bench-sets:
	+@ci/packages && ci/with-server -c "shared_buffers = '2GB'" bench/run sets
bench-gpu:
	+@ci/packages && WITH_CUDA=yes ci/with-server -c "shared_buffers = '8GB'" -c "gpusort.gpu_buffer_size = '1GB'" \
		-c "max_worker_processes = 16" bench/run gpu
$(filter-out $(ALONE),$(MAKECMDGOALS)):
	+@$(MAKE) $@

else

EXTENSION = gpusort sql/gpusort_distributed
EXTVERSION := $(shell sed -n "s/^default_version = '\(.*\)'/\1/p" gpusort.control)
MODULE_big = gpusort
PGFILEDESC = "gpusort - faster sorts on the CPU and on NVIDIA GPUs"

# Every source below src/ belongs to the module: adding a file touches no list.
C_SOURCES   := $(sort $(wildcard src/*.c src/*/*.c src/*/*/*.c))
CXX_SOURCES := $(sort $(wildcard src/*/*.cc))
OBJS = $(C_SOURCES:.c=.o) $(CXX_SOURCES:.cc=.o)

# The script of gpusort is one file per theme, that of gpusort_distributed a single one, with the statements that
# stand for several expanded.
SQL_PARTS = sql/gpusort/header.sql $(filter-out sql/gpusort/header.sql,$(sort $(wildcard sql/gpusort/*.sql)))
SQL_SCRIPTS = sql/gpusort--$(EXTVERSION).sql sql/gpusort_distributed--$(EXTVERSION).sql
DATA_built = $(SQL_SCRIPTS)

PG_CPPFLAGS = -I$(srcdir)/src -I$(srcdir)/cuda -DGPUSORT_VERSION=\"$(EXTVERSION)\"
PG_CFLAGS = -Wextra -Wno-unused-parameter -Wno-sign-compare -Wno-missing-field-initializers -O3
# Highway asks for -fmerge-all-constants: without it GCC copies tables of 2 kB to the stack for every vector.
# Of its templates' variables debuggers know nothing (-g1): to describe them takes as long as all the rest.
PG_CXXFLAGS = -std=c++17 -O3 -g1 -fmerge-all-constants -fno-exceptions -fno-rtti -fvisibility=hidden $(COPT)
SHLIB_LINK = -Wl,-Bsymbolic -lpthread -lm
EXTRA_CLEAN = build

TESTS := $(sort $(notdir $(basename $(wildcard sql_tests/*.sql))))
REGRESS = $(TESTS)
REGRESS_PREP = regress-folder
REGRESS_OPTS = --inputdir=build/regress --outputdir=build/regress --load-extension=gpusort
ISOLATION = $(sort $(notdir $(basename $(wildcard isolation_tests/*.spec))))
ISOLATION_OPTS = --inputdir=build/regress --outputdir=build/regress --load-extension=gpusort

PG_CONFIG ?= pg_config
PGXS := $(shell $(PG_CONFIG) --pgxs)
ifeq ($(and $(wildcard $(PGXS)),$(wildcard $(shell $(PG_CONFIG) --includedir-server)/postgres.h)),)
$(error $(PG_CONFIG) leads to no PGXS or no server headers: make deps installs what is missing, PG_CONFIG=/path/to/pg_config picks a server)
endif
# Debian builds PostgreSQL with LLVM; bitcode of C++ and of hot loops is no use to us.
override with_llvm := no
include $(PGXS)

# PGXS tracks no headers, and the control file has the version.
HEADERS_ALL := $(wildcard src/*.h src/*/*.h src/*/*/*.h cuda/gpusort_cuda.h)
$(OBJS): $(HEADERS_ALL) gpusort.control

sql/gpusort--$(EXTVERSION).sql: $(SQL_PARTS)
sql/gpusort_distributed--$(EXTVERSION).sql: sql/gpusort_distributed.sql
$(SQL_SCRIPTS): sql/expand
	awk -f sql/expand $(filter %.sql,$^) > $@
.DELETE_ON_ERROR:

# On a server that does not preload gpusort each session of a test does.
installcheck: export PGOPTIONS := -c session_preload_libraries=gpusort $(PGOPTIONS)

# pg_regress wants folders named sql, expected and specs side by side. The folder
# is made anew: with stale results a missing test file is reported ok.
.PHONY: regress-folder
regress-folder:
	@rm -rf build/regress && mkdir -p build/regress
	@ln -s $(CURDIR)/sql_tests build/regress/sql
	@ln -s $(CURDIR)/expected build/regress/expected
	@ln -s $(CURDIR)/isolation_tests build/regress/specs

# Documents for users and administrators keep their places below a folder of their own, so that links between them hold.
DOCUMENTS = README.md CHANGELOG.md SECURITY.md LICENSE $(patsubst $(srcdir)/%,%,$(wildcard $(srcdir)/docs/*.md $(srcdir)/docs/figures/*.svg))
DOCUMENTS_INSTALLED = $(DESTDIR)$(docdir)/$(docmoduledir)/gpusort
.PHONY: install-documents uninstall-documents
install: install-documents
install-documents:
	$(MKDIR_P) '$(DOCUMENTS_INSTALLED)/docs/figures'
	for document in $(DOCUMENTS); do $(INSTALL_DATA) "$(srcdir)/$$document" '$(DOCUMENTS_INSTALLED)'"/$$document" || exit 1; done
uninstall: uninstall-documents
uninstall-documents:
	rm -rf '$(DOCUMENTS_INSTALLED)'

# Any role may name a library of this folder in local_preload_libraries.
PLUGINS = $(DESTDIR)$(pkglibdir)/plugins
.PHONY: install-plugin uninstall-plugin
install: install-plugin
install-plugin:
	$(MKDIR_P) '$(PLUGINS)'
	ln -sf ../gpusort$(DLSUFFIX) '$(PLUGINS)/gpusort$(DLSUFFIX)'
uninstall: uninstall-plugin
uninstall-plugin:
	rm -f '$(PLUGINS)/gpusort$(DLSUFFIX)'
	rmdir '$(PLUGINS)' 2> /dev/null || true

# The archive for PGXN: what git knows, and the extensions' scripts, which are built.
RELEASE = gpusort-$(shell sed -n '/^   "version"/s/.*"\([0-9.]*\)".*/\1/p' META.json)
.PHONY: dist
dist: $(SQL_SCRIPTS)
	@mkdir -p build/dist
	git archive --format=zip --prefix=$(RELEASE)/sql/ $(addprefix --add-file=,$^) --prefix=$(RELEASE)/ -o build/dist/$(RELEASE).zip HEAD
	@echo build/dist/$(RELEASE).zip

# Test programs that need no server: targets that build a program and run it.
# A subsystem's own make file adds them.
CHECK_PROGRAMS =
-include $(sort $(wildcard src/*/*.mk cuda/*.mk test_module/*.mk))
NVCCFLAGS += $(if $(findstring -Werror,$(COPT)),-Werror=all-warnings -Xcompiler=-Werror)

.PHONY: list-tests list-check-programs
list-tests:
	@echo $(REGRESS)
list-check-programs:
	@echo $(CHECK_PROGRAMS)

endif
