"""float16 accumulators: Out = C + A B^T in float16, 32 x 24 results, K = 48, one warp.

An accumulator register holds two neighbours along N, so D and C are tensors of words, (M_repeat, N_repeat, 16, 4). C is a
register tensor of its own with another order of slots: only the first step of K reads it.

    tilewright compile examples/mma_sync/f16_sums.py --arch sm_80
"""

from tvm.script import tirx as T
from tvm.backend.cuda.axis import laneid
from tvm.tirx.layout import S, TileLayout

ROWS, TILES, STEPS = 2, 3, 3
M, N, K = 16 * ROWS, 8 * TILES, 16 * STEPS

A_OWNERS = TileLayout(S[(ROWS, STEPS, 2, 8, 2, 4) : (4 * STEPS, 4, 1, 4 @ laneid, 2, 1 @ laneid)])
B_OWNERS = TileLayout(S[(TILES, STEPS, 8, 2, 4) : (2 * STEPS, 2, 4 @ laneid, 1, 1 @ laneid)])
# Word (m, w), w = n / 2: slot 2 TILES i + 2 n + h of D; of C the tiles of M are innermost.
D_OWNERS = TileLayout(S[(ROWS, TILES, 2, 8, 4) : (2 * TILES, 2, 1, 4 @ laneid, 1 @ laneid)])
C_OWNERS = TileLayout(S[(ROWS, TILES, 2, 8, 4) : (1, 2 * ROWS, ROWS, 4 @ laneid, 1 @ laneid)])


@T.function
def f16_sums(
    A: T.Tensor((M, K // 2), "uint32"),
    B: T.Tensor((N, K // 2), "uint32"),
    C: T.Tensor((M, N // 2), "uint32"),
    Out: T.Tensor((M, N // 2), "uint32"),
):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=32))
    lane = T.cuda.lane_id()
    g = lane // 4
    q = lane % 4
    a = T.alloc_local((4 * STEPS * ROWS,), "uint32", layout="default")
    b = T.alloc_local((2 * STEPS * TILES,), "uint32", layout="default")
    c = T.alloc_local((2 * ROWS * TILES,), "uint32", layout="default")
    d = T.alloc_local((2 * ROWS * TILES,), "uint32", layout="default")
    for m, s, j, h in T.grid(ROWS, STEPS, 2, 2):
        a[4 * STEPS * m + 4 * s + 2 * j + h] = A[16 * m + 8 * h + g, 8 * s + 4 * j + q]
    for n, s, j in T.grid(TILES, STEPS, 2):
        b[2 * STEPS * n + 2 * s + j] = B[8 * n + g, 8 * s + 4 * j + q]
    for m, n, h in T.grid(ROWS, TILES, 2):
        c[m + 2 * ROWS * n + ROWS * h] = C[16 * m + 8 * h + g, 4 * n + q]
    T.cuda.tile.apply(
        T.ptx["mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16"],
        d.view(ROWS, TILES, 16, 4, layout=D_OWNERS),
        a.view(ROWS, STEPS, 16, 8, layout=A_OWNERS),
        b.view(TILES, STEPS, 8, 8, layout=B_OWNERS),
        c.view(ROWS, TILES, 16, 4, layout=C_OWNERS),
        scope="warp",
    )
    for m, n, h in T.grid(ROWS, TILES, 2):
        Out[16 * m + 8 * h + g, 4 * n + q] = d[2 * TILES * m + 2 * n + h]
