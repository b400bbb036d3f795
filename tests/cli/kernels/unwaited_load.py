# Registers of a tensor memory load are used before tcgen05.wait::ld.
from tvm.script import tirx as T

N, COLUMNS = 2, 32
LANES = T.TileLayout(T.S[(128, N) : (1 @ T.cuda.Axis.TLane, 1 @ T.cuda.Axis.TCol)])


@T.function
def read_back(Out: T.Tensor((128, N), "uint32")):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=128))
    tid = T.cuda.thread_idx("x")
    warp = T.cuda.warp_id()
    slot = T.alloc_shared((1,), "uint32", layout="default")
    if warp == 0:
        T.ptx.tcgen05.alloc.cta_group__1.sync.aligned.shared__cta.b32(T.address_of(slot), T.uint32(COLUMNS))
    T.cuda.cta_sync()
    cells = T.cuda.decl_tmem(slot[0], ty_args=[T.Tensor((128, N), "uint32", scope="tmem", layout=LANES)])
    frag = T.alloc_tensor(ty_args=[
        T.Tensor((128, N), "uint32", scope="local", layout=T.TileLayout(T.S[(128, N) : (1 @ T.cuda.Axis.tid_in_wg, 1)]))
    ])
    T.cuda.tile.apply(
        T.ptx["tcgen05.ld.sync.aligned.32x32b.x2.b32"], frag.view(4, 32, N), cells.view(4, 32, N), scope="warpgroup"
    )
    row = frag.view(N, layout="default")
    for j in range(N):
        Out[tid, j] = row[j]
    T.cuda.cta_sync()
    if warp == 0:
        T.ptx.tcgen05.dealloc.cta_group__1.sync.aligned.b32(slot[0], T.uint32(COLUMNS))
