/* Documents of a model, what is appended to them, and predictions, which work on forks: in units of one call of the model. */
#include "tilewright_keyboard.h"

#include <string.h>

static tw_keyboard_code failed(tw_keyboard_work *work, tw_keyboard_code code, const char *message)
{
    work->code = code;
    work->message = message;
    return code;
}

/* Return a code of the model, and keep its message. */
static tw_keyboard_code checked(tw_keyboard_work *work, int code)
{
    if (code == TW_KEYBOARD_OK)
        return TW_KEYBOARD_OK;
    return failed(work, (tw_keyboard_code)code, work->model->message(work->model->context));
}

/* Tokens before the text of a document. */
static uint32_t base_of(const tw_keyboard_model *model)
{
    return model->begin >= 0 ? 1 : 0;
}

/* Return whether there is a document: one of another origin, without the token at the start, is none. */
bool tw_keyboard_exists(const tw_keyboard_work *work, uint32_t document)
{
    const tw_keyboard_model *model = work->model;
    uint32_t first;
    if (work->is_closed || document > model->documents || !model->exists(model->context, document))
        return false;
    if (work->job == TW_KEYBOARD_CONTINUE && document == work->branch)
        return false;
    if (model->begin < 0)
        return true;
    return model->count(model->context, document) > 0 &&
           model->read(model->context, document, 0, 1, &first) == TW_KEYBOARD_OK && first == (uint32_t)model->begin;
}

static uint32_t count_of(const tw_keyboard_work *work, uint32_t document)
{
    return work->model->count(work->model->context, document);
}

static uint32_t documents_of(const tw_keyboard_work *work)
{
    uint32_t found = 0;
    for (uint32_t document = 0; document <= work->model->documents; ++document)
        found += tw_keyboard_exists(work, document);
    return found;
}

static tw_keyboard_code run(tw_keyboard_work *work, uint32_t document, uint32_t count, const uint32_t *tokens)
{
    const tw_keyboard_model *model = work->model;
    const uint64_t start = model->microseconds(model->context);
    work->scores = NULL;
    const int code = model->run(model->context, document, count, tokens, &work->scores);
    work->microseconds += model->microseconds(model->context) - start;
    if (code != TW_KEYBOARD_OK)
        work->scores = NULL;
    else
        work->tokens += count;
    return checked(work, code);
}

/* Create a document with the token at its start. */
static tw_keyboard_code create(tw_keyboard_work *work)
{
    const tw_keyboard_model *model = work->model;
    uint32_t document;
    tw_keyboard_code code = checked(work, model->create(model->context, &document));
    if (code != TW_KEYBOARD_OK)
        return code;
    work->document = document;
    if (model->begin < 0)
        return TW_KEYBOARD_OK;
    const uint32_t token = (uint32_t)model->begin;
    code = run(work, document, 1, &token);
    if (code != TW_KEYBOARD_OK)
        (void)model->drop(model->context, document);
    return code;
}

static tw_keyboard_code select_lowest(tw_keyboard_work *work)
{
    for (uint32_t document = 0; document <= work->model->documents; ++document)
        if (tw_keyboard_exists(work, document)) {
            work->document = document;
            return TW_KEYBOARD_OK;
        }
    return create(work);
}

tw_keyboard_code tw_keyboard_work_open(tw_keyboard_work *work, const tw_keyboard_model *model)
{
    memset(work, 0, sizeof *work);
    work->model = model;
    work->message = "";
    work->next = -1;
    if (model->vocabulary < 256 || model->documents < 1 || model->documents > TW_KEYBOARD_DOCUMENTS ||
        model->length <= base_of(model) || model->chunk < 1 || model->begin >= (int64_t)model->vocabulary)
        return failed(work, TW_KEYBOARD_REFUSED, "the model is none of bytes, or has no room for documents");
    return select_lowest(work);
}

uint32_t tw_keyboard_length(const tw_keyboard_work *work, uint32_t document)
{
    return tw_keyboard_exists(work, document) ? count_of(work, document) - base_of(work->model) : 0;
}

tw_keyboard_code tw_keyboard_read(tw_keyboard_work *work, uint32_t first, uint32_t count, uint8_t *bytes)
{
    const tw_keyboard_model *model = work->model;
    const uint32_t length = tw_keyboard_length(work, work->document);
    uint32_t tokens[TW_KEYBOARD_PAYLOAD];
    if (first > length || count > length - first || count > TW_KEYBOARD_PAYLOAD)
        return failed(work, TW_KEYBOARD_BAD_REQUEST, "the document has fewer bytes");
    if (count == 0)
        return TW_KEYBOARD_OK;
    const uint32_t start = base_of(model) + first;
    const tw_keyboard_code code = checked(work, model->read(model->context, work->document, start, count, tokens));
    for (uint32_t k = 0; code == TW_KEYBOARD_OK && k < count; ++k)
        bytes[k] = (uint8_t)tokens[k];
    return code;
}

tw_keyboard_code tw_keyboard_append(tw_keyboard_work *work, const uint8_t *bytes, uint32_t count)
{
    const uint32_t before = count_of(work, work->document);
    if (count > work->model->length - before)
        return failed(work, TW_KEYBOARD_FULL, "the context is full");
    memcpy(work->bytes, bytes, count);
    work->given = count;
    work->taken = 0;
    work->before = before;
    work->job = TW_KEYBOARD_APPEND;
    return TW_KEYBOARD_OK;
}

tw_keyboard_code tw_keyboard_predict(tw_keyboard_work *work, const tw_keyboard_prediction *prediction)
{
    const tw_keyboard_model *model = work->model;
    const uint32_t count = count_of(work, work->document);
    uint32_t last = 0;
    if (count == 0)
        return failed(work, TW_KEYBOARD_BAD_REQUEST, "the document is empty");
    tw_keyboard_code code = checked(work, model->fork(model->context, work->document, &work->branch));
    if (code != TW_KEYBOARD_OK)
        return code;
    if (work->scores == NULL) {
        code = checked(work, model->read(model->context, work->branch, count - 1, 1, &last));
        if (code == TW_KEYBOARD_OK)
            code = checked(work, model->truncate(model->context, work->branch, count - 1));
    }
    if (code != TW_KEYBOARD_OK) {
        (void)model->drop(model->context, work->branch);
        return code;
    }
    work->prediction = *prediction;
    work->next = work->scores == NULL ? (int32_t)last : -1;
    work->random = prediction->seed;
    work->predicted = 0;
    model->counts(model->context, &work->start);
    work->start_microseconds = model->microseconds(model->context);
    work->job = TW_KEYBOARD_CONTINUE;
    return TW_KEYBOARD_OK;
}

static int end_prediction(tw_keyboard_work *work, int event, int reason)
{
    const tw_keyboard_model *model = work->model;
    const tw_keyboard_code code = work->code;
    const char *message = work->message;
    work->job = TW_KEYBOARD_NO_JOB;
    work->reason = reason;
    work->scores = NULL;
    if (checked(work, model->drop(model->context, work->branch)) != TW_KEYBOARD_OK)
        return TW_KEYBOARD_FAILED;
    work->code = code;
    work->message = message;
    return event;
}

/* Take back what a job has appended. */
static tw_keyboard_code undo(tw_keyboard_work *work)
{
    work->job = TW_KEYBOARD_NO_JOB;
    work->scores = NULL;
    return checked(work, work->model->truncate(work->model->context, work->document, work->before));
}

static int advance_append(tw_keyboard_work *work)
{
    const uint32_t left = work->given - work->taken, chunk = work->model->chunk;
    const uint32_t count = left >= chunk ? chunk : 1;
    uint32_t tokens[TW_KEYBOARD_PAYLOAD];
    for (uint32_t k = 0; k < count; ++k)
        tokens[k] = work->bytes[work->taken + k];
    const tw_keyboard_code code = run(work, work->document, count, tokens);
    if (code != TW_KEYBOARD_OK) {
        const char *message = work->message;
        if (undo(work) == TW_KEYBOARD_OK)
            (void)failed(work, code, message);
        return TW_KEYBOARD_FAILED;
    }
    work->taken += count;
    if (work->taken < work->given)
        return TW_KEYBOARD_GOES_ON;
    work->job = TW_KEYBOARD_NO_JOB;
    return TW_KEYBOARD_APPENDED;
}

static int advance_prediction(tw_keyboard_work *work)
{
    const tw_keyboard_model *model = work->model;
    if (work->next >= 0) {
        const uint32_t token = (uint32_t)work->next;
        if (count_of(work, work->branch) >= model->length)
            return end_prediction(work, TW_KEYBOARD_ENDS, TW_KEYBOARD_NO_ROOM);
        const tw_keyboard_code code = run(work, work->branch, 1, &token);
        if (code == TW_KEYBOARD_FULL && work->predicted > 0)
            return end_prediction(work, TW_KEYBOARD_ENDS, TW_KEYBOARD_NO_ROOM);
        if (code != TW_KEYBOARD_OK)
            return end_prediction(work, TW_KEYBOARD_FAILED, 0);
        work->next = -1;
    }
    const int32_t token = tw_keyboard_choose(work->scores, model->begin, work->prediction.temperature, &work->random);
    if (token < 0) {
        (void)failed(work, TW_KEYBOARD_NOT_FINITE, "the greatest score is infinite or NaN");
        return end_prediction(work, TW_KEYBOARD_FAILED, 0);
    }
    if (token > 255)
        return end_prediction(work, TW_KEYBOARD_ENDS, TW_KEYBOARD_FINISHED);
    work->text[work->predicted++] = (uint8_t)token;
    work->next = token;
    return TW_KEYBOARD_EXTENDED;
}

/* Return whether a prediction ends with its last byte. */
static bool is_complete(const tw_keyboard_work *work)
{
    if (work->predicted == 0)
        return false;
    const uint8_t last = work->text[work->predicted - 1];
    return work->predicted == work->prediction.most || (work->prediction.stops[last / 8] >> last % 8 & 1) != 0;
}

int tw_keyboard_advance(tw_keyboard_work *work)
{
    if (work->job == TW_KEYBOARD_APPEND)
        return advance_append(work);
    if (work->job == TW_KEYBOARD_NO_JOB)
        return TW_KEYBOARD_GOES_ON;
    if (!is_complete(work))
        return advance_prediction(work);
    const uint8_t last = work->text[work->predicted - 1];
    const bool stops = (work->prediction.stops[last / 8] >> last % 8 & 1) != 0;
    return end_prediction(work, TW_KEYBOARD_ENDS, stops ? TW_KEYBOARD_STOP : TW_KEYBOARD_COUNT);
}

tw_keyboard_code tw_keyboard_abandon(tw_keyboard_work *work)
{
    if (work->job == TW_KEYBOARD_APPEND)
        return undo(work);
    if (work->job == TW_KEYBOARD_CONTINUE && end_prediction(work, TW_KEYBOARD_ENDS, TW_KEYBOARD_CANCELLED) != TW_KEYBOARD_ENDS)
        return work->code;
    return TW_KEYBOARD_OK;
}

tw_keyboard_code tw_keyboard_remove(tw_keyboard_work *work, uint32_t bytes)
{
    const uint32_t length = tw_keyboard_length(work, work->document);
    if (bytes > length)
        return failed(work, TW_KEYBOARD_BAD_REQUEST, "the document has fewer bytes");
    const uint32_t left = base_of(work->model) + length - bytes;
    const tw_keyboard_code code = checked(work, work->model->truncate(work->model->context, work->document, left));
    if (code == TW_KEYBOARD_OK && bytes > 0)
        work->scores = NULL;
    return code;
}

tw_keyboard_code tw_keyboard_clear(tw_keyboard_work *work)
{
    return tw_keyboard_remove(work, tw_keyboard_length(work, work->document));
}

tw_keyboard_code tw_keyboard_fork(tw_keyboard_work *work, uint32_t length, uint32_t *document)
{
    const tw_keyboard_model *model = work->model;
    const uint32_t whole = tw_keyboard_length(work, work->document);
    if (length != TW_KEYBOARD_ALL && length > whole)
        return failed(work, TW_KEYBOARD_BAD_REQUEST, "the document has fewer bytes");
    if (documents_of(work) >= model->documents)
        return failed(work, TW_KEYBOARD_FULL, "there are as many documents as there may be");
    tw_keyboard_code code = checked(work, model->fork(model->context, work->document, document));
    if (code != TW_KEYBOARD_OK || length >= whole)
        return code;
    code = checked(work, model->truncate(model->context, *document, base_of(model) + length));
    if (code != TW_KEYBOARD_OK)
        (void)model->drop(model->context, *document);
    return code;
}

tw_keyboard_code tw_keyboard_select(tw_keyboard_work *work, uint32_t document)
{
    if (!tw_keyboard_exists(work, document))
        return failed(work, TW_KEYBOARD_NO_DOCUMENT, "there is no such document");
    if (document != work->document)
        work->scores = NULL;
    work->document = document;
    return TW_KEYBOARD_OK;
}

tw_keyboard_code tw_keyboard_drop(tw_keyboard_work *work, uint32_t document)
{
    if (!tw_keyboard_exists(work, document))
        return failed(work, TW_KEYBOARD_NO_DOCUMENT, "there is no such document");
    if (documents_of(work) == 1)
        return failed(work, TW_KEYBOARD_BAD_REQUEST, "the last document stays; RESET empties it");
    const tw_keyboard_code code = checked(work, work->model->drop(work->model->context, document));
    if (code != TW_KEYBOARD_OK || document != work->document)
        return code;
    work->scores = NULL;
    return select_lowest(work);
}

tw_keyboard_code tw_keyboard_save(tw_keyboard_work *work)
{
    return checked(work, work->model->save(work->model->context));
}

tw_keyboard_code tw_keyboard_load(tw_keyboard_work *work)
{
    const tw_keyboard_code code = checked(work, work->model->load(work->model->context));
    if (code == TW_KEYBOARD_NO_FOLDER)
        return code;
    work->scores = NULL;
    work->is_closed = code != TW_KEYBOARD_OK;
    return code == TW_KEYBOARD_OK ? select_lowest(work) : code;
}
