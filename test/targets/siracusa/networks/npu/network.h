#ifndef NETWORK_H
#define NETWORK_H

#include <stdbool.h>
#include <stdint.h>

#define NETWORK_INPUT_COUNT 1
#define NETWORK_INPUT_0_NAME "input"
#define NETWORK_INPUT_0_TYPE uint8_t
#define NETWORK_INPUT_0_RANK 3
#define NETWORK_INPUT_0_SHAPE {3, 36, 32}
#define NETWORK_INPUT_0_SIZE 3456
#define NETWORK_INPUT_0_BYTES 3456

#define NETWORK_OUTPUT_COUNT 2
#define NETWORK_OUTPUT_0_NAME "product"
#define NETWORK_OUTPUT_0_TYPE uint8_t
#define NETWORK_OUTPUT_0_RANK 3
#define NETWORK_OUTPUT_0_SHAPE {3, 36, 32}
#define NETWORK_OUTPUT_0_SIZE 3456
#define NETWORK_OUTPUT_0_BYTES 3456

#define NETWORK_OUTPUT_1_NAME "inverted"
#define NETWORK_OUTPUT_1_TYPE uint8_t
#define NETWORK_OUTPUT_1_RANK 3
#define NETWORK_OUTPUT_1_SHAPE {3, 36, 32}
#define NETWORK_OUTPUT_1_SIZE 3456
#define NETWORK_OUTPUT_1_BYTES 3456

void network_run(const uint8_t input[3456], uint8_t product[3456], uint8_t inverted[3456]);

#endif
