/*
 * Floats of 16 bits, which C11 lacks: IEEE 754 binary16 (tw_f16) and bfloat16 (tw_bf16), as their bits.
 *
 * Conversions to them round to nearest, ties to even, once. What is too large becomes infinite; NaN stays NaN.
 */
#ifndef TILEWRIGHT_HALF_H
#define TILEWRIGHT_HALF_H

#include "tilewright.h"

TW_INLINE float tw_extf_f16_f32(tw_f16 a) {
    const uint32_t sign = (uint32_t)(a & 0x8000u) << 16, rest = a & 0x7fffu;
    if (rest >= 0x7c00u) return tw_bitcast_i32_f32((int32_t)(sign | 0x7f800000u | rest << 13));
    if (rest >= 0x0400u) return tw_bitcast_i32_f32((int32_t)(sign | ((rest << 13) + (112u << 23))));
    /* A subnormal counts steps of 2^-24. */
    return tw_copysign_f32((float)rest * 0x1p-24f, tw_bitcast_i32_f32((int32_t)sign));
}

TW_INLINE tw_f16 tw_truncf_f32_f16(float a) {
    const uint32_t bits = (uint32_t)tw_bitcast_f32_i32(a), sign = bits >> 16 & 0x8000u, rest = bits & 0x7fffffffu;
    if (rest > 0x7f800000u) return (tw_f16)(sign | 0x7e00u | (rest >> 13 & 0x3ffu));
    if (rest >= 0x47800000u) return (tw_f16)(sign | 0x7c00u);
    if (rest >= 0x38800000u) return (tw_f16)(sign | (rest - (112u << 23) + 0xfffu + (rest >> 13 & 1u)) >> 13);
    const uint32_t shift = 126u - (rest >> 23), digits = (rest & 0x7fffffu) | 0x800000u;
    if (shift > 24u) return (tw_f16)sign;
    return (tw_f16)(sign | (digits + (1u << (shift - 1u)) - 1u + (digits >> shift & 1u)) >> shift);
}

TW_INLINE float tw_extf_bf16_f32(tw_bf16 a) { return tw_bitcast_i32_f32((int32_t)((uint32_t)a << 16)); }

TW_INLINE tw_bf16 tw_truncf_f32_bf16(float a) {
    const uint32_t bits = (uint32_t)tw_bitcast_f32_i32(a);
    if (a != a) return (tw_bf16)(bits >> 16 | 0x40u);
    return (tw_bf16)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

/* A double as the float beside it whose last bit says whether it is exact: rounding that again is rounding once. */
TW_INLINE float tw_round_to_odd(double a) {
    const float near = (float)a;
    if (a != a || (double)near == a) return near;
    const int32_t bits = tw_bitcast_f32_i32(near);
    return tw_bitcast_i32_f32((tw_absf_f64((double)near) > tw_absf_f64(a) ? bits - 1 : bits) | 1);
}

TW_INLINE int16_t tw_bitcast_f16_i16(tw_f16 a) { return (int16_t)a; }
TW_INLINE int16_t tw_bitcast_bf16_i16(tw_bf16 a) { return (int16_t)a; }
TW_INLINE tw_f16 tw_bitcast_i16_f16(int16_t a) { return (tw_f16)a; }
TW_INLINE tw_bf16 tw_bitcast_i16_bf16(int16_t a) { return (tw_bf16)a; }

TW_INLINE tw_f16 tw_truncf_f64_f16(double a) { return tw_truncf_f32_f16(tw_round_to_odd(a)); }
TW_INLINE tw_bf16 tw_truncf_f64_bf16(double a) { return tw_truncf_f32_bf16(tw_round_to_odd(a)); }

#endif
