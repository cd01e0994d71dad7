/*
 * Rows of sums of products with packed weights in Xpulp's hardware loops: 2 pixels x 4 features, and 1 x 4. Each turn of
 * the loop loads a word of each feature's weights, and for each four numbers in it a word of each pixel. With 4 bits that
 * is 32 cycles for 8 products of each sum, or 22 of one pixel; with 2 bits 68 for 16, or 48.
 *
 * Signed numbers are shifted to the high end of their bytes, or masked there, and not brought back: their products are 16
 * times as large with 4 bits, 64 times with 2, which is taken out of the sums at the end, without a rest. No sum of
 * 65,536 products overflows for it; longer rows are done in parts. Unsigned numbers are masked at the low end.
 *
 * Included by tw_cluster.h where TW_XPULP is defined; tilewright_dot.h then uses TW_PACKED_ROW.
 */
#ifndef TW_PACKED_ROW_H
#define TW_PACKED_ROW_H

#include <stdint.h>

#include "tw_xpulp.h"

/* Four numbers of a word as bytes in t2. */
#define TW_HIGH(word, half) TW_SLL_BYTES("t2", word, half)
#define TW_LOW(word, half) TW_SRL_BYTES("t2", word, half)
#define TW_MASKED(word, half) "and t2, " word ", %[mask]\n"
#define TW_HIGH_MASKED(word, half) TW_HIGH(word, half) TW_MASKED("t2", half)
#define TW_LOW_MASKED(word, half) TW_LOW(word, half) TW_MASKED("t2", half)

#define TW_FEATURE_1(funct7, place, half, word, f) place(word, half) TW_SDOT(funct7, "%[s0" #f "]", "a6", "t2")
#define TW_FEATURE_2(funct7, place, half, word, f) \
    TW_FEATURE_1(funct7, place, half, word, f) TW_SDOT(funct7, "%[s1" #f "]", "a7", "t2")
#define TW_FOUR(feature, funct7, place, half) \
    feature(funct7, place, half, "t3", 0) feature(funct7, place, half, "t4", 1) \
    feature(funct7, place, half, "t5", 2) feature(funct7, place, half, "t6", 3)
#define TW_FOUR_1(funct7, place, half) TW_NEXT("a6", "%[x0]") TW_FOUR(TW_FEATURE_1, funct7, place, half)
#define TW_FOUR_2(funct7, place, half) \
    TW_NEXT("a6", "%[x0]") TW_NEXT("a7", "%[x1]") TW_FOUR(TW_FEATURE_2, funct7, place, half)

#define TW_SIGNED_4(four, funct7) four(funct7, TW_HIGH, 2) four(funct7, TW_MASKED, 0)
#define TW_UNSIGNED_4(four, funct7) four(funct7, TW_MASKED, 0) four(funct7, TW_LOW, 2)
#define TW_SIGNED_2(four, funct7) \
    four(funct7, TW_HIGH, 3) four(funct7, TW_HIGH_MASKED, 2) four(funct7, TW_HIGH_MASKED, 1) \
    four(funct7, TW_MASKED, 0)
#define TW_UNSIGNED_2(four, funct7) \
    four(funct7, TW_MASKED, 0) four(funct7, TW_LOW_MASKED, 1) four(funct7, TW_LOW_MASKED, 2) \
    four(funct7, TW_LOW, 3)

#define TW_FEATURES \
    TW_NEXT("t3", "%[w0]") TW_NEXT("t4", "%[w1]") TW_NEXT("t5", "%[w2]") TW_NEXT("t6", "%[w3]")
#define TW_LOOP_1(halfwords, numbers, funct7) \
    __asm__(TW_LOOP(halfwords) TW_FEATURES numbers(TW_FOUR_1, funct7) TW_LOOP_END \
            : [x0] "+r"(x0), [w0] "+r"(w0), [w1] "+r"(w1), [w2] "+r"(w2), [w3] "+r"(w3), [s00] "+r"(t[0]), \
              [s01] "+r"(t[1]), [s02] "+r"(t[2]), [s03] "+r"(t[3]) \
            : [words] "r"(part), [mask] "r"(mask) \
            : "memory", "a6", "t2", "t3", "t4", "t5", "t6")
#define TW_LOOP_2(halfwords, numbers, funct7) \
    __asm__(TW_LOOP(halfwords) TW_FEATURES numbers(TW_FOUR_2, funct7) TW_LOOP_END \
            : [x0] "+r"(x0), [x1] "+r"(x1), [w0] "+r"(w0), [w1] "+r"(w1), [w2] "+r"(w2), [w3] "+r"(w3), \
              [s00] "+r"(t[0]), [s01] "+r"(t[1]), [s02] "+r"(t[2]), [s03] "+r"(t[3]), [s10] "+r"(t[4]), \
              [s11] "+r"(t[5]), [s12] "+r"(t[6]), [s13] "+r"(t[7]) \
            : [words] "r"(part), [mask] "r"(mask) \
            : "memory", "a6", "a7", "t2", "t3", "t4", "t5", "t6")
/* One statement of those for two pixels and one, with pixels that have signs and without. */
#define TW_ROW(numbers, halfwords_2, halfwords_1) \
    do { \
        if (pixels == 2 && is_signed) { \
            TW_LOOP_2(halfwords_2, numbers, TW_SDOT_SS); \
        } else if (pixels == 2) { \
            TW_LOOP_2(halfwords_2, numbers, TW_SDOT_US); \
        } else if (is_signed) { \
            TW_LOOP_1(halfwords_1, numbers, TW_SDOT_SS); \
        } else { \
            TW_LOOP_1(halfwords_1, numbers, TW_SDOT_US); \
        } \
    } while (0)

#define TW_ADD(i) s[i] += are_signed ? t[i] >> (8 - bits) : t[i];

/* Adds the products of `words` words of packed weights to the sums s[pixel * 4 + feature]. */
static inline __attribute__((__unused__, __always_inline__)) void tw_packed_row(
    const int8_t *x0, const int8_t *x1, const int8_t *w0, const int8_t *w1, const int8_t *w2, const int8_t *w3,
    int32_t *s, int32_t words, int32_t pixels, int32_t is_signed, int32_t bits, int32_t are_signed) {
    const uint32_t low = 0x01010101u * ((1u << bits) - 1u), mask = are_signed ? low << (8 - bits) : low;
    const int32_t most = 2048 * bits; /* 65,536 products */
    for (int32_t part; words > 0; words -= part) {
        int32_t t[8] = {0, 0, 0, 0, 0, 0, 0, 0};
        part = words < most ? words : most;
        if (bits == 4 && are_signed) {
            TW_ROW(TW_SIGNED_4, "64", "44");
        } else if (bits == 4) {
            TW_ROW(TW_UNSIGNED_4, "64", "44");
        } else if (are_signed) {
            TW_ROW(TW_SIGNED_2, "136", "96");
        } else {
            TW_ROW(TW_UNSIGNED_2, "136", "96");
        }
        TW_ADD(0) TW_ADD(1) TW_ADD(2) TW_ADD(3)
        if (pixels > 1) {
            TW_ADD(4) TW_ADD(5) TW_ADD(6) TW_ADD(7)
        }
    }
}

#define TW_PACKED_ROW tw_packed_row

#undef TW_HIGH
#undef TW_LOW
#undef TW_MASKED
#undef TW_HIGH_MASKED
#undef TW_LOW_MASKED
#undef TW_FEATURE_1
#undef TW_FEATURE_2
#undef TW_FOUR
#undef TW_FOUR_1
#undef TW_FOUR_2
#undef TW_SIGNED_4
#undef TW_UNSIGNED_4
#undef TW_SIGNED_2
#undef TW_UNSIGNED_2
#undef TW_FEATURES
#undef TW_LOOP_1
#undef TW_LOOP_2
#undef TW_ROW
#undef TW_ADD

#endif
