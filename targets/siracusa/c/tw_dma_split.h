/*
 * Cuts a transfer into commands that a DMA engine takes: at most `most` bytes each, and a stride on the far side only.
 * The engine's own `tw_dma_command` issues one; a row that is as long as the command makes it one-dimensional.
 */
#ifndef TW_DMA_SPLIT_H
#define TW_DMA_SPLIT_H

#include <stdint.h>

static void tw_dma_command(uint32_t near, uint32_t far, uint32_t bytes, uint32_t row_bytes, uint32_t stride, int to_l1);

static void __attribute__((__unused__)) tw_dma_row(uint32_t near, uint32_t far, uint32_t bytes, uint32_t most, int to_l1) {
    while (bytes > 0u) {
        const uint32_t part = bytes < most ? bytes : most;
        tw_dma_command(near, far, part, part, part, to_l1);
        near += part;
        far += part;
        bytes -= part;
    }
}

static void __attribute__((__unused__)) tw_dma_split(
    uint32_t near, uint32_t far, uint32_t row_bytes, uint32_t rows, uint32_t stride, uint32_t most, int to_l1) {
    if (row_bytes == 0u || rows == 0u) return;
    if (rows == 1u || stride == row_bytes) {
        tw_dma_row(near, far, row_bytes * rows, most, to_l1);
        return;
    }
    if (row_bytes > most) {
        for (uint32_t row = 0; row < rows; ++row) tw_dma_row(near + row * row_bytes, far + row * stride, row_bytes, most, to_l1);
        return;
    }
    while (row_bytes * rows > most) {
        const uint32_t part = most / row_bytes;
        tw_dma_command(near, far, part * row_bytes, row_bytes, stride, to_l1);
        near += part * row_bytes;
        far += part * stride;
        rows -= part;
    }
    tw_dma_command(near, far, row_bytes * rows, row_bytes, stride, to_l1);
}

static void __attribute__((__unused__)) tw_dma_transfer(
    const void *near, const void *far, int32_t row_bytes, int32_t rows, int32_t stride, uint32_t most, int to_l1) {
    const uint32_t near_address = (uint32_t)(uintptr_t)near, far_address = (uint32_t)(uintptr_t)far;
    tw_dma_split(near_address, far_address, (uint32_t)row_bytes, (uint32_t)rows, (uint32_t)stride, most, to_l1);
}

#endif
