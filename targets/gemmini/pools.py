"""Max pooling by stores: each store writes the maxima of windows of sums, of one block of channels."""

from __future__ import annotations

from xdsl.dialects.builtin import FloatAttr, f32
from xdsl.ir import Operation

from ...dialects.core.kernel import Kernel
from ...dialects.nn import PoolOp
from ...errors import Diagnostic
from ...ir import numbers_of, shape_of, where
from ...passes.loops.nest import Nest
from ...passes.memory.views import layout_of
from .bodies import scale_of
from .dialects.gemmini.instructions import config_pool, mvout_pool
from .limits import MOST_PIXELS
from .rows import rows_of


def pool_by_stores(op: PoolOp, kernel: Kernel, nest: Nest) -> None:
    """Emit the stores of maxima of windows. Raises Diagnostic for rows of more pixels than a store can tell apart."""
    near, far = kernel.inputs[0].value, kernel.outputs[0].value
    rows = rows_of(near)
    images, height, width = rows.extents
    (_, out_rows, out_cols, channels), strides = shape_of(far), layout_of(far)[0]
    line, rest = divmod(strides[1], strides[2])
    if rest or line > MOST_PIXELS:
        raise _far_rows(op, f"{strides[1]} elements from row to row, {strides[2]} from pixel to pixel")
    scale, relu = scale_of(kernel.epilogue)
    window, step = numbers_of(op.window)[0], numbers_of(op.strides)[0]
    factor = nest.attribute(FloatAttr(scale, f32))
    nest.insert(
        config_pool(
            far, stride=(2, 1), scale=factor, relu=relu, window=window, step=step, line=max(line, out_cols),
            rows=out_rows, cols=out_cols, sum_rows=height, sum_cols=width,
        )
    )  # fmt: skip
    with nest.loops("bi", [channels // rows.dim, images]) as (block, image):
        here = [nest.value(index) for index in (block, image, 0, 0, 0)]
        there = [nest.value(index) for index in (image, 0, 0, nest.mul(block, rows.dim))]
        nest.insert(mvout_pool((near, here), (far, there), out_rows, out_cols, window))


def _far_rows(op: Operation, strides: str) -> Diagnostic:
    return Diagnostic(
        "a store of maxima cannot step from row to row of its result",
        where=where(op),
        expected=f"rows of up to {MOST_PIXELS} whole pixels",
        found=strides,
        remedy="map the pooling to the core (the attribute 'engine')",
    )
