#ifndef TW_PAGED_POOL_H
#define TW_PAGED_POOL_H
/*
 * State of a paged key-value store: one allocation, which docs/paged.md sizes part by part.
 *
 * A *page number* is layer * kv_heads + head; a *place* is row * pages + page number. Row states:
 *
 *     unused -> open (a step fills it) -> unwritten -> written -> synced, or written -> suspect (a sync failed) -> written
 *
 * `users` counts the sequences with the row; one without users is unused. `is_held` says that the manifest on disk has it.
 */
#include "tilewright_paged.h"

#include <pthread.h>
#include <stdatomic.h>

#define TW_PAGED_NONE UINT32_MAX
#define TW_PAGED_HEADER 64
#define TW_PAGED_ALIGNMENT 64
#define TW_PAGED_TILE 64 /* queries that share the reads of a page */
#define TW_PAGED_THREADS 64
#define TW_PAGED_READS 1024 /* reads in flight at most */
#define TW_PAGED_BUFFER 33024 /* at least a header and the longest digest */
#define TW_PAGED_FOLDER 4096
#define TW_PAGED_MESSAGE 256

typedef enum tw_paged_row_state {
    TW_PAGED_UNUSED = 0,
    TW_PAGED_OPEN,
    TW_PAGED_UNWRITTEN,
    TW_PAGED_WRITTEN,
    TW_PAGED_SYNCED,
    TW_PAGED_SUSPECT
} tw_paged_row_state;

typedef struct tw_paged_row {
    uint64_t serial;
    uint32_t block, users;
    uint8_t state;
    bool is_held, is_pinned;
} tw_paged_row;

enum { TW_PAGED_IDLE = 0, TW_PAGED_QUEUED, TW_PAGED_READING, TW_PAGED_READ }; /* reads of a frame */

typedef struct tw_paged_frame {
    uint32_t place;        /* TW_PAGED_NONE: free */
    uint32_t older, newer; /* by use, of the frames that are not free */
    uint32_t window;       /* the last window that used it */
    bool is_marked;        /* used since the hand of the clock passed */
    bool is_earlier;       /* an earlier call began its read */
    atomic_uchar read;
    uint8_t status; /* of the read, and its error */
    int32_t error;
} tw_paged_frame;

typedef struct tw_paged_sequence {
    uint64_t length;
    uint32_t *tokens; /* [context] */
    uint32_t *rows;   /* [length / page_length] */
    uint32_t tail;    /* number of the tail's buffer */
    bool exists;
} tw_paged_sequence;

typedef struct tw_paged_step {
    bool is_open;
    uint32_t sequence, count;
    uint32_t appended; /* layers */
    uint32_t rows;     /* blocks that the step fills */
    uint64_t first;    /* tokens before the step */
} tw_paged_step;

/* Queue of reads: a ring of frames. The caller and the threads take from its head. */
typedef struct tw_paged_reads {
    pthread_mutex_t lock;
    pthread_cond_t wanted, done;
    uint32_t head, queued;
    uint32_t frames[TW_PAGED_READS];
    uint32_t threads; /* running */
    bool is_closing, is_open;
    pthread_t thread[TW_PAGED_THREADS];
} tw_paged_reads;

typedef struct tw_paged_shape {
    uint32_t pages, rows, blocks, group;    /* N, R, B, Q of docs/paged.md */
    uint32_t element_bytes, digest_bytes;   /* of one element */
    uint64_t payload, slot, digest, entry;  /* of a page, its slot, a page's digest, an entry of digests */
    uint64_t context, tail;                 /* tokens; bytes of a tail's page */
    uint64_t row_bits, block_bits, scores;  /* strides of bitmaps; floats of the scores of tokens */
    uint64_t fixed, frame;                  /* bytes beside frames, and of a frame */
    uint64_t least_frames, most_frames;
} tw_paged_shape;

struct tw_paged_pool {
    tw_paged_config config;
    tw_paged_io io;
    tw_paged_shape shape;
    tw_paged_stats stats;
    char folder[TW_PAGED_FOLDER];
    char message[TW_PAGED_MESSAGE];
    bool has_folder;

    int lock_file, pages_file, digests_file; /* -1: none */
    uint64_t pages_size, digests_size;
    bool is_folder_changed; /* a file is new since the folder was synced */
    uint64_t next_serial;
    uint32_t lowest_row; /* no row below it is free */
    uint32_t unwritten;  /* rows */
    bool is_suspect;     /* a row is suspect */

    uint32_t frames, lowest_frame, used_frames;
    uint32_t oldest, newest, hand, window;
    tw_paged_step step;
    tw_paged_reads reads;
    uint32_t crc[8][256];
    unsigned char buffer[TW_PAGED_BUFFER];

    /* Parts of the allocation. */
    tw_paged_row *row;
    uint32_t *frame_of_place;   /* [rows][pages] */
    unsigned char *touched;     /* [pages][row_bits]: places that the last attend touched */
    unsigned char *digests;     /* [pages][rows][2][head_dim] */
    tw_paged_frame *frame;
    unsigned char *slots;       /* [frames + 1][slot]; the last is the extra frame */
    tw_paged_sequence *sequence;
    unsigned char *tails;       /* [max_sequences + 1][pages][tail] */
    uint32_t spare_tail;
    float *page_scratch;        /* [2 page_length head_dim] */
    float *sums;                /* [TILE][group][head_dim] */
    float *lanes;               /* [TILE][group][16] */
    unsigned char *selected;    /* [TILE][block_bits] */
    float *block_scores;        /* [group][blocks] */
    float *reduced;             /* [blocks] */
    uint32_t *list, *row_list;  /* [blocks] */
    float *weights;             /* [blocks] */
    float *token_scores;        /* [scores] */
};

/* tw_paged_pool.c */
#ifdef __GNUC__
__attribute__((format(printf, 3, 4)))
#endif
tw_paged_status tw_paged_fail(tw_paged_pool *pool, tw_paged_status status, const char *format, ...);
/* Open without the digests, whose damage tw_paged_load_digests reports. */
tw_paged_status tw_paged_open_pool(tw_paged_pool **pool, const tw_paged_config *config, const char *folder,
                                   const tw_paged_io *io, char *message, size_t bytes);

/* tw_paged_layout.c */
bool tw_paged_shape_of(const tw_paged_config *config, tw_paged_shape *shape, char *message, size_t bytes);
/* Lay out the parts of a pool, whose frames are counted, behind it. */
void tw_paged_carve(tw_paged_pool *pool);

/* tw_paged_sequences.c */
/* Check that a sequence exists and no step is open. */
tw_paged_status tw_paged_check_sequence(tw_paged_pool *pool, uint32_t sequence, const char *function);
/* Copy the keys and values of the first tokens of a page. */
void tw_paged_copy_tokens(const tw_paged_pool *pool, unsigned char *to, const unsigned char *from, uint32_t tokens);
/* Take a row from a sequence; without another one that has it, its frames are freed. */
void tw_paged_release_row(tw_paged_pool *pool, uint32_t row);

/* tw_paged_steps.c */
/* Return the keys and values of a new block of the open step: in a frame where the step fills it, else in a tail. */
unsigned char *tw_paged_step_page(tw_paged_pool *pool, uint64_t block, uint32_t page);
void tw_paged_make_digest(tw_paged_pool *pool, const unsigned char *keys, unsigned char *digest);
static inline unsigned char *tw_paged_tail(const tw_paged_pool *pool, uint32_t tail, uint32_t page)
{
    return pool->tails + ((uint64_t)tail * pool->shape.pages + page) * pool->shape.tail;
}
static inline unsigned char *tw_paged_digest(const tw_paged_pool *pool, uint32_t row, uint32_t page)
{
    return pool->digests + ((uint64_t)page * pool->shape.rows + row) * pool->shape.digest;
}

/* tw_paged_frames.c: frames of the pool. */
static inline unsigned char *tw_paged_slot(const tw_paged_pool *pool, uint32_t frame)
{
    return pool->slots + frame * pool->shape.slot;
}
static inline uint64_t tw_paged_place(const tw_paged_pool *pool, uint32_t row, uint32_t page)
{
    return (uint64_t)row * pool->shape.pages + page;
}
bool tw_paged_is_fixed(const tw_paged_pool *pool, uint32_t frame);
void tw_paged_touch(tw_paged_pool *pool, uint32_t frame);
/* Return the frame to take next, a free one or one to evict; TW_PAGED_NONE where all are fixed. */
uint32_t tw_paged_candidate(tw_paged_pool *pool);
/* Give a candidate to a place, evicting the page that it has. */
void tw_paged_take(tw_paged_pool *pool, uint32_t frame, uint64_t place);
void tw_paged_free_frame(tw_paged_pool *pool, uint32_t frame);
uint32_t tw_paged_unfixed_frames(const tw_paged_pool *pool);

/* tw_paged_reads.c: reads in flight. */
tw_paged_status tw_paged_reads_open(tw_paged_pool *pool);
void tw_paged_reads_close(tw_paged_pool *pool);
void tw_paged_issue(tw_paged_pool *pool, uint32_t frame);
/* Wait for the read of a frame. One that fails frees the frame. */
tw_paged_status tw_paged_settle(tw_paged_pool *pool, uint32_t frame);
/* Return the header of a page that is present or read into the extra frame. */
tw_paged_status tw_paged_page(tw_paged_pool *pool, uint32_t row, uint32_t page, unsigned char **slot);

/* Touches of the pages of blocks in order, with reads ahead of their use. */
typedef struct tw_paged_walk {
    const uint32_t *rows; /* of the blocks, `count` of them */
    uint32_t page, count;
    uint32_t next, end;   /* of the window */
    bool is_second, is_whole;
} tw_paged_walk;
void tw_paged_walk_begin(tw_paged_walk *walk, const uint32_t *rows, uint32_t count, uint32_t page);
/* Touch the pages once more; where the first time needed one window, they are present and in that order. */
void tw_paged_walk_again(tw_paged_walk *walk);
tw_paged_status tw_paged_walk_next(tw_paged_pool *pool, tw_paged_walk *walk, const unsigned char **payload);

/* tw_paged_crc.c */
void tw_paged_crc_open(uint32_t tables[8][256]);
uint32_t tw_paged_crc(uint32_t tables[8][256], uint32_t crc, const void *data, uint64_t bytes);

/* tw_paged_files.c: pages and digests in files. */
typedef struct tw_paged_result {
    tw_paged_status status;
    int error; /* of CORRUPT: 0 where the file ends, 1 where all was read; else -errno */
} tw_paged_result;
tw_paged_result tw_paged_read_all(const tw_paged_io *io, int file, void *data, uint64_t bytes, uint64_t offset);
tw_paged_result tw_paged_write_all(tw_paged_pool *pool, int file, const void *data, uint64_t bytes, uint64_t offset);
tw_paged_status tw_paged_failed_call(tw_paged_pool *pool, const char *call, const char *name, int error);
/* Read a place's page and check it: a function for several threads, which changes nothing of the pool. */
tw_paged_result tw_paged_read_place(tw_paged_pool *pool, uint64_t place, unsigned char *slot);
tw_paged_status tw_paged_read_failed(tw_paged_pool *pool, uint64_t place, tw_paged_result result);
/* Write rows that are not written, and where `is_save` those that a failed sync may have lost. */
tw_paged_status tw_paged_write_rows(tw_paged_pool *pool, bool is_save);
tw_paged_status tw_paged_read_digests(tw_paged_pool *pool, uint32_t row);
static inline uint32_t tw_paged_get32(const unsigned char *data)
{
    return (uint32_t)data[0] | (uint32_t)data[1] << 8 | (uint32_t)data[2] << 16 | (uint32_t)data[3] << 24;
}
static inline uint64_t tw_paged_get64(const unsigned char *data)
{
    return tw_paged_get32(data) | (uint64_t)tw_paged_get32(data + 4) << 32;
}
static inline void tw_paged_put16(unsigned char *data, uint32_t value)
{
    data[0] = (unsigned char)value;
    data[1] = (unsigned char)(value >> 8);
}
static inline void tw_paged_put32(unsigned char *data, uint32_t value)
{
    tw_paged_put16(data, value);
    tw_paged_put16(data + 2, value >> 16);
}
static inline void tw_paged_put64(unsigned char *data, uint64_t value)
{
    tw_paged_put32(data, (uint32_t)value);
    tw_paged_put32(data + 4, (uint32_t)(value >> 32));
}

/* tw_paged_load.c and tw_paged_save.c */
#define TW_PAGED_MANIFEST "manifest.tw"
#define TW_PAGED_SHAPES 7
tw_paged_status tw_paged_load_manifest(tw_paged_pool *pool);
/* The numbers of a configuration that a manifest has, in order. */
static inline void tw_paged_shapes_of(const tw_paged_config *config, uint32_t shapes[TW_PAGED_SHAPES])
{
    shapes[0] = config->layers;
    shapes[1] = config->heads;
    shapes[2] = config->kv_heads;
    shapes[3] = config->head_dim;
    shapes[4] = config->page_length;
    shapes[5] = config->element;
    shapes[6] = config->digest;
}

/* tw_paged_select.c */
/* Set the bits of the blocks that a query before block `own` attends to, per KV head; `queries` are those of its group. */
tw_paged_status tw_paged_choose(tw_paged_pool *pool, const uint32_t *rows, uint32_t page, const float *queries,
                                uint32_t own, unsigned char *bits);
tw_paged_status tw_paged_score_blocks(tw_paged_pool *pool, const uint32_t *rows, uint32_t page, const float *queries,
                                      uint32_t blocks);
bool tw_paged_is_dense(const tw_paged_pool *pool, uint32_t layer, uint32_t own, bool is_several);
static inline bool tw_paged_bit(const unsigned char *bits, uint64_t index)
{
    return bits[index / 8] >> index % 8 & 1;
}
static inline void tw_paged_set_bit(unsigned char *bits, uint64_t index)
{
    bits[index / 8] = (unsigned char)(bits[index / 8] | 1u << index % 8);
}

#endif
