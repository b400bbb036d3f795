"""8-bit floats: Out = A B^T with A of e4m3 and B of e5m2, 32 x 16 results, K = 64, one warp.

A word holds four neighbours along K. Two tiles of M, two of N and two steps of K are eight instructions; the first step
of each tile starts from the scalar, the second from the registers of the first.

    tilewright compile examples/mma_sync/fp8.py --arch sm_89
"""

from tvm.script import tirx as T
from tvm.backend.cuda.axis import laneid
from tvm.tirx.layout import S, TileLayout

ROWS, TILES, STEPS = 2, 2, 2
M, N, K = 16 * ROWS, 8 * TILES, 32 * STEPS

A_OWNERS = TileLayout(S[(ROWS, STEPS, 2, 8, 2, 4) : (4 * STEPS, 4, 1, 4 @ laneid, 2, 1 @ laneid)])
B_OWNERS = TileLayout(S[(TILES, STEPS, 8, 2, 4) : (2 * STEPS, 2, 4 @ laneid, 1, 1 @ laneid)])
D_OWNERS = TileLayout(S[(ROWS, TILES, 2, 8, 4, 2) : (4 * TILES, 4, 2, 4 @ laneid, 1 @ laneid, 1)])


@T.function
def fp8(
    A: T.Tensor((M, K // 4), "uint32"),
    B: T.Tensor((N, K // 4), "uint32"),
    Out: T.Tensor((M, N), "float32"),
):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=32))
    lane = T.cuda.lane_id()
    g = lane // 4
    c = lane % 4
    a = T.alloc_local((4 * STEPS * ROWS,), "uint32", layout="default")
    b = T.alloc_local((2 * STEPS * TILES,), "uint32", layout="default")
    d = T.alloc_local((4 * ROWS * TILES,), "float32", layout="default")
    for m, s, j, h in T.grid(ROWS, STEPS, 2, 2):
        a[4 * STEPS * m + 4 * s + 2 * j + h] = A[16 * m + 8 * h + g, 8 * s + 4 * j + c]
    for n, s, j in T.grid(TILES, STEPS, 2):
        b[2 * STEPS * n + 2 * s + j] = B[8 * n + g, 8 * s + 4 * j + c]
    T.cuda.tile.apply(
        T.ptx["mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32"],
        d.view(ROWS, TILES, 16, 8, layout=D_OWNERS),
        a.view(ROWS, STEPS, 16, 8, layout=A_OWNERS),
        b.view(TILES, STEPS, 8, 8, layout=B_OWNERS),
        T.float32(0),
        scope="warp",
    )
    for m, n, h, e in T.grid(ROWS, TILES, 2, 2):
        Out[16 * m + 8 * h + g, 8 * n + 2 * c + e] = d[4 * TILES * m + 4 * n + 2 * h + e]
