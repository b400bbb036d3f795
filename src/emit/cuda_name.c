/* Identifiers, types, constants, and the text of operators. */
#include "emit/cuda.h"

#include "num/decimal.h"

#include <ctype.h>
#include <string.h>

/* ---- identifiers --------------------------------------------------------------------------------------- */

/* Words that mean something else where the text is compiled, separated by blanks. */
static const char *const taken[] = {
    /* C++20 and the dialect's own */
    "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class "
    "compl concept const consteval constexpr constinit const_cast continue co_await co_return co_yield decltype "
    "default delete do double dynamic_cast else enum explicit export extern false float for friend goto if inline "
    "int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public "
    "register reinterpret_cast requires return short signed sizeof static static_assert static_cast struct switch "
    "template this thread_local throw true try typedef typeid typename union unsigned using virtual void volatile "
    "wchar_t while xor xor_eq main std",
    /* variables of the device */
    "threadIdx blockIdx blockDim gridDim warpSize",
    /* macros of the headers that nvcc includes by itself */
    "BUFSIZ CUDARTAPI EOF INFINITY MAXFLOAT NAN NFDBITS NULL NZERO SNAN SNANF SNANL WCONTINUED WEXITED "
    "WEXITSTATUS WNOHANG WNOWAIT WSTOPPED WSTOPSIG WTERMSIG WUNTRACED alloca assert htobe16 htobe32 htobe64 "
    "htole16 htole32 htole64 be16toh be32toh be64toh le16toh le32toh le64toh isascii toascii linux unix offsetof "
    "stderr stdin stdout strdupa strndupa",
    /* names of the text itself */
    "shared_address global_address local_address floor_div floor_mod shared_memory",
};

static void reserve(struct cuda_emitter *em, const char *words)
{
    while (*words != '\0') {
        const size_t len = strcspn(words, " ");
        tw_strmap_put(&em->names, (struct str){words, len}, 0);
        words += len + strspn(words + len, " ");
    }
}

void tw_cuda_reserve_names(struct cuda_emitter *em)
{
    tw_strmap_init(&em->names, em->arena);
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++)
        reserve(em, taken[i]);
}

/* Capitals with an underscore may be some header's macro: CHAR_BIT, CLOCK_REALTIME, and several hundred more. */
static bool looks_like_macro(const char *name)
{
    if (strchr(name, '_') == NULL)
        return false;
    for (const char *c = name; *c != '\0'; c++)
        if (islower((unsigned char)*c))
            return false;
    return true;
}

bool tw_cuda_is_reserved_shape(const char *name)
{
    return strncmp(name, "__", 2) == 0 || strncmp(name, "cuda", 4) == 0 || looks_like_macro(name);
}

static const char *only_letters(struct cuda_emitter *em, const char *name)
{
    char *text = tw_format(em->arena, "%s%s", isdigit((unsigned char)name[0]) ? "v" : "", name);
    for (char *c = text; *c != '\0'; c++)
        if (!isalnum((unsigned char)*c) && *c != '_')
            *c = '_';
    return text;
}

const char *tw_cuda_identifier(struct cuda_emitter *em, const char *name)
{
    const char *base = only_letters(em, name == NULL || name[0] == '\0' ? "v" : name);
    if (tw_cuda_is_reserved_shape(base))
        base = tw_format(em->arena, "%s%s_", base[0] == '_' ? "v" : "", base);
    uint32_t *known = tw_strmap_get(&em->names, tw_str(base));
    if (known == NULL) {
        tw_strmap_put(&em->names, tw_str(base), 0);
        return base;
    }
    const char *text;
    do /* the number that was tried last is remembered, so that many copies of a variable cost no search */
        text = tw_format(em->arena, "%s_%u", base, ++*known);
    while (tw_strmap_get(&em->names, tw_str(text)) != NULL);
    tw_strmap_put(&em->names, tw_str(text), 0);
    return text;
}

/* ---- types ------------------------------------------------------------------------------------------------ */

static const char *integer_type(uint32_t bits, bool is_signed)
{
    static const char *const names[4][2] = {{"unsigned char", "signed char"},
                                            {"unsigned short", "short"},
                                            {"unsigned", "int"},
                                            {"unsigned long long", "long long"}};
    return names[bits <= 8 ? 0 : bits == 16 ? 1 : bits == 32 ? 2 : 3][is_signed];
}

const char *tw_cuda_plain_type(struct ir_type t)
{
    if (t.cls == IR_BOOL)
        return "bool";
    if (t.cls == IR_POINTER)
        return "char *";
    if (t.cls == IR_FLOAT && t.bits >= 32)
        return t.bits == 32 ? "float" : "double";
    return integer_type(t.bits, t.cls == IR_SINT);
}

const char *tw_cuda_type(struct cuda_emitter *em, struct ir_type t)
{
    if (t.cls != IR_FLOAT || t.bits >= 32 || t.bits < 8)
        return tw_cuda_plain_type(t);
    if (em->formats[t.format] == NULL)
        em->formats[t.format] = tw_cuda_identifier(em, tw_format(em->arena, "%s_bits", tw_num_format(t.format)->name));
    return em->formats[t.format];
}

const char *tw_cuda_memory_type(struct cuda_emitter *em, struct ir_type t)
{
    return t.cls == IR_BOOL ? "unsigned char" : tw_cuda_type(em, t);
}

const char *tw_cuda_register_type(struct ir_type t, bool is_signed)
{
    if (t.cls == IR_POINTER)
        return "const void *";
    if (t.cls == IR_BOOL || (t.cls == IR_FLOAT && t.bits >= 32))
        return tw_cuda_plain_type(t);
    return integer_type(t.bits < 16 ? 16 : t.bits, is_signed);
}

/* ---- constants ------------------------------------------------------------------------------------------------ */

enum { DECIMAL_LIMIT = 12 }; /* a longer exact value reads worse than its bits */

static struct cx float_constant(struct cuda_emitter *em, struct ir_type t, uint64_t bits)
{
    struct text decimal;
    tw_text_init(&decimal, em->arena);
    tw_num_print_decimal(&decimal, t.format, bits);
    const bool finite = strpbrk(decimal.at, "in") == NULL;
    if (!finite || decimal.len > DECIMAL_LIMIT)
        return t.bits == 32 ? tw_cuda_primary(em, "__uint_as_float(0x%08xu)", (unsigned)bits)
                            : tw_cuda_primary(em, "__longlong_as_double((long long)0x%016llxull)", (unsigned long long)bits);
    const char *point = strpbrk(decimal.at, ".e") == NULL ? ".0" : "";
    const struct cx x = tw_cuda_primary(em, "%s%s%s", decimal.at, point, t.bits == 32 ? "f" : "");
    return (struct cx){x.text, decimal.at[0] == '-' ? PREC_UNARY : PREC_PRIMARY};
}

static struct cx signed_constant(struct cuda_emitter *em, int64_t value, bool wide)
{
    const char *suffix = wide ? "ll" : "";
    if (value == (wide ? INT64_MIN : INT32_MIN)) /* the number without its sign does not exist */
        return (struct cx){tw_format(em->arena, "-%lld%s - 1", -(long long)(value + 1), suffix), PREC_SUM};
    return (struct cx){tw_format(em->arena, "%lld%s", (long long)value, suffix), value < 0 ? PREC_UNARY : PREC_PRIMARY};
}

static struct cx unsigned_constant(struct cuda_emitter *em, uint64_t value, bool wide)
{
    if (value >= 0x10000)
        return tw_cuda_primary(em, "0x%llx%s", (unsigned long long)value, wide ? "ull" : "u");
    return tw_cuda_primary(em, "%llu%s", (unsigned long long)value, wide ? "ull" : "u");
}

struct cx tw_cuda_constant(struct cuda_emitter *em, struct ir_type t, uint64_t bits)
{
    if (t.cls == IR_BOOL)
        return tw_cuda_primary(em, "%s", bits != 0 ? "true" : "false");
    if (t.cls == IR_POINTER)
        return tw_cuda_as(em, "char *", unsigned_constant(em, bits, true));
    if (t.cls == IR_FLOAT && t.bits >= 32)
        return float_constant(em, t, bits);
    if (t.cls == IR_FLOAT)
        return tw_cuda_as(em, tw_cuda_type(em, t), tw_cuda_primary(em, "0x%0*llx", t.bits / 4, (unsigned long long)bits));
    if (t.bits <= 16)
        return tw_cuda_as(em, tw_cuda_type(em, t), signed_constant(em, (int64_t)bits, false));
    return t.cls == IR_SINT ? signed_constant(em, (int64_t)bits, t.bits == 64)
                            : unsigned_constant(em, t.bits == 64 ? bits : (uint32_t)bits, t.bits == 64);
}

/* ---- operators ------------------------------------------------------------------------------------------------- */

struct cx tw_cuda_primary(struct cuda_emitter *em, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const struct cx x = {tw_formatv(em->arena, format, args), PREC_PRIMARY};
    va_end(args);
    return x;
}

const char *tw_cuda_paren(struct cuda_emitter *em, struct cx x, enum cuda_prec prec)
{
    return x.prec >= prec ? x.text : tw_format(em->arena, "(%s)", x.text);
}

/* The weakest operator that an operand may have without parentheses. Few readers know how shifts and bit operations bind
 * beside others, and && beside ||: there only a chain of the same operator goes without. */
static enum cuda_prec least(enum cuda_prec prec, struct cx operand, bool left)
{
    const bool is_chain = left && operand.prec == prec && prec != PREC_EQUAL && prec != PREC_COMPARE && prec != PREC_SHIFT;
    if (is_chain)
        return prec;
    if (prec == PREC_SHIFT || (prec >= PREC_BIT_OR && prec <= PREC_BIT_AND))
        return PREC_UNARY;
    return prec <= PREC_LOGICAL_AND ? PREC_BIT_OR : prec + 1;
}

struct cx tw_cuda_infix(struct cuda_emitter *em, struct cx a, const char *op, enum cuda_prec prec, struct cx b)
{
    const char *left = tw_cuda_paren(em, a, least(prec, a, true)), *right = tw_cuda_paren(em, b, least(prec, b, false));
    return (struct cx){tw_format(em->arena, "%s %s %s", left, op, right), prec};
}

struct cx tw_cuda_as(struct cuda_emitter *em, const char *type, struct cx x)
{
    return (struct cx){tw_format(em->arena, "(%s)%s", type, tw_cuda_paren(em, x, PREC_UNARY)), PREC_UNARY};
}

struct cx tw_cuda_call1(struct cuda_emitter *em, const char *function, struct cx x)
{
    return tw_cuda_primary(em, "%s(%s)", function, x.text);
}

struct cx tw_cuda_call2(struct cuda_emitter *em, const char *function, struct cx a, struct cx b)
{
    return tw_cuda_primary(em, "%s(%s, %s)", function, a.text, b.text);
}
