/* The protocol: requests in frames, replies that are stored for requests that are sent again. docs/keyboard.md defines it. */
#include "tilewright_keyboard.h"

#include <string.h>

typedef struct writer {
    uint32_t count;
    uint8_t bytes[TW_KEYBOARD_PAYLOAD];
} writer;

static void put(writer *payload, uint64_t value, uint32_t bytes)
{
    for (uint32_t k = 0; k < bytes; ++k)
        payload->bytes[payload->count++] = (uint8_t)(value >> 8 * k);
}

static uint32_t word_at(const uint8_t *bytes, uint32_t count)
{
    uint32_t value = 0;
    for (uint32_t k = 0; k < count; ++k)
        value |= (uint32_t)bytes[k] << 8 * k;
    return value;
}

static void send(tw_keyboard *keyboard, uint8_t type, uint16_t sequence, const writer *payload)
{
    uint8_t frame[TW_KEYBOARD_FRAME];
    const uint32_t bytes = tw_keyboard_encode(frame, type, sequence, payload->bytes, payload->count);
    keyboard->write(keyboard->output, frame, bytes);
}

/* Send a reply and store it; a later one to the same request replaces it. */
static void reply(tw_keyboard *keyboard, uint8_t type, uint16_t sequence, const writer *payload)
{
    tw_keyboard_reply *stored = &keyboard->replies[sequence % TW_KEYBOARD_WINDOW];
    const bool is_older = stored->is_stored && (uint16_t)(keyboard->last - sequence) >= TW_KEYBOARD_WINDOW;
    if (is_older) { /* a prediction that ends after other requests have taken its place */
        send(keyboard, type, sequence, payload);
        return;
    }
    stored->is_stored = true;
    stored->sequence = sequence;
    stored->bytes = tw_keyboard_encode(stored->frame, type, sequence, payload->bytes, payload->count);
    keyboard->write(keyboard->output, stored->frame, stored->bytes);
}

static void put_error(writer *payload, tw_keyboard_code code, const char *text)
{
    const size_t length = strlen(text), most = 200;
    put(payload, (uint64_t)code, 1);
    for (size_t k = 0; k < length && k < most; ++k)
        put(payload, (uint8_t)text[k], 1);
}

static void refuse(tw_keyboard *keyboard, uint16_t sequence, tw_keyboard_code code, const char *text)
{
    writer payload = {0};
    put_error(&payload, code, text);
    reply(keyboard, TW_KEYBOARD_ERR, sequence, &payload);
}

/* Answer a frame that is no request to be done; nothing is stored. */
static void reject(tw_keyboard *keyboard, uint16_t sequence, tw_keyboard_code code, const char *text)
{
    writer payload = {0};
    put_error(&payload, code, text);
    send(keyboard, TW_KEYBOARD_ERR, sequence, &payload);
}

static void acknowledge(tw_keyboard *keyboard, uint16_t sequence, uint32_t document)
{
    writer payload = {0};
    put(&payload, document, 2);
    put(&payload, tw_keyboard_length(&keyboard->work, document), 4);
    reply(keyboard, TW_KEYBOARD_ACK, sequence, &payload);
}

/* Acknowledge a request that is done, with a document and its length, or refuse one that has failed. */
static void answer(tw_keyboard *keyboard, uint16_t sequence, tw_keyboard_code code, uint32_t document)
{
    if (code == TW_KEYBOARD_OK)
        acknowledge(keyboard, sequence, document);
    else
        refuse(keyboard, sequence, code, keyboard->work.message);
}

static void welcome(tw_keyboard *keyboard, uint16_t sequence)
{
    const tw_keyboard_model *model = keyboard->work.model;
    writer payload = {0};
    put(&payload, TW_KEYBOARD_VERSION, 1);
    put(&payload, TW_KEYBOARD_WINDOW, 1);
    put(&payload, TW_KEYBOARD_PAYLOAD, 2);
    put(&payload, TW_KEYBOARD_PREDICTED, 2);
    put(&payload, model->documents, 2);
    put(&payload, model->length - (model->begin >= 0 ? 1 : 0), 4);
    put(&payload, keyboard->work.document, 2);
    put(&payload, tw_keyboard_length(&keyboard->work, keyboard->work.document), 4);
    reply(keyboard, TW_KEYBOARD_WELCOME, sequence, &payload);
}

static void count(tw_keyboard *keyboard, uint16_t sequence)
{
    const tw_keyboard_work *work = &keyboard->work;
    tw_keyboard_counts counts = {0};
    writer payload = {0};
    if (!work->is_closed)
        work->model->counts(work->model->context, &counts);
    const uint64_t values[] = {work->tokens,     work->microseconds, counts.hits,          counts.misses,
                               counts.resident,  counts.memory,      counts.bytes_read,    counts.bytes_written,
                               keyboard->requests, keyboard->resent, keyboard->damaged};
    for (size_t k = 0; k < sizeof values / sizeof *values; ++k)
        put(&payload, values[k], 8);
    put(&payload, counts.degraded, 1);
    put(&payload, work->document, 2);
    for (uint32_t document = 0; document <= work->model->documents; ++document)
        if (tw_keyboard_exists(work, document)) {
            put(&payload, document, 2);
            put(&payload, tw_keyboard_length(work, document), 4);
        }
    reply(keyboard, TW_KEYBOARD_COUNTS, sequence, &payload);
}

static void read_text(tw_keyboard *keyboard, const tw_keyboard_frame *frame)
{
    const uint32_t first = word_at(frame->payload, 4), bytes = word_at(frame->payload + 4, 2);
    writer payload = {0};
    const tw_keyboard_code code = tw_keyboard_read(&keyboard->work, first, bytes, payload.bytes);
    payload.count = bytes;
    if (code == TW_KEYBOARD_OK)
        reply(keyboard, TW_KEYBOARD_TEXT, frame->sequence, &payload);
    else
        refuse(keyboard, frame->sequence, code, keyboard->work.message);
}

/* Send the end of a prediction: its reason, what it took, its text. */
static void conclude(tw_keyboard *keyboard)
{
    const tw_keyboard_work *work = &keyboard->work;
    const tw_keyboard_model *model = work->model;
    tw_keyboard_counts counts;
    writer payload = {0};
    model->counts(model->context, &counts);
    put(&payload, (uint64_t)work->reason, 1);
    put(&payload, counts.hits - work->start.hits, 8);
    put(&payload, counts.misses - work->start.misses, 8);
    put(&payload, counts.resident, 8);
    put(&payload, model->microseconds(model->context) - work->start_microseconds, 8);
    for (uint32_t k = 0; k < work->predicted; ++k)
        put(&payload, work->text[k], 1);
    reply(keyboard, TW_KEYBOARD_DONE, keyboard->job, &payload);
}

/* End a prediction that runs. */
static void stop(tw_keyboard *keyboard)
{
    if (keyboard->work.job != TW_KEYBOARD_CONTINUE)
        return;
    const tw_keyboard_code code = tw_keyboard_abandon(&keyboard->work);
    if (code == TW_KEYBOARD_OK)
        conclude(keyboard);
    else
        refuse(keyboard, keyboard->job, code, keyboard->work.message);
}

static void predict(tw_keyboard *keyboard, const tw_keyboard_frame *frame)
{
    tw_keyboard_prediction prediction = {
        .most = word_at(frame->payload, 2),
        .temperature = (float)word_at(frame->payload + 2, 2) / 100.0f,
        .seed = word_at(frame->payload + 4, 4),
    };
    for (uint32_t k = 8; k < frame->bytes; ++k)
        prediction.stops[frame->payload[k] / 8] |= (uint8_t)(1u << frame->payload[k] % 8);
    if (prediction.most < 1 || prediction.most > TW_KEYBOARD_PREDICTED) {
        refuse(keyboard, frame->sequence, TW_KEYBOARD_BAD_REQUEST, "PREDICT takes 1 to 512 bytes");
        return;
    }
    keyboard->job = frame->sequence;
    answer(keyboard, frame->sequence, tw_keyboard_predict(&keyboard->work, &prediction), keyboard->work.document);
}

static void append(tw_keyboard *keyboard, const tw_keyboard_frame *frame)
{
    const tw_keyboard_code code = tw_keyboard_append(&keyboard->work, frame->payload, frame->bytes);
    keyboard->job = frame->sequence;
    if (code != TW_KEYBOARD_OK)
        refuse(keyboard, frame->sequence, code, keyboard->work.message);
}

static void fork_document(tw_keyboard *keyboard, const tw_keyboard_frame *frame)
{
    uint32_t document = 0;
    const tw_keyboard_code code = tw_keyboard_fork(&keyboard->work, word_at(frame->payload, 4), &document);
    answer(keyboard, frame->sequence, code, document);
}

/* Return whether a payload has a size that a type of request allows. */
static bool has_form(const tw_keyboard_frame *frame)
{
    static const uint16_t sizes[][2] = {
        [TW_KEYBOARD_HELLO] = {0, 0},     [TW_KEYBOARD_KEY] = {1, TW_KEYBOARD_PAYLOAD},
        [TW_KEYBOARD_BACKSPACE] = {4, 4}, [TW_KEYBOARD_RESET] = {0, 0},
        [TW_KEYBOARD_PREDICT] = {8, 264}, [TW_KEYBOARD_CANCEL] = {0, 0},
        [TW_KEYBOARD_SAVE] = {0, 0},      [TW_KEYBOARD_LOAD] = {0, 0},
        [TW_KEYBOARD_FORK] = {4, 4},      [TW_KEYBOARD_SELECT] = {2, 2},
        [TW_KEYBOARD_DROP] = {2, 2},      [TW_KEYBOARD_STATS] = {0, 0},
        [TW_KEYBOARD_READ] = {6, 6},
    };
    return sizes[frame->type][0] <= frame->bytes && frame->bytes <= sizes[frame->type][1];
}

static bool is_for_closed(uint8_t type)
{
    return type == TW_KEYBOARD_HELLO || type == TW_KEYBOARD_STATS || type == TW_KEYBOARD_LOAD;
}

/* Do a request whose sequence number is new. */
static void handle(tw_keyboard *keyboard, const tw_keyboard_frame *frame)
{
    tw_keyboard_work *work = &keyboard->work;
    const uint16_t sequence = frame->sequence;
    const uint8_t *payload = frame->payload;
    if (frame->type != TW_KEYBOARD_STATS && frame->type != TW_KEYBOARD_READ)
        stop(keyboard);
    if (frame->type < TW_KEYBOARD_HELLO || frame->type > TW_KEYBOARD_READ) {
        refuse(keyboard, sequence, TW_KEYBOARD_UNKNOWN, "there is no such request");
        return;
    }
    if (!has_form(frame)) {
        refuse(keyboard, sequence, TW_KEYBOARD_BAD_REQUEST, "the payload has another size");
        return;
    }
    if (work->is_closed && !is_for_closed(frame->type)) {
        refuse(keyboard, sequence, TW_KEYBOARD_CLOSED, "no document is open since LOAD has failed");
        return;
    }
    switch (frame->type) {
    case TW_KEYBOARD_HELLO: welcome(keyboard, sequence); return;
    case TW_KEYBOARD_KEY: append(keyboard, frame); return;
    case TW_KEYBOARD_PREDICT: predict(keyboard, frame); return;
    case TW_KEYBOARD_STATS: count(keyboard, sequence); return;
    case TW_KEYBOARD_READ: read_text(keyboard, frame); return;
    case TW_KEYBOARD_FORK: fork_document(keyboard, frame); return;
    default: break;
    }
    tw_keyboard_code code = TW_KEYBOARD_OK;
    switch (frame->type) {
    case TW_KEYBOARD_BACKSPACE: code = tw_keyboard_remove(work, word_at(payload, 4)); break;
    case TW_KEYBOARD_RESET: code = tw_keyboard_clear(work); break;
    case TW_KEYBOARD_SAVE: code = tw_keyboard_save(work); break;
    case TW_KEYBOARD_LOAD: code = tw_keyboard_load(work); break;
    case TW_KEYBOARD_SELECT: code = tw_keyboard_select(work, word_at(payload, 2)); break;
    case TW_KEYBOARD_DROP: code = tw_keyboard_drop(work, word_at(payload, 2)); break;
    default: break; /* CANCEL: the prediction has ended */
    }
    answer(keyboard, sequence, code, work->document);
}

/* Send the stored reply to a request that has come before. */
static void repeat(tw_keyboard *keyboard, uint16_t sequence)
{
    const tw_keyboard_reply *stored = &keyboard->replies[sequence % TW_KEYBOARD_WINDOW];
    ++keyboard->resent;
    if (stored->is_stored && stored->sequence == sequence)
        keyboard->write(keyboard->output, stored->frame, stored->bytes);
    else
        reject(keyboard, sequence, TW_KEYBOARD_STALE, "the reply is stored no more");
}

/* Begin to count requests anew: at the first one, and at a HELLO. */
static void begin(tw_keyboard *keyboard, uint16_t sequence)
{
    stop(keyboard);
    for (uint32_t k = 0; k < TW_KEYBOARD_WINDOW; ++k)
        keyboard->replies[k].is_stored = false;
    keyboard->has_begun = true;
    keyboard->last = (uint16_t)(sequence - 1);
}

static void take(tw_keyboard *keyboard, const tw_keyboard_frame *frame)
{
    if (!keyboard->has_begun || frame->type == TW_KEYBOARD_HELLO)
        begin(keyboard, frame->sequence);
    const uint16_t ahead = (uint16_t)(frame->sequence - keyboard->last);
    if (ahead == 0 || ahead >= 0x8000) {
        repeat(keyboard, frame->sequence);
        return;
    }
    if (ahead > 1) {
        reject(keyboard, frame->sequence, TW_KEYBOARD_OUT_OF_ORDER, "a request before it is missing");
        return;
    }
    keyboard->last = frame->sequence;
    ++keyboard->requests;
    handle(keyboard, frame);
}

static void report_damage(tw_keyboard *keyboard, uint16_t sequence)
{
    ++keyboard->damaged;
    reject(keyboard, sequence, TW_KEYBOARD_BAD_FRAME, "the frame is damaged");
}

/* Take one frame from the input. Returns whether there was one. */
static bool take_input(tw_keyboard *keyboard)
{
    tw_keyboard_frame frame;
    const int parsed = tw_keyboard_parse(&keyboard->parser, &frame);
    if (parsed == TW_KEYBOARD_A_FRAME)
        take(keyboard, &frame);
    if (parsed == TW_KEYBOARD_A_DAMAGED_FRAME)
        report_damage(keyboard, frame.sequence);
    return parsed != TW_KEYBOARD_NO_FRAME;
}

static void advance(tw_keyboard *keyboard)
{
    tw_keyboard_work *work = &keyboard->work;
    const int event = tw_keyboard_advance(work);
    writer payload = {0};
    if (event == TW_KEYBOARD_EXTENDED) {
        put(&payload, work->predicted - 1, 2);
        put(&payload, work->text[work->predicted - 1], 1);
        send(keyboard, TW_KEYBOARD_TOKEN, keyboard->job, &payload);
    }
    if (event == TW_KEYBOARD_APPENDED)
        acknowledge(keyboard, keyboard->job, work->document);
    if (event == TW_KEYBOARD_ENDS)
        conclude(keyboard);
    if (event == TW_KEYBOARD_FAILED)
        refuse(keyboard, keyboard->job, work->code, work->message);
}

tw_keyboard_code tw_keyboard_open(tw_keyboard *keyboard, const tw_keyboard_model *model, tw_keyboard_write write,
                                  void *output)
{
    memset(keyboard, 0, sizeof *keyboard);
    keyboard->write = write;
    keyboard->output = output;
    return tw_keyboard_work_open(&keyboard->work, model);
}

uint32_t tw_keyboard_room(const tw_keyboard *keyboard)
{
    return tw_keyboard_parser_room(&keyboard->parser);
}

void tw_keyboard_receive(tw_keyboard *keyboard, const uint8_t *bytes, uint32_t count)
{
    tw_keyboard_parser_feed(&keyboard->parser, bytes, count);
}

bool tw_keyboard_step(tw_keyboard *keyboard)
{
    if (keyboard->work.job != TW_KEYBOARD_APPEND && take_input(keyboard))
        return true;
    if (keyboard->work.job == TW_KEYBOARD_NO_JOB)
        return false;
    advance(keyboard);
    return true;
}

bool tw_keyboard_waits(const tw_keyboard *keyboard)
{
    return tw_keyboard_parser_waits(&keyboard->parser);
}

void tw_keyboard_silence(tw_keyboard *keyboard)
{
    tw_keyboard_frame frame;
    if (keyboard->work.job == TW_KEYBOARD_APPEND)
        return;
    const int parsed = tw_keyboard_parse_rest(&keyboard->parser, &frame);
    if (parsed == TW_KEYBOARD_A_FRAME)
        take(keyboard, &frame);
    if (parsed == TW_KEYBOARD_A_DAMAGED_FRAME)
        report_damage(keyboard, frame.sequence);
}

void tw_keyboard_end(tw_keyboard *keyboard)
{
    tw_keyboard_work *work = &keyboard->work;
    stop(keyboard);
    if (work->job != TW_KEYBOARD_APPEND)
        return;
    const tw_keyboard_code code = tw_keyboard_abandon(work);
    if (code == TW_KEYBOARD_OK)
        refuse(keyboard, keyboard->job, TW_KEYBOARD_ENDED, "the server ends");
    else
        refuse(keyboard, keyboard->job, code, work->message);
}
