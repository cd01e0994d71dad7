/*
 * The lesser and the greater of two integers with Xpulp's instructions, in a cycle and without a branch, in place of those
 * in tilewright.h. Where the compiler knows which it is, nothing is left to do; elsewhere it is told the bounds of the result,
 * but not that it is one of both, of which gcc would make a branch.
 *
 * Included by tw_cluster.h where TW_XPULP is defined. Source of the encodings: GVSoC models/cpu/iss/isa_gen/isa_pulpv2.py.
 */
#ifndef TW_EXTREMA_H
#define TW_EXTREMA_H

#include <stdint.h>

#define TW_XPULP_EXTREMUM(name, type, compare, funct3) \
    static inline __attribute__((__unused__, __always_inline__)) type tw_xpulp_##name(type a, type b) { \
        if (__builtin_constant_p(a compare b)) { \
            return a compare b ? a : b; \
        } \
        type result; \
        __asm__(".insn r 0x33, " #funct3 ", 0x02, %0, %1, %2" : "=r"(result) : "r"(a), "r"(b)); \
        if (a compare result || b compare result || result compare (a compare b ? a : b)) { \
            __builtin_unreachable(); \
        } \
        return result; \
    }
TW_XPULP_EXTREMUM(min_i32, int32_t, <, 4) /* p.min */
TW_XPULP_EXTREMUM(min_u32, uint32_t, <, 5) /* p.minu */
TW_XPULP_EXTREMUM(max_i32, int32_t, >, 6) /* p.max */
TW_XPULP_EXTREMUM(max_u32, uint32_t, >, 7) /* p.maxu */
#undef TW_XPULP_EXTREMUM

/* Of narrower integers the compiler is told the range alone, so that it extends no result. */
#define TW_XPULP_NARROW(name, type, low, high, funct3) \
    static inline __attribute__((__unused__, __always_inline__)) type tw_xpulp_##name(type a, type b) { \
        int32_t result; \
        __asm__(".insn r 0x33, " #funct3 ", 0x02, %0, %1, %2" : "=r"(result) : "r"((int32_t)a), "r"((int32_t)b)); \
        if (result < (low) || result > (high)) { \
            __builtin_unreachable(); \
        } \
        return (type)result; \
    }
TW_XPULP_NARROW(min_i8, int8_t, INT8_MIN, INT8_MAX, 4)
TW_XPULP_NARROW(max_i8, int8_t, INT8_MIN, INT8_MAX, 6)
TW_XPULP_NARROW(min_u8, uint8_t, 0, UINT8_MAX, 4)
TW_XPULP_NARROW(max_u8, uint8_t, 0, UINT8_MAX, 6)
TW_XPULP_NARROW(min_i16, int16_t, INT16_MIN, INT16_MAX, 4)
TW_XPULP_NARROW(max_i16, int16_t, INT16_MIN, INT16_MAX, 6)
TW_XPULP_NARROW(min_u16, uint16_t, 0, UINT16_MAX, 4)
TW_XPULP_NARROW(max_u16, uint16_t, 0, UINT16_MAX, 6)
#undef TW_XPULP_NARROW

#define tw_min_i8 tw_xpulp_min_i8
#define tw_max_i8 tw_xpulp_max_i8
#define tw_min_i16 tw_xpulp_min_i16
#define tw_max_i16 tw_xpulp_max_i16
#define tw_min_i32 tw_xpulp_min_i32
#define tw_max_i32 tw_xpulp_max_i32
#define tw_min_u8 tw_xpulp_min_u8
#define tw_max_u8 tw_xpulp_max_u8
#define tw_min_u16 tw_xpulp_min_u16
#define tw_max_u16 tw_xpulp_max_u16
#define tw_min_u32 tw_xpulp_min_u32
#define tw_max_u32 tw_xpulp_max_u32

#endif
