"""A persistent, warp-specialised GEMM: D = A B^T in f16 with f32 accumulation, 512 x 512 x 256 on four CTAs.

Each CTA takes every fourth tile of 128 x 128 in the scheduler's order. Warpgroup 1 feeds the tensor core, warpgroup 0
empties it:

    warpgroup 1, warp 3   TMA loads of A and B, 64 deep, into a ring of four stages
    warpgroup 1, warp 0   tcgen05.mma out of the ring, into one of two accumulators in tensor memory
    warpgroup 0           the finished accumulator to registers, to f16, to shared memory, and by TMA to D

Four sets of barriers hand the memory over:

    loaded    TMA to MMA     one arrival and the bytes of a stage
    read      MMA to TMA     tcgen05.commit: the tensor core has read the stage
    filled    MMA to store   tcgen05.commit: an accumulator is complete
    drained   store to MMA   128 arrivals: the accumulator is in registers

While one accumulator is stored the next is computed. All state lives in the pipeline objects; no phase is counted by
hand.

    tilewright run examples/tcgen05/gemm_persistent.py --fill A=ints:1 --fill B=ints:2 --out D=d.npy
"""

from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.lang.pipeline import MBarrier, PipelineState, TCGen05Bar, TMABar
from tvm.tirx.lang.tile_scheduler import ClusterPersistentScheduler2D
from tvm.tirx.layout import S, TCol, TileLayout, TLane

M, N, K = 512, 512, 256
BLK_M, BLK_N, BLK_K = 128, 128, 64
CTAS = 4
STAGES, ACCUMULATORS = 4, 2
STEPS = K // BLK_K
STAGE_BYTES = (BLK_M + BLK_N) * BLK_K * 2
STORE_N = 64  # columns of D in one store: a row of 128 bytes, the span of the swizzle


@T.prim_func
def gemm_persistent(
    A: T.Buffer((M, K), "float16"),
    B: T.Buffer((N, K), "float16"),
    D: T.Buffer((M, N), "float16"),
):
    T.device_entry()
    cta = T.cta_id([CTAS])
    wg = T.warpgroup_id([2])
    warp = T.warp_id_in_wg([4])
    lane = T.lane_id([32])
    tid = T.thread_id_in_wg([128])

    pool = T.SMEMPool()
    tmem = T.TMEMPool(pool, total_cols=ACCUMULATORS * BLK_N)
    loaded = TMABar(pool, STAGES)
    read = TCGen05Bar(pool, STAGES)
    filled = TCGen05Bar(pool, ACCUMULATORS)
    drained = MBarrier(pool, ACCUMULATORS)
    pool.move_base_to(1024)
    a_ring = pool.alloc_tcgen05_mma_AB((STAGES, BLK_M, BLK_K), "float16")
    b_ring = pool.alloc_tcgen05_mma_AB((STAGES, BLK_N, BLK_K), "float16")
    d_tile = pool.alloc_tcgen05_mma_AB((2, BLK_M, STORE_N), "float16")
    pool.commit()

    loaded.init(1)
    read.init(1)
    filled.init(1)
    drained.init(128)
    T.ptx.fence.mbarrier_init()
    acc = tmem.alloc((ACCUMULATORS, BLK_M, BLK_N), "float32",
                     layout=TileLayout(S[(ACCUMULATORS, BLK_M, BLK_N) : (BLK_N @ TCol, 1 @ TLane, 1 @ TCol)]))
    tmem.commit()

    tiles = ClusterPersistentScheduler2D("tiles", num_m_tiles=M // BLK_M, num_n_tiles=N // BLK_N, l2_group_size=2,
                                         num_clusters=CTAS)
    tiles.init(cta)
    row = T.meta_var(tiles.m_idx * BLK_M)
    col = T.meta_var(tiles.n_idx * BLK_N)

    if wg == 1:
        if warp == 3:
            ring = PipelineState(STAGES, phase=1)

            @T.inline
            def load(k):
                to = T.meta_var({"dispatch": "tma", "mbar": loaded.ptr_to([ring.stage]), "cta_group": 1})
                read.wait(ring.stage, ring.phase)
                loaded.arrive(ring.stage, STAGE_BYTES)
                Tx.copy_async(a_ring[ring.stage, :, :], A[row : row + BLK_M, k : k + BLK_K], **to)
                Tx.copy_async(b_ring[ring.stage, :, :], B[col : col + BLK_N, k : k + BLK_K], **to)
                ring.advance()

            if T.filter(lane, T.ptx.elect_sync()):
                while tiles.valid():
                    for step in T.serial(STEPS):
                        load(step * BLK_K)
                    tiles.next_tile()
        elif warp == 0:
            ring = PipelineState(STAGES, phase=0)
            out = PipelineState(ACCUMULATORS, phase=1)
            if T.filter(lane, T.ptx.elect_sync()):
                while tiles.valid():
                    drained.wait(out.stage, out.phase)
                    T.ptx.tcgen05.fence.after_thread_sync()
                    for step in T.serial(STEPS):
                        loaded.wait(ring.stage, ring.phase)
                        T.ptx.tcgen05.fence.after_thread_sync()
                        Tx.gemm_async(acc[out.stage, :, :], a_ring[ring.stage, :, :], b_ring[ring.stage, :, :],
                                      accum=step != 0, dispatch="tcgen05", cta_group=1)
                        read.arrive(ring.stage, cta_group=1)
                        ring.advance()
                    filled.arrive(out.stage, cta_group=1)
                    out.advance()
                    tiles.next_tile()
    else:
        done = PipelineState(ACCUMULATORS, phase=0)
        while tiles.valid():
            filled.wait(done.stage, done.phase)
            T.ptx.tcgen05.fence.after_thread_sync()
            sums = T.wg_reg_tile(BLK_N, "float32")
            Tx.wg.copy_async(sums[:, :], acc[done.stage, :, :])
            T.ptx.tcgen05.wait.ld()
            T.ptx.tcgen05.fence.before_thread_sync()
            drained.arrive(done.stage)
            done.advance()

            halves = T.wg_reg_tile(BLK_N, "float16")
            Tx.wg.cast(halves[:, :], sums[:, :])
            for i in T.unroll(BLK_N // STORE_N):
                Tx.wg.copy(d_tile[i, :, :], halves[:, i * STORE_N : i * STORE_N + STORE_N])
            T.ptx.fence.proxy_async("shared::cta")
            T.cuda.warpgroup_sync(1)
            if tid == 0:
                for i in T.unroll(BLK_N // STORE_N):
                    Tx.copy_async(D[row : row + BLK_M, col + i * STORE_N : col + i * STORE_N + STORE_N], d_tile[i, :, :],
                                  dispatch="tma")
                T.ptx.cp_async.bulk.commit_group()
                T.ptx.cp_async.bulk.wait_group(0)
            T.cuda.warpgroup_sync(1)
            tiles.next_tile()

    T.cuda.cta_sync()
    tmem.dealloc()
