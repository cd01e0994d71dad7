/* Configurations, the sizes that follow from them, and the parts of the allocation. */
#include "tw_paged_pool.h"

#include "tw_paged_numbers.h"

#include <stdio.h>
#include <string.h>

#define POOL_BYTES 65536
#define PART_BYTES 64 /* of a row, a frame and a sequence */
#define MOST_PAGES 4096
#define MOST_DIM 4096
#define MOST_PLACES (UINT64_C(1) << 31)

_Static_assert(sizeof(tw_paged_pool) <= POOL_BYTES, "the pool has its part");
_Static_assert(sizeof(tw_paged_row) <= PART_BYTES, "a row has its part");
_Static_assert(sizeof(tw_paged_frame) <= PART_BYTES, "a frame has its part");
_Static_assert(sizeof(tw_paged_sequence) <= PART_BYTES, "a sequence has its part");
_Static_assert(TW_PAGED_BUFFER >= TW_PAGED_HEADER + 2 * MOST_DIM * sizeof(float), "the buffer has a digest");

static uint64_t aligned(uint64_t bytes)
{
    return (bytes + TW_PAGED_ALIGNMENT - 1) / TW_PAGED_ALIGNMENT * TW_PAGED_ALIGNMENT;
}

static uint64_t least_of(uint64_t one, uint64_t other)
{
    return one < other ? one : other;
}

typedef struct rule {
    bool is_kept;
    const char *text;
} rule;

/* Return the first rule that a configuration breaks, or NULL. */
static const char *broken_rule(const tw_paged_config *c)
{
    const uint64_t context = c->context == 0 ? c->capacity : c->context;
    const uint64_t pages = (uint64_t)c->layers * c->kv_heads, forced = (uint64_t)c->sinks + c->recent + 1;
    const rule rules[] = {
        {c->layers >= 1 && c->layers <= 65535, "layers is from 1 to 65535"},
        {c->heads >= 1 && c->heads <= 65535, "heads is from 1 to 65535"},
        {c->kv_heads >= 1 && c->heads % (c->kv_heads | (c->kv_heads == 0)) == 0, "kv_heads divides heads"},
        {pages <= MOST_PAGES, "layers * kv_heads is at most 4096"},
        {c->head_dim >= 8 && c->head_dim % 8 == 0 && c->head_dim <= MOST_DIM, "head_dim is a multiple of 8 up to 4096"},
        {c->page_length >= 1 && c->page_length <= 4096, "page_length is from 1 to 4096"},
        {c->element <= TW_PAGED_BF16, "element is TW_PAGED_F32 or TW_PAGED_BF16"},
        {c->digest <= TW_PAGED_BF16, "digest is TW_PAGED_F32 or TW_PAGED_BF16"},
        {c->budget_pages == 0 || forced <= c->budget_pages, "budget_pages is 0 or at least sinks + recent + 1"},
        {c->reduce <= TW_PAGED_SUM, "reduce is one of the four reductions"},
        {c->eviction <= TW_PAGED_CLOCK, "eviction is TW_PAGED_LRU or TW_PAGED_CLOCK"},
        {c->max_sequences >= 1 && c->max_sequences <= 4096, "max_sequences is from 1 to 4096"},
        {c->capacity >= 1 && c->capacity % (c->page_length | (c->page_length == 0)) == 0,
         "capacity is a multiple of page_length"},
        {c->capacity / (c->page_length | (c->page_length == 0)) <= MOST_PLACES / (pages | (pages == 0)),
         "capacity / page_length * layers * kv_heads is at most 2^31"},
        {context <= c->capacity, "context is at most capacity"},
        {c->scale > 0 && tw_paged_is_finite(c->scale), "scale is positive and finite"},
        {c->threads <= TW_PAGED_THREADS, "threads is at most 64"},
    };
    for (size_t n = 0; n < sizeof rules / sizeof *rules; ++n)
        if (!rules[n].is_kept)
            return rules[n].text;
    return NULL;
}

bool tw_paged_shape_of(const tw_paged_config *config, tw_paged_shape *shape, char *message, size_t bytes)
{
    const char *broken = broken_rule(config);
    if (broken != NULL) {
        if (bytes > 0)
            snprintf(message, bytes, "no configuration: %s", broken);
        return false;
    }
    const uint64_t dim = config->head_dim, length = config->page_length, sequences = config->max_sequences;
    tw_paged_shape s = {
        .pages = config->layers * config->kv_heads,
        .rows = (uint32_t)(config->capacity / length),
        .group = config->heads / config->kv_heads,
        .element_bytes = config->element == TW_PAGED_BF16 ? 2 : 4,
        .digest_bytes = config->digest == TW_PAGED_BF16 ? 2 : 4,
        .context = config->context == 0 ? config->capacity : config->context,
    };
    s.blocks = (uint32_t)((s.context + length - 1) / length);
    s.payload = 2 * length * dim * s.element_bytes;
    s.slot = TW_PAGED_HEADER + aligned(s.payload);
    s.digest = 2 * dim * s.digest_bytes;
    s.entry = TW_PAGED_HEADER + aligned(s.pages * s.digest);
    s.tail = aligned(s.payload);
    s.row_bits = aligned((s.rows + UINT64_C(7)) / 8);
    s.block_bits = aligned((s.blocks + UINT64_C(7)) / 8);
    s.scores = s.group * aligned(4 * s.context) / 4;
    s.frame = s.slot + PART_BYTES;
    const uint64_t places = (uint64_t)s.pages * s.rows;
    s.fixed = POOL_BYTES + s.slot;
    s.fixed += s.rows * s.entry + PART_BYTES * (uint64_t)s.rows + aligned(4 * places) + s.pages * s.row_bits;
    s.fixed += sequences * (PART_BYTES + aligned(4 * s.context) + aligned(4 * (uint64_t)s.blocks));
    s.fixed += (sequences + 1) * s.pages * s.tail;
    s.fixed += aligned(8 * length * dim) + 4 * (uint64_t)TW_PAGED_TILE * s.group * (dim + 16);
    s.fixed += TW_PAGED_TILE * s.block_bits + (s.group + UINT64_C(4)) * aligned(4 * (uint64_t)s.blocks) + 4 * s.scores;
    const uint64_t per_head = (uint64_t)config->budget_pages * (config->reduce == TW_PAGED_UNION ? s.group : 1);
    s.most_frames = places;
    s.least_frames = least_of(places, s.pages + config->kv_heads * least_of(s.blocks, per_head));
    *shape = s;
    return true;
}

uint64_t tw_paged_working_set(const tw_paged_config *config)
{
    tw_paged_shape shape;
    return tw_paged_shape_of(config, &shape, NULL, 0) ? shape.fixed + shape.least_frames * shape.frame : 0;
}

static void *part(unsigned char **next, uint64_t bytes)
{
    unsigned char *start = *next;
    *next += bytes;
    return start;
}

void tw_paged_carve(tw_paged_pool *pool)
{
    const tw_paged_shape *s = &pool->shape;
    const uint64_t dim = pool->config.head_dim, sequences = pool->config.max_sequences, places = (uint64_t)s->pages * s->rows;
    const uint64_t of_blocks = aligned(4 * (uint64_t)s->blocks);
    unsigned char *next = (unsigned char *)pool + POOL_BYTES;
    pool->slots = part(&next, (pool->frames + UINT64_C(1)) * s->slot);
    pool->frame = part(&next, pool->frames * (uint64_t)PART_BYTES);
    pool->digests = part(&next, s->rows * s->entry);
    pool->row = part(&next, PART_BYTES * (uint64_t)s->rows);
    pool->frame_of_place = part(&next, aligned(4 * places));
    pool->touched = part(&next, s->pages * s->row_bits);
    pool->sequence = part(&next, PART_BYTES * sequences);
    for (uint64_t n = 0; n < sequences; ++n) {
        pool->sequence[n] = (tw_paged_sequence){.tail = (uint32_t)n};
        pool->sequence[n].tokens = part(&next, aligned(4 * s->context));
        pool->sequence[n].rows = part(&next, of_blocks);
    }
    pool->tails = part(&next, (sequences + 1) * s->pages * s->tail);
    pool->spare_tail = (uint32_t)sequences;
    pool->page_scratch = part(&next, aligned(8 * pool->config.page_length * dim));
    pool->sums = part(&next, 4 * (uint64_t)TW_PAGED_TILE * s->group * dim);
    pool->lanes = part(&next, 4 * (uint64_t)TW_PAGED_TILE * s->group * 16);
    pool->selected = part(&next, TW_PAGED_TILE * s->block_bits);
    pool->block_scores = part(&next, s->group * of_blocks);
    pool->reduced = part(&next, of_blocks);
    pool->list = part(&next, of_blocks);
    pool->row_list = part(&next, of_blocks);
    pool->weights = part(&next, of_blocks);
    pool->token_scores = part(&next, 4 * s->scores);
    memset(pool->row, 0, PART_BYTES * (uint64_t)s->rows);
    memset(pool->frame_of_place, 0xff, 4 * places);
    memset(pool->touched, 0, s->pages * s->row_bits);
    for (uint32_t n = 0; n < pool->frames; ++n)
        pool->frame[n] = (tw_paged_frame){.place = TW_PAGED_NONE};
    pool->oldest = pool->newest = TW_PAGED_NONE;
}
