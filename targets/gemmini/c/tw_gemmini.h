/*
 * Instructions of Gemmini, 16 x 16 of 8 bits: commands of its coprocessor interface, with two operands of 64 bits each.
 *
 * A RISC-V core issues them; elsewhere tw_gemmini_model.h executes them, bit for bit. Near buffers are addresses in the
 * two arenas that tw_gemmini_begin names, which stand for rows of the scratchpad and of the accumulators, and are these
 * on a PC. The fields are those of include/gemmini.h in github.com/ucb-bar/gemmini-rocc-tests.
 */
#ifndef TW_GEMMINI_H
#define TW_GEMMINI_H

#include <stdint.h>
#include <string.h>

#define TW_GEMMINI_DIM 16

/* gemmini_params.h, where it is included before, states the instance that is there. */
#ifdef DIM
#if DIM != TW_GEMMINI_DIM
#error "the header gemmini_params.h is that of another instance: this program is for DIM 16"
#endif
#endif
#ifdef GEMMINI_PARAMS_H
#if BANK_NUM != 4 || BANK_ROWS != 4096
#error "the header gemmini_params.h is that of another instance: this program is for a scratchpad of 4 banks of 4096 rows"
#endif
#if ACC_ROWS != 1024
#error "the header gemmini_params.h is that of another instance: this program is for accumulators of 1024 rows"
#endif
#if MAX_BYTES != 64
#error "the header gemmini_params.h is that of another instance: this program is for loads of 64 bytes at most"
#endif
#if defined(ELEM_T_IS_FLOAT) || !defined(HAS_MVIN_SCALE) || !defined(ACC_SCALE_T_IS_FLOAT)
#error "the header gemmini_params.h is that of another instance: this program is for integers that floats scale"
#endif
_Static_assert(sizeof(elem_t) == 1 && (elem_t)-1 < 0, "this program is for an instance whose elem_t is int8_t");
_Static_assert(sizeof(acc_t) == 4 && (acc_t)-1 < 0, "this program is for an instance whose acc_t is int32_t");
#endif

/* Macros, as the assembler gets their texts from the macros of gemmini.h. */
#define TW_GEMMINI_CONFIG 0
#define TW_GEMMINI_MVIN2 1
#define TW_GEMMINI_MVIN 2
#define TW_GEMMINI_MVOUT 3
#define TW_GEMMINI_COMPUTE_PRELOADED 4
#define TW_GEMMINI_COMPUTE_ACCUMULATED 5
#define TW_GEMMINI_PRELOAD 6
#define TW_GEMMINI_MVIN3 14
#define TW_GEMMINI_GARBAGE UINT32_C(0xffffffff)
#define TW_GEMMINI_ACC (UINT32_C(1) << 31)
#define TW_GEMMINI_ADD (UINT32_C(1) << 30)
#define TW_GEMMINI_FULL (UINT32_C(1) << 29)

#if defined(__riscv) && defined(ROCC_INSTRUCTION_RS1_RS2)
/* The macro of gemmini.h does not tell the compiler that commands access memory. */
#define tw_gemmini_issue(funct, rs1, rs2) \
    do { \
        const uint64_t tw_first = (rs1), tw_second = (rs2); \
        __asm__ volatile("" : : : "memory"); \
        ROCC_INSTRUCTION_RS1_RS2(XCUSTOM_ACC, tw_first, tw_second, funct); \
        __asm__ volatile("" : : : "memory"); \
    } while (0)
#elif defined(__riscv)
#if defined(XCUSTOM_ACC) && XCUSTOM_ACC != 3
#error "the array has another command than custom-3: include gemmini.h, whose macros issue it, too"
#endif
#define tw_gemmini_issue(funct, rs1, rs2) \
    __asm__ volatile(".insn r 0x7b, 3, %2, x0, %0, %1" : : "r"(rs1), "r"(rs2), "i"(funct) : "memory")
#endif

#ifdef __riscv
#define tw_gemmini_wait() __asm__ volatile("fence" : : : "memory")
#else
#include "tw_gemmini_model.h"
#define tw_gemmini_wait() ((void)0)
#endif

static struct {
    const char *spad, *acc;
    uint64_t preload;
} tw_gemmini;

static inline uint32_t tw_gemmini_spad_row(const void *near) {
#ifndef __riscv
    if (!tw_gemmini.spad) { /* an instruction alone */
        tw_gemmini_model.spad = (int8_t(*)[TW_GEMMINI_DIM])(uintptr_t)near;
        return 0;
    }
#endif
    return (uint32_t)(((const char *)near - tw_gemmini.spad) / TW_GEMMINI_DIM);
}

static inline uint32_t tw_gemmini_acc_row(const void *near) {
#ifndef __riscv
    if (!tw_gemmini.acc) {
        tw_gemmini_model.acc = (int32_t(*)[TW_GEMMINI_DIM])(uintptr_t)near;
        return TW_GEMMINI_ACC;
    }
#endif
    return (uint32_t)(((const char *)near - tw_gemmini.acc) / (4 * TW_GEMMINI_DIM)) | TW_GEMMINI_ACC;
}

static inline uint64_t tw_gemmini_tile(int32_t rows, int32_t cols, uint32_t at) {
    return (uint64_t)rows << 48 | (uint64_t)cols << 32 | at;
}

static inline uint64_t tw_gemmini_bits(float scale) {
    uint32_t bits;
    memcpy(&bits, &scale, sizeof bits);
    return bits;
}

static inline void tw_gemmini_config_ld(const void *far, int32_t stride, int32_t block, int32_t size, int32_t id) {
    (void)far;
    uint64_t rs1 = tw_gemmini_bits(1.0f) << 32 | (uint64_t)block << 16 | UINT64_C(1) << 8 | (uint64_t)id << 3 | 1;
    tw_gemmini_issue(TW_GEMMINI_CONFIG, rs1, (uint64_t)stride * (uint64_t)size);
}

static inline void tw_gemmini_begin(const int8_t *spad, const int8_t *acc) {
    tw_gemmini.spad = (const char *)spad;
    tw_gemmini.acc = (const char *)acc;
#ifndef __riscv
    tw_gemmini_model.spad = (int8_t(*)[TW_GEMMINI_DIM])(uintptr_t)spad;
    tw_gemmini_model.acc = (int32_t(*)[TW_GEMMINI_DIM])(uintptr_t)acc;
#endif
    for (int32_t id = 0; id < 3; ++id) tw_gemmini_config_ld(spad, 0, 0, 1, id); /* loads of zeros need a configuration too */
}

/* With scale 1: bytes are extended to sums of 32 bits. */
static inline void tw_gemmini_config_ld_bytes(const int8_t *far, int32_t stride, int32_t block, int32_t id) {
    (void)far;
    uint64_t rs1 = tw_gemmini_bits(1.0f) << 32 | (uint64_t)block << 16 | UINT64_C(1) << 8 | (uint64_t)id << 3 | 1 << 2 | 1;
    tw_gemmini_issue(TW_GEMMINI_CONFIG, rs1, (uint64_t)stride);
}

static inline void tw_gemmini_load(const void *far, uint64_t tile, int32_t id) {
    if (id == 0) tw_gemmini_issue(TW_GEMMINI_MVIN, (uint64_t)(uintptr_t)far, tile);
    else if (id == 1) tw_gemmini_issue(TW_GEMMINI_MVIN2, (uint64_t)(uintptr_t)far, tile);
    else tw_gemmini_issue(TW_GEMMINI_MVIN3, (uint64_t)(uintptr_t)far, tile);
}

static inline void tw_gemmini_mvin(const int8_t *far, int8_t *near, int32_t rows, int32_t cols, int32_t id) {
    tw_gemmini_load(far, tw_gemmini_tile(rows, cols, tw_gemmini_spad_row(near)), id);
}

static inline void tw_gemmini_mvin_blocks(const int8_t *far, int8_t *near, int32_t rows, int32_t blocks, int32_t id) {
    tw_gemmini_load(far, tw_gemmini_tile(rows, blocks * TW_GEMMINI_DIM, tw_gemmini_spad_row(near)), id);
}

static inline void tw_gemmini_mvin_zero(int8_t *near, int32_t rows) {
    tw_gemmini_load(0, tw_gemmini_tile(rows, TW_GEMMINI_DIM, tw_gemmini_spad_row(near)), 0);
}

static inline void tw_gemmini_mvin_acc(const int32_t *far, int32_t *near, int32_t rows, int32_t cols, int32_t repeats, int32_t id) {
    (void)repeats;
    tw_gemmini_load(far, tw_gemmini_tile(rows, cols, tw_gemmini_acc_row(near)), id);
}

static inline void tw_gemmini_mvin_bytes(const int8_t *far, int32_t *near, int32_t rows, int32_t blocks, int32_t id) {
    tw_gemmini_load(far, tw_gemmini_tile(rows, blocks * TW_GEMMINI_DIM, tw_gemmini_acc_row(near)), id);
}

static inline void tw_gemmini_mvin_bytes_add(const int8_t *far, int32_t *near, int32_t rows, int32_t blocks, int32_t id) {
    tw_gemmini_load(far, tw_gemmini_tile(rows, blocks * TW_GEMMINI_DIM, tw_gemmini_acc_row(near) | TW_GEMMINI_ADD), id);
}

static inline void tw_gemmini_mvin_acc_zero(int32_t *near, int32_t rows) {
    tw_gemmini_load(0, tw_gemmini_tile(rows, TW_GEMMINI_DIM, tw_gemmini_acc_row(near)), 2);
}

static inline void tw_gemmini_config_ex(int32_t step) {
    uint64_t rs1 = tw_gemmini_bits(1.0f) << 32 | (uint64_t)step << 16 | UINT64_C(1) << 2;
    tw_gemmini_issue(TW_GEMMINI_CONFIG, rs1, UINT64_C(1) << 48);
}

/* The hardware's preload names the sums too: it is issued with the product. */
static inline void tw_gemmini_preload(const int8_t *b, int32_t k, int32_t n) {
    tw_gemmini.preload = tw_gemmini_tile(k, n, tw_gemmini_spad_row(b));
}

static inline void tw_gemmini_compute_preloaded_at(const int8_t *a, uint32_t c, int32_t rows, int32_t k, int32_t n) {
    tw_gemmini_issue(TW_GEMMINI_PRELOAD, tw_gemmini.preload, tw_gemmini_tile(rows, n, c));
    tw_gemmini_issue(TW_GEMMINI_COMPUTE_PRELOADED, tw_gemmini_tile(rows, k, tw_gemmini_spad_row(a)),
                     tw_gemmini_tile(rows, n, TW_GEMMINI_GARBAGE));
}

static inline void tw_gemmini_compute_accumulated_at(const int8_t *a, uint32_t c, int32_t rows, int32_t k, int32_t n) {
    tw_gemmini_issue(TW_GEMMINI_PRELOAD, tw_gemmini_tile(k, n, TW_GEMMINI_GARBAGE), tw_gemmini_tile(rows, n, c));
    tw_gemmini_issue(TW_GEMMINI_COMPUTE_ACCUMULATED, tw_gemmini_tile(rows, k, tw_gemmini_spad_row(a)),
                     tw_gemmini_tile(rows, n, TW_GEMMINI_GARBAGE));
}

static inline void tw_gemmini_compute_preloaded(const int8_t *a, int32_t *c, int32_t rows, int32_t k, int32_t n, int32_t step) {
    (void)step;
    tw_gemmini_compute_preloaded_at(a, tw_gemmini_acc_row(c), rows, k, n);
}

static inline void tw_gemmini_compute_preloaded_add(const int8_t *a, int32_t *c, int32_t rows, int32_t k, int32_t n, int32_t step) {
    (void)step;
    tw_gemmini_compute_preloaded_at(a, tw_gemmini_acc_row(c) | TW_GEMMINI_ADD, rows, k, n);
}

static inline void tw_gemmini_compute_accumulated(const int8_t *a, int32_t *c, int32_t rows, int32_t k, int32_t n, int32_t step) {
    (void)step;
    tw_gemmini_compute_accumulated_at(a, tw_gemmini_acc_row(c), rows, k, n);
}

static inline void tw_gemmini_compute_accumulated_add(const int8_t *a, int32_t *c, int32_t rows, int32_t k, int32_t n, int32_t step) {
    (void)step;
    tw_gemmini_compute_accumulated_at(a, tw_gemmini_acc_row(c) | TW_GEMMINI_ADD, rows, k, n);
}

static inline void tw_gemmini_config_st(const void *far, int32_t stride, int32_t size, float scale, int32_t relu) {
    (void)far;
    tw_gemmini_issue(TW_GEMMINI_CONFIG, (uint64_t)relu << 2 | 2, tw_gemmini_bits(scale) << 32 | (uint32_t)(stride * size));
}

static inline void tw_gemmini_config_pool(const int8_t *far, int32_t stride, float scale, int32_t relu, int32_t window, int32_t step,
                                          int32_t line, int32_t rows, int32_t cols, int32_t sum_rows, int32_t sum_cols) {
    (void)far;
    uint64_t shape = (uint64_t)line << 24 | (uint64_t)rows << 32 | (uint64_t)cols << 40 | (uint64_t)sum_rows << 48 |
                     (uint64_t)sum_cols << 56;
    uint64_t rs1 = shape | (uint64_t)window << 6 | (uint64_t)step << 4 | (uint64_t)relu << 2 | 2;
    tw_gemmini_issue(TW_GEMMINI_CONFIG, rs1, tw_gemmini_bits(scale) << 32 | (uint32_t)stride);
}

static inline void tw_gemmini_mvout_pool(const int32_t *near, int8_t *far, int32_t rows, int32_t cols, int32_t window) {
    (void)rows, (void)cols, (void)window;
    tw_gemmini_issue(TW_GEMMINI_MVOUT, (uint64_t)(uintptr_t)far, tw_gemmini_tile(0, TW_GEMMINI_DIM, tw_gemmini_acc_row(near)));
}

static inline void tw_gemmini_mvout(const int32_t *near, int8_t *far, int32_t rows, int32_t cols) {
    tw_gemmini_issue(TW_GEMMINI_MVOUT, (uint64_t)(uintptr_t)far, tw_gemmini_tile(rows, cols, tw_gemmini_acc_row(near)));
}

static inline void tw_gemmini_mvout_full(const int32_t *near, int32_t *far, int32_t rows, int32_t cols) {
    uint32_t at = tw_gemmini_acc_row(near) | TW_GEMMINI_FULL;
    tw_gemmini_issue(TW_GEMMINI_MVOUT, (uint64_t)(uintptr_t)far, tw_gemmini_tile(rows, cols, at));
}

static inline void tw_gemmini_fence(void) { tw_gemmini_wait(); }

#endif
