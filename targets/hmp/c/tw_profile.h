#ifndef TW_PROFILE_H
#define TW_PROFILE_H
/* Times of a run: totals of each program, and the last records of each. Times are nanoseconds from the run's start. */
#include <stdbool.h>
#include <stdint.h>

#define TW_RECORDS 65536
/* Records of a program that are kept, the last ones. */

typedef enum { TW_IN, TW_RECEIVE_WAIT, TW_SEND_WAIT, TW_TASK, TW_SEND, TW_OUT, TW_LAYER, TW_KINDS } tw_kind;

typedef struct {
    int64_t frame, start, end;
    int32_t layer; /* -1 of none */
    int32_t level; /* the processor's clock in MHz, 0 where none was set */
    tw_kind kind;
} tw_record;

typedef struct {
    int64_t nanoseconds, count;
} tw_total;

typedef struct {
    int64_t frames, microseconds; /* computed in the run, and the time that took on the device */
    int64_t bytes;                /* of the session */
} tw_device;

typedef struct {
    const char *title, *engine;
    bool has_device; /* the plug-in of the stage has told what follows */
    tw_device device;
    int64_t frames;
    tw_total totals[TW_KINDS];
    tw_total *layers;
    int32_t layer_count;
    tw_record *records;
    int64_t record_count; /* of all, of which the last TW_RECORDS are kept */
} tw_track;

typedef struct {
    tw_track *tracks;
    int32_t count;
    int32_t switched, profile;
    int64_t frames, first_end, last_end, end;
    int64_t latency_sum, latency_least, latency_greatest;
} tw_profile;

extern tw_profile tw_last_profile;

int64_t tw_now(void);
void tw_profile_begin(int32_t count, int switched, int profile);
void tw_profile_record(tw_track *track, tw_record record);
void tw_profile_frame(int64_t arrival, int64_t end);

#endif
