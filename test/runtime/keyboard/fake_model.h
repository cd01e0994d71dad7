/* A model of bytes without weights: scores are a hash of the tokens before. `fake_delay` microseconds pass in each call. */
#define _POSIX_C_SOURCE 200809L
#include "tilewright_keyboard.h"

#include <string.h>
#include <time.h>

enum { FAKE_VOCABULARY = 260, FAKE_BEGIN = 256, FAKE_LENGTH = 4096, FAKE_DOCUMENTS = 4, FAKE_CHUNK = 16 };

typedef struct fake_document {
    bool exists;
    uint32_t count;
    uint16_t tokens[FAKE_LENGTH];
} fake_document;

static fake_document fake_documents[FAKE_DOCUMENTS + 1], fake_saved[FAKE_DOCUMENTS + 1];
static bool fake_has_saved;
static uint64_t fake_calls, fake_failing;
static uint32_t fake_delay;
static float fake_scores[FAKE_VOCABULARY];
static const char *fake_message = "";

static int fake_fail(int code, const char *message)
{
    fake_message = message;
    return code;
}

static uint64_t fake_mixed(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0xbf58476d1ce4e5b9);
    return hash ^ hash >> 27;
}

static uint64_t fake_microseconds(void *context)
{
    struct timespec now;
    (void)context;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000u + (uint64_t)now.tv_nsec / 1000u;
}

static void fake_score(const fake_document *document)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (uint32_t k = 0; k < document->count; ++k)
        hash = fake_mixed(hash, document->tokens[k]);
    for (uint32_t k = 0; k < FAKE_VOCABULARY; ++k)
        fake_scores[k] = (float)(fake_mixed(fake_mixed(hash, k), 0) >> 40) * 0x1p-21f;
}

static int fake_run(void *context, uint32_t number, uint32_t count, const uint32_t *tokens, const float **scores)
{
    fake_document *document = &fake_documents[number];
    (void)context;
    if (count != 1 && count != FAKE_CHUNK)
        return fake_fail(TW_KEYBOARD_REFUSED, "another number of tokens");
    if (count > FAKE_LENGTH - document->count)
        return fake_fail(TW_KEYBOARD_FULL, "the context is full");
    if (fake_failing > 0 && fake_calls + 1 >= fake_failing)
        return fake_fail(TW_KEYBOARD_IO, "the call fails");
    for (uint32_t k = 0; k < count; ++k)
        document->tokens[document->count++] = (uint16_t)tokens[k];
    fake_score(document);
    *scores = fake_scores;
    ++fake_calls;
    const struct timespec delay = {.tv_nsec = fake_delay * 1000L};
    if (fake_delay > 0)
        nanosleep(&delay, NULL);
    return TW_KEYBOARD_OK;
}

static int fake_create(void *context, uint32_t *number)
{
    (void)context;
    for (uint32_t k = 0; k <= FAKE_DOCUMENTS; ++k)
        if (!fake_documents[k].exists) {
            fake_documents[k] = (fake_document){.exists = true};
            *number = k;
            return TW_KEYBOARD_OK;
        }
    return fake_fail(TW_KEYBOARD_FULL, "no document is left");
}

static int fake_fork(void *context, uint32_t number, uint32_t *fork)
{
    const int code = fake_create(context, fork);
    if (code == TW_KEYBOARD_OK)
        fake_documents[*fork] = fake_documents[number];
    return code;
}

static int fake_truncate(void *context, uint32_t number, uint32_t length)
{
    (void)context;
    if (length > fake_documents[number].count)
        return fake_fail(TW_KEYBOARD_BAD_REQUEST, "the document is shorter");
    fake_documents[number].count = length;
    return TW_KEYBOARD_OK;
}

static int fake_drop(void *context, uint32_t number)
{
    (void)context;
    fake_documents[number].exists = false;
    return TW_KEYBOARD_OK;
}

static bool fake_exists(void *context, uint32_t number)
{
    (void)context;
    return number <= FAKE_DOCUMENTS && fake_documents[number].exists;
}

static uint32_t fake_count(void *context, uint32_t number)
{
    (void)context;
    return fake_documents[number].count;
}

static int fake_read(void *context, uint32_t number, uint32_t first, uint32_t count, uint32_t *tokens)
{
    (void)context;
    for (uint32_t k = 0; k < count; ++k)
        tokens[k] = fake_documents[number].tokens[first + k];
    return TW_KEYBOARD_OK;
}

static int fake_save(void *context)
{
    (void)context;
    memcpy(fake_saved, fake_documents, sizeof fake_saved);
    fake_has_saved = true;
    return TW_KEYBOARD_OK;
}

static int fake_load(void *context)
{
    (void)context;
    memset(fake_documents, 0, sizeof fake_documents);
    if (fake_has_saved)
        memcpy(fake_documents, fake_saved, sizeof fake_documents);
    return TW_KEYBOARD_OK;
}

static void fake_counts(void *context, tw_keyboard_counts *counts)
{
    (void)context;
    *counts = (tw_keyboard_counts){.hits = fake_calls, .resident = sizeof fake_documents};
}

static const char *fake_last_message(void *context)
{
    (void)context;
    return fake_message;
}

static tw_keyboard_model fake_model = {
    .vocabulary = FAKE_VOCABULARY,
    .begin = FAKE_BEGIN,
    .length = FAKE_LENGTH,
    .chunk = FAKE_CHUNK,
    .documents = FAKE_DOCUMENTS,
    .run = fake_run,
    .create = fake_create,
    .fork = fake_fork,
    .truncate = fake_truncate,
    .drop = fake_drop,
    .exists = fake_exists,
    .count = fake_count,
    .read = fake_read,
    .save = fake_save,
    .load = fake_load,
    .counts = fake_counts,
    .microseconds = fake_microseconds,
    .message = fake_last_message,
};
