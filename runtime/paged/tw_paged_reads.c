/*
 * Reads of pages in flight: the caller and a few threads take them from one queue, in order.
 *
 * A frame whose read is not done belongs to the read; its other fields are the caller's alone. A walk touches a window of
 * pages at once, so that its reads overlap: as many as it can without evicting one of the window.
 */
#define _POSIX_C_SOURCE 200809L
#include "tw_paged_pool.h"

#include <time.h>

static uint64_t nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Take the oldest read from the queue and do it; called and left with the lock. */
static void run_one(tw_paged_pool *pool)
{
    tw_paged_reads *reads = &pool->reads;
    const uint32_t frame = reads->frames[reads->head];
    tw_paged_frame *target = &pool->frame[frame];
    reads->head = (reads->head + 1) % TW_PAGED_READS;
    --reads->queued;
    atomic_store(&target->read, TW_PAGED_READING);
    const uint32_t place = target->place;
    pthread_mutex_unlock(&reads->lock);
    const tw_paged_result result = tw_paged_read_place(pool, place, tw_paged_slot(pool, frame));
    pthread_mutex_lock(&reads->lock);
    target->status = (uint8_t)result.status;
    target->error = result.error;
    atomic_store(&target->read, TW_PAGED_READ);
    pthread_cond_broadcast(&reads->done);
}

static void *serve(void *context)
{
    tw_paged_pool *pool = context;
    tw_paged_reads *reads = &pool->reads;
    pthread_mutex_lock(&reads->lock);
    while (!reads->is_closing) {
        if (reads->queued > 0)
            run_one(pool);
        else
            pthread_cond_wait(&reads->wanted, &reads->lock);
    }
    pthread_mutex_unlock(&reads->lock);
    return NULL;
}

tw_paged_status tw_paged_reads_open(tw_paged_pool *pool)
{
    tw_paged_reads *reads = &pool->reads;
    if (pthread_mutex_init(&reads->lock, NULL) != 0 || pthread_cond_init(&reads->wanted, NULL) != 0 ||
        pthread_cond_init(&reads->done, NULL) != 0)
        return tw_paged_fail(pool, TW_PAGED_NO_MEMORY, "no memory for the locks of %u threads", pool->config.threads);
    reads->is_open = true;
    for (uint32_t n = 0; n < pool->config.threads; ++n) {
        if (pthread_create(&reads->thread[n], NULL, serve, pool) != 0)
            return tw_paged_fail(pool, TW_PAGED_NO_MEMORY, "no memory for thread %u of %u", n + 1, pool->config.threads);
        ++reads->threads;
    }
    return TW_PAGED_OK;
}

void tw_paged_reads_close(tw_paged_pool *pool)
{
    tw_paged_reads *reads = &pool->reads;
    if (!reads->is_open)
        return;
    pthread_mutex_lock(&reads->lock);
    reads->is_closing = true;
    pthread_cond_broadcast(&reads->wanted);
    pthread_mutex_unlock(&reads->lock);
    for (uint32_t n = 0; n < reads->threads; ++n)
        pthread_join(reads->thread[n], NULL);
    pthread_cond_destroy(&reads->done);
    pthread_cond_destroy(&reads->wanted);
    pthread_mutex_destroy(&reads->lock);
}

void tw_paged_issue(tw_paged_pool *pool, uint32_t frame)
{
    tw_paged_reads *reads = &pool->reads;
    pool->stats.bytes_read += pool->shape.slot;
    atomic_store(&pool->frame[frame].read, TW_PAGED_QUEUED);
    pthread_mutex_lock(&reads->lock);
    if (reads->queued == TW_PAGED_READS)
        run_one(pool);
    reads->frames[(reads->head + reads->queued) % TW_PAGED_READS] = frame;
    ++reads->queued;
    pthread_cond_signal(&reads->wanted);
    pthread_mutex_unlock(&reads->lock);
}

tw_paged_status tw_paged_settle(tw_paged_pool *pool, uint32_t frame)
{
    tw_paged_reads *reads = &pool->reads;
    tw_paged_frame *target = &pool->frame[frame];
    if (atomic_load(&target->read) == TW_PAGED_IDLE)
        return TW_PAGED_OK;
    const uint64_t start = nanoseconds();
    pthread_mutex_lock(&reads->lock);
    while (atomic_load(&target->read) != TW_PAGED_READ) {
        if (reads->queued > 0)
            run_one(pool);
        else
            pthread_cond_wait(&reads->done, &reads->lock);
    }
    pthread_mutex_unlock(&reads->lock);
    atomic_store(&target->read, TW_PAGED_IDLE);
    pool->stats.read_ns += nanoseconds() - start;
    if (target->status == TW_PAGED_OK)
        return TW_PAGED_OK;
    const tw_paged_result result = {(tw_paged_status)target->status, target->error};
    const uint32_t place = target->place;
    pool->stats.bytes_read -= result.error == 1 ? 0 : pool->shape.slot;
    tw_paged_free_frame(pool, frame);
    return tw_paged_read_failed(pool, place, result);
}

static tw_paged_status read_to_extra(tw_paged_pool *pool, uint64_t place, unsigned char **slot)
{
    const uint64_t start = nanoseconds();
    *slot = tw_paged_slot(pool, pool->frames);
    const tw_paged_result result = tw_paged_read_place(pool, place, *slot);
    pool->stats.read_ns += nanoseconds() - start;
    pool->stats.bytes_read += result.status == TW_PAGED_OK || result.error == 1 ? pool->shape.slot : 0;
    return result.status == TW_PAGED_OK ? TW_PAGED_OK : tw_paged_read_failed(pool, place, result);
}

/* A read that an earlier call began, and that failed, says nothing of this call: the page is read again. */
static void note_earlier_read(tw_paged_pool *pool, uint32_t frame)
{
    if (atomic_load(&pool->frame[frame].read) != TW_PAGED_IDLE)
        pool->frame[frame].is_earlier = true;
}

static tw_paged_status page_of_call(tw_paged_pool *pool, uint32_t row, uint32_t page, unsigned char **slot)
{
    const uint64_t place = tw_paged_place(pool, row, page);
    const uint32_t frame = pool->frame_of_place[place];
    if (frame == TW_PAGED_NONE)
        return read_to_extra(pool, place, slot);
    const bool is_earlier = pool->frame[frame].is_earlier;
    const tw_paged_status status = tw_paged_settle(pool, frame);
    *slot = tw_paged_slot(pool, frame);
    return status != TW_PAGED_OK && is_earlier ? read_to_extra(pool, place, slot) : status;
}

tw_paged_status tw_paged_page(tw_paged_pool *pool, uint32_t row, uint32_t page, unsigned char **slot)
{
    const uint32_t frame = pool->frame_of_place[tw_paged_place(pool, row, page)];
    if (frame != TW_PAGED_NONE)
        note_earlier_read(pool, frame);
    return page_of_call(pool, row, page, slot);
}

void tw_paged_walk_begin(tw_paged_walk *walk, const uint32_t *rows, uint32_t count, uint32_t page)
{
    *walk = (tw_paged_walk){.rows = rows, .count = count, .page = page};
}

void tw_paged_walk_again(tw_paged_walk *walk)
{
    walk->is_second = true;
    walk->next = 0;
    walk->end = walk->is_whole ? walk->count : 0;
}

/* Touch the page of a place for the current window. Return false where that would evict a page of the window. */
static bool touch_place(tw_paged_pool *pool, uint64_t place, bool is_first)
{
    uint32_t frame = pool->frame_of_place[place];
    if (frame != TW_PAGED_NONE) {
        note_earlier_read(pool, frame);
        tw_paged_touch(pool, frame);
        pool->frame[frame].window = pool->window;
        return true;
    }
    frame = tw_paged_candidate(pool);
    if (frame == TW_PAGED_NONE)
        return false;
    if (!is_first && pool->frame[frame].place != TW_PAGED_NONE && pool->frame[frame].window == pool->window)
        return false;
    tw_paged_take(pool, frame, place);
    pool->frame[frame].window = pool->window;
    tw_paged_issue(pool, frame);
    return true;
}

/* Touch as many pages as can be present at once. */
static void touch_window(tw_paged_pool *pool, tw_paged_walk *walk)
{
    unsigned char *touched = pool->touched + walk->page * pool->shape.row_bits;
    uint32_t read = 0;
    ++pool->window;
    while (walk->end < walk->count && read < TW_PAGED_READS) {
        const uint32_t row = walk->rows[walk->end];
        const uint64_t place = tw_paged_place(pool, row, walk->page);
        const bool is_present = pool->frame_of_place[place] != TW_PAGED_NONE;
        const bool is_first = walk->end == walk->next;
        const bool has_frame = touch_place(pool, place, is_first);
        if (!has_frame && !is_first)
            return;
        tw_paged_set_bit(touched, row);
        pool->stats.hits += is_present && !walk->is_second;
        pool->stats.misses += !is_present;
        read += !is_present;
        ++walk->end;
        if (!has_frame)
            return;
    }
    /* The hand of a clock may have passed a page since it was touched. */
    const bool is_marked = read == 0 || pool->config.eviction == TW_PAGED_LRU;
    walk->is_whole = walk->next == 0 && walk->end == walk->count && is_marked;
}

tw_paged_status tw_paged_walk_next(tw_paged_pool *pool, tw_paged_walk *walk, const unsigned char **payload)
{
    if (walk->next == walk->end)
        touch_window(pool, walk);
    unsigned char *slot;
    const tw_paged_status status = page_of_call(pool, walk->rows[walk->next], walk->page, &slot);
    *payload = slot + TW_PAGED_HEADER;
    ++walk->next;
    return status;
}

static bool prefetch_page(tw_paged_pool *pool, uint32_t row, uint32_t page)
{
    const tw_paged_row *wanted = &pool->row[row];
    if (wanted->users == 0 || wanted->state < TW_PAGED_WRITTEN)
        return true;
    const uint64_t place = tw_paged_place(pool, row, page);
    const bool is_present = pool->frame_of_place[place] != TW_PAGED_NONE;
    if (!touch_place(pool, place, false))
        return false;
    pool->stats.prefetched += !is_present;
    return true;
}

void tw_paged_prefetch(tw_paged_pool *pool, uint32_t layer)
{
    if (pool->config.threads == 0 || layer >= pool->config.layers)
        return;
    ++pool->window;
    for (uint32_t head = 0; head < pool->config.kv_heads; ++head) {
        const uint32_t page = layer * pool->config.kv_heads + head;
        const unsigned char *touched = pool->touched + page * pool->shape.row_bits;
        for (uint32_t row = 0; row < pool->shape.rows; ++row) {
            if (row % 8 == 0 && touched[row / 8] == 0)
                row += 7;
            else if (tw_paged_bit(touched, row) && !prefetch_page(pool, row, page))
                return;
        }
    }
}
