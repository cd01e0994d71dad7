/* The command line of a keyboard server: the protocol or the text mode on streams, and measurements on a file of tokens. */
#define _DEFAULT_SOURCE
#define _POSIX_C_SOURCE 200809L
#include "tilewright_keyboard_posix.h"
#include "tilewright_keyboard_store.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    SERIAL,
    TEXT,
    PREDICT,
    TOKENS,
    COUNT,
    EVERY,
    SINGLE,
    DOCUMENTS,
    MEMORY,
    FOLDER,
    CAPACITY,
    BUDGET,
    SINKS,
    RECENT,
    SKIP,
    TYPE,
    EVICTION,
    REDUCE,
    THREADS,
    HELP,
    OPTIONS
};

static const struct option LONG[OPTIONS + 1] = {
    [SERIAL] = {"serial", required_argument, NULL, SERIAL},
    [TEXT] = {"text", no_argument, NULL, TEXT},
    [PREDICT] = {"predict", required_argument, NULL, PREDICT},
    [TOKENS] = {"tokens", required_argument, NULL, TOKENS},
    [COUNT] = {"count", required_argument, NULL, COUNT},
    [EVERY] = {"every", required_argument, NULL, EVERY},
    [SINGLE] = {"single", no_argument, NULL, SINGLE},
    [DOCUMENTS] = {"documents", required_argument, NULL, DOCUMENTS},
    [MEMORY] = {"kv-memory", required_argument, NULL, MEMORY},
    [FOLDER] = {"kv-dir", required_argument, NULL, FOLDER},
    [CAPACITY] = {"kv-capacity", required_argument, NULL, CAPACITY},
    [BUDGET] = {"kv-budget", required_argument, NULL, BUDGET},
    [SINKS] = {"kv-sinks", required_argument, NULL, SINKS},
    [RECENT] = {"kv-recent", required_argument, NULL, RECENT},
    [SKIP] = {"kv-skip-layers", required_argument, NULL, SKIP},
    [TYPE] = {"kv-type", required_argument, NULL, TYPE},
    [EVICTION] = {"kv-eviction", required_argument, NULL, EVICTION},
    [REDUCE] = {"kv-reduce", required_argument, NULL, REDUCE},
    [THREADS] = {"kv-threads", required_argument, NULL, THREADS},
    [HELP] = {"help", no_argument, NULL, HELP},
};

static const char *const USAGE =
    "Keyboard server of a language model: typed bytes in, predicted bytes out. It serves frames on standard input and\n"
    "output, which docs/keyboard.md defines, until the input ends or SIGTERM comes; then it saves.\n"
    "\n"
    "  --serial DEVICE[,BAUD]   serve on a serial device (115200)\n"
    "  --text                   serve lines of text: what is typed is appended, a tab or an empty line predicts\n"
    "  --predict BYTES          with --text: bytes of a prediction at most, which ends with its line (64)\n"
    "  --tokens FILE            append the bytes of a file and print figures as lines of JSON, from the start when it ends\n"
    "  --count N                with --tokens: how many (those of the file)\n"
    "  --every N                with --tokens: bytes between lines (1000)\n"
    "  --single                 with --tokens: one byte at a time, as if typed\n"
    "  --documents N            documents at most, 1 to 64 (8)\n"
    "  --kv-memory SIZE         bytes of memory for keys and values, such as 100MiB (256MiB)\n"
    "  --kv-dir DIR             a folder for pages and for what is saved, made if absent\n"
    "  --kv-capacity TOKENS     tokens of all documents, what they share counted once (twice the context and 512)\n"
    "  --kv-budget TOKENS       tokens that a query attends to, in pages; 0 for all (0)\n"
    "  --kv-sinks PAGES         first pages that are always attended to (0)\n"
    "  --kv-recent PAGES        pages before a query's own that are always attended to (0)\n"
    "  --kv-skip-layers N       first layers that attend to all pages (0)\n"
    "  --kv-type f32|bf16       the type of stored keys and values (f32)\n"
    "  --kv-eviction lru|clock  which pages leave the memory (lru)\n"
    "  --kv-reduce NAME         how query heads agree on pages: softmax-sum, union, max, sum (softmax-sum)\n"
    "  --kv-threads N           threads that read pages ahead, 0 to 64 (0)\n";

static int refuse(const char *option, const char *expected)
{
    fprintf(stderr, "error: --%s is not %s\n", option, expected);
    return 2;
}

static int fail(const char *where, const char *why)
{
    fprintf(stderr, "error: %s: %s\n", where, why);
    return 1;
}

static bool number_of(const char *text, uint64_t most, uint64_t *number)
{
    char *end;
    if (text == NULL)
        return true;
    errno = 0;
    const unsigned long long value = strtoull(text, &end, 10);
    if (errno != 0 || end == text || *end != 0 || *text == '-' || value > most)
        return false;
    *number = value;
    return true;
}

static bool size_of(const char *text, uint64_t *bytes)
{
    static const struct {
        const char *name;
        unsigned shift;
    } units[] = {{"", 0}, {"B", 0}, {"KiB", 10}, {"MiB", 20}, {"GiB", 30}};
    char *end;
    errno = 0;
    const unsigned long long value = strtoull(text, &end, 10);
    for (size_t k = 0; k < sizeof units / sizeof *units; ++k)
        if (errno == 0 && end != text && *text != '-' && strcmp(end, units[k].name) == 0 &&
            value <= UINT64_MAX >> units[k].shift) {
            *bytes = (uint64_t)value << units[k].shift;
            return true;
        }
    return false;
}

/* Return the place of a word among names, or -1. */
static int place_of(const char *word, const char *const *names, int count)
{
    for (int k = 0; k < count; ++k)
        if (strcmp(word, names[k]) == 0)
            return k;
    return -1;
}

typedef struct settings {
    tw_paged_config config;
    const char *folder, *serial, *tokens;
    bool is_text, is_single;
    uint64_t predict, count, every;
} settings;

/* Read the words among the options of the store. Returns 0 or an exit code. */
static int read_names(const char *const *text, tw_paged_config *config)
{
    static const char *const types[] = {"f32", "bf16"}, *const evictions[] = {"lru", "clock"};
    static const char *const reductions[] = {"softmax-sum", "union", "max", "sum"};
    const int type = place_of(text[TYPE], types, 2), eviction = place_of(text[EVICTION], evictions, 2);
    const int reduce = place_of(text[REDUCE], reductions, 4);
    if (type < 0)
        return refuse("kv-type", "f32 or bf16");
    if (eviction < 0)
        return refuse("kv-eviction", "lru or clock");
    if (reduce < 0)
        return refuse("kv-reduce", "softmax-sum, union, max or sum");
    config->element = config->digest = (uint32_t)type;
    config->eviction = (uint32_t)eviction;
    config->reduce = (uint32_t)reduce;
    return 0;
}

/* Read the options of the store. Returns 0 or an exit code. */
static int read_store(const char *const *text, tw_paged_config *config)
{
    const uint64_t page = config->page_length, context = config->context;
    uint64_t capacity = 2 * context + TW_KEYBOARD_PREDICTED, budget = 0, documents = 8, sinks = 0, recent = 0, skip = 0;
    uint64_t threads = 0;
    if (!size_of(text[MEMORY], &config->memory))
        return refuse("kv-memory", "a size such as 100MiB");
    if (!number_of(text[CAPACITY], UINT64_C(1) << 42, &capacity) || capacity < context)
        return refuse("kv-capacity", "a number of tokens that holds the context");
    if (!number_of(text[BUDGET], UINT32_MAX, &budget))
        return refuse("kv-budget", "a number of tokens");
    if (!number_of(text[DOCUMENTS], TW_KEYBOARD_DOCUMENTS, &documents) || documents == 0)
        return refuse("documents", "1 to 64");
    if (!number_of(text[SINKS], UINT32_MAX, &sinks))
        return refuse("kv-sinks", "a number of pages");
    if (!number_of(text[RECENT], UINT32_MAX, &recent))
        return refuse("kv-recent", "a number of pages");
    if (!number_of(text[SKIP], UINT32_MAX, &skip))
        return refuse("kv-skip-layers", "a number of layers");
    if (!number_of(text[THREADS], 64, &threads))
        return refuse("kv-threads", "0 to 64");
    config->capacity = (capacity + page - 1) / page * page;
    config->budget_pages = (uint32_t)((budget + page - 1) / page);
    config->max_sequences = (uint32_t)documents + 1;
    config->sinks = (uint32_t)sinks;
    config->recent = (uint32_t)recent;
    config->skip_layers = (uint32_t)skip;
    config->threads = (uint32_t)threads;
    config->sparse_prefill = 1;
    return read_names(text, config);
}

/* Read all options. Returns 0, an exit code, or -1 after --help. */
static int read_settings(int argc, char **argv, settings *given)
{
    const char *text[OPTIONS] = {
        [MEMORY] = "256MiB", [TYPE] = "f32", [EVICTION] = "lru", [REDUCE] = "softmax-sum"};
    given->predict = 64;
    given->every = 1000;
    for (int option; (option = getopt_long(argc, argv, "", LONG, NULL)) != -1;) {
        if (option < 0 || option >= OPTIONS)
            return 2;
        text[option] = optarg != NULL ? optarg : "";
    }
    if (text[HELP] != NULL) {
        fputs(USAGE, stdout);
        return -1;
    }
    if (optind < argc) {
        fprintf(stderr, "error: '%s' is no option; --help shows them\n", argv[optind]);
        return 2;
    }
    given->folder = text[FOLDER];
    given->serial = text[SERIAL];
    given->tokens = text[TOKENS];
    given->is_text = text[TEXT] != NULL;
    given->is_single = text[SINGLE] != NULL;
    if (!number_of(text[PREDICT], TW_KEYBOARD_PREDICTED, &given->predict) || given->predict == 0)
        return refuse("predict", "1 to 512");
    if (!number_of(text[COUNT], UINT64_MAX, &given->count) || (text[COUNT] != NULL && given->count == 0))
        return refuse("count", "a number of bytes");
    if (!number_of(text[EVERY], UINT64_MAX, &given->every) || given->every == 0)
        return refuse("every", "a number of bytes");
    if ((given->serial != NULL) + given->is_text + (given->tokens != NULL) > 1)
        return refuse("serial, --text or --tokens", "given alone");
    return read_store(text, &given->config);
}

/* Measurements. */

/* Return the most bytes of memory that this process has held, 0 where no /proc says so. */
static unsigned long long most_resident(void)
{
    char line[128];
    unsigned long long kibibytes = 0;
    FILE *file = fopen("/proc/self/status", "r");
    if (file == NULL)
        return 0;
    while (fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "VmHWM: %llu", &kibibytes) == 1)
            break;
    fclose(file);
    return kibibytes * 1024;
}

typedef struct point {
    uint64_t tokens, microseconds, hits, misses;
} point;

static void print_figures(const tw_keyboard_model *model, uint64_t tokens, uint64_t start, point *before)
{
    tw_keyboard_counts counts;
    model->counts(model->context, &counts);
    const point now = {tokens, model->microseconds(model->context) - start, counts.hits, counts.misses};
    const double seconds = (double)(now.microseconds - before->microseconds) * 1e-6;
    const uint64_t hits = now.hits - before->hits, seen = hits + now.misses - before->misses;
    printf("{\"tokens\": %llu, \"seconds\": %.6f, \"tokens_per_second\": %.3f, \"hit_rate\": %.6f, "
           "\"resident_bytes\": %llu, \"store_bytes\": %llu, \"bytes_read\": %llu, \"bytes_written\": %llu, "
           "\"vm_hwm\": %llu}\n",
           (unsigned long long)tokens, (double)now.microseconds * 1e-6,
           seconds > 0 ? (double)(now.tokens - before->tokens) / seconds : 0.0,
           seen > 0 ? (double)hits / (double)seen : 1.0, (unsigned long long)counts.resident,
           (unsigned long long)counts.memory, (unsigned long long)counts.bytes_read,
           (unsigned long long)counts.bytes_written, most_resident());
    fflush(stdout);
    *before = now;
}

/* Read bytes, from the start of the file again at its end. Returns false where it cannot be read, or has none. */
static bool read_cycled(FILE *file, uint8_t *bytes, size_t count)
{
    bool is_start = false;
    for (size_t done = 0; done < count;) {
        const size_t more = fread(bytes + done, 1, count - done, file);
        if (more == 0 && (is_start || ferror(file)))
            return false;
        is_start = more == 0;
        if (is_start)
            rewind(file);
        done += more;
    }
    return true;
}

static int measure_file(const settings *given, tw_keyboard_work *work, FILE *file)
{
    const tw_keyboard_model *model = work->model;
    const uint64_t start = model->microseconds(model->context);
    point before = {0};
    for (uint64_t done = 0; done < given->count;) {
        const uint64_t next = given->every - done % given->every, left = given->count - done;
        uint64_t count = given->is_single ? 1 : next < TW_KEYBOARD_PAYLOAD ? next : TW_KEYBOARD_PAYLOAD;
        uint8_t bytes[TW_KEYBOARD_PAYLOAD];
        count = count < left ? count : left;
        if (!read_cycled(file, bytes, count))
            return fail(given->tokens, "the file cannot be read, or is empty");
        if (tw_keyboard_append(work, bytes, (uint32_t)count) != TW_KEYBOARD_OK)
            return fail(given->tokens, work->message);
        while (work->job != TW_KEYBOARD_NO_JOB)
            if (tw_keyboard_advance(work) == TW_KEYBOARD_FAILED)
                return fail(given->tokens, work->message);
        done += count;
        if (done % given->every == 0 || done == given->count)
            print_figures(model, done, start, &before);
    }
    return 0;
}

static int measure(settings *given, const tw_keyboard_model *model)
{
    static tw_keyboard_work work;
    if (tw_keyboard_work_open(&work, model) != TW_KEYBOARD_OK)
        return fail("the model", work.message);
    FILE *file = fopen(given->tokens, "rb");
    if (file == NULL)
        return fail(given->tokens, strerror(errno));
    if (given->count == 0 && fseek(file, 0, SEEK_END) == 0) {
        const long size = ftell(file);
        given->count = size > 0 ? (uint64_t)size : 0;
        rewind(file);
    }
    const int status = given->count > 0 ? measure_file(given, &work, file) : fail(given->tokens, "the file is empty");
    fclose(file);
    return status;
}

/* Serving. */

/* Split "DEVICE,BAUD" and open the device. Returns a file descriptor, or -errno. */
static int open_serial(const char *text)
{
    char device[4096];
    const char *comma = strrchr(text, ',');
    const size_t length = comma != NULL ? (size_t)(comma - text) : strlen(text);
    uint64_t baud = 115200;
    if (length >= sizeof device || !number_of(comma != NULL ? comma + 1 : NULL, UINT32_MAX, &baud))
        return -EINVAL;
    memcpy(device, text, length);
    device[length] = 0;
    return tw_keyboard_serial(device, (uint32_t)baud);
}

static int serve(const settings *given, const tw_keyboard_model *model)
{
    static tw_keyboard keyboard;
    static tw_keyboard_text text;
    static tw_keyboard_output output;
    const tw_keyboard_prediction prediction = {.most = (uint32_t)given->predict, .stops = {[1] = 1u << ('\n' % 8)}};
    tw_keyboard_front front;
    tw_keyboard_code code;
    tw_keyboard_work *work = given->is_text ? &text.work : &keyboard.work;
    if (given->is_text) {
        code = tw_keyboard_text_open(&text, model, &prediction, tw_keyboard_enqueue, &output);
        front = tw_keyboard_text_front(&text);
    } else {
        code = tw_keyboard_open(&keyboard, model, tw_keyboard_enqueue, &output);
        front = tw_keyboard_protocol_front(&keyboard);
    }
    if (code != TW_KEYBOARD_OK)
        return fail("the model", work->message);
    const int serial = given->serial != NULL ? open_serial(given->serial) : -1;
    if (given->serial != NULL && serial < 0)
        return fail(given->serial, serial == -EINVAL ? "not DEVICE or DEVICE,BAUD with a known rate" : strerror(-serial));
    const int in = serial >= 0 ? serial : STDIN_FILENO, out = serial >= 0 ? serial : STDOUT_FILENO;
    const int failed = tw_keyboard_serve(&front, &output, in, out);
    int status = failed != 0 ? fail("the line", strerror(failed)) : 0;
    if (given->folder != NULL && !work->is_closed && tw_keyboard_save(work) != TW_KEYBOARD_OK)
        status = fail(given->folder, work->message);
    return status;
}

int tw_keyboard_command(int argc, char **argv, const tw_keyboard_network *network, const tw_paged_config *shape)
{
    static tw_keyboard_store store;
    settings given = {.config = *shape};
    int status = read_settings(argc, argv, &given);
    if (status != 0)
        return status < 0 ? 0 : status;
    if (given.folder != NULL && tw_keyboard_make_folder(given.folder) != 0)
        return fail(given.folder, strerror(errno));
    const tw_keyboard_network single = {network->vocabulary, 1, network->begin, network->run, network->bind};
    if (tw_keyboard_store_open(&store, given.is_single ? &single : network, &given.config, given.folder) !=
        TW_KEYBOARD_OK)
        return fail(given.folder != NULL ? given.folder : "the store", store.message);
    const tw_keyboard_model model = tw_keyboard_store_model(&store);
    status = given.tokens != NULL ? measure(&given, &model) : serve(&given, &model);
    tw_keyboard_store_close(&store);
    return status;
}
