"""Double precision: Out = A B^T with 32 x 16 results, K = 24, four warps in a square of two by two.

m16n8k8 of f64 has a 64-bit register for every element: no words are packed. The warps are counted as one axis; which
rows and columns a warp has is in what it loads, not in the layouts.

    tilewright compile examples/mma_sync/f64.py --arch sm_90
"""

from tvm.script import tirx as T
from tvm.backend.cuda.axis import laneid, wid_in_wg
from tvm.tirx.layout import S, TileLayout

WARPS, STEPS = 4, 3
M, N, K = 32, 16, 8 * STEPS

A_OWNERS = TileLayout(S[(WARPS, 1, STEPS, 2, 8, 2, 4) : (1 @ wid_in_wg, 4 * STEPS, 4, 1, 4 @ laneid, 2, 1 @ laneid)])
B_OWNERS = TileLayout(S[(WARPS, 1, STEPS, 8, 2, 4) : (1 @ wid_in_wg, 2 * STEPS, 2, 4 @ laneid, 1, 1 @ laneid)])
D_OWNERS = TileLayout(S[(WARPS, 1, 1, 2, 8, 4, 2) : (1 @ wid_in_wg, 4, 4, 2, 4 @ laneid, 1 @ laneid, 1)])


@T.function
def f64(
    A: T.Tensor((M, K), "float64"),
    B: T.Tensor((N, K), "float64"),
    Out: T.Tensor((M, N), "float64"),
):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=32 * WARPS))
    w = T.cuda.warp_id()
    lane = T.cuda.lane_id()
    row = 16 * (w // 2) + lane // 4
    column = 8 * (w % 2)
    c = lane % 4
    a = T.alloc_local((4 * STEPS,), "float64", layout="default")
    b = T.alloc_local((2 * STEPS,), "float64", layout="default")
    d = T.alloc_local((4,), "float64", layout="default")
    for s, j, h in T.grid(STEPS, 2, 2):
        a[4 * s + 2 * j + h] = A[row + 8 * h, 8 * s + 4 * j + c]
    for s, j in T.grid(STEPS, 2):
        b[2 * s + j] = B[column + lane // 4, 8 * s + 4 * j + c]
    T.cuda.tile.apply(
        T.ptx["mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64"],
        d.view(WARPS, 1, 1, 16, 8, layout=D_OWNERS),
        a.view(WARPS, 1, STEPS, 16, 8, layout=A_OWNERS),
        b.view(WARPS, 1, STEPS, 8, 8, layout=B_OWNERS),
        T.float64(0),
        scope="warpgroup",
    )
    for h, e in T.grid(2, 2):
        Out[row + 8 * h, column + 2 * c + e] = d[2 * h + e]
