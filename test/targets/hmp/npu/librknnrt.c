/* A stand-in for Rockchip's library: one input and one output of 1x8x12x12 floats, of which one is the other. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FLOATS = 8 * 12 * 12 };

static float stored[FLOATS];
static uint64_t frame;

static int number(const char *variable)
{
    return getenv(variable) != NULL ? atoi(getenv(variable)) : 0;
}

int rknn_init(uint64_t *context, void *model, uint32_t size, uint32_t flag, void *extend)
{
    *context = 1;
    if (size != 4 || memcmp(model, "RKNN", 4) != 0 || flag != 0 || extend != NULL)
        return -6;
    return number("FAKE_INIT");
}

int rknn_query(uint64_t context, int what, void *into, uint32_t size)
{
    static const uint32_t nhwc[6] = {0, 4, 1, 12, 12, 8}, nchw[6] = {0, 4, 1, 8, 12, 12};
    if (context != 1)
        return -7;
    if (what == 0 && size == 8)
        memcpy(into, (uint32_t[]){1, 1}, 8);
    else if (what == 1 && size > 340) {
        memcpy(into, nhwc, sizeof nhwc);
        memcpy((char *)into + 72 + 256 + 8, (int32_t[]){1}, 4); /* fmt: NHWC */
    } else if (what == 2 && size > 340)
        memcpy(into, nchw, sizeof nchw);
    else if (what == 4 && size == 8)
        memcpy(into, (int64_t[]){123}, 8);
    else
        return -5;
    return 0;
}

int rknn_inputs_set(uint64_t context, uint32_t count, void *inputs)
{
    struct {
        uint32_t index;
        void *buf;
        uint32_t size;
        uint8_t pass_through;
        int32_t type, fmt;
    } one;
    memcpy(&one, inputs, sizeof one);
    if (context != 1 || count != 1 || one.index != 0 || one.size != sizeof stored || one.pass_through || one.type || one.fmt)
        return -8;
    memcpy(stored, one.buf, sizeof stored);
    return 0;
}

int rknn_run(uint64_t context, void *options)
{
    (void)context;
    memcpy(&frame, options, sizeof frame);
    return number("FAKE_RUN");
}

int rknn_outputs_get(uint64_t context, uint32_t count, void *outputs, void *options)
{
    struct {
        uint8_t want_float, is_prealloc;
        uint32_t index;
        void *buf;
        uint32_t size;
    } one;
    memcpy(&one, outputs, sizeof one);
    if (context != 1 || count != 1 || !one.want_float || !one.is_prealloc || one.size != sizeof stored)
        return -9;
    memcpy(one.buf, stored, sizeof stored);
    frame += (uint64_t)number("FAKE_FRAME");
    memcpy(options, &frame, sizeof frame);
    return 0;
}

int rknn_outputs_release(uint64_t context, uint32_t count, void *outputs)
{
    (void)outputs;
    return context == 1 && count == 1 ? 0 : -1;
}

int rknn_destroy(uint64_t context)
{
    return context == 1 ? 0 : -1;
}
