/*
 * The paged store of a decoder, as its code calls it: functions that the caller binds before the first run.
 *
 * tilewright_paged.h has the store, and tw_paged_bind, which makes these functions of a pool and a sequence. Rows are
 * float32: keys and values [count][kv_heads][head_dim], queries and results [count][heads][head_dim].
 */
#ifndef TILEWRIGHT_PAGED_STEPS_H
#define TILEWRIGHT_PAGED_STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct tw_paged_steps {
    void *context;
    /* Each returns 0, or what tw_paged_status says. `position` is the number of tokens that the sequence has to have. */
    int32_t (*begin)(void *context, int64_t position, uint32_t count, const uint32_t *tokens);
    int32_t (*append)(void *context, uint32_t layer, const float *keys, const float *values);
    int32_t (*attend)(void *context, uint32_t layer, const float *queries, float *results);
    int32_t (*commit)(void *context);
    /* Selection by the network: digests [kv_heads][blocks][2][head_dim], and attention over blocks that it has chosen. */
    int32_t (*digest)(void *context, uint32_t layer, uint32_t blocks, float *digests);
    int32_t (*attend_over)(void *context, uint32_t layer, const float *queries, const int32_t *table,
                           const int32_t *counts, uint32_t places, float *results);
    /* Sequences, between steps: the current one is copied, changed or replaced. */
    int32_t (*fork)(void *context, int32_t *number);
    int32_t (*switch_to)(void *context, int64_t number);
    int32_t (*truncate)(void *context, int64_t length);
    int32_t (*pin)(void *context, int64_t first, int64_t last, bool is_pinned);
    int32_t status;  /* of the last step: 0, or its first failure, after which it did nothing */
    int32_t pending; /* of the operations on sequences since the last step */
} tw_paged_steps;

static inline void tw_paged_step_begin(tw_paged_steps *steps, const int32_t *position, uint32_t count,
                                       const int32_t *tokens) {
    if (steps == NULL) return;
    steps->status = steps->pending;
    steps->pending = 0;
    if (steps->status != 0) return;
    steps->status = steps->begin(steps->context, position[0], count, (const uint32_t *)tokens);
}

static inline void tw_paged_step_append(tw_paged_steps *steps, uint32_t layer, const float *keys,
                                        const float *values) {
    if (steps == NULL || steps->status != 0) return;
    steps->status = steps->append(steps->context, layer, keys, values);
}

/* Results of a step that has failed are 0. */
static inline void tw_paged_step_attend(tw_paged_steps *steps, uint32_t layer, const float *queries, float *results,
                                        uint32_t numbers) {
    if (steps != NULL && steps->status == 0) {
        steps->status = steps->attend(steps->context, layer, queries, results);
        if (steps->status == 0) return;
    }
    for (uint32_t i = 0; i < numbers; ++i) results[i] = 0.0f;
}

static inline void tw_paged_step_attend_over(tw_paged_steps *steps, uint32_t layer, const float *queries,
                                             const int32_t *table, const int32_t *counts, uint32_t places,
                                             float *results, uint32_t numbers) {
    if (steps != NULL && steps->status == 0) {
        steps->status = steps->attend_over(steps->context, layer, queries, table, counts, places, results);
        if (steps->status == 0) return;
    }
    for (uint32_t i = 0; i < numbers; ++i) results[i] = 0.0f;
}

static inline void tw_paged_step_digest(tw_paged_steps *steps, uint32_t layer, uint32_t blocks, float *digests,
                                        uint32_t numbers) {
    if (steps != NULL && steps->status == 0) {
        steps->status = steps->digest(steps->context, layer, blocks, digests);
        if (steps->status == 0) return;
    }
    for (uint32_t i = 0; i < numbers; ++i) digests[i] = 0.0f;
}

/* After an operation on sequences that fails, those behind it and the next step do nothing. */
static inline bool tw_paged_step_is_blocked(const tw_paged_steps *steps) {
    return steps == NULL || steps->pending != 0;
}

static inline void tw_paged_step_fork(tw_paged_steps *steps, int32_t *number) {
    number[0] = -1;
    if (tw_paged_step_is_blocked(steps)) return;
    steps->pending = steps->status = steps->fork(steps->context, number);
}

static inline void tw_paged_step_switch(tw_paged_steps *steps, const int32_t *number) {
    if (tw_paged_step_is_blocked(steps)) return;
    steps->pending = steps->status = steps->switch_to(steps->context, number[0]);
}

static inline void tw_paged_step_truncate(tw_paged_steps *steps, const int32_t *length) {
    if (tw_paged_step_is_blocked(steps)) return;
    steps->pending = steps->status = steps->truncate(steps->context, length[0]);
}

static inline void tw_paged_step_pin(tw_paged_steps *steps, const int32_t *first, const int32_t *last,
                                     bool is_pinned) {
    if (tw_paged_step_is_blocked(steps)) return;
    steps->pending = steps->status = steps->pin(steps->context, first[0], last[0], is_pinned);
}

static inline void tw_paged_step_commit(tw_paged_steps *steps) {
    if (steps == NULL || steps->status != 0) return;
    steps->status = steps->commit(steps->context);
}

#endif
