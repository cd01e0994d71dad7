/*
 * The calls of tw_cluster.h on a PC: a thread for each worker, for each group of transfers, and for the NPU.
 *
 * Nothing here orders threads but what orders them on the machine: from the issue of work to the work, from the work to
 * the wait for it. A missing wait is thus a race that ThreadSanitizer reports. Without it, it shows as wrong data in one
 * of the orders that the variable TW_EMULATION_ORDER names: `early`, work is done before its issue returns; `late`, not
 * before it is waited for; `mixed`, some time, by TW_EMULATION_SEED. TW_EMULATION_CORES is the number of workers.
 */
#define _POSIX_C_SOURCE 200809L

#include "emulation.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "npu_model.h"
#include "tw_cluster.h"

#define MOST_CORES 32

static _Thread_local int worker = -1;

/* Memories: the linker gathers their arrays, and tells where they begin and end. */

extern uint8_t __start_tw_l1[] __attribute__((__weak__, __visibility__("hidden")));
extern uint8_t __stop_tw_l1[] __attribute__((__weak__, __visibility__("hidden")));
extern uint8_t __start_tw_weight_memory[] __attribute__((__weak__, __visibility__("hidden")));
extern uint8_t __stop_tw_weight_memory[] __attribute__((__weak__, __visibility__("hidden")));

static struct npu_memory l1(void) {
    const ptrdiff_t size = __stop_tw_l1 - __start_tw_l1;
    return (struct npu_memory){__start_tw_l1, TW_L1_BASE, (uint32_t)size};
}

static struct npu_memory weight_memory(void) {
    const ptrdiff_t size = __stop_tw_weight_memory - __start_tw_weight_memory;
    return (struct npu_memory){__start_tw_weight_memory, TW_WEIGHT_MEMORY_BASE, (uint32_t)size};
}

static bool holds(struct npu_memory memory, const void *from, size_t bytes) {
    const uintptr_t start = (uintptr_t)memory.bytes, at = (uintptr_t)from;
    return at >= start && at - start <= memory.size && bytes <= memory.size - (at - start);
}

static bool meets(struct npu_memory memory, const void *from, size_t bytes) {
    const uintptr_t start = (uintptr_t)memory.bytes, at = (uintptr_t)from;
    return at < start + memory.size && start < at + bytes;
}

/* Settings */

static enum tw_order order;
static uint32_t seed;
static uint32_t cores;

static const char *setting(const char *name, const char *otherwise) {
    const char *const value = getenv(name);
    return value != NULL ? value : otherwise;
}

static uint32_t number_of(const char *name, const char *otherwise, unsigned long least, unsigned long most) {
    const char *const text = setting(name, otherwise);
    char *end;
    const unsigned long value = strtoul(text, &end, 10);
    if (*text == '\0' || *end != '\0' || value < least || value > most) {
        tw_fail("%s is '%s', expected a number from %lu to %lu", name, text, least, most);
    }
    return (uint32_t)value;
}

static enum tw_order order_of(const char *text) {
    if (strcmp(text, "mixed") == 0) return TW_MIXED;
    if (strcmp(text, "early") == 0) return TW_EARLY;
    if (strcmp(text, "late") == 0) return TW_LATE;
    tw_fail("TW_EMULATION_ORDER is '%s', expected mixed, early or late", text);
}

/* Workers */

static struct {
    void (*entry)(void *);
    void *arguments;
    sem_t go[MOST_CORES], back;
    pthread_barrier_t barrier;
} team;

static void *work(void *argument) {
    worker = (int)(intptr_t)argument;
    for (;;) {
        tw_await_semaphore(&team.go[worker]);
        team.entry(team.arguments);
        sem_post(&team.back);
    }
    return NULL;
}

static void start_team(void) {
    memset(&team, 0, sizeof team);
    if (sem_init(&team.back, 0, 0) != 0 || pthread_barrier_init(&team.barrier, NULL, cores) != 0) tw_fail("no barrier");
    for (uint32_t core = 0; core < cores; ++core) {
        pthread_t thread;
        if (sem_init(&team.go[core], 0, 0) != 0 || pthread_create(&thread, NULL, work, (void *)(intptr_t)core) != 0) {
            tw_fail("a thread cannot be started");
        }
        pthread_detach(thread);
    }
}

/* Start: with the first call in a process, since threads do not live on in one that is forked. */

static struct tw_engine channels[TW_DMA_GROUPS], npu;
static uint32_t open_groups;
static int32_t latest = TW_DMA_NONE;
static bool is_acquired;
static pid_t process;

static void start(const char *call) {
    if (worker >= 0) tw_fail("%s is called by a worker", call);
    if (process == getpid()) return;
    process = getpid();
    order = order_of(setting("TW_EMULATION_ORDER", "mixed"));
    seed = number_of("TW_EMULATION_SEED", "0", 0, UINT32_MAX);
    cores = number_of("TW_EMULATION_CORES", "8", 1, MOST_CORES);
    memset(channels, 0, sizeof channels);
    memset(&npu, 0, sizeof npu);
    open_groups = 0;
    latest = TW_DMA_NONE;
    is_acquired = false;
    const uint32_t most = TW_L1_BYTES - TW_WORKERS * TW_STACK_BYTES - TW_MAIN_STACK_BYTES;
    if (l1().size > most) tw_fail("L1 is %u bytes too small for its arrays", (unsigned)(l1().size - most));
    if (weight_memory().size > TW_WEIGHT_MEMORY_BYTES) {
        tw_fail("weight memory is %u bytes too small", (unsigned)(weight_memory().size - TW_WEIGHT_MEMORY_BYTES));
    }
    start_team();
}

void tw_fork(void (*entry)(void *), void *arguments) {
    start("tw_fork");
    team.entry = entry;
    team.arguments = arguments;
    for (uint32_t core = 0; core < cores; ++core) sem_post(&team.go[core]);
    for (uint32_t core = 0; core < cores; ++core) tw_await_semaphore(&team.back);
}

uint32_t tw_cores(void) {
    if (worker < 0) start("tw_cores");
    return cores;
}

uint32_t tw_core(void) {
    if (worker < 0) tw_fail("tw_core is called outside of a fork");
    return (uint32_t)worker;
}

void tw_barrier(void) {
    if (worker < 0) tw_fail("tw_barrier is called outside of a fork");
    pthread_barrier_wait(&team.barrier);
}

/* DMA */

static void copy(const struct tw_task *task) {
    for (ptrdiff_t row = 0; row < task->rows; ++row) {
        memcpy(task->to + row * task->to_stride, task->from + row * task->from_stride, (size_t)task->row_bytes);
    }
}

int32_t tw_dma_begin(void) {
    start("tw_dma_begin");
    int32_t group = 0;
    while (group < (int32_t)TW_DMA_GROUPS && (open_groups >> group & 1u) != 0u) ++group;
    if (group == (int32_t)TW_DMA_GROUPS) tw_fail("all %d groups of transfers are open: the machine would wait for ever", group);
    tw_engine_start(&channels[group], copy, false, order, seed + (uint32_t)group);
    open_groups |= 1u << group;
    latest = group;
    return group;
}

static void transfer(struct tw_task task, const void *near, const void *far, int32_t far_stride, const char *call) {
    start(call);
    if (latest == TW_DMA_NONE) tw_fail("%s is called without an open group of transfers", call);
    if (task.row_bytes < 0 || task.rows < 0 || far_stride < 0) tw_fail("%s: a size is negative", call);
    if (task.row_bytes == 0 || task.rows == 0) return;
    const size_t row = (size_t)task.row_bytes, rows = (size_t)task.rows;
    if (!holds(l1(), near, row * rows)) tw_fail("%s: the near side of %zu bytes is not in L1", call, row * rows);
    if (meets(l1(), far, (size_t)far_stride * (rows - 1u) + row)) tw_fail("%s: the far side is in L1", call);
    task.kind = TW_WORK;
    tw_engine_issue(&channels[latest], task);
}

void tw_dma_in(void *near, const void *far, int32_t row_bytes, int32_t rows, int32_t far_stride) {
    const struct tw_task task = {
        .to = near, .from = far, .row_bytes = row_bytes, .rows = rows, .to_stride = row_bytes, .from_stride = far_stride};
    transfer(task, near, far, far_stride, "tw_dma_in");
}

void tw_dma_out(void *far, const void *near, int32_t row_bytes, int32_t rows, int32_t far_stride) {
    const struct tw_task task = {
        .to = far, .from = near, .row_bytes = row_bytes, .rows = rows, .to_stride = far_stride, .from_stride = row_bytes};
    transfer(task, near, far, far_stride, "tw_dma_out");
}

void tw_dma_wait(int32_t group) {
    start("tw_dma_wait");
    if (group == TW_DMA_NONE) return;
    const bool is_group = group >= 0 && group < (int32_t)TW_DMA_GROUPS;
    if (!is_group || (open_groups >> group & 1u) == 0u) tw_fail("tw_dma_wait: group %d is not open", group);
    tw_engine_await(&channels[group]);
    open_groups &= ~(1u << group);
    if (latest == group) latest = TW_DMA_NONE;
}

/* NPU */

static uint32_t job_words[TW_NPU_REGISTERS];

static void run_job(const struct tw_task *task) {
    static struct npu_model model;
    npu_model_init(&model, l1(), weight_memory());
    if (npu_model_read(&model, NPU_ACQUIRE) > 255u) tw_fail("the NPU has no context");
    for (uint32_t i = 0; i < TW_NPU_REGISTERS; ++i) npu_model_write(&model, NPU_JOB + 4u * i, task->words[i]);
    npu_model_write(&model, NPU_TRIGGER, 0u);
    while (npu_model_read(&model, NPU_STATUS) != 0u) {}
    if (model.fault == NPU_FAULT_JOB) tw_fail("the NPU lacks what a job asks for");
    if (model.fault == NPU_FAULT_MEMORY) tw_fail("a job of the NPU reaches to 0x%08x", (unsigned)model.fault_address);
    if (model.fault != NPU_FAULT_NONE) tw_fail("the NPU's model reports fault %d", (int)model.fault);
}

int32_t tw_npu_acquire(void) {
    start("tw_npu_acquire");
    if (is_acquired) tw_fail("tw_npu_acquire: the job before has not been triggered, the machine would wait for ever");
    tw_engine_start(&npu, run_job, true, order, seed + TW_DMA_GROUPS);
    tw_engine_make_room(&npu, 2u);
    memset(job_words, 0, sizeof job_words);
    is_acquired = true;
    return (int32_t)(npu.issued & 0xffu);
}

void tw_npu_write(uint32_t index, uint32_t value) {
    start("tw_npu_write");
    if (!is_acquired) tw_fail("tw_npu_write: no job has been acquired");
    if (index >= TW_NPU_REGISTERS) tw_fail("tw_npu_write: a job has no register %u", (unsigned)index);
    job_words[index] = value;
}

void tw_npu_trigger(void) {
    start("tw_npu_trigger");
    if (!is_acquired) tw_fail("tw_npu_trigger: no job has been acquired");
    struct tw_task task = {.kind = TW_WORK};
    memcpy(task.words, job_words, sizeof task.words);
    is_acquired = false;
    tw_engine_issue(&npu, task);
}

void tw_npu_wait(void) {
    start("tw_npu_wait");
    tw_engine_await(&npu);
}

uint32_t tw_npu_address(const void *place) {
    const struct npu_memory memories[2] = {l1(), weight_memory()};
    for (size_t i = 0; i < 2; ++i) {
        if (holds(memories[i], place, 1)) return memories[i].base + (uint32_t)((uintptr_t)place - (uintptr_t)memories[i].bytes);
    }
    tw_fail("tw_npu_address: the NPU does not see this place");
}

uint32_t tw_cycles(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint32_t)((uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec);
}
