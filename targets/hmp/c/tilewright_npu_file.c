/* Files of artefacts, for networks and for workers. */
#include "tilewright_npu_process.h"

#include <stdio.h>
#include <stdlib.h>

void *tw_npu_read_file(const char *path, uint64_t *size)
{
    FILE *file = fopen(path, "rb");
    long length = -1;
    if (file != NULL && fseek(file, 0, SEEK_END) == 0)
        length = ftell(file);
    void *bytes = length >= 0 ? malloc((size_t)length + 1) : NULL;
    if (bytes != NULL && (fseek(file, 0, SEEK_SET) != 0 || fread(bytes, 1, (size_t)length, file) != (size_t)length)) {
        free(bytes);
        bytes = NULL;
    }
    if (file != NULL)
        fclose(file);
    *size = bytes != NULL ? (uint64_t)length : 0;
    return bytes;
}
