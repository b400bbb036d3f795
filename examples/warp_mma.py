"""One warp, one mma.sync tile: Out = C + A B^T with bfloat16 inputs and float32 accumulation.

A is 16 x 24 and B is 8 x 24, packed two values to a 32-bit word along K; three m16n8k8 steps accumulate
into the same four registers of each lane. The layouts say which lane owns which word; tilewright checks
them against the instruction's own ownership map, word by word.

    tilewright compile examples/warp_mma.py --arch sm_80
    tilewright run examples/warp_mma.py --fill A=bits:1 --fill B=bits:2
"""

from tvm.script import tirx as T
from tvm.backend.cuda.axis import laneid
from tvm.tirx.layout import S, TileLayout

STEPS = 3

# Word (m, w) of A, m = 8 h + g and g = 0..7, w = 0..3: lane 4 g + w, register 2 s + h of step s.
A_OWNERS = TileLayout(S[(1, STEPS, 2, 8, 4) : (2 * STEPS, 2, 1, 4 @ laneid, 1 @ laneid)])
# Word (n, w) of B: lane 4 n + w, register s.
B_OWNERS = TileLayout(S[(1, STEPS, 8, 4) : (STEPS, 1, 4 @ laneid, 1 @ laneid)])
# Element (m, n) of C and D, n = 2 q + e: lane 4 g + q, register 2 h + e.
D_OWNERS = TileLayout(S[(1, 1, 2, 8, 4, 2) : (4, 4, 2, 4 @ laneid, 1 @ laneid, 1)])


@T.function
def warp_mma(
    A: T.Tensor((STEPS, 16, 4), "uint32"),
    B: T.Tensor((STEPS, 8, 4), "uint32"),
    C: T.Tensor((16, 8), "float32"),
    Out: T.Tensor((16, 8), "float32"),
):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=32))
    lane = T.cuda.lane_id()
    a = T.alloc_local((2 * STEPS,), "uint32", layout="default")
    b = T.alloc_local((STEPS,), "uint32", layout="default")
    acc = T.alloc_local((4,), "float32", layout="default")

    for s, h in T.grid(STEPS, 2):
        a[2 * s + h] = A[s, lane // 4 + 8 * h, lane % 4]
    for s in range(STEPS):
        b[s] = B[s, lane // 4, lane % 4]
    for r in range(4):
        acc[r] = C[lane // 4 + 8 * (r // 2), 2 * (lane % 4) + r % 2]

    # C is a register tensor here, and the same one as D: the first step reads it, the next ones read D.
    tile = acc.view(1, 1, 16, 8, layout=D_OWNERS)
    T.cuda.tile.apply(
        T.ptx["mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32"],
        tile,
        a.view(1, STEPS, 16, 4, layout=A_OWNERS),
        b.view(1, STEPS, 8, 4, layout=B_OWNERS),
        tile,
        scope="warp",
    )
    for r in range(4):
        Out[lane // 4 + 8 * (r // 2), 2 * (lane % 4) + r % 2] = acc[r]
