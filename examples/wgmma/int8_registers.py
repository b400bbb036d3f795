"""Out = A B^T for int8 A (64, 128) and uint8 B (96, 128) on one warpgroup: A in registers, B in shared memory.

A lane reads its words of A straight from global memory, four bytes each, where the fragment of wgmma.mma_async has them;
a tensor copy brings B. Four steps of K, 32 each, accumulate in int32.
"""
from tvm.script import tirx as T
from tvm.backend.cuda.layout import mma_shared_layout

N, K = 96, 128
WORDS = K // 4  # of a row of A
Lane, Warp = T.cuda.Axis.laneid, T.cuda.Axis.wid_in_wg

# Row 16 w + l / 4 + 8 h and word 8 s + 4 q + l % 4 are register 4 s + 2 q + h of lane l of warp w.
FRAGMENT_A = T.TileLayout(T.S[(4, 2, 8, K // 32, 2, 4) : (1 @ Warp, 1, 4 @ Lane, 4, 2, 1 @ Lane)])
FRAGMENT_D = T.TileLayout(T.S[(4, 2, 8, N // 8, 4, 2) : (1 @ Warp, 2, 4 @ Lane, 4, 1 @ Lane, 1)])


@T.function
def int8_registers(A: T.Tensor((64, K), "int8"), B: T.Tensor((N, K), "uint8"), Out: T.Tensor((64, N), "int32")):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=128))
    t = T.cuda.thread_idx("x")
    lane = T.cuda.lane_id()
    row = 16 * T.cuda.warp_id() + lane // 4
    sb = T.alloc_shared((N, K), "uint8", layout=mma_shared_layout("uint8", 3, (N, K)), align=1024)
    ready = T.alloc_shared((1,), "uint64", layout="default")
    if t == 0:
        T.ptx.mbarrier.init.shared.b64(ready.ptr_to([0]), T.uint32(1))
        T.ptx.fence.mbarrier_init.release.cluster()
        T.ptx.mbarrier.arrive.expect_tx.shared.b64(T.ptx.SINK, ready.ptr_to([0]), T.uint32(N * K))
        T.cuda.tile.apply(T.ptx["cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"],
                          sb, B[0:N, 0:K], box=(N, K), mbar=ready.ptr_to([0]))
    a = T.alloc_tensor(ty_args=[T.Tensor((64, WORDS), "uint32", scope="local", layout=FRAGMENT_A)])
    mine = a.view(WORDS // 4 * 2, layout="default")
    words = A.view("uint32")
    for r in range(WORDS // 4 * 2):
        mine[r] = words[row + 8 * (r % 2), 8 * (r // 4) + 4 * (r // 2 % 2) + lane % 4]
    d = T.alloc_tensor(ty_args=[T.Tensor((64, N), "int32", scope="local", layout=FRAGMENT_D)])
    T.cuda.cta_sync()
    T.cuda.mbarrier_wait(ready.ptr_to([0]), 0)
    T.ptx.wgmma.fence.sync.aligned()
    T.cuda.tile.apply(
        T.ptx["wgmma.mma_async.sync.aligned.m64n96k32.s32.s8.u8"],
        d.view(1, 1, 64, N),
        a.rearrange("m (r k) -> r m k", k=8).view(1, K // 32, 64, 8),
        sb.rearrange("n (r k) -> r n k", k=32).view(1, K // 32, N, 32),
        scope="warpgroup",
    )
    T.ptx.wgmma.commit_group.sync.aligned()
    T.ptx.wgmma.wait_group.sync.aligned(0)
    out = d.view(N // 2, layout="default")
    for r in range(N // 2):
        Out[row + 8 * (r // 2 % 2), 8 * (r // 4) + 2 * (lane % 4) + r % 2] = out[r]
