# tilewright. `make` builds the library and the command; `make test` builds and runs all tests;
# `make demo` compiles and runs the two example kernels. See README.md.
#
#   MODE=release|debug|asan     how to build (default release); output in build/$(CC)-$(MODE)/
#   CC=gcc|clang                both are kept warning-free
#   WERROR=1                    warnings are errors (CI)
#   make golden GOLDEN=DIR      compare every golden file of a folder (default ../shared/golden), table and counts
#   make corpus CORPUS=DIR      run the kernels of a corpus folder (default ../shared/corpus), table and counts
#   make test-long              the tests that take minutes: exhaustive sweeps
#   make examples               the tensor-core examples, each compared with its reference; DEVICE=cuda[:N]: a GPU
#                               compared with the machine instead
#   make bench                  what compiling, running and the arithmetic cost; bench-large: a product of 4096 cubed
#   make sweep                  three thousand drawn kernels each of tcgen05.mma and mma.sync: compiled, assembled, every tenth run
#   make silicon                every instruction of the catalogue that sm_90a has, compared with a GPU, bit by bit; where there
#                               is none, shown to ptxas and run. TW_SILICON=N: so many warps of operands each (default 64)
#   make fuzz                   the fuzzers, built with clang (docs/fuzzing.md); their corpora are part of make test
#   make fuzz-campaign RUNS=N   runs each of them until it has done N executions; stops at a finding
#   make room-layout            build and run one room's tests, linking only that room and those before it

MODE   ?= release
CC     ?= gcc
ifeq ($(origin CC),default)
CC     := gcc
endif
B      := build/$(notdir $(CC))-$(MODE)

# Rooms in their order: a room may include only rooms before it (tools/check_includes reads this line).
ROOMS  := base diag num layout isa ptx ir lang tile emit machine check gpu api

WARN   := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wcast-qual -Wstrict-prototypes \
          -Wmissing-prototypes -Wswitch-enum -Wvla -Wundef -Wdouble-promotion $(if $(WERROR),-Werror)
OPT.release := -O2 -g
OPT.debug   := -O0 -g
OPT.asan    := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
# Edges are counted; the values of comparisons are not: they cost ten times as much, and the mutations know the words.
OPT.fuzz    := -O2 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-coverage=trace-cmp,indirect-calls,stack-depth \
               -fno-sanitize-recover=all -fno-omit-frame-pointer
CFLAGS ?=
ALL_CFLAGS  := -std=c17 -D_POSIX_C_SOURCE=200809L -ffp-contract=off -fvisibility=hidden -pthread \
               $(WARN) $(OPT.$(MODE)) -Isrc -Iinclude -I. -Itests $(CFLAGS)
LDLIBS := -lpthread -lm -ldl

room_src  = $(sort $(wildcard src/$(1)/*.c))
room_obj  = $(patsubst %.c,$(B)/%.o,$(call room_src,$(1)))
upto      = $(if $(filter $(1),$(firstword $(2))),$(1),$(firstword $(2)) $(call upto,$(1),$(wordlist 2,99,$(2))))
reverse   = $(if $(1),$(call reverse,$(wordlist 2,99,$(1))) $(firstword $(1)))
room_libs = $(foreach r,$(call reverse,$(call upto,$(1),$(ROOMS))),$(B)/$(r).a)
room_test = $(patsubst %.c,$(B)/%,$(sort $(wildcard tests/$(1)/*_test.c)))

LIB    := $(B)/libtilewright.a
TOOL   := $(B)/tilewright
TESTS  := $(foreach r,$(ROOMS) cli corpus fuzz silicon,$(call room_test,$(r)))
SUPPORT := $(patsubst %.c,$(B)/%.o,$(wildcard tests/support/*.c))

.PHONY: all test demo bench check clean deps
.SECONDARY:
all: $(LIB) $(TOOL)

$(B)/%.o: %.c
	@mkdir -p $(@D)
	@echo "  CC   $<"
	@$(CC) $(ALL_CFLAGS) -MMD -MP -c $< -o $@

# One archive a room, so that a room's tests link without the rooms after it.
define room_rules
$(B)/$(1).a: $(call room_obj,$(1))
	@mkdir -p $$(@D)
	@rm -f $$@
	@ar rcs $$@ $$^
$(call room_test,$(1)): $(B)/%: $(B)/%.o $(SUPPORT) $(call room_libs,$(1)) $(B)/diag.a $(B)/base.a
	@echo "  LINK $$@"
	@$(CC) $(ALL_CFLAGS) $$(filter %.o,$$^) $(call room_libs,$(1)) $(B)/diag.a $(B)/base.a -lcmocka $(LDLIBS) -o $$@
.PHONY: room-$(1)
room-$(1): $(call room_test,$(1))
	@tools/run_tests $$^
endef
$(foreach r,$(ROOMS),$(eval $(call room_rules,$(r))))

# A recording CUDA driver, for machines without one.
RECORDER := $(B)/tests/gpu/driver/libcuda.so.1
$(RECORDER): tests/gpu/driver/libcuda.c tests/gpu/driver/record.h
	@mkdir -p $(@D)
	@$(CC) $(filter-out -fvisibility=% -fsanitize=% -fno-sanitize-%,$(ALL_CFLAGS)) -Wno-missing-prototypes -shared -fPIC $< -o $@
$(B)/tests/gpu/recorded_test $(call room_test,cli): $(RECORDER)
$(B)/tests/gpu/recorded_test.o: ALL_CFLAGS += -DRECORDING_DRIVER='"$(RECORDER)"'

$(LIB): $(foreach r,$(ROOMS),$(call room_obj,$(r)))
	@rm -f $@
	@ar rcs $@ $^

$(TOOL): $(patsubst %.c,$(B)/%.o,$(sort $(wildcard cli/*.c))) $(LIB)
	@echo "  LINK $@"
	@$(CC) $(ALL_CFLAGS) $^ $(LDLIBS) -o $@

$(call room_test,cli): $(B)/%: $(B)/%.o $(SUPPORT) $(LIB) $(TOOL) $(B)/golden
	@echo "  LINK $@"
	@$(CC) $(ALL_CFLAGS) $(filter %.o %.a,$^) -lcmocka $(LDLIBS) -o $@

$(B)/tests/cli/progress_test: $(B)/cli/progress.o

# What the fuzzers have found and what they start from, as a test; `make fuzz` builds the fuzzers themselves (clang).
FUZZ_KIT := $(patsubst %.c,$(B)/%.o,$(filter-out %/fuzzer.c %_test.c,$(wildcard tests/fuzz/*.c)))
$(call room_test,fuzz): $(B)/%: $(B)/%.o $(FUZZ_KIT) $(SUPPORT) $(LIB)
	@echo "  LINK $@"
	@$(CC) $(ALL_CFLAGS) $(filter %.o %.a,$^) -lcmocka $(LDLIBS) -o $@

SILICON_KIT := $(patsubst %.c,$(B)/%.o,$(filter-out %_test.c,$(wildcard tests/silicon/*.c)))
$(call room_test,silicon): $(B)/%: $(B)/%.o $(SILICON_KIT) $(SUPPORT) $(LIB)
	@echo "  LINK $@"
	@$(CC) $(ALL_CFLAGS) $(filter %.o %.a,$^) -lcmocka $(LDLIBS) -o $@

.PHONY: room-silicon silicon
room-silicon: $(call room_test,silicon)
	@tools/run_tests $^
silicon: deps
	@$(MAKE) --no-print-directory $(call room_test,silicon) >/dev/null
	@TW_SILICON=$${TW_SILICON:-64} $(call room_test,silicon)

.PHONY: room-fuzz fuzz fuzz-campaign
room-fuzz: $(call room_test,fuzz)
	@tools/run_tests $^

FUZZ_TARGETS := ptx contract run check
fuzz:
	@tools/deps fuzz
	@$(MAKE) --no-print-directory CC=clang MODE=fuzz $(patsubst %,build/clang-fuzz/fuzz_%,$(FUZZ_TARGETS))
	@echo "fuzzers: $(patsubst %,build/clang-fuzz/fuzz_%,$(FUZZ_TARGETS)); see docs/fuzzing.md"

RUNS ?= 50000000
fuzz-campaign: fuzz
	@for target in $(FUZZ_TARGETS); do tools/fuzz_campaign $$target $(RUNS) || exit 1; done

# Only the rooms that they feed: every other one would be edges to count after each input.
FUZZ_LIBS := $(patsubst %,$(B)/%.a,check machine ptx isa layout num diag base)
$(B)/fuzz.a: $(FUZZ_KIT)
	@rm -f $@
	@ar rcs $@ $^
$(patsubst %,$(B)/fuzz_%,$(FUZZ_TARGETS)): $(B)/fuzz_%: tests/fuzz/fuzzer.c $(B)/fuzz.a $(FUZZ_LIBS)
	@echo "  LINK $@"
	@$(CC) $(ALL_CFLAGS) -fsanitize=fuzzer -DFUZZ_TARGET=$* $^ $(LDLIBS) -o $@

CORPUS_KIT := $(patsubst %.c,$(B)/%.o,$(filter-out %_test.c,$(wildcard tests/corpus/*.c)))
$(call room_test,corpus): $(B)/%: $(B)/%.o $(CORPUS_KIT) $(SUPPORT) $(LIB)
	@echo "  LINK $@"
	@$(CC) $(ALL_CFLAGS) $(filter %.o %.a,$^) -lcmocka $(LDLIBS) -o $@

.PHONY: room-corpus
room-corpus: $(call room_test,corpus)
	@tools/run_tests $^

# Every kernel of a corpus of other compilers' PTX, as a table; the programs of corpus/cuda are compiled where nvcc is present.
CORPUS ?= $(or $(TW_SHARED),../shared)/corpus
.PHONY: corpus corpus-run
corpus: deps
	@$(MAKE) --no-print-directory corpus-run
corpus-run: $(call room_test,corpus)
	@tools/run_corpus $(CORPUS) $^

test: deps
	@$(MAKE) --no-print-directory all test-run

.PHONY: test-run
test-run: $(TESTS) $(TOOL)
	@TILEWRIGHT=$(TOOL) tools/run_tests $(TESTS)

# Exhaustive sweeps that take minutes: tests of src/num that look at TW_LONG.
.PHONY: test-long
test-long: $(call room_test,num)
	@TW_LONG=1 tools/run_tests $^

# Golden data: every result of every .tcg and .json file of a folder.
GOLDEN ?= $(or $(TW_SHARED),../shared)/golden
.PHONY: golden
golden: deps
	@$(MAKE) --no-print-directory $(B)/golden >/dev/null
	@$(B)/golden $(GOLDEN)

$(B)/golden: $(patsubst %.c,$(B)/%.o,$(sort $(wildcard tests/golden/*.c)) tests/support/tcg.c) $(LIB)
	@echo "  LINK $@"
	@$(CC) $(ALL_CFLAGS) $^ $(LDLIBS) -o $@

demo: deps
	@$(MAKE) --no-print-directory $(B)/demo >/dev/null
	@$(B)/demo

$(B)/demo: $(patsubst %,$(B)/%.o,examples/demo cli/assemble cli/files) $(LIB)
	@echo "  LINK $@"
	@$(CC) $(ALL_CFLAGS) $^ $(LDLIBS) -o $@

# The tensor-core examples: compiled, run on the CPU, compared with their references.
EXAMPLES := $(patsubst %.c,$(B)/%.o,$(wildcard examples/catalogue*.c examples/numbers.c))
.PHONY: examples
examples: deps
	@$(MAKE) --no-print-directory $(B)/examples/check >/dev/null
	@$(B)/examples/check $(if $(DEVICE),--device $(DEVICE))

$(B)/examples/check: $(B)/examples/check.o $(EXAMPLES) $(patsubst %,$(B)/cli/%.o,assemble files) $(LIB)
	@echo "  LINK $@"
	@$(CC) $(ALL_CFLAGS) $^ $(LDLIBS) -o $@

$(B)/tests/api/examples_test $(B)/tests/api/gemm_async_test $(B)/tests/api/cuda_test $(B)/tests/api/wgmma_run_test: $(EXAMPLES)

$(B)/tests/api/arch_test: $(EXAMPLES)

# Kernels drawn over the whole contracts of tcgen05.mma and mma.sync; `make sweep` draws three thousand of each.
$(B)/tests/api/tcgen05_sweep_test: $(patsubst %,$(B)/tests/api/%.o,sweep sweep_run sweep_encode) $(EXAMPLES)
$(B)/tests/api/mma_sweep_test $(B)/tests/api/mma_cuda_test: $(patsubst %,$(B)/tests/api/%.o,mma_sweep_draw mma_sweep_run)
$(B)/tests/api/read_back_test: $(patsubst %,$(B)/tests/api/%.o,sweep sweep_run sweep_encode mma_sweep_draw mma_sweep_run) $(EXAMPLES)
.PHONY: sweep
sweep: deps
	@$(MAKE) --no-print-directory $(B)/tests/api/tcgen05_sweep_test $(B)/tests/api/mma_sweep_test >/dev/null
	@TW_SWEEP=3000 $(B)/tests/api/tcgen05_sweep_test
	@TW_SWEEP=3000 $(B)/tests/api/mma_sweep_test

bench: deps all
	@$(MAKE) --no-print-directory $(B)/bench_tilewright $(B)/machine_bench $(B)/gemm_bench $(B)/mma_bench >/dev/null
	@$(B)/bench_tilewright $(TOOL)
	@echo
	@$(B)/machine_bench
	@echo
	@$(B)/gemm_bench 1024
	@echo
	@$(B)/mma_bench

# The large product alone: some ten seconds.
.PHONY: bench-large
bench-large: deps
	@$(MAKE) --no-print-directory $(B)/gemm_bench >/dev/null
	@$(B)/gemm_bench 4096

$(B)/bench_tilewright: $(patsubst %,$(B)/%.o,bench/bench cli/files) $(EXAMPLES) $(LIB)
	@echo "  LINK $@"
	@$(CC) $(ALL_CFLAGS) $^ $(LDLIBS) -o $@

$(B)/machine_bench $(B)/gemm_bench: $(B)/%: $(B)/bench/%.o $(B)/bench/guest.o $(foreach r,check machine ptx isa layout num diag base,$(B)/$(r).a)
	@echo "  LINK $@"
	@$(CC) $(ALL_CFLAGS) $^ $(LDLIBS) -o $@

$(B)/mma_bench: $(B)/bench/mma_bench.o $(LIB)
	@echo "  LINK $@"
	@$(CC) $(ALL_CFLAGS) $^ $(LDLIBS) -ldl -o $@

check:
	@tools/check_repository

# Installs what is missing when root on Debian, else prints the one line that does.
deps:
	@tools/deps

clean:
	rm -rf build

-include $(shell find $(B) -name '*.d' 2>/dev/null)
