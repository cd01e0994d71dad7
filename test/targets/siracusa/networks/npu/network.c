/*
 * Three jobs of the NPU, one more than it has contexts, while the workers invert the same images. FORGET_NPU plants a
 * fault: the results are taken before they are there.
 */
#include "network.h"

#include "tw_cluster.h"
#include "weights.h"

#define IMAGE 1152u
#define AT_PRODUCTS (3u * IMAGE)
#define AT_INVERTED (6u * IMAGE)
#define AT_SCALE (9u * IMAGE)
#define AT_BIAS (AT_SCALE + 128u)

TW_L1 static _Alignas(16) uint8_t network_L1[AT_BIAS + 128u];

static void invert(void *closure) {
    const uint8_t *const images = closure;
    for (uint32_t i = tw_core(); i < 3u * IMAGE; i += tw_cores()) network_L1[AT_INVERTED + i] = (uint8_t)(255u - images[i]);
}

/* A pointwise convolution of 6x6 pixels, 32 to 32 channels, with weights of 8 bits in weight memory. */
static void start_job(uint32_t image) {
    const uint32_t weights = tw_npu_address(network_weight) - TW_WEIGHT_MEMORY_BASE;
    const uint32_t words[TW_NPU_REGISTERS] = {
        weights,
        tw_npu_address(network_L1 + image * IMAGE),
        tw_npu_address(network_L1 + AT_PRODUCTS + image * IMAGE),
        tw_npu_address(network_L1 + AT_SCALE),
        0,
        tw_npu_address(network_L1 + AT_BIAS),
        32, 6 * 32, 0,
        32, 32, 6 * 32,
        32, 32, 0,
        32 << 16 | 32, 6 << 16 | 6, 6 << 16 | 6,
        1 << 16 | 1, 1 << 16 | 1,
        0, (uint32_t)-128, 0,
        7u | 1u << 4 | 2u << 5 | 1u << 9 | 2u << 12 | 1u << 15 | 12u << 16 | 1u << 25,
    };
    (void)tw_npu_acquire();
    for (uint32_t i = 0; i < TW_NPU_REGISTERS; ++i) tw_npu_write(i, words[i]);
    tw_npu_trigger();
}

void network_run(const uint8_t input[3456], uint8_t product[3456], uint8_t inverted[3456]) {
    const int32_t constants = tw_dma_begin();
    tw_dma_in(network_L1 + AT_SCALE, network_scale, 128, 1, 0);
    tw_dma_in(network_L1 + AT_BIAS, network_bias, 128, 1, 0);
    const int32_t images = tw_dma_begin();
    tw_dma_in(network_L1, input, 3u * IMAGE, 1, 0);
    tw_dma_wait(constants);
    tw_dma_wait(images);
    for (uint32_t image = 0; image < 3u; ++image) start_job(image);
    tw_fork(invert, network_L1);
    const int32_t first = tw_dma_begin();
    tw_dma_out(inverted, network_L1 + AT_INVERTED, 3u * IMAGE, 1, 0);
#if !defined(FORGET_NPU)
    tw_npu_wait();
#endif
    const int32_t second = tw_dma_begin();
    tw_dma_out(product, network_L1 + AT_PRODUCTS, 3u * IMAGE, 1, 0);
    tw_dma_wait(second);
    tw_dma_wait(first);
#if defined(FORGET_NPU)
    tw_npu_wait();
#endif
}
