/* A text that mutations edit in place. */
#ifndef TW_TESTS_FUZZ_EDIT_H
#define TW_TESTS_FUZZ_EDIT_H

#include "base/str.h"
#include "base/text.h"
#include "fuzz/dice.h"
#include "fuzz/mutate.h"
#include "isa/isa.h"

struct edit {
    char *at;
    size_t len, room;
    struct dice dice;
    struct text drawn;      /* what is put in; emptied before each use */
    const struct isa *isa;
    fuzz_bytes_fn *plain;
};

struct range {
    size_t from, to;
};

typedef void mutation(struct edit *e);

/* Puts `text` in the range's place; does nothing when there is no room. */
void edit_replace(struct edit *e, struct range r, struct str text);
static inline struct str edit_drawn(const struct edit *e)
{
    return (struct str){e->drawn.at, e->drawn.len};
}
/* A random range of the bytes for which `in` holds, or an empty one. */
struct range edit_find(struct edit *e, bool (*in)(char c));
/* Runs one to four mutations of the list on the bytes and returns the new length. */
size_t edit_run(const struct edit *start, mutation *const *list, uint32_t count);
/* Lets libFuzzer change bytes. */
void edit_bytes(struct edit *e);
/* Changes a number for another. */
void edit_number(struct edit *e);

#endif
