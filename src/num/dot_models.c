/* The table of dot-product models: which hardware multiplies how. Adding an architecture is adding rows.
 * SOURCE: reference "numerics", sections 4, 5 and 10; reference "numerics-blackwell" for sm_100. */
#include "num/dot.h"

#define F(format) (1u << NUM_##format)
#define FP8 (F(E4M3) | F(E5M2))
#define FP864 (FP8 | F(E2M3) | F(E3M2) | F(E2M1))
#define INT8 (F(S8) | F(U8))
#define INT4 (F(S4) | F(U4))

#define A(arch) (1u << NUM_##arch)
#define FROM_AMPERE (A(AMPERE) | A(ADA) | A(HOPPER) | A(BLACKWELL) | A(BLACKWELL_CONSUMER))
#define MMA_SYNC (1u << NUM_MMA_SYNC)
#define M8N8K4 (1u << NUM_MMA_M8N8K4)
#define WGMMA (1u << NUM_WGMMA)
#define TCGEN05 (1u << NUM_TCGEN05)

static const char from_fasi[] = "PeerJ CS 7:e330; arXiv 2511.10909";
static const char from_simulator[] = "arXiv 2511.10909";
static const char from_code[] = "code that ptxas 13.0 emits; as measured on sm_90a";
static const char from_b200[] = "b200-words.json; github.com/sf-tensor/tcgen05";

/* The keys do not overlap: at most one row matches (a test walks all combinations). */
static const struct num_dot_model models[] = {
    {.name = "Volta, window of 4", .archs = A(VOLTA), .units = MMA_SYNC | M8N8K4, .a_formats = F(F16), .b_formats = F(F16),
     .d_formats = F(F32) | F(F16), .same_ab = true, .method = NUM_DOT_WINDOW, .window_bits = 23, .chunk = 4,
     .evidence = NUM_PUBLISHED_MODEL, .source = from_fasi},
    {.name = "Turing, window of 8", .archs = A(TURING), .units = MMA_SYNC, .a_formats = F(F16), .b_formats = F(F16),
     .d_formats = F(F32) | F(F16), .same_ab = true, .method = NUM_DOT_WINDOW, .window_bits = 24, .chunk = 8,
     .evidence = NUM_PUBLISHED_MODEL, .source = from_simulator},
    {.name = "Ampere and Ada, f16, windows of 8", .archs = A(AMPERE) | A(ADA), .units = MMA_SYNC, .a_formats = F(F16),
     .b_formats = F(F16), .d_formats = F(F32) | F(F16), .same_ab = true, .method = NUM_DOT_WINDOW, .window_bits = 24,
     .chunk = 8, .evidence = NUM_PUBLISHED_MODEL, .source = from_fasi},
    {.name = "Ampere and Ada, bf16, windows of 8", .archs = A(AMPERE) | A(ADA), .units = MMA_SYNC, .a_formats = F(BF16),
     .b_formats = F(BF16), .d_formats = F(F32), .same_ab = true, .method = NUM_DOT_WINDOW, .window_bits = 24, .chunk = 8,
     .evidence = NUM_PUBLISHED_MODEL, .source = from_fasi},
    {.name = "Ampere and Ada, tf32, windows of 4", .archs = A(AMPERE) | A(ADA), .units = MMA_SYNC, .a_formats = F(TF32),
     .b_formats = F(TF32), .d_formats = F(F32), .same_ab = true, .method = NUM_DOT_WINDOW, .window_bits = 24, .chunk = 4,
     .evidence = NUM_PUBLISHED_MODEL, .source = from_fasi},
    {.name = "Ada, fp8, windows of 16, 13 bits", .archs = A(ADA), .units = MMA_SYNC, .a_formats = FP8, .b_formats = FP8,
     .d_formats = F(F32) | F(F16), .method = NUM_DOT_WINDOW, .window_bits = 13, .chunk = 16, .drop_bits = 10,
     .evidence = NUM_PUBLISHED_MODEL, .source = from_simulator},

    {.name = "Hopper, f16, one window", .archs = A(HOPPER), .units = MMA_SYNC | WGMMA, .a_formats = F(F16),
     .b_formats = F(F16), .d_formats = F(F32) | F(F16), .same_ab = true, .method = NUM_DOT_WINDOW, .window_bits = 25,
     .evidence = NUM_MEASURED_HERE, .source = "mma_f16_bf16_tf32, wgmma_f16_bf16_tf32 (sm_90a)"},
    {.name = "Hopper, bf16, one window", .archs = A(HOPPER), .units = MMA_SYNC | WGMMA, .a_formats = F(BF16),
     .b_formats = F(BF16), .d_formats = F(F32), .same_ab = true, .method = NUM_DOT_WINDOW, .window_bits = 25,
     .evidence = NUM_MEASURED_HERE, .source = "mma_f16_bf16_tf32, wgmma_f16_bf16_tf32 (sm_90a)"},
    {.name = "Hopper, tf32, one window", .archs = A(HOPPER), .units = MMA_SYNC | WGMMA, .a_formats = F(TF32),
     .b_formats = F(TF32), .d_formats = F(F32), .same_ab = true, .method = NUM_DOT_WINDOW, .window_bits = 25,
     .evidence = NUM_MEASURED_HERE, .source = "mma_f16_bf16_tf32, wgmma_f16_bf16_tf32 (sm_90a)"},
    {.name = "Hopper, fp8 mma.sync, two f16 windows and an add", .archs = A(HOPPER), .units = MMA_SYNC, .a_formats = FP8,
     .b_formats = FP8, .d_formats = F(F32) | F(F16), .method = NUM_DOT_TWO_STEP_F16, .window_bits = 25,
     .evidence = NUM_MEASURED_HERE, .source = "mma_fp8 (sm_90a)"},
    {.name = "Hopper, fp8 wgmma, one window of 13 bits", .archs = A(HOPPER), .units = WGMMA, .a_formats = FP8,
     .b_formats = FP8, .d_formats = F(F32) | F(F16), .method = NUM_DOT_WINDOW, .window_bits = 13, .drop_bits = 10,
     .evidence = NUM_MEASURED_HERE, .source = "wgmma_fp8 (sm_90a)"},

    {.name = "Blackwell, f16 mma.sync, one window", .archs = A(BLACKWELL) | A(BLACKWELL_CONSUMER), .units = MMA_SYNC,
     .a_formats = F(F16), .b_formats = F(F16), .d_formats = F(F32) | F(F16), .same_ab = true, .method = NUM_DOT_WINDOW,
     .window_bits = 25, .evidence = NUM_PUBLISHED_MODEL, .source = from_simulator},
    {.name = "Blackwell, bf16 mma.sync, one window", .archs = A(BLACKWELL) | A(BLACKWELL_CONSUMER), .units = MMA_SYNC,
     .a_formats = F(BF16), .b_formats = F(BF16), .d_formats = F(F32), .same_ab = true, .method = NUM_DOT_WINDOW,
     .window_bits = 25, .evidence = NUM_PUBLISHED_MODEL, .source = from_simulator},
    {.name = "Blackwell, tf32 mma.sync, one window", .archs = A(BLACKWELL) | A(BLACKWELL_CONSUMER), .units = MMA_SYNC,
     .a_formats = F(TF32), .b_formats = F(TF32), .d_formats = F(F32), .same_ab = true, .method = NUM_DOT_WINDOW,
     .window_bits = 25, .evidence = NUM_PUBLISHED_MODEL, .source = from_simulator},
    {.name = "Blackwell, fp8 mma.sync, two f16 windows and an add", .archs = A(BLACKWELL), .units = MMA_SYNC,
     .a_formats = FP8, .b_formats = FP8, .d_formats = F(F32) | F(F16), .method = NUM_DOT_TWO_STEP_F16, .window_bits = 25,
     .evidence = NUM_PUBLISHED_MODEL, .source = "code that ptxas 13.0 emits; arXiv 2511.10909"},
    {.name = "Blackwell, tcgen05 kind::f16, f16, one window", .archs = A(BLACKWELL), .units = TCGEN05, .a_formats = F(F16),
     .b_formats = F(F16), .d_formats = F(F32), .same_ab = true, .method = NUM_DOT_WINDOW, .window_bits = 25,
     .evidence = NUM_MEASURED_BY_OTHERS, .source = from_b200},
    {.name = "Blackwell, tcgen05 kind::f16, f16 to f16, one window", .archs = A(BLACKWELL), .units = TCGEN05,
     .a_formats = F(F16), .b_formats = F(F16), .d_formats = F(F16), .same_ab = true, .method = NUM_DOT_WINDOW,
     .window_bits = 25, .evidence = NUM_PUBLISHED_MODEL, .source = from_simulator},
    {.name = "Blackwell, tcgen05 kind::f16, bf16, one window", .archs = A(BLACKWELL), .units = TCGEN05,
     .a_formats = F(BF16), .b_formats = F(BF16), .d_formats = F(F32), .same_ab = true, .method = NUM_DOT_WINDOW,
     .window_bits = 25, .evidence = NUM_MEASURED_BY_OTHERS, .source = from_b200},
    {.name = "Blackwell, tcgen05 kind::tf32, one window", .archs = A(BLACKWELL), .units = TCGEN05, .a_formats = F(TF32),
     .b_formats = F(TF32), .d_formats = F(F32), .same_ab = true, .method = NUM_DOT_WINDOW, .window_bits = 25,
     .evidence = NUM_MEASURED_BY_OTHERS, .source = from_b200},
    {.name = "Blackwell, tcgen05 kind::f8f6f4, one window", .archs = A(BLACKWELL), .units = TCGEN05, .a_formats = FP864,
     .b_formats = FP864, .d_formats = F(F32) | F(F16), .method = NUM_DOT_WINDOW, .window_bits = 25,
     .evidence = NUM_MEASURED_BY_OTHERS, .source = from_b200},
    {.name = "Blackwell, tcgen05 kind::mxf8f6f4, one window", .archs = A(BLACKWELL), .units = TCGEN05,
     .kind = NUM_MXF8F6F4, .a_formats = FP864, .b_formats = FP864, .d_formats = F(F32), .method = NUM_DOT_WINDOW,
     .window_bits = 25, .evidence = NUM_MEASURED_BY_OTHERS, .source = from_b200},
    {.name = "Blackwell, tcgen05 kind::mxf4, groups of 16", .archs = A(BLACKWELL), .units = TCGEN05, .kind = NUM_MXF4,
     .a_formats = F(E2M1), .b_formats = F(E2M1), .d_formats = F(F32), .same_ab = true, .method = NUM_DOT_GROUPS,
     .window_bits = 35, .group = 16, .evidence = NUM_MEASURED_BY_OTHERS, .source = from_b200},
    {.name = "Blackwell, tcgen05 kind::mxf4nvf4, groups of 16 or 4", .archs = A(BLACKWELL), .units = TCGEN05,
     .kind = NUM_MXF4NVF4, .a_formats = F(E2M1), .b_formats = F(E2M1), .d_formats = F(F32), .same_ab = true,
     .method = NUM_DOT_GROUPS, .window_bits = 35, .group = 16, .evidence = NUM_MEASURED_BY_OTHERS, .source = from_b200},
    {.name = "Blackwell, tcgen05 kind::i8", .archs = A(BLACKWELL), .units = TCGEN05, .a_formats = INT8, .b_formats = INT8,
     .d_formats = F(S32), .method = NUM_DOT_INTEGER, .evidence = NUM_MEASURED_BY_OTHERS, .source = from_b200},

    {.name = "consumer Blackwell, f8f6f4, one window", .archs = A(BLACKWELL_CONSUMER), .units = MMA_SYNC,
     .a_formats = FP864, .b_formats = FP864, .d_formats = F(F32) | F(F16), .method = NUM_DOT_WINDOW, .window_bits = 25,
     .evidence = NUM_PUBLISHED_MODEL, .source = from_simulator},
    {.name = "consumer Blackwell, mxf8f6f4, one window", .archs = A(BLACKWELL_CONSUMER), .units = MMA_SYNC,
     .kind = NUM_MXF8F6F4, .a_formats = FP864, .b_formats = FP864, .d_formats = F(F32), .method = NUM_DOT_WINDOW,
     .window_bits = 25, .evidence = NUM_PUBLISHED_MODEL, .source = from_simulator},
    {.name = "consumer Blackwell, mxf4, groups of 16", .archs = A(BLACKWELL_CONSUMER), .units = MMA_SYNC, .kind = NUM_MXF4,
     .a_formats = F(E2M1), .b_formats = F(E2M1), .d_formats = F(F32), .same_ab = true, .method = NUM_DOT_SCALE_GROUPS,
     .window_bits = 35, .group = 16, .evidence = NUM_PUBLISHED_MODEL, .source = from_simulator},
    {.name = "consumer Blackwell, mxf4nvf4, groups of 16", .archs = A(BLACKWELL_CONSUMER), .units = MMA_SYNC,
     .kind = NUM_MXF4NVF4, .a_formats = F(E2M1), .b_formats = F(E2M1), .d_formats = F(F32), .same_ab = true,
     .method = NUM_DOT_SCALE_GROUPS, .window_bits = 35, .group = 16, .evidence = NUM_PUBLISHED_MODEL,
     .source = from_simulator},

    {.name = "m8n8k4 to f32, chain of f32 multiply-adds, then C", .archs = A(HOPPER), .units = M8N8K4, .a_formats = F(F16),
     .b_formats = F(F16), .d_formats = F(F32), .same_ab = true, .method = NUM_DOT_F32_CHAIN,
     .evidence = NUM_MEASURED_HERE, .source = "mma_m8n8k4 (sm_90a)"},
    {.name = "m8n8k4 to f32, chain of f32 multiply-adds, then C", .archs = FROM_AMPERE & ~A(HOPPER), .units = M8N8K4,
     .a_formats = F(F16), .b_formats = F(F16), .d_formats = F(F32), .same_ab = true, .method = NUM_DOT_F32_CHAIN,
     .evidence = NUM_PUBLISHED_MODEL, .source = from_code},
    {.name = "m8n8k4 to f16, C and pairs of products in f32", .archs = A(HOPPER), .units = M8N8K4, .a_formats = F(F16),
     .b_formats = F(F16), .d_formats = F(F16), .same_ab = true, .method = NUM_DOT_F32_PAIRS,
     .evidence = NUM_MEASURED_HERE, .source = "mma_m8n8k4 (sm_90a)"},
    {.name = "m8n8k4 to f16, C and pairs of products in f32", .archs = FROM_AMPERE & ~A(HOPPER), .units = M8N8K4,
     .a_formats = F(F16), .b_formats = F(F16), .d_formats = F(F16), .same_ab = true, .method = NUM_DOT_F32_PAIRS,
     .evidence = NUM_PUBLISHED_MODEL, .source = from_code},

    {.name = "f64, chain of fused multiply-adds", .archs = A(HOPPER), .units = MMA_SYNC, .a_formats = F(F64),
     .b_formats = F(F64), .d_formats = F(F64), .same_ab = true, .method = NUM_DOT_FMA_CHAIN,
     .evidence = NUM_MEASURED_HERE, .source = "mma_f64 (sm_90a)"},
    {.name = "f64, chain of fused multiply-adds", .archs = FROM_AMPERE & ~A(HOPPER), .units = MMA_SYNC,
     .a_formats = F(F64), .b_formats = F(F64), .d_formats = F(F64), .same_ab = true, .method = NUM_DOT_FMA_CHAIN,
     .evidence = NUM_PUBLISHED_MODEL, .source = "as measured on sm_90a; arXiv 2511.10909"},
    {.name = "8-bit integers", .archs = A(HOPPER), .units = MMA_SYNC | WGMMA, .a_formats = INT8, .b_formats = INT8,
     .d_formats = F(S32), .method = NUM_DOT_INTEGER, .evidence = NUM_MEASURED_HERE,
     .source = "mma_int8, wgmma_int (sm_90a)"},
    {.name = "8-bit integers", .archs = A(TURING) | (FROM_AMPERE & ~A(HOPPER)), .units = MMA_SYNC, .a_formats = INT8,
     .b_formats = INT8, .d_formats = F(S32), .method = NUM_DOT_INTEGER, .evidence = NUM_PUBLISHED_MODEL,
     .source = "PTX ISA, mma: exact with wrap or satfinite"},
    {.name = "4-bit integers", .archs = A(HOPPER), .units = MMA_SYNC, .a_formats = INT4, .b_formats = INT4,
     .d_formats = F(S32), .method = NUM_DOT_INTEGER, .evidence = NUM_MEASURED_HERE, .source = "mma_sub8 (sm_90a)"},
    {.name = "4-bit integers", .archs = A(TURING) | (FROM_AMPERE & ~A(HOPPER)), .units = MMA_SYNC, .a_formats = INT4,
     .b_formats = INT4, .d_formats = F(S32), .method = NUM_DOT_INTEGER, .evidence = NUM_PUBLISHED_MODEL,
     .source = "PTX ISA, mma: exact with wrap or satfinite"},
    {.name = "single bits", .archs = A(HOPPER), .units = MMA_SYNC | WGMMA, .a_formats = F(B1), .b_formats = F(B1),
     .d_formats = F(S32), .same_ab = true, .method = NUM_DOT_BITS, .evidence = NUM_MEASURED_HERE,
     .source = "mma_sub8, wgmma_int (sm_90a)"},
    {.name = "single bits", .archs = A(TURING) | (FROM_AMPERE & ~A(HOPPER)), .units = MMA_SYNC, .a_formats = F(B1),
     .b_formats = F(B1), .d_formats = F(S32), .same_ab = true, .method = NUM_DOT_BITS, .evidence = NUM_PUBLISHED_MODEL,
     .source = "PTX ISA, mma: population count"},
};

static const struct {
    uint16_t sm;
    enum num_arch arch;
} targets[] = {
    {70, NUM_VOLTA}, {72, NUM_VOLTA}, {75, NUM_TURING}, {80, NUM_AMPERE}, {86, NUM_AMPERE}, {87, NUM_AMPERE},
    {88, NUM_AMPERE}, {89, NUM_ADA}, {90, NUM_HOPPER}, {100, NUM_BLACKWELL}, {101, NUM_BLACKWELL},
    {103, NUM_BLACKWELL}, {110, NUM_BLACKWELL}, {120, NUM_BLACKWELL_CONSUMER}, {121, NUM_BLACKWELL_CONSUMER},
};

bool tw_num_arch_of_sm(unsigned sm, enum num_arch *arch)
{
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++)
        if (targets[i].sm == sm) {
            *arch = targets[i].arch;
            return true;
        }
    return false;
}

const struct num_dot_model *tw_num_dot_model(enum num_arch arch, enum num_unit unit, enum num_kind kind, enum num_format a,
                                             enum num_format b, enum num_format d)
{
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        const struct num_dot_model *m = &models[i];
        const bool place = (m->archs >> arch & 1) != 0 && (m->units >> unit & 1) != 0 && m->kind == kind;
        const bool types = (m->a_formats >> a & 1) != 0 && (m->b_formats >> b & 1) != 0 && (m->d_formats >> d & 1) != 0;
        if (place && types && (!m->same_ab || a == b))
            return m;
    }
    return NULL;
}

const struct num_dot_model *tw_num_dot_models(size_t *count)
{
    *count = sizeof models / sizeof models[0];
    return models;
}

const char *tw_num_evidence_name(enum num_evidence evidence)
{
    static const char *const names[] = {
        [NUM_MEASURED_HERE] = "measured on silicon here",
        [NUM_MEASURED_BY_OTHERS] = "measured on silicon by others",
        [NUM_PUBLISHED_MODEL] = "published model",
    };
    return names[evidence];
}
