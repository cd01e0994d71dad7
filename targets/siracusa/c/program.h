/* What a program without an operating system needs beside its network: a console and an end. */
#ifndef TW_PROGRAM_H
#define TW_PROGRAM_H

#include <stdint.h>

void tw_put(char character);

/* Waits for a byte of the serial line. Only boards that have one have this. */
uint8_t tw_get(void);

void tw_put_text(const char *text);
void tw_put_decimal(uint32_t number);

/* Prints `name number: ` and the bytes in hexadecimal, in lines of 64. */
void tw_put_bytes(const char *name, uint32_t number, const void *bytes, uint32_t count);

/* Ends the run: 0 for success. */
_Noreturn void tw_exit(uint32_t code);

/* Prints why, with an address, and ends the run with code 2. */
_Noreturn void tw_stop(const char *reason, uint32_t address);

/* The machine's clock, where tw_cycles has none of its own. */
uint32_t tw_clock(void);

#endif
