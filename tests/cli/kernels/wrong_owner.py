# Two lanes exchanged: the layout of B gives word (0, 1) to lane 2.
from tvm.script import tirx as T
from tvm.backend.cuda.axis import laneid
from tvm.tirx.layout import S, TileLayout

STEPS = 3

A_OWNERS = TileLayout(S[(1, STEPS, 2, 8, 4) : (2 * STEPS, 2, 1, 4 @ laneid, 1 @ laneid)])
B_OWNERS = TileLayout(S[(1, STEPS, 8, 4) : (STEPS, 1, 4 @ laneid, 2 @ laneid)])
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
