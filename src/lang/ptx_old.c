/* The calls of earlier revisions, with keywords in place of qualifiers: each stands for one instruction, or for
 * one call of T.cuda. SOURCE: kernel-language-ptx 9.6. */
#include "lang/ptx_old.h"

#include <string.h>

static builtin_fn old_instruction, old_wait, old_elect, old_library;

/* In the text, {name} is the value of that parameter; the operands are the parameters listed by letter (a is the
 * first), and `_` is a sink. */
static const struct {
    struct builtin row;
    const char *text, *operands;
} old_forms[] = {
    {{"tcgen05.alloc", "addr, n_cols, cta_group?", old_instruction, ON_DEVICE},
     "tcgen05.alloc.cta_group::{cta_group}.sync.aligned.shared::cta.b32", "ab"},
    {{"tcgen05.dealloc", "addr, n_cols, cta_group?", old_instruction, ON_DEVICE},
     "tcgen05.dealloc.cta_group::{cta_group}.sync.aligned.b32", "ab"},
    {{"tcgen05.relinquish_alloc_permit", "cta_group?", old_instruction, ON_DEVICE},
     "tcgen05.relinquish_alloc_permit.cta_group::{cta_group}.sync.aligned", ""},
    {{"tcgen05.commit", "barrier, cta_group?", old_instruction, ON_DEVICE},
     "tcgen05.commit.cta_group::{cta_group}.mbarrier::arrive::one.shared::cluster.b64", "a"},
    {{"tcgen05.commit", "barrier, cta_group?, cta_mask", old_instruction, ON_DEVICE},
     "tcgen05.commit.cta_group::{cta_group}.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64", "ac"},
    {{"tcgen05.wait.ld", "", old_instruction, ON_DEVICE}, "tcgen05.wait::ld.sync.aligned", ""},
    {{"tcgen05.wait.st", "", old_instruction, ON_DEVICE}, "tcgen05.wait::st.sync.aligned", ""},
    {{"tcgen05.fence.after_thread_sync", "", old_instruction, ON_DEVICE}, "tcgen05.fence::after_thread_sync", ""},
    {{"tcgen05.fence.before_thread_sync", "", old_instruction, ON_DEVICE}, "tcgen05.fence::before_thread_sync", ""},
    {{"mbarrier.init", "barrier, count", old_instruction, ON_DEVICE}, "mbarrier.init.shared.b64", "ab"},
    {{"mbarrier.arrive", "barrier, cta_id?, pred?", old_library, ON_DEVICE}, NULL, NULL},
    {{"mbarrier.arrive.expect_tx", "barrier, bytes", old_instruction, ON_DEVICE}, "mbarrier.arrive.expect_tx.shared.b64", "_ab"},
    {{"mbarrier.try_wait", "barrier, parity", old_wait, ON_DEVICE}, NULL, NULL},
    {{"fence.proxy_async", "space", old_instruction, ON_DEVICE}, "fence.proxy.async.{space}", ""},
    {{"fence.mbarrier_init", "", old_instruction, ON_DEVICE}, "fence.mbarrier_init.release.cluster", ""},
    {{"elect_sync", "", old_elect, ON_DEVICE}, NULL, NULL},
    {{"cp_async.bulk.wait_group", "count, read?", old_library, ON_DEVICE}, NULL, NULL},
    {{"barrier.cluster.arrive", "sem?, aligned?", old_library, ON_DEVICE}, NULL, NULL},
    {{"barrier.cluster.wait", "acquire?, aligned?", old_library, ON_DEVICE}, NULL, NULL},
    {{"setmaxnreg", "inc, registers", old_library, ON_DEVICE}, NULL, NULL},
    {{"exp2", "x", old_library, ON_DEVICE}, NULL, NULL},
    {{"tcgen05.encode_matrix_descriptor", "place, address, ldo, sdo, swizzle", old_library, ON_DEVICE}, NULL, NULL},
    {{"tcgen05.mma", "d_type, a_type, b_type, d, a, b, idesc, use_a_tmem?, cta_group?, enable_input_d?", old_library, ON_DEVICE},
     NULL, NULL},
};
enum { OLD_COUNT = sizeof old_forms / sizeof old_forms[0] };

static bool has_argument(const struct args *args, const char *name)
{
    for (uint32_t i = 0; i < args->len; i++)
        if (args->at[i].name != NULL && strcmp(args->at[i].name, name) == 0)
            return true;
    return false;
}

const struct builtin *tw_ptx_old_form(const struct opcode *o, const struct args *args)
{
    const bool masked = has_argument(args, "cta_mask");
    for (size_t i = 0; i < OLD_COUNT && !o->exact; i++) {
        if (strcmp(old_forms[i].row.name, o->text) != 0)
            continue;
        if (!masked || strstr(old_forms[i].row.signature, "cta_mask") != NULL)
            return &old_forms[i].row;
    }
    return NULL;
}

/* The argument of the parameter that the signature names so. */
static const struct arg *argument_named(const struct call *c, struct str name)
{
    uint32_t index = 0;
    const char *at = c->row->signature;
    while (*at != '\0') {
        const size_t len = strcspn(at, ",?");
        if (tw_str_eq((struct str){at, len}, name))
            return &c->args[index];
        at += len;
        at += strspn(at, ",? ");
        index++;
    }
    return NULL;
}

/* A qualifier given as a value: an integer, 1 where it is left out, or a string. */
static bool put_qualifier(struct eval *ev, const struct arg *a, struct text *out)
{
    if (!a->given) {
        tw_text_put(out, '1');
        return true;
    }
    if (a->value.kind == VALUE_INT || a->value.kind == VALUE_STR)
        return tw_value_text(a->value, out);
    tw_eval_mismatch(ev, a->at, "a qualifier", "an integer or a string", a->value);
    return false;
}

static const char *spell(struct eval *ev, const struct call *c, const char *text)
{
    struct text out;
    tw_text_init(&out, ev->arena);
    for (const char *at = text; *at != '\0'; at++) {
        if (*at != '{') {
            tw_text_put(&out, *at);
            continue;
        }
        const size_t len = strcspn(at + 1, "}");
        if (!put_qualifier(ev, argument_named(c, (struct str){at + 1, len}), &out))
            return NULL;
        at += len + 1;
    }
    return out.at;
}

static struct value old_instruction(struct eval *ev, struct call *c)
{
    size_t form = 0;
    while (&old_forms[form].row != c->row)
        form++;
    const char *text = spell(ev, c, old_forms[form].text);
    if (text == NULL)
        return value_error();
    struct args operands = {0};
    for (const char *p = old_forms[form].operands; *p != '\0'; p++) {
        const struct arg *from = *p == '_' ? NULL : &c->args[*p - 'a'];
        *vec_push(ev->arena, &operands) = (struct arg){
            .value = from == NULL ? (struct value){.kind = VALUE_PTX_SINK} : from->value,
            .at = from == NULL ? c->at : from->at, .given = true};
    }
    const struct opcode o = {text, true, c->at};
    return tw_ptx_call(ev, &o, &operands, c->at);
}

static struct value cuda_call(struct eval *ev, struct call *c, const char *name, uint32_t count)
{
    const struct value f = tw_names_member(ev, &tw_names_cuda, name, c->at);
    struct args args = {0};
    for (uint32_t i = 0; i < count; i++)
        *vec_push(ev->arena, &args) = (struct arg){.value = c->args[i].value, .at = c->args[i].at, .given = true};
    return tw_call_builtin(ev, f.u.builtin, &args, c->at);
}

/* The old try_wait was a loop. */
static struct value old_wait(struct eval *ev, struct call *c)
{
    return cuda_call(ev, c, "mbarrier_wait", 2);
}

static struct value old_library(struct eval *ev, struct call *c)
{
    return tw_library_call(ev, c, "ptx_");
}

static struct value old_elect(struct eval *ev, struct call *c)
{
    return cuda_call(ev, c, "elect_sync", 0);
}
