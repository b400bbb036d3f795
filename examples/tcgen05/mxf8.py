"""Block scaling, kind mxf8f6f4: e4m3 operands with one power-of-two scale for every 32 values of K.

    Out[m, n] = sum over blocks b of SFA[m, b] SFB[n, b] * (sum of A[m, k] B[n, k] over the 32 k of b)

The scales are read from tensor memory. Row r's factor number s lies in lane r % 32, byte 4 (r // 32) + s of the lane,
with a copy in each of the four quadrants. Shared memory holds the same bytes as 32 units of 16 bytes, unit u for rows
u, u + 32, u + 64 and u + 96; tcgen05.cp with .warpx4 moves them and makes the copies. The copy and the products are
issued by one thread, which orders them: nothing waits in between.

K is 128: four instructions of 32, and their four factors share one 32-bit cell. Instruction i takes byte i, which its
descriptor says as scale-factor id i.
"""

from tvm.script import tirx as T
from tvm.backend.cuda.layout import mma_shared_layout, sf_smem_layout, sf_tmem_layout, tmem_mma_operand_layout

M, N, K = 128, 128, 128
STEP = 32
BLOCKS = K // 32  # factors a row
COLUMNS = 256  # 128 for D, 4 for each set of factors
SFA_COLUMN, SFB_COLUMN = 128, 132

A_LAYOUT = mma_shared_layout("float8_e4m3fn", 3, (M, K))
B_LAYOUT = mma_shared_layout("float8_e4m3fn", 3, (N, K))
D_LAYOUT = tmem_mma_operand_layout("D", (M, N), "float32", M=M, cta_group=1)
SF_SHARED = sf_smem_layout(128, BLOCKS, 1)  # (row, factor) to byte of the 512
SF_LAYOUT = sf_tmem_layout(128, BLOCKS, 1)
# The same cells as words: what tcgen05.cp writes.
SF_CELLS = T.TileLayout(
    T.S[(32, 4) : (1 @ T.cuda.Axis.TLane, 1 @ T.cuda.Axis.TCol)] + T.R[4 : 32 @ T.cuda.Axis.TLane]
)


@T.function
def mxf8(
    A: T.Tensor((M, K), "float8_e4m3fn"),
    B: T.Tensor((N, K), "float8_e4m3fn"),
    SFA: T.Tensor((M, BLOCKS), "uint8"),
    SFB: T.Tensor((N, BLOCKS), "uint8"),
    Out: T.Tensor((M, N), "float32"),
):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=128))
    tid = T.cuda.thread_idx("x")
    warp = T.cuda.warp_id()
    a = T.alloc_shared((M, K), "float8_e4m3fn", layout=A_LAYOUT, align=1024)
    b = T.alloc_shared((N, K), "float8_e4m3fn", layout=B_LAYOUT, align=1024)
    sfa_units = T.alloc_shared((32, 16), "uint8", layout="default", align=128)
    sfb_units = T.alloc_shared((32, 16), "uint8", layout="default", align=128)
    slot = T.alloc_shared((1,), "uint32", layout="default")
    done = T.alloc_shared((1,), "uint64", layout="default")
    if warp == 0:
        T.ptx.tcgen05.alloc.cta_group__1.sync.aligned.shared__cta.b32(T.address_of(slot), T.uint32(COLUMNS))
    if tid == 0:
        T.ptx.mbarrier.init.shared.b64(done.ptr_to([0]), T.uint32(1))
    sfa_rows = sfa_units.view(M, BLOCKS, layout=SF_SHARED)
    sfb_rows = sfb_units.view(N, BLOCKS, layout=SF_SHARED)
    for k in range(K):
        a[tid, k] = A[tid, k]
        b[tid, k] = B[tid, k]
    for s in range(BLOCKS):
        sfa_rows[tid, s] = SFA[tid, s]
        sfb_rows[tid, s] = SFB[tid, s]
    T.ptx.fence.proxy.async_.shared__cta()
    T.cuda.cta_sync()
    d = T.cuda.decl_tmem(slot[0], ty_args=[T.Tensor((M, N), "float32", scope="tmem", layout=D_LAYOUT)])
    sfa_at = slot[0] + T.uint32(SFA_COLUMN)
    sfb_at = slot[0] + T.uint32(SFB_COLUMN)
    sfa = T.cuda.decl_tmem(sfa_at, ty_args=[T.Tensor((M, BLOCKS), "float8_e8m0fnu", scope="tmem", layout=SF_LAYOUT)])
    sfb = T.cuda.decl_tmem(sfb_at, ty_args=[T.Tensor((N, BLOCKS), "float8_e8m0fnu", scope="tmem", layout=SF_LAYOUT)])
    sfa_cells = T.cuda.decl_tmem(sfa_at, ty_args=[T.Tensor((32, 4), "uint32", scope="tmem", layout=SF_CELLS)])
    sfb_cells = T.cuda.decl_tmem(sfb_at, ty_args=[T.Tensor((32, 4), "uint32", scope="tmem", layout=SF_CELLS)])
    if tid == 0:
        # Eight units of 16 bytes are 128 bytes: the stride between groups of eight rows.
        T.cuda.tile.apply(
            T.ptx["tcgen05.cp.cta_group::1.32x128b.warpx4"], sfa_cells, sfa_units.view("uint32"), sdo_bytes=128
        )
        T.cuda.tile.apply(
            T.ptx["tcgen05.cp.cta_group::1.32x128b.warpx4"], sfb_cells, sfb_units.view("uint32"), sdo_bytes=128
        )
        T.cuda.tile.apply(
            T.ptx["tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.scale_vec::1X"],
            d.view(1, 1, M, N),
            a.rearrange("m (s k) -> s m k", k=STEP).view(1, K // STEP, M, STEP),
            b.rearrange("n (s k) -> s n k", k=STEP).view(1, K // STEP, N, STEP),
            sfa.rearrange("m (s v) -> s m v", v=1).view(1, BLOCKS, M, 1),
            sfb.rearrange("n (s v) -> s n v", v=1).view(1, BLOCKS, N, 1),
            instruction_shape=(M, N, STEP),
        )
        T.ptx.tcgen05.commit.cta_group__1.mbarrier__arrive__one.shared__cluster.b64(done.ptr_to([0]))
    T.cuda.mbarrier_wait(done.ptr_to([0]), 0)
    T.ptx.tcgen05.fence__after_thread_sync()
    frag = T.wg_reg_tile(N, "float32")
    T.cuda.tile.apply(
        T.ptx["tcgen05.ld.sync.aligned.32x32b.x128.b32"], frag.view(4, 32, N), d.view(4, 32, N), scope="warpgroup"
    )
    T.ptx.tcgen05.wait__ld.sync.aligned()
    row = frag.view(N, layout="default")
    for n in range(N):
        Out[tid, n] = row[n]
    T.cuda.cta_sync()
    if warp == 0:
        T.ptx.tcgen05.relinquish_alloc_permit.cta_group__1.sync.aligned()
        T.ptx.tcgen05.dealloc.cta_group__1.sync.aligned.b32(slot[0], T.uint32(COLUMNS))
