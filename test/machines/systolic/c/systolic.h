/* The instructions of the systolic array of 16x16, executed in program order. */
#ifndef SYSTOLIC_H
#define SYSTOLIC_H

#include <stdint.h>
#include <string.h>

#define SYSTOLIC_DIM 16

static struct {
    int32_t strides[2], blocks[2];
    int32_t transposes, weights[SYSTOLIC_DIM][SYSTOLIC_DIM], following[SYSTOLIC_DIM][SYSTOLIC_DIM];
    int32_t stride, multiplier, shift, low;
} systolic;

static inline void systolic_config_ld(const void *far, int32_t stride, int32_t block, int32_t id) {
    (void)far;
    systolic.strides[id] = stride;
    systolic.blocks[id] = block;
}

static inline void systolic_mvin(const int8_t *far, int8_t *near, int32_t rows, int32_t cols, int32_t id) {
    for (int32_t row = 0; row < rows; ++row)
        for (int32_t col = 0; col < cols; ++col) {
            int32_t block = col / SYSTOLIC_DIM * systolic.blocks[id] + row;
            near[block * SYSTOLIC_DIM + col % SYSTOLIC_DIM] = far[row * systolic.strides[id] + col];
        }
}

static inline void systolic_mvin_acc(const int32_t *far, int32_t *near, int32_t rows, int32_t cols, int32_t id) {
    for (int32_t row = 0; row < rows; ++row)
        for (int32_t col = 0; col < cols; ++col)
            near[row * SYSTOLIC_DIM + col] = far[row * systolic.strides[id] + col];
}

static inline void systolic_config_ex(int32_t transposes) {
    systolic.transposes = transposes;
}

static inline void systolic_preload(const int8_t *b, int32_t k, int32_t n) {
    memset(systolic.following, 0, sizeof systolic.following);
    for (int32_t i = 0; i < k; ++i)
        for (int32_t j = 0; j < n; ++j)
            systolic.following[systolic.transposes ? j : i][systolic.transposes ? i : j] = b[i * SYSTOLIC_DIM + j];
}

static inline void systolic_compute_accumulated(const int8_t *a, int32_t *c, int32_t rows, int32_t k, int32_t n) {
    for (int32_t row = 0; row < rows; ++row)
        for (int32_t j = 0; j < n; ++j)
            for (int32_t i = 0; i < k; ++i)
                c[row * SYSTOLIC_DIM + j] += a[row * SYSTOLIC_DIM + i] * systolic.weights[i][j];
}

static inline void systolic_compute_preloaded(const int8_t *a, int32_t *c, int32_t rows, int32_t k, int32_t n) {
    memcpy(systolic.weights, systolic.following, sizeof systolic.weights);
    systolic_compute_accumulated(a, c, rows, k, n);
}

static inline void systolic_config_st(const void *far, int32_t stride, int32_t multiplier, int32_t shift, int32_t relu) {
    (void)far;
    systolic.stride = stride;
    systolic.multiplier = multiplier;
    systolic.shift = shift;
    systolic.low = relu ? 0 : -128;
}

static inline void systolic_mvout(const int32_t *near, int8_t *far, int32_t rows, int32_t cols) {
    for (int32_t row = 0; row < rows; ++row)
        for (int32_t col = 0; col < cols; ++col) {
            int64_t sum = (int64_t)near[row * SYSTOLIC_DIM + col] * systolic.multiplier;
            int64_t scaled = (sum + (INT64_C(1) << (systolic.shift - 1))) >> systolic.shift;
            far[row * systolic.stride + col] = (int8_t)(scaled < systolic.low ? systolic.low : scaled > 127 ? 127 : scaled);
        }
}

static inline void systolic_fence(void) {}

#endif
