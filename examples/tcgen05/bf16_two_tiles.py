"""Two accumulators of M 64 in the same columns: Out[0] = A[0] B^T and Out[1] = A[1] B^T, bfloat16.

With M 64 the instruction uses data path F: rows 0-15 lie in lanes 0-15, rows 16-31 in lanes 32-47 and so on, sixteen
rows in the lower half of each warp's 32 lanes. The upper halves stay free. A second tile starts at lane 16 and takes
exactly those: both use the same columns, and one tcgen05.ld of all 128 lanes reads the two together.
"""

from tvm.script import tirx as T
from tvm.backend.cuda.layout import mma_shared_layout, tmem_datapath_layout

M, N, K = 64, 48, 32
STEP = 16
COLUMNS = 64  # allocated: the next power of two

A_LAYOUT = mma_shared_layout("bfloat16", 2, (2, M, K))
B_LAYOUT = mma_shared_layout("bfloat16", 2, (N, K))
LOWER = tmem_datapath_layout("F", M, N, 0)
UPPER = tmem_datapath_layout("F", M, N, 1)  # the same map, 16 lanes on
LANES = T.TileLayout(T.S[(128, N) : (1 @ T.cuda.Axis.TLane, 1 @ T.cuda.Axis.TCol)])


@T.function
def bf16_two_tiles(
    A: T.Tensor((2, M, K), "bfloat16"),
    B: T.Tensor((N, K), "bfloat16"),
    Out: T.Tensor((2, M, N), "float32"),
):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=128))
    tid = T.cuda.thread_idx("x")
    warp = T.cuda.warp_id()
    lane = T.cuda.lane_id()
    a = T.alloc_shared((2, M, K), "bfloat16", layout=A_LAYOUT, align=1024)
    b = T.alloc_shared((N, K), "bfloat16", layout=B_LAYOUT, align=1024)
    slot = T.alloc_shared((1,), "uint32", layout="default")
    done = T.alloc_shared((1,), "uint64", layout="default")
    if warp == 0:
        T.ptx.tcgen05.alloc.cta_group__1.sync.aligned.shared__cta.b32(T.address_of(slot), T.uint32(COLUMNS))
    if tid == 0:
        T.ptx.mbarrier.init.shared.b64(done.ptr_to([0]), T.uint32(1))
    for k in range(K):
        a[tid // M, tid % M, k] = A[tid // M, tid % M, k]
        if tid < N:
            b[tid, k] = B[tid, k]
    T.ptx.fence.proxy.async_.shared__cta()
    T.cuda.cta_sync()
    lower = T.cuda.decl_tmem(slot[0], ty_args=[T.Tensor((M, N), "float32", scope="tmem", layout=LOWER)])
    upper = T.cuda.decl_tmem(slot[0], ty_args=[T.Tensor((M, N), "float32", scope="tmem", layout=UPPER)])
    steps = a.rearrange("t m (s k) -> t s m k", k=STEP)
    b_steps = b.rearrange("n (s k) -> s n k", k=STEP).view(1, K // STEP, N, STEP)
    if tid == 0:
        T.cuda.tile.apply(
            T.ptx["tcgen05.mma.cta_group::1.kind::f16"],
            lower.view(1, 1, M, N),
            steps[0:1, :, :, :],
            b_steps,
            instruction_shape=(M, N, STEP),
        )
        T.cuda.tile.apply(
            T.ptx["tcgen05.mma.cta_group::1.kind::f16"],
            upper.view(1, 1, M, N),
            steps[1:2, :, :, :],
            b_steps,
            instruction_shape=(M, N, STEP),
        )
        T.ptx.tcgen05.commit.cta_group__1.mbarrier__arrive__one.shared__cluster.b64(done.ptr_to([0]))
    T.cuda.mbarrier_wait(done.ptr_to([0]), 0)
    T.ptx.tcgen05.fence__after_thread_sync()
    # All 128 lanes, three pieces of 16 columns: 32x32b takes powers of two.
    both = T.cuda.decl_tmem(slot[0], ty_args=[T.Tensor((128, N), "float32", scope="tmem", layout=LANES)])
    frag = T.wg_reg_tile(N, "float32")
    T.cuda.tile.apply(
        T.ptx["tcgen05.ld.sync.aligned.32x32b.x16.b32"],
        frag.rearrange("(w r) (p c) -> w p r c", w=4, p=3),
        both.rearrange("(w r) (p c) -> w p r c", w=4, p=3),
        scope="warpgroup",
    )
    T.ptx.tcgen05.wait__ld.sync.aligned()
    row = frag.view(N, layout="default")
    for n in range(N):
        Out[lane // 16, 16 * warp + lane % 16, n] = row[n]
    T.cuda.cta_sync()
    if warp == 0:
        T.ptx.tcgen05.relinquish_alloc_permit.cta_group__1.sync.aligned()
        T.ptx.tcgen05.dealloc.cta_group__1.sync.aligned.b32(slot[0], T.uint32(COLUMNS))
