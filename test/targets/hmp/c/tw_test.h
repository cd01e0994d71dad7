#ifndef TW_TEST_H
#define TW_TEST_H
/*
 * Faults and delays of stages, for tests: built in with TW_TEST alone.
 *
 *     TILEWRIGHT_TEST="delay=7:2000,fail=stage1_little:5,sleep=stage0_big:3000"
 *
 * A random delay before each task of up to 2000 us, drawn from seed 7; a failure of a stage at a frame; a time in us
 * that each task of a stage takes longer.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tilewright_pipeline.h"

static void tw_test_sleep(int64_t microseconds)
{
    const struct timespec time = {microseconds / 1000000, microseconds % 1000000 * 1000};
    nanosleep(&time, NULL);
}

static uint64_t tw_test_random(uint64_t state)
{
    state = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9u;
    state = (state ^ (state >> 27)) * 0x94d049bb133111ebu;
    return state ^ (state >> 31);
}

static void tw_test_one(const char *item, const char *title, int64_t frame)
{
    const char *colon = strchr(item, ':');
    const size_t length = strlen(title);
    if (colon == NULL)
        return;
    const long long number = strtoll(colon + 1, NULL, 10);
    const char *name = strchr(item, '=') + 1;
    if (strncmp(item, "delay=", 6) == 0) {
        uint64_t state = (uint64_t)strtoll(name, NULL, 10) * 1000003u + (uint64_t)frame;
        for (const char *at = title; *at != 0; ++at)
            state = tw_test_random(state + (unsigned char)*at);
        tw_test_sleep((int64_t)(state % (uint64_t)(number + 1)));
        return;
    }
    if ((size_t)(colon - name) != length || strncmp(name, title, length) != 0)
        return;
    if (strncmp(item, "fail=", 5) == 0 && frame == number)
        tw_stage_fail("a planted failure");
    if (strncmp(item, "sleep=", 6) == 0)
        tw_test_sleep(number);
}

static void tw_test_task(const char *title, int64_t frame)
{
    for (const char *at = getenv("TILEWRIGHT_TEST"); at != NULL; at = strchr(at, ',')) {
        at += *at == ',' ? 1 : 0;
        if (strchr(at, '=') != NULL)
            tw_test_one(at, title, frame);
    }
}

#endif
