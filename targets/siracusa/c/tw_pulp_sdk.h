/* The calls of tw_cluster.h by those of pulp-sdk; network_run is what pi_cluster_task runs. */
#ifndef TW_PULP_SDK_H
#define TW_PULP_SDK_H

#include "tw_dma_split.h"

#define TW_REGISTER(address) (*(volatile uint32_t *)(uintptr_t)(address))

/*
 * pi_cl_dma_copy_t counts bytes in 16 bits. All transfers of a group but the first are merged with it: they count on the
 * counter that it has allocated. A group of no transfers has none to wait for.
 */
typedef struct {
    pi_cl_dma_copy_t copies[TW_DMA_GROUPS];
    uint32_t open;    /* a bit for each group that has been begun */
    uint32_t counted; /* and for each that has a counter */
    uint32_t latest;
} tw_dma_state_t;

static TW_L1 tw_dma_state_t tw_dma_state __attribute__((__unused__));

static void tw_dma_command(uint32_t near, uint32_t far, uint32_t bytes, uint32_t row_bytes, uint32_t stride, int to_l1) {
    pi_cl_dma_copy_t *const copy = &tw_dma_state.copies[tw_dma_state.latest];
    const uint32_t bit = 1u << tw_dma_state.latest;
    copy->dir = to_l1 ? PI_CL_DMA_DIR_EXT2LOC : PI_CL_DMA_DIR_LOC2EXT;
    copy->merge = (tw_dma_state.counted & bit) != 0u;
    copy->size = (uint16_t)bytes;
    copy->ext = far;
    copy->loc = near;
    copy->stride = stride;
    copy->length = row_bytes;
    tw_dma_state.counted |= bit;
    if (row_bytes < bytes)
        pi_cl_dma_memcpy_2d(copy);
    else
        pi_cl_dma_memcpy(copy);
}

TW_CALL int32_t tw_dma_begin(void) {
    uint32_t group = 0;
    while ((tw_dma_state.open >> group & 1u) != 0u) ++group;
    tw_dma_state.open |= 1u << group;
    tw_dma_state.latest = group;
    return (int32_t)group;
}

TW_CALL void tw_dma_in(void *near, const void *far, int32_t row_bytes, int32_t rows, int32_t far_stride) {
    tw_dma_transfer(near, far, row_bytes, rows, far_stride, 0xfff8u, 1);
}

TW_CALL void tw_dma_out(void *far, const void *near, int32_t row_bytes, int32_t rows, int32_t far_stride) {
    tw_dma_transfer(near, far, row_bytes, rows, far_stride, 0xfff8u, 0);
}

TW_CALL void tw_dma_wait(int32_t group) {
    if (group == TW_DMA_NONE) return;
    if ((tw_dma_state.counted >> group & 1u) != 0u) pi_cl_dma_wait(&tw_dma_state.copies[group]);
    tw_dma_state.counted &= ~(1u << group);
    tw_dma_state.open &= ~(1u << group);
}

TW_CALL void tw_fork(void (*entry)(void *), void *arguments) { pi_cl_team_fork(TW_WORKERS, entry, arguments); }

TW_CALL uint32_t tw_cores(void) { return TW_WORKERS; }

TW_CALL uint32_t tw_core(void) { return (uint32_t)pi_core_id(); }

TW_CALL void tw_barrier(void) { pi_cl_team_barrier(); }

TW_CALL int32_t tw_npu_acquire(void) {
    int32_t job;
    do job = (int32_t)TW_REGISTER(TW_NPU + TW_NPU_ACQUIRE);
    while (job < 0 || job > 255);
    return job;
}

TW_CALL void tw_npu_write(uint32_t index, uint32_t value) { TW_REGISTER(TW_NPU + TW_NPU_JOB + 4u * index) = value; }

TW_CALL void tw_npu_trigger(void) {
    __asm__ __volatile__("" ::: "memory");
    TW_REGISTER(TW_NPU + TW_NPU_TRIGGER) = 0u;
}

TW_CALL void tw_npu_wait(void) {
    while (TW_REGISTER(TW_NPU + TW_NPU_STATUS) != 0u) eu_evt_maskWaitAndClr(1u << TW_EVENT_NPU);
    __asm__ __volatile__("" ::: "memory");
}

TW_CALL uint32_t tw_npu_address(const void *place) { return (uint32_t)(uintptr_t)place; }

TW_CALL uint32_t tw_cycles(void) { return pi_perf_cl_read(PI_PERF_CYCLES); }

#endif
