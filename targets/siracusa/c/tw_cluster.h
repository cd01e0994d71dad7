/*
 * What the C that Tilewright emits for Siracusa needs of the machine: DMA, worker cores, NPU, cycles, dot products.
 *
 * Whoever compiles defines one of these, or none:
 *   TW_BARE_METAL   the registers of Siracusa, no SDK
 *   TW_PULP_SDK     calls of pulp-sdk (pmsis.h)
 *   TW_SINGLE_HART  any processor: one core does everything itself, at once (single_hart.c)
 *   none            a PC: threads for workers, DMA and NPU (emulation.c)
 *
 * `network_run` runs on the cluster controller. Only it may call tw_dma_*, tw_fork and tw_npu_*; only what it forks may
 * call tw_core and tw_barrier. Breaking these rules or those below ends the emulation with a message, and has no defined
 * effect elsewhere.
 */
#ifndef TW_CLUSTER_H
#define TW_CLUSTER_H

#include <stdint.h>

#include "tw_siracusa.h"

#define TW_DMA_GROUPS 16u      /* groups of transfers that may be open */
#define TW_DMA_NONE (-1)       /* names no group: waiting for it takes no time */
#define TW_NPU_REGISTERS 24u

#if defined(TW_BARE_METAL) || defined(TW_PULP_SDK)
#define TW_CALL static inline __attribute__((__unused__))
#else
#define TW_CALL extern
#endif

/*
 * Code of the controller that runs once in a call, from beginning to end. Each of its lines misses the instruction cache:
 * the fewer, the faster.
 */
#if !defined(TW_BARE_METAL) && !defined(TW_PULP_SDK)
#define TW_SEQUENCE
#elif defined(__clang__)
#define TW_SEQUENCE __attribute__((__minsize__))
#else
#define TW_SEQUENCE __attribute__((__cold__))
#endif

/*
 * A kernel of sums that its caller calls itself, always with the same addresses in L1. Clang would replace the arguments
 * by these, also without inlining: constants of 32 bits in the place of registers, in loops that need all of those. A
 * function that is used elsewhere keeps them. GCC does so for any TW_KERNEL.
 */
#if defined(__clang__)
#define TW_APART __attribute__((__noinline__, __used__))
#else
#define TW_APART
#endif

/*
 * Where an array lives: `TW_L1 static uint8_t buffer[64];`. Arrays in L1 begin as zeros, those in weight memory are
 * constants.
 */
#if defined(TW_BARE_METAL) || defined(TW_SINGLE_HART)
#define TW_L1 __attribute__((__section__(".bss.tw_l1"))) /* what is named .bss takes no room in the ELF */
#define TW_L2
#define TW_WEIGHT_MEMORY __attribute__((__section__(".tw_weight_memory")))
#elif defined(TW_PULP_SDK)
#include "pmsis.h"
#define TW_L1 PI_L1
#define TW_L2 PI_L2
#define TW_WEIGHT_MEMORY __attribute__((__section__(".weightmem_mram")))
#else
#define TW_L1 __attribute__((__section__("tw_l1")))
#define TW_L2
#define TW_WEIGHT_MEMORY __attribute__((__section__("tw_weight_memory")))
#endif

#define TW_WMEM TW_WEIGHT_MEMORY
#undef TW_LEVEL
#define TW_LEVEL(name) TW_##name
#if !defined(TW_SINGLE_HART) /* whose memory is not that of the chip */
#undef TW_LEVEL_HOLDS
#define TW_LEVEL_HOLDS(name, bytes) _Static_assert((bytes) <= TW_ROOM_##name, #name " is too small for the arrays")
#define TW_ROOM_L1 (TW_L1_BYTES - TW_WORKERS * TW_STACK_BYTES - TW_MAIN_STACK_BYTES)
#define TW_ROOM_L2 UINT32_MAX /* the linker knows what else is there */
#define TW_ROOM_WMEM TW_WEIGHT_MEMORY_BYTES
#endif

/*
 * DMA. tw_dma_begin opens a group and returns its name; all transfers until the next tw_dma_begin belong to it.
 * tw_dma_wait returns when they are done, and closes the group: once for each. Until then what is read must not be
 * written, and what is written must not be touched. Transfers of one group, and of several, run in any order.
 *
 * A transfer has `rows` rows of `row_bytes` bytes, which lie one after the other in L1, and `far_stride` bytes apart
 * outside of it. Any alignment, any size; where a size is 0 nothing moves. The far side is not in L1.
 */
TW_CALL int32_t tw_dma_begin(void);
TW_CALL void tw_dma_in(void *near, const void *far, int32_t row_bytes, int32_t rows, int32_t far_stride);
TW_CALL void tw_dma_out(void *far, const void *near, int32_t row_bytes, int32_t rows, int32_t far_stride);
TW_CALL void tw_dma_wait(int32_t group);

/*
 * Workers. Each of the tw_cores() workers runs entry(arguments); tw_fork returns when all have returned. tw_core() is a
 * worker's number, from 0. tw_barrier returns when all workers have called it: either all of them do, or none.
 */
TW_CALL void tw_fork(void (*entry)(void *), void *arguments);
TW_CALL uint32_t tw_cores(void);
TW_CALL uint32_t tw_core(void);
TW_CALL void tw_barrier(void);

/*
 * NPU. tw_npu_acquire waits for one of the two contexts and returns the job's number, which is not negative;
 * tw_npu_write sets a register of the job (0 to 23), tw_npu_trigger lets it run behind those before it. tw_npu_wait
 * returns when all jobs are done; nothing else tells. tw_npu_address is the address by which the NPU knows a place in L1
 * or in weight memory.
 */
TW_CALL int32_t tw_npu_acquire(void);
TW_CALL void tw_npu_write(uint32_t index, uint32_t value);
TW_CALL void tw_npu_trigger(void);
TW_CALL void tw_npu_wait(void);
TW_CALL uint32_t tw_npu_address(const void *place);

/* A clock, the same on all cores, that wraps around: in cycles; in instructions on a single hart, in ns on a PC. */
TW_CALL uint32_t tw_cycles(void);

#if defined(TW_BARE_METAL)
#include "tw_bare_metal.h"
#elif defined(TW_PULP_SDK)
#include "tw_pulp_sdk.h"
#endif
#include "tw_dot.h"
#if defined(TW_XPULP)
#include "tw_dot_row.h"
#include "tw_extrema.h"
#include "tw_packed_row.h"
#include "tw_unpack_words.h"
#endif

#endif
