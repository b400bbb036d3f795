"""kind tf32 with both operands MN-major: A is stored (K, M) and B (K, N), as a transposed product finds them.

Elements of 32 bits can be MN-major in one descriptor mode alone: rows of 128 bytes that are permuted in units of 32
bytes (mode 4 of the descriptor; byte offset o becomes o ^ ((o >> 2) & 96)). The factory makes modes 0 to 3, so this
layout is written out: four K rows of 32 floats make a 512-byte pattern, the next four K rows follow it, and the next
32 values of M or N come after all of K.
"""

from tvm.script import tirx as T
from tvm.backend.cuda.layout import tmem_mma_operand_layout

M, N, K = 128, 64, 32
STEP = 8  # K of one instruction of kind tf32
COLUMNS = 64
ROW = 32  # floats in a row of 128 bytes


# In units of 8 floats (32 bytes): two bits change, by the two bits above them.
A_LAYOUT = T.ComposeLayout(3, 2, 2, T.TileLayout(T.S[(K, M // ROW, ROW) : (ROW, K * ROW, 1)]))
B_LAYOUT = T.ComposeLayout(3, 2, 2, T.TileLayout(T.S[(K, N // ROW, ROW) : (ROW, K * ROW, 1)]))
D_LAYOUT = tmem_mma_operand_layout("D", (M, N), "float32", M=M, cta_group=1)


@T.function
def tf32_mn_major(
    A: T.Tensor((K, M), "float32"),
    B: T.Tensor((K, N), "float32"),
    Out: T.Tensor((M, N), "float32"),
):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=128))
    tid = T.cuda.thread_idx("x")
    warp = T.cuda.warp_id()
    a = T.alloc_shared((K, M), "float32", layout=A_LAYOUT, align=512)
    b = T.alloc_shared((K, N), "float32", layout=B_LAYOUT, align=512)
    slot = T.alloc_shared((1,), "uint32", layout="default")
    done = T.alloc_shared((1,), "uint64", layout="default")
    if warp == 0:
        T.ptx.tcgen05.alloc.cta_group__1.sync.aligned.shared__cta.b32(T.address_of(slot), T.uint32(COLUMNS))
    if tid == 0:
        T.ptx.mbarrier.init.shared.b64(done.ptr_to([0]), T.uint32(1))
    for k in range(K):
        a[k, tid] = A[k, tid]
        if tid < N:
            b[k, tid] = B[k, tid]
    T.ptx.fence.proxy.async_.shared__cta()
    T.cuda.cta_sync()
    d = T.cuda.decl_tmem(slot[0], ty_args=[T.Tensor((M, N), "float32", scope="tmem", layout=D_LAYOUT)])
    if tid == 0:
        # The operands are seen as (M, K) and (N, K); that K steps over rows in memory is what "mn" says.
        T.cuda.tile.apply(
            T.ptx["tcgen05.mma.cta_group::1.kind::tf32"],
            d.view(1, 1, M, N),
            a.rearrange("(s k) m -> s m k", k=STEP).view(1, K // STEP, M, STEP),
            b.rearrange("(s k) n -> s n k", k=STEP).view(1, K // STEP, N, STEP),
            instruction_shape=(M, N, STEP),
            a_major="mn",
            b_major="mn",
            a_format="tf32",  # the storage is float32; the instruction drops the low 13 bits
            b_format="tf32",
        )
        T.ptx.tcgen05.commit.cta_group__1.mbarrier__arrive__one.shared__cluster.b64(done.ptr_to([0]))
    T.cuda.mbarrier_wait(done.ptr_to([0]), 0)
    T.ptx.tcgen05.fence__after_thread_sync()
    frag = T.wg_reg_tile(N, "float32")
    T.cuda.tile.apply(
        T.ptx["tcgen05.ld.sync.aligned.32x32b.x64.b32"], frag.view(4, 32, N), d.view(4, 32, N), scope="warpgroup"
    )
    T.ptx.tcgen05.wait__ld.sync.aligned()
    row = frag.view(N, layout="default")
    for n in range(N):
        Out[tid, n] = row[n]
    T.cuda.cta_sync()
    if warp == 0:
        T.ptx.tcgen05.relinquish_alloc_permit.cta_group__1.sync.aligned()
        T.ptx.tcgen05.dealloc.cta_group__1.sync.aligned.b32(slot[0], T.uint32(COLUMNS))
