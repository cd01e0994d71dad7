/*
 * The reference plug-in: artefacts that hold the C of a sub-graph as a shared library, computed bit by bit as the
 * network itself would, on a thread of each session.
 *
 * An artefact: tw_npu_reference_header, the tensors of inputs and outputs, the library from `offset` on.
 */
#define _GNU_SOURCE
#include "tilewright_npu.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
#define MACHINE "x86_64"
#elif defined(__aarch64__)
#define MACHINE "aarch64"
#elif defined(__riscv) && __riscv_xlen == 64
#define MACHINE "riscv64"
#else
#define MACHINE "other"
#endif

enum { VERSION = 1, OUTSTANDING = 3, ALIGNMENT = 64 };

typedef struct {
    char magic[8]; /* "TWNPUREF" */
    uint32_t version, offset;
    uint8_t sha256[32]; /* of the library */
    char target[32], machine[32];
    uint32_t inputs, outputs;
    uint64_t bytes; /* of the library */
} tw_npu_reference_header;

typedef int32_t (*entry_function)(const void *const *inputs, void *const *outputs);

typedef struct {
    uint64_t frame;
    const void *inputs[TW_NPU_TENSORS];
    void *outputs[TW_NPU_TENSORS];
    int32_t status;
} job;

typedef struct {
    tw_npu_reference_header header;
    tw_npu_tensor tensors[2 * TW_NPU_TENSORS];
    void *library;
    int file; /* of the library */
    entry_function entry;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    job jobs[OUTSTANDING];
    uint64_t submitted, computed, returned;
    int is_closing;
    tw_npu_stats stats;
    char detail[256];
} reference;

static _Thread_local char open_detail[256];

static int32_t refused(int32_t status, const char *reason)
{
    snprintf(open_detail, sizeof open_detail, "%s", reason);
    return status;
}

static int64_t microseconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

/* Computes frames in the order of their submission. */
static void *run(void *argument)
{
    reference *r = argument;
    pthread_mutex_lock(&r->lock);
    for (;;) {
        while (r->computed == r->submitted && !r->is_closing)
            pthread_cond_wait(&r->changed, &r->lock);
        if (r->computed == r->submitted)
            break;
        job *next = &r->jobs[r->computed % OUTSTANDING];
        pthread_mutex_unlock(&r->lock);
        const int64_t start = microseconds();
        const int32_t status = r->entry(next->inputs, next->outputs) == 0 ? TW_NPU_OK : TW_NPU_FAILED;
        const int64_t spent = microseconds() - start;
        pthread_mutex_lock(&r->lock);
        next->status = status;
        r->stats.frames += 1;
        r->stats.microseconds += (uint64_t)spent;
        ++r->computed;
        pthread_cond_broadcast(&r->changed);
    }
    pthread_mutex_unlock(&r->lock);
    return NULL;
}

static int32_t check(const tw_npu_open_request *request, const tw_npu_reference_header *header)
{
    const uint64_t tensors = (uint64_t)header->inputs + header->outputs;
    const uint64_t least = sizeof *header + tensors * sizeof(tw_npu_tensor);
    if (memcmp(header->magic, "TWNPUREF", sizeof header->magic) != 0)
        return refused(TW_NPU_BAD_ARTIFACT, "it is no artefact of the reference plug-in");
    if (header->version != VERSION)
        return refused(TW_NPU_FOREIGN_VERSION, "it is an artefact of another version");
    if (header->inputs > TW_NPU_TENSORS || header->outputs > TW_NPU_TENSORS || header->offset < least
        || header->offset > request->size || header->bytes != request->size - header->offset)
        return refused(TW_NPU_BAD_ARTIFACT, "it is damaged: its sizes disagree");
    if (strncmp(header->target, request->target, sizeof header->target) != 0)
        return refused(TW_NPU_FOREIGN_TARGET, "it is for another target");
    if (strncmp(header->machine, MACHINE, sizeof header->machine) != 0)
        return refused(TW_NPU_FOREIGN_TARGET, "it is for another machine than " MACHINE);
    if (request->program != 0 || request->share_with != NULL)
        return refused(TW_NPU_UNSUPPORTED, "an artefact has one program, and shares no weights");
    return TW_NPU_OK;
}

static int32_t load(reference *r, const uint8_t *bytes)
{
    char path[64];
    uint64_t written = 0;
    r->file = memfd_create("stage", MFD_CLOEXEC);
    if (r->file < 0)
        return refused(TW_NPU_NO_MEMORY, strerror(errno));
    while (written < r->header.bytes) {
        const ssize_t count = write(r->file, bytes + written, (size_t)(r->header.bytes - written));
        if (count < 0)
            return refused(TW_NPU_NO_MEMORY, strerror(errno));
        written += (uint64_t)count;
    }
    /* A file of its own for each session, so that each has the library's variables for itself. It stays open: dlopen
       takes a path that it knows for the library that it has loaded from there. */
    snprintf(path, sizeof path, "/proc/self/fd/%d", r->file);
    r->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (r->library == NULL)
        return refused(TW_NPU_BAD_ARTIFACT, dlerror());
    union {
        void *object;
        entry_function function;
    } symbol = {.object = dlsym(r->library, "tilewright_npu_entry")};
    if (symbol.object == NULL)
        return refused(TW_NPU_BAD_ARTIFACT, "its library has no function tilewright_npu_entry");
    r->entry = symbol.function;
    return TW_NPU_OK;
}

static void discard(reference *r)
{
    if (r->library != NULL)
        dlclose(r->library);
    if (r->file >= 0)
        close(r->file);
    free(r);
}

static int32_t open_session(const tw_npu_open_request *request, void **session)
{
    tw_npu_reference_header header;
    open_detail[0] = '\0';
    if (request->size < sizeof header)
        return refused(TW_NPU_BAD_ARTIFACT, "it is damaged: it ends in its header");
    memcpy(&header, request->bytes, sizeof header);
    int32_t status = check(request, &header);
    if (status != TW_NPU_OK)
        return status;
    reference *r = calloc(1, sizeof *r);
    if (r == NULL)
        return refused(TW_NPU_NO_MEMORY, strerror(errno));
    const uint8_t *bytes = request->bytes;
    r->header = header;
    r->file = -1;
    r->stats.bytes = header.bytes;
    memcpy(r->tensors, bytes + sizeof header, (header.inputs + header.outputs) * sizeof(tw_npu_tensor));
    status = load(r, bytes + header.offset);
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    if (status == TW_NPU_OK && pthread_create(&r->thread, NULL, run, r) != 0)
        status = refused(TW_NPU_NO_MEMORY, "no thread can be made");
    if (status != TW_NPU_OK) {
        discard(r);
        return status;
    }
    *session = r;
    return TW_NPU_OK;
}

static int32_t describe(void *session, tw_npu_description *description)
{
    const reference *r = session;
    memset(description, 0, sizeof *description);
    description->inputs = r->header.inputs;
    description->outputs = r->header.outputs;
    description->outstanding = OUTSTANDING;
    description->determinism = TW_NPU_BIT_EXACT;
    memcpy(description->target, r->header.target, sizeof description->target);
    description->target[sizeof description->target - 1] = '\0';
    snprintf(description->version, sizeof description->version, "1");
    return TW_NPU_OK;
}

static int32_t tensor(void *session, uint32_t direction, uint32_t index, tw_npu_tensor *into)
{
    const reference *r = session;
    if (index >= (direction == TW_NPU_INPUT ? r->header.inputs : r->header.outputs))
        return TW_NPU_BAD_ARGUMENT;
    *into = r->tensors[direction == TW_NPU_INPUT ? index : r->header.inputs + index];
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
    if (buffer->memory == TW_NPU_PHYSICAL)
        return TW_NPU_UNSUPPORTED;
    buffer->handle = NULL;
    if (buffer->memory == TW_NPU_HOST)
        return buffer->host != NULL ? TW_NPU_OK : TW_NPU_BAD_ARGUMENT;
    buffer->host = mmap(NULL, (size_t)buffer->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, (int)buffer->fd,
                        (off_t)buffer->offset);
    return buffer->host != MAP_FAILED ? TW_NPU_OK : TW_NPU_BAD_ARGUMENT;
}

static int32_t synchronise(void *session, tw_npu_buffer *buffer, uint32_t direction)
{
    (void)session; /* The device reads and writes the memory of the host. */
    (void)buffer;
    return direction == TW_NPU_TO_DEVICE || direction == TW_NPU_FROM_DEVICE ? TW_NPU_OK : TW_NPU_BAD_ARGUMENT;
}

static int32_t release(void *session, tw_npu_buffer *buffer)
{
    (void)session;
    if (buffer->memory == TW_NPU_FD)
        munmap(buffer->host, (size_t)buffer->bytes);
    free(buffer->handle);
    buffer->handle = buffer->host = NULL;
    return TW_NPU_OK;
}

static int32_t submit(void *session, uint64_t frame, tw_npu_buffer *const *inputs, tw_npu_buffer *const *outputs)
{
    reference *r = session;
    int32_t status = TW_NPU_AGAIN;
    pthread_mutex_lock(&r->lock);
    if (r->submitted - r->returned < OUTSTANDING) {
        job *next = &r->jobs[r->submitted++ % OUTSTANDING];
        next->frame = frame;
        for (uint32_t k = 0; k < r->header.inputs; ++k)
            next->inputs[k] = inputs[k]->host;
        for (uint32_t k = 0; k < r->header.outputs; ++k)
            next->outputs[k] = outputs[k]->host;
        pthread_cond_broadcast(&r->changed);
        status = TW_NPU_OK;
    } else
        snprintf(r->detail, sizeof r->detail, "%d frames are outstanding", OUTSTANDING);
    pthread_mutex_unlock(&r->lock);
    return status;
}

static int32_t wait_frame(void *session, uint32_t milliseconds, uint64_t *frame)
{
    reference *r = session;
    struct timespec end;
    int32_t status = TW_NPU_TIMEOUT;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += milliseconds / 1000;
    end.tv_nsec += (long)(milliseconds % 1000) * 1000000;
    if (end.tv_nsec >= 1000000000) {
        end.tv_sec += 1;
        end.tv_nsec -= 1000000000;
    }
    pthread_mutex_lock(&r->lock);
    int code = 0;
    while (r->returned == r->computed && code == 0)
        code = pthread_cond_timedwait(&r->changed, &r->lock, &end);
    if (r->returned < r->computed) {
        const job *oldest = &r->jobs[r->returned++ % OUTSTANDING];
        *frame = oldest->frame;
        status = oldest->status;
    }
    if (status == TW_NPU_TIMEOUT)
        snprintf(r->detail, sizeof r->detail, "no frame was done within %u ms", milliseconds);
    else
        snprintf(r->detail, sizeof r->detail, "%s", status == TW_NPU_OK ? "" : "its function refused its inputs");
    pthread_mutex_unlock(&r->lock);
    return status;
}

static int32_t stats(void *session, tw_npu_stats *into)
{
    reference *r = session;
    pthread_mutex_lock(&r->lock);
    *into = r->stats;
    pthread_mutex_unlock(&r->lock);
    return TW_NPU_OK;
}

static const char *detail(void *session)
{
    return session != NULL ? ((reference *)session)->detail : open_detail;
}

static void close_session(void *session)
{
    reference *r = session;
    pthread_mutex_lock(&r->lock);
    r->is_closing = 1;
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->lock);
    pthread_join(r->thread, NULL);
    pthread_mutex_destroy(&r->lock);
    pthread_cond_destroy(&r->changed);
    discard(r);
}

const tw_npu_plugin *tilewright_npu_plugin(uint32_t abi_version)
{
    static const tw_npu_plugin plugin = {
        .abi_version = TW_NPU_ABI_VERSION,
        .bytes = sizeof(tw_npu_plugin),
        .name = "reference",
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
