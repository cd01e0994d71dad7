/* Steps, which add tokens to a sequence. */
#include "tw_paged_pool.h"

#include "tw_paged_numbers.h"

#include <string.h>

static bool is_free(const tw_paged_row *row)
{
    return row->users == 0 && !row->is_held;
}

/* Find the lowest free rows, for the blocks from `block` on. */
static bool find_rows(tw_paged_pool *pool, uint32_t *rows, uint32_t count)
{
    uint32_t row = pool->lowest_row;
    while (row < pool->shape.rows && !is_free(&pool->row[row]))
        ++row;
    pool->lowest_row = row;
    for (uint32_t n = 0; n < count; ++row) {
        if (row >= pool->shape.rows)
            return false;
        if (is_free(&pool->row[row]))
            rows[n++] = row;
    }
    return true;
}

static tw_paged_status check_begin(tw_paged_pool *pool, uint32_t sequence, uint32_t count)
{
    const tw_paged_status status = tw_paged_check_sequence(pool, sequence, "begin");
    if (status != TW_PAGED_OK)
        return status;
    if (count == 0)
        return tw_paged_fail(pool, TW_PAGED_BAD_ARGUMENT, "begin: a step has at least one token");
    const uint64_t length = pool->sequence[sequence].length;
    if (count > pool->shape.context - length)
        return tw_paged_fail(pool, TW_PAGED_FULL, "begin: sequence %u has %llu of at most %llu tokens, %u more are too many",
                             sequence, (unsigned long long)length, (unsigned long long)pool->shape.context, count);
    return TW_PAGED_OK;
}

tw_paged_status tw_paged_begin(tw_paged_pool *pool, uint32_t sequence, uint32_t count, const uint32_t *tokens)
{
    const tw_paged_status status = check_begin(pool, sequence, count);
    if (status != TW_PAGED_OK)
        return status;
    tw_paged_sequence *extended = &pool->sequence[sequence];
    const uint32_t page_length = pool->config.page_length;
    const uint64_t blocks = extended->length / page_length;
    const uint32_t filled = (uint32_t)((extended->length + count) / page_length - blocks);
    uint32_t *rows = extended->rows + blocks;
    if (!find_rows(pool, rows, filled))
        return tw_paged_fail(pool, TW_PAGED_FULL,
                             "begin: the step fills %u blocks, there are not so many free rows among %u: drop sequences, and save",
                             filled, pool->shape.rows);
    const uint64_t needed = (uint64_t)filled * pool->shape.pages;
    if (needed > pool->frames - pool->used_frames && needed > tw_paged_unfixed_frames(pool))
        return tw_paged_fail(pool, TW_PAGED_NO_SPACE,
                             "begin: the step fills %llu pages, %u of %u frames can be taken: %u rows are not written",
                             (unsigned long long)needed, tw_paged_unfixed_frames(pool), pool->frames, pool->unwritten);
    for (uint32_t n = 0; n < filled; ++n) {
        pool->row[rows[n]] = (tw_paged_row){.block = (uint32_t)blocks + n, .users = 1, .state = TW_PAGED_OPEN};
        for (uint32_t page = 0; page < pool->shape.pages; ++page)
            tw_paged_take(pool, tw_paged_candidate(pool), tw_paged_place(pool, rows[n], page));
    }
    memcpy(extended->tokens + extended->length, tokens, 4 * (uint64_t)count);
    pool->step = (tw_paged_step){
        .is_open = true, .sequence = sequence, .count = count, .rows = filled, .first = extended->length};
    pool->stats.missed_mass = 0;
    return TW_PAGED_OK;
}

static bool is_storable(const tw_paged_pool *pool, const float *vectors, uint64_t count, bool are_keys)
{
    /* Magnitudes as bits, which are ordered as the numbers are: of the greatest bfloat16 and of what rounds to it. */
    const bool is_bf16 = pool->config.element == TW_PAGED_BF16;
    const bool has_bf16_digest = are_keys && pool->config.digest == TW_PAGED_BF16;
    const uint32_t limit = is_bf16 ? 0x7f7f8000u : has_bf16_digest ? 0x7f7f0001u : 0x7f800000u;
    uint32_t greatest = 0;
    for (uint64_t n = 0; n < count; ++n) {
        const uint32_t bits = tw_paged_bits(vectors[n]) & 0x7fffffffu;
        greatest = bits > greatest ? bits : greatest;
    }
    return greatest < limit;
}

static void store(const tw_paged_pool *pool, unsigned char *to, const float *vector)
{
    const uint32_t dim = pool->config.head_dim;
    if (pool->config.element == TW_PAGED_F32) {
        memcpy(to, vector, 4 * (uint64_t)dim);
        return;
    }
    uint16_t *narrow = (uint16_t *)(void *)to;
    for (uint32_t d = 0; d < dim; ++d)
        narrow[d] = tw_paged_narrow(vector[d]);
}

unsigned char *tw_paged_step_page(tw_paged_pool *pool, uint64_t block, uint32_t page)
{
    const tw_paged_step *step = &pool->step;
    const tw_paged_sequence *sequence = &pool->sequence[step->sequence];
    if (block < (step->first + step->count) / pool->config.page_length)
        return tw_paged_slot(pool, pool->frame_of_place[tw_paged_place(pool, sequence->rows[block], page)]) +
               TW_PAGED_HEADER;
    return tw_paged_tail(pool, step->rows > 0 ? pool->spare_tail : sequence->tail, page);
}

static void digest_f32(const float *keys, uint32_t tokens, uint32_t dim, float *most, float *least)
{
    memcpy(most, keys, 4 * (uint64_t)dim);
    memcpy(least, keys, 4 * (uint64_t)dim);
    for (uint32_t t = 1; t < tokens; ++t) {
        for (uint32_t d = 0; d < dim; ++d) {
            most[d] = tw_paged_max(most[d], keys[(uint64_t)t * dim + d]);
            least[d] = tw_paged_min(least[d], keys[(uint64_t)t * dim + d]);
        }
    }
}

void tw_paged_make_digest(tw_paged_pool *pool, const unsigned char *keys, unsigned char *digest)
{
    const uint32_t dim = pool->config.head_dim, tokens = pool->config.page_length;
    /* The sums of attention are not in use. */
    float *most = pool->sums, *least = pool->sums + dim;
    if (pool->config.element == TW_PAGED_F32) {
        digest_f32((const float *)(const void *)keys, tokens, dim, most, least);
    } else {
        const uint16_t *narrow = (const uint16_t *)(const void *)keys;
        for (uint64_t n = 0; n < (uint64_t)tokens * dim; ++n)
            pool->page_scratch[n] = tw_paged_widen(narrow[n]);
        digest_f32(pool->page_scratch, tokens, dim, most, least);
    }
    if (pool->config.digest == TW_PAGED_F32) {
        memcpy(digest, most, 4 * (uint64_t)dim);
        memcpy(digest + 4 * (uint64_t)dim, least, 4 * (uint64_t)dim);
        return;
    }
    uint16_t *bounds = (uint16_t *)(void *)digest;
    for (uint32_t d = 0; d < dim; ++d) {
        bounds[d] = tw_paged_narrow_up(most[d]);
        bounds[dim + d] = tw_paged_narrow_down(least[d]);
    }
}

/* Append the tokens of a step to the pages of a layer and head. */
static void append_head(tw_paged_pool *pool, uint32_t layer, uint32_t head, const float *keys, const float *values)
{
    const tw_paged_step *step = &pool->step;
    const tw_paged_sequence *sequence = &pool->sequence[step->sequence];
    const uint32_t page = layer * pool->config.kv_heads + head, dim = pool->config.head_dim;
    const uint64_t page_length = pool->config.page_length, half = pool->shape.payload / 2, bytes = half / page_length;
    const uint64_t old_block = step->first / page_length;
    if (step->rows > 0)
        tw_paged_copy_tokens(pool, tw_paged_step_page(pool, old_block, page), tw_paged_tail(pool, sequence->tail, page),
                    (uint32_t)(step->first % page_length));
    for (uint32_t n = 0; n < step->count; ++n) {
        const uint64_t position = step->first + n, vector = ((uint64_t)n * pool->config.kv_heads + head) * dim;
        unsigned char *data = tw_paged_step_page(pool, position / page_length, page);
        unsigned char *key = data + position % page_length * bytes;
        store(pool, key, keys + vector);
        store(pool, key + half, values + vector);
    }
    for (uint64_t block = old_block; block < old_block + step->rows; ++block)
        tw_paged_make_digest(pool, tw_paged_step_page(pool, block, page),
                             tw_paged_digest(pool, sequence->rows[block], page));
}

tw_paged_status tw_paged_append(tw_paged_pool *pool, uint32_t layer, const float *keys, const float *values)
{
    tw_paged_step *step = &pool->step;
    if (!step->is_open || step->appended >= pool->config.layers || layer != step->appended)
        return tw_paged_fail(pool, TW_PAGED_BAD_ARGUMENT, "append: layer %u does not come next in an open step", layer);
    const uint64_t count = (uint64_t)step->count * pool->config.kv_heads * pool->config.head_dim;
    if (!is_storable(pool, keys, count, true) || !is_storable(pool, values, count, false))
        return tw_paged_fail(pool, TW_PAGED_NOT_FINITE,
                             "append: a key or value of layer %u is infinite or NaN, or becomes so as it is stored", layer);
    for (uint32_t head = 0; head < pool->config.kv_heads; ++head)
        append_head(pool, layer, head, keys, values);
    ++step->appended;
    return TW_PAGED_OK;
}

tw_paged_status tw_paged_commit(tw_paged_pool *pool)
{
    tw_paged_step *step = &pool->step;
    if (!step->is_open || step->appended < pool->config.layers)
        return tw_paged_fail(pool, TW_PAGED_BAD_ARGUMENT, "commit: %u of %u layers are appended in an open step",
                             step->appended, pool->config.layers);
    tw_paged_sequence *sequence = &pool->sequence[step->sequence];
    const uint64_t blocks = step->first / pool->config.page_length;
    for (uint64_t block = blocks; block < blocks + step->rows; ++block) {
        tw_paged_row *row = &pool->row[sequence->rows[block]];
        row->serial = pool->next_serial++;
        row->state = TW_PAGED_UNWRITTEN;
        ++pool->unwritten;
    }
    if (step->rows > 0) {
        const uint32_t spare = sequence->tail;
        sequence->tail = pool->spare_tail;
        pool->spare_tail = spare;
    }
    sequence->length = step->first + step->count;
    *step = (tw_paged_step){0};
    /* Rows that cannot be written stay in memory; the statistics say so. */
    (void)tw_paged_write_rows(pool, false);
    return TW_PAGED_OK;
}

void tw_paged_rollback(tw_paged_pool *pool)
{
    const tw_paged_step *step = &pool->step;
    if (!step->is_open)
        return;
    const tw_paged_sequence *sequence = &pool->sequence[step->sequence];
    const uint64_t blocks = step->first / pool->config.page_length;
    for (uint64_t block = blocks; block < blocks + step->rows; ++block)
        tw_paged_release_row(pool, sequence->rows[block]);
    pool->step = (tw_paged_step){0};
}
