"""Block scaling, kind mxf4nvf4 (NVFP4): 4-bit operands with an 8-bit float scale for every 16 values of K.

The finer blocks need four factors a row for each instruction of K 64 (scale_vec::4X): they fill a whole 32-bit cell, so
the next instruction takes the next cells and the scale-factor id is always 0. The factors are e4m3 without a sign. N is
256, the largest: 256 rows of SFB are two blocks of 128, eight columns for each step of K.
"""

from tvm.script import tirx as T
from tvm.backend.cuda.layout import mma_shared_layout, sf_smem_layout, sf_tmem_layout, tmem_mma_operand_layout

M, N, K = 128, 256, 128
STEP = 64
STEPS = K // STEP
PER_STEP = 4
FACTORS = STEPS * PER_STEP
COLUMNS = 512  # 256 for D, 8 for SFA, 16 for SFB
SFA_COLUMN, SFB_COLUMN = 256, 264

A_LAYOUT = mma_shared_layout("float4_e2m1fn", 2, (M, K))
B_LAYOUT = mma_shared_layout("float4_e2m1fn", 2, (N, K))
D_LAYOUT = tmem_mma_operand_layout("D", (M, N), "float32", M=M, cta_group=1)
SFA_SHARED = sf_smem_layout(M, FACTORS, PER_STEP)
SFA_LAYOUT = sf_tmem_layout(M, FACTORS, PER_STEP)
SFB_LAYOUT = sf_tmem_layout(N, FACTORS, PER_STEP)
# Blocks of 128 rows by 4 factors, each 512 bytes in shared memory and 4 columns in tensor memory. Step s of SFB has
# the blocks 2 s (rows 0-127) and 2 s + 1 (rows 128-255).
SFB_SHARED = T.TileLayout(T.S[(2, 4, 32, STEPS, 4) : (512, 4, 16, 1024, 1)])
BLOCKS_LAYOUT = lambda n: T.TileLayout(
    T.S[(n, 32, 4) : (4 @ T.cuda.Axis.TCol, 1 @ T.cuda.Axis.TLane, 1 @ T.cuda.Axis.TCol)]
    + T.R[4 : 32 @ T.cuda.Axis.TLane]
)
SFA_CELLS = BLOCKS_LAYOUT(STEPS)
SFB_CELLS = BLOCKS_LAYOUT(2 * STEPS)


@T.function
def nvfp4(
    A: T.Tensor((M, K // 2), "uint8"),
    B: T.Tensor((N, K // 2), "uint8"),
    SFA: T.Tensor((M, FACTORS), "uint8"),
    SFB: T.Tensor((N, FACTORS), "uint8"),
    Out: T.Tensor((M, N), "float32"),
):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=128))
    tid = T.cuda.thread_idx("x")
    warp = T.cuda.warp_id()
    a = T.alloc_shared((M, K), "float4_e2m1fn", layout=A_LAYOUT, align=1024)
    b = T.alloc_shared((N, K), "float4_e2m1fn", layout=B_LAYOUT, align=1024)
    sfa_units = T.alloc_shared((STEPS, 32, 16), "uint8", layout="default", align=128)
    sfb_units = T.alloc_shared((2 * STEPS, 32, 16), "uint8", layout="default", align=128)
    slot = T.alloc_shared((1,), "uint32", layout="default")
    done = T.alloc_shared((1,), "uint64", layout="default")
    if warp == 0:
        T.ptx.tcgen05.alloc.cta_group__1.sync.aligned.shared__cta.b32(T.address_of(slot), T.uint32(COLUMNS))
    if tid == 0:
        T.ptx.mbarrier.init.shared.b64(done.ptr_to([0]), T.uint32(1))
    a_bytes = a.view("uint8")
    b_bytes = b.view("uint8")
    sfa_rows = sfa_units.view(M, FACTORS, layout=SFA_SHARED)
    sfb_rows = sfb_units.view(N, FACTORS, layout=SFB_SHARED)
    for k in range(K // 2):
        a_bytes[tid, k] = A[tid, k]
        b_bytes[tid, k] = B[tid, k]
        b_bytes[tid + 128, k] = B[tid + 128, k]
    for s in range(FACTORS):
        sfa_rows[tid, s] = SFA[tid, s]
        sfb_rows[tid, s] = SFB[tid, s]
        sfb_rows[tid + 128, s] = SFB[tid + 128, s]
    T.ptx.fence.proxy.async_.shared__cta()
    T.cuda.cta_sync()
    d = T.cuda.decl_tmem(slot[0], ty_args=[T.Tensor((M, N), "float32", scope="tmem", layout=D_LAYOUT)])
    sfa_at = slot[0] + T.uint32(SFA_COLUMN)
    sfb_at = slot[0] + T.uint32(SFB_COLUMN)
    sfa = T.cuda.decl_tmem(sfa_at, ty_args=[T.Tensor((M, FACTORS), "float8_e4m3fn", scope="tmem", layout=SFA_LAYOUT)])
    sfb = T.cuda.decl_tmem(sfb_at, ty_args=[T.Tensor((N, FACTORS), "float8_e4m3fn", scope="tmem", layout=SFB_LAYOUT)])
    sfa_cells = T.cuda.decl_tmem(sfa_at, ty_args=[T.Tensor((STEPS, 32, 4), "uint32", scope="tmem", layout=SFA_CELLS)])
    sfb_cells = T.cuda.decl_tmem(sfb_at, ty_args=[T.Tensor((2 * STEPS, 32, 4), "uint32", scope="tmem", layout=SFB_CELLS)])
    if tid == 0:
        # One copy a block: the leading axis is a repeat axis.
        T.cuda.tile.apply(
            T.ptx["tcgen05.cp.cta_group::1.32x128b.warpx4"], sfa_cells, sfa_units.view("uint32"), sdo_bytes=128
        )
        T.cuda.tile.apply(
            T.ptx["tcgen05.cp.cta_group::1.32x128b.warpx4"], sfb_cells, sfb_units.view("uint32"), sdo_bytes=128
        )
        T.cuda.tile.apply(
            T.ptx["tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.scale_vec::4X"],
            d.view(1, 1, M, N),
            a.rearrange("m (s k) -> s m k", k=STEP).view(1, STEPS, M, STEP),
            b.rearrange("n (s k) -> s n k", k=STEP).view(1, STEPS, N, STEP),
            sfa.rearrange("m (s v) -> s m v", v=PER_STEP).view(1, STEPS, M, PER_STEP),
            sfb.rearrange("n (s v) -> s n v", v=PER_STEP).view(1, STEPS, N, PER_STEP),
            instruction_shape=(M, N, STEP),
        )
        T.ptx.tcgen05.commit.cta_group__1.mbarrier__arrive__one.shared__cluster.b64(done.ptr_to([0]))
    T.cuda.mbarrier_wait(done.ptr_to([0]), 0)
    T.ptx.tcgen05.fence__after_thread_sync()
    frag = T.wg_reg_tile(128, "float32")
    row = frag.view(128, layout="default")
    halves = d.rearrange("(w r) (h c) -> w h r c", w=4, h=2)
    for half in T.unroll(2):
        T.cuda.tile.apply(
            T.ptx["tcgen05.ld.sync.aligned.32x32b.x128.b32"],
            frag.view(4, 1, 32, 128),
            halves[:, half : half + 1, :, :],
            scope="warpgroup",
        )
        T.ptx.tcgen05.wait__ld.sync.aligned()
        for n in range(128):
            Out[tid, 128 * half + n] = row[n]
    T.cuda.cta_sync()
    if warp == 0:
        T.ptx.tcgen05.relinquish_alloc_permit.cta_group__1.sync.aligned()
        T.ptx.tcgen05.dealloc.cta_group__1.sync.aligned.b32(slot[0], T.uint32(COLUMNS))
