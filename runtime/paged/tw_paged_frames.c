/* Frames of the resident pool: the least recently used, or the first unmarked one behind the hand of a clock, is evicted. */
#include "tw_paged_pool.h"

bool tw_paged_is_fixed(const tw_paged_pool *pool, uint32_t frame)
{
    const tw_paged_row *row = &pool->row[pool->frame[frame].place / pool->shape.pages];
    return row->state == TW_PAGED_OPEN || row->state == TW_PAGED_UNWRITTEN || row->is_pinned;
}

static void unlink_frame(tw_paged_pool *pool, uint32_t frame)
{
    const uint32_t older = pool->frame[frame].older, newer = pool->frame[frame].newer;
    if (older == TW_PAGED_NONE)
        pool->oldest = newer;
    else
        pool->frame[older].newer = newer;
    if (newer == TW_PAGED_NONE)
        pool->newest = older;
    else
        pool->frame[newer].older = older;
}

static void link_newest(tw_paged_pool *pool, uint32_t frame)
{
    pool->frame[frame].older = pool->newest;
    pool->frame[frame].newer = TW_PAGED_NONE;
    if (pool->newest == TW_PAGED_NONE)
        pool->oldest = frame;
    else
        pool->frame[pool->newest].newer = frame;
    pool->newest = frame;
}

void tw_paged_touch(tw_paged_pool *pool, uint32_t frame)
{
    pool->frame[frame].is_marked = true;
    if (pool->newest == frame)
        return;
    unlink_frame(pool, frame);
    link_newest(pool, frame);
}

static uint32_t least_recent(const tw_paged_pool *pool)
{
    uint32_t frame = pool->oldest;
    while (frame != TW_PAGED_NONE && tw_paged_is_fixed(pool, frame))
        frame = pool->frame[frame].newer;
    return frame;
}

/* The hand stays at the frame that it returns: tw_paged_take moves it. */
static uint32_t behind_hand(tw_paged_pool *pool)
{
    uint32_t fixed = 0;
    while (fixed < pool->frames) {
        const uint32_t frame = pool->hand;
        const bool is_fixed = tw_paged_is_fixed(pool, frame);
        if (!is_fixed && !pool->frame[frame].is_marked)
            return frame;
        fixed = is_fixed ? fixed + 1 : 0;
        if (!is_fixed)
            pool->frame[frame].is_marked = false;
        pool->hand = (frame + 1) % pool->frames;
    }
    return TW_PAGED_NONE;
}

uint32_t tw_paged_candidate(tw_paged_pool *pool)
{
    if (pool->used_frames == pool->frames)
        return pool->config.eviction == TW_PAGED_CLOCK ? behind_hand(pool) : least_recent(pool);
    while (pool->frame[pool->lowest_frame].place != TW_PAGED_NONE)
        ++pool->lowest_frame;
    return pool->lowest_frame;
}

void tw_paged_take(tw_paged_pool *pool, uint32_t frame, uint64_t place)
{
    tw_paged_frame *taken = &pool->frame[frame];
    if (taken->place != TW_PAGED_NONE) {
        ++pool->stats.evictions;
        tw_paged_free_frame(pool, frame);
        if (pool->config.eviction == TW_PAGED_CLOCK)
            pool->hand = (frame + 1) % pool->frames;
    }
    ++pool->used_frames;
    taken->place = (uint32_t)place;
    taken->is_marked = true;
    taken->is_earlier = false;
    pool->frame_of_place[place] = frame;
    link_newest(pool, frame);
}

void tw_paged_free_frame(tw_paged_pool *pool, uint32_t frame)
{
    tw_paged_frame *freed = &pool->frame[frame];
    /* A read that has failed has freed the frame. */
    if (tw_paged_settle(pool, frame) != TW_PAGED_OK)
        return;
    unlink_frame(pool, frame);
    pool->frame_of_place[freed->place] = TW_PAGED_NONE;
    freed->place = TW_PAGED_NONE;
    --pool->used_frames;
    pool->lowest_frame = frame < pool->lowest_frame ? frame : pool->lowest_frame;
}

uint32_t tw_paged_unfixed_frames(const tw_paged_pool *pool)
{
    uint32_t unfixed = 0;
    for (uint32_t frame = 0; frame < pool->frames; ++frame)
        unfixed += pool->frame[frame].place == TW_PAGED_NONE || !tw_paged_is_fixed(pool, frame);
    return unfixed;
}
