/* Pools, sequences and steps. */
#include "tw_paged_pool.h"

#include "tw_paged_numbers.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
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

tw_paged_status tw_paged_fail(tw_paged_pool *pool, tw_paged_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(pool->message, sizeof pool->message, format, arguments);
    va_end(arguments);
    return status;
}

/* Sizes */

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

static void carve(tw_paged_pool *pool)
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

/* Pools */

static tw_paged_status open_file(tw_paged_pool *pool, const char *name, int *file, uint64_t *size)
{
    const int opened = pool->io.open(pool->io.context, pool->folder, name, false);
    if (opened == -ENOENT)
        return TW_PAGED_OK;
    if (opened < 0)
        return tw_paged_failed_call(pool, "open", name, opened);
    *file = opened;
    const int64_t bytes = pool->io.size(pool->io.context, opened);
    if (bytes < 0)
        return tw_paged_failed_call(pool, "fstat", name, (int)bytes);
    *size = (uint64_t)bytes;
    return TW_PAGED_OK;
}

static tw_paged_status lock_folder(tw_paged_pool *pool)
{
    pool->lock_file = pool->io.open(pool->io.context, pool->folder, "lock", true);
    if (pool->lock_file < 0)
        return tw_paged_failed_call(pool, "open", "lock", pool->lock_file);
    const int error = pool->io.lock(pool->io.context, pool->lock_file);
    if (error == -EWOULDBLOCK)
        return tw_paged_fail(pool, TW_PAGED_LOCKED, "%s is open in another process or pool", pool->folder);
    return error == 0 ? TW_PAGED_OK : tw_paged_failed_call(pool, "flock", "lock", error);
}

/* Check that the files hold the rows of the manifest. */
static tw_paged_status check_sizes(tw_paged_pool *pool)
{
    uint64_t rows = 0;
    for (uint32_t row = 0; row < pool->shape.rows; ++row)
        rows = pool->row[row].users > 0 ? row + UINT64_C(1) : rows;
    const uint64_t sizes[2] = {pool->pages_size, pool->digests_size};
    const uint64_t needed[2] = {rows * pool->shape.pages * pool->shape.slot, rows * pool->shape.entry};
    static const char *const names[2] = {"pages.tw", "digests.tw"};
    for (uint32_t n = 0; n < 2; ++n)
        if (sizes[n] < needed[n])
            return tw_paged_fail(pool, TW_PAGED_CORRUPT, "%s/%s has %llu bytes, the rows of the manifest need %llu",
                                 pool->folder, names[n], (unsigned long long)sizes[n], (unsigned long long)needed[n]);
    return TW_PAGED_OK;
}

static tw_paged_status open_folder(tw_paged_pool *pool)
{
    tw_paged_status status = lock_folder(pool);
    if (status == TW_PAGED_OK)
        status = open_file(pool, "pages.tw", &pool->pages_file, &pool->pages_size);
    if (status == TW_PAGED_OK)
        status = open_file(pool, "digests.tw", &pool->digests_file, &pool->digests_size);
    if (status == TW_PAGED_OK)
        status = tw_paged_load_manifest(pool);
    return status == TW_PAGED_OK ? check_sizes(pool) : status;
}

static tw_paged_status refuse(char *message, size_t bytes, tw_paged_status status, const char *text, uint64_t found,
                              uint64_t expected)
{
    if (bytes > 0)
        snprintf(message, bytes, text, (unsigned long long)found, (unsigned long long)expected);
    return status;
}

tw_paged_status tw_paged_open_pool(tw_paged_pool **opened, const tw_paged_config *config, const char *folder,
                                   const tw_paged_io *io, char *message, size_t bytes)
{
    tw_paged_shape shape;
    *opened = NULL;
    if (!tw_paged_shape_of(config, &shape, message, bytes))
        return TW_PAGED_BAD_ARGUMENT;
    if (!tw_paged_numbers_are_exact())
        return refuse(message, bytes, TW_PAGED_BAD_ARGUMENT,
                      "the library is compiled with -ffast-math or fused operations: compile it with -std=c11", 0, 0);
    const uint64_t needed = shape.fixed + shape.least_frames * shape.frame;
    if (config->memory < needed)
        return refuse(message, bytes, TW_PAGED_NO_MEMORY,
                      "memory is %llu bytes, the working set of this configuration %llu", config->memory, needed);
    if (folder != NULL && strlen(folder) >= TW_PAGED_FOLDER)
        return refuse(message, bytes, TW_PAGED_BAD_ARGUMENT, "the folder's path has %llu bytes, at most %llu are possible",
                      strlen(folder), TW_PAGED_FOLDER - 1);
    const uint64_t frames = least_of(shape.most_frames, (config->memory - shape.fixed) / shape.frame);
    const uint64_t total = shape.fixed + frames * shape.frame;
    tw_paged_pool *pool = total > SIZE_MAX ? NULL : aligned_alloc(TW_PAGED_ALIGNMENT, (size_t)total);
    if (pool == NULL)
        return refuse(message, bytes, TW_PAGED_NO_MEMORY, "the system has no %llu bytes of memory", total, 0);
    memset(pool, 0, sizeof *pool);
    pool->config = *config;
    pool->io = io == NULL ? tw_paged_posix : *io;
    pool->shape = shape;
    pool->stats.memory = total;
    pool->stats.frames = frames;
    pool->frames = (uint32_t)frames;
    pool->lock_file = pool->pages_file = pool->digests_file = -1;
    pool->has_folder = folder != NULL;
    tw_paged_crc_open(pool->crc);
    carve(pool);
    tw_paged_status status = tw_paged_reads_open(pool);
    if (status == TW_PAGED_OK && folder != NULL) {
        memcpy(pool->folder, folder, strlen(folder) + 1);
        status = open_folder(pool);
    }
    if (status == TW_PAGED_OK) {
        *opened = pool;
        return TW_PAGED_OK;
    }
    if (bytes > 0)
        snprintf(message, bytes, "%s", pool->message);
    tw_paged_close(pool);
    return status;
}

tw_paged_status tw_paged_open(tw_paged_pool **opened, const tw_paged_config *config, const char *folder,
                              const tw_paged_io *io, char *message, size_t bytes)
{
    tw_paged_status status = tw_paged_open_pool(opened, config, folder, io, message, bytes);
    if (status != TW_PAGED_OK)
        return status;
    tw_paged_pool *pool = *opened;
    for (uint32_t row = 0; row < pool->shape.rows && status == TW_PAGED_OK; ++row)
        if (pool->row[row].users > 0)
            status = tw_paged_read_digests(pool, row);
    if (status == TW_PAGED_OK)
        return TW_PAGED_OK;
    if (bytes > 0)
        snprintf(message, bytes, "%s", pool->message);
    tw_paged_close(pool);
    *opened = NULL;
    return status;
}

void tw_paged_close(tw_paged_pool *pool)
{
    if (pool == NULL)
        return;
    tw_paged_reads_close(pool);
    const int files[3] = {pool->pages_file, pool->digests_file, pool->lock_file};
    for (uint32_t n = 0; n < 3; ++n)
        if (files[n] >= 0)
            pool->io.close(pool->io.context, files[n]);
    free(pool);
}

const char *tw_paged_message(const tw_paged_pool *pool)
{
    return pool->message;
}

void tw_paged_get_stats(const tw_paged_pool *pool, tw_paged_stats *stats)
{
    *stats = pool->stats;
    stats->resident_pages = pool->used_frames;
    stats->dirty_rows = pool->unwritten;
    for (uint32_t row = 0; row < pool->shape.rows; ++row)
        stats->rows += pool->row[row].users > 0;
}

/* Sequences */

bool tw_paged_exists(const tw_paged_pool *pool, uint32_t sequence)
{
    return sequence < pool->config.max_sequences && pool->sequence[sequence].exists;
}

uint64_t tw_paged_length(const tw_paged_pool *pool, uint32_t sequence)
{
    return tw_paged_exists(pool, sequence) ? pool->sequence[sequence].length : 0;
}

/* Check that a sequence exists and no step is open. */
static tw_paged_status check_sequence(tw_paged_pool *pool, uint32_t sequence, const char *function)
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

/* Copy the keys and values of the first tokens of a page. */
static void copy_tokens(const tw_paged_pool *pool, unsigned char *to, const unsigned char *from, uint32_t tokens)
{
    const uint64_t half = pool->shape.payload / 2, bytes = half / pool->config.page_length * tokens;
    memcpy(to, from, bytes);
    memcpy(to + half, from + half, bytes);
}

tw_paged_status tw_paged_fork(tw_paged_pool *pool, uint32_t sequence, uint32_t *fork)
{
    tw_paged_status status = check_sequence(pool, sequence, "fork");
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
        copy_tokens(pool, tw_paged_tail(pool, to->tail, page), tw_paged_tail(pool, from->tail, page),
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
    const tw_paged_status status = check_sequence(pool, sequence, "drop");
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
    tw_paged_status status = check_sequence(pool, sequence, "truncate");
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
            copy_tokens(pool, tw_paged_tail(pool, pool->spare_tail, page), slot + TW_PAGED_HEADER, tail);
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
    const tw_paged_status status = check_sequence(pool, sequence, function);
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
    tw_paged_status status = check_sequence(pool, sequence, "hash");
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

/* Steps */

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
    const tw_paged_status status = check_sequence(pool, sequence, "begin");
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
        copy_tokens(pool, tw_paged_step_page(pool, old_block, page), tw_paged_tail(pool, sequence->tail, page),
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
