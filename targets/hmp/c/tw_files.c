/* Sources and sinks of raw frames: tw_files.h. */
#define _GNU_SOURCE
#include "tw_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int refuse(const char *path, const char *reason)
{
    fprintf(stderr, "error: %s: %s\n", path, reason);
    return -1;
}

static int is_frame(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static int list(tw_file *file)
{
    struct dirent **entries;
    const int count = scandir(file->path, &entries, is_frame, alphasort);
    if (count < 0)
        return refuse(file->path, strerror(errno));
    file->names = calloc((size_t)count + 1, sizeof *file->names);
    for (int k = 0; k < count; ++k) {
        if (file->names != NULL && asprintf(&file->names[k], "%s/%s", file->path, entries[k]->d_name) < 0)
            file->names[k] = NULL;
        free(entries[k]);
    }
    free(entries);
    file->count = count;
    return file->names != NULL ? 0 : refuse(file->path, "no memory for the names of frames");
}

/* Fill with a frame: 1, 0 at the end of the file, -1 with a message. */
static int fill(int descriptor, const char *path, char *to, int64_t bytes)
{
    int64_t done = 0;
    while (done < bytes) {
        struct pollfd waits[2] = {{.fd = descriptor, .events = POLLIN}, {.fd = tw_pipeline_cancelled(), .events = POLLIN}};
        if (poll(waits, 2, -1) < 0 && errno != EINTR)
            return refuse(path, strerror(errno));
        if (waits[1].revents != 0)
            return -1;
        if (waits[0].revents == 0)
            continue;
        const ssize_t got = read(descriptor, to + done, (size_t)(bytes - done));
        if (got < 0 && errno != EINTR)
            return refuse(path, strerror(errno));
        if (got == 0)
            break;
        done += got > 0 ? got : 0;
    }
    if (done == 0 || done == bytes)
        return done == bytes;
    fprintf(stderr, "error: %s: the last frame has %lld bytes, expected %lld\n", path, (long long)done, (long long)bytes);
    return -1;
}

static int read_whole(const char *path, char *to, int64_t bytes)
{
    struct stat status;
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0 || fstat(descriptor, &status) != 0)
        return refuse(path, strerror(errno));
    int result = -1;
    if (S_ISREG(status.st_mode) && status.st_size != bytes)
        fprintf(stderr, "error: %s: a frame of %lld bytes, expected %lld\n", path, (long long)status.st_size,
                (long long)bytes);
    else
        result = fill(descriptor, path, to, bytes);
    close(descriptor);
    return result;
}

static int read_frame(void *context, int32_t port, int64_t frame, void *to, int64_t bytes)
{
    const tw_files *files = context;
    const tw_file *file = &files->ports[port];
    if (file->names == NULL)
        return fill(file->file, file->path, to, bytes);
    return frame < file->count ? read_whole(file->names[frame], to, bytes) : 0;
}

static int put(int descriptor, const char *path, const char *from, int64_t bytes)
{
    for (int64_t done = 0; done < bytes;) {
        const ssize_t put = write(descriptor, from + done, (size_t)(bytes - done));
        if (put < 0 && errno != EINTR)
            return refuse(path, strerror(errno));
        done += put > 0 ? put : 0;
    }
    return 0;
}

static int write_frame(void *context, int32_t port, int64_t frame, const void *from, int64_t bytes)
{
    const tw_files *files = context;
    const tw_file *file = &files->ports[port];
    char *path;
    if (file->file >= 0)
        return put(file->file, file->path, from, bytes);
    if (asprintf(&path, "%s/%012lld.bin", file->path, (long long)frame) < 0)
        return -1;
    const int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    int result = descriptor < 0 ? refuse(path, strerror(errno)) : put(descriptor, path, from, bytes);
    if (descriptor >= 0 && close(descriptor) != 0)
        result = refuse(path, strerror(errno));
    free(path);
    return result;
}

static int is_directory(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static int open_one(tw_file *file, const char *path, int64_t bytes, int writes)
{
    const int flags = writes ? O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC : O_RDONLY | O_CLOEXEC;
    *file = (tw_file){.path = strdup(path), .file = -1, .bytes = bytes};
    if (file->path == NULL)
        return refuse(path, "no memory");
    if (is_directory(path))
        return writes ? 0 : list(file);
    file->file = strcmp(path, "-") == 0 ? (writes ? STDOUT_FILENO : STDIN_FILENO) : open(path, flags, 0666);
    return file->file < 0 ? refuse(path, strerror(errno)) : 0;
}

/* The path of a port in a directory of all: NAME/ where there is such a directory, else NAME.bin. */
static int open_named(tw_file *file, const tw_port *port, const char *folder, int writes)
{
    char *path;
    if (asprintf(&path, "%s/%s", folder, port->name) < 0)
        return refuse(folder, "no memory");
    if (!is_directory(path)) {
        free(path);
        if (asprintf(&path, "%s/%s.bin", folder, port->name) < 0)
            return refuse(folder, "no memory");
    }
    const int result = open_one(file, path, port->bytes, writes);
    free(path);
    return result;
}

static int has_named(const tw_port *port, const char *folder)
{
    char *path;
    if (asprintf(&path, "%s/%s.bin", folder, port->name) < 0)
        return 0;
    const int is_file = access(path, F_OK) == 0;
    path[strlen(path) - strlen(".bin")] = 0;
    const int is_named = is_file || is_directory(path);
    free(path);
    return is_named;
}

static int open_all(tw_files *files, const tw_port *ports, int32_t count, const char *path, int writes)
{
    *files = (tw_files){.ports = calloc((size_t)count + 1, sizeof *files->ports), .count = 0};
    if (files->ports == NULL)
        return refuse(path, "no memory");
    const int is_own = count == 1 && !(is_directory(path) && has_named(&ports[0], path));
    if (!is_own && !is_directory(path))
        return refuse(path, "no directory, which the files of several inputs or outputs lie in");
    for (int32_t port = 0; port < count; ++port) {
        tw_file *file = &files->ports[files->count++];
        const int result = is_own ? open_one(file, path, ports[port].bytes, writes)
                                  : open_named(file, &ports[port], path, writes);
        if (result != 0)
            return result;
    }
    return 0;
}

int tw_files_read(tw_files *files, const tw_port *ports, int32_t count, const char *path)
{
    return open_all(files, ports, count, path, 0);
}

int tw_files_write(tw_files *files, const tw_port *ports, int32_t count, const char *path)
{
    return open_all(files, ports, count, path, 1);
}

int tw_files_close(tw_files *files)
{
    int result = 0;
    for (int32_t port = 0; port < files->count; ++port) {
        tw_file *file = &files->ports[port];
        if (file->file > STDERR_FILENO && close(file->file) != 0)
            result = refuse(file->path, strerror(errno));
        for (int64_t k = 0; k < file->count; ++k)
            free(file->names[k]);
        free(file->names);
        free((char *)file->path);
    }
    free(files->ports);
    *files = (tw_files){0};
    return result;
}

tw_source tw_files_source(tw_files *files)
{
    return (tw_source){.read = read_frame, .context = files};
}

tw_sink tw_files_sink(tw_files *files)
{
    return (tw_sink){.write = write_frame, .context = files};
}
