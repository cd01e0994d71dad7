#ifndef TILEWRIGHT_FORK_H
#define TILEWRIGHT_FORK_H
/*
 * Threads that share the kernels of a network, on C11 atomics and POSIX threads. A network, one C file, has a pool of
 * its own. A kernel is forked as shares of independent outputs; the caller and the threads claim them one at a time, and
 * the caller joins when all are done. It waits for no thread that has claimed nothing: where threads sleep, or other
 * programs have their cores, it runs the shares itself.
 *
 * Threads start at the first fork. They spin for TW_SPIN_NS after the last share, then sleep. They are joined by
 * tw_threads_stop, or at exit. After fork(2), the child has none and starts its own; fork must not be called during a run.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

/* The most threads of a network. */
#define TW_MOST_THREADS 256
/* Longer than the kernels between two forks that are not shared; waking a thread takes 5 to 50 us. */
#ifndef TW_SPIN_NS
#define TW_SPIN_NS 100000
#endif
/* Pauses between looks at the clock: some 2 us. */
#define TW_PAUSES 64

/* Runs a share of a fork, whose number it is told; measurements replace it. */
#ifndef TW_SHARE
#define TW_SHARE(fork, call) call
#endif

typedef void tw_fork_entry(const void *arguments, int32_t share);

/*
 * `ticket` counts forks in its upper bits; its lowest 16 bits are the shares that nobody has claimed. A thread that reads
 * the entry of a later fork than its ticket fails to claim with that, since the caller writes an entry only when no share
 * is left.
 */
static struct {
    _Alignas(64) _Atomic uint64_t ticket;
    _Atomic(tw_fork_entry *) entry;
    _Atomic(const void *) arguments;
    _Alignas(64) _Atomic int32_t running;
    _Alignas(64) _Atomic int32_t sleepers;
    _Atomic int32_t stops;
    pthread_mutex_t lock;
    pthread_cond_t woken;
    int32_t count, limit;
    int is_known;
    pthread_t threads[TW_MOST_THREADS];
} tw_pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .woken = PTHREAD_COND_INITIALIZER};

static inline void tw_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static inline int64_t tw_clock_ns(void) {
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Claims and runs one share; returns 0 where there is none. */
static inline int tw_claim(void) {
    uint64_t ticket = atomic_load(&tw_pool.ticket);
    while (ticket & 0xffff) {
        tw_fork_entry *entry = atomic_load_explicit(&tw_pool.entry, memory_order_relaxed);
        const void *arguments = atomic_load_explicit(&tw_pool.arguments, memory_order_relaxed);
        if (atomic_compare_exchange_weak(&tw_pool.ticket, &ticket, ticket - 1)) {
            TW_SHARE(ticket >> 16, entry(arguments, (int32_t)(ticket & 0xffff) - 1));
            atomic_fetch_sub_explicit(&tw_pool.running, 1, memory_order_release);
            return 1;
        }
    }
    return 0;
}

static inline int tw_is_idle(void) {
    return !(atomic_load(&tw_pool.ticket) & 0xffff) && !atomic_load(&tw_pool.stops);
}

/* Spins until there is a share, or for TW_SPIN_NS; others that wait for this core, the caller perhaps, go first. */
static inline void tw_spin(void) {
    const int64_t start = tw_clock_ns();
    while (tw_is_idle()) {
        for (int k = 0; k < TW_PAUSES && tw_is_idle(); ++k)
            tw_pause();
        sched_yield();
        /* A clock that is set back ends it too. */
        const int64_t spent = tw_clock_ns() - start;
        if (spent < 0 || spent >= TW_SPIN_NS)
            return;
    }
}

static inline void tw_sleep(void) {
    pthread_mutex_lock(&tw_pool.lock);
    atomic_fetch_add(&tw_pool.sleepers, 1);
    while (tw_is_idle())
        pthread_cond_wait(&tw_pool.woken, &tw_pool.lock);
    atomic_fetch_sub(&tw_pool.sleepers, 1);
    pthread_mutex_unlock(&tw_pool.lock);
}

static void *tw_thread(void *unused) {
    (void)unused;
    while (!atomic_load(&tw_pool.stops)) {
        if (tw_claim())
            continue;
        tw_spin();
        if (tw_is_idle())
            tw_sleep();
    }
    return NULL;
}

static inline void tw_wake(void) {
    if (atomic_load(&tw_pool.sleepers) == 0)
        return;
    pthread_mutex_lock(&tw_pool.lock);
    pthread_cond_broadcast(&tw_pool.woken);
    pthread_mutex_unlock(&tw_pool.lock);
}

static void tw_threads_stop(void) {
    atomic_store(&tw_pool.stops, 1);
    tw_wake();
    for (int32_t k = 0; k < tw_pool.count; ++k)
        pthread_join(tw_pool.threads[k], NULL);
    tw_pool.count = 0;
    atomic_store(&tw_pool.stops, 0);
}

/* In the child of fork(2), which has a copy of the pool and none of its threads. */
static void tw_threads_forget(void) {
    pthread_mutex_init(&tw_pool.lock, NULL);
    pthread_cond_init(&tw_pool.woken, NULL);
    atomic_store(&tw_pool.sleepers, 0);
    tw_pool.count = 0;
}

static inline void tw_threads_limit(int32_t count) {
    const int32_t limit = count < 1 ? 1 : count;
    if (limit <= tw_pool.count)
        tw_threads_stop();
    tw_pool.limit = limit;
}

/* Starts the threads that are missing. One that cannot be made is left out: the others claim its shares. */
static inline void tw_threads_start(int32_t wanted) {
    if (!tw_pool.is_known) {
        atexit(tw_threads_stop);
        pthread_atfork(NULL, NULL, tw_threads_forget);
        tw_pool.is_known = 1;
    }
    while (tw_pool.count < wanted && tw_pool.count < TW_MOST_THREADS) {
        if (pthread_create(&tw_pool.threads[tw_pool.count], NULL, tw_thread, NULL) != 0) {
            tw_pool.limit = tw_pool.count + 1;
            return;
        }
        ++tw_pool.count;
    }
}

/* Limit of the environment, else one thread for each share. */
static inline int32_t tw_threads_default(int32_t shares) {
    const char *text = getenv("TILEWRIGHT_THREADS");
    const long given = text != NULL ? strtol(text, NULL, 10) : 0;
    return given >= 1 && given < shares ? (int32_t)given : shares;
}

/* Runs entry(arguments, share) for each share from 0, in any order and on several threads, and joins. */
static inline void tw_fork(tw_fork_entry *entry, const void *arguments, int32_t shares) {
    if (tw_pool.limit == 0)
        tw_pool.limit = tw_threads_default(shares);
    const int32_t others = (tw_pool.limit < shares ? tw_pool.limit : shares) - 1;
    if (tw_pool.count < others)
        tw_threads_start(others);
    if (tw_pool.count == 0) {
        for (int32_t share = 0; share < shares; ++share)
            TW_SHARE(0, entry(arguments, share));
        return;
    }
    const uint64_t forks = atomic_load_explicit(&tw_pool.ticket, memory_order_relaxed) >> 16;
    atomic_store_explicit(&tw_pool.entry, entry, memory_order_relaxed);
    atomic_store_explicit(&tw_pool.arguments, arguments, memory_order_relaxed);
    atomic_store_explicit(&tw_pool.running, shares, memory_order_relaxed);
    atomic_store(&tw_pool.ticket, (forks + 1) << 16 | (uint64_t)shares);
    tw_wake();
    while (tw_claim())
        ;
    /* Where there are fewer cores than threads, one that runs a share may wait for this core. */
    for (int k = 1; atomic_load_explicit(&tw_pool.running, memory_order_acquire) != 0; ++k) {
        tw_pause();
        if (k % TW_PAUSES == 0)
            sched_yield();
    }
}

#endif
