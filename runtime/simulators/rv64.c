/* Start of a program on one bare RV64 hart in machine mode, and its host interface (HTIF).
 *
 * HTIF: a store to `tohost` of (status << 1) | 1 ends the run; that of an address of eight 64-bit words, an even number,
 * asks for the system call in the first word, with its arguments behind it. `fromhost` is 1 once it is done; its result
 * is in the first word. */
#include "rv64.h"

extern int main(void);

__asm__(".section .text.start,\"ax\",@progbits\n"
        ".globl tw_start\n"
        "tw_start:\n"
        "  .option push\n"
        "  .option norelax\n"
        "  la gp, __global_pointer$\n"
        "  .option pop\n"
        "  la sp, tw_stack_end\n"
        "  la tp, tw_thread\n"
        "  la t0, tw_trap\n"
        "  csrw mtvec, t0\n"
        "  li t0, 0x1e600\n" /* mstatus: FS, XS and VS are dirty, so that floats, RoCC and vectors are on */
        "  csrs mstatus, t0\n"
        "  csrr t0, mhartid\n"
        "1: bnez t0, 1b\n"
        "  call tw_begin\n"
        "  .balign 4\n"
        "tw_trap:\n"
        "  la sp, tw_stack_end\n"
        "  csrr a0, mcause\n"
        "  csrr a1, mepc\n"
        "  csrr a2, mtval\n"
        "  call tw_trapped\n");

volatile uint64_t tohost __attribute__((section(".htif"), aligned(64)));
volatile uint64_t fromhost __attribute__((section(".htif"), aligned(64)));

enum { SYS_OPENAT = 56, SYS_READ = 63, SYS_WRITE = 64 };

static long call_host(uint64_t number, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e) {
    static volatile uint64_t words[8] __attribute__((aligned(64)));
    words[0] = number, words[1] = a, words[2] = b, words[3] = c, words[4] = d, words[5] = e;
    __asm__ volatile("fence" : : : "memory");
    tohost = (uint64_t)(uintptr_t)words;
    while (fromhost == 0) {
    }
    fromhost = 0;
    __asm__ volatile("fence" : : : "memory");
    return (long)words[0];
}

_Noreturn void tw_exit(int status) {
    for (;;) tohost = ((uint64_t)status << 1) | 1;
}

long tw_open(const char *path, int is_created) {
    size_t length = 1;
    while (path[length - 1] != 0) length++;
    const uint64_t flags = is_created ? 01 | 0100 | 01000 : 0; /* O_WRONLY, O_CREAT, O_TRUNC */
    return call_host(SYS_OPENAT, (uint64_t)-100, (uint64_t)(uintptr_t)path, length, flags, 0600);
}

long tw_read(long file, void *to, size_t bytes) {
    return call_host(SYS_READ, (uint64_t)file, (uint64_t)(uintptr_t)to, bytes, 0, 0);
}

long tw_write(long file, const void *from, size_t bytes) {
    return call_host(SYS_WRITE, (uint64_t)file, (uint64_t)(uintptr_t)from, bytes, 0, 0);
}

_Noreturn void tw_begin(void) { tw_exit(main()); }

static char *hexadecimal(char *to, uint64_t number) {
    for (int shift = 60; shift >= 0; shift -= 4) *to++ = "0123456789abcdef"[(number >> shift) & 15];
    return to;
}

static char *text(char *to, const char *from) {
    while (*from != 0) *to++ = *from++;
    return to;
}

_Noreturn void tw_trapped(uint64_t cause, uint64_t pc, uint64_t value) {
    char line[128];
    char *end = hexadecimal(text(line, "trap: cause 0x"), cause);
    end = hexadecimal(text(end, ", at 0x"), pc);
    end = hexadecimal(text(end, ", value 0x"), value);
    end = text(end, "\n");
    tw_write(2, line, (size_t)(end - line));
    tw_exit(3);
}
