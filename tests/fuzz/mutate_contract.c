/* Mutations of launch contracts: members and values of JSON, by words that the reader knows. */
#include "fuzz/draw.h"
#include "fuzz/edit.h"

#include <stdlib.h>

#define PICK(e, table) ((table)[roll(&(e)->dice, (uint32_t)(sizeof(table) / sizeof(table)[0]))])

static void draw_value(struct edit *e)
{
    static const char *const rows[] = {
        "\"scalar\"", "\"tensor\"", "\"tensor_map\"", "\"scratch\"", "\"bfloat16\"", "\"float16\"", "\"float32\"", "\"float64\"", "\"int8\"", "\"int32\"",
        "\"uint64\"", "\"bool\"", "\"float8_e4m3fn\"", "\"float4_e2m1fn\"", "\"tile\"", "\"im2col\"", "\"128B\"", "\"64B\"", "\"32B\"", "\"none\"", "\"16B\"",
        "\"zeros\"", "\"nan\"", "\"f16\"", "\"bf16\"", "\"A\"", "\"k\"", "\"\"", "true", "false", "null", "[]", "{}", "[1]", "[1, 2, 3]", "[16, 64]", "[128, 1, 1]",
        "1.5", "1e308", "-0", "1e-400", "\"\\u0041\\n\"", "\"\\ud83d\\ude00\"", "\"nan\"", "\"inf\"", "[[[[1]]]]", "[0, 0]", "[-1, 1, 1, 1, 1]",
    };
    if (roll(&e->dice, 3) == 0)
        tw_text_addf(&e->drawn, "%lld", (long long)(int64_t)(roll_word(&e->dice) >> roll(&e->dice, 64)));
    else
        tw_text_add(&e->drawn, PICK(e, rows));
}

static void draw_key(struct edit *e)
{
    static const char *const rows[] = {
        "args", "block", "box", "bytes", "channels", "cluster", "dims", "dtype", "dynamic_shared_bytes", "element_strides", "entry", "fill", "grid", "interleave",
        "kind", "l2", "lower", "name", "pixels", "shape", "strides", "swizzle", "tensor", "tensor_map", "tensors", "upper", "value", "mode", "offset", "x", "in", "out", "expect", "seed", "rtol", "atol",
    };
    tw_text_add(&e->drawn, PICK(e, rows));
}

/* A member of the list "args" or "tensors", whole. */
static void draw_argument(struct edit *e)
{
    static const char *const rows[] = {
        "{\"name\": \"n\", \"kind\": \"scalar\", \"dtype\": \"int32\", \"value\": 7}",
        "{\"name\": \"f\", \"kind\": \"scalar\", \"dtype\": \"float32\", \"value\": -1.5e-3}",
        "{\"name\": \"B\", \"kind\": \"tensor\", \"dtype\": \"float16\", \"shape\": [16, 64]}",
        "{\"name\": \"C\", \"kind\": \"tensor\", \"dtype\": \"int8\", \"shape\": [4], \"fill\": \"bits\", \"seed\": 3, \"out\": \"c.npy\", \"expect\": \"d.npy\", \"rtol\": 1e-3, \"atol\": 0.5}",
        "{\"name\": \"D\", \"kind\": \"tensor\", \"dtype\": \"int8\", \"shape\": [4], \"in\": \"a.npy\"}",
        "{\"name\": \"s\", \"kind\": \"scratch\", \"bytes\": 256}",
        "{\"name\": \"m\", \"kind\": \"tensor_map\", \"tensor\": \"A\", \"box\": [16, 64], \"swizzle\": \"128B\"}",
        "{\"name\": \"m\", \"kind\": \"tensor_map\", \"tensor\": \"A\", \"dims\": [64, 16], \"strides\": [128], \"box\": [64, 16], \"element_strides\": [1, 1], \"interleave\": \"none\", \"fill\": \"nan\", \"l2\": \"128B\"}",
        "{\"name\": \"m\", \"kind\": \"tensor_map\", \"tensor\": \"A\", \"lower\": [-1, -1], \"upper\": [1, 1], \"channels\": 16, \"pixels\": 8}",
    };
    tw_text_add(&e->drawn, PICK(e, rows));
}

static bool in_value(char c)
{
    return c != ',' && c != ':' && c != '{' && c != '}' && c != '[' && c != ']' && c != '\n';
}

static bool is_not_comma(char c)
{
    return c != ',' && c != '{' && c != '}';
}

static bool in_brackets(char c)
{
    return c != '{' && c != '}';
}

static bool is_mark(char c)
{
    return c == '{' || c == '}' || c == '[' || c == ']' || c == ',' || c == ':' || c == '"';
}

static void replace_with_drawn(struct edit *e, bool (*in)(char c))
{
    const struct range r = edit_find(e, in);
    if (r.to > r.from)
        edit_replace(e, r, edit_drawn(e));
}

static void change_value(struct edit *e)
{
    draw_value(e);
    replace_with_drawn(e, in_value);
}

static void change_key(struct edit *e)
{
    struct range r = edit_find(e, in_value);
    while (r.to < e->len && e->at[r.to] != ':' && r.to > r.from) {
        r.from = r.to + 1 < e->len ? r.to + 1 : r.to;
        for (r.to = r.from; r.to < e->len && in_value(e->at[r.to]); r.to++)
            continue;
    }
    tw_text_put(&e->drawn, '"');
    draw_key(e);
    tw_text_put(&e->drawn, '"');
    if (r.to > r.from && r.to < e->len)
        edit_replace(e, r, edit_drawn(e));
}

/* Behind a comma or an opening bracket. */
static size_t any_place(struct edit *e)
{
    size_t at = roll(&e->dice, (uint32_t)e->len + 1);
    while (at < e->len && (at == 0 || (e->at[at - 1] != ',' && e->at[at - 1] != '{' && e->at[at - 1] != '[')))
        at++;
    return at;
}

static void insert_member(struct edit *e)
{
    const size_t at = any_place(e);
    tw_text_put(&e->drawn, '"');
    draw_key(e);
    tw_text_add(&e->drawn, "\": ");
    draw_value(e);
    tw_text_put(&e->drawn, ',');
    edit_replace(e, (struct range){at, at}, edit_drawn(e));
}

static void insert_argument(struct edit *e)
{
    const size_t at = any_place(e);
    draw_argument(e);
    tw_text_put(&e->drawn, ',');
    edit_replace(e, (struct range){at, at}, edit_drawn(e));
}

static void replace_object(struct edit *e)
{
    struct range r = edit_find(e, in_brackets);
    if (r.from > 0 && r.to < e->len) {
        r.from--;
        r.to++;
    }
    draw_argument(e);
    edit_replace(e, r, edit_drawn(e));
}

static void delete_member(struct edit *e)
{
    struct range r = edit_find(e, is_not_comma);
    if (r.to < e->len && e->at[r.to] == ',')
        r.to++;
    edit_replace(e, r, STR(""));
}

static void double_member(struct edit *e)
{
    struct range r = edit_find(e, is_not_comma);
    if (r.to < e->len && e->at[r.to] == ',')
        r.to++;
    tw_text_add_str(&e->drawn, (struct str){e->at + r.from, r.to - r.from});
    const size_t at = any_place(e);
    edit_replace(e, (struct range){at, at}, edit_drawn(e));
}

static void change_mark(struct edit *e)
{
    tw_text_put(&e->drawn, "{}[],:\""[roll(&e->dice, 7)]);
    replace_with_drawn(e, is_mark);
}

size_t fuzz_mutate_contract(uint8_t *bytes, size_t len, size_t room, uint64_t seed, fuzz_bytes_fn *plain)
{
    static mutation *const list[] = {
        change_value, change_value, change_value, change_value, change_key, change_key, insert_member, insert_member, insert_argument, insert_argument,
        replace_object, delete_member, delete_member, double_member, edit_number, edit_number, change_mark, edit_bytes, edit_bytes,
    };
    struct landing landing;
    struct arena arena;
    if (setjmp(landing.at) != 0)
        abort();
    tw_arena_init(&arena, &landing, 0);
    struct edit e = {.at = (char *)bytes, .len = len, .room = room, .dice = {seed}, .plain = plain};
    e.drawn.arena = &arena;
    const size_t changed = edit_run(&e, list, sizeof list / sizeof list[0]);
    tw_arena_release(&arena);
    return changed;
}
