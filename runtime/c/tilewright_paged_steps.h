/*
 * The paged store of a decoder, as its code calls it: functions that the caller binds before the first run.
 *
 * tilewright_paged.h has the store, and tw_paged_bind, which makes these functions of a pool and a sequence. Rows are
 * float32: keys and values [count][kv_heads][head_dim], queries and results [count][heads][head_dim].
 */
#ifndef TILEWRIGHT_PAGED_STEPS_H
#define TILEWRIGHT_PAGED_STEPS_H

#include <stddef.h>
#include <stdint.h>

typedef struct tw_paged_steps {
    void *context;
    /* Each returns 0, or what tw_paged_status says. `position` is the number of tokens that the sequence has to have. */
    int32_t (*begin)(void *context, int64_t position, uint32_t count, const uint32_t *tokens);
    int32_t (*append)(void *context, uint32_t layer, const float *keys, const float *values);
    int32_t (*attend)(void *context, uint32_t layer, const float *queries, float *results);
    int32_t (*commit)(void *context);
    int32_t status; /* of the last step: 0, or its first failure, after which it did nothing */
} tw_paged_steps;

static inline void tw_paged_step_begin(tw_paged_steps *steps, const int32_t *position, uint32_t count,
                                       const int32_t *tokens) {
    if (steps == NULL) return;
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

static inline void tw_paged_step_commit(tw_paged_steps *steps) {
    if (steps == NULL || steps->status != 0) return;
    steps->status = steps->commit(steps->context);
}

#endif
