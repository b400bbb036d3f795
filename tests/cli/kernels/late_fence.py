# The proxy fence stands behind the barrier that orders the stores before the copy.
from tvm.script import tirx as T

N = 128


@T.function
def bulk_store(Out: T.Tensor((N,), "uint32")):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=N))
    tid = T.cuda.thread_idx("x")
    box = T.alloc_shared((N,), "uint32", layout="default", align=128)
    box[tid] = T.uint32(tid)
    T.cuda.cta_sync()
    T.ptx.fence.proxy.async_.shared__cta()
    if tid == 0:
        T.ptx["cp.async.bulk.global.shared::cta.bulk_group"](Out.ptr_to([0]), box.ptr_to([0]), T.uint32(4 * N))
        T.ptx["cp.async.bulk.commit_group"]()
        T.ptx["cp.async.bulk.wait_group"](0)
