"""tcgen05.mma.ws with M 64: two banks of lanes, each with an A of its own.

The weight-stationary form keeps B in place and folds N over the lanes: with M 64 and N 128 the accumulator takes 64
columns, lanes 0-63 hold columns 0-63 of D and lanes 64-127 hold columns 64-127. Each half of the lanes multiplies
the copy of A that lies in those lanes. Here the two copies differ, so one instruction gives

    Out[:, 0:64]   = A[0] B[0:64]^T
    Out[:, 64:128] = A[1] B[64:128]^T

A in tensor memory therefore ends in (bank, m, k).
"""

from tvm.script import tirx as T
from tvm.backend.cuda.layout import mma_shared_layout, tmem_mma_operand_layout

M, N, K = 64, 128, 64
STEP = 16
COLUMNS = 128  # 64 for D, 32 for A
A_COLUMN = 64

B_LAYOUT = mma_shared_layout("float16", 3, (N, K))
D_LAYOUT = tmem_mma_operand_layout("D", (M, N), "float32", M=M, cta_group=1, ws=True)
A_LAYOUT = tmem_mma_operand_layout("A", (2, M, K), "float16", M=M, cta_group=1, ws=True)


@T.function
def ws_banks(
    A: T.Tensor((2, M, K), "float16"),
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
    for k in range(K):
        b[tid, k] = B[tid, k]
    T.ptx.fence.proxy.async_.shared__cta()
    T.cuda.cta_sync()
    d = T.cuda.decl_tmem(slot[0], ty_args=[T.Tensor((M, N), "float32", scope="tmem", layout=D_LAYOUT)])
    a = T.cuda.decl_tmem(
        slot[0] + T.uint32(A_COLUMN), ty_args=[T.Tensor((2, M, K), "float16", scope="tmem", layout=A_LAYOUT)]
    )
    # Lane t holds row t % 64 of A[t // 64].
    row = T.wg_reg_tile(K, "float16")
    mine = row.view(K, layout="default")
    for k in range(K):
        mine[k] = A[tid // M, tid % M, k]
    T.cuda.tile.apply(
        T.ptx["tcgen05.st.sync.aligned.32x32b.x32.b32"],
        a.view("uint32").view(4, 32, K // 2),
        row.view("uint32").view(4, 32, K // 2),
        scope="warpgroup",
    )
    T.ptx.tcgen05.wait__st.sync.aligned()
    T.ptx.tcgen05.fence__before_thread_sync()
    T.cuda.cta_sync()
    if tid == 0:
        T.ptx.tcgen05.fence__after_thread_sync()
        T.cuda.tile.apply(
            T.ptx["tcgen05.mma.ws.cta_group::1.kind::f16"],
            d.view(1, 1, M, N),
            a.rearrange("bank m (s k) -> s bank m k", k=STEP).view(1, K // STEP, 2, M, STEP),
            b.rearrange("n (s k) -> s n k", k=STEP).view(1, K // STEP, N, STEP),
            instruction_shape=(M, N, STEP),
        )
        T.ptx.tcgen05.commit.cta_group__1.mbarrier__arrive__one.shared__cluster.b64(done.ptr_to([0]))
    T.cuda.mbarrier_wait(done.ptr_to([0]), 0)
    T.ptx.tcgen05.fence__after_thread_sync()
    # Lane t, column c is D[t % 64, 64 * (t // 64) + c].
    frag = T.wg_reg_tile(N // 2, "float32")
    T.cuda.tile.apply(
        T.ptx["tcgen05.ld.sync.aligned.32x32b.x64.b32"],
        frag.view(4, 32, N // 2),
        d.rearrange("m (half c) -> half m c", half=2).view(4, 32, N // 2),
        scope="warpgroup",
    )
    T.ptx.tcgen05.wait__ld.sync.aligned()
    out_row = frag.view(N // 2, layout="default")
    for c in range(N // 2):
        Out[tid % M, N // 2 * (tid // M) + c] = out_row[c]
    T.cuda.cta_sync()
    if warp == 0:
        T.ptx.tcgen05.relinquish_alloc_permit.cta_group__1.sync.aligned()
        T.ptx.tcgen05.dealloc.cta_group__1.sync.aligned.b32(slot[0], T.uint32(COLUMNS))
