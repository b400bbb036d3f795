/* ldmatrix and stmatrix through tile.apply: every form, by the maps of the ISA computed here byte by byte.
 * SOURCE: ptx-async 1.6; kernel-language-tile 7.3. */
#include "api/movement.h"

enum { LANES = 32, ROW = 16, ROWS = 32, REGS = 4 };

/* Who holds what of a fragment of 8 rows, and of 16, whose rows g and g + 8 are one lane's. */
static const char rows_8[] = "T.TileLayout(T.S[(%d, 8, 4) : (1, 4 @ T.cuda.Axis.laneid, 1 @ T.cuda.Axis.laneid)])";
static const char rows_16[] = "T.TileLayout(T.S[(%d, 2, 8, 4) : (2, 1, 4 @ T.cuda.Axis.laneid, 1 @ T.cuda.Axis.laneid)])";

struct form {
    const char *shape, *tail; /* around the count */
    const char *arch;
    int most;                 /* matrices */
    int rows, registers;      /* of a matrix: rows in memory, registers of a lane */
    int bits;                 /* of an element in memory: 16, 8, 6, 4 */
    bool trans, store;
    int fragment_rows;
    const char *dtype;        /* of the fragment */
};
static const struct form forms[] = {
    {"ldmatrix.sync.aligned.m8n8", ".shared.b16", "sm_80", 4, 8, 1, 16, false, false, 8, "uint32"},
    {"ldmatrix.sync.aligned.m8n8", ".b16", "sm_80", 4, 8, 1, 16, false, false, 8, "float32"},
    {"ldmatrix.sync.aligned.m8n8", ".trans.shared::cta.b16", "sm_80", 4, 8, 1, 16, true, false, 8, "uint32"},
    {"ldmatrix.sync.aligned.m16n16", ".trans.shared.b8", "sm_100a", 2, 16, 2, 8, true, false, 16, "uint32"},
    {"ldmatrix.sync.aligned.m16n16", ".trans.shared.b8x16.b6x16_p32", "sm_100a", 2, 16, 2, 6, true, false, 16, "uint32"},
    {"ldmatrix.sync.aligned.m16n16", ".trans.shared.b8x16.b4x16_p64", "sm_100a", 2, 16, 2, 4, true, false, 16, "uint32"},
    {"ldmatrix.sync.aligned.m8n16", ".shared.b8x16.b6x16_p32", "sm_100a", 4, 8, 1, 6, false, false, 8, "uint32"},
    {"ldmatrix.sync.aligned.m8n16", ".shared.b8x16.b4x16_p64", "sm_100a", 4, 8, 1, 4, false, false, 8, "uint32"},
    {"stmatrix.sync.aligned.m8n8", ".shared.b16", "sm_90", 4, 8, 1, 16, false, true, 8, "uint32"},
    {"stmatrix.sync.aligned.m8n8", ".trans.shared.b16", "sm_90", 4, 8, 1, 16, true, true, 8, "uint32"},
    {"stmatrix.sync.aligned.m16n8", ".trans.shared.b8", "sm_100a", 4, 8, 1, 8, true, true, 16, "uint16"},
};

/* Byte `col` of a row of memory as the instruction sees it: an element of 6 or 4 bits is widened to a byte. */
static uint8_t element_byte(const struct form *f, const uint8_t *row, int col)
{
    if (f->bits >= 8)
        return row[col];
    const int bit = col * f->bits, word = row[bit / 8] | row[bit / 8 + 1 < ROW ? bit / 8 + 1 : bit / 8] << 8;
    const int value = word >> bit % 8 & ((1 << f->bits) - 1);
    return (uint8_t)(f->bits == 4 ? value << 2 : value);
}

/* Where byte b of register r of a lane is in memory: matrix and row as one number, and the byte in that row. */
static void place(const struct form *f, int lane, int r, int b, int *row, int *byte)
{
    const int g = lane / 4, t = lane % 4;
    if (f->store && f->bits == 8) {
        *row = 8 * r + 2 * t + (b & 1), *byte = g + 8 * (b >> 1);
    } else if (f->rows == 16) {
        *row = 16 * (r / 2) + 4 * t + b, *byte = g + 8 * (r % 2);
    } else if (f->trans) {
        *row = 8 * r + 2 * t + b / 2, *byte = 2 * g + b % 2;
    } else {
        *row = 8 * r + g, *byte = 4 * t + b;
    }
}

/* Row i is chunk 3 of row i of a swizzled tile; the chunk's index is known only at run time. */
static const char *kernel_text(struct bench_room *room, const struct form *f, int count, const char *opcode)
{
    const char *layout = tw_format(&room->arena, f->fragment_rows == 8 ? rows_8 : rows_16, count);
    const char *registers = tw_format(&room->arena, "r.view(\"%s\").view(%d, %d, 4, layout=%s)", f->dtype, count, f->fragment_rows, layout);
    const char *memory = tw_format(&room->arena, "s.view(\"uint32\").view(%d, %d, 32)[0:%d, 0:%d, 4 * chunk : 4 * chunk + 4]",
                                   32 / f->rows, f->rows, count, f->rows);
    return tw_format(&room->arena,
        "from tvm.script import tirx as T\n"
        "from tvm.backend.cuda.layout import mma_shared_layout\n"
        "@T.function\n"
        "def k(In: T.Tensor((32, 4), \"uint32\"), Regs: T.Tensor((32, 4), \"uint32\"), Chunk: T.Tensor((1,), \"int32\")):\n"
        "    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=32))\n"
        "    t = T.cuda.thread_idx(\"x\")\n"
        "    s = T.alloc_shared((32, 64), \"float16\", layout=mma_shared_layout(\"float16\", 3, (32, 64)), align=1024)\n"
        "    words = s.view(\"uint32\")\n"
        "    r = T.alloc_local((4,), \"uint32\", layout=\"default\")\n"
        "    chunk = Chunk[0]\n"
        "    for w in range(4):\n"
        "        words[t, 12 + w] = In[t, w]\n"
        "        r[w] = Regs[t, w]\n"
        "    T.cuda.cta_sync()\n"
        "    T.cuda.tile.apply(T.ptx[\"%s\"], %s, %s, scope=\"warp\")\n"
        "    T.cuda.cta_sync()\n"
        "    for w in range(4):\n"
        "        In[t, w] = words[t, 12 + w]\n"
        "        Regs[t, w] = r[w]\n",
        opcode, f->store ? memory : registers, f->store ? registers : memory);
}

static void one_form(struct bench_room *room, const struct form *f, int count)
{
    static uint8_t in[ROWS][ROW], out[ROWS][ROW], regs[LANES][REGS][4], after[LANES][REGS][4];
    int32_t chunk = 3;
    const char *opcode = tw_format(&room->arena, "%s.x%d%s", f->shape, count, f->tail);
    fill_bytes(in, sizeof in, 5);
    fill_bytes(regs, sizeof regs, 1000);
    memcpy(out, in, sizeof in);
    memcpy(after, regs, sizeof regs);
    run_movement(opcode, kernel_text(room, f, count, opcode), f->arch, f->shape, 1,
                 (struct move_tensor[]){{"In", out, sizeof out}, {"Regs", after, sizeof after}, {"Chunk", &chunk, sizeof chunk}}, 3);
    for (int lane = 0; lane < LANES; lane++)
        for (int r = 0; r < f->registers * count; r++)
            for (int b = 0; b < 4; b++) {
                int row, byte;
                place(f, lane, r, b, &row, &byte);
                if (f->store)
                    in[row][byte] = regs[lane][r][b];
                else
                    regs[lane][r][b] = element_byte(f, in[row], byte);
            }
    expect_bytes(opcode, after, regs, sizeof regs);
    expect_bytes(opcode, out, in, sizeof in);
}

static void every_form_moves_what_its_map_says(void **state)
{
    say_if_not_assembled();
    for (size_t i = 0; i < COUNT(forms); i++)
        for (int count = 1; count <= forms[i].most; count *= 2)
            one_form(*state, &forms[i], count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(every_form_moves_what_its_map_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
