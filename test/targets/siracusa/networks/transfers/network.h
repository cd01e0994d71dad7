#ifndef NETWORK_H
#define NETWORK_H

#include <stdbool.h>
#include <stdint.h>

#define NETWORK_INPUT_COUNT 1
#define NETWORK_INPUT_0_NAME "input"
#define NETWORK_INPUT_0_TYPE uint8_t
#define NETWORK_INPUT_0_RANK 1
#define NETWORK_INPUT_0_SHAPE {150016}
#define NETWORK_INPUT_0_SIZE 150016
#define NETWORK_INPUT_0_BYTES 150016

#define NETWORK_OUTPUT_COUNT 1
#define NETWORK_OUTPUT_0_NAME "sums"
#define NETWORK_OUTPUT_0_TYPE uint32_t
#define NETWORK_OUTPUT_0_RANK 1
#define NETWORK_OUTPUT_0_SHAPE {3}
#define NETWORK_OUTPUT_0_SIZE 3
#define NETWORK_OUTPUT_0_BYTES 12

void network_run(const uint8_t input[150016], uint32_t sums[3]);

#endif
