/*
 * Sums of products of bytes for a few neighbouring outputs of each channel, as `packed.depthwise_tile` states them, with
 * the vector instructions of tilewright_vector.h, after which it is included.
 *
 * All sizes are constants where the function is called, so that each call becomes straight code.
 */
#ifndef TILEWRIGHT_DEPTHWISE_H
#define TILEWRIGHT_DEPTHWISE_H

#ifdef TW_LANES

#if TW_LANES == 16

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

#else

/* Store the first `count` sums of a vector. */
TW_TILE void tw_store_some(int32_t *to, tw_sums sums, int32_t count) {
    const __m256i words = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    if (count >= 8) tw_sums_store(to, sums);
    else if (count > 0) _mm256_maskstore_epi32(to, _mm256_cmpgt_epi32(_mm256_set1_epi32(count), words), sums);
}

/* Bytes of two taps, those of a channel side by side, as numbers of 16 bits: of the first or the last 8 channels. */
TW_TILE __m256i tw_pairs(__m128i a, __m128i b, int32_t upper, int32_t is_signed) {
    const __m128i pairs = upper ? _mm_unpackhi_epi8(a, b) : _mm_unpacklo_epi8(a, b);
    return is_signed ? _mm256_cvtepi8_epi16(pairs) : _mm256_cvtepu8_epi16(pairs);
}

#define TW_DEPTHWISE_DECLARE(p) __m256i a##p##_0 = zero, a##p##_1 = zero;
#define TW_DEPTHWISE_ADD(p) \
    if (p < pixels) { \
        const __m128i one = tw_channels(first + p * step, count), two = tw_channels(second + p * step, count); \
        a##p##_0 = _mm256_add_epi32(a##p##_0, _mm256_madd_epi16(tw_pairs(one, two, 0, is_signed), v0)); \
        if (count > 8) a##p##_1 = _mm256_add_epi32(a##p##_1, _mm256_madd_epi16(tw_pairs(one, two, 1, is_signed), v1)); \
    }
#define TW_DEPTHWISE_SAVE(p) \
    if (p < pixels) { \
        tw_store_some(sums + p * lanes, a##p##_0, count); \
        tw_store_some(sums + p * lanes + 8, a##p##_1, count - 8); \
    }

/* Up to 16 channels of some windows; the last tap of an odd number has a partner whose weights are 0. */
TW_TILE void tw_depthwise_part(
    const int8_t *x, const int8_t *w, int32_t *sums, int32_t pixels, int32_t step, int32_t rows, int32_t row_step,
    int32_t taps, int32_t tap_step, int32_t lanes, int32_t count, int32_t channels, int32_t is_signed) {
    const __m256i zero = _mm256_setzero_si256();
    TW_PIXELS(TW_DEPTHWISE_DECLARE)
    for (int32_t t = 0; t < rows * taps; t += 2) {
        const int32_t u = t + 1 < rows * taps ? t + 1 : t;
        const int8_t *const first = x + t / taps * row_step + t % taps * tap_step;
        const int8_t *const second = x + u / taps * row_step + u % taps * tap_step;
        const __m128i one = tw_channels(w + t * channels, count);
        const __m128i two = u > t ? tw_channels(w + u * channels, count) : _mm_setzero_si128();
        const __m256i v0 = tw_pairs(one, two, 0, 1), v1 = tw_pairs(one, two, 1, 1);
        TW_PIXELS(TW_DEPTHWISE_ADD)
    }
    TW_PIXELS(TW_DEPTHWISE_SAVE)
}

TW_TILE void tw_depthwise_channels(
    const int8_t *x, const int8_t *w, int32_t *sums, int32_t pixels, int32_t step, int32_t rows, int32_t row_step,
    int32_t taps, int32_t tap_step, int32_t lanes, int32_t channels, int32_t is_signed) {
    const int32_t whole = lanes / 16 * 16;
    for (int32_t lane = 0; lane < whole; lane += 16) {
        tw_depthwise_part(
            x + lane, w + lane, sums + lane, pixels, step, rows, row_step, taps, tap_step, lanes, 16, channels, is_signed);
    }
    if (lanes > whole) {
        tw_depthwise_part(
            x + whole, w + whole, sums + whole, pixels, step, rows, row_step, taps, tap_step, lanes, lanes - whole,
            channels, is_signed);
    }
}

TW_TILE void tw_depthwise_tile(
    const int8_t *x, const int8_t *w, int32_t *sums, int32_t pixels, int32_t step, int32_t rows, int32_t row_step,
    int32_t taps, int32_t tap_step, int32_t lanes, int32_t channels, int32_t is_signed) {
    /* Ten vectors of sums, two of weights and three of products fit the registers. */
    const int32_t parts = (pixels + 4) / 5, each = (pixels + parts - 1) / parts, whole = pixels / each * each;
    for (int32_t p = 0; p < whole; p += each) {
        tw_depthwise_channels(
            x + p * step, w, sums + p * lanes, each, step, rows, row_step, taps, tap_step, lanes, channels, is_signed);
    }
    if (pixels > whole) {
        tw_depthwise_channels(
            x + whole * step, w, sums + whole * lanes, pixels - whole, step, rows, row_step, taps, tap_step, lanes,
            channels, is_signed);
    }
}

#endif

#undef TW_DEPTHWISE_DECLARE
#undef TW_DEPTHWISE_ADD
#undef TW_DEPTHWISE_SAVE

#else

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
