#ifndef TW_CLOCKS_H
#define TW_CLOCKS_H
/* Clocks of processors, set by a thread of its own, so that no stage waits for a transition. */
#include <stdbool.h>
#include <stdint.h>

/* Set the clocks of `clocks` ("big=1800,3:little=600", MHz) that hold from the start; false where that fails. */
bool tw_clocks_open(const char *clocks, const char *backend, const char *cores);
/* Ask for the clocks of a layer. */
void tw_clocks_layer(int32_t layer);
/* The clock in MHz that was asked for last, 0 for none. */
int32_t tw_clocks_level(const char *engine);
/* End the thread and give clocks back to their governors. */
void tw_clocks_close(void);

/* The first CPU of an engine in a table "big=4-5,little=0-3", -1 for none. */
int32_t tw_cores_first(const char *table, const char *engine);
/* Pin the calling thread to the cores of an engine; false where they are none of this machine's. */
bool tw_cores_pin(const char *table, const char *engine);
/* Copy the host of an engine in a table "gpu=little,npu=big"; false without one. */
bool tw_host_of(const char *table, const char *engine, char *host, int32_t size);

#endif
