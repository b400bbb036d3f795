/* tcgen05 instructions called one by one through T.ptx: the PTX line of each, and that the assembler takes them.
 * SOURCE: kernel-language-ptx 9.2, 9.3; PTX ISA, tcgen05. */
#include "emit/assemble.h"

#include "tilewright/tilewright.h"

struct raw_case {
    const char *call, *line;
};

/* In order; `t` is a tensor-memory address, `a` a descriptor, `c` a condition, r four registers. */
static const struct raw_case calls[] = {
    {"T.ptx.tcgen05.alloc.cta_group__1.sync.aligned.shared__cta.b32(T.address_of(slot), T.uint32(64))",
     "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot_shared], 64;"},
    {"T.ptx.tcgen05.alloc.cta_group__1.sync.aligned.shared__cta.b32(T.address_of(slot), t)",
     "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot_shared], %r4;"},
    {"T.ptx.tcgen05.relinquish_alloc_permit.cta_group__1.sync.aligned()",
     "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;"},
    {"T.ptx.tcgen05.dealloc.cta_group__1.sync.aligned.b32(t, T.uint32(64))",
     "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r4, 64;"},
    {"T.ptx.tcgen05.commit.cta_group__1.mbarrier__arrive__one.shared__cluster.b64(bar.ptr_to([0]))",
     "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [bar_shared];"},
    {"T.ptx.tcgen05.commit.cta_group__1.mbarrier__arrive__one.shared__cluster.multicast__cluster.b64(bar.ptr_to([0]), h)",
     "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [bar_shared], %rs0;"},
    /* The mask is a register: the assembler takes no immediate there. */
    {"T.ptx.tcgen05.commit.cta_group__1.mbarrier__arrive__one.shared__cluster.multicast__cluster.b64(bar.ptr_to([0]), T.uint16(3))",
     "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [bar_shared], %rs1;"},
    {"T.ptx.tcgen05.fence__before_thread_sync()", "tcgen05.fence::before_thread_sync;"},
    {"T.ptx.tcgen05.fence__after_thread_sync()", "tcgen05.fence::after_thread_sync;"},
    {"T.ptx.tcgen05.wait__ld.sync.aligned()", "tcgen05.wait::ld.sync.aligned;"},
    {"T.ptx.tcgen05.wait__st.sync.aligned()", "tcgen05.wait::st.sync.aligned;"},
    {"T.ptx[\"tcgen05.mma.cta_group::1.kind::f16\"](t, a, a, T.uint32(0x08100010), c > 0)",
     "tcgen05.mma.cta_group::1.kind::f16 [%r4], %rd0, %rd0, 135266320, %p0;"},
    {"T.ptx[\"tcgen05.mma.cta_group::1.kind::f16\"](t, a, a, T.uint32(0x08100010), c > 0, 3)",
     "tcgen05.mma.cta_group::1.kind::f16 [%r4], %rd0, %rd0, 135266320, %p0, 3;"},
    {"T.ptx[\"tcgen05.mma.cta_group::1.kind::tf32\"](t, t, a, T.uint32(0x08100910), t, t, t, t, c > 0, 15)",
     "tcgen05.mma.cta_group::1.kind::tf32 [%r4], [%r4], %rd0, 135268624, {%r4, %r4, %r4, %r4}, %p0, 15;"},
    {"T.ptx[\"tcgen05.mma.ws.cta_group::1.kind::f16\"](t, a, a, T.uint32(0x08100010), c > 0, z)",
     "tcgen05.mma.ws.cta_group::1.kind::f16 [%r4], %rd0, %rd0, 135266320, %p0, %rd1;"},
    {"T.ptx[\"tcgen05.mma.cta_group::1.kind::mxf4.block_scale.scale_vec::2X\"](t, a, a, T.uint32(0x08c00480), t, t, c > 0)",
     "tcgen05.mma.cta_group::1.kind::mxf4.block_scale.scale_vec::2X [%r4], %rd0, %rd0, 146801792, [%r4], [%r4], %p0;"},
    {"T.ptx[\"tcgen05.mma.sp.cta_group::1.kind::f16\"](t, a, a, t, T.uint32(0x08200015), c > 0)",
     "tcgen05.mma.sp.cta_group::1.kind::f16 [%r4], %rd0, %rd0, [%r4], 136314901, %p0;"},
    {"T.ptx[\"tcgen05.cp.cta_group::1.64x128b.warpx2::02_13\"](t, a)", "tcgen05.cp.cta_group::1.64x128b.warpx2::02_13 [%r4], %rd0;"},
    {"T.ptx[\"tcgen05.cp.cta_group::1.128x256b.b8x16.b4x16_p64\"](t, a)",
     "tcgen05.cp.cta_group::1.128x256b.b8x16.b4x16_p64 [%r4], %rd0;"},
    {"T.ptx[\"tcgen05.shift.cta_group::1.down\"](t)", "tcgen05.shift.cta_group::1.down [%r4];"},
    {"T.ptx[\"tcgen05.ld.sync.aligned.16x32bx2.x2.b32\"](r[0], r[1], t, 8)",
     "tcgen05.ld.sync.aligned.16x32bx2.x2.b32 {%r0, %r1}, [%r4], 8;"},
    {"T.ptx[\"tcgen05.st.sync.aligned.16x32bx2.x2.unpack::16b.b32\"](t, 8, r[0], r[1])",
     "tcgen05.st.sync.aligned.16x32bx2.x2.unpack::16b.b32 [%r4], 8, {%r0, %r1};"},
    {"T.ptx[\"tcgen05.ld.sync.aligned.32x32b.x4.pack::16b.b32\"](r[0], r[1], r[2], r[3], T.ptx.addr(t, 2))",
     "tcgen05.ld.sync.aligned.32x32b.x4.pack::16b.b32 {%r0, %r1, %r2, %r3}, [%r4+2];"},
    {"T.ptx[\"tcgen05.st.sync.aligned.32x32b.x4.b32\"](t, r[0], r[1], r[2], r[3])",
     "tcgen05.st.sync.aligned.32x32b.x4.b32 [%r4], {%r0, %r1, %r2, %r3};"},
};

static const struct raw_case on_sm_103a[] = {
    {"T.ptx[\"tcgen05.ld.red.sync.aligned.32x32b.x2.max.u32\"](r[0], r[1], r[2], t)",
     "tcgen05.ld.red.sync.aligned.32x32b.x2.max.u32 {%r0, %r1}, %r2, [%r4];"},
    {"T.ptx[\"tcgen05.ld.red.sync.aligned.16x32bx2.x2.min.s32\"](r[0], r[1], r[2], t, 8)",
     "tcgen05.ld.red.sync.aligned.16x32bx2.x2.min.s32 {%r0, %r1}, %r2, [%r4], 8;"},
};

static void expect_lines(struct bench_room *room, const struct raw_case *cases, size_t count, const char *arch)
{
    struct text program;
    tw_text_init(&program, &room->arena);
    tw_text_add(&program,
                "from tvm.script import tirx as T\n"
                "@T.function\n"
                "def k(a: T.uint64, t: T.uint32, c: T.int32, z: T.uint64, h: T.uint16):\n"
                "    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=128))\n"
                "    slot = T.alloc_shared((1,), \"uint32\", layout=\"default\")\n"
                "    bar = T.alloc_shared((1,), \"uint64\", layout=\"default\")\n"
                "    r = T.alloc_local((4,), \"uint32\", layout=\"default\")\n");
    for (size_t i = 0; i < count; i++)
        tw_text_addf(&program, "    %s\n", cases[i].call);
    tw_ctx *ctx = tw_ctx_create(NULL);
    tw_module *module;
    const char *ptx;
    size_t len;
    if (tw_compile(ctx, "k.py", program.at, program.len, &(tw_compile_opts){.arch = arch}, &module) != TW_OK)
        fail_msg("%s", tw_diagnostics(ctx, TW_TEXT));
    assert_int_equal(tw_module_text(module, TW_EMIT_PTX, &ptx, &len), TW_OK);
    const char *at = ptx;
    for (size_t i = 0; i < count; i++) {
        at = strstr(at, "    tcgen05.");
        assert_non_null(at);
        const char *line = at + 4, *end = strchr(line, '\n');
        assert_string_equal(tw_format(&room->arena, "%.*s", (int)(end - line), line), cases[i].line);
        at = end;
    }
    assembles(ptx, arch);
    tw_module_destroy(module);
    tw_ctx_destroy(ctx);
}

static void each_call_is_its_line(void **state)
{
    if (!have_ptxas())
        printf("not run: the assembler's verdict, no ptxas\n");
    expect_lines(*state, calls, COUNT(calls), "sm_100a");
}

static void reducing_loads_are_lines_of_sm_103a(void **state)
{
    expect_lines(*state, on_sm_103a, COUNT(on_sm_103a), "sm_103a");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(each_call_is_its_line),
        ROOM_TEST(reducing_loads_are_lines_of_sm_103a),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
