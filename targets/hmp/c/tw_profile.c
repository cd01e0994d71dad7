/* Times of a run, as text, as JSON and as a trace: tw_profile.h. */
#define _GNU_SOURCE
#include "tw_profile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tilewright_pipeline.h"

tw_profile tw_last_profile;

static int64_t begin;

static const char *const KINDS[TW_KINDS] = {"in", "recv_wait", "send_wait", "task", "send", "out", "layer"};

static int64_t clock_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t tw_now(void)
{
    return clock_now() - begin;
}

static void *allocated(size_t count, size_t size)
{
    void *memory = calloc(count > 0 ? count : 1, size);
    if (memory == NULL) {
        fprintf(stderr, "error: no memory for a profile of %zu bytes\n", count * size);
        abort();
    }
    return memory;
}

void tw_profile_begin(int32_t count, int switched, int profile)
{
    tw_profile *p = &tw_last_profile;
    for (int32_t k = 0; k < p->count; ++k) {
        free(p->tracks[k].layers);
        free(p->tracks[k].records);
    }
    free(p->tracks);
    *p = (tw_profile){.count = count, .switched = switched, .profile = profile, .latency_least = INT64_MAX};
    p->tracks = allocated((size_t)count, sizeof *p->tracks);
    begin = clock_now();
}

static void add(tw_total *total, const tw_record *record)
{
    total->nanoseconds += record->end - record->start;
    ++total->count;
}

void tw_profile_record(tw_track *track, tw_record record)
{
    add(&track->totals[record.kind], &record);
    if (record.kind == TW_LAYER && record.layer >= track->layer_count) {
        const int32_t count = record.layer + 1;
        tw_total *layers = allocated((size_t)count, sizeof *layers);
        if (track->layer_count > 0)
            memcpy(layers, track->layers, (size_t)track->layer_count * sizeof *layers);
        free(track->layers);
        track->layers = layers;
        track->layer_count = count;
    }
    if (record.kind == TW_LAYER)
        add(&track->layers[record.layer], &record);
    if (tw_last_profile.profile < (record.kind == TW_LAYER ? 2 : 1))
        return;
    if (track->records == NULL)
        track->records = allocated(TW_RECORDS, sizeof record);
    track->records[track->record_count++ % TW_RECORDS] = record;
}

void tw_profile_frame(int64_t arrival, int64_t end)
{
    tw_profile *p = &tw_last_profile;
    const int64_t latency = end - arrival;
    if (p->frames++ == 0)
        p->first_end = end;
    p->last_end = end;
    p->latency_sum += latency;
    p->latency_least = latency < p->latency_least ? latency : p->latency_least;
    p->latency_greatest = latency > p->latency_greatest ? latency : p->latency_greatest;
}

/* Milliseconds between frames, once the first one has left. */
static double period(void)
{
    const tw_profile *p = &tw_last_profile;
    if (p->frames < 2)
        return (double)p->end / 1e6;
    return (double)(p->last_end - p->first_end) / 1e6 / (double)(p->frames - 1);
}

static double frames_per_second(void)
{
    const tw_profile *p = &tw_last_profile;
    return p->last_end > 0 ? (double)p->frames * 1e9 / (double)p->last_end : 0;
}

static double mean_latency(void)
{
    const tw_profile *p = &tw_last_profile;
    return p->frames > 0 ? (double)p->latency_sum / 1e6 / (double)p->frames : 0;
}

static double least_latency(void)
{
    return tw_last_profile.frames > 0 ? (double)tw_last_profile.latency_least / 1e6 : 0;
}

static double per_frame(const tw_total *total, int64_t frames)
{
    return frames > 0 ? (double)total->nanoseconds / 1e6 / (double)frames : 0;
}

static int64_t kept(const tw_track *track)
{
    return track->record_count < TW_RECORDS ? track->record_count : TW_RECORDS;
}

static const tw_record *record_at(const tw_track *track, int64_t index)
{
    return &track->records[(track->record_count - kept(track) + index) % TW_RECORDS];
}

static void write_string(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text != 0; ++text)
        if ((unsigned char)*text < ' ' || *text == '"' || *text == '\\')
            fprintf(file, "\\u%04x", (unsigned)(unsigned char)*text);
        else
            fputc(*text, file);
    fputc('"', file);
}

static int written(const char *path, void (*content)(FILE *))
{
    FILE *file = path != NULL ? fopen(path, "w") : stdout;
    if (file == NULL)
        return -1;
    content(file);
    const int failed = ferror(file);
    if (file == stdout)
        return fflush(file) != 0 || failed ? -1 : 0;
    return fclose(file) != 0 || failed ? -1 : 0;
}

static double device_ms(const tw_device *device)
{
    return device->frames > 0 ? (double)device->microseconds / 1e3 / (double)device->frames : 0;
}

static void device_text(FILE *file)
{
    const tw_profile *p = &tw_last_profile;
    bool has_head = false;
    for (int32_t k = 0; k < p->count; ++k) {
        const tw_track *track = &p->tracks[k];
        if (!track->has_device)
            continue;
        if (!has_head)
            fprintf(file, "\n%-24s %-10s %10s %14s\n", "on the device", "processor", "ms", "bytes");
        fprintf(file, "%-24s %-10s %10.3f %14lld\n", track->title, track->engine, device_ms(&track->device),
                (long long)track->device.bytes);
        has_head = true;
    }
}

static void text(FILE *file)
{
    const tw_profile *p = &tw_last_profile;
    fprintf(file, "%lld frames in %.3f s, %s: %.2f frames/s, %.3f ms between frames\n", (long long)p->frames,
            (double)p->end / 1e9, p->switched ? "switch" : "pipeline", frames_per_second(), period());
    fprintf(file, "latency %.3f ms (%.3f to %.3f)\n", mean_latency(), least_latency(), (double)p->latency_greatest / 1e6);
    if (p->profile < 1)
        return;
    fprintf(file, "\n%-24s %-10s", "ms per frame", "processor");
    for (int kind = 0; kind < TW_LAYER; ++kind)
        fprintf(file, " %10s", KINDS[kind]);
    fputc('\n', file);
    for (int32_t k = 0; k < p->count; ++k) {
        const tw_track *track = &p->tracks[k];
        fprintf(file, "%-24s %-10s", track->title, track->engine);
        for (int kind = 0; kind < TW_LAYER; ++kind)
            fprintf(file, " %10.3f", per_frame(&track->totals[kind], track->frames));
        fputc('\n', file);
    }
    device_text(file);
    if (p->profile < 2)
        return;
    fprintf(file, "\n%-8s %-24s %-10s %10s\n", "layer", "stage", "processor", "ms");
    for (int32_t k = 0; k < p->count; ++k)
        for (int32_t layer = 0; layer < p->tracks[k].layer_count; ++layer)
            if (p->tracks[k].layers[layer].count > 0)
                fprintf(file, "%-8d %-24s %-10s %10.3f\n", (int)layer, p->tracks[k].title, p->tracks[k].engine,
                        per_frame(&p->tracks[k].layers[layer], p->tracks[k].layers[layer].count));
}

static void json_track(FILE *file, const tw_track *track)
{
    fputs("  {\"subgraph\": ", file);
    write_string(file, track->title);
    fputs(", \"processor\": ", file);
    write_string(file, track->engine);
    fprintf(file, ", \"frames\": %lld", (long long)track->frames);
    for (int kind = 0; kind < TW_LAYER; ++kind)
        fprintf(file, ", \"%s_ms\": %.6f", KINDS[kind], per_frame(&track->totals[kind], track->frames));
    fputs(", \"layers\": [", file);
    const char *comma = "";
    for (int32_t layer = 0; layer < track->layer_count; ++layer)
        if (track->layers[layer].count > 0) {
            fprintf(file, "%s{\"layer\": %d, \"ms\": %.6f}", comma, (int)layer,
                    per_frame(&track->layers[layer], track->layers[layer].count));
            comma = ", ";
        }
    fputc(']', file);
    if (track->has_device)
        fprintf(file, ", \"device\": {\"frames\": %lld, \"ms\": %.6f, \"bytes\": %lld}", (long long)track->device.frames,
                device_ms(&track->device), (long long)track->device.bytes);
    fprintf(file, ", \"dropped_records\": %lld}", (long long)(track->record_count - kept(track)));
}

static void json_record(FILE *file, const tw_track *track, const tw_record *record)
{
    fprintf(file, "  {\"frame\": %lld, \"subgraph\": ", (long long)record->frame);
    write_string(file, track->title);
    if (record->layer >= 0)
        fprintf(file, ", \"layer\": %d", (int)record->layer);
    else
        fputs(", \"layer\": null", file);
    fputs(", \"processor\": ", file);
    write_string(file, track->engine);
    if (record->level > 0)
        fprintf(file, ", \"level\": %d", (int)record->level);
    else
        fputs(", \"level\": null", file);
    fprintf(file, ", \"t_start\": %lld, \"t_end\": %lld, \"kind\": \"%s\"}", (long long)record->start,
            (long long)record->end, KINDS[record->kind]);
}

static void json(FILE *file)
{
    const tw_profile *p = &tw_last_profile;
    fprintf(file, "{\"mode\": \"%s\", \"profile\": %d, \"frames\": %lld, \"seconds\": %.9f,\n",
            p->switched ? "switch" : "pipeline", (int)p->profile, (long long)p->frames, (double)p->end / 1e9);
    fprintf(file, " \"frames_per_second\": %.6f, \"period_ms\": %.6f,\n", frames_per_second(), period());
    fprintf(file, " \"latency_ms\": {\"mean\": %.6f, \"least\": %.6f, \"greatest\": %.6f},\n", mean_latency(),
            least_latency(), (double)p->latency_greatest / 1e6);
    fputs(" \"stages\": [", file);
    for (int32_t k = 0; k < p->count; ++k) {
        fputs(k > 0 ? ",\n" : "\n", file);
        json_track(file, &p->tracks[k]);
    }
    fputs("],\n \"records\": [", file);
    const char *separator = "\n";
    for (int32_t k = 0; k < p->count; ++k)
        for (int64_t index = 0; index < kept(&p->tracks[k]); ++index) {
            fputs(separator, file);
            json_record(file, &p->tracks[k], record_at(&p->tracks[k], index));
            separator = ",\n";
        }
    fputs("]}\n", file);
}

static void trace(FILE *file)
{
    const tw_profile *p = &tw_last_profile;
    fputs("{\"displayTimeUnit\": \"ms\", \"traceEvents\": [\n", file);
    fputs("{\"ph\": \"M\", \"pid\": 1, \"tid\": 0, \"name\": \"process_name\", \"args\": {\"name\": \"network\"}}", file);
    for (int32_t k = 0; k < p->count; ++k) {
        const tw_track *track = &p->tracks[k];
        fprintf(file, ",\n{\"ph\": \"M\", \"pid\": 1, \"tid\": %d, \"name\": \"thread_name\", \"args\": {\"name\": ", (int)k);
        write_string(file, track->title);
        fputs("}}", file);
        for (int64_t index = 0; index < kept(track); ++index) {
            const tw_record *r = record_at(track, index);
            fprintf(file, ",\n{\"ph\": \"X\", \"pid\": 1, \"tid\": %d, \"ts\": %.3f, \"dur\": %.3f, \"cat\": \"%s\", ", (int)k,
                    (double)r->start / 1e3, (double)(r->end - r->start) / 1e3, KINDS[r->kind]);
            if (r->layer >= 0)
                fprintf(file, "\"name\": \"layer %d\", ", (int)r->layer);
            else
                fprintf(file, "\"name\": \"%s\", ", KINDS[r->kind]);
            fprintf(file, "\"args\": {\"frame\": %lld, \"mhz\": %d}}", (long long)r->frame, (int)r->level);
        }
    }
    fputs("]}\n", file);
}

int tw_profile_text(const char *path)
{
    return written(path, text);
}

int tw_profile_json(const char *path)
{
    return written(path, json);
}

int tw_profile_trace(const char *path)
{
    return written(path, trace);
}
