/*
 * The plug-in of Sophgo's TPU, over libcviruntime.so: the board's, or that of tpu-mlir with its simulator.
 *
 * An artefact: tw_npu_cvi_header, for each program the tensors of inputs and outputs, the .cvimodel from `offset` on. Its
 * programs share weights; sessions of equal artefacts are clones of one model. Functions and records of the library are
 * declared here by their published fields; TILEWRIGHT_CVI_LIBRARY names another file than libcviruntime.so.
 */
#define _GNU_SOURCE
#include "tilewright_npu.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { VERSION = 1, ALIGNMENT = 64, PROGRAM_INDEX = 9 /* of CVI_NN_SetConfig */, FP32 = 0, MODEL_MAJOR = 1 };

typedef struct {
    char magic[8]; /* "TWNPUCVI" */
    uint32_t version, offset;
    char target[32];
    uint32_t inputs, outputs, programs, reserved;
    uint64_t bytes; /* of the .cvimodel */
} tw_npu_cvi_header;

/* The begin of a .cvimodel, without padding at its end: 46 bytes. */
typedef struct {
    char magic[8]; /* "CviModel" */
    uint32_t body;
    uint8_t major, minor;
    uint8_t md5[16];
    char chip[16];
} model_header;

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
} cvi_tensor;

typedef struct {
    int (*register_model)(const int8_t *, uint32_t, void **);
    int (*clone)(void *, void **);
    int (*configure)(void *, int, ...);
    int (*tensors)(void *, cvi_tensor **, int32_t *, cvi_tensor **, int32_t *);
    int (*forward)(void *, cvi_tensor *, int32_t, cvi_tensor *, int32_t);
    int (*cleanup)(void *);
    void *(*pointer)(cvi_tensor *);
    const char *(*target)(void *);
    int (*version)(void *, int32_t *, int32_t *);
} functions;

typedef struct model {
    uint8_t sha256[32];
    void *handle;
    int8_t *bytes; /* of the .cvimodel, which the library may read until the model's end */
    unsigned sessions;
    struct model *next;
} model;

typedef struct {
    tw_npu_cvi_header header;
    tw_npu_tensor tensors[2 * TW_NPU_TENSORS];
    cvi_tensor *bound[2 * TW_NPU_TENSORS];
    cvi_tensor *first_input, *first_output;
    int32_t input_count, output_count;
    model *owner;
    void *handle;
    int32_t major, minor;
    uint64_t frame;
    int is_done;
    tw_npu_stats stats;
    char detail[256];
} cvi;

static _Thread_local char open_detail[256];
/* All models have one scratch memory, and the library's standard output is that of the process: one call at a time. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *library;
static functions call;
static model *models;

static int32_t refused(int32_t status, const char *reason)
{
    snprintf(open_detail, sizeof open_detail, "%s", reason);
    return status;
}

static int32_t status_of(int code)
{
    static const int32_t statuses[] = {TW_NPU_OK,           TW_NPU_AGAIN,     TW_NPU_FAILED,       TW_NPU_TIMEOUT,
                                       TW_NPU_NO_DEVICE,    TW_NPU_BAD_ARGUMENT, TW_NPU_NO_MEMORY, TW_NPU_BAD_ARTIFACT,
                                       TW_NPU_AGAIN,        TW_NPU_UNSUPPORTED};
    const int known = (int)(sizeof statuses / sizeof statuses[0]);
    return code >= 0 && code < known ? statuses[code] : TW_NPU_FAILED;
}

static int32_t failed(char *text, size_t size, const char *function, int code)
{
    snprintf(text, size, "%s of libcviruntime returned %d", function, code);
    return status_of(code);
}

/* The library prints to standard output, which may be a protocol of the program: it gets standard error or nothing. */
static int silence(void)
{
    fflush(stdout);
    const int saved = dup(STDOUT_FILENO);
    const int other = getenv("TILEWRIGHT_NPU_VERBOSE") != NULL ? dup(STDERR_FILENO) : open("/dev/null", O_WRONLY);
    if (saved >= 0 && other >= 0)
        dup2(other, STDOUT_FILENO);
    if (other >= 0)
        close(other);
    return saved;
}

static void restore(int saved)
{
    fflush(stdout);
    if (saved < 0)
        return;
    dup2(saved, STDOUT_FILENO);
    close(saved);
}

static int32_t load(void)
{
    const struct {
        const char *name;
        void *into;
    } symbols[] = {{"CVI_NN_RegisterModelFromBuffer", &call.register_model},
                   {"CVI_NN_CloneModel", &call.clone},
                   {"CVI_NN_SetConfig", &call.configure},
                   {"CVI_NN_GetInputOutputTensors", &call.tensors},
                   {"CVI_NN_Forward", &call.forward},
                   {"CVI_NN_CleanupModel", &call.cleanup},
                   {"CVI_NN_TensorPtr", &call.pointer},
                   {"CVI_NN_GetModelTarget", &call.target},
                   {"CVI_NN_GetModelVersion", &call.version}};
    const char *chosen = getenv("TILEWRIGHT_CVI_LIBRARY");
    if (library != NULL)
        return TW_NPU_OK;
    /* It stays: its threads and its device outlive a session. */
    void *handle = dlopen(chosen != NULL && *chosen != '\0' ? chosen : "libcviruntime.so", RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL)
        return refused(TW_NPU_NO_DEVICE, dlerror());
    for (size_t k = 0; k < sizeof symbols / sizeof symbols[0]; ++k) {
        void *symbol = dlsym(handle, symbols[k].name);
        if (symbol == NULL) {
            snprintf(open_detail, sizeof open_detail, "the library has no function %s", symbols[k].name);
            dlclose(handle);
            return TW_NPU_NO_DEVICE;
        }
        memcpy(symbols[k].into, &symbol, sizeof symbol);
    }
    library = handle;
    return TW_NPU_OK;
}

/* The library ends the process at a file that is none of its models: all that it reads first is checked here. */
static int32_t check_model(const uint8_t *bytes, uint64_t size, const char *target)
{
    model_header header;
    const size_t least = offsetof(model_header, chip) + sizeof header.chip;
    if (size < least || size > UINT32_MAX)
        return refused(TW_NPU_BAD_ARTIFACT, "it is damaged: its model has no header");
    memcpy(&header, bytes, least);
    if (memcmp(header.magic, "CviModel", sizeof header.magic) != 0)
        return refused(TW_NPU_BAD_ARTIFACT, "it holds no model of Sophgo's tools");
    if (header.major != MODEL_MAJOR)
        return refused(TW_NPU_FOREIGN_VERSION, "it holds a model of another version");
    if (header.body == 0 || header.body > size - least)
        return refused(TW_NPU_BAD_ARTIFACT, "it is damaged: its model is shorter than it says");
    if (strncmp(header.chip, target, sizeof header.chip) != 0)
        return refused(TW_NPU_FOREIGN_TARGET, "it holds a model for another chip");
    return TW_NPU_OK;
}

static int32_t check(const tw_npu_open_request *request, tw_npu_cvi_header *header)
{
    if (request->size < sizeof *header)
        return refused(TW_NPU_BAD_ARTIFACT, "it is damaged: it ends in its header");
    memcpy(header, request->bytes, sizeof *header);
    if (memcmp(header->magic, "TWNPUCVI", sizeof header->magic) != 0)
        return refused(TW_NPU_BAD_ARTIFACT, "it is no artefact of this plug-in");
    if (header->version != VERSION)
        return refused(TW_NPU_FOREIGN_VERSION, "it is an artefact of another version");
    const uint64_t tensors = (uint64_t)header->programs * ((uint64_t)header->inputs + header->outputs);
    if (header->inputs > TW_NPU_TENSORS || header->outputs > TW_NPU_TENSORS || header->programs > 64
        || header->offset < sizeof *header + tensors * sizeof(tw_npu_tensor) || header->offset > request->size
        || header->bytes != request->size - header->offset)
        return refused(TW_NPU_BAD_ARTIFACT, "it is damaged: its sizes disagree");
    if (strncmp(header->target, request->target, sizeof header->target) != 0)
        return refused(TW_NPU_FOREIGN_TARGET, "it is for another target");
    if (request->program >= header->programs)
        return refused(TW_NPU_BAD_ARGUMENT, "it has no such program");
    if (request->share_with != NULL)
        return refused(TW_NPU_UNSUPPORTED, "sessions of equal artefacts share their weights without that");
    return check_model((const uint8_t *)request->bytes + header->offset, header->bytes, request->target);
}

/* Finds or registers the model of an artefact. */
static int32_t acquire(const tw_npu_open_request *request, const tw_npu_cvi_header *header, model **into)
{
    for (model *m = models; m != NULL; m = m->next)
        if (memcmp(m->sha256, request->sha256, sizeof m->sha256) == 0) {
            *into = m;
            return TW_NPU_OK;
        }
    model *m = calloc(1, sizeof *m);
    int8_t *bytes = malloc((size_t)header->bytes);
    if (m == NULL || bytes == NULL) {
        free(m);
        free(bytes);
        return refused(TW_NPU_NO_MEMORY, "no memory for its model");
    }
    memcpy(bytes, (const uint8_t *)request->bytes + header->offset, (size_t)header->bytes);
    const int code = call.register_model(bytes, (uint32_t)header->bytes, &m->handle);
    if (code != 0) {
        free(bytes);
        free(m);
        return failed(open_detail, sizeof open_detail, "CVI_NN_RegisterModelFromBuffer", code);
    }
    m->bytes = bytes;
    memcpy(m->sha256, request->sha256, sizeof m->sha256);
    m->next = models;
    models = m;
    *into = m;
    return TW_NPU_OK;
}

static void forsake(model *unused)
{
    if (unused == NULL || unused->sessions > 0)
        return;
    for (model **place = &models; *place != NULL; place = &(*place)->next)
        if (*place == unused) {
            *place = unused->next;
            break;
        }
    call.cleanup(unused->handle);
    free(unused->bytes);
    free(unused);
}

static int32_t bind_tensor(cvi *c, uint32_t index, cvi_tensor *tensors, int32_t count)
{
    const tw_npu_tensor *wanted = &c->tensors[index];
    for (int32_t k = 0; k < count; ++k)
        if (strncmp(tensors[k].name, wanted->name, sizeof wanted->name - 1) == 0) {
            if (tensors[k].format != FP32 || tensors[k].bytes != wanted->bytes)
                return refused(TW_NPU_WRONG_TENSORS, "its model has other tensors than it says");
            c->bound[index] = &tensors[k];
            return TW_NPU_OK;
        }
    snprintf(open_detail, sizeof open_detail, "its model has no tensor %.63s", wanted->name);
    return TW_NPU_WRONG_TENSORS;
}

static int32_t start(cvi *c, const tw_npu_open_request *request)
{
    int32_t status = acquire(request, &c->header, &c->owner);
    if (status != TW_NPU_OK)
        return status;
    int code = call.clone(c->owner->handle, &c->handle);
    if (code != 0)
        return failed(open_detail, sizeof open_detail, "CVI_NN_CloneModel", code);
    c->owner->sessions += 1;
    const char *target = call.target(c->handle);
    if (target == NULL || strcmp(target, request->target) != 0)
        return refused(TW_NPU_FOREIGN_TARGET, "its model is for another chip than it says");
    if ((code = call.configure(c->handle, PROGRAM_INDEX, (int)request->program)) != 0)
        return failed(open_detail, sizeof open_detail, "CVI_NN_SetConfig", code);
    if ((code = call.tensors(c->handle, &c->first_input, &c->input_count, &c->first_output, &c->output_count)) != 0)
        return failed(open_detail, sizeof open_detail, "CVI_NN_GetInputOutputTensors", code);
    call.version(c->handle, &c->major, &c->minor);
    for (uint32_t k = 0; k < c->header.inputs && status == TW_NPU_OK; ++k)
        status = bind_tensor(c, k, c->first_input, c->input_count);
    for (uint32_t k = 0; k < c->header.outputs && status == TW_NPU_OK; ++k)
        status = bind_tensor(c, c->header.inputs + k, c->first_output, c->output_count);
    return status;
}

static void end(cvi *c)
{
    if (c->handle != NULL) {
        call.cleanup(c->handle);
        c->owner->sessions -= 1;
    }
    forsake(c->owner);
    free(c);
}

static int32_t open_session(const tw_npu_open_request *request, void **session)
{
    tw_npu_cvi_header header;
    open_detail[0] = '\0';
    int32_t status = check(request, &header);
    if (status != TW_NPU_OK)
        return status;
    cvi *c = calloc(1, sizeof *c);
    if (c == NULL)
        return refused(TW_NPU_NO_MEMORY, "no memory for a session");
    const size_t ports = header.inputs + header.outputs;
    const uint8_t *tensors = (const uint8_t *)request->bytes + sizeof header;
    c->header = header;
    c->stats.bytes = header.bytes;
    memcpy(c->tensors, tensors + request->program * ports * sizeof(tw_npu_tensor), ports * sizeof(tw_npu_tensor));
    pthread_mutex_lock(&lock);
    const int saved = silence();
    status = load();
    if (status == TW_NPU_OK)
        status = start(c, request);
    if (status != TW_NPU_OK)
        end(c);
    restore(saved);
    pthread_mutex_unlock(&lock);
    if (status == TW_NPU_OK)
        *session = c;
    return status;
}

static void close_session(void *session)
{
    pthread_mutex_lock(&lock);
    const int saved = silence();
    end(session);
    restore(saved);
    pthread_mutex_unlock(&lock);
}

/* The first result of a model depends on what the device held before: it only warms up. */
static int32_t describe(void *session, tw_npu_description *description)
{
    const cvi *c = session;
    memset(description, 0, sizeof *description);
    description->inputs = c->header.inputs;
    description->outputs = c->header.outputs;
    description->outstanding = 1;
    description->determinism = TW_NPU_TOLERANCE;
    description->flags = TW_NPU_WARM_UP;
    memcpy(description->target, c->header.target, sizeof description->target);
    description->target[sizeof description->target - 1] = '\0';
    snprintf(description->version, sizeof description->version, "cvimodel %d.%d", c->major, c->minor);
    return TW_NPU_OK;
}

static int32_t tensor(void *session, uint32_t direction, uint32_t index, tw_npu_tensor *into)
{
    const cvi *c = session;
    if (index >= (direction == TW_NPU_INPUT ? c->header.inputs : c->header.outputs))
        return TW_NPU_BAD_ARGUMENT;
    *into = c->tensors[direction == TW_NPU_INPUT ? index : c->header.inputs + index];
    return TW_NPU_OK;
}

static int32_t allocate(void *session, uint64_t bytes, tw_npu_buffer *buffer)
{
    (void)session;
    memset(buffer, 0, sizeof *buffer);
    buffer->memory = TW_NPU_HOST;
    buffer->bytes = bytes;
    buffer->host = aligned_alloc(ALIGNMENT, (size_t)((bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT));
    buffer->handle = buffer->host; /* to be freed */
    return buffer->host != NULL ? TW_NPU_OK : TW_NPU_NO_MEMORY;
}

static int32_t import(void *session, tw_npu_buffer *buffer)
{
    (void)session;
    buffer->handle = NULL;
    return buffer->memory == TW_NPU_HOST ? TW_NPU_OK : TW_NPU_UNSUPPORTED;
}

static int32_t synchronise(void *session, tw_npu_buffer *buffer, uint32_t direction)
{
    (void)session; /* submit copies both ways. */
    (void)buffer;
    (void)direction;
    return TW_NPU_OK;
}

static int32_t release(void *session, tw_npu_buffer *buffer)
{
    (void)session;
    free(buffer->handle);
    buffer->handle = buffer->host = NULL;
    return TW_NPU_OK;
}

static int64_t microseconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

/* CVI_NN_Forward blocks; a process of its own bounds that by its time-out. */
static int32_t submit(void *session, uint64_t frame, tw_npu_buffer *const *inputs, tw_npu_buffer *const *outputs)
{
    cvi *c = session;
    if (c->is_done) {
        snprintf(c->detail, sizeof c->detail, "a frame is outstanding");
        return TW_NPU_AGAIN;
    }
    pthread_mutex_lock(&lock);
    const int saved = silence();
    const int64_t begin = microseconds();
    for (uint32_t k = 0; k < c->header.inputs; ++k)
        memcpy(call.pointer(c->bound[k]), inputs[k]->host, (size_t)c->tensors[k].bytes);
    const int code = call.forward(c->handle, c->first_input, c->input_count, c->first_output, c->output_count);
    for (uint32_t k = 0; k < c->header.outputs && code == 0; ++k) {
        const uint32_t index = c->header.inputs + k;
        memcpy(outputs[k]->host, call.pointer(c->bound[index]), (size_t)c->tensors[index].bytes);
    }
    c->stats.microseconds += (uint64_t)(microseconds() - begin);
    restore(saved);
    pthread_mutex_unlock(&lock);
    if (code != 0)
        return failed(c->detail, sizeof c->detail, "CVI_NN_Forward", code);
    c->stats.frames += 1;
    c->frame = frame;
    c->is_done = 1;
    return TW_NPU_OK;
}

static int32_t wait_frame(void *session, uint32_t milliseconds, uint64_t *frame)
{
    cvi *c = session;
    (void)milliseconds;
    if (!c->is_done)
        return TW_NPU_BAD_ARGUMENT;
    c->is_done = 0;
    *frame = c->frame;
    return TW_NPU_OK;
}

static int32_t stats(void *session, tw_npu_stats *into)
{
    *into = ((const cvi *)session)->stats;
    return TW_NPU_OK;
}

static const char *detail(void *session)
{
    return session != NULL ? ((cvi *)session)->detail : open_detail;
}

const tw_npu_plugin *tilewright_npu_plugin(uint32_t abi_version)
{
    static const tw_npu_plugin plugin = {
        .abi_version = TW_NPU_ABI_VERSION,
        .bytes = sizeof(tw_npu_plugin),
        .name = "cvi",
        .open = open_session,
        .describe = describe,
        .tensor = tensor,
        .allocate = allocate,
        .import = import,
        .sync = synchronise,
        .release = release,
        .submit = submit,
        .wait = wait_frame,
        .stats = stats,
        .detail = detail,
        .close = close_session,
    };
    return abi_version == TW_NPU_ABI_VERSION ? &plugin : NULL;
}
