"""cta_group::2, M 256: two CTAs of a cluster compute one tile of 256 rows.

Each CTA holds half of the rows of A and half of the rows of B in its own shared memory, at the same offsets; one thread
of the even CTA issues for both. Rows 0-127 of the accumulator land in the even CTA's tensor memory, rows 128-255 in
the odd CTA's, at the same columns. B is read by both, but stored only once: that is what the pair saves.

Everything that touches tensor memory is done in both CTAs and says cta_group::2, the allocation included. The commit
arrives at the barrier of each CTA in its mask.
"""

from tvm.script import tirx as T
from tvm.backend.cuda.layout import mma_shared_layout, tmem_mma_operand_layout

M, N, K = 256, 64, 64  # totals over the pair
ROWS, B_ROWS = M // 2, N // 2  # of A and of B in one CTA
STEP = 16
COLUMNS = 64

A_LAYOUT = mma_shared_layout("float16", 3, (ROWS, K))
B_LAYOUT = mma_shared_layout("float16", 3, (B_ROWS, K))
D_LAYOUT = tmem_mma_operand_layout("D", (ROWS, N), "float32", M=M, cta_group=2)


@T.function
def pair_m256(
    A: T.Tensor((M, K), "float16"),
    B: T.Tensor((N, K), "float16"),
    Out: T.Tensor((M, N), "float32"),
):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=2, block=128, cluster=2))
    tid = T.cuda.thread_idx("x")
    warp = T.cuda.warp_id()
    rank = T.cuda.cluster_ctarank()
    a = T.alloc_shared((ROWS, K), "float16", layout=A_LAYOUT, align=1024)
    b = T.alloc_shared((B_ROWS, K), "float16", layout=B_LAYOUT, align=1024)
    slot = T.alloc_shared((1,), "uint32", layout="default")
    done = T.alloc_shared((1,), "uint64", layout="default")
    if warp == 0:
        T.ptx.tcgen05.alloc.cta_group__2.sync.aligned.shared__cta.b32(T.address_of(slot), T.uint32(COLUMNS))
    if tid == 0:
        T.ptx.mbarrier.init.shared.b64(done.ptr_to([0]), T.uint32(1))
        T.ptx.fence.mbarrier_init.release.cluster()
    for k in range(K):
        a[tid, k] = A[ROWS * rank + tid, k]
        if tid < B_ROWS:
            b[tid, k] = B[B_ROWS * rank + tid, k]
    # The issuing thread reads both CTAs' tiles: the barrier after the fence is the cluster's.
    T.ptx.fence.proxy.async_.shared__cta()
    T.cuda.cluster_sync()
    d = T.cuda.decl_tmem(slot[0], ty_args=[T.Tensor((ROWS, N), "float32", scope="tmem", layout=D_LAYOUT)])
    if rank == 0:
        if tid == 0:
            T.cuda.tile.apply(
                T.ptx["tcgen05.mma.cta_group::2.kind::f16"],
                d.view(1, 1, ROWS, N),
                a.rearrange("m (s k) -> s m k", k=STEP).view(1, K // STEP, ROWS, STEP),
                b.rearrange("n (s k) -> s n k", k=STEP).view(1, K // STEP, B_ROWS, STEP),
                instruction_shape=(M, N, STEP),
            )
            # Bits 0 and 1 of the mask: the barriers of both CTAs, at the same offset in each.
            T.ptx["tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64"](
                done.ptr_to([0]), T.uint16(3)
            )
    T.cuda.mbarrier_wait(done.ptr_to([0]), 0)
    T.ptx.tcgen05.fence__after_thread_sync()
    frag = T.wg_reg_tile(N, "float32")
    T.cuda.tile.apply(
        T.ptx["tcgen05.ld.sync.aligned.32x32b.x64.b32"], frag.view(4, 32, N), d.view(4, 32, N), scope="warpgroup"
    )
    T.ptx.tcgen05.wait__ld.sync.aligned()
    row = frag.view(N, layout="default")
    for n in range(N):
        Out[ROWS * rank + tid, n] = row[n]
    # Neither CTA may go while the other still needs it.
    T.cuda.cluster_sync()
    if warp == 0:
        T.ptx.tcgen05.relinquish_alloc_permit.cta_group__2.sync.aligned()
        T.ptx.tcgen05.dealloc.cta_group__2.sync.aligned.b32(slot[0], T.uint32(COLUMNS))
