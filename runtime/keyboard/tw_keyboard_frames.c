/*
 * Frames: sync, length u16, sequence number u16, type u8, check u8, payload, CRC32C u32, all little-endian. The check is
 * the low byte of the CRC32C of length, sequence number and type, so that a wrong length waits for no bytes. Where a
 * checksum is wrong, the search for a frame goes on behind the first sync byte.
 */
#include "tilewright_keyboard.h"

#include <string.h>

/* CRC32C (Castagnoli) by four bits at once. */
uint32_t tw_keyboard_crc(uint32_t crc, const uint8_t *bytes, uint32_t count)
{
    static const uint32_t table[16] = {0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3,
                                       0x61c69362, 0x7198540d, 0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9,
                                       0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75};
    crc = ~crc;
    for (uint32_t k = 0; k < count; ++k) {
        crc ^= bytes[k];
        crc = crc >> 4 ^ table[crc & 15];
        crc = crc >> 4 ^ table[crc & 15];
    }
    return ~crc;
}

static uint8_t check_of(const uint8_t *header)
{
    return (uint8_t)tw_keyboard_crc(0, header + 2, 5);
}

/* The checksum covers all that follows the sync bytes. */
static uint32_t checksum_of(const uint8_t *frame, uint32_t payload)
{
    return tw_keyboard_crc(0, frame + 2, TW_KEYBOARD_HEADER - 2 + payload);
}

uint32_t tw_keyboard_encode(uint8_t *frame, uint8_t type, uint16_t sequence, const uint8_t *payload, uint32_t bytes)
{
    uint8_t *end = frame + TW_KEYBOARD_HEADER + bytes;
    frame[0] = TW_KEYBOARD_SYNC_0;
    frame[1] = TW_KEYBOARD_SYNC_1;
    frame[2] = (uint8_t)bytes;
    frame[3] = (uint8_t)(bytes >> 8);
    frame[4] = (uint8_t)sequence;
    frame[5] = (uint8_t)(sequence >> 8);
    frame[6] = type;
    frame[7] = check_of(frame);
    if (bytes > 0)
        memcpy(frame + TW_KEYBOARD_HEADER, payload, bytes);
    const uint32_t crc = checksum_of(frame, bytes);
    for (uint32_t k = 0; k < 4; ++k)
        end[k] = (uint8_t)(crc >> 8 * k);
    return TW_KEYBOARD_HEADER + bytes + 4;
}

/* Move what is left to the start. */
static void compact(tw_keyboard_parser *parser)
{
    parser->count -= parser->taken;
    memmove(parser->bytes, parser->bytes + parser->taken, parser->count);
    parser->taken = 0;
}

uint32_t tw_keyboard_parser_room(const tw_keyboard_parser *parser)
{
    return (uint32_t)sizeof parser->bytes - (parser->count - parser->taken);
}

void tw_keyboard_parser_feed(tw_keyboard_parser *parser, const uint8_t *bytes, uint32_t count)
{
    compact(parser);
    memcpy(parser->bytes + parser->count, bytes, count);
    parser->count += count;
}

static uint32_t length_of(const uint8_t *header)
{
    return header[2] | (uint32_t)header[3] << 8;
}

/* Return whether bytes may be the start of a frame. */
static bool is_start(const uint8_t *bytes, uint32_t count)
{
    if (bytes[0] != TW_KEYBOARD_SYNC_0 || (count > 1 && bytes[1] != TW_KEYBOARD_SYNC_1))
        return false;
    if (count < TW_KEYBOARD_HEADER)
        return true;
    return bytes[6] < 128 && bytes[7] == check_of(bytes) && length_of(bytes) <= TW_KEYBOARD_PAYLOAD;
}

static bool has_checksum(const uint8_t *frame, uint32_t payload)
{
    const uint8_t *end = frame + TW_KEYBOARD_HEADER + payload;
    const uint32_t crc = end[0] | (uint32_t)end[1] << 8 | (uint32_t)end[2] << 16 | (uint32_t)end[3] << 24;
    return crc == checksum_of(frame, payload);
}

static void describe(tw_keyboard_frame *frame, const uint8_t *bytes)
{
    frame->type = bytes[6];
    frame->sequence = (uint16_t)(bytes[4] | bytes[5] << 8);
    frame->bytes = length_of(bytes);
    frame->payload = bytes + TW_KEYBOARD_HEADER;
}

int tw_keyboard_parse(tw_keyboard_parser *parser, tw_keyboard_frame *frame)
{
    for (; parser->taken < parser->count; ++parser->taken) {
        const uint8_t *bytes = parser->bytes + parser->taken;
        const uint32_t count = parser->count - parser->taken;
        if (!is_start(bytes, count))
            continue;
        if (count < TW_KEYBOARD_HEADER || count < TW_KEYBOARD_HEADER + length_of(bytes) + 4)
            return TW_KEYBOARD_NO_FRAME;
        describe(frame, bytes);
        const bool is_whole = has_checksum(bytes, frame->bytes);
        parser->taken += is_whole ? TW_KEYBOARD_HEADER + frame->bytes + 4 : 1;
        return is_whole ? TW_KEYBOARD_A_FRAME : TW_KEYBOARD_A_DAMAGED_FRAME;
    }
    return TW_KEYBOARD_NO_FRAME;
}

int tw_keyboard_parse_rest(tw_keyboard_parser *parser, tw_keyboard_frame *frame)
{
    const int found = tw_keyboard_parse(parser, frame);
    if (found != TW_KEYBOARD_NO_FRAME || !tw_keyboard_parser_waits(parser))
        return found;
    const bool has_header = parser->count - parser->taken >= TW_KEYBOARD_HEADER;
    if (has_header)
        describe(frame, parser->bytes + parser->taken);
    ++parser->taken;
    return has_header ? TW_KEYBOARD_A_DAMAGED_FRAME : TW_KEYBOARD_NO_FRAME;
}

bool tw_keyboard_parser_waits(const tw_keyboard_parser *parser)
{
    return parser->taken < parser->count;
}
