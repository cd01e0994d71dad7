/* What a program for a bare RV64 machine has of its host, by HTIF: files, and the end of the run. */
#ifndef TW_RV64_H
#define TW_RV64_H

#include <stddef.h>
#include <stdint.h>

/* Ends the run with an exit status from 0 to 127. */
_Noreturn void tw_exit(int status);
/* Opens a file of the host for reading, or creates it; returns its descriptor, negative where that fails. */
long tw_open(const char *path, int is_created);
/* Reads or writes up to `bytes`; returns how many, negative where that fails. */
long tw_read(long file, void *to, size_t bytes);
long tw_write(long file, const void *from, size_t bytes);

/* Instructions that the core has retired (the CSR minstret). */
static inline uint64_t tw_instructions(void) {
    uint64_t count;
    __asm__ volatile("csrr %0, minstret" : "=r"(count) : : "memory");
    return count;
}

#endif
