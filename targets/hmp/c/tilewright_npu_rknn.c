/*
 * The plug-in of Rockchip's NPUs, over librknnrt.so of the board: RK3588, RK3576, RK356x.
 *
 * Not tried on a board. The functions and records of the library are declared here by their published fields, those of
 * version 2 of its interface; TILEWRIGHT_RKNN_LIBRARY names another file than librknnrt.so.
 */
#define _GNU_SOURCE
#include "tilewright_npu.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t rknn_context;

enum { QUERY_IN_OUT_NUM = 0, QUERY_INPUT_ATTR = 1, QUERY_OUTPUT_ATTR = 2, QUERY_PERF_RUN = 4, QUERY_SDK_VERSION = 5 };
enum { RKNN_NCHW = 0, RKNN_NHWC = 1 };
enum { RKNN_FLOAT32 = 0 };

typedef struct {
    uint32_t n_input, n_output;
} rknn_counts;

typedef struct {
    uint32_t index, n_dims, dims[16];
    char name[256];
    uint32_t n_elems, size;
    int32_t fmt, type, qnt_type;
    int8_t fl;
    int32_t zp;
    float scale;
    uint32_t w_stride, size_with_stride;
    uint8_t pass_through;
    uint32_t h_stride;
} rknn_attributes;

typedef struct {
    char api_version[256], drv_version[256];
} rknn_version;

typedef struct {
    int64_t run_duration;
} rknn_duration;

typedef struct {
    uint32_t index;
    void *buf;
    uint32_t size;
    uint8_t pass_through;
    int32_t type, fmt;
} rknn_input;

typedef struct {
    uint8_t want_float, is_prealloc;
    uint32_t index;
    void *buf;
    uint32_t size;
} rknn_output;

typedef struct {
    uint64_t frame_id;
    int32_t non_block, timeout_ms, fence_fd;
} rknn_run_options;

typedef struct {
    uint64_t frame_id;
} rknn_output_options;

typedef struct {
    int (*init)(rknn_context *, void *, uint32_t, uint32_t, void *);
    int (*query)(rknn_context, int, void *, uint32_t);
    int (*inputs_set)(rknn_context, uint32_t, rknn_input *);
    int (*run)(rknn_context, rknn_run_options *);
    int (*outputs_get)(rknn_context, uint32_t, rknn_output *, rknn_output_options *);
    int (*outputs_release)(rknn_context, uint32_t, rknn_output *);
    int (*destroy)(rknn_context);
} functions;

typedef struct {
    functions call;
    void *library;
    rknn_context context;
    rknn_counts counts;
    tw_npu_tensor tensors[2 * TW_NPU_TENSORS];
    char target[32], version[64], detail[256];
    tw_npu_buffer *outputs[TW_NPU_TENSORS];
    uint64_t frame;
    int is_running;
    tw_npu_stats stats;
} rknn;

static _Thread_local char open_detail[256];

static int32_t status_of(int code)
{
    switch (code) {
    case 0:
        return TW_NPU_OK;
    case -2:
        return TW_NPU_TIMEOUT;
    case -3:
    case -10:
        return TW_NPU_NO_DEVICE;
    case -4:
        return TW_NPU_NO_MEMORY;
    case -5:
    case -8:
    case -9:
        return TW_NPU_BAD_ARGUMENT;
    case -6:
        return TW_NPU_BAD_ARTIFACT;
    case -13:
        return TW_NPU_FOREIGN_TARGET;
    default:
        return TW_NPU_FAILED;
    }
}

static int32_t failed(char *text, size_t size, const char *function, int code)
{
    snprintf(text, size, "%s of librknnrt returned %d", function, code);
    return status_of(code);
}

static int32_t find(void *library, const char *name, void *into)
{
    void *symbol = dlsym(library, name);
    if (symbol == NULL) {
        snprintf(open_detail, sizeof open_detail, "the library has no function %s", name);
        return TW_NPU_NO_DEVICE;
    }
    memcpy(into, &symbol, sizeof symbol);
    return TW_NPU_OK;
}

static int32_t load(rknn *r)
{
    const char *chosen = getenv("TILEWRIGHT_RKNN_LIBRARY");
    r->library = dlopen(chosen != NULL && *chosen != '\0' ? chosen : "librknnrt.so", RTLD_NOW | RTLD_LOCAL);
    if (r->library == NULL) {
        snprintf(open_detail, sizeof open_detail, "%s", dlerror());
        return TW_NPU_NO_DEVICE;
    }
    const struct {
        const char *name;
        void *into;
    } symbols[] = {{"rknn_init", &r->call.init},
                   {"rknn_query", &r->call.query},
                   {"rknn_inputs_set", &r->call.inputs_set},
                   {"rknn_run", &r->call.run},
                   {"rknn_outputs_get", &r->call.outputs_get},
                   {"rknn_outputs_release", &r->call.outputs_release},
                   {"rknn_destroy", &r->call.destroy}};
    int32_t status = TW_NPU_OK;
    for (size_t k = 0; k < sizeof symbols / sizeof symbols[0] && status == TW_NPU_OK; ++k)
        status = find(r->library, symbols[k].name, symbols[k].into);
    return status;
}

/* Tensors are floats in row-major order, images NCHW: the library converts them to what the NPU computes in. */
static int32_t read_tensor(rknn *r, int query, uint32_t index, tw_npu_tensor *tensor)
{
    static const uint32_t nchw[4] = {0, 3, 1, 2};
    rknn_attributes attributes = {.index = index};
    const int code = r->call.query(r->context, query, &attributes, sizeof attributes);
    if (code != 0)
        return failed(open_detail, sizeof open_detail, "rknn_query", code);
    if (attributes.n_dims > TW_NPU_RANK)
        return TW_NPU_UNSUPPORTED;
    memset(tensor, 0, sizeof *tensor);
    snprintf(tensor->name, sizeof tensor->name, "%.63s", attributes.name);
    tensor->type = TW_NPU_F32;
    tensor->rank = attributes.n_dims;
    tensor->alignment = 64;
    tensor->bytes = 4;
    const int is_nhwc = attributes.fmt == RKNN_NHWC && attributes.n_dims == 4;
    for (uint32_t k = 0; k < attributes.n_dims; ++k)
        tensor->dims[k] = attributes.dims[is_nhwc ? nchw[k] : k];
    for (uint32_t k = attributes.n_dims; k-- > 0;) {
        tensor->strides[k] = (int64_t)tensor->bytes;
        tensor->bytes *= (uint64_t)tensor->dims[k];
    }
    return TW_NPU_OK;
}

static int32_t start(rknn *r, const tw_npu_open_request *request)
{
    rknn_version version = {0};
    void *bytes = malloc((size_t)request->size); /* the library takes a pointer to what it may change */
    if (bytes == NULL)
        return TW_NPU_NO_MEMORY;
    memcpy(bytes, request->bytes, (size_t)request->size);
    int code = r->call.init(&r->context, bytes, (uint32_t)request->size, 0, NULL);
    free(bytes);
    if (code != 0) {
        r->context = 0;
        return failed(open_detail, sizeof open_detail, "rknn_init", code);
    }
    if ((code = r->call.query(r->context, QUERY_IN_OUT_NUM, &r->counts, sizeof r->counts)) != 0)
        return failed(open_detail, sizeof open_detail, "rknn_query", code);
    if (r->counts.n_input > TW_NPU_TENSORS || r->counts.n_output > TW_NPU_TENSORS)
        return TW_NPU_UNSUPPORTED;
    if (r->call.query(r->context, QUERY_SDK_VERSION, &version, sizeof version) == 0)
        snprintf(r->version, sizeof r->version, "%.30s, driver %.20s", version.api_version, version.drv_version);
    int32_t status = TW_NPU_OK;
    for (uint32_t k = 0; k < r->counts.n_input && status == TW_NPU_OK; ++k)
        status = read_tensor(r, QUERY_INPUT_ATTR, k, &r->tensors[k]);
    for (uint32_t k = 0; k < r->counts.n_output && status == TW_NPU_OK; ++k)
        status = read_tensor(r, QUERY_OUTPUT_ATTR, k, &r->tensors[r->counts.n_input + k]);
    return status;
}

static void close_session(void *session)
{
    rknn *r = session;
    if (r->context != 0)
        r->call.destroy(r->context);
    if (r->library != NULL)
        dlclose(r->library);
    free(r);
}

static int32_t open_session(const tw_npu_open_request *request, void **session)
{
    open_detail[0] = '\0';
    if (request->program != 0 || request->share_with != NULL || request->size > UINT32_MAX)
        return TW_NPU_UNSUPPORTED;
    rknn *r = calloc(1, sizeof *r);
    if (r == NULL)
        return TW_NPU_NO_MEMORY;
    /* The library refuses a model for another chip, with code -13. */
    snprintf(r->target, sizeof r->target, "%s", request->target);
    r->stats.bytes = request->size;
    int32_t status = load(r);
    if (status == TW_NPU_OK)
        status = start(r, request);
    if (status != TW_NPU_OK) {
        close_session(r);
        return status;
    }
    *session = r;
    return TW_NPU_OK;
}

static int32_t describe(void *session, tw_npu_description *description)
{
    const rknn *r = session;
    memset(description, 0, sizeof *description);
    description->inputs = r->counts.n_input;
    description->outputs = r->counts.n_output;
    description->outstanding = 1;
    description->determinism = TW_NPU_TOLERANCE;
    memcpy(description->target, r->target, sizeof description->target);
    memcpy(description->version, r->version, sizeof description->version);
    return TW_NPU_OK;
}

static int32_t tensor(void *session, uint32_t direction, uint32_t index, tw_npu_tensor *into)
{
    const rknn *r = session;
    if (index >= (direction == TW_NPU_INPUT ? r->counts.n_input : r->counts.n_output))
        return TW_NPU_BAD_ARGUMENT;
    *into = r->tensors[direction == TW_NPU_INPUT ? index : r->counts.n_input + index];
    return TW_NPU_OK;
}

static int32_t allocate(void *session, uint64_t bytes, tw_npu_buffer *buffer)
{
    (void)session;
    memset(buffer, 0, sizeof *buffer);
    buffer->bytes = bytes;
    buffer->host = aligned_alloc(64, (size_t)((bytes + 63) / 64 * 64));
    buffer->handle = buffer->host;
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
    (void)session; /* rknn_inputs_set and rknn_outputs_get copy. */
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

static int32_t submit(void *session, uint64_t frame, tw_npu_buffer *const *inputs, tw_npu_buffer *const *outputs)
{
    rknn *r = session;
    rknn_input given[TW_NPU_TENSORS];
    rknn_run_options options = {.frame_id = frame, .non_block = 1, .fence_fd = -1};
    memset(given, 0, sizeof given);
    if (r->is_running) {
        snprintf(r->detail, sizeof r->detail, "a frame is outstanding");
        return TW_NPU_AGAIN;
    }
    for (uint32_t k = 0; k < r->counts.n_input; ++k) {
        given[k].index = k;
        given[k].buf = inputs[k]->host;
        given[k].size = (uint32_t)r->tensors[k].bytes;
        given[k].type = RKNN_FLOAT32;
        given[k].fmt = RKNN_NCHW;
    }
    int code = r->call.inputs_set(r->context, r->counts.n_input, given);
    if (code != 0)
        return failed(r->detail, sizeof r->detail, "rknn_inputs_set", code);
    if ((code = r->call.run(r->context, &options)) != 0)
        return failed(r->detail, sizeof r->detail, "rknn_run", code);
    for (uint32_t k = 0; k < r->counts.n_output; ++k)
        r->outputs[k] = outputs[k];
    r->frame = frame;
    r->is_running = 1;
    return TW_NPU_OK;
}

/* rknn_outputs_get blocks until the frame is done; a process of its own bounds that by its time-out. */
static int32_t wait_frame(void *session, uint32_t milliseconds, uint64_t *frame)
{
    rknn *r = session;
    rknn_output taken[TW_NPU_TENSORS];
    rknn_output_options options = {0};
    rknn_duration duration = {0};
    (void)milliseconds;
    memset(taken, 0, sizeof taken);
    if (!r->is_running)
        return TW_NPU_BAD_ARGUMENT;
    r->is_running = 0;
    for (uint32_t k = 0; k < r->counts.n_output; ++k) {
        taken[k].want_float = 1;
        taken[k].is_prealloc = 1;
        taken[k].index = k;
        taken[k].buf = r->outputs[k]->host;
        taken[k].size = (uint32_t)r->tensors[r->counts.n_input + k].bytes;
    }
    const int code = r->call.outputs_get(r->context, r->counts.n_output, taken, &options);
    if (code != 0)
        return failed(r->detail, sizeof r->detail, "rknn_outputs_get", code);
    r->call.outputs_release(r->context, r->counts.n_output, taken);
    if (r->call.query(r->context, QUERY_PERF_RUN, &duration, sizeof duration) == 0)
        r->stats.microseconds += (uint64_t)duration.run_duration;
    r->stats.frames += 1;
    *frame = options.frame_id;
    return TW_NPU_OK;
}

static int32_t stats(void *session, tw_npu_stats *into)
{
    *into = ((const rknn *)session)->stats;
    return TW_NPU_OK;
}

static const char *detail(void *session)
{
    return session != NULL ? ((rknn *)session)->detail : open_detail;
}

const tw_npu_plugin *tilewright_npu_plugin(uint32_t abi_version)
{
    static const tw_npu_plugin plugin = {
        .abi_version = TW_NPU_ABI_VERSION,
        .bytes = sizeof(tw_npu_plugin),
        .name = "rknn",
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
