"""A from tensor memory: registers go through tcgen05.st into tensor memory, and from there into the product.

This is how attention kernels feed the second product: its left operand was computed in registers and never sees
shared memory. In tensor memory A is packed, two float16 values to a cell, so a K step of 16 is eight columns.
"""

from tvm.script import tirx as T
from tvm.backend.cuda.layout import mma_shared_layout, tmem_mma_operand_layout

M, N, K = 128, 64, 64
STEP = 16
COLUMNS = 128  # 64 for D, 32 for A
A_COLUMN = 64

B_LAYOUT = mma_shared_layout("float16", 3, (N, K))
D_LAYOUT = tmem_mma_operand_layout("D", (M, N), "float32", M=M, cta_group=1)
A_LAYOUT = tmem_mma_operand_layout("A", (M, K), "float16", M=M, cta_group=1)


@T.function
def a_in_tmem(
    A: T.Tensor((M, K), "float16"),
    B: T.Tensor((N, K), "float16"),
    Out: T.Tensor((M, N), "float32"),
):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=128))
    tid = T.cuda.thread_idx("x")
    warp = T.cuda.warp_id()
    b = T.alloc_shared((N, K), "float16", layout=B_LAYOUT, align=1024)
    slot = T.alloc_shared((1,), "uint32", layout="default")
    done = T.alloc_shared((1,), "uint64", layout="default")
    if warp == 0:
        T.ptx.tcgen05.alloc.cta_group__1.sync.aligned.shared__cta.b32(T.address_of(slot), T.uint32(COLUMNS))
    if tid == 0:
        T.ptx.mbarrier.init.shared.b64(done.ptr_to([0]), T.uint32(1))
    if tid < N:
        for k in range(K):
            b[tid, k] = B[tid, k]
    T.ptx.fence.proxy.async_.shared__cta()
    T.cuda.cta_sync()
    d = T.cuda.decl_tmem(slot[0], ty_args=[T.Tensor((M, N), "float32", scope="tmem", layout=D_LAYOUT)])
    a = T.cuda.decl_tmem(
        slot[0] + T.uint32(A_COLUMN), ty_args=[T.Tensor((M, K), "float16", scope="tmem", layout=A_LAYOUT)]
    )
    # Thread t holds row t of A in 32 registers of two values, and stores them into lane t.
    row = T.wg_reg_tile(K, "float16")
    mine = row.view(K, layout="default")
    for k in range(K):
        mine[k] = A[tid, k]
    T.cuda.tile.apply(
        T.ptx["tcgen05.st.sync.aligned.32x32b.x32.b32"],
        a.view("uint32").view(4, 32, K // 2),
        row.view("uint32").view(4, 32, K // 2),
        scope="warpgroup",
    )
    # The store is asynchronous: wait, then hand over to the issuing thread.
    T.ptx.tcgen05.wait__st.sync.aligned()
    T.ptx.tcgen05.fence__before_thread_sync()
    T.cuda.cta_sync()
    if tid == 0:
        T.ptx.tcgen05.fence__after_thread_sync()
        T.cuda.tile.apply(
            T.ptx["tcgen05.mma.cta_group::1.kind::f16"],
            d.view(1, 1, M, N),
            a.rearrange("m (s k) -> s m k", k=STEP).view(1, K // STEP, M, STEP),
            b.rearrange("n (s k) -> s n k", k=STEP).view(1, K // STEP, N, STEP),
            instruction_shape=(M, N, STEP),
        )
        T.ptx.tcgen05.commit.cta_group__1.mbarrier__arrive__one.shared__cluster.b64(done.ptr_to([0]))
    T.cuda.mbarrier_wait(done.ptr_to([0]), 0)
    T.ptx.tcgen05.fence__after_thread_sync()
    frag = T.wg_reg_tile(N, "float32")
    T.cuda.tile.apply(
        T.ptx["tcgen05.ld.sync.aligned.32x32b.x64.b32"], frag.view(4, 32, N), d.view(4, 32, N), scope="warpgroup"
    )
    T.ptx.tcgen05.wait__ld.sync.aligned()
    out_row = frag.view(N, layout="default")
    for n in range(N):
        Out[tid, n] = out_row[n]
    T.cuda.cta_sync()
    if warp == 0:
        T.ptx.tcgen05.relinquish_alloc_permit.cta_group__1.sync.aligned()
        T.ptx.tcgen05.dealloc.cta_group__1.sync.aligned.b32(slot[0], T.uint32(COLUMNS))
