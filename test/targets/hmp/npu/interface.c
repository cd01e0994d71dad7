/* Calls every function of a plug-in, as its interface says; prints what is wrong. PLUGIN.so ARTEFACT TARGET */
#define _GNU_SOURCE
#include "tilewright_npu_process.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define EXPECT(condition) (condition) ? (void)0 : (void)printf("line %d: %s\n", __LINE__, #condition)

int main(int count, char **arguments)
{
    if (count != 4)
        return EXIT_FAILURE;
    void *library = dlopen(arguments[1], RTLD_NOW);
    union {
        void *object;
        tw_npu_plugin_function function;
    } symbol = {.object = dlsym(library, "tilewright_npu_plugin")};
    EXPECT(symbol.function(TW_NPU_ABI_VERSION + 1) == NULL);
    const tw_npu_plugin *plugin = symbol.function(TW_NPU_ABI_VERSION);
    tw_npu_open_request request = {.path = arguments[2], .target = arguments[3]};
    void *bytes = tw_npu_read_file(arguments[2], &request.size);
    request.bytes = bytes;

    void *session = NULL;
    request.program = 1;
    EXPECT(plugin->open(&request, &session) == TW_NPU_UNSUPPORTED && session == NULL && *plugin->detail(NULL) != '\0');
    request.program = 0;
    request.target = "rk3588";
    EXPECT(plugin->open(&request, &session) == TW_NPU_FOREIGN_TARGET && session == NULL);
    request.target = arguments[3];
    EXPECT(plugin->open(&request, &session) == TW_NPU_OK);
    free(bytes); /* A session needs the bytes no longer. */

    tw_npu_description description;
    tw_npu_tensor input, output;
    EXPECT(plugin->describe(session, &description) == TW_NPU_OK);
    EXPECT(description.inputs == 2 && description.outputs == 1 && description.outstanding >= 2);
    EXPECT(plugin->tensor(session, TW_NPU_INPUT, 0, &input) == TW_NPU_OK);
    EXPECT(plugin->tensor(session, TW_NPU_OUTPUT, 0, &output) == TW_NPU_OK);
    EXPECT(plugin->tensor(session, TW_NPU_INPUT, 2, &input) == TW_NPU_BAD_ARGUMENT);
    EXPECT(input.type == TW_NPU_F32 && input.rank == 1 && input.strides[0] == 4 && input.bytes % input.alignment == 0);

    /* The device's own memory for one input, a file for the other, the host's for outputs. */
    static float results[8][96];
    const int file = memfd_create("tensor", 0);
    if (ftruncate(file, 8192) != 0)
        return EXIT_FAILURE;
    tw_npu_buffer own, shared = {.memory = TW_NPU_FD, .fd = file, .offset = 4096, .bytes = input.bytes};
    tw_npu_buffer physical = {.memory = TW_NPU_PHYSICAL, .physical = 0x1000, .bytes = input.bytes};
    EXPECT(plugin->allocate(session, input.bytes, &own) == TW_NPU_OK);
    EXPECT(plugin->import(session, &shared) == TW_NPU_OK);
    EXPECT(plugin->import(session, &physical) == TW_NPU_UNSUPPORTED);
    float *mapped = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 4096);
    for (int k = 0; k < 96; ++k) {
        ((float *)own.host)[k] = (float)k;
        mapped[k] = (float)(2 * k);
    }
    EXPECT(plugin->sync(session, &own, TW_NPU_TO_DEVICE) == TW_NPU_OK);
    EXPECT(plugin->sync(session, &own, 0) == TW_NPU_BAD_ARGUMENT);
    tw_npu_buffer outputs[8];
    tw_npu_buffer *reads[] = {&own, &shared};
    uint64_t frame = 0, submitted = 0;
    EXPECT(plugin->wait(session, 1, &frame) == TW_NPU_TIMEOUT && *plugin->detail(session) != '\0');
    for (; submitted < 8; ++submitted) {
        outputs[submitted] = (tw_npu_buffer){.memory = TW_NPU_HOST, .host = results[submitted], .bytes = output.bytes};
        EXPECT(plugin->import(session, &outputs[submitted]) == TW_NPU_OK);
        tw_npu_buffer *writes[] = {&outputs[submitted]};
        const int32_t status = plugin->submit(session, 100 + submitted, reads, writes);
        EXPECT(status == (submitted < description.outstanding ? TW_NPU_OK : TW_NPU_AGAIN));
        if (status != TW_NPU_OK)
            break;
    }
    EXPECT(submitted == description.outstanding);
    for (uint64_t k = 0; k < submitted; ++k) {
        EXPECT(plugin->wait(session, 10000, &frame) == TW_NPU_OK && frame == 100 + k);
        EXPECT(results[k][5] == 50.0f && results[k][95] == 95.0f * 190.0f);
    }
    tw_npu_stats stats;
    EXPECT(plugin->stats(session, &stats) == TW_NPU_OK && stats.frames == submitted && stats.bytes > 0);
    EXPECT(plugin->release(session, &own) == TW_NPU_OK && plugin->release(session, &shared) == TW_NPU_OK);
    plugin->close(session);
    dlclose(library);
    return EXIT_SUCCESS;
}
