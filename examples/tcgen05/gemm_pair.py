"""A GEMM on a pair of CTAs: D = A B^T, 256 x 256 x 256 in f16 with f32 accumulation, by tcgen05.mma of cta_group 2.

Each CTA of the cluster loads its half of A's rows and of B's rows by TMA into its own shared memory; the bytes of both are
counted by the barriers of CTA 0, which alone issues the instructions. An instruction reads both halves and leaves 128 rows of
D in the tensor memory of either CTA. tcgen05.commit with a mask of both CTAs says there that a stage has been read, and in
the end that D is complete.

    tilewright run examples/tcgen05/gemm_pair.py --fill A=ints:1 --fill B=ints:2 --out D=d.npy
"""

from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.lang.pipeline import PipelineState, TCGen05Bar, TMABar

M, N, K = 256, 256, 256
ROWS, COLS, STEP = M // 2, N // 2, 64  # of A and of B in one CTA, and the K of a stage
STAGES = 3
BOTH = 3  # the mask of CTAs 0 and 1


@T.prim_func
def gemm_pair(
    A: T.Buffer((M, K), "float16"),
    B: T.Buffer((N, K), "float16"),
    D: T.Buffer((M, N), "float32"),
):
    T.device_entry()
    rank = T.cta_id_in_cluster([2])
    T.cluster_id([1])
    warp = T.warp_id([4])
    lane = T.lane_id([32])

    pool = T.SMEMPool()
    tmem = T.TMEMPool(pool, total_cols=N, cta_group=2)
    loaded = TMABar(pool, STAGES)
    read = TCGen05Bar(pool, STAGES)
    done = TCGen05Bar(pool, 1)
    a_ring = pool.alloc_tcgen05_mma_AB((STAGES, ROWS, STEP), "float16")
    b_ring = pool.alloc_tcgen05_mma_AB((STAGES, COLS, STEP), "float16")
    pool.commit()
    loaded.init(2)  # an arrival of either CTA
    read.init(1)
    done.init(1)
    T.ptx.fence.mbarrier_init()
    acc = tmem.alloc((ROWS, N), "float32")
    tmem.commit()
    T.cuda.cluster_sync()

    if warp == 1:
        ring = PipelineState(STAGES, phase=1)
        leader = loaded.remote_view(0)
        if T.filter(lane, T.ptx.elect_sync()):
            for k in T.serial(0, K, step=STEP):
                read.wait(ring.stage, ring.phase)
                leader.arrive(ring.stage, (ROWS + COLS) * STEP * 2)
                to = T.meta_var({"dispatch": "tma", "mbar": leader.ptr_to([ring.stage]), "cta_group": 2})
                Tx.copy_async(a_ring[ring.stage, :, :], A[rank * ROWS : rank * ROWS + ROWS, k : k + STEP], **to)
                Tx.copy_async(b_ring[ring.stage, :, :], B[rank * COLS : rank * COLS + COLS, k : k + STEP], **to)
                ring.advance()
    elif warp == 0:
        if rank == 0:
            ring = PipelineState(STAGES, phase=0)
            if T.filter(lane, T.ptx.elect_sync()):
                for k in T.serial(K // STEP):
                    loaded.wait(ring.stage, ring.phase)
                    T.ptx.tcgen05.fence.after_thread_sync()
                    Tx.gemm_async(acc[:, :], a_ring[ring.stage, :, :], b_ring[ring.stage, :, :], accum=k != 0,
                                  dispatch="tcgen05", cta_group=2)
                    read.arrive(ring.stage, cta_group=2, cta_mask=BOTH)
                    ring.advance()
                done.arrive(0, cta_group=2, cta_mask=BOTH)

    done.wait(0, 0)
    T.ptx.tcgen05.fence.after_thread_sync()
    sums = T.wg_reg_tile(N, "float32")
    Tx.wg.copy_async(sums[:, :], acc[:, :])
    T.ptx.tcgen05.wait.ld()
    Tx.wg.copy(D[rank * ROWS : rank * ROWS + ROWS, :], sums[:, :])
    T.ptx.tcgen05.fence.before_thread_sync()
    T.cuda.cluster_sync()
    tmem.dealloc()
