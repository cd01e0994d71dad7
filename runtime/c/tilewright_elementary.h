/*
 * C's mathematical functions for machines without a mathematical library: tilewright_math.h takes them where there is no
 * hosted C library, or where TW_OWN_MATH is defined.
 *
 * All are computed in double. As float they are within 0.51 ULP of the true value. As double they are within 4 ULP, but
 * for erf (20 ULP), pow (a relative error of 2e-13), and sin, cos and tan of more than 2^20, whose arguments are reduced
 * with an absolute error of 1e-18. fma is rounded once as float, twice as double. test/runtime/test_elementary.py
 * measures all of it.
 */
#ifndef TILEWRIGHT_ELEMENTARY_H
#define TILEWRIGHT_ELEMENTARY_H

#include "tilewright.h"

#define TW_LN2_HIGH 0x1.62e42feep-1
#define TW_LN2_LOW 0x1.a39ef35793c76p-33
#define TW_HALF_PI 0x1.921fb54442d18p+0

/* a * 2^n, rounded once but for subnormal results. */
TW_INLINE double tw_scaled(double a, int32_t n) {
    const int32_t first = n < -1000 ? -1000 : n > 1000 ? 1000 : n;
    const double power = tw_bitcast_i64_f64((int64_t)(1023 + first) << 52);
    const int32_t rest = n - first < -1000 ? -1000 : n - first > 1000 ? 1000 : n - first;
    return rest == 0 ? a * power : a * power * tw_bitcast_i64_f64((int64_t)(1023 + rest) << 52);
}

/* m in [sqrt(1/2), sqrt(2)) with a = m * 2^n, for positive finite a. */
TW_INLINE double tw_split(double a, int32_t *n) {
    const bool small = a < 0x1p-1000;
    int64_t bits = tw_bitcast_f64_i64(small ? a * 0x1p100 : a);
    *n = (int32_t)(bits >> 52) - 1023 - (small ? 100 : 0);
    bits = (bits & INT64_C(0xfffffffffffff)) | INT64_C(0x3ff0000000000000);
    const double m = tw_bitcast_i64_f64(bits);
    if (m < 0x1.6a09e667f3bcdp+0) return m;
    *n += 1;
    return 0.5 * m;
}

TW_INLINE double tw_sqrt_f64(double a) {
    if (a < 0.0) return TW_NAN_F64;
    if (!(a > 0.0) || a == TW_INF_F64) return a;
    int32_t n = 0;
    double m = tw_split(a, &n);
    if (n % 2 != 0) {
        m *= 2.0;
        n -= 1;
    }
    double root = 0.5 * (1.0 + m);
    for (int i = 0; i < 5; ++i) root = 0.5 * (root + m / root);
    return tw_scaled(root, n / 2);
}

/* exp(r) - 1 for |r| <= 0.35, by its series. */
TW_INLINE double tw_expm1_near_zero(double r) {
    double sum = 1.0 / 14.0;
    for (int i = 13; i > 1; --i) sum = (1.0 + r * sum) / (double)i;
    return r + r * r * sum;
}

/* The integer nearest to a / ln(2), and the rest. */
TW_INLINE double tw_reduced_exponent(double a, int32_t *n) {
    const double whole = tw_roundeven_f64(a * 0x1.71547652b82fep+0);
    *n = (int32_t)whole;
    return (a - whole * TW_LN2_HIGH) - whole * TW_LN2_LOW;
}

TW_INLINE double tw_exp_f64(double a) {
    if (a != a || a > 710.0) return a != a ? a : TW_INF_F64;
    if (a < -746.0) return 0.0;
    int32_t n = 0;
    const double r = tw_reduced_exponent(a, &n);
    return tw_scaled(1.0 + tw_expm1_near_zero(r), n);
}

TW_INLINE double tw_exp2_f64(double a) {
    if (a != a || a > 1025.0) return a != a ? a : TW_INF_F64;
    if (a < -1080.0) return 0.0;
    const double whole = tw_roundeven_f64(a);
    return tw_scaled(1.0 + tw_expm1_near_zero((a - whole) * 0x1.62e42fefa39efp-1), (int32_t)whole);
}

TW_INLINE double tw_expm1_f64(double a) {
    if (tw_absf_f64(a) < 0.35) return a == 0.0 ? a : tw_expm1_near_zero(a);
    if (!(a < 40.0)) return tw_exp_f64(a);
    if (a < -40.0) return -1.0;
    int32_t n = 0;
    const double p = tw_expm1_near_zero(tw_reduced_exponent(a, &n)), power = tw_scaled(1.0, n);
    return power * p + (power - 1.0);
}

/* log(m) for m in [sqrt(1/2), sqrt(2)]: 2 atanh((m - 1) / (m + 1)), by its series. */
TW_INLINE double tw_log_near_one(double m) {
    const double f = m - 1.0, s = f / (2.0 + f), z = s * s;
    double sum = 1.0 / 23.0;
    for (int i = 21; i > 1; i -= 2) sum = sum * z + 1.0 / (double)i;
    /* 2 s = f - s f: what is left out of f is small. */
    return f - s * (f - 2.0 * z * sum);
}

TW_INLINE double tw_log_f64(double a) {
    if (!(a > 0.0) || a == TW_INF_F64) return a != a || a == TW_INF_F64 ? a : a == 0.0 ? -TW_INF_F64 : TW_NAN_F64;
    int32_t n = 0;
    const double m = tw_split(a, &n);
    return (double)n * TW_LN2_HIGH + (tw_log_near_one(m) + (double)n * TW_LN2_LOW);
}

TW_INLINE double tw_log2_f64(double a) {
    if (!(a > 0.0) || a == TW_INF_F64) return tw_log_f64(a);
    int32_t n = 0;
    const double m = tw_split(a, &n);
    return (double)n + tw_log_near_one(m) * 0x1.71547652b82fep+0;
}

TW_INLINE double tw_log10_f64(double a) { return tw_log_f64(a) * 0x1.bcb7b1526e50ep-2; }

TW_INLINE double tw_log1p_f64(double a) {
    const double u = 1.0 + a;
    return u == 1.0 || !(u < TW_INF_F64) || u <= 0.0 ? (u == 1.0 ? a : tw_log_f64(u)) : tw_log_f64(u) + (a - (u - 1.0)) / u;
}

/* a^b as float is rounded once; a negative number has powers of integers only. */
TW_INLINE double tw_powf_f64(double a, double b) {
    const double m = tw_absf_f64(a);
    const bool whole = tw_trunc_f64(b) == b, odd = whole && tw_trunc_f64(0.5 * b) != 0.5 * b;
    if (b == 0.0 || a == 1.0) return 1.0;
    if (a != a || b != b) return TW_NAN_F64;
    if (m == 1.0 && (a > 0.0 || whole)) return odd ? a : 1.0;
    if (a < 0.0 && !whole && m < TW_INF_F64) return TW_NAN_F64;
    const double power = tw_exp_f64(b * tw_log_f64(m));
    return odd ? tw_copysign_f64(power, a) : power;
}

/* Hyperbolic functions and their inverses. */

TW_INLINE double tw_tanh_f64(double a) {
    if (tw_absf_f64(a) > 22.0) return tw_copysign_f64(1.0, a);
    const double e = tw_expm1_f64(2.0 * a);
    return e / (e + 2.0);
}

TW_INLINE double tw_sinh_f64(double a) {
    const double m = tw_absf_f64(a), e = tw_expm1_f64(m), half = tw_exp_f64(0.5 * m);
    return tw_copysign_f64(m > 22.0 ? 0.5 * half * half : 0.5 * (e + e / (e + 1.0)), a);
}

TW_INLINE double tw_cosh_f64(double a) {
    const double half = tw_exp_f64(0.5 * tw_absf_f64(a));
    return 0.5 * half * half + 0.5 / half / half;
}

TW_INLINE double tw_asinh_f64(double a) {
    const double m = tw_absf_f64(a), s = m * m;
    const double inverse = tw_log1p_f64(m + s / (1.0 + tw_sqrt_f64(1.0 + s)));
    return tw_copysign_f64(m > 0x1p500 ? tw_log_f64(m) + TW_LN2_HIGH + TW_LN2_LOW : inverse, a);
}

TW_INLINE double tw_acosh_f64(double a) {
    const double t = a - 1.0;
    if (t < 0.0) return TW_NAN_F64;
    return a > 0x1p500 ? tw_log_f64(a) + TW_LN2_HIGH + TW_LN2_LOW : tw_log1p_f64(t + tw_sqrt_f64(t * (t + 2.0)));
}

TW_INLINE double tw_atanh_f64(double a) { return 0.5 * (tw_log1p_f64(a) - tw_log1p_f64(-a)); }

/* Circular functions and their inverses. */

/* 64 bits of 2 / pi, from the one of weight 2^(63 - shift). */
TW_INLINE uint64_t tw_two_over_pi(int32_t shift) {
    static const uint32_t digits[] = {
        0x00000000u, 0x00000000u, 0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu,
        0xdebbc561u, 0xb7246e3au, 0x424dd2e0u, 0x06492eeau, 0x09d1921cu, 0xfe1deb1cu, 0xb129a73eu, 0xe88235f5u, 0x2ebb4484u,
        0xe99c7026u, 0xb45f7e41u, 0x3991d639u, 0x835339f4u, 0x9c845f8bu, 0xbdf9283bu, 0x1ff897ffu, 0xde05980fu, 0xef2f118bu,
        0x5a0a6d1fu, 0x6d367ecfu, 0x27cb09b7u, 0x4f463f66u, 0x9e5fea2du, 0x7527bac7u, 0xebe5f17bu, 0x3d0739f7u, 0x8a5292eau,
        0x6bfb5fb1u, 0x1f8d5d08u, 0x56033046u, 0xfc7b6babu,
    };
    const int32_t word = shift / 32, bit = shift % 32;
    const uint64_t high = (uint64_t)digits[word] << 32 | digits[word + 1];
    return bit == 0 ? high : high << bit | digits[word + 2] >> (32 - bit);
}

/* a less the nearest multiple of pi / 2, and which multiple that is, modulo 4. */
TW_INLINE double tw_reduced_angle(double a, int32_t *quadrant) {
    if (tw_absf_f64(a) < 0x1p20) {
        const double whole = tw_roundeven_f64(a * 0x1.45f306dc9c883p-1);
        *quadrant = (int32_t)whole & 3;
        return ((a - whole * 0x1.921fb544p+0) - whole * 0x1.0b4611a6p-34) - whole * 0x1.3198a2e037073p-69;
    }
    /* The mantissa times the bits of 2 / pi of which the product is not a multiple of 4: two bits and a fraction. */
    const int64_t bits = tw_bitcast_f64_i64(a);
    const int32_t exponent = ((int32_t)(bits >> 52) & 0x7ff) - 1075;
    const uint64_t mantissa = (uint64_t)(bits & INT64_C(0xfffffffffffff)) | UINT64_C(0x10000000000000);
    const int32_t shift = exponent + 62;
    const uint64_t turn = mantissa * tw_two_over_pi(shift) + tw_mulhi_u64(mantissa, tw_two_over_pi(shift + 64));
    const uint64_t nearest = (turn + UINT64_C(0x2000000000000000)) >> 62;
    const double rest = (double)(int64_t)(turn - (nearest << 62)) * 0x1p-62 * TW_HALF_PI;
    *quadrant = (int32_t)(a < 0.0 ? 4u - nearest : nearest) & 3;
    return a < 0.0 ? -rest : rest;
}

TW_INLINE double tw_sine_near_zero(double r) {
    double sum = 1.0;
    for (int i = 18; i > 0; i -= 2) sum = 1.0 - r * r * sum / (double)(i * (i + 1));
    return r * sum;
}

TW_INLINE double tw_cosine_near_zero(double r) {
    double sum = 1.0;
    for (int i = 19; i > 0; i -= 2) sum = 1.0 - r * r * sum / (double)(i * (i + 1));
    return sum;
}

TW_INLINE double tw_turned(double a, int32_t quarters) {
    if (!(tw_absf_f64(a) < TW_INF_F64)) return TW_NAN_F64;
    int32_t quadrant = 0;
    const double r = tw_reduced_angle(a, &quadrant);
    quadrant += quarters;
    const double value = quadrant % 2 != 0 ? tw_cosine_near_zero(r) : tw_sine_near_zero(r);
    return quadrant % 4 < 2 ? value : -value;
}

TW_INLINE double tw_sin_f64(double a) { return a == 0.0 ? a : tw_turned(a, 0); }
TW_INLINE double tw_cos_f64(double a) { return tw_turned(a, 1); }
TW_INLINE double tw_tan_f64(double a) { return tw_sin_f64(a) / tw_cos_f64(a); }

TW_INLINE double tw_atan_f64(double a) {
    const double m = tw_absf_f64(a), inside = m > 1.0 ? 1.0 / m : m;
    const bool turned = inside > 0x1.126145e9ecd56p-2;
    const double root = 0x1.bb67ae8584caap+0, t = turned ? (inside * root - 1.0) / (inside + root) : inside, z = t * t;
    double sum = 1.0 / 33.0;
    for (int i = 31; i > 0; i -= 2) sum = 1.0 / (double)i - z * sum;
    const double angle = turned ? 0x1.0c152382d7366p-1 + t * sum : t * sum;
    return a != a ? a : tw_copysign_f64(m > 1.0 ? TW_HALF_PI - angle : angle, a);
}

TW_INLINE double tw_atan2_f64(double a, double b) {
    if (a != a || b != b) return TW_NAN_F64;
    const double pi = 2.0 * TW_HALF_PI, m = tw_absf_f64(a), n = tw_absf_f64(b);
    const double ratio = m == n ? 1.0 : m < n ? m / n : n / m;
    const double first = m == 0.0 && n == 0.0 ? 0.0 : m <= n ? tw_atan_f64(ratio) : TW_HALF_PI - tw_atan_f64(ratio);
    return tw_copysign_f64(tw_copysign_f64(1.0, b) < 0.0 ? pi - first : first, a);
}

TW_INLINE double tw_asin_f64(double a) { return tw_atan2_f64(a, tw_sqrt_f64((1.0 - a) * (1.0 + a))); }
TW_INLINE double tw_acos_f64(double a) { return tw_atan2_f64(tw_sqrt_f64((1.0 - a) * (1.0 + a)), a); }

/* Others. */

TW_INLINE double tw_rsqrt_f64(double a) { return 1.0 / tw_sqrt_f64(a); }

TW_INLINE double tw_cbrt_f64(double a) {
    const double m = tw_absf_f64(a);
    if (!(m > 0.0) || m == TW_INF_F64) return a;
    const double root = tw_exp_f64(tw_log_f64(m) / 3.0);
    return tw_copysign_f64(root - (root - m / root / root) / 3.0, a);
}

/* erf(x) = 2 / sqrt(pi) * exp(-x^2) * sum of (2 x^2)^n * x / (1 * 3 * .. * (2 n + 1)): no term is negative. */
TW_INLINE double tw_erf_f64(double a) {
    const double m = tw_absf_f64(a), z = m * m;
    if (!(m < 6.0)) return a != a ? a : tw_copysign_f64(1.0, a);
    double term = m, sum = m;
    for (int i = 3; term > sum * 0x1p-54; i += 2) {
        term *= 2.0 * z / (double)i;
        sum += term;
    }
    return tw_copysign_f64(0x1.20dd750429b6dp+0 * tw_exp_f64(-z) * sum, a);
}

/* The remainder of a division rounded toward zero, exact: the divisor is taken off in its multiples by powers of two. */
TW_INLINE double tw_fmod_f64(double a, double b) {
    double rest = tw_absf_f64(a);
    const double step = tw_absf_f64(b);
    if (!(rest < TW_INF_F64) || !(step > 0.0)) return TW_NAN_F64;
    while (rest >= step) {
        double multiple = step;
        while (multiple <= 0.5 * rest) multiple *= 2.0;
        rest -= multiple;
    }
    return tw_copysign_f64(rest, a);
}

TW_INLINE double tw_fma_f64(double a, double b, double c) { return a * b + c; }

#define TW_FROM_DOUBLE(name) \
    TW_INLINE float tw_##name##_f32(float a) { return (float)tw_##name##_f64((double)a); }
#define TW_FROM_DOUBLES(name) \
    TW_INLINE float tw_##name##_f32(float a, float b) { return (float)tw_##name##_f64((double)a, (double)b); }
TW_FROM_DOUBLE(acos)
TW_FROM_DOUBLE(acosh)
TW_FROM_DOUBLE(asin)
TW_FROM_DOUBLE(asinh)
TW_FROM_DOUBLE(atan)
TW_FROM_DOUBLE(atanh)
TW_FROM_DOUBLE(cbrt)
TW_FROM_DOUBLE(cos)
TW_FROM_DOUBLE(cosh)
TW_FROM_DOUBLE(erf)
TW_FROM_DOUBLE(exp)
TW_FROM_DOUBLE(exp2)
TW_FROM_DOUBLE(expm1)
TW_FROM_DOUBLE(log)
TW_FROM_DOUBLE(log10)
TW_FROM_DOUBLE(log1p)
TW_FROM_DOUBLE(log2)
TW_FROM_DOUBLE(rsqrt)
TW_FROM_DOUBLE(sin)
TW_FROM_DOUBLE(sinh)
TW_FROM_DOUBLE(sqrt)
TW_FROM_DOUBLE(tan)
TW_FROM_DOUBLE(tanh)
TW_FROM_DOUBLES(atan2)
TW_FROM_DOUBLES(fmod)
TW_FROM_DOUBLES(powf)
#undef TW_FROM_DOUBLE
#undef TW_FROM_DOUBLES

/* The product is exact in double, and the sum is rounded to odd there, so that rounding it to float rounds once. */
TW_INLINE float tw_fma_f32(float a, float b, float c) {
    const double product = (double)a * (double)b, sum = product + (double)c, part = sum - product;
    const double rest = (product - (sum - part)) + ((double)c - part);
    const int64_t bits = tw_bitcast_f64_i64(sum);
    if (!(tw_absf_f64(rest) > 0.0) || bits % 2 != 0) return (float)sum;
    return (float)tw_bitcast_i64_f64((rest > 0.0) == (sum > 0.0) ? bits + 1 : bits - 1);
}

#endif
