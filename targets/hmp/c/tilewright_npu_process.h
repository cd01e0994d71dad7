#ifndef TILEWRIGHT_NPU_PROCESS_H
#define TILEWRIGHT_NPU_PROCESS_H
/*
 * Plug-ins in processes of their own: messages on the socket TW_NPU_SOCKET, tensors in the shared file TW_NPU_SHARED.
 *
 * Each request has one reply of the same kind. The payload of a reply whose status is not 0 is a text on it. Numbers
 * are those of the machine. Waits for a plug-in that takes several frames come on the socket TW_NPU_WAITS, so that
 * frames are submitted meanwhile.
 */
#include "tilewright_npu.h"

enum { TW_NPU_SOCKET = 3, TW_NPU_SHARED = 4, TW_NPU_WAITS = 5 };

enum {                    /* kinds of messages: request -> reply */
    TW_NPU_HELLO = 1,     /* a: version -> a: version, payload: name of the plug-in */
    TW_NPU_OPEN = 2,      /* payload: tw_npu_open_message and the path of the artefact */
    TW_NPU_DESCRIBE = 3,  /* -> payload: tw_npu_description, tensors of inputs and outputs */
    TW_NPU_MAP = 4,       /* a: offset in the shared file, b: bytes -> a: number of the buffer */
    TW_NPU_SUBMIT = 5,    /* frame, payload: numbers (uint32_t) of the buffers of inputs and outputs */
    TW_NPU_WAIT = 6,      /* a: milliseconds -> frame */
    TW_NPU_STATS = 7,     /* -> payload: tw_npu_stats */
    TW_NPU_CLOSE = 8
};

typedef struct {
    uint32_t kind;
    int32_t status;
    uint64_t frame, a, b;
    uint32_t bytes; /* of the payload */
    uint32_t reserved;
} tw_npu_message;

typedef struct {
    uint8_t sha256[32];
    char target[32];
    uint32_t program, reserved;
} tw_npu_open_message;

enum { TW_NPU_PAYLOAD = sizeof(tw_npu_description) + 2 * TW_NPU_TENSORS * sizeof(tw_npu_tensor) };

/* Starts a command that serves a plug-in; its process is the session of the functions of tw_npu_process_plugin. */
int32_t tw_npu_process_start(char *const *command, uint32_t milliseconds, uint32_t open_milliseconds, void **session);
extern const tw_npu_plugin tw_npu_process_plugin;

/* Ends the process of a session, from any thread, and waits for its end. */
void tw_npu_process_end(void *session);

/* Reads a whole file; returns its bytes, to be freed, or NULL. */
void *tw_npu_read_file(const char *path, uint64_t *size);

#endif
