/* Selection of pages by their digests: Quest, arXiv:2406.10774, with forced pages and a reduction over the heads of a group. */
#include "tw_paged_pool.h"

#include "tw_paged_numbers.h"

#include <string.h>

static uint32_t least_of(uint32_t one, uint32_t other)
{
    return one < other ? one : other;
}

static uint64_t block_stride(const tw_paged_pool *pool)
{
    return (pool->shape.blocks + UINT64_C(15)) / 16 * 16;
}

bool tw_paged_is_dense(const tw_paged_pool *pool, uint32_t layer, uint32_t own, bool is_several)
{
    const tw_paged_config *config = &pool->config;
    return config->budget_pages == 0 || own < config->budget_pages || layer < config->skip_layers ||
           (is_several && !config->sparse_prefill);
}

tw_paged_status tw_paged_score_blocks(tw_paged_pool *pool, const uint32_t *rows, uint32_t page, const float *queries,
                                      uint32_t blocks)
{
    const tw_paged_shape *shape = &pool->shape;
    const uint64_t stride = block_stride(pool);
    const uint32_t dim = pool->config.head_dim;
    bool is_finite = true;
    for (uint32_t head = 0; head < shape->group; head += 4)
        tw_paged_bounds(pool->block_scores + head * stride, stride, queries + (uint64_t)head * dim,
                        least_of(4, shape->group - head), tw_paged_digest(pool, 0, page), shape->digest,
                        pool->config.digest, rows, blocks, dim);
    for (uint32_t head = 0; head < shape->group; ++head)
        for (uint32_t block = 0; block < blocks; ++block)
            is_finite = is_finite & tw_paged_is_finite(pool->block_scores[head * stride + block] * pool->config.scale);
    return is_finite ? TW_PAGED_OK
                     : tw_paged_fail(pool, TW_PAGED_NOT_FINITE, "the score of a page is infinite or NaN: queries and keys are too large");
}

/* Add e / z of a head to the reduced scores. */
static void add_softmax(tw_paged_pool *pool, const float *scores, uint32_t blocks, bool is_first)
{
    float lanes[TW_PAGED_LANES] = {0};
    float *e = pool->weights;
    for (uint32_t block = 0; block < blocks; ++block)
        e[block] = scores[block] * pool->config.scale;
    float most = e[0];
    tw_paged_maximum(e, blocks, &most);
    tw_paged_exponentials(e, 0, blocks, most, lanes);
    const float z = tw_paged_fold(lanes);
    for (uint32_t block = 0; block < blocks; ++block)
        pool->reduced[block] = is_first ? e[block] / z : pool->reduced[block] + e[block] / z;
}

static void reduce_heads(tw_paged_pool *pool, uint32_t blocks)
{
    const uint64_t stride = block_stride(pool);
    float *reduced = pool->reduced;
    for (uint32_t head = 0; head < pool->shape.group; ++head) {
        const float *scores = pool->block_scores + head * stride;
        if (pool->config.reduce == TW_PAGED_SOFTMAX_SUM)
            add_softmax(pool, scores, blocks, head == 0);
        else if (head == 0)
            memcpy(reduced, scores, 4 * (uint64_t)blocks);
        else if (pool->config.reduce == TW_PAGED_MAX)
            for (uint32_t block = 0; block < blocks; ++block)
                reduced[block] = tw_paged_max(reduced[block], scores[block]);
        else
            for (uint32_t block = 0; block < blocks; ++block)
                reduced[block] += scores[block];
    }
}

/* Map a number to bits that are ordered as numbers are; both zeros are +0. */
static uint32_t order_of(float x)
{
    const uint32_t bits = tw_paged_bits(x + 0.0f);
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

/* Find the count-th greatest score by its order, digit by digit, and how many of the scores equal to it are among the count. */
static uint32_t threshold_of(const uint32_t *orders, uint32_t scores, uint32_t count, uint32_t *ties)
{
    uint32_t prefix = 0, mask = 0;
    for (int shift = 24; shift >= 0; shift -= 8) {
        uint32_t histogram[256] = {0}, digit = 255;
        for (uint32_t n = 0; n < scores; ++n)
            histogram[orders[n] >> shift & 0xff] += (orders[n] & mask) == prefix;
        for (; histogram[digit] < count; --digit)
            count -= histogram[digit];
        prefix |= digit << shift;
        mask |= UINT32_C(0xff) << shift;
    }
    *ties = count;
    return prefix;
}

/* Set the bits of the `count` blocks of [first, last) of the greatest scores, the lower one of equals. */
static void take_greatest(tw_paged_pool *pool, const float *scores, uint32_t first, uint32_t last, uint32_t count,
                          unsigned char *bits)
{
    uint32_t ties, *orders = pool->list;
    if (count == 0)
        return;
    for (uint32_t block = first; block < last; ++block)
        orders[block] = order_of(scores[block]);
    const uint32_t threshold = threshold_of(orders + first, last - first, count, &ties);
    for (uint32_t block = first; block < last; ++block) {
        if (orders[block] < threshold)
            continue;
        const bool is_tie = orders[block] == threshold;
        if (!is_tie || ties > 0)
            tw_paged_set_bit(bits, block);
        ties -= is_tie && ties > 0;
    }
}

tw_paged_status tw_paged_choose(tw_paged_pool *pool, const uint32_t *rows, uint32_t page, const float *queries,
                                uint32_t own, unsigned char *bits)
{
    const tw_paged_config *config = &pool->config;
    const tw_paged_status status = tw_paged_score_blocks(pool, rows, page, queries, own);
    if (status != TW_PAGED_OK)
        return status;
    const uint32_t first = least_of(config->sinks, own), last = own - least_of(config->recent, own - first);
    const uint32_t places = config->budget_pages - 1 - first - (own - last);
    memset(bits, 0, pool->shape.block_bits);
    for (uint32_t block = 0; block < first; ++block)
        tw_paged_set_bit(bits, block);
    for (uint32_t block = last; block <= own; ++block)
        tw_paged_set_bit(bits, block);
    if (config->reduce != TW_PAGED_UNION) {
        reduce_heads(pool, own);
        take_greatest(pool, pool->reduced, first, last, places, bits);
        return TW_PAGED_OK;
    }
    for (uint32_t head = 0; head < pool->shape.group; ++head)
        take_greatest(pool, pool->block_scores + head * block_stride(pool), first, last, places, bits);
    return TW_PAGED_OK;
}

static tw_paged_status select_head(tw_paged_pool *pool, const tw_paged_sequence *sequence, uint32_t layer, uint32_t head,
                                   const float *queries, uint32_t room, uint32_t *pages, uint32_t *counts, float *scores)
{
    const tw_paged_shape *shape = &pool->shape;
    const uint32_t own = (uint32_t)((sequence->length - 1) / pool->config.page_length);
    const uint32_t page = layer * pool->config.kv_heads + head;
    const float *group = queries + (uint64_t)head * shape->group * pool->config.head_dim;
    const bool is_dense = tw_paged_is_dense(pool, layer, own, false);
    tw_paged_status status = TW_PAGED_OK;
    if (!is_dense)
        status = tw_paged_choose(pool, sequence->rows, page, group, own, pool->selected);
    else if (scores != NULL)
        status = tw_paged_score_blocks(pool, sequence->rows, page, group, own);
    if (status != TW_PAGED_OK)
        return status;
    for (uint32_t n = 0; n < shape->group && scores != NULL; ++n)
        memcpy(scores + ((uint64_t)head * shape->group + n) * own, pool->block_scores + n * block_stride(pool),
               4 * (uint64_t)own);
    uint32_t count = 0;
    for (uint32_t block = 0; block <= own; ++block) {
        if (!is_dense && !tw_paged_bit(pool->selected, block))
            continue;
        if (count == room)
            return tw_paged_fail(pool, TW_PAGED_BAD_ARGUMENT, "select: more than %u pages are selected", room);
        pages[(uint64_t)head * room + count++] = block;
    }
    counts[head] = count;
    return TW_PAGED_OK;
}

tw_paged_status tw_paged_select(tw_paged_pool *pool, uint32_t sequence, uint32_t layer, const float *queries,
                                uint32_t room, uint32_t *pages, uint32_t *counts, float *scores)
{
    const tw_paged_config *config = &pool->config;
    if (pool->step.is_open || tw_paged_length(pool, sequence) == 0 || layer >= config->layers)
        return tw_paged_fail(pool, TW_PAGED_BAD_ARGUMENT,
                             "select: sequence %u and layer %u, without an open step and with tokens, are expected", sequence,
                             layer);
    for (uint64_t n = 0; n < (uint64_t)config->heads * config->head_dim; ++n)
        if (!tw_paged_is_finite(queries[n]))
            return tw_paged_fail(pool, TW_PAGED_NOT_FINITE, "select: a query is infinite or NaN");
    tw_paged_status status = TW_PAGED_OK;
    for (uint32_t head = 0; head < config->kv_heads && status == TW_PAGED_OK; ++head)
        status = select_head(pool, &pool->sequence[sequence], layer, head, queries, room, pages, counts, scores);
    return status;
}
