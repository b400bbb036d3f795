"""tf32 over a whole CTA: Out = A B^T with 64 x 24 results, K = 24, four warps of 16 rows each.

At cta scope every operand has the warp as its first axis, which is no dimension of the matrices: the warps are given
different rows of A and D, and each has its own copy of B. A register of A or B is one element, 32 bits wide, of which tf32
ignores the low 13: the tensors are float32, seen as words.

    tilewright compile examples/mma_sync/tf32_cta.py --arch sm_80
    tilewright explain fragment mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
"""

from tvm.script import tirx as T
from tvm.backend.cuda.axis import laneid, warpid
from tvm.tirx.layout import S, TileLayout

WARPS, TILES, STEPS = 4, 3, 3  # of 16 rows, of 8 columns, of 8 along K
M, N, K = 16 * WARPS, 8 * TILES, 8 * STEPS

# Lane 4 g + c. A: rows g and g + 8, k = c and c + 4. B: column g, k = c and c + 4. D: columns 2 c and 2 c + 1.
A_OWNERS = TileLayout(S[(WARPS, 1, STEPS, 2, 8, 2, 4) : (1 @ warpid, 4 * STEPS, 4, 1, 4 @ laneid, 2, 1 @ laneid)])
B_OWNERS = TileLayout(S[(WARPS, TILES, STEPS, 8, 2, 4) : (1 @ warpid, 2 * STEPS, 2, 4 @ laneid, 1, 1 @ laneid)])
D_OWNERS = TileLayout(S[(WARPS, 1, TILES, 2, 8, 4, 2) : (1 @ warpid, 4 * TILES, 4, 2, 4 @ laneid, 1 @ laneid, 1)])


@T.function
def tf32_cta(
    A: T.Tensor((M, K), "float32"),
    B: T.Tensor((N, K), "float32"),
    Out: T.Tensor((M, N), "float32"),
):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=32 * WARPS))
    w = T.cuda.warp_id()
    lane = T.cuda.lane_id()
    g = lane // 4
    c = lane % 4
    a = T.alloc_local((4 * STEPS,), "float32", layout="default")
    b = T.alloc_local((2 * STEPS * TILES,), "float32", layout="default")
    d = T.alloc_local((4 * TILES,), "float32", layout="default")
    for s, j, h in T.grid(STEPS, 2, 2):
        a[4 * s + 2 * j + h] = A[16 * w + 8 * h + g, 8 * s + 4 * j + c]
    for n, s, j in T.grid(TILES, STEPS, 2):
        b[2 * STEPS * n + 2 * s + j] = B[8 * n + g, 8 * s + 4 * j + c]
    T.cuda.tile.apply(
        T.ptx["mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32"],
        d.view(WARPS, 1, TILES, 16, 8, layout=D_OWNERS),
        a.view("uint32").view(WARPS, 1, STEPS, 16, 8, layout=A_OWNERS),
        b.view("uint32").view(WARPS, TILES, STEPS, 8, 8, layout=B_OWNERS),
        T.float32(0),
        scope="cta",
    )
    for n, h, e in T.grid(TILES, 2, 2):
        Out[16 * w + 8 * h + g, 8 * n + 2 * c + e] = d[4 * n + 2 * h + e]
