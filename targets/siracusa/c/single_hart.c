/*
 * The calls of tw_cluster.h on one core of any machine: it copies itself, is the only worker, and computes the NPU's jobs
 * by their model. All is done on return, so what forgets to wait is not found here: the emulation finds it.
 */
#include <stddef.h>
#include <string.h>

#include "npu_model.h"
#include "program.h"
#include "tw_ram.h"

/* Where portable.ld puts the arrays in L1 and in weight memory. */
extern uint8_t tw_l1_start[], tw_l1_end[], tw_weight_memory_start[], tw_weight_memory_end[];

int32_t tw_dma_begin(void) { return 0; }

static void copy_rows(uint8_t *to, int32_t to_stride, const uint8_t *from, int32_t from_stride, int32_t bytes, int32_t rows) {
    if (to_stride == from_stride) {
        bytes *= rows;
        rows = rows > 0 ? 1 : 0;
    }
    for (int32_t row = 0; row < rows; ++row) memcpy(to + row * to_stride, from + row * from_stride, (size_t)bytes);
}

void tw_dma_in(void *near, const void *far, int32_t row_bytes, int32_t rows, int32_t far_stride) {
    copy_rows(near, row_bytes, far, far_stride, row_bytes, rows);
}

void tw_dma_out(void *far, const void *near, int32_t row_bytes, int32_t rows, int32_t far_stride) {
    copy_rows(far, far_stride, near, row_bytes, row_bytes, rows);
}

void tw_dma_wait(int32_t group) { (void)group; }

/* External RAM is memory at another address, so that what follows a pointer there stops the program. */

static struct {
    uint8_t *bytes;
    uint32_t size;
} ram;

#define RAM_PLACE ((uintptr_t)0x40000000) /* where the board has no memory */

int32_t tw_ram_open(void *device, uint32_t bytes, uintptr_t *place) {
    if (device == NULL) return -1;
    ram.bytes = device;
    ram.size = bytes;
    *place = RAM_PLACE;
    return 0;
}

static uint8_t *ram_at(const void *place, uint32_t bytes) {
    const uintptr_t offset = (uintptr_t)place - RAM_PLACE;
    if (offset > ram.size || bytes > ram.size - offset) tw_stop("a place is not in external RAM", (uint32_t)(uintptr_t)place);
    return ram.bytes + offset;
}

static uint32_t spread(int32_t row_bytes, int32_t rows, int32_t far_stride) {
    return row_bytes > 0 && rows > 0 ? (uint32_t)(far_stride * (rows - 1) + row_bytes) : 0u;
}

void tw_ram_load(uintptr_t place, const void *from, uint32_t bytes) { memcpy(ram_at((void *)place, bytes), from, bytes); }

int32_t tw_ram_begin(void) { return 0; }

void tw_ram_in(void *near, const void *far, int32_t row_bytes, int32_t rows, int32_t far_stride) {
    const uint8_t *const from = ram_at(far, spread(row_bytes, rows, far_stride));
    copy_rows(near, row_bytes, from, far_stride, row_bytes, rows);
}

void tw_ram_out(void *far, const void *near, int32_t row_bytes, int32_t rows, int32_t far_stride) {
    uint8_t *const to = ram_at(far, spread(row_bytes, rows, far_stride));
    copy_rows(to, far_stride, near, row_bytes, row_bytes, rows);
}

void tw_ram_wait(int32_t group) { (void)group; }

void tw_fork(void (*entry)(void *), void *arguments) { entry(arguments); }

uint32_t tw_cores(void) { return 1; }

uint32_t tw_core(void) { return 0; }

void tw_barrier(void) {}

static struct npu_model *npu(void) {
    static struct npu_model model;
    if (model.memories[0].bytes == NULL) {
        const struct npu_memory l1 = {tw_l1_start, TW_L1_BASE, (uint32_t)(tw_l1_end - tw_l1_start)};
        const struct npu_memory weights = {
            tw_weight_memory_start, TW_WEIGHT_MEMORY_BASE, (uint32_t)(tw_weight_memory_end - tw_weight_memory_start)};
        npu_model_init(&model, l1, weights);
    }
    return &model;
}

int32_t tw_npu_acquire(void) {
    uint32_t job;
    do job = npu_model_read(npu(), NPU_ACQUIRE);
    while (job > 255u && job != NPU_LOCKED);
    if (job == NPU_LOCKED) tw_stop("tw_npu_acquire: the job before has not been triggered", 0u);
    return (int32_t)job;
}

void tw_npu_write(uint32_t index, uint32_t value) { npu_model_write(npu(), NPU_JOB + 4u * index, value); }

void tw_npu_trigger(void) { npu_model_write(npu(), NPU_TRIGGER, 0u); }

void tw_npu_wait(void) {
    while (npu_model_read(npu(), NPU_STATUS) != 0u) {}
    if (npu()->fault == NPU_FAULT_NONE) return;
    tw_stop(
        npu()->fault == NPU_FAULT_REGISTER   ? "the NPU has no such register"
        : npu()->fault == NPU_FAULT_SEQUENCE ? "no job of the NPU has been acquired"
        : npu()->fault == NPU_FAULT_JOB      ? "the NPU does not support a job"
                                             : "a job of the NPU reaches out of its memories",
        npu()->fault_address);
}

uint32_t tw_npu_address(const void *place) {
    const uint32_t address = npu_model_address(npu(), place);
    if (address == 0u) tw_stop("tw_npu_address: the NPU does not see this place", (uint32_t)(uintptr_t)place);
    return address;
}

uint32_t tw_cycles(void) { return tw_clock(); }
