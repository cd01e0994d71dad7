/*
 * A library of OpenCL with one device, which computes nothing: STUB_FAIL=clCreateBuffer:-4 lets a call fail, STUB_EMPTY
 * takes the platform away, STUB_FLOAT the device's 64-bit floats.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int32_t status(const char *call) {
    const char *const fail = getenv("STUB_FAIL");
    const size_t length = strlen(call);
    return fail != NULL && strncmp(fail, call, length) == 0 && fail[length] == ':' ? atoi(fail + length + 1) : 0;
}

static void *made(const char *call, int32_t *code) {
    static int object;
    *code = status(call);
    return *code == 0 ? &object : NULL;
}

static int32_t text(const char *from, size_t size, void *to, size_t *needed) {
    if (needed != NULL) *needed = strlen(from) + 1;
    if (to != NULL) snprintf(to, size, "%s", from);
    return 0;
}

int32_t clGetPlatformIDs(uint32_t most, void **platforms, uint32_t *count) {
    (void)most;
    *count = getenv("STUB_EMPTY") == NULL;
    platforms[0] = platforms;
    return *count ? 0 : -1001;
}
int32_t clGetPlatformInfo(void *platform, uint32_t what, size_t size, void *to, size_t *needed) {
    (void)platform, (void)what;
    return text("stub platform", size, to, needed);
}
int32_t clGetDeviceIDs(void *platform, uint64_t kind, uint32_t most, void **devices, uint32_t *count) {
    (void)platform, (void)kind, (void)most;
    *count = 1;
    devices[0] = devices;
    return 0;
}
int32_t clGetDeviceInfo(void *device, uint32_t what, size_t size, void *to, size_t *needed) {
    (void)device;
    if (what == 0x102b) return text("stub device", size, to, needed);
    memset(to, what == 0x1032 && getenv("STUB_FLOAT") != NULL ? 0 : 1, size);
    return 0;
}
void *clCreateContext(const intptr_t *given, uint32_t n, void *const *devices, void *notify, void *data, int32_t *code) {
    (void)given, (void)n, (void)devices, (void)notify, (void)data;
    return made("clCreateContext", code);
}
void *clCreateCommandQueue(void *context, void *device, uint64_t properties, int32_t *code) {
    (void)context, (void)device, (void)properties;
    return made("clCreateCommandQueue", code);
}
void *clCreateProgramWithSource(void *context, uint32_t n, const char **source, const size_t *lengths, int32_t *code) {
    (void)context, (void)n, (void)source, (void)lengths;
    return made("clCreateProgramWithSource", code);
}
int32_t clBuildProgram(void *program, uint32_t n, void *const *devices, const char *options, void *notify, void *data) {
    (void)program, (void)n, (void)devices, (void)options, (void)notify, (void)data;
    return status("clBuildProgram");
}
int32_t clGetProgramBuildInfo(void *program, void *device, uint32_t what, size_t size, void *to, size_t *needed) {
    (void)program, (void)device, (void)what;
    return text("line 7: a word that it does not know", size, to, needed);
}
void *clCreateKernel(void *program, const char *name, int32_t *code) {
    (void)program, (void)name;
    return made("clCreateKernel", code);
}
int32_t clSetKernelArg(void *kernel, uint32_t position, size_t size, const void *value) {
    (void)kernel, (void)position, (void)size, (void)value;
    return status("clSetKernelArg");
}
void *clCreateBuffer(void *context, uint64_t kind, size_t size, void *data, int32_t *code) {
    (void)context, (void)kind, (void)size, (void)data;
    return made("clCreateBuffer", code);
}
void *clEnqueueMapBuffer(void *queue, void *buffer, uint32_t waits, uint64_t kind, size_t from, size_t size, uint32_t n,
                         void *const *events, void **event, int32_t *code) {
    (void)queue, (void)buffer, (void)waits, (void)kind, (void)from, (void)n, (void)events, (void)event;
    *code = status("clEnqueueMapBuffer");
    return calloc(1, size);
}
int32_t clEnqueueUnmapMemObject(void *queue, void *buffer, void *mapped, uint32_t n, void *const *events, void **event) {
    (void)queue, (void)buffer, (void)n, (void)events, (void)event;
    free(mapped);
    return status("clEnqueueUnmapMemObject");
}
int32_t clEnqueueNDRangeKernel(void *queue, void *kernel, uint32_t axes, const size_t *offset, const size_t *global,
                               const size_t *local, uint32_t n, void *const *events, void **event) {
    (void)queue, (void)kernel, (void)axes, (void)offset, (void)global, (void)local, (void)n, (void)events, (void)event;
    return status("clEnqueueNDRangeKernel");
}
int32_t clFlush(void *queue) {
    (void)queue;
    return status("clFlush");
}
int32_t clFinish(void *queue) {
    (void)queue;
    return status("clFinish");
}
