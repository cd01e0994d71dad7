/* The text mode: lines of a terminal in, text out. */
#include "tilewright_keyboard.h"

#include <string.h>

static void say(tw_keyboard_text *text, const char *line)
{
    text->write(text->output, (const uint8_t *)line, (uint32_t)strlen(line));
}

static void complain(tw_keyboard_text *text)
{
    say(text, "error: ");
    say(text, text->work.message);
    say(text, "\n");
}

tw_keyboard_code tw_keyboard_text_open(tw_keyboard_text *text, const tw_keyboard_model *model,
                                       const tw_keyboard_prediction *prediction, tw_keyboard_write write, void *output)
{
    memset(text, 0, sizeof *text);
    text->write = write;
    text->output = output;
    text->prediction = *prediction;
    text->is_empty = true;
    return tw_keyboard_work_open(&text->work, model);
}

uint32_t tw_keyboard_text_room(const tw_keyboard_text *text)
{
    return (uint32_t)sizeof text->bytes - text->count;
}

void tw_keyboard_text_receive(tw_keyboard_text *text, const uint8_t *bytes, uint32_t count)
{
    memcpy(text->bytes + text->count, bytes, count);
    text->count += count;
}

/* Return how many bytes that came are text: up to a newline, which is included where the line has more, or a tab. */
static uint32_t text_in(const tw_keyboard_text *text)
{
    uint32_t count = 0;
    while (count < text->count && text->bytes[count] != '\n' && text->bytes[count] != '\t')
        ++count;
    const bool ends_line = count < text->count && text->bytes[count] == '\n' && (count > 0 || !text->is_empty);
    return ends_line ? count + 1 : count;
}

static void remove_bytes(tw_keyboard_text *text, uint32_t count)
{
    text->count -= count;
    memmove(text->bytes, text->bytes + count, text->count);
}

static void take_line(tw_keyboard_text *text)
{
    if (text->follows_tab && text->bytes[0] == '\n') {
        text->follows_tab = false;
        remove_bytes(text, 1);
        return;
    }
    const uint32_t count = text_in(text);
    const bool is_tab = count == 0 && text->bytes[0] == '\t';
    tw_keyboard_code code;
    if (count > 0) {
        code = tw_keyboard_append(&text->work, text->bytes, count);
        text->is_empty = text->bytes[count - 1] == '\n';
    } else {
        code = tw_keyboard_predict(&text->work, &text->prediction);
        text->is_empty = true;
    }
    text->follows_tab = is_tab;
    remove_bytes(text, count > 0 ? count : 1);
    if (code != TW_KEYBOARD_OK)
        complain(text);
}

bool tw_keyboard_text_step(tw_keyboard_text *text)
{
    tw_keyboard_work *work = &text->work;
    if (work->job == TW_KEYBOARD_NO_JOB && text->count == 0)
        return false;
    if (work->job == TW_KEYBOARD_NO_JOB) {
        take_line(text);
        return true;
    }
    const int event = tw_keyboard_advance(work);
    if (event == TW_KEYBOARD_EXTENDED)
        text->write(text->output, work->text + work->predicted - 1, 1);
    if (event == TW_KEYBOARD_ENDS && (work->predicted == 0 || work->text[work->predicted - 1] != '\n'))
        say(text, "\n");
    if (event == TW_KEYBOARD_FAILED)
        complain(text);
    return true;
}

bool tw_keyboard_text_interrupt(tw_keyboard_text *text)
{
    if (text->work.job != TW_KEYBOARD_CONTINUE)
        return false;
    if (tw_keyboard_abandon(&text->work) != TW_KEYBOARD_OK)
        complain(text);
    say(text, "\n");
    return true;
}
