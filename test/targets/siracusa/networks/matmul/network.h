#ifndef NETWORK_H
#define NETWORK_H

#include <stdbool.h>
#include <stdint.h>

#define NETWORK_INPUT_COUNT 1
#define NETWORK_INPUT_0_NAME "input"
#define NETWORK_INPUT_0_TYPE uint8_t
#define NETWORK_INPUT_0_RANK 2
#define NETWORK_INPUT_0_SHAPE {48, 64}
#define NETWORK_INPUT_0_SIZE 3072
#define NETWORK_INPUT_0_BYTES 3072

#define NETWORK_OUTPUT_COUNT 1
#define NETWORK_OUTPUT_0_NAME "output"
#define NETWORK_OUTPUT_0_TYPE int8_t
#define NETWORK_OUTPUT_0_RANK 2
#define NETWORK_OUTPUT_0_SHAPE {48, 40}
#define NETWORK_OUTPUT_0_SIZE 1920
#define NETWORK_OUTPUT_0_BYTES 1920

void network_run(const uint8_t input[3072], int8_t output[1920]);

#endif
