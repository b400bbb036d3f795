"""Out = A B^T on Blackwell: 256 x 256 x 256 in f16, tensor copies fill the operands of gemm_async, tensor copies write the result.

Warp 5 fills three stages, warp 4 multiplies, warps 0 to 3 read the accumulator. Two barriers a stage carry the handshake:

    filled[s]    one arrival, and the bytes of both operands
    drained[s]   one arrival, of tcgen05.commit: the tensor core has read the stage

Nothing is fenced between the copies and the tensor core: a completed tensor copy is visible to both. The result goes through
shared memory in two halves of 64 columns; there it is written by threads, so it is fenced for the copy that takes it away.

    tilewright run examples/tcgen05/gemm_tma_pipeline.py --fill A=ints:1 --fill B=ints:2 --out Out=out.npy
"""

from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import S, TCol, TLane, TileLayout, tid_in_wg as axis_tid_in_wg
from tvm.tirx.cuda.operator.tile_primitive.tma_utils import mma_shared_layout

M, N, K = 256, 256, 256
BM, BN = 128, 128
DEPTH, STEP = 3, 64  # stages, and the K of one
STEPS = K // STEP
LAYOUT = mma_shared_layout("float16", 3, (DEPTH, BM, STEP))
LOAD = "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
STORE = "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group"


@T.prim_func
def gemm_tma_pipeline(
    A: T.Buffer((M, K), "float16"),
    B: T.Buffer((N, K), "float16"),
    Out: T.Buffer((M, N), "float32"),
):
    T.device_entry()
    bx, by = T.cta_id([N // BN, M // BM])
    warp_id = T.warp_id([6])
    tid = T.thread_id([192])

    A_smem = T.alloc_buffer((DEPTH, BM, STEP), "float16", scope="shared", layout=LAYOUT)
    B_smem = T.alloc_buffer((DEPTH, BN, STEP), "float16", scope="shared", layout=LAYOUT)
    Out_smem = T.alloc_buffer((BM, 64), "float32", scope="shared", layout=mma_shared_layout("float32", 3, (BM, 64)))
    tmem_addr = T.alloc_shared([1], "uint32")
    filled = T.alloc_shared([DEPTH], "uint64")
    drained = T.alloc_shared([DEPTH], "uint64")
    done = T.alloc_shared([1], "uint64")

    if tid == 0:
        for s in range(DEPTH):
            T.ptx.mbarrier.init(filled.ptr_to([s]), 1)
            T.ptx.mbarrier.init(drained.ptr_to([s]), 1)
        T.ptx.mbarrier.init(done.ptr_to([0]), 1)
        T.ptx.fence.mbarrier_init()
    if warp_id == 4:
        T.ptx.tcgen05.alloc(T.address_of(tmem_addr), n_cols=128, cta_group=1)
    T.cuda.cta_sync()
    tmem = T.decl_buffer((BM, BN), "float32", scope="tmem", allocated_addr=tmem_addr[0],
                         layout=TileLayout(S[(BM, BN) : (1 @ TLane, 1 @ TCol)]))

    if warp_id == 5:
        if T.ptx.elect_sync():
            for i in range(STEPS):
                # A barrier that never completed counts as completed with parity 1: the first round does not wait.
                T.ptx.mbarrier.try_wait(drained.ptr_to([i % DEPTH]), (i // DEPTH + 1) % 2)
                T.ptx.mbarrier.arrive.expect_tx(filled.ptr_to([i % DEPTH]), (BM + BN) * STEP * 2)
                T.cuda.tile.apply(T.ptx[LOAD], A_smem[i % DEPTH, :, :], A[by * BM : by * BM + BM, i * STEP : i * STEP + STEP],
                                  box=(BM, STEP), mbar=filled.ptr_to([i % DEPTH]))
                T.cuda.tile.apply(T.ptx[LOAD], B_smem[i % DEPTH, :, :], B[bx * BN : bx * BN + BN, i * STEP : i * STEP + STEP],
                                  box=(BN, STEP), mbar=filled.ptr_to([i % DEPTH]))
    elif warp_id == 4:
        if T.ptx.elect_sync():
            for i in range(STEPS):
                T.ptx.mbarrier.try_wait(filled.ptr_to([i % DEPTH]), i // DEPTH % 2)
                Tx.gemm_async(tmem[:, :], A_smem[i % DEPTH, :, :], B_smem[i % DEPTH, :, :],
                              accum=i != 0, dispatch="tcgen05", cta_group=1)
                T.ptx.tcgen05.commit(drained.ptr_to([i % DEPTH]), cta_group=1)
            T.ptx.tcgen05.commit(done.ptr_to([0]), cta_group=1)
    else:
        T.ptx.mbarrier.try_wait(done.ptr_to([0]), 0)
        T.ptx.tcgen05.fence.after_thread_sync()
        row = T.alloc_local((BN,), "float32", layout="default")
        tile = row.view(BM, BN, layout=TileLayout(S[(BM, BN) : (1 @ axis_tid_in_wg, 1)]))
        T.cuda.tile.apply(T.ptx["tcgen05.ld.sync.aligned.32x32b.x128.b32"], tile.view(4, 32, BN), tmem.view(4, 32, BN),
                          scope="warpgroup")
        T.ptx.tcgen05.wait.ld()
        T.ptx.tcgen05.fence.before_thread_sync()
        panels = Out.rearrange("m (r n) -> r m n", n=32)
        for half in T.unroll(BN // 64):
            for n in range(64):
                Out_smem[tid, n] = row[64 * half + n]
            T.ptx.fence.proxy_async("shared::cta")
            T.cuda.warpgroup_sync(1)
            if tid == 0:
                T.cuda.tile.apply(T.ptx[STORE], panels[4 * bx + 2 * half : 4 * bx + 2 * half + 2, by * BM : by * BM + BM, :],
                                  Out_smem.rearrange("m (r n) -> r m n", n=32), box=(BM, 32))
                T.ptx.cp_async.bulk.commit_group()
                T.ptx.cp_async.bulk.wait_group(0)
            T.cuda.warpgroup_sync(1)

    T.cuda.cta_sync()
    if warp_id == 4:
        T.ptx.tcgen05.relinquish_alloc_permit(cta_group=1)
        T.ptx.tcgen05.dealloc(tmem_addr[0], n_cols=128, cta_group=1)
