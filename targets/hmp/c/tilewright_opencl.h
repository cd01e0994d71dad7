/*
 * Stages of a network on an OpenCL device: the interface between the tables that Tilewright emits and OpenCL 1.2.
 *
 * The library of OpenCL is loaded when the first stage opens, so that nothing is linked. These environment variables choose:
 *
 *   TILEWRIGHT_OPENCL_LIBRARY   the library, libOpenCL.so.1 by default
 *   TILEWRIGHT_OPENCL_PLATFORM  a part of the platform's name, or its number from 0; all platforms by default
 *   TILEWRIGHT_OPENCL_DEVICE    a part of the device's name, or its number from 0 among those of the platforms chosen;
 *                               by default the first GPU, and without one the first device
 *
 * Inputs and outputs of a stage are buffers of CL_MEM_ALLOC_HOST_PTR, which are mapped where host and device share memory;
 * constants are copied once. Each stage has an in-order queue of its own, and may be called from a thread of its own.
 *
 * Errors end the program: TW_OPENCL_FAIL(stage, message) prints and exits. In a pipeline of frames (tilewright_pipeline.h,
 * included before) it cancels the run, which says the frame. Define it before to do something else, but not to return;
 * `stage` is the tw_opencl_stage.
 */
#ifndef TILEWRIGHT_OPENCL_H
#define TILEWRIGHT_OPENCL_H

#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if !defined(TW_OPENCL_FAIL) && defined(tw_mark_task)
#define TW_OPENCL_FAIL(stage, message) \
    ((stage)->is_open ? tw_stage_fail("OpenCL: %s", message) \
                      : tw_stage_fail("stage %s on OpenCL: %s", (stage)->name, message))
#elif !defined(TW_OPENCL_FAIL)
#define TW_OPENCL_FAIL(stage, message) \
    (fprintf(stderr, "error: stage %s on OpenCL: %s\n", (stage)->name, message), exit(EXIT_FAILURE))
#endif

#if defined(__GNUC__)
#define TW_OPENCL_INLINE static inline __attribute__((__unused__))
#define TW_OPENCL_PRINTF(from) __attribute__((__format__(__printf__, from, from + 1)))
#else
#define TW_OPENCL_INLINE static inline
#define TW_OPENCL_PRINTF(from)
#endif

/* The part of OpenCL 1.2's interface that stages use, so that no headers of OpenCL are needed. */
typedef void *tw_cl_object;
enum {
    TW_CL_MEM_READ_WRITE = 1,
    TW_CL_MEM_READ_ONLY = 4,
    TW_CL_MEM_ALLOC_HOST_PTR = 16,
    TW_CL_MEM_COPY_HOST_PTR = 32,
    TW_CL_MAP_READ = 1,
    TW_CL_MAP_WRITE_INVALIDATE_REGION = 4,
    TW_CL_PLATFORM_NAME = 0x0902,
    TW_CL_DEVICE_TYPE = 0x1000,
    TW_CL_DEVICE_DOUBLE_FP_CONFIG = 0x1032,
    TW_CL_DEVICE_NAME = 0x102b,
    TW_CL_DEVICE_SINGLE_FP_CONFIG = 0x101b,
    TW_CL_PROGRAM_BUILD_LOG = 0x1183,
    TW_CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT = 128,
    TW_CL_DEVICE_TYPE_GPU = 4,
};
#define TW_CL_DEVICE_TYPE_ALL 0xffffffffu

#define TW_CL_FUNCTIONS(f) \
    f(clGetPlatformIDs, int32_t, (uint32_t, tw_cl_object *, uint32_t *)) \
    f(clGetPlatformInfo, int32_t, (tw_cl_object, uint32_t, size_t, void *, size_t *)) \
    f(clGetDeviceIDs, int32_t, (tw_cl_object, uint64_t, uint32_t, tw_cl_object *, uint32_t *)) \
    f(clGetDeviceInfo, int32_t, (tw_cl_object, uint32_t, size_t, void *, size_t *)) \
    f(clCreateContext, tw_cl_object, (const intptr_t *, uint32_t, const tw_cl_object *, void *, void *, int32_t *)) \
    f(clCreateCommandQueue, tw_cl_object, (tw_cl_object, tw_cl_object, uint64_t, int32_t *)) \
    f(clCreateProgramWithSource, tw_cl_object, (tw_cl_object, uint32_t, const char **, const size_t *, int32_t *)) \
    f(clBuildProgram, int32_t, (tw_cl_object, uint32_t, const tw_cl_object *, const char *, void *, void *)) \
    f(clGetProgramBuildInfo, int32_t, (tw_cl_object, tw_cl_object, uint32_t, size_t, void *, size_t *)) \
    f(clCreateKernel, tw_cl_object, (tw_cl_object, const char *, int32_t *)) \
    f(clSetKernelArg, int32_t, (tw_cl_object, uint32_t, size_t, const void *)) \
    f(clCreateBuffer, tw_cl_object, (tw_cl_object, uint64_t, size_t, void *, int32_t *)) \
    f(clEnqueueMapBuffer, void *, (tw_cl_object, tw_cl_object, uint32_t, uint64_t, size_t, size_t, uint32_t, \
                                   const tw_cl_object *, tw_cl_object *, int32_t *)) \
    f(clEnqueueUnmapMemObject, int32_t, (tw_cl_object, tw_cl_object, void *, uint32_t, const tw_cl_object *, \
                                         tw_cl_object *)) \
    f(clEnqueueNDRangeKernel, int32_t, (tw_cl_object, tw_cl_object, uint32_t, const size_t *, const size_t *, \
                                        const size_t *, uint32_t, const tw_cl_object *, tw_cl_object *)) \
    f(clFlush, int32_t, (tw_cl_object)) \
    f(clFinish, int32_t, (tw_cl_object))

typedef struct {
#define TW_CL_POINTER(name, result, parameters) result(*name) parameters;
    TW_CL_FUNCTIONS(TW_CL_POINTER)
#undef TW_CL_POINTER
    tw_cl_object device, context;
    char name[256], failure[1536];
    bool is_gpu, has_doubles, rounds_division;
} tw_opencl_device;

/* A buffer of a stage: `kind` is that of the macros. */
typedef struct {
    const char *name;
    size_t bytes;
    const void *data;
    bool is_of_host;
    tw_cl_object memory;
} tw_opencl_buffer;

#define TW_OPENCL_INPUT(name, bytes) {name, bytes, NULL, true, NULL}
#define TW_OPENCL_OUTPUT(name, bytes) {name, bytes, NULL, true, NULL}
#define TW_OPENCL_MEMORY(bytes) {"memory", bytes, NULL, false, NULL}
#define TW_OPENCL_CONSTANT(array, bytes) {#array, bytes, array, false, NULL}

/* An argument of a launch: a buffer from a byte on, or without a buffer (-1) a number of `size` bytes. */
typedef struct {
    int32_t buffer;
    uint64_t from;
    const void *number;
    size_t size;
} tw_opencl_argument;

/* A launch: the kernel, the nodes of the network that it computes, its index space, its first argument, how many. */
typedef struct {
    const char *kernel, *title;
    size_t grid[3];
    uint32_t first, count;
    tw_cl_object object;
} tw_opencl_launch;

typedef struct {
    const char *name;
    const char *const *source;
    uint32_t lines;
    bool doubles;
    tw_opencl_buffer *buffers;
    uint32_t buffer_count;
    const tw_opencl_argument *arguments;
    tw_opencl_launch *launches;
    uint32_t launch_count;
    const tw_opencl_device *device;
    tw_cl_object queue;
    bool is_open;
} tw_opencl_stage;

TW_OPENCL_INLINE const char *tw_opencl_error(int32_t code) {
    static const char *const least[] = {
        "CL_SUCCESS", "CL_DEVICE_NOT_FOUND", "CL_DEVICE_NOT_AVAILABLE", "CL_COMPILER_NOT_AVAILABLE",
        "CL_MEM_OBJECT_ALLOCATION_FAILURE", "CL_OUT_OF_RESOURCES", "CL_OUT_OF_HOST_MEMORY",
        "CL_PROFILING_INFO_NOT_AVAILABLE", "CL_MEM_COPY_OVERLAP", "CL_IMAGE_FORMAT_MISMATCH",
        "CL_IMAGE_FORMAT_NOT_SUPPORTED", "CL_BUILD_PROGRAM_FAILURE", "CL_MAP_FAILURE", "CL_MISALIGNED_SUB_BUFFER_OFFSET",
        "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST", "CL_COMPILE_PROGRAM_FAILURE", "CL_LINKER_NOT_AVAILABLE",
        "CL_LINK_PROGRAM_FAILURE", "CL_DEVICE_PARTITION_FAILED", "CL_KERNEL_ARG_INFO_NOT_AVAILABLE"};
    static const char *const invalid[] = {
        "CL_INVALID_VALUE", "CL_INVALID_DEVICE_TYPE", "CL_INVALID_PLATFORM", "CL_INVALID_DEVICE", "CL_INVALID_CONTEXT",
        "CL_INVALID_QUEUE_PROPERTIES", "CL_INVALID_COMMAND_QUEUE", "CL_INVALID_HOST_PTR", "CL_INVALID_MEM_OBJECT",
        "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR", "CL_INVALID_IMAGE_SIZE", "CL_INVALID_SAMPLER", "CL_INVALID_BINARY",
        "CL_INVALID_BUILD_OPTIONS", "CL_INVALID_PROGRAM", "CL_INVALID_PROGRAM_EXECUTABLE", "CL_INVALID_KERNEL_NAME",
        "CL_INVALID_KERNEL_DEFINITION", "CL_INVALID_KERNEL", "CL_INVALID_ARG_INDEX", "CL_INVALID_ARG_VALUE",
        "CL_INVALID_ARG_SIZE", "CL_INVALID_KERNEL_ARGS", "CL_INVALID_WORK_DIMENSION", "CL_INVALID_WORK_GROUP_SIZE",
        "CL_INVALID_WORK_ITEM_SIZE", "CL_INVALID_GLOBAL_OFFSET", "CL_INVALID_EVENT_WAIT_LIST", "CL_INVALID_EVENT",
        "CL_INVALID_OPERATION", "CL_INVALID_GL_OBJECT", "CL_INVALID_BUFFER_SIZE", "CL_INVALID_MIP_LEVEL",
        "CL_INVALID_GLOBAL_WORK_SIZE", "CL_INVALID_PROPERTY"};
    if (code <= 0 && code > -(int32_t)(sizeof least / sizeof *least)) return least[-code];
    if (code <= -30 && code > -30 - (int32_t)(sizeof invalid / sizeof *invalid)) return invalid[-30 - code];
    return code == -1001 ? "CL_PLATFORM_NOT_FOUND_KHR" : "an error of the device";
}

/* Writes a message and its remedy, which may be empty. */
TW_OPENCL_INLINE void tw_opencl_write(char *to, size_t size, const char *remedy, const char *format, va_list arguments) {
    char text[1024];
    vsnprintf(text, sizeof text, format, arguments);
    snprintf(to, size, "%s%s%s", text, *remedy ? "\n  remedy:     " : "", remedy);
}

/* Ends the program. */
TW_OPENCL_PRINTF(3) TW_OPENCL_INLINE void tw_opencl_fail(const tw_opencl_stage *stage, const char *remedy, const char *format, ...) {
    char message[1536];
    va_list arguments;
    va_start(arguments, format);
    tw_opencl_write(message, sizeof message, remedy, format, arguments);
    va_end(arguments);
    TW_OPENCL_FAIL(stage, message);
}

TW_OPENCL_INLINE const char *tw_opencl_remedy(int32_t code) {
    switch (code) {
    case -4: case -5: case -6: case -61:
        return "give the stage fewer layers, or map its largest layer to a core: the device lacks memory or registers";
    case -30: case -52: case -54: case -55: case -63:
        return "map the layer to a core, and report the kernel: its index space or arguments are refused";
    default:
        return "look at the device's driver (clinfo), or choose another one by TILEWRIGHT_OPENCL_DEVICE";
    }
}

TW_OPENCL_INLINE void tw_opencl_check(const tw_opencl_stage *stage, const char *call, const char *object, int32_t code) {
    if (code != 0) {
        tw_opencl_fail(stage, tw_opencl_remedy(code), "%s of %s: %s (%d)", call, object, tw_opencl_error(code),
                       (int)code);
    }
}

/* Devices */

#define TW_OPENCL_INSTALL "install a driver with its ICD (on Debian: apt-get install ocl-icd-libopencl1 pocl-opencl-icd)"

/* Says why no device is open; returns false. */
TW_OPENCL_PRINTF(3) TW_OPENCL_INLINE bool tw_opencl_refuse(tw_opencl_device *cl, const char *remedy, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    tw_opencl_write(cl->failure, sizeof cl->failure, remedy, format, arguments);
    va_end(arguments);
    return false;
}

TW_OPENCL_INLINE bool tw_opencl_load(tw_opencl_device *cl) {
    const char *const chosen = getenv("TILEWRIGHT_OPENCL_LIBRARY");
    void *library = dlopen(chosen != NULL ? chosen : "libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL && chosen == NULL) library = dlopen("libOpenCL.so", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return tw_opencl_refuse(cl, TW_OPENCL_INSTALL, "no library of OpenCL: %s", dlerror());
#define TW_CL_LOAD(name, result, parameters) \
    *(void **)&cl->name = dlsym(library, #name); \
    if (cl->name == NULL) return tw_opencl_refuse(cl, TW_OPENCL_INSTALL, "the library of OpenCL has no function %s", #name);
    TW_CL_FUNCTIONS(TW_CL_LOAD)
#undef TW_CL_LOAD
    return true;
}

/* Whether a name or a number is chosen by the text of an environment variable. */
TW_OPENCL_INLINE bool tw_opencl_is_chosen(const char *text, const char *name, uint32_t number) {
    if (text == NULL || *text == '\0') return true;
    char *end = NULL;
    const unsigned long wanted = strtoul(text, &end, 10);
    return *end == '\0' ? wanted == number : strstr(name, text) != NULL;
}

TW_OPENCL_INLINE bool tw_opencl_choose(tw_opencl_device *cl) {
    enum { MOST = 16 };
    const char *const platform = getenv("TILEWRIGHT_OPENCL_PLATFORM"), *const device = getenv("TILEWRIGHT_OPENCL_DEVICE");
    tw_cl_object platforms[MOST], devices[MOST];
    uint32_t platform_count = 0, number = 0;
    char name[sizeof cl->name], seen[512] = "";
    if (cl->clGetPlatformIDs(MOST, platforms, &platform_count) != 0) platform_count = 0;
    if (platform_count == 0) return tw_opencl_refuse(cl, TW_OPENCL_INSTALL, "there is no platform of OpenCL");
    for (uint32_t i = 0; i < platform_count && i < MOST; ++i) {
        uint32_t device_count = 0;
        *name = '\0';
        cl->clGetPlatformInfo(platforms[i], TW_CL_PLATFORM_NAME, sizeof name, name, NULL);
        if (!tw_opencl_is_chosen(platform, name, i)) continue;
        if (cl->clGetDeviceIDs(platforms[i], TW_CL_DEVICE_TYPE_ALL, MOST, devices, &device_count) != 0) continue;
        for (uint32_t j = 0; j < device_count && j < MOST; ++j, ++number) {
            uint64_t type = 0;
            *name = '\0';
            cl->clGetDeviceInfo(devices[j], TW_CL_DEVICE_NAME, sizeof name, name, NULL);
            cl->clGetDeviceInfo(devices[j], TW_CL_DEVICE_TYPE, sizeof type, &type, NULL);
            const size_t used = strlen(seen);
            snprintf(seen + used, sizeof seen - used, "%s%s", used ? ", " : "", name);
            if (!tw_opencl_is_chosen(device, name, number)) continue;
            /* Of those that are chosen the first GPU, or the first one. */
            const bool is_gpu = (type & TW_CL_DEVICE_TYPE_GPU) != 0;
            if (cl->device != NULL && (!is_gpu || cl->is_gpu)) continue;
            cl->is_gpu = is_gpu;
            cl->device = devices[j];
            memcpy(cl->name, name, sizeof name);
        }
    }
    const char *const remedy = "choose by TILEWRIGHT_OPENCL_PLATFORM and TILEWRIGHT_OPENCL_DEVICE, or unset them";
    return cl->device != NULL ||
           tw_opencl_refuse(cl, remedy, "there is no device of OpenCL that is chosen; devices: %s", *seen ? seen : "none");
}

TW_OPENCL_INLINE bool tw_opencl_open_device(tw_opencl_device *cl) {
    uint64_t single = 0, twice = 0;
    int32_t code = 0;
    if (!tw_opencl_load(cl) || !tw_opencl_choose(cl)) return false;
    cl->clGetDeviceInfo(cl->device, TW_CL_DEVICE_SINGLE_FP_CONFIG, sizeof single, &single, NULL);
    cl->clGetDeviceInfo(cl->device, TW_CL_DEVICE_DOUBLE_FP_CONFIG, sizeof twice, &twice, NULL);
    cl->rounds_division = (single & TW_CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
    cl->has_doubles = twice != 0;
    cl->context = cl->clCreateContext(NULL, 1, &cl->device, NULL, NULL, &code);
    return code == 0 || tw_opencl_refuse(cl, tw_opencl_remedy(code), "clCreateContext of %s: %s (%d)", cl->name,
                                         tw_opencl_error(code), (int)code);
}

/* The device of all stages, opened by the first one; a failure is that of all. */
TW_OPENCL_INLINE const tw_opencl_device *tw_opencl_device_of(const tw_opencl_stage *stage) {
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    static tw_opencl_device device;
    static bool is_open;
    pthread_mutex_lock(&mutex);
    if (!is_open && *device.failure == '\0') is_open = tw_opencl_open_device(&device);
    pthread_mutex_unlock(&mutex);
    if (!is_open) tw_opencl_fail(stage, "", "%s", device.failure);
    return &device;
}

/* Stages */

TW_OPENCL_INLINE tw_cl_object tw_opencl_build(const tw_opencl_stage *stage) {
    const tw_opencl_device *const cl = stage->device;
    int32_t code = 0;
    const tw_cl_object program =
        cl->clCreateProgramWithSource(cl->context, stage->lines, (const char **)(uintptr_t)stage->source, NULL, &code);
    tw_opencl_check(stage, "clCreateProgramWithSource", "the kernels", code);
    /* Without it, quotients may be wrong by 2.5 ULP and roots by 3. */
    const char *const options = cl->rounds_division ? "-cl-fp32-correctly-rounded-divide-sqrt" : "";
    code = cl->clBuildProgram(program, 1, &cl->device, options, NULL, NULL);
    if (code != 0) {
        char log[800] = "";
        size_t size = 0;
        cl->clGetProgramBuildInfo(program, cl->device, TW_CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
        char *const whole = calloc(size + 1, 1);
        if (whole != NULL) {
            cl->clGetProgramBuildInfo(program, cl->device, TW_CL_PROGRAM_BUILD_LOG, size, whole, NULL);
            snprintf(log, sizeof log, "%s", whole);
            free(whole);
        }
        tw_opencl_fail(stage, tw_opencl_remedy(code), "clBuildProgram on %s: %s (%d)\n%s", cl->name,
                       tw_opencl_error(code), (int)code, log);
    }
    return program;
}

TW_OPENCL_INLINE void tw_opencl_make_buffer(const tw_opencl_stage *stage, tw_opencl_buffer *buffer) {
    const tw_opencl_device *const cl = stage->device;
    int32_t code = 0;
    uint64_t kind = buffer->data != NULL ? TW_CL_MEM_READ_ONLY | TW_CL_MEM_COPY_HOST_PTR : TW_CL_MEM_READ_WRITE;
    if (buffer->is_of_host) kind |= TW_CL_MEM_ALLOC_HOST_PTR;
    void *const data = (void *)(uintptr_t)buffer->data;
    buffer->memory = cl->clCreateBuffer(cl->context, kind, buffer->bytes > 0 ? buffer->bytes : 1, data, &code);
    if (code != 0) {
        tw_opencl_fail(stage, tw_opencl_remedy(code), "clCreateBuffer of %s, %zu bytes: %s (%d)", buffer->name,
                       buffer->bytes, tw_opencl_error(code), (int)code);
    }
}

TW_OPENCL_INLINE void tw_opencl_prepare(const tw_opencl_stage *stage, tw_cl_object program, tw_opencl_launch *launch) {
    const tw_opencl_device *const cl = stage->device;
    int32_t code = 0;
    uint32_t position = 0;
    launch->object = cl->clCreateKernel(program, launch->kernel, &code);
    tw_opencl_check(stage, "clCreateKernel", launch->kernel, code);
    for (uint32_t i = 0; i < launch->count && code == 0; ++i) {
        const tw_opencl_argument *const given = &stage->arguments[launch->first + i];
        if (given->buffer < 0) {
            code = cl->clSetKernelArg(launch->object, position++, given->size, given->number);
            continue;
        }
        code = cl->clSetKernelArg(launch->object, position++, sizeof(tw_cl_object),
                                  &stage->buffers[given->buffer].memory);
        if (code == 0) code = cl->clSetKernelArg(launch->object, position++, sizeof given->from, &given->from);
    }
    tw_opencl_check(stage, "clSetKernelArg", launch->kernel, code);
}

/* Opens a stage, unless it is: builds its kernels, makes its buffers and its queue. */
TW_OPENCL_INLINE void tw_opencl_open(tw_opencl_stage *stage) {
    if (stage->is_open) return;
    int32_t code = 0;
    const tw_opencl_device *const cl = stage->device = tw_opencl_device_of(stage);
    if (stage->doubles && !cl->has_doubles) {
        tw_opencl_fail(stage, "map its layers that compute in double to a core",
                       "the device %s has no cl_khr_fp64, 64-bit floats", cl->name);
    }
    stage->queue = cl->clCreateCommandQueue(cl->context, cl->device, 0, &code);
    tw_opencl_check(stage, "clCreateCommandQueue", cl->name, code);
    for (uint32_t i = 0; i < stage->buffer_count; ++i) tw_opencl_make_buffer(stage, &stage->buffers[i]);
    const tw_cl_object program = tw_opencl_build(stage);
    for (uint32_t i = 0; i < stage->launch_count; ++i) tw_opencl_prepare(stage, program, &stage->launches[i]);
    stage->is_open = true;
}

/* Maps a buffer, once all that the stage has queued before is done. */
TW_OPENCL_INLINE void *tw_opencl_map(const tw_opencl_stage *stage, const tw_opencl_buffer *buffer, uint64_t kind) {
    int32_t code = 0;
    void *const mapped =
        stage->device->clEnqueueMapBuffer(stage->queue, buffer->memory, 1, kind, 0, buffer->bytes, 0, NULL, NULL, &code);
    tw_opencl_check(stage, "clEnqueueMapBuffer", buffer->name, code);
    return mapped;
}

TW_OPENCL_INLINE void tw_opencl_unmap(const tw_opencl_stage *stage, const tw_opencl_buffer *buffer, void *mapped) {
    const int32_t code = stage->device->clEnqueueUnmapMemObject(stage->queue, buffer->memory, mapped, 0, NULL, NULL);
    tw_opencl_check(stage, "clEnqueueUnmapMemObject", buffer->name, code);
}

/* Brings an input of a stage to the device. */
TW_OPENCL_INLINE void tw_opencl_input(tw_opencl_stage *stage, int32_t number, const void *from) {
    tw_opencl_open(stage);
    const tw_opencl_buffer *const buffer = &stage->buffers[number];
    if (buffer->bytes == 0) return;
    void *const mapped = tw_opencl_map(stage, buffer, TW_CL_MAP_WRITE_INVALIDATE_REGION);
    memcpy(mapped, from, buffer->bytes);
    tw_opencl_unmap(stage, buffer, mapped);
}

/* Waits for what a stage has queued where layers are timed, and else only has it begin. */
#ifdef TW_LAYER_MARKS
#define TW_OPENCL_SUBMIT clFinish
#define TW_OPENCL_SUBMIT_NAME "clFinish"
#else
#define TW_OPENCL_SUBMIT clFlush
#define TW_OPENCL_SUBMIT_NAME "clFlush"
#endif

/* Launches kernels of a stage in order, from number `first` to before `end`. */
TW_OPENCL_INLINE void tw_opencl_run(tw_opencl_stage *stage, int32_t first, int32_t end) {
    tw_opencl_open(stage);
    for (int32_t i = first; i < end; ++i) {
        const tw_opencl_launch *const launch = &stage->launches[i];
        if (launch->grid[0] == 0 || launch->grid[1] == 0 || launch->grid[2] == 0) continue;
        const int32_t code = stage->device->clEnqueueNDRangeKernel(stage->queue, launch->object, 3, NULL, launch->grid,
                                                                   NULL, 0, NULL, NULL);
        if (code != 0) {
            tw_opencl_fail(stage, tw_opencl_remedy(code), "clEnqueueNDRangeKernel of %s (%s): %s (%d)",
                           launch->kernel, launch->title, tw_opencl_error(code), (int)code);
        }
    }
    tw_opencl_check(stage, TW_OPENCL_SUBMIT_NAME, "the queue", stage->device->TW_OPENCL_SUBMIT(stage->queue));
}

/* Waits for the kernels of a stage, and fetches an output. */
TW_OPENCL_INLINE void tw_opencl_output(tw_opencl_stage *stage, int32_t number, void *to) {
    const tw_opencl_buffer *const buffer = &stage->buffers[number];
    if (buffer->bytes == 0) return;
    void *const mapped = tw_opencl_map(stage, buffer, TW_CL_MAP_READ);
    memcpy(to, mapped, buffer->bytes);
    tw_opencl_unmap(stage, buffer, mapped);
}

#endif
