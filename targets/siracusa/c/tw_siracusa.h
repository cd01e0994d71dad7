/*
 * Siracusa as its cluster controller sees it: addresses, registers and events, for C and for assembly.
 *
 * Sources: pulp-sdk archi/chips/siracusa (memory map, events), archi/eu/eu_v3.h, archi/dma/mchan_v7.h; GVSoC
 * pulp/chips/siracusa/cluster.json. N-Eureka: pulp-nnx neureka/hal.
 */
#ifndef TW_SIRACUSA_H
#define TW_SIRACUSA_H

#define TW_WORKERS 8
#define TW_CONTROLLER 8 /* its core number in the cluster */

#define TW_L1_BASE 0x10000000
#define TW_L1_BYTES 0x40000
#define TW_STACK_BYTES 0x800       /* of a worker; at the end of L1, that of core 0 last */
#define TW_MAIN_STACK_BYTES 0x1000 /* of the controller; below those of the workers */
#define TW_WEIGHT_MEMORY_BASE 0x10400000
#define TW_WEIGHT_MEMORY_BYTES 0x800000 /* MRAM, then SRAM */

#define TW_CLUSTER_START 0x10200008 /* a bit for each core */
#define TW_CLUSTER_BOOT 0x10200040  /* a word for each core */
#define TW_ICACHE_ENABLE 0x10201400 /* off after reset */
#define TW_ICACHE_FLUSH 0x10201404

/* The event unit, and what waits in it: reads that do not return before there is something. Each core sees its own. */
#define TW_EVENTS 0x10204000
#define TW_EVENTS_MASK 0x00
#define TW_EVENTS_WAIT_CLEAR 0x3c
#define TW_DISPATCH 0x80
#define TW_DISPATCH_TEAM 0x84
#define TW_BARRIER 0x200
#define TW_BARRIER_SIZE 0x20
#define TW_BARRIER_TRIGGER_MASK 0x00
#define TW_BARRIER_TARGET_MASK 0x0c
#define TW_BARRIER_TRIGGER_WAIT_CLEAR 0x1c
#define TW_EVENT_DMA 8
#define TW_EVENT_NPU 12
#define TW_EVENT_BARRIER 16
#define TW_EVENT_DISPATCH 18
#define TW_TEAM_EVENTS 0x50000 /* barrier and dispatch */

/* The DMA engine (mchan, version 7). Each core has its own entrance. */
#define TW_MCHAN 0x10204400
#define TW_MCHAN_STATUS 0x10204404
#define TW_MCHAN_LENGTH_BITS 17
#define TW_MCHAN_TO_L1 0x20000
#define TW_MCHAN_INCREMENT 0x40000
#define TW_MCHAN_2D 0x80000
#define TW_MCHAN_EVENT 0x100000

#define TW_NPU 0x10201000
#define TW_NPU_TRIGGER 0x00
#define TW_NPU_ACQUIRE 0x04
#define TW_NPU_STATUS 0x0c
#define TW_NPU_JOB 0x20

#define TW_CONSOLE 0x1a10f040 /* the controller's: bytes */
#define TW_EXIT 0x1a1040a0
#define TW_EXIT_VALID 0x80000000

#endif
