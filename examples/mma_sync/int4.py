"""4-bit integers: Out = A B^T, A signed and B unsigned, 16 x 16 results, K = 128, one warp.

A word holds eight neighbours along K, the first in its low bits.

    tilewright compile examples/mma_sync/int4.py --arch sm_80
"""

from tvm.script import tirx as T
from tvm.backend.cuda.axis import laneid
from tvm.tirx.layout import S, TileLayout

TILES, STEPS = 2, 2
M, N, K = 16, 8 * TILES, 64 * STEPS

A_OWNERS = TileLayout(S[(1, STEPS, 2, 8, 2, 4) : (4 * STEPS, 4, 1, 4 @ laneid, 2, 1 @ laneid)])
B_OWNERS = TileLayout(S[(TILES, STEPS, 8, 2, 4) : (2 * STEPS, 2, 4 @ laneid, 1, 1 @ laneid)])
D_OWNERS = TileLayout(S[(1, TILES, 2, 8, 4, 2) : (4 * TILES, 4, 2, 4 @ laneid, 1 @ laneid, 1)])


@T.function
def int4_product(
    A: T.Tensor((M, K // 8), "uint32"),
    B: T.Tensor((N, K // 8), "uint32"),
    Out: T.Tensor((M, N), "int32"),
):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=32))
    lane = T.cuda.lane_id()
    g = lane // 4
    c = lane % 4
    a = T.alloc_local((4 * STEPS,), "uint32", layout="default")
    b = T.alloc_local((2 * STEPS * TILES,), "uint32", layout="default")
    d = T.alloc_local((4 * TILES,), "int32", layout="default")
    for s, j, h in T.grid(STEPS, 2, 2):
        a[4 * s + 2 * j + h] = A[8 * h + g, 8 * s + 4 * j + c]
    for n, s, j in T.grid(TILES, STEPS, 2):
        b[2 * STEPS * n + 2 * s + j] = B[8 * n + g, 8 * s + 4 * j + c]
    T.cuda.tile.apply(
        T.ptx["mma.sync.aligned.m16n8k64.row.col.s32.s4.u4.s32"],
        d.view(1, TILES, 16, 8, layout=D_OWNERS),
        a.view(1, STEPS, 16, 8, layout=A_OWNERS),
        b.view(TILES, STEPS, 8, 8, layout=B_OWNERS),
        T.int32(0),
        scope="warp",
    )
    for n, h, e in T.grid(TILES, 2, 2):
        Out[8 * h + g, 8 * n + 2 * c + e] = d[4 * n + 2 * h + e]
