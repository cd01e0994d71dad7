/*
 * N-Eureka (v1) as software sees it: its registers, a queue of two jobs, and the memories that it works on.
 *
 * A job computes bit for bit what the NPU does. It takes no time: one that has been triggered is done when software has
 * read STATUS, or ACQUIRE while both contexts are taken. No heap, no state outside of the structure.
 */
#ifndef NPU_MODEL_H
#define NPU_MODEL_H

#include <stdint.h>

#define NPU_TRIGGER 0x00u
#define NPU_ACQUIRE 0x04u
#define NPU_STATUS 0x0cu
#define NPU_RUNNING_JOB 0x10u
#define NPU_JOB 0x20u
#define NPU_JOB_REGISTERS 24u

/* What ACQUIRE gives where both contexts are taken, and while a job is being written. */
#define NPU_NO_CONTEXT 0xffffffffu
#define NPU_LOCKED 0xfffffffeu

#define NPU_L1_BASE 0x10000000u
#define NPU_WEIGHT_MEMORY_BASE 0x10400000u

/* The first thing that software did wrong; jobs that do are not finished, all else goes on. */
enum npu_fault {
    NPU_FAULT_NONE,
    NPU_FAULT_REGISTER, /* a register that does not exist, or is not safe to use */
    NPU_FAULT_SEQUENCE, /* a job written or triggered that was not acquired */
    NPU_FAULT_JOB,      /* a job that the NPU does not support */
    NPU_FAULT_MEMORY    /* a job with an access out of bounds of the memories */
};

/* `size` bytes that the NPU sees at the address `base`; memories do not overlap. */
struct npu_memory {
    uint8_t *bytes;
    uint32_t base;
    uint32_t size;
};

struct npu_context {
    uint32_t words[NPU_JOB_REGISTERS];
    uint32_t job;
    uint32_t state;
};

struct npu_model {
    struct npu_memory memories[2];
    struct npu_context contexts[2];
    uint32_t queue[2]; /* contexts with a job, the oldest first */
    uint32_t queued;
    uint32_t jobs;
    uint32_t running;
    enum npu_fault fault;
    uint32_t fault_address; /* of a register by its offset, of memory */
    uint32_t image[8 * 8 * 32];
    uint32_t weights[9 * 32 * 32];
};

void npu_model_init(struct npu_model *model, struct npu_memory l1, struct npu_memory weights);
void npu_model_write(struct npu_model *model, uint32_t offset, uint32_t value);
uint32_t npu_model_read(struct npu_model *model, uint32_t offset);

/* The address of a byte in one of the memories, 0 for other pointers. */
uint32_t npu_model_address(const struct npu_model *model, const void *pointer);

#endif
