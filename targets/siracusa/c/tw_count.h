/*
 * Cycles of the controller by calls, included before the sources of a network whose calls are marked. `calls` counts how
 * often each was made; the time of the counting is left out. Number 0 is all that no call counts.
 */
#if !defined(TW_COUNT_H) && !defined(__ASSEMBLER__)
#define TW_COUNT_H

#include <stdint.h>

struct tw_counted {
    uint32_t cycles, calls;
};

void tw_count_begin(void);
void tw_count_enter(uint32_t number);
void tw_count_leave(void);
void tw_count_end(void);

#endif
