/* The words in a drawn kernel's PTX, against an encoder written from the bit tables of tcgen05.md 4 and 5.1 alone: the
 * instruction descriptor of every tcgen05.mma, and what is constant in its matrix descriptors. */
#include "api/sweep.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- instruction descriptors. SOURCE: tcgen05 4.1 to 4.3 -------------------------------------------------- */

static uint32_t type_code(const struct sweep_case *c, enum example_format f)
{
    if (c->kind->container == 4)
        return 1;
    switch (f) {
    case EX_BF16:
    case EX_E5M2:
    case EX_S8: return 1;
    case EX_F32: return 2;
    case EX_E2M3_UNITS: return 3;
    case EX_E3M2_UNITS: return 4;
    case EX_E2M1_UNITS: return 5;
    case EX_NONE:
    case EX_F16:
    case EX_E4M3:
    case EX_E2M1:
    case EX_UE8M0:
    case EX_UE4M3:
    case EX_U8:
    case EX_S32:
    case EX_F64:
    case EX_S4:
    case EX_U4:
    case EX_U32:
    case EX_FORMAT_COUNT: break;
    }
    return 0;
}

static uint32_t instruction_word(const struct sweep_case *c, int step)
{
    uint32_t w = type_code(c, c->a) << 7 | type_code(c, c->b) << 10 | (uint32_t)c->negate_a << 13 | (uint32_t)c->negate_b << 14 |
                 (uint32_t)c->a_mn << 15 | (uint32_t)c->b_mn << 16 | (uint32_t)(c->n / 8) << 17 | (uint32_t)(c->m / 16) << 24;
    if (!c->kind->scaled)
        return w | (uint32_t)c->saturate << 3 | (c->d == EX_F32 ? 1u : c->d == EX_S32 ? 2u : 0u) << 4;
    const uint32_t id = (uint32_t)(step * c->per_step % 4);
    return w | id << 4 | (uint32_t)(c->sf == EX_UE8M0) << 23 | id << 29;
}

/* ---- matrix descriptors. SOURCE: tcgen05 5.1, 5.3, 5.4 ------------------------------------------------------ */

struct operand {
    bool mn;
    int mode, rows, all_rows; /* of one instruction; of the tensor */
};

/* Everything but the start address, for tiles that lie as mma_shared_layout puts them. */
static uint64_t matrix_word(const struct sweep_case *c, const struct operand *o)
{
    static const uint64_t layouts[] = {0, 6, 4, 2, 1};
    const int width = o->mode == 4 ? 128 : 16 << o->mode, bits = c->kind->container, all_k = c->kind->k * c->steps;
    const int k_rows = c->kind->k, group = o->mode == 4 ? 4 : 8, per_row = width * 8 / bits;
    int lead = 0, stride = 0;
    if (!o->mn) {
        stride = o->rows > 8 ? 8 * width : 0;
        lead = o->mode == 0 ? 16 * o->all_rows : 0; /* the second 16 bytes of K */
    } else if (o->mode == 0) {
        lead = k_rows > 8 ? 128 : 0;
        stride = o->rows > per_row ? 16 * all_k : 0;
    } else {
        stride = k_rows > group ? group * width : 0;
        lead = o->rows > per_row ? width * all_k : 0;
    }
    return (uint64_t)(lead / 16) << 16 | (uint64_t)(stride / 16) << 32 | UINT64_C(1) << 46 | layouts[o->mode] << 61;
}

/* ---- reading PTX -------------------------------------------------------------------------------------------- */

enum { REGISTERS = 1 << 16 };

struct reading {
    struct bench_room *room;
    const struct sweep_case *c;
    uint64_t *constant; /* by number of the 64-bit register that "or.b64 d, a, constant" wrote */
    int step, seen;
};

static void remember(struct reading *r, const char *line)
{
    unsigned to, from;
    unsigned long long constant;
    if (sscanf(line, "or.b64 %%rd%u, %%rd%u, %llu;", &to, &from, &constant) == 3 && to < REGISTERS)
        r->constant[to] = constant;
    else if (sscanf(line, "or.b64 %%rd%u, %%rd%u, -%llu;", &to, &from, &constant) == 3 && to < REGISTERS)
        r->constant[to] = 0 - (uint64_t)constant;
}

static void expect_word(const struct reading *r, const char *what, uint64_t found, uint64_t want)
{
    if (found != want)
        fail_msg("%s: %s of instruction %d is 0x%llx, and the tables say 0x%llx", sweep_words(r->room, r->c), what, r->seen,
                 (unsigned long long)found, (unsigned long long)want);
}

static void expect_matrix(const struct reading *r, const char *what, const char *operand, const struct operand *o)
{
    unsigned reg;
    assert_int_equal(sscanf(operand, "%%rd%u", &reg), 1);
    assert_true(reg < REGISTERS);
    expect_word(r, what, r->constant[reg], matrix_word(r->c, o));
}

/* "mnemonic [d], a, b, idesc, ..." */
static void check_instruction(struct reading *r, const char *line)
{
    const struct sweep_case *c = r->c;
    const char *a = strchr(line, ',') + 2, *b = strchr(a, ',') + 2, *word = strchr(b, ',') + 2;
    const struct operand of_a = {c->a_mn, c->a_mode, c->m / c->group, c->m / c->group * c->m_repeat};
    const struct operand of_b = {c->b_mn, c->b_mode, c->n / c->group, c->n / c->group * c->n_repeat};
    expect_word(r, "the instruction descriptor", (uint32_t)strtoll(word, NULL, 10), instruction_word(c, r->seen % c->steps));
    if (!c->a_in_tmem)
        expect_matrix(r, "the descriptor of A", a, &of_a);
    expect_matrix(r, "the descriptor of B", b, &of_b);
    r->seen++;
}

void sweep_check_words(struct bench_room *room, const struct sweep_case *c, const char *ptx)
{
    struct reading r = {.room = room, .c = c, .constant = calloc(REGISTERS, sizeof(uint64_t))};
    assert_non_null(r.constant);
    for (const char *line = ptx; *line != '\0';) {
        const char *word = line + strspn(line, " ");
        remember(&r, word);
        if (strncmp(word, "tcgen05.mma", 11) == 0)
            check_instruction(&r, word);
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    assert_int_equal(r.seen, c->m_repeat * c->n_repeat * c->steps);
    free(r.constant);
}
