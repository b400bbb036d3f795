# B has 16 rows where the instruction wants 32.
from tvm.script import tirx as T
from tvm.backend.cuda.layout import mma_shared_layout, tmem_mma_operand_layout

M, N, K = 128, 32, 128
STEP = 16
COLUMNS = 32

A_LAYOUT = mma_shared_layout("bfloat16", 3, (M, K))
B_LAYOUT = mma_shared_layout("bfloat16", 3, (N, K))
D_LAYOUT = tmem_mma_operand_layout("D", (M, N), "float32", M=M, cta_group=1)


@T.function
def tensor_mma(
    A: T.Tensor((M, K), "bfloat16"),
    B: T.Tensor((N, K), "bfloat16"),
    Out: T.Tensor((M, N), "float32"),
):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=128))
    tid = T.cuda.thread_idx("x")
    warp = T.cuda.warp_id()

    a = T.alloc_shared((M, K), "bfloat16", layout=A_LAYOUT, align=1024)
    b = T.alloc_shared((N, K), "bfloat16", layout=B_LAYOUT, align=1024)
    slot = T.alloc_shared((1,), "uint32", layout="default")
    done = T.alloc_shared((1,), "uint64", layout="default")

    if warp == 0:
        T.ptx.tcgen05.alloc.cta_group__1.sync.aligned.shared__cta.b32(T.address_of(slot), T.uint32(COLUMNS))
    if tid == 0:
        T.ptx.mbarrier.init.shared.b64(done.ptr_to([0]), T.uint32(1))

    for j in range(K):
        a[tid, j] = A[tid, j]
        if tid < N:
            b[tid, j] = B[tid, j]
    T.ptx.fence.proxy.async_.shared__cta()
    T.cuda.cta_sync()

    d = T.cuda.decl_tmem(slot[0], ty_args=[T.Tensor((M, N), "float32", scope="tmem", layout=D_LAYOUT)])

    a_steps = a.rearrange("m (s k) -> s m k", k=STEP).view(1, K // STEP, M, STEP)
    b_steps = b.rearrange("n (s k) -> s n k", k=STEP).view(2, K // STEP, N // 2, STEP)
    if tid == 0:
        T.cuda.tile.apply(
            T.ptx["tcgen05.mma.cta_group::1.kind::f16"],
            d.view(1, 1, M, N),
            a_steps,
            b_steps,
            instruction_shape=(M, N, STEP),
            accum=False,
        )
        T.ptx.tcgen05.commit.cta_group__1.mbarrier__arrive__one.shared__cluster.b64(done.ptr_to([0]))
    T.cuda.mbarrier_wait(done.ptr_to([0]), 0)
    T.ptx.tcgen05.fence__after_thread_sync()

    frag = T.alloc_tensor(
        ty_args=[
            T.Tensor((M, N), "float32", scope="local",
                     layout=T.TileLayout(T.S[(M, N) : (1 @ T.cuda.Axis.tid_in_wg, 1)]))
        ]
    )
    T.cuda.tile.apply(
        T.ptx["tcgen05.ld.sync.aligned.32x32b.x32.b32"], frag.view(4, 32, N), d.view(4, 32, N), scope="warpgroup"
    )
    T.ptx.tcgen05.wait__ld.sync.aligned()
    row = frag.view(N, layout="default")
    for j in range(N):
        Out[tid, j] = row[j]

    T.cuda.cta_sync()
    if warp == 0:
        T.ptx.tcgen05.relinquish_alloc_permit.cta_group__1.sync.aligned()
        T.ptx.tcgen05.dealloc.cta_group__1.sync.aligned.b32(slot[0], T.uint32(COLUMNS))
