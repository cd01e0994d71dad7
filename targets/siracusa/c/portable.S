/* Start of a program on one hart of a board with RAM at 0x80000000, such as QEMU's `virt`. All other harts sleep. */
    .section .tw_start, "ax"
    .globl tw_start_program
    .balign 4
tw_start_program:
    .insn   i 0x73, 2, a0, x0, -236 /* csrr a0, mhartid, without the extension Zicsr */
1:  beqz    a0, 2f
    wfi
    j       1b
2:  lui     sp, %hi(tw_stack_end)
    addi    sp, sp, %lo(tw_stack_end)
    lui     t0, %hi(tw_bss_start)
    addi    t0, t0, %lo(tw_bss_start)
    lui     t1, %hi(tw_bss_end)
    addi    t1, t1, %lo(tw_bss_end)
3:  bgeu    t0, t1, 4f
    sw      zero, 0(t0)
    addi    t0, t0, 4
    j       3b
4:  call    main
    call    tw_exit

    .section .tw_stack, "aw", @nobits
    .balign 4096
    .space  64 << 10
    .globl  tw_stack_end
tw_stack_end:
