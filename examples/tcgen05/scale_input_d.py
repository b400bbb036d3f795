"""scale-input-d: Out = A B^T + C / 8, the division done by the tensor core as it reads the accumulator.

An instruction of kind f16 or tf32 may carry an immediate s from 0 to 15; it then reads D as D * 2^-s. Running sums that
are rescaled as they go (online softmax in powers of two) use it. In tile.apply it belongs to the read of D that `accum`
allows: the first step of K scales, the later ones add to what is there.
"""

from tvm.script import tirx as T
from tvm.backend.cuda.layout import mma_shared_layout, tmem_mma_operand_layout

M, N, K = 128, 32, 64
STEP = 16
COLUMNS = 32
SCALE = 3  # D enters as D * 2^-3

A_LAYOUT = mma_shared_layout("float16", 3, (M, K))
B_LAYOUT = mma_shared_layout("float16", 3, (N, K))
D_LAYOUT = tmem_mma_operand_layout("D", (M, N), "float32", M=M, cta_group=1)


@T.function
def scale_input_d(
    A: T.Tensor((M, K), "float16"),
    B: T.Tensor((N, K), "float16"),
    C: T.Tensor((M, N), "float32"),
    Out: T.Tensor((M, N), "float32"),
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
    d = T.cuda.decl_tmem(slot[0], ty_args=[T.Tensor((M, N), "float32", scope="tmem", layout=D_LAYOUT)])
    frag = T.wg_reg_tile(N, "float32")
    row = frag.view(N, layout="default")
    for n in range(N):
        row[n] = C[tid, n]
    T.cuda.tile.apply(
        T.ptx["tcgen05.st.sync.aligned.32x32b.x32.b32"], d.view(4, 32, N), frag.view(4, 32, N), scope="warpgroup"
    )
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
            accum=True,
            scale_input_d=SCALE,
        )
        T.ptx.tcgen05.commit.cta_group__1.mbarrier__arrive__one.shared__cluster.b64(done.ptr_to([0]))
    T.cuda.mbarrier_wait(done.ptr_to([0]), 0)
    T.ptx.tcgen05.fence__after_thread_sync()
    T.cuda.tile.apply(
        T.ptx["tcgen05.ld.sync.aligned.32x32b.x32.b32"], frag.view(4, 32, N), d.view(4, 32, N), scope="warpgroup"
    )
    T.ptx.tcgen05.wait__ld.sync.aligned()
    for n in range(N):
        Out[tid, n] = row[n]
    T.cuda.cta_sync()
    if warp == 0:
        T.ptx.tcgen05.relinquish_alloc_permit.cta_group__1.sync.aligned()
        T.ptx.tcgen05.dealloc.cta_group__1.sync.aligned.b32(slot[0], T.uint32(COLUMNS))
