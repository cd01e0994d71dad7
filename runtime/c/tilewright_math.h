/*
 * What the C that Tilewright emits needs of C's mathematical library; only networks on floats include this, after
 * tilewright.h. Without a hosted C library, or with TW_OWN_MATH, the functions are those of tilewright_elementary.h.
 *
 * Where the compiler may use fused multiplication and addition (-march=native, -mfma), exp, tanh and erf of floats are
 * straight code, of which it makes vectors, within 1, 2 and 2.5 ULP; test/test_native_functions.py measures it.
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
#if !defined(__GNUC__) || !defined(__FMA__)
TW_INLINE float tw_erf_f32(float a) { return erff(a); }
TW_INLINE float tw_exp_f32(float a) { return expf(a); }
TW_INLINE float tw_tanh_f32(float a) { return tanhf(a); }
#else
#define TW_FMA(a, b, c) __builtin_fmaf(a, b, c)

/* exp(a) for a from -104 to 89, or NaN: the power of 2 in two steps, since it may be larger or smaller than any float. */
TW_INLINE float tw_exp_inside(float a) {
    const float turned = TW_FMA(a, 0x1.715476p+0f, 0x1.8p23f), n = turned - 0x1.8p23f;
    const float r = TW_FMA(n, -0x1.7f7d1cp-20f, TW_FMA(n, -0x1.62e4p-1f, a));
    /* (exp(r) - 1 - r) / r^2, least largest error for |r| < 0.35. */
    float q = TW_FMA(r, 0x1.6a1a6ep-10f, 0x1.123fc6p-7f);
    q = TW_FMA(r, q, 0x1.555916p-5f);
    q = TW_FMA(r, q, 0x1.55548ap-3f);
    q = TW_FMA(r, q, 0x1.fffffcp-2f);
    const float p = 1.0f + TW_FMA(r * r, q, r);
    /* The biased exponents of both powers, together. */
    const uint32_t exponents = (uint32_t)tw_bitcast_f32_i32(turned) - UINT32_C(0x4b400000) + 2 * 127;
    const float first = tw_bitcast_i32_f32((int32_t)(exponents / 2 << 23));
    return p * first * tw_bitcast_i32_f32((int32_t)((exponents - exponents / 2) << 23));
}

TW_INLINE float tw_exp_f32(float a) {
    const float above = tw_select_f32(a < -104.0f, -104.0f, a);
    return tw_exp_inside(tw_select_f32(above > 89.0f, 89.0f, above));
}

TW_INLINE float tw_tanh_f32(float a) {
    const float m = tw_absf_f32(a), z = a * a, twice = 2.0f * m;
    /* (tanh(a) / a - 1) / a^2 for |a| < 0.625. */
    float p = TW_FMA(z, -0x1.75e1a8p-8f, 0x1.522692p-6f);
    p = TW_FMA(z, p, -0x1.b83c58p-5f);
    p = TW_FMA(z, p, 0x1.110726p-3f);
    p = TW_FMA(z, p, -0x1.555532p-2f);
    const float large = 1.0f - 2.0f / (tw_exp_inside(twice > 20.0f ? 20.0f : twice) + 1.0f);
    return tw_select_f32(m > 0.625f, tw_copysign_f32(large, a), a * TW_FMA(z, p, 1.0f));
}

TW_INLINE float tw_erf_f32(float a) {
    const float m = tw_absf_f32(a), z = a * a, t = m > 4.0f ? 4.0f : m;
    /* erf(a) / a for |a| < 0.875. */
    float p = TW_FMA(z, -0x1.453aa6p-11f, 0x1.49c9fcp-8f);
    p = TW_FMA(z, p, -0x1.b6f38ap-6f);
    p = TW_FMA(z, p, 0x1.ce211ep-4f);
    p = TW_FMA(z, p, -0x1.81270cp-2f);
    p = TW_FMA(z, p, 0x1.20dd74p+0f);
    /* log(1 - erf(t)) for t from 0.84 to 4. */
    float l = TW_FMA(t, 0x1.ad5492p-13f, -0x1.99f4fcp-9f);
    l = TW_FMA(t, l, 0x1.719252p-6f);
    l = TW_FMA(t, l, -0x1.ac7228p-4f);
    l = TW_FMA(t, l, -0x1.45db18p-1f);
    l = TW_FMA(t, l, -0x1.20cba2p+0f);
    l = TW_FMA(t, l, -0x1.89df7ap-14f);
    return tw_select_f32(m > 0.875f, tw_copysign_f32(1.0f - tw_exp_inside(l), a), a * p);
}
#undef TW_FMA
#endif
TW_INLINE double tw_erf_f64(double a) { return erf(a); }
TW_INLINE double tw_exp_f64(double a) { return exp(a); }
TW_INLINE double tw_tanh_f64(double a) { return tanh(a); }
TW_UNARY(acos)
TW_UNARY(acosh)
TW_UNARY(asin)
TW_UNARY(asinh)
TW_UNARY(atan)
TW_UNARY(atanh)
TW_UNARY(cbrt)
TW_UNARY(cos)
TW_UNARY(cosh)
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
