/*
 * A stand-in for Sophgo's runtime: models of one input in0 and one output out0_Mul_f32 of 96 floats. Program p gives
 * (p + 1) in0 in0; the first result of each handle is off by 1000, as that of a device that holds something else. It
 * prints to standard output, ends the process at a file that is no model, and counts its models on standard error.
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FLOATS = 96 };

typedef struct {
    char *name;
    struct {
        int32_t dims[6];
        size_t rank;
    } shape;
    int32_t format;
    size_t count, bytes;
    uint8_t *memory;
    uint64_t physical;
    int32_t memory_type;
    float scale;
    int32_t zero_point, pixel_format;
    bool aligned;
    float mean[3], scales[3];
    void *owner;
    char reserved[32];
} tensor;

typedef struct {
    tensor input, output;
    int program, calls;
} handle;

static int number(const char *variable)
{
    return getenv(variable) != NULL ? atoi(getenv(variable)) : 0;
}

static tensor tensor_named(char *name)
{
    const int floats = number("FAKE_FLOATS") > 0 ? number("FAKE_FLOATS") : FLOATS;
    tensor made = {.name = name, .format = number("FAKE_FORMAT"), .count = (size_t)floats, .bytes = 4u * (size_t)floats};
    made.memory = calloc((size_t)floats, 4);
    return made;
}

static handle *new_handle(void)
{
    static char in[] = "in0", out[] = "out0_Mul_f32";
    handle *made = calloc(1, sizeof *made);
    made->input = tensor_named(in);
    made->output = tensor_named(out);
    return made;
}

int CVI_NN_RegisterModelFromBuffer(const int8_t *bytes, uint32_t size, void **into)
{
    printf("version: 1.4.0\n");
    if (size < 48 || memcmp(bytes, "CviModel", 8) != 0)
        abort();
    fprintf(stderr, "registered\n");
    *into = new_handle();
    return number("FAKE_REGISTER");
}

int CVI_NN_CloneModel(void *model, void **into)
{
    (void)model;
    fprintf(stderr, "cloned\n");
    *into = new_handle();
    return 0;
}

int CVI_NN_SetConfig(void *model, int option, ...)
{
    va_list arguments;
    va_start(arguments, option);
    ((handle *)model)->program = option == 9 ? va_arg(arguments, int) : -1;
    va_end(arguments);
    return 0;
}

int CVI_NN_GetInputOutputTensors(void *model, tensor **in, int32_t *ins, tensor **out, int32_t *outs)
{
    handle *h = model;
    *in = &h->input;
    *out = &h->output;
    *ins = *outs = 1;
    return 0;
}

void *CVI_NN_TensorPtr(tensor *t)
{
    return t->memory;
}

int CVI_NN_Forward(void *model, tensor *in, int32_t ins, tensor *out, int32_t outs)
{
    handle *h = model;
    const float *x = (const float *)(const void *)in->memory;
    float *y = (float *)(void *)out->memory;
    printf("Cmodel: forward\n");
    if (ins != 1 || outs != 1)
        return 5;
    for (int k = 0; k < FLOATS; ++k)
        y[k] = (float)(h->program + 1) * x[k] * x[k] + (h->calls == 0 ? 1000.0f : 0.0f);
    ++h->calls;
    return h->calls > 1 ? number("FAKE_FORWARD") : 0;
}

const char *CVI_NN_GetModelTarget(void *model)
{
    (void)model;
    return getenv("FAKE_TARGET") != NULL ? getenv("FAKE_TARGET") : "cv181x";
}

int CVI_NN_GetModelVersion(void *model, int32_t *major, int32_t *minor)
{
    (void)model;
    *major = 1;
    *minor = 4;
    return 0;
}

int CVI_NN_CleanupModel(void *model)
{
    handle *h = model;
    fprintf(stderr, "cleaned\n");
    free(h->input.memory);
    free(h->output.memory);
    free(h);
    return 0;
}
