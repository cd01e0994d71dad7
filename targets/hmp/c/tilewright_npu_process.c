/* A plug-in in a process of its own, as a plug-in: its calls become messages. See tilewright_npu_process.h. */
#define _GNU_SOURCE
#include "tilewright_npu_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* Of pipelines of frames, where the network is one: a file that can be read once the run is cancelled, or -1. */
__attribute__((weak)) int tw_pipeline_cancelled(void);

enum { CLOSE_MILLISECONDS = 2000, GRACE_MILLISECONDS = 250, FIRST_FREE_FD = 10 };

enum { REQUESTS, WAITS, CHANNELS };

typedef struct {
    int socket;
    _Alignas(8) char payload[TW_NPU_PAYLOAD + 1];
} channel;

typedef struct {
    channel channels[CHANNELS];
    int shared;
    uint32_t milliseconds, open_milliseconds; /* until an answer is late; that to an open takes longest */
    uint64_t bytes; /* of the shared file */
    pthread_mutex_t reaping; /* of what follows */
    pid_t process; /* 0 once it has ended */
    int status;    /* with which it has ended */
    int32_t end;   /* why it was ended: TW_NPU_TIMEOUT, TW_NPU_FAILED where the run was cancelled, else 0 */
    tw_npu_description description;
    tw_npu_tensor tensors[2 * TW_NPU_TENSORS];
} process;

static _Thread_local char last_failure[512];

static int32_t failed(int32_t status, const char *format, ...) __attribute__((format(printf, 2, 3)));

static int32_t failed(int32_t status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(last_failure, sizeof last_failure, format, arguments);
    va_end(arguments);
    return status;
}

/* End of a process */

static pid_t id_of(process *p)
{
    pthread_mutex_lock(&p->reaping);
    const pid_t id = p->process;
    pthread_mutex_unlock(&p->reaping);
    return id;
}

static void reap(process *p, int32_t end)
{
    pthread_mutex_lock(&p->reaping);
    if (p->process > 0) {
        kill(-p->process, SIGKILL);
        while (waitpid(p->process, &p->status, 0) < 0 && errno == EINTR)
            ;
        p->process = 0;
        p->end = end;
    }
    pthread_mutex_unlock(&p->reaping);
}

void tw_npu_process_end(void *session)
{
    reap(session, 0);
}

/* The status of a call after which the process is no more, whichever thread has ended it. */
static int32_t ended(process *p)
{
    pthread_mutex_lock(&p->reaping);
    const int status = p->status;
    const int32_t end = p->end;
    pthread_mutex_unlock(&p->reaping);
    if (end == TW_NPU_TIMEOUT)
        return failed(end, "its process did not answer in time and was ended");
    if (end != 0)
        return failed(end, "the run was cancelled");
    if (WIFSIGNALED(status))
        return failed(TW_NPU_CRASHED, "its process ended by signal %d (%s)", WTERMSIG(status),
                      strsignal(WTERMSIG(status)));
    return failed(TW_NPU_CRASHED, "its process ended with status %d", WEXITSTATUS(status));
}

static int32_t crashed(process *p)
{
    /* Its socket is closed, so that it is ending; one that only closed the socket is ended. */
    for (int k = 0; k < 100; ++k) {
        siginfo_t info = {0};
        const pid_t id = id_of(p);
        usleep(1000);
        if (id == 0 || waitid(P_PID, (id_t)id, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != 0)
            break;
    }
    reap(p, 0);
    return ended(p);
}

/* Messages */

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static int32_t late(process *p, uint32_t milliseconds)
{
    reap(p, TW_NPU_TIMEOUT);
    return failed(TW_NPU_TIMEOUT, "its process did not answer within %u ms and was ended", milliseconds);
}

static int32_t cancelled(process *p)
{
    reap(p, TW_NPU_FAILED);
    return ended(p);
}

static int32_t receive(process *p, int from, void *into, size_t size, int64_t end, uint32_t milliseconds)
{
    char *place = into;
    while (size > 0) {
        const int64_t rest = end - now();
        struct pollfd waiting[2] = {{.fd = from, .events = POLLIN}, {.fd = -1, .events = POLLIN}};
        if (tw_pipeline_cancelled != NULL)
            waiting[1].fd = tw_pipeline_cancelled();
        const int ready = poll(waiting, 2, rest > 0 ? (int)rest : 0);
        if (ready == 0)
            return late(p, milliseconds);
        if (ready < 0 && errno == EINTR)
            continue;
        if (waiting[0].revents == 0 && waiting[1].revents != 0)
            return cancelled(p);
        const ssize_t count = recv(from, place, size, 0);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return crashed(p);
        place += count;
        size -= (size_t)count;
    }
    return TW_NPU_OK;
}

static int32_t send_all(process *p, int to, const void *from, size_t size)
{
    const char *place = from;
    while (size > 0) {
        const ssize_t count = send(to, place, size, MSG_NOSIGNAL);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return crashed(p);
        place += count;
        size -= (size_t)count;
    }
    return TW_NPU_OK;
}

/* Sends a request and receives its reply; the payload of that is in the channel's, with a zero after it. */
static int32_t call_on(process *p, channel *c, tw_npu_message *message, const void *payload, uint32_t milliseconds)
{
    const uint32_t kind = message->kind;
    if (id_of(p) == 0)
        return ended(p);
    int32_t status = send_all(p, c->socket, message, sizeof *message);
    if (status == TW_NPU_OK && message->bytes > 0)
        status = send_all(p, c->socket, payload, message->bytes);
    const int64_t end = now() + milliseconds;
    if (status == TW_NPU_OK)
        status = receive(p, c->socket, message, sizeof *message, end, milliseconds);
    if (status != TW_NPU_OK)
        return status;
    if (message->kind != kind || message->bytes > TW_NPU_PAYLOAD) {
        reap(p, 0);
        return failed(TW_NPU_FAILED, "its process sent no reply to message %u", kind);
    }
    status = receive(p, c->socket, c->payload, message->bytes, end, milliseconds);
    if (status != TW_NPU_OK)
        return status;
    c->payload[message->bytes] = '\0';
    if (message->status != TW_NPU_OK)
        failed(message->status, "%.500s", c->payload);
    return message->status;
}

static int32_t call(process *p, tw_npu_message *message, const void *payload, uint32_t milliseconds)
{
    return call_on(p, &p->channels[REQUESTS], message, payload, milliseconds);
}

/* The table of functions */

static int32_t open_session(const tw_npu_open_request *request, void **session)
{
    process *p = *session;
    char payload[sizeof(tw_npu_open_message) + 4096];
    tw_npu_open_message open = {.program = request->program};
    const size_t length = strlen(request->path);
    if (length > sizeof payload - sizeof open || request->share_with != NULL)
        return TW_NPU_UNSUPPORTED;
    memcpy(open.sha256, request->sha256, sizeof open.sha256);
    snprintf(open.target, sizeof open.target, "%s", request->target);
    memcpy(payload, &open, sizeof open);
    memcpy(payload + sizeof open, request->path, length);
    tw_npu_message message = {.kind = TW_NPU_OPEN, .bytes = (uint32_t)(sizeof open + length)};
    return call(p, &message, payload, p->open_milliseconds);
}

static int32_t describe(void *session, tw_npu_description *description)
{
    process *p = session;
    tw_npu_message message = {.kind = TW_NPU_DESCRIBE};
    const int32_t status = call(p, &message, NULL, p->milliseconds);
    if (status != TW_NPU_OK)
        return status;
    const char *payload = p->channels[REQUESTS].payload;
    memcpy(&p->description, payload, sizeof p->description);
    const uint64_t count = (uint64_t)p->description.inputs + p->description.outputs;
    if (p->description.inputs > TW_NPU_TENSORS || p->description.outputs > TW_NPU_TENSORS
        || message.bytes != sizeof p->description + count * sizeof(tw_npu_tensor))
        return TW_NPU_FAILED;
    memcpy(p->tensors, payload + sizeof p->description, (size_t)count * sizeof(tw_npu_tensor));
    *description = p->description;
    return TW_NPU_OK;
}

static int32_t tensor(void *session, uint32_t direction, uint32_t index, tw_npu_tensor *into)
{
    process *p = session;
    const uint32_t count = direction == TW_NPU_INPUT ? p->description.inputs : p->description.outputs;
    if (index >= count)
        return TW_NPU_BAD_ARGUMENT;
    *into = p->tensors[direction == TW_NPU_INPUT ? index : p->description.inputs + index];
    return TW_NPU_OK;
}

static int32_t allocate(void *session, uint64_t bytes, tw_npu_buffer *buffer)
{
    process *p = session;
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), size = (bytes + page - 1) / page * page;
    const uint64_t offset = p->bytes;
    if (size == 0 || ftruncate(p->shared, (off_t)(offset + size)) != 0)
        return TW_NPU_NO_MEMORY;
    void *host = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, p->shared, (off_t)offset);
    if (host == MAP_FAILED)
        return TW_NPU_NO_MEMORY;
    p->bytes += size;
    tw_npu_message message = {.kind = TW_NPU_MAP, .a = offset, .b = size};
    const int32_t status = call(p, &message, NULL, p->milliseconds);
    if (status != TW_NPU_OK) {
        munmap(host, (size_t)size);
        return status;
    }
    *buffer = (tw_npu_buffer){.memory = TW_NPU_FD, .bytes = size, .host = host, .fd = p->shared, .offset = offset};
    buffer->handle = (void *)(uintptr_t)message.a;
    return TW_NPU_OK;
}

static int32_t import(void *session, tw_npu_buffer *buffer)
{
    (void)session;
    (void)buffer;
    return TW_NPU_UNSUPPORTED;
}

static int32_t synchronise(void *session, tw_npu_buffer *buffer, uint32_t direction)
{
    (void)session; /* The worker synchronises its own view of the buffer, around each frame. */
    (void)buffer;
    (void)direction;
    return TW_NPU_OK;
}

static int32_t release(void *session, tw_npu_buffer *buffer)
{
    (void)session;
    munmap(buffer->host, (size_t)buffer->bytes);
    buffer->host = NULL;
    return TW_NPU_OK;
}

static int32_t submit(void *session, uint64_t frame, tw_npu_buffer *const *inputs, tw_npu_buffer *const *outputs)
{
    process *p = session;
    const uint32_t ins = p->description.inputs, outs = p->description.outputs;
    uint32_t numbers[2 * TW_NPU_TENSORS];
    for (uint32_t k = 0; k < ins + outs; ++k)
        numbers[k] = (uint32_t)(uintptr_t)(k < ins ? inputs[k] : outputs[k - ins])->handle;
    tw_npu_message message = {.kind = TW_NPU_SUBMIT, .frame = frame, .bytes = (ins + outs) * 4};
    return call(p, &message, numbers, p->milliseconds + GRACE_MILLISECONDS);
}

static int32_t wait_frame(void *session, uint32_t milliseconds, uint64_t *frame)
{
    process *p = session;
    tw_npu_message message = {.kind = TW_NPU_WAIT, .a = milliseconds};
    channel *c = &p->channels[p->description.outstanding > 1 ? WAITS : REQUESTS];
    const int32_t status = call_on(p, c, &message, NULL, milliseconds + GRACE_MILLISECONDS);
    *frame = message.frame;
    return status;
}

static int32_t stats(void *session, tw_npu_stats *into)
{
    process *p = session;
    tw_npu_message message = {.kind = TW_NPU_STATS};
    const int32_t status = call(p, &message, NULL, p->milliseconds);
    if (status == TW_NPU_OK && message.bytes == sizeof *into)
        memcpy(into, p->channels[REQUESTS].payload, sizeof *into);
    return status;
}

static const char *detail(void *session)
{
    return session != NULL ? last_failure : "no process could be started";
}

static void close_session(void *session)
{
    process *p = session;
    tw_npu_message message = {.kind = TW_NPU_CLOSE};
    if (id_of(p) > 0)
        call(p, &message, NULL, CLOSE_MILLISECONDS);
    reap(p, 0); /* It has replied, or has had its time. */
    for (int k = 0; k < CHANNELS; ++k)
        close(p->channels[k].socket);
    close(p->shared);
    pthread_mutex_destroy(&p->reaping);
    free(p);
}

const tw_npu_plugin tw_npu_process_plugin = {
    .abi_version = TW_NPU_ABI_VERSION,
    .bytes = sizeof(tw_npu_plugin),
    .name = "process",
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

/* Start of a process */

static int high(int fd)
{
    const int moved = fd >= 0 ? fcntl(fd, F_DUPFD_CLOEXEC, FIRST_FREE_FD) : -1;
    if (fd >= 0)
        close(fd);
    return moved;
}

static int spawn(process *p, char *const *command, const int *sockets)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, usual;
    sigemptyset(&none);
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    /* A group of its own: an interrupt from the terminal ends the network, which then ends it. */
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, 2, 1); /* stdout is the network's */
    posix_spawn_file_actions_adddup2(&actions, sockets[REQUESTS], TW_NPU_SOCKET);
    posix_spawn_file_actions_adddup2(&actions, sockets[WAITS], TW_NPU_WAITS);
    posix_spawn_file_actions_adddup2(&actions, p->shared, TW_NPU_SHARED);
    const int code = posix_spawn(&p->process, command[0], &actions, &attributes, command, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return code;
}

/* Makes the sockets of all channels, and their other ends; 0, or a number of errno. */
static int connect_channels(process *p, int *others)
{
    for (int k = 0; k < CHANNELS; ++k) {
        int pair[2];
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
            return errno;
        p->channels[k].socket = high(pair[0]);
        others[k] = high(pair[1]);
        if (p->channels[k].socket < 0 || others[k] < 0)
            return errno;
    }
    p->shared = high(memfd_create("tilewright_npu", MFD_CLOEXEC));
    return p->shared < 0 ? errno : 0;
}

int32_t tw_npu_process_start(char *const *command, uint32_t milliseconds, uint32_t open_milliseconds, void **session)
{
    int others[CHANNELS] = {-1, -1};
    process *p = calloc(1, sizeof *p);
    if (p == NULL)
        return TW_NPU_NO_MEMORY;
    pthread_mutex_init(&p->reaping, NULL);
    p->milliseconds = milliseconds;
    p->open_milliseconds = open_milliseconds;
    p->shared = p->channels[REQUESTS].socket = p->channels[WAITS].socket = -1;
    int code = connect_channels(p, others);
    if (code == 0)
        code = spawn(p, command, others);
    for (int k = 0; k < CHANNELS; ++k)
        if (others[k] >= 0)
            close(others[k]);
    *session = p;
    if (code != 0) {
        p->process = 0;
        return failed(TW_NPU_MISSING, "its process cannot be started: %s", strerror(code));
    }
    tw_npu_message hello = {.kind = TW_NPU_HELLO, .a = TW_NPU_ABI_VERSION};
    const int32_t status = call(p, &hello, NULL, p->open_milliseconds);
    if (status == TW_NPU_OK && hello.a != TW_NPU_ABI_VERSION)
        return failed(TW_NPU_FOREIGN_VERSION, "it has version %u of the interface, the network %u", (uint32_t)hello.a,
                      TW_NPU_ABI_VERSION);
    return status;
}
