"""One tcgen05.mma tile, step by step: Out = A B^T on the Blackwell tensor core.

A is 128 x 128, B is 32 x 128 (stored as (N, K)), both bfloat16; Out is 128 x 32, float32.
One CTA of 128 threads does everything by hand, so that every rule of the contract is in sight:

    tilewright compile examples/tensor_mma.py            the PTX
    tilewright run examples/tensor_mma.py --fill A=ints:1 --fill B=ints:2 --out Out=out.npy
"""

from tvm.script import tirx as T
from tvm.backend.cuda.layout import mma_shared_layout, tmem_mma_operand_layout

M, N, K = 128, 32, 128
STEP = 16  # one tcgen05.mma of kind::f16 consumes 16 values of K
COLUMNS = 32  # tensor memory is allocated in powers of two, at least 32 columns

# Shared tiles in the 128-byte swizzle (mode 3). A row of 128 bfloat16 values is 256 bytes, so each
# tile is two panels of 64 values side by side; the layout knows that, the kernel need not.
A_LAYOUT = mma_shared_layout("bfloat16", 3, (M, K))
B_LAYOUT = mma_shared_layout("bfloat16", 3, (N, K))
# The accumulator in tensor memory: row m in lane m, column n in column n (data path D).
D_LAYOUT = tmem_mma_operand_layout("D", (M, N), "float32", M=M, cta_group=1)


@T.function
def tensor_mma(
    A: T.Tensor((M, K), "bfloat16"),
    B: T.Tensor((N, K), "bfloat16"),
    Out: T.Tensor((M, N), "float32"),
):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=128))
    tid = T.cuda.thread_idx("x")
    warp = T.cuda.warp_id()

    a = T.alloc_shared((M, K), "bfloat16", layout=A_LAYOUT, align=1024)
    b = T.alloc_shared((N, K), "bfloat16", layout=B_LAYOUT, align=1024)
    slot = T.alloc_shared((1,), "uint32", layout="default")
    done = T.alloc_shared((1,), "uint64", layout="default")

    # Tensor memory is allocated by one whole warp; its address lands in shared memory.
    if warp == 0:
        T.ptx.tcgen05.alloc.cta_group__1.sync.aligned.shared__cta.b32(T.address_of(slot), T.uint32(COLUMNS))
    # One arrival (the commit below) completes a phase of the barrier.
    if tid == 0:
        T.ptx.mbarrier.init.shared.b64(done.ptr_to([0]), T.uint32(1))

    # Thread t stores row t. These are ordinary (generic proxy) stores ...
    for j in range(K):
        a[tid, j] = A[tid, j]
        if tid < N:
            b[tid, j] = B[tid, j]
    # ... and tcgen05.mma reads shared memory through the async proxy: every writer fences its own stores,
    # and then the barrier orders them before the thread that issues.
    T.ptx.fence.proxy.async_.shared__cta()
    T.cuda.cta_sync()

    d = T.cuda.decl_tmem(slot[0], ty_args=[T.Tensor((M, N), "float32", scope="tmem", layout=D_LAYOUT)])

    # K = 128 is eight steps of 16. The pattern wants (repeat, repeat, rows, step); nothing is split behind our back.
    a_steps = a.rearrange("m (s k) -> s m k", k=STEP).view(1, K // STEP, M, STEP)
    b_steps = b.rearrange("n (s k) -> s n k", k=STEP).view(1, K // STEP, N, STEP)
    if tid == 0:
        T.cuda.tile.apply(
            T.ptx["tcgen05.mma.cta_group::1.kind::f16"],
            d.view(1, 1, M, N),
            a_steps,
            b_steps,
            instruction_shape=(M, N, STEP),
            accum=False,  # the first step overwrites D, the other seven accumulate
        )
        # The MMAs are asynchronous. The commit arrives at the barrier when all of them have completed.
        T.ptx.tcgen05.commit.cta_group__1.mbarrier__arrive__one.shared__cluster.b64(done.ptr_to([0]))
    T.cuda.mbarrier_wait(done.ptr_to([0]), 0)
    T.ptx.tcgen05.fence__after_thread_sync()

    # Warp w reads its own 32 lanes: thread t ends up with row t in 32 registers.
    frag = T.alloc_tensor(
        ty_args=[
            T.Tensor((M, N), "float32", scope="local",
                     layout=T.TileLayout(T.S[(M, N) : (1 @ T.cuda.Axis.tid_in_wg, 1)]))
        ]
    )
    T.cuda.tile.apply(
        T.ptx["tcgen05.ld.sync.aligned.32x32b.x32.b32"], frag.view(4, 32, N), d.view(4, 32, N), scope="warpgroup"
    )
    T.ptx.tcgen05.wait__ld.sync.aligned()
    row = frag.view(N, layout="default")
    for j in range(N):
        Out[tid, j] = row[j]

    # Everything is read before tensor memory is given back.
    T.cuda.cta_sync()
    if warp == 0:
        T.ptx.tcgen05.relinquish_alloc_permit.cta_group__1.sync.aligned()
        T.ptx.tcgen05.dealloc.cta_group__1.sync.aligned.b32(slot[0], T.uint32(COLUMNS))
