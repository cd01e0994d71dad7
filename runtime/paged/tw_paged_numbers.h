#ifndef TW_PAGED_NUMBERS_H
#define TW_PAGED_NUMBERS_H
/*
 * Arithmetic of a paged key-value store: lanes, exp, bfloat16. docs/paged.md defines each operation and its order.
 *
 * No operation may be contracted to a fused multiply-add. GCC contracts none under -std=c11; Clang needs the pragma.
 * tw_paged_open computes a known answer, and refuses where a flag such as -ffast-math has changed it.
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "files of pages are little-endian, and so must be the machine"
#endif

#define TW_PAGED_LANES 8

static inline uint32_t tw_paged_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline float tw_paged_float(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline bool tw_paged_is_finite(float x)
{
    return (tw_paged_bits(x) & 0x7f800000u) != 0x7f800000u;
}

static inline float tw_paged_widen(uint16_t x)
{
    return tw_paged_float((uint32_t)x << 16);
}

/* Round a finite float to bfloat16: to nearest, ties to even. */
static inline uint16_t tw_paged_narrow(float x)
{
    const uint32_t bits = tw_paged_bits(x);
    return (uint16_t)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

/* Round a finite float to bfloat16 away from zero where `is_away`, else towards zero. */
static inline uint16_t tw_paged_narrow_directed(float x, bool is_away)
{
    const uint32_t bits = tw_paged_bits(x);
    return (uint16_t)((bits + (is_away ? 0xffffu : 0u)) >> 16);
}

static inline uint16_t tw_paged_narrow_up(float x)
{
    return tw_paged_narrow_directed(x, x > 0);
}

static inline uint16_t tw_paged_narrow_down(float x)
{
    return tw_paged_narrow_directed(x, x < 0);
}

static inline float tw_paged_max(float x, float y)
{
    return y > x ? y : x;
}

static inline float tw_paged_min(float x, float y)
{
    return y < x ? y : x;
}

static inline float tw_paged_fold(const float *lanes)
{
    return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
}

/* Compute exp of x <= 0. Adding 1.5 * 2^23 rounds to an integer, half to even, which is in the low bits of the sum. */
static inline float tw_paged_exp(float x)
{
    const float magic = 12582912.0f;
    const float shifted = x * 1.44269502f + magic;
    const float n = shifted - magic;
    const float r = (x - n * 0.693359375f) - n * -2.12194440e-4f;
    float p = 1.9875691500e-4f;
    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    const float y = ((p * (r * r)) + r) + 1.0f;
    const uint32_t power = (tw_paged_bits(shifted) - tw_paged_bits(magic) + 127u) << 23;
    return x < -87.0f ? 0.0f : y * tw_paged_float(power);
}

/*
 * `element` is TW_PAGED_F32 or TW_PAGED_BF16. `next` is where the data for the next call lies, or NULL: it comes from
 * memory line by line while this call computes, since a page is too short for the processor to foresee its successor.
 */

/* scores[h * stride + t] = dot(queries[h], keys[t]) * scale, for h < heads <= 4 and t < tokens. */
void tw_paged_dots(float *scores, size_t stride, const float *queries, uint32_t heads, const void *keys,
                   uint32_t element, uint32_t tokens, uint32_t dim, float scale, const void *next);

/* scores[h * stride + b] = score of the page with digests [2][dim] at digests + rows[b] * bytes, h < heads <= 4. */
void tw_paged_bounds(float *scores, size_t stride, const float *queries, uint32_t heads, const unsigned char *digests,
                     size_t bytes, uint32_t type, const uint32_t *rows, uint32_t blocks, uint32_t dim);

/* sums[h * dim + d] += sum over t of weights[h * stride + t] * values[t][d], in order of t, for h < heads <= 4. */
void tw_paged_weigh(float *sums, const float *weights, size_t stride, uint32_t heads, const void *values,
                    uint32_t element, uint32_t tokens, uint32_t dim, const void *next);

/* s[t] = exp(s[t] - most), added to lanes[(first + t) mod 8]. */
void tw_paged_exponentials(float *s, uint32_t first, uint32_t tokens, float most, float *lanes);

/* Return whether all are finite; `most` becomes the maximum of itself and s. */
bool tw_paged_maximum(const float *s, uint32_t count, float *most);

/* Return whether the compiler has kept the order and the rounding of the operations. */
bool tw_paged_numbers_are_exact(void);

#endif
