/* Cores and clocks of processors: tw_clocks.h. */
#define _GNU_SOURCE
#include "tw_clocks.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tilewright_pipeline.h"

#define ENGINES 16
#define SETTINGS 1024
#define NAME 64
#define PATH 512

/* The text of an engine in a table "big=4-5,little=0+2"; NULL without an entry. */
static const char *entry_of(const char *table, const char *engine)
{
    const size_t length = strlen(engine);
    for (const char *at = table; at != NULL && length > 0; at = strchr(at, ',')) {
        at += *at == ',' ? 1 : 0;
        if (strncmp(at, engine, length) == 0 && at[length] == '=')
            return at + length + 1;
    }
    return NULL;
}

int32_t tw_cores_first(const char *table, const char *engine)
{
    const char *entry = entry_of(table, engine);
    return entry == NULL ? -1 : (int32_t)strtol(entry, NULL, 10);
}

bool tw_host_of(const char *table, const char *engine, char *host, int32_t size)
{
    const char *entry = entry_of(table, engine);
    if (entry != NULL)
        snprintf(host, (size_t)size, "%.*s", (int)strcspn(entry, ","), entry);
    return entry != NULL;
}

bool tw_cores_pin(const char *table, const char *engine)
{
    const char *at = entry_of(table, engine);
    if (at == NULL)
        return true;
    cpu_set_t set;
    CPU_ZERO(&set);
    for (char *end; *at != 0 && *at != ','; at = end + (*end == '+' ? 1 : 0)) {
        const long first = strtol(at, &end, 10);
        long last = first;
        if (end == at)
            return false;
        if (*end == '-')
            last = strtol(end + 1, &end, 10);
        if (first < 0 || last < first || last >= CPU_SETSIZE || strchr("+,", *end) == NULL)
            return false;
        for (long cpu = first; cpu <= last; ++cpu)
            CPU_SET((size_t)cpu, &set);
    }
    return pthread_setaffinity_np(pthread_self(), sizeof set, &set) == 0;
}

typedef struct {
    char name[NAME];
    char folder[PATH]; /* of sysfs */
    char governor[NAME];
    bool is_core;
    int32_t start;         /* MHz from the start on, 0 for none */
    atomic_int wanted;     /* MHz asked for last */
    int32_t set;           /* MHz that the back end has set */
} engine_clock;

typedef struct {
    int32_t layer, engine, mhz;
} layer_clock;

static struct {
    enum { NONE, SYSFS, COMMAND } backend;
    char root[PATH]; /* of sysfs, or the command */
    engine_clock engines[ENGINES];
    atomic_int count;
    layer_clock layers[SETTINGS];
    int32_t layer_count;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool runs, ends, is_due;
} clocks = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static bool read_line(const char *folder, const char *file, char *line, int size)
{
    char path[PATH + NAME];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    FILE *stream = fopen(path, "r");
    if (stream == NULL)
        return false;
    const bool is_read = fgets(line, size, stream) != NULL;
    fclose(stream);
    line[is_read ? strcspn(line, "\n") : 0] = 0;
    return is_read;
}

static bool write_line(const char *folder, const char *file, const char *line)
{
    char path[PATH + NAME];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    FILE *stream = fopen(path, "w");
    if (stream == NULL) {
        tw_pipeline_cancel("%s cannot be written: %s", path, strerror(errno));
        return false;
    }
    const bool failed = fputs(line, stream) < 0;
    if (fclose(stream) != 0 || failed) {
        tw_pipeline_cancel("%s does not take %s: %s", path, line, strerror(errno));
        return false;
    }
    return true;
}

static bool has_number(const char *line, long number)
{
    char *end;
    for (long each = strtol(line, &end, 10); end != line; each = strtol(line, &end, 10)) {
        if (each == number)
            return true;
        line = end;
    }
    return false;
}

/* Find the folder of an engine: the policy of its first core, or the device whose name has the engine's in it. */
static bool find_folder(engine_clock *engine, int32_t core)
{
    char parent[PATH], line[PATH];
    const char *const below = core >= 0 ? "devices/system/cpu/cpufreq" : "class/devfreq";
    if (snprintf(parent, sizeof parent, "%s/%s", clocks.root, below) >= (int)sizeof parent)
        return false;
    DIR *folder = opendir(parent);
    bool is_found = false;
    for (struct dirent *each; folder != NULL && !is_found && (each = readdir(folder)) != NULL;) {
        if (snprintf(engine->folder, PATH, "%s/%s", parent, each->d_name) >= PATH)
            continue;
        is_found = core < 0 ? strstr(each->d_name, engine->name) != NULL
                            : read_line(engine->folder, "affected_cpus", line, PATH) && has_number(line, core);
    }
    if (folder != NULL)
        closedir(folder);
    engine->is_core = core >= 0;
    if (!is_found && core >= 0)
        tw_pipeline_cancel("the clock of %s: no policy in %s has cpu %d", engine->name, parent, (int)core);
    else if (!is_found)
        tw_pipeline_cancel("the clock of %s: no device of that name in %s; a processor with cores needs --cores",
                           engine->name, parent);
    return is_found;
}

static const char *unit_file(const engine_clock *engine)
{
    return engine->is_core ? "scaling_setspeed" : "userspace/set_freq";
}

/* A frequency in the unit of its file: kHz of cores, Hz of devices. */
static int64_t in_unit(const engine_clock *engine, int32_t mhz)
{
    return (int64_t)mhz * (engine->is_core ? 1000 : 1000000);
}

static bool check_frequency(const engine_clock *engine, int32_t mhz)
{
    char line[4096];
    const char *file = engine->is_core ? "scaling_available_frequencies" : "available_frequencies";
    if (!read_line(engine->folder, file, line, sizeof line) || has_number(line, (long)in_unit(engine, mhz)))
        return true;
    tw_pipeline_cancel("the clock of %s cannot be %d MHz: %s/%s has %s", engine->name, (int)mhz, engine->folder, file,
                       line);
    return false;
}

static bool open_sysfs(engine_clock *engine, const char *cores)
{
    const char *governor = "scaling_governor";
    if (!find_folder(engine, tw_cores_first(cores, engine->name)))
        return false;
    governor = engine->is_core ? governor : "governor";
    if (!read_line(engine->folder, governor, engine->governor, NAME)) {
        tw_pipeline_cancel("the clock of %s: %s has no %s", engine->name, engine->folder, governor);
        return false;
    }
    return strcmp(engine->governor, "userspace") == 0 || write_line(engine->folder, governor, "userspace");
}

static bool run_command(const char *engine, int32_t mhz)
{
    char number[16];
    int status;
    snprintf(number, sizeof number, "%d", (int)mhz);
    const pid_t child = fork();
    if (child == 0) {
        execl("/bin/sh", "sh", "-c", clocks.root, "clock", engine, number, (char *)NULL);
        _exit(127);
    }
    const bool ran = child > 0 && waitpid(child, &status, 0) == child;
    if (ran && WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return true;
    tw_pipeline_cancel("the clock of %s cannot be set to %d MHz: the command '%s' fails", engine, (int)mhz, clocks.root);
    return false;
}

static bool set_clock(engine_clock *engine, int32_t mhz)
{
    char line[32];
    engine->set = mhz;
    if (clocks.backend == COMMAND)
        return run_command(engine->name, mhz);
    if (clocks.backend == NONE)
        return true;
    snprintf(line, sizeof line, "%lld", (long long)in_unit(engine, mhz));
    return check_frequency(engine, mhz) && write_line(engine->folder, unit_file(engine), line);
}

static bool set_due(void)
{
    for (int32_t k = 0; k < atomic_load(&clocks.count); ++k) {
        const int32_t wanted = atomic_load(&clocks.engines[k].wanted);
        if (wanted != clocks.engines[k].set && wanted > 0 && !set_clock(&clocks.engines[k], wanted))
            return false;
    }
    return true;
}

static void *follow(void *argument)
{
    (void)argument;
    pthread_mutex_lock(&clocks.lock);
    for (bool works = true; works && !clocks.ends;) {
        if (!clocks.is_due) {
            pthread_cond_wait(&clocks.changed, &clocks.lock);
            continue;
        }
        clocks.is_due = false;
        pthread_mutex_unlock(&clocks.lock);
        works = set_due();
        pthread_mutex_lock(&clocks.lock);
    }
    pthread_mutex_unlock(&clocks.lock);
    return NULL;
}

static int32_t engine_number(const char *name, size_t length)
{
    const int32_t count = atomic_load(&clocks.count);
    for (int32_t k = 0; k < count; ++k)
        if (strlen(clocks.engines[k].name) == length && strncmp(clocks.engines[k].name, name, length) == 0)
            return k;
    if (count == ENGINES || length >= NAME)
        return -1;
    engine_clock *engine = &clocks.engines[count];
    memset(engine, 0, sizeof *engine);
    memcpy(engine->name, name, length);
    atomic_store(&clocks.count, count + 1);
    return count;
}

/* Parse "[LAYER:]NAME=MHZ", ended by a comma or the end. */
static bool parse_one(const char *text, size_t length)
{
    char one[2 * NAME], *end;
    if (length >= sizeof one)
        return false;
    memcpy(one, text, length);
    one[length] = 0;
    char *colon = strchr(one, ':'), *name = colon != NULL ? colon + 1 : one, *equals = strchr(name, '=');
    if (equals == NULL || equals == name)
        return false;
    const long mhz = strtol(equals + 1, &end, 10);
    const int32_t engine = engine_number(name, (size_t)(equals - name));
    if (engine < 0 || mhz <= 0 || mhz > 100000 || *end != 0 || end == equals + 1)
        return false;
    if (colon == NULL) {
        clocks.engines[engine].start = (int32_t)mhz;
        return true;
    }
    const long layer = strtol(one, &end, 10);
    if (end != colon || end == one || layer < 0 || layer > INT32_MAX || clocks.layer_count == SETTINGS)
        return false;
    clocks.layers[clocks.layer_count++] = (layer_clock){(int32_t)layer, engine, (int32_t)mhz};
    return true;
}

static bool parse(const char *text)
{
    for (const char *at = text; at != NULL && *at != 0;) {
        const size_t length = strcspn(at, ",");
        if (!parse_one(at, length)) {
            tw_pipeline_cancel("no clock: '%.*s'; expected PROCESSOR=MHZ or LAYER:PROCESSOR=MHZ", (int)length, at);
            return false;
        }
        at += length + (at[length] == ',' ? 1 : 0);
    }
    return true;
}

static bool choose(const char *backend)
{
    const char *colon = backend != NULL ? strchr(backend, ':') : NULL;
    const size_t length = backend == NULL ? 0 : colon != NULL ? (size_t)(colon - backend) : strlen(backend);
    clocks.backend = NONE;
    if (length == 0 || (length == 4 && strncmp(backend, "none", 4) == 0))
        return true;
    if (length == 5 && strncmp(backend, "sysfs", 5) == 0)
        clocks.backend = SYSFS;
    else if (length == 7 && strncmp(backend, "command", 7) == 0 && colon != NULL)
        clocks.backend = COMMAND;
    else {
        tw_pipeline_cancel("no back end for clocks: '%s'; expected none, sysfs, sysfs:ROOT or command:COMMAND", backend);
        return false;
    }
    snprintf(clocks.root, sizeof clocks.root, "%s", colon != NULL ? colon + 1 : "/sys");
    return true;
}

bool tw_clocks_open(const char *text, const char *backend, const char *cores)
{
    atomic_store(&clocks.count, 0);
    clocks.layer_count = 0;
    clocks.runs = clocks.ends = clocks.is_due = false;
    if (!choose(backend) || !parse(text))
        return false;
    for (int32_t k = 0; k < atomic_load(&clocks.count); ++k) {
        engine_clock *engine = &clocks.engines[k];
        atomic_store(&engine->wanted, engine->start);
        if (clocks.backend == SYSFS && !open_sysfs(engine, cores))
            return false;
    }
    if (!set_due())
        return false;
    if (clocks.layer_count > 0 && pthread_create(&clocks.thread, NULL, follow, NULL) != 0) {
        tw_pipeline_cancel("no thread for clocks can be made");
        return false;
    }
    clocks.runs = clocks.layer_count > 0;
    return true;
}

void tw_clocks_layer(int32_t layer)
{
    bool is_due = false;
    if (!clocks.runs)
        return;
    for (int32_t k = 0; k < atomic_load(&clocks.count); ++k) {
        int32_t wanted = clocks.engines[k].start;
        for (int32_t at = 0; at < clocks.layer_count; ++at)
            if (clocks.layers[at].engine == k && clocks.layers[at].layer == layer)
                wanted = clocks.layers[at].mhz;
        is_due |= wanted > 0 && atomic_exchange(&clocks.engines[k].wanted, wanted) != wanted;
    }
    if (!is_due)
        return;
    pthread_mutex_lock(&clocks.lock);
    clocks.is_due = true;
    pthread_cond_signal(&clocks.changed);
    pthread_mutex_unlock(&clocks.lock);
}

int32_t tw_clocks_level(const char *engine)
{
    for (int32_t k = 0; k < atomic_load(&clocks.count); ++k)
        if (strcmp(clocks.engines[k].name, engine) == 0)
            return atomic_load(&clocks.engines[k].wanted);
    return 0;
}

void tw_clocks_close(void)
{
    if (clocks.runs) {
        pthread_mutex_lock(&clocks.lock);
        clocks.ends = true;
        pthread_cond_signal(&clocks.changed);
        pthread_mutex_unlock(&clocks.lock);
        pthread_join(clocks.thread, NULL);
        clocks.runs = false;
    }
    for (int32_t k = 0; clocks.backend == SYSFS && k < atomic_load(&clocks.count); ++k) {
        const engine_clock *engine = &clocks.engines[k];
        if (engine->governor[0] != 0 && strcmp(engine->governor, "userspace") != 0)
            write_line(engine->folder, engine->is_core ? "scaling_governor" : "governor", engine->governor);
    }
}
