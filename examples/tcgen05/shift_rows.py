"""tcgen05.shift: the rows of A move down by one lane, and tcgen05.cp.4x256b refills what falls short.

A convolution along M multiplies the same rows again, one position on. Instead of loading them a second time, shift
moves lane i + 1 to lane i in each quadrant of 32 lanes; the last lane of a quadrant keeps its row, and the copy of shape
4x256b writes the four rows that belong there. Everything is issued by one thread, in an order that the hardware keeps:

    Out[0] = A B^T
    Out[1] = A' B^T    with A'[32 q + i] = A[32 q + i + 1] for i < 31, A'[32 q + 31] = Next[q]
"""

from tvm.script import tirx as T
from tvm.backend.cuda.layout import mma_shared_layout, tmem_mma_operand_layout

M, N, K = 128, 32, 16
COLUMNS = 128  # 32 for each product, 8 for A
A_COLUMN = 64

A_SHARED = mma_shared_layout("float16", 0, (M, K))
B_LAYOUT = mma_shared_layout("float16", 1, (N, K))
NEXT_SHARED = T.TileLayout(T.S[(4, 2, 8) : (8, 32, 1)])  # 16 bytes of each row, then the other 16
D_LAYOUT = tmem_mma_operand_layout("D", (M, N), "float32", M=M, cta_group=1)
A_LAYOUT = tmem_mma_operand_layout("A", (M, K), "float16", M=M, cta_group=1)
LAST_LANES = T.TileLayout(
    T.S[(4, 8) : (32 @ T.cuda.Axis.TLane, 1 @ T.cuda.Axis.TCol)] + 31 @ T.cuda.Axis.TLane
)


@T.function
def shift_rows(
    A: T.Tensor((M, K), "float16"),
    B: T.Tensor((N, K), "float16"),
    Next: T.Tensor((4, K), "float16"),
    Out: T.Tensor((2, M, N), "float32"),
):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=128))
    tid = T.cuda.thread_idx("x")
    warp = T.cuda.warp_id()
    rows = T.alloc_shared((M, K), "float16", layout=A_SHARED, align=128)
    next_rows = T.alloc_shared((4, K), "float16", layout=NEXT_SHARED, align=128)
    b = T.alloc_shared((N, K), "float16", layout=B_LAYOUT, align=1024)
    slot = T.alloc_shared((1,), "uint32", layout="default")
    done = T.alloc_shared((1,), "uint64", layout="default")
    if warp == 0:
        T.ptx.tcgen05.alloc.cta_group__1.sync.aligned.shared__cta.b32(T.address_of(slot), T.uint32(COLUMNS))
    if tid == 0:
        T.ptx.mbarrier.init.shared.b64(done.ptr_to([0]), T.uint32(1))
    for k in range(K):
        rows[tid, k] = A[tid, k]
        if tid < N:
            b[tid, k] = B[tid, k]
        if tid < 4:
            next_rows[tid, k] = Next[tid, k]
    T.ptx.fence.proxy.async_.shared__cta()
    T.cuda.cta_sync()
    a_at = slot[0] + T.uint32(A_COLUMN)
    first = T.cuda.decl_tmem(slot[0], ty_args=[T.Tensor((M, N), "float32", scope="tmem", layout=D_LAYOUT)])
    second = T.cuda.decl_tmem(slot[0] + T.uint32(N), ty_args=[T.Tensor((M, N), "float32", scope="tmem", layout=D_LAYOUT)])
    a = T.cuda.decl_tmem(a_at, ty_args=[T.Tensor((M, K), "float16", scope="tmem", layout=A_LAYOUT)])
    last = T.cuda.decl_tmem(a_at, ty_args=[T.Tensor((4, 8), "uint32", scope="tmem", layout=LAST_LANES)])
    if tid == 0:
        T.cuda.tile.apply(
            T.ptx["tcgen05.cp.cta_group::1.128x256b"],
            a.view("uint32"),
            rows.view("uint32"),
            sdo_bytes=128,
            ldo_bytes=16 * M,
        )
        T.cuda.tile.apply(
            T.ptx["tcgen05.mma.cta_group::1.kind::f16"],
            first.view(1, 1, M, N),
            a.view(1, 1, M, K),
            b.view(1, 1, N, K),
            instruction_shape=(M, N, K),
        )
        T.cuda.tile.apply(T.ptx["tcgen05.shift.cta_group::1.down"], a.view("uint32"))
        T.cuda.tile.apply(
            T.ptx["tcgen05.cp.cta_group::1.4x256b"], last, next_rows.view("uint32"), ldo_bytes=64
        )
        T.cuda.tile.apply(
            T.ptx["tcgen05.mma.cta_group::1.kind::f16"],
            second.view(1, 1, M, N),
            a.view(1, 1, M, K),
            b.view(1, 1, N, K),
            instruction_shape=(M, N, K),
        )
        T.ptx.tcgen05.commit.cta_group__1.mbarrier__arrive__one.shared__cluster.b64(done.ptr_to([0]))
    T.cuda.mbarrier_wait(done.ptr_to([0]), 0)
    T.ptx.tcgen05.fence__after_thread_sync()
    frag_first = T.wg_reg_tile(N, "float32")
    frag_second = T.wg_reg_tile(N, "float32")
    T.cuda.tile.apply(
        T.ptx["tcgen05.ld.sync.aligned.32x32b.x32.b32"], frag_first.view(4, 32, N), first.view(4, 32, N), scope="warpgroup"
    )
    T.cuda.tile.apply(
        T.ptx["tcgen05.ld.sync.aligned.32x32b.x32.b32"], frag_second.view(4, 32, N), second.view(4, 32, N), scope="warpgroup"
    )
    T.ptx.tcgen05.wait__ld.sync.aligned()
    row_first = frag_first.view(N, layout="default")
    row_second = frag_second.view(N, layout="default")
    for n in range(N):
        Out[0, tid, n] = row_first[n]
        Out[1, tid, n] = row_second[n]
    T.cuda.cta_sync()
    if warp == 0:
        T.ptx.tcgen05.relinquish_alloc_permit.cta_group__1.sync.aligned()
        T.ptx.tcgen05.dealloc.cta_group__1.sync.aligned.b32(slot[0], T.uint32(COLUMNS))
