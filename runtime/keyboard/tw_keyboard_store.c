/* The functions of tw_keyboard_model on a pool: tilewright_keyboard_store.h. */
#define _POSIX_C_SOURCE 200809L
#include "tilewright_keyboard_store.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static tw_keyboard_code code_of(int32_t status)
{
    switch (status) {
    case TW_PAGED_OK: return TW_KEYBOARD_OK;
    case TW_PAGED_FULL:
    case TW_PAGED_NO_MEMORY: return TW_KEYBOARD_FULL;
    case TW_PAGED_NO_SPACE: return TW_KEYBOARD_NO_SPACE;
    case TW_PAGED_IO:
    case TW_PAGED_LOCKED: return TW_KEYBOARD_IO;
    case TW_PAGED_CORRUPT:
    case TW_PAGED_FOREIGN:
    case TW_PAGED_NEWER: return TW_KEYBOARD_CORRUPT;
    case TW_PAGED_NOT_FINITE: return TW_KEYBOARD_NOT_FINITE;
    default: return TW_KEYBOARD_REFUSED;
    }
}

/* Keep the pool's message, and return the code of a status. */
static int noted(tw_keyboard_store *store, int32_t status)
{
    if (status != TW_PAGED_OK)
        snprintf(store->message, sizeof store->message, "%s", tw_paged_message(store->pool));
    return code_of(status);
}

static int said(tw_keyboard_store *store, tw_keyboard_code code, const char *message)
{
    snprintf(store->message, sizeof store->message, "%s", message);
    return code;
}

static int run(void *context, uint32_t document, uint32_t count, const uint32_t *tokens, const float **scores)
{
    tw_keyboard_store *store = context;
    const uint64_t position = tw_paged_length(store->pool, document);
    if (count > store->config.context - position)
        return said(store, TW_KEYBOARD_FULL, "the context is full");
    store->binding.sequence = document;
    store->steps.status = TW_PAGED_OK;
    if (store->network->run(count, tokens, (int64_t)position, scores) != 0)
        return said(store, TW_KEYBOARD_REFUSED, "the network refuses a token or its position");
    if (store->steps.status == TW_PAGED_OK)
        return TW_KEYBOARD_OK;
    const int code = noted(store, store->steps.status);
    tw_paged_rollback(store->pool);
    return code;
}

static int create(void *context, uint32_t *document)
{
    tw_keyboard_store *store = context;
    return noted(store, (int32_t)tw_paged_create(store->pool, document));
}

static int fork_of(void *context, uint32_t document, uint32_t *fork)
{
    tw_keyboard_store *store = context;
    return noted(store, (int32_t)tw_paged_fork(store->pool, document, fork));
}

static int truncate_to(void *context, uint32_t document, uint32_t length)
{
    tw_keyboard_store *store = context;
    return noted(store, (int32_t)tw_paged_truncate(store->pool, document, length));
}

static int drop(void *context, uint32_t document)
{
    tw_keyboard_store *store = context;
    return noted(store, (int32_t)tw_paged_drop(store->pool, document));
}

static bool exists(void *context, uint32_t document)
{
    tw_keyboard_store *store = context;
    return tw_paged_exists(store->pool, document);
}

static uint32_t count(void *context, uint32_t document)
{
    tw_keyboard_store *store = context;
    return (uint32_t)tw_paged_length(store->pool, document);
}

static int read_tokens(void *context, uint32_t document, uint32_t first, uint32_t number, uint32_t *tokens)
{
    tw_keyboard_store *store = context;
    return noted(store, (int32_t)tw_paged_tokens(store->pool, document, first, number, tokens));
}

static int save(void *context)
{
    tw_keyboard_store *store = context;
    if (store->folder == NULL)
        return said(store, TW_KEYBOARD_NO_FOLDER, "there is no folder: give --kv-dir");
    return noted(store, (int32_t)tw_paged_save(store->pool));
}

static tw_keyboard_code open_pool(tw_keyboard_store *store)
{
    return code_of((int32_t)tw_paged_open(&store->pool, &store->config, store->folder, &tw_paged_posix, store->message,
                                          sizeof store->message));
}

static int load(void *context)
{
    tw_keyboard_store *store = context;
    if (store->folder == NULL)
        return said(store, TW_KEYBOARD_NO_FOLDER, "there is no folder: give --kv-dir");
    tw_keyboard_store_close(store);
    const tw_keyboard_code code = open_pool(store);
    if (code != TW_KEYBOARD_OK)
        store->pool = NULL;
    store->binding.pool = store->pool;
    return code;
}

static uint64_t slot_of(const tw_paged_config *config)
{
    const uint64_t element = config->element == TW_PAGED_F32 ? 4 : 2;
    return 64 + (2 * element * config->page_length * config->head_dim + 63) / 64 * 64;
}

static void counts_of(void *context, tw_keyboard_counts *counts)
{
    tw_keyboard_store *store = context;
    tw_paged_stats stats;
    tw_paged_get_stats(store->pool, &stats);
    *counts = (tw_keyboard_counts){
        .hits = stats.hits,
        .misses = stats.misses,
        .resident = stats.resident_pages * slot_of(&store->config),
        .memory = stats.memory,
        .bytes_read = stats.bytes_read,
        .bytes_written = stats.bytes_written,
        .degraded = stats.degraded,
    };
}

static uint64_t microseconds(void *context)
{
    struct timespec now;
    (void)context;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000u + (uint64_t)now.tv_nsec / 1000u;
}

static const char *message(void *context)
{
    const tw_keyboard_store *store = context;
    return store->message;
}

tw_keyboard_code tw_keyboard_store_open(tw_keyboard_store *store, const tw_keyboard_network *network,
                                        const tw_paged_config *config, const char *folder)
{
    memset(store, 0, sizeof *store);
    store->network = network;
    store->config = *config;
    store->folder = folder;
    const tw_keyboard_code code = open_pool(store);
    if (code != TW_KEYBOARD_OK)
        return code;
    store->binding.pool = store->pool;
    tw_paged_bind(&store->steps, &store->binding);
    network->bind(&store->steps);
    return TW_KEYBOARD_OK;
}

void tw_keyboard_store_close(tw_keyboard_store *store)
{
    if (store->pool != NULL)
        tw_paged_close(store->pool);
    store->pool = NULL;
}

tw_keyboard_model tw_keyboard_store_model(tw_keyboard_store *store)
{
    return (tw_keyboard_model){
        .context = store,
        .vocabulary = store->network->vocabulary,
        .begin = store->network->begin,
        .length = (uint32_t)store->config.context,
        .chunk = store->network->chunk,
        .documents = store->config.max_sequences - 1,
        .run = run,
        .create = create,
        .fork = fork_of,
        .truncate = truncate_to,
        .drop = drop,
        .exists = exists,
        .count = count,
        .read = read_tokens,
        .save = save,
        .load = load,
        .counts = counts_of,
        .microseconds = microseconds,
        .message = message,
    };
}
