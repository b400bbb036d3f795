/* Kernels of bulk copies for tests: a body in a standard frame, one buffer in, one out, a tensor map of the buffer in. */
#ifndef TW_TESTS_MACHINE_BULK_TEXT_H
#define TW_TESTS_MACHINE_BULK_TEXT_H

#include "rig.h"

#include "isa/tensor_map.h"

/* %out, %in, %map: addresses; %t: the thread; %buf: 8 KiB of shared memory on a multiple of 1024; %bar: two mbarriers with a
 * count of 1; %rest: false in thread 0 alone; %rank: of the CTA. The body begins on line 15; labels W and X are AWAIT's. */
#define BULK_KERNEL(target, body)                                                                                              \
    ".version 8.8\n.target " target "\n.address_size 64\n"                                                                     \
    ".visible .entry k(.param .u64 out, .param .u64 in, .param .align 64 .b8 map[128])\n{\n"                                   \
    ".reg .pred %p<8>, %rest; .reg .b16 %h<4>; .reg .b32 %r<30>, %t, %buf, %bar, %rank; .reg .b64 %q<12>, %out, %in, %map;\n"   \
    ".shared .align 1024 .b8 buf[8192];\n.shared .align 8 .b8 bar[16];\n"                                                      \
    "ld.param.u64 %out, [out]; ld.param.u64 %in, [in]; mov.b64 %map, map; cvta.param.u64 %map, %map;\n"                        \
    "mov.u32 %t, %tid.x; mov.u32 %buf, buf; mov.u32 %bar, bar; mov.u32 %rank, %cluster_ctarank;\n"                             \
    "setp.ne.u32 %rest, %t, 0;\n@!%rest mbarrier.init.shared::cta.b64 [%bar], 1;\n"                                            \
    "@!%rest mbarrier.init.shared::cta.b64 [%bar+8], 1;\n"                                                                     \
    "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n" body "ret;\n}\n"

#define TX "mbarrier::complete_tx::bytes"
#define LOAD "cp.async.bulk.shared::cluster.global." TX " "
#define EXPECT(bytes) "@!%rest mbarrier.arrive.expect_tx.shared::cta.b64 _, [%bar], " #bytes ";\n"
#define AWAIT(label) label ": mbarrier.try_wait.parity.shared::cta.b64 %p2, [%bar], 0; @!%p2 bra " label ";\n"
#define CLUSTER_SYNC "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"

enum { BULK_WORDS = 4096 };

struct bulk_run {
    struct rig rig;
    enum launch_status status;
    uint64_t out_at, in_at;
    uint32_t *out, *in; /* in: word i holds i, out: zeros */
};

/* A map of `in` as rows of 64 words: u32, box 16 x 4. */
static inline struct tensor_map bulk_map(void)
{
    return (struct tensor_map){.type = TMAP_U32, .rank = 2, .dims = {64, 32}, .strides = {0, 256}, .box = {16, 4}, .element_strides = {1, 1}};
}

/* `map` NULL: 128 bytes of zeros; its address is an offset in `in`. */
static inline void bulk_launch(struct bulk_run *r, struct bench_room *room, const char *text, uint32_t block, uint32_t cluster, const struct tensor_map *map)
{
    rig_load(&r->rig, room, "k.ptx", text);
    struct { uint64_t out, in, gap[6]; uint8_t map[TENSOR_MAP_BYTES]; } params = {0};
    params.out = r->out_at = tw_memory_alloc(r->rig.memory, BULK_WORDS * 4, "out");
    params.in = r->in_at = tw_memory_alloc(r->rig.memory, BULK_WORDS * 4, "in");
    r->out = rig_host(&r->rig, params.out);
    r->in = rig_host(&r->rig, params.in);
    for (uint32_t i = 0; i < BULK_WORDS; i++)
        r->in[i] = i;
    if (map != NULL) {
        struct tensor_map placed = *map;
        placed.address += params.in;
        tw_tensor_map_pack(&placed, params.map);
    }
    r->status = rig_run(&r->rig, "k", (struct launch_spec){.grid = {cluster}, .block = {block}, .cluster = {cluster, 1, 1}, .params = &params,
                                                           .param_bytes = sizeof params, .seed = 3, .max_steps = 1000000});
}

static inline void bulk_must_run(struct bulk_run *r, struct bench_room *room, const char *text, uint32_t block, uint32_t cluster,
                                 const struct tensor_map *map)
{
    bulk_launch(r, room, text, block, cluster, map);
    assert_string_equal(tw_test_diags(room), "");
    assert_int_equal(r->status, LAUNCH_FINISHED);
}

/* Fails unless the launch ends in exactly this report. */
static inline void bulk_must_fail(struct bench_room *room, const char *text, uint32_t block, uint32_t cluster, const struct tensor_map *map,
                                  enum launch_status want, const char *diags)
{
    struct bulk_run r;
    bulk_launch(&r, room, text, block, cluster, map);
    tw_test_expect_diags(room, diags);
    assert_int_equal(r.status, want);
    rig_end(&r.rig);
}

#endif
