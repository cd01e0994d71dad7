"""
Compatibility checks of an operator's input sizes and attributes, which ONNX's inference omits.

Each check takes the graph, what is known of its tensors, and a node. It raises Diagnostic where no kernel could compute
the node.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

from onnx import NodeProto

from ..dialects.onnx.parameters import broadcasts_to, channel_shape, misfit
from ..errors import Diagnostic
from .onnx_graph import Graph
from .order import where_node
from .shapes import Infos


def _shape(infos: Infos, node: NodeProto, index: int) -> tuple[int, ...] | None:
    if index >= len(node.input) or not node.input[index]:
        return None
    return infos[node.input[index]].shape  # pyright: ignore[reportReturnType]


def _attribute(node: NodeProto, name: str, default: int) -> int:
    return next((attribute.i for attribute in node.attribute if attribute.name == name), default)


def _misfit(node: NodeProto, what: str, expected: Any, found: Any) -> Diagnostic:
    return Diagnostic(
        f"{what} of {node.op_type} does not fit its input",
        where=where_node(node),
        expected=str(expected),
        found=str(found),
        remedy="correct the shapes in the model, or those given with --input-shape",
    )


def convolution(graph: Graph, infos: Infos, node: NodeProto) -> None:
    """Weights have the axes and, in their groups, the channels of the input, and a bias for each output."""
    x, w = _shape(infos, node, 0), _shape(infos, node, 1)
    b = None if node.op_type == "ConvInteger" else _shape(infos, node, 2)
    assert x is not None
    assert w is not None
    if len(x) < 3 or len(w) != len(x):
        raise _misfit(node, "the weight", f"{max(len(x), 3)} axes, as many as the input", list(w))
    kernel = next((tuple(attribute.ints) for attribute in node.attribute if attribute.name == "kernel_shape"), w[2:])
    if kernel != w[2:]:
        raise _misfit(node, "kernel_shape", list(w[2:]), list(kernel))
    groups = _attribute(node, "group", 1)
    transposed = node.op_type == "ConvTranspose"
    channels = w[0] if transposed else w[1] * groups
    if x[1] != channels:
        raise _misfit(node, "the weight", f"{channels} input channels", f"{x[1]} input channels")
    outputs = w[1] * groups if transposed else w[0]
    if outputs % groups:
        raise _misfit(node, "the weight", f"output channels in {groups} groups", f"{outputs} output channels")
    if b is not None and b != (outputs,):
        raise _misfit(node, "the bias", [outputs], list(b))


def gemm(graph: Graph, infos: Infos, node: NodeProto) -> None:
    """The bias broadcasts to the product."""
    c = _shape(infos, node, 2)
    result = infos[node.output[0]].shape
    assert result is not None
    if c is not None and not broadcasts_to(c, result):
        raise _misfit(node, "the bias", f"a shape that broadcasts to {list(result)}", list(c))


def vectors(graph: Graph, infos: Infos, node: NodeProto) -> None:
    """Starts, ends, axes and steps are vectors of one length."""
    starts = _shape(infos, node, 1)
    for index in range(1, len(node.input)):
        shape = _shape(infos, node, index)
        if shape is not None and (len(shape) != 1 or shape != starts):
            raise _misfit(node, f"input {index}", "a vector, as long as the starts", list(shape))


def reflection(graph: Graph, infos: Infos, node: NodeProto) -> None:
    """Check that reflection padding is no longer than the axis: ONNX Runtime refuses it too."""
    mode = next((attribute.s for attribute in node.attribute if attribute.name == "mode"), b"constant")
    pads, shape = graph.constants.get(node.input[1]), _shape(infos, node, 0)
    if mode != b"reflect" or pads is None or shape is None or len(node.input) > 3:
        return
    longest = [max(0, extent - 1) for extent in (*shape, *shape)]
    found = [int(pad) for pad in pads.array.reshape(-1)]
    if any(pad > limit for pad, limit in zip(found, longest, strict=False)):
        raise _misfit(node, "the padding", f"at most {longest} elements to reflect", found)


def per_channel_vectors(graph: Graph, infos: Infos, node: NodeProto) -> None:
    """All inputs but the first are vectors of one number for each channel."""
    x = _shape(infos, node, 0)
    assert x is not None
    for index in range(1, len(node.input)):
        shape = _shape(infos, node, index)
        if shape is not None and shape != (x[1],):
            raise _misfit(node, f"input {index}", [x[1]], list(shape))


def groups(graph: Graph, infos: Infos, node: NodeProto) -> None:
    """The channels are divided among the groups evenly."""
    x, groups = _shape(infos, node, 0), _attribute(node, "num_groups", 0)
    assert x is not None
    if len(x) < 2 or groups < 1 or x[1] % groups:
        raise _misfit(node, "num_groups", f"a divisor of the channels of {list(x)}", groups)
    per_channel_vectors(graph, infos, node)


def axis(graph: Graph, infos: Infos, node: NodeProto) -> None:
    """The axis is one of the input, by default its first or its last."""
    x, given = _shape(infos, node, 0), _attribute(node, "axis", 0)
    assert x is not None
    if not -len(x) <= given < len(x):
        raise _misfit(node, "the axis", f"one of those of {list(x)}", given)


def extremum(graph: Graph, infos: Infos, node: NodeProto) -> None:
    """There is an extremum along the axis."""
    axis(graph, infos, node)
    x = _shape(infos, node, 0)
    assert x is not None
    if x[_attribute(node, "axis", 0)] == 0:
        raise _misfit(node, "the axis", "an axis of one element at least", list(x))


def rows(graph: Graph, infos: Infos, node: NodeProto) -> None:
    """Check that scale and bias of a norm broadcast to its input."""
    axis(graph, infos, node)
    x = _shape(infos, node, 0)
    assert x is not None
    for index in range(1, len(node.input)):
        shape = _shape(infos, node, index)
        if shape is not None and not broadcasts_to(shape, x):
            raise _misfit(node, f"input {index}", f"a shape that broadcasts to {list(x)}", list(shape))


def norm_gradient(graph: Graph, infos: Infos, node: NodeProto) -> None:
    """The gradient has the shape of x; the bias, which is the last of four inputs, that of the scale."""
    rows(graph, infos, node)
    pairs = [(1, 0)] if len(node.input) > 4 and node.input[4] else [(1, 0), (3, 2)]
    for index, other in pairs:
        found, wanted = _shape(infos, node, index), _shape(infos, node, other)
        if found != wanted:
            raise _misfit(node, f"input {index}", wanted, found)


def broadcast(graph: Graph, infos: Infos, node: NodeProto) -> None:
    """The second input broadcasts to the first."""
    x, other = _shape(infos, node, 0), _shape(infos, node, 1)
    assert x is not None
    if other is not None and not broadcasts_to(other, x):
        raise _misfit(node, "input 1", f"a shape that broadcasts to {list(x)}", list(other))


def elements(graph: Graph, infos: Infos, node: NodeProto) -> None:
    """Indices of elements have the axes of the data, and are no more than the data along those that they keep."""
    x, indices, updates = (_shape(infos, node, index) for index in range(3))
    assert x is not None
    assert indices is not None
    axis = _attribute(node, "axis", 0)
    if not x or not -len(x) <= axis < len(x):
        raise _misfit(node, "the axis", f"one of those of {list(x)}", axis)
    kept = [index for index in range(len(x)) if index != axis % len(x)]
    if len(indices) != len(x) or any(indices[index] > x[index] for index in kept):
        raise _misfit(node, "the shape of the indices", f"at most {list(x)} but along axis {axis}", list(indices))
    if updates is not None and updates != indices:
        raise _misfit(node, "the shape of the updates", list(indices), list(updates))


def scatter_nd(graph: Graph, infos: Infos, node: NodeProto) -> None:
    """Indices [..., K] lead to slices of the data, of which the updates hold one each."""
    x, indices, updates = (_shape(infos, node, index) for index in range(3))
    assert x is not None
    assert indices is not None
    if not indices or not 1 <= indices[-1] <= len(x):
        raise _misfit(node, "the last extent of the indices", f"from 1 to {len(x)}", list(indices))
    wanted = (*indices[:-1], *x[indices[-1] :])
    if updates != wanted:
        raise _misfit(node, "the shape of the updates", list(wanted), updates)


def gather_nd(graph: Graph, infos: Infos, node: NodeProto) -> None:
    """Indices [batches..., ..., K] lead to slices of the data of their batch."""
    x, indices, batches = _shape(infos, node, 0), _shape(infos, node, 1), _attribute(node, "batch_dims", 0)
    assert x is not None
    assert indices is not None
    if not 0 <= batches < min(len(x), len(indices)) or x[:batches] != indices[:batches]:
        raise _misfit(node, "batch_dims", f"equal first axes of {list(x)} and {list(indices)}", batches)
    if not 1 <= indices[-1] <= len(x) - batches:
        raise _misfit(node, "the last extent of the indices", f"from 1 to {len(x) - batches}", list(indices))


def resampling(graph: Graph, infos: Infos, node: NodeProto) -> None:
    """There is nothing between the elements of an empty tensor, and nothing to leave out of a nearest element."""
    x, result = _shape(infos, node, 0), infos[node.output[0]].shape
    mode = next((attribute.s for attribute in node.attribute if attribute.name == "mode"), b"nearest")
    if mode == b"nearest" and _attribute(node, "exclude_outside", 0):
        raise _misfit(node, "exclude_outside", "0, or the mode linear or cubic", "1 with the mode nearest")
    assert x is not None
    assert result is not None
    if 0 in x and 0 not in result:
        raise _misfit(node, "the result", "an empty tensor", list(result))


_GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}


def recurrent(graph: Graph, infos: Infos, node: NodeProto) -> None:
    """Weights fit each other, the input and the state, as the operator's description gives their shapes."""
    shapes = [_shape(infos, node, index) for index in range(8)]
    x, _, r = shapes[:3]
    assert x is not None
    assert r is not None
    if len(x) != 3 or len(r) != 3:
        raise _misfit(node, "a rank", "3 axes of the input and of the weights", [list(x), list(r)])
    batch_first, gates = _attribute(node, "layout", 0), _GATES[node.op_type]
    batch, directions, hidden = x[0 if batch_first else 1], r[0], r[2]
    state = (batch, directions, hidden) if batch_first else (directions, batch, hidden)
    wanted = [
        x,
        (directions, gates * hidden, x[2]),
        (directions, gates * hidden, hidden),
        (directions, 2 * gates * hidden),
        (batch,),
        state,
        state,
        (directions, 3 * hidden),
    ]
    for index, (found, expected) in enumerate(zip(shapes, wanted, strict=True)):
        if found is not None and found != expected:
            raise _misfit(node, f"input {index}", list(expected), list(found))


def degree(graph: Graph, infos: Infos, node: NodeProto) -> None:
    """A norm has a degree of 1 or more."""
    if (degree := _attribute(node, "p", 2)) < 1:
        raise _misfit(node, "the degree p", "1 or more", degree)


def distinct_axes(graph: Graph, infos: Infos, node: NodeProto) -> None:
    """Axes that are constant are named once each."""
    x = _shape(infos, node, 0)
    given = graph.constants.get(node.input[1]) if len(node.input) > 1 else None
    if x is None or given is None:
        return
    axes = [int(axis) for axis in given.array.reshape(-1)]
    if given.array.ndim != 1 or len({axis % max(len(x), 1) for axis in axes}) < len(axes):
        raise _misfit(node, "the list of axes", "a vector of axes, each once", given.array.tolist())


def affine(graph: Graph, infos: Infos, node: NodeProto) -> None:
    """Theta [N, axes, axes + 1] goes with the size that is asked for."""
    theta, size = _shape(infos, node, 0), _shape(infos, node, 1)
    given = graph.constants.get(node.input[1])
    axes = 0 if size is None or len(size) != 1 else size[0] - 2
    batch = theta[0] if given is None and theta else given.array.reshape(-1)[0] if given and axes > 0 else 0
    if axes not in (2, 3) or theta != (batch, axes, axes + 1):
        raise _misfit(node, "theta", f"{[int(batch), axes, axes + 1]} for a size of {axes + 2}", theta)


def einsum(graph: Graph, infos: Infos, node: NodeProto) -> None:
    """A label has one extent, or 1: where there is no ellipsis in a term, it has a label for each axis."""
    equation = next((attribute.s.decode() for attribute in node.attribute if attribute.name == "equation"), "")
    terms = equation.replace(" ", "").partition("->")[0].split(",")
    extents: dict[str, int] = {}
    for index, term in enumerate(terms[: len(node.input)]):
        shape = _shape(infos, node, index)
        assert shape is not None
        before, ellipsis, after = term.partition("...")
        named = len(before) + len(after)
        if named > len(shape) or (not ellipsis and named < len(shape)):
            raise _misfit(node, f"the term '{term}'", f"{named} axes", list(shape))
        along = [*zip(before, shape, strict=False), *zip(reversed(after), reversed(shape), strict=False)]
        for label, extent in along:
            if extents.setdefault(label, extent) not in (extent, 1) and extent != 1:
                raise _misfit(node, f"the label '{label}'", extents[label], extent)
            extents[label] = max(extents[label], extent)


def parameters(graph: Graph, infos: Infos, node: NodeProto) -> None:
    """Scales and zero points go with the tensors that they belong to."""
    if found := misfit(node.op_type, lambda index: _shape(infos, node, index)):
        raise _misfit(node, f"input {found.index}", found.expected, found.found)


def number(index: int) -> Callable[[Graph, Infos, NodeProto], None]:
    """Return a check that an input, where it is given, is one number."""

    def check(graph: Graph, infos: Infos, node: NodeProto) -> None:
        shape = _shape(infos, node, index)
        if shape is not None and (len(shape) > 1 or prod(shape) != 1):
            raise _misfit(node, f"input {index}", "one number", list(shape))

    return check


def axis_input(graph: Graph, infos: Infos, node: NodeProto) -> None:
    """An axis that is a constant input is one of the tensor."""
    x, given = _shape(infos, node, 0), graph.constants.get(node.input[1])
    assert x is not None
    if given is not None and not -len(x) <= int(given.array.reshape(-1)[0]) < len(x):
        raise _misfit(node, "the axis", f"one of those of {list(x)}", given.array)


def window(graph: Graph, infos: Infos, node: NodeProto) -> None:
    """A pooling has a result: its window is not longer than the padded input."""
    x, result = _shape(infos, node, 0), infos[node.output[0]].shape
    assert x is not None
    assert result is not None
    if 0 in result[2:]:
        raise _misfit(node, "the window", f"one not longer than the padded {list(x)}", f"a result of {list(result)}")


def classes(graph: Graph, infos: Infos, node: NodeProto) -> None:
    """Scores [N, C, ...], the right classes [N, ...], the weights of the classes [C]."""
    scores, classes, weights = (_shape(infos, node, index) for index in range(3))
    assert scores is not None
    if len(scores) < 2:
        raise _misfit(node, "input 0", "two axes at least", list(scores))
    if classes != (scores[0], *scores[2:]):
        raise _misfit(node, "input 1", [scores[0], *scores[2:]], classes)
    if weights is not None and weights != (scores[1],):
        raise _misfit(node, "input 2", [scores[1]], list(weights))


def sequences(graph: Graph, infos: Infos, node: NodeProto) -> None:
    """There is a length for each sequence, and the batch and the time are the first two axes."""
    x, lengths = _shape(infos, node, 0), _shape(infos, node, 1)
    assert x is not None
    axes = _attribute(node, "batch_axis", 1), _attribute(node, "time_axis", 0)
    if sorted(axes) != [0, 1] or len(x) < 2:
        raise _misfit(node, "batch_axis and time_axis", "0 and 1, or 1 and 0", axes)
    if lengths != (x[axes[0]],):
        raise _misfit(node, "sequence_lens", [x[axes[0]]], lengths)


def permutation(graph: Graph, infos: Infos, node: NodeProto) -> None:
    """Each axis is named once."""
    x = _shape(infos, node, 0)
    assert x is not None
    order = next((list(attribute.ints) for attribute in node.attribute if attribute.name == "perm"), None)
    if order is not None and sorted(order) != list(range(len(x))):
        raise _misfit(node, "perm", f"each axis of {list(x)} once", order)


def requantisation(graph: Graph, infos: Infos, node: NodeProto) -> None:
    """Factors and summands are one number, or one for each channel."""
    x = _shape(infos, node, 0)
    assert x is not None
    for index, role in ((1, "mul"), (2, "add")):
        shape = _shape(infos, node, index)
        assert shape is not None
        if channel_shape(shape, x) is None:
            raise _misfit(node, f"'{role}'", f"a number, or one per channel of {list(x)}", list(shape))
