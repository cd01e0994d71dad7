#ifndef WEIGHTS_H
#define WEIGHTS_H

#include <stdint.h>

/* 32 words of 32 bytes, a word for each output channel. */
extern const uint8_t network_weight[1024];
extern const uint32_t network_scale[32];
extern const int32_t network_bias[32];

#endif
