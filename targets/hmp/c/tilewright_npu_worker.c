/* Serves a plug-in to a network: `tilewright_npu_worker PLUGIN.so`. See tilewright_npu_process.h. */
#define _GNU_SOURCE
#include "tilewright_npu_process.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BUFFERS = 256 };

static const tw_npu_plugin *plugin;
static void *session;
static tw_npu_description description;
static tw_npu_buffer buffers[BUFFERS];
static uint32_t buffer_count;
static _Alignas(8) char payload[8192];

/* The network has ended: so does this process, whatever its plug-in does. */
static void *watch(void *unused)
{
    struct pollfd waiting = {.fd = TW_NPU_SOCKET};
    (void)unused;
    while (poll(&waiting, 1, -1) < 0 && errno == EINTR)
        ;
    _exit(0);
}

static void receive(int from, void *into, size_t size)
{
    char *place = into;
    while (size > 0) {
        const ssize_t count = recv(from, place, size, 0);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            _exit(0);
        place += count;
        size -= (size_t)count;
    }
}

static void send_all(int to, const void *from, size_t size)
{
    const char *place = from;
    while (size > 0) {
        const ssize_t count = send(to, place, size, MSG_NOSIGNAL);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            _exit(0);
        place += count;
        size -= (size_t)count;
    }
}

static void load(const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return;
    }
    union {
        void *object;
        tw_npu_plugin_function function;
    } symbol = {.object = dlsym(library, "tilewright_npu_plugin")};
    plugin = symbol.object != NULL ? symbol.function(TW_NPU_ABI_VERSION) : NULL;
}

static int32_t open_artifact(const tw_npu_message *message)
{
    tw_npu_open_message open;
    char path[sizeof payload];
    if (message->bytes < sizeof open)
        return TW_NPU_BAD_ARGUMENT;
    memcpy(&open, payload, sizeof open);
    memcpy(path, payload + sizeof open, message->bytes - sizeof open);
    path[message->bytes - sizeof open] = '\0';
    tw_npu_open_request request = {.path = path, .target = open.target, .program = open.program};
    memcpy(request.sha256, open.sha256, sizeof request.sha256);
    void *bytes = tw_npu_read_file(path, &request.size);
    request.bytes = bytes;
    const int32_t status = bytes != NULL ? plugin->open(&request, &session) : TW_NPU_MISSING;
    free(bytes);
    return status;
}

static int32_t describe(tw_npu_message *reply)
{
    int32_t status = plugin->describe(session, &description);
    const uint32_t count = description.inputs + description.outputs;
    if (status == TW_NPU_OK && (description.inputs > TW_NPU_TENSORS || description.outputs > TW_NPU_TENSORS))
        return TW_NPU_UNSUPPORTED;
    memcpy(payload, &description, sizeof description);
    for (uint32_t k = 0; k < count && status == TW_NPU_OK; ++k) {
        const int is_input = k < description.inputs;
        tw_npu_tensor tensor;
        memset(&tensor, 0, sizeof tensor);
        status = plugin->tensor(session, is_input ? TW_NPU_INPUT : TW_NPU_OUTPUT,
                                is_input ? k : k - description.inputs, &tensor);
        memcpy(payload + sizeof description + k * sizeof tensor, &tensor, sizeof tensor);
    }
    reply->bytes = (uint32_t)(sizeof description + count * sizeof(tw_npu_tensor));
    return status;
}

static int32_t map(const tw_npu_message *message, tw_npu_message *reply)
{
    if (buffer_count == BUFFERS)
        return TW_NPU_NO_MEMORY;
    void *host = mmap(NULL, (size_t)message->b, PROT_READ | PROT_WRITE, MAP_SHARED, TW_NPU_SHARED, (off_t)message->a);
    if (host == MAP_FAILED)
        return TW_NPU_NO_MEMORY;
    tw_npu_buffer *buffer = &buffers[buffer_count];
    *buffer = (tw_npu_buffer){.memory = TW_NPU_HOST, .bytes = message->b, .host = host};
    reply->a = buffer_count++;
    return plugin->import(session, buffer);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of what follows */
static tw_npu_buffer *in_flight[64][2 * TW_NPU_TENSORS];
static uint64_t submitted, finished;

static uint64_t frames_in_flight(void)
{
    pthread_mutex_lock(&lock);
    const uint64_t count = submitted - finished;
    pthread_mutex_unlock(&lock);
    return count;
}

static int32_t submit(const tw_npu_message *message)
{
    const uint32_t count = description.inputs + description.outputs;
    tw_npu_buffer **used = in_flight[submitted % 64]; /* one thread submits */
    uint32_t numbers[2 * TW_NPU_TENSORS];
    int32_t status = TW_NPU_OK;
    if (message->bytes != count * 4)
        return TW_NPU_BAD_ARGUMENT;
    if (frames_in_flight() == 64)
        return TW_NPU_AGAIN;
    memcpy(numbers, payload, message->bytes);
    for (uint32_t k = 0; k < count; ++k) {
        if (numbers[k] >= buffer_count)
            return TW_NPU_BAD_ARGUMENT;
        used[k] = &buffers[numbers[k]];
    }
    for (uint32_t k = 0; k < description.inputs && status == TW_NPU_OK; ++k)
        status = plugin->sync(session, used[k], TW_NPU_TO_DEVICE);
    if (status == TW_NPU_OK)
        status = plugin->submit(session, message->frame, used, used + description.inputs);
    pthread_mutex_lock(&lock);
    submitted += status == TW_NPU_OK;
    pthread_mutex_unlock(&lock);
    return status;
}

static int32_t wait_frame(const tw_npu_message *message, tw_npu_message *reply)
{
    int32_t status = plugin->wait(session, (uint32_t)message->a, &reply->frame);
    if (status == TW_NPU_TIMEOUT || frames_in_flight() == 0)
        return status;
    tw_npu_buffer **used = in_flight[finished % 64]; /* one thread collects */
    for (uint32_t k = 0; k < description.outputs && status == TW_NPU_OK; ++k)
        status = plugin->sync(session, used[description.inputs + k], TW_NPU_FROM_DEVICE);
    pthread_mutex_lock(&lock);
    ++finished;
    pthread_mutex_unlock(&lock);
    return status;
}

/* Answers waits on a socket of their own, meanwhile frames are submitted. */
static void *serve_waits(void *unused)
{
    char text[512];
    (void)unused;
    for (;;) {
        tw_npu_message message, reply = {.kind = TW_NPU_WAIT};
        receive(TW_NPU_WAITS, &message, sizeof message);
        reply.status = message.kind == TW_NPU_WAIT ? wait_frame(&message, &reply) : TW_NPU_BAD_ARGUMENT;
        if (reply.status != TW_NPU_OK) {
            snprintf(text, sizeof text, "%s", plugin->detail(session));
            reply.bytes = (uint32_t)strlen(text);
        }
        send_all(TW_NPU_WAITS, &reply, sizeof reply);
        send_all(TW_NPU_WAITS, text, reply.bytes);
    }
    return NULL;
}

static int32_t serve(const tw_npu_message *message, tw_npu_message *reply)
{
    if (message->kind == TW_NPU_HELLO) {
        reply->a = plugin != NULL ? plugin->abi_version : 0;
        return TW_NPU_OK;
    }
    if (message->kind == TW_NPU_OPEN)
        return open_artifact(message);
    if (message->kind == TW_NPU_CLOSE) {
        if (session != NULL)
            plugin->close(session);
        return TW_NPU_OK;
    }
    if (session == NULL)
        return TW_NPU_BAD_ARGUMENT;
    switch (message->kind) {
    case TW_NPU_DESCRIBE:
        return describe(reply);
    case TW_NPU_MAP:
        return map(message, reply);
    case TW_NPU_SUBMIT:
        return submit(message);
    case TW_NPU_WAIT:
        return wait_frame(message, reply);
    case TW_NPU_STATS:
        reply->bytes = sizeof(tw_npu_stats);
        return plugin->stats(session, (tw_npu_stats *)(void *)payload);
    default:
        return TW_NPU_UNSUPPORTED;
    }
}

int main(int count, char **arguments)
{
    pthread_t thread;
    if (count != 2 || pthread_create(&thread, NULL, watch, NULL) != 0)
        return EXIT_FAILURE;
    load(arguments[1]);
    if (pthread_create(&thread, NULL, serve_waits, NULL) != 0)
        return EXIT_FAILURE;
    for (;;) {
        tw_npu_message message, reply = {0};
        receive(TW_NPU_SOCKET, &message, sizeof message);
        if (message.bytes > sizeof payload)
            return EXIT_FAILURE;
        receive(TW_NPU_SOCKET, payload, message.bytes);
        reply.kind = message.kind;
        reply.status = serve(&message, &reply);
        if (reply.status != TW_NPU_OK && plugin != NULL) {
            snprintf(payload, sizeof payload, "%s", plugin->detail(session));
            reply.bytes = (uint32_t)strlen(payload);
        }
        send_all(TW_NPU_SOCKET, &reply, sizeof reply);
        send_all(TW_NPU_SOCKET, payload, reply.bytes);
        if (message.kind == TW_NPU_CLOSE)
            _exit(0);
    }
}
