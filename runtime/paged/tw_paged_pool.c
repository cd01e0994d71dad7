/* Pools: opening, closing, messages and statistics. */
#include "tw_paged_pool.h"

#include "tw_paged_numbers.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

tw_paged_status tw_paged_fail(tw_paged_pool *pool, tw_paged_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(pool->message, sizeof pool->message, format, arguments);
    va_end(arguments);
    return status;
}

static tw_paged_status open_file(tw_paged_pool *pool, const char *name, int *file, uint64_t *size)
{
    const int opened = pool->io.open(pool->io.context, pool->folder, name, false);
    if (opened == -ENOENT)
        return TW_PAGED_OK;
    if (opened < 0)
        return tw_paged_failed_call(pool, "open", name, opened);
    *file = opened;
    const int64_t bytes = pool->io.size(pool->io.context, opened);
    if (bytes < 0)
        return tw_paged_failed_call(pool, "fstat", name, (int)bytes);
    *size = (uint64_t)bytes;
    return TW_PAGED_OK;
}

static tw_paged_status lock_folder(tw_paged_pool *pool)
{
    pool->lock_file = pool->io.open(pool->io.context, pool->folder, "lock", true);
    if (pool->lock_file < 0)
        return tw_paged_failed_call(pool, "open", "lock", pool->lock_file);
    const int error = pool->io.lock(pool->io.context, pool->lock_file);
    if (error == -EWOULDBLOCK)
        return tw_paged_fail(pool, TW_PAGED_LOCKED, "%s is open in another process or pool", pool->folder);
    return error == 0 ? TW_PAGED_OK : tw_paged_failed_call(pool, "flock", "lock", error);
}

/* Check that the files hold the rows of the manifest. */
static tw_paged_status check_sizes(tw_paged_pool *pool)
{
    uint64_t rows = 0;
    for (uint32_t row = 0; row < pool->shape.rows; ++row)
        rows = pool->row[row].users > 0 ? row + UINT64_C(1) : rows;
    const uint64_t sizes[2] = {pool->pages_size, pool->digests_size};
    const uint64_t needed[2] = {rows * pool->shape.pages * pool->shape.slot, rows * pool->shape.entry};
    static const char *const names[2] = {"pages.tw", "digests.tw"};
    for (uint32_t n = 0; n < 2; ++n)
        if (sizes[n] < needed[n])
            return tw_paged_fail(pool, TW_PAGED_CORRUPT, "%s/%s has %llu bytes, the rows of the manifest need %llu",
                                 pool->folder, names[n], (unsigned long long)sizes[n], (unsigned long long)needed[n]);
    return TW_PAGED_OK;
}

static tw_paged_status open_folder(tw_paged_pool *pool)
{
    tw_paged_status status = lock_folder(pool);
    if (status == TW_PAGED_OK)
        status = open_file(pool, "pages.tw", &pool->pages_file, &pool->pages_size);
    if (status == TW_PAGED_OK)
        status = open_file(pool, "digests.tw", &pool->digests_file, &pool->digests_size);
    if (status == TW_PAGED_OK)
        status = tw_paged_load_manifest(pool);
    return status == TW_PAGED_OK ? check_sizes(pool) : status;
}

static tw_paged_status refuse(char *message, size_t bytes, tw_paged_status status, const char *text, uint64_t found,
                              uint64_t expected)
{
    if (bytes > 0)
        snprintf(message, bytes, text, (unsigned long long)found, (unsigned long long)expected);
    return status;
}

tw_paged_status tw_paged_open_pool(tw_paged_pool **opened, const tw_paged_config *config, const char *folder,
                                   const tw_paged_io *io, char *message, size_t bytes)
{
    tw_paged_shape shape;
    *opened = NULL;
    if (!tw_paged_shape_of(config, &shape, message, bytes))
        return TW_PAGED_BAD_ARGUMENT;
    if (!tw_paged_numbers_are_exact())
        return refuse(message, bytes, TW_PAGED_BAD_ARGUMENT,
                      "the library is compiled with -ffast-math or fused operations: compile it with -std=c11", 0, 0);
    const uint64_t needed = shape.fixed + shape.least_frames * shape.frame;
    if (config->memory < needed)
        return refuse(message, bytes, TW_PAGED_NO_MEMORY,
                      "memory is %llu bytes, the working set of this configuration %llu", config->memory, needed);
    if (folder != NULL && strlen(folder) >= TW_PAGED_FOLDER)
        return refuse(message, bytes, TW_PAGED_BAD_ARGUMENT, "the folder's path has %llu bytes, at most %llu are possible",
                      strlen(folder), TW_PAGED_FOLDER - 1);
    const uint64_t possible = (config->memory - shape.fixed) / shape.frame;
    const uint64_t frames = possible < shape.most_frames ? possible : shape.most_frames;
    const uint64_t total = shape.fixed + frames * shape.frame;
    tw_paged_pool *pool = total > SIZE_MAX ? NULL : aligned_alloc(TW_PAGED_ALIGNMENT, (size_t)total);
    if (pool == NULL)
        return refuse(message, bytes, TW_PAGED_NO_MEMORY, "the system has no %llu bytes of memory", total, 0);
    memset(pool, 0, sizeof *pool);
    pool->config = *config;
    pool->io = io == NULL ? tw_paged_posix : *io;
    pool->shape = shape;
    pool->stats.memory = total;
    pool->stats.frames = frames;
    pool->frames = (uint32_t)frames;
    pool->lock_file = pool->pages_file = pool->digests_file = -1;
    pool->has_folder = folder != NULL;
    tw_paged_crc_open(pool->crc);
    tw_paged_carve(pool);
    tw_paged_status status = tw_paged_reads_open(pool);
    if (status == TW_PAGED_OK && folder != NULL) {
        memcpy(pool->folder, folder, strlen(folder) + 1);
        status = open_folder(pool);
    }
    if (status == TW_PAGED_OK) {
        *opened = pool;
        return TW_PAGED_OK;
    }
    if (bytes > 0)
        snprintf(message, bytes, "%s", pool->message);
    tw_paged_close(pool);
    return status;
}

tw_paged_status tw_paged_open(tw_paged_pool **opened, const tw_paged_config *config, const char *folder,
                              const tw_paged_io *io, char *message, size_t bytes)
{
    tw_paged_status status = tw_paged_open_pool(opened, config, folder, io, message, bytes);
    if (status != TW_PAGED_OK)
        return status;
    tw_paged_pool *pool = *opened;
    for (uint32_t row = 0; row < pool->shape.rows && status == TW_PAGED_OK; ++row)
        if (pool->row[row].users > 0)
            status = tw_paged_read_digests(pool, row);
    if (status == TW_PAGED_OK)
        return TW_PAGED_OK;
    if (bytes > 0)
        snprintf(message, bytes, "%s", pool->message);
    tw_paged_close(pool);
    *opened = NULL;
    return status;
}

void tw_paged_close(tw_paged_pool *pool)
{
    if (pool == NULL)
        return;
    tw_paged_reads_close(pool);
    const int files[3] = {pool->pages_file, pool->digests_file, pool->lock_file};
    for (uint32_t n = 0; n < 3; ++n)
        if (files[n] >= 0)
            pool->io.close(pool->io.context, files[n]);
    free(pool);
}

const char *tw_paged_message(const tw_paged_pool *pool)
{
    return pool->message;
}

void tw_paged_get_stats(const tw_paged_pool *pool, tw_paged_stats *stats)
{
    *stats = pool->stats;
    stats->resident_pages = pool->used_frames;
    stats->dirty_rows = pool->unwritten;
    for (uint32_t row = 0; row < pool->shape.rows; ++row)
        stats->rows += pool->row[row].users > 0;
}
