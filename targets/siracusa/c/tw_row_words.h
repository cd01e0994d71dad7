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

#define TW_FILL_WORDS tw_fill_words
#define TW_COPY_WORDS tw_copy_words

#endif
