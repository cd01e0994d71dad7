/*
 * Rows that are filled, copied or transposed, as `cluster.fill`, `cluster.copy` and `cluster.transpose` state them: word by
 * word where the core has Xpulp, whose words may be misaligned, else as the C compiler has it.
 */
#ifndef TILEWRIGHT_ROWS_H
#define TILEWRIGHT_ROWS_H

#include <stdint.h>

#if defined(TW_XPULP)
#include "tw_row_words.h"
#endif

#if defined(__GNUC__)
#define TW_ROW static inline __attribute__((__unused__, __always_inline__))
#else
#define TW_ROW static inline
#endif

TW_ROW void tw_fill_row(int8_t *out, int32_t count, int32_t value) {
#ifdef TW_FILL_WORDS
    const int32_t pairs = count / 8;
    if (pairs > 0) {
        TW_FILL_WORDS(out, pairs, (uint32_t)(uint8_t)value * 0x01010101u);
    }
    for (int32_t at = 8 * (pairs > 0 ? pairs : 0); at < count; ++at) out[at] = (int8_t)value;
#else
    for (int32_t at = 0; at < count; ++at) out[at] = (int8_t)value;
#endif
}

/* Copies `count` elements of `size` bytes. */
TW_ROW void tw_copy_row(const void *in, void *out, int32_t count, int32_t size) {
    const int8_t *const from = in;
    int8_t *const to = out;
    const int32_t bytes = count * size;
#ifdef TW_COPY_WORDS
    const int32_t pairs = bytes / 8;
    if (pairs > 0) {
        TW_COPY_WORDS(from, to, pairs);
    }
    for (int32_t at = 8 * (pairs > 0 ? pairs : 0); at < bytes; ++at) to[at] = from[at];
#else
    for (int32_t at = 0; at < bytes; ++at) to[at] = from[at];
#endif
}

/* Columns of `rows` rows of bytes, `x_row` bytes apart, to rows of the output, `out_row` bytes apart. */
TW_ROW void tw_transpose(const int8_t *x, int8_t *out, int32_t columns, int32_t rows, int32_t x_row, int32_t out_row) {
    int32_t column = 0;
#ifdef TW_TRANSPOSE_BLOCKS
    if (rows == 4 && columns >= 4) {
        TW_TRANSPOSE_BLOCKS(x, x + x_row, x + 2 * x_row, x + 3 * x_row, out, columns / 4, out_row);
        column = columns & ~3;
    }
#endif
    for (; column < columns; ++column) {
        for (int32_t row = 0; row < rows; ++row) out[column * out_row + row] = x[row * x_row + column];
    }
}

#endif
