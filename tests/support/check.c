#include "support/check.h"

#include <stdlib.h>

int tw_test_setup(void **state)
{
    struct bench_room *room = calloc(1, sizeof *room);
    if (room == NULL)
        return -1;
    tw_arena_init(&room->arena, &room->landing, 0);
    if (setjmp(room->landing.at) != 0)
        abort(); /* a test that exhausts memory is a broken test */
    tw_sources_init(&room->sources, &room->arena);
    tw_diags_init(&room->diags, &room->arena, &room->sources);
    *state = room;
    return 0;
}

int tw_test_teardown(void **state)
{
    struct bench_room *room = *state;
    tw_arena_release(&room->arena);
    free(room);
    return 0;
}

const char *tw_test_diags(struct bench_room *room)
{
    struct text t;
    tw_text_init(&t, &room->arena);
    tw_diags_text(&room->diags, &t);
    return t.at;
}

void tw_test_expect_diags(struct bench_room *room, const char *want)
{
    assert_string_equal(tw_test_diags(room), want);
}
