#ifndef TILEWRIGHT_PAGED_H
#define TILEWRIGHT_PAGED_H
/*
 * Paged key-value store: keys and values of decoder layers in pages, with a resident pool, digests and a folder of files.
 *
 * A page holds `page_length` tokens of one layer and KV head: keys [P][D], then values [P][D]. A block is the pages of
 * all layers and heads of the same tokens. Blocks are stored in rows: row r of `pages.tw` holds layers * kv_heads pages.
 * A page is immutable once full, and written once. The last, partial block of a sequence is its tail, always resident.
 *
 * A digest is the elementwise maximum and minimum of the keys of a full page, always resident. Attention scores pages by
 * their digests (Quest, arXiv:2406.10774), selects some, and computes softmax(q k) v over these, in ascending order.
 *
 * All memory is one allocation of `memory` bytes at most, made by tw_paged_open. All file access goes through tw_paged_io.
 * A pool is used by one thread at a time. Results do not depend on what is resident: docs/paged.md has the arithmetic.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TW_PAGED_VERSION 1u
#define TW_PAGED_MODEL_BYTES 32

typedef enum tw_paged_status {
    TW_PAGED_OK = 0,
    TW_PAGED_BAD_ARGUMENT = 1,
    TW_PAGED_NO_MEMORY = 2, /* `memory` is below the working set, or no such allocation: the message has the bytes */
    TW_PAGED_FULL = 3,      /* no row, sequence or context is left: the state is unchanged */
    TW_PAGED_NO_SPACE = 4,  /* the disk is full: save; no frame can be taken: begin. The state is unchanged */
    TW_PAGED_IO = 5,        /* a system call failed: the message has it */
    TW_PAGED_CORRUPT = 6,   /* a file is damaged: nothing of it is used */
    TW_PAGED_FOREIGN = 7,   /* files of another model, page length, element type or shape */
    TW_PAGED_NEWER = 8,     /* files of a newer version */
    TW_PAGED_LOCKED = 9,    /* another process has the folder open */
    TW_PAGED_NOT_FINITE = 10, /* a key, value, query, score or result is infinite or NaN: the state is unchanged */
    TW_PAGED_OUT_OF_ORDER = 11 /* a network's position is not the length of the sequence: the state is unchanged */
} tw_paged_status;

enum { TW_PAGED_F32 = 0, TW_PAGED_BF16 = 1 }; /* element types */
enum { TW_PAGED_SOFTMAX_SUM = 0, TW_PAGED_UNION = 1, TW_PAGED_MAX = 2, TW_PAGED_SUM = 3 }; /* reductions of a group */
enum { TW_PAGED_LRU = 0, TW_PAGED_CLOCK = 1 }; /* evictions */

typedef struct tw_paged_config {
    uint32_t layers, heads, kv_heads, head_dim; /* heads % kv_heads == 0; head_dim % 8 == 0 */
    uint32_t page_length;                       /* tokens */
    uint32_t element, digest;                   /* types of stored keys and values, and of digests */
    uint32_t budget_pages; /* that a query attends to, per KV head, at least sinks + recent + 1; 0: all */
    uint32_t sinks, recent; /* forced pages at the start, and at the end beside the query's own page */
    uint32_t skip_layers;   /* the first layers attend to all pages */
    uint32_t reduce, eviction;
    uint32_t sparse_prefill; /* 0: where several tokens come at once, each attends to all pages before it */
    uint32_t max_sequences;
    uint64_t capacity;  /* tokens in all rows, a multiple of page_length */
    uint64_t context;   /* tokens of a sequence at most; 0: capacity */
    uint64_t memory;    /* bytes */
    float scale;        /* of q k, positive, usually 1 / sqrt(head_dim) */
    uint32_t threads;   /* that read pages beside the caller, 0 to 64 */
    uint32_t certificate; /* 1: compute tw_paged_stats.missed_mass */
    uint8_t model[TW_PAGED_MODEL_BYTES]; /* hash of what decides keys and values: weights, RoPE, tokenizer */
} tw_paged_config;

/*
 * System calls. Each returns what the POSIX call does, or -errno. `file` is what `open` returned. Paths are relative to
 * the folder. `lock` takes an exclusive lock without waiting: -EWOULDBLOCK where another process has it. `pread` may be
 * called by `threads` threads and the caller at the same time.
 */
typedef struct tw_paged_io {
    void *context;
    int (*open)(void *context, const char *folder, const char *name, bool create);
    int64_t (*pread)(void *context, int file, void *data, uint64_t bytes, uint64_t offset);
    int64_t (*pwrite)(void *context, int file, const void *data, uint64_t bytes, uint64_t offset);
    int (*reserve)(void *context, int file, uint64_t bytes); /* posix_fallocate */
    int64_t (*size)(void *context, int file);
    int (*sync)(void *context, int file); /* fdatasync */
    int (*sync_folder)(void *context, const char *folder);
    int (*rename)(void *context, const char *folder, const char *from, const char *to);
    int (*remove)(void *context, const char *folder, const char *name);
    int (*lock)(void *context, int file);
    int (*close)(void *context, int file);
} tw_paged_io;

typedef struct tw_paged_stats {
    uint64_t memory, resident_pages, frames; /* bytes in use, pages in frames, frames in all */
    uint64_t rows, dirty_rows;               /* in use; not yet written */
    uint64_t attended_pages, hits, misses, prefetched, evictions;
    uint64_t bytes_read, bytes_written, pages_written;
    uint64_t read_errors, write_errors; /* failed calls */
    uint64_t read_ns;                   /* waited for reads */
    double missed_mass; /* the greatest bound of a query's softmax mass in unselected pages, of the last step */
    bool degraded;                      /* writes fail: full pages stay in memory */
} tw_paged_stats;

typedef struct tw_paged_pool tw_paged_pool;

extern const tw_paged_io tw_paged_posix;

/* Return the bytes of `memory` that a configuration needs at least, or 0 for one that is no configuration. */
uint64_t tw_paged_working_set(const tw_paged_config *config);

/*
 * Open a folder, which exists, with the state of the last tw_paged_save; without one (NULL) nothing is written.
 * `message` gets one line for a status that is not TW_PAGED_OK. Nothing in the folder changes but the lock.
 */
tw_paged_status tw_paged_open(tw_paged_pool **pool, const tw_paged_config *config, const char *folder,
                              const tw_paged_io *io, char *message, size_t bytes);

/* Free the memory and release the lock. What was not saved is lost. */
void tw_paged_close(tw_paged_pool *pool);

/* The line that explains the last status that was not TW_PAGED_OK. */
const char *tw_paged_message(const tw_paged_pool *pool);
void tw_paged_get_stats(const tw_paged_pool *pool, tw_paged_stats *stats);

/*
 * Sequences. Forks share full pages; the tail is copied. A sequence is named by a number from 0 to max_sequences - 1.
 * `pin` forbids to evict the full pages of the tokens of [first, last) of all layers; `unpin` allows it.
 */
tw_paged_status tw_paged_create(tw_paged_pool *pool, uint32_t *sequence);
tw_paged_status tw_paged_fork(tw_paged_pool *pool, uint32_t sequence, uint32_t *fork);
tw_paged_status tw_paged_drop(tw_paged_pool *pool, uint32_t sequence);
tw_paged_status tw_paged_truncate(tw_paged_pool *pool, uint32_t sequence, uint64_t length);
tw_paged_status tw_paged_pin(tw_paged_pool *pool, uint32_t sequence, uint64_t first, uint64_t last);
tw_paged_status tw_paged_unpin(tw_paged_pool *pool, uint32_t sequence, uint64_t first, uint64_t last);
bool tw_paged_exists(const tw_paged_pool *pool, uint32_t sequence);
uint64_t tw_paged_length(const tw_paged_pool *pool, uint32_t sequence);
/* Copy the tokens of [first, first + count). */
tw_paged_status tw_paged_tokens(const tw_paged_pool *pool, uint32_t sequence, uint64_t first, uint32_t count,
                                uint32_t *tokens);

/*
 * A step adds tokens to a sequence: begin; for each layer in order append, then attend; commit. `begin` finds the memory
 * and the rows, so that `append` fails for arguments alone. `rollback` restores the state before `begin`, and so does any
 * status of append or attend that is not TW_PAGED_OK, followed by rollback. One step is open at a time.
 *
 * keys, values: [count][kv_heads][head_dim]; queries, results: [count][heads][head_dim], float32. Queries are those of the
 * tokens of the step, which attend to themselves and to those before them.
 */
tw_paged_status tw_paged_begin(tw_paged_pool *pool, uint32_t sequence, uint32_t count, const uint32_t *tokens);
tw_paged_status tw_paged_append(tw_paged_pool *pool, uint32_t layer, const float *keys, const float *values);
tw_paged_status tw_paged_attend(tw_paged_pool *pool, uint32_t layer, const float *queries, float *results);
/*
 * Attend to given blocks: table [count][kv_heads][places], counts [count][kv_heads] of its blocks, which ascend; the last is
 * the token's own. Digests [kv_heads][blocks][2][head_dim] are maxima and minima of the keys of full blocks, those of the
 * step included; of others they are 0.
 */
tw_paged_status tw_paged_attend_over(tw_paged_pool *pool, uint32_t layer, const float *queries, const int32_t *table,
                                     const int32_t *counts, uint32_t places, float *results);
tw_paged_status tw_paged_digests(tw_paged_pool *pool, uint32_t layer, uint32_t blocks, float *digests);
tw_paged_status tw_paged_commit(tw_paged_pool *pool);
void tw_paged_rollback(tw_paged_pool *pool);

/*
 * Copy the rows of a sequence's full blocks, and the rows of which the last attend of a layer touched the page of a KV head,
 * ascending; both return their number. `rows` has room for capacity / page_length.
 */
uint32_t tw_paged_rows(const tw_paged_pool *pool, uint32_t sequence, uint32_t *rows);
uint32_t tw_paged_touched(const tw_paged_pool *pool, uint32_t layer, uint32_t head, uint32_t *rows);

/* Begin to read the pages of a layer that its last attend touched and that are not resident; nothing without threads. */
void tw_paged_prefetch(tw_paged_pool *pool, uint32_t layer);

/*
 * Select the pages of the last token of a sequence for queries [heads][head_dim] of a layer, per KV head: blocks in
 * ascending order to pages [kv_heads][room], their number to counts [kv_heads]; BAD_ARGUMENT where they are more than room.
 * Scores of the full blocks before the token's own, where scores is not NULL: [heads][(length - 1) / page_length].
 */
tw_paged_status tw_paged_select(tw_paged_pool *pool, uint32_t sequence, uint32_t layer, const float *queries,
                                uint32_t room, uint32_t *pages, uint32_t *counts, float *scores);

/*
 * Make all sequences durable: pages, digests, then a manifest that replaces the last one. On failure the last one holds.
 */
tw_paged_status tw_paged_save(tw_paged_pool *pool);

/* A hash of a sequence's tokens, keys, values and digests; equal states have equal hashes. */
tw_paged_status tw_paged_hash(tw_paged_pool *pool, uint32_t sequence, uint64_t *hash);

/* Check every file of a folder: headers, checksums, digests against keys, references. Writes a line for each fault. */
tw_paged_status tw_paged_fsck(const char *folder, const tw_paged_io *io, void (*line)(void *context, const char *text),
                              void *context);

/*
 * Let a network that Tilewright compiled with --paged add to a sequence: fill in the functions that its `network_bind` is
 * given (tilewright_paged_steps.h). After each layer the pages that the next one selected last are read ahead. `binding`
 * outlives the functions; its sequence may be set between runs.
 */
struct tw_paged_steps;
typedef struct tw_paged_binding {
    tw_paged_pool *pool;
    uint32_t sequence;
} tw_paged_binding;
void tw_paged_bind(struct tw_paged_steps *steps, tw_paged_binding *binding);

#endif
