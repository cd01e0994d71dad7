/*
 * Sums of products of bytes for a few neighbouring outputs at a time, as `packed.ordered_tile` states them: of weights in
 * an order in which sums of four products fit 16 bits. Included after tilewright_vector.h.
 *
 * All sizes are constants where the function is called. Records of weights begin with the offsets of their parts of 8
 * features. A part holds 8 totals of weights, its numbers of pairs and of single words, the row << 16 | column of x of
 * each word, those of pairs first, and as many times 8 features of four weights.
 */
#ifndef TILEWRIGHT_ORDERED_H
#define TILEWRIGHT_ORDERED_H

TW_TILE int32_t tw_word(const int8_t *from, int32_t index) {
    int32_t result;
    __builtin_memcpy(&result, from + 4 * index, sizeof result);
    return result;
}

#ifdef TW_LANES

#define TW_ORDERED_DECLARE(p) __m256i a##p = start;
#define TW_ORDERED_BYTES(from, p) _mm256_xor_si256(_mm256_set1_epi32(tw_word(from + p * step, 0)), up)
#define TW_ORDERED_PAIR(p) \
    if (p < pixels) { \
        const __m256i one = _mm256_maddubs_epi16(TW_ORDERED_BYTES(from, p), w0); \
        const __m256i two = _mm256_maddubs_epi16(TW_ORDERED_BYTES(other, p), w1); \
        a##p = _mm256_add_epi32(a##p, _mm256_madd_epi16(_mm256_add_epi16(one, two), ones)); \
    }
#define TW_ORDERED_SINGLE(p) \
    if (p < pixels) { \
        const __m256i one = _mm256_maddubs_epi16(TW_ORDERED_BYTES(from, p), w0); \
        a##p = _mm256_add_epi32(a##p, _mm256_madd_epi16(one, ones)); \
    }
#define TW_ORDERED_SAVE(p) \
    if (p < pixels) _mm256_storeu_si256((__m256i *)(void *)(sums + p * lanes), a##p);

TW_TILE const int8_t *tw_place(const int8_t *x, int32_t place, int32_t row_step) {
    return x + (place >> 16) * row_step + (place & 0xFFFF);
}

/* Numbers that are signed are moved up by 128, unless they are already; the sums begin without what that adds. */
TW_TILE void tw_ordered_part(
    const int8_t *x, const int8_t *part, int32_t *sums, int32_t pixels, int32_t step, int32_t row_step, int32_t lanes,
    int32_t flip, int32_t is_moved) {
    const __m256i up = _mm256_set1_epi32(is_moved ? 0 : flip), ones = _mm256_set1_epi16(1), zero = _mm256_setzero_si256();
    const __m256i totals = _mm256_loadu_si256((const __m256i *)(const void *)part);
    const __m256i start = flip ? _mm256_sub_epi32(zero, _mm256_slli_epi32(totals, 7)) : zero;
    const int32_t pairs = tw_word(part, 8), singles = tw_word(part, 9);
    const int8_t *place = part + 40, *w = place + 4 * (2 * pairs + singles);
    TW_PIXELS(TW_ORDERED_DECLARE)
    for (int32_t k = 0; k < pairs; ++k) {
        const int8_t *const from = tw_place(x, tw_word(place, 0), row_step);
        const int8_t *const other = tw_place(x, tw_word(place, 1), row_step);
        const __m256i w0 = _mm256_loadu_si256((const __m256i *)(const void *)w);
        const __m256i w1 = _mm256_loadu_si256((const __m256i *)(const void *)(w + 32));
        TW_PIXELS(TW_ORDERED_PAIR)
        place += 8;
        w += 64;
    }
    for (int32_t k = 0; k < singles; ++k) {
        const int8_t *const from = tw_place(x, tw_word(place, k), row_step);
        const __m256i w0 = _mm256_loadu_si256((const __m256i *)(const void *)(w + 32 * k));
        TW_PIXELS(TW_ORDERED_SINGLE)
    }
    TW_PIXELS(TW_ORDERED_SAVE)
}

TW_TILE void tw_ordered_windows(
    const int8_t *x, const int8_t *w, int32_t first, int32_t *sums, int32_t pixels, int32_t step, int32_t row_step,
    int32_t blocks, int32_t flip, int32_t is_moved) {
    /* Eight vectors of sums, two of weights, those of ones and of the mask, and four of products fit the registers. */
    const int32_t count = (pixels + 7) / 8, each = (pixels + count - 1) / count, whole = pixels / each * each;
    const int32_t lanes = 16 * blocks;
    for (int32_t b = 0; b < 2 * blocks; ++b) {
        const int8_t *const part = w + tw_word(w, 2 * first + b);
        int32_t *const to = sums + 8 * b;
        for (int32_t p = 0; p < whole; p += each) {
            tw_ordered_part(x + p * step, part, to + p * lanes, each, step, row_step, lanes, flip, is_moved);
        }
        if (pixels > whole) {
            tw_ordered_part(
                x + whole * step, part, to + whole * lanes, pixels - whole, step, row_step, lanes, flip, is_moved);
        }
    }
}

/*
 * With a pitch, rows are copied once for all features, signed ones moved up by 128, to where words may reach beyond their
 * ends. Without, signed words are moved up as they are read.
 */
TW_TILE void tw_ordered_tile(
    const int8_t *x, const int8_t *w, int32_t first, int8_t *copy, int32_t *sums, int32_t pixels, int32_t step,
    int32_t rows, int32_t row_step, int32_t run, int32_t pitch, int32_t blocks, int32_t flip) {
    const int32_t span = (pixels - 1) * step + run;
    if (pitch) {
        const __m256i up = _mm256_set1_epi32(flip);
        for (int32_t r = 0; r < rows; ++r) {
            __m256i *const to = (__m256i *)(void *)(copy + r * pitch);
            const int8_t *const from = x + r * row_step;
            for (int32_t k = 0; k < span / 32; ++k) {
                const __m256i bytes = _mm256_loadu_si256((const __m256i *)(const void *)(from + 32 * k));
                _mm256_store_si256(to + k, _mm256_xor_si256(bytes, up));
            }
            const __m256i rest = tw_some_bytes(from + span / 32 * 32, span % 32);
            _mm256_store_si256(to + span / 32, _mm256_xor_si256(rest, up));
        }
        tw_ordered_windows(copy, w, first, sums, pixels, step, pitch, blocks, flip, 1);
    } else {
        tw_ordered_windows(x, w, first, sums, pixels, step, row_step, blocks, flip, 0);
    }
}

#undef TW_ORDERED_DECLARE
#undef TW_ORDERED_BYTES
#undef TW_ORDERED_PAIR
#undef TW_ORDERED_SINGLE
#undef TW_ORDERED_SAVE

#else

TW_TILE void tw_ordered_tile(
    const int8_t *x, const int8_t *w, int32_t first, int8_t *copy, int32_t *sums, int32_t pixels, int32_t step,
    int32_t rows, int32_t row_step, int32_t run, int32_t pitch, int32_t blocks, int32_t flip) {
    (void)copy, (void)rows, (void)pitch; /* Places name the rows. */
    for (int32_t i = 0; i < pixels * blocks * 16; ++i) sums[i] = 0;
    for (int32_t b = 0; b < 2 * blocks; ++b) {
        const int8_t *const part = w + tw_word(w, 2 * first + b);
        const int32_t words = 2 * tw_word(part, 8) + tw_word(part, 9);
        for (int32_t k = 0; k < words; ++k) {
            const int32_t place = tw_word(part, 10 + k), column = place & 0xFFFF;
            const int8_t *const v = part + 40 + 4 * words + 32 * k;
            /* Weights beyond a short row are 0. */
            for (int32_t q = 0; q < 4 && column + q < run; ++q) {
                for (int32_t p = 0; p < pixels; ++p) {
                    const int8_t byte = x[(place >> 16) * row_step + p * step + column + q];
                    const int32_t number = flip ? byte : (uint8_t)byte;
                    int32_t *const to = sums + (2 * p * blocks + b) * 8;
                    for (int32_t lane = 0; lane < 8; ++lane) to[lane] += number * v[4 * lane + q];
                }
            }
        }
    }
}

#endif

#endif
