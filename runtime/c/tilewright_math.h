/*
 * What the C that Tilewright emits needs of C's mathematical library; only networks on floats include this, after
 * tilewright.h. Without a hosted C library, or with TW_OWN_MATH, the functions are those of tilewright_elementary.h.
 */
#ifndef TILEWRIGHT_MATH_H
#define TILEWRIGHT_MATH_H

#if defined(TW_OWN_MATH) || __STDC_HOSTED__ == 0
#include "tilewright_elementary.h"
#else
#include <math.h>

#define TW_UNARY(name) \
    TW_INLINE float tw_##name##_f32(float a) { return name##f(a); } \
    TW_INLINE double tw_##name##_f64(double a) { return name(a); }
TW_UNARY(acos)
TW_UNARY(acosh)
TW_UNARY(asin)
TW_UNARY(asinh)
TW_UNARY(atan)
TW_UNARY(atanh)
TW_UNARY(cbrt)
TW_UNARY(cos)
TW_UNARY(cosh)
TW_UNARY(erf)
TW_UNARY(exp)
TW_UNARY(exp2)
TW_UNARY(expm1)
TW_UNARY(log)
TW_UNARY(log10)
TW_UNARY(log1p)
TW_UNARY(log2)
TW_UNARY(sin)
TW_UNARY(sinh)
TW_UNARY(sqrt)
TW_UNARY(tan)
TW_UNARY(tanh)
#undef TW_UNARY

TW_INLINE float tw_atan2_f32(float a, float b) { return atan2f(a, b); }
TW_INLINE double tw_atan2_f64(double a, double b) { return atan2(a, b); }
TW_INLINE float tw_fmod_f32(float a, float b) { return fmodf(a, b); }
TW_INLINE double tw_fmod_f64(double a, double b) { return fmod(a, b); }
TW_INLINE float tw_fma_f32(float a, float b, float c) { return fmaf(a, b, c); }
TW_INLINE double tw_fma_f64(double a, double b, double c) { return fma(a, b, c); }
TW_INLINE float tw_powf_f32(float a, float b) { return powf(a, b); }
TW_INLINE double tw_powf_f64(double a, double b) { return pow(a, b); }
TW_INLINE float tw_rsqrt_f32(float a) { return 1.0f / sqrtf(a); }
TW_INLINE double tw_rsqrt_f64(double a) { return 1.0 / sqrt(a); }

#endif
#endif
