#if !defined TILEWRIGHT_THREADS_H && !defined __ASSEMBLER__
#define TILEWRIGHT_THREADS_H
/*
 * Concurrent programs and the streams between them, as MPI ranks with private memory: the functions of
 * tilewright_threads.h, in place of which a compiler includes this file first:
 *
 *     mpicc -include tilewright_mpi.h network.c main.c -o network && mpirun -n NODES ./network
 *
 * All ranks call the network with the same inputs, compute what is outside of programs alike, and have its outputs.
 * Rank k runs instance k of each program, in row-major order of its part of the mesh, and is the consumer of queue k of
 * a stream: a push sends the slot to it, a release sends a message without data back. An instance uses its own shards
 * alone; what programs write in memory that all instances reach is merged at their end: no two of them write the same
 * byte. Ranks beyond the instances of a program wait there.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TW_PROGRAM_BUFFERS 256
#define TW_PROGRAM_COORDINATES 4

typedef struct {
    int32_t depth, tag, bytes, source;
    int32_t reserved, pushed, popped, released, received;
    char *slots;
    MPI_Request *sent;
} tw_stream;

typedef struct tw_program {
    void (*body)(const struct tw_program *program);
    void *buffers[TW_PROGRAM_BUFFERS];
    int32_t bytes[TW_PROGRAM_BUFFERS];
    int32_t count;
    int32_t coordinates[TW_PROGRAM_COORDINATES];
} tw_program;

static inline void tw_mpi_refuse(const char *expected, int32_t found)
{
    fprintf(stderr, "error: expected %s, found %d\n", expected, (int)found);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static inline void *tw_mpi_room(size_t count, size_t size)
{
    void *room = calloc(count > 0 ? count : 1, size > 0 ? size : 1);
    if (room == NULL)
        tw_mpi_refuse("memory for a message, in bytes", (int32_t)(count * size));
    return room;
}

static inline void tw_mpi_end(void)
{
    int ended;
    MPI_Finalized(&ended);
    if (!ended)
        MPI_Finalize();
}

/* The number of this rank; MPI begins with the first question, and ends with the process. */
static inline int32_t tw_mpi_rank(void)
{
    static int rank = -1;
    if (rank < 0) {
        int begun;
        MPI_Initialized(&begun);
        if (!begun) {
            MPI_Init(NULL, NULL);
            atexit(tw_mpi_end);
        }
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    }
    return rank;
}

static inline void tw_mpi_check_ranks(int32_t count, const char *expected)
{
    int size;
    (void)tw_mpi_rank();
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size < count)
        tw_mpi_refuse(expected, size);
}

/* Counters go on from call to call, as do the messages of releases that a producer has not needed. */
static inline void tw_stream_open(tw_stream *streams, int32_t count, int32_t depth, void *slots, int32_t bytes)
{
    static int32_t tags = 0;
    tw_mpi_check_ranks(count, "at least as many ranks as a stream has queues, one for each instance");
    if (streams[0].depth > 0)
        return;
    for (int32_t k = 0; k < count; ++k) {
        streams[k].depth = depth;
        streams[k].tag = tags;
        streams[k].bytes = bytes;
        streams[k].source = -1;
        streams[k].slots = slots == NULL ? NULL : (char *)slots + (size_t)k * (size_t)depth * (size_t)bytes;
        streams[k].sent = tw_mpi_room((size_t)depth, sizeof(MPI_Request));
        for (int32_t slot = 0; slot < depth; ++slot)
            streams[k].sent[slot] = MPI_REQUEST_NULL;
        tags += 2;
    }
}

static inline int32_t tw_stream_reserve(tw_stream *streams, int32_t index)
{
    tw_stream *s = &streams[index];
    const int32_t slot = s->reserved % s->depth;
    if (index == tw_mpi_rank()) {
        if (s->reserved - s->released >= s->depth)
            tw_mpi_refuse("a free slot of a queue to the rank itself, of so many", s->depth);
    } else {
        for (; s->reserved - s->received >= s->depth; ++s->received)
            MPI_Recv(NULL, 0, MPI_BYTE, index, s->tag + 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&s->sent[slot], MPI_STATUS_IGNORE);
    }
    ++s->reserved;
    return slot;
}

static inline void tw_stream_push(tw_stream *streams, int32_t index)
{
    tw_stream *s = &streams[index];
    const int32_t slot = s->pushed++ % s->depth;
    char *from = s->slots == NULL ? NULL : s->slots + (size_t)slot * (size_t)s->bytes;
    if (index != tw_mpi_rank())
        MPI_Isend(from, s->bytes, MPI_BYTE, index, s->tag, MPI_COMM_WORLD, &s->sent[slot]);
}

static inline int32_t tw_stream_pop(tw_stream *streams, int32_t index)
{
    tw_stream *s = &streams[index];
    const int32_t slot = s->popped % s->depth;
    if (index != tw_mpi_rank())
        tw_mpi_refuse("a queue that its own instance takes from, not that of instance", index);
    if (s->popped >= s->pushed) {
        MPI_Status status;
        char *to = s->slots == NULL ? NULL : s->slots + (size_t)slot * (size_t)s->bytes;
        MPI_Recv(to, s->bytes, MPI_BYTE, MPI_ANY_SOURCE, s->tag, MPI_COMM_WORLD, &status);
        s->source = status.MPI_SOURCE;
    }
    ++s->popped;
    return slot;
}

static inline int32_t tw_stream_front(tw_stream *streams, int32_t index)
{
    return streams[index].released % streams[index].depth;
}

static inline void tw_stream_release(tw_stream *streams, int32_t index)
{
    tw_stream *s = &streams[index];
    ++s->released;
    if (s->source >= 0)
        MPI_Send(NULL, 0, MPI_BYTE, s->source, s->tag + 1, MPI_COMM_WORLD);
}

static inline void tw_program_set(tw_program *program, void (*body)(const tw_program *))
{
    program->body = body;
    program->count = 0;
}

static inline void tw_program_name(tw_program *program, const char *title, const char *engine)
{
    (void)program;
    (void)title;
    (void)engine;
}

static inline void tw_program_buffer(tw_program *program, int32_t index, const void *buffer, int32_t bytes)
{
    if (bytes < 0)
        tw_mpi_refuse("a buffer whose bytes do not depend on data", bytes);
    program->buffers[index] = (void *)buffer;
    program->bytes[index] = bytes;
    program->count = index + 1;
}

static inline void tw_program_coordinate(tw_program *program, int32_t index, int32_t coordinate)
{
    program->coordinates[index] = coordinate;
}

/* Collect the buffers that all instances reach and may write, each once; return how many there are. */
static inline int32_t tw_mpi_shared(const tw_program *programs, int32_t count, unsigned char **found, int32_t *bytes)
{
    int32_t number = 0;
    for (int32_t k = 0; k < count; ++k)
        for (int32_t index = 0; index < programs[k].count; ++index) {
            int32_t at = 0;
            if (programs[k].bytes[index] == 0)
                continue;
            while (at < number && found[at] != (unsigned char *)programs[k].buffers[index])
                ++at;
            if (at == number)
                bytes[number++] = 0;
            found[at] = programs[k].buffers[index];
            bytes[at] = programs[k].bytes[index] > bytes[at] ? programs[k].bytes[index] : bytes[at];
        }
    return number;
}

static inline void tw_programs_run(tw_program *programs, int32_t count)
{
    tw_mpi_check_ranks(count, "at least as many ranks as a program has instances");
    const size_t most = (size_t)count * TW_PROGRAM_BUFFERS;
    unsigned char **shared = tw_mpi_room(most, sizeof *shared), **before = tw_mpi_room(most, sizeof *before);
    int32_t *bytes = tw_mpi_room(most, sizeof *bytes);
    const int32_t number = tw_mpi_shared(programs, count, shared, bytes);
    for (int32_t at = 0; at < number; ++at) {
        before[at] = tw_mpi_room((size_t)bytes[at], 1);
        memcpy(before[at], shared[at], (size_t)bytes[at]);
    }
    if (tw_mpi_rank() < count)
        programs[tw_mpi_rank()].body(&programs[tw_mpi_rank()]);
    /* What a rank has changed; buffers may overlap, so that all are compared before any is changed. */
    for (int32_t at = 0; at < number; ++at)
        for (int32_t k = 0; k < bytes[at]; ++k)
            before[at][k] ^= shared[at][k];
    for (int32_t at = 0; at < number; ++at) {
        unsigned char *all = tw_mpi_room((size_t)bytes[at], 1);
        MPI_Allreduce(before[at], all, bytes[at], MPI_BYTE, MPI_BXOR, MPI_COMM_WORLD);
        for (int32_t k = 0; k < bytes[at]; ++k)
            all[k] ^= before[at][k];
        memcpy(before[at], all, (size_t)bytes[at]);
        free(all);
    }
    /* Now `before` is what the other ranks have changed. */
    for (int32_t at = 0; at < number; ++at) {
        unsigned char *done = before[at];
        for (int32_t k = 0; k < bytes[at]; ++k)
            if (done[k] != 0) {
                shared[at][k] ^= done[k];
                for (int32_t other = at + 1; other < number; ++other)
                    if (&shared[at][k] >= shared[other] && &shared[at][k] < shared[other] + bytes[other])
                        before[other][&shared[at][k] - shared[other]] = 0;
            }
        free(done);
    }
    free(bytes);
    free(before);
    free(shared);
}

#endif
