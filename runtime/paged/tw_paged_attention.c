/*
 * Attention of the queries of a step over the pages that they select.
 *
 * A tile of queries shares the reads of a page: one pass over its pages for the scores of tokens, one for the values.
 * Scores are kept between the passes for the queries for which the scratch has memory, and computed again for the others.
 * They lie page by page, [group][tokens of the page], so that both passes go through memory once, in order.
 */
#include "tw_paged_pool.h"

#include "tw_paged_numbers.h"

#include <string.h>

#define STATE 16 /* floats: the lanes of z, then m */
#define HEADS 4  /* that share a pass over keys */

/* Blocks [count][kv_heads][places] that the tokens of a step attend to, and how many of each list count. */
typedef struct table {
    const int32_t *blocks, *counts;
    uint32_t places;
} table;

typedef struct tile {
    tw_paged_pool *pool;
    const table *table; /* NULL: the pool selects */
    const uint32_t *rows; /* of the sequence */
    uint32_t layer, page, queries;
    uint64_t first; /* position of the first query */
    bool is_dense, is_finite;
    const float *query[TW_PAGED_TILE]; /* [group][dim] each */
    float *scores[TW_PAGED_TILE];      /* NULL: not kept */
    uint64_t done[TW_PAGED_TILE];      /* tokens */
} tile;

static uint32_t least_of(uint32_t one, uint32_t other)
{
    return one < other ? one : other;
}

static uint32_t own_block(const tile *t, uint32_t query)
{
    return (uint32_t)((t->first + query) / t->pool->config.page_length);
}

static unsigned char *bits_of(const tile *t, uint32_t query)
{
    return t->pool->selected + query * t->pool->shape.block_bits;
}

static bool attends(const tile *t, uint32_t query, uint32_t block)
{
    return block <= own_block(t, query) && (t->is_dense || tw_paged_bit(bits_of(t, query), block));
}

static float *state_of(const tile *t, uint32_t query, uint32_t head)
{
    return t->pool->lanes + (query * (uint64_t)t->pool->shape.group + head) * STATE;
}

static float *sums_of(const tile *t, uint32_t query)
{
    return t->pool->sums + query * (uint64_t)t->pool->shape.group * t->pool->config.head_dim;
}

/* Count the bits of [0, last]; none is behind them. */
static uint64_t count_bits(const unsigned char *bits, uint32_t last)
{
    uint64_t count = 0;
    for (uint32_t byte = 0; byte <= last / 8; ++byte)
        for (uint32_t rest = bits[byte]; rest != 0; rest &= rest - 1)
            ++count;
    return count;
}

/* Set the bits of the blocks that the table names for a query; returns their number, 0 where they are none to attend to. */
static uint64_t set_listed(const tile *t, uint32_t query)
{
    const tw_paged_config *config = &t->pool->config;
    const uint64_t token = t->first - t->pool->step.first + query;
    const uint64_t list = token * config->kv_heads + t->page % config->kv_heads;
    const int32_t *blocks = t->table->blocks + list * t->table->places, count = t->table->counts[list];
    const uint32_t listed = count < 0 ? 0 : least_of((uint32_t)count, t->table->places);
    int64_t last = -1;
    memset(bits_of(t, query), 0, t->pool->shape.block_bits);
    for (uint32_t n = 0; n < listed; ++n) {
        if (blocks[n] <= last || (uint32_t)blocks[n] > own_block(t, query))
            return 0;
        last = blocks[n];
        tw_paged_set_bit(bits_of(t, query), (uint64_t)last);
    }
    return last == own_block(t, query) ? listed : 0;
}

/* Take the blocks of a query from the table. */
static tw_paged_status take_listed(tile *t, uint32_t query, uint64_t *blocks)
{
    *blocks = set_listed(t, query);
    if (*blocks == 0)
        return tw_paged_fail(t->pool, TW_PAGED_BAD_ARGUMENT,
                             "attend: the table of a token does not ascend, or ends elsewhere than in its own block, %u",
                             own_block(t, query));
    if (!t->pool->config.certificate)
        return TW_PAGED_OK;
    return tw_paged_score_blocks(t->pool, t->rows, t->page, t->query[query], own_block(t, query));
}

/* Select the blocks of each query, and lay out their scores. */
static tw_paged_status prepare(tile *t, bool is_several)
{
    tw_paged_pool *pool = t->pool;
    const uint32_t page_length = pool->config.page_length, group = pool->shape.group;
    uint64_t used = 0;
    t->is_dense = t->table == NULL && tw_paged_is_dense(pool, t->layer, own_block(t, t->queries - 1), is_several);
    for (uint32_t q = 0; q < t->queries; ++q) {
        const uint32_t own = own_block(t, q);
        const bool is_dense = tw_paged_is_dense(pool, t->layer, own, is_several);
        uint64_t blocks = own + UINT64_C(1);
        if (t->table != NULL) {
            const tw_paged_status status = take_listed(t, q, &blocks);
            if (status != TW_PAGED_OK)
                return status;
        } else if (!is_dense) {
            const tw_paged_status status = tw_paged_choose(pool, t->rows, t->page, t->query[q], own, bits_of(t, q));
            if (status != TW_PAGED_OK)
                return status;
            blocks = count_bits(bits_of(t, q), own);
        } else if (!t->is_dense) {
            memset(bits_of(t, q), 0, pool->shape.block_bits);
            for (uint32_t block = 0; block <= own; ++block)
                tw_paged_set_bit(bits_of(t, q), block);
        }
        pool->stats.attended_pages += blocks;
        const uint64_t scores = group * ((blocks - 1) * page_length + (t->first + q) % page_length + 1);
        const bool is_kept = scores <= pool->shape.scores - used;
        t->scores[q] = is_kept ? pool->token_scores + used : NULL;
        used += is_kept ? scores : 0;
    }
    memset(pool->sums, 0, 4 * t->queries * (uint64_t)group * pool->config.head_dim);
    memset(pool->lanes, 0, 4 * t->queries * (uint64_t)group * STATE);
    return TW_PAGED_OK;
}

/* Return the tokens of a block that a query attends to, which are those up to its own. */
static uint32_t tokens_of(const tile *t, uint32_t query, uint32_t block)
{
    const uint32_t page_length = t->pool->config.page_length;
    return block < own_block(t, query) ? page_length : (uint32_t)((t->first + query) % page_length) + 1;
}

/* Return the scores [heads][tokens] of a page from a head of a query on, which are kept or in the scratch. */
static float *scores_of(const tile *t, uint32_t query, uint32_t head, uint32_t tokens)
{
    const bool is_kept = t->scores[query] != NULL;
    return is_kept ? t->scores[query] + t->done[query] * t->pool->shape.group + head * (uint64_t)tokens
                   : t->pool->page_scratch;
}

static void score_page(tile *t, uint32_t query, uint32_t head, uint32_t heads, const unsigned char *keys,
                       uint32_t tokens, float *scores, const void *next)
{
    const tw_paged_config *config = &t->pool->config;
    tw_paged_dots(scores, tokens, t->query[query] + (uint64_t)head * config->head_dim, heads, keys, config->element,
                  tokens, config->head_dim, config->scale, next);
}

static void score_keys(tile *t, uint32_t block, const unsigned char *keys, const void *next)
{
    const uint32_t group = t->pool->shape.group;
    for (uint32_t q = 0; q < t->queries; ++q) {
        if (!attends(t, q, block))
            continue;
        const uint32_t tokens = tokens_of(t, q, block);
        for (uint32_t head = 0; head < group; head += HEADS) {
            const uint32_t heads = least_of(HEADS, group - head);
            float *scores = scores_of(t, q, head, tokens);
            score_page(t, q, head, heads, keys, tokens, scores, next);
            next = NULL;
            for (uint32_t n = 0; n < heads; ++n, scores += tokens) {
                float *most = &state_of(t, q, head + n)[TW_PAGED_LANES];
                if (t->done[q] == 0)
                    *most = scores[0];
                t->is_finite = tw_paged_maximum(scores, tokens, most) && t->is_finite;
            }
        }
        t->done[q] += tokens;
    }
}

/* Add e v of a page, and e to z. */
static void weigh_values(tile *t, uint32_t block, const unsigned char *keys, const void *next)
{
    const tw_paged_config *config = &t->pool->config;
    const uint32_t group = t->pool->shape.group;
    const unsigned char *values = keys + t->pool->shape.payload / 2;
    for (uint32_t q = 0; q < t->queries; ++q) {
        if (!attends(t, q, block))
            continue;
        const uint32_t tokens = tokens_of(t, q, block);
        for (uint32_t head = 0; head < group; head += HEADS) {
            const uint32_t heads = least_of(HEADS, group - head);
            float *e = scores_of(t, q, head, tokens);
            if (t->scores[q] == NULL)
                score_page(t, q, head, heads, keys, tokens, e, NULL);
            for (uint32_t n = 0; n < heads; ++n) {
                float *state = state_of(t, q, head + n);
                tw_paged_exponentials(e + n * (uint64_t)tokens, (uint32_t)(t->done[q] % TW_PAGED_LANES), tokens,
                                      state[TW_PAGED_LANES], state);
            }
            tw_paged_weigh(sums_of(t, q) + (uint64_t)head * config->head_dim, e, tokens, heads, values, config->element,
                           tokens, config->head_dim, next);
            next = NULL;
        }
        t->done[q] += tokens;
    }
}

/* Return the bits of eight blocks that any query attends to. */
static uint32_t union_of(const tile *t, uint32_t byte)
{
    uint32_t bits = 0;
    for (uint32_t q = 0; q < t->queries; ++q)
        bits |= bits_of(t, q)[byte];
    return bits;
}

/* List the full blocks that any query attends to, and return their number; the last block may be the tail. */
static uint32_t list_blocks(const tile *t, bool *has_tail)
{
    tw_paged_pool *pool = t->pool;
    const tw_paged_step *step = &pool->step;
    const uint32_t last = own_block(t, t->queries - 1);
    const uint64_t full = (step->first + step->count) / pool->config.page_length;
    uint32_t count = 0, attended = 0xff;
    *has_tail = last >= full;
    for (uint32_t block = 0; block <= last && block < full; ++block) {
        if (!t->is_dense && block % 8 == 0)
            attended = union_of(t, block / 8);
        pool->list[count] = block;
        pool->row_list[count] = t->rows[block];
        count += attended >> block % 8 & 1;
    }
    return count;
}

/* Return the keys of a walk's next page, or in the second pass its values; NULL where it is not in a frame yet. */
static const unsigned char *next_data(const tw_paged_pool *pool, const tw_paged_walk *walk)
{
    if (walk->next >= walk->end)
        return NULL;
    const uint32_t frame = pool->frame_of_place[tw_paged_place(pool, walk->rows[walk->next], walk->page)];
    const uint64_t start = TW_PAGED_HEADER + (walk->is_second ? pool->shape.payload / 2 : 0);
    return frame == TW_PAGED_NONE ? NULL : tw_paged_slot(pool, frame) + start;
}

static tw_paged_status pass_over(tile *t, tw_paged_walk *walk, bool has_tail,
                                 void (*visit)(tile *t, uint32_t block, const unsigned char *keys, const void *next))
{
    tw_paged_pool *pool = t->pool;
    while (walk->next < walk->count) {
        const uint32_t block = pool->list[walk->next];
        const unsigned char *keys;
        const tw_paged_status status = tw_paged_walk_next(pool, walk, &keys);
        if (status != TW_PAGED_OK)
            return status;
        visit(t, block, keys, next_data(pool, walk));
    }
    const uint32_t last = own_block(t, t->queries - 1);
    if (has_tail)
        visit(t, last, tw_paged_step_page(pool, last, t->page), NULL);
    return TW_PAGED_OK;
}

/* Bound the softmax mass of the blocks that a query does not attend to: U / (U + S) of docs/paged.md. */
static tw_paged_status certify(tile *t, uint32_t query)
{
    tw_paged_pool *pool = t->pool;
    const uint32_t own = own_block(t, query);
    const uint64_t stride = (pool->shape.blocks + UINT64_C(15)) / 16 * 16;
    const tw_paged_status status = tw_paged_score_blocks(pool, t->rows, t->page, t->query[query], own);
    for (uint32_t head = 0; head < pool->shape.group && status == TW_PAGED_OK; ++head) {
        const float *scores = pool->block_scores + head * stride, *state = state_of(t, query, head);
        float most = state[TW_PAGED_LANES];
        for (uint32_t block = 0; block < own; ++block)
            if (!attends(t, query, block))
                most = tw_paged_max(most, scores[block] * pool->config.scale);
        double unselected = 0;
        for (uint32_t block = 0; block < own; ++block)
            if (!attends(t, query, block))
                unselected += (double)tw_paged_exp(scores[block] * pool->config.scale - most);
        unselected *= pool->config.page_length;
        const double selected = (double)tw_paged_fold(state) * (double)tw_paged_exp(state[TW_PAGED_LANES] - most);
        const double mass = unselected / (unselected + selected);
        pool->stats.missed_mass = mass > pool->stats.missed_mass ? mass : pool->stats.missed_mass;
    }
    return status;
}

static tw_paged_status finish(tile *t, float *const *results, bool is_several)
{
    tw_paged_pool *pool = t->pool;
    const uint32_t dim = pool->config.head_dim;
    bool is_finite = t->is_finite;
    for (uint32_t q = 0; q < t->queries; ++q) {
        for (uint32_t head = 0; head < pool->shape.group; ++head) {
            const float z = tw_paged_fold(state_of(t, q, head)), *sums = sums_of(t, q) + (uint64_t)head * dim;
            float *result = results[q] + (uint64_t)head * dim;
            for (uint32_t d = 0; d < dim; ++d) {
                result[d] = sums[d] / z;
                is_finite = is_finite & tw_paged_is_finite(result[d]);
            }
        }
        const bool is_whole = t->table == NULL && tw_paged_is_dense(pool, t->layer, own_block(t, q), is_several);
        const bool is_bounded = pool->config.certificate && !is_whole;
        const tw_paged_status status = is_bounded ? certify(t, q) : TW_PAGED_OK;
        if (status != TW_PAGED_OK)
            return status;
    }
    return is_finite ? TW_PAGED_OK
                     : tw_paged_fail(pool, TW_PAGED_NOT_FINITE, "attend: a score or result of layer %u is infinite or NaN",
                                     t->layer);
}

static tw_paged_status attend_tile(tile *t, float *const *results, bool is_several)
{
    tw_paged_status status = prepare(t, is_several);
    if (status != TW_PAGED_OK)
        return status;
    bool has_tail;
    tw_paged_walk walk;
    tw_paged_walk_begin(&walk, t->pool->row_list, list_blocks(t, &has_tail), t->page);
    status = pass_over(t, &walk, has_tail, score_keys);
    if (status != TW_PAGED_OK)
        return status;
    if (!t->is_finite)
        return finish(t, results, is_several);
    memset(t->done, 0, sizeof t->done);
    tw_paged_walk_again(&walk);
    status = pass_over(t, &walk, has_tail, weigh_values);
    return status == TW_PAGED_OK ? finish(t, results, is_several) : status;
}

static tw_paged_status attend(tw_paged_pool *pool, uint32_t layer, const float *queries, const table *table,
                              float *results)
{
    const tw_paged_config *config = &pool->config;
    const tw_paged_step *step = &pool->step;
    if (!step->is_open || step->appended != layer + UINT64_C(1))
        return tw_paged_fail(pool, TW_PAGED_BAD_ARGUMENT, "attend: layer %u is not the one appended last", layer);
    const uint64_t vector = (uint64_t)config->heads * config->head_dim;
    for (uint64_t n = 0; n < step->count * vector; ++n)
        if (!tw_paged_is_finite(queries[n]))
            return tw_paged_fail(pool, TW_PAGED_NOT_FINITE, "attend: a query of layer %u is infinite or NaN", layer);
    memset(pool->touched + (uint64_t)layer * config->kv_heads * pool->shape.row_bits, 0,
           config->kv_heads * pool->shape.row_bits);
    for (uint32_t start = 0; start < step->count; start += TW_PAGED_TILE) {
        for (uint32_t head = 0; head < config->kv_heads; ++head) {
            tile t = {.pool = pool,
                      .table = table,
                      .rows = pool->sequence[step->sequence].rows,
                      .layer = layer,
                      .page = layer * config->kv_heads + head,
                      .queries = least_of(TW_PAGED_TILE, step->count - start),
                      .first = step->first + start,
                      .is_finite = true};
            float *result[TW_PAGED_TILE];
            for (uint32_t q = 0; q < t.queries; ++q) {
                const uint64_t offset = (start + q) * vector + (uint64_t)head * pool->shape.group * config->head_dim;
                t.query[q] = queries + offset;
                result[q] = results + offset;
            }
            const tw_paged_status status = attend_tile(&t, result, step->count > 1);
            if (status != TW_PAGED_OK)
                return status;
        }
    }
    return TW_PAGED_OK;
}

tw_paged_status tw_paged_attend(tw_paged_pool *pool, uint32_t layer, const float *queries, float *results)
{
    return attend(pool, layer, queries, NULL, results);
}

tw_paged_status tw_paged_attend_over(tw_paged_pool *pool, uint32_t layer, const float *queries, const int32_t *table_blocks,
                                     const int32_t *counts, uint32_t places, float *results)
{
    const table given = {.blocks = table_blocks, .counts = counts, .places = places};
    return attend(pool, layer, queries, &given, results);
}
