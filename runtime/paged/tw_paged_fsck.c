/* Check of a folder: every header, checksum, digest and reference, with a line for each fault. */
#include "tw_paged_pool.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

typedef struct report {
    void (*line)(void *context, const char *text);
    void *context;
    tw_paged_status status; /* of the first fault */
} report;

static void add(report *to, tw_paged_status status, const char *text)
{
    to->status = to->status == TW_PAGED_OK ? status : to->status;
    if (to->line != NULL)
        to->line(to->context, text);
}

static void add_errno(report *to, const char *folder, const char *name, int error)
{
    char text[TW_PAGED_MESSAGE];
    snprintf(text, sizeof text, "%s/%s: %s", folder, name, error == 0 ? "it ends early" : strerror(-error));
    add(to, error == 0 ? TW_PAGED_CORRUPT : TW_PAGED_IO, text);
}

/* Find the number of the last sequence of a manifest with `rows` rows. */
static tw_paged_result read_last_number(const tw_paged_io *io, int file, const tw_paged_config *config, uint32_t rows,
                                        uint32_t *number)
{
    const uint64_t length = config->page_length, element = config->element == TW_PAGED_BF16 ? 2 : 4;
    const uint64_t token = (uint64_t)config->layers * config->kv_heads * 2 * config->head_dim * element;
    unsigned char data[16];
    uint64_t offset = 88 + UINT64_C(16) * rows;
    tw_paged_result result = tw_paged_read_all(io, file, data, 4, offset);
    const uint32_t count = tw_paged_get32(data);
    offset += 4;
    for (uint32_t n = 0; n < count && result.status == TW_PAGED_OK; ++n) {
        result = tw_paged_read_all(io, file, data, sizeof data, offset);
        const uint64_t tokens = tw_paged_get64(data + 8);
        *number = tw_paged_get32(data);
        offset += sizeof data + 4 * tokens + 4 * (tokens / length) + tokens % length * token;
    }
    return result;
}

/* Read from a manifest, whose checksum is right, the configuration that it belongs to. */
static bool read_config(report *to, const char *folder, const tw_paged_io *io, tw_paged_config *config)
{
    unsigned char data[88];
    const int file = io->open(io->context, folder, "manifest.tw", false);
    if (file < 0) {
        if (file != -ENOENT)
            add_errno(to, folder, "manifest.tw", file);
        return false;
    }
    tw_paged_result result = tw_paged_read_all(io, file, data, sizeof data, 0);
    *config = (tw_paged_config){
        .layers = tw_paged_get32(data + 8),
        .heads = tw_paged_get32(data + 12),
        .kv_heads = tw_paged_get32(data + 16),
        .head_dim = tw_paged_get32(data + 20),
        .page_length = tw_paged_get32(data + 24),
        .element = tw_paged_get32(data + 28),
        .digest = tw_paged_get32(data + 32),
        .capacity = tw_paged_get64(data + 68),
        .scale = 1,
    };
    memcpy(config->model, data + 36, TW_PAGED_MODEL_BYTES);
    uint32_t last = 0;
    if (result.status == TW_PAGED_OK && config->page_length > 0)
        result = read_last_number(io, file, config, tw_paged_get32(data + 84), &last);
    config->max_sequences = last + 1;
    io->close(io->context, file);
    if (result.status != TW_PAGED_OK)
        add_errno(to, folder, "manifest.tw", result.error);
    return result.status == TW_PAGED_OK;
}

static bool is_zero(const unsigned char *data, uint64_t bytes)
{
    for (uint64_t n = 0; n < bytes; ++n)
        if (data[n] != 0)
            return false;
    return true;
}

static void check_row(report *to, tw_paged_pool *pool, uint32_t row)
{
    const tw_paged_shape *shape = &pool->shape;
    char text[TW_PAGED_MESSAGE];
    tw_paged_status status = tw_paged_read_digests(pool, row);
    const bool has_digests = status == TW_PAGED_OK;
    if (!has_digests)
        add(to, status, tw_paged_message(pool));
    for (uint32_t page = 0; page < shape->pages; ++page) {
        unsigned char *slot;
        status = tw_paged_page(pool, row, page, &slot);
        if (status != TW_PAGED_OK) {
            add(to, status, tw_paged_message(pool));
            continue;
        }
        if (!is_zero(slot + TW_PAGED_HEADER + shape->payload, shape->slot - TW_PAGED_HEADER - shape->payload)) {
            snprintf(text, sizeof text, "%.128s/pages.tw: page %u of row %u is not followed by zeros", pool->folder, page, row);
            add(to, TW_PAGED_CORRUPT, text);
        }
        tw_paged_make_digest(pool, slot + TW_PAGED_HEADER, pool->buffer);
        if (has_digests && memcmp(pool->buffer, tw_paged_digest(pool, row, page), shape->digest) != 0) {
            snprintf(text, sizeof text, "%.128s/digests.tw: the digest of page %u of row %u is not that of its keys",
                     pool->folder, page, row);
            add(to, TW_PAGED_CORRUPT, text);
        }
    }
}

tw_paged_status tw_paged_fsck(const char *folder, const tw_paged_io *io, void (*line)(void *context, const char *text),
                              void *context)
{
    report to = {line, context, TW_PAGED_OK};
    char message[TW_PAGED_MESSAGE];
    tw_paged_pool *pool;
    /* The least configuration: opening with it checks the header and the checksum, then finds another shape. */
    tw_paged_config config = {.layers = 1, .heads = 1, .kv_heads = 1, .head_dim = 8, .page_length = 1,
                              .max_sequences = 1, .capacity = 1, .scale = 1};
    io = io == NULL ? &tw_paged_posix : io;
    config.memory = tw_paged_working_set(&config);
    tw_paged_status status = tw_paged_open_pool(&pool, &config, folder, io, message, sizeof message);
    tw_paged_close(pool);
    if (status != TW_PAGED_OK && status != TW_PAGED_FOREIGN && status != TW_PAGED_BAD_ARGUMENT) {
        add(&to, status, message);
        return status;
    }
    if (!read_config(&to, folder, io, &config))
        return to.status;
    config.memory = tw_paged_working_set(&config);
    status = tw_paged_open_pool(&pool, &config, folder, io, message, sizeof message);
    if (status != TW_PAGED_OK) {
        add(&to, status == TW_PAGED_BAD_ARGUMENT ? TW_PAGED_CORRUPT : status, message);
        return to.status;
    }
    for (uint32_t row = 0; row < pool->shape.rows; ++row)
        if (pool->row[row].users > 0)
            check_row(&to, pool, row);
    tw_paged_close(pool);
    return to.status;
}
