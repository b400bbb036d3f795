"""Fused attention on mma.sync: Out = softmax(Q K^T / sqrt(D)) V, one block of 64 queries, 96 keys, D = 64.

Four warps, 16 queries each. The keys come in blocks of 32: S = Q K^T stays in the accumulators of a warp, its rows are
reduced inside groups of four lanes, and the exponentials, rounded to float16 in pairs, are at once the A operand of P V:
an accumulator's lane holds exactly the words that the A fragment wants of it. A running maximum and sum rescale what was
accumulated before (the "online" softmax), so S is never stored.

    tilewright compile examples/mma_sync/attention.py --arch sm_80
    tilewright run examples/mma_sync/attention.py --arch sm_80 --fill Q=normal:1 --fill K=normal:2 --fill V=normal:3 --report
"""

from tvm.script import tirx as T
from tvm.backend.cuda.axis import laneid
from tvm.backend.cuda.layout import mma_shared_layout
from tvm.tirx.layout import S, TileLayout

QUERIES, KEYS, D = 64, 96, 64
WARPS = QUERIES // 16
BLOCK = 32                       # keys of a step
TILES = BLOCK // 8               # n tiles of S
KSTEPS = D // 16                 # k steps of Q K^T
PSTEPS = BLOCK // 16             # k steps of P V
DTILES = D // 8                  # n tiles of Out
LOG2E_OVER_SQRT_D = 1.4426950408889634 / 8

# Fragments of m16n8k16, seen from a lane = 4 g + q: words of A at (8 h + g, 4 u + q), of B at (g, 4 u + q), elements of
# C and D at (8 h + g, 2 q + e).
A_Q = TileLayout(S[(1, KSTEPS, 2, 8, 2, 4) : (4 * KSTEPS, 4, 1, 4 @ laneid, 2, 1 @ laneid)])
A_P = TileLayout(S[(1, PSTEPS, 2, 8, 2, 4) : (4 * PSTEPS, 4, 1, 4 @ laneid, 2, 1 @ laneid)])
B_K = TileLayout(S[(TILES, KSTEPS, 8, 2, 4) : (2 * KSTEPS, 2, 4 @ laneid, 1, 1 @ laneid)])
B_V = TileLayout(S[(DTILES, PSTEPS, 8, 2, 4) : (2 * PSTEPS, 2, 4 @ laneid, 1, 1 @ laneid)])
C_S = TileLayout(S[(1, TILES, 2, 8, 4, 2) : (4 * TILES, 4, 2, 4 @ laneid, 1 @ laneid, 1)])
C_O = TileLayout(S[(1, DTILES, 2, 8, 4, 2) : (4 * DTILES, 4, 2, 4 @ laneid, 1 @ laneid, 1)])

ROWS = mma_shared_layout("float16", 3, (BLOCK, D))


@T.function
def attention(
    Q: T.Tensor((QUERIES, D // 2), "uint32"),
    K: T.Tensor((KEYS, D), "float16"),
    V: T.Tensor((KEYS, D), "float16"),
    Out: T.Tensor((QUERIES, D), "float32"),
):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=32 * WARPS))
    t = T.cuda.thread_idx("x")
    w = T.cuda.warp_id()
    lane = T.cuda.lane_id()
    g = lane // 4
    c = lane % 4
    keys = T.alloc_shared((BLOCK, D), "float16", layout=ROWS, align=1024)
    values = T.alloc_shared((BLOCK, D), "float16", layout=ROWS, align=1024)
    q = T.alloc_local((4 * KSTEPS,), "uint32", layout="default")
    k = T.alloc_local((2 * KSTEPS * TILES,), "uint32", layout="default")
    v = T.alloc_local((2 * PSTEPS * DTILES,), "uint32", layout="default")
    p = T.alloc_local((4 * PSTEPS,), "uint32", layout="default")
    s = T.alloc_local((4 * TILES,), "float32", layout="default")
    o = T.alloc_local((4 * DTILES,), "float32", layout="default")
    most = T.alloc_local((2,), "float32", layout="default")     # of the rows g and g + 8, times log2(e) / sqrt(D)
    sums = T.alloc_local((2,), "float32", layout="default")
    new = T.alloc_local((2,), "float32", layout="default")
    other = T.alloc_local((1,), "float32", layout="default")

    for i, u, h in T.grid(KSTEPS, 2, 2):
        q[4 * i + 2 * u + h] = Q[16 * w + 8 * h + g, 8 * i + 4 * u + c]
    for r in range(4 * DTILES):
        o[r] = T.float32(0)
    for h in range(2):
        most[h] = T.float32(-1e30)
        sums[h] = T.float32(0)

    for block in T.serial(KEYS // BLOCK):
        T.cuda.cta_sync()
        for j in range(BLOCK * D // (32 * WARPS)):
            keys[(j * 32 * WARPS + t) // D, t % D] = K[block * BLOCK + (j * 32 * WARPS + t) // D, t % D]
            values[(j * 32 * WARPS + t) // D, t % D] = V[block * BLOCK + (j * 32 * WARPS + t) // D, t % D]
        T.cuda.cta_sync()

        # Eight keys a row of matrices, eight values of D a matrix: word (g, c) of each goes to lane 4 g + c.
        for n, i in T.grid(TILES, KSTEPS // 2):
            T.ptx["ldmatrix.sync.aligned.m8n8.x4.shared.b16"](
                k[8 * n + 4 * i], k[8 * n + 4 * i + 1], k[8 * n + 4 * i + 2], k[8 * n + 4 * i + 3],
                keys.ptr_to([8 * n + lane % 8, 32 * i + 8 * (lane // 8)]))
        T.cuda.tile.apply(
            T.ptx["mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"],
            s.view(1, TILES, 16, 8, layout=C_S),
            q.view(1, KSTEPS, 16, 8, layout=A_Q),
            k.view(TILES, KSTEPS, 8, 8, layout=B_K),
            T.float32(0),
            scope="warp",
        )
        for h in range(2):
            new[h] = most[h]
            for n, e in T.grid(TILES, 2):
                new[h] = T.max(new[h], s[4 * n + 2 * h + e] * T.float32(LOG2E_OVER_SQRT_D))
            for step in range(2):
                T.ptx["shfl.sync.bfly.b32"](other[0], new[h], 1 << step, 31, T.uint32(0xFFFFFFFF))
                new[h] = T.max(new[h], other[0])
            for r in range(2 * DTILES):
                o[4 * (r // 2) + 2 * h + r % 2] = o[4 * (r // 2) + 2 * h + r % 2] * T.exp2(most[h] - new[h])
            sums[h] = sums[h] * T.exp2(most[h] - new[h])
            most[h] = new[h]
            for n, e in T.grid(TILES, 2):
                s[4 * n + 2 * h + e] = T.exp2(s[4 * n + 2 * h + e] * T.float32(LOG2E_OVER_SQRT_D) - most[h])
                sums[h] = sums[h] + s[4 * n + 2 * h + e]
        # Keys 16 i + 8 u + 2 c and the next one are elements 0 and 1 of accumulator tile 2 i + u.
        for i, u, h in T.grid(PSTEPS, 2, 2):
            T.ptx["cvt.rn.f16x2.f32"](p[4 * i + 2 * u + h], s[8 * i + 4 * u + 2 * h + 1], s[8 * i + 4 * u + 2 * h])

        # Transposed while they are loaded: rows of the matrices are keys, and a lane gets two keys of one column.
        for n in range(DTILES):
            T.ptx["ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16"](
                v[4 * n], v[4 * n + 1], v[4 * n + 2], v[4 * n + 3], values.ptr_to([lane, 8 * n]))
        T.cuda.tile.apply(
            T.ptx["mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"],
            o.view(1, DTILES, 16, 8, layout=C_O),
            p.view(1, PSTEPS, 16, 8, layout=A_P),
            v.view(DTILES, PSTEPS, 8, 8, layout=B_V),
            o.view(1, DTILES, 16, 8, layout=C_O),
            scope="warp",
        )

    for h in range(2):
        for step in range(2):
            T.ptx["shfl.sync.bfly.b32"](other[0], sums[h], 1 << step, 31, T.uint32(0xFFFFFFFF))
            sums[h] = sums[h] + other[0]
    for n, h, e in T.grid(DTILES, 2, 2):
        Out[16 * w + 8 * h + g, 8 * n + 2 * c + e] = o[4 * n + 2 * h + e] / sums[h]
