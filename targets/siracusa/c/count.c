#include "tw_count.h"

#include "program.h"
#include "tw_cluster.h"

static struct tw_counted counted[TW_COUNTED];
static uint32_t number, since;

static void flush(void) { counted[number].cycles += tw_cycles() - since; }

void tw_count_begin(void) {
    for (uint32_t each = 0; each < TW_COUNTED; ++each) counted[each] = (struct tw_counted){0u, 0u};
    number = 0u;
    since = tw_cycles();
}

void tw_count_enter(uint32_t call) {
    flush();
    number = call;
    counted[call].calls++;
    since = tw_cycles();
}

void tw_count_leave(void) {
    flush();
    number = 0u;
    since = tw_cycles();
}

void tw_count_end(void) {
    flush();
    for (uint32_t each = 0; each < TW_COUNTED; ++each) {
        tw_put_text("count ");
        tw_put_decimal(each);
        tw_put(' ');
        tw_put_decimal(counted[each].cycles);
        tw_put(' ');
        tw_put_decimal(counted[each].calls);
        tw_put('\n');
    }
}
