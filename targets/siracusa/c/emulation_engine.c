/*
 * Tasks go to an engine by a list that the controller only adds to. The list and two semaphores are all that orders the two
 * threads: everything else that they share is relaxed, so that ThreadSanitizer sees no more order than the machine has.
 */
#define _POSIX_C_SOURCE 200809L
#if defined(__APPLE__)
#error "the emulation needs POSIX semaphores without names, which this system lacks"
#endif

#include "emulation.h"

#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

void tw_fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("emulation of Siracusa: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    abort();
}

void tw_await_semaphore(sem_t *semaphore) {
    while (sem_wait(semaphore) != 0) {}
}

static uint32_t draw(struct tw_engine *engine) {
    engine->random ^= engine->random << 13;
    engine->random ^= engine->random >> 17;
    engine->random ^= engine->random << 5;
    return engine->random;
}

static void pause_some(struct tw_engine *engine) {
    const struct timespec moment = {0, (long)(draw(engine) % 40000u)};
    if (draw(engine) % 4u == 0u)
        nanosleep(&moment, NULL);
    else
        sched_yield();
}

static void run_one(struct tw_engine *engine) {
    struct tw_task **place = &engine->pending;
    while (!engine->is_queue && (*place)->next != NULL && draw(engine) % 2u != 0u) place = &(*place)->next;
    struct tw_task *const task = *place;
    *place = task->next;
    engine->run(task);
    free(task);
    atomic_fetch_add_explicit(&engine->done, 1u, memory_order_relaxed);
}

static void add(struct tw_engine *engine, struct tw_task *task) {
    struct tw_task **end = &engine->pending;
    while (*end != NULL) end = &(*end)->next;
    task->next = NULL;
    *end = task;
}

static void receive(struct tw_engine *engine, struct tw_task *task) {
    if (task->kind == TW_WORK) {
        add(engine, task);
        if (engine->order == TW_LATE || (engine->order == TW_MIXED && draw(engine) % 2u != 0u)) return;
        if (engine->order == TW_MIXED) pause_some(engine);
        run_one(engine);
        return;
    }
    while (engine->pending != NULL) {
        run_one(engine);
        if (task->kind == TW_OLDEST) break;
    }
    if (task->kind == TW_ALL) sem_post(&engine->finished);
    free(task);
}

static void *serve(void *argument) {
    struct tw_engine *const engine = argument;
    for (;;) {
        tw_await_semaphore(&engine->posted);
        struct tw_task *newest = atomic_exchange_explicit(&engine->inbox, NULL, memory_order_acquire), *oldest = NULL;
        while (newest != NULL) {
            struct tw_task *const next = newest->next;
            newest->next = oldest;
            oldest = newest;
            newest = next;
        }
        while (oldest != NULL) {
            struct tw_task *const next = oldest->next;
            receive(engine, oldest);
            oldest = next;
        }
    }
    return NULL;
}

void tw_engine_start(
    struct tw_engine *engine, void (*run)(const struct tw_task *), bool is_queue, enum tw_order order, uint32_t random) {
    pthread_t thread;
    if (engine->is_started) return;
    engine->run = run;
    engine->is_queue = is_queue;
    engine->order = order;
    engine->random = random * 2654435769u | 1u;
    engine->is_started = true;
    if (sem_init(&engine->posted, 0, 0) != 0 || sem_init(&engine->finished, 0, 0) != 0 ||
        pthread_create(&thread, NULL, serve, engine) != 0) {
        tw_fail("a thread cannot be started");
    }
    pthread_detach(thread);
}

static void post(struct tw_engine *engine, struct tw_task content) {
    struct tw_task *const task = malloc(sizeof *task);
    if (task == NULL) tw_fail("no memory");
    *task = content;
    task->next = atomic_load_explicit(&engine->inbox, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(
        &engine->inbox, &task->next, task, memory_order_release, memory_order_relaxed)) {}
    sem_post(&engine->posted);
}

uint32_t tw_engine_left(struct tw_engine *engine) {
    return engine->issued - (uint32_t)atomic_load_explicit(&engine->done, memory_order_relaxed);
}

void tw_engine_issue(struct tw_engine *engine, struct tw_task task) {
    ++engine->issued;
    post(engine, task);
    while (engine->order == TW_EARLY && tw_engine_left(engine) != 0u) sched_yield();
}

void tw_engine_make_room(struct tw_engine *engine, uint32_t most) {
    if (tw_engine_left(engine) >= most) post(engine, (struct tw_task){.kind = TW_OLDEST});
    while (tw_engine_left(engine) >= most) sched_yield();
}

void tw_engine_await(struct tw_engine *engine) {
    if (engine->issued == engine->awaited) return;
    post(engine, (struct tw_task){.kind = TW_ALL});
    tw_await_semaphore(&engine->finished);
    engine->awaited = engine->issued;
}
