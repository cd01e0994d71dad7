/* Transfers of more bytes than a command of the DMA engine takes, of rows apart, of odd places, and of nothing. */
#include "network.h"

#include "tw_cluster.h"

TW_L1 static _Alignas(16) uint8_t network_L1[150000];
static uint8_t far_[300000];

static uint32_t sum_of(const uint8_t *bytes, uint32_t count) {
    uint32_t sum = 1;
    for (uint32_t i = 0; i < count; ++i) sum = sum * 31u + bytes[i];
    return sum;
}

void network_run(const uint8_t input[150016], uint32_t sums[3]) {
    int32_t group = tw_dma_begin();
    tw_dma_in(network_L1, input, 140000, 1, 0);
    tw_dma_in(network_L1, input, 0, 7, 3);
    tw_dma_in(network_L1, input, 7, 0, 3);
    tw_dma_wait(group);
    group = tw_dma_begin();
    tw_dma_out(far_, network_L1, 70000, 2, 75000);
    tw_dma_out(far_ + 70000, network_L1 + 5, 5000, 1, 0);
    tw_dma_out(far_ + 145000, network_L1 + 7, 5000, 1, 0);
    tw_dma_wait(group);
    sums[0] = sum_of(far_, 150000);

    group = tw_dma_begin();
    tw_dma_in(network_L1, input + 3, 50000, 3, 50001);
    tw_dma_wait(group);
    group = tw_dma_begin();
    tw_dma_out(far_ + 150000, network_L1, 1, 150000, 1);
    tw_dma_wait(group);
    sums[1] = sum_of(far_ + 150000, 150000);

    group = tw_dma_begin();
    tw_dma_out(far_ + 1, network_L1, 3, 49999, 5);
    tw_dma_wait(group);
    group = tw_dma_begin();
    tw_dma_wait(group);
    tw_dma_wait(TW_DMA_NONE);
    sums[2] = sum_of(far_, 300000);
}
