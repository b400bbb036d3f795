"""Block scaling, kind mxf4: 4-bit operands, two to a byte, one power-of-two scale for every 32 values of K.

One instruction takes K 64 and so two factors a row (scale_vec::2X). They share a 32-bit cell with the two factors of
the next instruction: the first uses bytes 0 and 1, the second bytes 2 and 3, scale-factor ids 0 and 2.

A thread has no address for half a byte, so the tiles are filled through a view of bytes.
"""

from tvm.script import tirx as T
from tvm.backend.cuda.layout import mma_shared_layout, sf_smem_layout, sf_tmem_layout, tmem_mma_operand_layout

M, N, K = 128, 64, 128
STEP = 64
BLOCKS = K // 32
PER_STEP = 2
COLUMNS = 128  # 64 for D, 4 for each set of factors
SFA_COLUMN, SFB_COLUMN = 64, 68

A_LAYOUT = mma_shared_layout("float4_e2m1fn", 2, (M, K))
B_LAYOUT = mma_shared_layout("float4_e2m1fn", 2, (N, K))
D_LAYOUT = tmem_mma_operand_layout("D", (M, N), "float32", M=M, cta_group=1)
SF_SHARED = sf_smem_layout(128, BLOCKS, PER_STEP)
SFA_LAYOUT = sf_tmem_layout(M, BLOCKS, PER_STEP)
SFB_LAYOUT = sf_tmem_layout(N, BLOCKS, PER_STEP)  # 64 rows: the first two of the four columns
SF_CELLS = T.TileLayout(
    T.S[(32, 4) : (1 @ T.cuda.Axis.TLane, 1 @ T.cuda.Axis.TCol)] + T.R[4 : 32 @ T.cuda.Axis.TLane]
)


@T.function
def mxf4(
    A: T.Tensor((M, K // 2), "uint8"),
    B: T.Tensor((N, K // 2), "uint8"),
    SFA: T.Tensor((M, BLOCKS), "uint8"),
    SFB: T.Tensor((N, BLOCKS), "uint8"),
    Out: T.Tensor((M, N), "float32"),
):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=128))
    tid = T.cuda.thread_idx("x")
    warp = T.cuda.warp_id()
    a = T.alloc_shared((M, K), "float4_e2m1fn", layout=A_LAYOUT, align=1024)
    b = T.alloc_shared((N, K), "float4_e2m1fn", layout=B_LAYOUT, align=1024)
    sfa_units = T.alloc_shared((32, 16), "uint8", layout="default", align=128)
    sfb_units = T.alloc_shared((32, 16), "uint8", layout="default", align=128)
    slot = T.alloc_shared((1,), "uint32", layout="default")
    done = T.alloc_shared((1,), "uint64", layout="default")
    if warp == 0:
        T.ptx.tcgen05.alloc.cta_group__1.sync.aligned.shared__cta.b32(T.address_of(slot), T.uint32(COLUMNS))
    if tid == 0:
        T.ptx.mbarrier.init.shared.b64(done.ptr_to([0]), T.uint32(1))
    a_bytes = a.view("uint8")
    b_bytes = b.view("uint8")
    sfa_rows = sfa_units.view(128, BLOCKS, layout=SF_SHARED)
    sfb_rows = sfb_units.view(128, BLOCKS, layout=SF_SHARED)
    for k in range(K // 2):
        a_bytes[tid, k] = A[tid, k]
        if tid < N:
            b_bytes[tid, k] = B[tid, k]
    for s in range(BLOCKS):
        sfa_rows[tid, s] = SFA[tid, s]
        # tcgen05.cp moves factors for 128 rows; those beyond N are not used, so any byte will do.
        sfb_rows[tid, s] = SFB[tid % N, s]
    T.ptx.fence.proxy.async_.shared__cta()
    T.cuda.cta_sync()
    d = T.cuda.decl_tmem(slot[0], ty_args=[T.Tensor((M, N), "float32", scope="tmem", layout=D_LAYOUT)])
    sfa_at = slot[0] + T.uint32(SFA_COLUMN)
    sfb_at = slot[0] + T.uint32(SFB_COLUMN)
    sfa = T.cuda.decl_tmem(sfa_at, ty_args=[T.Tensor((M, BLOCKS), "float8_e8m0fnu", scope="tmem", layout=SFA_LAYOUT)])
    sfb = T.cuda.decl_tmem(sfb_at, ty_args=[T.Tensor((N, BLOCKS), "float8_e8m0fnu", scope="tmem", layout=SFB_LAYOUT)])
    sfa_cells = T.cuda.decl_tmem(sfa_at, ty_args=[T.Tensor((32, 4), "uint32", scope="tmem", layout=SF_CELLS)])
    sfb_cells = T.cuda.decl_tmem(sfb_at, ty_args=[T.Tensor((32, 4), "uint32", scope="tmem", layout=SF_CELLS)])
    if tid == 0:
        T.cuda.tile.apply(
            T.ptx["tcgen05.cp.cta_group::1.32x128b.warpx4"], sfa_cells, sfa_units.view("uint32"), sdo_bytes=128
        )
        T.cuda.tile.apply(
            T.ptx["tcgen05.cp.cta_group::1.32x128b.warpx4"], sfb_cells, sfb_units.view("uint32"), sdo_bytes=128
        )
        T.cuda.tile.apply(
            T.ptx["tcgen05.mma.cta_group::1.kind::mxf4.block_scale.scale_vec::2X"],
            d.view(1, 1, M, N),
            a.rearrange("m (s k) -> s m k", k=STEP).view(1, K // STEP, M, STEP),
            b.rearrange("n (s k) -> s n k", k=STEP).view(1, K // STEP, N, STEP),
            sfa.rearrange("m (s v) -> s m v", v=PER_STEP).view(1, K // STEP, M, PER_STEP),
            sfb.rearrange("n (s v) -> s n v", v=PER_STEP).view(1, K // STEP, N, PER_STEP),
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
    row = frag.view(N, layout="default")
    for n in range(N):
        Out[tid, n] = row[n]
    T.cuda.cta_sync()
    if warp == 0:
        T.ptx.tcgen05.relinquish_alloc_permit.cta_group__1.sync.aligned()
        T.ptx.tcgen05.dealloc.cta_group__1.sync.aligned.b32(slot[0], T.uint32(COLUMNS))
