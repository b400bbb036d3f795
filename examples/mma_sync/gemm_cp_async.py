"""C = A B with mma.sync for sm_80: cp.async into three stages of swizzled shared memory, ldmatrix, and vector stores.

A is (M, K), B is (K, N), both float16 and row-major; C is float32. A block of 8 warps makes 128 x 128 of C, a warp 64 x 32,
in steps of 32 along K. While the tensor cores work on one stage, the copies of the next two are under way.

Stages are swizzled so that the eight rows of every matrix that ldmatrix reads lie in different banks: rows of A have 64
bytes (mode 2), rows of B are panels of 128 (mode 3). B lies with N contiguous, so its fragments are loaded transposed.
"""
from tvm.script import tirx as T
from tvm.backend.cuda.axis import laneid
from tvm.backend.cuda.layout import mma_shared_layout

M, N, K = 256, 256, 128
STAGES, STEP = 3, 32
STEPS = K // STEP

# Fragments of a warp: registers and the lanes that hold them.
A_LOADED = T.TileLayout(T.S[(1, 1, 4, 2, 4, 8, 4) : (1, 1, 8, 4, 1, 4 @ laneid, 1 @ laneid)])
A_OPERAND = T.TileLayout(T.S[(4, 2, 2, 8, 2, 4) : (8, 4, 1, 4 @ laneid, 2, 1 @ laneid)])
B_LOADED = T.TileLayout(T.S[(1, 1, 2, 2, 2, 2, 8, 4) : (1, 1, 2, 8, 4, 1, 4 @ laneid, 1 @ laneid)])
B_OPERAND = T.TileLayout(T.S[(4, 2, 8, 2, 4) : (4, 2, 4 @ laneid, 1, 1 @ laneid)])
ACCUMULATORS = T.TileLayout(T.S[(4, 4, 2, 8, 4, 2) : (16, 4, 2, 4 @ laneid, 1 @ laneid, 1)])
STORED = T.TileLayout(T.S[(32, 1, 1, 1, 1, 4, 2, 4, 2) : (1 @ laneid, 1, 1, 1, 1, 16, 2, 4, 1)])


@T.function
def gemm_cp_async(
    A: T.Tensor((M, K), "float16", align=16), B: T.Tensor((K, N), "float16", align=16), C: T.Tensor((M, N), "float32", align=16)
):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=(N // 128, M // 128), block=256))
    tid = T.cuda.thread_idx("x")
    wm = T.cuda.warp_id() // 4
    wn = T.cuda.warp_id() % 4
    bm = T.cuda.block_idx("y")
    bn = T.cuda.block_idx("x")
    sa = T.alloc_shared((STAGES, 128, STEP), "float16", layout=mma_shared_layout("float16", 2, (STAGES, 128, STEP)), align=1024)
    sb = T.alloc_shared((STAGES, STEP, 128), "float16", layout=mma_shared_layout("float16", 3, (STAGES, STEP, 128)), align=1024)
    a = T.alloc_local((32,), "uint32", layout="default")
    b = T.alloc_local((16,), "uint32", layout="default")
    d = T.alloc_local((64,), "float32", layout="default")
    # As the copies see them: a thread's chunks of 8 elements, of the tiles of A and B and of the stages.
    a_tiles = A.rearrange("(bm i r) (s c e) -> bm s i r c e", i=2, r=64, c=4, e=8)
    b_tiles = B.rearrange("(s i r) (bn c e) -> bn s i r c e", i=2, s=STEPS, c=16, e=8)
    a_stages = sa.rearrange("s (i r) (c e) -> s i r c e", i=2, c=4).view(1, STAGES, 2, 64, 4, 8)
    b_stages = sb.rearrange("s (i r) (c e) -> s i r c e", i=2, c=16).view(1, STAGES, 2, 16, 16, 8)
    # As ldmatrix sees the stages: matrices of 8 rows of 4 words, four at a time, for warp row wm and warp column wn.
    a_words = sa.view("uint32").rearrange("s (wm mi rh r) (ki kh w) -> s wm mi ki kh rh r w", wm=2, mi=4, rh=2, ki=2, kh=2)
    a_matrices = a_words.view(STAGES, 2, 4, 2, 4, 8, 4)
    b_words = sb.view("uint32").rearrange("s (ki kh r) (wn np nj w) -> s wn ki np nj kh r w", ki=2, kh=2, wn=4, np=2, nj=2)
    b_matrices = b_words.view(STAGES, 4, 2, 2, 4, 8, 4)
    # As the stores see C: pairs of columns, by the lane that holds them.
    c_pairs = C.rearrange("(bm wm mi h g) (bn wn ni t e) -> g t bm bn wm wn mi h ni e", bm=M // 128, wm=2, mi=4, h=2,
                          bn=N // 128, wn=4, ni=4, t=4)
    c_lanes = c_pairs.view(32, M // 128, N // 128, 2, 4, 4, 2, 4, 2)

    @T.inline
    def load(step, stage):
        T.cuda.tile.apply(T.ptx["cp.async.cg.shared.global"], a_stages[0, stage, 0:2, tid // 4, tid % 4, 0:8],
                          a_tiles[bm, step, 0:2, tid // 4, tid % 4, 0:8], chunk_bytes=16)
        T.cuda.tile.apply(T.ptx["cp.async.cg.shared.global"], b_stages[0, stage, 0:2, tid // 16, tid % 16, 0:8],
                          b_tiles[bn, step, 0:2, tid // 16, tid % 16, 0:8], chunk_bytes=16)

    for r in range(64):
        d[r] = T.float32(0)
    for step in T.unroll(STAGES - 1):
        load(step, step)
        T.ptx.cp_async.commit_group()
    for step in range(STEPS):
        # One group a step, empty ones at the end: all but the newest STAGES - 2 are complete, so this step's stage is here,
        # and every warp has read the stage that is filled next.
        T.ptx.cp_async.wait_group(STAGES - 2)
        T.cuda.cta_sync()
        if step + STAGES - 1 < STEPS:
            load(step + STAGES - 1, (step + STAGES - 1) % STAGES)
        T.ptx.cp_async.commit_group()
        stage = step % STAGES
        T.cuda.tile.apply(T.ptx["ldmatrix.sync.aligned.m8n8.x4.shared.b16"], a.view(1, 1, 4, 2, 4, 8, 4, layout=A_LOADED),
                          a_matrices[stage, wm, 0:4, 0:2, 0:4, 0:8, 0:4], scope="warp")
        T.cuda.tile.apply(T.ptx["ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16"], b.view(1, 1, 2, 2, 4, 8, 4, layout=B_LOADED),
                          b_matrices[stage, wn, 0:2, 0:2, 0:4, 0:8, 0:4], scope="warp")
        T.cuda.tile.apply(T.ptx["mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"], d.view(4, 4, 16, 8, layout=ACCUMULATORS),
                          a.view(4, 2, 16, 8, layout=A_OPERAND), b.view(4, 2, 8, 8, layout=B_OPERAND),
                          d.view(4, 4, 16, 8, layout=ACCUMULATORS), scope="warp")
    T.cuda.tile.apply(T.ptx["st.global.v2.f32"], c_lanes[0:32, bm, bn, wm, wn, 0:4, 0:2, 0:4, 0:2],
                      d.view(32, 1, 1, 1, 1, 4, 2, 4, 2, layout=STORED), scope="warp")
