/* The reference plug-in with a fault, the one that the variable TW_FAULT names. */
#define tilewright_npu_plugin reference_plugin
#include "tilewright_npu_reference.c"
#undef tilewright_npu_plugin

static tw_npu_plugin table;
static const char *fault;
static uint64_t frames;

static int is(const char *name)
{
    return strcmp(fault, name) == 0;
}

static int32_t faulty_open(const tw_npu_open_request *request, void **session)
{
    if (is("hang-at-open"))
        pause();
    return reference_plugin(TW_NPU_ABI_VERSION)->open(request, session);
}

static int32_t faulty_describe(void *session, tw_npu_description *description)
{
    const int32_t status = reference_plugin(TW_NPU_ABI_VERSION)->describe(session, description);
    if (is("tolerance"))
        description->determinism = TW_NPU_TOLERANCE;
    if (is("warm-up"))
        description->flags = TW_NPU_WARM_UP;
    return status;
}

static int32_t faulty_wait(void *session, uint32_t milliseconds, uint64_t *frame)
{
    const int32_t status = reference_plugin(TW_NPU_ABI_VERSION)->wait(session, milliseconds, frame);
    const int is_third = frames++ == 2;
    if (is("hang") && is_third)
        pause();
    if (is("segfault") && is_third)
        *(volatile int *)8 = 0;
    if (is("abort") && is_third)
        abort();
    if (is("exit") && is_third)
        _exit(3);
    if (is("other-frame") && is_third)
        *frame -= 1;
    if (is("error") && is_third)
        return refused(TW_NPU_FAILED, "the device is on fire");
    return is("slow") && is_third ? TW_NPU_TIMEOUT : status;
}

/* Random times between submissions and collections; the most frames in flight are printed at the end. */
static pthread_mutex_t counting = PTHREAD_MUTEX_INITIALIZER;
static int in_flight, most;

static void count(int change)
{
    pthread_mutex_lock(&counting);
    in_flight += change;
    most = in_flight > most ? in_flight : most;
    pthread_mutex_unlock(&counting);
}

static int32_t slow_submit(void *session, uint64_t frame, tw_npu_buffer *const *inputs, tw_npu_buffer *const *outputs)
{
    if (is("random"))
        usleep((unsigned)(frame * 7919 % 1500));
    if (is("hang-at-submit") && frame == 2)
        pause();
    const int32_t status = reference_plugin(TW_NPU_ABI_VERSION)->submit(session, frame, inputs, outputs);
    count(status == TW_NPU_OK);
    return status;
}

static int32_t slow_wait(void *session, uint32_t milliseconds, uint64_t *frame)
{
    if (is("random"))
        usleep((unsigned)(frames * 104729 % 4000));
    const int32_t status = faulty_wait(session, milliseconds, frame);
    count(-(status == TW_NPU_OK));
    return status;
}

static void counted_close(void *session)
{
    reference_plugin(TW_NPU_ABI_VERSION)->close(session);
    if (is("random"))
        fprintf(stderr, "at most %d in flight\n", most);
}

static const char *faulty_detail(void *session)
{
    (void)session;
    return open_detail;
}

const tw_npu_plugin *tilewright_npu_plugin(uint32_t abi_version)
{
    fault = getenv("TW_FAULT") != NULL ? getenv("TW_FAULT") : "";
    table = *reference_plugin(abi_version);
    table.open = faulty_open;
    table.describe = faulty_describe;
    table.submit = slow_submit;
    table.wait = slow_wait;
    table.close = counted_close;
    table.detail = faulty_detail;
    if (is("version"))
        table.abi_version = 2;
    return &table;
}
