/* Saving: rows, then a manifest that replaces the last one. docs/paged.md has the format and the order. */
#include "tw_paged_pool.h"

#include <errno.h>
#include <string.h>

#define NEW_MANIFEST "manifest.new"

typedef struct writer {
    tw_paged_pool *pool;
    int file;
    uint32_t crc;
    uint64_t offset, used;
    int error; /* of a write; nothing is written after it */
} writer;

static void flush(writer *to)
{
    if (to->error != 0 || to->used == 0)
        return;
    const tw_paged_result result = tw_paged_write_all(to->pool, to->file, to->pool->buffer, to->used, to->offset);
    to->error = result.error;
    to->offset += to->used;
    to->used = 0;
}

static void put(writer *to, const void *data, uint64_t bytes)
{
    to->crc = tw_paged_crc(to->pool->crc, to->crc, data, bytes);
    for (const unsigned char *rest = data; bytes > 0 && to->error == 0;) {
        const uint64_t left = TW_PAGED_BUFFER - to->used, more = bytes < left ? bytes : left;
        memcpy(to->pool->buffer + to->used, rest, more);
        to->used += more;
        rest += more;
        bytes -= more;
        if (to->used == TW_PAGED_BUFFER)
            flush(to);
    }
}

static void put_u32(writer *to, uint32_t value)
{
    unsigned char data[4];
    tw_paged_put32(data, value);
    put(to, data, sizeof data);
}

static void put_u64(writer *to, uint64_t value)
{
    unsigned char data[8];
    tw_paged_put64(data, value);
    put(to, data, sizeof data);
}

static void put_rows(writer *to)
{
    const tw_paged_pool *pool = to->pool;
    uint32_t count = 0;
    for (uint32_t row = 0; row < pool->shape.rows; ++row)
        count += pool->row[row].users > 0;
    put_u32(to, count);
    for (uint32_t row = 0; row < pool->shape.rows; ++row) {
        if (pool->row[row].users == 0)
            continue;
        put_u32(to, row);
        put_u32(to, pool->row[row].block);
        put_u64(to, pool->row[row].serial);
    }
}

static void put_sequence(writer *to, uint32_t number)
{
    const tw_paged_pool *pool = to->pool;
    const tw_paged_sequence *sequence = &pool->sequence[number];
    const uint32_t length = pool->config.page_length;
    const uint64_t vectors = pool->shape.payload / (2 * length), tail = sequence->length % length * vectors;
    put_u32(to, number);
    put_u32(to, 0);
    put_u64(to, sequence->length);
    put(to, sequence->tokens, 4 * sequence->length);
    put(to, sequence->rows, 4 * (sequence->length / length));
    for (uint32_t page = 0; page < pool->shape.pages && tail > 0; ++page) {
        const unsigned char *data = tw_paged_tail(pool, sequence->tail, page);
        put(to, data, tail);
        put(to, data + pool->shape.payload / 2, tail);
    }
}

static void put_manifest(writer *to)
{
    const tw_paged_pool *pool = to->pool;
    uint32_t shapes[TW_PAGED_SHAPES], sequences = 0;
    tw_paged_shapes_of(&pool->config, shapes);
    put(to, "TWMF", 4);
    put_u32(to, TW_PAGED_VERSION);
    for (uint32_t n = 0; n < TW_PAGED_SHAPES; ++n)
        put_u32(to, shapes[n]);
    put(to, pool->config.model, TW_PAGED_MODEL_BYTES);
    put_u64(to, pool->config.capacity);
    put_u64(to, pool->next_serial);
    put_rows(to);
    for (uint32_t n = 0; n < pool->config.max_sequences; ++n)
        sequences += pool->sequence[n].exists;
    put_u32(to, sequences);
    for (uint32_t n = 0; n < pool->config.max_sequences; ++n)
        if (pool->sequence[n].exists)
            put_sequence(to, n);
    put_u32(to, to->crc);
    flush(to);
}

static tw_paged_status failed(tw_paged_pool *pool, const char *call, const char *name, int error)
{
    ++pool->stats.write_errors;
    return tw_paged_failed_call(pool, call, name, error);
}

/* Sync a file, again where a signal interrupts it. */
static int sync_file(const tw_paged_io *io, int file)
{
    int error = -EINTR;
    while (error == -EINTR)
        error = io->sync(io->context, file);
    return error;
}

static tw_paged_status write_new_manifest(tw_paged_pool *pool)
{
    const tw_paged_io *io = &pool->io;
    int error = io->remove(io->context, pool->folder, NEW_MANIFEST);
    if (error != 0 && error != -ENOENT)
        return failed(pool, "unlink", NEW_MANIFEST, error);
    writer to = {.pool = pool, .file = io->open(io->context, pool->folder, NEW_MANIFEST, true)};
    if (to.file < 0)
        return failed(pool, "open", NEW_MANIFEST, to.file);
    put_manifest(&to);
    const char *call = "pwrite";
    if (to.error == 0) {
        call = "fdatasync";
        to.error = sync_file(io, to.file);
    }
    io->close(io->context, to.file);
    return to.error == 0 ? TW_PAGED_OK : failed(pool, call, NEW_MANIFEST, to.error);
}

static tw_paged_status sync_rows(tw_paged_pool *pool)
{
    const tw_paged_io *io = &pool->io;
    const int files[2] = {pool->pages_file, pool->digests_file};
    static const char *const names[2] = {"pages.tw", "digests.tw"};
    for (uint32_t n = 0; n < 2; ++n) {
        const int error = files[n] < 0 ? 0 : sync_file(io, files[n]);
        if (error == 0)
            continue;
        for (uint32_t row = 0; row < pool->shape.rows; ++row)
            if (pool->row[row].state == TW_PAGED_WRITTEN)
                pool->row[row].state = TW_PAGED_SUSPECT;
        pool->is_suspect = true;
        return failed(pool, "fdatasync", names[n], error);
    }
    for (uint32_t row = 0; row < pool->shape.rows; ++row)
        if (pool->row[row].state == TW_PAGED_WRITTEN)
            pool->row[row].state = TW_PAGED_SYNCED;
    return TW_PAGED_OK;
}

static tw_paged_status sync_folder(tw_paged_pool *pool)
{
    const int error = pool->io.sync_folder(pool->io.context, pool->folder);
    if (error != 0)
        return failed(pool, "fsync", ".", error);
    pool->is_folder_changed = false;
    return TW_PAGED_OK;
}

/* Hold the rows of the new manifest, and those of the last one until the new one is durable. */
static void hold_rows(tw_paged_pool *pool, bool is_durable)
{
    for (uint32_t row = 0; row < pool->shape.rows; ++row) {
        const bool was_held = pool->row[row].is_held;
        pool->row[row].is_held = pool->row[row].users > 0 || (was_held && !is_durable);
        if (was_held && !pool->row[row].is_held && row < pool->lowest_row)
            pool->lowest_row = row;
    }
}

tw_paged_status tw_paged_save(tw_paged_pool *pool)
{
    if (!pool->has_folder)
        return tw_paged_fail(pool, TW_PAGED_BAD_ARGUMENT, "save: the pool was opened without a folder");
    if (pool->step.is_open)
        return tw_paged_fail(pool, TW_PAGED_BAD_ARGUMENT, "save: a step is open: commit it or roll it back");
    tw_paged_status status = tw_paged_write_rows(pool, true);
    if (status == TW_PAGED_OK)
        status = sync_rows(pool);
    if (status == TW_PAGED_OK && pool->is_folder_changed)
        status = sync_folder(pool);
    if (status == TW_PAGED_OK)
        status = write_new_manifest(pool);
    if (status != TW_PAGED_OK)
        return status;
    hold_rows(pool, false);
    const int error = pool->io.rename(pool->io.context, pool->folder, NEW_MANIFEST, TW_PAGED_MANIFEST);
    if (error != 0)
        return failed(pool, "rename", NEW_MANIFEST, error);
    status = sync_folder(pool);
    if (status == TW_PAGED_OK)
        hold_rows(pool, true);
    return status;
}
