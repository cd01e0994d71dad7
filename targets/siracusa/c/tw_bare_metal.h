/* The calls of tw_cluster.h by Siracusa's registers. bare_metal.S has started the cores. */
#ifndef TW_BARE_METAL_H
#define TW_BARE_METAL_H

#include "tw_dma_split.h"

#define TW_REGISTER(address) (*(volatile uint32_t *)(uintptr_t)(address))
#define TW_ORDER() __asm__ __volatile__("" ::: "memory")

/* A load that puts the core to sleep until the event unit answers (p.elw). */
TW_CALL uint32_t tw_event_load(uint32_t address) {
    uint32_t value;
    __asm__ __volatile__(".insn i 0x03, 6, %0, 0(%1)" : "=r"(value) : "r"(address) : "memory");
    return value;
}

/*
 * Sleeps until an event has come, which it takes. No other event may wake the core meanwhile, and this one must not
 * during a barrier or a dispatch, hence the mask.
 */
TW_CALL void tw_event_wait(uint32_t event) {
    TW_REGISTER(TW_EVENTS + TW_EVENTS_MASK) = 1u << event;
    (void)tw_event_load(TW_EVENTS + TW_EVENTS_WAIT_CLEAR);
    TW_REGISTER(TW_EVENTS + TW_EVENTS_MASK) = TW_TEAM_EVENTS;
}

/* DMA. The last of a command's words starts it; the engine counts for each group the bytes that are to come. */

static void tw_dma_command(uint32_t near, uint32_t far, uint32_t bytes, uint32_t row_bytes, uint32_t stride, int to_l1) {
    const uint32_t two = row_bytes < bytes ? (uint32_t)TW_MCHAN_2D : 0u;
    const uint32_t direction = to_l1 ? (uint32_t)TW_MCHAN_TO_L1 : 0u;
    TW_ORDER();
    TW_REGISTER(TW_MCHAN) = bytes | direction | TW_MCHAN_INCREMENT | two | TW_MCHAN_EVENT;
    TW_REGISTER(TW_MCHAN) = near;
    TW_REGISTER(TW_MCHAN) = far;
    if (two == 0u) return;
    TW_REGISTER(TW_MCHAN) = row_bytes;
    TW_REGISTER(TW_MCHAN) = stride;
}

TW_CALL int32_t tw_dma_begin(void) { return (int32_t)TW_REGISTER(TW_MCHAN); }

TW_CALL void tw_dma_in(void *near, const void *far, int32_t row_bytes, int32_t rows, int32_t far_stride) {
    const uint32_t most = (1u << TW_MCHAN_LENGTH_BITS) - 8u;
    tw_dma_transfer(near, far, row_bytes, rows, far_stride, most, 1);
}

TW_CALL void tw_dma_out(void *far, const void *near, int32_t row_bytes, int32_t rows, int32_t far_stride) {
    const uint32_t most = (1u << TW_MCHAN_LENGTH_BITS) - 8u;
    tw_dma_transfer(near, far, row_bytes, rows, far_stride, most, 0);
}

TW_CALL void tw_dma_wait(int32_t group) {
    if (group == TW_DMA_NONE) return;
    while ((TW_REGISTER(TW_MCHAN_STATUS) & 1u << group) != 0u) tw_event_wait(TW_EVENT_DMA);
    TW_REGISTER(TW_MCHAN_STATUS) = 1u << group; /* the counter is free again */
    TW_ORDER();
}

/* Workers. Barrier 0 is theirs, barrier 1 that of workers and controller at the end of a fork. */

#define TW_BARRIER_AT(number) (TW_EVENTS + TW_BARRIER + (number) * TW_BARRIER_SIZE)

/* To be called once by the controller, before all else. */
TW_CALL void tw_start(void) {
    const uint32_t workers = (1u << TW_WORKERS) - 1u, all = workers | 1u << TW_CONTROLLER;
    TW_REGISTER(TW_EVENTS + TW_EVENTS_MASK) = TW_TEAM_EVENTS;
    TW_REGISTER(TW_EVENTS + TW_DISPATCH_TEAM) = workers;
    /* A barrier without cores to wait for is passed as soon as it has a target: the trigger mask goes first. */
    TW_REGISTER(TW_BARRIER_AT(0) + TW_BARRIER_TRIGGER_MASK) = workers;
    TW_REGISTER(TW_BARRIER_AT(0) + TW_BARRIER_TARGET_MASK) = workers;
    TW_REGISTER(TW_BARRIER_AT(1) + TW_BARRIER_TRIGGER_MASK) = all;
    TW_REGISTER(TW_BARRIER_AT(1) + TW_BARRIER_TARGET_MASK) = all;
}

TW_CALL void tw_fork(void (*entry)(void *), void *arguments) {
    TW_ORDER();
    TW_REGISTER(TW_EVENTS + TW_DISPATCH) = (uint32_t)(uintptr_t)entry;
    TW_REGISTER(TW_EVENTS + TW_DISPATCH) = (uint32_t)(uintptr_t)arguments;
    (void)tw_event_load(TW_BARRIER_AT(1) + TW_BARRIER_TRIGGER_WAIT_CLEAR);
}

TW_CALL uint32_t tw_cores(void) { return TW_WORKERS; }

TW_CALL uint32_t tw_core(void) {
    uint32_t hart;
    __asm__(".insn i 0x73, 2, %0, x0, -236" : "=r"(hart)); /* csrr mhartid, without the extension Zicsr */
    return hart & 31u;
}

TW_CALL void tw_barrier(void) { (void)tw_event_load(TW_BARRIER_AT(0) + TW_BARRIER_TRIGGER_WAIT_CLEAR); }

/* NPU */

TW_CALL int32_t tw_npu_acquire(void) {
    int32_t job;
    do job = (int32_t)TW_REGISTER(TW_NPU + TW_NPU_ACQUIRE);
    while (job < 0 || job > 255);
    return job;
}

TW_CALL void tw_npu_write(uint32_t index, uint32_t value) { TW_REGISTER(TW_NPU + TW_NPU_JOB + 4u * index) = value; }

TW_CALL void tw_npu_trigger(void) {
    TW_ORDER();
    TW_REGISTER(TW_NPU + TW_NPU_TRIGGER) = 0u;
}

TW_CALL void tw_npu_wait(void) {
    while (TW_REGISTER(TW_NPU + TW_NPU_STATUS) != 0u) tw_event_wait(TW_EVENT_NPU);
    TW_ORDER();
}

TW_CALL uint32_t tw_npu_address(const void *place) { return (uint32_t)(uintptr_t)place; }

TW_CALL uint32_t tw_cycles(void) {
    uint32_t cycles;
    __asm__ __volatile__(".insn i 0x73, 2, %0, x0, -1280" : "=r"(cycles)); /* csrr mcycle */
    return cycles;
}

#endif
