/* Mutations: within their room, repeatable, and mostly legal, since only legal inputs come deep. */
#include "support/check.h"

#include "fuzz/draw.h"
#include "fuzz/mutate.h"
#include "fuzz/target.h"
#include "ptx/ptx.h"

#include <stdio.h>
#include <stdlib.h>

static const char ptx[] = ".version 9.0\n.target sm_90a\n.address_size 64\n.entry k(.param .u64 out){\n.reg .b32 %r<4>;.reg .b64 %q<2>;\n"
                          "ld.param.u64 %q0,[out];\n@!%p0 bra L1;mov.u32 %r1,5;st.global.u32 [%q0+4],%r1;\nret;\n}\n";
static const char contract[] = "{\"entry\": \"k\", \"grid\": [2, 1, 1], \"args\": [{\"name\": \"A\", \"kind\": \"tensor\", \"dtype\": \"float16\", \"shape\": [4, 8]}]}\n";

static const struct {
    const char *text;
    size_t (*mutate)(uint8_t *bytes, size_t len, size_t room, uint64_t seed, fuzz_bytes_fn *plain);
} rows[] = {{ptx, fuzz_mutate_ptx}, {contract, fuzz_mutate_contract}, {"", fuzz_mutate_ptx}, {"", fuzz_mutate_contract}, {";", fuzz_mutate_ptx}, {"{", fuzz_mutate_contract}};

static void mutations_stay_within_their_room(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        for (size_t spare = 0; spare < 400; spare += 100) {
            const size_t room = strlen(rows[i].text) + spare;
            uint8_t *const bytes = malloc(room + 1); /* the sanitizer sees a byte too many */
            assert_non_null(bytes);
            size_t len = strlen(rows[i].text);
            memcpy(bytes, rows[i].text, len);
            for (uint64_t seed = 0; seed < 2000; seed++) {
                len = rows[i].mutate(bytes, len, room, seed, NULL);
                assert_true(len <= room);
            }
            free(bytes);
        }
}

static void a_mutation_is_the_same_for_the_same_seed(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        for (uint64_t seed = 0; seed < 200; seed++) {
            uint8_t one[1000], two[1000];
            const size_t len = strlen(rows[i].text);
            memcpy(one, rows[i].text, len);
            memcpy(two, rows[i].text, len);
            const size_t first = rows[i].mutate(one, len, sizeof one, seed, NULL), second = rows[i].mutate(two, len, sizeof two, seed, NULL);
            assert_int_equal(first, second);
            assert_memory_equal(one, two, first);
        }
}

/* A fifth of the kernels that are drawn has no error at all; nonsense is wanted, too. */
static void many_drawn_kernels_are_legal(void **state)
{
    struct bench_room *const room = *state;
    unsigned legal = 0;
    enum { DRAWN = 2000 };
    for (uint64_t seed = 1; seed <= DRAWN; seed++) {
        const struct arena_mark mark = tw_arena_mark(&room->arena);
        struct dice dice = {seed};
        struct text t;
        struct sources sources;
        struct diags diags;
        tw_text_init(&t, &room->arena);
        tw_sources_init(&sources, &room->arena);
        tw_diags_init(&diags, &room->arena, &sources);
        fuzz_fresh_module(fuzz_tables(), &dice, &t);
        tw_ptx_parse(&room->arena, fuzz_tables(), &diags, tw_sources_add(&sources, "drawn.ptx", (struct str){t.at, t.len}));
        legal += diags.error_count == 0;
        tw_arena_rewind(&room->arena, mark);
    }
    if (legal < DRAWN / 5)
        fail_msg("%u of %d drawn kernels are legal", legal, DRAWN);
    printf("%u of %d drawn kernels are legal\n", legal, DRAWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mutations_stay_within_their_room),
        cmocka_unit_test(a_mutation_is_the_same_for_the_same_seed),
        ROOM_TEST(many_drawn_kernels_are_legal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
