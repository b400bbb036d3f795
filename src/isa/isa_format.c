/* Types of PTX and the number formats that they name. */
#include "isa/isa.h"

#include <stddef.h>

enum num_format tw_isa_format(unsigned type)
{
    static const struct {
        uint16_t mod;
        uint8_t format;
    } rows[] = {
        {MOD_F16, NUM_F16},     {MOD_BF16, NUM_BF16},   {MOD_TF32, NUM_TF32}, {MOD_F32, NUM_F32},   {MOD_F64, NUM_F64},
        {MOD_E4M3, NUM_E4M3},   {MOD_E5M2, NUM_E5M2},   {MOD_E2M3, NUM_E2M3}, {MOD_E3M2, NUM_E3M2}, {MOD_E2M1, NUM_E2M1},
        {MOD_UE8M0, NUM_UE8M0}, {MOD_UE4M3, NUM_UE4M3}, {MOD_S4, NUM_S4},     {MOD_U4, NUM_U4},     {MOD_S8, NUM_S8},
        {MOD_U8, NUM_U8},       {MOD_B8, NUM_U8},       {MOD_S16, NUM_S16},   {MOD_U16, NUM_U16},   {MOD_B16, NUM_U16},
        {MOD_S32, NUM_S32},     {MOD_U32, NUM_U32},     {MOD_B32, NUM_U32},   {MOD_S64, NUM_S64},   {MOD_U64, NUM_U64},
        {MOD_B64, NUM_U64},     {MOD_B1, NUM_B1},
    };
    const struct isa_mod_row *const row_of = isa_mod_row(type);
    const unsigned elem = row_of->type_class == TYPE_PACKED ? (unsigned)row_of->elem : type;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].mod == elem)
            return (enum num_format)rows[i].format;
    return NUM_NONE;
}
