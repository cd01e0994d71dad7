"""Import rules of operators that move elements: reshapes, slices, padding, gathers, scatters, sequences."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from onnx import NodeProto

from ..node_view import NodeView
from ..opset import put
from . import EVERY_OPSET, LIKE_INPUT, Moved, Shape, operators
from .common import axis
from .reductions import AXES


def _concat(node: NodeView) -> None:
    """Check that the inputs have one shape except along the axis."""
    axis(node)
    first, along = node.shape(0), node.attribute("axis")
    for index in range(1, node.inputs):
        shape = node.shape(index)
        is_like = len(shape) == len(first) and all(
            a == b for i, (a, b) in enumerate(zip(shape, first, strict=True)) if i != along % len(first)
        )
        if not is_like:
            raise node.misfit(f"input {index}", f"the shape {list(first)} except along axis {along}", list(shape))


def _reshape(node: NodeView) -> None:
    """Check that a constant shape holds as many elements as the input."""
    x, shape = node.shape(0), node.integers(1)
    if shape is None:
        return
    if shape.count(-1) > 1 or min(shape, default=0) < -1:
        raise node.misfit("the shape", "sizes of 0 or more, and -1 at most once", shape)
    if not node.attribute("allowzero"):
        if any(size == 0 and index >= len(x) for index, size in enumerate(shape)):
            raise node.misfit("the shape", f"a 0 only for one of the {len(x)} axes of {list(x)}", shape)
        shape = [x[index] if size == 0 else size for index, size in enumerate(shape)]
    count, total = prod(size for size in shape if size != -1), prod(x)
    if (total % count if count else total) if -1 in shape else count != total:
        raise node.misfit("the shape", f"{total} elements, as many as {list(x)}", shape)


def _split(node: NodeView) -> None:
    """Check that constant sizes sum up to the extent of the axis."""
    axis(node)
    x, sizes, along = node.shape(0), node.integers(1), node.attribute("axis")
    if sizes is not None and (sum(sizes) != x[along] or len(sizes) != len(node.node.output) or min(sizes) < 0):
        raise node.misfit("the list of sizes", f"{len(node.node.output)} sizes that sum up to {x[along]}", sizes)


def _split_outputs(node: NodeProto) -> str:
    outputs = len(node.output)
    asked = next((attribute.i for attribute in node.attribute if attribute.name == "num_outputs"), outputs)
    return f"num_outputs is {asked}, but there are {outputs} outputs" if asked != outputs else ""


def _older_split(view: NodeView) -> Sequence[NodeProto]:
    """Give a Split up to opset 17 without sizes as many even parts as it has outputs."""
    return [view.node if view.input(1) else put(view.node, num_outputs=len(view.node.output))]


def _slice(node: NodeView) -> None:
    """Check that starts, ends, axes and steps are vectors of one length."""
    starts = node.shape(1)
    for index in range(1, node.inputs):
        if node.input(index) and (len(shape := node.shape(index)) != 1 or shape != starts):
            raise node.misfit(f"input {index}", "a vector, as long as the starts", list(shape))


def _padding(node: NodeView) -> None:
    """Check that padding leaves extents of 0 or more; ONNX Runtime too refuses reflection beyond the axis."""
    pads, shape = node.integers(1), node.shape(0)
    if pads is None or node.inputs > 3:
        return
    if len(pads) != 2 * len(shape):
        raise node.misfit("the padding", f"{2 * len(shape)} numbers, two per axis of {list(shape)}", pads)
    whole = [extent + pads[axis] + pads[axis + len(shape)] for axis, extent in enumerate(shape)]
    if any(extent < 0 for extent in whole):
        raise node.misfit("the padding", f"at most {list(shape)} elements to remove", pads)
    longest = [max(0, extent - 1) for extent in (*shape, *shape)]
    if node.attribute("mode") == "reflect" and any(pad > limit for pad, limit in zip(pads, longest, strict=True)):
        raise node.misfit("the padding", f"at most {longest} elements to reflect", pads)


def _blocks(node: NodeView) -> None:
    """Check that blocks divide the channels, or the spatial axes."""
    x, block = node.shape(0, 4), node.attribute("blocksize")
    if block < 1:
        raise node.misfit("the attribute 'blocksize'", "1 or more", block)
    if node.op_type == "DepthToSpace" and x[1] % block**2:
        raise node.misfit("the attribute 'blocksize'", f"a divisor of the {x[1]} channels by its square", block)
    if node.op_type == "SpaceToDepth" and (x[2] % block or x[3] % block):
        raise node.misfit("the attribute 'blocksize'", f"a divisor of {x[2]} and {x[3]}, the spatial axes", block)


def _rows(node: NodeView) -> None:
    """Check that constant indices lie within the axis."""
    axis(node)
    indices, along = node.value(1), int(node.attribute("axis"))
    extent = node.shape(0)[along]
    if indices is not None and indices.size and not -extent <= indices.min() <= indices.max() < extent:
        span = f"from {indices.min()} to {indices.max()}"
        raise node.misfit("the range of the indices", f"from {-extent} to {extent - 1}", span)


def _permutation(node: NodeView) -> None:
    """Check that each axis is named once."""
    x, order = node.shape(0), node.attribute("perm")
    if order is not None and sorted(order) != list(range(len(x))):
        raise node.misfit("the attribute 'perm'", f"each of the {len(x)} axes of {list(x)} once", list(order))


def _sequence_lengths(node: NodeView) -> None:
    """Check that there is a length per sequence, and that batch and time are the first two axes."""
    x, lengths = node.shape(0), node.shape(1)
    axes = node.attribute("batch_axis"), node.attribute("time_axis")
    if sorted(axes) != [0, 1] or len(x) < 2:
        raise node.misfit("the pair of batch_axis and time_axis", "0 and 1, or 1 and 0", axes)
    if lengths != (x[axes[0]],):
        raise node.misfit("sequence_lens", [x[axes[0]]], list(lengths))


operators("Concat", checks=(_concat,))
operators("DepthToSpace", words={"mode": ("DCR", "CRD")}, checks=(_blocks,))
operators("SpaceToDepth", checks=(_blocks,))
operators("Expand Tile CenterCropPad", shape_inputs=(1,))
operators("Col2Im", shape_inputs=(1, 2))
operators("Reshape", shape_inputs=(1,), checks=(_reshape,))
operators("Squeeze Unsqueeze", shape_inputs=(1,), moved=AXES)
operators("Transpose", checks=(_permutation,))
operators("ReverseSequence", checks=(_sequence_lengths,))
operators(
    "Pad",
    words={"mode": ("constant", "reflect", "edge", "wrap")},
    shape_inputs=(1, 3),
    moved=(Moved("pads", 1), Moved("value", 2, LIKE_INPUT)),
    checks=(_padding,),
)
operators(
    "Slice",
    shape_inputs=(1, 2, 3, 4),
    moved=(Moved("starts", 1), Moved("ends", 2), Moved("axes", 3)),
    checks=(_slice,),
)
operators(
    "Split",
    shape_inputs=(1,),
    moved=(Moved("split", 1),),
    until=18,
    older=_older_split,
    checks=(_split,),
    unsound=_split_outputs,
)


_REDUCTION = {"reduction": ("none", "add", "mul", "max", "min")}


def _elements(node: NodeView) -> None:
    """Check that indices have the axes of the data and are no longer along those that they keep."""
    axis(node)
    x, indices, along = node.shape(0), node.shape(1), node.attribute("axis")
    kept = [index for index in range(len(x)) if index != along % len(x)]
    if len(indices) != len(x) or any(indices[index] > x[index] for index in kept):
        raise node.misfit("the shape of the indices", f"at most {list(x)} except along axis {along}", list(indices))
    if node.input(2) and (updates := node.shape(2)) != indices:
        raise node.misfit("the shape of the updates", list(indices), list(updates))


def _scatter_nd(node: NodeView) -> None:
    """Check that indices [..., K] select slices of the data, and that the updates hold one slice each."""
    x, indices, updates = (node.shape(index) for index in range(3))
    if not indices or not 1 <= indices[-1] <= len(x):
        raise node.misfit("the last extent of the indices", f"from 1 to {len(x)}", list(indices))
    wanted = (*indices[:-1], *x[indices[-1] :])
    if updates != wanted:
        raise node.misfit("the shape of the updates", list(wanted), list(updates))


def _gather_nd(node: NodeView) -> None:
    """Check that indices [batches..., ..., K] select slices of the data of their batch."""
    x, indices, batches = node.shape(0), node.shape(1), node.attribute("batch_dims")
    if not 0 <= batches < min(len(x), len(indices)) or x[:batches] != indices[:batches]:
        raise node.misfit("the attribute 'batch_dims'", f"equal first axes of {list(x)} and {list(indices)}", batches)
    if not 1 <= indices[-1] <= len(x) - batches:
        raise node.misfit("the last extent of the indices", f"from 1 to {len(x) - batches}", list(indices))


def _negative_batches(node: NodeProto) -> str:
    batches = next((attribute.i for attribute in node.attribute if attribute.name == "batch_dims"), 0)
    return f"batch_dims is {batches}, but must not be negative" if batches < 0 else ""


def _older_scatter(view: NodeView) -> Sequence[NodeProto]:
    view.node.op_type = "ScatterElements"
    return [view.node]


operators("Gather", checks=(_rows,))
operators("GatherElements", checks=(_elements,))


def _gathered(node: NodeProto, inputs: Sequence[Shape]) -> Sequence[Shape]:
    """Return the shape of the result of GatherND: a scalar, for which ONNX's inference states no shape."""
    x, indices = inputs
    if x is None or indices is None or not indices or indices[-1] is None:
        return []
    batches = next((attribute.i for attribute in node.attribute if attribute.name == "batch_dims"), 0)
    return [(*indices[:-1], *x[batches + indices[-1] :])]


operators("GatherND", checks=(_gather_nd,), unsound=_negative_batches, shapes=_gathered)
operators("Scatter", until=EVERY_OPSET, older=_older_scatter)
operators("ScatterElements", words=_REDUCTION, checks=(_elements,))
operators("ScatterND", words=_REDUCTION, checks=(_scatter_nd,))
operators("TensorScatter", words={"mode": ("linear", "circular")})
operators("OneHot", shape_inputs=(1,))
operators("NonMaxSuppression", shape_inputs=(2,))


operators("If", shape_inputs=(0,))
operators("Loop", shape_inputs=(0, 1))
operators("SequenceAt SequenceErase SplitToSequence", shape_inputs=(1,))
operators("SequenceInsert", shape_inputs=(2,))
