/* The manifest: rows, sequences and tails that are durable. docs/paged.md has the format. */
#include "tw_paged_pool.h"

#include <errno.h>
#include <string.h>

#define MANIFEST "manifest.tw"
#define NEW_MANIFEST "manifest.new"
#define SHAPES 7

static void shapes_of(const tw_paged_config *config, uint32_t *shapes)
{
    const uint32_t values[SHAPES] = {config->layers,      config->heads,   config->kv_heads, config->head_dim,
                                     config->page_length, config->element, config->digest};
    memcpy(shapes, values, sizeof values);
}

/* Writing */

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
    uint32_t shapes[SHAPES], sequences = 0;
    shapes_of(&pool->config, shapes);
    put(to, "TWMF", 4);
    put_u32(to, TW_PAGED_VERSION);
    for (uint32_t n = 0; n < SHAPES; ++n)
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
    const int error = pool->io.rename(pool->io.context, pool->folder, NEW_MANIFEST, MANIFEST);
    if (error != 0)
        return failed(pool, "rename", NEW_MANIFEST, error);
    status = sync_folder(pool);
    if (status == TW_PAGED_OK)
        hold_rows(pool, true);
    return status;
}

/* Reading */

typedef struct reader {
    tw_paged_pool *pool;
    int file;
    uint64_t size, offset; /* of what is left: [offset - filled + used, size) */
    uint64_t filled, used;
    tw_paged_status status;
} reader;

static tw_paged_status damaged(tw_paged_pool *pool, const char *what)
{
    return tw_paged_fail(pool, TW_PAGED_CORRUPT, "%s/" MANIFEST " is damaged: %s", pool->folder, what);
}

/* Copy the next bytes, or stay failed. */
static void get(reader *from, void *data, uint64_t bytes)
{
    tw_paged_pool *pool = from->pool;
    unsigned char *rest = data;
    while (bytes > 0 && from->status == TW_PAGED_OK) {
        if (from->used == from->filled) {
            const uint64_t left = from->size - from->offset, more = left < TW_PAGED_BUFFER ? left : TW_PAGED_BUFFER;
            if (more == 0) {
                from->status = damaged(pool, "it ends within a field");
                return;
            }
            const tw_paged_result result = tw_paged_read_all(&pool->io, from->file, pool->buffer, more, from->offset);
            if (result.status == TW_PAGED_IO)
                from->status = tw_paged_failed_call(pool, "pread", MANIFEST, result.error);
            else if (result.status != TW_PAGED_OK)
                from->status = damaged(pool, "it ends within a field");
            from->offset += more;
            from->filled = more;
            from->used = 0;
            continue;
        }
        const uint64_t left = from->filled - from->used, more = bytes < left ? bytes : left;
        memcpy(rest, pool->buffer + from->used, more);
        from->used += more;
        rest += more;
        bytes -= more;
    }
}

static uint32_t get_u32(reader *from)
{
    unsigned char data[4] = {0};
    get(from, data, sizeof data);
    return tw_paged_get32(data);
}

static uint64_t get_u64(reader *from)
{
    unsigned char data[8] = {0};
    get(from, data, sizeof data);
    return tw_paged_get64(data);
}

static tw_paged_status check_header(reader *from)
{
    unsigned char magic[4] = {0};
    get(from, magic, sizeof magic);
    const uint32_t version = get_u32(from);
    if (from->status != TW_PAGED_OK)
        return from->status;
    if (memcmp(magic, "TWMF", sizeof magic) != 0 || version == 0)
        return damaged(from->pool, "it does not begin with TWMF and a version");
    if (version > TW_PAGED_VERSION)
        return tw_paged_fail(from->pool, TW_PAGED_NEWER, "%s/" MANIFEST " is of version %u, this library reads up to %u",
                             from->pool->folder, version, TW_PAGED_VERSION);
    return TW_PAGED_OK;
}

static tw_paged_status check_sum(tw_paged_pool *pool, int file, uint64_t size)
{
    uint32_t crc = 0;
    for (uint64_t offset = 0; offset < size - 4;) {
        const uint64_t left = size - 4 - offset, more = left < TW_PAGED_BUFFER ? left : TW_PAGED_BUFFER;
        const tw_paged_result result = tw_paged_read_all(&pool->io, file, pool->buffer, more, offset);
        if (result.status != TW_PAGED_OK)
            return result.status == TW_PAGED_IO ? tw_paged_failed_call(pool, "pread", MANIFEST, result.error)
                                                : damaged(pool, "it ends early");
        crc = tw_paged_crc(pool->crc, crc, pool->buffer, more);
        offset += more;
    }
    unsigned char stored[4];
    const tw_paged_result result = tw_paged_read_all(&pool->io, file, stored, sizeof stored, size - 4);
    if (result.status == TW_PAGED_IO)
        return tw_paged_failed_call(pool, "pread", MANIFEST, result.error);
    return result.status == TW_PAGED_OK && crc == tw_paged_get32(stored) ? TW_PAGED_OK
                                                                         : damaged(pool, "its checksum is another");
}

static tw_paged_status check_shape(reader *from)
{
    static const char *const names[SHAPES] = {"layers",      "heads",   "kv_heads", "head_dim",
                                              "page_length", "element", "digest"};
    tw_paged_pool *pool = from->pool;
    uint32_t expected[SHAPES], found[SHAPES];
    unsigned char model[TW_PAGED_MODEL_BYTES];
    shapes_of(&pool->config, expected);
    for (uint32_t n = 0; n < SHAPES; ++n)
        found[n] = get_u32(from);
    get(from, model, sizeof model);
    for (uint32_t n = 0; n < SHAPES && from->status == TW_PAGED_OK; ++n)
        if (found[n] != expected[n])
            return tw_paged_fail(pool, TW_PAGED_FOREIGN, "%s/" MANIFEST ": %s is %u, the configuration has %u",
                                 pool->folder, names[n], found[n], expected[n]);
    if (from->status == TW_PAGED_OK && memcmp(model, pool->config.model, sizeof model) != 0)
        return tw_paged_fail(pool, TW_PAGED_FOREIGN, "%s/" MANIFEST " is of another model: its hash differs", pool->folder);
    return from->status;
}

static tw_paged_status get_rows(reader *from)
{
    tw_paged_pool *pool = from->pool;
    const uint32_t count = get_u32(from);
    uint64_t least = 0;
    for (uint32_t n = 0; n < count && from->status == TW_PAGED_OK; ++n) {
        const uint32_t row = get_u32(from), block = get_u32(from);
        const uint64_t serial = get_u64(from);
        if (from->status != TW_PAGED_OK)
            break;
        if (row < least || serial >= pool->next_serial)
            return damaged(pool, "its rows do not ascend, or a serial is not below the next one");
        if (row >= pool->shape.rows)
            return tw_paged_fail(pool, TW_PAGED_BAD_ARGUMENT, "%s/" MANIFEST " has row %u, the capacity is %u rows",
                                 pool->folder, row, pool->shape.rows);
        pool->row[row] = (tw_paged_row){.serial = serial, .block = block, .state = TW_PAGED_SYNCED, .is_held = true};
        least = row + UINT64_C(1);
    }
    return from->status;
}

static bool are_tokens_shared(const tw_paged_pool *pool, uint32_t number, uint32_t block)
{
    const uint64_t length = pool->config.page_length;
    const tw_paged_sequence *sequence = &pool->sequence[number];
    for (uint32_t other = 0; other < number; ++other) {
        const tw_paged_sequence *earlier = &pool->sequence[other];
        if (earlier->exists && earlier->length / length > block && earlier->rows[block] == sequence->rows[block])
            return memcmp(earlier->tokens + block * length, sequence->tokens + block * length, 4 * length) == 0;
    }
    return true;
}

static tw_paged_status use_rows(tw_paged_pool *pool, uint32_t number)
{
    tw_paged_sequence *sequence = &pool->sequence[number];
    const uint64_t blocks = sequence->length / pool->config.page_length;
    for (uint32_t block = 0; block < blocks; ++block) {
        const uint32_t row = sequence->rows[block];
        if (row >= pool->shape.rows || pool->row[row].state != TW_PAGED_SYNCED || pool->row[row].block != block)
            return damaged(pool, "a sequence has a row that is not listed, or as another block");
        if (!are_tokens_shared(pool, number, block))
            return damaged(pool, "two sequences share a row and differ in its tokens");
        ++pool->row[row].users;
    }
    return TW_PAGED_OK;
}

static tw_paged_status get_sequence(reader *from, uint64_t *least)
{
    tw_paged_pool *pool = from->pool;
    const uint32_t page_length = pool->config.page_length;
    const uint32_t number = get_u32(from), zero = get_u32(from);
    const uint64_t length = get_u64(from);
    if (from->status != TW_PAGED_OK)
        return from->status;
    if (number < *least || zero != 0)
        return damaged(pool, "its sequences do not ascend");
    if (number >= pool->config.max_sequences || length > pool->shape.context)
        return tw_paged_fail(pool, TW_PAGED_BAD_ARGUMENT,
                             "%s/" MANIFEST " has sequence %u of %llu tokens, the configuration %u of %llu at most",
                             pool->folder, number, (unsigned long long)length, pool->config.max_sequences,
                             (unsigned long long)pool->shape.context);
    tw_paged_sequence *sequence = &pool->sequence[number];
    const uint64_t vectors = pool->shape.payload / (2 * page_length), tail = length % page_length * vectors;
    *least = number + UINT64_C(1);
    sequence->exists = true;
    sequence->length = length;
    get(from, sequence->tokens, 4 * length);
    get(from, sequence->rows, 4 * (length / page_length));
    for (uint32_t page = 0; page < pool->shape.pages && tail > 0; ++page) {
        unsigned char *data = tw_paged_tail(pool, sequence->tail, page);
        get(from, data, tail);
        get(from, data + pool->shape.payload / 2, tail);
    }
    return from->status == TW_PAGED_OK ? use_rows(pool, number) : from->status;
}

static tw_paged_status get_state(reader *from)
{
    tw_paged_pool *pool = from->pool;
    (void)get_u64(from);
    pool->next_serial = get_u64(from);
    tw_paged_status status = get_rows(from);
    if (status != TW_PAGED_OK)
        return status;
    const uint32_t count = get_u32(from);
    uint64_t least = 0;
    for (uint32_t n = 0; n < count && status == TW_PAGED_OK; ++n)
        status = get_sequence(from, &least);
    if (status != TW_PAGED_OK || from->status != TW_PAGED_OK)
        return status == TW_PAGED_OK ? from->status : status;
    if (from->offset - from->filled + from->used != from->size)
        return damaged(pool, "bytes follow its last field");
    for (uint32_t row = 0; row < pool->shape.rows; ++row)
        if (pool->row[row].state == TW_PAGED_SYNCED && pool->row[row].users == 0)
            return damaged(pool, "no sequence has one of its rows");
    return TW_PAGED_OK;
}

static tw_paged_status read_manifest(tw_paged_pool *pool, int file)
{
    const int64_t size = pool->io.size(pool->io.context, file);
    if (size < 0)
        return tw_paged_failed_call(pool, "fstat", MANIFEST, (int)size);
    reader from = {.pool = pool, .file = file, .size = size < 12 ? (uint64_t)size : (uint64_t)size - 4};
    tw_paged_status status = check_header(&from);
    if (status != TW_PAGED_OK)
        return status;
    if (size < 12)
        return damaged(pool, "it ends early");
    status = check_sum(pool, file, (uint64_t)size);
    if (status != TW_PAGED_OK)
        return status;
    from = (reader){.pool = pool, .file = file, .size = (uint64_t)size - 4, .offset = 8};
    status = check_shape(&from);
    return status == TW_PAGED_OK ? get_state(&from) : status;
}

tw_paged_status tw_paged_load_manifest(tw_paged_pool *pool)
{
    const tw_paged_io *io = &pool->io;
    const int file = io->open(io->context, pool->folder, MANIFEST, false);
    if (file == -ENOENT)
        return TW_PAGED_OK;
    if (file < 0)
        return tw_paged_failed_call(pool, "open", MANIFEST, file);
    const tw_paged_status status = read_manifest(pool, file);
    io->close(io->context, file);
    return status;
}
