/*
 * Runs the network three times on the inputs in a file, whose name is the first argument, and writes the outputs of the
 * first run. Ends with 4 where those of another differ.
 */
#include <stdio.h>
#include <string.h>

#include "network.h"

#if NETWORK_OUTPUT_COUNT > 1
#define OUTPUTS outputs.first, outputs.second
#else
#define OUTPUTS outputs.first
#endif

static NETWORK_INPUT_0_TYPE input[NETWORK_INPUT_0_SIZE];
static struct {
    NETWORK_OUTPUT_0_TYPE first[NETWORK_OUTPUT_0_SIZE];
#if NETWORK_OUTPUT_COUNT > 1
    NETWORK_OUTPUT_1_TYPE second[NETWORK_OUTPUT_1_SIZE];
#endif
} outputs, first;

int main(int argc, char **argv) {
    FILE *file = argc == 3 ? fopen(argv[1], "rb") : NULL;
    if (file == NULL || fread(input, 1, sizeof input, file) != sizeof input) return 3;
    fclose(file);
    for (int run = 0; run < 3; ++run) {
        memset(&outputs, 0x5a, sizeof outputs);
        network_run(input, OUTPUTS);
        if (run == 0) first = outputs;
    }
    file = fopen(argv[2], "wb");
    if (file == NULL || fwrite(&first, 1, sizeof first, file) != sizeof first) return 3;
    fclose(file);
    return memcmp(&first, &outputs, sizeof outputs) == 0 ? 0 : 4;
}
