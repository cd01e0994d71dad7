/* Instructions of Gemmini, 16 x 16 of 8 bits, executed by a PC in program order. */
#ifndef TW_GEMMINI_H
#define TW_GEMMINI_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#define TW_GEMMINI_DIM 16

static struct {
    int32_t strides[3], blocks[3];
    int32_t step, weights[TW_GEMMINI_DIM][TW_GEMMINI_DIM], following[TW_GEMMINI_DIM][TW_GEMMINI_DIM];
    int32_t stride, relu;
    float scale;
} tw_gemmini;

static inline void tw_gemmini_config_ld(const void *far, int32_t stride, int32_t block, int32_t id) {
    (void)far;
    tw_gemmini.strides[id] = stride;
    tw_gemmini.blocks[id] = block;
}

static inline void tw_gemmini_mvin(const int8_t *far, int8_t *near, int32_t rows, int32_t cols, int32_t id) {
    for (int32_t row = 0; row < rows; ++row)
        for (int32_t col = 0; col < cols; ++col)
            near[row * TW_GEMMINI_DIM + col] = far[row * tw_gemmini.strides[id] + col];
}

static inline void tw_gemmini_mvin_blocks(const int8_t *far, int8_t *near, int32_t rows, int32_t blocks, int32_t id) {
    for (int32_t block = 0; block < blocks; ++block)
        tw_gemmini_mvin(far + block * TW_GEMMINI_DIM, near + block * tw_gemmini.blocks[id] * TW_GEMMINI_DIM, rows, TW_GEMMINI_DIM, id);
}

static inline void tw_gemmini_mvin_zero(int8_t *near, int32_t rows) {
    for (int32_t i = 0; i < rows * TW_GEMMINI_DIM; ++i) near[i] = 0;
}

static inline void tw_gemmini_mvin_acc(const int32_t *far, int32_t *near, int32_t rows, int32_t cols, int32_t repeats, int32_t id) {
    (void)repeats;
    for (int32_t row = 0; row < rows; ++row)
        for (int32_t col = 0; col < cols; ++col)
            near[row * TW_GEMMINI_DIM + col] = far[row * tw_gemmini.strides[id] + col];
}

static inline void tw_gemmini_mvin_acc_zero(int32_t *near, int32_t rows) {
    for (int32_t i = 0; i < rows * TW_GEMMINI_DIM; ++i) near[i] = 0;
}

static inline void tw_gemmini_config_ex(int32_t step) { tw_gemmini.step = step; }

static inline void tw_gemmini_preload(const int8_t *b, int32_t k, int32_t n) {
    memset(tw_gemmini.following, 0, sizeof tw_gemmini.following);
    for (int32_t i = 0; i < k; ++i)
        for (int32_t j = 0; j < n; ++j) tw_gemmini.following[i][j] = b[i * TW_GEMMINI_DIM + j];
}

static inline void tw_gemmini_products(const int8_t *a, int32_t *c, int32_t rows, int32_t k, int32_t n, int32_t adds) {
    for (int32_t row = 0; row < rows; ++row)
        for (int32_t j = 0; j < n; ++j) {
            int32_t sum = 0;
            for (int32_t i = 0; i < k; ++i) sum += a[row * tw_gemmini.step * TW_GEMMINI_DIM + i] * tw_gemmini.weights[i][j];
            uint32_t old = adds ? (uint32_t)c[row * TW_GEMMINI_DIM + j] : 0;
            c[row * TW_GEMMINI_DIM + j] = (int32_t)(old + (uint32_t)sum);
        }
}

static inline void tw_gemmini_take(void) { memcpy(tw_gemmini.weights, tw_gemmini.following, sizeof tw_gemmini.weights); }

static inline void tw_gemmini_compute_preloaded(const int8_t *a, int32_t *c, int32_t rows, int32_t k, int32_t n, int32_t step) {
    (void)step;
    tw_gemmini_take();
    tw_gemmini_products(a, c, rows, k, n, 0);
}

static inline void tw_gemmini_compute_preloaded_add(const int8_t *a, int32_t *c, int32_t rows, int32_t k, int32_t n, int32_t step) {
    (void)step;
    tw_gemmini_take();
    tw_gemmini_products(a, c, rows, k, n, 1);
}

static inline void tw_gemmini_compute_accumulated(const int8_t *a, int32_t *c, int32_t rows, int32_t k, int32_t n, int32_t step) {
    (void)step;
    tw_gemmini_products(a, c, rows, k, n, 0);
}

static inline void tw_gemmini_compute_accumulated_add(const int8_t *a, int32_t *c, int32_t rows, int32_t k, int32_t n, int32_t step) {
    (void)step;
    tw_gemmini_products(a, c, rows, k, n, 1);
}

static inline void tw_gemmini_config_st(const void *far, int32_t stride, float scale, int32_t relu) {
    (void)far;
    tw_gemmini.stride = stride;
    tw_gemmini.scale = scale;
    tw_gemmini.relu = relu;
}

static inline void tw_gemmini_mvout(const int32_t *near, int8_t *far, int32_t rows, int32_t cols) {
    for (int32_t row = 0; row < rows; ++row)
        for (int32_t col = 0; col < cols; ++col) {
            float scaled = (float)near[row * TW_GEMMINI_DIM + col] * tw_gemmini.scale;
            float low = tw_gemmini.relu ? 0.0f : -128.0f;
            far[row * tw_gemmini.stride + col] = (int8_t)rintf(scaled < low ? low : scaled > 127.0f ? 127.0f : scaled);
        }
}

static inline void tw_gemmini_mvout_full(const int32_t *near, int32_t *far, int32_t rows, int32_t cols) {
    for (int32_t row = 0; row < rows; ++row)
        for (int32_t col = 0; col < cols; ++col)
            far[row * tw_gemmini.stride + col] = near[row * TW_GEMMINI_DIM + col];
}

static inline void tw_gemmini_fence(void) {}

#endif
