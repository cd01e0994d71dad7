#ifndef TILEWRIGHT_KEYBOARD_H
#define TILEWRIGHT_KEYBOARD_H
/*
 * Keyboard server of a language model over bytes: typed bytes in, predicted bytes out. docs/keyboard.md has the protocol.
 *
 * Three parts, none of which allocates memory or does I/O: documents and their predictions on a model
 * (tw_keyboard_work), the protocol of frames (tw_keyboard) and the text mode (tw_keyboard_text). A model is a table of
 * functions; tw_keyboard_store.h has the one of a compiled decoder on a paged store. A token below 256 is a byte.
 *
 * What takes long is done in units of one call of the model: tw_keyboard_step does one, and between two the caller gives
 * the bytes that have come. So a prediction ends within one token of the request that cancels it.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    TW_KEYBOARD_VERSION = 1,
    TW_KEYBOARD_SYNC_0 = 0xf5, /* two bytes that no UTF-8 text has */
    TW_KEYBOARD_SYNC_1 = 0xc1,
    TW_KEYBOARD_HEADER = 8,
    TW_KEYBOARD_PAYLOAD = 1024, /* bytes at most */
    TW_KEYBOARD_FRAME = TW_KEYBOARD_HEADER + TW_KEYBOARD_PAYLOAD + 4,
    TW_KEYBOARD_WINDOW = 8,       /* replies that are stored */
    TW_KEYBOARD_DOCUMENTS = 64,   /* at most */
    TW_KEYBOARD_PREDICTED = 512,  /* bytes of a prediction at most */
    TW_KEYBOARD_OUTPUT = 4 * TW_KEYBOARD_FRAME /* bytes that a step writes at most */
};
#define TW_KEYBOARD_ALL UINT32_MAX /* the length of a fork of the whole document */

/* Requests have types below 128, replies others. */
enum {
    TW_KEYBOARD_HELLO = 1,
    TW_KEYBOARD_KEY = 2,
    TW_KEYBOARD_BACKSPACE = 3,
    TW_KEYBOARD_RESET = 4,
    TW_KEYBOARD_PREDICT = 5,
    TW_KEYBOARD_CANCEL = 6,
    TW_KEYBOARD_SAVE = 7,
    TW_KEYBOARD_LOAD = 8,
    TW_KEYBOARD_FORK = 9,
    TW_KEYBOARD_SELECT = 10,
    TW_KEYBOARD_DROP = 11,
    TW_KEYBOARD_STATS = 12,
    TW_KEYBOARD_READ = 13,
    TW_KEYBOARD_WELCOME = 129,
    TW_KEYBOARD_ACK = 130,
    TW_KEYBOARD_TOKEN = 131,
    TW_KEYBOARD_DONE = 132,
    TW_KEYBOARD_COUNTS = 133,
    TW_KEYBOARD_TEXT = 134,
    TW_KEYBOARD_ERR = 135
};

typedef enum tw_keyboard_code {
    TW_KEYBOARD_OK = 0,
    TW_KEYBOARD_BAD_FRAME = 1,    /* the checksum is wrong, or the line fell silent in the frame */
    TW_KEYBOARD_UNKNOWN = 2,      /* no such type of request */
    TW_KEYBOARD_BAD_REQUEST = 3,  /* a payload of another form, or a value out of its range */
    TW_KEYBOARD_OUT_OF_ORDER = 4, /* a sequence number that leaves one out */
    TW_KEYBOARD_STALE = 5,        /* a sequence number whose reply is stored no more */
    TW_KEYBOARD_FULL = 6,         /* no room: context, rows of the store or documents */
    TW_KEYBOARD_NO_SPACE = 7,     /* the disk is full */
    TW_KEYBOARD_NO_DOCUMENT = 8,
    TW_KEYBOARD_IO = 9,
    TW_KEYBOARD_CORRUPT = 10,
    TW_KEYBOARD_NOT_FINITE = 11, /* the model computes an infinity or NaN */
    TW_KEYBOARD_NO_FOLDER = 12,  /* nothing can be saved: there is no folder */
    TW_KEYBOARD_CLOSED = 13,     /* a LOAD has failed: only another LOAD helps */
    TW_KEYBOARD_REFUSED = 14,    /* by the model; the text says why */
    TW_KEYBOARD_ENDED = 15       /* the server ends: nothing of the request is done */
} tw_keyboard_code;

/* Why a prediction ended. */
enum {
    TW_KEYBOARD_COUNT = 0,     /* it has as many bytes as were asked for */
    TW_KEYBOARD_STOP = 1,      /* its last byte is one that it stops at */
    TW_KEYBOARD_FINISHED = 2,  /* the model ended the document */
    TW_KEYBOARD_CANCELLED = 3, /* by CANCEL or another request */
    TW_KEYBOARD_NO_ROOM = 4    /* the context is full */
};

typedef struct tw_keyboard_counts {
    uint64_t hits, misses;  /* pages that were attended to, in memory or not */
    uint64_t resident;      /* bytes of pages in memory */
    uint64_t memory;        /* bytes that the store uses */
    uint64_t bytes_read, bytes_written;
    bool degraded; /* writes fail: pages stay in memory */
} tw_keyboard_counts;

/*
 * A language model and the documents that it has read, numbered from 0. Functions return a tw_keyboard_code; one that
 * fails changes nothing, and `message` explains it. A document's length counts tokens.
 */
typedef struct tw_keyboard_model {
    void *context;
    uint32_t vocabulary; /* scores of a token, at least 256 */
    int32_t begin;       /* the token at the start of each document, which ends a prediction too; -1 for none */
    uint32_t length;     /* tokens of a document at most */
    uint32_t chunk;      /* `run` takes one token, or so many */
    uint32_t documents;  /* at most TW_KEYBOARD_DOCUMENTS; the model has one more, for predictions */
    /* Add tokens to a document; `scores` of those that may follow are valid until the next `run`. */
    int (*run)(void *context, uint32_t document, uint32_t count, const uint32_t *tokens, const float **scores);
    int (*create)(void *context, uint32_t *document);
    int (*fork)(void *context, uint32_t document, uint32_t *fork);
    int (*truncate)(void *context, uint32_t document, uint32_t length);
    int (*drop)(void *context, uint32_t document);
    bool (*exists)(void *context, uint32_t document);
    uint32_t (*count)(void *context, uint32_t document); /* tokens */
    int (*read)(void *context, uint32_t document, uint32_t first, uint32_t count, uint32_t *tokens);
    int (*save)(void *context);
    int (*load)(void *context); /* the documents of the last `save`; one that fails leaves none */
    void (*counts)(void *context, tw_keyboard_counts *counts);
    uint64_t (*microseconds)(void *context); /* a clock */
    const char *(*message)(void *context);
} tw_keyboard_model;

/* Choice of a token. */

/*
 * Choose among the bytes and, where it is not negative, the token `begin`: the one of the greatest score, the lowest of
 * equal ones; with a temperature above 0 one drawn with the probabilities of softmax(scores / temperature). `random` is
 * the state of the generator, SplitMix64. Returns -1 where the greatest score is infinite or NaN.
 */
int32_t tw_keyboard_choose(const float *scores, int32_t begin, float temperature, uint64_t *random);

/* Documents and predictions. */

typedef struct tw_keyboard_prediction {
    uint32_t most;      /* bytes, 1 to TW_KEYBOARD_PREDICTED */
    float temperature;  /* 0: greedy */
    uint32_t seed;
    uint8_t stops[32]; /* a bit for each byte that it ends after */
} tw_keyboard_prediction;

enum { TW_KEYBOARD_NO_JOB, TW_KEYBOARD_APPEND, TW_KEYBOARD_CONTINUE };
enum { TW_KEYBOARD_GOES_ON, TW_KEYBOARD_APPENDED, TW_KEYBOARD_EXTENDED, TW_KEYBOARD_ENDS, TW_KEYBOARD_FAILED };

typedef struct tw_keyboard_work {
    const tw_keyboard_model *model;
    uint32_t document; /* the selected one */
    bool is_closed;
    const float *scores; /* of what may follow the document, or NULL */
    uint64_t tokens, microseconds; /* given to the model since it was opened, and the time that they took */
    tw_keyboard_code code; /* of the last failure */
    const char *message;
    int job;
    /* Append */
    uint8_t bytes[TW_KEYBOARD_PAYLOAD];
    uint32_t given, taken, before;
    /* Prediction */
    tw_keyboard_prediction prediction;
    uint32_t branch;
    int32_t next; /* the token that the branch lacks, or -1 */
    uint64_t random;
    int reason;
    uint32_t predicted;
    uint8_t text[TW_KEYBOARD_PREDICTED];
    tw_keyboard_counts start;
    uint64_t start_microseconds;
} tw_keyboard_work;

/* Select the lowest document, or create one. */
tw_keyboard_code tw_keyboard_work_open(tw_keyboard_work *work, const tw_keyboard_model *model);
bool tw_keyboard_exists(const tw_keyboard_work *work, uint32_t document);
/* The bytes of a document, 0 for none. */
uint32_t tw_keyboard_length(const tw_keyboard_work *work, uint32_t document);
/* Copy bytes [first, first + count) of the selected document, at most TW_KEYBOARD_PAYLOAD. */
tw_keyboard_code tw_keyboard_read(tw_keyboard_work *work, uint32_t first, uint32_t count, uint8_t *bytes);
/* Begin to append bytes, at most TW_KEYBOARD_PAYLOAD: all of them, or none where the model refuses one. */
tw_keyboard_code tw_keyboard_append(tw_keyboard_work *work, const uint8_t *bytes, uint32_t count);
/* Begin to predict what follows the selected document, which does not change. */
tw_keyboard_code tw_keyboard_predict(tw_keyboard_work *work, const tw_keyboard_prediction *prediction);
/*
 * Do a unit of the job, with one call of the model at most. Returns what has happened: the job goes on; all is appended;
 * the prediction has a byte more; it has ended, with `reason`; the job has failed, with `code`, and left no trace.
 */
int tw_keyboard_advance(tw_keyboard_work *work);
/* End a prediction with the reason TW_KEYBOARD_CANCELLED, or take back what was appended. */
tw_keyboard_code tw_keyboard_abandon(tw_keyboard_work *work);
/* These are for times without a job. */
tw_keyboard_code tw_keyboard_remove(tw_keyboard_work *work, uint32_t bytes);
tw_keyboard_code tw_keyboard_clear(tw_keyboard_work *work);
tw_keyboard_code tw_keyboard_fork(tw_keyboard_work *work, uint32_t length, uint32_t *document);
tw_keyboard_code tw_keyboard_select(tw_keyboard_work *work, uint32_t document);
tw_keyboard_code tw_keyboard_drop(tw_keyboard_work *work, uint32_t document);
tw_keyboard_code tw_keyboard_save(tw_keyboard_work *work);
tw_keyboard_code tw_keyboard_load(tw_keyboard_work *work);

/* Frames. */

typedef struct tw_keyboard_frame {
    uint8_t type;
    uint16_t sequence;
    uint32_t bytes;
    const uint8_t *payload; /* valid until the parser is used again */
} tw_keyboard_frame;

typedef struct tw_keyboard_parser {
    uint32_t count, taken;
    uint8_t bytes[2 * TW_KEYBOARD_FRAME];
} tw_keyboard_parser;

enum { TW_KEYBOARD_NO_FRAME, TW_KEYBOARD_A_FRAME, TW_KEYBOARD_A_DAMAGED_FRAME };

uint32_t tw_keyboard_crc(uint32_t crc, const uint8_t *bytes, uint32_t count); /* CRC32C; the first crc is 0 */
/* Write a frame of at most TW_KEYBOARD_PAYLOAD bytes of payload; returns its size. */
uint32_t tw_keyboard_encode(uint8_t *frame, uint8_t type, uint16_t sequence, const uint8_t *payload, uint32_t bytes);
/* Bytes that the parser takes now. */
uint32_t tw_keyboard_parser_room(const tw_keyboard_parser *parser);
void tw_keyboard_parser_feed(tw_keyboard_parser *parser, const uint8_t *bytes, uint32_t count);
/* Return the next frame. Of a damaged one, `frame` has type, sequence number and size; the search goes on in it. */
int tw_keyboard_parse(tw_keyboard_parser *parser, tw_keyboard_frame *frame);
/* Give up a frame that has begun, because the line is silent: as a damaged one where its header is complete. */
int tw_keyboard_parse_rest(tw_keyboard_parser *parser, tw_keyboard_frame *frame);
bool tw_keyboard_parser_waits(const tw_keyboard_parser *parser);

/* The protocol. */

typedef void (*tw_keyboard_write)(void *context, const uint8_t *bytes, uint32_t count);

typedef struct tw_keyboard_reply {
    bool is_stored;
    uint16_t sequence;
    uint32_t bytes;
    uint8_t frame[TW_KEYBOARD_FRAME];
} tw_keyboard_reply;

typedef struct tw_keyboard {
    tw_keyboard_work work;
    tw_keyboard_parser parser;
    tw_keyboard_write write;
    void *output;
    bool has_begun; /* a request has come */
    uint16_t last;  /* its sequence number */
    uint16_t job;   /* that of the job */
    uint64_t requests, resent, damaged;
    tw_keyboard_reply replies[TW_KEYBOARD_WINDOW];
} tw_keyboard;

tw_keyboard_code tw_keyboard_open(tw_keyboard *keyboard, const tw_keyboard_model *model, tw_keyboard_write write,
                                  void *output);
/* Bytes that tw_keyboard_receive takes now. */
uint32_t tw_keyboard_room(const tw_keyboard *keyboard);
void tw_keyboard_receive(tw_keyboard *keyboard, const uint8_t *bytes, uint32_t count);
/* Answer a frame, or do a unit of a job. Returns whether there was anything to do. */
bool tw_keyboard_step(tw_keyboard *keyboard);
/* Return whether a frame has begun; tw_keyboard_silence gives it up. */
bool tw_keyboard_waits(const tw_keyboard *keyboard);
void tw_keyboard_silence(tw_keyboard *keyboard);
/* End a job, because the server ends. */
void tw_keyboard_end(tw_keyboard *keyboard);

/* The text mode: what is typed is appended; a tab, or a line that is empty, predicts up to the end of a line. */

typedef struct tw_keyboard_text {
    tw_keyboard_work work;
    tw_keyboard_write write;
    void *output;
    tw_keyboard_prediction prediction;
    uint32_t count;
    bool is_empty, follows_tab; /* the line; the newline that sends a tab is none of the text */
    uint8_t bytes[TW_KEYBOARD_PAYLOAD];
} tw_keyboard_text;

tw_keyboard_code tw_keyboard_text_open(tw_keyboard_text *text, const tw_keyboard_model *model,
                                       const tw_keyboard_prediction *prediction, tw_keyboard_write write, void *output);
uint32_t tw_keyboard_text_room(const tw_keyboard_text *text);
void tw_keyboard_text_receive(tw_keyboard_text *text, const uint8_t *bytes, uint32_t count);
bool tw_keyboard_text_step(tw_keyboard_text *text);
/* End a prediction. Returns whether there was one. */
bool tw_keyboard_text_interrupt(tw_keyboard_text *text);

#endif
