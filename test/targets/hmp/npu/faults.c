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
    table.wait = faulty_wait;
    table.detail = faulty_detail;
    if (is("version"))
        table.abi_version = 2;
    return &table;
}
