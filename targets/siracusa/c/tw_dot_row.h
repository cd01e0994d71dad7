/*
 * Rows of sums of products with Xpulp's hardware loops: p pixels x f features of bytes, at most 2 x 4. Each turn of the
 * loop loads a word of each operand, which moves its pointer on, and adds 4 products to each sum: f + p + f * p cycles, 14
 * of 2 x 4 and 9 of 1 x 4. With TW_XPULPNN the words of 4 features may hold 8 numbers of 4 bits or 16 of 2 bits, in as many
 * cycles. Bytes are packed to such words in 6 cycles for 8 numbers, 14 for 16.
 *
 * Included by tw_cluster.h where TW_XPULP is defined; tilewright_dot.h then uses TW_DOT_ROW, TW_NARROW_ROW, TW_PACK_WORDS.
 */
#ifndef TW_DOT_ROW_H
#define TW_DOT_ROW_H

#include <stdint.h>

#include "tw_xpulp.h"

/* Loads of a turn; a word is not used by the next instruction, but for a single product. */
#define TW_LOAD_1 TW_NEXT("t3", "%[w0]")
#define TW_LOAD_2 TW_LOAD_1 TW_NEXT("t4", "%[w1]")
#define TW_LOAD_3 TW_LOAD_2 TW_NEXT("t5", "%[w2]")
#define TW_LOAD_4 TW_LOAD_3 TW_NEXT("t6", "%[w3]")
#define TW_PRODUCTS_1(dot, funct7, p, a) dot(funct7, "%[s" #p "0]", a, "t3")
#define TW_PRODUCTS_2(dot, funct7, p, a) TW_PRODUCTS_1(dot, funct7, p, a) dot(funct7, "%[s" #p "1]", a, "t4")
#define TW_PRODUCTS_3(dot, funct7, p, a) TW_PRODUCTS_2(dot, funct7, p, a) dot(funct7, "%[s" #p "2]", a, "t5")
#define TW_PRODUCTS_4(dot, funct7, p, a) TW_PRODUCTS_3(dot, funct7, p, a) dot(funct7, "%[s" #p "3]", a, "t6")
#define TW_PIXELS TW_NEXT("a6", "%[x0]") TW_NEXT("a7", "%[x1]")
#define TW_LOAD_PIXELS_1 TW_LOAD_1 TW_PIXELS
#define TW_LOAD_PIXELS_2 TW_PIXELS TW_LOAD_2
#define TW_LOAD_PIXELS_3 TW_PIXELS TW_LOAD_3
#define TW_LOAD_PIXELS_4 TW_PIXELS TW_LOAD_4
#define TW_TURN_OF_TWO(f, dot, funct7) \
    TW_LOAD_PIXELS_##f TW_PRODUCTS_##f(dot, funct7, 0, "a6") TW_PRODUCTS_##f(dot, funct7, 1, "a7")
#define TW_TURN_OF_ONE(f, dot, funct7) TW_NEXT("a6", "%[x0]") TW_LOAD_##f TW_PRODUCTS_##f(dot, funct7, 0, "a6")
/* An asm statement may name 30 operands, so that the words go through registers of its own. */
#define TW_ROW_OF_TWO(f, halfwords, dot, funct7) \
    __asm__(TW_LOOP(halfwords) TW_TURN_OF_TWO(f, dot, funct7) TW_LOOP_END \
            : [x0] "+r"(x0), [x1] "+r"(x1), [w0] "+r"(w0), [w1] "+r"(w1), [w2] "+r"(w2), [w3] "+r"(w3), \
              [s00] "+r"(s[0]), [s01] "+r"(s[1]), [s02] "+r"(s[2]), [s03] "+r"(s[3]), [s10] "+r"(s[4]), \
              [s11] "+r"(s[5]), [s12] "+r"(s[6]), [s13] "+r"(s[7]) \
            : [words] "r"(words) \
            : "memory", "a6", "a7", "t3", "t4", "t5", "t6")
#define TW_ROW_OF_ONE(f, halfwords, dot, funct7) \
    __asm__(TW_LOOP(halfwords) TW_TURN_OF_ONE(f, dot, funct7) TW_LOOP_END \
            : [x0] "+r"(x0), [w0] "+r"(w0), [w1] "+r"(w1), [w2] "+r"(w2), [w3] "+r"(w3), [s00] "+r"(s[0]), \
              [s01] "+r"(s[1]), [s02] "+r"(s[2]), [s03] "+r"(s[3]) \
            : [words] "r"(words) \
            : "memory", "a6", "t3", "t4", "t5", "t6")
#define TW_ROW_OF(f, two, one, dot, funct7) \
    if (pixels == 2) { \
        TW_ROW_OF_TWO(f, two, dot, funct7); \
    } else { \
        TW_ROW_OF_ONE(f, one, dot, funct7); \
    }
#define TW_ROW_OF_BYTES(dot, funct7) \
    if (features == 4) { \
        TW_ROW_OF(4, "28", "18", dot, funct7) \
    } else if (features == 3) { \
        TW_ROW_OF(3, "22", "14", dot, funct7) \
    } else if (features == 2) { \
        TW_ROW_OF(2, "16", "10", dot, funct7) \
    } else { \
        TW_ROW_OF(1, "10", "6", dot, funct7) \
    }
/* Of the features the second operand has no signs, those of the pixels are the first. */
#define TW_SDOT_SU(funct7, sum, a, b) TW_SDOT(funct7, sum, b, a)

/* The same for a word of each row: the compiler keeps pixels and sums in registers, where a loop has its own. */
static inline __attribute__((__unused__, __always_inline__)) void tw_dot_words(
    const int8_t *x0, const int8_t *x1, const int8_t *w0, const int8_t *w1, const int8_t *w2, const int8_t *w3,
    int32_t *s, int32_t pixels, int32_t features, int32_t is_signed, int32_t are_signed) {
    const int8_t *const x[] = {x0, x1}, *const w[] = {w0, w1, w2, w3};
    for (int32_t feature = 0; feature < features; ++feature) {
        const uint32_t weights = tw_word(w[feature]);
        for (int32_t pixel = 0; pixel < pixels; ++pixel) {
            int32_t *const sum = s + pixel * 4 + feature;
            *sum = tw_dot4(tw_word(x[pixel]), weights, *sum, is_signed, are_signed);
        }
    }
}

/* Adds the products of `words` words, at least one, to the sums s[pixel * 4 + feature]. */
static inline __attribute__((__unused__, __always_inline__)) void tw_dot_row(
    const int8_t *x0, const int8_t *x1, const int8_t *w0, const int8_t *w1, const int8_t *w2, const int8_t *w3,
    int32_t *s, int32_t words, int32_t pixels, int32_t features, int32_t is_signed, int32_t are_signed) {
    if (__builtin_constant_p(words) && words == 1) {
        tw_dot_words(x0, x1, w0, w1, w2, w3, s, pixels, features, is_signed, are_signed);
    } else if (is_signed && are_signed) {
        TW_ROW_OF_BYTES(TW_SDOT, TW_SDOT_SS)
    } else if (is_signed) {
        TW_ROW_OF_BYTES(TW_SDOT_SU, TW_SDOT_US)
    } else if (are_signed) {
        TW_ROW_OF_BYTES(TW_SDOT, TW_SDOT_US)
    } else {
        TW_ROW_OF_BYTES(TW_SDOT, TW_SDOT_UU)
    }
}

#define TW_DOT_ROW tw_dot_row

/* Copies `fours` times four bytes, at least once, `step` bytes apart, side by side: 2 cycles each. */
static inline __attribute__((__unused__, __always_inline__)) void tw_gather_bytes(
    const int8_t *from, int8_t *to, int32_t step, int32_t fours) {
    __asm__ __volatile__(
        TW_LOOP("16") TW_BYTE("t3", "%[from]", "%[step]") TW_BYTE("t4", "%[from]", "%[step]")
            TW_BYTE("t5", "%[from]", "%[step]") TW_BYTE("t6", "%[from]", "%[step]") TW_STORE_BYTE("t3", "%[to]")
                TW_STORE_BYTE("t4", "%[to]") TW_STORE_BYTE("t5", "%[to]") TW_STORE_BYTE("t6", "%[to]") TW_LOOP_END
        : [from] "+r"(from), [to] "+r"(to)
        : [words] "r"(fours), [step] "r"(step)
        : "memory", "t3", "t4", "t5", "t6");
}

/* Clears `pairs` pairs of words, at least one. */
static inline __attribute__((__unused__, __always_inline__)) void tw_clear_words(int8_t *to, int32_t pairs) {
    __asm__ __volatile__(TW_LOOP("4") TW_STORE_NEXT("x0", "%[to]") TW_STORE_NEXT("x0", "%[to]") TW_LOOP_END
                         : [to] "+r"(to)
                         : [words] "r"(pairs)
                         : "memory");
}

#define TW_GATHER_BYTES tw_gather_bytes
#define TW_CLEAR_WORDS tw_clear_words

#if defined(TW_XPULPNN)
#define TW_ROW(funct7) TW_ROW_OF(4, "28", "18", TW_SDOT_NARROW, funct7)

/* The same with words of numbers of `bits` bits; where weights are unsigned, so are pixels. */
static inline __attribute__((__unused__, __always_inline__)) void tw_narrow_row(
    const int8_t *x0, const int8_t *x1, const int8_t *w0, const int8_t *w1, const int8_t *w2, const int8_t *w3,
    int32_t *s, int32_t words, int32_t pixels, int32_t is_signed, int32_t bits, int32_t are_signed) {
    if (bits == 4 && is_signed) {
        TW_ROW(TW_SDOT8_SS)
    } else if (bits == 4 && are_signed) {
        TW_ROW(TW_SDOT8_US)
    } else if (bits == 4) {
        TW_ROW(TW_SDOT8_UU)
    } else if (is_signed) {
        TW_ROW(TW_SDOT16_SS)
    } else if (are_signed) {
        TW_ROW(TW_SDOT16_US)
    } else {
        TW_ROW(TW_SDOT16_UU)
    }
}

#define TW_NARROW_ROW tw_narrow_row
#undef TW_ROW
#endif

/* Four bytes, of which the lowest bits go to one place of the word t3 after the others; the last ones need no mask. */
#define TW_PACK_FIRST TW_NEXT("t3", "%[from]") "and t3, t3, %[mask]\n"
#define TW_PACK_NEXT(half) \
    TW_NEXT("t4", "%[from]") "and t4, t4, %[mask]\n" TW_SLL_BYTES("t4", "t4", half) "or t3, t3, t4\n"
#define TW_PACK_LAST(half) \
    TW_NEXT("t4", "%[from]") TW_SLL_BYTES("t4", "t4", half) "or t3, t3, t4\n" TW_STORE_NEXT("t3", "%[to]")
#define TW_PACK_LOOP(halfwords, body) \
    __asm__ __volatile__(TW_LOOP(halfwords) TW_PACK_FIRST body TW_LOOP_END \
                         : [from] "+r"(from), [to] "+r"(to) \
                         : [words] "r"(words), [mask] "r"(mask) \
                         : "memory", "t3", "t4")

/* Writes `words` words, at least one, of the lowest bits of bytes. */
static inline __attribute__((__unused__, __always_inline__)) void tw_pack_words(
    const int8_t *from, int8_t *to, int32_t words, int32_t bits) {
    const uint32_t mask = 0x01010101u * ((1u << bits) - 1u);
    if (bits == 4) {
        TW_PACK_LOOP("12", TW_PACK_LAST(2));
    } else {
        TW_PACK_LOOP("28", TW_PACK_NEXT(1) TW_PACK_NEXT(2) TW_PACK_LAST(3));
    }
}

#define TW_PACK_WORDS tw_pack_words
#undef TW_PACK_FIRST
#undef TW_PACK_NEXT
#undef TW_PACK_LAST
#undef TW_PACK_LOOP

#undef TW_LOAD_1
#undef TW_LOAD_2
#undef TW_LOAD_3
#undef TW_LOAD_4
#undef TW_PIXELS
#undef TW_LOAD_PIXELS_1
#undef TW_LOAD_PIXELS_2
#undef TW_LOAD_PIXELS_3
#undef TW_LOAD_PIXELS_4
#undef TW_PRODUCTS_1
#undef TW_PRODUCTS_2
#undef TW_PRODUCTS_3
#undef TW_PRODUCTS_4
#undef TW_TURN_OF_TWO
#undef TW_TURN_OF_ONE
#undef TW_ROW_OF_TWO
#undef TW_ROW_OF_ONE
#undef TW_ROW_OF
#undef TW_ROW_OF_BYTES
#undef TW_SDOT_SU

#endif
