/* The calls of pulp-sdk that the runtime makes, on one core: they check how they are called, and are done at once. */
#ifndef PMSIS_H
#define PMSIS_H
#include <stdint.h>
#define PI_L1 __attribute__((section(".data_l1")))
#define PI_L2 __attribute__((section(".l2_data")))
#define PI_PERF_CYCLES 0
typedef enum { PI_CL_DMA_DIR_LOC2EXT = 0, PI_CL_DMA_DIR_EXT2LOC = 1 } pi_cl_dma_dir_e;
typedef struct pi_cl_dma_copy_s {
    uint32_t id, ext, loc;
    uint16_t size;
    pi_cl_dma_dir_e dir;
    uint8_t merge;
    uint32_t stride, length;
} pi_cl_dma_copy_t;
void tw_exit(uint32_t code);
static uint32_t pi_counters, pi_latest = 99, pi_number;
static inline void pi_copy(pi_cl_dma_copy_t *copy, uint32_t length, uint32_t stride) {
    if (!copy->merge) {
        for (copy->id = 0; pi_counters >> copy->id & 1u; ++copy->id) {}
        pi_counters |= 1u << copy->id;
        pi_latest = copy->id;
    }
    if (copy->id != pi_latest || copy->size == 0u || copy->id > 15u) tw_exit(77);
    uint8_t *near = (uint8_t *)copy->loc, *far = (uint8_t *)copy->ext;
    for (uint32_t left = copy->size; left > 0u; far += stride) {
        const uint32_t row = left < length ? left : length;
        if (copy->dir == PI_CL_DMA_DIR_EXT2LOC) __builtin_memcpy(near, far, row);
        else __builtin_memcpy(far, near, row);
        near += row;
        left -= row;
    }
}
static inline void pi_cl_dma_memcpy(pi_cl_dma_copy_t *copy) { pi_copy(copy, copy->size, 0); }
static inline void pi_cl_dma_memcpy_2d(pi_cl_dma_copy_t *copy) { pi_copy(copy, copy->length, copy->stride); }
static inline void pi_cl_dma_wait(void *copy) {
    const uint32_t bit = 1u << ((pi_cl_dma_copy_t *)copy)->id;
    if ((pi_counters & bit) == 0u) tw_exit(78);
    pi_counters &= ~bit;
}
static inline void pi_cl_team_fork(int cores, void (*entry)(void *), void *argument) {
    for (pi_number = 0; pi_number < (uint32_t)cores; ++pi_number) entry(argument);
}
static inline uint32_t pi_core_id(void) { return pi_number; }
static inline void pi_cl_team_barrier(void) {}
static inline uint32_t pi_perf_cl_read(int event) { return (uint32_t)event; }
static inline uint32_t eu_evt_maskWaitAndClr(uint32_t mask) { return mask; }
#endif
