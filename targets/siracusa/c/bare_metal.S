/*
 * Start of a program on Siracusa without an SDK. The controller outside of the cluster starts at tw_start_program: it clears
 * L2, switches the cluster's instruction cache on and starts its nine cores at tw_start_core. Core 8 calls main, the
 * others wait for functions to run.
 *
 * CSRs and p.elw are written as words: they need neither Zicsr nor Xpulp.
 */
#include "tw_siracusa.h"

    .section .tw_start, "ax"
    .globl tw_start_program
    .balign 4
tw_start_program:
    lui     t0, %hi(tw_bss_start)
    addi    t0, t0, %lo(tw_bss_start)
    lui     t1, %hi(tw_bss_end)
    addi    t1, t1, %lo(tw_bss_end)
1:  bgeu    t0, t1, 2f
    sw      zero, 0(t0)
    addi    t0, t0, 4
    j       1b
2:  li      t0, -1
    li      t1, TW_ICACHE_FLUSH
    sw      t0, 0(t1)
    li      t1, TW_ICACHE_ENABLE
    sw      t0, 0(t1)
    lui     t0, %hi(tw_start_core)
    addi    t0, t0, %lo(tw_start_core)
    li      t1, TW_CLUSTER_BOOT
    li      t2, TW_CONTROLLER + 1
3:  sw      t0, 0(t1)
    addi    t1, t1, 4
    addi    t2, t2, -1
    bnez    t2, 3b
    li      t0, (1 << (TW_CONTROLLER + 1)) - 1
    li      t1, TW_CLUSTER_START
    sw      t0, 0(t1)
4:  wfi
    j       4b

    .balign 256
tw_start_core:
    .insn   i 0x73, 2, a0, x0, -236 /* csrr a0, mhartid */
    andi    a0, a0, 31
    li      sp, TW_L1_BASE + TW_L1_BYTES
    slli    t0, a0, 11
    sub     sp, sp, t0
    li      t0, TW_CONTROLLER
    bne     a0, t0, work

    lui     t0, %hi(tw_l1_start)
    addi    t0, t0, %lo(tw_l1_start)
    lui     t1, %hi(tw_l1_end)
    addi    t1, t1, %lo(tw_l1_end)
5:  bgeu    t0, t1, 6f
    sw      zero, 0(t0)
    addi    t0, t0, 4
    j       5b
6:  call    main
    call    tw_exit

work:
    li      s0, TW_EVENTS
    li      t0, TW_TEAM_EVENTS
    sw      t0, TW_EVENTS_MASK(s0)
7:  .insn   i 0x03, 6, t0, TW_DISPATCH(s0) /* p.elw: the function */
    .insn   i 0x03, 6, a0, TW_DISPATCH(s0) /* and its argument */
    jalr    t0
    .insn   i 0x03, 6, t0, TW_BARRIER + TW_BARRIER_SIZE + TW_BARRIER_TRIGGER_WAIT_CLEAR(s0) /* the end of the fork */
    j       7b

    .if TW_STACK_BYTES != 1 << 11
    .error "the shift above does not fit TW_STACK_BYTES"
    .endif
