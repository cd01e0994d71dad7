/* File descriptors, signals and serial devices: tilewright_keyboard_posix.h. */
#define _DEFAULT_SOURCE
#define _POSIX_C_SOURCE 200809L
#include "tilewright_keyboard_posix.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

enum { SILENCE_MS = 100, FLUSH_MS = 1000 };

static volatile sig_atomic_t is_told_to_end, is_interrupted;

static void on_end(int number)
{
    (void)number;
    is_told_to_end = 1;
}

static void on_interrupt(int number)
{
    (void)number;
    is_interrupted = 1;
}

/* Let signals come in pselect alone; `before` gets the mask for it. */
static void take_signals(sigset_t *before)
{
    struct sigaction action = {.sa_handler = on_end};
    sigset_t blocked;
    sigemptyset(&action.sa_mask);
    sigemptyset(&blocked);
    const int ends[] = {SIGTERM, SIGHUP};
    for (size_t k = 0; k < sizeof ends / sizeof *ends; ++k) {
        sigaction(ends[k], &action, NULL);
        sigaddset(&blocked, ends[k]);
    }
    action.sa_handler = on_interrupt;
    sigaction(SIGINT, &action, NULL);
    sigaddset(&blocked, SIGINT);
    action.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &action, NULL);
    sigprocmask(SIG_BLOCK, &blocked, before);
    sigdelset(before, SIGTERM);
    sigdelset(before, SIGHUP);
    sigdelset(before, SIGINT);
}

/* Let the signals that are pending come now: pselect delivers none where a descriptor is ready. */
static void deliver(const sigset_t *mask)
{
    sigset_t blocked;
    sigprocmask(SIG_SETMASK, mask, &blocked);
    sigprocmask(SIG_SETMASK, &blocked, NULL);
}

void tw_keyboard_enqueue(void *output, const uint8_t *bytes, uint32_t count)
{
    tw_keyboard_output *queue = output;
    queue->count -= queue->first;
    memmove(queue->bytes, queue->bytes + queue->first, queue->count);
    queue->first = 0;
    memcpy(queue->bytes + queue->count, bytes, count);
    queue->count += count;
}

static bool has_room(const tw_keyboard_output *output)
{
    return output->count - output->first + TW_KEYBOARD_OUTPUT <= sizeof output->bytes;
}

static bool is_full_error(int error)
{
    return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

/* Return whether an error says that nobody reads the output: a pipe or the other end of a terminal is closed. */
static bool is_closed_error(int error)
{
    return error == EPIPE || error == EIO;
}

/* Write what the descriptor takes. Returns 0 or errno. */
static int write_some(tw_keyboard_output *output, int out)
{
    const ssize_t done = write(out, output->bytes + output->first, output->count - output->first);
    if (done < 0)
        return is_full_error(errno) ? 0 : errno;
    output->first += (uint32_t)done;
    return 0;
}

/* Give the front what has come. Returns 0 at the end of the input, -errno of a failure, else the number of bytes. */
static int read_some(const tw_keyboard_front *front, int in)
{
    uint8_t bytes[2 * TW_KEYBOARD_FRAME];
    const uint32_t room = front->room(front->context);
    const ssize_t done = read(in, bytes, room < sizeof bytes ? room : sizeof bytes);
    if (done < 0 && is_full_error(errno))
        return 1;
    if (done < 0)
        return errno == EIO ? 0 : -errno; /* EIO: the other end of a terminal is closed */
    front->receive(front->context, bytes, (uint32_t)done);
    return (int)done;
}

/* Write what is left, for a second at most. */
static void flush(tw_keyboard_output *output, int out)
{
    while (output->first < output->count) {
        struct timespec limit = {.tv_sec = FLUSH_MS / 1000};
        fd_set writable;
        FD_ZERO(&writable);
        FD_SET(out, &writable);
        if (pselect(out + 1, NULL, &writable, NULL, &limit, NULL) <= 0 || write_some(output, out) != 0)
            return;
    }
}

/* Wait until there is input to take, output can be written or a signal comes; without waiting where the front is busy. */
static int wait_for(const tw_keyboard_front *front, const tw_keyboard_output *output, int in, int out, bool is_busy,
                    const sigset_t *mask, bool *can_read, bool *can_write)
{
    const bool reads = in >= 0 && front->room(front->context) > 0, writes = output->first < output->count;
    const bool waits = !is_busy && has_room(output) && front->waits(front->context);
    struct timespec limit = {.tv_nsec = waits ? SILENCE_MS * 1000000L : 0};
    fd_set readable, writable;
    FD_ZERO(&readable);
    FD_ZERO(&writable);
    if (reads)
        FD_SET(in, &readable);
    if (writes)
        FD_SET(out, &writable);
    const int most = in > out ? in : out;
    const int ready = pselect(most + 1, &readable, &writable, NULL, is_busy || waits ? &limit : NULL, mask);
    if (ready < 0)
        return errno == EINTR ? 0 : errno;
    *can_read = ready > 0 && reads && FD_ISSET(in, &readable);
    *can_write = ready > 0 && writes && FD_ISSET(out, &writable);
    if (ready == 0 && waits)
        front->silence(front->context);
    return 0;
}

static int serve(const tw_keyboard_front *front, tw_keyboard_output *output, int in, int out, const sigset_t *mask)
{
    for (deliver(mask); !is_told_to_end; deliver(mask)) {
        bool can_read = false, can_write = false;
        if (is_interrupted) {
            is_interrupted = 0;
            if (!front->interrupt(front->context))
                return 0;
        }
        const bool is_busy = has_room(output) && front->step(front->context);
        if (in < 0 && !is_busy && !front->waits(front->context) && output->first == output->count)
            return 0;
        const int failed = wait_for(front, output, in, out, is_busy, mask, &can_read, &can_write);
        if (failed != 0)
            return failed;
        if (can_read) {
            const int count = read_some(front, in);
            if (count < 0)
                return -count;
            if (count == 0)
                in = -1;
        }
        const int error = can_write ? write_some(output, out) : 0;
        if (error != 0)
            return is_closed_error(error) ? 0 : error;
    }
    return 0;
}

int tw_keyboard_serve(const tw_keyboard_front *front, tw_keyboard_output *output, int in, int out)
{
    sigset_t mask;
    take_signals(&mask);
    const int flags = fcntl(out, F_GETFL);
    if (flags < 0 || fcntl(out, F_SETFL, flags | O_NONBLOCK) < 0)
        return errno;
    const int failed = serve(front, output, in, out, &mask);
    front->end(front->context);
    if (failed == 0)
        flush(output, out);
    (void)fcntl(out, F_SETFL, flags);
    return failed;
}

static bool speed_of(uint32_t baud, speed_t *speed)
{
    static const struct {
        uint32_t baud;
        speed_t speed;
    } rates[] = {
        {1200, B1200},     {2400, B2400},     {4800, B4800},     {9600, B9600},   {19200, B19200},
        {38400, B38400},   {57600, B57600},   {115200, B115200}, {230400, B230400},
#ifdef B460800
        {460800, B460800},
#endif
#ifdef B921600
        {921600, B921600},
#endif
#ifdef B1500000
        {1500000, B1500000},
#endif
    };
    for (size_t k = 0; k < sizeof rates / sizeof *rates; ++k)
        if (rates[k].baud == baud) {
            *speed = rates[k].speed;
            return true;
        }
    return false;
}

static int set_raw(int file, speed_t speed)
{
    struct termios settings;
    if (tcgetattr(file, &settings) != 0)
        return errno;
    cfmakeraw(&settings);
    settings.c_cflag |= CLOCAL | CREAD;
    settings.c_cc[VMIN] = 1;
    settings.c_cc[VTIME] = 0;
    cfsetispeed(&settings, speed);
    cfsetospeed(&settings, speed);
    return tcsetattr(file, TCSANOW, &settings) != 0 ? errno : 0;
}

int tw_keyboard_serial(const char *device, uint32_t baud)
{
    speed_t speed;
    if (!speed_of(baud, &speed))
        return -EINVAL;
    const int file = open(device, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (file < 0)
        return -errno;
    const int failed = set_raw(file, speed);
    if (failed == 0)
        return file;
    close(file);
    return -failed;
}

int tw_keyboard_make_folder(const char *folder)
{
    return mkdir(folder, 0777) == 0 || errno == EEXIST ? 0 : -1;
}

/* The fronts. */

static uint32_t protocol_room(void *context)
{
    return tw_keyboard_room(context);
}

static void protocol_receive(void *context, const uint8_t *bytes, uint32_t count)
{
    tw_keyboard_receive(context, bytes, count);
}

static bool protocol_step(void *context)
{
    return tw_keyboard_step(context);
}

static bool protocol_waits(void *context)
{
    return tw_keyboard_waits(context);
}

static void protocol_silence(void *context)
{
    tw_keyboard_silence(context);
}

static bool never(void *context)
{
    (void)context;
    return false;
}

static void protocol_end(void *context)
{
    tw_keyboard_end(context);
}

tw_keyboard_front tw_keyboard_protocol_front(tw_keyboard *keyboard)
{
    return (tw_keyboard_front){keyboard,       protocol_room,    protocol_receive, protocol_step,
                               protocol_waits, protocol_silence, never,            protocol_end};
}

static uint32_t text_room(void *context)
{
    return tw_keyboard_text_room(context);
}

static void text_receive(void *context, const uint8_t *bytes, uint32_t count)
{
    tw_keyboard_text_receive(context, bytes, count);
}

static bool text_step(void *context)
{
    return tw_keyboard_text_step(context);
}

static void nothing(void *context)
{
    (void)context;
}

static bool text_interrupt(void *context)
{
    return tw_keyboard_text_interrupt(context);
}

static void text_end(void *context)
{
    tw_keyboard_text *text = context;
    (void)tw_keyboard_abandon(&text->work);
}

tw_keyboard_front tw_keyboard_text_front(tw_keyboard_text *text)
{
    return (tw_keyboard_front){text, text_room, text_receive, text_step, never, nothing, text_interrupt, text_end};
}
