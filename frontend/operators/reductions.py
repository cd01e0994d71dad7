"""Import rules of reductions, normalisations, softmax and losses."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from onnx import NodeProto, TensorProto, helper

from ...dialects.onnx.custom import DOMAIN
from ...errors import Diagnostic
from ..node_view import NodeView
from ..opset import put, take
from . import Moved, operators
from .common import axis, broadcast_to_first, one_number, per_channel_vectors

AXES = (Moved("axes", 1),)


def _distinct_axes(node: NodeView) -> None:
    """Check that constant axes are a vector in which each is named once."""
    rank, axes = len(node.shape(0)), node.integers(1)
    if axes is None:
        return
    if len(node.shape(1)) != 1 or len({axis % max(rank, 1) for axis in axes}) < len(axes):
        raise node.misfit("the list of axes", "a vector of axes, each once", f"{axes} of shape {list(node.shape(1))}")
    if any(not -rank <= axis < rank for axis in axes):
        raise node.misfit("the list of axes", f"axes from {-rank} to {rank - 1}", axes)


def _extremum(node: NodeView) -> None:
    """Check that the axis of an extremum has an element."""
    axis(node)
    if (x := node.shape(0))[node.attribute("axis")] == 0:
        raise node.misfit("the axis", "an axis of one element or more", list(x))


def _axis_input(node: NodeView) -> None:
    """Check that an axis that is a constant input is one of the tensor."""
    rank, axes = len(node.shape(0)), node.integers(1)
    if axes and not -rank <= axes[0] < rank:
        raise node.misfit("the axis", f"one of the {rank} axes of {list(node.shape(0))}", axes[0])


operators("ArgMax ArgMin", checks=(_extremum,))
operators("CumProd CumSum", shape_inputs=(1,), checks=(one_number(1), _axis_input))
operators("TopK", shape_inputs=(1,), moved=(Moved("k", 1),))
operators(
    "ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum"
    " ReduceSumSquare",
    shape_inputs=(1,),
    moved=AXES,
    checks=(_distinct_axes,),
)


def _groups(node: NodeView) -> None:
    """Check that the groups divide the channels evenly."""
    x, groups = node.shape(0), node.attribute("num_groups")
    if len(x) < 2 or groups < 1 or x[1] % groups:
        raise node.misfit("the attribute 'num_groups'", f"a divisor of the channels of {list(x)}", groups)


def _gradient(node: NodeView) -> None:
    """Check that the gradient has the shape of x, and the bias, which is the last of four inputs, that of the scale."""
    pairs = [(1, 0)] if node.input(4) else [(1, 0), (3, 2)]
    for index, other in pairs:
        if (own := node.shape(index)) != (wanted := node.shape(other)):
            raise node.misfit(f"input {index}", list(wanted), list(own))


def _older_softmax(view: NodeView) -> Sequence[NodeProto]:
    """Rewrite the softmax up to opset 12, for which the axes from `axis` on (default 1) were one."""
    node, shape = view.node, view.shape(0)
    axis = take(node, "axis", 1)
    axis += len(shape) if axis < 0 else 0
    if axis == len(shape) - 1 or all(dim == 1 for dim in shape[axis + 1 :]):
        return [put(node, axis=axis)]
    source, result = node.input[0], node.output[0]
    flat, soft = f"{result}.flattened", f"{result}.normalised"
    sizes = view.graph.add_constant(node, "shape", np.array(shape, np.int64), TensorProto.INT64)
    return [
        helper.make_node("Flatten", [source], [flat], name=node.name, axis=axis),
        helper.make_node(node.op_type, [flat], [soft], name=node.name, axis=-1),
        helper.make_node("Reshape", [soft, sizes], [result], name=node.name),
    ]


def _older_batch_norm(view: NodeView) -> Sequence[NodeProto]:
    node = view.node
    if take(node, "spatial", 1) != 1 or any(node.output[1:]):
        raise Diagnostic(
            "this old form of BatchNormalization is not handled",
            where=view.where,
            expected="spatial = 1 and one output",
            found=f"{len(node.output)} outputs, or spatial = 0",
            remedy="export the model for inference, with opset 15 or newer",
        )
    return [node]


def _older_group_norm(view: NodeView) -> Sequence[NodeProto]:
    """Repeat scale and bias, which up to opset 20 were per group, for each channel."""
    node, shape, groups = view.node, view.shape(0), view.given.get("num_groups", 0)
    if len(shape) < 2 or groups < 1:
        return [node]  # the checks refuse it
    channels = shape[1]
    for index, role in ((1, "scale"), (2, "bias")):
        if view.shape(index) == (channels,):
            continue
        if (old := view.graph.constants.get(view.input(index))) is None:
            raise Diagnostic(
                f"the {role} per group of a GroupNormalization is not a constant",
                where=view.where,
                expected=f"a constant, or a shape of {[channels]}",
                found=f'"{view.input(index)}" of shape {list(view.shape(index))}',
                remedy="export the model with opset 21 or newer",
            )
        node.input[index] = view.graph.add_constant(node, role, np.repeat(old.array, channels // groups), old.data_type)
    return [node]


operators("BatchNormalization", until=14, older=_older_batch_norm, checks=(per_channel_vectors,))
operators(
    "GroupNormalization", like_first=True, until=21, older=_older_group_norm, checks=(_groups, per_channel_vectors)
)
operators("InstanceNormalization", checks=(per_channel_vectors,))
operators("LayerNormalization RMSNormalization", checks=(axis, broadcast_to_first))
operators("LayerNormalizationGrad", DOMAIN, checks=(axis, broadcast_to_first, _gradient))
operators("LpNormalization", checks=(axis,))
operators("MeanVarianceNormalization", like_first=True)
operators("Normalizer", "ai.onnx.ml", like_first=True)
operators("Hardmax LogSoftmax Softmax", until=13, older=_older_softmax)


def _classes(node: NodeView) -> None:
    """Check that scores [N, C, ...] come with classes [N, ...] and weights [C]."""
    scores, classes = node.shape(0), node.shape(1)
    if len(scores) < 2:
        raise node.misfit("input 0", "two axes or more", list(scores))
    if classes != (scores[0], *scores[2:]):
        raise node.misfit("input 1", [scores[0], *scores[2:]], list(classes))
    if node.input(2) and (weights := node.shape(2)) != (scores[1],):
        raise node.misfit("input 2", [scores[1]], list(weights))


operators("NegativeLogLikelihoodLoss SoftmaxCrossEntropyLoss", words={"reduction": ("mean", "sum", "none")},
          checks=(_classes,))  # fmt: skip
