"""kind f8f6f4 with 6-bit A from tensor memory and 4-bit B from shared memory.

In shared memory 16 elements always take 16 bytes, whatever their width: six-bit elements fill the first 12 bytes as one
bit stream, four-bit elements the first 8. tensor memory wants a byte an element. tcgen05.cp with .b8x16.b6x16_p32 makes
the one out of the other while it copies. The tensors are declared as bytes, and a_format and b_format say what numbers
they are.

A lies unswizzled: eight rows of 16 bytes together, then the next rows (sdo_bytes), and the next 16 elements of K behind
all rows (ldo_bytes).
"""

from tvm.script import tirx as T
from tvm.backend.cuda.layout import mma_shared_layout, tmem_mma_operand_layout

M, N, K = 128, 64, 64
STEP = 32
STEPS = K // STEP
COLUMNS = 128  # 64 for D, 16 for A
A_COLUMN = 64

A_SHARED = mma_shared_layout("uint8", 0, (M, K))
B_LAYOUT = mma_shared_layout("uint8", 2, (N, K))
D_LAYOUT = tmem_mma_operand_layout("D", (M, N), "float32", M=M, cta_group=1)
A_LAYOUT = tmem_mma_operand_layout("A", (M, K), "uint8", M=M, cta_group=1)


@T.function
def fp6_expand(
    A: T.Tensor((M, K), "uint8"),
    B: T.Tensor((N, K), "uint8"),
    Out: T.Tensor((M, N), "float32"),
):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=128))
    tid = T.cuda.thread_idx("x")
    warp = T.cuda.warp_id()
    packed = T.alloc_shared((M, K), "uint8", layout=A_SHARED, align=128)
    b = T.alloc_shared((N, K), "uint8", layout=B_LAYOUT, align=1024)
    slot = T.alloc_shared((1,), "uint32", layout="default")
    done = T.alloc_shared((1,), "uint64", layout="default")
    if warp == 0:
        T.ptx.tcgen05.alloc.cta_group__1.sync.aligned.shared__cta.b32(T.address_of(slot), T.uint32(COLUMNS))
    if tid == 0:
        T.ptx.mbarrier.init.shared.b64(done.ptr_to([0]), T.uint32(1))
    for k in range(K):
        packed[tid, k] = A[tid, k]
        if tid < N:
            b[tid, k] = B[tid, k]
    T.ptx.fence.proxy.async_.shared__cta()
    T.cuda.cta_sync()
    d = T.cuda.decl_tmem(slot[0], ty_args=[T.Tensor((M, N), "float32", scope="tmem", layout=D_LAYOUT)])
    a = T.cuda.decl_tmem(
        slot[0] + T.uint32(A_COLUMN), ty_args=[T.Tensor((M, K), "uint8", scope="tmem", layout=A_LAYOUT)]
    )
    if tid == 0:
        # 256 bits a row are two units of 16 elements: one step of K.
        T.cuda.tile.apply(
            T.ptx["tcgen05.cp.cta_group::1.128x256b.b8x16.b6x16_p32"],
            a.view("uint32").rearrange("m (s w) -> s m w", w=8),
            packed.view("uint32").rearrange("m (s w) -> s m w", w=8),
            sdo_bytes=128,
            ldo_bytes=16 * M,
        )
        T.cuda.tile.apply(
            T.ptx["tcgen05.mma.cta_group::1.kind::f8f6f4"],
            d.view(1, 1, M, N),
            a.rearrange("m (s k) -> s m k", k=STEP).view(1, STEPS, M, STEP),
            b.rearrange("n (s k) -> s n k", k=STEP).view(1, STEPS, N, STEP),
            instruction_shape=(M, N, STEP),
            a_format="float6_e3m2fn",
            b_format="float4_e2m1fn",
        )
        T.ptx.tcgen05.commit.cta_group__1.mbarrier__arrive__one.shared__cluster.b64(done.ptr_to([0]))
    T.cuda.mbarrier_wait(done.ptr_to([0]), 0)
    T.ptx.tcgen05.fence__after_thread_sync()
    frag = T.wg_reg_tile(N, "float32")
    T.cuda.tile.apply(
        T.ptx["tcgen05.ld.sync.aligned.32x32b.x64.b32"], frag.view(4, 32, N), d.view(4, 32, N), scope="warpgroup"
    )
    T.ptx.tcgen05.wait__ld.sync.aligned()
    row = frag.view(N, layout="default")
    for n in range(N):
        Out[tid, n] = row[n]
    T.cuda.cta_sync()
    if warp == 0:
        T.ptx.tcgen05.relinquish_alloc_permit.cta_group__1.sync.aligned()
        T.ptx.tcgen05.dealloc.cta_group__1.sync.aligned.b32(slot[0], T.uint32(COLUMNS))
