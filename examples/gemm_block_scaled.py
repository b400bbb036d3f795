"""gemm_async with block scaling: an MXFP8 tile, 128x128x128, one factor for every 32 values of K.

The dtypes choose the instruction: float8_e4m3fn with scales in float8_e8m0fnu is kind mxf8f6f4. A factor is a byte; the four
K steps share the cells of the scales, and each step's instruction descriptor names the byte that is its own.

    tilewright compile examples/gemm_block_scaled.py --emit ir-lowered
"""

from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import R, S, TCol, TLane, TileLayout, tid_in_wg as axis_tid_in_wg
from tvm.tirx.cuda.operator.tile_primitive.tma_utils import mma_shared_layout
from tvm.backend.cuda.layout import sf_smem_layout, sf_tmem_layout

M, N, K = 128, 128, 128
FACTORS = K // 32  # of a row
COLUMNS = 256  # 128 for the accumulator, 4 for each set of scales
SFA_COLUMN, SFB_COLUMN = 128, 132

OPERAND = mma_shared_layout("float8_e4m3fn", 3, (M, K))
SF_SHARED = sf_smem_layout(128, FACTORS, 1)
SF_TMEM = sf_tmem_layout(128, FACTORS, 1)
# The scales' cells as words, the unit of tcgen05.cp: 32 lanes of 4, and a copy in each quadrant.
SF_CELLS = TileLayout(S[(32, 4) : (1 @ TLane, 1 @ TCol)] + R[4 : 32 @ TLane])


@T.prim_func
def gemm_block_scaled(
    A: T.Buffer((M, K), "float8_e4m3fn"),
    B: T.Buffer((N, K), "float8_e4m3fn"),
    SFA: T.Buffer((M, FACTORS), "uint8"),
    SFB: T.Buffer((N, FACTORS), "uint8"),
    Out: T.Buffer((M, N), "float32"),
):
    T.device_entry()
    T.cta_id([1])
    warp_id = T.warp_id([4])
    tid = T.thread_id_in_wg([128])

    A_smem = T.alloc_buffer((M, K), "float8_e4m3fn", scope="shared", layout=OPERAND)
    B_smem = T.alloc_buffer((N, K), "float8_e4m3fn", scope="shared", layout=OPERAND)
    sfa_units = T.alloc_buffer((32, 16), "uint8", scope="shared", layout="default", align=128)
    sfb_units = T.alloc_buffer((32, 16), "uint8", scope="shared", layout="default", align=128)
    tmem_addr = T.alloc_shared([1], "uint32")
    done = T.alloc_shared([1], "uint64")

    if tid == 0:
        T.ptx.mbarrier.init(done.ptr_to([0]), 1)
    if warp_id == 0:
        T.ptx.tcgen05.alloc(T.address_of(tmem_addr), n_cols=COLUMNS, cta_group=1)
    sfa_rows = sfa_units.view(M, FACTORS, layout=SF_SHARED)
    sfb_rows = sfb_units.view(N, FACTORS, layout=SF_SHARED)
    for k in range(K):
        A_smem[tid, k] = A[tid, k]
        B_smem[tid, k] = B[tid, k]
    for f in range(FACTORS):
        sfa_rows[tid, f] = SFA[tid, f]
        sfb_rows[tid, f] = SFB[tid, f]
    T.ptx.fence.proxy_async("shared::cta")
    T.cuda.cta_sync()

    tmem = T.decl_buffer((M, N), "float32", scope="tmem", allocated_addr=tmem_addr[0],
                         layout=TileLayout(S[(M, N) : (1 @ TLane, 1 @ TCol)]))
    sfa_at = tmem_addr[0] + T.uint32(SFA_COLUMN)
    sfb_at = tmem_addr[0] + T.uint32(SFB_COLUMN)
    sfa = T.decl_buffer((M, FACTORS), "float8_e8m0fnu", scope="tmem", allocated_addr=sfa_at, layout=SF_TMEM)
    sfb = T.decl_buffer((N, FACTORS), "float8_e8m0fnu", scope="tmem", allocated_addr=sfb_at, layout=SF_TMEM)
    sfa_cells = T.decl_buffer((32, 4), "uint32", scope="tmem", allocated_addr=sfa_at, layout=SF_CELLS)
    sfb_cells = T.decl_buffer((32, 4), "uint32", scope="tmem", allocated_addr=sfb_at, layout=SF_CELLS)

    if tid == 0:
        # Copies and products of one thread complete in order: nothing has to wait between them.
        T.cuda.tile.apply(T.ptx["tcgen05.cp.cta_group::1.32x128b.warpx4"], sfa_cells, sfa_units.view("uint32"), sdo_bytes=128)
        T.cuda.tile.apply(T.ptx["tcgen05.cp.cta_group::1.32x128b.warpx4"], sfb_cells, sfb_units.view("uint32"), sdo_bytes=128)
        Tx.gemm_async(tmem[:, :], A_smem[:, :], B_smem[:, :], SFA=sfa[:, :], SFB=sfb[:, :], dispatch="tcgen05")
        T.ptx.tcgen05.commit(done.ptr_to([0]), cta_group=1)
    T.ptx.mbarrier.try_wait(done.ptr_to([0]), 0)
    T.ptx.tcgen05.fence.after_thread_sync()

    row = T.alloc_local((N,), "float32", layout="default")
    tile = row.view(M, N, layout=TileLayout(S[(M, N) : (1 @ axis_tid_in_wg, 1)]))
    T.cuda.tile.apply(T.ptx["tcgen05.ld.sync.aligned.32x32b.x128.b32"], tile.view(4, 32, N), tmem.view(4, 32, N),
                      scope="warpgroup")
    T.ptx.tcgen05.wait.ld()
    for n in range(N):
        Out[tid, n] = row[n]
    T.cuda.cta_sync()
    if warp_id == 0:
        T.ptx.tcgen05.relinquish_alloc_permit(cta_group=1)
        T.ptx.tcgen05.dealloc(tmem_addr[0], n_cols=COLUMNS, cta_group=1)
