/* Loading of a manifest: nothing of it is used before all of it is checked. */
#include "tw_paged_pool.h"

#include <errno.h>
#include <string.h>

typedef struct reader {
    tw_paged_pool *pool;
    int file;
    uint64_t size, offset; /* of what is left: [offset - filled + used, size) */
    uint64_t filled, used;
    tw_paged_status status;
} reader;

static tw_paged_status damaged(tw_paged_pool *pool, const char *what)
{
    return tw_paged_fail(pool, TW_PAGED_CORRUPT, "%s/" TW_PAGED_MANIFEST " is damaged: %s", pool->folder, what);
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
                from->status = tw_paged_failed_call(pool, "pread", TW_PAGED_MANIFEST, result.error);
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
        return tw_paged_fail(from->pool, TW_PAGED_NEWER, "%s/" TW_PAGED_MANIFEST " is of version %u, this library reads up to %u",
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
            return result.status == TW_PAGED_IO ? tw_paged_failed_call(pool, "pread", TW_PAGED_MANIFEST, result.error)
                                                : damaged(pool, "it ends early");
        crc = tw_paged_crc(pool->crc, crc, pool->buffer, more);
        offset += more;
    }
    unsigned char stored[4];
    const tw_paged_result result = tw_paged_read_all(&pool->io, file, stored, sizeof stored, size - 4);
    if (result.status == TW_PAGED_IO)
        return tw_paged_failed_call(pool, "pread", TW_PAGED_MANIFEST, result.error);
    return result.status == TW_PAGED_OK && crc == tw_paged_get32(stored) ? TW_PAGED_OK
                                                                         : damaged(pool, "its checksum is another");
}

static tw_paged_status check_shape(reader *from)
{
    static const char *const names[TW_PAGED_SHAPES] = {"layers",      "heads",   "kv_heads", "head_dim",
                                              "page_length", "element", "digest"};
    tw_paged_pool *pool = from->pool;
    uint32_t expected[TW_PAGED_SHAPES], found[TW_PAGED_SHAPES];
    unsigned char model[TW_PAGED_MODEL_BYTES];
    tw_paged_shapes_of(&pool->config, expected);
    for (uint32_t n = 0; n < TW_PAGED_SHAPES; ++n)
        found[n] = get_u32(from);
    get(from, model, sizeof model);
    for (uint32_t n = 0; n < TW_PAGED_SHAPES && from->status == TW_PAGED_OK; ++n)
        if (found[n] != expected[n])
            return tw_paged_fail(pool, TW_PAGED_FOREIGN, "%s/" TW_PAGED_MANIFEST ": %s is %u, the configuration has %u",
                                 pool->folder, names[n], found[n], expected[n]);
    if (from->status == TW_PAGED_OK && memcmp(model, pool->config.model, sizeof model) != 0)
        return tw_paged_fail(pool, TW_PAGED_FOREIGN, "%s/" TW_PAGED_MANIFEST " is of another model: its hash differs", pool->folder);
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
            return tw_paged_fail(pool, TW_PAGED_BAD_ARGUMENT, "%s/" TW_PAGED_MANIFEST " has row %u, the capacity is %u rows",
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
                             "%s/" TW_PAGED_MANIFEST " has sequence %u of %llu tokens, the configuration %u of %llu at most",
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
        return tw_paged_failed_call(pool, "fstat", TW_PAGED_MANIFEST, (int)size);
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
    const int file = io->open(io->context, pool->folder, TW_PAGED_MANIFEST, false);
    if (file == -ENOENT)
        return TW_PAGED_OK;
    if (file < 0)
        return tw_paged_failed_call(pool, "open", TW_PAGED_MANIFEST, file);
    const tw_paged_status status = read_manifest(pool, file);
    io->close(io->context, file);
    return status;
}
