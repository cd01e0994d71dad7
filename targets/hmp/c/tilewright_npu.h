#ifndef TILEWRIGHT_NPU_H
#define TILEWRIGHT_NPU_H
/*
 * Sub-graphs that run on an NPU: the interface of plug-ins, version 1, and the calls of a compiled network.
 *
 * A plug-in is a shared object with one symbol, `tilewright_npu_plugin`, that returns a table of functions. It opens
 * artefacts: files that a vendor's compiler made of a sub-graph. The first part of this header is all that a plug-in
 * needs. tilewright_npu.c implements the second part.
 *
 * Numbers of enumerations and the layout of structures are fixed for a version of the interface. All functions may be
 * called from any thread, those of one session by one thread at a time; but a session that takes several frames is
 * given one (sync, submit) while another thread waits for one (wait, sync).
 */
#include <stdbool.h>
#include <stdint.h>

#define TW_NPU_ABI_VERSION 1u
#define TW_NPU_RANK 8
#define TW_NPU_TENSORS 16 /* inputs, and outputs, of a sub-graph */

enum { /* status codes: 0 is success */
    TW_NPU_OK = 0,
    TW_NPU_AGAIN = 1,            /* as many frames are outstanding as the plug-in takes */
    TW_NPU_FAILED = 2,           /* the device or its driver reports a failure */
    TW_NPU_TIMEOUT = 3,          /* nothing finished in the given time */
    TW_NPU_NO_DEVICE = 4,        /* no device, no driver or no library of the vendor */
    TW_NPU_NO_MEMORY = 5,
    TW_NPU_BAD_ARGUMENT = 6,
    TW_NPU_BAD_ARTIFACT = 7,     /* no artefact of this plug-in, or a damaged one */
    TW_NPU_FOREIGN_TARGET = 8,   /* an artefact for another chip, or a chip that the plug-in has not */
    TW_NPU_WRONG_HASH = 9,       /* another artefact than the network was compiled with */
    TW_NPU_WRONG_FRAME = 10,     /* the result of another frame than the one submitted */
    TW_NPU_UNSUPPORTED = 11,
    TW_NPU_CRASHED = 12,         /* the process of the plug-in ended */
    TW_NPU_FOREIGN_VERSION = 13, /* another version of this interface */
    TW_NPU_MISSING = 14,         /* no such file */
    TW_NPU_WRONG_TENSORS = 15    /* other inputs or outputs than the network was compiled with */
};

enum { /* element types */
    TW_NPU_F32 = 0,
    TW_NPU_F16 = 1,
    TW_NPU_BF16 = 2,
    TW_NPU_I8 = 3,
    TW_NPU_U8 = 4,
    TW_NPU_I16 = 5,
    TW_NPU_U16 = 6,
    TW_NPU_I32 = 7,
    TW_NPU_U32 = 8,
    TW_NPU_I64 = 9,
    TW_NPU_BOOL = 10,
    TW_NPU_F64 = 11
};

enum { TW_NPU_ROW_MAJOR = 0, TW_NPU_NCHW = 1, TW_NPU_NHWC = 2, TW_NPU_VENDOR = 3 }; /* layouts: axes in dims, or native */
enum { TW_NPU_HOST = 0, TW_NPU_FD = 1, TW_NPU_PHYSICAL = 2 };                       /* memories of a buffer */
enum { TW_NPU_TO_DEVICE = 1, TW_NPU_FROM_DEVICE = 2 };                              /* directions of a sync */
enum { TW_NPU_INPUT = 0, TW_NPU_OUTPUT = 1 };

enum { /* determinism of results, from the strongest promise to the weakest */
    TW_NPU_BIT_EXACT = 0,        /* the bits of the reference, always */
    TW_NPU_PER_CALL_HISTORY = 1, /* equal bits after equal sequences of calls */
    TW_NPU_TOLERANCE = 2         /* near the reference */
};

enum { TW_NPU_WARM_UP = 1 }; /* flags: a first result is not one to use */

typedef struct {
    char name[64];
    uint32_t type;
    uint32_t layout;
    uint32_t rank;
    uint32_t alignment;           /* bytes, of a buffer */
    int64_t dims[TW_NPU_RANK];
    int64_t strides[TW_NPU_RANK]; /* bytes */
    uint64_t bytes;               /* of a buffer, padding included */
    float scale;                  /* real = scale * (stored - zero_point); 0 where it is not quantised */
    int32_t zero_point;
} tw_npu_tensor;

typedef struct {
    uint32_t inputs, outputs;
    uint32_t outstanding; /* frames that may be submitted and not yet waited for, at least 1 */
    uint32_t determinism;
    uint32_t flags;
    uint32_t reserved;
    char target[32];
    char version[64]; /* of the vendor's library */
} tw_npu_description;

typedef struct {
    const char *path;      /* of the artefact; NULL where only its bytes are given */
    const void *bytes;
    uint64_t size;         /* of the bytes */
    uint8_t sha256[32];    /* of the bytes */
    const char *target;    /* chip, such as rk3588 */
    uint32_t program;      /* one of several programs of an artefact */
    uint32_t reserved;
    void *share_with;      /* session whose weights are shared, or NULL */
} tw_npu_open_request;

typedef struct {
    uint32_t memory;
    uint32_t reserved;
    uint64_t bytes;
    void *host;        /* address in this process, or NULL */
    int64_t fd;        /* file of TW_NPU_FD, with `offset` in it */
    uint64_t offset;
    uint64_t physical;
    void *handle;      /* the plug-in's own */
} tw_npu_buffer;

typedef struct {
    uint64_t frames, microseconds; /* computed, and the time that took on the device */
    uint64_t bytes;                /* memory of the session, weights included */
} tw_npu_stats;

typedef struct {
    uint32_t abi_version; /* first in every version */
    uint32_t bytes;       /* sizeof(tw_npu_plugin) */
    const char *name;
    int32_t (*open)(const tw_npu_open_request *request, void **session);
    int32_t (*describe)(void *session, tw_npu_description *description);
    int32_t (*tensor)(void *session, uint32_t direction, uint32_t index, tw_npu_tensor *tensor);
    /* Memory of the plug-in, or of the caller, for tensors. `memory` says the kind; import fails with UNSUPPORTED. */
    int32_t (*allocate)(void *session, uint64_t bytes, tw_npu_buffer *buffer);
    int32_t (*import)(void *session, tw_npu_buffer *buffer);
    int32_t (*sync)(void *session, tw_npu_buffer *buffer, uint32_t direction);
    int32_t (*release)(void *session, tw_npu_buffer *buffer);
    /* Starts a frame on buffers that stay as they are until wait has returned it. AGAIN where too many are open. */
    int32_t (*submit)(void *session, uint64_t frame, tw_npu_buffer *const *inputs, tw_npu_buffer *const *outputs);
    /* Waits for the oldest frame. A status other than OK and TIMEOUT is that of the frame, which is then over. */
    int32_t (*wait)(void *session, uint32_t milliseconds, uint64_t *frame);
    int32_t (*stats)(void *session, tw_npu_stats *stats);
    /* Text on the thread's last failure of the session, or of an open that failed (NULL); empty where there is none. */
    const char *(*detail)(void *session);
    void (*close)(void *session);
} tw_npu_plugin;

#ifdef __cplusplus
extern "C" {
#endif

typedef const tw_npu_plugin *(*tw_npu_plugin_function)(uint32_t abi_version);

/* The one symbol of a plug-in: its table, whatever version the caller has; NULL where it cannot serve it. */
const tw_npu_plugin *tilewright_npu_plugin(uint32_t abi_version);

/* The calls of a network: a stage opens its artefact at its first frame, and ends the program at a failure. */

typedef struct {
    const char *stage;
    const char *plugin;   /* name of a plug-in, in a file libtilewright_npu_NAME.so, or tilewright_npu_NAME.py */
    const char *artifact; /* file */
    const char *sha256;   /* of the file, 64 hexadecimal digits */
    const char *target;
    const char *remedy;   /* the command that makes the artefact again */
    uint32_t program;
    uint32_t determinism; /* the weakest that is accepted */
    uint32_t isolated;    /* whether the plug-in runs in a process of its own */
    uint32_t milliseconds; /* until a frame has timed out */
    uint32_t outstanding; /* frames that are submitted before the first is collected */
    uint32_t inputs, outputs;
    const tw_npu_tensor *tensors; /* inputs, then outputs; their names are not compared */
    /* State, zero at first. */
    const void *reads[TW_NPU_TENSORS];
    void *writes[TW_NPU_TENSORS];
    uint64_t frame;
    void *runner;
} tw_npu_stage;

static inline void tw_npu_input(tw_npu_stage *stage, int32_t index, const void *values)
{
    stage->reads[index] = values;
}

static inline void tw_npu_output(tw_npu_stage *stage, int32_t index, void *values)
{
    stage->writes[index] = values;
}

static inline void tw_npu_frame(tw_npu_stage *stage, int64_t frame)
{
    stage->frame = (uint64_t)frame;
}

/*
 * Opens the artefact of a stage and checks it against the compiled-in hash, target and tensors. Returns a status; the
 * message of a failure is in `text`. A second call does nothing.
 */
int32_t tw_npu_stage_open(tw_npu_stage *stage, char *text, uint32_t size);

/*
 * Computes a frame into the outputs. Frames are numbered from 0 on, unless tw_npu_frame says another number. Returns a
 * status, as tw_npu_stage_open does; after a failure the next call opens the artefact anew.
 */
int32_t tw_npu_stage_compute(tw_npu_stage *stage, char *text, uint32_t size);

/* Opens a stage, or computes a frame of it, and gives a failure to the handler. */
void tw_npu_stage_prepare(tw_npu_stage *stage);
void tw_npu_stage_run(tw_npu_stage *stage);

/*
 * Submits the inputs of a frame, or collects the outputs of the oldest one, each from a thread of its own; a failure is
 * given to the handler. -1 is the frame after the last one. At most `outstanding` frames may be submitted and not yet
 * collected. After a failure they do nothing until tw_npu_stage_prepare has opened the stage anew.
 */
void tw_npu_stage_submit(tw_npu_stage *stage, int64_t frame);
void tw_npu_stage_collect(tw_npu_stage *stage, int64_t frame);

/*
 * Replaces the handler of failures, which gets the stage, the frame and a text that names both. The default prints the
 * text to stderr and exits with status 1. Where a handler returns, the outputs of the frame are undefined.
 */
void tw_npu_on_failure(void (*handler)(const char *stage, uint64_t frame, const char *text));

/* Copies the frames, the microseconds and the bytes that a stage's plug-in tells of its session; false without them. */
bool tw_npu_statistics(const char *stage, int64_t numbers[3]);

/* Closes all sessions and ends the processes of plug-ins; exit() calls it. */
void tw_npu_close_all(void);

/* Name of a status, such as TW_NPU_TIMEOUT. */
const char *tw_npu_status_name(int32_t status);

#ifdef __cplusplus
}
#endif

#endif
