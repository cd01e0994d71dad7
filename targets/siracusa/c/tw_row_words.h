/*
 * Rows of bytes with Xpulp's loads and stores in hardware loops: a pair of words in 2 cycles to fill, in 4 to copy within
 * L1.
 *
 * Included by tilewright_rows.h where TW_XPULP is defined.
 */
#ifndef TW_ROW_WORDS_H
#define TW_ROW_WORDS_H

#include <stdint.h>

#include "tw_xpulp.h"

/* Stores `words` pairs of words, at least one. */
static inline __attribute__((__unused__, __always_inline__)) void tw_fill_words(
    int8_t *out, int32_t words, uint32_t word) {
    __asm__ __volatile__(TW_LOOP("4") TW_STORE_NEXT("%[word]", "%[out]") TW_STORE_NEXT("%[word]", "%[out]") TW_LOOP_END
                         : [out] "+r"(out)
                         : [words] "r"(words), [word] "r"(word)
                         : "memory");
}

/* Copies `words` pairs of words, at least one. */
static inline __attribute__((__unused__, __always_inline__)) void tw_copy_words(
    const int8_t *in, int8_t *out, int32_t words) {
    __asm__ __volatile__(TW_LOOP("8") TW_NEXT("t3", "%[in]") TW_NEXT("t4", "%[in]") TW_STORE_NEXT("t3", "%[out]")
                             TW_STORE_NEXT("t4", "%[out]") TW_LOOP_END
                         : [in] "+r"(in), [out] "+r"(out)
                         : [words] "r"(words)
                         : "memory", "t3", "t4");
}

/*
 * Transposes `blocks` blocks of 4 x 4 bytes, at least one, in 18 cycles each: pairs of rows are interleaved, the lower
 * and the upper halves of their words, and pairs of these joined by halves. Each store moves on to the next row.
 */
static inline __attribute__((__unused__, __always_inline__)) void tw_transpose_blocks(
    const int8_t *x0, const int8_t *x1, const int8_t *x2, const int8_t *x3, int8_t *out, int32_t blocks, int32_t out_row) {
    __asm__ __volatile__(
        TW_LOOP("36") TW_NEXT("t3", "%[x0]") TW_NEXT("t4", "%[x1]") TW_NEXT("t5", "%[x2]") TW_NEXT("t6", "%[x3]")
            "mv a6, t3\n" TW_SHUFFLE("a6", "t4", "%[low]") TW_SHUFFLE("t3", "t4", "%[high]")
                "mv a7, t5\n" TW_SHUFFLE("a7", "t6", "%[low]") TW_SHUFFLE("t5", "t6", "%[high]")
                    TW_PACK_HALVES("t4", "a6", "a7") TW_SHUFFLE("a6", "a7", "%[halves]")
                        TW_PACK_HALVES("t6", "t3", "t5") TW_SHUFFLE("t3", "t5", "%[halves]")
                            TW_STORE_STEP("t4", "%[out]", "%[row]") TW_STORE_STEP("a6", "%[out]", "%[row]")
                                TW_STORE_STEP("t6", "%[out]", "%[row]") TW_STORE_STEP("t3", "%[out]", "%[row]") TW_LOOP_END
        : [x0] "+r"(x0), [x1] "+r"(x1), [x2] "+r"(x2), [x3] "+r"(x3), [out] "+r"(out)
        : [words] "r"(blocks), [row] "r"(out_row), [low] "r"(0x05010400), [high] "r"(0x07030602),
          [halves] "r"(0x07060302)
        : "memory", "a6", "a7", "t3", "t4", "t5", "t6");
}

#define TW_TRANSPOSE_BLOCKS tw_transpose_blocks
#define TW_FILL_WORDS tw_fill_words
#define TW_COPY_WORDS tw_copy_words

#endif
