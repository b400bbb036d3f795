"""cta_group::2, M 128: 64 rows in each CTA, columns folded over the lanes.

With M 128 a CTA of the pair has 64 rows, half as many as lanes. Data path B uses the other half for columns: lanes 0-63
hold columns 0 .. N/2 - 1, lanes 64-127 hold columns N/2 .. N - 1, so N columns of D take N/2 columns of tensor memory.
A few lanes are masked here: disable_output_lane has four words for each CTA, one bit a lane, and the cells of those
lanes keep what was in them, which tcgen05.st put there before.
"""

from tvm.script import tirx as T
from tvm.backend.cuda.layout import mma_shared_layout, tmem_mma_operand_layout

M, N, K = 128, 64, 64
ROWS, B_ROWS = M // 2, N // 2
STEP = 16
COLUMNS = 32  # N / 2
KEPT = -5.0  # what masked cells hold

A_LAYOUT = mma_shared_layout("bfloat16", 3, (ROWS, K))
B_LAYOUT = mma_shared_layout("bfloat16", 3, (B_ROWS, K))
D_LAYOUT = tmem_mma_operand_layout("D", (ROWS, N), "float32", M=M, cta_group=2)


@T.function
def pair_m128(
    A: T.Tensor((M, K), "bfloat16"),
    B: T.Tensor((N, K), "bfloat16"),
    Out: T.Tensor((M, N), "float32"),
):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=2, block=128, cluster=2))
    tid = T.cuda.thread_idx("x")
    warp = T.cuda.warp_id()
    rank = T.cuda.cluster_ctarank()
    a = T.alloc_shared((ROWS, K), "bfloat16", layout=A_LAYOUT, align=1024)
    b = T.alloc_shared((B_ROWS, K), "bfloat16", layout=B_LAYOUT, align=1024)
    slot = T.alloc_shared((1,), "uint32", layout="default")
    done = T.alloc_shared((1,), "uint64", layout="default")
    if warp == 0:
        T.ptx.tcgen05.alloc.cta_group__2.sync.aligned.shared__cta.b32(T.address_of(slot), T.uint32(COLUMNS))
    if tid == 0:
        T.ptx.mbarrier.init.shared.b64(done.ptr_to([0]), T.uint32(1))
        T.ptx.fence.mbarrier_init.release.cluster()
    if tid < ROWS:
        for k in range(K):
            a[tid, k] = A[ROWS * rank + tid, k]
            if tid < B_ROWS:
                b[tid, k] = B[B_ROWS * rank + tid, k]
    T.ptx.fence.proxy.async_.shared__cta()
    T.cuda.cta_sync()
    d = T.cuda.decl_tmem(slot[0], ty_args=[T.Tensor((ROWS, N), "float32", scope="tmem", layout=D_LAYOUT)])
    lanes = d.rearrange("m (half c) -> half m c", half=2).view(4, 32, N // 2)
    frag = T.wg_reg_tile(N // 2, "float32")
    mine = frag.view(N // 2, layout="default")
    for c in range(N // 2):
        mine[c] = T.float32(KEPT)
    T.cuda.tile.apply(
        T.ptx["tcgen05.st.sync.aligned.32x32b.x32.b32"], lanes, frag.view(4, 32, N // 2), scope="warpgroup"
    )
    T.ptx.tcgen05.wait__st.sync.aligned()
    T.ptx.tcgen05.fence__before_thread_sync()
    T.cuda.cluster_sync()
    if rank == 0:
        if tid == 0:
            T.ptx.tcgen05.fence__after_thread_sync()
            T.cuda.tile.apply(
                T.ptx["tcgen05.mma.cta_group::2.kind::f16"],
                d.view(1, 1, ROWS, N),
                a.rearrange("m (s k) -> s m k", k=STEP).view(1, K // STEP, ROWS, STEP),
                b.rearrange("n (s k) -> s n k", k=STEP).view(1, K // STEP, B_ROWS, STEP),
                instruction_shape=(M, N, STEP),
                # Even CTA: lane 0, which is row 0 and the lower half of N. Odd CTA: lane 127, row 127 and the upper half.
                disable_output_lane=(1, 0, 0, 0, 0, 0, 0, 0x80000000),
            )
            T.ptx["tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64"](
                done.ptr_to([0]), T.uint16(3)
            )
    T.cuda.mbarrier_wait(done.ptr_to([0]), 0)
    T.ptx.tcgen05.fence__after_thread_sync()
    T.cuda.tile.apply(
        T.ptx["tcgen05.ld.sync.aligned.32x32b.x32.b32"], frag.view(4, 32, N // 2), lanes, scope="warpgroup"
    )
    T.ptx.tcgen05.wait__ld.sync.aligned()
    for c in range(N // 2):
        Out[ROWS * rank + tid % ROWS, N // 2 * (tid // ROWS) + c] = mine[c]
    T.cuda.cluster_sync()
    if warp == 0:
        T.ptx.tcgen05.relinquish_alloc_permit.cta_group__2.sync.aligned()
        T.ptx.tcgen05.dealloc.cta_group__2.sync.aligned.b32(slot[0], T.uint32(COLUMNS))
