/*
 * Sums of products of the numbers packed in two words, the first of them lowest, added to a sum: 4 of 8 bits, 8 of 4 bits,
 * 16 of 2 bits. Sums wrap around. ss: both signed, us: the first unsigned and the second signed, uu: both unsigned.
 *
 * With TW_XPULP they are instructions of Xpulp, as words, since few compilers know them; with TW_XPULPNN too those for 4
 * and 2 bits, which GVSoC's Siracusa does not have. Without, they are C.
 *
 * Sources of the encodings: GVSoC models/cpu/iss/isa_gen/isa_pulpv2.py, isa_pulpnn.py.
 */
#ifndef TW_DOT_H
#define TW_DOT_H

#include <stdint.h>

#if defined(__GNUC__)
#define TW_DOT static inline __attribute__((__unused__, __always_inline__))
#else
#define TW_DOT static inline
#endif

/* Four bytes from any address, the first lowest. */
TW_DOT uint32_t tw_word(const void *from) {
#if defined(TW_XPULP)
    typedef uint32_t __attribute__((__may_alias__)) word;
    return *(const word *)from; /* the core splits a load that is not aligned */
#else
    const uint8_t *const bytes = (const uint8_t *)from;
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
#endif
}

/* sum + a * b, which wraps around. */
TW_DOT int32_t tw_mac_i32(int32_t a, int32_t b, int32_t sum) {
#if defined(TW_XPULP)
    __asm__(".insn r 0x33, 0, 0x21, %0, %1, %2" : "+r"(sum) : "r"(a), "r"(b)); /* p.mac */
    return sum;
#else
    return (int32_t)((uint32_t)sum + (uint32_t)a * (uint32_t)b);
#endif
}

#define TW_DOT_INSTRUCTION(name, funct3, funct7) \
    TW_DOT int32_t name(uint32_t a, uint32_t b, int32_t sum) { \
        __asm__(".insn r 0x57, " #funct3 ", " #funct7 ", %0, %1, %2" : "+r"(sum) : "r"(a), "r"(b)); \
        return sum; \
    }

#if defined(TW_XPULP)
TW_DOT_INSTRUCTION(tw_dot4_ss, 1, 0x5c) /* pv.sdotsp.b */
TW_DOT_INSTRUCTION(tw_dot4_us, 1, 0x54) /* pv.sdotusp.b */
TW_DOT_INSTRUCTION(tw_dot4_uu, 1, 0x50) /* pv.sdotup.b */
#else
#define TW_DOT_BYTES(name, type_a, type_b) \
    TW_DOT int32_t name(uint32_t a, uint32_t b, int32_t sum) { \
        uint32_t result = (uint32_t)sum; \
        for (uint32_t bit = 0; bit < 32u; bit += 8u) { \
            result += (uint32_t)((int32_t)(type_a)(uint8_t)(a >> bit) * (int32_t)(type_b)(uint8_t)(b >> bit)); \
        } \
        return (int32_t)result; \
    }
TW_DOT_BYTES(tw_dot4_ss, int8_t, int8_t)
TW_DOT_BYTES(tw_dot4_us, uint8_t, int8_t)
TW_DOT_BYTES(tw_dot4_uu, uint8_t, uint8_t)
#undef TW_DOT_BYTES
#endif

/* The same with signs that are constants where it is called. */
TW_DOT int32_t tw_dot4(uint32_t a, uint32_t b, int32_t sum, int32_t is_signed, int32_t are_signed) {
    if (is_signed) return are_signed ? tw_dot4_ss(a, b, sum) : tw_dot4_us(b, a, sum);
    return are_signed ? tw_dot4_us(a, b, sum) : tw_dot4_uu(a, b, sum);
}

#if defined(TW_XPULP) && defined(TW_XPULPNN)
TW_DOT_INSTRUCTION(tw_dot8_ss, 2, 0x5c)  /* pv.sdotsp.n */
TW_DOT_INSTRUCTION(tw_dot8_us, 2, 0x54)  /* pv.sdotusp.n */
TW_DOT_INSTRUCTION(tw_dot8_uu, 2, 0x50)  /* pv.sdotup.n */
TW_DOT_INSTRUCTION(tw_dot16_ss, 2, 0x5d) /* pv.sdotsp.c */
TW_DOT_INSTRUCTION(tw_dot16_us, 2, 0x55) /* pv.sdotusp.c */
TW_DOT_INSTRUCTION(tw_dot16_uu, 2, 0x51) /* pv.sdotup.c */
#else
/*
 * By way of bytes. An unsigned number moves to the low end of its byte, a signed one to the high end, which keeps its
 * sign and multiplies it by a power of two; `scale` takes that out of the sum again, without a rest.
 */
#define TW_DOT_NARROW(name, bits, base, low_a, low_b, scale) \
    TW_DOT int32_t name(uint32_t a, uint32_t b, int32_t sum) { \
        const uint32_t low = 0x01010101u * ((1u << bits) - 1u), high = low << (8 - bits); \
        int32_t products = 0; \
        for (uint32_t at = 0; at < 8u; at += bits) { \
            const uint32_t x = low_a ? a >> at & low : a << (8u - bits - at) & high; \
            const uint32_t y = low_b ? b >> at & low : b << (8u - bits - at) & high; \
            products = base(x, y, products); \
        } \
        return (int32_t)((uint32_t)sum + (uint32_t)(products >> scale)); \
    }
TW_DOT_NARROW(tw_dot8_ss, 4, tw_dot4_ss, 0, 0, 8)
TW_DOT_NARROW(tw_dot8_us, 4, tw_dot4_us, 1, 0, 4)
TW_DOT_NARROW(tw_dot8_uu, 4, tw_dot4_uu, 1, 1, 0)
TW_DOT_NARROW(tw_dot16_ss, 2, tw_dot4_ss, 0, 0, 12)
TW_DOT_NARROW(tw_dot16_us, 2, tw_dot4_us, 1, 0, 6)
TW_DOT_NARROW(tw_dot16_uu, 2, tw_dot4_uu, 1, 1, 0)
#undef TW_DOT_NARROW
#endif
#undef TW_DOT_INSTRUCTION

#endif
