/* Sequences: their rows, tails, pins and hashes. */
#include "tw_paged_pool.h"

#include <string.h>

bool tw_paged_exists(const tw_paged_pool *pool, uint32_t sequence)
{
    return sequence < pool->config.max_sequences && pool->sequence[sequence].exists;
}

uint64_t tw_paged_length(const tw_paged_pool *pool, uint32_t sequence)
{
    return tw_paged_exists(pool, sequence) ? pool->sequence[sequence].length : 0;
}

tw_paged_status tw_paged_check_sequence(tw_paged_pool *pool, uint32_t sequence, const char *function)
{
    if (pool->step.is_open)
        return tw_paged_fail(pool, TW_PAGED_BAD_ARGUMENT, "%s: a step is open: commit it or roll it back", function);
    if (!tw_paged_exists(pool, sequence))
        return tw_paged_fail(pool, TW_PAGED_BAD_ARGUMENT, "%s: there is no sequence %u", function, sequence);
    return TW_PAGED_OK;
}

static tw_paged_status new_sequence(tw_paged_pool *pool, uint32_t *sequence)
{
    for (uint32_t n = 0; n < pool->config.max_sequences; ++n) {
        if (pool->sequence[n].exists)
            continue;
        *sequence = n;
        return TW_PAGED_OK;
    }
    return tw_paged_fail(pool, TW_PAGED_FULL, "all %u sequences are in use", pool->config.max_sequences);
}

tw_paged_status tw_paged_create(tw_paged_pool *pool, uint32_t *sequence)
{
    if (pool->step.is_open)
        return tw_paged_fail(pool, TW_PAGED_BAD_ARGUMENT, "create: a step is open: commit it or roll it back");
    const tw_paged_status status = new_sequence(pool, sequence);
    if (status != TW_PAGED_OK)
        return status;
    pool->sequence[*sequence].exists = true;
    pool->sequence[*sequence].length = 0;
    return TW_PAGED_OK;
}

void tw_paged_copy_tokens(const tw_paged_pool *pool, unsigned char *to, const unsigned char *from, uint32_t tokens)
{
    const uint64_t half = pool->shape.payload / 2, bytes = half / pool->config.page_length * tokens;
    memcpy(to, from, bytes);
    memcpy(to + half, from + half, bytes);
}

tw_paged_status tw_paged_fork(tw_paged_pool *pool, uint32_t sequence, uint32_t *fork)
{
    tw_paged_status status = tw_paged_check_sequence(pool, sequence, "fork");
    if (status == TW_PAGED_OK)
        status = new_sequence(pool, fork);
    if (status != TW_PAGED_OK)
        return status;
    const tw_paged_sequence *from = &pool->sequence[sequence];
    tw_paged_sequence *to = &pool->sequence[*fork];
    const uint64_t blocks = from->length / pool->config.page_length;
    to->exists = true;
    to->length = from->length;
    memcpy(to->tokens, from->tokens, 4 * from->length);
    memcpy(to->rows, from->rows, 4 * blocks);
    for (uint64_t block = 0; block < blocks; ++block)
        ++pool->row[to->rows[block]].users;
    for (uint32_t page = 0; page < pool->shape.pages; ++page)
        tw_paged_copy_tokens(pool, tw_paged_tail(pool, to->tail, page), tw_paged_tail(pool, from->tail, page),
                    (uint32_t)(from->length % pool->config.page_length));
    return TW_PAGED_OK;
}

void tw_paged_release_row(tw_paged_pool *pool, uint32_t row)
{
    tw_paged_row *released = &pool->row[row];
    if (--released->users > 0)
        return;
    for (uint32_t page = 0; page < pool->shape.pages; ++page) {
        const uint32_t frame = pool->frame_of_place[tw_paged_place(pool, row, page)];
        if (frame != TW_PAGED_NONE)
            tw_paged_free_frame(pool, frame);
    }
    pool->unwritten -= released->state == TW_PAGED_UNWRITTEN;
    pool->stats.degraded = pool->stats.degraded && pool->unwritten > 0;
    released->state = TW_PAGED_UNUSED;
    released->is_pinned = false;
    if (!released->is_held && row < pool->lowest_row)
        pool->lowest_row = row;
}

tw_paged_status tw_paged_drop(tw_paged_pool *pool, uint32_t sequence)
{
    const tw_paged_status status = tw_paged_check_sequence(pool, sequence, "drop");
    if (status != TW_PAGED_OK)
        return status;
    tw_paged_sequence *dropped = &pool->sequence[sequence];
    for (uint64_t block = 0; block < dropped->length / pool->config.page_length; ++block)
        tw_paged_release_row(pool, dropped->rows[block]);
    dropped->exists = false;
    dropped->length = 0;
    return TW_PAGED_OK;
}

tw_paged_status tw_paged_truncate(tw_paged_pool *pool, uint32_t sequence, uint64_t length)
{
    tw_paged_status status = tw_paged_check_sequence(pool, sequence, "truncate");
    if (status != TW_PAGED_OK)
        return status;
    tw_paged_sequence *truncated = &pool->sequence[sequence];
    if (length > truncated->length)
        return tw_paged_fail(pool, TW_PAGED_BAD_ARGUMENT, "truncate: sequence %u has %llu tokens, not %llu", sequence,
                             (unsigned long long)truncated->length, (unsigned long long)length);
    const uint32_t page_length = pool->config.page_length, tail = (uint32_t)(length % page_length);
    const uint64_t blocks = length / page_length, blocks_before = truncated->length / page_length;
    if (blocks < blocks_before && tail > 0) {
        for (uint32_t page = 0; page < pool->shape.pages; ++page) {
            unsigned char *slot;
            status = tw_paged_page(pool, truncated->rows[blocks], page, &slot);
            if (status != TW_PAGED_OK)
                return status;
            tw_paged_copy_tokens(pool, tw_paged_tail(pool, pool->spare_tail, page), slot + TW_PAGED_HEADER, tail);
        }
        const uint32_t spare = truncated->tail;
        truncated->tail = pool->spare_tail;
        pool->spare_tail = spare;
    }
    for (uint64_t block = blocks; block < blocks_before; ++block)
        tw_paged_release_row(pool, truncated->rows[block]);
    truncated->length = length;
    return TW_PAGED_OK;
}

static tw_paged_status set_pins(tw_paged_pool *pool, uint32_t sequence, uint64_t first, uint64_t last, bool is_pinned,
                                const char *function)
{
    const tw_paged_status status = tw_paged_check_sequence(pool, sequence, function);
    if (status != TW_PAGED_OK)
        return status;
    const tw_paged_sequence *pinned = &pool->sequence[sequence];
    if (first > last || last > pinned->length)
        return tw_paged_fail(pool, TW_PAGED_BAD_ARGUMENT, "%s: [%llu, %llu) is no range of the %llu tokens", function,
                             (unsigned long long)first, (unsigned long long)last, (unsigned long long)pinned->length);
    const uint64_t page_length = pool->config.page_length, full = pinned->length / page_length;
    for (uint64_t block = first / page_length; first < last && block < full && block * page_length < last; ++block)
        pool->row[pinned->rows[block]].is_pinned = is_pinned;
    return TW_PAGED_OK;
}

tw_paged_status tw_paged_pin(tw_paged_pool *pool, uint32_t sequence, uint64_t first, uint64_t last)
{
    return set_pins(pool, sequence, first, last, true, "pin");
}

tw_paged_status tw_paged_unpin(tw_paged_pool *pool, uint32_t sequence, uint64_t first, uint64_t last)
{
    return set_pins(pool, sequence, first, last, false, "unpin");
}

tw_paged_status tw_paged_tokens(const tw_paged_pool *pool, uint32_t sequence, uint64_t first, uint32_t count,
                                uint32_t *tokens)
{
    const uint64_t length = tw_paged_length(pool, sequence);
    if (!tw_paged_exists(pool, sequence) || first > length || count > length - first)
        return TW_PAGED_BAD_ARGUMENT;
    memcpy(tokens, pool->sequence[sequence].tokens + first, 4 * (uint64_t)count);
    return TW_PAGED_OK;
}

static uint32_t crc_u32(tw_paged_pool *pool, uint32_t crc, const uint32_t *values, uint64_t count)
{
    return tw_paged_crc(pool->crc, crc, values, 4 * count);
}

tw_paged_status tw_paged_hash(tw_paged_pool *pool, uint32_t sequence, uint64_t *hash)
{
    tw_paged_status status = tw_paged_check_sequence(pool, sequence, "hash");
    if (status != TW_PAGED_OK)
        return status;
    const tw_paged_sequence *hashed = &pool->sequence[sequence];
    const uint64_t page_length = pool->config.page_length, blocks = hashed->length / page_length;
    const uint64_t half = pool->shape.payload / 2, tail = half / page_length * (hashed->length % page_length);
    unsigned char length[8];
    tw_paged_put64(length, hashed->length);
    uint32_t facts = tw_paged_crc(pool->crc, 0, length, sizeof length), data = 0;
    facts = crc_u32(pool, facts, hashed->tokens, hashed->length);
    for (uint64_t block = 0; block < blocks; ++block) {
        for (uint32_t page = 0; page < pool->shape.pages; ++page) {
            unsigned char *slot;
            status = tw_paged_page(pool, hashed->rows[block], page, &slot);
            if (status != TW_PAGED_OK)
                return status;
            const unsigned char *digest = tw_paged_digest(pool, hashed->rows[block], page);
            facts = tw_paged_crc(pool->crc, facts, digest, pool->shape.digest);
            data = tw_paged_crc(pool->crc, data, slot + TW_PAGED_HEADER, pool->shape.payload);
        }
    }
    for (uint32_t page = 0; page < pool->shape.pages; ++page) {
        const unsigned char *keys = tw_paged_tail(pool, hashed->tail, page);
        data = tw_paged_crc(pool->crc, data, keys, tail);
        data = tw_paged_crc(pool->crc, data, keys + half, tail);
    }
    *hash = (uint64_t)facts << 32 | data;
    return TW_PAGED_OK;
}
