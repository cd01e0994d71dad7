/* The functions of tilewright_paged_steps.h on a pool and one of its sequences. */
#include "tilewright_paged_steps.h"
#include "tw_paged_pool.h"

static int32_t begin(void *context, int64_t position, uint32_t count, const uint32_t *tokens) {
    const tw_paged_binding *const binding = context;
    if (position < 0 || (uint64_t)position != tw_paged_length(binding->pool, binding->sequence))
        return TW_PAGED_OUT_OF_ORDER;
    return (int32_t)tw_paged_begin(binding->pool, binding->sequence, count, tokens);
}

static int32_t append(void *context, uint32_t layer, const float *keys, const float *values) {
    const tw_paged_binding *const binding = context;
    return (int32_t)tw_paged_append(binding->pool, layer, keys, values);
}

static int32_t prefetched(const tw_paged_binding *binding, uint32_t layer, tw_paged_status status) {
    if (status == TW_PAGED_OK) tw_paged_prefetch(binding->pool, layer + 1u);
    return (int32_t)status;
}

static int32_t attend(void *context, uint32_t layer, const float *queries, float *results) {
    const tw_paged_binding *const binding = context;
    return prefetched(binding, layer, tw_paged_attend(binding->pool, layer, queries, results));
}

static int32_t digest(void *context, uint32_t layer, uint32_t blocks, float *digests) {
    const tw_paged_binding *const binding = context;
    return (int32_t)tw_paged_digests(binding->pool, layer, blocks, digests);
}

static int32_t attend_over(void *context, uint32_t layer, const float *queries, const int32_t *table,
                           const int32_t *counts, uint32_t places, float *results) {
    const tw_paged_binding *const binding = context;
    return prefetched(binding, layer,
                      tw_paged_attend_over(binding->pool, layer, queries, table, counts, places, results));
}

static int32_t fork_sequence(void *context, int32_t *number) {
    const tw_paged_binding *const binding = context;
    uint32_t fork = 0;
    const tw_paged_status status = tw_paged_fork(binding->pool, binding->sequence, &fork);
    number[0] = status == TW_PAGED_OK ? (int32_t)fork : -1;
    return (int32_t)status;
}

static int32_t switch_to(void *context, int64_t number) {
    tw_paged_binding *const binding = context;
    if (number < 0 || !tw_paged_exists(binding->pool, (uint32_t)number))
        return (int32_t)tw_paged_fail(binding->pool, TW_PAGED_BAD_ARGUMENT, "switch: there is no sequence %lld",
                                      (long long)number);
    binding->sequence = (uint32_t)number;
    return TW_PAGED_OK;
}

static int32_t truncate_sequence(void *context, int64_t length) {
    const tw_paged_binding *const binding = context;
    return (int32_t)tw_paged_truncate(binding->pool, binding->sequence, (uint64_t)length);
}

static int32_t pin(void *context, int64_t first, int64_t last, bool is_pinned) {
    const tw_paged_binding *const binding = context;
    tw_paged_status (*const set)(tw_paged_pool *, uint32_t, uint64_t, uint64_t) = is_pinned ? tw_paged_pin : tw_paged_unpin;
    return (int32_t)set(binding->pool, binding->sequence, (uint64_t)first, (uint64_t)last);
}

static int32_t commit(void *context) {
    const tw_paged_binding *const binding = context;
    return (int32_t)tw_paged_commit(binding->pool);
}

void tw_paged_bind(struct tw_paged_steps *steps, tw_paged_binding *binding) {
    steps->context = binding;
    steps->begin = begin;
    steps->append = append;
    steps->attend = attend;
    steps->commit = commit;
    steps->digest = digest;
    steps->attend_over = attend_over;
    steps->fork = fork_sequence;
    steps->switch_to = switch_to;
    steps->truncate = truncate_sequence;
    steps->pin = pin;
    steps->status = steps->pending = TW_PAGED_OK;
}
