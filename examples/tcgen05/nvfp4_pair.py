"""NVFP4 in a CTA pair: SFA is split, SFB is whole on both sides.

The pair computes 256 x 128. Each CTA stages its own 128 rows of A and its own 64 rows of B. The scales follow the rows
that multiply: a CTA's half of the product needs SFA for its own rows, and SFB for all 128 columns, since both halves of
B meet its rows. So each CTA reads half of SFB from global memory and writes it into the shared memory of both (mapa
gives the peer's address), and one tcgen05.cp with cta_group::2 then copies, in each CTA, from its own shared memory into
its own tensor memory.
"""

from tvm.script import tirx as T
from tvm.backend.cuda.layout import mma_shared_layout, sf_smem_layout, sf_tmem_layout, tmem_mma_operand_layout

M, N, K = 256, 128, 128
ROWS, B_ROWS = M // 2, N // 2
STEP = 64
STEPS = K // STEP
PER_STEP = 4
FACTORS = STEPS * PER_STEP
COLUMNS = 256  # 128 for D, 8 for each set of factors
SFA_COLUMN, SFB_COLUMN = 128, 136

A_LAYOUT = mma_shared_layout("float4_e2m1fn", 2, (ROWS, K))
B_LAYOUT = mma_shared_layout("float4_e2m1fn", 2, (B_ROWS, K))
D_LAYOUT = tmem_mma_operand_layout("D", (ROWS, N), "float32", M=M, cta_group=2)
SF_SHARED = sf_smem_layout(128, FACTORS, PER_STEP)
SF_LAYOUT = sf_tmem_layout(128, FACTORS, PER_STEP)
SF_CELLS = T.TileLayout(
    T.S[(STEPS, 32, 4) : (4 @ T.cuda.Axis.TCol, 1 @ T.cuda.Axis.TLane, 1 @ T.cuda.Axis.TCol)]
    + T.R[4 : 32 @ T.cuda.Axis.TLane]
)


@T.function
def nvfp4_pair(
    A: T.Tensor((M, K // 2), "uint8"),
    B: T.Tensor((N, K // 2), "uint8"),
    SFA: T.Tensor((M, FACTORS), "uint8"),
    SFB: T.Tensor((N, FACTORS), "uint8", align=4),
    Out: T.Tensor((M, N), "float32"),
):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=2, block=128, cluster=2))
    tid = T.cuda.thread_idx("x")
    warp = T.cuda.warp_id()
    rank = T.cuda.cluster_ctarank()
    a = T.alloc_shared((ROWS, K), "float4_e2m1fn", layout=A_LAYOUT, align=1024)
    b = T.alloc_shared((B_ROWS, K), "float4_e2m1fn", layout=B_LAYOUT, align=1024)
    sfa_units = T.alloc_shared((STEPS, 32, 16), "uint8", layout="default", align=128)
    sfb_units = T.alloc_shared((STEPS, 32, 16), "uint8", layout="default", align=128)
    slot = T.alloc_shared((1,), "uint32", layout="default")
    done = T.alloc_shared((1,), "uint64", layout="default")
    if warp == 0:
        T.ptx.tcgen05.alloc.cta_group__2.sync.aligned.shared__cta.b32(T.address_of(slot), T.uint32(COLUMNS))
    if tid == 0:
        T.ptx.mbarrier.init.shared.b64(done.ptr_to([0]), T.uint32(1))
        T.ptx.fence.mbarrier_init.release.cluster()
    a_bytes = a.view("uint8")
    b_bytes = b.view("uint8")
    sfa_rows = sfa_units.view(ROWS, FACTORS, layout=SF_SHARED)
    for k in range(K // 2):
        a_bytes[tid, k] = A[ROWS * rank + tid, k]
        if tid < B_ROWS:
            b_bytes[tid, k] = B[B_ROWS * rank + tid, k]
    for s in range(FACTORS):
        sfa_rows[tid, s] = SFA[ROWS * rank + tid, s]
    # A peer's shared memory exists only once its CTA runs.
    T.cuda.cluster_sync()
    # Thread t has one word, the four factors of row n at step t // 64, and stores it in both CTAs.
    n = B_ROWS * rank + tid % B_ROWS
    word: T.uint32 = SFB.view("uint32")[n, tid // B_ROWS]
    offset: T.uint32 = T.uint32(512 * (tid // B_ROWS) + 16 * (n % 32) + 4 * (n // 32))
    there: T.uint32 = T.uint32(0)
    for cta in range(2):
        T.ptx.mapa.shared__cluster.u32(there, T.cuda.cvta_generic_to_shared(T.address_of(sfb_units)), T.uint32(cta))
        there = there + offset
        T.ptx.st.shared__cluster.b32(there, word)
    T.ptx.fence.proxy.async_()
    T.cuda.cluster_sync()
    d = T.cuda.decl_tmem(slot[0], ty_args=[T.Tensor((ROWS, N), "float32", scope="tmem", layout=D_LAYOUT)])
    sfa_at = slot[0] + T.uint32(SFA_COLUMN)
    sfb_at = slot[0] + T.uint32(SFB_COLUMN)
    sfa = T.cuda.decl_tmem(sfa_at, ty_args=[T.Tensor((ROWS, FACTORS), "float8_e4m3fn", scope="tmem", layout=SF_LAYOUT)])
    sfb = T.cuda.decl_tmem(sfb_at, ty_args=[T.Tensor((N, FACTORS), "float8_e4m3fn", scope="tmem", layout=SF_LAYOUT)])
    sfa_cells = T.cuda.decl_tmem(sfa_at, ty_args=[T.Tensor((STEPS, 32, 4), "uint32", scope="tmem", layout=SF_CELLS)])
    sfb_cells = T.cuda.decl_tmem(sfb_at, ty_args=[T.Tensor((STEPS, 32, 4), "uint32", scope="tmem", layout=SF_CELLS)])
    if rank == 0:
        if tid == 0:
            T.cuda.tile.apply(
                T.ptx["tcgen05.cp.cta_group::2.32x128b.warpx4"], sfa_cells, sfa_units.view("uint32"), sdo_bytes=128
            )
            T.cuda.tile.apply(
                T.ptx["tcgen05.cp.cta_group::2.32x128b.warpx4"], sfb_cells, sfb_units.view("uint32"), sdo_bytes=128
            )
            T.cuda.tile.apply(
                T.ptx["tcgen05.mma.cta_group::2.kind::mxf4nvf4.block_scale.scale_vec::4X"],
                d.view(1, 1, ROWS, N),
                a.rearrange("m (s k) -> s m k", k=STEP).view(1, STEPS, ROWS, STEP),
                b.rearrange("n (s k) -> s n k", k=STEP).view(1, STEPS, B_ROWS, STEP),
                sfa.rearrange("m (s v) -> s m v", v=PER_STEP).view(1, STEPS, ROWS, PER_STEP),
                sfb.rearrange("n (s v) -> s n v", v=PER_STEP).view(1, STEPS, N, PER_STEP),
                instruction_shape=(M, N, STEP),
            )
            T.ptx["tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64"](
                done.ptr_to([0]), T.uint16(3)
            )
    T.cuda.mbarrier_wait(done.ptr_to([0]), 0)
    T.ptx.tcgen05.fence__after_thread_sync()
    frag = T.wg_reg_tile(N, "float32")
    T.cuda.tile.apply(
        T.ptx["tcgen05.ld.sync.aligned.32x32b.x128.b32"], frag.view(4, 32, N), d.view(4, 32, N), scope="warpgroup"
    )
    T.ptx.tcgen05.wait__ld.sync.aligned()
    row = frag.view(N, layout="default")
    for c in range(N):
        Out[ROWS * rank + tid, c] = row[c]
    T.cuda.cluster_sync()
    if warp == 0:
        T.ptx.tcgen05.relinquish_alloc_permit.cta_group__2.sync.aligned()
        T.ptx.tcgen05.dealloc.cta_group__2.sync.aligned.b32(slot[0], T.uint32(COLUMNS))
