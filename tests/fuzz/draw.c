/* Drawing is biased to what is legal, not bound to it: parser and verifier want their share of nonsense, too. */
#include "fuzz/draw.h"

#include <string.h>

enum {
    TRIES = 6,          /* choices of modifiers before one that is illegal is taken */
    WIDEST_DRAWN = 16   /* registers of a vector; longer ones fill an input with one statement */
};

#define PICK(d, table) ((table)[roll((d), (uint32_t)(sizeof(table) / sizeof(table)[0]))])

/* ---- Numbers and names --------------------------------------------------------------------------- */

void fuzz_draw_number(struct dice *d, struct text *out)
{
    static const char *const telling[] = {
        "0", "1", "2", "3", "4", "7", "8", "15", "16", "31", "32", "33", "63", "64", "127", "128", "129", "255", "256", "1023", "1024",
        "4096", "65535", "65536", "-1", "-2", "-8", "-128", "0x7fffffff", "0x80000000", "0xffffffff", "0x7fffffffffffffff",
        "0x8000000000000000", "0xffffffffffffffff", "0x4000404000010000", "0x400800010040", "0x800010040", "0x8100010", "0x4100010", "0f00000000", "0f3F800000", "0f7F800000", "0f7FC00000",
        "0f80000001", "0d3FF0000000000000", "0d7FF0000000000000", "1.5", "1e30", "077", "0b101", "18446744073709551616", "4294967296",
    };
    const uint32_t kind = roll(d, 8);
    if (kind == 0)
        tw_text_addf(out, "%u", roll(d, 300));
    else if (kind == 1)
        tw_text_addf(out, "0x%llx", (unsigned long long)(roll_word(d) >> roll(d, 64)));
    else
        tw_text_add(out, PICK(d, telling));
}

static void draw_float(struct dice *d, unsigned bits, struct text *out)
{
    static const char *const singles[] = {"0f00000000", "0f3F800000", "0fBF800000", "0f7F800000", "0f7FC00000", "0f00000001", "0f4B000000"};
    static const char *const doubles[] = {"0d0000000000000000", "0d3FF0000000000000", "0d7FF0000000000000", "0d0000000000000001"};
    tw_text_add(out, bits == 64 ? PICK(d, doubles) : PICK(d, singles));
}

static void draw_sreg(struct dice *d, struct text *out)
{
    const struct isa_sreg *const r = &tw_isa_sregs[roll(d, SREG_COUNT)];
    tw_text_add(out, r->name);
    if (r->components != 0)
        tw_text_addf(out, ".%c", "xyzw"[roll(d, 4)]);
}

/* A register that can hold the type. */
static void draw_register(struct dice *d, unsigned type, struct text *out)
{
    const struct isa_mod_row *const row = isa_mod_row(type);
    const bool is_float = row->type_class == TYPE_FLOAT;
    if (row->type_class == TYPE_PRED)
        tw_text_addf(out, "%%p%u", roll(d, 4));
    else if (row->bits == 128)
        tw_text_addf(out, "%%o%u", roll(d, 2));
    else if (row->bits == 64)
        tw_text_addf(out, is_float ? "%%d%u" : "%%q%u", roll(d, is_float ? 4 : 8));
    else if (row->bits == 16 || row->bits == 8)
        tw_text_addf(out, "%%h%u", roll(d, 4));
    else if (is_float && row->bits == 32)
        tw_text_addf(out, "%%f%u", roll(d, 8));
    else
        tw_text_addf(out, "%%r%u", roll(d, 16));
}

void fuzz_draw_any_operand(struct dice *d, struct text *out)
{
    static const uint16_t types[] = {MOD_PRED, MOD_B16, MOD_B32, MOD_B64, MOD_F32, MOD_F64, MOD_B128};
    static const char *const others[] = {"box", "bar", "own", "[box]", "[bar]", "[%q0]", "[%q1+4]", "[%r1]", "[%r4]", "[own+8]", "[out]", "_",
                                         "{%r0, %r1}", "{%f0, %f1, %f2, %f3}", "!%p1", "WARP_SZ", "L1", "%r0|%p1", "[%q2, {%r0, %r3}]"};
    switch (roll(d, 4)) {
    case 0: fuzz_draw_number(d, out); return;
    case 1: tw_text_add(out, PICK(d, others)); return;
    case 2: draw_sreg(d, out); return;
    default: draw_register(d, PICK(d, types), out); return;
    }
}

/* ---- Operands ------------------------------------------------------------------------------------ */

static void draw_address(struct dice *d, enum isa_role role, unsigned space, struct text *out)
{
    static const char *const shared[] = {"[box]", "[box+16]", "[%r1]", "[%r1+64]", "[box+256]", "[bar]", "[%r3]"};
    static const char *const global[] = {"[%q0]", "[%q1]", "[%q0+16]", "[%q1+1024]", "[%q2]"};
    static const char *const generic[] = {"[%q0]", "[%q1]", "[%q4]", "[%q0+64]", "[box]", "[%r1]"};
    static const char *const tensor[] = {"[%r4]", "[%r4+16]", "[%r3]"};
    static const char *const local[] = {"[own]", "[own+4]", "[own+16]", "[%r3]"};
    if (role == ROLE_MBAR)
        tw_text_add(out, roll(d, 8) == 0 ? "[box+8]" : "[bar]");
    else if (space == MOD_SHARED || space == MOD_SHARED_CTA || space == MOD_SHARED_CLUSTER)
        tw_text_add(out, PICK(d, shared));
    else if (space == MOD_GLOBAL)
        tw_text_add(out, PICK(d, global));
    else if (space == MOD_LOCAL)
        tw_text_add(out, PICK(d, local));
    else if (space == ISA_SPACE_TMEM)
        tw_text_add(out, PICK(d, tensor));
    else if (space == MOD_NONE)
        tw_text_add(out, PICK(d, generic));
    else
        tw_text_add(out, roll(d, 2) == 0 ? "[out]" : "[table]");
}

static void draw_list(struct dice *d, unsigned type, unsigned count, struct text *out)
{
    tw_text_put(out, '{');
    for (unsigned i = 0; i < count && i < WIDEST_DRAWN * 2; i++) {
        if (i != 0)
            tw_text_put(out, ',');
        draw_register(d, type == MOD_NONE ? MOD_B32 : type, out);
    }
    tw_text_put(out, '}');
}

/* Operands whose number has a meaning. */
static bool draw_by_role(struct dice *d, enum isa_role role, struct text *out)
{
    static const struct {
        enum isa_role role;
        const char *text[4];
    } rows[] = {
        {ROLE_ADESC, {"%q3", "%q3", "[%r4]", "%q4"}}, {ROLE_BDESC, {"%q3", "%q3", "%q3", "%q4"}}, {ROLE_SDESC, {"%q3", "%q3", "%q3", "%q4"}},
        {ROLE_IDESC, {"%r5", "0x8100010", "%r5", "%r3"}}, {ROLE_TADDR, {"[%r4]", "%r4", "[%r3]", "[%r4+32]"}}, {ROLE_MEMBERS, {"-1", "0xffffffff", "%r3", "1"}},
        {ROLE_BARRIER, {"0", "1", "%r3", "15"}}, {ROLE_THREADS, {"32", "64", "40", "%r3"}}, {ROLE_PARITY, {"0", "1", "%r3", "0"}},
        {ROLE_NCOLS, {"32", "64", "32", "%r3"}}, {ROLE_BYTES, {"16", "64", "%r3", "128"}}, {ROLE_SIZE, {"16", "64", "%r3", "128"}},
        {ROLE_LABEL, {"L1", "L2", "L1", "L3"}}, {ROLE_CALLEE, {"one", "one", "%q3", "k"}}, {ROLE_RANK, {"0", "1", "%r3", "2"}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].role == role && roll(d, 6) != 0) {
            tw_text_add(out, PICK(d, rows[i].text));
            return true;
        }
    return false;
}

static void draw_scalar(struct dice *d, const struct isa_operand *o, unsigned type, struct text *out)
{
    const bool can_register = (o->accept & ACCEPT_REG) != 0;
    const struct isa_mod_row *const row = isa_mod_row(type);
    if ((o->accept & ACCEPT_NEGATED) != 0 && roll(d, 4) == 0)
        tw_text_put(out, '!');
    if ((o->accept & ACCEPT_SREG) != 0 && roll(d, 3) == 0)
        draw_sreg(d, out);
    else if ((o->accept & ACCEPT_SYMBOL) != 0 && roll(d, 2) == 0)
        tw_text_add(out, roll(d, 2) == 0 ? "box" : "own");
    else if ((o->accept & ACCEPT_SINK) != 0 && roll(d, 8) == 0)
        tw_text_put(out, '_');
    else if (can_register && ((o->accept & ACCEPT_IMM) == 0 || roll(d, 3) != 0))
        draw_register(d, type == MOD_NONE ? MOD_B64 : type, out);
    else if (row->type_class == TYPE_FLOAT && row->bits >= 32)
        draw_float(d, row->bits, out);
    else if (o->low < o->high)
        tw_text_addf(out, "%lld", (long long)(o->low + (int64_t)roll(d, (uint32_t)(o->high - o->low) + 1)));
    else if (o->low != 0)
        tw_text_addf(out, "%lld", (long long)o->low);
    else
        fuzz_draw_number(d, out);
}

static void draw_operand(struct dice *d, const struct isa_spelling *s, unsigned i, struct text *out)
{
    const struct isa_operand *const o = &s->form->operands[i];
    unsigned count = tw_isa_operand_count(s, i);
    if (count == ISA_ANY_COUNT)
        count = 2;
    if (draw_by_role(d, o->role, out))
        return;
    if ((o->accept & ACCEPT_TENSOR) != 0) {
        tw_text_add(out, "[%q2,");
        draw_list(d, MOD_B32, count, out);
        tw_text_put(out, ']');
    } else if ((o->accept & ACCEPT_ADDRESS) != 0) {
        draw_address(d, o->role, tw_isa_operand_space(s, i), out);
    } else if ((o->accept & ACCEPT_LIST) != 0) {
        tw_text_add(out, roll(d, 2) == 0 ? "(x)" : "(y)");
    } else if ((o->accept & ACCEPT_TABLE) != 0) {
        tw_text_add(out, "T");
    } else if ((o->accept & ACCEPT_VECTOR) != 0 && count != 0) {
        draw_list(d, tw_isa_operand_type(s, i), count, out);
    } else {
        draw_scalar(d, o, tw_isa_operand_type(s, i), out);
    }
}

static bool is_there(struct dice *d, const struct isa_spelling *s, const struct isa_operand *o)
{
    if (!o->optional)
        return true;
    if (o->when_slot == SLOT_NONE)
        return roll(d, 3) == 0;
    const unsigned mod = isa_spelling_mod(s, o->when_slot);
    bool there = mod != MOD_NONE && o->when_count == 0;
    for (unsigned i = 0; i < o->when_count; i++)
        there |= o->when_mods[i] == mod;
    return there;
}

static void draw_operands(struct dice *d, const struct isa_spelling *s, struct text *out)
{
    bool first = true;
    for (unsigned i = 0; i < s->form->operand_count; i++) {
        const struct isa_operand *const o = &s->form->operands[i];
        if (!is_there(d, s, o))
            continue;
        tw_text_add(out, first ? " " : o->joined ? "|" : ",");
        draw_operand(d, s, i, out);
        first = false;
    }
}

/* ---- Spellings ----------------------------------------------------------------------------------- */

static uint16_t draw_alternative(const struct isa *isa, struct dice *d, const struct isa_elem *e)
{
    static const char *const shapes[] = {"m8n8k4", "m8n8k16", "m8n8k32", "m16n8k4", "m16n8k8", "m16n8k16", "m16n8k32", "m16n8k64", "m16n8k128", "m16n8k256",
                                         "m64n8k16", "m64n16k32", "m64n8k8", "m64n24k32", "m64n8k256", "m16n16k16"};
    const uint16_t mod = e->alts[roll(d, e->alt_count)];
    return mod == ISA_SHAPE_FLAG ? (uint16_t)tw_isa_mod_find(isa, tw_str(PICK(d, shapes))) : mod;
}

/* False when the choice breaks a rule. */
static bool draw_mods(const struct isa *isa, struct dice *d, const struct isa_form *f, uint16_t mods[ISA_MAX_MODS])
{
    for (unsigned e = 0; e < f->elem_count; e++)
        mods[e] = f->elems[e].optional && roll(d, 3) != 0 ? MOD_NONE : draw_alternative(isa, d, &f->elems[e]);
    return tw_isa_forbidden(isa, &(struct isa_spelling){f, mods}, (struct isa_presence){0}) == NULL;
}

void fuzz_draw_statement(const struct isa *isa, struct dice *d, struct text *out)
{
    uint16_t mods[ISA_MAX_MODS];
    const struct isa_form *const f = tw_isa_form(isa, (enum isa_form_id)roll(d, FORM_COUNT));
    for (int i = 0; i < TRIES && !draw_mods(isa, d, f, mods); i++)
        continue;
    const struct isa_spelling s = {f, mods};
    if (roll(d, 8) == 0)
        tw_text_addf(out, "@%s%%p%u ", roll(d, 2) == 0 ? "!" : "", roll(d, 4));
    tw_isa_spell(&s, out);
    draw_operands(d, &s, out);
    tw_text_put(out, ';');
}

void fuzz_redraw_modifier(const struct isa *isa, struct dice *d, struct str mnemonic, struct text *out)
{
    struct isa_match match;
    uint16_t mods[ISA_MAX_MODS];
    tw_isa_match(isa, out->arena, mnemonic, &match);
    if (match.status != MATCH_OK || match.count == 0)
        return;
    const struct isa_spelling *const from = &match.candidates[roll(d, match.count)];
    for (unsigned e = 0; e < from->form->elem_count; e++)
        mods[e] = from->mods[e];
    if (from->form->elem_count != 0) {
        const unsigned e = roll(d, from->form->elem_count);
        mods[e] = from->form->elems[e].optional && mods[e] != MOD_NONE ? MOD_NONE : draw_alternative(isa, d, &from->form->elems[e]);
    }
    tw_isa_spell(&(struct isa_spelling){from->form, mods}, out);
}

/* ---- Phrases and modules --------------------------------------------------------------------------- */

const char *fuzz_draw_phrase(struct dice *d)
{
    static const char *const rows[] = {
        "bar.sync 0;", "barrier.cluster.arrive; barrier.cluster.wait;", "L1:", "L2:", "L3:", "bra L1;", "@%p1 bra L2;", "@!%p1 bra L3;", "ret;", "exit;",
        "mbarrier.init.shared::cta.b64 [bar], 1;", "mbarrier.arrive.shared::cta.b64 %q4, [bar];", "mbarrier.inval.shared::cta.b64 [bar];",
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 64;", "W: mbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], 0; @!%p2 bra W;",
        "cp.async.ca.shared.global [box], [%q0], 16;", "cp.async.commit_group; cp.async.wait_group 0;", "cp.async.mbarrier.arrive.shared::cta.b64 [bar];",
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [box], [%q0], 64, [bar];",
        "cp.async.bulk.global.shared::cta.bulk_group [%q0+512], [box], 64; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;",
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [box], [%q2, {%r3, %r3}], [bar];",
        "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%q2, {%r3, %r3}], [box];", "fence.proxy.async;", "fence.acq_rel.gpu;",
        "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [box], 32; ld.shared.u32 %r4, [box];", "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r4, 32;",
        "tcgen05.mma.cta_group::1.kind::f16 [%r4], %q3, %q3, %r5, %p1;", "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [bar];",
        "tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r6,%r7}, [%r4]; tcgen05.wait::ld.sync.aligned;",
        "tcgen05.st.sync.aligned.32x32b.x2.b32 [%r4], {%r6,%r7}; tcgen05.wait::st.sync.aligned;", "tcgen05.cp.cta_group::1.128x256b [%r4], %q3;",
        "wgmma.fence.sync.aligned;", "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;",
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, %q3, %q3, 1, 1, 1, 0, 0;",
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0,%f1,%f2,%f3}, {%r0,%r3,%r6,%r7}, {%r0,%r3}, {%f0,%f1,%f2,%f3};",
        "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r6,%r7}, [box];", "stmatrix.sync.aligned.m8n8.x2.shared.b16 [box], {%r6,%r7};",
        "{ .param .b32 x; .param .b32 y; st.param.b32 [x], %r0; call.uni (y), one, (x); ld.param.b32 %r3, [y]; }", "mov.u64 %q3, one;",
        "P: .callprototype (.param .b32 _) _ (.param .b32 _);", "T: .branchtargets L1, L2;", "brx.idx %r3, T;", "{ .reg .b32 %r0;", "}", "{",
        ".local .align 8 .b8 own[32];", ".shared .align 16 .b8 box[64];", ".reg .b32 %r<4>;", ".loc 1 3 4", ".pragma \"nounroll\";",
        "alloca.u64 %q4, 16;", "mapa.shared::cluster.u32 %r6, %r1, 1;", "elect.sync %r6|%p2, -1;", "setmaxnreg.inc.sync.aligned.u32 40;", "setmaxnreg.dec.sync.aligned.u32 24;",
        "{ .reg .v2 .b32 %v; mov.b32 %v.x, %r0; mov.b32 %r3, %v.y; st.shared.v2.u32 [box], %v; }", "ld.shared.u32 %r3, box[2];",
        "griddepcontrol.wait;", "vote.sync.ballot.b32 %r3, %p1, -1;", "shfl.sync.bfly.b32 %r3, %r0, 1, 31, -1;", "nanosleep.u32 20;",
        "red.global.add.u32 [%q0], 1;", "atom.global.cas.b32 %r3, [%q0], %r0, 1;", "ld.acquire.gpu.u32 %r3, [%q0];", "st.release.gpu.u32 [%q0], 1;",
        "setp.lt.u32 %p1, %r0, 8;", "add.u32 %r3, %r3, 1;", "mov.u32 %r3, 0;", "mov.b64 %q3, 0x4000404000010000;", "mov.b64 %q3, 0x800010040;", "cvta.shared.u64 %q4, %q4;",
        "trap;", "brkpt;", "multimem.red.relaxed.gpu.global.add.u32 [%q0], 1;", "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [box], [bar];",
    };
    return PICK(d, rows);
}

const char *fuzz_draw_header(struct dice *d)
{
    static const char *const rows[] = {
        ".version 8.8", ".version 9.0", ".version 7.0", ".target sm_80", ".target sm_90", ".target sm_90a", ".target sm_100a", ".target sm_100f", ".target sm_103a",
        ".target sm_120a", ".target sm_75, debug", ".address_size 64", ".address_size 32", ".visible", ".entry k()", ".maxntid 32", ".reqntid 64, 1, 1",
        ".reqnctapercluster 2, 1, 1", ".blocksareclusters", ".maxnreg 32", ".minnctapersm 2", ".noreturn", ".extern .shared .align 16 .b8 more[];",
        ".global .align 4 .b32 g[4] = {1, 2, 3};", ".const .align 8 .b64 table[2] = {g, generic(g)+4};", ".file 1 \"k.py\", 1, 2", ".alias other, one;",
        ".func one() { ret; }", ".extern .func (.param .b32 s) vprintf(.param .b64 f, .param .b64 a);", ".weak .func two(.reg .b32 a) { ret; }",
        ".section .debug_info { .b32 1, L_a-L_b }", ".common .global .u32 shared_by_name;", ".entry m(.param .b32 n, .param .align 8 .b8 s[24])",
    };
    return PICK(d, rows);
}

/* What must be written before a body may use a name; only what it uses is written, since small inputs run fast. */
static const struct {
    const char *name, *text;
} declarations[] = {
    {"%p", ".reg .pred %p<4>;"}, {"%h", ".reg .b16 %h<4>;"}, {"%r", ".reg .b32 %r<16>;"}, {"%q", ".reg .b64 %q<8>;"}, {"%f", ".reg .f32 %f<8>;"},
    {"%d", ".reg .f64 %d<4>;"}, {"%o", ".reg .b128 %o<2>;"}, {"box", ".shared .align 128 .b8 box[512];"}, {"bar", ".shared .b64 bar;"},
    {"own", ".local .align 16 .b8 own[64];"},
};
static const struct {
    const char *name, *text;
} beginnings[] = {
    {"%q0", "ld.param.u64 %q0,[out];"}, {"%q1", "ld.param.u64 %q1,[out];"}, {"%q2", "ld.param.u64 %q2,[out];add.u64 %q2,%q2,2048;"},
    {"%q3", "mov.b64 %q3,0x400800010040;"}, {"%q4", "cvta.shared.u64 %q4,256;"}, {"%r0", "mov.u32 %r0,%tid.x;"}, {"%r1", "mov.u32 %r1,1024;"},
    {"%r3", "mov.u32 %r3,0;"}, {"%r4", "mov.u32 %r4,0;"}, {"%r5", "mov.u32 %r5,0x8100010;"}, {"%p1", "{.reg .b32 %t;mov.u32 %t,%laneid;setp.eq.u32 %p1,%t,0;}"},
};

static void draw_body(const struct isa *isa, struct dice *d, struct text *out)
{
    struct text rest;
    tw_text_init(&rest, out->arena);
    for (uint32_t i = roll(d, 4) + 1; i > 0; i--) {
        if (roll(d, 3) == 0)
            tw_text_add(&rest, fuzz_draw_phrase(d));
        else
            fuzz_draw_statement(isa, d, &rest);
        tw_text_put(&rest, '\n');
    }
    for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0]; i++)
        if (strstr(rest.at, beginnings[i].name) != NULL && roll(d, 8) != 0)
            tw_text_add(out, beginnings[i].text);
    tw_text_put(out, '\n');
    tw_text_add(out, rest.at);
}

void fuzz_fresh_module(const struct isa *isa, struct dice *d, struct text *out)
{
    static const char *const targets[] = {"sm_100a", "sm_90a", "sm_100a", "sm_80", "sm_103a", "sm_120a"};
    static const char *const directives[] = {"", "", "", "", "", "", " .reqntid 128 ", " .maxnreg 128 "};
    struct text body;
    tw_text_init(&body, out->arena);
    draw_body(isa, d, &body);
    tw_text_addf(out, ".version 9.0\n.target %s\n.address_size 64\n.entry k(.param .u64 out)%s{\n", PICK(d, targets), PICK(d, directives));
    for (size_t i = 0; i < sizeof declarations / sizeof declarations[0]; i++)
        if (strstr(body.at, declarations[i].name) != NULL)
            tw_text_add(out, declarations[i].text);
    tw_text_addf(out, "\n%sret;\n}\n", body.at);
}
