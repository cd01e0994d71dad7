/* The functions of tilewright_paged_steps.h on a pool and one of its sequences. */
#include "tilewright_paged.h"
#include "tilewright_paged_steps.h"

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

static int32_t attend(void *context, uint32_t layer, const float *queries, float *results) {
    const tw_paged_binding *const binding = context;
    const int32_t status = (int32_t)tw_paged_attend(binding->pool, layer, queries, results);
    if (status == TW_PAGED_OK) tw_paged_prefetch(binding->pool, layer + 1u);
    return status;
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
    steps->status = TW_PAGED_OK;
}
