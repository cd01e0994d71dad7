#ifndef TW_COMMAND_H
#define TW_COMMAND_H
/* The command line of a network's program. */
#include "tw_files.h"

typedef struct {
    void (*run)(void);
    const tw_port *inputs, *outputs;
    int32_t input_count, output_count;
} tw_network;

int tw_command(int argc, char **argv, const tw_network *network);

#endif
