/* The verifier finds each kind of broken IR, and the printer shows sound IR readably. */
#include "support/check.h"

#include "ir/ir.h"

static const struct src_span nowhere = {0, 0, 0};

struct fixture {
    struct bench_room *room;
    struct ir_kernel *k;
    struct ir_storage *x;
    struct ir_view *view;
    struct ir_var *tid;
};

/* X: float32 (4, 8) in global memory; tid = tid.x. */
static struct fixture fixture(struct bench_room *room)
{
    struct fixture f = {.room = room, .k = tw_ir_kernel_new(&room->arena, "scale", nowhere)};
    f.k->launch = (struct ir_launch){.grid = {1, 1, 1}, .block = {8, 1, 1}};
    f.x = tw_ir_storage_new(f.k, "X", IR_GLOBAL, tw_ir_float32(), 32, nowhere);
    f.x->param = 0;
    const struct layout_env env = {.arena = &room->arena};
    const struct shape shape = {2, {4, 8}};
    f.view = tw_ir_view_new(f.k, f.x, tw_ir_float32(), 2, shape.dim, tw_layout_default(&env, &shape), 0, nowhere);
    *vec_push(&room->arena, &f.k->params) = (struct ir_param){.name = "X", .tensor = f.x, .view = f.view};
    f.tid = tw_ir_var_new(f.k, "tid", tw_ir_int32(), nowhere);
    struct ir_stmt *define = tw_ir_stmt_new(f.k, &f.k->body, IR_DEFINE, nowhere);
    define->var = f.tid;
    define->value = tw_ir_coord(f.k, IR_TID_X, nowhere);
    return f;
}

static struct ir_region *element(struct fixture *f, struct ir_expr *i, struct ir_expr *j)
{
    struct ir_region *r = tw_ir_region_whole(f->k, f->view, nowhere);
    r->start[0] = i;
    r->start[1] = j;
    r->extent[0] = r->extent[1] = 1;
    return r;
}

static struct ir_expr *num(struct fixture *f, int64_t value)
{
    return tw_ir_const_int(f->k, tw_ir_int32(), value, nowhere);
}

/* for i in 0..4: X[i, tid] = X[i, tid] * 2 */
static struct ir_stmt *loop(struct fixture *f)
{
    struct ir_stmt *s = tw_ir_stmt_new(f->k, &f->k->body, IR_FOR, nowhere);
    s->var = tw_ir_var_new(f->k, "i", tw_ir_int32(), nowhere);
    s->var->is_loop = true;
    s->begin = num(f, 0);
    s->end = num(f, 4);
    struct ir_stmt *store = tw_ir_stmt_new(f->k, &s->body, IR_STORE, nowhere);
    store->region = element(f, tw_ir_var_ref(f->k, s->var, nowhere), tw_ir_var_ref(f->k, f->tid, nowhere));
    struct ir_region *from = element(f, tw_ir_var_ref(f->k, s->var, nowhere), tw_ir_var_ref(f->k, f->tid, nowhere));
    store->value = tw_ir_binary(f->k, IR_MUL, tw_ir_load(f->k, from, nowhere),
                                tw_ir_const_int(f->k, tw_ir_float32(), 2, nowhere), nowhere);
    return s;
}

static void expect_broken(struct fixture *f, const char *want)
{
    struct text why;
    tw_text_init(&why, &f->room->arena);
    assert_false(tw_ir_verify(f->k, &why));
    assert_string_equal(why.at, want);
}

static void sound_ir_passes_and_prints(void **state)
{
    struct fixture f = fixture(*state);
    loop(&f);
    struct text t;
    tw_text_init(&t, &f.room->arena);
    if (!tw_ir_verify(f.k, &t))
        fail_msg("%s", t.at);
    tw_ir_print(f.k, &t);
    assert_string_equal(t.at, "kernel scale\n"
                              "  launch grid (1, 1, 1) block (8, 1, 1)\n"
                              "  global X: float32 x 32, align 4, parameter 0\n"
                              "  view X#0: float32 (4, 8) S[(4, 8):(8, 1)]\n"
                              "  tid: int32 = tid.x\n"
                              "  for i in 0 .. 4\n"
                              "    X#0[i, tid] = (X#0[i, tid] * float32(2))\n");
}

static void the_launch_is_printed_as_far_as_it_is_stated(void **state)
{
    struct fixture f = fixture(*state);
    struct text t;
    tw_text_init(&t, &f.room->arena);
    f.k->launch.dynamic_shared_bytes = 64;
    f.k->launch.min_blocks = 3;
    tw_ir_print(f.k, &t);
    assert_non_null(strstr(t.at, "\n  launch grid (1, 1, 1) block (8, 1, 1) dynamic shared 64 bytes min blocks per SM 3\n"));
}

static void operands_of_different_types_are_found(void **state)
{
    struct fixture f = fixture(*state);
    struct ir_stmt *s = loop(&f)->body.list.at[0];
    s->value->args[1] = num(&f, 2);
    expect_broken(&f, "mul: operands of different types");
}

static void a_store_of_another_type_is_found(void **state)
{
    struct fixture f = fixture(*state);
    loop(&f)->body.list.at[0]->value = num(&f, 2);
    expect_broken(&f, "store: value and element differ in type");
}

static void a_condition_that_is_no_bool_is_found(void **state)
{
    struct fixture f = fixture(*state);
    tw_ir_stmt_new(f.k, &f.k->body, IR_IF, nowhere)->value = num(&f, 1);
    expect_broken(&f, "if: the condition is not a bool");
}

static void a_use_before_the_definition_is_found(void **state)
{
    struct fixture f = fixture(*state);
    struct ir_stmt *s = tw_ir_stmt_new(f.k, &f.k->body, IR_DEFINE, nowhere);
    s->var = tw_ir_var_new(f.k, "y", tw_ir_int32(), nowhere);
    struct ir_var *z = tw_ir_var_new(f.k, "z", tw_ir_int32(), nowhere);
    s->value = tw_ir_var_ref(f.k, z, nowhere);
    expect_broken(&f, "var: variable 'z' is used before its definition");
}

static void an_assignment_to_an_immutable_variable_is_found(void **state)
{
    struct fixture f = fixture(*state);
    struct ir_stmt *s = tw_ir_stmt_new(f.k, &f.k->body, IR_ASSIGN, nowhere);
    s->var = f.tid;
    s->value = num(&f, 1);
    expect_broken(&f, "assign: the variable is immutable");
}

static void an_element_access_of_a_whole_region_is_found(void **state)
{
    struct fixture f = fixture(*state);
    loop(&f)->body.list.at[0]->region->extent[1] = 8;
    expect_broken(&f, "store: an element access has an extent other than 1");
}

static void a_constant_outside_its_type_is_found(void **state)
{
    struct fixture f = fixture(*state);
    loop(&f)->end->bits = UINT64_C(1) << 40;
    expect_broken(&f, "const: a constant's bits are not those of its type");
}

static void a_break_outside_a_loop_is_found(void **state)
{
    struct fixture f = fixture(*state);
    tw_ir_stmt_new(f.k, &f.k->body, IR_BREAK, nowhere);
    expect_broken(&f, "break: stands outside a loop");
}

static void a_tile_operation_is_refused_in_lowered_ir(void **state)
{
    struct fixture f = fixture(*state);
    struct ir_stmt *s = tw_ir_stmt_new(f.k, &f.k->body, IR_TILE, nowhere);
    s->tile = arena_new(&f.room->arena, struct ir_tile, 1);
    s->tile->opcode = "mma.sync";
    struct text why;
    tw_text_init(&why, &f.room->arena);
    assert_true(tw_ir_verify(f.k, &why));
    f.k->is_lowered = true;
    expect_broken(&f, "tile: a tile operation is left after lowering");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(sound_ir_passes_and_prints),
        ROOM_TEST(the_launch_is_printed_as_far_as_it_is_stated),
        ROOM_TEST(operands_of_different_types_are_found),
        ROOM_TEST(a_store_of_another_type_is_found),
        ROOM_TEST(a_condition_that_is_no_bool_is_found),
        ROOM_TEST(a_use_before_the_definition_is_found),
        ROOM_TEST(an_assignment_to_an_immutable_variable_is_found),
        ROOM_TEST(an_element_access_of_a_whole_region_is_found),
        ROOM_TEST(a_constant_outside_its_type_is_found),
        ROOM_TEST(a_break_outside_a_loop_is_found),
        ROOM_TEST(a_tile_operation_is_refused_in_lowered_ir),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
