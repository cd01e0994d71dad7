/*
 * The calls of tw_cluster.h and tw_ram.h on a PC: a thread for each worker, for each group of transfers, and for the NPU.
 *
 * Nothing here orders threads but what orders them on the machine: from the issue of work to the work, from the work to
 * the wait for it. A missing wait is thus a race that ThreadSanitizer reports. Without it, it shows as wrong data in one
 * of the orders that the variable TW_EMULATION_ORDER names: `early`, work is done before its issue returns; `late`, not
 * before it is waited for; `mixed`, some time, by TW_EMULATION_SEED. TW_EMULATION_CORES is the number of workers.
 */
#define _DEFAULT_SOURCE /* POSIX, and memory that is not a file's */

#include "emulation.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "npu_model.h"
#include "tw_ram.h"

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

#define MOST_GROUPS 32
_Static_assert(TW_DMA_GROUPS <= MOST_GROUPS && TW_RAM_GROUPS <= MOST_GROUPS, "more groups than channels");

/* What makes transfers: a channel for each of its groups, a bit for each that is open, and the latest of these. */
static struct mover {
    struct tw_engine channels[MOST_GROUPS];
    uint32_t open;
    int32_t latest;
} dma, hyperbus;

static struct tw_engine npu;
static bool is_acquired;
static pid_t process;

static void start(const char *call) {
    if (worker >= 0) tw_fail("%s is called by a worker", call);
    if (process == getpid()) return;
    process = getpid();
    order = order_of(setting("TW_EMULATION_ORDER", "mixed"));
    seed = number_of("TW_EMULATION_SEED", "0", 0, UINT32_MAX);
    cores = number_of("TW_EMULATION_CORES", "8", 1, MOST_CORES);
    memset(&dma, 0, sizeof dma);
    memset(&hyperbus, 0, sizeof hyperbus);
    memset(&npu, 0, sizeof npu);
    dma.latest = hyperbus.latest = TW_DMA_NONE;
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

/* Transfers */

static void copy(const struct tw_task *task) {
    for (ptrdiff_t row = 0; row < task->rows; ++row) {
        memcpy(task->to + row * task->to_stride, task->from + row * task->from_stride, (size_t)task->row_bytes);
    }
}

static int32_t begin(struct mover *mover, int32_t groups, uint32_t random) {
    int32_t group = 0;
    while (group < groups && (mover->open >> group & 1u) != 0u) ++group;
    if (group == groups) tw_fail("all %d groups of transfers are open: the machine would wait for ever", group);
    tw_engine_start(&mover->channels[group], copy, false, order, random + (uint32_t)group);
    mover->open |= 1u << group;
    mover->latest = group;
    return group;
}

/* Says whether there is anything to move. */
static bool is_transfer(const struct mover *mover, int32_t row_bytes, int32_t rows, int32_t far_stride, const char *call) {
    start(call);
    if (mover->latest == TW_DMA_NONE) tw_fail("%s is called without an open group of transfers", call);
    if (row_bytes < 0 || rows < 0 || far_stride < 0) tw_fail("%s: a size is negative", call);
    return row_bytes > 0 && rows > 0;
}

static size_t spread(int32_t row_bytes, int32_t rows, int32_t far_stride) {
    return (size_t)far_stride * ((size_t)rows - 1u) + (size_t)row_bytes;
}

static void issue_in(struct mover *mover, void *near, const void *far, int32_t row_bytes, int32_t rows, int32_t far_stride) {
    const struct tw_task task = {.kind = TW_WORK, .to = near, .from = far, .row_bytes = row_bytes, .rows = rows,
                                 .to_stride = row_bytes, .from_stride = far_stride};
    tw_engine_issue(&mover->channels[mover->latest], task);
}

static void issue_out(struct mover *mover, void *far, const void *near, int32_t row_bytes, int32_t rows, int32_t far_stride) {
    const struct tw_task task = {.kind = TW_WORK, .to = far, .from = near, .row_bytes = row_bytes, .rows = rows,
                                 .to_stride = far_stride, .from_stride = row_bytes};
    tw_engine_issue(&mover->channels[mover->latest], task);
}

static void await(struct mover *mover, int32_t group, int32_t groups, const char *call) {
    start(call);
    if (group == TW_DMA_NONE) return;
    if (group < 0 || group >= groups || (mover->open >> group & 1u) == 0u) tw_fail("%s: group %d is not open", call, group);
    tw_engine_await(&mover->channels[group]);
    mover->open &= ~(1u << group);
    if (mover->latest == group) mover->latest = TW_DMA_NONE;
}

/* DMA */

int32_t tw_dma_begin(void) {
    start("tw_dma_begin");
    return begin(&dma, (int32_t)TW_DMA_GROUPS, seed);
}

static void check_dma(const void *near, const void *far, int32_t row_bytes, int32_t rows, int32_t far_stride, const char *call) {
    const size_t bytes = (size_t)row_bytes * (size_t)rows;
    if (!holds(l1(), near, bytes)) tw_fail("%s: the near side of %zu bytes is not in L1", call, bytes);
    if (meets(l1(), far, spread(row_bytes, rows, far_stride))) tw_fail("%s: the far side is in L1", call);
}

void tw_dma_in(void *near, const void *far, int32_t row_bytes, int32_t rows, int32_t far_stride) {
    if (!is_transfer(&dma, row_bytes, rows, far_stride, "tw_dma_in")) return;
    check_dma(near, far, row_bytes, rows, far_stride, "tw_dma_in");
    issue_in(&dma, near, far, row_bytes, rows, far_stride);
}

void tw_dma_out(void *far, const void *near, int32_t row_bytes, int32_t rows, int32_t far_stride) {
    if (!is_transfer(&dma, row_bytes, rows, far_stride, "tw_dma_out")) return;
    check_dma(near, far, row_bytes, rows, far_stride, "tw_dma_out");
    issue_out(&dma, far, near, row_bytes, rows, far_stride);
}

void tw_dma_wait(int32_t group) { await(&dma, group, (int32_t)TW_DMA_GROUPS, "tw_dma_wait"); }

/* External RAM: its places are addresses at which nothing may be read or written, its bytes are elsewhere. */

static struct {
    uint8_t *places, *bytes;
    size_t size;
} ram;

int32_t tw_ram_open(void *device, uint32_t bytes, uintptr_t *place) {
    if (worker >= 0) tw_fail("tw_ram_open is called by a worker");
    if (device != NULL) tw_fail("tw_ram_open: on a PC there is no device, expected NULL");
    if (ram.size > 0) {
        munmap(ram.places, ram.size);
        free(ram.bytes);
    }
    ram.size = bytes;
    ram.bytes = malloc(bytes);
    void *const places = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (ram.bytes == NULL || places == MAP_FAILED) tw_fail("there is no memory for %u bytes of external RAM", (unsigned)bytes);
    memset(ram.bytes, 0xa5, bytes);
    ram.places = places;
    *place = (uintptr_t)places;
    return 0;
}

static uint8_t *ram_at(const void *place, size_t bytes, const char *call) {
    const uintptr_t offset = (uintptr_t)place - (uintptr_t)ram.places;
    if (ram.size == 0) tw_fail("%s is called before the external RAM is opened", call);
    if (offset > ram.size || bytes > ram.size - offset) tw_fail("%s: %zu bytes are not in external RAM", call, bytes);
    return ram.bytes + offset;
}

void tw_ram_load(uintptr_t place, const void *from, uint32_t bytes) {
    memcpy(ram_at((const void *)place, bytes, "tw_ram_load"), from, bytes);
}

int32_t tw_ram_begin(void) {
    start("tw_ram_begin");
    return begin(&hyperbus, (int32_t)TW_RAM_GROUPS, seed + TW_DMA_GROUPS + 1u);
}

static void check_ram(const void *near, int32_t row_bytes, int32_t rows, const char *call) {
    const size_t bytes = (size_t)row_bytes * (size_t)rows;
    if (meets(l1(), near, bytes)) tw_fail("%s: the near side is in L1", call);
    if (meets(weight_memory(), near, bytes)) tw_fail("%s: the near side is in weight memory", call);
}

void tw_ram_in(void *near, const void *far, int32_t row_bytes, int32_t rows, int32_t far_stride) {
    if (!is_transfer(&hyperbus, row_bytes, rows, far_stride, "tw_ram_in")) return;
    const uint8_t *const from = ram_at(far, spread(row_bytes, rows, far_stride), "tw_ram_in");
    check_ram(near, row_bytes, rows, "tw_ram_in");
    issue_in(&hyperbus, near, from, row_bytes, rows, far_stride);
}

void tw_ram_out(void *far, const void *near, int32_t row_bytes, int32_t rows, int32_t far_stride) {
    if (!is_transfer(&hyperbus, row_bytes, rows, far_stride, "tw_ram_out")) return;
    uint8_t *const to = ram_at(far, spread(row_bytes, rows, far_stride), "tw_ram_out");
    check_ram(near, row_bytes, rows, "tw_ram_out");
    issue_out(&hyperbus, to, near, row_bytes, rows, far_stride);
}

void tw_ram_wait(int32_t group) { await(&hyperbus, group, (int32_t)TW_RAM_GROUPS, "tw_ram_wait"); }

/* NPU */

static uint32_t job_words[TW_NPU_REGISTERS];

static void run_job(const struct tw_task *task) {
    static struct npu_model model;
    npu_model_init(&model, l1(), weight_memory());
    if (npu_model_read(&model, NPU_ACQUIRE) > 255u) tw_fail("the NPU has no context");
    for (uint32_t i = 0; i < TW_NPU_REGISTERS; ++i) npu_model_write(&model, NPU_JOB + 4u * i, task->words[i]);
    npu_model_write(&model, NPU_TRIGGER, 0u);
    while (npu_model_read(&model, NPU_STATUS) != 0u) {}
    if (model.fault == NPU_FAULT_JOB) tw_fail("the NPU does not support a job");
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
