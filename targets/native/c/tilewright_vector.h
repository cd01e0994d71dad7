/*
 * Sums of products of bytes for a few neighbouring outputs at a time, as `packed.dot_tile` states them, with the vector
 * instructions that the compiler may use: AVX-512 VNNI, AVX-VNNI or AVX2, else plain loops. Included after tilewright.h.
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

/*
 * TW_LANES sums a vector, TW_VECTORS of them for TW_WINDOWS pixels in the registers at a time. Sums of four products of
 * bytes are one instruction with VNNI; with AVX2 alone they are two sums of two products of 16 bits, none of which can
 * saturate.
 */
#if defined(__AVX512VNNI__) && defined(__AVX512BW__) && defined(__AVX512VL__)
#include <immintrin.h>
#define TW_LANES 16
#define TW_VECTORS 4
#define TW_WINDOWS 16
typedef __m512i tw_sums;
#define tw_sums_all(number) _mm512_set1_epi32(number)
#define tw_sums_load(from) _mm512_loadu_si512(from)
#define tw_sums_store(to, sums) _mm512_storeu_si512(to, sums)
#define tw_sums_sub(a, b) _mm512_sub_epi32(a, b)
#define tw_sums_dot(sums, x, w) _mm512_dpbusd_epi32(sums, x, w)
#elif defined(__AVX2__) && defined(__GNUC__)
#include <immintrin.h>
#define TW_LANES 8
#define TW_VECTORS 2
typedef __m256i tw_sums;
#define tw_sums_all(number) _mm256_set1_epi32(number)
#define tw_sums_load(from) _mm256_loadu_si256((const __m256i *)(const void *)(from))
#define tw_sums_store(to, sums) _mm256_storeu_si256((__m256i *)(void *)(to), sums)
#define tw_sums_sub(a, b) _mm256_sub_epi32(a, b)
#ifdef __AVXVNNI__
#define TW_WINDOWS 5
#define tw_sums_dot(sums, x, w) _mm256_dpbusd_avx_epi32(sums, x, w)
#else
#define TW_WINDOWS 6
#endif
#endif

#ifdef TW_LANES

/* Up to four bytes, the first one lowest. */
TW_TILE int32_t tw_bytes(const int8_t *from, int32_t count) {
    int32_t result = 0;
    __builtin_memcpy(&result, from, (size_t)count);
    return result;
}

/* Up to 16 bytes, zeros after them. */
TW_TILE __m128i tw_channels(const int8_t *from, int32_t count) {
    if (count >= 16) return _mm_loadu_si128((const __m128i *)(const void *)from);
    const __m128i words = _mm_setr_epi32(0, 1, 2, 3), whole = _mm_set1_epi32(count / 4);
    const __m128i bytes = _mm_maskload_epi32((const int *)(const void *)from, _mm_cmpgt_epi32(whole, words));
    if (count % 4 == 0) return bytes;
    const __m128i last = _mm_set1_epi32(tw_bytes(from + count / 4 * 4, count % 4));
    return _mm_or_si128(bytes, _mm_and_si128(last, _mm_cmpeq_epi32(whole, words)));
}

/* Up to 32 bytes, zeros after them. */
TW_TILE __m256i tw_some_bytes(const int8_t *from, int32_t count) {
    if (count >= 32) return _mm256_loadu_si256((const __m256i *)(const void *)from);
    const __m256i words = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), whole = _mm256_set1_epi32(count / 4);
    const __m256i bytes = _mm256_maskload_epi32((const int *)(const void *)from, _mm256_cmpgt_epi32(whole, words));
    if (count % 4 == 0) return bytes;
    const __m256i last = _mm256_set1_epi32(tw_bytes(from + count / 4 * 4, count % 4));
    return _mm256_or_si256(bytes, _mm256_and_si256(last, _mm256_cmpeq_epi32(whole, words)));
}

/* M(p) for each pixel that a part may have. */
#define TW_PIXELS(M) M(0) M(1) M(2) M(3) M(4) M(5) M(6) M(7) M(8) M(9) M(10) M(11) M(12) M(13) M(14) M(15)
/* Where vector v of a pixel lies, among blocks that are `distance` apart: weights of `size` bytes a sum, or sums. */
#define TW_PLACE(v, distance, size) ((v) * TW_LANES / 16 * (distance) + (v) * TW_LANES % 16 * (size))
#define TW_DECLARE(p) tw_sums a##p##_0 = zero, a##p##_1 = zero, a##p##_2 = zero, a##p##_3 = zero;
#define TW_SAVE(p) \
    if (p < pixels) { \
        int32_t *const to = sums + p * lanes; \
        tw_sums_store(to, TW_RESULT(a##p##_0, 0)); \
        if (vectors > 1) tw_sums_store(to + TW_PLACE(1, 16, 1), TW_RESULT(a##p##_1, 1)); \
        if (vectors > 2) tw_sums_store(to + TW_PLACE(2, 16, 1), TW_RESULT(a##p##_2, 2)); \
        if (vectors > 3) tw_sums_store(to + TW_PLACE(3, 16, 1), TW_RESULT(a##p##_3, 3)); \
    }
#define TW_WEIGHTS(v) tw_sums_load(w + TW_PLACE(v, block, 4))

#ifdef tw_sums_dot

#define TW_RESULT(a, v) tw_sums_sub(a, c##v)
#define TW_ADD(p) \
    if (p < pixels) { \
        const tw_sums b = tw_sums_all(tw_bytes(row + p * step + 4 * k, count) ^ flip); \
        a##p##_0 = tw_sums_dot(a##p##_0, b, w0); \
        if (vectors > 1) a##p##_1 = tw_sums_dot(a##p##_1, b, w1); \
        if (vectors > 2) a##p##_2 = tw_sums_dot(a##p##_2, b, w2); \
        if (vectors > 3) a##p##_3 = tw_sums_dot(a##p##_3, b, w3); \
    }
/* One group of four products for each pixel; numbers that are signed are moved up by 128, which c takes back. */
#define TW_GROUP \
    const tw_sums w0 = TW_WEIGHTS(0); \
    const tw_sums w1 = vectors > 1 ? TW_WEIGHTS(1) : zero; \
    const tw_sums w2 = vectors > 2 ? TW_WEIGHTS(2) : zero; \
    const tw_sums w3 = vectors > 3 ? TW_WEIGHTS(3) : zero; \
    TW_PIXELS(TW_ADD) \
    if (flip) { \
        c0 = tw_sums_dot(c0, up, w0); \
        if (vectors > 1) c1 = tw_sums_dot(c1, up, w1); \
        if (vectors > 2) c2 = tw_sums_dot(c2, up, w2); \
        if (vectors > 3) c3 = tw_sums_dot(c3, up, w3); \
    } \
    w += 64;

TW_TILE void tw_dot_part(
    const int8_t *x, const int8_t *w, int32_t *sums, int32_t pixels, int32_t step, int32_t rows, int32_t row_step,
    int32_t run, int32_t vectors, int32_t block, int32_t lanes, int32_t flip) {
    const tw_sums zero = tw_sums_all(0), up = tw_sums_all((int32_t)0x80808080);
    tw_sums c0 = zero, c1 = zero, c2 = zero, c3 = zero;
    TW_PIXELS(TW_DECLARE)
    for (int32_t r = 0; r < rows; ++r) {
        const int8_t *const row = x + r * row_step;
        for (int32_t k = 0; k < run / 4; ++k) {
            const int32_t count = 4;
            TW_GROUP
        }
        if (run % 4 != 0) {
            const int32_t k = run / 4, count = run % 4;
            TW_GROUP
        }
    }
    TW_PIXELS(TW_SAVE)
}

#undef TW_GROUP

#else

#define TW_RESULT(a, v) a
/* The even bytes of a vector, half 0, or the odd ones, as numbers of 16 bits. */
TW_TILE __m256i tw_half(__m256i bytes, int32_t half, int32_t is_signed) {
    if (is_signed) return _mm256_srai_epi16(half ? bytes : _mm256_slli_epi16(bytes, 8), 8);
    return half ? _mm256_srli_epi16(bytes, 8) : _mm256_and_si256(bytes, _mm256_set1_epi16(0xFF));
}

#define TW_WIDEN(p) \
    if (p < pixels) { \
        const __m256i bytes = tw_some_bytes(row + p * step + k, count); \
        _mm256_store_si256((__m256i *)(void *)wide[p][0], tw_half(bytes, 0, is_signed)); \
        _mm256_store_si256((__m256i *)(void *)wide[p][1], tw_half(bytes, 1, is_signed)); \
    }
/* The empty statement keeps GCC from adding up the products of both halves first, which spills registers: 6% slower. */
#define TW_ADD_ONE(p, v) \
    if (vectors > v) { \
        a##p##_##v = _mm256_add_epi32(a##p##_##v, _mm256_madd_epi16(b, w##v)); \
        __asm__ volatile("" : "+x"(a##p##_##v), "+x"(b)); \
    }
#define TW_ADD(p) \
    if (p < pixels) { \
        __m256i b = _mm256_set1_epi32(wide[p][half][g]); \
        TW_ADD_ONE(p, 0) TW_ADD_ONE(p, 1) TW_ADD_ONE(p, 2) TW_ADD_ONE(p, 3) \
    }
#define TW_HALF(h) \
    { \
        enum { half = h }; \
        const __m256i w0 = tw_half(TW_WEIGHTS(0), half, 1); \
        const __m256i w1 = vectors > 1 ? tw_half(TW_WEIGHTS(1), half, 1) : zero; \
        const __m256i w2 = vectors > 2 ? tw_half(TW_WEIGHTS(2), half, 1) : zero; \
        const __m256i w3 = vectors > 3 ? tw_half(TW_WEIGHTS(3), half, 1) : zero; \
        TW_PIXELS(TW_ADD) \
    }
/* Products of up to 32 bytes of a row, whose halves are widened once for all features of the part. */
#define TW_CHUNK \
    TW_PIXELS(TW_WIDEN) \
    for (int32_t g = 0; g < (count + 3) / 4; ++g) { \
        TW_HALF(0) \
        TW_HALF(1) \
        w += 64; \
    }

TW_TILE void tw_dot_part(
    const int8_t *x, const int8_t *w, int32_t *sums, int32_t pixels, int32_t step, int32_t rows, int32_t row_step,
    int32_t run, int32_t vectors, int32_t block, int32_t lanes, int32_t flip) {
    const __m256i zero = _mm256_setzero_si256();
    const int32_t is_signed = flip != 0;
    _Alignas(32) int32_t wide[16][2][8];
    TW_PIXELS(TW_DECLARE)
    for (int32_t r = 0; r < rows; ++r) {
        const int8_t *const row = x + r * row_step;
        for (int32_t k = 0; k < run / 32 * 32; k += 32) {
            const int32_t count = 32;
            TW_CHUNK
        }
        if (run % 32 != 0) {
            const int32_t k = run / 32 * 32, count = run % 32;
            TW_CHUNK
        }
    }
    TW_PIXELS(TW_SAVE)
}

#undef TW_WIDEN
#undef TW_ADD_ONE
#undef TW_HALF
#undef TW_CHUNK

#endif

TW_TILE void tw_dot_tile(
    const int8_t *x, const int8_t *w, int32_t *sums, int32_t pixels, int32_t step, int32_t rows, int32_t row_step,
    int32_t run, int32_t blocks, int32_t block, int32_t flip) {
    const int32_t lanes = 16 * blocks, parts = (pixels + TW_WINDOWS - 1) / TW_WINDOWS;
    const int32_t each = (pixels + parts - 1) / parts, whole = pixels / each * each, rest = pixels - whole;
    const int32_t most = TW_VECTORS * TW_LANES / 16, some = blocks < most ? blocks : most;
    const int32_t vectors = some * 16 / TW_LANES;
    for (int32_t b = 0; b < blocks; b += some) {
        int32_t *const to = sums + 16 * b;
        const int8_t *const v = w + b * block;
        for (int32_t p = 0; p < whole; p += each) {
            tw_dot_part(
                x + p * step, v, to + p * lanes, each, step, rows, row_step, run, vectors, block, lanes, flip);
        }
        if (rest) {
            tw_dot_part(
                x + whole * step, v, to + whole * lanes, rest, step, rows, row_step, run, vectors, block, lanes, flip);
        }
    }
}

#undef TW_DECLARE
#undef TW_ADD
#undef TW_SAVE
#undef TW_RESULT
#undef TW_WEIGHTS
#undef TW_PLACE

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

#endif

#endif
