/* Every operation of atom and red on every type that it takes, in every space: the word that stays, the word that comes back.
 * SOURCE: PTX ISA, atom, red; the words are IEEE sums of small numbers, exact in every format. */
#include "kernel_text.h"

enum { MOST = 8 };

/* `spelling`: operation, vector and type; `bits` and `count`: of an element, and elements. c: what cas writes. */
struct atomic_row {
    const char *spelling;
    unsigned bits, count;
    uint64_t old[MOST], b[MOST], c, want[MOST];
};

#define ALL64 0xffffffffffffffff

static const struct atomic_row scalars[] = {
    {"and.b32", 32, 1, {0xff00ff00}, {0x0ff00ff0}, 0, {0x0f000f00}},
    {"or.b32", 32, 1, {0xf0}, {0x0f}, 0, {0xff}},
    {"xor.b32", 32, 1, {0xff}, {0x0f}, 0, {0xf0}},
    {"and.b64", 64, 1, {0xff00ff00ff00ff00}, {0x0ff00ff00ff00ff0}, 0, {0x0f000f000f000f00}},
    {"or.b64", 64, 1, {0xf000000000000000}, {0x0f}, 0, {0xf00000000000000f}},
    {"xor.b64", 64, 1, {ALL64}, {0x0f}, 0, {0xfffffffffffffff0}},
    {"add.u32", 32, 1, {0xffffffff}, {2}, 0, {1}},
    {"add.s32", 32, 1, {5}, {0xfffffff0}, 0, {0xfffffff5}},
    {"add.u64", 64, 1, {0xffffffff}, {2}, 0, {0x100000001}},
    {"inc.u32", 32, 1, {4}, {5}, 0, {5}},
    {"inc.u32", 32, 1, {5}, {5}, 0, {0}},
    {"inc.u32", 32, 1, {9}, {5}, 0, {0}},
    {"dec.u32", 32, 1, {4}, {5}, 0, {3}},
    {"dec.u32", 32, 1, {0}, {5}, 0, {5}},
    {"dec.u32", 32, 1, {9}, {5}, 0, {5}},
    {"min.u32", 32, 1, {0xffffffff}, {2}, 0, {2}},
    {"min.s32", 32, 1, {0xffffffff}, {2}, 0, {0xffffffff}},
    {"max.u32", 32, 1, {0xffffffff}, {2}, 0, {0xffffffff}},
    {"max.s32", 32, 1, {0xffffffff}, {2}, 0, {2}},
    {"min.u64", 64, 1, {ALL64}, {2}, 0, {2}},
    {"min.s64", 64, 1, {ALL64}, {2}, 0, {ALL64}},
    {"max.u64", 64, 1, {ALL64}, {2}, 0, {ALL64}},
    {"max.s64", 64, 1, {ALL64}, {2}, 0, {2}},
    {"add.f32", 32, 1, {0x3f800000}, {0x40000000}, 0, {0x40400000}},
    {"add.f64", 64, 1, {0x3ff0000000000000}, {0x4000000000000000}, 0, {0x4008000000000000}},
    {"add.noftz.f16", 16, 1, {0x3c00}, {0x4000}, 0, {0x4200}},
    {"add.noftz.f16", 16, 1, {0x0001}, {0x0002}, 0, {0x0003}}, /* subnormals stay */
    {"add.noftz.bf16", 16, 1, {0x3f80}, {0x4000}, 0, {0x4040}},
    {"add.noftz.bf16", 16, 1, {0x0001}, {0x0002}, 0, {0x0003}},
    {"add.noftz.f16x2", 32, 1, {0x3c004000}, {0x3c003c00}, 0, {0x40004200}},
    {"add.noftz.bf16x2", 32, 1, {0x3f804000}, {0x3f803f80}, 0, {0x40004040}},
};

/* These have no red. */
static const struct atomic_row exchanges[] = {
    {"exch.b32", 32, 1, {1}, {2}, 0, {2}},
    {"exch.b64", 64, 1, {1}, {0x200000003}, 0, {0x200000003}},
    {"cas.b16", 16, 1, {5}, {5}, 9, {9}},
    {"cas.b16", 16, 1, {6}, {5}, 9, {6}},
    {"cas.b32", 32, 1, {5}, {5}, 9, {9}},
    {"cas.b32", 32, 1, {6}, {5}, 9, {6}},
    {"cas.b64", 64, 1, {0x500000000}, {0x500000000}, 9, {9}},
    {"cas.b64", 64, 1, {0x600000000}, {0x500000000}, 9, {0x600000000}},
};

/* In global memory alone. */
static const struct atomic_row vectors[] = {
    {"add.v2.f32", 32, 2, {0x3f800000, 0x40000000}, {0x40000000, 0xc0000000}, 0, {0x40400000, 0}},
    {"add.v4.f32", 32, 4, {0x3f800000, 0x40000000, 0, 0x40400000}, {0x40000000, 0xc0000000, 0x3f800000, 0x40400000}, 0,
     {0x40400000, 0, 0x3f800000, 0x40c00000}},
    {"add.noftz.v2.f16", 16, 2, {0x3c00, 0x0001}, {0x4000, 0x0002}, 0, {0x4200, 0x0003}},
    {"min.noftz.v4.f16", 16, 4, {0x3c00, 0x4000, 0xbc00, 0x0001}, {0x4000, 0x3c00, 0x3c00, 0x0002}, 0, {0x3c00, 0x3c00, 0xbc00, 0x0001}},
    {"max.noftz.v8.f16", 16, 8, {0x3c00, 0x4000, 0xbc00, 1, 2, 3, 4, 5}, {0x4000, 0x3c00, 0x3c00, 2, 2, 2, 2, 0xc000}, 0,
     {0x4000, 0x4000, 0x3c00, 2, 2, 3, 4, 5}},
    {"add.noftz.v8.bf16", 16, 8, {0x3f80, 0x3f80, 0x4000, 0, 0, 0, 1, 2}, {0x4000, 0x3f80, 0x3f80, 0x3f80, 0, 0x4000, 1, 1}, 0,
     {0x4040, 0x4000, 0x4040, 0x3f80, 0, 0x4000, 2, 3}},
    {"min.noftz.v2.bf16", 16, 2, {0x3f80, 0x4000}, {0x4000, 0xbf80}, 0, {0x3f80, 0xbf80}},
    {"max.noftz.v4.bf16", 16, 4, {0x3f80, 0x4000, 0, 0xc000}, {0x4000, 0xbf80, 0x3f80, 0xbf80}, 0, {0x4000, 0x4000, 0x3f80, 0xbf80}},
    {"add.noftz.v2.f16x2", 32, 2, {0x3c004000, 0x40003c00}, {0x3c003c00, 0x3c004000}, 0, {0x40004200, 0x42004200}},
    {"max.noftz.v4.f16x2", 32, 4, {0x3c004000, 0, 0xbc003c00, 0x00010002}, {0x40003c00, 0x3c00, 0x3c00bc00, 0x00020001}, 0,
     {0x40004000, 0x3c00, 0x3c003c00, 0x00020002}},
    {"min.noftz.v2.bf16x2", 32, 2, {0x3f804000, 0x40003f80}, {0x40003f80, 0xbf804000}, 0, {0x3f803f80, 0xbf803f80}},
    {"add.noftz.v4.bf16x2", 32, 4, {0x3f804000, 0, 0x3f80, 0x40000000}, {0x3f803f80, 0x3f80, 0x3f80, 0x3f803f80}, 0,
     {0x40004040, 0x3f80, 0x4000, 0x40403f80}},
};

/* Bytes of `out`: the operand at 0, b at 32, c at 64, what comes back at 96. */
enum { AT_B = 32, AT_C = 64, AT_BACK = 96 };

static void add_list(struct text *t, const char *name, unsigned count)
{
    tw_text_add(t, count == 1 ? "" : "{");
    for (unsigned k = 0; k < count; k++)
        tw_text_addf(t, "%s%s%u", k == 0 ? "" : ", ", name, k);
    tw_text_add(t, count == 1 ? "" : "}");
}

/* Shared memory is filled from `out` before and written back behind the instruction. */
static void add_copies(struct text *t, bool in)
{
    for (unsigned i = 0; i < 32; i += 4)
        tw_text_addf(t, in ? "ld.global.b32 %%r1, [%%out+%u]; st.shared.b32 [box+%u], %%r1;\n" : "ld.shared.b32 %%r1, [box+%u]; st.global.b32 [%%out+%u], %%r1;\n", i, i);
}

enum place { GLOBAL, GENERIC_GLOBAL, SHARED, SHARED_CLUSTER, GENERIC_SHARED, PLACES };

static const struct { const char *space, *address; bool shared; } places[PLACES] = {
    {".global", "%out", false}, {"", "%out", false}, {".shared::cta", "%r2", true}, {".shared::cluster", "%r2", true}, {"", "%q1", true},
};

static const char *atomic_text(struct arena *arena, const struct atomic_row *row, enum place place, bool red)
{
    struct text t;
    const unsigned bits = row->bits, bytes = bits / 8;
    tw_text_init(&t, arena);
    tw_text_add(&t, KERNEL_HEAD(".shared .align 16 .b8 box[64];"));
    tw_text_addf(&t, ".reg .b%u %%b<8>, %%c<1>, %%o<8>;\nmov.u32 %%r2, box; cvt.u64.u32 %%q1, %%r2; cvta.shared.u64 %%q1, %%q1;\n", bits);
    for (unsigned k = 0; k < row->count; k++)
        tw_text_addf(&t, "ld.global.b%u %%b%u, [%%out+%u];\n", bits, k, AT_B + bytes * k);
    tw_text_addf(&t, "ld.global.b%u %%c0, [%%out+%d];\n", bits, AT_C);
    if (places[place].shared)
        add_copies(&t, true);
    tw_text_addf(&t, "%s%s.%s ", red ? "red" : "atom", places[place].space, row->spelling);
    if (!red) {
        add_list(&t, "%o", row->count);
        tw_text_add(&t, ", ");
    }
    tw_text_addf(&t, "[%s], ", places[place].address);
    add_list(&t, "%b", row->count);
    tw_text_add(&t, strncmp(row->spelling, "cas", 3) == 0 ? ", %c0;\n" : ";\n");
    if (places[place].shared)
        add_copies(&t, false);
    for (unsigned k = 0; !red && k < row->count; k++)
        tw_text_addf(&t, "st.global.b%u [%%out+%u], %%o%u;\n", bits, AT_BACK + bytes * k, k);
    tw_text_add(&t, "ret;\n}\n");
    return t.at;
}

static void check_row(struct bench_room *room, const struct atomic_row *row, enum place place, bool red)
{
    struct rig rig;
    uint64_t out;
    const size_t bytes = row->bits / 8;
    uint8_t *const at = (uint8_t *)kernel_load(&rig, room, atomic_text(&room->arena, row, place, red), &out);
    for (unsigned k = 0; k < row->count; k++) {
        memcpy(at + bytes * k, &row->old[k], bytes);
        memcpy(at + AT_B + bytes * k, &row->b[k], bytes);
    }
    memcpy(at + AT_C, &row->c, bytes);
    kernel_must_run(&rig, &out, 1, 1, 0);
    for (unsigned k = 0; k < row->count; k++) {
        if (memcmp(at + bytes * k, &row->want[k], bytes) != 0)
            fail_msg("%s%s.%s: element %u has another value", red ? "red" : "atom", places[place].space, row->spelling, k);
        if (!red && memcmp(at + AT_BACK + bytes * k, &row->old[k], bytes) != 0)
            fail_msg("atom%s.%s: element %u comes back with another value", places[place].space, row->spelling, k);
    }
    rig_end(&rig);
}

static void every_operation_on_every_type_in_every_space(void **state)
{
    for (unsigned place = 0; place < PLACES; place++) {
        for (size_t i = 0; i < COUNT(scalars); i++) {
            check_row(*state, &scalars[i], (enum place)place, false);
            check_row(*state, &scalars[i], (enum place)place, true);
        }
        for (size_t i = 0; i < COUNT(exchanges); i++)
            check_row(*state, &exchanges[i], (enum place)place, false);
    }
}

/* MEASURED: ptx-async.md 8.7: global f32 sums flush subnormals and keep their sign; a NaN becomes 7fffffff. */
static void sums_of_f32_in_global_memory_flush_subnormals(void **state)
{
    static const struct atomic_row rows[] = {
        {"add.f32", 32, 1, {0x00000001}, {0x00000001}, 0, {0x00000000}},
        {"add.f32", 32, 1, {0x80000001}, {0x80000001}, 0, {0x80000000}},
        {"add.f32", 32, 1, {0x7fc12345}, {0x3f800000}, 0, {0x7fffffff}},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        check_row(*state, &rows[i], GLOBAL, false);
        check_row(*state, &rows[i], GLOBAL, true);
    }
    check_row(*state, &(struct atomic_row){"add.f32", 32, 1, {0x00000001}, {0x00000001}, 0, {0x00000002}}, SHARED, false); /* kept here */
}

static void vectors_are_combined_by_element(void **state)
{
    for (size_t i = 0; i < COUNT(vectors); i++) {
        check_row(*state, &vectors[i], GLOBAL, false);
        check_row(*state, &vectors[i], GLOBAL, true);
        check_row(*state, &vectors[i], GENERIC_GLOBAL, false);
    }
}

/* 16 bytes: an exchange; a comparison that holds; one that differs in the last byte and changes nothing. */
static const char sixteen_bytes[] =
    KERNEL(".shared .align 16 .b8 box[16];",
           ".reg .b128 %b, %c, %o;\nld.global.b128 %b, [%out+32]; ld.global.b128 %c, [%out+64];\n"
           "atom.global.exch.b128 %o, [%out], %b; st.global.b128 [%out+96], %o;\n"
           "atom.relaxed.gpu.global.cas.b128 %o, [%out], %b, %c; st.global.b128 [%out+112], %o;\n"
           "atom.cas.b128 %o, [%out], %b, %o; st.global.b128 [%out+128], %o;\n"
           "st.shared.b128 [box], %b; atom.shared::cta.exch.b128 %o, [box], %c; st.global.b128 [%out+144], %o;\n"
           "ld.shared.b128 %o, [box]; st.global.b128 [%out+160], %o;\n");

static void sixteen_bytes_are_exchanged_and_compared_at_once(void **state)
{
    struct rig rig;
    uint64_t out;
    uint8_t *const at = (uint8_t *)kernel_load(&rig, *state, sixteen_bytes, &out);
    uint8_t old[16], b[16], c[16];
    for (uint8_t i = 0; i < 16; i++) {
        old[i] = i;
        b[i] = (uint8_t)(100 + i);
        c[i] = i == 15 ? 7 : b[i]; /* only the last byte differs */
    }
    memcpy(at, old, 16);
    memcpy(at + AT_B, b, 16);
    memcpy(at + AT_C, c, 16);
    kernel_must_run(&rig, &out, 1, 1, 0);
    assert_memory_equal(at, c, 16);
    assert_memory_equal(at + 96, old, 16);
    assert_memory_equal(at + 112, b, 16);
    assert_memory_equal(at + 128, c, 16);
    assert_memory_equal(at + 144, b, 16);
    assert_memory_equal(at + 160, c, 16);
    rig_end(&rig);
}

static void count_atomics(void *context, const struct machine_event *e)
{
    unsigned *const count = context;
    *count += e->kind == EVENT_ACCESS && e->read && e->write && e->strong && e->bytes == 16;
}

static void an_observer_sees_atomics_of_16_bytes(void **state)
{
    struct rig rig;
    uint64_t out;
    unsigned count = 0;
    (void)kernel_load(&rig, *state, sixteen_bytes, &out);
    rig_must_run(&rig, "k", (struct launch_spec){.block = {1}, .params = &out, .param_bytes = 8, .observer = {.event = count_atomics, .context = &count}});
    assert_int_equal(count, 4);
    rig_end(&rig);
}

static void note_order(void *context, const struct machine_event *e)
{
    unsigned *const seen = context;
    if (e->kind == EVENT_ACCESS && e->read && e->write)
        *seen = (e->acquire ? 1 : 0) | (e->release ? 2 : 0) | (e->scope == SCOPE_SYS ? 4 : 0);
}

static void an_observer_sees_the_order_of_an_atomic(void **state)
{
    static const struct { const char *order; unsigned seen; } rows[] = {
        {"", 0}, {".relaxed.sys", 4}, {".acquire.gpu", 1}, {".release.sys", 6}, {".acq_rel.gpu", 3},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct bench_room *const room = *state;
        struct rig rig;
        uint64_t out;
        unsigned seen = 99;
        (void)kernel_load(&rig, room, tw_format(&room->arena, "%satom%s.global.add.u32 %%r1, [%%out], 2;\nret;\n}\n", KERNEL_HEAD(""), rows[i].order), &out);
        rig_must_run(&rig, "k", (struct launch_spec){.block = {1}, .params = &out, .param_bytes = 8, .observer = {.event = note_order, .context = &seen}});
        assert_int_equal(seen, rows[i].seen);
        rig_end(&rig);
    }
}

/* An order and a scope change no value. */
static void orders_and_scopes_are_taken(void **state)
{
    static const char *const orders[] = {".relaxed.cta", ".acquire.cluster", ".release.gpu", ".acq_rel.sys"};
    for (size_t i = 0; i < COUNT(orders); i++) {
        struct bench_room *const room = *state;
        struct rig rig;
        uint64_t out;
        const uint32_t *const words =
            kernel_load(&rig, room, tw_format(&room->arena, "%satom%s.global.add.u32 %%r1, [%%out], 2;\natom%s.shared.add.u32 %%r1, [box], 2;\nret;\n}\n",
                                              KERNEL_HEAD(".shared .align 4 .b32 box;"), orders[i], orders[i]), &out);
        kernel_must_run(&rig, &out, 3, 32, 1);
        assert_int_equal(words[0], 192);
        rig_end(&rig);
    }
}

static void a_misaligned_vector_is_a_fault(void **state)
{
    kernel_must_fail(*state, KERNEL("", "red.global.add.v4.f32 [%out+8], {%r1, %r1, %r1, %r1};\n"), 1, 1, LAUNCH_FAULT,
                     "k.ptx:11:1: error[E0703]: misaligned atomic of 16 bytes at global address 0x700000000008\n"
                     "   11 | red.global.add.v4.f32 [%out+8], {%r1, %r1, %r1, %r1};\n"
                     "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                     "  expected: an address that is a multiple of 16\n"
                     "     found: 0x700000000008, 8 over\n"
                     "note: by thread (0,0,0) of block (0,0,0)\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(every_operation_on_every_type_in_every_space),
        ROOM_TEST(sums_of_f32_in_global_memory_flush_subnormals),
        ROOM_TEST(vectors_are_combined_by_element),
        ROOM_TEST(sixteen_bytes_are_exchanged_and_compared_at_once),
        ROOM_TEST(an_observer_sees_atomics_of_16_bytes),
        ROOM_TEST(an_observer_sees_the_order_of_an_atomic),
        ROOM_TEST(orders_and_scopes_are_taken),
        ROOM_TEST(a_misaligned_vector_is_a_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
