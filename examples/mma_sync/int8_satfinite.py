"""8-bit integers with saturation: Out = C + A B^T, A signed and B unsigned, 32 x 8 results, K = 96, two warps.

C is near the ends of int32. With .satfinite every instruction stops at the ends: the sum is cut once in each step of K,
in order. C is the tensor D itself.

    tilewright compile examples/mma_sync/int8_satfinite.py --arch sm_80
"""

from tvm.script import tirx as T
from tvm.backend.cuda.axis import laneid, warpid
from tvm.tirx.layout import S, TileLayout

WARPS, STEPS = 2, 3
M, N, K = 16 * WARPS, 8, 32 * STEPS

A_OWNERS = TileLayout(S[(WARPS, 1, STEPS, 2, 8, 2, 4) : (1 @ warpid, 4 * STEPS, 4, 1, 4 @ laneid, 2, 1 @ laneid)])
B_OWNERS = TileLayout(S[(WARPS, 1, STEPS, 8, 2, 4) : (1 @ warpid, 2 * STEPS, 2, 4 @ laneid, 1, 1 @ laneid)])
D_OWNERS = TileLayout(S[(WARPS, 1, 1, 2, 8, 4, 2) : (1 @ warpid, 4, 4, 2, 4 @ laneid, 1 @ laneid, 1)])


@T.function
def int8_satfinite(
    A: T.Tensor((M, K // 4), "uint32"),
    B: T.Tensor((N, K // 4), "uint32"),
    C: T.Tensor((M, N), "int32"),
    Out: T.Tensor((M, N), "int32"),
):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=32 * WARPS))
    w = T.cuda.warp_id()
    lane = T.cuda.lane_id()
    g = lane // 4
    c = lane % 4
    a = T.alloc_local((4 * STEPS,), "uint32", layout="default")
    b = T.alloc_local((2 * STEPS,), "uint32", layout="default")
    d = T.alloc_local((4,), "int32", layout="default")
    for s, j, h in T.grid(STEPS, 2, 2):
        a[4 * s + 2 * j + h] = A[16 * w + 8 * h + g, 8 * s + 4 * j + c]
    for s, j in T.grid(STEPS, 2):
        b[2 * s + j] = B[g, 8 * s + 4 * j + c]
    for h, e in T.grid(2, 2):
        d[2 * h + e] = C[16 * w + 8 * h + g, 2 * c + e]
    sums = d.view(WARPS, 1, 1, 16, 8, layout=D_OWNERS)
    T.cuda.tile.apply(
        T.ptx["mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32"],
        sums,
        a.view(WARPS, 1, STEPS, 16, 8, layout=A_OWNERS),
        b.view(WARPS, 1, STEPS, 8, 8, layout=B_OWNERS),
        sums,
        scope="cta",
    )
    for h, e in T.grid(2, 2):
        Out[16 * w + 8 * h + g, 2 * c + e] = d[2 * h + e]
