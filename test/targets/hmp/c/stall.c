/*
 * Callbacks as source and sink. The sink takes nothing for a while at its first frame; the number printed is how many
 * frames the source had given by then. The source ends by failing at a frame where an argument says so.
 */
#define _GNU_SOURCE
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tilewright_pipeline.h"

void network_run(void);

static atomic_llong given, taken;
static long long bad = -1;

static int read_frame(void *context, int32_t port, int64_t frame, void *to, int64_t bytes)
{
    (void)context;
    if (frame == 200)
        return 0;
    if (frame == bad)
        return -1;
    memset(to, 0, (size_t)bytes);
    if (port == 0)
        atomic_fetch_add(&given, 1);
    return 1;
}

static int write_frame(void *context, int32_t port, int64_t frame, const void *from, int64_t bytes)
{
    (void)context;
    (void)from;
    (void)bytes;
    if (frame == 0 && port == 0) {
        const struct timespec time = {0, 300000000};
        nanosleep(&time, NULL);
        printf("given %lld\n", (long long)atomic_load(&given));
    }
    if (port == 0 && frame != atomic_fetch_add(&taken, 1))
        return -1;
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        bad = strtoll(argv[1], NULL, 10);
    for (int repeat = 0; repeat < 2; ++repeat) {
        tw_settings settings = {.source = {read_frame, NULL}, .sink = {write_frame, NULL}, .frames = -1};
        atomic_store(&given, 0);
        atomic_store(&taken, 0);
        if (tw_pipeline_run(network_run, &settings) != 0) {
            fprintf(stderr, "error: %s\n", tw_pipeline_error());
            return 1;
        }
    }
    printf("taken %lld\n", (long long)atomic_load(&taken));
    return 0;
}
