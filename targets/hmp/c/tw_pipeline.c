/* Threads, streams and frames of pipelines: tilewright_pipeline.h. */
#define _GNU_SOURCE
#include "tilewright_pipeline.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tw_clocks.h"
#include "tw_profile.h"
#ifdef TW_TEST
#include "tw_test.h"
#endif

#define IN_FLIGHT 4096
/* Frames between the source and the sink at most: their times of arrival are kept. */

/* A call that may never return. */
typedef struct {
    int64_t deadline; /* 0: none is made */
    void (*late)(const void *context, char *text, uint32_t size);
    const void *context;
    bool is_stuck;
} call;

typedef struct {
    const tw_program *program;
    tw_track *track;
    call call;
    bool has_ended;
    pthread_t thread;
    jmp_buf leave;
    atomic_llong frame;
    atomic_int phase;
    int64_t since;       /* begin of the phase */
    int64_t layer_since; /* begin of the layer */
    int32_t layer;
    bool has_read, writes, reads;
} runner;

static const char *const PHASES[] = {"in", "waits for input", "waits for room", "task", "send", "out", "between frames"};
enum { BETWEEN = TW_LAYER };

static struct {
    tw_settings settings;
    bool is_run; /* false: a network outside of tw_pipeline_run, without frames of a source */
    jmp_buf leave; /* from the network's code before programs begin */
    tw_stream *streams;
    runner *runners;
    int32_t count;
    atomic_llong total; /* frames of the source, once it has ended */
    atomic_bool cancelled;
    int cancel_pipe[2];
    int status;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t done_changed;
    pthread_cond_t watched_changed; /* of the clock of deadlines */
    call call;       /* of the thread that runs the network */
    int64_t watched; /* the deadline until which the watchdog waits, 0 for none */
    bool has_ended;  /* the network has */
    bool is_abandoned; /* a call of an earlier run has never returned */
    int64_t done; /* frames that have left the network */
    char error[1024];
    int64_t arrivals[IN_FLIGHT];
} run = {.lock = PTHREAD_MUTEX_INITIALIZER,
         .done_changed = PTHREAD_COND_INITIALIZER,
         .cancel_pipe = {-1, -1},
         .total = INT64_MAX};

static _Thread_local runner *self;
static _Thread_local call *own_call;

static void check(int code, const char *what)
{
    if (code != 0) {
        fprintf(stderr, "error: %s: %s\n", what, strerror(code));
        abort();
    }
}

static void wake_all(void)
{
    for (tw_stream *s = run.streams; s != NULL; s = s->next) {
        pthread_mutex_lock(&s->lock);
        pthread_cond_broadcast(&s->changed);
        pthread_mutex_unlock(&s->lock);
    }
    pthread_mutex_lock(&run.lock);
    pthread_cond_broadcast(&run.done_changed);
    pthread_mutex_unlock(&run.lock);
}

/* Cancel the run; the first failure is the one that is reported. */
static void cancel(int status, const char *error)
{
    pthread_mutex_lock(&run.lock);
    const bool is_first = run.status == 0;
    if (is_first) {
        run.status = status;
        snprintf(run.error, sizeof run.error, "%s", error);
    }
    pthread_mutex_unlock(&run.lock);
    atomic_store(&run.cancelled, true);
    if (is_first && run.cancel_pipe[1] >= 0 && write(run.cancel_pipe[1], "", 1) != 1)
        perror("error: the run cannot be cancelled");
    wake_all();
}

static _Noreturn void leave(void)
{
    longjmp(self->leave, 1);
}

static bool goes_on(void)
{
    if (atomic_load(&run.cancelled))
        return false;
    return self == NULL || atomic_load(&self->frame) < atomic_load(&run.total);
}

/* Streams */

void tw_stream_open(tw_stream *streams, int32_t count, int32_t depth, void *slots, int32_t bytes)
{
    (void)slots;
    (void)bytes;
    for (int32_t k = 0; k < count; ++k) {
        tw_stream *s = &streams[k];
        memset(s, 0, sizeof *s);
        check(pthread_mutex_init(&s->lock, NULL), "a stream cannot be made");
        check(pthread_cond_init(&s->changed, NULL), "a stream cannot be made");
        s->depth = depth;
        s->next = run.streams;
        run.streams = s;
    }
}

static void enter(tw_kind phase)
{
    if (self == NULL)
        return;
    atomic_store(&self->phase, (int)phase);
    self->since = tw_now();
}

static void record(tw_kind kind, int64_t start, int64_t end, int32_t layer)
{
    const tw_record one = {.frame = atomic_load(&self->frame),
                           .start = start,
                           .end = end,
                           .layer = layer,
                           .level = tw_clocks_level(self->program->engine),
                           .kind = kind};
    tw_profile_record(self->track, one);
}

/* End the phase that began last. */
static void ended(tw_kind kind)
{
    if (self != NULL)
        record(kind, self->since, tw_now(), -1);
}

int32_t tw_stream_reserve(tw_stream *streams, int32_t index)
{
    tw_stream *s = &streams[index];
    enter(TW_SEND_WAIT);
    pthread_mutex_lock(&s->lock);
    while (s->reserved - s->released >= s->depth && goes_on())
        pthread_cond_wait(&s->changed, &s->lock);
    const bool has_slot = s->reserved - s->released < s->depth && goes_on();
    const int32_t slot = (int32_t)(s->reserved % s->depth);
    s->reserved += has_slot ? 1 : 0;
    pthread_mutex_unlock(&s->lock);
    if (!has_slot)
        leave();
    ended(TW_SEND_WAIT);
    return slot;
}

void tw_stream_push(tw_stream *streams, int32_t index)
{
    tw_stream *s = &streams[index];
    pthread_mutex_lock(&s->lock);
    ++s->pushed;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

int32_t tw_stream_pop(tw_stream *streams, int32_t index)
{
    tw_stream *s = &streams[index];
    enter(TW_RECEIVE_WAIT);
    pthread_mutex_lock(&s->lock);
    while (s->popped >= s->pushed && goes_on())
        pthread_cond_wait(&s->changed, &s->lock);
    const bool has_slot = s->popped < s->pushed && goes_on();
    const int32_t slot = (int32_t)(s->popped % s->depth);
    s->popped += has_slot ? 1 : 0;
    pthread_mutex_unlock(&s->lock);
    if (!has_slot)
        leave();
    ended(TW_RECEIVE_WAIT);
    return slot;
}

int32_t tw_stream_front(tw_stream *streams, int32_t index)
{
    tw_stream *s = &streams[index];
    pthread_mutex_lock(&s->lock);
    const int32_t slot = (int32_t)(s->released % s->depth);
    pthread_mutex_unlock(&s->lock);
    return slot;
}

void tw_stream_release(tw_stream *streams, int32_t index)
{
    tw_stream *s = &streams[index];
    pthread_mutex_lock(&s->lock);
    ++s->released;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

/* Programs */

void tw_program_set(tw_program *program, void (*body)(const tw_program *))
{
    program->body = body;
    program->title = program->engine = "";
}

void tw_program_name(tw_program *program, const char *title, const char *engine)
{
    program->title = title;
    program->engine = engine;
}

void tw_program_buffer(tw_program *program, int32_t index, const void *buffer, int32_t bytes)
{
    (void)bytes;
    program->buffers[index] = (void *)buffer;
}

void tw_program_coordinate(tw_program *program, int32_t index, int32_t coordinate)
{
    program->coordinates[index] = coordinate;
}

static const char *cores(void)
{
    return run.settings.cores != NULL ? run.settings.cores : getenv("TILEWRIGHT_CORES");
}

/* Pin this thread to the cores of its engine or of the engine's host; false where that cancels the run. */
static bool pinned(void)
{
    const char *title = self->program->title, *engine = self->program->engine;
    char host[64] = "";
    const bool has_own = cores() != NULL && tw_cores_first(cores(), engine) >= 0;
    if (tw_host_of(run.settings.hosts, engine, host, sizeof host)) {
        if (has_own)
            tw_pipeline_cancel("%s: %s has a host and cores of its own", title, engine);
        else if (cores() == NULL || tw_cores_first(cores(), host) < 0)
            tw_pipeline_cancel("%s: the cores of %s, the host of %s, are not given", title, host, engine);
        else
            engine = host;
    }
    if (cores() != NULL && !tw_cores_pin(cores(), engine))
        tw_pipeline_cancel("%s: the cores of %s in %s are none of this machine's", title, engine, cores());
    return !atomic_load(&run.cancelled);
}

static void run_body(runner *me)
{
    if (setjmp(me->leave) == 0)
        me->program->body(me->program);
}

static void *run_program(void *argument)
{
    char name[16];
    self = argument;
    own_call = &self->call;
    snprintf(name, sizeof name, "%s", self->program->title);
    pthread_setname_np(pthread_self(), name);
    if (pinned())
        run_body(self);
    atomic_store(&self->phase, BETWEEN);
    pthread_mutex_lock(&run.lock);
    self->has_ended = true;
    pthread_cond_broadcast(&run.done_changed);
    if (run.is_run)
        pthread_cond_signal(&run.watched_changed);
    pthread_mutex_unlock(&run.lock);
    return NULL;
}

/* Of tilewright_npu.c: frames, microseconds on the device and bytes of a stage's session; false without one. */
__attribute__((weak)) bool tw_npu_statistics(const char *stage, int64_t numbers[3]);

/* Take the statistics of devices: those before the run, then what the run adds to them. */
static void take_statistics(bool is_end)
{
    int64_t now[3];
    if (tw_npu_statistics == NULL || run.settings.profile < 1 || atomic_load(&run.cancelled))
        return;
    for (int32_t k = 0; k < tw_last_profile.count; ++k) {
        tw_track *track = &tw_last_profile.tracks[k];
        const tw_device before = track->device;
        if (!tw_npu_statistics(track->title, now))
            continue;
        track->has_device = is_end;
        track->device = (tw_device){now[0] - before.frames, now[1] - before.microseconds, now[2]};
    }
}

/* Wait until all programs have ended; forever where a call of one never returns. */
static void await_ends(void)
{
    pthread_mutex_lock(&run.lock);
    for (int32_t k = 0; k < run.count;)
        if (run.runners[k].has_ended)
            ++k;
        else
            pthread_cond_wait(&run.done_changed, &run.lock);
    pthread_mutex_unlock(&run.lock);
}

static void join_ended(void)
{
    for (int32_t k = 0; k < run.count; ++k)
        if (run.runners[k].has_ended)
            check(pthread_join(run.runners[k].thread, NULL), "a thread cannot be joined");
}

void tw_programs_run(tw_program *programs, int32_t count)
{
    runner *runners = calloc((size_t)count, sizeof *runners);
    if (runners == NULL)
        check(ENOMEM, "programs cannot be made");
    tw_profile_begin(count, run.settings.switched, run.settings.profile);
    for (int32_t k = 0; k < count; ++k) {
        runner *r = &runners[k];
        r->program = &programs[k];
        r->track = &tw_last_profile.tracks[k];
        r->track->title = programs[k].title;
        r->track->engine = programs[k].engine;
        atomic_store(&r->frame, run.is_run ? -1 : 0);
        atomic_store(&r->phase, BETWEEN);
    }
    pthread_mutex_lock(&run.lock);
    run.runners = runners;
    run.count = count;
    pthread_mutex_unlock(&run.lock);
    take_statistics(false);
    for (int32_t k = 0; k < count; ++k)
        check(pthread_create(&runners[k].thread, NULL, run_program, &runners[k]), "a thread cannot be made");
    await_ends();
    join_ended();
    tw_last_profile.end = tw_now();
    take_statistics(true);
    for (tw_stream *s = run.streams; s != NULL; s = s->next) {
        pthread_mutex_destroy(&s->lock);
        pthread_cond_destroy(&s->changed);
    }
    pthread_mutex_lock(&run.lock);
    free(runners);
    run.runners = NULL;
    run.count = 0;
    pthread_mutex_unlock(&run.lock);
    run.streams = NULL;
}

/* Frames */

static void end_frame(void)
{
    const int64_t now = tw_now(), frame = atomic_load(&self->frame);
    if (frame < 0)
        return;
    if (atomic_load(&self->phase) == TW_SEND)
        record(TW_SEND, self->since, now, -1);
    self->track->frames = frame + 1;
    if (!self->writes)
        return;
    pthread_mutex_lock(&run.lock);
    run.done = frame + 1;
    tw_profile_frame(run.arrivals[frame % IN_FLIGHT], now);
    pthread_cond_broadcast(&run.done_changed);
    pthread_mutex_unlock(&run.lock);
}

bool tw_frame_next(void)
{
    end_frame();
    const int64_t frame = atomic_load(&self->frame) + 1;
    atomic_store(&self->frame, frame);
    atomic_store(&self->phase, BETWEEN);
    self->has_read = false;
    if (!self->reads)
        return goes_on();
    const int64_t most = run.settings.switched ? 1 : IN_FLIGHT;
    pthread_mutex_lock(&run.lock);
    while (frame - run.done >= most && goes_on())
        pthread_cond_wait(&run.done_changed, &run.lock);
    pthread_mutex_unlock(&run.lock);
    return goes_on();
}

int64_t tw_frame_number(void)
{
    return self == NULL ? 0 : atomic_load(&self->frame);
}

static void end_of_input(void)
{
    atomic_store(&run.total, atomic_load(&self->frame));
    wake_all();
    leave();
}

void tw_frame_read(int32_t port, void *to, int32_t bytes)
{
    const int64_t frame = atomic_load(&self->frame);
    const tw_source source = run.settings.source;
    enter(TW_IN);
    if (!self->has_read)
        run.arrivals[frame % IN_FLIGHT] = self->since;
    self->reads = true;
    if (source.read == NULL)
        tw_stage_fail("the run has no source");
    const int given = source.read(source.context, port, frame, to, bytes);
    if (given < 0)
        tw_stage_fail("the source fails");
    if (given == 0 && self->has_read)
        tw_stage_fail("input %d has no more frames, others have", (int)port);
    if (given == 0)
        end_of_input();
    self->has_read = true;
    ended(TW_IN);
}

static bool has_layer_clocks(void)
{
    return run.settings.clocks != NULL && strchr(run.settings.clocks, ':') != NULL;
}

void tw_frame_write(int32_t port, const void *from, int32_t bytes)
{
    const tw_sink sink = run.settings.sink;
    enter(TW_OUT);
    self->writes = true;
    if (sink.write != NULL && sink.write(sink.context, port, atomic_load(&self->frame), from, bytes) != 0)
        tw_stage_fail("the sink fails");
    ended(TW_OUT);
}

void tw_task_begin(bool has_layer_marks)
{
    enter(TW_TASK);
    self->layer = -1;
    if (!has_layer_marks && (run.settings.profile >= 2 || has_layer_clocks()))
        tw_stage_fail("layers are unknown: profile level 2 and clocks of layers need -DTW_LAYER_MARKS");
#ifdef TW_TEST
    tw_test_task(self->program->title, atomic_load(&self->frame));
#endif
}

void tw_layer_begin(int32_t layer)
{
    const int64_t now = tw_now();
    if (self->layer >= 0)
        record(TW_LAYER, self->layer_since, now, self->layer);
    tw_clocks_layer(layer);
    self->layer = layer;
    self->layer_since = now;
}

void tw_mark_send(void)
{
    const int64_t now = tw_now();
    if (self->layer >= 0)
        record(TW_LAYER, self->layer_since, now, self->layer);
    record(TW_TASK, self->since, now, -1);
    enter(TW_SEND);
}

/* Failures and signals */

/* Put the frame and the stage before a failure. */
static void place_failure(const runner *where, const char *text, char *whole, size_t size)
{
    const char *engine = where->program->engine;
    snprintf(whole, size, "frame %lld: %s%s%s: %s", (long long)atomic_load(&where->frame), where->program->title,
             engine[0] != 0 ? " on " : "", engine, text);
}

void tw_stage_fail(const char *format, ...)
{
    char text[512], whole[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (own_call == &run.call) {
        cancel(1, text);
        longjmp(run.leave, 1);
    }
    if (self == NULL) {
        fprintf(stderr, "error: %s\n", text);
        abort();
    }
    place_failure(self, text, whole, sizeof whole);
    cancel(1, whole);
    leave();
}

void tw_pipeline_cancel(const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    cancel(1, text);
}

int tw_pipeline_cancelled(void)
{
    return run.cancel_pipe[0];
}

const char *tw_pipeline_error(void)
{
    return run.error;
}

/* Say what each program does, as "stage0_big: frame 7 (task)". */
static void describe(char *text, size_t size)
{
    size_t used = 0;
    for (int32_t k = 0; k < run.count && used < size; ++k) {
        const runner *r = &run.runners[k];
        const int length = snprintf(text + used, size - used, "%s%s: frame %lld (%s)", k > 0 ? ", " : "",
                                    r->program->title, (long long)atomic_load(&r->frame), PHASES[atomic_load(&r->phase)]);
        used += length > 0 ? (size_t)length : 0;
    }
}

static struct {
    sigset_t set;
    atomic_bool ended;
    pthread_t thread;
} signals;

static void interrupted(int number)
{
    char text[1024], where[900] = "";
    pthread_mutex_lock(&run.lock);
    const int64_t done = run.done;
    describe(where, sizeof where);
    pthread_mutex_unlock(&run.lock);
    snprintf(text, sizeof text, "interrupted by signal %d after %lld frames; %s", number, (long long)done, where);
    if (atomic_load(&run.cancelled)) {
        fprintf(stderr, "error: %s; stages do not end\n", text);
        _exit(128 + number);
    }
    cancel(128 + number, text);
}

static void *wait_for_signals(void *argument)
{
    (void)argument;
    for (int number; sigwait(&signals.set, &number) == 0 && !atomic_load(&signals.ended);)
        interrupted(number);
    return NULL;
}

/* Of tilewright_npu.c, where the network has stages on an NPU. */
__attribute__((weak)) void tw_npu_on_failure(void (*handler)(const char *stage, uint64_t frame, const char *text));

static void npu_failed(const char *stage, uint64_t frame, const char *text)
{
    (void)stage;
    (void)frame;
    tw_stage_fail("%s", text);
}

/* Calls that may never return */

/* Nanoseconds of the watchdog's clock. */
static int64_t monotonic(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void tw_call_begin(uint32_t milliseconds, void (*late)(const void *context, char *text, uint32_t size),
                   const void *context)
{
    if (own_call == NULL)
        return;
    pthread_mutex_lock(&run.lock);
    *own_call = (call){monotonic() + milliseconds * INT64_C(1000000), late, context, false};
    if (run.watched == 0 || own_call->deadline < run.watched)
        pthread_cond_signal(&run.watched_changed);
    pthread_mutex_unlock(&run.lock);
}

void tw_call_end(void)
{
    if (own_call == NULL)
        return;
    pthread_mutex_lock(&run.lock);
    const bool is_stuck = own_call->is_stuck;
    own_call->deadline = 0;
    pthread_mutex_unlock(&run.lock);
    while (is_stuck) /* The run has ended without this thread: what it would go on with is no more. */
        pause();
}

/* The call of a runner, or that of the network's thread behind the last one. */
static call *call_at(int32_t k)
{
    return k < run.count ? &run.runners[k].call : &run.call;
}

/* Whether no other thread than those of stuck calls is left. */
static bool only_stuck_are_left(void)
{
    bool is_any_stuck = run.call.is_stuck;
    for (int32_t k = 0; k < run.count; ++k) {
        if (!run.runners[k].has_ended && !run.runners[k].call.is_stuck)
            return false;
        is_any_stuck |= run.runners[k].call.is_stuck;
    }
    return is_any_stuck;
}

/* Cancel the run for a call that is late; the lock is held. */
static void abandon(int32_t k)
{
    call *late = call_at(k);
    char text[2048], whole[2304];
    late->is_stuck = true;
    late->deadline = 0;
    late->late(late->context, text, sizeof text);
    if (k < run.count)
        place_failure(&run.runners[k], text, whole, sizeof whole);
    pthread_mutex_unlock(&run.lock);
    cancel(1, k < run.count ? whole : text);
    pthread_mutex_lock(&run.lock);
}

/* Wait for the end of the network, or for that of all threads but those whose calls are late; the lock is held. */
static void watch(void)
{
    while (!run.has_ended && !only_stuck_are_left()) {
        int32_t next = -1;
        for (int32_t k = 0; k <= run.count; ++k)
            if (call_at(k)->deadline != 0 && (next < 0 || call_at(k)->deadline < call_at(next)->deadline))
                next = k;
        run.watched = next < 0 ? 0 : call_at(next)->deadline;
        const struct timespec until = {run.watched / 1000000000, run.watched % 1000000000};
        if (next < 0)
            pthread_cond_wait(&run.watched_changed, &run.lock);
        else if (monotonic() >= run.watched)
            abandon(next);
        else
            pthread_cond_timedwait(&run.watched_changed, &run.lock, &until);
    }
}

static void *run_network(void *network)
{
    own_call = &run.call;
    if (setjmp(run.leave) == 0)
        (*(void (**)(void))network)();
    pthread_mutex_lock(&run.lock);
    run.has_ended = true;
    pthread_cond_signal(&run.watched_changed);
    pthread_mutex_unlock(&run.lock);
    return NULL;
}

static void run_watched(void (*network)(void))
{
    static void (*chosen)(void);
    pthread_t thread;
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    check(pthread_cond_init(&run.watched_changed, &attributes), "a run cannot begin");
    pthread_condattr_destroy(&attributes);
    chosen = network;
    run.call = (call){0};
    run.has_ended = false;
    pthread_mutex_lock(&run.lock);
    check(pthread_create(&thread, NULL, run_network, &chosen), "a thread cannot be made");
    watch();
    run.is_abandoned = !run.has_ended;
    pthread_mutex_unlock(&run.lock);
    if (run.is_abandoned) {
        join_ended();
        tw_last_profile.end = tw_now();
        return;
    }
    check(pthread_join(thread, NULL), "a thread cannot be joined");
    pthread_cond_destroy(&run.watched_changed);
}

int tw_pipeline_run(void (*network)(void), const tw_settings *settings)
{
    sigset_t before;
    if (run.is_abandoned) {
        snprintf(run.error, sizeof run.error, "a call of the run before has never returned: begin a new process");
        return 1;
    }
    run.settings = *settings;
    run.is_run = true;
    run.status = 0;
    run.error[0] = 0;
    run.done = 0;
    run.streams = NULL;
    atomic_store(&run.cancelled, false);
    atomic_store(&run.total, settings->frames >= 0 ? settings->frames : INT64_MAX);
    if (pipe(run.cancel_pipe) != 0)
        check(errno, "a run cannot begin");
    if (settings->signals) {
        sigemptyset(&signals.set);
        sigaddset(&signals.set, SIGINT);
        sigaddset(&signals.set, SIGTERM);
        atomic_store(&signals.ended, false);
        check(pthread_sigmask(SIG_BLOCK, &signals.set, &before), "signals cannot be blocked");
        check(pthread_create(&signals.thread, NULL, wait_for_signals, NULL), "a thread cannot be made");
    }
    if (tw_npu_on_failure != NULL)
        tw_npu_on_failure(npu_failed);
    if (has_layer_clocks() && !settings->switched)
        tw_pipeline_cancel("clocks of layers are for switch mode: in a pipeline all layers compute at once");
    else if (tw_clocks_open(settings->clocks, settings->clock_backend, cores()))
        run_watched(network);
    tw_clocks_close();
    if (settings->signals) {
        atomic_store(&signals.ended, true);
        pthread_kill(signals.thread, SIGINT);
        pthread_join(signals.thread, NULL);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    close(run.cancel_pipe[0]);
    close(run.cancel_pipe[1]);
    run.cancel_pipe[0] = run.cancel_pipe[1] = -1;
    run.is_run = false;
    run.settings = (tw_settings){0};
    atomic_store(&run.cancelled, false);
    atomic_store(&run.total, INT64_MAX);
    return run.status;
}
