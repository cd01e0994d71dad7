"""Checks that ONNX's inference omits: mismatched sizes, scales of zero, NaN."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from onnx import NodeProto

from ..dialects.onnx.custom import DOMAIN
from ..errors import Diagnostic
from . import fits
from .onnx_graph import Graph
from .order import where_node
from .shapes import Infos


def check_nodes(graph: Graph, infos: Infos) -> None:
    """Raise Diagnostic for the first node whose constants or shapes make no sense; all shapes must be known."""
    for node in graph.nodes:
        checks = CHECKS.get((node.domain, node.op_type), ())
        other = next((name for name in node.input if checks and name and name not in infos), "")
        if other:
            raise Diagnostic(
                f"{node.op_type} takes what is no tensor",
                where=where_node(node),
                expected="tensors",
                found=f'"{other}"',
            )
        for check in checks:
            check(graph, infos, node)


def _constant(index: int, holds: Callable[[Any], Any], expected: str) -> Callable[[Graph, Infos, NodeProto], None]:
    """Return a check that all elements of an input satisfy `holds`, where that input is a constant."""

    def check(graph: Graph, infos: Infos, node: NodeProto) -> None:
        constant = graph.constants.get(node.input[index]) if index < len(node.input) else None
        if constant is None or (good := np.asarray(holds(constant.array))).all():
            return
        raise Diagnostic(
            f"input {index} of {node.op_type} holds a value that cannot be",
            where=where_node(node),
            expected=expected,
            found=str(constant.array[~good].flat[0]),
            remedy=f'correct the constant "{node.input[index]}", or quantise the network again',
        )

    return check


def _whole(array: Any) -> Any:
    return (
        np.isfinite(array) & (array == np.floor(array)) if array.dtype.kind == "f" else np.ones(array.shape, np.bool_)
    )


def _scale(array: Any) -> Any:
    numbers = array.astype(np.float64)
    return np.isfinite(numbers) & (numbers > 0)


def _extent(array: Any) -> Any:
    return np.asarray(array > 0)


_INTEGERS = "whole numbers"
_SCALES = "finite numbers above zero"
_QUANTISED_WEIGHTS = tuple(_constant(index, _whole, _INTEGERS) for index in (1, 2))

_REDUCTIONS = ("L1", "L2", "LogSum", "LogSumExp", "Max", "Mean", "Min", "Prod", "Sum", "SumSquare")

CHECKS: dict[tuple[str, str], tuple[Callable[[Graph, Infos, NodeProto], None], ...]] = {
    ("", "ArgMax"): (fits.extremum,),
    ("", "ArgMin"): (fits.extremum,),
    ("", "AveragePool"): (fits.window,),
    ("", "Clip"): (fits.number(1), fits.number(2)),
    ("", "Conv"): (fits.convolution,),
    ("", "ConvInteger"): (fits.convolution, fits.parameters),
    ("", "ConvTranspose"): (fits.convolution,),
    ("", "Gemm"): (fits.gemm,),
    ("", "Pad"): (fits.reflection,),
    ("", "AffineGrid"): (fits.affine,),
    ("", "CumProd"): (fits.number(1), fits.axis_input),
    ("", "CumSum"): (fits.number(1), fits.axis_input),
    ("", "Einsum"): (fits.einsum,),
    ("", "GRU"): (fits.recurrent,),
    ("", "GatherElements"): (fits.elements,),
    ("", "GatherND"): (fits.gather_nd,),
    ("", "GlobalLpPool"): (fits.degree,),
    ("", "GroupNormalization"): (fits.groups,),
    ("", "InstanceNormalization"): (fits.per_channel_vectors,),
    ("", "LSTM"): (fits.recurrent,),
    ("", "LayerNormalization"): (fits.rows,),
    ("", "LpNormalization"): (fits.axis,),
    ("", "LpPool"): (fits.degree, fits.window),
    ("", "MatMulInteger"): (fits.parameters,),
    ("", "MaxPool"): (fits.window,),
    ("", "NegativeLogLikelihoodLoss"): (fits.classes,),
    ("", "PRelu"): (fits.broadcast,),
    ("", "RMSNormalization"): (fits.rows,),
    ("", "RNN"): (fits.recurrent,),
    ("", "Resize"): (_constant(2, _scale, _SCALES), _constant(3, _extent, "lengths above zero"), fits.resampling),
    ("", "ReverseSequence"): (fits.sequences,),
    ("", "ScatterElements"): (fits.elements,),
    ("", "ScatterND"): (fits.scatter_nd,),
    ("", "Slice"): (fits.vectors,),
    ("", "SoftmaxCrossEntropyLoss"): (fits.classes,),
    ("", "Transpose"): (fits.permutation,),
    ("", "QuantizeLinear"): (_constant(1, _scale, _SCALES),),
    ("", "DequantizeLinear"): (_constant(1, _scale, _SCALES),),
    ("", "QLinearConv"): (
        *(_constant(index, _scale, _SCALES) for index in (1, 4, 6)),
        fits.parameters,
    ),
    ("", "QLinearMatMul"): (
        *(_constant(index, _scale, _SCALES) for index in (1, 4, 6)),
        fits.parameters,
    ),
    (DOMAIN, "LayerNormalizationGrad"): (fits.norm_gradient,),
    (DOMAIN, "RequantShift"): (fits.requantisation, *_QUANTISED_WEIGHTS),
    (DOMAIN, "iRMSNorm"): _QUANTISED_WEIGHTS,
    (DOMAIN, "iLayerNorm"): _QUANTISED_WEIGHTS,
    (DOMAIN, "iNoNorm"): _QUANTISED_WEIGHTS,
    **{("", f"Reduce{kind}"): (fits.distinct_axes,) for kind in _REDUCTIONS},
}
"""Operator -> its checks."""
