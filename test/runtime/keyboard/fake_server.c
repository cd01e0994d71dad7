/* A keyboard server on a model without weights. Arguments: the device or -, microseconds of a call, "text". */
#include "fake_model.h"

#include "tilewright_keyboard_posix.h"

#include <stdlib.h>
#include <unistd.h>

static tw_keyboard keyboard;
static tw_keyboard_text text;
static tw_keyboard_output output;

int main(int argc, char **argv)
{
    const tw_keyboard_prediction prediction = {.most = 8, .stops = {[1] = 4}};
    tw_keyboard_front front;
    fake_delay = argc > 2 ? (uint32_t)atoi(argv[2]) : 0;
    const int serial = argc > 1 && strcmp(argv[1], "-") != 0 ? tw_keyboard_serial(argv[1], 115200) : -1;
    if (argc > 3) {
        if (tw_keyboard_text_open(&text, &fake_model, &prediction, tw_keyboard_enqueue, &output) != TW_KEYBOARD_OK)
            return 3;
        front = tw_keyboard_text_front(&text);
    } else {
        if (tw_keyboard_open(&keyboard, &fake_model, tw_keyboard_enqueue, &output) != TW_KEYBOARD_OK)
            return 3;
        front = tw_keyboard_protocol_front(&keyboard);
    }
    return tw_keyboard_serve(&front, &output, serial >= 0 ? serial : STDIN_FILENO, serial >= 0 ? serial : STDOUT_FILENO);
}
