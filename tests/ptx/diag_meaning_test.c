/* Diagnostics of operands, availability and declarations, E0510 to E0526: the whole rendering compared. */
#include "support/check.h"

#include "isa/isa.h"
#include "ptx/ptx.h"

static void expect(struct bench_room *room, const char *text, const char *want)
{
    const struct isa *isa = tw_isa_open(&room->arena);
    tw_ptx_parse(&room->arena, isa, &room->diags, tw_sources_add(&room->sources, "k.ptx", tw_str(text)));
    tw_test_expect_diags(room, want);
}

static void a_missing_operand_lists_the_form(void **state)
{
    expect(*state,
        ".version 8.8\n"
        ".target sm_100a\n"
        ".address_size 64\n"
        ".visible .entry k(.param .u64 out)\n"
        "{\n"
        ".reg .pred %p<4>;\n"
        ".reg .b32 %r<8>;\n"
        ".reg .f32 %f<4>;\n"
        ".reg .b64 %rd<8>;\n"
        "mad.lo.s32 %r1, %r2, %r3;\n"
        "ret;\n"
        "}\n",
        "k.ptx:10:1: error[E0510]: missing operand for 'mad'\n"
        "   10 | mad.lo.s32 %r1, %r2, %r3;\n"
        "      | ^~~~~~~~~~\n"
        "  expected: destination, operand a, operand b, operand c\n"
        "     found: 3 operands\n"
        "      spec: PTX ISA, mad, integer\n");
}

static void an_extra_operand_is_pointed_at(void **state)
{
    expect(*state,
        ".version 8.8\n"
        ".target sm_100a\n"
        ".address_size 64\n"
        ".visible .entry k(.param .u64 out)\n"
        "{\n"
        ".reg .pred %p<4>;\n"
        ".reg .b32 %r<8>;\n"
        ".reg .f32 %f<4>;\n"
        ".reg .b64 %rd<8>;\n"
        "add.s32 %r1, %r2, %r3, %r4;\n"
        "ret;\n"
        "}\n",
        "k.ptx:10:24: error[E0510]: unexpected operand for 'add'\n"
        "   10 | add.s32 %r1, %r2, %r3, %r4;\n"
        "      |                        ^~~\n"
        "  expected: destination, operand a, operand b\n"
        "     found: 4 operands\n"
        "      spec: PTX ISA, add, integer\n");
}

static void an_operand_of_the_wrong_kind_names_its_role(void **state)
{
    expect(*state,
        ".version 8.8\n"
        ".target sm_100a\n"
        ".address_size 64\n"
        ".visible .entry k(.param .u64 out)\n"
        "{\n"
        ".reg .pred %p<4>;\n"
        ".reg .b32 %r<8>;\n"
        ".reg .f32 %f<4>;\n"
        ".reg .b64 %rd<8>;\n"
        "tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd1, [%r3], %r2, %p1;\n"
        "ret;\n"
        "}\n",
        "k.ptx:10:49: error[E0511]: operand 3 of 'tcgen05.mma' has the wrong kind\n"
        "   10 | tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd1, [%r3], %r2, %p1;\n"
        "      |                                                 ^~~~~\n"
        "  expected: B descriptor: a .u64 register or an immediate\n"
        "     found: [%r3], an address\n"
        "      spec: PTX ISA, tcgen05.mma\n");
}

static void an_immediate_destination_is_refused(void **state)
{
    expect(*state,
        ".version 8.8\n"
        ".target sm_100a\n"
        ".address_size 64\n"
        ".visible .entry k(.param .u64 out)\n"
        "{\n"
        ".reg .pred %p<4>;\n"
        ".reg .b32 %r<8>;\n"
        ".reg .f32 %f<4>;\n"
        ".reg .b64 %rd<8>;\n"
        "add.s32 5, %r2, %r3;\n"
        "ret;\n"
        "}\n",
        "k.ptx:10:9: error[E0511]: operand 1 of 'add' has the wrong kind\n"
        "   10 | add.s32 5, %r2, %r3;\n"
        "      |         ^\n"
        "  expected: destination: a .s32 register\n"
        "     found: 5, an integer\n"
        "      spec: PTX ISA, add, integer\n");
}

/* Braces around one register stand for the register; around none they stand for nothing. */
static void empty_braces_are_no_register(void **state)
{
    expect(*state,
        ".version 8.8\n"
        ".target sm_100a\n"
        ".address_size 64\n"
        ".visible .entry k(.param .u64 out)\n"
        "{\n"
        ".reg .b32 %r<8>;\n"
        "ld.param.u32 {%r1}, [out];\n"
        "ld.param.u32 {}, [out];\n"
        "ret;\n"
        "}\n",
        "k.ptx:8:14: error[E0512]: operand 1 of 'ld' has the wrong type\n"
        "    8 | ld.param.u32 {}, [out];\n"
        "      |              ^~\n"
        "  expected: destination: a .u32 register or a wider one\n"
        "     found: {}, 0 elements\n"
        "      spec: PTX ISA, ld\n");
}

/* ptxas: "Result discard mode is not allowed for instruction 'mov'"; an element of the vector may be a sink. */
static void a_sink_stands_for_elements_of_what_mov_unpacks_alone(void **state)
{
    expect(*state,
        ".version 8.8\n"
        ".target sm_100a\n"
        ".address_size 64\n"
        ".visible .entry k(.param .u64 out)\n"
        "{\n"
        ".reg .b32 %r<8>;\n"
        ".reg .b64 %rd<8>;\n"
        "mov.b64 {_, %r1}, %rd1;\n"
        "ld.global.v2.u32 {_, %r1}, [%rd1];\n"
        "atom.global.add.u32 _, [%rd1], 1;\n"
        "mov.b64 _, %rd1;\n"
        "ld.global.v2.u32 _, [%rd1];\n"
        "ret;\n"
        "}\n",
        "k.ptx:11:9: error[E0511]: operand 1 of 'mov' has the wrong kind\n"
        "   11 | mov.b64 _, %rd1;\n"
        "      |         ^\n"
        "  expected: destination: a .b64 register\n"
        "     found: _, a sink\n"
        "      spec: PTX ISA, mov\n"
        "k.ptx:12:18: error[E0511]: operand 1 of 'ld' has the wrong kind\n"
        "   12 | ld.global.v2.u32 _, [%rd1];\n"
        "      |                  ^\n"
        "  expected: destination: {2 .u32 registers}\n"
        "     found: _, a sink\n"
        "      spec: PTX ISA, ld\n");
}

static void a_register_of_the_wrong_type_shows_its_declaration(void **state)
{
    expect(*state,
        ".version 8.8\n"
        ".target sm_100a\n"
        ".address_size 64\n"
        ".visible .entry k(.param .u64 out)\n"
        "{\n"
        ".reg .pred %p<4>;\n"
        ".reg .b32 %r<8>;\n"
        ".reg .f32 %f<4>;\n"
        ".reg .b64 %rd<8>;\n"
        "tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd1, %r4, %r2, %p1;\n"
        "ret;\n"
        "}\n",
        "k.ptx:10:49: error[E0512]: operand 3 of 'tcgen05.mma' has the wrong type\n"
        "   10 | tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd1, %r4, %r2, %p1;\n"
        "      |                                                 ^~~\n"
        "  expected: B descriptor: a .u64 register or an immediate\n"
        "     found: %r4, a .b32 register\n"
        "      spec: PTX ISA, tcgen05.mma\n"
        "k.ptx:7:11: note: %r4 is declared here\n"
        "    7 | .reg .b32 %r<8>;\n"
        "      |           ^~\n");
}

/* What nvcc writes for a kernel that launches kernels. */
static void the_address_of_a_kernel_is_no_operand(void **state)
{
    expect(*state,
        ".version 8.8\n.target sm_90a\n.address_size 64\n"
        ".visible .entry child()\n{\nret;\n}\n.func callee()\n{\nret;\n}\n"
        ".visible .entry k()\n{\n.reg .b64 %q<2>;\n"
        "mov.u64 %q0, callee;\n"
        "mov.u64 %q1, child;\n"
        "ret;\n}\n",
        "k.ptx:16:14: error[E0512]: operand 2 of 'mov' has the wrong type\n"
        "   16 | mov.u64 %q1, child;\n"
        "      |              ^~~~~\n"
        "  expected: operand a: a .u64 register or an immediate\n"
        "     found: child, a kernel: kernels that launch kernels are not supported\n"
        "      spec: PTX ISA, mov\n");
}

static void a_vector_of_the_wrong_length_is_counted(void **state)
{
    expect(*state,
        ".version 8.8\n"
        ".target sm_100a\n"
        ".address_size 64\n"
        ".visible .entry k(.param .u64 out)\n"
        "{\n"
        ".reg .pred %p<4>;\n"
        ".reg .b32 %r<8>;\n"
        ".reg .f32 %f<4>;\n"
        ".reg .b64 %rd<8>;\n"
        "tcgen05.ld.sync.aligned.32x32b.x4.b32 {%r1, %r2}, [%r3];\n"
        "ret;\n"
        "}\n",
        "k.ptx:10:39: error[E0512]: operand 1 of 'tcgen05.ld' has the wrong type\n"
        "   10 | tcgen05.ld.sync.aligned.32x32b.x4.b32 {%r1, %r2}, [%r3];\n"
        "      |                                       ^~~~~~~~~~\n"
        "  expected: destination: {4 .b32 registers}\n"
        "     found: {%r1, %r2}, 2 elements\n"
        "      spec: PTX ISA, tcgen05.ld\n");
}

static void an_integer_literal_is_no_float(void **state)
{
    expect(*state,
        ".version 8.8\n"
        ".target sm_100a\n"
        ".address_size 64\n"
        ".visible .entry k(.param .u64 out)\n"
        "{\n"
        ".reg .pred %p<4>;\n"
        ".reg .b32 %r<8>;\n"
        ".reg .f32 %f<4>;\n"
        ".reg .b64 %rd<8>;\n"
        "add.rn.f32 %f1, %f2, 1;\n"
        "ret;\n"
        "}\n",
        "k.ptx:10:22: error[E0512]: operand 3 of 'add' has the wrong type\n"
        "   10 | add.rn.f32 %f1, %f2, 1;\n"
        "      |                      ^\n"
        "  expected: operand b: a .f32 register or an immediate\n"
        "     found: 1, an integer\n"
        "      spec: PTX ISA, add, floating point\n");
}

static void an_instruction_of_an_unsupported_family_is_refused_by_name(void **state)
{
    expect(*state,
        ".version 8.8\n"
        ".target sm_100a\n"
        ".address_size 64\n"
        ".visible .entry k(.param .u64 out)\n"
        "{\n"
        ".reg .pred %p<4>;\n"
        ".reg .b32 %r<8>;\n"
        ".reg .f32 %f<4>;\n"
        ".reg .b64 %rd<8>;\n"
        "vadd4.u32.u32.u32 %r1, %r2, %r3, %r4;\n"
        "ret;\n"
        "}\n",
        "k.ptx:10:1: error[E0513]: 'vadd4' is not supported\n"
        "   10 | vadd4.u32.u32.u32 %r1, %r2, %r3, %r4;\n"
        "      | ^~~~~\n"
        "  expected: a program without video instructions\n"
        "     found: 1 such instruction in the module\n");
}

/* Named once an opcode, with how often it stands in the module; nothing of the module runs. */
static void an_unsupported_opcode_is_named_once_with_its_count(void **state)
{
    expect(*state,
        ".version 9.0\n"
        ".target sm_90a\n"
        ".address_size 64\n"
        ".entry k()\n"
        "{\n"
        ".reg .b32 %r<9>; .reg .f32 %f<5>; .reg .b64 %q;\n"
        "tex.1d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [%q, {%r1}];\n"
        "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, [%q];\n"
        "tex.1d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [%q, {%r2}];\n"
        "ret;\n"
        "}\n",
        "k.ptx:7:1: error[E0513]: 'tex' is not supported\n"
        "    7 | tex.1d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [%q, {%r1}];\n"
        "      | ^~~\n"
        "  expected: a program without texture instructions\n"
        "     found: 2 such instructions in the module\n"
        "k.ptx:8:1: error[E0513]: 'wmma' is not supported\n"
        "    8 | wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, [%q];\n"
        "      | ^~~~\n"
        "  expected: a program without wmma instructions; mma.sync does the same work\n"
        "     found: 1 such instruction in the module\n");
}

static void an_immediate_out_of_range_names_the_range(void **state)
{
    expect(*state,
        ".version 8.8\n"
        ".target sm_100a\n"
        ".address_size 64\n"
        ".visible .entry k(.param .u64 out)\n"
        "{\n"
        ".reg .pred %p<4>;\n"
        ".reg .b32 %r<8>;\n"
        ".reg .f32 %f<4>;\n"
        ".reg .b64 %rd<8>;\n"
        "bar.sync 16;\n"
        "ret;\n"
        "}\n",
        "k.ptx:10:10: error[E0514]: the barrier number of 'bar.sync' is out of range\n"
        "   10 | bar.sync 16;\n"
        "      |          ^~\n"
        "  expected: 0 to 15\n"
        "     found: 16\n"
        "      spec: PTX ISA, bar, barrier\n");
}

static void an_immediate_of_the_wrong_step_names_the_rule(void **state)
{
    expect(*state,
        ".version 8.8\n"
        ".target sm_100a\n"
        ".address_size 64\n"
        ".visible .entry k(.param .u64 out)\n"
        "{\n"
        ".reg .pred %p<4>;\n"
        ".reg .b32 %r<8>;\n"
        ".reg .f32 %f<4>;\n"
        ".reg .b64 %rd<8>;\n"
        "setmaxnreg.inc.sync.aligned.u32 30;\n"
        "ret;\n"
        "}\n",
        "k.ptx:10:33: error[E0514]: the count of 'setmaxnreg' is out of range\n"
        "   10 | setmaxnreg.inc.sync.aligned.u32 30;\n"
        "      |                                 ^~\n"
        "  expected: a multiple of 8 from 24 to 256\n"
        "     found: 30\n"
        "      spec: PTX ISA, setmaxnreg\n");
}

static void a_variable_of_another_space_shows_its_declaration(void **state)
{
    expect(*state,
        ".version 8.8\n"
        ".target sm_100a\n"
        ".address_size 64\n"
        ".visible .entry k(.param .u64 out)\n"
        "{\n"
        ".reg .b32 %r<8>;\n"
        ".shared .b32 s[4];\n"
        "ld.global.u32 %r1, [s];\n"
        "ret;\n"
        "}\n",
        "k.ptx:8:20: error[E0515]: this address is not in global memory\n"
        "    8 | ld.global.u32 %r1, [s];\n"
        "      |                    ^~~\n"
        "  expected: an address in global memory\n"
        "     found: 's', a .shared variable\n"
        "      spec: PTX ISA, ld\n"
        "k.ptx:7:14: note: 's' is declared here\n"
        "    7 | .shared .b32 s[4];\n"
        "      |              ^\n");
}

static void an_immediate_address_outside_local_memory_is_refused(void **state)
{
    expect(*state,
        ".version 8.8\n"
        ".target sm_100a\n"
        ".address_size 64\n"
        ".visible .entry k(.param .u64 out)\n"
        "{\n"
        ".reg .pred %p<4>;\n"
        ".reg .b32 %r<8>;\n"
        ".reg .f32 %f<4>;\n"
        ".reg .b64 %rd<8>;\n"
        "ld.shared.u32 %r1, [64];\n"
        "ret;\n"
        "}\n",
        "k.ptx:10:20: error[E0515]: no immediate address in shared memory\n"
        "   10 | ld.shared.u32 %r1, [64];\n"
        "      |                    ^~~~\n"
        "  expected: a register or a variable; immediate addresses are for .local alone\n");
}

static void a_store_to_a_parameter_is_refused(void **state)
{
    expect(*state,
        ".version 8.8\n"
        ".target sm_100a\n"
        ".address_size 64\n"
        ".visible .entry k(.param .u64 out)\n"
        "{\n"
        ".reg .pred %p<4>;\n"
        ".reg .b32 %r<8>;\n"
        ".reg .f32 %f<4>;\n"
        ".reg .b64 %rd<8>;\n"
        "st.param.u64 [out], %rd1;\n"
        "ret;\n"
        "}\n",
        "k.ptx:10:14: error[E0515]: 'out' is an input parameter\n"
        "   10 | st.param.u64 [out], %rd1;\n"
        "      |              ^~~~~\n"
        "  expected: a variable that may be written: parameters are read-only\n");
}

static void a_narrow_address_register_is_refused(void **state)
{
    expect(*state,
        ".version 8.8\n"
        ".target sm_100a\n"
        ".address_size 64\n"
        ".visible .entry k(.param .u64 out)\n"
        "{\n"
        ".reg .pred %p<4>;\n"
        ".reg .b32 %r<8>;\n"
        ".reg .f32 %f<4>;\n"
        ".reg .b64 %rd<8>;\n"
        "ld.global.u32 %r1, [%r2];\n"
        "ret;\n"
        "}\n",
        "k.ptx:10:20: error[E0516]: %r2, a .b32 register, cannot hold a global address\n"
        "   10 | ld.global.u32 %r1, [%r2];\n"
        "      |                    ^~~~~\n"
        "  expected: a 64-bit integer or untyped register\n"
        "k.ptx:7:11: note: %r2 is declared here\n"
        "    7 | .reg .b32 %r<8>;\n"
        "      |           ^~\n");
}

static void a_tensor_memory_address_is_32_bits_wide(void **state)
{
    expect(*state,
        ".version 8.8\n"
        ".target sm_100a\n"
        ".address_size 64\n"
        ".visible .entry k(.param .u64 out)\n"
        "{\n"
        ".reg .pred %p<4>;\n"
        ".reg .b32 %r<8>;\n"
        ".reg .f32 %f<4>;\n"
        ".reg .b64 %rd<8>;\n"
        "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r1}, [%rd1];\n"
        "ret;\n"
        "}\n",
        "k.ptx:10:46: error[E0516]: %rd1, a .b64 register, cannot hold a tensor memory address\n"
        "   10 | tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r1}, [%rd1];\n"
        "      |                                              ^~~~~~\n"
        "  expected: a 32-bit integer or untyped register\n"
        "k.ptx:9:11: note: %rd1 is declared here\n"
        "    9 | .reg .b64 %rd<8>;\n"
        "      |           ^~~\n");
}

static void an_instruction_of_another_target_names_the_targets(void **state)
{
    expect(*state,
        ".version 8.8\n"
        ".target sm_100a\n"
        ".address_size 64\n"
        ".visible .entry k(.param .u64 out)\n"
        "{\n"
        ".reg .pred %p<4>;\n"
        ".reg .b32 %r<8>;\n"
        ".reg .f32 %f<4>;\n"
        ".reg .b64 %rd<8>;\n"
        "wgmma.fence.sync.aligned;\n"
        "ret;\n"
        "}\n",
        "k.ptx:10:1: error[E0517]: 'wgmma.fence.sync.aligned' is not available here\n"
        "   10 | wgmma.fence.sync.aligned;\n"
        "      | ^~~~~~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: wgmma.fence needs target sm_90a\n"
        "     found: .version 8.8, .target sm_100a\n"
        "      spec: PTX ISA, wgmma.fence\n");
}

static void an_instruction_of_a_later_version_names_the_version(void **state)
{
    expect(*state,
        ".version 8.5\n"
        ".target sm_90a\n"
        ".address_size 64\n"
        ".visible .entry k(.param .u64 out)\n"
        "{\n"
        ".reg .pred %p<4>;\n"
        ".reg .b32 %r<8>;\n"
        ".reg .f32 %f<4>;\n"
        ".reg .b64 %rd<8>;\n"
        "tcgen05.mma.cta_group::1.kind::i8 [%r1], %rd1, %rd2, %r2, %p1;\n"
        "ret;\n"
        "}\n",
        "k.ptx:10:1: error[E0517]: 'tcgen05.mma.cta_group::1.kind::i8' is not available here\n"
        "   10 | tcgen05.mma.cta_group::1.kind::i8 [%r1], %rd1, %rd2, %r2, %p1;\n"
        "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: tcgen05.mma needs PTX 8.6 or later\n"
        "     found: .version 8.5, .target sm_90a\n"
        "      spec: PTX ISA, tcgen05.mma\n");
}

static void a_text_without_a_version_is_refused(void **state)
{
    expect(*state,
        ".target sm_100a\n",
        "k.ptx:1:1: error[E0518]: a module begins with its PTX version\n"
        "    1 | .target sm_100a\n"
        "      | ^~~~~~~\n"
        "  expected: .version, then .target\n"
        "     found: '.target'\n");
}

static void an_unknown_target_is_refused(void **state)
{
    expect(*state,
        ".version 8.8\n"
        ".target sm_100z\n",
        "k.ptx:2:9: error[E0518]: unknown target 'sm_100z'\n"
        "    2 | .target sm_100z\n"
        "      |         ^~~~~~~\n"
        "  expected: a target such as sm_80, sm_90a or sm_100f\n");
}

static void a_call_with_too_few_arguments_shows_the_declaration(void **state)
{
    expect(*state,
        ".version 8.8\n"
        ".target sm_100a\n"
        ".address_size 64\n"
        ".func f(.param .b32 a, .param .b32 b) { ret; }\n"
        ".entry k()\n"
        "{\n"
        ".reg .b32 %r1;\n"
        "{\n"
        ".param .b32 x;\n"
        "call f, (x);\n"
        "}\n"
        "ret;\n"
        "}\n",
        "k.ptx:10:1: error[E0520]: the call has the wrong number of arguments\n"
        "   10 | call f, (x);\n"
        "      | ^~~~~~~~~~~~\n"
        "  expected: 2 arguments\n"
        "     found: 1\n"
        "k.ptx:4:7: note: declared here\n"
        "    4 | .func f(.param .b32 a, .param .b32 b) { ret; }\n"
        "      |       ^\n");
}

static void an_argument_of_the_wrong_size_is_counted_in_bytes(void **state)
{
    expect(*state,
        ".version 8.8\n"
        ".target sm_100a\n"
        ".address_size 64\n"
        ".func f(.param .b32 a) { ret; }\n"
        ".entry k()\n"
        "{\n"
        "{\n"
        ".param .b64 x;\n"
        "call f, (x);\n"
        "}\n"
        "ret;\n"
        "}\n",
        "k.ptx:9:10: error[E0520]: argument 1 of the call has the wrong size\n"
        "    9 | call f, (x);\n"
        "      |          ^\n"
        "  expected: 4 bytes\n"
        "     found: 8 bytes\n"
        "k.ptx:4:7: note: declared here\n"
        "    4 | .func f(.param .b32 a) { ret; }\n"
        "      |       ^\n");
}

/* MEASURED: ptxas 13.0, which takes 0 for .maxclusterrank. */
static void a_bound_of_zero_is_refused(void **state)
{
    expect(*state,
        ".version 8.8\n.target sm_90\n.address_size 64\n.entry k() .maxclusterrank 0 .maxntid 64 .minnctapersm 0\n.maxnreg 0\n{\nret;\n}\n.entry l() .maxnreg 1 .maxntid 64 .minnctapersm 1 {\nret;\n}\n",
        "k.ptx:4:56: error[E0514]: the count of '.minnctapersm' is out of range\n"
        "    4 | .entry k() .maxclusterrank 0 .maxntid 64 .minnctapersm 0\n"
        "      |                                                        ^\n"
        "  expected: 1 or more\n"
        "     found: 0\n"
        "       fix: leave the directive away, if it is to bound nothing\n"
        "k.ptx:5:10: error[E0514]: the count of '.maxnreg' is out of range\n"
        "    5 | .maxnreg 0\n"
        "      |          ^\n"
        "  expected: 1 or more\n"
        "     found: 0\n"
        "       fix: leave the directive away, if it is to bound nothing\n");
}

static void launch_directives_that_exclude_each_other_are_named(void **state)
{
    expect(*state,
        ".version 8.8\n"
        ".target sm_100a\n"
        ".address_size 64\n"
        ".entry k()\n"
        ".maxntid 128\n"
        ".reqntid 128\n"
        "{\n"
        "ret;\n"
        "}\n",
        "k.ptx:4:8: error[E0521]: .maxntid and .reqntid exclude each other\n"
        "    4 | .entry k()\n"
        "      |        ^\n"
        "  expected: one of them\n");
}

static void a_bf16_register_is_refused_with_the_type_to_use(void **state)
{
    expect(*state,
        ".version 8.8\n"
        ".target sm_100a\n"
        ".address_size 64\n"
        ".visible .entry k(.param .u64 out)\n"
        "{\n"
        ".reg .bf16 %h;\n"
        "\n"
        "ret;\n"
        "}\n",
        "k.ptx:6:6: error[E0522]: no variable or register has type '.bf16'\n"
        "    6 | .reg .bf16 %h;\n"
        "      |      ^~~~~\n"
        "  expected: a storage type of the same size\n"
        "       fix: declare it '.b16'\n");
}

static void an_alignment_that_is_no_power_of_two_is_refused(void **state)
{
    expect(*state,
        ".version 8.8\n"
        ".target sm_100a\n"
        ".address_size 64\n"
        ".visible .entry k(.param .u64 out)\n"
        "{\n"
        ".shared .align 3 .b8 s[4];\n"
        "\n"
        "ret;\n"
        "}\n",
        "k.ptx:6:16: error[E0522]: the alignment is no power of two\n"
        "    6 | .shared .align 3 .b8 s[4];\n"
        "      |                ^\n"
        "  expected: 1, 2, 4, 8, 16, ...\n"
        "     found: 3\n");
}

static void too_many_initial_values_are_refused(void **state)
{
    expect(*state,
        ".version 8.8\n"
        ".target sm_100a\n"
        ".address_size 64\n"
        ".global .u32 t[2] = {1, 2, 3};\n",
        "k.ptx:4:28: error[E0522]: too many values for 't'\n"
        "    4 | .global .u32 t[2] = {1, 2, 3};\n"
        "      |                            ^\n"
        "  expected: at most 2 here\n");
}

static void a_guard_that_is_no_predicate_is_refused(void **state)
{
    expect(*state,
        ".version 8.8\n"
        ".target sm_100a\n"
        ".address_size 64\n"
        ".visible .entry k(.param .u64 out)\n"
        "{\n"
        ".reg .pred %p<4>;\n"
        ".reg .b32 %r<8>;\n"
        ".reg .f32 %f<4>;\n"
        ".reg .b64 %rd<8>;\n"
        "@%r1 ret;\n"
        "ret;\n"
        "}\n",
        "k.ptx:10:2: error[E0523]: the guard '%r1' is no predicate\n"
        "   10 | @%r1 ret;\n"
        "      |  ^~~\n"
        "  expected: a .pred register\n"
        "     found: a .b32 register\n");
}

static void a_function_defined_twice_shows_both_places(void **state)
{
    expect(*state,
        ".version 8.8\n"
        ".target sm_100a\n"
        ".address_size 64\n"
        ".func f() { ret; }\n"
        ".func f() { ret; }\n",
        "k.ptx:5:7: error[E0525]: 'f' is defined twice\n"
        "    5 | .func f() { ret; }\n"
        "      |       ^\n"
        "k.ptx:4:7: note: the first definition\n"
        "    4 | .func f() { ret; }\n"
        "      |       ^\n");
}

/* MEASURED: ptxas 13.0 counts what an entry can reach, its own variables and the module's, and its limit is that of the target. */
static void static_shared_memory_is_what_an_entry_can_reach(void **state)
{
#define SHARED(target, decls, body) ".version 9.0\n.target " target "\n.address_size 64\n" decls "\n.entry k()\n{\n.reg .b32 %r;\n" body "ret;\n}\n"
#define TOO_MUCH(most, found)                                   \
    "k.ptx:5:8: error[E0526]: too much static shared memory\n"   \
    "    5 | .entry k()\n"                                       \
    "      |        ^\n"                                         \
    "  expected: at most " most " bytes\n"                       \
    "     found: " found " bytes\n"
    static const char two[] = SHARED("sm_90a", ".shared .b8 x[130000]; .shared .b8 y[130000];", "mov.u32 %r, x;\nmov.u32 %r, y;\n");
    static const struct { const char *text, *want; } rows[] = {
        {SHARED("sm_90a", ".shared .b8 x[232448];", "mov.u32 %r, x;\n"), ""},
        {SHARED("sm_90a", ".shared .b8 x[232449];", "mov.u32 %r, x;\n"), TOO_MUCH("232448", "232449")},
        {SHARED("sm_80", ".shared .b8 x[49153];", "mov.u32 %r, x;\n"), TOO_MUCH("49152", "49153")},
        {SHARED("sm_120a", ".shared .b8 x[101377];", "mov.u32 %r, x;\n"), TOO_MUCH("101376", "101377")},
        {two, TOO_MUCH("232448", "260000")},
        {SHARED("sm_90a", ".shared .b8 x[130000]; .shared .b8 y[130000];", "mov.u32 %r, x;\n"), ""},
        {SHARED("sm_90a", ".shared .b8 x[130000];", ".shared .b8 z[130000];\nmov.u32 %r, x;\n"), TOO_MUCH("232448", "260000")},
        {SHARED("sm_90a", ".shared .b8 x[130000]; .func f() { .shared .b8 y[130000]; ret; }", "mov.u32 %r, x;\ncall.uni f;\n"), TOO_MUCH("232448", "260000")},
        {SHARED("sm_90a", ".shared .b8 x[130000]; .func f() { .shared .b8 y[130000]; ret; }", "mov.u32 %r, x;\n"), ""},
    };
#undef SHARED
#undef TOO_MUCH
    struct bench_room *const room = *state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        tw_diags_init(&room->diags, &room->arena, &room->sources);
        expect(room, rows[i].text, rows[i].want);
    }
}

static void expect_line(struct bench_room *room, const char *line, bool fits)
{
    tw_diags_init(&room->diags, &room->arena, &room->sources);
    const char *const text = tw_format(&room->arena,
                                       ".version 9.0\n.target sm_90a\n.address_size 64\n.entry k()\n{\n.reg .pred %%p; .reg .b32 %%r1; .reg .u32 %%u1; "
                                       ".reg .f16x2 %%h1; .reg .f32 %%f<7>; .reg .b64 %%q;\n%s\nret;\n}\n", line);
    (void)tw_ptx_parse(&room->arena, tw_isa_open(&room->arena), &room->diags, tw_sources_add(&room->sources, "k.ptx", tw_str(text)));
    if ((room->diags.error_count == 0) != fits)
        fail_msg("%s: %s", line, tw_test_diags(room));
}

/* MEASURED: ptxas 13.0. Matrix elements narrower than a register are words: any 32-bit register, integers, 0f words. */
static void registers_of_narrow_matrix_elements_are_words(void **state)
{
    static const struct { const char *line; bool fits; } rows[] = {
        {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r1,0,-7,0x3c003c00}, {%r1,1}, {%f1,%f2,%f3,%f4};", true},
        {"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f1,%f2,%f3,%f4}, {%r1,%f5,%r1,%u1}, {%r1,%u1}, {%f1,%f2,%f3,%f4};", true},
        {"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f1,%f2,%f3,%f4}, {%r1,%h1,%r1,%f5}, {%h1,%r1}, {%f1,%f2,%f3,%f4};", true},
        {"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f1,%f2,%f3,%f4}, {%r1,%f5,%h1,%u1}, {%r1,%u1}, {%f1,%f2,%f3,%f4};", false},
        {"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f1,%f2,%f3,%f4}, {%r1,0f3F800000,%f5,0}, {%r1,%f6}, {%f1,%f2,%f3,%f4};", true},
        {"mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%r1,%f2}, {%r1,%r1,%r1,%r1}, {%r1,%r1}, {%r1,7};", true},
        {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r1,%r1,%r1}, {%r1,%r1}, {%f1,%f2,%f3,7};", false},
        {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%u1}, {%r1,%r1,%r1,%r1}, {%r1,%r1}, {%f1,%f2,%f3,%f4};", false},
        {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1,%f2,%f3,%f4}, {%r1,0,%r1,6}, %q, 1, 1, 1, 0;", true},
        {"wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 {%f1,%r1}, {%r1,0,%r1,6}, %q, 1, 1, 1, 0;", true},
        {"wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 {%f1,%u1}, {%r1,0,%r1,6}, %q, 1, 1, 1, 0;", false},
        {"mov.v2.b32 {%r1,_}, {%u1,5};", true},
        {"mov.v4.f32 {%f1,%f2,%f3,%f4}, {%f2,1.5,0f3F800000,%f1};", true},
        {"mov.v2.u32 {%r1,%u1}, {%tid.x,%tid.y};", true},
        {"mov.v2.b64 {%q,%q}, {%q,1};", true},
        {"mov.v4.b64 {%q,%q,%q,%q}, {%q,%q,%q,%q};", false},
        {"mov.v2.b32 {%r1,%u1,%r1}, {%r1,%u1,%r1};", false},
        {"mov.v2.pred {%p,%p}, {%p,%p};", false},
    };
    struct bench_room *const room = *state;
    for (size_t i = 0; i < COUNT(rows); i++)
        expect_line(room, rows[i].line, rows[i].fits);
}

/* MEASURED: ptxas 13.0. */
static void elements_of_a_vector_go_with_their_neighbours(void **state)
{
    static const struct { const char *line; bool fits; } rows[] = {
        {"ld.v2.b32 {%r1,%f1}, [%q];", true},
        {"ld.v4.b32 {%u1,%r1,%f1,%r1}, [%q];", true},
        {"ld.v4.b32 {%f1,%r1,%u1,%r1}, [%q];", true},
        {"ld.v4.b32 {%r1,%u1,%f1,%r1}, [%q];", false},
        {"ld.v2.f32 {%q,%q}, [%q];", true}, /* wider than the type, both */
        {"ld.v2.f32 {%f1,%q}, [%q];", false},
        {"ld.v2.u32 {%q,%r1}, [%q];", false},
        {"st.v2.u32 [%q], {%r1,%q};", false},
        {"st.v2.u32 [%q], {%q,5};", true},
        {"mov.v2.b32 {%r1,%r1}, {%f1,%tid.x};", true},
        {"mov.v2.b32 {%r1,%r1}, {%r1,%tid.x};", true},
        {"st.v2.b32 [%q], {%u1,5};", true},
        {"st.v2.b32 [%q], {%u1,0f3F800000};", false},
        {"st.v2.f32 [%q], {%f1,0f3F800000};", true},
        {"mov.b64 %q, {%r1,%f1};", true},
        {"mov.b64 %q, {%u1,%f1};", false},
        {"mov.b64 {%u1,%f1}, %q;", true},
        {"ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%f1,%u1}, [%r1];", false},
        {"ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%f1,%r1}, [%r1];", true},
    };
    struct bench_room *const room = *state;
    for (size_t i = 0; i < COUNT(rows); i++)
        expect_line(room, rows[i].line, rows[i].fits);
    expect(room,
           ".version 9.0\n.target sm_90\n.address_size 64\n.entry k()\n{\n.reg .b64 %q<3>; .reg .f32 %f1;\n"
           "ld.v2.f32 {%f1,%q1}, [%q2];\nret;\n}\n",
           "k.ptx:7:16: error[E0512]: the elements of a vector have different types\n"
           "    7 | ld.v2.f32 {%f1,%q1}, [%q2];\n"
           "      |                ^~~\n"
           "  expected: a type that goes with .f32, as the element before it\n"
           "     found: .b64\n"
           "      spec: PTX ISA, Vectors as Operands\n");
}

/* MEASURED: ptxas 13.0, but for the special register that it takes as a destination in "mov.b64 {%r1,%tid.x}, %q". */
static void sinks_are_written_beside_a_register(void **state)
{
    static const struct { const char *line; bool fits; } rows[] = {
        {"mov.b64 {%r1,_}, %q;", true},
        {"mov.b64 {_,%r1}, %q;", true},
        {"mov.b64 {_,_}, %q;", false},
        {"mov.b64 %q, {%r1,_};", false},
        {"mov.b64 %q, {_,%r1};", false},
        {"mov.b64 %q, {%r1,5};", true},
        {"mov.b64 %q, {%r1,%tid.x};", true},
        {"mov.b64 {%r1,5}, %q;", false},
        {"mov.b64 {%r1,%tid.x}, %q;", false},
        {"ld.global.v2.b32 {%r1,_}, [%q];", true},
        {"ld.global.v2.b32 {_,_}, [%q];", false},
        {"ld.global.v2.b32 {%r1,5}, [%q];", false},
        {"atom.global.v2.f32.add {%f1,_}, [%q], {%f1,%f2};", true},
        {"atom.global.v2.f32.add _, [%q], {%f1,%f2};", true},
        {"atom.global.v2.f32.add {_,_}, [%q], {%f1,%f2};", false},
        {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,_,%f4}, {%r1,%r1,%r1,%r1}, {%r1,%r1}, {%f1,%f2,%f3,%f4};", true},
        {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {_,_,_,_}, {%r1,%r1,%r1,%r1}, {%r1,%r1}, {%f1,%f2,%f3,%f4};", false},
    };
    struct bench_room *const room = *state;
    for (size_t i = 0; i < COUNT(rows); i++)
        expect_line(room, rows[i].line, rows[i].fits);
}

static void too_much_parameter_space_is_counted(void **state)
{
    expect(*state,
        ".version 8.8\n"
        ".target sm_100a\n"
        ".address_size 64\n"
        ".entry k(.param .b8 big[40000])\n"
        "{\n"
        "ret;\n"
        "}\n",
        "k.ptx:4:8: error[E0526]: too much parameter space\n"
        "    4 | .entry k(.param .b8 big[40000])\n"
        "      |        ^\n"
        "  expected: at most 32764 bytes\n"
        "     found: 40000 bytes\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(a_missing_operand_lists_the_form),
        ROOM_TEST(an_extra_operand_is_pointed_at),
        ROOM_TEST(an_operand_of_the_wrong_kind_names_its_role),
        ROOM_TEST(an_immediate_destination_is_refused),
        ROOM_TEST(empty_braces_are_no_register),
        ROOM_TEST(a_sink_stands_for_elements_of_what_mov_unpacks_alone),
        ROOM_TEST(a_register_of_the_wrong_type_shows_its_declaration),
        ROOM_TEST(the_address_of_a_kernel_is_no_operand),
        ROOM_TEST(a_vector_of_the_wrong_length_is_counted),
        ROOM_TEST(an_integer_literal_is_no_float),
        ROOM_TEST(an_instruction_of_an_unsupported_family_is_refused_by_name),
        ROOM_TEST(an_unsupported_opcode_is_named_once_with_its_count),
        ROOM_TEST(an_immediate_out_of_range_names_the_range),
        ROOM_TEST(an_immediate_of_the_wrong_step_names_the_rule),
        ROOM_TEST(a_variable_of_another_space_shows_its_declaration),
        ROOM_TEST(an_immediate_address_outside_local_memory_is_refused),
        ROOM_TEST(a_store_to_a_parameter_is_refused),
        ROOM_TEST(a_narrow_address_register_is_refused),
        ROOM_TEST(a_tensor_memory_address_is_32_bits_wide),
        ROOM_TEST(an_instruction_of_another_target_names_the_targets),
        ROOM_TEST(an_instruction_of_a_later_version_names_the_version),
        ROOM_TEST(a_text_without_a_version_is_refused),
        ROOM_TEST(an_unknown_target_is_refused),
        ROOM_TEST(a_call_with_too_few_arguments_shows_the_declaration),
        ROOM_TEST(an_argument_of_the_wrong_size_is_counted_in_bytes),
        ROOM_TEST(launch_directives_that_exclude_each_other_are_named),
        ROOM_TEST(a_bf16_register_is_refused_with_the_type_to_use),
        ROOM_TEST(an_alignment_that_is_no_power_of_two_is_refused),
        ROOM_TEST(too_many_initial_values_are_refused),
        ROOM_TEST(a_guard_that_is_no_predicate_is_refused),
        ROOM_TEST(a_function_defined_twice_shows_both_places),
        ROOM_TEST(static_shared_memory_is_what_an_entry_can_reach),
        ROOM_TEST(registers_of_narrow_matrix_elements_are_words),
        ROOM_TEST(elements_of_a_vector_go_with_their_neighbours),
        ROOM_TEST(sinks_are_written_beside_a_register),
        ROOM_TEST(a_bound_of_zero_is_refused),
        ROOM_TEST(too_much_parameter_space_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
