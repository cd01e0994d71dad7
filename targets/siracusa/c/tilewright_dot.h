/*
 * Sums of products of bytes for a block of up to 2 neighbouring pixels and 4 neighbouring features, as `cluster.dot`
 * states them, and over the windows of a few pixels of one channel, as `cluster.window` does; windows of which the bytes
 * are copied side by side or packed before, as by `cluster.im2col`. Included after tilewright.h, after the header of a
 * machine that has dot products of its own, and after tilewright_unpack.h where weights are packed.
 *
 * The sizes of the block are constants where the function is called, so that each call becomes straight code.
 */
#ifndef TILEWRIGHT_DOT_H
#define TILEWRIGHT_DOT_H

#if defined(__GNUC__)
#define TW_BLOCK static inline __attribute__((__unused__, __always_inline__))
#else
#define TW_BLOCK static inline
#endif

#ifndef TW_DOT_H
/* Four bytes from any address, and sums of the products of four bytes each, of which s are signed and u unsigned. */
TW_BLOCK uint32_t tw_word(const void *from) {
    const uint8_t *const bytes = (const uint8_t *)from;
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

TW_BLOCK int32_t tw_dot4_ss(uint32_t a, uint32_t b, int32_t sum) {
    return sum + (int8_t)(uint8_t)a * (int8_t)(uint8_t)b + (int8_t)(uint8_t)(a >> 8) * (int8_t)(uint8_t)(b >> 8) +
           (int8_t)(uint8_t)(a >> 16) * (int8_t)(uint8_t)(b >> 16) +
           (int8_t)(uint8_t)(a >> 24) * (int8_t)(uint8_t)(b >> 24);
}

TW_BLOCK int32_t tw_dot4_us(uint32_t a, uint32_t b, int32_t sum) {
    return sum + (uint8_t)a * (int8_t)(uint8_t)b + (uint8_t)(a >> 8) * (int8_t)(uint8_t)(b >> 8) +
           (uint8_t)(a >> 16) * (int8_t)(uint8_t)(b >> 16) + (uint8_t)(a >> 24) * (int8_t)(uint8_t)(b >> 24);
}

TW_BLOCK int32_t tw_dot4_uu(uint32_t a, uint32_t b, int32_t sum) {
    return sum + (uint8_t)a * (uint8_t)b + (uint8_t)(a >> 8) * (uint8_t)(b >> 8) +
           (uint8_t)(a >> 16) * (uint8_t)(b >> 16) + (uint8_t)(a >> 24) * (uint8_t)(b >> 24);
}

/* The same with signs that are constants where it is called. */
TW_BLOCK int32_t tw_dot4(uint32_t a, uint32_t b, int32_t sum, int32_t is_signed, int32_t are_signed) {
    if (is_signed) return are_signed ? tw_dot4_ss(a, b, sum) : tw_dot4_us(b, a, sum);
    return are_signed ? tw_dot4_us(a, b, sum) : tw_dot4_uu(a, b, sum);
}
#endif

#if defined(TW_XPULP)
TW_BLOCK void tw_store_word(int8_t *to, uint32_t word) {
    typedef uint32_t __attribute__((__may_alias__)) any;
    *(any *)(void *)to = word; /* the core splits a store that is not aligned */
}
#else
TW_BLOCK void tw_store_word(int8_t *to, uint32_t word) {
    uint8_t *const bytes = (uint8_t *)to;
    bytes[0] = (uint8_t)word;
    bytes[1] = (uint8_t)(word >> 8);
    bytes[2] = (uint8_t)(word >> 16);
    bytes[3] = (uint8_t)(word >> 24);
}
#endif

/* Where a stretch of each pixel and of each feature begins. */
#define TW_ROW_POINTERS(x_at, w_at) \
    const int8_t *const x0 = x + (x_at), *const x1 = pixels > 1 ? x0 + x_step : x0; \
    const int8_t *const w0 = w + (w_at), *const w1 = features > 1 ? w0 + w_step : w0; \
    const int8_t *const w2 = features > 2 ? w1 + w_step : w0, *const w3 = features > 3 ? w2 + w_step : w0;
/* M(p, f) for each sum that a block may have. */
#define TW_SUMS(M) M(0, 0) M(0, 1) M(0, 2) M(0, 3) M(1, 0) M(1, 1) M(1, 2) M(1, 3)
#define TW_ADD_WORD(p, f) \
    if (p < pixels && f < features) s[p * 4 + f] = tw_dot4(a##p, b##f, s[p * 4 + f], is_signed, are_signed);
#define TW_ADD_BYTE(p, f) \
    if (p < pixels && f < features) { \
        s[p * 4 + f] += (is_signed ? x##p[k] : (uint8_t)x##p[k]) * (are_signed ? w##f[k] : (uint8_t)w##f[k]); \
    }
#define TW_SAVE(p, f) \
    if (p < pixels && f < features) sums[p * features + f] = s[p * 4 + f];

/*
 * A sum takes `rows` rows of `taps` stretches of `elements` bytes. A stretch is a call of its own, so that rows and taps
 * that are constants leave no trace.
 */
TW_BLOCK void tw_dot_stretch(
    const int8_t *x, const int8_t *w, int32_t *s, int32_t pixels, int32_t features, int32_t x_step, int32_t w_step,
    int32_t elements, int32_t is_signed, int32_t are_signed) {
    TW_ROW_POINTERS(0, 0)
    const int32_t whole = elements & ~3;
    int32_t first = 0;
#ifdef TW_DOT_ROW
    if (whole > 0) {
        TW_DOT_ROW(x0, x1, w0, w1, w2, w3, s, whole / 4, pixels, features, is_signed, are_signed);
        first = whole;
    }
#endif
    for (int32_t k = first; k < whole; k += 4) {
        const uint32_t a0 = tw_word(x0 + k), a1 = pixels > 1 ? tw_word(x1 + k) : 0;
        const uint32_t b0 = tw_word(w0 + k), b1 = features > 1 ? tw_word(w1 + k) : 0;
        const uint32_t b2 = features > 2 ? tw_word(w2 + k) : 0, b3 = features > 3 ? tw_word(w3 + k) : 0;
        TW_SUMS(TW_ADD_WORD)
    }
    if (elements > 4 && whole < elements) {
        /* The words that end with the rows; of the weights what was added before becomes 0. */
        const int32_t k = elements - 4;
        const uint32_t fresh = 0xffffffffu << (8 * (whole - k));
        const uint32_t a0 = tw_word(x0 + k), a1 = pixels > 1 ? tw_word(x1 + k) : 0;
        const uint32_t b0 = tw_word(w0 + k) & fresh, b1 = features > 1 ? tw_word(w1 + k) & fresh : 0;
        const uint32_t b2 = features > 2 ? tw_word(w2 + k) & fresh : 0;
        const uint32_t b3 = features > 3 ? tw_word(w3 + k) & fresh : 0;
        TW_SUMS(TW_ADD_WORD)
        first = elements;
    }
    for (int32_t k = first > whole ? first : whole; k < elements; ++k) {
        TW_SUMS(TW_ADD_BYTE)
    }
}

TW_BLOCK void tw_dot_block(
    const int8_t *x, const int8_t *w, int32_t *sums, int32_t pixels, int32_t features, int32_t x_step, int32_t x_row,
    int32_t x_tap, int32_t w_step, int32_t w_row, int32_t w_tap, int32_t rows, int32_t taps, int32_t elements,
    int32_t is_signed, int32_t are_signed) {
    int32_t s[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    for (int32_t row = 0; row < rows; ++row) {
        for (int32_t tap = 0; tap < taps; ++tap) {
            tw_dot_stretch(
                x + row * x_row + tap * x_tap, w + row * w_row + tap * w_tap, s, pixels, features, x_step, w_step, elements,
                is_signed, are_signed);
        }
    }
    TW_SUMS(TW_SAVE)
}

#ifdef TILEWRIGHT_UNPACK_H
/* Up to four bytes as a word whose other bytes are 0. */
TW_BLOCK uint32_t tw_bytes(const int8_t *from, int32_t count) {
    uint32_t word = 0;
    for (int32_t byte = 0; byte < count; ++byte) {
        word |= (uint32_t)(uint8_t)from[byte] << (8 * byte);
    }
    return word;
}

/* The same with weights of `bits` bits, each row of which is packed; what is left of its last word is not read. */
TW_BLOCK void tw_dot_packed_stretch(
    const int8_t *x, const int8_t *w, int32_t *s, int32_t pixels, int32_t features, int32_t x_step, int32_t w_step,
    int32_t elements, int32_t is_signed, int32_t bits, int32_t are_signed) {
    const int32_t numbers = 32 / bits;
    TW_ROW_POINTERS(0, 0)
    int32_t word = 0;
#ifdef TW_PACKED_ROW
    if (features == 4 && elements >= numbers) {
        word = elements / numbers;
        TW_PACKED_ROW(x0, x1, w0, w1, w2, w3, s, word, pixels, is_signed, bits, are_signed);
    }
#endif
    for (; word * numbers < elements; ++word) {
        uint32_t c0 = tw_packed_load(w0 + 4 * word), c1 = features > 1 ? tw_packed_load(w1 + 4 * word) : 0;
        uint32_t c2 = features > 2 ? tw_packed_load(w2 + 4 * word) : 0;
        uint32_t c3 = features > 3 ? tw_packed_load(w3 + 4 * word) : 0;
        const int32_t end = word * numbers + numbers < elements ? word * numbers + numbers : elements;
        for (int32_t k = word * numbers; k < end; k += 4, c0 >>= bits, c1 >>= bits, c2 >>= bits, c3 >>= bits) {
            const uint32_t b0 = tw_unpack_word(c0, bits, are_signed), b1 = tw_unpack_word(c1, bits, are_signed);
            const uint32_t b2 = tw_unpack_word(c2, bits, are_signed), b3 = tw_unpack_word(c3, bits, are_signed);
            const uint32_t a0 = k + 4 <= end ? tw_word(x0 + k) : tw_bytes(x0 + k, end - k);
            const uint32_t a1 = pixels < 2 ? 0 : k + 4 <= end ? tw_word(x1 + k) : tw_bytes(x1 + k, end - k);
            TW_SUMS(TW_ADD_WORD)
        }
    }
}

TW_BLOCK void tw_dot_packed(
    const int8_t *x, const int8_t *w, int32_t *sums, int32_t pixels, int32_t features, int32_t x_step, int32_t x_row,
    int32_t x_tap, int32_t w_step, int32_t w_row, int32_t w_tap, int32_t rows, int32_t taps, int32_t elements,
    int32_t is_signed, int32_t bits, int32_t are_signed) {
    int32_t s[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    for (int32_t row = 0; row < rows; ++row) {
        for (int32_t tap = 0; tap < taps; ++tap) {
            tw_dot_packed_stretch(
                x + row * x_row + tap * x_tap, w + row * w_row + tap * w_tap, s, pixels, features, x_step, w_step, elements,
                is_signed, bits, are_signed);
        }
    }
    TW_SUMS(TW_SAVE)
}

/* sum + the products of the numbers in two words; where those of b are unsigned, so are those of a. */
TW_BLOCK int32_t tw_dot_numbers(
    uint32_t a, uint32_t b, int32_t sum, int32_t bits, int32_t is_signed, int32_t are_signed) {
#ifdef TW_DOT_H
    if (bits == 4) {
        return is_signed ? tw_dot8_ss(a, b, sum) : are_signed ? tw_dot8_us(a, b, sum) : tw_dot8_uu(a, b, sum);
    }
    return is_signed ? tw_dot16_ss(a, b, sum) : are_signed ? tw_dot16_us(a, b, sum) : tw_dot16_uu(a, b, sum);
#else
    for (int32_t place = 0; place < 8; place += bits) {
        const uint32_t x = tw_unpack_word(a >> place, bits, is_signed), y = tw_unpack_word(b >> place, bits, are_signed);
        sum = tw_dot4_ss(x, y, sum);
    }
    return sum;
#endif
}

#define TW_ADD_NARROW(p, f) \
    if (p < pixels && f < features) { \
        s[p * 4 + f] = tw_dot_numbers(a##p, b##f, s[p * 4 + f], bits, is_signed, are_signed); \
    }

/* The same with rows of x that are packed too; what of their last words no number needs is 0. */
TW_BLOCK void tw_dot_narrow(
    const int8_t *x, const int8_t *w, int32_t *sums, int32_t pixels, int32_t features, int32_t x_step, int32_t x_row,
    int32_t w_step, int32_t w_row, int32_t rows, int32_t elements, int32_t is_signed, int32_t bits, int32_t are_signed) {
    const int32_t numbers = 32 / bits, words = elements / numbers + (elements % numbers > 0);
    int32_t s[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    for (int32_t row = 0; row < rows; ++row) {
        TW_ROW_POINTERS(row * x_row, row * w_row)
        int32_t word = 0;
#ifdef TW_NARROW_ROW
        if (features == 4 && words > 0) {
            TW_NARROW_ROW(x0, x1, w0, w1, w2, w3, s, words, pixels, is_signed, bits, are_signed);
            word = words;
        }
#endif
        for (; word < words; ++word) {
            const uint32_t a0 = tw_packed_load(x0 + 4 * word), a1 = pixels > 1 ? tw_packed_load(x1 + 4 * word) : 0;
            const uint32_t b0 = tw_packed_load(w0 + 4 * word), b1 = features > 1 ? tw_packed_load(w1 + 4 * word) : 0;
            const uint32_t b2 = features > 2 ? tw_packed_load(w2 + 4 * word) : 0;
            const uint32_t b3 = features > 3 ? tw_packed_load(w3 + 4 * word) : 0;
            TW_SUMS(TW_ADD_NARROW)
        }
    }
    TW_SUMS(TW_SAVE)
}

/* The lowest bits of `count` bytes as words of packed numbers; what of the last word no number needs becomes 0. */
TW_BLOCK void tw_pack_row(const int8_t *from, int8_t *to, int32_t count, int32_t bits) {
    const uint32_t mask = 0x01010101u * ((1u << bits) - 1u);
    int32_t first = 0;
#ifdef TW_PACK_WORDS
    const int32_t whole = count * bits / 32;
    if (whole > 0) {
        TW_PACK_WORDS(from, to, whole, bits);
        first = whole * (32 / bits);
        to += 4 * whole;
    }
#endif
    for (; first < count; to += 4) {
        uint32_t word = 0;
        for (int32_t place = 0; place < 8 && first < count; place += bits, first += 4) {
            const uint32_t four = first + 4 <= count ? tw_word(from + first) : tw_bytes(from + first, count - first);
            word |= (four & mask) << place;
        }
        tw_packed_store(to, word);
    }
}

/* As tw_im2col, with stretches of `elements` bytes of which the lowest bits are packed. */
TW_BLOCK void tw_pack_window(
    const int8_t *x, int8_t *window, int32_t first, int32_t size, int32_t x_row, int32_t x_tap, int32_t row, int32_t tap,
    int32_t rows, int32_t taps, int32_t elements, int32_t bits) {
    const int32_t numbers = 32 / bits;
    if (rows * taps * ((elements + numbers - 1) / numbers) * 4 < size) {
        for (int32_t k = 0; k < size; k += 4) tw_packed_store(window + k, 0);
    }
    for (int32_t r = 0; r < rows; ++r) {
        for (int32_t t = 0; t < taps; ++t) {
            tw_pack_row(x + r * x_row + t * x_tap, window + first + r * row + t * tap, elements, bits);
        }
    }
}
#undef TW_ADD_NARROW
#endif

/* Zeros. */
TW_BLOCK void tw_clear(int8_t *to, int32_t size) {
    int32_t k = 0;
#ifdef TW_CLEAR_WORDS
    if (size >= 8) {
        TW_CLEAR_WORDS(to, size / 8);
        k = size & ~7;
    }
#endif
    for (; k + 4 <= size; k += 4) tw_store_word(to + k, 0);
    for (; k < size; ++k) to[k] = 0;
}

/* Single bytes, `step` bytes apart, to bytes `tap` apart. */
TW_BLOCK void tw_gather(const int8_t *from, int8_t *to, int32_t step, int32_t tap, int32_t count) {
    int32_t k = 0;
#ifdef TW_GATHER_BYTES
    if (tap == 1 && count >= 4) {
        TW_GATHER_BYTES(from, to, step, count / 4);
        k = count & ~3;
    }
#endif
    for (; k < count; ++k) to[k * tap] = from[k * step];
}

/*
 * The window of a pixel as `size` bytes side by side. What of it is inside of x, `rows` rows of `taps` stretches of
 * `elements` bytes, is copied to its byte `first` and what follows, `row` and `tap` bytes apart; all else becomes 0, or stays.
 */
TW_BLOCK void tw_im2col(
    const int8_t *x, int8_t *window, int32_t first, int32_t size, int32_t x_row, int32_t x_tap, int32_t row, int32_t tap,
    int32_t rows, int32_t taps, int32_t elements, int32_t keeps) {
    if (!keeps && rows * taps * elements < size) tw_clear(window, size);
    for (int32_t r = 0; r < rows; ++r) {
        if (elements == 1) {
            tw_gather(x + r * x_row, window + first + r * row, x_tap, tap, taps);
            continue;
        }
        for (int32_t t = 0; t < taps; ++t) {
            const int8_t *const from = x + r * x_row + t * x_tap;
            int8_t *const to = window + first + r * row + t * tap;
            int32_t k = 0;
            for (; k + 4 <= elements; k += 4) tw_store_word(to + k, tw_word(from + k));
            for (; k < elements; ++k) to[k] = from[k];
        }
    }
}

/* The greatest common divisor of a step and a word's 4 bytes: windows begin at its multiples in a word. */
#define TW_PLACE(step) ((step) % 4 == 0 ? 4 : (step) % 2 == 0 ? 2 : 1)

/* Word `word` of a row of weights `step` bytes apart, zeros behind the last. */
TW_BLOCK uint32_t tw_weight_word(const int8_t *w, int32_t step, int32_t taps, int32_t word) {
    if (step == 1 && 4 * word + 4 <= taps) return tw_word(w + 4 * word);
    uint32_t bytes = 0;
    for (int32_t byte = 0; byte < 4; ++byte) {
        const int32_t tap = 4 * word + byte;
        bytes |= tap < taps ? (uint32_t)(uint8_t)w[tap * step] << (8 * byte) : 0;
    }
    return bytes;
}

/* The words of weights of a row before those of windows that begin at a place of a word. */
TW_BLOCK int32_t tw_spread_before(int32_t step, int32_t taps, int32_t place) {
    int32_t words = 0;
    for (int32_t at = 0; at < 4; at += TW_PLACE(step)) words += at < place ? (at + taps + 3) / 4 : 0;
    return words;
}

/*
 * Spreads the weights of a window's rows over words, for windows that begin `step` bytes apart: each row once for each
 * place of a word at which a window may begin, behind so many zeros.
 */
TW_BLOCK void tw_spread_weights(
    const int8_t *w, int8_t *spread, int32_t step, int32_t rows, int32_t taps, int32_t w_row, int32_t w_tap) {
    for (int32_t row = 0; row < rows; ++row) {
        uint32_t before = 0;
        for (int32_t word = 0; 4 * word < taps + 4 - TW_PLACE(step); ++word) {
            const uint32_t own = tw_weight_word(w, w_tap, taps, word);
            for (int32_t place = 0; place < 4; place += TW_PLACE(step)) {
                if (4 * word < place + taps) {
                    const uint32_t moved = place > 0 ? own << (8 * place) | before >> (32 - 8 * place) : own;
                    tw_store_word(spread + 4 * (tw_spread_before(step, taps, place) + word), moved);
                }
            }
            before = own;
        }
        w += w_row;
        spread += 4 * tw_spread_before(step, taps, 4);
    }
}

/* Adds the products of a row of windows to the sums of at most 8 pixels. */
TW_BLOCK void tw_window_row(
    const int8_t *x, const int8_t *weights, int32_t *s, int32_t pixels, int32_t step, int32_t taps, int32_t is_signed,
    int32_t are_signed) {
    const int32_t words = ((pixels - 1) * step + taps + 3) / 4;
    TW_UNROLL(64)
    for (int32_t word = 0; word < words; ++word) {
        const uint32_t a = tw_word(x + 4 * word);
        TW_UNROLL(8)
        for (int32_t pixel = 0; pixel < pixels; ++pixel) {
            const int32_t place = pixel * step % 4, own = word - pixel * step / 4;
            if (own >= 0 && 4 * own < place + taps) {
                const int8_t *const weight = weights + 4 * (tw_spread_before(step, taps, place) + own);
                s[pixel] = tw_dot4(a, tw_word(weight), s[pixel], is_signed, are_signed);
            }
        }
    }
}

/*
 * Sums over the windows of at most 8 pixels of a channel, `step` bytes apart in lines that begin at a word, with weights
 * as tw_spread_weights leaves them. Each word of a line is loaded once, and multiplied for each window that it is part of.
 * Up to 3 rows are unrolled; the code of more would not fit a core's own instruction cache of 512 bytes.
 */
TW_BLOCK void tw_window_words(
    const int8_t *x, const int8_t *weights, int32_t *sums, int32_t pixels, int32_t step, int32_t x_row, int32_t rows,
    int32_t taps, int32_t is_signed, int32_t are_signed) {
    const int32_t row_bytes = 4 * tw_spread_before(step, taps, 4);
    int32_t s[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    if (rows <= 3) {
        TW_UNROLL(3)
        for (int32_t row = 0; row < rows; ++row) {
            tw_window_row(
                x + row * x_row, weights + row * row_bytes, s, pixels, step, taps, is_signed, are_signed);
        }
    } else {
        TW_UNROLL(1)
        for (int32_t row = 0; row < rows; ++row, x += x_row, weights += row_bytes) {
            tw_window_row(x, weights, s, pixels, step, taps, is_signed, are_signed);
        }
    }
    for (int32_t pixel = 0; pixel < pixels; ++pixel) sums[pixel] = s[pixel];
}
#undef TW_PLACE

#undef TW_ROW_POINTERS
#undef TW_SUMS
#undef TW_ADD_WORD
#undef TW_ADD_BYTE
#undef TW_SAVE

#endif
