/* Pages and digests in files: docs/paged.md has the format and the order of writes. */
#include "tw_paged_pool.h"

#include <errno.h>
#include <string.h>

#define PAGES "pages.tw"
#define DIGESTS "digests.tw"
#define ROWS_PER_GROWTH 64

tw_paged_result tw_paged_read_all(const tw_paged_io *io, int file, void *data, uint64_t bytes, uint64_t offset)
{
    for (uint64_t done = 0; done < bytes;) {
        const int64_t count = io->pread(io->context, file, (unsigned char *)data + done, bytes - done, offset + done);
        if (count == -EINTR)
            continue;
        if (count < 0)
            return (tw_paged_result){TW_PAGED_IO, (int)count};
        if (count == 0 || (uint64_t)count > bytes - done)
            return (tw_paged_result){TW_PAGED_CORRUPT, 0};
        done += (uint64_t)count;
    }
    return (tw_paged_result){TW_PAGED_OK, 0};
}

tw_paged_result tw_paged_write_all(tw_paged_pool *pool, int file, const void *data, uint64_t bytes, uint64_t offset)
{
    const tw_paged_io *io = &pool->io;
    for (uint64_t done = 0; done < bytes;) {
        const unsigned char *rest = (const unsigned char *)data + done;
        const int64_t count = io->pwrite(io->context, file, rest, bytes - done, offset + done);
        if (count == -EINTR)
            continue;
        if (count <= 0 || (uint64_t)count > bytes - done)
            return (tw_paged_result){TW_PAGED_IO, count < 0 ? (int)count : -ENOSPC};
        done += (uint64_t)count;
        pool->stats.bytes_written += (uint64_t)count;
    }
    return (tw_paged_result){TW_PAGED_OK, 0};
}

tw_paged_status tw_paged_failed_call(tw_paged_pool *pool, const char *call, const char *name, int error)
{
    const tw_paged_status status = error == -ENOSPC || error == -EDQUOT ? TW_PAGED_NO_SPACE : TW_PAGED_IO;
    return tw_paged_fail(pool, status, "%s/%s: %s failed: %s", pool->folder, name, call, strerror(-error));
}

static tw_paged_status failed_write(tw_paged_pool *pool, const char *call, const char *name, int error)
{
    ++pool->stats.write_errors;
    return tw_paged_failed_call(pool, call, name, error);
}

tw_paged_status tw_paged_read_failed(tw_paged_pool *pool, uint64_t place, tw_paged_result result)
{
    const uint32_t row = (uint32_t)(place / pool->shape.pages), page = (uint32_t)(place % pool->shape.pages);
    pool->stats.read_errors += result.status == TW_PAGED_IO;
    if (result.status == TW_PAGED_IO)
        return tw_paged_failed_call(pool, "pread", PAGES, result.error);
    return tw_paged_fail(pool, TW_PAGED_CORRUPT,
                         "%s/" PAGES ": page %u of row %u is damaged: it is not block %u with serial %llu and its checksum",
                         pool->folder, page, row, pool->row[row].block, (unsigned long long)pool->row[row].serial);
}

/* Headers */

static void put_header(tw_paged_pool *pool, unsigned char *header, uint32_t row, uint32_t page, bool is_digest,
                       uint32_t payload_crc)
{
    const tw_paged_config *config = &pool->config;
    memset(header, 0, TW_PAGED_HEADER);
    memcpy(header, is_digest ? "TWDG" : "TWPG", 4);
    tw_paged_put16(header + 4, TW_PAGED_VERSION);
    header[6] = (unsigned char)(is_digest ? config->digest : config->element);
    memcpy(header + 8, config->model, 16);
    tw_paged_put16(header + 24, page / config->kv_heads);
    tw_paged_put16(header + 26, page % config->kv_heads);
    tw_paged_put32(header + 28, row);
    tw_paged_put32(header + 32, pool->row[row].block);
    tw_paged_put32(header + 36, config->page_length);
    tw_paged_put64(header + 40, pool->row[row].serial);
    tw_paged_put32(header + 48, payload_crc);
    tw_paged_put32(header + 60, tw_paged_crc(pool->crc, 0, header, 60));
}

static bool is_header(tw_paged_pool *pool, const unsigned char *header, uint32_t row, uint32_t page, bool is_digest)
{
    unsigned char expected[TW_PAGED_HEADER];
    put_header(pool, expected, row, page, is_digest, tw_paged_get32(header + 48));
    return memcmp(header, expected, sizeof expected) == 0;
}

tw_paged_result tw_paged_read_place(tw_paged_pool *pool, uint64_t place, unsigned char *slot)
{
    const uint32_t row = (uint32_t)(place / pool->shape.pages), page = (uint32_t)(place % pool->shape.pages);
    const uint64_t slot_bytes = pool->shape.slot;
    tw_paged_result result = tw_paged_read_all(&pool->io, pool->pages_file, slot, slot_bytes, place * slot_bytes);
    if (result.status != TW_PAGED_OK)
        return result;
    if (!is_header(pool, slot, row, page, false) ||
        tw_paged_crc(pool->crc, 0, slot + TW_PAGED_HEADER, pool->shape.payload) != tw_paged_get32(slot + 48))
        result = (tw_paged_result){TW_PAGED_CORRUPT, 1};
    return result;
}

/* Writing */

static tw_paged_status open_for_writing(tw_paged_pool *pool, const char *name, int *file)
{
    if (*file >= 0)
        return TW_PAGED_OK;
    const int opened = pool->io.open(pool->io.context, pool->folder, name, true);
    if (opened < 0)
        return failed_write(pool, "open", name, opened);
    *file = opened;
    pool->is_folder_changed = true;
    return TW_PAGED_OK;
}

static bool is_unsupported(int error)
{
    return error == -EOPNOTSUPP || error == -EINVAL || error == -ENOSYS;
}

/* Let a file hold a row of `bytes`. */
static tw_paged_status grow(tw_paged_pool *pool, const char *name, int file, uint64_t *size, uint32_t row, uint64_t bytes)
{
    if (*size >= (row + UINT64_C(1)) * bytes)
        return TW_PAGED_OK;
    const uint64_t steps = row / ROWS_PER_GROWTH + UINT64_C(1), rows = steps * ROWS_PER_GROWTH;
    const uint64_t grown = (rows < pool->shape.rows ? rows : pool->shape.rows) * bytes;
    int error = -EINTR;
    while (error == -EINTR)
        error = pool->io.reserve(pool->io.context, file, grown);
    if (error != 0 && !is_unsupported(error))
        return failed_write(pool, "posix_fallocate", name, error);
    *size = grown;
    return TW_PAGED_OK;
}

static tw_paged_status write_page(tw_paged_pool *pool, uint32_t row, uint32_t page)
{
    const tw_paged_shape *shape = &pool->shape;
    unsigned char *slot;
    const tw_paged_status status = tw_paged_page(pool, row, page, &slot);
    if (status != TW_PAGED_OK)
        return status;
    put_header(pool, slot, row, page, false, tw_paged_crc(pool->crc, 0, slot + TW_PAGED_HEADER, shape->payload));
    memset(slot + TW_PAGED_HEADER + shape->payload, 0, shape->slot - TW_PAGED_HEADER - shape->payload);
    const uint64_t offset = tw_paged_place(pool, row, page) * shape->slot;
    const tw_paged_result result = tw_paged_write_all(pool, pool->pages_file, slot, shape->slot, offset);
    if (result.status != TW_PAGED_OK)
        return failed_write(pool, "pwrite", PAGES, result.error);
    ++pool->stats.pages_written;
    return TW_PAGED_OK;
}

/* Digests lie by page in memory and by row in the file: an entry is gathered in the buffer. */
static tw_paged_status write_digests(tw_paged_pool *pool, uint32_t row)
{
    const tw_paged_shape *shape = &pool->shape;
    uint32_t crc = 0;
    for (uint32_t page = 0; page < shape->pages; ++page)
        crc = tw_paged_crc(pool->crc, crc, tw_paged_digest(pool, row, page), shape->digest);
    put_header(pool, pool->buffer, row, 0, true, crc);
    uint64_t used = TW_PAGED_HEADER, offset = row * shape->entry;
    for (uint32_t page = 0; page <= shape->pages; ++page) {
        const bool is_end = page == shape->pages;
        const uint64_t more = is_end ? (row + UINT64_C(1)) * shape->entry - offset - used : shape->digest;
        if (used + more > TW_PAGED_BUFFER) {
            const tw_paged_result result = tw_paged_write_all(pool, pool->digests_file, pool->buffer, used, offset);
            if (result.status != TW_PAGED_OK)
                return failed_write(pool, "pwrite", DIGESTS, result.error);
            offset += used;
            used = 0;
        }
        if (is_end)
            memset(pool->buffer + used, 0, more);
        else
            memcpy(pool->buffer + used, tw_paged_digest(pool, row, page), more);
        used += more;
    }
    const tw_paged_result result = tw_paged_write_all(pool, pool->digests_file, pool->buffer, used, offset);
    return result.status == TW_PAGED_OK ? TW_PAGED_OK : failed_write(pool, "pwrite", DIGESTS, result.error);
}

static tw_paged_status write_row(tw_paged_pool *pool, uint32_t row)
{
    const uint64_t row_bytes = pool->shape.pages * pool->shape.slot;
    tw_paged_status status = open_for_writing(pool, PAGES, &pool->pages_file);
    if (status == TW_PAGED_OK)
        status = open_for_writing(pool, DIGESTS, &pool->digests_file);
    if (status == TW_PAGED_OK)
        status = grow(pool, PAGES, pool->pages_file, &pool->pages_size, row, row_bytes);
    if (status == TW_PAGED_OK)
        status = grow(pool, DIGESTS, pool->digests_file, &pool->digests_size, row, pool->shape.entry);
    for (uint32_t page = 0; page < pool->shape.pages && status == TW_PAGED_OK; ++page)
        status = write_page(pool, row, page);
    return status == TW_PAGED_OK ? write_digests(pool, row) : status;
}

tw_paged_status tw_paged_write_rows(tw_paged_pool *pool, bool is_save)
{
    const bool has_suspects = is_save && pool->is_suspect;
    if (!pool->has_folder || (pool->unwritten == 0 && !has_suspects))
        return TW_PAGED_OK;
    for (uint32_t row = 0; row < pool->shape.rows; ++row) {
        tw_paged_row *written = &pool->row[row];
        if (written->state != TW_PAGED_UNWRITTEN && !(has_suspects && written->state == TW_PAGED_SUSPECT))
            continue;
        const tw_paged_status status = write_row(pool, row);
        if (status != TW_PAGED_OK) {
            pool->stats.degraded = pool->unwritten > 0;
            return status;
        }
        pool->unwritten -= written->state == TW_PAGED_UNWRITTEN;
        written->state = TW_PAGED_WRITTEN;
    }
    pool->is_suspect = pool->is_suspect && !is_save;
    pool->stats.degraded = false;
    return TW_PAGED_OK;
}

/* Reading */

static tw_paged_status digests_failed(tw_paged_pool *pool, uint32_t row, tw_paged_result result)
{
    if (result.status == TW_PAGED_IO)
        return tw_paged_failed_call(pool, "pread", DIGESTS, result.error);
    return tw_paged_fail(pool, TW_PAGED_CORRUPT,
                         "%s/" DIGESTS ": the digests of row %u are damaged: they are not of block %u with serial %llu",
                         pool->folder, row, pool->row[row].block, (unsigned long long)pool->row[row].serial);
}

tw_paged_status tw_paged_read_digests(tw_paged_pool *pool, uint32_t row)
{
    const tw_paged_shape *shape = &pool->shape;
    const uint64_t start = row * shape->entry, end = start + shape->entry;
    uint64_t offset = start, filled = 0, used = TW_PAGED_HEADER;
    unsigned char header[TW_PAGED_HEADER];
    uint32_t crc = 0;
    for (uint32_t page = 0; page < shape->pages; ++page) {
        if (used + shape->digest > filled) {
            /* The part of a digest that is left moves to the front. */
            const uint64_t left = filled - (page == 0 ? filled : used);
            memmove(pool->buffer, pool->buffer + filled - left, left);
            const uint64_t most = TW_PAGED_BUFFER - left, more = end - offset < most ? end - offset : most;
            const tw_paged_result result =
                tw_paged_read_all(&pool->io, pool->digests_file, pool->buffer + left, more, offset);
            if (result.status != TW_PAGED_OK)
                return digests_failed(pool, row, result);
            if (page == 0)
                memcpy(header, pool->buffer, sizeof header);
            offset += more;
            filled = left + more;
            used = page == 0 ? TW_PAGED_HEADER : 0;
        }
        memcpy(tw_paged_digest(pool, row, page), pool->buffer + used, shape->digest);
        crc = tw_paged_crc(pool->crc, crc, pool->buffer + used, shape->digest);
        used += shape->digest;
    }
    if (!is_header(pool, header, row, 0, true) || crc != tw_paged_get32(header + 48))
        return digests_failed(pool, row, (tw_paged_result){TW_PAGED_CORRUPT, 0});
    return TW_PAGED_OK;
}
