/* CRC32C (Castagnoli), eight bytes at once: by the instruction of SSE 4.2 where the compiler may use it, else by tables. */
#include "tw_paged_pool.h"

#include <string.h>

void tw_paged_crc_open(uint32_t tables[8][256])
{
    for (uint32_t n = 0; n < 256; ++n) {
        uint32_t crc = n;
        for (uint32_t bit = 0; bit < 8; ++bit)
            crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78u : 0u);
        tables[0][n] = crc;
    }
    for (uint32_t n = 0; n < 256; ++n)
        for (uint32_t k = 1; k < 8; ++k)
            tables[k][n] = tables[k - 1][n] >> 8 ^ tables[0][tables[k - 1][n] & 0xff];
}

static uint32_t eight_bytes(uint32_t tables[8][256], uint32_t crc, uint64_t word)
{
#if defined(__SSE4_2__) && defined(__x86_64__) && !defined(TW_PAGED_PLAIN)
    (void)tables;
    return (uint32_t)__builtin_ia32_crc32di(crc, word);
#else
    word ^= crc;
    return tables[7][word & 0xff] ^ tables[6][word >> 8 & 0xff] ^ tables[5][word >> 16 & 0xff] ^
           tables[4][word >> 24 & 0xff] ^ tables[3][word >> 32 & 0xff] ^ tables[2][word >> 40 & 0xff] ^
           tables[1][word >> 48 & 0xff] ^ tables[0][word >> 56];
#endif
}

uint32_t tw_paged_crc(uint32_t tables[8][256], uint32_t crc, const void *data, uint64_t bytes)
{
    const unsigned char *next = data;
    crc = ~crc;
    for (; bytes >= 8; bytes -= 8, next += 8) {
        uint64_t word;
        memcpy(&word, next, sizeof word);
        crc = eight_bytes(tables, crc, word);
    }
    for (; bytes > 0; --bytes, ++next)
        crc = crc >> 8 ^ tables[0][(crc ^ *next) & 0xff];
    return ~crc;
}
