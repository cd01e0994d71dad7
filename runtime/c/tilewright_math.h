/* What the C that Tilewright emits needs of C's mathematical library; only networks on floats include this, after tilewright.h. */
#ifndef TILEWRIGHT_MATH_H
#define TILEWRIGHT_MATH_H

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
TW_INLINE float tw_fma_f32(float a, float b, float c) { return fmaf(a, b, c); }
TW_INLINE double tw_fma_f64(double a, double b, double c) { return fma(a, b, c); }
TW_INLINE float tw_powf_f32(float a, float b) { return powf(a, b); }
TW_INLINE double tw_powf_f64(double a, double b) { return pow(a, b); }
TW_INLINE float tw_rsqrt_f32(float a) { return 1.0f / sqrtf(a); }
TW_INLINE double tw_rsqrt_f64(double a) { return 1.0 / sqrt(a); }

#endif
