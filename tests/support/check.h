/* Common ground of the tests: cmocka in the order it wants to be included, an arena with a
 * landing, sources and diagnostics, and comparisons that print both sides. */
#ifndef TW_TESTS_CHECK_H
#define TW_TESTS_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/arena.h"
#include "base/str.h"
#include "base/text.h"
#include "diag/diag.h"
#include "diag/source.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct bench_room {
    struct landing landing;
    struct arena arena;
    struct sources sources;
    struct diags diags;
};

/* cmocka setup and teardown: *state is a struct bench_room. */
int tw_test_setup(void **state);
int tw_test_teardown(void **state);

#define ROOM_TEST(function) cmocka_unit_test_setup_teardown(function, tw_test_setup, tw_test_teardown)

/* All diagnostics as text. */
const char *tw_test_diags(struct bench_room *room);
/* Fails unless the rendered diagnostics are exactly `want`. */
void tw_test_expect_diags(struct bench_room *room, const char *want);

#endif
