"""Block scaling, kind mxf8f6f4: e4m3 by e4m3 with a power of two (ue8m0) for every 32 values of K, 16 x 16 results, K = 128.

A step of 32 has one factor for each row of A and each column of B. The factors of a row's four steps are the four bytes of
one word, as they lie in memory; row 8 h + g has its word in lane 4 g + h, column g in lane 4 g. The layouts step by one byte
along K, so the byte selector of the instruction is the number of the step, and every step reads the same register.

    tilewright compile examples/mma_sync/block_scaled_mxf8.py --arch sm_120a
"""

from tvm.script import tirx as T
from tvm.backend.cuda.axis import laneid
from tvm.tirx.layout import S, TileLayout

TILES, STEPS = 2, 4
M, N, K = 16, 8 * TILES, 32 * STEPS

A_OWNERS = TileLayout(S[(1, STEPS, 2, 8, 2, 4) : (4 * STEPS, 4, 1, 4 @ laneid, 2, 1 @ laneid)])
B_OWNERS = TileLayout(S[(TILES, STEPS, 8, 2, 4) : (2 * STEPS, 2, 4 @ laneid, 1, 1 @ laneid)])
D_OWNERS = TileLayout(S[(1, TILES, 2, 8, 4, 2) : (4 * TILES, 4, 2, 4 @ laneid, 1 @ laneid, 1)])
SFA_OWNERS = TileLayout(S[(1, STEPS, 2, 8, 1) : (4, 1, 1 @ laneid, 4 @ laneid, 1)])
SFB_OWNERS = TileLayout(S[(TILES, STEPS, 8, 1) : (4, 1, 4 @ laneid, 1)])


@T.function
def block_scaled_mxf8(
    A: T.Tensor((M, K // 4), "uint32"),
    B: T.Tensor((N, K // 4), "uint32"),
    SFA: T.Tensor((M,), "uint32"),
    SFB: T.Tensor((N,), "uint32"),
    Out: T.Tensor((M, N), "float32"),
):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=32))
    lane = T.cuda.lane_id()
    g = lane // 4
    c = lane % 4
    a = T.alloc_local((4 * STEPS,), "uint32", layout="default")
    b = T.alloc_local((2 * STEPS * TILES,), "uint32", layout="default")
    sfa = T.alloc_local((1,), "uint32", layout="default")
    sfb = T.alloc_local((TILES,), "uint32", layout="default")
    d = T.alloc_local((4 * TILES,), "float32", layout="default")
    for s, j, h in T.grid(STEPS, 2, 2):
        a[4 * s + 2 * j + h] = A[8 * h + g, 8 * s + 4 * j + c]
    for n, s, j in T.grid(TILES, STEPS, 2):
        b[2 * STEPS * n + 2 * s + j] = B[8 * n + g, 8 * s + 4 * j + c]
    sfa[0] = SFA[8 * (c % 2) + g]
    for n in range(TILES):
        sfb[n] = SFB[8 * n + g]
    T.cuda.tile.apply(
        T.ptx["mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e4m3.e4m3.f32.ue8m0"],
        d.view(1, TILES, 16, 8, layout=D_OWNERS),
        a.view(1, STEPS, 16, 8, layout=A_OWNERS),
        b.view(TILES, STEPS, 8, 8, layout=B_OWNERS),
        T.float32(0),
        sfa.view("uint8").view(1, STEPS, 16, 1, layout=SFA_OWNERS),
        sfb.view("uint8").view(TILES, STEPS, 8, 1, layout=SFB_OWNERS),
        scope="warp",
    )
    for n, h, e in T.grid(TILES, 2, 2):
        Out[8 * h + g, 8 * n + 2 * c + e] = d[4 * n + 2 * h + e]
