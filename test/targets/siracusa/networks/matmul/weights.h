#ifndef WEIGHTS_H
#define WEIGHTS_H

#include <stdint.h>

/* 40x64: rows 2n and 2n+1 go to different tiles. */
extern _Alignas(16) const int8_t network_weight[2560];

#endif
