/*
 * A matrix product in tiles, as the compiler emits such: transfers a tile ahead, workers that share each tile, a barrier
 * between the sums and what is made of them. The macros FORGET_* and OVERLAP plant one fault each.
 */
#include "network.h"

#include "tw_cluster.h"
#include "weights.h"

#define N 40u
#define K 64u
#define TILE_M 12u
#define TILE_N 20u
#define STEPS 8u

#define AT_A 0u
#define AT_B (AT_A + 2u * TILE_M * K)
#define AT_SUMS (AT_B + 2u * TILE_N * K)
#define AT_OUT (AT_SUMS + 4u * TILE_M * TILE_N)

TW_L1 static _Alignas(16) uint8_t network_L1[AT_OUT + 2u * TILE_M * TILE_N];

typedef struct {
    const uint8_t *a;
    const int8_t *b;
    int32_t *sums;
    int8_t *out;
} arguments_t;

static void product(void *closure) {
    const arguments_t *const arguments = closure;
    const uint32_t cores = tw_cores(), core = tw_core();
    const uint32_t rows = (TILE_M + cores - 1u) / cores, columns = (TILE_N + cores - 1u) / cores;
    uint32_t first = core * rows;
#if defined(OVERLAP)
    first -= first > 0u && first < TILE_M ? 1u : 0u;
#endif
    for (uint32_t m = first; m < core * rows + rows && m < TILE_M; ++m) {
        for (uint32_t n = 0; n < TILE_N; ++n) {
            int32_t sum = 0;
            for (uint32_t k = 0; k < K; k += 4u) {
                sum = tw_dot4_us(tw_word(arguments->a + m * K + k), tw_word(arguments->b + n * K + k), sum);
            }
            arguments->sums[m * TILE_N + n] = sum;
        }
    }
#if !defined(FORGET_BARRIER)
    tw_barrier();
#endif
    for (uint32_t n = core * columns; n < core * columns + columns && n < TILE_N; ++n) {
        for (uint32_t m = 0; m < TILE_M; ++m) {
            const int32_t value = (arguments->sums[m * TILE_N + n] * 3 + 1024) >> 11;
            arguments->out[m * TILE_N + n] = (int8_t)(value < -128 ? -128 : value > 127 ? 127 : value);
        }
    }
}

static int32_t fetch(const uint8_t *input, uint32_t step) {
    const int32_t group = tw_dma_begin();
    tw_dma_in(network_L1 + AT_A + step % 2u * TILE_M * K, input + step / 2u * TILE_M * K, K, TILE_M, K);
    /* Half of each row of weights at a time, with a stride on the far side. */
    for (uint32_t half = 0; half < TILE_N; half += TILE_N / 2u) {
        int8_t *const near = (int8_t *)(network_L1 + AT_B + step % 2u * TILE_N * K) + half * K;
        tw_dma_in(near, network_weight + step % 2u * K + half * 2u * K, K, TILE_N / 2u, 2u * K);
    }
    return group;
}

void network_run(const uint8_t input[3072], int8_t output[1920]) {
    int32_t current = fetch(input, 0), writes[2] = {TW_DMA_NONE, TW_DMA_NONE};
    for (uint32_t step = 0; step < STEPS; ++step) {
        int8_t *const out = (int8_t *)(network_L1 + AT_OUT + step % 2u * TILE_M * TILE_N);
        const int32_t next = step + 1u < STEPS ? fetch(input, step + 1u) : TW_DMA_NONE;
#if !defined(FORGET_INPUT)
        tw_dma_wait(current);
#endif
        tw_dma_wait(writes[step % 2u]);
        arguments_t arguments = {
            network_L1 + AT_A + step % 2u * TILE_M * K,
            (const int8_t *)(network_L1 + AT_B + step % 2u * TILE_N * K),
            (int32_t *)(void *)(network_L1 + AT_SUMS),
            out,
        };
        tw_fork(product, &arguments);
#if defined(FORGET_INPUT)
        tw_dma_wait(current);
#endif
        writes[step % 2u] = tw_dma_begin();
        tw_dma_out(output + step / 2u * TILE_M * N + step % 2u, out, 1, TILE_M * TILE_N, 2);
#if defined(FORGET_OUTPUT)
        for (uint32_t i = 0; i < TILE_M * TILE_N; ++i) out[i] = 0;
#endif
        current = next;
    }
    tw_dma_wait(writes[0]);
    tw_dma_wait(writes[1]);
}
