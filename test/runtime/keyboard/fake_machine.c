/* The protocol on a model without weights, for ctypes: bytes in and out are those of a buffer. */
#include "fake_model.h"

static tw_keyboard keyboard;
static uint8_t written[1 << 20];
static uint32_t written_count;

static void collect(void *context, const uint8_t *bytes, uint32_t count)
{
    (void)context;
    memcpy(written + written_count, bytes, count);
    written_count += count;
}

int machine_open(int32_t begin)
{
    fake_model.begin = begin;
    memset(fake_documents, 0, sizeof fake_documents);
    fake_has_saved = false;
    return tw_keyboard_open(&keyboard, &fake_model, collect, NULL);
}

/* Give bytes, all at once; returns how many there was room for. */
uint32_t machine_receive(const uint8_t *bytes, uint32_t count)
{
    const uint32_t room = tw_keyboard_room(&keyboard), taken = count < room ? count : room;
    tw_keyboard_receive(&keyboard, bytes, taken);
    return taken;
}

bool machine_step(void)
{
    return tw_keyboard_step(&keyboard);
}

void machine_silence(void)
{
    tw_keyboard_silence(&keyboard);
}

void machine_end(void)
{
    tw_keyboard_end(&keyboard);
}

uint64_t machine_calls(void)
{
    return fake_calls;
}

/* Let the model refuse calls from the one of this number on; 0 for none. */
void machine_fail(uint64_t call)
{
    fake_failing = call;
}

/* Copy what was written, and forget it. */
uint32_t machine_written(uint8_t *bytes)
{
    const uint32_t count = written_count;
    memcpy(bytes, written, count);
    written_count = 0;
    return count;
}
