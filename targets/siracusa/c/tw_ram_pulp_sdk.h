/* The calls of tw_ram.h by those of pulp-sdk. */
#ifndef TW_RAM_PULP_SDK_H
#define TW_RAM_PULP_SDK_H

#include "bsp/ram.h"

/*
 * A transfer is a request to the fabric controller's driver, which must stay until it is done; a group has a few that take
 * turns. In pulp-sdk's driver of the HyperBus (hyperbus-v3.c) transfers of several rows do nothing, and chips of the family
 * count the bytes of one in as few as 17 bits: so a request is for one row, or a part of it.
 */
#define TW_RAM_REQUESTS 2u
#define TW_RAM_MOST 0x10000u

typedef struct {
    struct pi_device *device;
    pi_cl_ram_req_t requests[TW_RAM_GROUPS][TW_RAM_REQUESTS];
    uint32_t made[TW_RAM_GROUPS]; /* requests of a group so far; the last TW_RAM_REQUESTS may not be done */
    uint32_t open, latest;
} tw_ram_state_t;

static TW_L2 tw_ram_state_t tw_ram_state __attribute__((__unused__));

TW_CALL int32_t tw_ram_open(void *device, uint32_t bytes, uintptr_t *place) {
    uint32_t address = 0;
    tw_ram_state.device = device;
    if (device == NULL || pi_ram_alloc(device, &address, bytes) != 0) return -1;
    *place = address;
    return 0;
}

TW_CALL void tw_ram_load(uintptr_t place, const void *from, uint32_t bytes) {
    pi_ram_write(tw_ram_state.device, (uint32_t)place, (void *)(uintptr_t)from, bytes);
}

TW_CALL int32_t tw_ram_begin(void) {
    uint32_t group = 0;
    while ((tw_ram_state.open >> group & 1u) != 0u) ++group;
    tw_ram_state.open |= 1u << group;
    tw_ram_state.made[group] = 0u;
    tw_ram_state.latest = group;
    return (int32_t)group;
}

static void __attribute__((__unused__)) tw_ram_request(uint32_t place, uint32_t near, uint32_t bytes, int to_chip) {
    uint32_t *const made = &tw_ram_state.made[tw_ram_state.latest];
    pi_cl_ram_req_t *const request = &tw_ram_state.requests[tw_ram_state.latest][*made % TW_RAM_REQUESTS];
    if (*made >= TW_RAM_REQUESTS) pi_cl_ram_copy_wait(request);
    pi_cl_ram_copy(tw_ram_state.device, place, (void *)(uintptr_t)near, bytes, to_chip, request);
    ++*made;
}

static void __attribute__((__unused__)) tw_ram_rows(
    const void *far, const void *near, int32_t row_bytes, int32_t rows, int32_t far_stride, int to_chip) {
    const uint32_t place = (uint32_t)(uintptr_t)far, at = (uint32_t)(uintptr_t)near;
    const int is_one = row_bytes == far_stride;
    const uint32_t bytes = (uint32_t)(is_one ? row_bytes * rows : row_bytes), count = is_one ? 1u : (uint32_t)rows;
    for (uint32_t row = 0; row < count; ++row) {
        for (uint32_t done = 0; done < bytes; done += TW_RAM_MOST) {
            const uint32_t part = bytes - done < TW_RAM_MOST ? bytes - done : TW_RAM_MOST;
            tw_ram_request(place + row * (uint32_t)far_stride + done, at + row * bytes + done, part, to_chip);
        }
    }
}

TW_CALL void tw_ram_in(void *near, const void *far, int32_t row_bytes, int32_t rows, int32_t far_stride) {
    tw_ram_rows(far, near, row_bytes, rows, far_stride, 1);
}

TW_CALL void tw_ram_out(void *far, const void *near, int32_t row_bytes, int32_t rows, int32_t far_stride) {
    tw_ram_rows(far, near, row_bytes, rows, far_stride, 0);
}

TW_CALL void tw_ram_wait(int32_t group) {
    if (group == TW_DMA_NONE) return;
    const uint32_t made = tw_ram_state.made[group];
    for (uint32_t each = 0; each < made && each < TW_RAM_REQUESTS; ++each) {
        pi_cl_ram_copy_wait(&tw_ram_state.requests[group][each]);
    }
    tw_ram_state.open &= ~(1u << group);
}

#endif
