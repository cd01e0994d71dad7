/* Instructions of the core by calls, included before the sources of a network; those of the counting are not counted. */
#ifndef TW_RV64_COUNT_H
#define TW_RV64_COUNT_H
#ifndef __ASSEMBLER__ /* weights.S has no calls */

#include "rv64.h"

enum { TW_COUNT_DEPTH = 16 };

struct tw_counted {
    uint64_t instructions, calls;
};

extern struct tw_counted tw_counted[TW_COUNTED]; /* 0: what no call counts */
extern struct tw_counting {
    uint64_t since;
    size_t depth, within[TW_COUNT_DEPTH];
} tw_counting;

static inline void tw_count_flush(void) {
    const uint64_t now = tw_instructions();
    tw_counted[tw_counting.within[tw_counting.depth]].instructions += now - tw_counting.since;
}

static inline void tw_count_enter(size_t number) {
    tw_count_flush();
    if (tw_counting.depth + 1 == TW_COUNT_DEPTH) tw_exit(4);
    tw_counting.within[++tw_counting.depth] = number;
    tw_counted[number].calls++;
    tw_counting.since = tw_instructions();
}

static inline void tw_count_leave(void) {
    tw_count_flush();
    tw_counting.depth--;
    tw_counting.since = tw_instructions();
}

#endif
#endif
