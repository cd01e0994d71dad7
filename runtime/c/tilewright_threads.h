#ifndef TILEWRIGHT_THREADS_H
#define TILEWRIGHT_THREADS_H
/*
 * Concurrent programs and the streams between them, on POSIX threads. A chip with programs of its own on its cores
 * replaces this header by one with the same functions, as tilewright_mpi.h does for MPI ranks. `bytes` are those of a
 * slot, and of a buffer that programs may write and all instances reach, else 0: memory that is shared needs neither.
 *
 * A stream is a ring of slots. The four functions of its life block (reserve, pop) or hand a slot on (push, release);
 * each returns the number of the slot, or nothing. The front is the oldest popped slot.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef TW_PROGRAMS
#define TW_PROGRAMS 256
#endif
#define TW_PROGRAM_BUFFERS 256
#define TW_PROGRAM_COORDINATES 4

typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int32_t depth;
    int32_t reserved, pushed, popped, released;
} tw_stream;

typedef struct tw_program {
    void (*body)(const struct tw_program *program);
    void *buffers[TW_PROGRAM_BUFFERS];
    int32_t coordinates[TW_PROGRAM_COORDINATES];
    pthread_t thread;
} tw_program;

static inline void tw_threads_check(int code)
{
    if (code != 0) {
        fprintf(stderr, "error: a thread cannot be made (code %d)\n", code);
        abort();
    }
}

static inline void tw_stream_open(tw_stream *streams, int32_t count, int32_t depth, void *slots, int32_t bytes)
{
    (void)slots;
    (void)bytes;
    for (int32_t k = 0; k < count; ++k) {
        tw_threads_check(pthread_mutex_init(&streams[k].lock, NULL));
        tw_threads_check(pthread_cond_init(&streams[k].changed, NULL));
        streams[k].depth = depth;
        streams[k].reserved = streams[k].pushed = streams[k].popped = streams[k].released = 0;
    }
}

static inline int32_t tw_stream_reserve(tw_stream *streams, int32_t index)
{
    tw_stream *s = &streams[index];
    pthread_mutex_lock(&s->lock);
    while (s->reserved - s->released >= s->depth)
        pthread_cond_wait(&s->changed, &s->lock);
    const int32_t slot = s->reserved++ % s->depth;
    pthread_mutex_unlock(&s->lock);
    return slot;
}

static inline void tw_stream_push(tw_stream *streams, int32_t index)
{
    tw_stream *s = &streams[index];
    pthread_mutex_lock(&s->lock);
    ++s->pushed;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

static inline int32_t tw_stream_pop(tw_stream *streams, int32_t index)
{
    tw_stream *s = &streams[index];
    pthread_mutex_lock(&s->lock);
    while (s->popped >= s->pushed)
        pthread_cond_wait(&s->changed, &s->lock);
    const int32_t slot = s->popped++ % s->depth;
    pthread_mutex_unlock(&s->lock);
    return slot;
}

static inline int32_t tw_stream_front(tw_stream *streams, int32_t index)
{
    tw_stream *s = &streams[index];
    pthread_mutex_lock(&s->lock);
    const int32_t slot = s->released % s->depth;
    pthread_mutex_unlock(&s->lock);
    return slot;
}

static inline void tw_stream_release(tw_stream *streams, int32_t index)
{
    tw_stream *s = &streams[index];
    pthread_mutex_lock(&s->lock);
    ++s->released;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

static inline void *tw_program_run(void *program)
{
    ((const tw_program *)program)->body((const tw_program *)program);
    return NULL;
}

static inline void tw_programs_run(tw_program *programs, int32_t count)
{
    for (int32_t k = 0; k < count; ++k)
        tw_threads_check(pthread_create(&programs[k].thread, NULL, tw_program_run, &programs[k]));
    for (int32_t k = 0; k < count; ++k)
        tw_threads_check(pthread_join(programs[k].thread, NULL));
}

static inline void tw_program_set(tw_program *program, void (*body)(const tw_program *))
{
    program->body = body;
}

/* The title of a program, and the engine that it is for, or an empty text: a chip places programs by them. */
static inline void tw_program_name(tw_program *program, const char *title, const char *engine)
{
    (void)program;
    (void)title;
    (void)engine;
}

static inline void tw_program_buffer(tw_program *program, int32_t index, const void *buffer, int32_t bytes)
{
    (void)bytes;
    program->buffers[index] = (void *)buffer;
}

static inline void tw_program_coordinate(tw_program *program, int32_t index, int32_t coordinate)
{
    program->coordinates[index] = coordinate;
}

#endif
