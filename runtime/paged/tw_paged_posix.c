/* System calls of POSIX, with flock(2). */
#define _DEFAULT_SOURCE
#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64
#include "tilewright_paged.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_BYTES 4352

static int path_of(char *path, const char *folder, const char *name)
{
    const int length = snprintf(path, PATH_BYTES, "%s/%s", folder, name);
    return length < 0 || length >= PATH_BYTES ? -ENAMETOOLONG : 0;
}

static int posix_open(void *context, const char *folder, const char *name, bool create)
{
    char path[PATH_BYTES];
    (void)context;
    if (path_of(path, folder, name) != 0)
        return -ENAMETOOLONG;
    const int file = open(path, O_RDWR | O_CLOEXEC | (create ? O_CREAT : 0), 0666);
    return file < 0 ? -errno : file;
}

static int64_t posix_pread(void *context, int file, void *data, uint64_t bytes, uint64_t offset)
{
    (void)context;
    const ssize_t done = pread(file, data, (size_t)bytes, (off_t)offset);
    return done < 0 ? -errno : done;
}

static int64_t posix_pwrite(void *context, int file, const void *data, uint64_t bytes, uint64_t offset)
{
    (void)context;
    const ssize_t done = pwrite(file, data, (size_t)bytes, (off_t)offset);
    return done < 0 ? -errno : done;
}

static int posix_reserve(void *context, int file, uint64_t bytes)
{
    (void)context;
    return -posix_fallocate(file, 0, (off_t)bytes);
}

static int64_t posix_size(void *context, int file)
{
    struct stat status;
    (void)context;
    return fstat(file, &status) != 0 ? -errno : status.st_size;
}

static int posix_sync(void *context, int file)
{
    (void)context;
    return fdatasync(file) != 0 ? -errno : 0;
}

static int posix_sync_folder(void *context, const char *folder)
{
    (void)context;
    const int file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0)
        return -errno;
    const int error = fsync(file) != 0 ? -errno : 0;
    close(file);
    return error;
}

static int posix_rename(void *context, const char *folder, const char *from, const char *to)
{
    char source[PATH_BYTES], target[PATH_BYTES];
    (void)context;
    if (path_of(source, folder, from) != 0 || path_of(target, folder, to) != 0)
        return -ENAMETOOLONG;
    return rename(source, target) != 0 ? -errno : 0;
}

static int posix_remove(void *context, const char *folder, const char *name)
{
    char path[PATH_BYTES];
    (void)context;
    if (path_of(path, folder, name) != 0)
        return -ENAMETOOLONG;
    return unlink(path) != 0 ? -errno : 0;
}

static int posix_lock(void *context, int file)
{
    (void)context;
    return flock(file, LOCK_EX | LOCK_NB) != 0 ? -errno : 0;
}

static int posix_close_file(void *context, int file)
{
    (void)context;
    return close(file) != 0 ? -errno : 0;
}

const tw_paged_io tw_paged_posix = {
    .open = posix_open,
    .pread = posix_pread,
    .pwrite = posix_pwrite,
    .reserve = posix_reserve,
    .size = posix_size,
    .sync = posix_sync,
    .sync_folder = posix_sync_folder,
    .rename = posix_rename,
    .remove = posix_remove,
    .lock = posix_lock,
    .close = posix_close_file,
};
