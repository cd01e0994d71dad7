/*
 * Instructions of Xpulp as words, since few compilers know them, for the text of asm statements. Registers are given as
 * text, such as "t3" or "%[name]".
 *
 * Sources of the encodings: GVSoC models/cpu/iss/isa_gen/isa_pulpv2.py (lp.setup, p.lw, p.sw, pv.sdot(u)sp.b); the table
 * of vectorial instructions in RI5CY's user manual (pv.sll.sci.b, pv.srl.sci.b, pv.sra.sci.b, pv.shuffle2.b, pv.pack.h), with which LLVM's
 * assembler agrees for CORE-V, but for the opcode; isa_pulpnn.py for XpulpNN (pv.sdot(u)(s)p.n and .c).
 */
#ifndef TW_XPULP_H
#define TW_XPULP_H

/*
 * A hardware loop (number 0) of `words` turns over the instructions up to TW_LOOP_END, which take so many halfwords;
 * compressed ones must not stand in it.
 */
#define TW_LOOP(halfwords) ".option push\n.option norvc\n.insn i 0x7b, 4, x0, %[words], " halfwords "\n"
#define TW_LOOP_END ".option pop\n"
/* A word to or from where a register points, which then moves on. */
#define TW_NEXT(to, from) ".insn i 0x0b, 2, " to ", " from ", 4\n"
#define TW_STORE_NEXT(word, to) ".insn s 0x2b, 2, " word ", 4(" to ")\n"
/* A word to where a register points, which then moves on by another register. */
#define TW_STORE_STEP(word, to, step) ".insn r 0x2b, 6, 0x00, " step ", " to ", " word "\n"
/* Bytes of `to` and of `b`: byte i is the one whose number, from 0 in `to` and from 4 in `b`, is in byte i of `numbers`. */
#define TW_SHUFFLE(to, b, numbers) ".insn r 0x57, 1, 0x64, " to ", " b ", " numbers "\n"
/* The lower half of a word a, and as upper half that of b. */
#define TW_PACK_HALVES(to, a, b) ".insn r 0x57, 0, 0x68, " to ", " b ", " a "\n"
/* A byte from where a register points, which then moves on by another register; and one to there, moved on by 1. */
#define TW_BYTE(to, from, step) ".insn r 0x0b, 7, 0x20, " to ", " from ", " step "\n"
#define TW_STORE_BYTE(byte, to) ".insn s 0x2b, 0, " byte ", 1(" to ")\n"
/* sum += the products of the bytes of a and b; funct7 says which of them have signs. */
#define TW_SDOT(funct7, sum, a, b) ".insn r 0x57, 1, " funct7 ", " sum ", " a ", " b "\n"
#define TW_SDOT_SS "0x5c"
#define TW_SDOT_US "0x54"
#define TW_SDOT_UU "0x50"
/* The same with 8 numbers of 4 bits or 16 of 2 bits, which XpulpNN has. */
#define TW_SDOT_NARROW(funct7, sum, a, b) ".insn r 0x57, 2, " funct7 ", " sum ", " a ", " b "\n"
#define TW_SDOT8_SS "0x5c"
#define TW_SDOT8_US "0x54"
#define TW_SDOT8_UU "0x50"
#define TW_SDOT16_SS "0x5d"
#define TW_SDOT16_US "0x55"
#define TW_SDOT16_UU "0x51"
/* All bytes of a word, shifted by an even number of bits; `half` is half of it. */
#define TW_SLL_BYTES(to, from, half) ".insn r 0x57, 7, 0x28, " to ", " from ", x" #half "\n"
#define TW_SRL_BYTES(to, from, half) ".insn r 0x57, 7, 0x20, " to ", " from ", x" #half "\n"
#define TW_SRA_BYTES(to, from, half) ".insn r 0x57, 7, 0x24, " to ", " from ", x" #half "\n"

#endif
