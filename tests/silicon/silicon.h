/* The catalogue against a GPU, instruction by instruction: a walk over the forms that sm_90a has, each under its modifiers, with
 * operands from memory and every result stored; one text runs on the CPU machine and, where there is one, on a GPU.
 *
 *     silicon_spellings    what a form can say: all of it, or a drawn part
 *     silicon_add          one instruction's text in a batch: loads, the instruction, stores
 *     silicon_fill         operand values for every thread
 *     silicon_run          the batch on a device
 *
 * A batch is one kernel of warps that are whole: a record of words a thread, at fixed offsets, inputs and outputs alike. */
#ifndef TW_TESTS_SILICON_H
#define TW_TESTS_SILICON_H

#include "support/check.h"

#include "base/vec.h"
#include "fuzz/dice.h"
#include "isa/isa.h"
#include "tilewright/tilewright.h"

enum {
    SILICON_LANES = 32,
    SILICON_BATCH = 150,    /* instructions of a kernel: more takes the driver's compiler longer than their number */
    SILICON_PLACE = 16,     /* bytes that a memory operand has to itself */
    SILICON_PTX = 90
};
#define SILICON_TARGET "sm_90a"

/* ---- which instructions ---------------------------------------------------------------------------------- */

/* NULL: the form is compared. Else why it is not, in words; "" for what the target has not. */
const char *silicon_left_out(const struct isa_form *f);
/* Up to `most` different legal spellings of a form; *all: these are all of them. Their mods live in the arena. */
size_t silicon_spellings(const struct isa *isa, struct arena *arena, const struct isa_form *f, size_t most, struct dice *d,
                         struct isa_spelling *out, bool *all);
/* Whether the spelling is legal with the optional operands that no modifier asks for, or without them. */
bool silicon_legal(const struct isa *isa, struct arena *arena, const struct isa_spelling *s, bool other);
/* Whether an optional operand stands there: with what its slot says, else `other`. */
bool silicon_operand_stands(const struct isa_spelling *s, const struct isa_operand *o, bool other);

/* ---- operand values ---------------------------------------------------------------------------------------- */

enum silicon_draw {
    DRAW_VALUE,   /* anything of the type: special values, neighbours, any bits */
    DRAW_COUNT,   /* a shift or a width: mostly 0 to 70 */
    DRAW_BASE,    /* 0 to 31 */
    DRAW_FEW,     /* one of few values, so that lanes agree */
    DRAW_CLAMP,   /* of shfl: segment mask and clamp */
    DRAW_MEMBERS, /* a mask of lanes, the same in a warp */
    DRAW_MATRIX,  /* matrix elements whose products do not all overflow */
    DRAW_CODES,   /* metadata of sparse matrices: two elements of four */
    DRAW_PAIRS,   /* ... one of two, as two of four */
    DRAW_COUNT_OF
};

struct silicon_input {
    uint32_t at;   /* byte in the record */
    uint16_t type; /* of an element: enum isa_mod; MOD_NONE: any bits */
    uint8_t bits;  /* of the register, 1 for a predicate */
    uint8_t draw;  /* enum silicon_draw */
};

struct silicon_output {
    uint32_t at;
    uint32_t bytes;
};

struct silicon_instance {
    const struct isa_form *form; /* NULL: a special register */
    const char *text;            /* what is compared, in one line */
    uint32_t first_input, inputs, first_output, outputs;
    size_t body, body_len; /* in the batch's text */
};

struct silicon_batch {
    struct arena *arena;
    const struct isa *isa;
    VEC(struct silicon_instance) instances;
    VEC(struct silicon_input) inputs;
    VEC(struct silicon_output) outputs;
    struct text body;
    uint32_t record_bytes;
};

void silicon_begin(struct silicon_batch *b, struct arena *arena, const struct isa *isa);
/* The instruction with drawn operands. */
void silicon_add(struct silicon_batch *b, const struct isa_spelling *s, struct dice *d);
/* A special register that is the same on every run; false beyond the last. */
bool silicon_add_register(struct silicon_batch *b, size_t index);
/* Conversions of addresses of every space, whose words differ from device to device: there and back is the same. */
void silicon_add_spaces(struct silicon_batch *b, const struct isa_spelling *s, struct dice *d);
/* The kernel of `count` instances from the `first` on. */
const char *silicon_module(const struct silicon_batch *b, uint32_t first, uint32_t count);
/* Bytes from one thread's record to the next. */
uint32_t silicon_stride(const struct silicon_batch *b);

/* Records of `warps` warps. */
unsigned char *silicon_fill(const struct silicon_batch *b, uint32_t warps, uint64_t seed);

/* ---- for the text of an instance ------------------------------------------------------------------------------ */

struct silicon_writer {
    struct silicon_batch *batch;
    const struct isa_spelling *spelling;
    struct dice *dice;
    struct text declared, before, after, operands;
    unsigned names;
    bool guarded; /* only the lanes of a mask execute it */
    enum { TYPED_AS_DRAWN, TYPED, UNTYPED } registers; /* of floats: those of a vector are of one type */
    unsigned wider; /* of them: how many times twice as wide as the type; from 3 on: as drawn */
};

uint32_t silicon_input(struct silicon_batch *b, unsigned type, unsigned bits, enum silicon_draw draw);
uint32_t silicon_output(struct silicon_batch *b, unsigned bytes);
/* An address operand and its memory: "[%v3+16]" into the operands. */
void silicon_address(struct silicon_writer *w, unsigned i);

/* ---- running --------------------------------------------------------------------------------------------------- */

struct silicon_device {
    tw_ctx *ctx;
    tw_device *device;
    tw_device_info info;
};

/* Opens the CPU machine as sm_90a, or a GPU. False: there is none, or memory is exhausted. */
bool silicon_open(struct silicon_device *d, tw_device_kind kind);
void silicon_close(struct silicon_device *d);
/* Runs the batch's text on records, in place. False after words in *why. */
bool silicon_run(struct silicon_device *d, const struct silicon_batch *b, const char *text, unsigned char *records, uint32_t warps,
                 const char **why);

#endif
