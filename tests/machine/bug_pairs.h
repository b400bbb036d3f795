/* Running pairs of programs written by others, one faulty and one mended (bugs/ of the shared folder). */
#ifndef TW_TESTS_MACHINE_BUG_PAIRS_H
#define TW_TESTS_MACHINE_BUG_PAIRS_H

#include "machine/ptx_bench.h"
#include "support/tcg.h"

#include "base/json.h"
#include "isa/tensor_map.h"
#include "num/decimal.h"

#include <dirent.h>
#include <stdlib.h>

enum { MAX_PAIRS = 256, MAX_ARGS = 8, NOT_RUN = -2 };

/* Somebody who watches the run, and looks at the launch before it is freed. */
struct pair_watch {
    struct machine_observer observer;
    void (*ended)(struct pair_watch *watch, const struct launch *l, struct diags *diags);
};

struct pair {
    const char *folder, *name;
    const struct json *what;
};

static inline const char *text_of(const struct json *object, const char *key)
{
    const struct json *const v = tw_json_get(object, key);
    return v == NULL || v->kind != JSON_STRING ? "" : v->text.at;
}

static inline int64_t int_of(const struct json *v)
{
    int64_t value = 0;
    if (v != NULL && v->kind == JSON_STRING)
        return (int64_t)strtoull(v->text.at, NULL, 0);
    if (v != NULL)
        (void)tw_json_int(v, &value);
    return value;
}

static inline int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The names in the folder, sorted; 0 if it is not there. */
static inline unsigned list_pairs(struct arena *arena, const char *folder, const char *names[MAX_PAIRS])
{
    unsigned count = 0;
    DIR *const dir = opendir(folder);
    for (struct dirent *e; dir != NULL && (e = readdir(dir)) != NULL;) {
        const size_t len = strlen(e->d_name);
        if (len > 5 && strcmp(e->d_name + len - 5, ".json") == 0 && count < MAX_PAIRS)
            names[count++] = tw_arena_copy(arena, e->d_name, len - 5);
    }
    if (dir != NULL)
        (void)closedir(dir);
    qsort(names, count, sizeof *names, compare_names);
    return count;
}

/* ---- Buffers ---------------------------------------------------------------------------------- */

static inline enum num_format element_format(const char *type)
{
    if (strcmp(type, "b32") == 0)
        return NUM_U32;
    return tw_num_format_by_name(tw_str(type));
}

/* The bytes of a list of elements. */
static inline uint8_t *bytes_of(struct arena *arena, const char *type, const struct json *values, size_t *size)
{
    const enum num_format f = element_format(type);
    const unsigned width = tw_num_bits(f) / 8;
    uint8_t *const out = arena_new(arena, uint8_t, (size_t)values->count * width + 1);
    for (uint32_t i = 0; i < values->count; i++) {
        uint64_t word = (uint64_t)int_of(&values->items[i]);
        if (tw_num_is_float(f))
            assert_int_equal(tw_num_parse_decimal(values->items[i].text, f, &word), NUM_PARSED);
        memcpy(out + (size_t)i * width, &word, width);
    }
    *size = (size_t)values->count * width;
    return out;
}

static inline void fill(struct arena *arena, const struct json *init, uint8_t *at, size_t bytes)
{
    size_t size = 0;
    memset(at, 0, bytes);
    if (init != NULL && init->kind == JSON_OBJECT) {
        const uint8_t *const unit = bytes_of(arena, text_of(init, "type"), tw_json_get(init, "repeat"), &size);
        for (size_t i = 0; i < bytes; i++)
            at[i] = unit[i % size];
    } else if (init != NULL && tw_str_is(init->text, "iota_u32")) {
        for (uint32_t i = 0; i < bytes / 4; i++)
            memcpy(at + 4 * i, &i, 4);
    }
}

/* ---- A run ------------------------------------------------------------------------------------ */

struct running {
    struct bench_room *room;
    struct memory *memory;
    uint8_t params[TENSOR_MAP_BYTES * MAX_ARGS];
    uint32_t param_bytes;
    const uint8_t *buffers[MAX_ARGS];
    uint64_t addresses[MAX_ARGS];
    const char *names[MAX_ARGS];
    unsigned count;
};

static inline void add_param_bytes(struct running *r, const void *from, uint32_t bytes, uint32_t align)
{
    r->param_bytes = (r->param_bytes + align - 1) / align * align;
    memcpy(r->params + r->param_bytes, from, bytes);
    r->param_bytes += bytes;
}

static inline void add_param(struct running *r, uint64_t value, uint32_t bytes)
{
    add_param_bytes(r, &value, bytes, bytes);
}

static inline uint32_t numbers(const struct json *list, uint64_t *out)
{
    for (uint32_t i = 0; i < list->count; i++)
        out[i] = (uint64_t)int_of(&list->items[i]);
    return list->count;
}

/* Packed without the encoder's checks: a faulty program may have a faulty map. */
static inline void add_map(struct running *r, const struct json *a)
{
    struct tensor_map m = {.type = tw_tensor_map_type_find(tw_str(text_of(a, "elem"))),
                           .swizzle = tw_tensor_map_swizzle_find(tw_str(text_of(a, "swizzle"))),
                           .fill = strcmp(text_of(a, "fill"), "zero") == 0 ? TMAP_FILL_ZEROS : TMAP_FILL_NAN};
    uint64_t box[TENSOR_MAP_RANK] = {0};
    uint8_t bytes[TENSOR_MAP_BYTES];
    m.rank = numbers(tw_json_get(a, "dims"), m.dims);
    (void)numbers(tw_json_get(a, "strides"), m.strides + 1);
    (void)numbers(tw_json_get(a, "box"), box);
    for (uint32_t d = 0; d < TENSOR_MAP_RANK; d++) {
        m.box[d] = (uint32_t)box[d];
        m.element_strides[d] = 1;
    }
    for (unsigned i = 0; i < r->count; i++)
        if (strcmp(r->names[i], text_of(a, "base")) == 0)
            m.address = r->addresses[i];
    tw_tensor_map_pack(&m, bytes);
    add_param_bytes(r, bytes, sizeof bytes, TENSOR_MAP_ALIGN);
}

/* False if an argument is of a kind that this test does not make. */
static inline bool add_args(struct running *r, const struct json *args)
{
    for (uint32_t i = 0; i < args->count; i++) {
        const struct json *const a = &args->items[i];
        if (strcmp(text_of(a, "kind"), "u32") == 0) {
            add_param(r, (uint64_t)int_of(tw_json_get(a, "value")), 4);
            continue;
        }
        if (strcmp(text_of(a, "kind"), "tensormap") == 0) {
            add_map(r, a);
            continue;
        }
        if (strcmp(text_of(a, "kind"), "ptr") != 0 || r->count == MAX_ARGS)
            return false;
        const uint64_t bytes = (uint64_t)int_of(tw_json_get(a, "bytes"));
        const uint64_t address = tw_memory_alloc(r->memory, bytes, text_of(a, "name"));
        uint8_t *const at = tw_memory_at(r->memory, address, bytes);
        fill(&r->room->arena, tw_json_get(a, "init"), at, bytes);
        r->buffers[r->count] = at;
        r->addresses[r->count] = address;
        r->names[r->count++] = text_of(a, "name");
        add_param(r, address, 8);
    }
    return true;
}

static inline void set_dims(const struct json *launch, const char *key, uint32_t dims[3])
{
    const struct json *const v = tw_json_get(launch, key);
    for (uint32_t i = 0; v != NULL && i < 3 && i < v->count; i++)
        dims[i] = (uint32_t)int_of(&v->items[i]);
}

static inline bool only_unsupported(const struct diags *ds)
{
    for (uint32_t i = 0; i < ds->list.len; i++)
        if (ds->list.at[i]->code != E0709)
            return false;
    return ds->list.len != 0;
}

static inline int launch(struct running *r, const struct pair *p, const char *text, uint64_t seed, struct pair_watch *watch)
{
    struct bench_room *const room = r->room;
    const struct json *const how = tw_json_get(p->what, "launch");
    const uint32_t file = tw_sources_add(&room->sources, p->name, tw_str(text));
    const struct ptx_module *const module = tw_ptx_parse(&room->arena, tw_isa_open(&room->arena), &room->diags, file);
    if (room->diags.error_count != 0)
        return -1;
    struct launch_spec spec = {.dynamic_shared_bytes = (uint32_t)int_of(tw_json_get(how, "dynamic_shared_bytes")), .params = r->params,
                               .param_bytes = r->param_bytes, .seed = seed, .max_steps = 2000000};
    if (watch != NULL)
        spec.observer = watch->observer;
    set_dims(how, "grid", spec.grid);
    set_dims(how, "block", spec.block);
    set_dims(how, "cluster", spec.cluster);
    struct program *const program = tw_program_load(&room->arena, &room->diags, module, r->memory);
    struct launch *const l = program == NULL ? NULL : tw_launch_new(program, text_of(p->what, "entry"), &spec, &room->diags);
    if (l == NULL)
        return only_unsupported(&room->diags) ? NOT_RUN : -1;
    const int status = (int)tw_launch_step(l, 0);
    if (watch != NULL)
        watch->ended(watch, l, &room->diags);
    tw_launch_free(l);
    return status;
}

static inline void expect_values(const struct running *r, const struct pair *p)
{
    const struct json *const e = tw_json_get(p->what, "expect");
    size_t size;
    const uint8_t *const want = bytes_of(&r->room->arena, text_of(e, "out"), tw_json_get(e, "values"), &size);
    for (unsigned i = 0; i < r->count; i++)
        if (strcmp(r->names[i], text_of(e, "arg")) == 0 && memcmp(r->buffers[i], want, size) != 0)
            fail_msg("%s: other values than its description states", p->name);
}

/* Launch status, -1 when refused, NOT_RUN when the machine or this test lacks something. */
static inline int run_twin(struct bench_room *room, const struct pair *p, const char *twin, uint64_t seed, struct pair_watch *watch)
{
    size_t size;
    const char *const path = tw_format(&room->arena, "%s/%s.%s.ptx", p->folder, p->name, twin);
    const char *const text = tw_test_read_file(&room->arena, path, &size);
    const struct json *args = tw_json_get(p->what, "args_bad");
    if (args == NULL || strcmp(twin, "good") == 0)
        args = tw_json_get(p->what, "args");
    assert_non_null(text);
    struct running r = {.room = room, .memory = tw_memory_new(0)};
    int status = NOT_RUN;
    if (tw_json_get(tw_json_get(p->what, "launch"), "sequence") == NULL && add_args(&r, args))
        status = launch(&r, p, text, seed, watch);
    if (status == LAUNCH_FINISHED && strcmp(twin, "good") == 0)
        expect_values(&r, p);
    tw_memory_free(r.memory);
    return status;
}

/* ---- All pairs --------------------------------------------------------------------------------- */

typedef void pair_check(struct bench_room *room, const struct pair *p);

static inline void for_each_pair(void **state, pair_check *check)
{
    struct bench_room *room = *state;
    struct landing landing = {0};
    struct arena own;
    const char *names[MAX_PAIRS];
    if (tw_test_shared(&room->arena, "bugs/README.md") == NULL)
        skip();
    const char *const shared = getenv("TW_SHARED");
    tw_arena_init(&own, &landing, 0);
    if (setjmp(landing.at) != 0)
        abort(); /* a test that exhausts memory is a broken test */
    const char *const folder = tw_format(&own, "%s/bugs", shared != NULL ? shared : "../shared");
    const unsigned count = list_pairs(&own, folder, names);
    for (unsigned i = 0; i < count; i++) {
        size_t size;
        struct json_error error;
        const char *const text = tw_test_read_file(&own, tw_format(&own, "%s/%s.json", folder, names[i]), &size);
        const struct pair p = {folder, names[i], tw_json_read(&own, (struct str){text, size}, &error)};
        assert_non_null(p.what);
        check(*state, &p);
        tw_test_teardown(state);
        tw_test_setup(state);
    }
    tw_arena_release(&own);
}

#endif
