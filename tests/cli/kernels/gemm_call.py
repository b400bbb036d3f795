# One gemm_async: what is between the call and its instructions.
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import S, TCol, TLane, TileLayout
from tvm.tirx.cuda.operator.tile_primitive.tma_utils import mma_shared_layout


@T.prim_func
def gemm_call():
    T.device_entry()
    T.cta_id([1])
    warp_id = T.warp_id([4])
    tid_in_wg = T.thread_id_in_wg([128])
    A_smem = T.alloc_buffer((3, 128, 64), "float16", scope="shared", layout=mma_shared_layout("float16", 3, (3, 128, 64)))
    B_smem = T.alloc_buffer((3, 128, 64), "float16", scope="shared", layout=mma_shared_layout("float16", 3, (3, 128, 64)))
    tmem_addr = T.alloc_shared([1], "uint32")
    mma_mbar = T.alloc_shared([1], "uint64")
    if tid_in_wg == 0:
        T.ptx.mbarrier.init(mma_mbar.ptr_to([0]), 1)
    if warp_id == 0:
        T.ptx.tcgen05.alloc(T.address_of(tmem_addr), n_cols=512, cta_group=1)
    T.cuda.cta_sync()
    tmem = T.decl_buffer((128, 512), "float32", scope="tmem", allocated_addr=tmem_addr[0],
                         layout=TileLayout(S[(128, 512) : (1 @ TLane, 1 @ TCol)]))
    if tid_in_wg == 0:
        Tx.gemm_async(tmem[0:128, 256:384], A_smem[1:2, :, :], B_smem[2:3, :, :], dispatch="tcgen05")
        T.ptx.tcgen05.commit(mma_mbar.ptr_to([0]), cta_group=1)
