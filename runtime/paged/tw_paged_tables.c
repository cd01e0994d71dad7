/* Tables of a pool for those who select pages themselves: digests of blocks, rows of sequences, pages that were touched. */
#include "tw_paged_pool.h"

#include "tw_paged_numbers.h"

#include <string.h>

tw_paged_status tw_paged_digests(tw_paged_pool *pool, uint32_t layer, uint32_t blocks, float *digests)
{
    const tw_paged_step *step = &pool->step;
    const uint32_t numbers = 2 * pool->config.head_dim;
    if (!step->is_open || step->appended != layer + UINT64_C(1))
        return tw_paged_fail(pool, TW_PAGED_BAD_ARGUMENT, "digests: layer %u is not the one appended last", layer);
    const uint64_t full = (step->first + step->count) / pool->config.page_length;
    if (full > blocks)
        return tw_paged_fail(pool, TW_PAGED_BAD_ARGUMENT, "digests: %llu blocks are full, of %u that are asked for",
                             (unsigned long long)full, blocks);
    memset(digests, 0, 4 * (uint64_t)pool->config.kv_heads * blocks * numbers);
    for (uint32_t head = 0; head < pool->config.kv_heads; ++head) {
        for (uint64_t block = 0; block < full; ++block) {
            const uint32_t row = pool->sequence[step->sequence].rows[block];
            const unsigned char *digest = tw_paged_digest(pool, row, layer * pool->config.kv_heads + head);
            float *to = digests + ((uint64_t)head * blocks + block) * numbers;
            if (pool->config.digest == TW_PAGED_F32)
                memcpy(to, digest, 4 * (uint64_t)numbers);
            for (uint32_t n = 0; n < numbers && pool->config.digest == TW_PAGED_BF16; ++n)
                to[n] = tw_paged_widen(((const uint16_t *)(const void *)digest)[n]);
        }
    }
    return TW_PAGED_OK;
}

uint32_t tw_paged_rows(const tw_paged_pool *pool, uint32_t sequence, uint32_t *rows)
{
    const uint64_t full = tw_paged_length(pool, sequence) / pool->config.page_length;
    if (full > 0)
        memcpy(rows, pool->sequence[sequence].rows, 4 * full);
    return (uint32_t)full;
}

uint32_t tw_paged_touched(const tw_paged_pool *pool, uint32_t layer, uint32_t head, uint32_t *rows)
{
    if (layer >= pool->config.layers || head >= pool->config.kv_heads)
        return 0;
    const uint64_t page = (uint64_t)layer * pool->config.kv_heads + head;
    const unsigned char *bits = pool->touched + page * pool->shape.row_bits;
    uint32_t count = 0;
    for (uint32_t row = 0; row < pool->shape.rows; ++row)
        if (tw_paged_bit(bits, row) && pool->row[row].users > 0)
            rows[count++] = row;
    return count;
}
