/*
 * What MLIR's lowering of memref.copy to LLVM calls for buffers that are not contiguous. MLIR has it in a library of its
 * own, libmlir_c_runner_utils; Debian's mlir-tools come without. Layout of the arguments:
 * https://mlir.llvm.org/docs/TargetLLVMIR/#unranked-memref-types
 */
#include <stdint.h>
#include <string.h>

struct view {
    char *allocated;
    char *aligned;
    int64_t offset;
    int64_t sizes_and_strides[];
};

struct unranked {
    int64_t rank;
    struct view *view;
};

static void copy_axis(int64_t axes, const int64_t *sizes, const int64_t *from_strides, const int64_t *to_strides,
                      int64_t width, const char *from, char *to) {
    if (axes == 0) {
        memcpy(to, from, (size_t)width);
        return;
    }
    for (int64_t i = 0; i < sizes[0]; i++) {
        copy_axis(axes - 1, sizes + 1, from_strides + 1, to_strides + 1, width, from + i * from_strides[0] * width,
                  to + i * to_strides[0] * width);
    }
}

void memrefCopy(int64_t width, const struct unranked *from, const struct unranked *to);

void memrefCopy(int64_t width, const struct unranked *from, const struct unranked *to) {
    const struct view *source = from->view, *target = to->view;
    int64_t rank = from->rank;
    copy_axis(rank, source->sizes_and_strides, source->sizes_and_strides + rank, target->sizes_and_strides + rank,
              width, source->aligned + source->offset * width, target->aligned + target->offset * width);
}
