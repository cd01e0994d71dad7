#if !defined TILEWRIGHT_THREADS_H && !defined __ASSEMBLER__
#define TILEWRIGHT_THREADS_H
/*
 * Pipelines of frames on POSIX threads: the functions of tilewright_threads.h, and those by which programs take frames
 * from a source and give them to a sink until input ends. The code is runtime/tw_pipeline.c.
 *
 * A program is a thread, pinned to the cores of its engine. A stream is a ring of slots; reserve and pop block while
 * it is full or empty. Each program does the same number of frames, so that a program ends where the source has ended
 * after as many frames as it has done. A blocking call that will not return leaves its program: after the last frame,
 * and where the run is cancelled.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define TW_PROGRAM_BUFFERS 256
#define TW_PROGRAM_COORDINATES 4

typedef struct tw_stream {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct tw_stream *next;
    int64_t reserved, pushed, popped, released;
    int32_t depth;
} tw_stream;

typedef struct tw_program {
    void (*body)(const struct tw_program *program);
    void *buffers[TW_PROGRAM_BUFFERS];
    int32_t coordinates[TW_PROGRAM_COORDINATES];
    const char *title, *engine;
} tw_program;

/* What emitted code calls. */

void tw_stream_open(tw_stream *streams, int32_t count, int32_t depth, void *slots, int32_t bytes);
int32_t tw_stream_reserve(tw_stream *streams, int32_t index);
void tw_stream_push(tw_stream *streams, int32_t index);
int32_t tw_stream_pop(tw_stream *streams, int32_t index);
int32_t tw_stream_front(tw_stream *streams, int32_t index);
void tw_stream_release(tw_stream *streams, int32_t index);

void tw_program_set(tw_program *program, void (*body)(const tw_program *));
void tw_program_name(tw_program *program, const char *title, const char *engine);
void tw_program_buffer(tw_program *program, int32_t index, const void *buffer, int32_t bytes);
void tw_program_coordinate(tw_program *program, int32_t index, int32_t coordinate);
void tw_programs_run(tw_program *programs, int32_t count);

/* End the program's frame and begin the next one; false after the last. */
bool tw_frame_next(void);
void tw_frame_read(int32_t port, void *to, int32_t bytes);
void tw_frame_write(int32_t port, const void *from, int32_t bytes);

/* Begin a phase of the frame. Marks of layers cost nothing unless the network is compiled with TW_LAYER_MARKS. */
void tw_task_begin(bool has_layer_marks);
void tw_mark_send(void);
void tw_layer_begin(int32_t layer);
#ifdef TW_LAYER_MARKS
#define tw_mark_task() tw_task_begin(true)
#define tw_mark_layer(layer) tw_layer_begin(layer)
#else
#define tw_mark_task() tw_task_begin(false)
#define tw_mark_layer(layer) ((void)(layer))
#endif

/* What the bodies of stages may call. */

/* The program's frame, from 0. */
int64_t tw_frame_number(void);
/* Cancel the run, with a message as of printf, which the frame and the stage are put before. Does not return. */
_Noreturn void tw_stage_fail(const char *format, ...);

/*
 * Begin or end a call that may never return, such as one of a device's driver. After so many milliseconds the run is
 * cancelled with the text that `late` writes about `context`, and ends without the thread, which is never continued.
 */
void tw_call_begin(uint32_t milliseconds, void (*late)(const void *context, char *text, uint32_t size),
                   const void *context);
void tw_call_end(void);

/* What applications call. */

typedef struct {
    /* Fill `to` with the frame of an input: 1, or 0 after the last frame, or -1 for a failure. */
    int (*read)(void *context, int32_t port, int64_t frame, void *to, int64_t bytes);
    void *context;
} tw_source;

typedef struct {
    /* Take the frame of an output: 0, or -1 for a failure. */
    int (*write)(void *context, int32_t port, int64_t frame, const void *from, int64_t bytes);
    void *context;
} tw_sink;

typedef struct {
    tw_source source;
    tw_sink sink;
    bool switched;             /* switch mode: one frame at a time, else the stages are a pipeline */
    int profile;               /* 0: totals, 1: phases of stages, 2: layers, which needs TW_LAYER_MARKS */
    int64_t frames;            /* at most; -1: until the source ends */
    const char *cores;         /* "big=4-5,little=0-3"; NULL: that of $TILEWRIGHT_CORES, else no pinning */
    const char *hosts;         /* "gpu=little": its thread runs on the cores of little; NULL: on its own */
    const char *clocks;        /* in MHz, "big=1800,3:little=600": of layer 3; NULL: as they are */
    const char *clock_backend; /* "none", "sysfs", "sysfs:ROOT", "command:COMMAND"; NULL: none */
    bool signals;              /* SIGINT and SIGTERM cancel the run */
} tw_settings;

/*
 * Run a network until its source ends: 0, 1 for a failure, 128 + n where signal n cancelled it. After a call that never
 * returned, no other run begins.
 */
int tw_pipeline_run(void (*network)(void), const tw_settings *settings);
/* The failure of the last run, with its frame and stage; empty where there was none. */
const char *tw_pipeline_error(void);
/* Cancel the run, from any thread. */
void tw_pipeline_cancel(const char *format, ...);
/* A file descriptor that becomes readable where the run is cancelled, for sources that wait for others. */
int tw_pipeline_cancelled(void);

/* The profile of the last run, to a file, or to standard output for NULL: 0, or -1 with errno. */
int tw_profile_text(const char *path);
int tw_profile_json(const char *path);
/* Trace events, as Perfetto and chrome://tracing read them. */
int tw_profile_trace(const char *path);

#endif
