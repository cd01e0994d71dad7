/*
 * Words of packed numbers as bytes with Xpulp's shifts of bytes, in hardware loops: 7 cycles for the 8 numbers of 4 bits
 * in a word, 13 for the 16 of 2 bits, one of them waiting for the word.
 *
 * Included by tw_cluster.h where TW_XPULP is defined; tilewright_unpack.h then uses TW_UNPACK_WORDS.
 */
#ifndef TW_UNPACK_WORDS_H
#define TW_UNPACK_WORDS_H

#include <stdint.h>

#include "tw_xpulp.h"

#define TW_UNPACK_PLACE(shift, left, right) \
    TW_SLL_BYTES("t4", "t3", left) shift("t4", "t4", right) TW_STORE_NEXT("t4", "%[out]")
#define TW_UNPACK_LAST(shift, right) shift("t3", "t3", right) TW_STORE_NEXT("t3", "%[out]")
#define TW_UNPACK_LOOP(halfwords, body) \
    __asm__ __volatile__(TW_LOOP(halfwords) TW_NEXT("t3", "%[packed]") body TW_LOOP_END \
                         : [packed] "+r"(packed), [out] "+r"(out) \
                         : [words] "r"(words) \
                         : "memory", "t3", "t4")
#define TW_UNPACK_4(shift) TW_UNPACK_LOOP("12", TW_UNPACK_PLACE(shift, 2, 2) TW_UNPACK_LAST(shift, 2))
#define TW_UNPACK_2(shift) \
    TW_UNPACK_LOOP("24", TW_UNPACK_PLACE(shift, 3, 3) TW_UNPACK_PLACE(shift, 2, 3) TW_UNPACK_PLACE(shift, 1, 3) \
                             TW_UNPACK_LAST(shift, 3))

/* Writes the numbers of `words` words, at least one. */
static inline __attribute__((__unused__, __always_inline__)) void tw_unpack_words(
    const int8_t *packed, int8_t *out, int32_t words, int32_t bits, int32_t is_signed) {
    if (bits == 4 && is_signed) {
        TW_UNPACK_4(TW_SRA_BYTES);
    } else if (bits == 4) {
        TW_UNPACK_4(TW_SRL_BYTES);
    } else if (is_signed) {
        TW_UNPACK_2(TW_SRA_BYTES);
    } else {
        TW_UNPACK_2(TW_SRL_BYTES);
    }
}

#define TW_UNPACK_WORDS tw_unpack_words

#undef TW_UNPACK_PLACE
#undef TW_UNPACK_LAST
#undef TW_UNPACK_LOOP
#undef TW_UNPACK_4
#undef TW_UNPACK_2

#endif
