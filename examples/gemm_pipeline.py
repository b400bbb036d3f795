"""A pipelined GEMM on gemm_async: Out = A B^T, 128x128x512 in f16, through three stages of shared memory.

Warps 0 to 3 fill stages, warp 4 multiplies. Two barriers a stage carry the handshake:

    filled[s]    128 arrivals: every filling thread has stored its rows and fenced them for the async proxy
    drained[s]   one arrival, of tcgen05.commit: the tensor core has read the stage

The stage is a run-time value, so the call's descriptors are one a tensor, encoded once; each instruction adds
1024 units of 16 bytes for a stage and 2 for a K step.

    tilewright run examples/gemm_pipeline.py --fill A=ints:1 --fill B=ints:2 --out Out=out.npy
"""

from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import S, TCol, TLane, TileLayout, tid_in_wg as axis_tid_in_wg
from tvm.tirx.cuda.operator.tile_primitive.tma_utils import mma_shared_layout

M, N, K = 128, 128, 512
DEPTH, STEP = 3, 64  # stages, and the K of one
STEPS = K // STEP
LAYOUT = mma_shared_layout("float16", 3, (DEPTH, M, STEP))


@T.prim_func
def gemm_pipeline(
    A: T.Buffer((M, K), "float16"),
    B: T.Buffer((N, K), "float16"),
    Out: T.Buffer((M, N), "float32"),
):
    T.device_entry()
    T.cta_id([1])
    warp_id = T.warp_id([5])
    tid = T.thread_id([160])

    A_smem = T.alloc_buffer((DEPTH, M, STEP), "float16", scope="shared", layout=LAYOUT)
    B_smem = T.alloc_buffer((DEPTH, N, STEP), "float16", scope="shared", layout=LAYOUT)
    tmem_addr = T.alloc_shared([1], "uint32")
    filled = T.alloc_shared([DEPTH], "uint64")
    drained = T.alloc_shared([DEPTH], "uint64")
    done = T.alloc_shared([1], "uint64")

    if tid == 0:
        for s in range(DEPTH):
            T.ptx.mbarrier.init(filled.ptr_to([s]), 128)
            T.ptx.mbarrier.init(drained.ptr_to([s]), 1)
        T.ptx.mbarrier.init(done.ptr_to([0]), 1)
    if warp_id == 4:
        T.ptx.tcgen05.alloc(T.address_of(tmem_addr), n_cols=128, cta_group=1)
    T.cuda.cta_sync()
    tmem = T.decl_buffer((128, 128), "float32", scope="tmem", allocated_addr=tmem_addr[0],
                         layout=TileLayout(S[(128, 128) : (1 @ TLane, 1 @ TCol)]))

    if warp_id == 4:
        if T.ptx.elect_sync():
            for i in range(STEPS):
                T.ptx.mbarrier.try_wait(filled.ptr_to([i % DEPTH]), i // DEPTH % 2)
                Tx.gemm_async(tmem[:, :], A_smem[i % DEPTH, :, :], B_smem[i % DEPTH, :, :],
                              accum=i != 0, dispatch="tcgen05", cta_group=1)
                T.ptx.tcgen05.commit(drained.ptr_to([i % DEPTH]), cta_group=1)
            T.ptx.tcgen05.commit(done.ptr_to([0]), cta_group=1)
    else:
        for i in range(STEPS):
            # A barrier that never completed counts as completed with parity 1: the first round does not wait.
            T.ptx.mbarrier.try_wait(drained.ptr_to([i % DEPTH]), (i // DEPTH + 1) % 2)
            for k in range(STEP):
                A_smem[i % DEPTH, tid, k] = A[tid, i * STEP + k]
                B_smem[i % DEPTH, tid, k] = B[tid, i * STEP + k]
            T.ptx.fence.proxy_async("shared::cta")
            T.ptx.mbarrier.arrive(filled.ptr_to([i % DEPTH]))
        T.ptx.mbarrier.try_wait(done.ptr_to([0]), 0)
        T.ptx.tcgen05.fence.after_thread_sync()
        row = T.alloc_local((N,), "float32", layout="default")
        tile = row.view(M, N, layout=TileLayout(S[(M, N) : (1 @ axis_tid_in_wg, 1)]))
        T.cuda.tile.apply(T.ptx["tcgen05.ld.sync.aligned.32x32b.x128.b32"], tile.view(4, 32, N), tmem.view(4, 32, N),
                          scope="warpgroup")
        T.ptx.tcgen05.wait.ld()
        for n in range(N):
            Out[tid, n] = row[n]
        T.ptx.tcgen05.fence.before_thread_sync()

    T.cuda.cta_sync()
    if warp_id == 4:
        T.ptx.tcgen05.relinquish_alloc_permit(cta_group=1)
        T.ptx.tcgen05.dealloc(tmem_addr[0], n_cols=128, cta_group=1)
