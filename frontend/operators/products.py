"""Import rules of convolutions, poolings, products of matrices and recurrent layers."""

from __future__ import annotations

from collections.abc import Sequence

from onnx import NodeProto

from ...dialects.onnx.facts import facts_of
from ...dialects.onnx.parameters import broadcasts_to
from ...dialects.onnx.recurrent import RECURRENCES
from ..node_view import NodeView
from . import Shape, operators
from .common import broadcast, parameters, scales

AUTO_PAD = {"auto_pad": ("NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID")}


def _window(node: NodeView, kernel: Sequence[int], *, pools: bool) -> None:
    """
    Check that the attributes of a window go with the spatial axes of input 0, and that the padded axes hold it.

    ONNX's inference divides toward zero: an axis that is too short by less than a stride has a result of extent 1,
    which is what is in the window of a pooling, but no convolution. The result of a convolution may be empty.
    """
    x, result = node.shape(0), node.result()
    rank = len(x) - 2
    for name, count in (("kernel_shape", rank), ("strides", rank), ("dilations", rank), ("pads", 2 * rank)):
        numbers = node.attribute(name)
        if numbers is not None and (len(numbers) != count or (name != "pads" and min(numbers, default=1) < 1)):
            raise node.misfit(
                f"the attribute '{name}'",
                f"{count} positive numbers for the {rank} spatial axes of {list(x)}",
                list(numbers),
            )
    pads, dilations = node.attribute("pads") or (0,) * 2 * rank, node.attribute("dilations") or (1,) * rank
    padded = [size + pads[axis] + pads[axis + rank] for axis, size in enumerate(x[2:])]
    spans = [(size - 1) * step + 1 for size, step in zip(kernel, dilations, strict=True)]
    if result is not None and (node.attribute("auto_pad") or "").startswith("SAME"):
        return
    outputs = (None,) * rank if result is None else result[2:]
    overhangs = [
        span > size and (output is None or (output == 0) == pools)
        for span, size, output in zip(spans, padded, outputs, strict=True)
    ]
    if any(overhangs):
        raise node.misfit("the window", f"at most {padded}, the padded spatial axes", f"{spans} with its dilations")


def _convolution(node: NodeView) -> None:
    """Check that the weight has the axes and, per group, the channels of the input, and the bias one per output."""
    facts = facts_of(node.op_type)
    assert facts.weight is not None
    x, w = node.shape(0), node.shape(facts.weight)
    if len(x) < 3 or len(w) != len(x):
        raise node.misfit("the weight", f"{max(len(x), 3)} axes, as many as the input", list(w))
    kernel = node.attribute("kernel_shape")
    if kernel is not None and tuple(kernel) != w[2:]:
        raise node.misfit("the attribute 'kernel_shape'", f"{list(w[2:])}, the last axes of the weight", list(kernel))
    groups, transposed = node.attribute("group"), facts.channels == 1
    if groups < 1:
        raise node.misfit("the attribute 'group'", "1 or more", groups)
    channels = w[0] if transposed else w[1] * groups
    if x[1] != channels:
        raise node.misfit("the weight", f"{x[1]} input channels, as many as the input", f"{channels} input channels")
    outputs = w[1] * groups if transposed else w[0]
    if outputs % groups:
        raise node.misfit("the weight", f"output channels in {groups} groups", f"{outputs} output channels")
    bias = facts.bias
    if bias is not None and node.input(bias) and node.shape(bias) != (outputs,):
        raise node.misfit("the bias", f"{[outputs]}, one number per output channel", list(node.shape(bias)))
    if not transposed:
        _window(node, w[2:], pools=False)
    elif node.result() is None:
        pads = list(node.attribute("pads") or ())
        raise node.misfit("the attribute 'pads'", "padding of at most what the window covers", pads)


operators("Conv ConvTranspose", words=AUTO_PAD, checks=(_convolution,))
operators("ConvInteger", words=AUTO_PAD, checks=(_convolution, parameters))
operators("QLinearConv", words=AUTO_PAD, checks=(_convolution, *scales(1, 4, 6), parameters))


def _degree(node: NodeView) -> None:
    """Check that the degree of a norm is 1 or more."""
    if (degree := node.attribute("p")) < 1:
        raise node.misfit("the attribute 'p'", "1 or more", degree)


def _pooling(node: NodeView) -> None:
    """Check that the padded input holds the window."""
    _window(node, node.attribute("kernel_shape"), pools=True)


def _channels(node: NodeView) -> None:
    """Check that the input has a batch axis and a channel axis."""
    if len(x := node.shape(0)) < 2:
        raise node.misfit("the input", "two axes or more: batch, channels, space", list(x))


operators("GlobalAveragePool GlobalMaxPool", checks=(_channels,))
operators("AveragePool MaxPool", words=AUTO_PAD, checks=(_pooling,))
operators("LpPool", words=AUTO_PAD, checks=(_degree, _pooling))
operators("GlobalLpPool", checks=(_degree, _channels))
operators("MaxUnpool", shape_inputs=(2,))


def _gemm(node: NodeView) -> None:
    """Check that two matrices have a product, to which the bias broadcasts."""
    a, b = node.shape(0, 2), node.shape(1, 2)
    rows, depth = reversed(a) if node.attribute("transA") else a
    other, columns = reversed(b) if node.attribute("transB") else b
    if depth != other:
        raise node.misfit("input 1", f"{depth} rows, as many as input 0 has columns", f"{other} rows")
    if node.input(2) and not broadcasts_to(c := node.shape(2), (rows, columns)):
        raise node.misfit("the bias", f"a shape that broadcasts to {[rows, columns]}", list(c))


def _matmul(node: NodeView) -> None:
    """Check that the last axis of the first operand is as long as the last but one of the second."""
    second = facts_of(node.op_type).weight
    assert second is not None
    a, b = node.shape(0), node.shape(second)
    if not a or not b:
        raise node.misfit("an operand", "one axis or more", f"{list(a)} and {list(b)}")
    rows = b[-min(len(b), 2)]
    if a[-1] != rows:
        raise node.misfit(f"input {second}", f"{a[-1]} rows, as many as input 0 has columns", f"{rows} rows")
    broadcast(node, (0, second), kept=2)


def _einsum(node: NodeView) -> None:
    """Check that a label has one extent, or 1, and that a term without ellipsis has a label per axis."""
    terms = node.attribute("equation").replace(" ", "").partition("->")[0].split(",")
    extents: dict[str, int] = {}
    for index, term in enumerate(terms[: node.inputs]):
        shape = node.shape(index)
        before, ellipsis, after = term.partition("...")
        named = len(before) + len(after)
        if named > len(shape) or (not ellipsis and named < len(shape)):
            raise node.misfit(f"the term '{term}'", f"{named} axes", list(shape))
        along = [*zip(before, shape, strict=False), *zip(reversed(after), reversed(shape), strict=False)]
        for label, extent in along:
            if extents.setdefault(label, extent) not in (extent, 1) and extent != 1:
                raise node.misfit(f"the label '{label}'", extents[label], extent)
            extents[label] = max(extents[label], extent)


operators("Einsum", checks=(_einsum,))
operators("Gemm", checks=(_gemm,))
operators("MatMul", checks=(_matmul,))
operators("MatMulInteger", checks=(_matmul, parameters))
operators("QLinearMatMul", checks=(_matmul, *scales(1, 4, 6), parameters))


def _attended(node: NodeProto, inputs: Sequence[Shape]) -> Sequence[Shape]:
    """Return the shapes of Attention's keys and values as outputs, of which ONNX's inference needs a past."""
    attributes = {attribute.name: attribute.i for attribute in node.attribute}
    keys, values = (_by_head(shape, attributes.get("kv_num_heads", 0)) for shape in inputs[1:3])
    return [] if any(inputs[4:6]) else [None, keys, values]


def _by_head(shape: Shape, heads: int) -> Shape:
    """Return [batch, heads, time, size] of keys of that shape or of [batch, time, heads * size]."""
    if shape is None or len(shape) == 4:
        return shape
    if len(shape) != 3 or heads < 1 or shape[2] is None:
        return None
    return shape[0], heads, shape[1], shape[2] // heads


operators("Attention", shapes=_attended)


def _recurrent(node: NodeView) -> None:
    """Check that weights fit each other, the input and the state, by the shapes that ONNX documents."""
    x, _, r = (node.shape(index, 3) for index in range(3))
    batch_first, gates = node.attribute("layout"), RECURRENCES[node.op_type].gates
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
    for index, expected in enumerate(wanted):
        if node.input(index) and (shape := node.shape(index)) != expected:
            raise node.misfit(f"input {index}", list(expected), list(shape))


operators("GRU LSTM RNN", words={"direction": ("forward", "reverse", "bidirectional")}, checks=(_recurrent,))
