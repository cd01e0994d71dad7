/*
 * Entries of tables, such as page tables, which are checked against the range that the program declares for them.
 * Included after tilewright.h.
 *
 * TW_FAULT() ends the program at an entry out of its range; define it before to do something else, but not to return.
 */
#ifndef TILEWRIGHT_TABLES_H
#define TILEWRIGHT_TABLES_H

#ifndef TW_FAULT
#if defined(__GNUC__)
#define TW_FAULT() __builtin_trap()
#else
#define TW_FAULT() \
    for (;;) { \
    }
#endif
#endif

/* The entry of a table as an index, from `low` to below `high`. */
TW_INLINE int32_t tw_entry_i64(int64_t entry, int64_t low, int64_t high) {
    if (entry < low || entry >= high) {
        TW_FAULT();
    }
    return (int32_t)entry;
}

#endif
