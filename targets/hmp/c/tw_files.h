#ifndef TW_FILES_H
#define TW_FILES_H
/* Sources and sinks of raw frames: files of frames one after the other, directories with a file for each. */
#include <stdint.h>

#include "tilewright_pipeline.h"

typedef struct {
    const char *name; /* of the file, without suffix */
    const char *type; /* "uint8" */
    const char *shape;
    int64_t bytes;
} tw_port;

typedef struct {
    const char *path;
    int file;     /* descriptor, -1 where it is closed or a directory */
    char **names; /* of the files in a directory, in order */
    int64_t count;
    int64_t bytes;
} tw_file;

typedef struct {
    tw_file *ports;
    int32_t count;
} tw_files;

/*
 * Open a file or a directory for each port; "-" is standard input or output. `path` is that of the only port, or the
 * directory of NAME.bin or NAME/ for each. 0, or -1 with a message on standard error.
 */
int tw_files_read(tw_files *files, const tw_port *ports, int32_t count, const char *path);
int tw_files_write(tw_files *files, const tw_port *ports, int32_t count, const char *path);
/* 0, or -1 with a message where what was written is not on the disk. */
int tw_files_close(tw_files *files);

tw_source tw_files_source(tw_files *files);
tw_sink tw_files_sink(tw_files *files);

#endif
