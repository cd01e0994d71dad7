"""Semantics of ConvTranspose: each element of x adds the kernel, times itself, to the result at its stride."""

from __future__ import annotations

import numpy as np

from ...dialects.onnx.schema import OnnxOp
from ...dialects.onnx.transposed import transposed_pads
from ...ir import Array, shape_of


def conv_transpose(op: OnnxOp, x: Array, w: Array, b: Array | None = None) -> Array:
    """Return the convolution of x [N, C, spatial...] by w [C, features / group, kernel...], summed in f64."""
    rank, groups, out = x.ndim - 2, int(op.attribute("group")), shape_of(op.results[0])[2:]
    strides, dilations = (op.attribute(name) or (1,) * rank for name in ("strides", "dilations"))
    parts = [np.split(array.astype(np.float64), groups, axis) for array, axis in ((x, 1), (w, 0))]
    begins = transposed_pads(op)
    total = np.zeros([x.shape[0], w.shape[1] * groups, *out])
    for tap in np.ndindex(*w.shape[2:]):
        firsts = [t * d - begin for t, d, begin in zip(tap, dilations, begins, strict=True)]
        pairs = list(zip(firsts, strides, out, x.shape[2:], strict=True))
        # The elements of x whose product with this tap lies in the result.
        kept = [slice(max(0, -(f // s)), max(0, min(n, -((f - o) // s)))) for f, s, o, n in pairs]
        if any(span.start >= span.stop for span in kept):
            continue
        places = [
            slice(f + k.start * s, f + (k.stop - 1) * s + 1, s) for (f, s, _, _), k in zip(pairs, kept, strict=True)
        ]
        sums = [
            np.moveaxis(np.tensordot(v[:, :, *kept], u[:, :, *tap], (1, 0)), -1, 1) for v, u in zip(*parts, strict=True)
        ]
        total[:, :, *places] += np.concatenate(sums, 1)
    return total if b is None else total + b.reshape(-1, *(1,) * rank)
