/*
 * Instructions of Gemmini: commands of its coprocessor interface, with two operands of 64 bits each. `dim` are the columns of
 * the array, `size` the bytes of its elements: 1 for integers with sums of 32 bits, 2 for bf16 with sums of
 * floats, 4 for floats.
 *
 * A RISC-V core issues them; elsewhere tw_gemmini_model.h executes them, bit for bit. Near buffers are addresses in the
 * two arenas that tw_gemmini_begin names, which stand for rows of the scratchpad and of the accumulators, and are these
 * on a PC. The fields are those of include/gemmini.h in github.com/ucb-bar/gemmini-rocc-tests.
 */
#ifndef TW_GEMMINI_H
#define TW_GEMMINI_H

#include <stdint.h>
#include <string.h>

/* gemmini_params.h, where it is included before, states the instance that is there; tw_gemmini_begin the program's. */
#ifdef DIM
#define TW_GEMMINI_CHECK_DIM(dim) \
    _Static_assert(DIM == (dim), "the header gemmini_params.h is that of another instance: this program is for DIM " #dim);
#else
#define TW_GEMMINI_CHECK_DIM(dim)
#endif
#ifdef GEMMINI_PARAMS_H
#if MAX_BYTES != 64
#error "the header gemmini_params.h is that of another instance: this program is for loads of 64 bytes at most"
#endif
#if !defined(HAS_MVIN_SCALE) || !defined(ACC_SCALE_T_IS_FLOAT)
#error "the header gemmini_params.h is that of another instance: this program is for elements that floats scale"
#endif
#ifdef ELEM_T_IS_FLOAT
#define TW_GEMMINI_FLOATS 1
#define TW_GEMMINI_EXPONENT ELEM_T_EXP_BITS
#else
#define TW_GEMMINI_FLOATS 0
#define TW_GEMMINI_EXPONENT 0
_Static_assert((elem_t)-1 < 0 && (acc_t)-1 < 0, "this program is for an instance of signed elements");
#endif
#define TW_GEMMINI_CHECK(banks, bank_rows, acc_rows, size) \
    _Static_assert(BANK_NUM == (banks) && BANK_ROWS == (bank_rows), "the header gemmini_params.h is that of another " \
                   "instance: this program is for a scratchpad of " #banks " banks of " #bank_rows " rows"); \
    _Static_assert(ACC_ROWS == (acc_rows), "the header gemmini_params.h is that of another instance: this program is " \
                   "for accumulators of " #acc_rows " rows"); \
    _Static_assert(TW_GEMMINI_FLOATS == ((size) > 1), "the header gemmini_params.h is that of another instance: one of " \
                   "this program and that computes with floats"); \
    _Static_assert(sizeof(elem_t) == (size) && (TW_GEMMINI_EXPONENT == 8 || (size) == 1), "the header gemmini_params.h is that of another instance: " \
                   "its elem_t is another type"); \
    _Static_assert(sizeof(acc_t) == 4, "this program is for an instance whose acc_t has 32 bits");
#else
#define TW_GEMMINI_CHECK(banks, bank_rows, acc_rows, size)
#endif

/* Macros, as the assembler gets their texts from the macros of gemmini.h. */
#define TW_GEMMINI_CONFIG 0
#define TW_GEMMINI_MVIN2 1
#define TW_GEMMINI_MVIN 2
#define TW_GEMMINI_MVOUT 3
#define TW_GEMMINI_COMPUTE_PRELOADED 4
#define TW_GEMMINI_COMPUTE_ACCUMULATED 5
#define TW_GEMMINI_PRELOAD 6
#define TW_GEMMINI_LOOP_WS 8
#define TW_GEMMINI_LOOP_WS_BOUNDS 9
#define TW_GEMMINI_LOOP_WS_ADDRESSES_AB 10
#define TW_GEMMINI_LOOP_WS_ADDRESSES_DC 11
#define TW_GEMMINI_LOOP_WS_STRIDES_AB 12
#define TW_GEMMINI_LOOP_WS_STRIDES_DC 13
#define TW_GEMMINI_MVIN3 14
#define TW_GEMMINI_LOOP_CONV_WS 15
#define TW_GEMMINI_LOOP_CONV_WS_1 16
#define TW_GEMMINI_LOOP_CONV_WS_2 17
#define TW_GEMMINI_LOOP_CONV_WS_3 18
#define TW_GEMMINI_LOOP_CONV_WS_4 19
#define TW_GEMMINI_LOOP_CONV_WS_5 20
#define TW_GEMMINI_LOOP_CONV_WS_6 21
#define TW_GEMMINI_GARBAGE UINT32_C(0xffffffff)
#define TW_GEMMINI_ACC (UINT32_C(1) << 31)
#define TW_GEMMINI_ADD (UINT32_C(1) << 30)
#define TW_GEMMINI_FULL (UINT32_C(1) << 29)

/*
 * Products and configurations access near memories and registers only: the compiler keeps what it has loaded. Other
 * commands read or write far memory.
 */
#if defined(__riscv) && defined(ROCC_INSTRUCTION_RS1_RS2)
#define tw_gemmini_issue(funct, rs1, rs2) \
    do { \
        const uint64_t tw_first = (rs1), tw_second = (rs2); \
        ROCC_INSTRUCTION_RS1_RS2(XCUSTOM_ACC, tw_first, tw_second, funct); \
    } while (0)
/* The macro of gemmini.h does not tell the compiler that commands access memory. */
#define tw_gemmini_issue_far(funct, rs1, rs2) \
    do { \
        const uint64_t tw_far = (rs1), tw_near = (rs2); \
        __asm__ volatile("" : : : "memory"); \
        tw_gemmini_issue(funct, tw_far, tw_near); \
        __asm__ volatile("" : : : "memory"); \
    } while (0)
#elif defined(__riscv)
#if defined(XCUSTOM_ACC) && XCUSTOM_ACC != 3
#error "the array has another command than custom-3: include gemmini.h, whose macros issue it, too"
#endif
#define tw_gemmini_issue(funct, rs1, rs2) __asm__ volatile(".insn r 0x7b, 3, %2, x0, %0, %1" : : "r"(rs1), "r"(rs2), "i"(funct))
#define tw_gemmini_issue_far(funct, rs1, rs2) \
    __asm__ volatile(".insn r 0x7b, 3, %2, x0, %0, %1" : : "r"(rs1), "r"(rs2), "i"(funct) : "memory")
#else
#define tw_gemmini_issue_far tw_gemmini_issue
#endif

#if defined(__GNUC__) || defined(__clang__)
#define TW_GEMMINI_UNUSED __attribute__((__unused__))
#else
#define TW_GEMMINI_UNUSED
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
    int32_t a_stride, b_stride, c_stride; /* of products by loops */
    int32_t x_row, x_pixel, w_row, w_tap, w_channel, y_row, y_pixel, step, dilation; /* of convolutions by loops */
} tw_gemmini;

/*
 * The only array of a memory is its arena: a constant, which commands do not change. A program without one takes what
 * tw_gemmini_begin names.
 */
#undef TW_LEVEL_ARRAY
#define TW_LEVEL_ARRAY(level, array) TW_GEMMINI_UNUSED static const char *const tw_gemmini_##level = (const char *)(array)
TW_GEMMINI_UNUSED static const char *const tw_gemmini_SPAD;
TW_GEMMINI_UNUSED static const char *const tw_gemmini_ACC;

#ifdef __riscv
#define tw_gemmini_model_is(dim, size) ((void)0)
#else
/* An instruction alone has a buffer for its memory. */
#define tw_gemmini_model_is(cols, bytes) (tw_gemmini_model.dim = (uint32_t)(cols), tw_gemmini_model.size = (uint32_t)(bytes))
#endif

/* Rows, columns and flags of an operand, its row aside. */
static inline uint64_t tw_gemmini_fields_of(int32_t rows, int32_t cols, uint32_t flags) {
    return (uint64_t)rows << 48 | (uint64_t)cols << 32 | flags;
}

/* The number of the row of an arena at which a buffer begins: a kernel computes it once, outside of its loops. */
static inline uint64_t tw_gemmini_row(const void *first, const char *arena, int32_t row_bytes) {
    return ((uint64_t)(uintptr_t)first - (uint64_t)(uintptr_t)arena) / (uint64_t)row_bytes;
}

/* Operands of the element `at` of a buffer, which begins a row. */
static inline uint64_t tw_gemmini_spad_tile(const void *first, int32_t at, int32_t rows, int32_t cols, int32_t dim, int32_t size) {
    const uint64_t fields = tw_gemmini_fields_of(rows, cols, 0);
    tw_gemmini_model_is(dim, size);
#ifndef __riscv
    if (!tw_gemmini.spad) {
        tw_gemmini_model.spad = (char *)(uintptr_t)first + (int64_t)at * size;
        return fields;
    }
#endif
    return tw_gemmini_row(first, tw_gemmini_SPAD ? tw_gemmini_SPAD : tw_gemmini.spad, dim * size) + (uint64_t)(int64_t)(at / dim) + fields;
}

static inline uint64_t tw_gemmini_acc_tile(const void *first, int32_t at, int32_t rows, int32_t cols, int32_t dim, uint32_t flags) {
    const uint64_t fields = tw_gemmini_fields_of(rows, cols, TW_GEMMINI_ACC | flags);
#ifndef __riscv
    tw_gemmini_model.dim = (uint32_t)dim;
    if (!tw_gemmini.acc) {
        tw_gemmini_model.acc = (char *)(uintptr_t)first + (int64_t)at * 4;
        return fields;
    }
#endif
    return tw_gemmini_row(first, tw_gemmini_ACC ? tw_gemmini_ACC : tw_gemmini.acc, 4 * dim) + (uint64_t)(int64_t)(at / dim) + fields;
}

/* An operand without rows: zeros, the weights that the array has, or no sums. */
static inline uint64_t tw_gemmini_no_tile(int32_t rows, int32_t cols) { return tw_gemmini_fields_of(rows, cols, TW_GEMMINI_GARBAGE); }

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

static inline void tw_gemmini_begin(const int8_t *spad, const int8_t *acc, int32_t dim, int32_t banks, int32_t bank_rows,
                                    int32_t acc_rows, int32_t size) {
    (void)dim, (void)banks, (void)bank_rows, (void)acc_rows, (void)size;
    tw_gemmini_model_is(dim, size);
    tw_gemmini.spad = (const char *)spad;
    tw_gemmini.acc = (const char *)acc;
#ifndef __riscv
    tw_gemmini_model.spad = (char *)(uintptr_t)spad;
    tw_gemmini_model.acc = (char *)(uintptr_t)acc;
#endif
    for (int32_t id = 0; id < 3; ++id) tw_gemmini_config_ld(spad, 0, 0, 1, id); /* loads of zeros need a configuration too */
}
#define tw_gemmini_begin(spad, acc, dim, banks, bank_rows, acc_rows, size) \
    do { \
        TW_GEMMINI_CHECK_DIM(dim) \
        TW_GEMMINI_CHECK(banks, bank_rows, acc_rows, size) \
        (tw_gemmini_begin)(spad, acc, dim, banks, bank_rows, acc_rows, size); \
    } while (0)

/* With scale 1: bytes are extended to sums of 32 bits. */
static inline void tw_gemmini_config_ld_bytes(const int8_t *far, int32_t stride, int32_t block, int32_t id) {
    (void)far;
    uint64_t rs1 = tw_gemmini_bits(1.0f) << 32 | (uint64_t)block << 16 | UINT64_C(1) << 8 | (uint64_t)id << 3 | 1 << 2 | 1;
    tw_gemmini_issue(TW_GEMMINI_CONFIG, rs1, (uint64_t)stride);
}

static inline void tw_gemmini_load(const void *far, uint64_t tile, int32_t id) {
    if (id == 0) tw_gemmini_issue_far(TW_GEMMINI_MVIN, (uint64_t)(uintptr_t)far, tile);
    else if (id == 1) tw_gemmini_issue_far(TW_GEMMINI_MVIN2, (uint64_t)(uintptr_t)far, tile);
    else tw_gemmini_issue_far(TW_GEMMINI_MVIN3, (uint64_t)(uintptr_t)far, tile);
}

static inline void tw_gemmini_mvin(const void *far, void *near, int32_t near_at, int32_t rows, int32_t cols, int32_t id, int32_t dim, int32_t size) {
    tw_gemmini_load(far, tw_gemmini_spad_tile(near, near_at, rows, cols, dim, size), id);
}

static inline void tw_gemmini_mvin_blocks(const void *far, void *near, int32_t near_at, int32_t rows, int32_t blocks, int32_t id, int32_t dim,
                                          int32_t size) {
    tw_gemmini_load(far, tw_gemmini_spad_tile(near, near_at, rows, blocks * dim, dim, size), id);
}

static inline void tw_gemmini_mvin_columns(const void *far, void *near, int32_t near_at, void *last, int32_t last_at, int32_t rows,
                                           int32_t blocks, int32_t cols, int32_t id, int32_t dim, int32_t size) {
    (void)last, (void)last_at;
    tw_gemmini_load(far, tw_gemmini_spad_tile(near, near_at, rows, blocks * dim + cols, dim, size), id);
}

static inline void tw_gemmini_mvin_zero(void *near, int32_t near_at, int32_t rows, int32_t dim, int32_t size) {
    tw_gemmini_issue(TW_GEMMINI_MVIN, UINT64_C(0), tw_gemmini_spad_tile(near, near_at, rows, dim, dim, size));
}

static inline void tw_gemmini_mvin_acc(const void *far, void *near, int32_t near_at, int32_t rows, int32_t cols, int32_t repeats, int32_t id,
                                       int32_t dim) {
    (void)repeats;
    tw_gemmini_load(far, tw_gemmini_acc_tile(near, near_at, rows, cols, dim, 0), id);
}

static inline void tw_gemmini_mvin_bytes(const int8_t *far, int32_t *near, int32_t near_at, int32_t rows, int32_t blocks, int32_t id, int32_t dim) {
    tw_gemmini_load(far, tw_gemmini_acc_tile(near, near_at, rows, blocks * dim, dim, 0), id);
}

static inline void tw_gemmini_mvin_bytes_add(const int8_t *far, int32_t *near, int32_t near_at, int32_t rows, int32_t blocks, int32_t id, int32_t dim) {
    tw_gemmini_load(far, tw_gemmini_acc_tile(near, near_at, rows, blocks * dim, dim, TW_GEMMINI_ADD), id);
}

static inline void tw_gemmini_mvin_acc_zero(void *near, int32_t near_at, int32_t rows, int32_t dim) {
    tw_gemmini_issue(TW_GEMMINI_MVIN3, UINT64_C(0), tw_gemmini_acc_tile(near, near_at, rows, dim, dim, 0));
}

static inline void tw_gemmini_config_ex(int32_t step) {
    uint64_t rs1 = tw_gemmini_bits(1.0f) << 32 | (uint64_t)step << 16 | UINT64_C(1) << 2;
    tw_gemmini_issue(TW_GEMMINI_CONFIG, rs1, UINT64_C(1) << 48);
}

/* The hardware's preload names the sums too: it is issued with the product. */
static inline void tw_gemmini_preload(const void *b, int32_t b_at, int32_t k, int32_t n, int32_t dim, int32_t size) {
    tw_gemmini.preload = tw_gemmini_spad_tile(b, b_at, k, n, dim, size);
}

static inline void tw_gemmini_compute_preloaded_at(uint64_t a, uint64_t c, int32_t rows, int32_t n) {
    tw_gemmini_issue(TW_GEMMINI_PRELOAD, tw_gemmini.preload, c);
    tw_gemmini_issue(TW_GEMMINI_COMPUTE_PRELOADED, a, tw_gemmini_no_tile(rows, n));
}

static inline void tw_gemmini_compute_accumulated_at(uint64_t a, uint64_t c, int32_t rows, int32_t k, int32_t n) {
    tw_gemmini_issue(TW_GEMMINI_PRELOAD, tw_gemmini_no_tile(k, n), c);
    tw_gemmini_issue(TW_GEMMINI_COMPUTE_ACCUMULATED, a, tw_gemmini_no_tile(rows, n));
}

static inline void tw_gemmini_compute_preloaded(const void *a, int32_t a_at, void *c, int32_t c_at, int32_t rows, int32_t k, int32_t n, int32_t step,
                                                int32_t dim, int32_t size) {
    (void)step;
    const uint64_t from = tw_gemmini_spad_tile(a, a_at, rows, k, dim, size), to = tw_gemmini_acc_tile(c, c_at, rows, n, dim, 0);
    tw_gemmini_compute_preloaded_at(from, to, rows, n);
}

static inline void tw_gemmini_compute_preloaded_add(const void *a, int32_t a_at, void *c, int32_t c_at, int32_t rows, int32_t k, int32_t n, int32_t step,
                                                    int32_t dim, int32_t size) {
    (void)step;
    const uint64_t from = tw_gemmini_spad_tile(a, a_at, rows, k, dim, size), to = tw_gemmini_acc_tile(c, c_at, rows, n, dim, TW_GEMMINI_ADD);
    tw_gemmini_compute_preloaded_at(from, to, rows, n);
}

static inline void tw_gemmini_compute_accumulated(const void *a, int32_t a_at, void *c, int32_t c_at, int32_t rows, int32_t k, int32_t n, int32_t step,
                                                  int32_t dim, int32_t size) {
    (void)step;
    const uint64_t from = tw_gemmini_spad_tile(a, a_at, rows, k, dim, size), to = tw_gemmini_acc_tile(c, c_at, rows, n, dim, 0);
    tw_gemmini_compute_accumulated_at(from, to, rows, k, n);
}

static inline void tw_gemmini_compute_accumulated_add(const void *a, int32_t a_at, void *c, int32_t c_at, int32_t rows, int32_t k, int32_t n, int32_t step,
                                                      int32_t dim, int32_t size) {
    (void)step;
    const uint64_t from = tw_gemmini_spad_tile(a, a_at, rows, k, dim, size), to = tw_gemmini_acc_tile(c, c_at, rows, n, dim, TW_GEMMINI_ADD);
    tw_gemmini_compute_accumulated_at(from, to, rows, k, n);
}

static inline void tw_gemmini_config_os(int32_t step) {
    uint64_t rs1 = tw_gemmini_bits(1.0f) << 32 | (uint64_t)step << 16;
    tw_gemmini_issue(TW_GEMMINI_CONFIG, rs1, UINT64_C(1) << 48);
}

/* Output-stationary: the cells begin with zeros, or keep their sums. */
static inline void tw_gemmini_multiply_at(uint64_t a, uint64_t b, uint64_t c, int32_t rows, int32_t n, int32_t first) {
    tw_gemmini_issue(TW_GEMMINI_PRELOAD, tw_gemmini_no_tile(rows, n), c);
    if (first) tw_gemmini_issue(TW_GEMMINI_COMPUTE_PRELOADED, a, b);
    else tw_gemmini_issue(TW_GEMMINI_COMPUTE_ACCUMULATED, a, b);
}

static inline void tw_gemmini_multiply_keep(const void *a, int32_t a_at, const void *b, int32_t b_at, int32_t rows, int32_t k, int32_t n, int32_t first,
                                            int32_t step, int32_t dim, int32_t size) {
    (void)step;
    const uint64_t from = tw_gemmini_spad_tile(a, a_at, rows, k, dim, size), weights = tw_gemmini_spad_tile(b, b_at, k, n, dim, size);
    tw_gemmini_multiply_at(from, weights, tw_gemmini_no_tile(rows, n), rows, n, first);
}

static inline void tw_gemmini_multiply(const void *a, int32_t a_at, const void *b, int32_t b_at, void *c, int32_t c_at, int32_t rows, int32_t k, int32_t n, int32_t first,
                                       int32_t step, int32_t dim, int32_t size) {
    (void)step;
    const uint64_t from = tw_gemmini_spad_tile(a, a_at, rows, k, dim, size), weights = tw_gemmini_spad_tile(b, b_at, k, n, dim, size);
    tw_gemmini_multiply_at(from, weights, tw_gemmini_acc_tile(c, c_at, rows, n, dim, 0), rows, n, first);
}

static inline void tw_gemmini_multiply_add(const void *a, int32_t a_at, const void *b, int32_t b_at, void *c, int32_t c_at, int32_t rows, int32_t k, int32_t n, int32_t first,
                                           int32_t step, int32_t dim, int32_t size) {
    (void)step;
    const uint64_t from = tw_gemmini_spad_tile(a, a_at, rows, k, dim, size), weights = tw_gemmini_spad_tile(b, b_at, k, n, dim, size);
    tw_gemmini_multiply_at(from, weights, tw_gemmini_acc_tile(c, c_at, rows, n, dim, TW_GEMMINI_ADD), rows, n, first);
}

static inline void tw_gemmini_config_st(const void *far, int32_t stride, int32_t size, float scale, int32_t relu) {
    (void)far;
    tw_gemmini_issue(TW_GEMMINI_CONFIG, (uint64_t)relu << 2 | 2, tw_gemmini_bits(scale) << 32 | (uint32_t)(stride * size));
}

#if defined(GEMMINI_PARAMS_H) && !defined(HAS_NORMALIZATIONS)
#define tw_gemmini_config_gelu(far, stride, scale, qb, qc) \
    do { \
        _Static_assert(0, "the header gemmini_params.h is that of another instance: this program is for normalisations"); \
    } while (0)
#else
static inline void tw_gemmini_config_gelu(const int8_t *far, int32_t stride, float scale, int32_t qb, int32_t qc) {
    (void)far;
    tw_gemmini_issue(TW_GEMMINI_CONFIG, 3, (uint64_t)(uint32_t)qc << 32 | (uint32_t)qb);
    tw_gemmini_issue(TW_GEMMINI_CONFIG, 3 << 2 | 2, tw_gemmini_bits(scale) << 32 | (uint32_t)stride);
}
#endif

static inline void tw_gemmini_config_pool(const int8_t *far, int32_t stride, float scale, int32_t relu, int32_t window, int32_t step,
                                          int32_t line, int32_t rows, int32_t cols, int32_t sum_rows, int32_t sum_cols) {
    (void)far;
    uint64_t shape = (uint64_t)line << 24 | (uint64_t)rows << 32 | (uint64_t)cols << 40 | (uint64_t)sum_rows << 48 |
                     (uint64_t)sum_cols << 56;
    uint64_t rs1 = shape | (uint64_t)window << 6 | (uint64_t)step << 4 | (uint64_t)relu << 2 | 2;
    tw_gemmini_issue(TW_GEMMINI_CONFIG, rs1, tw_gemmini_bits(scale) << 32 | (uint32_t)stride);
}

static inline void tw_gemmini_mvout_pool(const int32_t *near, int32_t near_at, int8_t *far, int32_t rows, int32_t cols, int32_t window, int32_t dim) {
    (void)rows, (void)cols, (void)window;
    tw_gemmini_issue_far(TW_GEMMINI_MVOUT, (uint64_t)(uintptr_t)far, tw_gemmini_acc_tile(near, near_at, 0, dim, dim, 0));
}

static inline void tw_gemmini_config_lines(const int8_t *far, int32_t stride, float scale, int32_t relu, int32_t line, int32_t pitch,
                                           int32_t rows, int32_t cols) {
    tw_gemmini_config_pool(far, stride, scale, relu, 1, 1, line, rows, cols, rows, pitch);
}

static inline void tw_gemmini_mvout_lines(const int32_t *near, int32_t near_at, int8_t *far, int32_t rows, int32_t cols, int32_t channels,
                                          int32_t pitch, int32_t dim) {
    (void)rows, (void)cols, (void)pitch;
    tw_gemmini_issue_far(TW_GEMMINI_MVOUT, (uint64_t)(uintptr_t)far, tw_gemmini_acc_tile(near, near_at, 0, channels, dim, 0));
}

static inline void tw_gemmini_mvout(const void *near, int32_t near_at, void *far, int32_t rows, int32_t cols, int32_t dim, int32_t size) {
    (void)size;
    tw_gemmini_model_is(dim, size);
    tw_gemmini_issue_far(TW_GEMMINI_MVOUT, (uint64_t)(uintptr_t)far, tw_gemmini_acc_tile(near, near_at, rows, cols, dim, 0));
}

static inline void tw_gemmini_mvout_full(const void *near, int32_t near_at, void *far, int32_t rows, int32_t cols, int32_t dim) {
    tw_gemmini_issue_far(TW_GEMMINI_MVOUT, (uint64_t)(uintptr_t)far, tw_gemmini_acc_tile(near, near_at, rows, cols, dim, TW_GEMMINI_FULL));
}

static inline void tw_gemmini_begin_loops(int32_t dim, int32_t banks, int32_t bank_rows, int32_t acc_rows, int32_t size) {
    (void)dim, (void)banks, (void)bank_rows, (void)acc_rows, (void)size;
    tw_gemmini_model_is(dim, size);
}
#define tw_gemmini_begin_loops(dim, banks, bank_rows, acc_rows, size) \
    do { \
        TW_GEMMINI_CHECK_DIM(dim) \
        TW_GEMMINI_CHECK(banks, bank_rows, acc_rows, size) \
        (tw_gemmini_begin_loops)(dim, banks, bank_rows, acc_rows, size); \
    } while (0)

/* The bias is one row, which loads repeat. */
static inline void tw_gemmini_config_loop(const void *a, const void *b, const void *c, int32_t a_stride, int32_t b_stride,
                                          int32_t c_stride, int32_t size, float scale, int32_t relu) {
    tw_gemmini.a_stride = a_stride;
    tw_gemmini.b_stride = b_stride;
    tw_gemmini.c_stride = c_stride;
    tw_gemmini_config_ex(1);
    tw_gemmini_config_ld(a, a_stride, 0, size, 0);
    tw_gemmini_config_ld(b, b_stride, 0, size, 1);
    tw_gemmini_config_ld(b, 0, 0, size, 2);
    tw_gemmini_config_st(c, c_stride, size, scale, relu);
}

static inline uint64_t tw_gemmini_fields(int32_t first, int32_t second, int32_t third, int32_t fourth) {
    return (uint64_t)first | (uint64_t)second << 16 | (uint64_t)third << 32 | (uint64_t)fourth << 48;
}

static inline void tw_gemmini_loop_ws_at(const void *a, const void *b, const void *d, void *c, int32_t rows, int32_t cols,
                                         int32_t depth, int32_t dim) {
    int32_t i = (rows + dim - 1) / dim, j = (cols + dim - 1) / dim, k = (depth + dim - 1) / dim;
    uint64_t pads = tw_gemmini_fields(i * dim - rows, j * dim - cols, k * dim - depth, 0);
    tw_gemmini_issue(TW_GEMMINI_LOOP_WS_BOUNDS, pads, tw_gemmini_fields(i, j, k, 0));
    tw_gemmini_issue(TW_GEMMINI_LOOP_WS_ADDRESSES_AB, (uint64_t)(uintptr_t)a, (uint64_t)(uintptr_t)b);
    tw_gemmini_issue(TW_GEMMINI_LOOP_WS_ADDRESSES_DC, (uint64_t)(uintptr_t)d, (uint64_t)(uintptr_t)c);
    tw_gemmini_issue(TW_GEMMINI_LOOP_WS_STRIDES_AB, (uint64_t)tw_gemmini.a_stride, (uint64_t)tw_gemmini.b_stride);
    tw_gemmini_issue(TW_GEMMINI_LOOP_WS_STRIDES_DC, UINT64_C(0), (uint64_t)tw_gemmini.c_stride);
    tw_gemmini_issue_far(TW_GEMMINI_LOOP_WS, (uint64_t)(d != 0), UINT64_C(0));
}

static inline void tw_gemmini_loop_ws(const void *a, const void *b, void *c, int32_t rows, int32_t cols, int32_t depth, int32_t dim,
                                      int32_t spad_rows, int32_t acc_rows) {
    (void)spad_rows, (void)acc_rows;
    tw_gemmini_loop_ws_at(a, b, 0, c, rows, cols, depth, dim);
}

static inline void tw_gemmini_loop_ws_bias(const void *a, const void *b, const void *d, void *c, int32_t rows, int32_t cols,
                                           int32_t depth, int32_t dim, int32_t spad_rows, int32_t acc_rows) {
    (void)spad_rows, (void)acc_rows;
    tw_gemmini_loop_ws_at(a, b, d, c, rows, cols, depth, dim);
}

static inline void tw_gemmini_config_loop_conv(const void *x, const void *w, const void *y, int32_t x_row, int32_t x_pixel, int32_t w_row,
                                               int32_t w_tap, int32_t w_channel, int32_t y_row, int32_t y_pixel, int32_t step,
                                               int32_t dilation, int32_t size, float scale, int32_t relu) {
    (void)x, (void)w;
    tw_gemmini.x_row = x_row;
    tw_gemmini.x_pixel = x_pixel;
    tw_gemmini.w_row = w_row;
    tw_gemmini.w_tap = w_tap;
    tw_gemmini.w_channel = w_channel;
    tw_gemmini.y_row = y_row;
    tw_gemmini.y_pixel = y_pixel;
    tw_gemmini.step = step;
    tw_gemmini.dilation = dilation;
    tw_gemmini_config_ex(step);
    tw_gemmini_config_st(y, y_pixel, size, scale, relu);
}

/*
 * The loop loads step - 1 rows and columns more than windows reach: they are declared as padding, which is not read. The
 * bias that a loop without one needs is an address that is not 0.
 */
static inline void tw_gemmini_loop_conv_ws_at(const void *x, const void *w, const void *d, void *y, int32_t rows, int32_t cols,
                                              int32_t features, int32_t depth, int32_t taps_down, int32_t taps_across) {
    int32_t more = tw_gemmini.step - 1, channels = tw_gemmini.w_tap / tw_gemmini.w_channel, width = tw_gemmini.w_row / tw_gemmini.w_tap;
    int32_t line = tw_gemmini.x_row / tw_gemmini.x_pixel, results = tw_gemmini.y_row / tw_gemmini.y_pixel;
    tw_gemmini_issue(TW_GEMMINI_LOOP_CONV_WS_1, tw_gemmini_fields(1, 1, channels, tw_gemmini.w_channel),
                     tw_gemmini_fields(1, 1, results, tw_gemmini.step));
    tw_gemmini_issue(TW_GEMMINI_LOOP_CONV_WS_2, tw_gemmini_fields(0, 0, results, width), tw_gemmini_fields(features, cols, rows, 1));
    tw_gemmini_issue(TW_GEMMINI_LOOP_CONV_WS_3, tw_gemmini_fields(0, depth, taps_across, taps_down),
                     tw_gemmini_fields(line, more << 8, 0, more));
    tw_gemmini_issue(TW_GEMMINI_LOOP_CONV_WS_4, tw_gemmini_fields(tw_gemmini.dilation, 0, 0, rows),
                     tw_gemmini_fields(cols, tw_gemmini.y_pixel, tw_gemmini.w_channel, tw_gemmini.x_pixel));
    tw_gemmini_issue(TW_GEMMINI_LOOP_CONV_WS_5, (uint64_t)(uintptr_t)w, (uint64_t)(uintptr_t)y);
    tw_gemmini_issue(TW_GEMMINI_LOOP_CONV_WS_6, d ? (uint64_t)(uintptr_t)d : UINT64_C(1), (uint64_t)(uintptr_t)x);
    tw_gemmini_issue_far(TW_GEMMINI_LOOP_CONV_WS, (uint64_t)(d == 0) | UINT64_C(1) << 8, UINT64_C(1));
}

static inline void tw_gemmini_loop_conv_ws(const void *x, const void *w, void *y, int32_t rows, int32_t cols, int32_t features,
                                           int32_t depth, int32_t taps_down, int32_t taps_across, int32_t step, int32_t dilation,
                                           int32_t dim, int32_t spad_rows, int32_t acc_rows) {
    (void)step, (void)dilation, (void)dim, (void)spad_rows, (void)acc_rows;
    tw_gemmini_loop_conv_ws_at(x, w, 0, y, rows, cols, features, depth, taps_down, taps_across);
}

static inline void tw_gemmini_loop_conv_ws_bias(const void *x, const void *w, const void *d, void *y, int32_t rows, int32_t cols,
                                                int32_t features, int32_t depth, int32_t taps_down, int32_t taps_across,
                                                int32_t step, int32_t dilation, int32_t dim, int32_t spad_rows, int32_t acc_rows) {
    (void)step, (void)dilation, (void)dim, (void)spad_rows, (void)acc_rows;
    tw_gemmini_loop_conv_ws_at(x, w, d, y, rows, cols, features, depth, taps_down, taps_across);
}

static inline void tw_gemmini_fence(void) { tw_gemmini_wait(); }

#endif
