/* Runs a network on frames of its own, prints the outputs, and says which failures and processes are left. */
#include "network.h"
#include "tilewright_npu.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

static int failures;

static void note(const char *stage, uint64_t frame, const char *text)
{
    ++failures;
    fprintf(stderr, "%s\n", text);
    if (failures == 1)
        fprintf(stderr, "failed: %s at %llu\n", stage, (unsigned long long)frame);
}

int main(int count, char **arguments)
{
    static NETWORK_INPUT_0_TYPE input[NETWORK_INPUT_0_SIZE];
    static NETWORK_OUTPUT_0_TYPE output[NETWORK_OUTPUT_0_SIZE];
    const int runs = count > 1 ? atoi(arguments[1]) : 1;
    tw_npu_on_failure(note);
    for (int run = 0; run < runs && failures == 0; ++run) {
        for (int k = 0; k < NETWORK_INPUT_0_SIZE; ++k)
            input[k] = (NETWORK_INPUT_0_TYPE)((k * 7 + run * 13) % 251);
        network_run(input, output);
        for (int k = 0; k < NETWORK_OUTPUT_0_SIZE && failures == 0; ++k)
            printf("%.9g%c", (double)output[k], k + 1 < NETWORK_OUTPUT_0_SIZE ? ' ' : '\n');
    }
    tw_npu_close_all();
    fprintf(stderr, waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD ? "no processes\n" : "processes are left\n");
    return failures != 0;
}
