/*
 * External RAM, behind the chip's HyperBus, for networks that are larger than the chip: what tw_cluster.h is for the rest.
 *
 * No load or store reaches it: a place there is a number, or a pointer that nothing follows. tw_ram_open takes `bytes` of
 * it and says where they begin, tw_ram_load writes to them; both return when all is done, and are to be called outside of
 * the cluster. tw_ram_open returns 0, or -1 where there is no room. `device` is:
 *   TW_PULP_SDK     the opened RAM, a struct pi_device *
 *   TW_SINGLE_HART  memory that plays the RAM, as many bytes
 *   none, on a PC   NULL
 *
 * The other calls are as those of the DMA, for the cluster controller, with groups of their own: rows lie one after the
 * other in memory of the chip that is not L1, and `far_stride` bytes apart in external RAM.
 */
#ifndef TW_RAM_H
#define TW_RAM_H

#include "tw_cluster.h"

#if defined(TW_BARE_METAL)
#error "external RAM needs the SDK's driver of the HyperBus: compile with -DTW_PULP_SDK"
#endif

#define TW_RAM_GROUPS 32u /* groups of transfers that may be open */

TW_CALL int32_t tw_ram_open(void *device, uint32_t bytes, uintptr_t *place);
TW_CALL void tw_ram_load(uintptr_t place, const void *from, uint32_t bytes);
TW_CALL int32_t tw_ram_begin(void);
TW_CALL void tw_ram_in(void *near, const void *far, int32_t row_bytes, int32_t rows, int32_t far_stride);
TW_CALL void tw_ram_out(void *far, const void *near, int32_t row_bytes, int32_t rows, int32_t far_stride);
TW_CALL void tw_ram_wait(int32_t group);

#if defined(TW_PULP_SDK)
#include "tw_ram_pulp_sdk.h"
#endif

#endif
