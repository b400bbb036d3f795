"""The split-N pitfall of tcgen05.mma.ws with M 64, wrong and right.

One instruction of N 128 multiplies columns 0-63 with bank 0 of A and columns 64-127 with bank 1 (ws_banks.py). Cut
into two instructions of N 64, each folds its own 64 columns, so its bank boundary lies at its column 32:

    wrong   issue i takes rows 64 i .. 64 i + 63 of B. Its second half of columns meets bank 1, although all of
            columns 0-63 belong to bank 0: Wrong[:, 32:64] = A[1] B[32:64]^T, and so on.
    right   issue i takes 32 columns of each bank: rows 32 i .. 32 i + 31 and 64 + 32 i .. 64 + 32 i + 31 of B. B is
            stored in that order, and D is viewed as (m, issue, bank, column) to match.

Both are computed here, in different columns of tensor memory; Wrong is what the first cut really gives.
"""

from tvm.script import tirx as T
from tvm.backend.cuda.layout import mma_shared_layout, tmem_mma_operand_layout

M, N, K = 64, 128, 32
STEP = 16
PART = 64  # N of one instruction
COLUMNS = 256  # 64 for each D, 16 for A
WRONG_COLUMN, A_COLUMN = 64, 128

B_LAYOUT = mma_shared_layout("float16", 2, (N, K))
# Two groups of two banks of 32 columns: group i is what issue i writes.
D_LAYOUT = tmem_mma_operand_layout("D", (M, N), "float32", M=M, cta_group=1, ws=True, group=(2, 2, 32))
A_LAYOUT = tmem_mma_operand_layout("A", (2, M, K), "float16", M=M, cta_group=1, ws=True)


@T.function
def ws_split_n(
    A: T.Tensor((2, M, K), "float16"),
    B: T.Tensor((N, K), "float16"),
    Out: T.Tensor((M, N), "float32"),
    Wrong: T.Tensor((M, N), "float32"),
):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=128))
    tid = T.cuda.thread_idx("x")
    warp = T.cuda.warp_id()
    plain = T.alloc_shared((N, K), "float16", layout=B_LAYOUT, align=1024)
    prepared = T.alloc_shared((N, K), "float16", layout=B_LAYOUT, align=1024)
    slot = T.alloc_shared((1,), "uint32", layout="default")
    done = T.alloc_shared((1,), "uint64", layout="default")
    if warp == 0:
        T.ptx.tcgen05.alloc.cta_group__1.sync.aligned.shared__cta.b32(T.address_of(slot), T.uint32(COLUMNS))
    if tid == 0:
        T.ptx.mbarrier.init.shared.b64(done.ptr_to([0]), T.uint32(1))
    # Row n = 64 bank + 32 issue + j goes to row 64 issue + 32 bank + j.
    place = 64 * (tid // 32 % 2) + 32 * (tid // 64) + tid % 32
    for k in range(K):
        plain[tid, k] = B[tid, k]
        prepared[place, k] = B[tid, k]
    T.ptx.fence.proxy.async_.shared__cta()
    T.cuda.cta_sync()
    right = T.cuda.decl_tmem(slot[0], ty_args=[T.Tensor((M, N), "float32", scope="tmem", layout=D_LAYOUT)])
    wrong = T.cuda.decl_tmem(
        slot[0] + T.uint32(WRONG_COLUMN), ty_args=[T.Tensor((M, N), "float32", scope="tmem", layout=D_LAYOUT)]
    )
    a = T.cuda.decl_tmem(
        slot[0] + T.uint32(A_COLUMN), ty_args=[T.Tensor((2, M, K), "float16", scope="tmem", layout=A_LAYOUT)]
    )
    row = T.wg_reg_tile(K, "float16")
    mine = row.view(K, layout="default")
    for k in range(K):
        mine[k] = A[tid // M, tid % M, k]
    T.cuda.tile.apply(
        T.ptx["tcgen05.st.sync.aligned.32x32b.x16.b32"],
        a.view("uint32").view(4, 32, K // 2),
        row.view("uint32").view(4, 32, K // 2),
        scope="warpgroup",
    )
    T.ptx.tcgen05.wait__st.sync.aligned()
    T.ptx.tcgen05.fence__before_thread_sync()
    T.cuda.cta_sync()
    a_steps = a.rearrange("bank m (s k) -> s bank m k", k=STEP).view(1, K // STEP, 2, M, STEP)
    if tid == 0:
        T.ptx.tcgen05.fence__after_thread_sync()
        # N_repeat is 2; D of issue i is its group of two banks, whichever columns of Out those stand for.
        T.cuda.tile.apply(
            T.ptx["tcgen05.mma.ws.cta_group::1.kind::f16"],
            right.rearrange("m (i n) -> i m n", i=2).view(1, 2, M, PART),
            a_steps,
            prepared.rearrange("(i n) (s k) -> i s n k", i=2, k=STEP),
            instruction_shape=(M, PART, STEP),
        )
        T.cuda.tile.apply(
            T.ptx["tcgen05.mma.ws.cta_group::1.kind::f16"],
            wrong.rearrange("m (i n) -> i m n", i=2).view(1, 2, M, PART),
            a_steps,
            plain.rearrange("(i n) (s k) -> i s n k", i=2, k=STEP),
            instruction_shape=(M, PART, STEP),
        )
        T.ptx.tcgen05.commit.cta_group__1.mbarrier__arrive__one.shared__cluster.b64(done.ptr_to([0]))
    T.cuda.mbarrier_wait(done.ptr_to([0]), 0)
    T.ptx.tcgen05.fence__after_thread_sync()
    # Lane t, column 32 i + j is bank t // 64 of issue i, column j of the bank.
    lanes_right = T.wg_reg_tile(64, "float32")
    lanes_wrong = T.wg_reg_tile(64, "float32")
    T.cuda.tile.apply(
        T.ptx["tcgen05.ld.sync.aligned.32x32b.x64.b32"],
        lanes_right.view(4, 32, 64),
        right.rearrange("m (i bank j) -> bank m i j", i=2, bank=2).view(4, 32, 64),
        scope="warpgroup",
    )
    T.cuda.tile.apply(
        T.ptx["tcgen05.ld.sync.aligned.32x32b.x64.b32"],
        lanes_wrong.view(4, 32, 64),
        wrong.rearrange("m (i bank j) -> bank m i j", i=2, bank=2).view(4, 32, 64),
        scope="warpgroup",
    )
    T.ptx.tcgen05.wait__ld.sync.aligned()
    right_row = lanes_right.view(64, layout="default")
    wrong_row = lanes_wrong.view(64, layout="default")
    for c in range(64):
        # The prepared rows make column (issue, bank, j) stand for n = 64 bank + 32 issue + j: simply 64 bank + c.
        Out[tid % M, 64 * (tid // M) + c] = right_row[c]
        # The plain rows leave it at n = 64 issue + 32 bank + j.
        Wrong[tid % M, 64 * (c // 32) + 32 * (tid // M) + c % 32] = wrong_row[c]
    T.cuda.cta_sync()
    if warp == 0:
        T.ptx.tcgen05.relinquish_alloc_permit.cta_group__1.sync.aligned()
        T.ptx.tcgen05.dealloc.cta_group__1.sync.aligned.b32(slot[0], T.uint32(COLUMNS))
