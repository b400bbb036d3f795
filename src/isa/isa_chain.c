/* The kernel language's attribute chains: T.ptx.cp_async.bulk.shared__cluster.global_ ... */
#include "isa/isa_catalogue.h"

#include "base/text.h"

#include <string.h>

/* Families whose mnemonic has a fixed part behind a dot are written joined. */
static const char *const joined[][2] = {
    {"elect_sync", "elect.sync"},
    {"shfl_sync", "shfl.sync"},
    {"vote_sync", "vote.sync"},
    {"redux_sync", "redux.sync"},
    {"match_sync", "match.sync"},
    {"st_async", "st.async"},
    {"st_bulk", "st.bulk"},
    {"red_async", "red.async"},
    {"cp_async", "cp.async"},
    {"cp_reduce_async", "cp.reduce.async"},
    {"bar_sync", "bar.sync"},
    {"bar_arrive", "bar.arrive"},
    {"bar_red", "bar.red"},
    {"bar_warp_sync", "bar.warp.sync"},
    {"mma_sync", "mma.sync"},
    {"cvt_pack", "cvt.pack"},
    {"multimem_ld_reduce", "multimem.ld_reduce"},
    {"multimem_st", "multimem.st"},
    {"multimem_red", "multimem.red"},
    {"tensormap_replace", "tensormap.replace"},
    {"tensormap_cp_fenceproxy", "tensormap.cp_fenceproxy"},
};

/* One token: `__` is `::`, one trailing underscore falls away (Python keywords and reserved words). */
static void put_token(struct text *out, struct str token)
{
    if (token.len > 1 && token.at[token.len - 1] == '_' && token.at[token.len - 2] != '_')
        token.len--;
    for (size_t i = 0; i < token.len; i++) {
        if (i > 0 && i + 2 < token.len && token.at[i] == '_' && token.at[i + 1] == '_') {
            tw_text_add(out, "::");
            i++;
        } else {
            tw_text_put(out, token.at[i]);
        }
    }
}

static bool put_joined(struct text *out, struct str family)
{
    for (size_t i = 0; i < sizeof joined / sizeof joined[0]; i++)
        if (tw_str_is(family, joined[i][0])) {
            tw_text_add(out, joined[i][1]);
            return true;
        }
    return false;
}

const char *tw_isa_from_chain(const struct isa *isa, struct arena *arena, struct str chain)
{
    (void)isa;
    struct text out;
    tw_text_init(&out, arena);
    size_t from = 0;
    for (size_t i = 0; i <= chain.len; i++) {
        if (i < chain.len && chain.at[i] != '.')
            continue;
        struct str token = {chain.at + from, i - from};
        if (from > 0)
            tw_text_put(&out, '.');
        if (from > 0 || !put_joined(&out, token))
            put_token(&out, token);
        from = i + 1;
    }
    return out.at;
}
