# imfilter: `make help` lists the targets, CONTRIBUTING.md says more.
#
# Yours to set: CC CFLAGS CPPFLAGS LDFLAGS LDLIBS LOOP_FLAGS, PREFIX DESTDIR LIBDIR and the other directories, BUILD
# (where everything is built), V=1 (show commands), WERROR=1 (warnings are errors). Nothing here overrides them, but
# for the -O3 of inner loops.

PREFIX ?= /usr/local
BUILD ?= build
BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
DATADIR ?= $(PREFIX)/share
MANDIR ?= $(DATADIR)/man
PKGCONFIGDIR ?= $(LIBDIR)/pkgconfig
# Where shells look for completions; of what is below /usr Debian's zsh reads vendor-completions only.
BASHDIR ?= $(DATADIR)/bash-completion/completions
ZSHDIR ?= $(DATADIR)/zsh/$(if $(and $(filter /usr,$(PREFIX)),$(wildcard /etc/debian_version)),vendor-completions,site-functions)
FISHDIR ?= $(DATADIR)/fish/vendor_completions.d
PKG_CONFIG ?= pkg-config
INSTALL ?= install
Q = $(if $(V),,@)
say = $(if $(V),,@printf '  %-7s %s\n' $(1) $(2))

HOST_LOOPS = $(addprefix $(BUILD)/lib/solver/,epilogue.o convolution/vector_rows.o convolution/vector_dense.o convolution/runs_rows.o \
	morphology/erode_dilate_rows.o morphology/fill.o morphology/nearest.o rank/median.o rank/bisection.o rank/incremental.o rank/histogram.o rank/sorted_regions.o rank/network_run.o \
	histogram/vector.o histogram/clahe_vector.o edges/phase.o edges/canny_rows.o edges/canny_vector.o common/float_row.o smoothing/bilateral_rows.o \
	smoothing/running_sums.o smoothing/guided_rows.o smoothing/local_threshold.o denoise/blocks.o denoise/groups.o \
	denoise/planes.o)
HOST_LOOPS += $(addprefix $(BUILD)/lib/,base/image/byte_map.o base/image/samples.o run/point/bytes.o run/point/rows.o run/point/strip.o run/point/strip_float.o)
# Of both number types: each of these is compiled a second time, in floats (lib/fourier/real.h).
BOTH = $(addprefix $(BUILD)/lib/,$(addprefix fourier/,half_plane.o host.o host_stages.o) \
	$(addprefix solver/restore/,host.o host_maps.o))
IN_FLOATS = $(BOTH:.o=_f32.o)
HOST_LOOPS += $(BOTH)
ALL_LOOPS = $(addprefix $(BUILD)/lib/,codec/jpeg/blocks.o codec/png/filter.o solver/convolution/reference.o solver/fft/spectral_filter_host.o \
	solver/smoothing/bilateral_reference.o solver/smoothing/guided_reference.o solver/denoise/reference.o) \
	$(HOST_LOOPS)
$(foreach o,$(ALL_LOOPS),$(if $(wildcard $(o:$(BUILD)/%.o=%.c)),,$(error $(o) has no source: a list above is out of date)))

# The inner loops are up to five times as fast with -O3, so that it follows the packager's -O2 or -Os. Who debugs,
# or builds with sanitizers, says -O0, -Og or -O1, and means all files.
CFLAGS ?= -O2 -g
GIVEN = $(CC) $(CPPFLAGS) $(CFLAGS)
LEVEL = $(lastword $(filter -O%,$(GIVEN)))
LOOP_FLAGS ?= $(if $(filter -O0 -O1 -Og,$(LEVEL)),,-O3)
$(ALL_LOOPS) $(IN_FLOATS): private LOOPS = $(LOOP_FLAGS)
# Their loops become vectors where roots set no errno and comparisons no flags, which nobody reads.
$(HOST_LOOPS) $(IN_FLOATS): private REQUIRED += -fno-math-errno -fno-trapping-math
# Real weights, of which the contract asks no bits.
$(addprefix $(BUILD)/lib/solver/,smoothing/bilateral_rows.o denoise/blocks.o denoise/groups.o denoise/planes.o): private REQUIRED += -ffp-contract=fast
# Vectors are passed to functions that are always inlined: by no convention that could change.
$(addprefix $(BUILD)/lib/solver/denoise/,blocks.o groups.o vector.o): private REQUIRED += -Wno-psabi

# Asked for at the first compilation and once, so that `make help` and `make deps` work on a machine
# that has no pkg-config yet.
once = $(eval $(1) := $$(shell $(2)))$($(1))
PACKAGES = libpng libjpeg zlib $(ISAL_PACKAGE) $(LCMS2_PACKAGE) $(OPENCL_PACKAGE) $(FORMAT_PACKAGES)
# OPENCL=0: no devices, and no header or library of OpenCL.
OPENCL ?= 1
OPENCL_PACKAGE = $(if $(filter-out 0,$(OPENCL)),OpenCL)
# Reads ICC profiles under --linear; LCMS2_PACKAGE= leaves it out.
LCMS2_PACKAGE = $(call once,LCMS2_PACKAGE,$(PKG_CONFIG) --exists lcms2 && echo lcms2)
# Inflates PNG instead of zlib; ISAL_PACKAGE= leaves it out.
ISAL_PACKAGE = $(call once,ISAL_PACKAGE,$(PKG_CONFIG) --exists libisal && echo libisal)
# Of formats that are built in where their library is found; FORMAT_PACKAGES= leaves them out.
FORMAT_PACKAGES = $(call once,FORMAT_PACKAGES,$(PKG_CONFIG) --exists 'libtiff-4 >= 4.5' && echo libtiff-4; \
	$(PKG_CONFIG) --exists libwebp libwebpmux && echo libwebp libwebpmux)
# Of formats whose library is loaded when a file needs it: only its headers are used. LOADED_PACKAGES= leaves them out.
LOADED_PACKAGES = $(call once,LOADED_PACKAGES,$(PKG_CONFIG) --exists 'libheif >= 1.14' && echo libheif; \
	$(PKG_CONFIG) --exists 'libavif >= 0.11 libavif < 1' && echo libavif)
WITH = $(if $(OPENCL_PACKAGE),-DIMF_WITH_OPENCL) $(if $(LCMS2_PACKAGE),-DIMF_WITH_LCMS2) $(if $(ISAL_PACKAGE),-DIMF_WITH_ISAL) $(if $(filter libtiff-4,$(FORMAT_PACKAGES)),-DIMF_WITH_TIFF) $(if $(filter libwebp,$(FORMAT_PACKAGES)),-DIMF_WITH_WEBP) \
	$(if $(filter libheif,$(LOADED_PACKAGES)),-DIMF_WITH_HEIF) $(if $(filter libavif,$(LOADED_PACKAGES)),-DIMF_WITH_AVIF)
PKG_CFLAGS = $(call once,PKG_CFLAGS,$(PKG_CONFIG) --cflags $(PACKAGES) $(LOADED_PACKAGES) || echo 'try: make deps' >&2)
PKG_LIBS = $(call once,PKG_LIBS,$(PKG_CONFIG) --libs $(PACKAGES))
VERSION = $(call once,VERSION,sed -n 's/^.define IMF_VERSION_[MP][A-Z]* //p' lib/imfilter.h | paste -sd. -)

# No contraction to FMA on the host, nor x87's wider numbers, nor floats as doubles, which C17 asks of
# gcc on s390x: the reference gives the same bits on every machine.
MACHINE = $(call once,MACHINE,$(GIVEN) -dM -E -x c /dev/null | grep -qw __i386__ && echo i686-linux || $(CC) -dumpmachine)
FLOATS = $(if $(filter i386-% i486-% i586-% i686-%,$(MACHINE)),-msse2 -mfpmath=sse)\
	$(if $(filter s390%,$(MACHINE)),-fexcess-precision=fast)
# What hardens at no measurable cost, as far as this compiler knows it. It precedes the user's flags, which may say
# otherwise. Sanitizers go without: gcc's misaligns vectors on a protected stack, and _FORTIFY_SOURCE hides what they
# look for. That needs an optimiser, too, and some compilers define it.
PROTECT = $(call once,PROTECT,for flag in -fstack-protector-strong -fstack-clash-protection -fcf-protection; do \
	$(GIVEN) -Werror $$$$flag -x c -S -o - /dev/null >/dev/null 2>&1 && echo $$$$flag; done)
FORTIFY = $(call once,FORTIFY,echo | $(CC) -O2 -E -dM -x c - | grep -q _FORTIFY_SOURCE || echo -D_FORTIFY_SOURCE=2)
HARDENING = $(if $(findstring -fsanitize,$(GIVEN)),,$(PROTECT) $(if $(or $(filter -O0,$(or $(LEVEL),-O0)),\
	$(findstring _FORTIFY_SOURCE,$(GIVEN))),,$(FORTIFY)))
# The same sources give the same bytes in any folder.
PATHS = '-ffile-prefix-map=$(subst ','\'',$(CURDIR))=.'
REQUIRED = -std=c17 -D_GNU_SOURCE -Ilib -pthread $(FLOATS) \
	-ffp-contract=off -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes $(if $(WERROR),-Werror)
LOOPS =
PIE =
COMPILE = $(CC) $(HARDENING) $(PATHS) $(REQUIRED) $(CPPFLAGS) $(PKG_CFLAGS) $(WITH) $(CFLAGS) $(LOOPS) -MMD -MP
LINK = $(or $(LINKER),$(CC)) -pthread $(PIE) -Wl,-z,relro,-z,now $(CFLAGS) $(LDFLAGS)
LIBS = $(PKG_LIBS) -ldl -lm $(LDLIBS)

PROGRAM = $(BUILD)/imfilter
LIBRARY = $(BUILD)/libimfilter.a
SHARED = $(BUILD)/libimfilter.so
EMBEDDED := $(sort $(wildcard cl/*.cl cl/parts/*.cl)) lib/run/point/steps.cl $(sort $(wildcard filters/*.flt cl/*.frag))
# With OpenCL or in its place, and tests that take a device. (OPENCL_PACKAGE asks no pkg-config, which may be missing yet.)
DEVICE = $(addprefix lib/device/,buffer.c errors.c list.c program.c queue.c runtime.c select.c)
LEFT_OUT := $(if $(OPENCL_PACKAGE),lib/device/absent.c,$(DEVICE) $(wildcard test/checkcl*.c) \
	$(addprefix test/unit/,test_context.c test_device.c test_fallback.c test_fft_stages.c test_planner.c \
		test_programs.c))
sources = $(filter-out $(LEFT_OUT),$(sort $(wildcard $(1))))
object = $(patsubst %.c,$(BUILD)/%.o,$(call sources,$(1)))
# First what takes a compiler longest, so that no core waits for it at the end.
LONG := $(addprefix $(BUILD)/lib/,$(addprefix solver/,convolution/vector_rows.o smoothing/bilateral_rows.o rank/median.o \
	edges/canny_rows.o morphology/erode_dilate_rows.o) run/point/strip.o)
LIB_OBJECTS := $(LONG) $(filter-out $(LONG),$(call object,lib/*/*.c lib/*/*/*.c)) $(IN_FLOATS) $(BUILD)/embed.o
CLI_OBJECTS := $(call object,cli/*.c cli/*/*.c)
CHECKCL_OBJECTS := $(call object,test/checkcl*.c)
UNIT := $(patsubst test/unit/%.c,$(BUILD)/test/%,$(call sources,test/unit/test_*.c))
BENCH := $(addprefix $(BUILD)/bench/,$(sort $(basename $(notdir $(wildcard test/bench/*.c test/bench/*.cc)))))
FUZZ := $(patsubst test/fuzz/fuzz_%.c,$(BUILD)/fuzz/%,$(sort $(wildcard test/fuzz/fuzz_*.c)))
CHECKCL := $(if $(CHECKCL_OBJECTS),$(BUILD)/checkcl)
MAN := $(sort $(wildcard man/*.[1-8]))

# The shared library's name for the loader: all of 1.x keeps what 1.0 has (lib/libimfilter.map, test/abi.txt).
SONAME = libimfilter.so.$(firstword $(subst ., ,$(VERSION)))
SYMBOLS = lib/libimfilter.map

.DELETE_ON_ERROR:
.SUFFIXES:
.PHONY: all analyze check nightly programs unit unit-programs bench-programs checkcl bats model drivers layers faults bench bench-batch bench-batches bench-chains bench-crossover bench-denoise bench-descreen bench-files bench-gles bench-grid bench-huge bench-restore bench-scans bench-timeline bench-windows fuzz install uninstall clean dist help \
	deps deps-ci deps-peers demo testdata format lint FORCE

all: $(PROGRAM) $(LIBRARY) $(SHARED) ## build the program and both libraries (the default)

# ---- building ------------------------------------------------------------------------------

$(CLI_OBJECTS): private REQUIRED += -fPIE -Icli
$(PROGRAM): private PIE = -pie
$(PROGRAM): $(CLI_OBJECTS) $(LIBRARY)
	$(call say,LINK,$@)
	$(Q)$(LINK) -o $@ $(CLI_OBJECTS) $(LIBRARY) $(LIBS)

# q appends: members of the same name, as read.o, are all wanted.
$(LIBRARY): $(LIB_OBJECTS) $(BUILD)/files
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) qcsD $@ $(LIB_OBJECTS)

# Both libraries have the same objects. What the public headers declare is visible, nothing else.
PUBLIC_HEADERS = lib/imfilter.h lib/imfilter_image.h
SHAREABLE = -fPIC -fvisibility=hidden
$(LIB_OBJECTS): private REQUIRED += $(SHAREABLE)
$(SHARED): $(LIBRARY) $(SYMBOLS)
	$(call say,LINK,$@)
	$(Q)$(LINK) -shared -Wl,-soname,$(SONAME) -Wl,--version-script=$(SYMBOLS) -o $@ \
		$(LIB_OBJECTS) $(LIBS)

$(BUILD)/embed.c: lib/base/embed.sh $(EMBEDDED) $(BUILD)/files
	$(call say,EMBED,$@)
	$(Q)sh lib/base/embed.sh $(EMBEDDED) > $@

$(BUILD)/embed.o: $(BUILD)/embed.c $(BUILD)/flags
	$(call say,CC,$@)
	$(Q)$(COMPILE) -c -o $@ $<

$(BUILD)/%.o: %.c $(BUILD)/flags
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(COMPILE) -c -o $@ $<

$(IN_FLOATS): private REQUIRED += -DIMF_FFT_FLOAT
$(IN_FLOATS): $(BUILD)/%_f32.o: %.c $(BUILD)/flags
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(COMPILE) -c -o $@ $<

# These two change only when the compiler's flags or the set of source files do; whatever depends
# on them is then made again. `make install` takes what was built, with whatever flags.
changed = mkdir -p $(@D); echo '$(subst ','\'',$(1))' | cmp -s - $@ || echo '$(subst ','\'',$(1))' > $@
STAMPED = $(if $(filter install,$(MAKECMDGOALS)),,FORCE)
$(BUILD)/flags: $(STAMPED)
	@$(call changed,$(COMPILE) | $(LOOP_FLAGS) | $(SHAREABLE) | $(LINK) $(LIBS))
$(BUILD)/files: $(STAMPED)
	@$(call changed,$(EMBEDDED) $(LIB_OBJECTS))

# `make deps check` and the like: packages come first, also under -j.
ifneq ($(filter deps deps-ci,$(MAKECMDGOALS)),)
check $(BUILD)/flags $(BUILD)/files: | $(filter deps deps-ci,$(MAKECMDGOALS))
endif

# ---- testing -------------------------------------------------------------------------------

# With the default flags, tests that compute little themselves: optimising and hardening them costs more than it spares.
LIGHT := $(if $(filter file,$(origin CFLAGS)),$(filter-out $(BUILD)/test/test_canny $(BUILD)/test/test_transfer,$(UNIT)))
$(LIGHT): private LOOPS = -O0
$(LIGHT): private HARDENING =
$(BUILD)/test/%: test/unit/%.c test/unit/check.h $(LIBRARY)
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(COMPILE) -Itest/unit -MF $@.d $(LDFLAGS) -o $@ $< $(LIBRARY) $(LIBS)

$(BUILD)/checkcl: $(CHECKCL_OBJECTS) $(LIBRARY)
	$(call say,LINK,$@)
	$(Q)$(LINK) -o $@ $(CHECKCL_OBJECTS) $(LIBRARY) $(LIBS)
$(CHECKCL_OBJECTS): private CPPFLAGS += -Itest -Itest/unit

# A fuzz target with the driver that only replays files; test/fuzz/build.sh links it to an engine, of C++, instead.
ENGINE = $(BUILD)/test/fuzz/replay.o
FUZZ_LINKER = $(CC)
$(FUZZ): private LINKER = $(FUZZ_LINKER)
$(FUZZ): $(BUILD)/fuzz/%: $(BUILD)/test/fuzz/fuzz_%.o $(BUILD)/test/fuzz/replay.o $(LIBRARY)
	$(call say,LINK,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(LINK) -o $@ $< $(ENGINE) $(LIBRARY) $(LIBS)

# faults.c has malloc in it: no sanitizer in it, too.
$(BUILD)/faults/%.so: test/faults/%.c $(BUILD)/flags
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(REQUIRED) $(PKG_CFLAGS) -O1 -g -fPIC -shared -MMD -MP -MF $@.d -o $@ $<
$(BUILD)/faults/sweep: test/faults/sweep.c $(BUILD)/flags
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(COMPILE) -MF $@.d $(LDFLAGS) -o $@ $<

faults: $(PROGRAM) $(BUILD)/faults/faults.so $(BUILD)/faults/late.so $(BUILD)/faults/sweep ## let each allocation and OpenCL call fail once
	@BUILD='$(BUILD)' sh test/run.sh faults

programs: all $(UNIT) $(CHECKCL) $(FUZZ)
unit-programs: $(UNIT)
bench-programs: $(BENCH)

# On all cores, unless it is told how many.
check: ## run every test but the slowest; the last line is `N passed, N failed`
	@case "$$MAKEFLAGS" in *-j*) jobs='' ;; *) jobs="-j$$(nproc)" ;; esac && \
		$(MAKE) --no-print-directory $$jobs programs
	@BUILD='$(BUILD)' sh test/run.sh

nightly: ## run everything that takes long; the last line is `N passed, N failed`
	@env -u MAKEFLAGS -u MAKELEVEL .ci/run nightly

unit: $(UNIT) ## run the unit tests only
	@BUILD='$(BUILD)' sh test/run.sh unit

checkcl: $(CHECKCL) ## check every solver and kernel against the reference only
	@BUILD='$(BUILD)' sh test/run.sh checkcl

bats: all ## run make check's command-line tests only (THOROUGH=1: all of them)
	@BUILD='$(BUILD)' sh test/run.sh bats

model: all ## compare the program with a model in numpy, for a minute
	@IMFILTER='$(BUILD)/imfilter' XDG_CACHE_HOME='$(abspath $(BUILD))/cache' test/model/run.py --seconds=60
	@IMFILTER_LIBRARY='$(BUILD)/libimfilter.so' test/model/floats.py --seconds=30 --cases=1000000

drivers: all $(CHECKCL) ## a table of OpenCL drivers, knobs and lies: what holds on each; DRIVERS='less oclgrind'
	@BUILD='$(BUILD)' sh test/drivers.sh $(DRIVERS)

layers: all ## check that dependencies point downwards
	@BUILD='$(BUILD)' sh test/run.sh layers

fuzz: ## fuzz each target, or TARGETS='mask cache', for SECONDS=60 (needs clang's libFuzzer)
	$(Q)BUILD='$(BUILD)' SECONDS_EACH='$(or $(SECONDS),60)' sh test/fuzz/run.sh $(TARGETS)

# Programs of test/bench/ may need a library to compare with: PEER_name, and they are passed over where
# that is missing. run.sh there measures with what was built.
PEER_opencv = opencv4
PEER_fft_fftw = fftw3f
PEER_fft_bound = fftw3f
PEER_fft_clfft = clFFT
PEER_LIBS_fft_fftw = -lfftw3f_threads
# Not a peer, but what it measures: see there.
comma = ,
PEER_LIBS_timeline = $(addprefix -Wl$(comma)--wrap=,imf_stream imf_pixel_io_read imf_pixel_io_write imf_exec_submit_input \
	imf_exec_run_band imf_exec_map_output imf_exec_wait)
bench_build = mkdir -p $(@D); peer='$(PEER_$(@F))'; \
	if [ -n "$$peer" ] && ! $(PKG_CONFIG) --exists $$peer; then \
		echo "  SKIP    $@ (needs $$peer)"; else echo "  CC      $@"; \
		$(1) -o $@ $< $(LIBRARY) $(PEER_LIBS_$(@F)) $(LIBS) $${peer:+`$(PKG_CONFIG) --cflags --libs $$peer`}; fi
$(BUILD)/bench/%: test/bench/%.c $(LIBRARY)
	@$(call bench_build,$(COMPILE) -MF $@.d $(LDFLAGS))
$(BUILD)/bench/%: test/bench/%.cc $(LIBRARY)
	@$(call bench_build,$(CXX) -Ilib $(CPPFLAGS) $(or $(CXXFLAGS),-O2 -g) $(LDFLAGS))

bench: all $(CHECKCL) $(BENCH) ## build and run the benchmarks
	@BUILD='$(BUILD)' sh test/bench/run.sh
	@BUILD='$(BUILD)' sh test/bench/fft.sh

bench-grid: all $(BUILD)/bench/picture ## does the planner choose the fastest? BUDGET=300 seconds of the whole grid
	@BUILD='$(BUILD)' XDG_CACHE_HOME='$(abspath $(BUILD))/cache' $(or $(PYTHON),python3) test/bench/grid.py

bench-chains: all $(BUILD)/bench/photo ## chains beside the sum of their stages, on 2 and 12 megapixels
	@BUILD='$(BUILD)' XDG_CACHE_HOME='$(abspath $(BUILD))/cache' $(or $(PYTHON),python3) test/bench/chains.py

bench-crossover: $(BUILD)/bench/crossover ## time over kernel size, and which backend is chosen; CROSSOVER=--clock=cpu
	@mkdir -p '$(BUILD)/cache'
	@XDG_CACHE_HOME='$(abspath $(BUILD))/cache' POCL_WORK_GROUP_SPECIALIZATION=0 $< \
		--chart='$(or $(CHART),$(BUILD)/bench/crossover.png)' $(CROSSOVER)

bench-gles: $(BUILD)/bench/gles ## OpenGL ES beside plain C, over sizes; GLES=--clock=cpu
	@mkdir -p '$(BUILD)/cache'
	@XDG_CACHE_HOME='$(abspath $(BUILD))/cache' $< --chart='$(BUILD)/bench/gles.png' $(GLES)

bench-descreen: all ## patterns added to PICTURES, and what descreen leaves of them
	@BUILD='$(BUILD)' $(or $(PYTHON),python3) test/bench/descreen.py $(PICTURES)

bench-files: all $(BUILD)/bench/photo ## whole processes beside vips and sharp: time, memory, sizes
	@BUILD='$(BUILD)' sh test/bench/files.sh

bench-batch: all $(BUILD)/bench/photo ## many images in one process, beside one at a time, sharp and vips
	@BUILD='$(BUILD)' sh test/bench/batch.sh

bench-batches: all $(BUILD)/bench/photo ## the way chosen for many images beside each that is forced; COUNT=200 FILTERS="disk:31 ..."
	@XDG_CACHE_HOME='$(abspath $(BUILD))/cache' IMFILTER='$(PROGRAM)' PHOTO='$(BUILD)/bench/photo' \
		$(or $(PYTHON),python3) test/bench/batches.py

bench-huge: all $(BUILD)/bench/photo ## 400 megapixels: seams, peak memory; BUDGET=300 seconds, or ALL=1
	@BUILD='$(BUILD)' sh test/bench/huge.sh

bench-denoise: all ## noise added to PICTURES="FILE..." and removed again, beside other programs
	@BUILD='$(BUILD)' XDG_CACHE_HOME='$(abspath $(BUILD))/cache' $(or $(PYTHON),python3) test/bench/denoise.py $(PICTURES)

bench-restore: all ## PICTURES="FILE..." blurred, with noise, and what deblur and rl regain
	@IMFILTER='$(PROGRAM)' $(or $(PYTHON),python3) test/bench/restore.py $(PICTURES)

bench-windows: all $(BUILD)/bench/photo ## medians, morphology, bilateral, Canny beside OpenCV
	@BUILD='$(BUILD)' XDG_CACHE_HOME='$(abspath $(BUILD))/cache' $(or $(PYTHON),python3) test/bench/windows.py

bench-scans: all ## what an OCR misreads of pages in uneven light, before and after thresholds
	@BUILD='$(BUILD)' $(or $(PYTHON),python3) test/bench/scans.py

bench-timeline: all $(BUILD)/bench/photo $(BUILD)/bench/timeline ## chart what stages do when, and what drivers take
	@BUILD='$(BUILD)' sh test/bench/timeline.sh

lint: ## check shell scripts, man pages, kernels and formatting
	@sh test/lint.sh

analyze: ## gcc -fanalyzer, clang-tidy and cppcheck: what they find is mended or answered in test/analyze.txt
	@BUILD='$(BUILD)' sh test/analyze.sh

format: ## bring every C file into the repository's format
	$(Q)clang-format -i $(filter-out $(BUILD)/%,$(sort $(wildcard */*.[ch] */*/*.[ch] */*/*/*.[ch])))

# ---- demonstration and test pictures ---------------------------------------------------------

demo: all ## filter five pictures into build/demo and show plans and times
	@IMFILTER='$(PROGRAM)' OUT='$(BUILD)/demo' sh test/demo.sh

$(BUILD)/generate: $(call object,testdata/*.c) $(LIBRARY)
	$(call say,LINK,$@)
	$(Q)$(LINK) -o $@ $(filter %.o,$^) $(LIBRARY) $(LIBS)

testdata: $(BUILD)/generate ## draw the test pictures again
	$(BUILD)/generate testdata

# ---- installing and packaging ------------------------------------------------------------------

# $(call put,MODE,FILES,DIRECTORY)
put = $(INSTALL) -d '$(DESTDIR)$(3)' && $(INSTALL) -m $(1) $(2) '$(DESTDIR)$(3)'
FLT = $(filter %.flt,$(EMBEDDED))
# $(call complete,SHELL,DIRECTORY,NAME): the program prints them from its own tables.
complete = $(INSTALL) -d '$(DESTDIR)$(2)' && $(PROGRAM) --completion=$(1) > '$(DESTDIR)$(2)/$(3)' && \
	chmod 644 '$(DESTDIR)$(2)/$(3)'
# In imfilter.pc directories stay relative to the prefix, as far as they are below it.
relative = $(patsubst $(PREFIX)/%,$${prefix}/%,$(1))

install: all ## install to $(DESTDIR)$(PREFIX)
	$(call put,755,$(PROGRAM),$(BINDIR))
	$(call put,644,$(LIBRARY),$(LIBDIR))
	$(INSTALL) -m 644 $(SHARED) '$(DESTDIR)$(LIBDIR)/libimfilter.so.$(VERSION)'
	ln -sf libimfilter.so.$(VERSION) '$(DESTDIR)$(LIBDIR)/$(SONAME)'
	ln -sf $(SONAME) '$(DESTDIR)$(LIBDIR)/libimfilter.so'
	$(call put,644,$(PUBLIC_HEADERS),$(INCLUDEDIR))
	$(INSTALL) -d '$(DESTDIR)$(PKGCONFIGDIR)'
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(call relative,$(LIBDIR))|' \
		-e 's|@INCLUDEDIR@|$(call relative,$(INCLUDEDIR))|' -e 's|@VERSION@|$(VERSION)|' \
		-e 's|@PACKAGES@|$(PACKAGES)|' lib/imfilter.pc.in > '$(DESTDIR)$(PKGCONFIGDIR)/imfilter.pc'
	chmod 644 '$(DESTDIR)$(PKGCONFIGDIR)/imfilter.pc'
	$(call put,644,$(FLT),$(DATADIR)/imfilter)
	$(call complete,bash,$(BASHDIR),imfilter)
	$(call complete,zsh,$(ZSHDIR),_imfilter)
	$(call complete,fish,$(FISHDIR),imfilter.fish)
	@set -e; for page in $(MAN); do dir='$(DESTDIR)$(MANDIR)'/man$${page##*.}; \
		$(INSTALL) -d "$$dir"; echo "$(INSTALL) -m 644 $$page $$dir"; \
		$(INSTALL) -m 644 "$$page" "$$dir"; done

uninstall: ## remove what install put there
	rm -f '$(DESTDIR)$(BINDIR)/imfilter' '$(DESTDIR)$(LIBDIR)/libimfilter.a' \
		'$(DESTDIR)$(LIBDIR)/libimfilter.so' '$(DESTDIR)$(LIBDIR)/$(SONAME)' \
		'$(DESTDIR)$(LIBDIR)/libimfilter.so.$(VERSION)' \
		$(patsubst lib/%,'$(DESTDIR)$(INCLUDEDIR)/%',$(PUBLIC_HEADERS)) '$(DESTDIR)$(PKGCONFIGDIR)/imfilter.pc' \
		'$(DESTDIR)$(BASHDIR)/imfilter' '$(DESTDIR)$(ZSHDIR)/_imfilter' '$(DESTDIR)$(FISHDIR)/imfilter.fish' \
		$(patsubst filters/%,'$(DESTDIR)$(DATADIR)/imfilter/%',$(FLT))
	@for page in $(MAN); do rm -f '$(DESTDIR)$(MANDIR)'/man$${page##*.}/$${page##*/}; done
# Directories that are empty now go, but bin, lib, include, share and share/man, which others expect.
	@for dir in '$(DATADIR)/imfilter' '$(PKGCONFIGDIR)' '$(BASHDIR)' '$(ZSHDIR)' '$(FISHDIR)' \
		$(patsubst %,'$(MANDIR)/man%',$(sort $(subst .,,$(suffix $(MAN))))); do \
		rmdir '$(DESTDIR)'"$$dir" && case $${dir%/*} in '$(LIBDIR)' | '$(DATADIR)' | '$(MANDIR)') ;; \
			*) rmdir '$(DESTDIR)'"$${dir%/*}" ;; esac; done 2>/dev/null || :

dist: ## pack the committed tree as imfilter-VERSION.tar.gz, the same bytes each time
	@sh test/dist.sh $(VERSION) '$(BUILD)'

clean: ## remove everything that was built
	rm -rf '$(BUILD)'

# ---- packages (Debian, Ubuntu) -------------------------------------------------------------------

DEPS = gcc libc6-dev pkg-config libpng-dev libjpeg62-turbo-dev libtiff-dev libwebp-dev libheif-dev libavif-dev zlib1g-dev libisal-dev liblcms2-dev \
	ocl-icd-opencl-dev opencl-c-headers pocl-opencl-icd bats python3
DEPS_CI = acl attr bash bash-completion bubblewrap clang clang-format clang-tidy cppcheck debootstrap fish g++ git imagemagick inotify-tools \
	libegl1 libgl1-mesa-dri libgles2 libegl-dev libgles-dev \
	fonts-dejavu-core libclang-rt-14-dev libavif-bin libheif-examples libimage-exiftool-perl libjpeg-turbo-progs libtiff-tools mandoc munge netpbm oclgrind \
	openssh-client openssh-server parallel pngcheck python3-numpy python3-opencv python3-pil python3-scipy python3-skimage \
	shellcheck slurm-client slurmctld slurmd systemd tesseract-ocr webp zsh

# What imfilter-from(7) compares with (test/from.py); sharp is npm's, below build/. Other packages of Node.js than
# Debian's bring npm and conflict with Debian's.
DEPS_PEERS = default-jre ffmpeg gegl gmic graphicsmagick imagej imagemagick libvips-tools nodejs octave octave-image \
	python3-astropy python3-numpy python3-opencv python3-pil python3-scipy python3-skimage xauth xvfb \
	$(if $(shell command -v npm),,npm)

deps: ## install the packages that building and testing need (Debian)
	@sh test/deps.sh $(DEPS)

deps-ci: ## install what .ci/run needs besides
	@sh test/deps.sh $(DEPS_CI)

deps-peers: ## install the programs that imfilter-from(7) compares with, for make nightly
	@sh test/deps.sh $(DEPS_PEERS)
	@[ -d '$(BUILD)/sharp/node_modules/sharp' ] || npm install --silent --no-audit --no-fund --prefix '$(BUILD)/sharp' sharp@0.35

help: ## show this list
	@echo 'Targets:'
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/\1|\2/p' Makefile | \
		while IFS='|' read -r name text; do printf '  %-14s %s\n' "$$name" "$$text"; done
	@echo 'Variables: CC CFLAGS LDFLAGS PREFIX DESTDIR BUILD V=1 WERROR=1'

-include $(LIB_OBJECTS:.o=.d) $(CLI_OBJECTS:.o=.d) $(CHECKCL_OBJECTS:.o=.d) \
	$(addsuffix .d,$(UNIT) $(BENCH)) $(patsubst %,$(BUILD)/test/fuzz/%.d,replay $(addprefix fuzz_,$(notdir $(FUZZ)))) $(wildcard $(BUILD)/faults/*.d)
