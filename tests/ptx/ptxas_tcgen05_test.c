/* Agreement with ptxas 13.0 on the rows of reference/tcgen05-ptxas.tsv. */
#include "ptx/oracle.h"

/* The table's words for operands, longest first where one begins another. */
static const struct {
    const char *words, *ptx;
} operand_words[] = {
    {"scale-input-d=", ""}, {"a-desc", "adesc"}, {"b-desc", "bdesc"}, {"s-desc", "sdesc"}, {"ctaMask16", "mask16"},
    {"ctaMask32", "mask"}, {"imm idesc", "0x08100010"}, {"zcmask", "zc"}, {"{4 masks}", "{m0,m1,m2,m3}"},
    {"{8 masks}", "{m0,m1,m2,m3,m4,m5,m6,m7}"}, {"[dst]", "[smem]"}, {"[mbar]", "[rd9]"}, {"[mbar+8]", "[rd9+8]"},
    {"[meta]", "[m4]"}, {"[sfa]", "[m5]"}, {"[sfb]", "[m6]"}, {"[d]", "[m7]"}, {"[a]", "[m3]"}, {"[m]", "[r0]"},
    {"imm", "16"},
};

/* Rows whose words say more than operands, as statements. */
static const struct {
    const char *spelling, *statements;
} described[] = {
    {"tcgen05.ld.sync.aligned.32x32b.x1.b32 r (no braces), [taddr]",
     "tcgen05.ld.sync.aligned.32x32b.x1.b32 r0, [taddr];"},
    {"@p tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [dst], 32 (predicated)",
     "@p tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [smem], 32;"},
    {"tcgen05.ld.sync.aligned.32x32b.x2.b32 {..}, [taddr+4] (address offset)",
     "tcgen05.ld.sync.aligned.32x32b.x2.b32 {r0,r1}, [taddr+4];"},
    {"tcgen05.ld.sync.aligned.32x32b.x2.b32 {..}, [64-bit taddr]",
     "tcgen05.ld.sync.aligned.32x32b.x2.b32 {r0,r1}, [rd0];"},
    {"tcgen05.ld.sync.aligned.32x32b.x2.b32 {_, r}, [taddr]",
     "tcgen05.ld.sync.aligned.32x32b.x2.b32 {_,r1}, [taddr];"},
    {"tcgen05.ld.sync.aligned.32x32b.x2.b32 {f32 regs}, [taddr]",
     "tcgen05.ld.sync.aligned.32x32b.x2.b32 {f0,f1}, [taddr];"},
    {"tcgen05.ld.sync.aligned.32x32b.x2.b32 {f16 regs}, [taddr]",
     "tcgen05.ld.sync.aligned.32x32b.x2.b32 {h0,h1}, [taddr];"},
    {"tcgen05.ld.sync.aligned.16x32bx2.x2.b32 {..}, [taddr], 0",
     "tcgen05.ld.sync.aligned.16x32bx2.x2.b32 {r0,r1}, [taddr], 0;"},
    {"tcgen05.ld.sync.aligned.16x32bx2.x2.b32 {..}, [taddr], 511",
     "tcgen05.ld.sync.aligned.16x32bx2.x2.b32 {r0,r1}, [taddr], 511;"},
    {"tcgen05.ld.sync.aligned.16x32bx2.x2.b32 {..}, [taddr], 65536",
     "tcgen05.ld.sync.aligned.16x32bx2.x2.b32 {r0,r1}, [taddr], 65536;"},
    {"tcgen05.ld.sync.aligned.16x32bx2.x2.b32 {..}, [taddr], -1",
     "tcgen05.ld.sync.aligned.16x32bx2.x2.b32 {r0,r1}, [taddr], -1;"},
    {"tcgen05.mma.ws.cta_group::1.kind::f16 [d], a-desc, b-desc, idesc, p, zcmask imm 0",
     "tcgen05.mma.ws.cta_group::1.kind::f16 [m7], adesc, bdesc, idesc, p, 0;"},
    {"tcgen05.mma.ws.sp.cta_group::1.kind::f16 [d], a-desc, b-desc, [meta], idesc, p, zcmask imm 0",
     "tcgen05.mma.ws.sp.cta_group::1.kind::f16 [m7], adesc, bdesc, [m4], idesc, p, 0;"},
    {"tcgen05.mma.ws.cta_group::1.kind::f16 [d], a-desc, b-desc, idesc, p, zcmask32",
     "tcgen05.mma.ws.cta_group::1.kind::f16 [m7], adesc, bdesc, idesc, p, r0;"},
    {"tcgen05.mma.cta_group::1.kind::f16 [d], a-desc, b-desc, idesc, p (enable-input-d in .b32)",
     "tcgen05.mma.cta_group::1.kind::f16 [m7], adesc, bdesc, idesc, r0;"},
    {"@p tcgen05.mma.cta_group::1.kind::f16 [d], a-desc, b-desc, idesc, p (predicated)",
     "@p tcgen05.mma.cta_group::1.kind::f16 [m7], adesc, bdesc, idesc, q;"},
    {"tcgen05.mma.cta_group::1.kind::f16 [d+4], a-desc, b-desc, idesc, p",
     "tcgen05.mma.cta_group::1.kind::f16 [m7+4], adesc, bdesc, idesc, p;"},
    {"tcgen05.mma.cta_group::1.kind::f16 [d], imm a-desc, b-desc, idesc, p",
     "tcgen05.mma.cta_group::1.kind::f16 [m7], 0x4000404000010000, bdesc, idesc, p;"},
    {"tcgen05.mma.cta_group::1.kind::f16 const idesc with sparse bit set (0x08200014)",
     "tcgen05.mma.cta_group::1.kind::f16 [m7], adesc, bdesc, 0x08200014, p;"},
    {"tcgen05.mma.cta_group::1.kind::f16 const idesc with M=48,N=264-like field",
     "tcgen05.mma.cta_group::1.kind::f16 [m7], adesc, bdesc, 0x03840010, p;"},
    {"tcgen05.mma.cta_group::1.kind::f16 const idesc bf16 A,B with f16 D (illegal pair)",
     "tcgen05.mma.cta_group::1.kind::f16 [m7], adesc, bdesc, 0x08100480, p;"},
    {"@!p tcgen05.mma (negated guard)",
     "@!p tcgen05.mma.cta_group::1.kind::f16 [m7], adesc, bdesc, idesc, p;"},
    {"@p tcgen05.ld.sync.aligned.32x32b.x1.b32",
     "@p tcgen05.ld.sync.aligned.32x32b.x1.b32 {r0}, [taddr];"},
    {"@p tcgen05.wait::ld.sync.aligned",
     "@p tcgen05.wait::ld.sync.aligned;"},
    {"tcgen05.st.sync.aligned.32x32b.x1.b32 [taddr+2], {reg}",
     "tcgen05.st.sync.aligned.32x32b.x1.b32 [taddr+2], {r0};"},
    {"mbarrier.arrive.release.cta.shared::cta.b64 st, [m]",
     "mbarrier.arrive.release.cta.shared::cta.b64 state, [r0];"},
    {"elect.sync d|p, -1",
     "elect.sync r0|p, -1;"},
    {"mapa.shared::cluster.u32 d, a, rank",
     "mapa.shared::cluster.u32 r0, a, rank;"},
    {"tcgen05.ld.sync.aligned.16x32bx2.x1.b32 {1 reg}, [taddr], reg (non-immediate)",
     "tcgen05.ld.sync.aligned.16x32bx2.x1.b32 {r0}, [taddr], r1;"},
    {"tcgen05.mma.cta_group::1.kind::f16 [d], a-desc, [b-tmem], idesc, p",
     "tcgen05.mma.cta_group::1.kind::f16 [m7], adesc, [m1], idesc, p;"},
    {"tcgen05.mma.cta_group::1.kind::f16 [d], a-desc, b-desc, idesc, {4 masks}, p, %r3",
     "tcgen05.mma.cta_group::1.kind::f16 [m7], adesc, bdesc, idesc, {m0,m1,m2,m3}, p, r3;"},
    {"tcgen05.mma.cta_group::2.kind::f16 [d], a-desc, b-desc, idesc, {8 masks}, p, %r3",
     "tcgen05.mma.cta_group::2.kind::f16 [m7], adesc, bdesc, idesc, {m0,m1,m2,m3,m4,m5,m6,m7}, p, r3;"},
    {"tcgen05.mma.cta_group::1.kind::f16 [imm], a-desc, b-desc, idesc, p",
     "tcgen05.mma.cta_group::1.kind::f16 [64], adesc, bdesc, idesc, p;"},
    {"tcgen05.mma.cta_group::1.kind::f16 d (no brackets), a-desc, b-desc, idesc, p",
     "tcgen05.mma.cta_group::1.kind::f16 m7, adesc, bdesc, idesc, p;"},
    {"tcgen05.mma.cta_group::1.kind::f16 {mask immediates}",
     "tcgen05.mma.cta_group::1.kind::f16 [m7], adesc, bdesc, idesc, {0,0,0,0}, p;"},
    {"tcgen05.mma.sp with meta after idesc",
     "tcgen05.mma.sp.cta_group::1.kind::f16 [m7], adesc, bdesc, idesc, [m4], p;"},
    {"tcgen05.mma.ws.cta_group::1.kind::f16 ..., p, b32 zcmask",
     "tcgen05.mma.ws.cta_group::1.kind::f16 [m7], adesc, bdesc, idesc, p, r0;"},
    {"tcgen05.st.sync.aligned.16x32bx2.x1.b32 [taddr], {reg}, imm (imm last)",
     "tcgen05.st.sync.aligned.16x32bx2.x1.b32 [taddr], {r0}, 16;"},
    {"tcgen05.st.sync.aligned.32x32b.x2.b32 [taddr], {imm, imm}",
     "tcgen05.st.sync.aligned.32x32b.x2.b32 [taddr], {1, 2};"},
    {"tcgen05.st.sync.aligned.32x32b.x2.b32 {regs}, [taddr] (operands swapped)",
     "tcgen05.st.sync.aligned.32x32b.x2.b32 {r0,r1}, [taddr];"},
    {"mixed cta_group::1 and ::2 mma in one kernel",
     "tcgen05.mma.cta_group::1.kind::f16 [m7], adesc, bdesc, idesc, p; tcgen05.mma.cta_group::2.kind::f16 [m7], adesc, bdesc, idesc, p;"},
    {"tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [dst], 32; + tcgen05.alloc.cta_group::2... in one kernel",
     "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [smem], 32; tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [smem], 32;"},
};

static const struct {
    const char *part, *reason;
} exceptions[] = {
    {"kind::i8 [d], a-desc, b-desc, idesc, p, scale-input-d", "ptxas takes a scale with kind::i8, the ISA does not"},
    {"kind::i8 [d], a-desc, b-desc, [meta], idesc, p, scale-input-d", "as above"},
    {"kind::i8 [d], a-desc, b-desc, idesc, {", "as above"},
    {"kind::i8 [d], [a]", "as above"},
    {"128x256b.b8x16.b6x16_p32.warpx4 (qualifier order)", "the row shortens the shape"},
};

struct tally {
    unsigned rows, in_words, excused, differ;
};

static const char *exception_for(struct arena *arena, struct str spelling)
{
    const char *text = tw_arena_copy(arena, spelling.at, spelling.len);
    for (size_t i = 0; i < COUNT(exceptions); i++)
        if (strstr(text, exceptions[i].part) != NULL)
            return exceptions[i].reason;
    return NULL;
}

/* "{4 regs}" and "{4 f32 regs}" */
static size_t put_registers(struct text *out, const char *at)
{
    char *end;
    unsigned long n = strtoul(at + 1, &end, 10);
    bool f32 = strncmp(end, " f", 2) == 0 || at[1] == 'f';
    const char *close = strchr(at, '}');
    for (unsigned long i = 0; i < n; i++)
        tw_text_addf(out, "%s%s%lu", i == 0 ? "{" : ",", f32 ? "F" : "r", i);
    tw_text_put(out, '}');
    return (size_t)(close - at) + 1;
}

static void put_operands(struct text *out, const char *at)
{
    while (*at != '\0') {
        size_t i = 0;
        while (i < COUNT(operand_words) && strncmp(at, operand_words[i].words, strlen(operand_words[i].words)) != 0)
            i++;
        if (*at == '{' && at[1] >= '0' && at[1] <= '9' && strstr(at, "reg") != NULL && strstr(at, "masks") != at + 3) {
            at += put_registers(out, at);
        } else if (i < COUNT(operand_words)) {
            tw_text_add(out, operand_words[i].ptx);
            at += strlen(operand_words[i].words);
        } else {
            while (*at != '\0' && *at != ',')
                tw_text_put(out, *at++);
        }
        while (*at == ',' || *at == ' ')
            tw_text_put(out, *at++);
    }
}

/* A remark in parentheses at the end says in words what the spelling shows. */
static const char *statement_of(struct arena *arena, struct str spelling)
{
    for (size_t i = 0; i < COUNT(described); i++)
        if (tw_str_is(spelling, described[i].spelling))
            return described[i].statements;
    char *text = tw_arena_copy(arena, spelling.at, spelling.len);
    char *remark = strstr(text, " (");
    if (remark != NULL)
        *remark = '\0';
    char *operands = strchr(text, ' ');
    struct text out;
    tw_text_init(&out, arena);
    if (operands == NULL)
        return tw_format(arena, "%s;", text);
    *operands = '\0';
    tw_text_addf(&out, "%s ", text);
    put_operands(&out, operands + 1);
    tw_text_put(&out, ';');
    return out.at;
}

/* spelling, version, target, 1 or 0, note, group */
static void compare_row(struct oracle *o, struct arena *arena, struct str row, struct tally *t)
{
    struct str spelling, version, target, verdict;
    if (!next_field(&row, '\t', &spelling) || !next_field(&row, '\t', &version) || !next_field(&row, '\t', &target) ||
        !next_field(&row, '\t', &verdict) || version_of(version) == 0)
        return;
    const char *space = memchr(target.at, ' ', target.len);
    if (space != NULL) /* "sm_101a (-arch sm_110a)" */
        target.len = (size_t)(space - target.at);
    const char *sm = tw_arena_copy(arena, target.at, target.len);
    const char *statement = statement_of(arena, spelling);
    t->rows++;
    bool accepted = verdict.at[0] == '1';
    bool bare = strchr(statement, ' ') == NULL; /* the row shows modifiers alone */
    bool ours = bare ? oracle_knows(o, version_of(version), sm, (struct str){statement, strlen(statement) - 1})
                     : oracle_accepts(o, version_of(version), sm, "", statement);
    if (ours == accepted)
        return;
    if (exception_for(arena, spelling) != NULL) {
        t->excused++;
        return;
    }
    t->differ++;
    print_message("  %s by us, %s by ptxas: " STR_FMT " at " STR_FMT " for %s: %s (%s)\n", ours ? "taken" : "refused",
                  accepted ? "taken" : "refused", STR_ARG(spelling), STR_ARG(version), sm, statement, o->why);
}

static void every_recorded_tcgen05_spelling_is_taken_or_refused_as_ptxas_does(void **state)
{
    struct bench_room *room = *state;
    struct str text = read_file(&room->arena, shared_path(&room->arena, "reference/tcgen05-ptxas.tsv"));
    if (text.at == NULL) {
        print_message("not run: agreement with ptxas, reference/tcgen05-ptxas.tsv is missing\n");
        skip();
    }
    struct oracle o = {.isa = tw_isa_open(&room->arena)};
    struct tally t = {0};
    struct str row;
    next_field(&text, '\n', &row); /* head line */
    while (next_field(&text, '\n', &row))
        compare_row(&o, &room->arena, row, &t);
    print_message("%u verdicts compared, %u excused\n", t.rows, t.excused);
    assert_true(t.rows > 2600);
    assert_int_equal(t.differ, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {ROOM_TEST(every_recorded_tcgen05_spelling_is_taken_or_refused_as_ptxas_does)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
