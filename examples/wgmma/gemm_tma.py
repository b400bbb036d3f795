"""C = A B^T on Hopper: A (256, 256) and B (256, 256) in float16, C in float32.

Each CTA makes a tile of 128 x 128. Warpgroup 0 is the producer: one of its threads has tensor copies fill three stages
of shared memory, 64 columns of K each. Warpgroups 1 and 2 are consumers: each multiplies its 64 rows of A by all of B,
one wgmma.mma_async for every 16 columns of K. A stage is full when its bytes have arrived, and empty again when both
consumers have arrived after the wgmma of the turn before has read it. A consumer stages its part of C in shared
memory, and tensor copies write it out.
"""
from tvm.script import tirx as T
from tvm.backend.cuda.layout import mma_shared_layout

M, N, K = 256, 256, 256
BM, BN, BK = 128, 128, 64
STAGES = 3
TURNS = K // BK
STAGE_BYTES = (BM + BN) * BK * 2

LA = mma_shared_layout("float16", 3, (STAGES, BM, BK))
LB = mma_shared_layout("float16", 3, (STAGES, BN, BK))
LC = mma_shared_layout("float32", 3, (2, 64, BN))
# Row 16 w + l / 4 + 8 h and column 8 j + 2 (l % 4) + i of a warpgroup's 64 x BN are in lane l of warp w.
FRAGMENT = T.TileLayout(
    T.S[(4, 2, 8, BN // 8, 4, 2) : (1 @ T.cuda.Axis.wid_in_wg, 2, 4 @ T.cuda.Axis.laneid, 4, 1 @ T.cuda.Axis.laneid, 1)])


@T.function
def gemm_tma(A: T.Tensor((M, K), "float16", align=16), B: T.Tensor((N, K), "float16", align=16),
             C: T.Tensor((M, N), "float32", align=16)):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=(N // BN, M // BM), block=384))
    # One block an SM, so that a thread begins with 168 registers: ptxas ignores setmaxnreg where it does not know how many
    # there are. Below, each thread of the producer gives back 128, and each of the two consumers takes 64.
    T.attr({"tirx.launch_bounds_min_blocks_per_sm": 1})
    n0 = T.cuda.block_idx("x") * BN
    m0 = T.cuda.block_idx("y") * BM
    t = T.cuda.thread_idx("x")
    group = T.cuda.warpgroup_id()
    sa = T.alloc_shared((STAGES, BM, BK), "float16", layout=LA, align=1024)
    sb = T.alloc_shared((STAGES, BN, BK), "float16", layout=LB, align=1024)
    sc = T.alloc_shared((2, 64, BN), "float32", layout=LC, align=1024)
    full = T.alloc_shared((STAGES,), "uint64", layout="default")
    empty = T.alloc_shared((STAGES,), "uint64", layout="default")
    if t == 0:
        for s in range(STAGES):
            T.ptx.mbarrier.init.shared.b64(full.ptr_to([s]), T.uint32(1))
            T.ptx.mbarrier.init.shared.b64(empty.ptr_to([s]), T.uint32(2))
        T.ptx.fence.mbarrier_init.release.cluster()
    T.cuda.cta_sync()

    if group == 0:
        T.ptx.setmaxnreg.dec.sync.aligned.u32(40)
        if t == 0:
            for turn in range(TURNS):
                stage = turn % STAGES
                T.cuda.mbarrier_wait(empty.ptr_to([stage]), (turn // STAGES + 1) % 2)
                T.ptx.mbarrier.arrive.expect_tx.shared.b64(T.ptx.SINK, full.ptr_to([stage]), T.uint32(STAGE_BYTES))
                T.cuda.tile.apply(
                    T.ptx["cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"],
                    sa[stage, :, :], A[m0 : m0 + BM, BK * turn : BK * turn + BK],
                    box=(BM, BK), mbar=full.ptr_to([stage]))
                T.cuda.tile.apply(
                    T.ptx["cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"],
                    sb[stage, :, :], B[n0 : n0 + BN, BK * turn : BK * turn + BK],
                    box=(BN, BK), mbar=full.ptr_to([stage]))
    else:
        T.ptx.setmaxnreg.inc.sync.aligned.u32(232)
        consumer = group - 1
        a = sa.view(2 * STAGES, 64, BK).rearrange("s m (r k) -> s r m k", k=16)
        b = sb.rearrange("s n (r k) -> s r n k", k=16)
        acc = T.alloc_tensor(ty_args=[T.Tensor((64, BN), "float32", scope="local", layout=FRAGMENT)])
        for turn in range(TURNS):
            stage = turn % STAGES
            T.cuda.mbarrier_wait(full.ptr_to([stage]), turn // STAGES % 2)
            T.ptx.wgmma.fence.sync.aligned()
            T.cuda.tile.apply(
                T.ptx["wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16"],
                acc.view(1, 1, 64, BN), a[2 * stage + consumer, :, :, :], b[stage, :, :, :],
                accum=turn > 0, scope="warpgroup")
            T.ptx.wgmma.commit_group.sync.aligned()
            T.ptx.wgmma.wait_group.sync.aligned(1)
            # The turn before has read its stage.
            if turn > 0:
                if t % 128 == 0:
                    T.ptx.mbarrier.arrive.shared.b64(T.ptx.SINK, empty.ptr_to([(turn + STAGES - 1) % STAGES]))
        T.ptx.wgmma.wait_group.sync.aligned(0)

        mine = acc.view(BN // 2, layout="default")
        row = T.cuda.warp_id() % 4 * 16 + T.cuda.lane_id() // 4
        for r in T.unroll(BN // 2):
            sc[consumer, row + 8 * (r // 2 % 2), 8 * (r // 4) + 2 * (T.cuda.lane_id() % 4) + r % 2] = mine[r]
        T.ptx.fence.proxy.async_.shared__cta()
        T.cuda.warpgroup_sync(group)
        if t % 128 == 0:
            T.cuda.tile.apply(
                T.ptx["cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group"],
                C.rearrange("m (r n) -> r m n", n=32)[n0 // 32 : n0 // 32 + BN // 32, m0 + 64 * consumer : m0 + 64 * consumer + 64, :],
                sc.rearrange("c m (r n) -> c r m n", n=32)[consumer, :, :, :], box=(64, 32))
            T.ptx.cp.async_.bulk.commit_group()
            T.ptx.cp.async_.bulk.wait_group(0)
