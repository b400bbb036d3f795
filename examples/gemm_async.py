"""gemm_async, the program of its documentation page written out in full: one f16 tile, 128x64 times 64x128.

The language's earlier revision, in its own spellings: the launch follows from scope ids, PTX calls take keywords, and
Tx.gemm_async says what is to be multiplied and leaves the instructions to a variant, which reports its choice:

    tilewright compile examples/gemm_async.py                      the PTX, and the note that says what was chosen
    tilewright compile examples/gemm_async.py --emit ir            the call as written
    tilewright compile examples/gemm_async.py --emit ir-lowered    its two descriptors and four tcgen05.mma
    tilewright run examples/gemm_async.py --fill A=ints:1 --fill B=ints:2 --out Out=out.npy
"""

from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import S, TCol, TLane, TileLayout, tid_in_wg as axis_tid_in_wg
from tvm.tirx.cuda.operator.tile_primitive.tma_utils import mma_shared_layout

# Three stages of a pipeline, of which this program uses one for each operand: stage 1 of A, stage 2 of B.
STAGES = (3, 128, 64)
A_STAGE, B_STAGE = 1, 2
FIRST, N = 256, 128  # the accumulator is columns 256 to 383 of all 512


@T.prim_func
def gemm_async(
    A: T.Buffer((128, 64), "float16"),
    B: T.Buffer((128, 64), "float16"),
    Out: T.Buffer((128, 128), "float32"),
):
    T.device_entry()
    T.cta_id([1])
    warp_id = T.warp_id([4])
    tid_in_wg = T.thread_id_in_wg([128])

    A_smem = T.alloc_buffer(STAGES, "float16", scope="shared", layout=mma_shared_layout("float16", 3, STAGES))
    B_smem = T.alloc_buffer(STAGES, "float16", scope="shared", layout=mma_shared_layout("float16", 3, STAGES))
    tmem_addr = T.alloc_shared([1], "uint32"); mma_mbar = T.alloc_shared([1], "uint64")

    if tid_in_wg == 0:
        T.ptx.mbarrier.init(mma_mbar.ptr_to([0]), 1)
    if warp_id == 0:
        T.ptx.tcgen05.alloc(T.address_of(tmem_addr), n_cols=512, cta_group=1)
    T.cuda.cta_sync()
    tmem = T.decl_buffer((128, 512), "float32", scope="tmem", allocated_addr=tmem_addr[0],
                         layout=TileLayout(S[(128, 512) : (1 @ TLane, 1 @ TCol)]))

    # Thread t stores row t of both operands. The tensor core reads shared memory through the async proxy: every writer
    # fences its own stores, and then the barrier orders them before the thread that issues.
    for k in range(64):
        A_smem[A_STAGE, tid_in_wg, k] = A[tid_in_wg, k]
        B_smem[B_STAGE, tid_in_wg, k] = B[tid_in_wg, k]
    T.ptx.fence.proxy_async("shared::cta")
    T.cuda.cta_sync()

    if tid_in_wg == 0:
        Tx.gemm_async(tmem[0:128, FIRST : FIRST + N], A_smem[A_STAGE : A_STAGE + 1, :, :], B_smem[B_STAGE : B_STAGE + 1, :, :],
                      dispatch="tcgen05")
        T.ptx.tcgen05.commit(mma_mbar.ptr_to([0]), cta_group=1)  # gemm_async signals nothing: its caller does
    T.ptx.mbarrier.try_wait(mma_mbar.ptr_to([0]), 0)
    T.ptx.tcgen05.fence.after_thread_sync()

    # Warp w reads its own 32 lanes: thread t ends up with row t in 128 registers.
    row = T.alloc_local((N,), "float32", layout="default")
    tile = row.view(128, N, layout=TileLayout(S[(128, N) : (1 @ axis_tid_in_wg, 1)]))
    T.cuda.tile.apply(T.ptx["tcgen05.ld.sync.aligned.32x32b.x128.b32"], tile.view(4, 32, N),
                      tmem.view(4, 32, 512)[:, :, FIRST : FIRST + N], scope="warpgroup")
    T.ptx.tcgen05.wait.ld()
    for n in range(N):
        Out[tid_in_wg, n] = row[n]

    # Everything is read before tensor memory is given back.
    T.cuda.cta_sync()
    if warp_id == 0:
        T.ptx.tcgen05.relinquish_alloc_permit(cta_group=1)
        T.ptx.tcgen05.dealloc(tmem_addr[0], n_cols=512, cta_group=1)
