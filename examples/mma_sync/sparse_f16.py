"""A sparse A: Out = A B^T with 32 x 16 results, K = 64, where two of every four neighbours of A along K are zero.

Only the other two are stored, K / 2 to a row, with a code of four bits for each group: the positions of the two, lower one in
the low bits. Codes go along K like elements, four to a uint16. The 16 rows of an instruction have their codes in the lanes
4 g and 4 g + 1, both rows g and g + 8 in one register; what lanes 4 g + 2 and 4 g + 3 hold is not read, so the second step of
K can keep its codes there: the layout says so, and the selector of the instruction follows from it.

    tilewright compile examples/mma_sync/sparse_f16.py --arch sm_90a
    tilewright explain fragment mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 E
"""

from tvm.script import tirx as T
from tvm.backend.cuda.axis import laneid
from tvm.tirx.layout import S, TileLayout

ROWS, TILES, STEPS = 2, 2, 2
M, N, K = 16 * ROWS, 8 * TILES, 32 * STEPS

A_OWNERS = TileLayout(S[(ROWS, STEPS, 2, 8, 2, 4) : (4 * STEPS, 4, 1, 4 @ laneid, 2, 1 @ laneid)])
B_OWNERS = TileLayout(S[(TILES, STEPS, 8, 4, 4) : (4 * STEPS, 4, 4 @ laneid, 1, 1 @ laneid)])
D_OWNERS = TileLayout(S[(ROWS, TILES, 2, 8, 4, 2) : (4 * TILES, 4, 2, 4 @ laneid, 1 @ laneid, 1)])
# Element (m, q) of a step: four codes of row m = 8 h + g. Lane 4 g + q + 2 step, half h of register ROW.
E_OWNERS = TileLayout(S[(ROWS, STEPS, 2, 8, 2) : (2, 2 @ laneid, 1, 4 @ laneid, 1 @ laneid)])


@T.function
def sparse_f16(
    A: T.Tensor((M, K // 4), "uint32"),
    B: T.Tensor((N, K // 2), "uint32"),
    E: T.Tensor((M, K // 16), "uint16"),
    Out: T.Tensor((M, N), "float32"),
):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=32))
    lane = T.cuda.lane_id()
    g = lane // 4
    c = lane % 4
    a = T.alloc_local((4 * STEPS * ROWS,), "uint32", layout="default")
    b = T.alloc_local((4 * STEPS * TILES,), "uint32", layout="default")
    e = T.alloc_local((2 * ROWS,), "uint16", layout="default")
    d = T.alloc_local((4 * ROWS * TILES,), "float32", layout="default")
    for m, s, j, h in T.grid(ROWS, STEPS, 2, 2):
        a[4 * STEPS * m + 4 * s + 2 * j + h] = A[16 * m + 8 * h + g, 8 * s + 4 * j + c]
    for n, s, j in T.grid(TILES, STEPS, 4):
        b[4 * STEPS * n + 4 * s + j] = B[8 * n + g, 16 * s + 4 * j + c]
    for m, h in T.grid(ROWS, 2):
        e[2 * m + h] = E[16 * m + 8 * h + g, c]
    T.cuda.tile.apply(
        T.ptx["mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32"],
        d.view(ROWS, TILES, 16, 8, layout=D_OWNERS),
        a.view(ROWS, STEPS, 16, 8, layout=A_OWNERS),
        b.view(TILES, STEPS, 8, 16, layout=B_OWNERS),
        T.float32(0),
        e.view(ROWS, STEPS, 16, 2, layout=E_OWNERS),
        scope="warp",
    )
    for m, n, h, i in T.grid(ROWS, TILES, 2, 2):
        Out[16 * m + 8 * h + g, 8 * n + 2 * c + i] = d[4 * TILES * m + 4 * n + 2 * h + i]
