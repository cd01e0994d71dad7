/*
 * Words of four bytes at any address, the first byte lowest. Included by the headers that need them, after that of a
 * machine, which may split what is not aligned itself (TW_XPULP).
 */
#ifndef TILEWRIGHT_WORDS_H
#define TILEWRIGHT_WORDS_H

#if defined(__GNUC__)
#define TW_WORDS static inline __attribute__((__unused__, __always_inline__))
#else
#define TW_WORDS static inline
#endif

#if defined(TW_XPULP)
typedef uint32_t __attribute__((__may_alias__)) tw_any_word;

TW_WORDS uint32_t tw_word(const void *from) {
    return *(const tw_any_word *)from;
}

TW_WORDS void tw_store_word(int8_t *to, uint32_t word) {
    *(tw_any_word *)(void *)to = word;
}
#else
TW_WORDS uint32_t tw_word(const void *from) {
    const uint8_t *const bytes = (const uint8_t *)from;
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

TW_WORDS void tw_store_word(int8_t *to, uint32_t word) {
    uint8_t *const bytes = (uint8_t *)to;
    bytes[0] = (uint8_t)word;
    bytes[1] = (uint8_t)(word >> 8);
    bytes[2] = (uint8_t)(word >> 16);
    bytes[3] = (uint8_t)(word >> 24);
}
#endif

#endif
