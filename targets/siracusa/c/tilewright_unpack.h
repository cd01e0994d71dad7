/*
 * Numbers of 4 or 2 bits as bytes, as `cluster.unpack` states them. A word holds 8 or 16 of them, whose byte b has the
 * numbers b, b + 4, ... from its lowest bits on, so that a shift and a mask of the word give four neighbours.
 *
 * `bits` and `is_signed` are constants where the function is called. Included after the header of a machine that has
 * instructions for it, as TW_UNPACK_WORDS.
 */
#ifndef TILEWRIGHT_UNPACK_H
#define TILEWRIGHT_UNPACK_H

#if defined(__GNUC__)
#define TW_UNPACK static inline __attribute__((__unused__, __always_inline__))
#else
#define TW_UNPACK static inline
#endif

#if defined(TW_XPULP)
typedef uint32_t __attribute__((__may_alias__)) tw_packed; /* the core splits what is not aligned */

TW_UNPACK uint32_t tw_packed_load(const int8_t *from) {
    return *(const tw_packed *)(const void *)from;
}

TW_UNPACK void tw_packed_store(int8_t *to, uint32_t word) {
    *(tw_packed *)(void *)to = word;
}
#else
TW_UNPACK uint32_t tw_packed_load(const int8_t *from) {
    const uint8_t *const bytes = (const uint8_t *)from;
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

TW_UNPACK void tw_packed_store(int8_t *to, uint32_t word) {
    uint8_t *const bytes = (uint8_t *)to;
    bytes[0] = (uint8_t)word;
    bytes[1] = (uint8_t)(word >> 8);
    bytes[2] = (uint8_t)(word >> 16);
    bytes[3] = (uint8_t)(word >> 24);
}
#endif

/* The four numbers in the lowest bits of a word's bytes; no byte borrows from the next one. */
TW_UNPACK uint32_t tw_unpack_word(uint32_t word, int32_t bits, int32_t is_signed) {
    const uint32_t numbers = word & 0x01010101u * ((1u << bits) - 1u);
    const uint32_t sign = 0x01010101u << (bits - 1), top = 0x80808080u;
    return is_signed ? ((numbers ^ (sign | top)) - sign) ^ top : numbers;
}

/* Writes `count` numbers, all words of `packed` that hold them being there. */
TW_UNPACK void tw_unpack_row(const int8_t *packed, int8_t *out, int32_t count, int32_t bits, int32_t is_signed) {
    const int32_t words = 8 / bits, whole = count / (4 * words);
#ifdef TW_UNPACK_WORDS
    if (whole > 0) {
        TW_UNPACK_WORDS(packed, out, whole, bits, is_signed);
    }
#else
    for (int32_t block = 0; block < whole; ++block) {
        const uint32_t word = tw_packed_load(packed + 4 * block);
        for (int32_t place = 0; place < words; ++place) {
            tw_packed_store(out + 4 * (block * words + place), tw_unpack_word(word >> (bits * place), bits, is_signed));
        }
    }
#endif
    const int32_t first = 4 * words * whole;
    const uint32_t last = first < count ? tw_packed_load(packed + 4 * whole) : 0u;
    int32_t number = first, shift = 0;
    for (; number + 4 <= count; number += 4, shift += bits) {
        tw_packed_store(out + number, tw_unpack_word(last >> shift, bits, is_signed));
    }
    for (uint32_t rest = tw_unpack_word(last >> shift, bits, is_signed); number < count; ++number, rest >>= 8) {
        out[number] = (int8_t)(uint8_t)rest;
    }
}

#endif
