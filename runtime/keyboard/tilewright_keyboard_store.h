#ifndef TILEWRIGHT_KEYBOARD_STORE_H
#define TILEWRIGHT_KEYBOARD_STORE_H
/* The model of a keyboard server: a decoder that Tilewright compiled with --paged, on a paged store. */
#include "tilewright_keyboard.h"
#include "tilewright_paged.h"
#include "tilewright_paged_steps.h"

/* A compiled decoder. `run` takes one token, or `chunk`; it returns the status of the network. */
typedef struct tw_keyboard_network {
    uint32_t vocabulary, chunk;
    int32_t begin;
    int32_t (*run)(uint32_t count, const uint32_t *tokens, int64_t position, const float **scores);
    void (*bind)(struct tw_paged_steps *steps);
} tw_keyboard_network;

typedef struct tw_keyboard_store {
    const tw_keyboard_network *network;
    tw_paged_config config;
    const char *folder;
    tw_paged_pool *pool;
    tw_paged_binding binding;
    tw_paged_steps steps;
    char message[256];
} tw_keyboard_store;

/* Open the store of a decoder in a folder or, where that is NULL, in memory. Documents are max_sequences - 1. */
tw_keyboard_code tw_keyboard_store_open(tw_keyboard_store *store, const tw_keyboard_network *network,
                                        const tw_paged_config *config, const char *folder);
void tw_keyboard_store_close(tw_keyboard_store *store);
/* The functions of a store, which outlives them. */
tw_keyboard_model tw_keyboard_store_model(tw_keyboard_store *store);

/*
 * The command line of a keyboard server. `shape` has the sizes of the decoder, its scale, context and hash.
 * Returns the exit code.
 */
int tw_keyboard_command(int argc, char **argv, const tw_keyboard_network *network, const tw_paged_config *shape);

#endif
