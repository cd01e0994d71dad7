/* Calls of a compiled network to its sub-graphs on an NPU: artefacts, plug-ins, frames. See tilewright_npu.h. */
#define _GNU_SOURCE
#include "tilewright_npu_process.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 4096, TEXT_BYTES = 1024, OPEN_MILLISECONDS = 120000, GRACE_MILLISECONDS = 250 };

typedef tw_npu_buffer slot[2 * TW_NPU_TENSORS]; /* buffers of a frame: inputs, then outputs */

typedef struct runner {
    pthread_mutex_t busy, submitting; /* held while a frame is computed or collected, and while one is submitted */
    tw_npu_stage *stage;
    const tw_npu_plugin *plugin;
    void *session, *library;
    tw_npu_description description;
    slot *slots;
    uint32_t slot_count;
    uint64_t submitted, collected; /* of the frames that one thread submits and another one collects */
    atomic_int has_failed;
    struct runner *next;
} runner;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static runner *runners;
static int is_registered;

/* SHA-256 (FIPS 180-4) */

static uint32_t rotated(uint32_t x, unsigned bits)
{
    return x >> bits | x << (32 - bits);
}

static void sha256_block(uint32_t state[8], const uint8_t *block)
{
    static const uint32_t constants[64] = {
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
        0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
        0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
        0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
        0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
        0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
        0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
        0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
    uint32_t w[64], v[8];
    for (int k = 0; k < 16; ++k)
        w[k] = (uint32_t)block[4 * k] << 24 | (uint32_t)block[4 * k + 1] << 16 | (uint32_t)block[4 * k + 2] << 8
            | block[4 * k + 3];
    for (int k = 16; k < 64; ++k) {
        const uint32_t s0 = rotated(w[k - 15], 7) ^ rotated(w[k - 15], 18) ^ w[k - 15] >> 3;
        const uint32_t s1 = rotated(w[k - 2], 17) ^ rotated(w[k - 2], 19) ^ w[k - 2] >> 10;
        w[k] = w[k - 16] + s0 + w[k - 7] + s1;
    }
    memcpy(v, state, sizeof v);
    for (int k = 0; k < 64; ++k) {
        const uint32_t s1 = rotated(v[4], 6) ^ rotated(v[4], 11) ^ rotated(v[4], 25);
        const uint32_t t1 = v[7] + s1 + ((v[4] & v[5]) ^ (~v[4] & v[6])) + constants[k] + w[k];
        const uint32_t s0 = rotated(v[0], 2) ^ rotated(v[0], 13) ^ rotated(v[0], 22);
        const uint32_t t2 = s0 + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, 7 * sizeof v[0]);
        v[4] += t1;
        v[0] = t1 + t2;
    }
    for (int k = 0; k < 8; ++k)
        state[k] += v[k];
}

static void sha256(const uint8_t *bytes, uint64_t size, uint8_t digest[32])
{
    uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    uint8_t tail[128] = {0};
    const uint64_t rest = size % 64, length = rest < 56 ? 64 : 128;
    for (uint64_t k = 0; k + 64 <= size; k += 64)
        sha256_block(state, bytes + k);
    memcpy(tail, bytes + (size - rest), (size_t)rest);
    tail[rest] = 0x80;
    for (unsigned k = 0; k < 8; ++k)
        tail[length - 1 - k] = (uint8_t)(size * 8 >> 8 * k);
    for (uint64_t k = 0; k < length; k += 64)
        sha256_block(state, tail + k);
    for (int k = 0; k < 32; ++k)
        digest[k] = (uint8_t)(state[k / 4] >> (24 - 8 * (k % 4)));
}

/* Files and texts */

static int32_t failure(char *text, uint32_t size, int32_t status, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static int32_t failure(char *text, uint32_t size, int32_t status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, size, format, arguments);
    va_end(arguments);
    return status;
}

const char *tw_npu_status_name(int32_t status)
{
    static const char *const names[] = {
        "TW_NPU_OK", "TW_NPU_AGAIN", "TW_NPU_FAILED", "TW_NPU_TIMEOUT", "TW_NPU_NO_DEVICE", "TW_NPU_NO_MEMORY",
        "TW_NPU_BAD_ARGUMENT", "TW_NPU_BAD_ARTIFACT", "TW_NPU_FOREIGN_TARGET", "TW_NPU_WRONG_HASH",
        "TW_NPU_WRONG_FRAME", "TW_NPU_UNSUPPORTED", "TW_NPU_CRASHED", "TW_NPU_FOREIGN_VERSION", "TW_NPU_MISSING",
        "TW_NPU_WRONG_TENSORS"};
    return status >= 0 && status < (int32_t)(sizeof names / sizeof names[0]) ? names[status] : "unknown status";
}

static const char *remedy_of(const tw_npu_stage *stage, int32_t status)
{
    switch (status) {
    case TW_NPU_TIMEOUT:
        return "give TILEWRIGHT_NPU_TIMEOUT_MS (of an open TILEWRIGHT_NPU_OPEN_MS) more, or free the device";
    case TW_NPU_NO_DEVICE:
        return "install the driver and the library of the vendor, or map the layers to another processor";
    case TW_NPU_CRASHED:
    case TW_NPU_FAILED:
    case TW_NPU_WRONG_FRAME:
        return "report it to the maker of the plug-in, or map the layers to another processor";
    case TW_NPU_FOREIGN_VERSION:
        return "build the plug-in with the header tilewright_npu.h of this network";
    default:
        return stage->remedy;
    }
}

/* Finds a file in $TILEWRIGHT_NPU_PATH, else beside the program or library that holds this code. */
static int find_file(const char *name, char path[PATH_BYTES])
{
    const char *chosen = getenv("TILEWRIGHT_NPU_PATH");
    Dl_info own;
    char program[PATH_BYTES] = "";
    if (chosen != NULL && *chosen != '\0')
        return snprintf(path, PATH_BYTES, "%s/%s", chosen, name) < PATH_BYTES && access(path, R_OK) == 0;
    if (dladdr(&runners, &own) != 0 && own.dli_fname != NULL && strstr(own.dli_fname, ".so") != NULL)
        snprintf(program, sizeof program, "%s", own.dli_fname);
    else if (readlink("/proc/self/exe", program, sizeof program - 1) < 0)
        return 0;
    char *end = strrchr(program, '/');
    if (end == NULL)
        return snprintf(path, PATH_BYTES, "%s", name) < PATH_BYTES && access(path, R_OK) == 0;
    *end = '\0';
    return snprintf(path, PATH_BYTES, "%s/%s", program, name) < PATH_BYTES && access(path, R_OK) == 0;
}

static uint32_t number_in(const char *variable, uint32_t otherwise)
{
    const char *text = getenv(variable);
    const long value = text != NULL ? strtol(text, NULL, 10) : 0;
    return value > 0 && value < INT32_MAX ? (uint32_t)value : otherwise;
}

/* Plug-ins */

static int32_t load_library(const char *path, runner *made, char *text, uint32_t size)
{
    made->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (made->library == NULL)
        return failure(text, size, TW_NPU_MISSING, "%s", dlerror());
    union {
        void *object;
        tw_npu_plugin_function function;
    } symbol = {.object = dlsym(made->library, "tilewright_npu_plugin")};
    made->plugin = symbol.object != NULL ? symbol.function(TW_NPU_ABI_VERSION) : NULL;
    if (made->plugin == NULL)
        return failure(text, size, TW_NPU_FOREIGN_VERSION, "%s has no interface of version %u", path, TW_NPU_ABI_VERSION);
    if (made->plugin->abi_version != TW_NPU_ABI_VERSION || made->plugin->bytes != sizeof(tw_npu_plugin))
        return failure(text, size, TW_NPU_FOREIGN_VERSION, "%s has version %u of the interface, the network %u", path,
                       made->plugin->abi_version, TW_NPU_ABI_VERSION);
    return TW_NPU_OK;
}

static int32_t start_process(const tw_npu_stage *stage, char *plugin, int is_script, runner *made, char *text,
                             uint32_t size)
{
    char worker[PATH_BYTES];
    const char *name = is_script ? "tilewright_npu_python" : "tilewright_npu_worker";
    const char *interpreter = getenv("TILEWRIGHT_NPU_PYTHON");
    if (is_script && interpreter != NULL && *interpreter != '\0')
        snprintf(worker, sizeof worker, "%s", interpreter);
    else if (!find_file(name, worker))
        return failure(text, size, TW_NPU_MISSING, is_script ? "the variable TILEWRIGHT_NPU_PYTHON names no interpreter"
                                                             : "there is no program %s beside the network", name);
    char *const command[] = {worker, plugin, NULL};
    made->plugin = &tw_npu_process_plugin;
    const uint32_t milliseconds = number_in("TILEWRIGHT_NPU_TIMEOUT_MS", stage->milliseconds);
    const uint32_t open_milliseconds = number_in("TILEWRIGHT_NPU_OPEN_MS", OPEN_MILLISECONDS);
    const int32_t status = tw_npu_process_start(command, milliseconds, open_milliseconds, &made->session);
    if (status != TW_NPU_OK)
        return failure(text, size, status, "%s: %s", worker, tw_npu_process_plugin.detail(made->session));
    return TW_NPU_OK;
}

static int32_t load_plugin(const tw_npu_stage *stage, runner *made, char *text, uint32_t size)
{
    char name[256], path[PATH_BYTES];
    const char *isolation = getenv("TILEWRIGHT_NPU_ISOLATED");
    const int isolated = isolation != NULL && *isolation != '\0' ? *isolation != '0' : stage->isolated != 0;
    snprintf(name, sizeof name, "libtilewright_npu_%s.so", stage->plugin);
    if (find_file(name, path))
        return isolated ? start_process(stage, path, 0, made, text, size) : load_library(path, made, text, size);
    snprintf(name, sizeof name, "tilewright_npu_%s.py", stage->plugin);
    if (find_file(name, path))
        return start_process(stage, path, 1, made, text, size);
    return failure(text, size, TW_NPU_MISSING, "there is no plug-in libtilewright_npu_%s.so beside the network",
                   stage->plugin);
}

/* Calls of a plug-in in this process, which may never return */

/* Of pipelines of frames, where the network is one: tilewright_pipeline.h. */
__attribute__((weak)) void tw_call_begin(uint32_t milliseconds,
                                         void (*late)(const void *context, char *text, uint32_t size),
                                         const void *context);
__attribute__((weak)) void tw_call_end(void);

typedef struct {
    const runner *made;
    uint64_t frame;
    uint32_t milliseconds;
} guarded;

static int32_t described_failure(const tw_npu_stage *stage, uint64_t frame, int32_t status, const char *reason,
                                 char *text, uint32_t size);

static void describe_late(const void *context, char *text, uint32_t size)
{
    const guarded *g = context;
    char reason[64];
    snprintf(reason, sizeof reason, "it did not return within %u ms", g->milliseconds);
    described_failure(g->made->stage, g->frame, TW_NPU_TIMEOUT, reason, text, size);
}

static int is_guarded(const guarded *g)
{
    return tw_call_begin != NULL && g->made->plugin != &tw_npu_process_plugin;
}

static void begin_call(const guarded *g)
{
    if (is_guarded(g))
        tw_call_begin(g->milliseconds + GRACE_MILLISECONDS, describe_late, g);
}

static void end_call(const guarded *g)
{
    if (is_guarded(g))
        tw_call_end();
}

/* Sessions */

static void to_digits(const uint8_t digest[32], char digits[65])
{
    for (int k = 0; k < 32; ++k)
        snprintf(digits + 2 * k, 3, "%02x", digest[k]);
}

static int32_t open_artifact(const tw_npu_stage *stage, runner *made, char *text, uint32_t size)
{
    char path[PATH_BYTES], digits[65];
    tw_npu_open_request request = {.target = stage->target, .program = stage->program};
    if (!find_file(stage->artifact, path))
        return failure(text, size, TW_NPU_MISSING, "there is no artefact %s: %s", stage->artifact, path);
    request.path = path;
    void *bytes = tw_npu_read_file(path, &request.size);
    if (bytes == NULL)
        return failure(text, size, TW_NPU_MISSING, "the artefact %s cannot be read", path);
    request.bytes = bytes;
    sha256(bytes, request.size, request.sha256);
    to_digits(request.sha256, digits);
    int32_t status = TW_NPU_OK;
    if (strcmp(digits, stage->sha256) != 0)
        status = failure(text, size, TW_NPU_WRONG_HASH, "%s has the SHA-256 %s, expected %s", path, digits,
                         stage->sha256);
    else if ((status = load_plugin(stage, made, text, size)) == TW_NPU_OK) {
        const guarded g = {made, stage->frame, number_in("TILEWRIGHT_NPU_OPEN_MS", OPEN_MILLISECONDS)};
        begin_call(&g);
        status = made->plugin->open(&request, &made->session);
        end_call(&g);
        if (status != TW_NPU_OK)
            failure(text, size, status, "%s: %s", path, made->plugin->detail(made->session));
    }
    free(bytes);
    return status;
}

static void show_tensor(const tw_npu_tensor *tensor, char *text, uint32_t size)
{
    static const char *const types[] = {"f32", "f16", "bf16", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "bool",
                                        "f64"};
    const char *type = tensor->type < sizeof types / sizeof types[0] ? types[tensor->type] : "unknown type";
    uint32_t used = (uint32_t)snprintf(text, size, "%s of ", type);
    for (uint32_t k = 0; k < tensor->rank && k < TW_NPU_RANK && used < size; ++k)
        used += (uint32_t)snprintf(text + used, size - used, k == 0 ? "%lld" : "x%lld", (long long)tensor->dims[k]);
    if (used < size)
        snprintf(text + used, size - used, ", %llu bytes", (unsigned long long)tensor->bytes);
}

static int is_equal(const tw_npu_tensor *one, const tw_npu_tensor *other)
{
    if (one->type != other->type || one->rank != other->rank || one->bytes != other->bytes || one->rank > TW_NPU_RANK)
        return 0;
    for (uint32_t k = 0; k < one->rank; ++k)
        if (one->dims[k] != other->dims[k] || (one->dims[k] > 1 && one->strides[k] != other->strides[k]))
            return 0;
    return 1;
}

static int32_t check_tensors(const tw_npu_stage *stage, runner *made, char *text, uint32_t size)
{
    tw_npu_description *described = &made->description;
    int32_t status = made->plugin->describe(made->session, described);
    if (status != TW_NPU_OK)
        return failure(text, size, status, "%s", made->plugin->detail(made->session));
    if (strcmp(described->target, stage->target) != 0)
        return failure(text, size, TW_NPU_FOREIGN_TARGET, "it runs on %s, the network was compiled for %s",
                       described->target, stage->target);
    if (described->determinism > stage->determinism)
        return failure(text, size, TW_NPU_UNSUPPORTED, "its results are weaker (class %u) than those accepted (%u)",
                       described->determinism, stage->determinism);
    if (described->outstanding < made->slot_count)
        return failure(text, size, TW_NPU_UNSUPPORTED, "it takes %u frames at once, the network submits %u",
                       described->outstanding, made->slot_count);
    if (described->inputs != stage->inputs || described->outputs != stage->outputs)
        return failure(text, size, TW_NPU_WRONG_TENSORS, "it has %u inputs and %u outputs, the network %u and %u",
                       described->inputs, described->outputs, stage->inputs, stage->outputs);
    for (uint32_t k = 0; k < stage->inputs + stage->outputs; ++k) {
        const uint32_t direction = k < stage->inputs ? TW_NPU_INPUT : TW_NPU_OUTPUT;
        const uint32_t index = direction == TW_NPU_INPUT ? k : k - stage->inputs;
        char own[160], expected[160];
        tw_npu_tensor tensor;
        memset(&tensor, 0, sizeof tensor);
        if ((status = made->plugin->tensor(made->session, direction, index, &tensor)) != TW_NPU_OK)
            return failure(text, size, status, "%s", made->plugin->detail(made->session));
        show_tensor(&tensor, own, sizeof own);
        show_tensor(&stage->tensors[k], expected, sizeof expected);
        if (!is_equal(&tensor, &stage->tensors[k]))
            return failure(text, size, TW_NPU_WRONG_TENSORS, "%s %u is %s, the network has %s",
                           direction == TW_NPU_INPUT ? "input" : "output", index, own, expected);
        for (uint32_t number = 0; number < made->slot_count; ++number)
            if ((status = made->plugin->allocate(made->session, tensor.bytes, &made->slots[number][k])) != TW_NPU_OK)
                return failure(text, size, status, "%s", made->plugin->detail(made->session));
    }
    return TW_NPU_OK;
}

/* Submits a frame in the buffers of a slot, with zeros without inputs. */
static int32_t submit_frame(const tw_npu_stage *stage, runner *made, slot *place, uint64_t frame,
                            const void *const *reads, char *text, uint32_t size)
{
    tw_npu_buffer *buffers[2 * TW_NPU_TENSORS];
    const guarded g = {made, frame, number_in("TILEWRIGHT_NPU_TIMEOUT_MS", stage->milliseconds)};
    int32_t status = TW_NPU_OK;
    begin_call(&g);
    for (uint32_t k = 0; k < stage->inputs + stage->outputs; ++k)
        buffers[k] = &(*place)[k];
    for (uint32_t k = 0; k < stage->inputs && status == TW_NPU_OK; ++k) {
        if (reads != NULL)
            memcpy(buffers[k]->host, reads[k], (size_t)stage->tensors[k].bytes);
        else
            memset(buffers[k]->host, 0, (size_t)stage->tensors[k].bytes);
        status = made->plugin->sync(made->session, buffers[k], TW_NPU_TO_DEVICE);
    }
    if (status == TW_NPU_OK)
        status = made->plugin->submit(made->session, frame, buffers, buffers + stage->inputs);
    end_call(&g);
    return status == TW_NPU_OK ? status : failure(text, size, status, "%s", made->plugin->detail(made->session));
}

/* Waits for the oldest frame, which is in the buffers of a slot. */
static int32_t collect_frame(const tw_npu_stage *stage, runner *made, slot *place, uint64_t frame, char *text,
                             uint32_t size)
{
    uint64_t oldest = UINT64_MAX;
    const guarded g = {made, frame, number_in("TILEWRIGHT_NPU_TIMEOUT_MS", stage->milliseconds)};
    begin_call(&g);
    int32_t status = made->plugin->wait(made->session, g.milliseconds, &oldest);
    for (uint32_t k = 0; k < stage->outputs && status == TW_NPU_OK; ++k)
        status = made->plugin->sync(made->session, &(*place)[stage->inputs + k], TW_NPU_FROM_DEVICE);
    end_call(&g);
    if (status != TW_NPU_OK)
        return failure(text, size, status, "%s", made->plugin->detail(made->session));
    if (oldest != frame)
        return failure(text, size, TW_NPU_WRONG_FRAME, "it returned frame %llu", (unsigned long long)oldest);
    return TW_NPU_OK;
}

static int32_t compute(const tw_npu_stage *stage, runner *made, const void *const *reads, char *text, uint32_t size)
{
    const int32_t status = submit_frame(stage, made, &made->slots[0], stage->frame, reads, text, size);
    return status == TW_NPU_OK ? collect_frame(stage, made, &made->slots[0], stage->frame, text, size) : status;
}

static void write_outputs(const tw_npu_stage *stage, slot *place)
{
    for (uint32_t k = 0; k < stage->outputs; ++k)
        memcpy(stage->writes[k], (*place)[stage->inputs + k].host, (size_t)stage->tensors[stage->inputs + k].bytes);
}

static void release_slot(runner *made, slot *place)
{
    for (uint32_t k = 0; k < 2 * TW_NPU_TENSORS; ++k)
        if ((*place)[k].host != NULL)
            made->plugin->release(made->session, &(*place)[k]);
}

static void close_runner(runner *made)
{
    if (made->session != NULL) {
        for (uint32_t number = 0; number < made->slot_count; ++number)
            release_slot(made, &made->slots[number]);
        made->plugin->close(made->session);
    }
    if (made->library != NULL)
        dlclose(made->library);
    pthread_mutex_destroy(&made->busy);
    pthread_mutex_destroy(&made->submitting);
    free(made->slots);
    free(made);
}

static int is_idle(pthread_mutex_t *mutex)
{
    return pthread_mutex_trylock(mutex) == 0 && pthread_mutex_unlock(mutex) == 0;
}

/* Closes a session; while another thread computes, as where a program exits meanwhile, its process is ended alone. */
static void end_runner(runner *made)
{
    if (is_idle(&made->busy) && is_idle(&made->submitting)) {
        made->stage->runner = NULL;
        close_runner(made);
    } else if (made->plugin == &tw_npu_process_plugin)
        tw_npu_process_end(made->session);
}

/* Closes a session that has failed. */
static void forget(runner *made)
{
    pthread_mutex_lock(&lock);
    for (runner **place = &runners; *place != NULL; place = &(*place)->next)
        if (*place == made) {
            *place = made->next;
            end_runner(made);
            break;
        }
    pthread_mutex_unlock(&lock);
}

void tw_npu_close_all(void)
{
    pthread_mutex_lock(&lock);
    while (runners != NULL) {
        runner *first = runners;
        runners = first->next;
        end_runner(first);
    }
    pthread_mutex_unlock(&lock);
}

bool tw_npu_statistics(const char *stage, int64_t numbers[3])
{
    tw_npu_stats stats = {0};
    runner *own = NULL;
    pthread_mutex_lock(&lock);
    for (runner *each = runners; each != NULL; each = each->next)
        own = strcmp(each->stage->stage, stage) == 0 ? each : own;
    const bool is_told = own != NULL && own->plugin->stats(own->session, &stats) == TW_NPU_OK;
    pthread_mutex_unlock(&lock);
    numbers[0] = (int64_t)stats.frames;
    numbers[1] = (int64_t)stats.microseconds;
    numbers[2] = (int64_t)stats.bytes;
    return is_told;
}

/* Stages */

static int32_t described_failure(const tw_npu_stage *stage, uint64_t frame, int32_t status, const char *reason,
                                 char *text, uint32_t size)
{
    return failure(text, size, status,
                   "plug-in '%s' of %s failed at frame %llu with %s (%d)%s%s\n  remedy:     %s", stage->plugin,
                   stage->stage, (unsigned long long)frame, tw_npu_status_name(status), status,
                   *reason != '\0' ? ": " : "", reason, remedy_of(stage, status));
}

int32_t tw_npu_stage_open(tw_npu_stage *stage, char *text, uint32_t size)
{
    char reason[TEXT_BYTES] = "";
    if (stage->runner != NULL)
        return TW_NPU_OK;
    runner *made = calloc(1, sizeof *made);
    const uint32_t slot_count = stage->outstanding > 1 ? stage->outstanding : 1;
    slot *slots = calloc(slot_count, sizeof *slots);
    if (made == NULL || slots == NULL) {
        free(made);
        free(slots);
        return described_failure(stage, stage->frame, TW_NPU_NO_MEMORY, "", text, size);
    }
    pthread_mutex_init(&made->busy, NULL);
    pthread_mutex_init(&made->submitting, NULL);
    made->slots = slots;
    made->slot_count = slot_count;
    made->stage = stage;
    int32_t status = open_artifact(stage, made, reason, sizeof reason);
    if (status == TW_NPU_OK)
        status = check_tensors(stage, made, reason, sizeof reason);
    if (status == TW_NPU_OK && (made->description.flags & TW_NPU_WARM_UP) != 0)
        status = compute(stage, made, NULL, reason, sizeof reason);
    if (status != TW_NPU_OK) {
        close_runner(made);
        return described_failure(stage, stage->frame, status, reason, text, size);
    }
    pthread_mutex_lock(&lock);
    if (!is_registered)
        is_registered = atexit(tw_npu_close_all) == 0;
    made->next = runners;
    runners = made;
    pthread_mutex_unlock(&lock);
    stage->runner = made;
    return TW_NPU_OK;
}

int32_t tw_npu_stage_compute(tw_npu_stage *stage, char *text, uint32_t size)
{
    char reason[TEXT_BYTES] = "";
    int32_t status = tw_npu_stage_open(stage, text, size);
    if (status != TW_NPU_OK)
        return status;
    runner *made = stage->runner;
    pthread_mutex_lock(&made->busy);
    status = compute(stage, made, stage->reads, reason, sizeof reason);
    if (status == TW_NPU_OK)
        write_outputs(stage, &made->slots[0]);
    pthread_mutex_unlock(&made->busy);
    if (status != TW_NPU_OK) {
        forget(made);
        return described_failure(stage, stage->frame, status, reason, text, size);
    }
    ++stage->frame;
    return TW_NPU_OK;
}

static void print_and_exit(const char *stage, uint64_t frame, const char *text)
{
    static pthread_mutex_t once = PTHREAD_MUTEX_INITIALIZER;
    (void)stage;
    (void)frame;
    pthread_mutex_lock(&once); /* for good: the first failure ends the program */
    fprintf(stderr, "error: %s\n", text);
    exit(EXIT_FAILURE);
}

static void (*on_failure)(const char *stage, uint64_t frame, const char *text) = print_and_exit;

void tw_npu_on_failure(void (*handler)(const char *stage, uint64_t frame, const char *text))
{
    on_failure = handler;
}

void tw_npu_stage_prepare(tw_npu_stage *stage)
{
    char text[2 * TEXT_BYTES];
    runner *made = stage->runner;
    if (made != NULL && (atomic_load(&made->has_failed) != 0 || made->submitted != made->collected))
        forget(made); /* A run that was cancelled has left frames in it. */
    if (tw_npu_stage_open(stage, text, sizeof text) != TW_NPU_OK)
        on_failure(stage->stage, stage->frame, text);
}

/* Ends a submission or a collection; the first failure of the two threads is given to the handler. */
static void end_part(runner *made, pthread_mutex_t *held, int32_t status, uint64_t frame, const char *reason)
{
    char text[2 * TEXT_BYTES];
    pthread_mutex_unlock(held);
    if (status == TW_NPU_OK || atomic_exchange(&made->has_failed, 1) != 0)
        return;
    described_failure(made->stage, frame, status, reason, text, sizeof text);
    on_failure(made->stage->stage, frame, text);
}

void tw_npu_stage_submit(tw_npu_stage *stage, int64_t number)
{
    char reason[TEXT_BYTES] = "";
    runner *made = stage->runner;
    if (made == NULL || atomic_load(&made->has_failed) != 0)
        return;
    pthread_mutex_lock(&made->submitting);
    const uint64_t frame = number < 0 ? made->submitted : (uint64_t)number;
    slot *place = &made->slots[made->submitted % made->slot_count];
    const int32_t status = submit_frame(stage, made, place, frame, stage->reads, reason, sizeof reason);
    ++made->submitted;
    /* A process that has ended has not done the oldest frame, whose collection says so. */
    end_part(made, &made->submitting, status == TW_NPU_CRASHED ? TW_NPU_OK : status, frame, reason);
}

void tw_npu_stage_collect(tw_npu_stage *stage, int64_t number)
{
    char reason[TEXT_BYTES] = "";
    runner *made = stage->runner;
    if (made == NULL || atomic_load(&made->has_failed) != 0)
        return;
    pthread_mutex_lock(&made->busy);
    const uint64_t frame = number < 0 ? made->collected : (uint64_t)number;
    slot *place = &made->slots[made->collected % made->slot_count];
    const int32_t status = collect_frame(stage, made, place, frame, reason, sizeof reason);
    ++made->collected;
    if (status == TW_NPU_OK)
        write_outputs(stage, place);
    end_part(made, &made->busy, status, frame, reason);
}

void tw_npu_stage_run(tw_npu_stage *stage)
{
    char text[2 * TEXT_BYTES];
    if (tw_npu_stage_compute(stage, text, sizeof text) != TW_NPU_OK)
        on_failure(stage->stage, stage->frame, text);
}
