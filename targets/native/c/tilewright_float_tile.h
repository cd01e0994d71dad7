/*
 * Sums of products of floats for a few neighbouring outputs at a time, as `packed.dot_tile`, `packed.depthwise_tile` and
 * `packed.matmul_tile` state them, with the vector instructions that the compiler may use. Included after tilewright.h.
 *
 * All sizes are constants where these functions are called, so that each call becomes straight code. A sum is taken in
 * the order of the taps, its products rounded where there is no instruction that multiplies and adds. Weights of
 * bfloat16 or bytes become floats as they are loaded, and give the sums of these floats.
 */
#ifndef TILEWRIGHT_FLOAT_TILE_H
#define TILEWRIGHT_FLOAT_TILE_H

#if defined(__GNUC__)
#define TW_FLOAT_TILE static inline __attribute__((__unused__, __always_inline__))
#else
#define TW_FLOAT_TILE static inline
#endif

/* Types of weights: float, bfloat16 as its bits, int8_t. */
enum { TW_FLOAT_WEIGHTS, TW_BF16_WEIGHTS, TW_BYTE_WEIGHTS };

/*
 * TW_WIDTH floats a vector. TW_SUMS vectors of sums fit the registers: of up to TW_BLOCKS blocks of 16 features, or of
 * one block for up to TW_WINDOWS pixels.
 */
#if defined(__AVX512F__) && defined(__GNUC__)
#include <immintrin.h>
#define TW_WIDTH 16
#define TW_SUMS 28
#define TW_BLOCKS 4
#define TW_WINDOWS 16
typedef __m512 tw_floats;
#define tw_floats_zero() _mm512_setzero_ps()
#define tw_floats_load(from) _mm512_loadu_ps(from)
#define tw_floats_store(to, value) _mm512_storeu_ps(to, value)
#define tw_floats_all(number) _mm512_set1_ps(number)
#define tw_floats_fma(a, b, sum) _mm512_fmadd_ps(a, b, sum)
#define tw_floats_some(from, count) _mm512_maskz_loadu_ps((__mmask16)((1 << (count)) - 1), from)
#define tw_floats_of_bf16(from) \
    _mm512_castsi512_ps( \
        _mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)(const void *)(from))), 16))
#define tw_floats_of_bytes(from) \
    _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i *)(const void *)(from))))
#elif defined(__AVX2__) && defined(__FMA__) && defined(__GNUC__)
#include <immintrin.h>
#define TW_WIDTH 8
#define TW_SUMS 12
#define TW_BLOCKS 2
#define TW_WINDOWS 6
typedef __m256 tw_floats;
#define tw_floats_zero() _mm256_setzero_ps()
#define tw_floats_load(from) _mm256_loadu_ps(from)
#define tw_floats_store(to, value) _mm256_storeu_ps(to, value)
#define tw_floats_all(number) _mm256_set1_ps(number)
#define tw_floats_fma(a, b, sum) _mm256_fmadd_ps(a, b, sum)
#define tw_floats_some(from, count) \
    _mm256_maskload_ps( \
        from, _mm256_cmpgt_epi32(_mm256_set1_epi32(count), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)))
#define tw_floats_of_bf16(from) \
    _mm256_castsi256_ps( \
        _mm256_slli_epi32(_mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(const void *)(from))), 16))
#define tw_floats_of_bytes(from) \
    _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)(from))))
#endif

#ifdef TW_WIDTH

/*
 * Sums are in memory from here on: GCC would keep those of which parts are read out of registers all along. With AVX-512
 * only they are: with all of memory bert-layer takes 1.2 times as long, with AVX2 squeezenet 0.98 times. Clang has no
 * operands of incomplete types.
 */
#if TW_WIDTH == 16 && !defined(__clang__)
#define TW_STORED(sums) __asm__("" : "+m"(*(float (*)[])(sums)))
#else
#define TW_STORED(sums) __asm__("" : : "r"(sums) : "memory")
#endif

/* M(p) for each pixel that a tile may have. */
#define TW_EACH_PIXEL(M) M(0) M(1) M(2) M(3) M(4) M(5) M(6) M(7) M(8) M(9) M(10) M(11) M(12) M(13) M(14) M(15)
/* Where vector v of a pixel lies, among blocks that are `distance` apart. */
#define TW_PLACE(v, distance) ((v) * TW_WIDTH / 16 * (distance) + (v) * TW_WIDTH % 16)
#define TW_DECLARE(p) tw_floats a##p##_0 = zero, a##p##_1 = zero, a##p##_2 = zero, a##p##_3 = zero;
#define TW_ADD(p) \
    if (p < pixels) { \
        const tw_floats b = tw_floats_all(row[p * step + k]); \
        a##p##_0 = tw_floats_fma(b, w0, a##p##_0); \
        if (vectors > 1) a##p##_1 = tw_floats_fma(b, w1, a##p##_1); \
        if (vectors > 2) a##p##_2 = tw_floats_fma(b, w2, a##p##_2); \
        if (vectors > 3) a##p##_3 = tw_floats_fma(b, w3, a##p##_3); \
    }
#define TW_SAVE(p) \
    if (p < pixels) { \
        float *const to = sums + p * lanes; \
        tw_floats_store(to, a##p##_0); \
        if (vectors > 1) tw_floats_store(to + TW_PLACE(1, 16), a##p##_1); \
        if (vectors > 2) tw_floats_store(to + TW_PLACE(2, 16), a##p##_2); \
        if (vectors > 3) tw_floats_store(to + TW_PLACE(3, 16), a##p##_3); \
    }

/* Fetches weights into the second cache, where they are when the next tile of features comes; it may be beyond all. */
TW_FLOAT_TILE void tw_float_fetch(const void *w, int32_t kind, int32_t at, int32_t ahead) {
    const uintptr_t size = kind == TW_BF16_WEIGHTS ? 2 : kind == TW_BYTE_WEIGHTS ? 1 : sizeof(float);
    __builtin_prefetch((const void *)((uintptr_t)w + size * ((uintptr_t)at + (uintptr_t)ahead)), 0, 2);
}

/* Vector v of the weights of a product; floats are zeros from `columns` on, narrow weights are there. */
#define TW_WEIGHTS(i) tw_float_weights(w, kind, at + TW_PLACE(i, block), columns - (i) * TW_WIDTH)
TW_FLOAT_TILE tw_floats tw_float_weights(const void *w, int32_t kind, int32_t at, int32_t count) {
    if (kind == TW_BF16_WEIGHTS) return tw_floats_of_bf16((const tw_bf16 *)w + at);
    if (kind == TW_BYTE_WEIGHTS) return tw_floats_of_bytes((const int8_t *)w + at);
    const float *const from = (const float *)w + at;
    if (count >= TW_WIDTH) return tw_floats_load(from);
    return count > 0 ? tw_floats_some(from, count) : tw_floats_zero();
}

TW_FLOAT_TILE void tw_float_part(
    const float *x, const void *w, int32_t kind, int32_t first, float *sums, int32_t pixels, int32_t step,
    int32_t rows, int32_t row_step, int32_t taps, int32_t tap_step, int32_t run, int32_t vectors, int32_t block,
    int32_t next, int32_t columns, int32_t lanes, int32_t ahead) {
    const tw_floats zero = tw_floats_zero();
    TW_EACH_PIXEL(TW_DECLARE)
    int32_t at = first;
    for (int32_t r = 0; r < rows; ++r) {
        for (int32_t t = 0; t < taps; ++t) {
            const float *const row = x + r * row_step + t * tap_step;
            for (int32_t k = 0; k < run; ++k) {
                const tw_floats w0 = TW_WEIGHTS(0);
                const tw_floats w1 = vectors > 1 ? TW_WEIGHTS(1) : zero;
                const tw_floats w2 = vectors > 2 ? TW_WEIGHTS(2) : zero;
                const tw_floats w3 = vectors > 3 ? TW_WEIGHTS(3) : zero;
                if (ahead) tw_float_fetch(w, kind, at, ahead);
                if (ahead && vectors * TW_WIDTH > 16) tw_float_fetch(w, kind, at, ahead + block);
                if (ahead && vectors * TW_WIDTH > 32) tw_float_fetch(w, kind, at, ahead + 2 * block);
                if (ahead && vectors * TW_WIDTH > 48) tw_float_fetch(w, kind, at, ahead + 3 * block);
                TW_EACH_PIXEL(TW_ADD)
                at += next;
            }
        }
    }
    TW_EACH_PIXEL(TW_SAVE)
}

#define TW_EACH_VECTOR(M) M(0) M(1) M(2) M(3) M(4) M(5) M(6) M(7)
#define TW_ROW_DECLARE(v) tw_floats a##v = zero;
#define TW_ROW_ADD(v) \
    if (v < vectors) a##v = tw_floats_fma(b, TW_WEIGHTS(v), a##v);
#define TW_ROW_SAVE(v) \
    if (v < vectors) tw_floats_store(sums + TW_PLACE(v, 16), a##v);

/* A single pixel, with twice the features that several have, lest its sums wait for each other. */
TW_FLOAT_TILE void tw_float_single(
    const float *x, const void *w, int32_t kind, int32_t first, float *sums, int32_t rows, int32_t row_step, int32_t taps,
    int32_t tap_step, int32_t run, int32_t blocks, int32_t block, int32_t next, int32_t columns) {
    const int32_t vectors = blocks * (16 / TW_WIDTH);
    const tw_floats zero = tw_floats_zero();
    TW_EACH_VECTOR(TW_ROW_DECLARE)
    int32_t at = first;
    for (int32_t r = 0; r < rows; ++r) {
        for (int32_t t = 0; t < taps; ++t) {
            const float *const row = x + r * row_step + t * tap_step;
            for (int32_t k = 0; k < run; ++k) {
                const tw_floats b = tw_floats_all(row[k]);
                TW_EACH_VECTOR(TW_ROW_ADD)
                at += next;
            }
        }
    }
    TW_EACH_VECTOR(TW_ROW_SAVE)
}

/* The parts of one size of a tile: `count` of `pixels` pixels, of all blocks where their sums fit, else block by block. */
TW_FLOAT_TILE void tw_float_parts(
    const float *x, const void *w, int32_t kind, int32_t first, float *sums, int32_t count, int32_t pixels,
    int32_t step, int32_t rows, int32_t row_step, int32_t taps, int32_t tap_step, int32_t run, int32_t blocks,
    int32_t block, int32_t next, int32_t columns, int32_t lanes, int32_t ahead) {
    const int32_t each = pixels * blocks * (16 / TW_WIDTH) > TW_SUMS ? 1 : blocks, vectors = each * (16 / TW_WIDTH);
    for (int32_t b = 0; b < blocks; b += each) {
        for (int32_t i = 0; i < count; ++i) {
            tw_float_part(
                x + i * pixels * step, w, kind, first + b * block, sums + i * pixels * lanes + 16 * b, pixels, step,
                rows, row_step, taps, tap_step, run, vectors, block, next, columns - 16 * b, lanes, ahead);
        }
    }
}

/* The features of a few blocks: pixels in as few parts as there can be, whose sizes differ by one at most. */
TW_FLOAT_TILE void tw_float_group(
    const float *x, const void *w, int32_t kind, int32_t first, float *sums, int32_t pixels, int32_t step, int32_t rows,
    int32_t row_step, int32_t taps, int32_t tap_step, int32_t run, int32_t blocks, int32_t block, int32_t next,
    int32_t columns, int32_t lanes, int32_t ahead) {
    const int32_t count = (pixels + TW_WINDOWS - 1) / TW_WINDOWS, least = pixels / count, larger = pixels % count;
    const int32_t at = larger * (least + 1);
    if (larger) {
        tw_float_parts(
            x, w, kind, first, sums, larger, least + 1, step, rows, row_step, taps, tap_step, run, blocks, block, next,
            columns, lanes, ahead);
    }
    tw_float_parts(
        x + at * step, w, kind, first, sums + at * lanes, count - larger, least, step, rows, row_step, taps, tap_step, run,
        blocks, block, next, columns, lanes, larger ? 0 : ahead);
}

/*
 * `next` is how far apart the weights of a product and the next one lie, `block` those of a product for 16 features and
 * the next 16; `columns` is how many features there are.
 */
TW_FLOAT_TILE void tw_float_tile(
    const float *x, const void *w, int32_t kind, float *sums, int32_t pixels, int32_t step, int32_t rows,
    int32_t row_step, int32_t taps, int32_t tap_step, int32_t run, int32_t blocks, int32_t block, int32_t next,
    int32_t columns) {
    const int32_t lanes = 16 * blocks, whole = blocks / TW_BLOCKS * TW_BLOCKS;
    /* Only packed weights are read once by each tile of features, and by so many rows that they come from a cache. */
    const int32_t ahead = next == 16 ? blocks * block : 0;
    if (pixels == 1 && blocks <= 4) {
        tw_float_single(x, w, kind, 0, sums, rows, row_step, taps, tap_step, run, blocks, block, next, columns);
        TW_STORED(sums);
        return;
    }
    for (int32_t b = 0; b < whole; b += TW_BLOCKS) {
        tw_float_group(
            x, w, kind, b * block, sums + 16 * b, pixels, step, rows, row_step, taps, tap_step, run, TW_BLOCKS, block,
            next, columns - 16 * b, lanes, ahead);
    }
    if (whole < blocks) {
        tw_float_group(
            x, w, kind, whole * block, sums + 16 * whole, pixels, step, rows, row_step, taps, tap_step, run,
            blocks - whole, block, next, columns - 16 * whole, lanes, ahead);
    }
    TW_STORED(sums);
}

#define TW_DEPTHWISE_DECLARE(p) tw_floats a##p = zero;
#define TW_DEPTHWISE_ADD(p) \
    if (p < pixels) a##p = tw_floats_fma(tw_floats_load(from + p * step), v, a##p);
#define TW_DEPTHWISE_SAVE(p) \
    if (p < pixels) tw_floats_store(sums + p * lanes + lane, a##p);

TW_FLOAT_TILE void tw_float_depthwise_tile(
    const float *x, const float *w, float *sums, int32_t pixels, int32_t step, int32_t rows, int32_t row_step,
    int32_t taps, int32_t tap_step, int32_t lanes, int32_t channels) {
    const tw_floats zero = tw_floats_zero();
    int32_t lane = 0;
    for (; lane + TW_WIDTH <= lanes; lane += TW_WIDTH) {
        TW_EACH_PIXEL(TW_DEPTHWISE_DECLARE)
        for (int32_t r = 0; r < rows; ++r) {
            for (int32_t t = 0; t < taps; ++t) {
                const float *const from = x + r * row_step + t * tap_step + lane;
                const tw_floats v = tw_floats_load(w + (r * taps + t) * channels + lane);
                TW_EACH_PIXEL(TW_DEPTHWISE_ADD)
            }
        }
        TW_EACH_PIXEL(TW_DEPTHWISE_SAVE)
    }
    for (; lane < lanes; ++lane) {
        for (int32_t p = 0; p < pixels; ++p) {
            float sum = 0;
            for (int32_t r = 0; r < rows; ++r) {
                for (int32_t t = 0; t < taps; ++t) {
                    sum += x[r * row_step + p * step + t * tap_step + lane] * w[(r * taps + t) * channels + lane];
                }
            }
            sums[p * lanes + lane] = sum;
        }
    }
}

#undef TW_DEPTHWISE_DECLARE
#undef TW_DEPTHWISE_ADD
#undef TW_DEPTHWISE_SAVE
#undef TW_EACH_PIXEL
#undef TW_PLACE
#undef TW_DECLARE
#undef TW_ADD
#undef TW_WEIGHTS
#undef TW_SAVE
#undef TW_EACH_VECTOR
#undef TW_ROW_DECLARE
#undef TW_ROW_ADD
#undef TW_ROW_SAVE
#undef TW_STORED
#undef TW_WIDTH
#undef TW_SUMS
#undef TW_BLOCKS
#undef TW_WINDOWS
#undef tw_floats_zero
#undef tw_floats_load
#undef tw_floats_store
#undef tw_floats_all
#undef tw_floats_fma
#undef tw_floats_some
#undef tw_floats_of_bf16
#undef tw_floats_of_bytes

#else

TW_FLOAT_TILE float tw_float_weight(const void *w, int32_t kind, int32_t at) {
    if (kind == TW_BF16_WEIGHTS) return tw_bitcast_i32_f32((int32_t)((uint32_t)((const tw_bf16 *)w)[at] << 16));
    return kind == TW_BYTE_WEIGHTS ? (float)((const int8_t *)w)[at] : ((const float *)w)[at];
}

#ifdef __FP_FAST_FMAF
#define tw_float_fma(a, b, sum) __builtin_fmaf(a, b, sum)
#else
#define tw_float_fma(a, b, sum) ((sum) + (a) * (b))
#endif

/* M(p, l) for each pixel p and feature l of a part, whose 16 sums are in registers: 4 by 4, or 1 by 16. */
#define TW_EACH_OF_FOUR(M) TW_FOUR(M, 0) TW_FOUR(M, 1) TW_FOUR(M, 2) TW_FOUR(M, 3)
#define TW_FOUR(M, p) M(p, 0) M(p, 1) M(p, 2) M(p, 3)
#define TW_EACH_OF_ONE(M) \
    TW_FOUR(M, 0) M(0, 4) M(0, 5) M(0, 6) M(0, 7) M(0, 8) M(0, 9) M(0, 10) M(0, 11) M(0, 12) M(0, 13) M(0, 14) M(0, 15)
#define TW_DECLARE(p, l) float a##p##_##l = 0;
#define TW_WEIGHT(l) const float w##l = l < count ? tw_float_weight(w, kind, at + l) : 0;
#define TW_ADD(p, l) \
    if (l < count) a##p##_##l = tw_float_fma(row[p * step + k], w##l, a##p##_##l);
#define TW_SAVE(p, l) sums[p * lanes + l] = a##p##_##l;
#define TW_PART(name, EACH, WEIGHTS) \
    TW_FLOAT_TILE void name( \
        const float *x, const void *w, int32_t kind, int32_t at, float *sums, int32_t step, int32_t rows, \
        int32_t row_step, int32_t taps, int32_t tap_step, int32_t run, int32_t next, int32_t count, int32_t lanes) { \
        EACH(TW_DECLARE) \
        for (int32_t r = 0; r < rows; ++r) { \
            for (int32_t t = 0; t < taps; ++t) { \
                const float *const row = x + r * row_step + t * tap_step; \
                for (int32_t k = 0; k < run; ++k) { \
                    WEIGHTS \
                    EACH(TW_ADD) \
                    at += next; \
                } \
            } \
        } \
        EACH(TW_SAVE) \
    }
#define TW_FOUR_WEIGHTS TW_WEIGHT(0) TW_WEIGHT(1) TW_WEIGHT(2) TW_WEIGHT(3)
#define TW_ALL_WEIGHTS \
    TW_FOUR_WEIGHTS TW_WEIGHT(4) TW_WEIGHT(5) TW_WEIGHT(6) TW_WEIGHT(7) TW_WEIGHT(8) TW_WEIGHT(9) TW_WEIGHT(10) \
    TW_WEIGHT(11) TW_WEIGHT(12) TW_WEIGHT(13) TW_WEIGHT(14) TW_WEIGHT(15)
TW_PART(tw_float_four, TW_EACH_OF_FOUR, TW_FOUR_WEIGHTS)
TW_PART(tw_float_one, TW_EACH_OF_ONE, TW_ALL_WEIGHTS)

TW_FLOAT_TILE void tw_float_tile(
    const float *x, const void *w, int32_t kind, float *sums, int32_t pixels, int32_t step, int32_t rows,
    int32_t row_step, int32_t taps, int32_t tap_step, int32_t run, int32_t blocks, int32_t block, int32_t next,
    int32_t columns) {
    const int32_t lanes = 16 * blocks, whole = pixels / 4 * 4;
    for (int32_t b = 0; b < blocks; ++b) {
        const int32_t at = b * block, left = columns - 16 * b;
        for (int32_t p = 0; p < whole; p += 4) {
            for (int32_t l = 0; l < 16; l += 4) {
                tw_float_four(
                    x + p * step, w, kind, at + l, sums + p * lanes + 16 * b + l, step, rows, row_step, taps, tap_step,
                    run, next, left - l, lanes);
            }
        }
        for (int32_t p = whole; p < pixels; ++p) {
            tw_float_one(
                x + p * step, w, kind, at, sums + p * lanes + 16 * b, step, rows, row_step, taps, tap_step, run, next,
                left, lanes);
        }
    }
}

#undef tw_float_fma
#undef TW_EACH_OF_FOUR
#undef TW_FOUR
#undef TW_EACH_OF_ONE
#undef TW_DECLARE
#undef TW_WEIGHT
#undef TW_ADD
#undef TW_SAVE
#undef TW_PART
#undef TW_FOUR_WEIGHTS
#undef TW_ALL_WEIGHTS

TW_FLOAT_TILE void tw_float_depthwise_tile(
    const float *x, const float *w, float *sums, int32_t pixels, int32_t step, int32_t rows, int32_t row_step,
    int32_t taps, int32_t tap_step, int32_t lanes, int32_t channels) {
    for (int32_t i = 0; i < pixels * lanes; ++i) sums[i] = 0;
    for (int32_t r = 0; r < rows; ++r) {
        for (int32_t t = 0; t < taps; ++t) {
            const float *const v = w + (r * taps + t) * channels;
            for (int32_t p = 0; p < pixels; ++p) {
                const float *const from = x + r * row_step + p * step + t * tap_step;
                float *const to = sums + p * lanes;
                for (int32_t lane = 0; lane < lanes; ++lane) to[lane] += from[lane] * v[lane];
            }
        }
    }
}

#endif

/* Weights lie in blocks of 16 features, the products of a row one after the other. */
#define TW_DOT_TILE(name, type, kind) \
    TW_FLOAT_TILE void name( \
        const float *x, const type *w, float *sums, int32_t pixels, int32_t step, int32_t rows, int32_t row_step, \
        int32_t taps, int32_t tap_step, int32_t run, int32_t blocks, int32_t block) { \
        tw_float_tile( \
            x, w, kind, sums, pixels, step, rows, row_step, taps, tap_step, run, blocks, block, 16, 16 * blocks); \
    }
TW_DOT_TILE(tw_float_dot_tile, float, TW_FLOAT_WEIGHTS)
TW_DOT_TILE(tw_bf16_dot_tile, tw_bf16, TW_BF16_WEIGHTS)
TW_DOT_TILE(tw_byte_dot_tile, int8_t, TW_BYTE_WEIGHTS)
#undef TW_DOT_TILE

/* Rows of a are `step` apart, those of b, which holds the weights, `next`. */
TW_FLOAT_TILE void tw_float_matmul_tile(
    const float *a, const float *b, float *sums, int32_t rows, int32_t step, int32_t depth, int32_t next,
    int32_t blocks, int32_t columns) {
    tw_float_tile(a, b, TW_FLOAT_WEIGHTS, sums, rows, step, 1, 0, 1, 0, depth, blocks, 16, next, columns);
}

#undef TW_FLOAT_TILE

#endif
