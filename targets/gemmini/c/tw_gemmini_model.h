/*
 * Gemmini's commands executed by a PC, in program order. Rows of the scratchpad and of the accumulators are those of the
 * arenas that stand for them.
 */
#ifndef TW_GEMMINI_MODEL_H
#define TW_GEMMINI_MODEL_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define TW_GEMMINI_LARGEST_DIM 64

static struct {
    char *spad, *acc, weights[TW_GEMMINI_LARGEST_DIM][TW_GEMMINI_LARGEST_DIM * sizeof(float)];
    union {
        int32_t i;
        float f;
    } cells[TW_GEMMINI_LARGEST_DIM][TW_GEMMINI_LARGEST_DIM];
    uint32_t dim, size;
    uint64_t load_stride[3], preload, sums, pool;
    uint32_t load_block[3], store_stride, step;
    uint64_t loop[32][2]; /* operands of the commands that configure loops, by their numbers */
    float scale;
    uint32_t qb, qc; /* of GELU */
    int relu, is_gelu, load_shrunk[3], keeps_sums;
} tw_gemmini_model;

static inline char *tw_gemmini_model_spad(uint32_t row) {
    return tw_gemmini_model.spad + (uint64_t)row * tw_gemmini_model.dim * tw_gemmini_model.size;
}

static inline char *tw_gemmini_model_acc(uint32_t row) {
    return tw_gemmini_model.acc + (uint64_t)(row & 0x1fffffff) * tw_gemmini_model.dim * 4;
}

static inline void tw_gemmini_model_config(uint64_t rs1, uint64_t rs2) {
    uint32_t bits = (uint32_t)(rs2 >> 32), id = rs1 >> 3 & 3;
    switch (rs1 & 3) {
        case 0:
            if ((rs1 & 0x398) || (uint32_t)rs2) abort(); /* an activation, a transpose or a shift: no instruction stands for it */
            tw_gemmini_model.keeps_sums = !(rs1 >> 2 & 1);
            tw_gemmini_model.step = rs1 >> 16 & 0xffff;
            break;
        case 1:
            if (id == 3) abort();
            tw_gemmini_model.load_stride[id] = rs2;
            tw_gemmini_model.load_shrunk[id] = rs1 >> 2 & 1;
            tw_gemmini_model.load_block[id] = rs1 >> 16 & 0xffff;
            break;
        case 2:
            if ((rs1 >> 4 & 3) && (rs1 >> 8 & 15)) abort(); /* padding of windows: no instruction stands for it */
            if ((rs1 >> 2 & 3) == 2) abort(); /* layer normalisation: no instruction stands for it */
            tw_gemmini_model.relu = (rs1 >> 2 & 3) == 1;
            tw_gemmini_model.is_gelu = (rs1 >> 2 & 3) == 3;
            tw_gemmini_model.store_stride = (uint32_t)rs2;
            tw_gemmini_model.pool = rs1;
            memcpy(&tw_gemmini_model.scale, &bits, sizeof bits);
            break;
        default:
            if (rs1 != 3) abort(); /* softmax or statistics: no instruction stands for them */
            tw_gemmini_model.qb = (uint32_t)rs2;
            tw_gemmini_model.qc = (uint32_t)(rs2 >> 32);
    }
}

static inline void tw_gemmini_model_add_bytes(int32_t *sums, const int8_t *from, uint32_t count, int adds) {
    for (uint32_t i = 0; i < count; ++i) sums[i] = (int32_t)((adds ? (uint32_t)sums[i] : 0) + (uint32_t)from[i]);
}

static inline void tw_gemmini_model_load(uint32_t id, uint64_t far, uint64_t tile) {
    uint32_t at = (uint32_t)tile, cols = tile >> 32 & 0xffff, rows = tile >> 48 & 0xffff, dim = tw_gemmini_model.dim;
    int is_shrunk = at >> 31 && far && tw_gemmini_model.load_shrunk[id];
    uint32_t size = at >> 31 && !is_shrunk ? 4 : tw_gemmini_model.size, first = at & 0x1fffffff;
    if (at >> 30 == 3 && !is_shrunk) abort(); /* sums of 32 bits that are added: no instruction stands for them */
    for (uint32_t row = 0; row < rows; ++row)
        for (uint32_t col = 0; col < cols; col += dim) {
            uint32_t count = cols - col < dim ? cols - col : dim;
            uint32_t there = first + row + col / dim * tw_gemmini_model.load_block[id];
            char *near = at >> 31 ? tw_gemmini_model_acc(there) : tw_gemmini_model_spad(there);
            const char *from = (const char *)(uintptr_t)far + row * tw_gemmini_model.load_stride[id] + col * size;
            if (is_shrunk) tw_gemmini_model_add_bytes((int32_t *)(void *)near, (const int8_t *)from, count, at >> 30 & 1);
            else if (far) memcpy(near, from, count * size);
            else memset(near, 0, count * size);
        }
}

static inline void tw_gemmini_model_preload(uint64_t b, uint64_t c) {
    tw_gemmini_model.preload = b;
    tw_gemmini_model.sums = c;
}

static inline void tw_gemmini_model_integers(const int8_t *x, int32_t *y, uint32_t cols, uint32_t depth, int adds) {
    for (uint32_t j = 0; j < cols; ++j) {
        int32_t sum = 0;
        for (uint32_t i = 0; i < depth; ++i) sum += x[i] * ((const int8_t *)tw_gemmini_model.weights[i])[j];
        y[j] = (int32_t)((adds ? (uint32_t)y[j] : 0) + (uint32_t)sum);
    }
}

/* Each product and each sum is rounded: volatile keeps compilers from fusing them. */
static inline void tw_gemmini_model_floats(const float *x, float *y, uint32_t cols, uint32_t depth, int adds) {
    for (uint32_t j = 0; j < cols; ++j) {
        float sum = 0.0f;
        for (uint32_t i = 0; i < depth; ++i) {
            volatile float product = x[i] * ((const float *)(const void *)tw_gemmini_model.weights[i])[j];
            sum += product;
        }
        y[j] = adds ? y[j] + sum : sum;
    }
}

static inline float tw_gemmini_model_wide(uint16_t number) {
    uint32_t bits = (uint32_t)number << 16;
    float wide;
    memcpy(&wide, &bits, sizeof wide);
    return wide;
}

static inline uint16_t tw_gemmini_model_narrow(float number) {
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    return (uint16_t)(number != number ? bits >> 16 | 0x40 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* A sum of bf16 plus a product, rounded once: the float between is the neighbour with an odd last bit where it is inexact. */
static inline uint16_t tw_gemmini_model_fused(uint16_t sum, uint16_t x, uint16_t w) {
    double wide = tw_gemmini_model_wide(sum), product = (double)tw_gemmini_model_wide(x) * tw_gemmini_model_wide(w);
    double total = wide + product, added = total - wide, error = (wide - (total - added)) + (product - added);
    float near = (float)total;
    double rest = (total - near) + error;
    if (isfinite(rest) && rest != 0.0 && near != 0.0f) {
        uint32_t bits;
        memcpy(&bits, &near, sizeof bits);
        bits = (bits - ((rest < 0.0) != (near < 0.0f))) | 1;
        memcpy(&near, &bits, sizeof near);
    }
    return tw_gemmini_model_narrow(near);
}

/* The sums of the cells are bf16, and those that leave them floats. */
static inline void tw_gemmini_model_halves(const uint16_t *x, float *y, uint32_t cols, uint32_t depth, int adds) {
    for (uint32_t j = 0; j < cols; ++j) {
        uint16_t sum = 0;
        for (uint32_t i = 0; i < depth; ++i)
            sum = tw_gemmini_model_fused(sum, x[i], ((const uint16_t *)(const void *)tw_gemmini_model.weights[i])[j]);
        y[j] = adds ? y[j] + tw_gemmini_model_wide(sum) : tw_gemmini_model_wide(sum);
    }
}

/* Output-stationary: the cells keep sums, which leave with 20 bits. */
static inline void tw_gemmini_model_accumulate(uint64_t a, uint64_t b, int begins) {
    uint32_t rows = a >> 48 & 0xffff, depth = a >> 32 & 0xffff, cols = b >> 32 & 0xffff, at = (uint32_t)tw_gemmini_model.sums;
    if ((uint32_t)tw_gemmini_model.preload != UINT32_MAX) abort(); /* sums that begin with others: no instruction stands for them */
    if (tw_gemmini_model.size == 2) abort(); /* nor for sums of bf16 that cells keep */
    if (begins) memset(tw_gemmini_model.cells, 0, sizeof tw_gemmini_model.cells);
    for (uint32_t row = 0; row < rows; ++row)
        for (uint32_t i = 0; i < depth; ++i)
            for (uint32_t j = 0; j < cols; ++j) {
                const char *x = tw_gemmini_model_spad((uint32_t)a + row * tw_gemmini_model.step);
                const char *y = tw_gemmini_model_spad((uint32_t)b + i);
                if (tw_gemmini_model.size == 1) {
                    int32_t product = ((const int8_t *)x)[i] * ((const int8_t *)y)[j];
                    uint32_t sum = (uint32_t)tw_gemmini_model.cells[row][j].i + (uint32_t)product;
                    tw_gemmini_model.cells[row][j].i = (int32_t)sum;
                } else {
                    volatile float product = ((const float *)(const void *)x)[i] * ((const float *)(const void *)y)[j];
                    tw_gemmini_model.cells[row][j].f += product;
                }
            }
    for (uint32_t row = 0; at != UINT32_MAX && row < rows; ++row)
        for (uint32_t j = 0; j < cols; ++j) {
            char *to = tw_gemmini_model_acc(at + row) + j * 4;
            if (tw_gemmini_model.size == 1) {
                int32_t sum = tw_gemmini_model.cells[row][j].i;
                sum = sum < -(1 << 19) ? -(1 << 19) : sum > (1 << 19) - 1 ? (1 << 19) - 1 : sum;
                *(int32_t *)(void *)to = (int32_t)((at >> 30 & 1 ? *(uint32_t *)(void *)to : 0) + (uint32_t)sum);
            } else {
                float sum = tw_gemmini_model.cells[row][j].f;
                *(float *)(void *)to = at >> 30 & 1 ? *(float *)(void *)to + sum : sum;
            }
        }
}

static inline void tw_gemmini_model_compute(uint64_t a, uint64_t b, int takes) {
    if (tw_gemmini_model.keeps_sums) {
        tw_gemmini_model_accumulate(a, b, takes);
        return;
    }
    uint32_t from = (uint32_t)tw_gemmini_model.preload, at = (uint32_t)tw_gemmini_model.sums;
    uint32_t k = tw_gemmini_model.preload >> 48 & 0xffff, n = tw_gemmini_model.preload >> 32 & 0xffff;
    if (takes) {
        memset(tw_gemmini_model.weights, 0, sizeof tw_gemmini_model.weights);
        for (uint32_t i = 0; i < k; ++i)
            memcpy(tw_gemmini_model.weights[i], tw_gemmini_model_spad(from + i), n * tw_gemmini_model.size);
    }
    uint32_t rows = a >> 48 & 0xffff, depth = a >> 32 & 0xffff, cols = tw_gemmini_model.sums >> 32 & 0xffff;
    for (uint32_t row = 0; row < rows; ++row) {
        void *x = tw_gemmini_model_spad((uint32_t)a + row * tw_gemmini_model.step), *y = tw_gemmini_model_acc(at + row);
        if (tw_gemmini_model.size == 1) tw_gemmini_model_integers(x, y, cols, depth, at >> 30 & 1);
        else if (tw_gemmini_model.size == 2) tw_gemmini_model_halves(x, y, cols, depth, at >> 30 & 1);
        else tw_gemmini_model_floats(x, y, cols, depth, at >> 30 & 1);
    }
}

static inline int32_t tw_gemmini_model_gelu(int32_t sum) {
    uint32_t x = (uint32_t)sum, size = sum < 0 ? 0 - x : x, end = 0 - tw_gemmini_model.qb;
    uint32_t cut = ((int32_t)size > (int32_t)end ? end : size) + tw_gemmini_model.qb, square = cut * cut + tw_gemmini_model.qc;
    return (int32_t)(x * ((sum < 0 ? 0 - square : square) + tw_gemmini_model.qc));
}

static inline int8_t tw_gemmini_model_byte(int32_t sum) {
    float low = tw_gemmini_model.relu ? 0.0f : -128.0f, scaled = (float)sum * tw_gemmini_model.scale;
    return (int8_t)rintf(scaled < low ? low : scaled > 127.0f ? 127.0f : scaled);
}

static inline float tw_gemmini_model_float(float sum) {
    float scaled = sum * tw_gemmini_model.scale;
    return tw_gemmini_model.relu && !(scaled > 0.0f) ? 0.0f : scaled;
}

static inline void tw_gemmini_model_pool(uint64_t far, uint32_t at, uint32_t channels) {
    uint64_t fields = tw_gemmini_model.pool;
    uint32_t step = fields >> 4 & 3, window = fields >> 6 & 3, line = fields >> 24 & 0xff;
    uint32_t rows = fields >> 32 & 0xff, cols = fields >> 40 & 0xff, height = fields >> 48 & 0xff, width = fields >> 56 & 0xff;
    for (uint32_t row = 0; row < rows; ++row)
        for (uint32_t col = 0; col < cols; ++col) {
            int8_t *to = (int8_t *)(uintptr_t)far + (uint64_t)(row * line + col) * tw_gemmini_model.store_stride;
            for (uint32_t channel = 0; channel < channels; ++channel) {
                to[channel] = -128;
                for (uint32_t tap = 0; tap < window * window; ++tap) {
                    uint32_t down = row * step + tap / window, across = col * step + tap % window;
                    if (down >= height || across >= width) abort();
                    void *sums = tw_gemmini_model_acc(at + down * width + across);
                    int8_t byte = tw_gemmini_model_byte(((int32_t *)sums)[channel]);
                    if (byte > to[channel]) to[channel] = byte;
                }
            }
        }
}

static inline void tw_gemmini_model_store(uint64_t far, uint64_t tile) {
    uint32_t at = (uint32_t)tile, cols = tile >> 32 & 0xffff, rows = tile >> 48 & 0xffff;
    if (tw_gemmini_model.pool >> 4 & 3) {
        tw_gemmini_model_pool(far, at & 0x1fffffff, cols);
        return;
    }
    for (uint32_t row = 0; row < rows; ++row) {
        void *sums = tw_gemmini_model_acc(at + row), *to = (char *)(uintptr_t)far + (uint64_t)row * tw_gemmini_model.store_stride;
        if (at >> 29 & 1) memcpy(to, sums, cols * 4);
        else if (tw_gemmini_model.size == 1)
            for (uint32_t col = 0; col < cols; ++col) {
                int32_t sum = ((int32_t *)sums)[col];
                ((int8_t *)to)[col] = tw_gemmini_model_byte(tw_gemmini_model.is_gelu ? tw_gemmini_model_gelu(sum) : sum);
            }
        else if (tw_gemmini_model.size == 2)
            for (uint32_t col = 0; col < cols; ++col)
                ((uint16_t *)to)[col] = tw_gemmini_model_narrow(tw_gemmini_model_float(((float *)sums)[col]));
        else
            for (uint32_t col = 0; col < cols; ++col) ((float *)to)[col] = tw_gemmini_model_float(((float *)sums)[col]);
    }
}

/* One result of a loop: products of `taps` rows of `depth` elements, in blocks of the array's rows, on top of a sum. */
typedef struct {
    const char *x, *w, *bias;
    uint64_t x_row, x_pixel, w_row, w_tap, w_channel;
    uint32_t taps_down, taps_across, depth;
} tw_gemmini_model_window;

static inline int32_t tw_gemmini_model_integer(const tw_gemmini_model_window *at, uint32_t feature) {
    uint32_t sum = at->bias ? (uint32_t)((const int32_t *)(const void *)at->bias)[feature] : 0;
    for (uint32_t down = 0; down < at->taps_down; ++down)
        for (uint32_t across = 0; across < at->taps_across; ++across)
            for (uint32_t i = 0; i < at->depth; ++i) {
                const int8_t *x = (const int8_t *)at->x + down * at->x_row + across * at->x_pixel;
                const int8_t *w = (const int8_t *)at->w + down * at->w_row + across * at->w_tap + i * at->w_channel;
                sum += (uint32_t)(x[i] * w[feature]);
            }
    return (int32_t)sum;
}

static inline float tw_gemmini_model_sum(const tw_gemmini_model_window *at, uint32_t feature) {
    float sum = at->bias ? ((const float *)(const void *)at->bias)[feature] : 0.0f;
    for (uint32_t down = 0; down < at->taps_down; ++down)
        for (uint32_t across = 0; across < at->taps_across; ++across)
            for (uint32_t first = 0; first < at->depth; first += tw_gemmini_model.dim) {
                const float *x = (const float *)(const void *)at->x + down * at->x_row + across * at->x_pixel;
                const float *w = (const float *)(const void *)at->w + down * at->w_row + across * at->w_tap;
                float block = 0.0f;
                for (uint32_t i = first; i < first + tw_gemmini_model.dim && i < at->depth; ++i) {
                    volatile float product = x[i] * w[i * at->w_channel + feature];
                    block += product;
                }
                sum += block;
            }
    return sum;
}

static inline void tw_gemmini_model_results(const tw_gemmini_model_window *at, char *to, uint32_t features) {
    for (uint32_t feature = 0; feature < features; ++feature)
        if (tw_gemmini_model.size == 1)
            ((int8_t *)to)[feature] = tw_gemmini_model_byte(tw_gemmini_model_integer(at, feature));
        else
            ((float *)(void *)to)[feature] = tw_gemmini_model_float(tw_gemmini_model_sum(at, feature));
}

static inline uint32_t tw_gemmini_model_field(int command, int operand, int number) {
    return tw_gemmini_model.loop[command][operand] >> 16 * number & 0xffff;
}

static inline void *tw_gemmini_model_address(int command, int operand) {
    return (void *)(uintptr_t)tw_gemmini_model.loop[command][operand];
}

/* Fields that no instruction sets are transposes, activations other than stores', additions and sums that are kept. */
static inline void tw_gemmini_model_loop_ws(uint64_t rs1, uint64_t rs2) {
    uint32_t counts[3], dim = tw_gemmini_model.dim, size = tw_gemmini_model.size;
    const char *a = tw_gemmini_model_address(TW_GEMMINI_LOOP_WS_ADDRESSES_AB, 0), *b = tw_gemmini_model_address(TW_GEMMINI_LOOP_WS_ADDRESSES_AB, 1);
    const char *d = tw_gemmini_model_address(TW_GEMMINI_LOOP_WS_ADDRESSES_DC, 0);
    char *c = tw_gemmini_model_address(TW_GEMMINI_LOOP_WS_ADDRESSES_DC, 1);
    uint64_t *factors = tw_gemmini_model.loop[TW_GEMMINI_LOOP_WS_STRIDES_AB], *others = tw_gemmini_model.loop[TW_GEMMINI_LOOP_WS_STRIDES_DC];
    if (size == 2 || rs1 != (uint64_t)(d != 0) || rs2 || others[0] || !a || !b || !c) abort();
    if (tw_gemmini_model.keeps_sums || tw_gemmini_model.step != 1 || (tw_gemmini_model.pool >> 4 & 3)) abort();
    if (tw_gemmini_model.load_stride[0] != factors[0] * size || tw_gemmini_model.load_stride[1] != factors[1] * size) abort();
    if (tw_gemmini_model.store_stride != others[1] * size || tw_gemmini_model.load_stride[2]) abort();
    for (int each = 0; each < 3; ++each)
        counts[each] = tw_gemmini_model_field(TW_GEMMINI_LOOP_WS_BOUNDS, 1, each) * dim - tw_gemmini_model_field(TW_GEMMINI_LOOP_WS_BOUNDS, 0, each);
    for (uint32_t row = 0; row < counts[0]; ++row) {
        tw_gemmini_model_window at = {a + row * factors[0] * size, b, d, 0, 0, 0, 0, factors[1], 1, 1, counts[2]};
        tw_gemmini_model_results(&at, c + row * others[1] * size, counts[1]);
    }
}

static inline void tw_gemmini_model_loop_conv_ws(uint64_t rs1, uint64_t rs2) {
    uint32_t size = tw_gemmini_model.size, step = tw_gemmini_model_field(TW_GEMMINI_LOOP_CONV_WS_1, 1, 3);
    uint32_t rows = tw_gemmini_model_field(TW_GEMMINI_LOOP_CONV_WS_4, 0, 3), cols = tw_gemmini_model_field(TW_GEMMINI_LOOP_CONV_WS_4, 1, 0);
    uint64_t x_pixel = tw_gemmini_model_field(TW_GEMMINI_LOOP_CONV_WS_4, 1, 3), y_pixel = tw_gemmini_model_field(TW_GEMMINI_LOOP_CONV_WS_4, 1, 1);
    uint64_t w_channel = tw_gemmini_model_field(TW_GEMMINI_LOOP_CONV_WS_4, 1, 2);
    uint64_t w_tap = w_channel * tw_gemmini_model_field(TW_GEMMINI_LOOP_CONV_WS_1, 0, 2);
    uint64_t w_row = w_tap * tw_gemmini_model_field(TW_GEMMINI_LOOP_CONV_WS_2, 0, 3);
    uint64_t x_row = x_pixel * tw_gemmini_model_field(TW_GEMMINI_LOOP_CONV_WS_3, 1, 0);
    uint64_t y_row = y_pixel * tw_gemmini_model_field(TW_GEMMINI_LOOP_CONV_WS_1, 1, 2);
    uint64_t dilation = tw_gemmini_model_field(TW_GEMMINI_LOOP_CONV_WS_4, 0, 0);
    const char *x = tw_gemmini_model_address(TW_GEMMINI_LOOP_CONV_WS_6, 1), *w = tw_gemmini_model_address(TW_GEMMINI_LOOP_CONV_WS_5, 0);
    const char *bias = rs1 & 1 ? 0 : (const char *)tw_gemmini_model_address(TW_GEMMINI_LOOP_CONV_WS_6, 0);
    char *y = tw_gemmini_model_address(TW_GEMMINI_LOOP_CONV_WS_5, 1);
    if (size == 2 || (rs1 & ~UINT64_C(1)) != 1 << 8 || rs2 != 1 || !x || !w || !y || !tw_gemmini_model.loop[TW_GEMMINI_LOOP_CONV_WS_6][0]) abort();
    if (tw_gemmini_model.keeps_sums || tw_gemmini_model.step != step || tw_gemmini_model.store_stride != y_pixel * size) abort();
    if (tw_gemmini_model_field(TW_GEMMINI_LOOP_CONV_WS_3, 1, 3) != step - 1 || (tw_gemmini_model.pool >> 4 & 3)) abort();
    if (tw_gemmini_model_field(TW_GEMMINI_LOOP_CONV_WS_3, 1, 1) != (step - 1) << 8 || tw_gemmini_model_field(TW_GEMMINI_LOOP_CONV_WS_2, 1, 3) != 1) abort();
    for (uint32_t row = 0; row < rows; ++row)
        for (uint32_t col = 0; col < cols; ++col) {
            tw_gemmini_model_window at = {
                .x = x + (row * step * x_row + col * step * x_pixel) * size, .w = w, .bias = bias,
                .x_row = x_row * dilation, .x_pixel = x_pixel * dilation, .w_row = w_row, .w_tap = w_tap, .w_channel = w_channel,
                .taps_down = tw_gemmini_model_field(TW_GEMMINI_LOOP_CONV_WS_3, 0, 3),
                .taps_across = tw_gemmini_model_field(TW_GEMMINI_LOOP_CONV_WS_3, 0, 2),
                .depth = tw_gemmini_model_field(TW_GEMMINI_LOOP_CONV_WS_3, 0, 1),
            };
            uint32_t features = tw_gemmini_model_field(TW_GEMMINI_LOOP_CONV_WS_2, 1, 0);
            tw_gemmini_model_results(&at, y + (row * y_row + col * y_pixel) * size, features);
        }
}

static inline void tw_gemmini_issue(int funct, uint64_t rs1, uint64_t rs2) {
    switch (funct) {
        case TW_GEMMINI_CONFIG: tw_gemmini_model_config(rs1, rs2); break;
        case TW_GEMMINI_MVIN: tw_gemmini_model_load(0, rs1, rs2); break;
        case TW_GEMMINI_MVIN2: tw_gemmini_model_load(1, rs1, rs2); break;
        case TW_GEMMINI_MVIN3: tw_gemmini_model_load(2, rs1, rs2); break;
        case TW_GEMMINI_MVOUT: tw_gemmini_model_store(rs1, rs2); break;
        case TW_GEMMINI_PRELOAD: tw_gemmini_model_preload(rs1, rs2); break;
        case TW_GEMMINI_COMPUTE_PRELOADED: tw_gemmini_model_compute(rs1, rs2, 1); break;
        case TW_GEMMINI_COMPUTE_ACCUMULATED: tw_gemmini_model_compute(rs1, rs2, 0); break;
        case TW_GEMMINI_LOOP_WS: tw_gemmini_model_loop_ws(rs1, rs2); break;
        case TW_GEMMINI_LOOP_CONV_WS: tw_gemmini_model_loop_conv_ws(rs1, rs2); break;
        case TW_GEMMINI_LOOP_WS_BOUNDS: case TW_GEMMINI_LOOP_WS_ADDRESSES_AB: case TW_GEMMINI_LOOP_WS_ADDRESSES_DC:
        case TW_GEMMINI_LOOP_WS_STRIDES_AB: case TW_GEMMINI_LOOP_WS_STRIDES_DC: case TW_GEMMINI_LOOP_CONV_WS_1:
        case TW_GEMMINI_LOOP_CONV_WS_2: case TW_GEMMINI_LOOP_CONV_WS_3: case TW_GEMMINI_LOOP_CONV_WS_4:
        case TW_GEMMINI_LOOP_CONV_WS_5: case TW_GEMMINI_LOOP_CONV_WS_6:
            tw_gemmini_model.loop[funct][0] = rs1;
            tw_gemmini_model.loop[funct][1] = rs2;
            break;
        default: abort(); /* no command that this model has */
    }
}

#endif
