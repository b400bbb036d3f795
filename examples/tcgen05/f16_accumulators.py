"""kind f16 with float16 accumulators, read back two to a register.

A 16-bit accumulator still takes a whole 32-bit cell of tensor memory and uses its low half, so D's columns are two
16-bit units apart: the layout factory says so when it is given "float16". tcgen05.ld with .pack::16b reads two
neighbouring cells into one register, and the registers then hold the row as plain float16 values.
"""

from tvm.script import tirx as T
from tvm.backend.cuda.layout import mma_shared_layout, tmem_mma_operand_layout

M, N, K = 128, 32, 64
STEP = 16
COLUMNS = 32  # as many as with float32

A_LAYOUT = mma_shared_layout("float16", 3, (M, K))
B_LAYOUT = mma_shared_layout("float16", 3, (N, K))
D_LAYOUT = tmem_mma_operand_layout("D", (M, N), "float16", M=M, cta_group=1)


@T.function
def f16_accumulators(
    A: T.Tensor((M, K), "float16"),
    B: T.Tensor((N, K), "float16"),
    Out: T.Tensor((M, N), "float16"),
):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=128))
    tid = T.cuda.thread_idx("x")
    warp = T.cuda.warp_id()
    a = T.alloc_shared((M, K), "float16", layout=A_LAYOUT, align=1024)
    b = T.alloc_shared((N, K), "float16", layout=B_LAYOUT, align=1024)
    slot = T.alloc_shared((1,), "uint32", layout="default")
    done = T.alloc_shared((1,), "uint64", layout="default")
    if warp == 0:
        T.ptx.tcgen05.alloc.cta_group__1.sync.aligned.shared__cta.b32(T.address_of(slot), T.uint32(COLUMNS))
    if tid == 0:
        T.ptx.mbarrier.init.shared.b64(done.ptr_to([0]), T.uint32(1))
    for k in range(K):
        a[tid, k] = A[tid, k]
        if tid < N:
            b[tid, k] = B[tid, k]
    T.ptx.fence.proxy.async_.shared__cta()
    T.cuda.cta_sync()
    d = T.cuda.decl_tmem(slot[0], ty_args=[T.Tensor((M, N), "float16", scope="tmem", layout=D_LAYOUT)])
    if tid == 0:
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
    frag = T.wg_reg_tile(N, "float16")
    # x16 registers, two values in each: 32 columns.
    T.cuda.tile.apply(
        T.ptx["tcgen05.ld.sync.aligned.32x32b.x16.pack::16b.b32"], frag.view(4, 32, N), d.view(4, 32, N), scope="warpgroup"
    )
    T.ptx.tcgen05.wait__ld.sync.aligned()
    row = frag.view(N, layout="default")
    for n in range(N):
        Out[tid, n] = row[n]
    T.cuda.cta_sync()
    if warp == 0:
        T.ptx.tcgen05.relinquish_alloc_permit.cta_group__1.sync.aligned()
        T.ptx.tcgen05.dealloc.cta_group__1.sync.aligned.b32(slot[0], T.uint32(COLUMNS))
