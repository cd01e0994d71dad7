/* Runs a decoder on a store in memory, a step for each token of the command line, and prints the bits of all scores. */
#include "network.h"
#include "tilewright_paged.h"
#include "tilewright_paged_steps.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static float scores[NETWORK_OUTPUT_0_SIZE];

int main(int count, char **arguments)
{
    const tw_paged_config config = {.layers = NETWORK_KV_LAYERS,
                                    .heads = NETWORK_KV_HEADS,
                                    .kv_heads = NETWORK_KV_KV_HEADS,
                                    .head_dim = NETWORK_KV_HEAD_DIM,
                                    .page_length = NETWORK_KV_PAGE_LENGTH,
                                    .capacity = NETWORK_KV_CONTEXT,
                                    .context = NETWORK_KV_CONTEXT,
                                    .scale = NETWORK_KV_SCALE,
                                    .max_sequences = 1,
                                    .memory = 4 << 20};
    char message[256];
    tw_paged_binding binding = {0};
    tw_paged_steps steps;
    if (tw_paged_open(&binding.pool, &config, NULL, NULL, message, sizeof message) != TW_PAGED_OK
        || tw_paged_create(binding.pool, &binding.sequence) != TW_PAGED_OK) {
        fprintf(stderr, "%s\n", message);
        return EXIT_FAILURE;
    }
    tw_paged_bind(&steps, &binding);
    network_bind(&steps);
    for (int32_t position = 0; position + 1 < count; ++position) {
        const int64_t token = strtol(arguments[position + 1], NULL, 10);
        if (network_run(&token, &position, scores) != 0 || steps.status != TW_PAGED_OK)
            return EXIT_FAILURE;
        for (int k = 0; k < NETWORK_OUTPUT_0_SIZE; ++k) {
            uint32_t bits;
            memcpy(&bits, &scores[k], sizeof bits);
            printf("%08" PRIx32 "%c", bits, k + 1 < NETWORK_OUTPUT_0_SIZE ? ' ' : '\n');
        }
    }
    tw_paged_close(binding.pool);
    return EXIT_SUCCESS;
}
