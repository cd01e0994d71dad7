#ifndef TILEWRIGHT_KEYBOARD_POSIX_H
#define TILEWRIGHT_KEYBOARD_POSIX_H
/* A keyboard server on file descriptors: standard streams, serial devices. POSIX. */
#include "tilewright_keyboard.h"

/* What is served: the protocol or the text mode. Each function is one of tilewright_keyboard.h. */
typedef struct tw_keyboard_front {
    void *context;
    uint32_t (*room)(void *context);
    void (*receive)(void *context, const uint8_t *bytes, uint32_t count);
    bool (*step)(void *context);
    bool (*waits)(void *context);
    void (*silence)(void *context);
    bool (*interrupt)(void *context); /* SIGINT; returns whether something is left to serve */
    void (*end)(void *context);
} tw_keyboard_front;

tw_keyboard_front tw_keyboard_protocol_front(tw_keyboard *keyboard);
tw_keyboard_front tw_keyboard_text_front(tw_keyboard_text *text);

/* Bytes on their way to a file descriptor. */
typedef struct tw_keyboard_output {
    uint32_t first, count;
    uint8_t bytes[4 * TW_KEYBOARD_OUTPUT];
} tw_keyboard_output;

/* A tw_keyboard_write whose context is a tw_keyboard_output. */
void tw_keyboard_enqueue(void *output, const uint8_t *bytes, uint32_t count);

/*
 * Serve until the input ends, or SIGTERM, SIGHUP or, where `interrupt` says so, SIGINT comes; `end` is called before.
 * Input is read while a job runs, and what is written blocks nothing. Returns 0, or errno of a call that failed.
 */
int tw_keyboard_serve(const tw_keyboard_front *front, tw_keyboard_output *output, int in, int out);

/* Open a serial device, raw, eight bits, no parity. Returns a file descriptor, or -errno; EINVAL for an unknown rate. */
int tw_keyboard_serial(const char *device, uint32_t baud);

/* Make a folder where there is none. Returns 0, or -1 with errno. */
int tw_keyboard_make_folder(const char *folder);

#endif
