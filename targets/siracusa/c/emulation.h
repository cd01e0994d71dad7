/*
 * Inside of the emulation: what works beside the controller, each on a thread of its own, and when it does.
 */
#ifndef TW_EMULATION_H
#define TW_EMULATION_H

#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* When work is done: some time, before its issue returns, or not before it is waited for. */
enum tw_order { TW_MIXED, TW_EARLY, TW_LATE };

/* Work to do: rows of bytes to copy, or a job of the NPU; or the wish that the oldest, or all, be done that is not yet. */
struct tw_task {
    struct tw_task *next;
    enum { TW_WORK, TW_OLDEST, TW_ALL } kind;
    uint8_t *to;
    const uint8_t *from;
    int32_t row_bytes, rows, to_stride, from_stride;
    uint32_t words[24];
};

/* All zeros before tw_engine_start. */
struct tw_engine {
    _Atomic(struct tw_task *) inbox; /* the newest first */
    sem_t posted, finished;
    atomic_uint done;
    uint32_t issued, awaited;  /* the controller's */
    struct tw_task *pending;   /* the engine's, as is what follows; the oldest first */
    void (*run)(const struct tw_task *);
    enum tw_order order;
    uint32_t random;
    bool is_queue;
    bool is_started;
};

/* Ends the process with a message. */
_Noreturn void tw_fail(const char *format, ...);

void tw_await_semaphore(sem_t *semaphore);

/* Starts an engine that has not been; a queue does its work in the order of its issue, others in any. */
void tw_engine_start(
    struct tw_engine *engine, void (*run)(const struct tw_task *), bool is_queue, enum tw_order order, uint32_t random);

/* How many tasks are not done yet. */
uint32_t tw_engine_left(struct tw_engine *engine);

/* Hands over work; with TW_EARLY it is done on return. */
void tw_engine_issue(struct tw_engine *engine, struct tw_task task);

/* Returns when fewer tasks than `most` are left; what they did must not be relied on. */
void tw_engine_make_room(struct tw_engine *engine, uint32_t most);

/* Returns when all is done that has been issued. */
void tw_engine_await(struct tw_engine *engine);

#endif
