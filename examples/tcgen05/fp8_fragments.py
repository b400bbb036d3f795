"""kind f8f6f4: e4m3 by e5m2, M 64, read back in the fragment order of mma.sync.

M 64 leaves the accumulator on data path F, sixteen rows to a warp. tcgen05.ld.16x256b reads such sixteen lanes and
deals each row of eight columns to four threads, two neighbours each: the order in which warp-level code (mma.sync
epilogues, row reductions by shuffle) wants its fragments.
"""

from tvm.script import tirx as T
from tvm.backend.cuda.layout import mma_shared_layout, tcgen05_atom_layout, tmem_mma_operand_layout

M, N, K = 64, 32, 128
STEP = 32
COLUMNS = 32

A_LAYOUT = mma_shared_layout("float8_e4m3fn", 3, (M, K))
B_LAYOUT = mma_shared_layout("float8_e5m2", 3, (N, K))
D_LAYOUT = tmem_mma_operand_layout("D", (M, N), "float32", M=M, cta_group=1)
FRAG_LAYOUT = tcgen05_atom_layout("16x256b", (M, N), "float32")


@T.function
def fp8_fragments(
    A: T.Tensor((M, K), "float8_e4m3fn"),
    B: T.Tensor((N, K), "float8_e5m2"),
    Out: T.Tensor((M, N), "float32"),
):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=128))
    tid = T.cuda.thread_idx("x")
    warp = T.cuda.warp_id()
    lane = T.cuda.lane_id()
    a = T.alloc_shared((M, K), "float8_e4m3fn", layout=A_LAYOUT, align=1024)
    b = T.alloc_shared((N, K), "float8_e5m2", layout=B_LAYOUT, align=1024)
    slot = T.alloc_shared((1,), "uint32", layout="default")
    done = T.alloc_shared((1,), "uint64", layout="default")
    if warp == 0:
        T.ptx.tcgen05.alloc.cta_group__1.sync.aligned.shared__cta.b32(T.address_of(slot), T.uint32(COLUMNS))
    if tid == 0:
        T.ptx.mbarrier.init.shared.b64(done.ptr_to([0]), T.uint32(1))
    if tid < M:
        for k in range(K):
            a[tid, k] = A[tid, k]
            if tid < N:
                b[tid, k] = B[tid, k]
    T.ptx.fence.proxy.async_.shared__cta()
    T.cuda.cta_sync()
    d = T.cuda.decl_tmem(slot[0], ty_args=[T.Tensor((M, N), "float32", scope="tmem", layout=D_LAYOUT)])
    if tid == 0:
        T.cuda.tile.apply(
            T.ptx["tcgen05.mma.cta_group::1.kind::f8f6f4"],
            d.view(1, 1, M, N),
            a.rearrange("m (s k) -> s m k", k=STEP).view(1, K // STEP, M, STEP),
            b.rearrange("n (s k) -> s n k", k=STEP).view(1, K // STEP, N, STEP),
            instruction_shape=(M, N, STEP),
        )
        T.ptx.tcgen05.commit.cta_group__1.mbarrier__arrive__one.shared__cluster.b64(done.ptr_to([0]))
    T.cuda.mbarrier_wait(done.ptr_to([0]), 0)
    T.ptx.tcgen05.fence__after_thread_sync()
    # 32 columns are four repeats of 256 bits: sixteen registers a thread.
    frag = T.alloc_tensor(ty_args=[T.Tensor((M, N), "float32", scope="local", layout=FRAG_LAYOUT)])
    T.cuda.tile.apply(
        T.ptx["tcgen05.ld.sync.aligned.16x256b.x4.b32"], frag.view(4, 16, N), d.view(4, 16, N), scope="warpgroup"
    )
    T.ptx.tcgen05.wait__ld.sync.aligned()
    mine = frag.view(16, layout="default")
    for r in range(16):
        Out[16 * warp + lane // 4 + 8 * (r // 2 % 2), 8 * (r // 4) + 2 * (lane % 4) + r % 2] = mine[r]
    T.cuda.cta_sync()
    if warp == 0:
        T.ptx.tcgen05.relinquish_alloc_permit.cta_group__1.sync.aligned()
        T.ptx.tcgen05.dealloc.cta_group__1.sync.aligned.b32(slot[0], T.uint32(COLUMNS))
