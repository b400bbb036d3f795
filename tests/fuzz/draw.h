/* Statements of PTX drawn from the catalogue, for the fuzzers' mutations: a form, modifiers that go together, operands of
 * the right kinds. They use the names that fuzz_fresh_module declares. */
#ifndef TW_TESTS_FUZZ_DRAW_H
#define TW_TESTS_FUZZ_DRAW_H

#include "base/text.h"
#include "fuzz/dice.h"
#include "isa/isa.h"

/* An instruction with its ';'. */
void fuzz_draw_statement(const struct isa *isa, struct dice *d, struct text *out);
/* The instruction at the beginning of `statement` with another choice for one modifier; nothing when it is none. */
void fuzz_redraw_modifier(const struct isa *isa, struct dice *d, struct str mnemonic, struct text *out);
/* Something that may stand where an operand stands: a register, a number, a name, an address. */
void fuzz_draw_any_operand(struct dice *d, struct text *out);
void fuzz_draw_number(struct dice *d, struct text *out);
/* A module of one kernel with a few drawn statements. */
void fuzz_fresh_module(const struct isa *isa, struct dice *d, struct text *out);
/* A few instructions that only together do something, a directive, a declaration. */
const char *fuzz_draw_phrase(struct dice *d);
const char *fuzz_draw_header(struct dice *d);

#endif
