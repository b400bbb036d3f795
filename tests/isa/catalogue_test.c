/* The instruction catalogue: matching, legality, targets, vector lengths, chains. */
#include "support/check.h"

#include "isa/isa.h"

#include <stdio.h>
#include <stdlib.h>

static const struct isa *open_isa(struct bench_room *room)
{
    return tw_isa_open(&room->arena);
}

static struct isa_match match(struct bench_room *room, const struct isa *isa, const char *mnemonic)
{
    struct isa_match m;
    tw_isa_match(isa, &room->arena, tw_str(mnemonic), &m);
    return m;
}

static const char *spelled(struct bench_room *room, const struct isa_spelling *s)
{
    struct text t;
    tw_text_init(&t, &room->arena);
    tw_isa_spell(s, &t);
    return t.at;
}

/* SOURCE: ptx-census.md, "Order and spacing of a mnemonic vary". */
static void modifiers_are_matched_as_a_set(void **state)
{
    static const struct {
        const char *written, *canonical;
    } rows[] = {
        {"ldmatrix.sync.aligned.x4.m8n8.shared.b16", "ldmatrix.sync.aligned.m8n8.x4.shared.b16"},
        {"ldmatrix.sync.aligned.trans.m8n8.x4.shared.b16", "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16"},
        {"tcgen05.cp.cta_group::1.warpx4.32x128b", "tcgen05.cp.cta_group::1.32x128b.warpx4"},
        {"tcgen05.mma.kind::f16.cta_group::1", "tcgen05.mma.cta_group::1.kind::f16"},
        {"tcgen05.wait::ld.aligned.sync", "tcgen05.wait::ld.sync.aligned"},
        {"atom.global.acq_rel.gpu.cas.b32", "atom.acq_rel.gpu.global.cas.b32"},
        {"atom.relaxed.global.cas.b32", "atom.relaxed.global.cas.b32"},
        {"ld.volatile.shared.f32", "ld.volatile.shared.f32"},
        {"ld.global.relaxed.cta.L1::no_allocate.v4.b32", "ld.relaxed.cta.global.L1::no_allocate.v4.b32"},
        {"mma.sync.aligned.kind::mxf8f6f4.block_scale.scale_vec::1X.m16n8k32.row.col.f32.e4m3.e3m2.f32.ue8m0",
         "mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e4m3.e3m2.f32.ue8m0"},
        {"cp.async.bulk.tensor.2d.cta_group::2.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint",
         "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.cta_group::2.L2::cache_hint"},
    };
    struct bench_room *room = *state;
    const struct isa *isa = open_isa(room);
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct isa_match m = match(room, isa, rows[i].written);
        assert_int_equal(m.status, MATCH_OK);
        assert_string_equal(spelled(room, &m.candidates[0]), rows[i].canonical);
    }
}

static void types_keep_their_order(void **state)
{
    struct bench_room *room = *state;
    const struct isa *isa = open_isa(room);
    struct isa_match to = match(room, isa, "cvt.rn.f16.f32"), from = match(room, isa, "cvt.f32.f16");
    assert_int_equal(isa_spelling_mod(&to.candidates[0], SLOT_DTYPE), MOD_F16);
    assert_int_equal(isa_spelling_mod(&to.candidates[0], SLOT_ATYPE), MOD_F32);
    assert_int_equal(isa_spelling_mod(&from.candidates[0], SLOT_DTYPE), MOD_F32);
    assert_int_equal(match(room, isa, "cvt.rn.f16x2.e4m3x2").status, MATCH_OK);
    assert_int_not_equal(match(room, isa, "cvt.rn.e4m3x2.f16x2").status, MATCH_OK);
}

static void a_failed_match_says_what_is_wrong_and_what_is_near(void **state)
{
    static const struct {
        const char *written;
        enum isa_match_status status;
        const char *token, *nearest;
    } rows[] = {
        {"addd.s32", MATCH_UNKNOWN_OPCODE, "addd", "add"},
        {"tcgen5.mma.cta_group::1.kind::f16", MATCH_UNKNOWN_OPCODE, "tcgen5", "tcgen05.mma"},
        {"mbarrier.try_wiat.parity.shared::cta.b64", MATCH_UNKNOWN_OPCODE, "try_wiat", "mbarrier.try_wait"},
        {"tcgen05.mma.cta_group::1.kind::f17", MATCH_UNKNOWN_MODIFIER, "kind::f17", "kind::f16"},
        {"ld.globl.u32", MATCH_UNKNOWN_MODIFIER, "globl", "global"},
        {"tcgen05.mma.ctagroup::1.kind::f16", MATCH_UNKNOWN_MODIFIER, "ctagroup::1", "cta_group::1"},
        {"add.s32.s32", MATCH_REFUSED_MODIFIER, "s32", NULL},
        {"tcgen05.mma.cta_group::2.cta_group::1.kind::f16", MATCH_REFUSED_MODIFIER, "cta_group::1", NULL},
        {"ld.global", MATCH_MISSING_MODIFIER, "ld", NULL},
        {"tcgen05.cp.cta_group::1.64x128b", MATCH_RULE, "tcgen05.cp", NULL},
    };
    struct bench_room *room = *state;
    const struct isa *isa = open_isa(room);
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct isa_match m = match(room, isa, rows[i].written);
        assert_int_equal(m.status, rows[i].status);
        assert_true(tw_str_is(m.token, rows[i].token));
        if (rows[i].nearest != NULL)
            assert_string_equal(m.nearest, rows[i].nearest);
    }
}

static void a_missing_modifier_is_listed(void **state)
{
    struct bench_room *room = *state;
    const struct isa *isa = open_isa(room);
    assert_string_equal(match(room, isa, "tcgen05.mma.cta_group::1").expected,
                        "the kind: .kind::f16, .kind::tf32, .kind::f8f6f4 or .kind::i8");
    assert_string_equal(match(room, isa, "fma.f32").expected, "the rounding: .rn, .rz, .rm or .rp");
}

/* SOURCE: PTX ISA, ".target": a is one chip, f its family, plain this and later; tcgen05.md 2.1. */
static void targets_admit_chip_family_or_later(void **state)
{
    static const struct {
        const char *target, *listed;
        bool in;
    } rows[] = {
        {"sm_80", "sm_80", true},      {"sm_75", "sm_80", false},      {"sm_90a", "sm_80", true},
        {"sm_90a", "sm_90a", true},    {"sm_90", "sm_90a", false},     {"sm_100a", "sm_90a", false},
        {"sm_100a", "sm_100f", true},  {"sm_100f", "sm_100f", true},   {"sm_103a", "sm_100f", true},
        {"sm_103f", "sm_100f", true},  {"sm_100", "sm_100f", false},   {"sm_110a", "sm_100f", false},
        {"sm_100f", "sm_100a", false}, {"sm_101a", "sm_110f", true},   {"sm_120a", "sm_100f|sm_110f", false},
        {"sm_110f", "sm_100f|sm_110f", true}, {"sm_100f", "sm_103f", false},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct isa_target t;
        assert_true(tw_isa_target_parse(tw_str(rows[i].target), &t));
        assert_int_equal(tw_isa_target_in(t, rows[i].listed), rows[i].in);
    }
    struct isa_target t;
    assert_false(tw_isa_target_parse(STR("sm_"), &t));
    assert_false(tw_isa_target_parse(STR("sm_90b"), &t));
    assert_false(tw_isa_target_parse(STR("compute_90"), &t));
}

static void what_is_lacking_is_named_with_version_or_target(void **state)
{
    static const struct {
        const char *mnemonic;
        unsigned ptx;
        struct isa_target target;
        const char *why;
    } rows[] = {
        {"tcgen05.alloc.cta_group::1.sync.aligned.b32", 85, {100, 'a'}, "tcgen05.alloc needs PTX 8.6 or later"},
        {"tcgen05.alloc.cta_group::1.sync.aligned.b32", 86, {100, 'a'}, NULL},
        {"tcgen05.mma.cta_group::1.kind::i8", 90, {103, 'a'}, "tcgen05.mma.kind::i8 needs target sm_100a, sm_110a"},
        {"tcgen05.mma.cta_group::1.kind::i8", 90, {100, 'a'}, NULL},
        {"wgmma.fence.sync.aligned", 80, {90, 0}, "wgmma.fence needs target sm_90a"},
        {"ld.shared::cluster.u32", 78, {80, 0}, "ld.shared::cluster needs target sm_90 or later"},
        {"add.f32x2", 90, {90, 'a'}, "add.f32x2 needs target sm_100 or later"},
        {"add.f32x2", 90, {100, 0}, NULL},
    };
    struct bench_room *room = *state;
    const struct isa *isa = open_isa(room);
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct isa_match m = match(room, isa, rows[i].mnemonic);
        assert_int_equal(m.status, MATCH_OK);
        const struct isa_env env = {rows[i].ptx, rows[i].target};
        const char *why = tw_isa_unavailable(isa, &m.candidates[0], (struct isa_presence){0}, &env, &room->arena);
        if (rows[i].why == NULL)
            assert_null(why);
        else
            assert_string_equal(why, rows[i].why);
    }
}

/* SOURCE: tcgen05.md 2.2 (registers a repeat), ptx-async.md 1.1 and 1.5 (fragments), 2.1 (wgmma), 4.3 (coordinates). */
static void vector_lengths_follow_from_the_modifiers(void **state)
{
    static const struct {
        const char *mnemonic;
        enum isa_role role;
        unsigned count;
    } rows[] = {
        {"tcgen05.ld.sync.aligned.32x32b.x128.b32", ROLE_D, 128},
        {"tcgen05.ld.sync.aligned.16x64b.x4.b32", ROLE_D, 4},
        {"tcgen05.ld.sync.aligned.16x128b.x2.b32", ROLE_D, 4},
        {"tcgen05.st.sync.aligned.16x256b.x32.b32", ROLE_A, 128},
        {"tcgen05.ld.sync.aligned.16x32bx2.x8.b32", ROLE_D, 8},
        {"tcgen05.mma.cta_group::1.kind::f16", ROLE_OUTPUT_MASK, 4},
        {"tcgen05.mma.cta_group::2.kind::f16", ROLE_OUTPUT_MASK, 8},
        {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", ROLE_A, 4},
        {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", ROLE_B, 2},
        {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", ROLE_D, 4},
        {"mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", ROLE_D, 2},
        {"mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32", ROLE_A, 2},
        {"mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32", ROLE_A, 2},
        {"mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32", ROLE_B, 1},
        {"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", ROLE_A, 1},
        {"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", ROLE_C, 2},
        {"mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64", ROLE_A, 8},
        {"mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32", ROLE_A, 4},
        {"mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32", ROLE_B, 2},
        {"mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc", ROLE_A, 4},
        {"mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32", ROLE_A, 1},
        {"mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32", ROLE_D, 8},
        {"mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32", ROLE_A, 2},
        {"mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e2m1.e3m2.f32", ROLE_A, 4},
        {"mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.f32.e2m1.e2m1.f32.ue8m0", ROLE_A, 4},
        {"mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32", ROLE_A, 4},
        {"mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32", ROLE_B, 4},
        {"wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16", ROLE_D, 128},
        {"wgmma.mma_async.sync.aligned.m64n64k16.f16.f16.f16", ROLE_D, 16},
        {"wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8", ROLE_D, 4},
        {"ldmatrix.sync.aligned.m8n8.x4.shared.b16", ROLE_D, 4},
        {"ldmatrix.sync.aligned.m16n16.x2.trans.shared.b8", ROLE_D, 4},
        {"cp.async.bulk.tensor.3d.shared::cta.global.mbarrier::complete_tx::bytes", ROLE_MAP, 3},
        {"cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes", ROLE_MAP, 5},
        {"cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes", ROLE_INFO, 2},
        {"ld.global.v4.f32", ROLE_D, 4},
        {"ld.global.f32", ROLE_D, 0},
    };
    struct bench_room *room = *state;
    const struct isa *isa = open_isa(room);
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct isa_match m = match(room, isa, rows[i].mnemonic);
        assert_int_equal(m.status, MATCH_OK);
        int at = m.candidates[0].form->operand_of[rows[i].role];
        assert_true(at >= 0);
        assert_int_equal(tw_isa_operand_count(&m.candidates[0], (unsigned)at), rows[i].count);
    }
}

static void special_registers_have_components(void **state)
{
    struct bench_room *room = *state;
    const struct isa *isa = open_isa(room);
    enum isa_sreg_id id;
    int component;
    assert_true(tw_isa_sreg_find(isa, STR("%tid.y"), &id, &component));
    assert_int_equal(id, SREG_TID);
    assert_int_equal(component, 1);
    assert_true(tw_isa_sreg_find(isa, STR("%laneid"), &id, &component));
    assert_int_equal(component, -1);
    assert_true(tw_isa_sreg_find(isa, STR("%envreg31"), &id, &component));
    assert_false(tw_isa_sreg_find(isa, STR("%laneid.x"), &id, &component));
    assert_false(tw_isa_sreg_find(isa, STR("%tid.q"), &id, &component));
    assert_false(tw_isa_sreg_find(isa, STR("%tidy"), &id, &component));
}

/* SOURCE: kernel-language-ptx.md 9.1. */
static void an_attribute_chain_becomes_a_mnemonic(void **state)
{
    static const struct {
        const char *chain, *mnemonic;
    } rows[] = {
        {"tcgen05.commit.cta_group__1.mbarrier__arrive__one.shared__cluster.b64",
         "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64"},
        {"tcgen05.wait__ld.sync.aligned", "tcgen05.wait::ld.sync.aligned"},
        {"tcgen05.fence__after_thread_sync", "tcgen05.fence::after_thread_sync"},
        {"cp_async.ca.shared.global_.L2__128B", "cp.async.ca.shared.global.L2::128B"},
        {"cp.async_.bulk.commit_group", "cp.async.bulk.commit_group"},
        {"elect_sync", "elect.sync"},
        {"redux_sync.add.s32", "redux.sync.add.s32"},
        {"and_.b32", "and.b32"},
        {"st_async.weak.shared__cluster.mbarrier__complete_tx__bytes.u32",
         "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32"},
        {"tensormap_replace.tile.rank.global_.b1024.b32", "tensormap.replace.tile.rank.global.b1024.b32"},
        {"multimem_ld_reduce.relaxed.sys.global_.add.f32", "multimem.ld_reduce.relaxed.sys.global.add.f32"},
        {"mbarrier.arrive.expect_tx.shared.b64", "mbarrier.arrive.expect_tx.shared.b64"},
    };
    struct bench_room *room = *state;
    const struct isa *isa = open_isa(room);
    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *got = tw_isa_from_chain(isa, &room->arena, tw_str(rows[i].chain));
        assert_string_equal(got, rows[i].mnemonic);
        assert_int_equal(match(room, isa, got).status, MATCH_OK);
    }
}

/* Required elements with their first alternatives, checked back through the matcher. */
static const char *simplest(struct bench_room *room, const struct isa_form *f)
{
    struct text t;
    char buffer[16];
    tw_text_init(&t, &room->arena);
    tw_text_add(&t, f->opcode);
    for (unsigned e = 0; e < f->elem_count; e++)
        if (!f->elems[e].optional)
            tw_text_addf(&t, ".%s", f->elems[e].alts[0] == ISA_SHAPE_FLAG ? "m16n8k16" : tw_isa_mod_text(f->elems[e].alts[0], buffer));
    return t.at;
}

static void every_form_can_be_spelled(void **state)
{
    struct bench_room *room = *state;
    const struct isa *isa = open_isa(room);
    for (unsigned i = 0; i < FORM_COUNT; i++) {
        const struct isa_form *f = tw_isa_form(isa, (enum isa_form_id)i);
        struct isa_match m = match(room, isa, simplest(room, f));
        bool found = m.status == MATCH_RULE;
        for (uint32_t c = 0; c < m.count; c++)
            found |= m.candidates[c].form == f;
        if (!found)
            fail_msg("%s: '%s' does not lead back to its form", f->name, simplest(room, f));
        assert_true(f->source[0] != '\0');
    }
}

static void every_spelling_of_the_census_resolves(void **state)
{
    struct bench_room *room = *state;
    const char *root = getenv("TW_SHARED");
    FILE *f = fopen(tw_format(&room->arena, "%s/reference/ptx-census.tsv", root != NULL ? root : "../shared"), "r");
    if (f == NULL) {
        print_message("not run: census of spellings, reference/ptx-census.tsv is missing\n");
        skip();
    }
    const struct isa *isa = open_isa(room);
    char line[1024];
    unsigned count = 0;
    while (fgets(line, sizeof line, f) != NULL) {
        line[strcspn(line, "\t\n")] = '\0';
        if (strcmp(line, "spelling") == 0)
            continue;
        count++;
        if (match(room, isa, line).status != MATCH_OK)
            fail_msg("'%s' is not resolved", line);
    }
    fclose(f);
    assert_int_equal(count, 682);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(modifiers_are_matched_as_a_set),
        ROOM_TEST(types_keep_their_order),
        ROOM_TEST(a_failed_match_says_what_is_wrong_and_what_is_near),
        ROOM_TEST(a_missing_modifier_is_listed),
        ROOM_TEST(targets_admit_chip_family_or_later),
        ROOM_TEST(what_is_lacking_is_named_with_version_or_target),
        ROOM_TEST(vector_lengths_follow_from_the_modifiers),
        ROOM_TEST(special_registers_have_components),
        ROOM_TEST(an_attribute_chain_becomes_a_mnemonic),
        ROOM_TEST(every_form_can_be_spelled),
        ROOM_TEST(every_spelling_of_the_census_resolves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
