/* The functions that compilers call without being asked to, for programs without a C library. */
#include "freestanding/string.h"

#include <stdint.h>

#define LIBRARY __attribute__((__weak__, __used__))

/* Keeps the compiler from finding in a loop the very function that the loop is. */
#define OPAQUE() __asm__ __volatile__("" ::: "memory")

typedef uint32_t __attribute__((__may_alias__)) word;

static int are_aligned(const void *a, const void *b) { return (((uintptr_t)a | (uintptr_t)b) & 3u) == 0u; }

LIBRARY void *memcpy(void *restrict to, const void *restrict from, size_t count) {
    uint8_t *target = to;
    const uint8_t *source = from;
    if (are_aligned(target, source)) {
        for (; count >= 4u; count -= 4u, target += 4, source += 4) {
            *(word *)target = *(const word *)source;
            OPAQUE();
        }
    }
    for (; count > 0u; --count) {
        *target++ = *source++;
        OPAQUE();
    }
    return to;
}

LIBRARY void *memmove(void *to, const void *from, size_t count) {
    uint8_t *target = to;
    const uint8_t *source = from;
    if ((uintptr_t)target - (uintptr_t)source >= count) return memcpy(to, from, count);
    while (count > 0u) {
        --count;
        target[count] = source[count];
        OPAQUE();
    }
    return to;
}

LIBRARY void *memset(void *to, int value, size_t count) {
    uint8_t *target = to;
    const uint32_t byte = (uint8_t)value;
    for (; count > 0u && ((uintptr_t)target & 3u) != 0u; --count) {
        *target++ = (uint8_t)byte;
        OPAQUE();
    }
    for (; count >= 4u; count -= 4u, target += 4) {
        *(word *)target = byte * 0x01010101u;
        OPAQUE();
    }
    for (; count > 0u; --count) {
        *target++ = (uint8_t)byte;
        OPAQUE();
    }
    return to;
}

LIBRARY int memcmp(const void *a, const void *b, size_t count) {
    const uint8_t *x = a, *y = b;
    for (; count > 0u; --count, ++x, ++y) {
        if (*x != *y) return *x < *y ? -1 : 1;
        OPAQUE();
    }
    return 0;
}
