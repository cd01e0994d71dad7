/*
 * Random orders of calls on three pools: one with memory for all, in one folder-less piece; one with the least memory,
 * on files whose calls are short, interrupted or fail; one with threads. Results and hashes must be the same bits.
 *
 *     orders FOLDER FIRST LAST     seeds; prints a hash of all results, and stops at the first difference
 */
#define _POSIX_C_SOURCE 200809L
#include "tilewright_paged.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define POOLS 3
#define MOST 4096

static uint64_t state;

static uint32_t random_below(uint32_t limit)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((state >> 33) % limit);
}

static float random_float(void)
{
    return (float)random_below(2001) / 1000.0f - 1.0f;
}

static void stop(uint64_t seed, const char *what, const char *message)
{
    printf("seed %llu: %s: %s\n", (unsigned long long)seed, what, message);
    exit(1);
}

/* With -DCOUNTED and the linker's --wrap: every allocation of the store. */
static uint64_t allocated, allocations;
#ifdef COUNTED
void *__real_aligned_alloc(size_t alignment, size_t bytes);
void *__real_malloc(size_t bytes);
void *__wrap_aligned_alloc(size_t alignment, size_t bytes);
void *__wrap_malloc(size_t bytes);

void *__wrap_aligned_alloc(size_t alignment, size_t bytes)
{
    allocated += bytes;
    ++allocations;
    return __real_aligned_alloc(alignment, bytes);
}

void *__wrap_malloc(size_t bytes)
{
    ++allocations;
    return __real_malloc(bytes);
}
#endif

/* System calls that are short, interrupted, or fail at random. `pread` is called by threads: it draws from its offset. */
typedef struct faults {
    bool is_failing;
    uint32_t calls;
} faults;

static int64_t faulty_pread(void *context, int file, void *data, uint64_t bytes, uint64_t offset)
{
    (void)context;
    const uint64_t mixed = (offset + bytes) * UINT64_C(0x9e3779b97f4a7c15) >> 60;
    return tw_paged_posix.pread(NULL, file, data, mixed < 5 && bytes > 1 ? (bytes + 1) / 2 : bytes, offset);
}

static int64_t faulty_pwrite(void *context, int file, const void *data, uint64_t bytes, uint64_t offset)
{
    faults *f = context;
    const uint32_t kind = ++f->calls * 2654435761u >> 29;
    if (f->is_failing && kind < 3)
        return kind == 0 ? -EIO : -ENOSPC;
    if (kind == 3)
        return -EINTR;
    return tw_paged_posix.pwrite(NULL, file, data, kind == 4 && bytes > 1 ? bytes / 2 : bytes, offset);
}

/* Nothing here is about power failures: to wait for the disk would take minutes. */
static int faulty_sync(void *context, int file)
{
    faults *f = context;
    (void)file;
    return f->is_failing && ++f->calls % 3 == 0 ? -EIO : 0;
}

static int no_sync(void *context, int file)
{
    (void)context;
    (void)file;
    return 0;
}

static int no_sync_folder(void *context, const char *folder)
{
    (void)context;
    (void)folder;
    return 0;
}

static tw_paged_config draw(void)
{
    static const uint32_t groups[] = {1, 2, 3, 4, 5, 8}, lengths[] = {1, 2, 3, 4, 8, 16}, dims[] = {8, 16, 24, 32};
    tw_paged_config c = {
        .layers = 1 + random_below(2),
        .kv_heads = 1 + random_below(2),
        .head_dim = dims[random_below(4)],
        .page_length = lengths[random_below(6)],
        .element = random_below(2),
        .digest = random_below(2),
        .sinks = random_below(2),
        .recent = random_below(2),
        .skip_layers = random_below(4) == 0,
        .reduce = random_below(4),
        .sparse_prefill = random_below(2),
        .max_sequences = 3,
        .scale = 0.25f,
    };
    c.heads = c.kv_heads * groups[random_below(6)];
    c.capacity = c.page_length * (UINT64_C(8) + random_below(20));
    c.budget_pages = random_below(3) == 0 ? 0 : c.sinks + c.recent + 1 + random_below(3);
    return c;
}

typedef struct world {
    uint64_t seed, hash;
    tw_paged_config config;
    tw_paged_pool *pool[POOLS];
    float keys[MOST], values[MOST], queries[MOST], results[POOLS][MOST];
    uint32_t tokens[128];
} world;

static void mix(world *w, const void *data, size_t bytes)
{
    for (size_t n = 0; n < bytes; ++n)
        w->hash = (w->hash ^ ((const unsigned char *)data)[n]) * UINT64_C(0x100000001b3);
}

static void roll_back(world *w)
{
    for (uint32_t n = 0; n < POOLS; ++n)
        tw_paged_rollback(w->pool[n]);
}

/* Do a step in all pools, or in none. */
static void take_step(world *w, uint32_t sequence)
{
    const tw_paged_config *c = &w->config;
    const uint32_t vectors = c->heads * c->head_dim, most = MOST / vectors;
    const uint32_t wanted = random_below(3) == 0 ? 1 + random_below(90) : 1, count = wanted < most ? wanted : most;
    const bool is_dropped = random_below(8) == 0;
    for (uint32_t n = 0; n < count; ++n)
        w->tokens[n] = random_below(512);
    for (uint32_t n = 0; n < POOLS; ++n) {
        const tw_paged_status status = tw_paged_begin(w->pool[n], sequence, count, w->tokens);
        if (status == TW_PAGED_OK)
            continue;
        if (status != TW_PAGED_FULL && status != TW_PAGED_NO_SPACE)
            stop(w->seed, "begin", tw_paged_message(w->pool[n]));
        roll_back(w);
        return;
    }
    for (uint32_t layer = 0; layer < c->layers; ++layer) {
        for (uint32_t n = 0; n < count * c->kv_heads * c->head_dim; ++n) {
            w->keys[n] = random_float();
            w->values[n] = random_float();
        }
        for (uint32_t n = 0; n < count * vectors; ++n)
            w->queries[n] = random_float();
        for (uint32_t n = 0; n < POOLS; ++n) {
            if (tw_paged_append(w->pool[n], layer, w->keys, w->values) != TW_PAGED_OK ||
                tw_paged_attend(w->pool[n], layer, w->queries, w->results[n]) != TW_PAGED_OK)
                stop(w->seed, "append and attend", tw_paged_message(w->pool[n]));
            tw_paged_prefetch(w->pool[n], (layer + 1) % c->layers);
            if (memcmp(w->results[n], w->results[0], 4 * count * vectors) != 0)
                stop(w->seed, "attend", "results differ");
        }
        mix(w, w->results[0], 4 * count * vectors);
        if (is_dropped && random_below(2) == 0)
            break;
    }
    for (uint32_t n = 0; n < POOLS && !is_dropped; ++n)
        if (tw_paged_commit(w->pool[n]) != TW_PAGED_OK)
            stop(w->seed, "commit", tw_paged_message(w->pool[n]));
    roll_back(w);
}

static void compare(world *w)
{
    for (uint32_t sequence = 0; sequence < w->config.max_sequences; ++sequence) {
        uint64_t expected = 0, hash = 0;
        const bool exists = tw_paged_exists(w->pool[0], sequence);
        if (exists && tw_paged_hash(w->pool[0], sequence, &expected) != TW_PAGED_OK)
            stop(w->seed, "hash", tw_paged_message(w->pool[0]));
        for (uint32_t n = 1; n < POOLS && exists; ++n)
            if (tw_paged_hash(w->pool[n], sequence, &hash) != TW_PAGED_OK || hash != expected)
                stop(w->seed, "hash", "states differ");
        mix(w, &expected, sizeof expected);
    }
}

static void change(world *w, uint32_t sequence)
{
    const uint32_t kind = random_below(5), percent = random_below(101);
    const uint64_t length = tw_paged_length(w->pool[0], sequence), part = length * percent / 100;
    tw_paged_status first = TW_PAGED_OK;
    for (uint32_t n = 0; n < POOLS; ++n) {
        uint32_t number;
        tw_paged_status status;
        if (kind == 0)
            status = tw_paged_create(w->pool[n], &number);
        else if (kind == 1)
            status = tw_paged_fork(w->pool[n], sequence, &number);
        else if (kind == 2)
            status = tw_paged_truncate(w->pool[n], sequence, part);
        else if (kind == 3 && percent < 30)
            status = tw_paged_drop(w->pool[n], sequence);
        else
            status = percent % 2 ? tw_paged_pin(w->pool[n], sequence, part / 2, part)
                                 : tw_paged_unpin(w->pool[n], sequence, 0, length);
        first = n == 0 ? status : first;
        if (status != first)
            stop(w->seed, "a change of sequences", tw_paged_message(w->pool[n]));
    }
}

static void check_memory(const world *w)
{
    for (uint32_t n = 0; n < POOLS; ++n) {
        tw_paged_stats stats;
        tw_paged_get_stats(w->pool[n], &stats);
        if (stats.resident_pages > stats.frames || stats.rows * w->config.page_length > w->config.capacity)
            stop(w->seed, "statistics", "more pages than frames, or more rows than there are");
    }
#ifdef COUNTED
    if (allocations != POOLS)
        stop(w->seed, "memory", "there are other allocations than that of each tw_paged_open");
#endif
}

static void run(world *w, const char *folder)
{
    char paths[POOLS][512], message[256];
    faults fault = {false, (uint32_t)w->seed};
    tw_paged_io io = tw_paged_posix, quick = tw_paged_posix;
    quick.sync = no_sync;
    quick.sync_folder = io.sync_folder = no_sync_folder;
    io.context = &fault;
    io.pread = faulty_pread;
    io.pwrite = faulty_pwrite;
    io.sync = faulty_sync;
    state = w->seed * 7919 + 1;
    allocations = 0;
    w->config = draw();
    tw_paged_config configs[POOLS];
    for (uint32_t n = 0; n < POOLS; ++n) {
        configs[n] = w->config;
        configs[n].memory = n == 0 ? UINT64_MAX : tw_paged_working_set(&w->config) + n / 2 * random_below(20000);
        configs[n].eviction = random_below(2);
        configs[n].threads = n == 2 ? 3 : 0;
        snprintf(paths[n], sizeof paths[n], "%s/%llu-%u", folder, (unsigned long long)w->seed, n);
        if (n > 0 && mkdir(paths[n], 0700) != 0)
            stop(w->seed, "mkdir", strerror(errno));
        const uint64_t before = allocated;
        if (tw_paged_open(&w->pool[n], &configs[n], n == 0 ? NULL : paths[n], n == 1 ? &io : &quick, message,
                          sizeof message) != TW_PAGED_OK)
            stop(w->seed, "open", message);
        tw_paged_stats stats;
        tw_paged_get_stats(w->pool[n], &stats);
        if (stats.memory > configs[n].memory || (allocated > 0 && stats.memory != allocated - before))
            stop(w->seed, "memory", "other bytes are allocated than the statistics say, or more than configured");
    }
    for (uint32_t n = 0; n < 60; ++n) {
        const uint32_t sequence = random_below(w->config.max_sequences), kind = random_below(12);
        if (kind == 0)
            fault.is_failing = !fault.is_failing;
        else if (kind == 1)
            for (uint32_t p = 1; p < POOLS; ++p)
                (void)tw_paged_save(w->pool[p]);
        else if (kind < 5)
            change(w, sequence);
        else if (tw_paged_exists(w->pool[0], sequence))
            take_step(w, sequence);
        check_memory(w);
    }
    fault.is_failing = false;
    for (uint32_t n = 1; n < POOLS; ++n) {
        if (tw_paged_save(w->pool[n]) != TW_PAGED_OK)
            stop(w->seed, "save", tw_paged_message(w->pool[n]));
        tw_paged_close(w->pool[n]);
        if (tw_paged_fsck(paths[n], NULL, NULL, NULL) != TW_PAGED_OK)
            stop(w->seed, "fsck", paths[n]);
        if (tw_paged_open(&w->pool[n], &configs[n], paths[n], &quick, message, sizeof message) != TW_PAGED_OK)
            stop(w->seed, "open again", message);
    }
    compare(w);
    for (uint32_t n = 0; n < POOLS; ++n)
        tw_paged_close(w->pool[n]);
}

int main(int count, char **arguments)
{
    static world w;
    if (count != 4)
        return 2;
    w.hash = UINT64_C(0xcbf29ce484222325);
    for (w.seed = strtoull(arguments[2], NULL, 10); w.seed < strtoull(arguments[3], NULL, 10); ++w.seed)
        run(&w, arguments[1]);
    printf("%016llx\n", (unsigned long long)w.hash);
    return 0;
}
