#include "npu_model.h"

#include <stddef.h>

enum { FREE, ACQUIRED, COMMITTED, STARTED };
enum { DENSE, DEPTHWISE, POINTWISE };

/* Registers of a job. */
enum { WEIGHTS = 0, INPUT = 1, OUTPUT = 2, SCALE = 3, SCALE_SHIFT = 4, BIAS = 5 };
enum { INPUT_STRIDES = 6, OUTPUT_STRIDES = 9, WEIGHT_STRIDES = 12, CHANNEL_REMAINDERS = 15, OUTPUT_REMAINDERS = 16 };
enum { INPUT_REMAINDERS = 17, CHANNEL_BLOCKS = 18, PIXEL_BLOCKS = 19, PADDING = 20, WEIGHT_OFFSET = 21 };
enum { FILTER_MASK = 22, CONF0 = 23 };

#define PIXELS 6u
#define WORD 32u
#define MOST_PADDING 2u
#define KNOWN_BITS 0x06fff677u /* of CONF0: those of its fields */

/* The registers of a job, read as numbers; extents of blocks are counted as `last` in the last one. */
struct axis {
    uint32_t count, block, last;
};

struct job {
    const uint32_t *words;
    uint32_t kind, taps, bits, size;
    uint32_t requantizes, accumulates, wide_scale, has_bias, shift, no_relu, is_signed;
    struct axis features, channels, rows, columns;
    uint32_t rest_rows, rest_columns;
    uint32_t top, right, bottom, left, fill;
};

static void fail(struct npu_model *model, enum npu_fault fault, uint32_t address)
{
    if (model->fault != NPU_FAULT_NONE) return;
    model->fault = fault;
    model->fault_address = address;
}

/* The bytes at an address, NULL where they do not lie in one memory. */
static uint8_t *bytes_at(struct npu_model *model, uint32_t address, uint32_t count)
{
    for (size_t i = 0; i < 2; i++) {
        const struct npu_memory *memory = &model->memories[i];
        uint32_t start = address - memory->base;
        if (address >= memory->base && start < memory->size && count <= memory->size - start)
            return memory->bytes + start;
    }
    fail(model, NPU_FAULT_MEMORY, address);
    return NULL;
}

static uint32_t load32(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static void store32(uint8_t *bytes, uint32_t value)
{
    for (uint32_t i = 0; i < 4; i++) bytes[i] = (uint8_t)(value >> 8 * i);
}

static int64_t as_signed(uint32_t word)
{
    return word < 0x80000000u ? (int64_t)word : (int64_t)word - 0x100000000;
}

static uint32_t extended(uint32_t byte, uint32_t is_signed)
{
    return is_signed && byte >= 128 ? byte - 256 : byte;
}

static uint32_t extent_of(const struct axis *axis, uint32_t number)
{
    return number + 1 == axis->count ? axis->last : axis->block;
}

/* Jobs */

static struct job decode(const uint32_t *words)
{
    uint32_t conf = words[CONF0], blocks = words[CHANNEL_BLOCKS], rest = words[CHANNEL_REMAINDERS];
    struct job job = {.words = words};
    job.kind = conf >> 5 & 3;
    job.taps = job.kind == POINTWISE ? 1 : 3;
    job.bits = (conf & 7) + 1;
    job.size = conf >> 22 & 1 ? 4 : 1;
    job.requantizes = conf >> 4 & 1;
    job.accumulates = conf >> 14 & 1;
    job.wide_scale = conf >> 13 & 1;
    job.has_bias = conf >> 25 & 1;
    job.shift = conf >> 16 & 31;
    job.no_relu = conf >> 23 & 1;
    job.is_signed = conf >> 26 & 1;
    job.features = (struct axis){blocks >> 16, job.kind == DEPTHWISE ? 28 : 32, rest >> 16};
    job.channels = (struct axis){blocks & 0xffff, job.kind == POINTWISE ? 32 : 28, rest & 0xffff};
    job.rows = (struct axis){words[PIXEL_BLOCKS] >> 16, PIXELS, words[OUTPUT_REMAINDERS] >> 16};
    job.columns = (struct axis){words[PIXEL_BLOCKS] & 0xffff, PIXELS, words[OUTPUT_REMAINDERS] & 0xffff};
    job.rest_rows = words[INPUT_REMAINDERS] >> 16;
    job.rest_columns = words[INPUT_REMAINDERS] & 0xffff;
    job.top = words[PADDING] >> 28 & 15;
    job.right = words[PADDING] >> 24 & 15;
    job.bottom = words[PADDING] >> 20 & 15;
    job.left = words[PADDING] >> 16 & 15;
    job.fill = extended(words[PADDING] & 0xff, job.is_signed);
    return job;
}

static int is_valid_axis(const struct axis *axis)
{
    return axis->count > 0 && axis->last >= 1 && axis->last <= axis->block;
}

/* Whether the inputs and the padding of the last sub-tile are what its outputs need. */
static int is_covered(const struct job *job, const struct axis *axis, uint32_t rest, uint32_t padding)
{
    return rest >= 1 && rest + padding + 1 == axis->last + job->taps;
}

/* Whether all registers are read by GVSoC as pulp-nnx describes them. */
static int is_uncontested(const struct job *job)
{
    uint32_t most = job->kind == POINTWISE ? 0 : MOST_PADDING;
    uint32_t stride = WORD * job->channels.count * (job->kind == POINTWISE ? 1 : job->bits);
    if (job->top > most || job->right > most || job->bottom > most || job->left > most) return 0;
    if ((job->words[PADDING] & 0xff00) != 0) return 0;
    if (job->fill != 0 && (job->right > 0 || job->bottom > 0)) return 0;
    if ((job->words[CONF0] >> 15 & 1) == 0) return 0; /* weights without the layer's offset */
    return job->kind == DEPTHWISE ? !job->accumulates : job->words[WEIGHT_STRIDES + 1] == stride;
}

static int is_valid(const struct job *job)
{
    uint32_t conf = job->words[CONF0];
    if ((conf & ~KNOWN_BITS) != 0 || job->kind > POINTWISE || job->bits < 2) return 0;
    if ((conf >> 21 & 1) != 0 || (conf >> 12 & 1) != 0) return 0; /* sizes of 16 bits */
    if (job->words[FILTER_MASK] != 0 || job->words[SCALE_SHIFT] != 0) return 0;
    if (job->requantizes != (job->size == 1) || (job->accumulates && job->size != 4)) return 0;
    if (job->words[OUTPUT_STRIDES] != WORD || job->words[WEIGHT_STRIDES] != WORD) return 0;
    if (!is_valid_axis(&job->features) || !is_valid_axis(&job->channels)) return 0;
    if (!is_valid_axis(&job->rows) || !is_valid_axis(&job->columns)) return 0;
    if (job->kind == DEPTHWISE &&
        (job->features.count != job->channels.count || job->features.last != job->channels.last))
        return 0;
    return is_covered(job, &job->rows, job->rest_rows, job->bottom) &&
           is_covered(job, &job->columns, job->rest_columns, job->right) && is_uncontested(job);
}

/* The weight of a tap and a channel of the block, from the words that hold its bits. */
static uint32_t weight_at(const struct job *job, const uint8_t *words, uint32_t tap, uint32_t channel)
{
    uint32_t weight = 0;
    for (uint32_t bit = 0; bit < job->bits; bit++) {
        uint32_t word = job->kind == POINTWISE ? 0 : bit * WORD;
        uint32_t index = job->kind == POINTWISE ? channel / 4 * 32 + bit * 4 + channel % 4 : tap * 28 + channel;
        weight |= (words[word + index / 8] >> index % 8 & 1u) << bit;
    }
    return weight + job->words[WEIGHT_OFFSET];
}

/* Reads the weights [taps, feature, channel] between a block of features and one of channels. */
static int read_weights(struct npu_model *model, const struct job *job, uint32_t block, uint32_t from)
{
    uint32_t base = job->words[WEIGHTS] + (job->words[CONF0] >> 9 & 1 ? NPU_WEIGHT_MEMORY_BASE : 0);
    uint32_t size = WORD * (job->kind == POINTWISE ? 1 : job->bits), stride = job->words[WEIGHT_STRIDES + 1];
    uint32_t rows = job->kind == DEPTHWISE ? 1 : extent_of(&job->features, block);
    uint32_t channels = extent_of(&job->channels, from), taps = job->taps * job->taps;
    for (uint32_t row = 0; row < rows; row++) {
        uint32_t feature = job->kind == DEPTHWISE ? 0 : block * job->features.block + row;
        const uint8_t *words = bytes_at(model, base + feature * stride + from * size, size);
        if (words == NULL) return 0;
        for (uint32_t tap = 0; tap < taps; tap++)
            for (uint32_t channel = 0; channel < channels; channel++)
                model->weights[(tap * 32 + row) * 32 + channel] = weight_at(job, words, tap, channel);
    }
    return 1;
}

/* Where the part of a sub-tile that is not padding begins and ends along an axis. */
static void inside(const struct job *job, const struct axis *axis, uint32_t number, uint32_t before, uint32_t rest,
                   uint32_t *begin, uint32_t *end)
{
    uint32_t needed = extent_of(axis, number) + job->taps - 1;
    uint32_t held = number + 1 == axis->count ? rest : PIXELS + job->taps - 1;
    *begin = number == 0 ? before : 0;
    *end = held < needed ? held : needed;
}

/* Reads the inputs [8, 8, channel] of a sub-tile, padding included. */
static int read_image(struct npu_model *model, const struct job *job, uint32_t row, uint32_t column, uint32_t from)
{
    uint32_t begin_y, end_y, begin_x, end_x, channels = extent_of(&job->channels, from);
    uint32_t pixel_stride = job->words[INPUT_STRIDES], row_stride = job->words[INPUT_STRIDES + 1];
    inside(job, &job->rows, row, job->top, job->rest_rows, &begin_y, &end_y);
    inside(job, &job->columns, column, job->left, job->rest_columns, &begin_x, &end_x);
    for (uint32_t i = 0; i < 8 * 8 * 32; i++) model->image[i] = job->fill;
    for (uint32_t y = begin_y; y < end_y; y++)
        for (uint32_t x = begin_x; x < end_x; x++) {
            uint32_t at = (PIXELS * row + y) * row_stride + (PIXELS * column + x) * pixel_stride;
            const uint8_t *pixel = bytes_at(model, job->words[INPUT] + at + from * job->channels.block, channels);
            if (pixel == NULL) return 0;
            for (uint32_t channel = 0; channel < channels; channel++)
                model->image[(y * 8 + x) * 32 + channel] = extended(pixel[channel], job->is_signed);
        }
    return 1;
}

/* The sum of products for one output, modulo 2^32. */
static uint32_t dot(const struct npu_model *model, const struct job *job, uint32_t y, uint32_t x, uint32_t feature,
                    uint32_t channels)
{
    uint32_t sum = 0;
    for (uint32_t tap = 0; tap < job->taps * job->taps; tap++) {
        const uint32_t *pixel = &model->image[((y + tap / job->taps) * 8 + x + tap % job->taps) * 32];
        if (job->kind == DEPTHWISE) {
            sum += pixel[feature] * model->weights[tap * 32 * 32 + feature];
            continue;
        }
        const uint32_t *weights = &model->weights[(tap * 32 + feature) * 32];
        for (uint32_t channel = 0; channel < channels; channel++) sum += pixel[channel] * weights[channel];
    }
    return sum;
}

static int requantize(struct npu_model *model, const struct job *job, uint32_t feature, uint32_t sum, uint8_t *result)
{
    uint32_t width = job->wide_scale ? 4 : 1;
    const uint8_t *scale = bytes_at(model, job->words[SCALE] + feature * width, width);
    const uint8_t *bias = job->has_bias ? bytes_at(model, job->words[BIAS] + feature * 4, 4) : NULL;
    if (scale == NULL || (job->has_bias && bias == NULL)) return 0;
    int64_t value = as_signed(sum) * (int64_t)(job->wide_scale ? load32(scale) : scale[0]);
    if (bias != NULL) value = as_signed((uint32_t)((uint64_t)value + load32(bias)));
    int64_t divisor = (int64_t)1 << job->shift, rest = value % divisor;
    value = value / divisor - (rest < 0);
    int64_t low = job->no_relu ? -128 : 0, high = job->no_relu ? 127 : 255;
    *result = (uint8_t)(value < low ? low : value > high ? high : value);
    return 1;
}

static int finish(struct npu_model *model, const struct job *job, uint32_t feature, uint32_t sum, uint8_t *target)
{
    if (job->requantizes) return requantize(model, job, feature, sum, target);
    store32(target, sum);
    return 1;
}

struct sums {
    uint32_t of[6][6][32];
};

/* Goes over the outputs of a sub-tile: to begin with what they hold, or to write what they are. */
static int each_output(struct npu_model *model, const struct job *job, uint32_t block, uint32_t row, uint32_t column,
                       struct sums *sums, int writes)
{
    uint32_t pixel_stride = job->words[OUTPUT_STRIDES + 1], row_stride = job->words[OUTPUT_STRIDES + 2];
    uint32_t first = block * job->features.block, features = extent_of(&job->features, block);
    for (uint32_t y = 0; y < extent_of(&job->rows, row); y++)
        for (uint32_t x = 0; x < extent_of(&job->columns, column); x++) {
            uint32_t at = (PIXELS * row + y) * row_stride + (PIXELS * column + x) * pixel_stride;
            uint8_t *pixel = bytes_at(model, job->words[OUTPUT] + at + first * job->size, features * job->size);
            if (pixel == NULL) return 0;
            for (uint32_t i = 0; i < features; i++) {
                uint32_t *sum = &sums->of[y][x][i];
                if (!writes)
                    *sum = job->accumulates ? load32(pixel + 4 * i) : 0;
                else if (!finish(model, job, first + i, *sum, pixel + job->size * i))
                    return 0;
            }
        }
    return 1;
}

static int compute(struct npu_model *model, const struct job *job, uint32_t block, uint32_t row, uint32_t column)
{
    struct sums sums;
    uint32_t begin = job->kind == DEPTHWISE ? block : 0, end = job->kind == DEPTHWISE ? block + 1 : job->channels.count;
    if (!each_output(model, job, block, row, column, &sums, 0)) return 0;
    for (uint32_t from = begin; from < end; from++) {
        if (!read_weights(model, job, block, from) || !read_image(model, job, row, column, from)) return 0;
        for (uint32_t y = 0; y < extent_of(&job->rows, row); y++)
            for (uint32_t x = 0; x < extent_of(&job->columns, column); x++)
                for (uint32_t i = 0; i < extent_of(&job->features, block); i++)
                    sums.of[y][x][i] += dot(model, job, y, x, i, extent_of(&job->channels, from));
    }
    return each_output(model, job, block, row, column, &sums, 1);
}

static void run(struct npu_model *model, const uint32_t *words)
{
    struct job job = decode(words);
    if (!is_valid(&job)) {
        fail(model, NPU_FAULT_JOB, 0);
        return;
    }
    for (uint32_t block = 0; block < job.features.count; block++)
        for (uint32_t row = 0; row < job.rows.count; row++)
            for (uint32_t column = 0; column < job.columns.count; column++)
                if (!compute(model, &job, block, row, column)) return;
}

/* Registers */

static void finish_one(struct npu_model *model)
{
    if (model->queued == 0) return;
    struct npu_context *context = &model->contexts[model->queue[0]];
    if (context->state != STARTED) return;
    model->queue[0] = model->queue[1];
    model->queued--;
    model->running = context->job;
    context->state = FREE;
    run(model, context->words);
}

static struct npu_context *context_that_is(struct npu_model *model, uint32_t state)
{
    for (size_t i = 0; i < 2; i++)
        if (model->contexts[i].state == state) return &model->contexts[i];
    return NULL;
}

static uint32_t acquire(struct npu_model *model)
{
    if (context_that_is(model, ACQUIRED) != NULL) return NPU_LOCKED;
    struct npu_context *context = context_that_is(model, FREE);
    if (context == NULL) {
        finish_one(model);
        return NPU_NO_CONTEXT;
    }
    for (uint32_t i = 0; i < NPU_JOB_REGISTERS; i++) context->words[i] = 0;
    context->state = ACQUIRED;
    context->job = model->jobs & 0xff;
    model->jobs++;
    return context->job;
}

static uint32_t status(struct npu_model *model)
{
    uint32_t busy = 0;
    for (uint32_t i = 0; i < 2; i++)
        if (model->contexts[i].state >= COMMITTED) busy |= 1u << 8 * i;
    finish_one(model);
    return busy;
}

static void trigger(struct npu_model *model, uint32_t value)
{
    struct npu_context *context = context_that_is(model, ACQUIRED);
    if (context == NULL || value > 1) {
        fail(model, value > 1 ? NPU_FAULT_REGISTER : NPU_FAULT_SEQUENCE, NPU_TRIGGER);
        return;
    }
    context->state = COMMITTED;
    model->queue[model->queued++] = (uint32_t)(context - model->contexts);
    for (uint32_t i = 0; value == 0 && i < model->queued; i++) model->contexts[model->queue[i]].state = STARTED;
}

void npu_model_init(struct npu_model *model, struct npu_memory l1, struct npu_memory weights)
{
    model->memories[0] = l1;
    model->memories[1] = weights;
    for (size_t i = 0; i < 2; i++) model->contexts[i].state = FREE;
    model->queued = model->jobs = model->running = 0;
    model->fault = NPU_FAULT_NONE;
    model->fault_address = 0;
}

void npu_model_write(struct npu_model *model, uint32_t offset, uint32_t value)
{
    uint32_t number = (offset - NPU_JOB) / 4;
    if (offset == NPU_TRIGGER) {
        trigger(model, value);
        return;
    }
    if (offset < NPU_JOB || offset % 4 != 0 || number >= NPU_JOB_REGISTERS) {
        fail(model, NPU_FAULT_REGISTER, offset);
        return;
    }
    struct npu_context *context = context_that_is(model, ACQUIRED);
    if (context == NULL) {
        fail(model, NPU_FAULT_SEQUENCE, offset);
        return;
    }
    context->words[number] = value;
}

uint32_t npu_model_read(struct npu_model *model, uint32_t offset)
{
    switch (offset) {
    case NPU_ACQUIRE: return acquire(model);
    case NPU_STATUS: return status(model);
    case NPU_RUNNING_JOB: return model->running;
    default: fail(model, NPU_FAULT_REGISTER, offset); return 0;
    }
}

uint32_t npu_model_address(const struct npu_model *model, const void *pointer)
{
    for (size_t i = 0; i < 2; i++) {
        const struct npu_memory *memory = &model->memories[i];
        uintptr_t start = (uintptr_t)memory->bytes, at = (uintptr_t)pointer;
        if (at >= start && at - start < memory->size) return memory->base + (uint32_t)(at - start);
    }
    return 0;
}
