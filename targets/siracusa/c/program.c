#include "program.h"

#include "tw_cluster.h"

#define REGISTER(type, address) (*(volatile type *)(uintptr_t)(address))

#if defined(TW_BARE_METAL)

void tw_put(char character) { REGISTER(uint8_t, TW_CONSOLE) = (uint8_t)character; }

static void end(uint32_t code) { REGISTER(uint32_t, TW_EXIT) = TW_EXIT_VALID | code; }

uint32_t tw_clock(void) { return tw_cycles(); }

#else

/* The board `virt` of QEMU: a serial line, a device that ends the run, and the clock of the interrupt controller. */

void tw_put(char character) { REGISTER(uint8_t, 0x10000000) = (uint8_t)character; }

static void end(uint32_t code) { REGISTER(uint32_t, 0x100000) = code == 0u ? 0x5555u : code << 16 | 0x3333u; }

uint32_t tw_clock(void) { return REGISTER(uint32_t, 0x200bff8); }

uint8_t tw_get(void) {
    while ((REGISTER(uint8_t, 0x10000005) & 1u) == 0u) {}
    return REGISTER(uint8_t, 0x10000000);
}

#endif

void tw_put_text(const char *text) {
    while (*text != '\0') tw_put(*text++);
}

void tw_put_decimal(uint32_t number) {
    if (number >= 10u) tw_put_decimal(number / 10u);
    tw_put((char)('0' + number % 10u));
}

void tw_put_bytes(const char *name, uint32_t number, const void *bytes, uint32_t count) {
    const uint8_t *const from = bytes;
    for (uint32_t at = 0; at < count; ++at) {
        if (at % 64u == 0u) {
            tw_put_text(name);
            tw_put(' ');
            tw_put_decimal(number);
            tw_put_text(": ");
        }
        tw_put("0123456789abcdef"[from[at] >> 4]);
        tw_put("0123456789abcdef"[from[at] & 15u]);
        if (at % 64u == 63u || at + 1u == count) tw_put('\n');
    }
}

void tw_exit(uint32_t code) {
    end(code);
    for (;;) {}
}

void tw_stop(const char *reason, uint32_t address) {
    tw_put_text("stopped: ");
    tw_put_text(reason);
    tw_put_text(", at ");
    tw_put_decimal(address);
    tw_put('\n');
    tw_exit(2u);
}
