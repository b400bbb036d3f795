/* What the text of generated CUDA says: the kernel's attributes, memory, control flow, and wrapper functions whose constraints
 * follow from the catalogue. That it means the same as the PTX is tested by running both (tests/api/cuda_test.c). */
#include "emit/assemble.h"
#include "tile/kernels.h"

#include <ctype.h>

static const char *cuda_text(struct bench_room *room, struct draft *d, const char *target)
{
    const struct isa *isa = tw_isa_open(&room->arena);
    struct text out;
    tw_text_init(&out, &room->arena);
    if ((!d->k->is_lowered && !tw_tile_lower(d->k, isa, &room->diags)) ||
        !tw_emit_cuda(d->k, isa, &room->diags, &(struct emit_options){.target = target}, &out))
        fail_msg("%s", tw_test_diags(room));
    return out.at;
}

/* The kernel's body, without the indentation that all its lines have. */
static const char *kernel_body(struct bench_room *room, struct draft *d)
{
    struct text out;
    tw_text_init(&out, &room->arena);
    const char *at = strstr(cuda_text(room, d, "sm_100a"), "__global__");
    assert_non_null(at);
    at = strstr(at, ")\n{\n");
    assert_non_null(at);
    for (at += 4; *at != '}';) {
        const size_t len = strcspn(at, "\n");
        tw_text_addf(&out, "%.*s\n", (int)len - 4, at + 4);
        at += len + 1;
    }
    return out.at;
}

static void expect_part(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("'%s' is not in\n%s", part, text);
}

static struct ir_expr *scalar_param(struct draft *d, const char *name, struct ir_type type)
{
    struct ir_var *v = tw_ir_var_new(d->k, name, type, nowhere);
    v->param = (int32_t)d->k->params.len;
    *vec_push(&d->room->arena, &d->k->params) = (struct ir_param){.name = name, .scalar = v};
    return use(d, v);
}

static struct ir_expr *tid(struct draft *d)
{
    return tw_ir_coord(d->k, IR_TID_X, nowhere);
}

/* ---- the kernel ---------------------------------------------------------------------------------------------- */

static void a_kernel_has_bounds_cluster_parameters_and_memory(void **state)
{
    struct bench_room *room = *state;
    struct draft d = draft_new(room, "k", 64);
    d.k->launch.block[1] = 2;
    d.k->launch.cluster[0] = 2;
    d.k->launch.grid[0] = 4;
    d.k->launch.has_cluster = true;
    const struct tensor in = draft_param(&d, "In", NUM_BF16, DIMS(64)), out = draft_param(&d, "Out", NUM_BF16, DIMS(64));
    const struct tensor s = draft_tensor(&d, "tile", IR_SHARED, NUM_BF16, DIMS(64), NULL);
    s.storage->align_bytes = 1024;
    scalar_param(&d, "scale", tw_ir_float32());
    store(&d, AT(&d, s, tid(&d)), tw_ir_load(d.k, AT(&d, in, tid(&d)), nowhere));
    store(&d, AT(&d, out, tid(&d)), tw_ir_load(d.k, AT(&d, s, num(&d, 0)), nowhere));
    assert_string_equal(cuda_text(room, &d, "sm_90a"),
                        "// k: compile with nvcc -arch=sm_90a.\n"
                        "// Launch: grid (4, 1, 1), block (64, 2, 1), cluster (2, 1, 1), 0 bytes of dynamic shared memory.\n"
                        "\n"
                        "typedef unsigned short bf16_bits; // the bits of a bfloat16\n"
                        "\n"
                        "extern \"C\" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(128)\n"
                        "k(\n"
                        "    const bf16_bits *__restrict__ In,\n"
                        "    bf16_bits *__restrict__ Out,\n"
                        "    float scale)\n"
                        "{\n"
                        "    __shared__ alignas(1024) bf16_bits tile[64];\n"
                        "    tile[(int)threadIdx.x] = In[(int)threadIdx.x];\n"
                        "    Out[(int)threadIdx.x] = tile[0];\n"
                        "}\n");
}

static void more_than_48_kib_of_shared_memory_are_one_dynamic_array(void **state)
{
    struct bench_room *room = *state;
    struct draft d = draft_new(room, "k", 32);
    const struct tensor a = draft_tensor(&d, "a", IR_SHARED, NUM_F32, DIMS(8192), NULL);
    const struct tensor b = draft_tensor(&d, "b", IR_SHARED, NUM_S32, DIMS(8192), NULL);
    a.storage->align_bytes = b.storage->align_bytes = 256;
    store(&d, AT(&d, a, tid(&d)), typed(&d, tw_ir_float32(), 0));
    store(&d, AT(&d, b, tid(&d)), num(&d, 7));
    assert_string_equal(kernel_body(room, &d), "extern __shared__ __align__(256) unsigned char shared_memory[];\n"
                                               "float *const a = (float *)(shared_memory + 0);\n"
                                               "int *const b = (int *)(shared_memory + 32768);\n"
                                               "a[(int)threadIdx.x] = 0.0f;\n"
                                               "b[(int)threadIdx.x] = 7;\n");
}

/* The body is compiled without warnings only if the value that a part is written into has been set. */
static void packed_values_share_a_register_that_begins_as_zero(void **state)
{
    struct bench_room *room = *state;
    struct draft d = draft_new(room, "k", 32);
    const struct tensor in = draft_param(&d, "In", NUM_U16, DIMS(2)), out = draft_param(&d, "Out", NUM_U32, DIMS(1));
    const struct tensor h = draft_tensor(&d, "h", IR_LOCAL, NUM_U16, DIMS(2), NULL);
    for (int i = 0; i < 2; i++)
        store(&d, AT(&d, h, num(&d, i)), tw_ir_load(d.k, AT(&d, in, num(&d, i)), nowhere));
    struct tensor word = reshape(&d, h, DIMS(2));
    word.elem = tw_ir_uint32();
    const struct layout *one = draft_view(&d, &out)->layout;
    struct ir_view *v = tw_ir_view_new(d.k, h.storage, word.elem, 1, (const int64_t[]){1}, one, 0, nowhere);
    struct ir_region *whole = tw_ir_region_whole(d.k, v, nowhere);
    store(&d, AT(&d, out, num(&d, 0)), tw_ir_load(d.k, whole, nowhere));
    assert_string_equal(kernel_body(room, &d), "unsigned h[1] = {};\n"
                                               "h[0] = (h[0] & 0xffff0000u) | (unsigned)In[0];\n"
                                               "h[0] = (h[0] & 65535u) | ((unsigned)In[1] << 16);\n"
                                               "Out[0] = h[0];\n");
}

/* ---- statements -------------------------------------------------------------------------------------------------- */

static void a_variable_that_outlives_its_block_is_declared_at_the_top(void **state)
{
    struct bench_room *room = *state;
    struct draft d = draft_new(room, "k", 32);
    const struct tensor out = draft_param(&d, "Out", NUM_S32, DIMS(64));
    struct ir_block *outside = d.into;
    when(&d, binary(&d, IR_LT, tid(&d), num(&d, 16)));
    struct ir_var *inner = define(&d, "inner", num(&d, 5)), *outer = define(&d, "outer", binary(&d, IR_ADD, tid(&d), num(&d, 1)));
    store(&d, AT(&d, out, num(&d, 0)), use(&d, inner));
    d.into = outside;
    store(&d, AT(&d, out, num(&d, 1)), use(&d, outer));
    assert_string_equal(kernel_body(room, &d), "int outer;\n"
                                               "if ((int)threadIdx.x < 16) {\n"
                                               "    const int inner = 5;\n"
                                               "    outer = (int)threadIdx.x + 1;\n"
                                               "    Out[0] = inner;\n"
                                               "}\n"
                                               "Out[1] = outer;\n");
}

static void loops_and_branches_are_those_of_the_language(void **state)
{
    struct bench_room *room = *state;
    struct draft d = draft_new(room, "k", 32);
    const struct tensor out = draft_param(&d, "Out", NUM_S32, DIMS(64));
    struct ir_stmt *down = loop(&d, "j", 0);
    down->begin = num(&d, 7);
    down->end = num(&d, -1);
    down->step = num(&d, -2);
    down->unroll = IR_UNROLL_NEVER;
    struct ir_stmt *choice = when(&d, binary(&d, IR_EQ, use(&d, down->var), num(&d, 3)));
    tw_ir_stmt_new(d.k, &choice->body, IR_CONTINUE, nowhere);
    tw_ir_stmt_new(d.k, &choice->orelse, IR_BREAK, nowhere);
    d.into = &d.k->body;
    struct ir_stmt *up = loop(&d, "j", 0);
    up->end = tw_ir_load(d.k, AT(&d, out, num(&d, 9)), nowhere);
    struct ir_stmt *check = tw_ir_stmt_new(d.k, d.into, IR_ASSERT, nowhere);
    check->value = binary(&d, IR_GE, use(&d, up->var), tid(&d));
    d.into = &d.k->body;
    tw_ir_stmt_new(d.k, d.into, IR_RETURN, nowhere);
    assert_string_equal(kernel_body(room, &d), "#pragma unroll 1\n"
                                               "for (int j = 7; j > -1; j -= 2) {\n"
                                               "    if (j == 3) {\n"
                                               "        continue;\n"
                                               "    } else {\n"
                                               "        break;\n"
                                               "    }\n"
                                               "}\n"
                                               "const int j_1_end = Out[9];\n"
                                               "for (int j_1 = 0; j_1 < j_1_end; ++j_1) {\n"
                                               "    if (!(j_1 >= (int)threadIdx.x)) {\n"
                                               "        __trap();\n"
                                               "    }\n"
                                               "}\n"
                                               "return;\n");
}

/* Signed arithmetic that may wrap is unsigned, since C++ leaves it undefined; what cannot wrap stays as it is. */
static void arithmetic_that_may_wrap_is_unsigned(void **state)
{
    static const struct {
        enum ir_op op;
        const char *unknown, *known; /* of a parameter; of the thread's index */
    } rows[] = {
        {IR_ADD, "Out[0] = (int)((unsigned)n + 5u);\n", "Out[0] = (int)threadIdx.x + 5;\n"},
        {IR_MUL, "Out[0] = (int)((unsigned)n * 5u);\n", "Out[0] = (int)threadIdx.x * 5;\n"},
        {IR_SHL, "Out[0] = (int)((unsigned)n << 5);\n", "Out[0] = (int)((unsigned)(int)threadIdx.x << 5);\n"},
        {IR_FLOORDIV, "Out[0] = floor_div(n, 5);\n", "Out[0] = (int)threadIdx.x / 5;\n"},
        {IR_FLOORMOD, "Out[0] = floor_mod(n, 5);\n", "Out[0] = (int)threadIdx.x % 5;\n"},
        {IR_MIN, "Out[0] = min_s32(n, 5);\n", "Out[0] = min_s32((int)threadIdx.x, 5);\n"},
    };
    struct bench_room *room = *state;
    for (size_t i = 0; i < 2 * COUNT(rows); i++) {
        struct draft d = draft_new(room, "k", 32);
        const struct tensor out = draft_param(&d, "Out", NUM_S32, DIMS(1));
        struct ir_expr *n = scalar_param(&d, "n", tw_ir_int32());
        store(&d, AT(&d, out, num(&d, 0)), binary(&d, rows[i / 2].op, i % 2 == 0 ? n : tid(&d), num(&d, 5)));
        assert_string_equal(kernel_body(room, &d), i % 2 == 0 ? rows[i / 2].unknown : rows[i / 2].known);
    }
}

/* ---- wrappers ------------------------------------------------------------------------------------------------------ */

/* One function a form, however often it is called; a second one where the registers differ. */
static void each_form_has_one_wrapper(void **state)
{
    struct bench_room *room = *state;
    struct draft d = draft_new(room, "k", 32);
    const struct tensor out = draft_param(&d, "Out", NUM_F32, DIMS(8)), bits = draft_param(&d, "Bits", NUM_U32, DIMS(8));
    for (int i = 0; i < 4; i++) {
        const struct tensor *to = i < 3 ? &out : &bits;
        struct ir_expr *const at[1] = {num(&d, i)};
        const struct ir_ptx_operand result = {.kind = IR_PTX_RESULT, .expr = tw_ir_load(d.k, element(&d, to, at), nowhere)};
        PTX(&d, "ld.global.b32", result, address_operand(tw_ir_address(d.k, element(&d, to, at), nowhere)));
    }
    const char *text = cuda_text(room, &d, "sm_100a");
    assert_int_equal(count_text(text, "float ld_global_b32("), 1);
    assert_int_equal(count_text(text, "unsigned ld_global_b32_1("), 1);
    expect_part(text, "    asm volatile(\"ld.global.b32 %0, [%1];\" : \"=f\"(d) : \"l\"(addr) : \"memory\");\n    return d;\n");
    expect_part(text, "    Out[2] = ld_global_b32(global_address(&Out[2]));\n");
    expect_part(text, "    Bits[3] = ld_global_b32_1(global_address(&Bits[3]));\n");
}

static void predicates_go_through_setp_and_selp(void **state)
{
    struct bench_room *room = *state;
    struct draft d = draft_new(room, "k", 32);
    struct ir_var *lane = define(&d, "lane", typed(&d, tw_ir_uint32(), 0));
    struct ir_var *elected = define(&d, "elected", typed(&d, tw_ir_uint32(), 0));
    const struct ir_ptx_operand results[] = {{.kind = IR_PTX_RESULT, .expr = use(&d, lane)},
                                             {.kind = IR_PTX_RESULT, .expr = use(&d, elected)}};
    PTX(&d, "elect.sync", results[0], results[1], value_operand(typed(&d, tw_ir_uint32(), 0xffffffff)));
    const char *text = cuda_text(room, &d, "sm_100a");
    expect_part(text, "void elect_sync(unsigned &d, bool &p, unsigned members)\n"
                      "{\n"
                      "    int p_word;\n"
                      "    asm volatile(\"{\\n\\t\"\n"
                      "                 \".reg .pred p;\\n\\t\"\n"
                      "                 \"elect.sync %0|p, %2;\\n\\t\"\n"
                      "                 \"selp.b32 %1, 1, 0, p;\\n\\t\"\n"
                      "                 \"}\"\n"
                      "                 : \"=r\"(d), \"=r\"(p_word)\n"
                      "                 : \"r\"(members)\n"
                      "                 : \"memory\");\n"
                      "    p = p_word != 0;\n"
                      "}\n");
    expect_part(text, "    unsigned lane = 0u;\n"
                      "    unsigned elected = 0u;\n"
                      "    bool p;\n"
                      "    elect_sync(lane, p, 0xffffffffu);\n"
                      "    elected = (unsigned)p;\n");
}

static void constants_of_the_instruction_are_template_arguments(void **state)
{
    struct bench_room *room = *state;
    struct draft d = draft_new(room, "k", 32);
    PTX(&d, "cp.async.wait_group", value_operand(num(&d, 0)));
    PTX(&d, "cp.async.wait_group", value_operand(num(&d, 3)));
    const char *text = cuda_text(room, &d, "sm_100a");
    expect_part(text, "template <int n>\n"
                      "static __device__ __forceinline__ void cp_async_wait_group()\n"
                      "{\n"
                      "    asm volatile(\"cp.async.wait_group %0;\" : : \"n\"(n) : \"memory\");\n"
                      "}\n");
    expect_part(text, "    cp_async_wait_group<0>();\n    cp_async_wait_group<3>();\n");
    assert_int_equal(count_text(text, "template"), 1);
}

static void a_guard_is_a_condition_around_the_call(void **state)
{
    struct bench_room *room = *state;
    struct draft d = draft_new(room, "k", 32);
    PTX(&d, "fence.proxy.async", {0});
    struct ir_stmt *s = d.k->body.list.at[0];
    s->ptx->operand_count = 0;
    s->ptx->pred = binary(&d, IR_LT, tid(&d), num(&d, 3));
    assert_string_equal(kernel_body(room, &d), "if ((int)threadIdx.x < 3) {\n"
                                               "    fence_proxy_async();\n"
                                               "}\n");
}

/* SOURCE: PTX ISA, mbarrier.try_wait: sm_90 and later. */
static void waiting_is_a_loop_around_the_test_that_the_target_has(void **state)
{
    struct bench_room *room = *state;
    for (int i = 0; i < 2; i++) {
        struct draft d = draft_new(room, "k", 32);
        const struct tensor bar = draft_tensor(&d, "bar", IR_SHARED, NUM_U64, DIMS(1), NULL);
        cuda(&d, IR_MBARRIER_WAIT, pointer(&d, &bar), num(&d, 1));
        const char *text = cuda_text(room, &d, i == 0 ? "sm_80" : "sm_90a");
        expect_part(text, i == 0 ? "    while (!mbarrier_test_wait_parity_shared_b64(shared_address(&bar[0]), 1u)) {\n    }\n"
                                 : "    while (!mbarrier_try_wait_parity_shared_cta_b64(shared_address(&bar[0]), 1u)) {\n    }\n");
    }
}

/* In the loop the memory might change. */
static void what_a_wait_reads_from_memory_is_read_once(void **state)
{
    struct bench_room *room = *state;
    struct draft d = draft_new(room, "k", 32);
    const struct tensor bar = draft_tensor(&d, "bar", IR_SHARED, NUM_U64, DIMS(4), NULL);
    const struct tensor n = draft_param(&d, "N", NUM_S32, DIMS(2));
    struct ir_expr *which = tw_ir_load(d.k, AT(&d, n, num(&d, 0)), nowhere);
    cuda(&d, IR_MBARRIER_WAIT, tw_ir_address(d.k, AT(&d, bar, which), nowhere), tw_ir_load(d.k, AT(&d, n, num(&d, 1)), nowhere));
    assert_string_equal(kernel_body(room, &d),
                        "__shared__ alignas(8) unsigned long long bar[4];\n"
                        "char *barrier = (char *)&bar[N[0]];\n"
                        "unsigned parity = (unsigned)N[1];\n"
                        "while (!mbarrier_try_wait_parity_shared_cta_b64(shared_address(barrier), parity)) {\n"
                        "}\n");
}

static void long_lists_of_registers_are_broken_into_lines(void **state)
{
    struct bench_room *room = *state;
    struct tensor_mma k = tensor_mma_kernel(room);
    const char *text = cuda_text(room, &k.d, "sm_100a");
    for (const char *at = text; *at != '\0'; at += strcspn(at, "\n") + 1)
        if (strncmp(at, "static __device__", 17) != 0) /* a name may be long by itself */
            assert_true(strcspn(at, "\n") <= 120);
}

/* ---- names -------------------------------------------------------------------------------------------------------------- */

static void names_that_c_plus_plus_wants_are_changed(void **state)
{
    static const struct {
        const char *name, *want;
    } rows[] = {{"x", "x"},           {"index", "index"},     {"int", "int_1"},         {"NULL", "NULL_1"},       {"CHAR_BIT", "CHAR_BIT_"},
                {"__x", "v__x_"},     {"k", "k_1"},             {"shared_memory", "shared_memory_1"}, {"cudaFree", "cudaFree_"},
                {"Out", "Out_1"},     {"warpSize", "warpSize_1"}};
    struct bench_room *room = *state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct draft d = draft_new(room, "k", 32);
        const struct tensor out = draft_param(&d, "Out", NUM_S32, DIMS(1));
        struct ir_var *v = define(&d, rows[i].name, tid(&d));
        store(&d, AT(&d, out, num(&d, 0)), use(&d, v));
        assert_string_equal(kernel_body(room, &d), tw_format(&room->arena, "const int %s = (int)threadIdx.x;\nOut[0] = %s;\n",
                                                             rows[i].want, rows[i].want));
    }
}

static void a_kernel_with_a_name_that_cuda_cannot_have_is_refused(void **state)
{
    static const char *const names[] = {"union", "exp2", "threadIdx", "min", "int4", "ulonglong4_16a", "float4", "dim3", "uint", "size_t",
                                        "uint32_t", "fma", "fmaf32x", "sinl", "fadd", "umax", "select", "rename", "_Float32"};
    struct bench_room *room = *state;
    const struct isa *isa = tw_isa_open(&room->arena);
    struct text out, want;
    tw_text_init(&out, &room->arena);
    tw_text_init(&want, &room->arena);
    for (size_t i = 0; i < COUNT(names); i++) {
        struct draft d = draft_new(room, names[i], 32);
        assert_true(tw_tile_lower(d.k, isa, &room->diags));
        assert_false(tw_emit_cuda(d.k, isa, &room->diags, NULL, &out));
        tw_text_addf(&want, "error[E0815]: no CUDA kernel can be called '%s'\n"
                            "     found: a word that C++ or the CUDA headers use\n"
                            "       fix: rename the kernel\n", names[i]);
    }
    tw_test_expect_diags(room, want.at);
    assert_int_equal(out.len, 0);
}

static void a_kernel_may_have_a_name_beside_those(void **state)
{
    static const char *const names[] = {"int5", "int48", "float4x", "short4_8a", "sinx", "fmaf3", "normal", "_t", "_small", "minl", "dim4"};
    struct bench_room *room = *state;
    const struct isa *isa = tw_isa_open(&room->arena);
    for (size_t i = 0; i < COUNT(names); i++) {
        struct text out;
        tw_text_init(&out, &room->arena);
        struct draft d = draft_new(room, names[i], 32);
        assert_true(tw_tile_lower(d.k, isa, &room->diags));
        assert_true(tw_emit_cuda(d.k, isa, &room->diags, NULL, &out));
    }
}

static void a_kernel_without_ptx_has_no_cuda(void **state)
{
    struct bench_room *room = *state;
    struct draft d = draft_new(room, "k", 32);
    const struct isa *isa = tw_isa_open(&room->arena);
    struct text out;
    tw_text_init(&out, &room->arena);
    PTX(&d, "cp.async.wait_group", value_operand(tid(&d)));
    assert_true(tw_tile_lower(d.k, isa, &room->diags));
    assert_false(tw_emit_cuda(d.k, isa, &room->diags, NULL, &out));
    tw_test_expect_diags(room, "error[E0812]: this operand of cp.async.wait_group must be a constant\n"
                               "     found: a value known only at run time\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(a_kernel_has_bounds_cluster_parameters_and_memory),
        ROOM_TEST(more_than_48_kib_of_shared_memory_are_one_dynamic_array),
        ROOM_TEST(packed_values_share_a_register_that_begins_as_zero),
        ROOM_TEST(a_variable_that_outlives_its_block_is_declared_at_the_top),
        ROOM_TEST(loops_and_branches_are_those_of_the_language),
        ROOM_TEST(arithmetic_that_may_wrap_is_unsigned),
        ROOM_TEST(each_form_has_one_wrapper),
        ROOM_TEST(predicates_go_through_setp_and_selp),
        ROOM_TEST(constants_of_the_instruction_are_template_arguments),
        ROOM_TEST(a_guard_is_a_condition_around_the_call),
        ROOM_TEST(waiting_is_a_loop_around_the_test_that_the_target_has),
        ROOM_TEST(what_a_wait_reads_from_memory_is_read_once),
        ROOM_TEST(long_lists_of_registers_are_broken_into_lines),
        ROOM_TEST(names_that_c_plus_plus_wants_are_changed),
        ROOM_TEST(a_kernel_with_a_name_that_cuda_cannot_have_is_refused),
        ROOM_TEST(a_kernel_may_have_a_name_beside_those),
        ROOM_TEST(a_kernel_without_ptx_has_no_cuda),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
