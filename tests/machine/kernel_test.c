/* Whole kernels: third-party PTX and small ones of our own give the values of their formulas. */
#include "rig.h"

#include <math.h>

static const char vec_add[] = "corpus/triton/ptx/vec_add_f32.sm_100.ptx";

/* corpus/triton/src/kernels.py, vec_add: out[i] = x[i] + y[i], i < n. */
static void a_compiler_s_vector_addition_runs(void **state)
{
    struct bench_room *const room = *state;
    const char *const text = rig_shared_file(room, vec_add);
    if (text == NULL)
        skip();
    struct rig rig;
    rig_load(&rig, room, "vec_add.ptx", text);
    enum { N = 1000, ROOM = 1024 };
    const uint64_t x = tw_memory_alloc(rig.memory, ROOM * 4, "x"), y = tw_memory_alloc(rig.memory, ROOM * 4, "y"),
                   out = tw_memory_alloc(rig.memory, ROOM * 4, "out");
    float *const xs = rig_host(&rig, x), *const ys = rig_host(&rig, y), *const outs = rig_host(&rig, out);
    for (int i = 0; i < ROOM; i++) {
        xs[i] = (float)i * 0.25f;
        ys[i] = (float)(i * i) * -0.125f;
        outs[i] = -1.0f;
    }
    struct { uint64_t x, y, out; int32_t n; uint32_t pad; uint64_t scratch[2]; } params = {x, y, out, N, 0, {0, 0}};
    rig_must_run(&rig, "vec_add",
                 (struct launch_spec){.grid = {4}, .block = {128}, .params = &params, .param_bytes = sizeof params});
    for (int i = 0; i < ROOM; i++)
        assert_true(outs[i] == (i < N ? xs[i] + ys[i] : -1.0f));
    rig_end(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {ROOM_TEST(a_compiler_s_vector_addition_runs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
