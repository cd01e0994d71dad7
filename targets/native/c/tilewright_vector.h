/*
 * Sums of products of bytes for a few neighbouring outputs at a time, as `packed.dot_tile` and `packed.depthwise_tile`
 * state them, with the vector instructions that the compiler may use. Included after tilewright.h.
 *
 * All sizes are constants where these functions are called, so that each call becomes straight code.
 */
#ifndef TILEWRIGHT_VECTOR_H
#define TILEWRIGHT_VECTOR_H

#if defined(__GNUC__)
#define TW_TILE static inline __attribute__((__unused__, __always_inline__))
#else
#define TW_TILE static inline
#endif

#if defined(__AVX512VNNI__) && defined(__AVX512BW__) && defined(__AVX512VL__)
#include <immintrin.h>
#define TW_VNNI 1
#endif

#ifdef TW_VNNI

/* Up to four bytes, the first one lowest. */
TW_TILE int32_t tw_bytes(const int8_t *from, int32_t count) {
    int32_t result = 0;
    __builtin_memcpy(&result, from, (size_t)count);
    return result;
}

/* M(p) for each pixel that a tile may have. */
#define TW_PIXELS(M) M(0) M(1) M(2) M(3) M(4) M(5) M(6) M(7) M(8) M(9) M(10) M(11) M(12) M(13) M(14) M(15)
#define TW_DECLARE(p) __m512i a##p##_0 = zero, a##p##_1 = zero, a##p##_2 = zero, a##p##_3 = zero;
#define TW_ADD(p) \
    if (p < pixels) { \
        const int32_t bytes = tw_bytes(row + p * step + 4 * k, count) ^ flip; \
        const __m512i b = _mm512_set1_epi32(bytes); \
        a##p##_0 = _mm512_dpbusd_epi32(a##p##_0, b, w0); \
        if (blocks > 1) a##p##_1 = _mm512_dpbusd_epi32(a##p##_1, b, w1); \
        if (blocks > 2) a##p##_2 = _mm512_dpbusd_epi32(a##p##_2, b, w2); \
        if (blocks > 3) a##p##_3 = _mm512_dpbusd_epi32(a##p##_3, b, w3); \
    }
#define TW_SAVE(p) \
    if (p < pixels) { \
        int32_t *const to = sums + p * blocks * 16; \
        _mm512_storeu_si512(to, _mm512_sub_epi32(a##p##_0, c0)); \
        if (blocks > 1) _mm512_storeu_si512(to + 16, _mm512_sub_epi32(a##p##_1, c1)); \
        if (blocks > 2) _mm512_storeu_si512(to + 32, _mm512_sub_epi32(a##p##_2, c2)); \
        if (blocks > 3) _mm512_storeu_si512(to + 48, _mm512_sub_epi32(a##p##_3, c3)); \
    }
/* One group of four products for each pixel; numbers that are signed are moved up by 128, which c takes back. */
#define TW_GROUP \
    const __m512i w0 = _mm512_loadu_si512(v); \
    const __m512i w1 = blocks > 1 ? _mm512_loadu_si512(v + block) : zero; \
    const __m512i w2 = blocks > 2 ? _mm512_loadu_si512(v + 2 * block) : zero; \
    const __m512i w3 = blocks > 3 ? _mm512_loadu_si512(v + 3 * block) : zero; \
    TW_PIXELS(TW_ADD) \
    if (flip) { \
        c0 = _mm512_dpbusd_epi32(c0, up, w0); \
        if (blocks > 1) c1 = _mm512_dpbusd_epi32(c1, up, w1); \
        if (blocks > 2) c2 = _mm512_dpbusd_epi32(c2, up, w2); \
        if (blocks > 3) c3 = _mm512_dpbusd_epi32(c3, up, w3); \
    }

TW_TILE void tw_dot_tile(
    const int8_t *x, const int8_t *w, int32_t *sums, int32_t pixels, int32_t step, int32_t rows, int32_t row_step,
    int32_t run, int32_t blocks, int32_t block, int32_t flip) {
    const __m512i zero = _mm512_setzero_si512(), up = _mm512_set1_epi32((int32_t)0x80808080);
    __m512i c0 = zero, c1 = zero, c2 = zero, c3 = zero;
    TW_PIXELS(TW_DECLARE)
    const int8_t *v = w;
    for (int32_t r = 0; r < rows; ++r) {
        const int8_t *const row = x + r * row_step;
        for (int32_t k = 0; k < run / 4; ++k) {
            const int32_t count = 4;
            TW_GROUP
            v += 64;
        }
        if (run % 4 != 0) {
            const int32_t k = run / 4, count = run % 4;
            TW_GROUP
            v += 64;
        }
    }
    TW_PIXELS(TW_SAVE)
}

#define TW_DEPTHWISE_DECLARE(p) __m512i a##p = zero;
#define TW_DEPTHWISE_ADD(p) \
    if (p < pixels) { \
        const __m128i bytes = _mm_maskz_loadu_epi8(some, from + p * step); \
        const __m512i b = is_signed ? _mm512_cvtepi8_epi32(bytes) : _mm512_cvtepu8_epi32(bytes); \
        a##p = _mm512_dpwssd_epi32(a##p, b, v); \
    }
#define TW_DEPTHWISE_SAVE(p) \
    if (p < pixels) _mm512_mask_storeu_epi32(sums + p * lanes + lane, some, a##p);

TW_TILE void tw_depthwise_tile(
    const int8_t *x, const int8_t *w, int32_t *sums, int32_t pixels, int32_t step, int32_t rows, int32_t row_step,
    int32_t taps, int32_t tap_step, int32_t lanes, int32_t channels, int32_t is_signed) {
    const __m512i zero = _mm512_setzero_si512(), low = _mm512_set1_epi32(0xFFFF);
    for (int32_t lane = 0; lane < lanes; lane += 16) {
        const __mmask16 some = (__mmask16)(lanes - lane >= 16 ? 0xFFFF : (1 << (lanes - lane)) - 1);
        TW_PIXELS(TW_DEPTHWISE_DECLARE)
        for (int32_t r = 0; r < rows; ++r) {
            for (int32_t t = 0; t < taps; ++t) {
                const int8_t *const from = x + r * row_step + t * tap_step + lane;
                const __m128i bytes = _mm_maskz_loadu_epi8(some, w + (r * taps + t) * channels + lane);
                /* Products of the upper halves of 16 bits are 0. */
                const __m512i v = _mm512_and_si512(_mm512_cvtepi8_epi32(bytes), low);
                TW_PIXELS(TW_DEPTHWISE_ADD)
            }
        }
        TW_PIXELS(TW_DEPTHWISE_SAVE)
    }
}

#undef TW_DEPTHWISE_DECLARE
#undef TW_DEPTHWISE_ADD
#undef TW_DEPTHWISE_SAVE
#undef TW_PIXELS
#undef TW_DECLARE
#undef TW_ADD
#undef TW_SAVE
#undef TW_GROUP

#else

TW_TILE void tw_dot_tile(
    const int8_t *x, const int8_t *w, int32_t *sums, int32_t pixels, int32_t step, int32_t rows, int32_t row_step,
    int32_t run, int32_t blocks, int32_t block, int32_t flip) {
    const int32_t groups = (run + 3) / 4;
    for (int32_t i = 0; i < pixels * blocks * 16; ++i) sums[i] = 0;
    for (int32_t r = 0; r < rows; ++r) {
        for (int32_t q = 0; q < run; ++q) {
            for (int32_t p = 0; p < pixels; ++p) {
                const int8_t byte = x[r * row_step + p * step + q];
                const int32_t number = flip ? byte : (uint8_t)byte;
                for (int32_t b = 0; b < blocks; ++b) {
                    const int8_t *const v = w + b * block + ((r * groups + q / 4) * 16) * 4 + q % 4;
                    int32_t *const to = sums + (p * blocks + b) * 16;
                    for (int32_t lane = 0; lane < 16; ++lane) to[lane] += number * v[4 * lane];
                }
            }
        }
    }
}

TW_TILE void tw_depthwise_tile(
    const int8_t *x, const int8_t *w, int32_t *sums, int32_t pixels, int32_t step, int32_t rows, int32_t row_step,
    int32_t taps, int32_t tap_step, int32_t lanes, int32_t channels, int32_t is_signed) {
    for (int32_t p = 0; p < pixels; ++p) {
        int32_t *const to = sums + p * lanes;
        for (int32_t lane = 0; lane < lanes; ++lane) to[lane] = 0;
    }
    for (int32_t r = 0; r < rows; ++r) {
        for (int32_t t = 0; t < taps; ++t) {
            const int8_t *const v = w + (r * taps + t) * channels;
            for (int32_t p = 0; p < pixels; ++p) {
                const int8_t *const from = x + r * row_step + p * step + t * tap_step;
                int32_t *const to = sums + p * lanes;
                if (is_signed) {
                    for (int32_t lane = 0; lane < lanes; ++lane) to[lane] += from[lane] * v[lane];
                } else {
                    for (int32_t lane = 0; lane < lanes; ++lane) to[lane] += (uint8_t)from[lane] * v[lane];
                }
            }
        }
    }
}

#endif

#endif
