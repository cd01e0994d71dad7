/* The command line of a network's program: tw_command.h. */
#define _GNU_SOURCE
#include "tw_command.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES, OUTPUTS, COUNT, MODE, CORES, HOSTS, CLOCKS, BACKEND, PROFILE, JSON, TRACE, HELP, OPTIONS };

static const struct option LONG[OPTIONS + 1] = {
    [FRAMES] = {"frames", required_argument, NULL, FRAMES},
    [OUTPUTS] = {"outputs", required_argument, NULL, OUTPUTS},
    [COUNT] = {"count", required_argument, NULL, COUNT},
    [MODE] = {"mode", required_argument, NULL, MODE},
    [CORES] = {"cores", required_argument, NULL, CORES},
    [HOSTS] = {"hosts", required_argument, NULL, HOSTS},
    [CLOCKS] = {"clocks", required_argument, NULL, CLOCKS},
    [BACKEND] = {"clock-backend", required_argument, NULL, BACKEND},
    [PROFILE] = {"profile", required_argument, NULL, PROFILE},
    [JSON] = {"json", required_argument, NULL, JSON},
    [TRACE] = {"trace", required_argument, NULL, TRACE},
    [HELP] = {"help", no_argument, NULL, HELP},
};

static const char *const USAGE =
    "Run a network on frames from files, each stage on its processor.\n"
    "\n"
    "  --frames PATH          raw frames: a file of frames one after the other, '-' for standard input, or a directory\n"
    "                         with a file for each; with several inputs a directory of NAME.bin or NAME/ for each\n"
    "  --outputs PATH         where results go, in the same form; without it they are dropped\n"
    "  --count N              frames at most\n"
    "  --mode pipeline|switch a frame in each stage, or one frame at a time, for the least latency\n"
    "  --cores TABLE          the cores of each processor: big=4-5,little=0+1; also $TILEWRIGHT_CORES\n"
    "  --hosts TABLE          whose cores the thread of a processor runs on: gpu=little,npu=big\n"
    "  --clocks TABLE         in MHz: big=1800,little=1416; in switch mode also of a layer: 3:big=1200\n"
    "  --clock-backend NAME   none, sysfs, sysfs:ROOT, or command:COMMAND, which is run with PROCESSOR and MHZ\n"
    "  --profile 0|1|2        totals, phases of stages, layers (needs -DTW_LAYER_MARKS)\n"
    "  --json FILE            the profile as JSON\n"
    "  --trace FILE           the profile as trace events, for Perfetto\n";

static void describe(const char *what, const tw_port *ports, int32_t count)
{
    printf("\n%s:\n", what);
    for (int32_t k = 0; k < count; ++k)
        printf("  %-22s %s %s, %lld bytes a frame\n", ports[k].name, ports[k].type, ports[k].shape,
               (long long)ports[k].bytes);
}

static int refuse(const char *option, const char *expected)
{
    fprintf(stderr, "error: --%s is not %s\n", option, expected);
    return 2;
}

static bool number_of(const char *text, int64_t most, int64_t *number)
{
    char *end;
    errno = 0;
    *number = strtoll(text, &end, 10);
    return errno == 0 && end != text && *end == 0 && *number >= 0 && *number <= most;
}

static int saved(int result, const char *path)
{
    if (result != 0)
        fprintf(stderr, "error: %s: %s\n", path, strerror(errno));
    return result != 0;
}

static int report(const char *text[OPTIONS])
{
    int failed = tw_profile_text(text[OUTPUTS] != NULL && strcmp(text[OUTPUTS], "-") == 0 ? "/dev/stderr" : NULL) != 0;
    if (text[JSON] != NULL)
        failed |= saved(tw_profile_json(text[JSON]), text[JSON]);
    if (text[TRACE] != NULL)
        failed |= saved(tw_profile_trace(text[TRACE]), text[TRACE]);
    return failed;
}

int tw_command(int argc, char **argv, const tw_network *network)
{
    const char *text[OPTIONS] = {[MODE] = "pipeline", [PROFILE] = "0"};
    tw_settings settings = {.frames = -1, .signals = true};
    tw_files frames = {0}, outputs = {0};
    int64_t profile;
    for (int option; (option = getopt_long(argc, argv, "", LONG, NULL)) != -1;) {
        if (option < 0 || option >= OPTIONS)
            return 2;
        text[option] = optarg != NULL ? optarg : "";
    }
    if (text[HELP] != NULL) {
        fputs(USAGE, stdout);
        describe("inputs", network->inputs, network->input_count);
        describe("outputs", network->outputs, network->output_count);
        return 0;
    }
    if (optind < argc || text[FRAMES] == NULL)
        return refuse("frames", "given; --help shows the options");
    if (text[COUNT] != NULL && !number_of(text[COUNT], INT64_MAX, &settings.frames))
        return refuse("count", "a number of frames");
    if (!number_of(text[PROFILE], 2, &profile))
        return refuse("profile", "0, 1 or 2");
    settings.switched = strcmp(text[MODE], "switch") == 0;
    if (!settings.switched && strcmp(text[MODE], "pipeline") != 0)
        return refuse("mode", "pipeline or switch");
    settings.profile = (int)profile;
    settings.cores = text[CORES];
    settings.hosts = text[HOSTS];
    settings.clocks = text[CLOCKS];
    settings.clock_backend = text[BACKEND];
    int status = 1;
    if (tw_files_read(&frames, network->inputs, network->input_count, text[FRAMES]) == 0 &&
        (text[OUTPUTS] == NULL ||
         tw_files_write(&outputs, network->outputs, network->output_count, text[OUTPUTS]) == 0)) {
        settings.source = tw_files_source(&frames);
        settings.sink = text[OUTPUTS] != NULL ? tw_files_sink(&outputs) : (tw_sink){0};
        status = tw_pipeline_run(network->run, &settings);
        if (status != 0)
            fprintf(stderr, "error: %s\n", tw_pipeline_error());
        status |= report(text);
    }
    const int failed = tw_files_close(&frames) | tw_files_close(&outputs);
    return status != 0 ? status : failed != 0;
}
