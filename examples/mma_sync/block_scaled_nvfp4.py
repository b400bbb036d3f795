"""Block scaling, kind mxf4nvf4 (NVFP4): 4-bit floats with an 8-bit float (ue4m3) for every 16 values of K, 32 x 16 results,
K = 128, two warps.

A step of 64 has four factors a row, a whole word. The two steps of a row are two words: those of the first step in lanes
4 g + h, those of the second in lanes 4 g + 2 + h, so that one load by every lane brings both; the thread selector of A is the
number of the step. The words of B's columns are in lanes 4 g and 4 g + 1.

    tilewright compile examples/mma_sync/block_scaled_nvfp4.py --arch sm_120a
"""

from tvm.script import tirx as T
from tvm.backend.cuda.axis import laneid, warpid
from tvm.tirx.layout import S, TileLayout

WARPS, TILES, STEPS = 2, 2, 2
M, N, K = 16 * WARPS, 8 * TILES, 64 * STEPS

A_OWNERS = TileLayout(S[(WARPS, 1, STEPS, 2, 8, 2, 4) : (1 @ warpid, 4 * STEPS, 4, 1, 4 @ laneid, 2, 1 @ laneid)])
B_OWNERS = TileLayout(S[(WARPS, TILES, STEPS, 8, 2, 4) : (1 @ warpid, 2 * STEPS, 2, 4 @ laneid, 1, 1 @ laneid)])
D_OWNERS = TileLayout(S[(WARPS, 1, TILES, 2, 8, 4, 2) : (1 @ warpid, 4 * TILES, 4, 2, 4 @ laneid, 1 @ laneid, 1)])
SFA_OWNERS = TileLayout(S[(WARPS, 1, STEPS, 2, 8, 4) : (1 @ warpid, 4, 2 @ laneid, 1 @ laneid, 4 @ laneid, 1)])
SFB_OWNERS = TileLayout(S[(WARPS, TILES, STEPS, 8, 4) : (1 @ warpid, 4, 1 @ laneid, 4 @ laneid, 1)])


@T.function
def block_scaled_nvfp4(
    A: T.Tensor((M, K // 8), "uint32"),
    B: T.Tensor((N, K // 8), "uint32"),
    SFA: T.Tensor((M, STEPS), "uint32"),
    SFB: T.Tensor((N, STEPS), "uint32"),
    Out: T.Tensor((M, N), "float32"),
):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=32 * WARPS))
    w = T.cuda.warp_id()
    lane = T.cuda.lane_id()
    g = lane // 4
    c = lane % 4
    a = T.alloc_local((4 * STEPS,), "uint32", layout="default")
    b = T.alloc_local((2 * STEPS * TILES,), "uint32", layout="default")
    sfa = T.alloc_local((1,), "uint32", layout="default")
    sfb = T.alloc_local((TILES,), "uint32", layout="default")
    d = T.alloc_local((4 * TILES,), "float32", layout="default")
    for s, j, h in T.grid(STEPS, 2, 2):
        a[4 * s + 2 * j + h] = A[16 * w + 8 * h + g, 8 * s + 4 * j + c]
    for n, s, j in T.grid(TILES, STEPS, 2):
        b[2 * STEPS * n + 2 * s + j] = B[8 * n + g, 8 * s + 4 * j + c]
    sfa[0] = SFA[16 * w + 8 * (c % 2) + g, c // 2]
    for n in range(TILES):
        sfb[n] = SFB[8 * n + g, c % 2]
    T.cuda.tile.apply(
        T.ptx["mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3"],
        d.view(WARPS, 1, TILES, 16, 8, layout=D_OWNERS),
        a.view(WARPS, 1, STEPS, 16, 8, layout=A_OWNERS),
        b.view(WARPS, TILES, STEPS, 8, 8, layout=B_OWNERS),
        T.float32(0),
        sfa.view("uint8").view(WARPS, 1, STEPS, 16, 4, layout=SFA_OWNERS),
        sfb.view("uint8").view(WARPS, TILES, STEPS, 8, 4, layout=SFB_OWNERS),
        scope="cta",
    )
    for n, h, e in T.grid(TILES, 2, 2):
        Out[16 * w + 8 * h + g, 8 * n + 2 * c + e] = d[4 * n + 2 * h + e]
