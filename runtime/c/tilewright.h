/*
 * What the C that Tilewright emits needs beyond C11's freestanding headers: no library, no heap, no state.
 *
 * Names end with the type: i32 is int32_t, u8 uint8_t, f32 float. Nothing here is undefined for any argument, except
 * division by zero and of the least integer by -1.
 */
#ifndef TILEWRIGHT_H
#define TILEWRIGHT_H

#include <float.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

_Static_assert(sizeof(int) == 4, "Tilewright's C is for machines whose int has 32 bits");
_Static_assert(sizeof(float) == 4 && sizeof(double) == 8, "Tilewright's C needs IEEE 754 floats");

#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#endif

/*
 * TW_MAY_ALIAS is for the elements that pointers point to: buffers of different types share one arena, so accesses
 * through these pointers must be allowed to alias; those through int8_t and uint8_t always are.
 */
#if defined(__GNUC__)
#define TW_INLINE static inline __attribute__((__unused__))
#define TW_MAY_ALIAS __attribute__((__may_alias__))
#define TW_UNLIKELY(condition) __builtin_expect(condition, 0)
#define TW_INF_F32 (__builtin_inff())
#define TW_INF_F64 (__builtin_inf())
#define TW_NAN_F32 (__builtin_nanf(""))
#define TW_NAN_F64 (__builtin_nan(""))
#else
#define TW_INLINE static inline
#define TW_MAY_ALIAS
#define TW_UNLIKELY(condition) (condition)
#define TW_INF_F32 (FLT_MAX * 2.0f)
#define TW_INF_F64 (DBL_MAX * 2.0)
#define TW_NAN_F32 (TW_INF_F32 - TW_INF_F32)
#define TW_NAN_F64 (TW_INF_F64 - TW_INF_F64)
#endif
/*
 * TW_KERNEL keeps GCC from specialising a kernel for its callers. GCC 12 at -O2 makes a clone of a kernel that all callers
 * hand the same places of one memory, and the clone computes wrong values (right with -fno-ivopts or -fno-ipa-cp).
 */
#if defined(__GNUC__) && !defined(__clang__)
#define TW_KERNEL __attribute__((__noipa__))
#else
#define TW_KERNEL
#endif
/* Conditions are joined by `&` where `&&` would make a loop conditional that can become vectors. */
#if defined(__clang__)
#if __has_warning("-Wbitwise-instead-of-logical")
#pragma clang diagnostic ignored "-Wbitwise-instead-of-logical"
#endif
#endif
/* Where a buffer lies, for machines with several memories: their headers define it anew. */
#define TW_LEVEL(name)
/* Names the array of a memory that has one only. */
#define TW_LEVEL_ARRAY(name, array) _Static_assert(1, "")
/* Checks that so many bytes of arrays fit a memory. */
#define TW_LEVEL_HOLDS(name, bytes) _Static_assert(1, "")
/* Before a loop: no turn of it reads what another one writes. */
#if defined(__GNUC__) && !defined(__clang__)
#define TW_INDEPENDENT _Pragma("GCC ivdep")
#else
#define TW_INDEPENDENT
#endif
/* Before a loop: it is unrolled by this factor. */
#define TW_PRAGMA(text) _Pragma(#text)
#if defined(__GNUC__)
#define TW_UNROLL(factor) TW_PRAGMA(GCC unroll factor)
#else
#define TW_UNROLL(factor)
#endif
/* Truth values in memory, 0 or 1. GCC makes no vectors of a loop that reads bool and computes wider elements. */
typedef uint8_t tw_bool;
typedef int16_t TW_MAY_ALIAS tw_i16;
typedef int32_t TW_MAY_ALIAS tw_i32;
typedef int64_t TW_MAY_ALIAS tw_i64;
typedef uint16_t TW_MAY_ALIAS tw_u16;
typedef uint32_t TW_MAY_ALIAS tw_u32;
typedef uint64_t TW_MAY_ALIAS tw_u64;
/* Floats of 16 bits, as their bits: tilewright_half.h converts them. */
typedef uint16_t tw_f16;
typedef uint16_t tw_bf16;
typedef float TW_MAY_ALIAS tw_f32;
typedef double TW_MAY_ALIAS tw_f64;

/* The lesser and the greater of two integers. */
#define TW_EXTREMA(suffix, type) \
    TW_INLINE type tw_min_##suffix(type a, type b) { return a < b ? a : b; } \
    TW_INLINE type tw_max_##suffix(type a, type b) { return a > b ? a : b; }
TW_EXTREMA(i8, int8_t)
TW_EXTREMA(i16, int16_t)
TW_EXTREMA(i32, int32_t)
TW_EXTREMA(i64, int64_t)
TW_EXTREMA(u8, uint8_t)
TW_EXTREMA(u16, uint16_t)
TW_EXTREMA(u32, uint32_t)
TW_EXTREMA(u64, uint64_t)
#undef TW_EXTREMA

/* The magnitude (that of the least integer wraps around), and division rounded down and up. */
#define TW_DIVISION(bits) \
    TW_INLINE int##bits##_t tw_abs_i##bits(int##bits##_t a) { \
        return a < 0 ? (int##bits##_t)(0u - (uint##bits##_t)a) : a; \
    } \
    TW_INLINE int##bits##_t tw_floordiv_i##bits(int##bits##_t a, int##bits##_t b) { \
        return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); \
    } \
    TW_INLINE int##bits##_t tw_ceildiv_i##bits(int##bits##_t a, int##bits##_t b) { \
        return a / b + (a % b != 0 && (a < 0) == (b < 0) ? 1 : 0); \
    } \
    TW_INLINE uint##bits##_t tw_ceildiv_u##bits(uint##bits##_t a, uint##bits##_t b) { \
        return a / b + (a % b != 0u ? 1u : 0u); \
    }
TW_DIVISION(32)
TW_DIVISION(64)
#undef TW_DIVISION

/* The upper half of a 128-bit product. */
TW_INLINE uint64_t tw_mulhi_u64(uint64_t a, uint64_t b) {
    const uint64_t low = UINT64_C(0xffffffff);
    const uint64_t p = (a & low) * (b & low);
    const uint64_t q = (a >> 32) * (b & low) + (p >> 32);
    const uint64_t r = (a & low) * (b >> 32) + (q & low);
    return (a >> 32) * (b >> 32) + (q >> 32) + (r >> 32);
}

TW_INLINE int64_t tw_mulhi_i64(int64_t a, int64_t b) {
    const uint64_t high = tw_mulhi_u64((uint64_t)a, (uint64_t)b);
    return (int64_t)(high - (a < 0 ? (uint64_t)b : UINT64_C(0)) - (b < 0 ? (uint64_t)a : UINT64_C(0)));
}

/* The integer part of a square root; that of a negative number is taken to be 0. */
#define TW_ISQRT(bits) \
    TW_INLINE int##bits##_t tw_isqrt##bits(int##bits##_t a) { \
        uint##bits##_t rest = a < 0 ? 0u : (uint##bits##_t)a; \
        uint##bits##_t root = 0u; \
        for (uint##bits##_t bit = (uint##bits##_t)1 << (bits - 2); bit != 0u; bit >>= 2) { \
            const bool fits = rest >= root + bit; \
            rest -= fits ? root + bit : 0u; \
            root = (root >> 1) + (fits ? bit : 0u); \
        } \
        return (int##bits##_t)root; \
    }
TW_ISQRT(32)
TW_ISQRT(64)
#undef TW_ISQRT

/* Powers of integers, which wrap around; that of a negative exponent is cut off to an integer. */
#define TW_IPOW(bits) \
    TW_INLINE int##bits##_t tw_ipow_i##bits(int##bits##_t a, int##bits##_t b) { \
        if (b < 0) return a == 1 ? 1 : a == -1 ? (b % 2 != 0 ? -1 : 1) : 0; \
        uint##bits##_t power = 1u, base = (uint##bits##_t)a; \
        for (uint##bits##_t rest = (uint##bits##_t)b; rest != 0u; rest >>= 1) { \
            power *= rest % 2u != 0u ? base : 1u; \
            base *= base; \
        } \
        return (int##bits##_t)power; \
    }
TW_IPOW(32)
TW_IPOW(64)
#undef TW_IPOW

/* Whether the compiler knows a number, so that code may be chosen by it; results are the same where it does not. */
#if defined(__GNUC__)
#define TW_IS_CONSTANT(number) __builtin_constant_p(number)
#else
#define TW_IS_CONSTANT(number) 0
#endif

/*
 * TW_SELECT is condition ? a : b, both of them computed. GCC makes no vectors of a loop in which only one may be, since
 * the other might trap, but with AVX-512, whose instructions have masks; so where there are vectors bits are selected.
 */
#ifdef __FMA__
#define TW_SELECT(suffix, bits, condition, a, b) \
    tw_bitcast_i##bits##_##suffix( \
        (tw_bitcast_##suffix##_i##bits(a) & -(int##bits##_t)(condition)) | \
        (tw_bitcast_##suffix##_i##bits(b) & ~-(int##bits##_t)(condition)))
#else
#define TW_SELECT(suffix, bits, condition, a, b) ((condition) ? (a) : (b))
#endif

/*
 * Floats, each for float and double: the bits, comparisons with NaN, IEEE 754's maximum (NaN wins, -0 < +0) and
 * maximumNumber (numbers win), and rounding. `exact` is the least number above which all floats are integers.
 */
#define TW_FLOAT(suffix, type, bits, exact) \
    TW_INLINE int##bits##_t tw_bitcast_##suffix##_i##bits(type a) { \
        union { type f; int##bits##_t i; } u = {.f = a}; \
        return u.i; \
    } \
    TW_INLINE type tw_bitcast_i##bits##_##suffix(int##bits##_t a) { \
        union { int##bits##_t i; type f; } u = {.i = a}; \
        return u.f; \
    } \
    TW_INLINE type tw_select_##suffix(bool condition, type a, type b) { \
        return TW_SELECT(suffix, bits, condition, a, b); \
    } \
    TW_INLINE bool tw_unordered_##suffix(type a, type b) { return a != a || b != b; } \
    TW_INLINE bool tw_differ_##suffix(type a, type b) { return a < b || a > b; } \
    TW_INLINE type tw_absf_##suffix(type a) { \
        return tw_bitcast_i##bits##_##suffix(tw_bitcast_##suffix##_i##bits(a) & INT##bits##_MAX); \
    } \
    TW_INLINE type tw_copysign_##suffix(type a, type b) { \
        const int##bits##_t sign = tw_bitcast_##suffix##_i##bits(b) & INT##bits##_MIN; \
        return tw_bitcast_i##bits##_##suffix((tw_bitcast_##suffix##_i##bits(a) & INT##bits##_MAX) | sign); \
    } \
    TW_INLINE type tw_maximum_##suffix(type a, type b) { \
        const int##bits##_t x = tw_bitcast_##suffix##_i##bits(a), y = tw_bitcast_##suffix##_i##bits(b); \
        if (TW_IS_CONSTANT(b) && b == b && y != INT##bits##_MIN) return a <= b ? b : a; \
        const type larger = a > b ? a : b, ordered = a == b ? tw_bitcast_i##bits##_##suffix(x & y) : larger; \
        return a != a ? a : ordered; \
    } \
    TW_INLINE type tw_minimum_##suffix(type a, type b) { \
        const int##bits##_t x = tw_bitcast_##suffix##_i##bits(a), y = tw_bitcast_##suffix##_i##bits(b); \
        if (TW_IS_CONSTANT(b) && b == b && y != 0) return a >= b ? b : a; \
        const type lesser = a < b ? a : b, ordered = a == b ? tw_bitcast_i##bits##_##suffix(x | y) : lesser; \
        return a != a ? a : ordered; \
    } \
    TW_INLINE type tw_maxnum_##suffix(type a, type b) { return a != a ? b : b != b ? a : tw_maximum_##suffix(a, b); } \
    TW_INLINE type tw_minnum_##suffix(type a, type b) { return a != a ? b : b != b ? a : tw_minimum_##suffix(a, b); } \
    TW_INLINE type tw_trunc_##suffix(type a) { \
        return tw_absf_##suffix(a) < exact ? tw_copysign_##suffix((type)(int##bits##_t)a, a) : a; \
    } \
    TW_INLINE type tw_floor_##suffix(type a) { \
        const type t = tw_trunc_##suffix(a); \
        return t > a ? t - (type)1 : t; \
    } \
    TW_INLINE type tw_ceil_##suffix(type a) { \
        const type t = tw_trunc_##suffix(a); \
        return t < a ? tw_copysign_##suffix(t + (type)1, a) : t; \
    } \
    TW_INLINE type tw_round_##suffix(type a) { \
        const type t = tw_trunc_##suffix(a); \
        return tw_absf_##suffix(a - t) >= (type)0.5 ? t + tw_copysign_##suffix((type)1, a) : t; \
    } \
    TW_INLINE type tw_roundeven_##suffix(type a) { \
        const type m = tw_absf_##suffix(a); \
        return tw_select_##suffix(m < exact, tw_copysign_##suffix((m + exact) - exact, a), a); \
    }
TW_FLOAT(f32, float, 32, 8388608.0f)
TW_FLOAT(f64, double, 64, 4503599627370496.0)
#undef TW_FLOAT
#undef TW_SELECT

#endif
