"""Calibration: samples of a network's inputs, and what they say of its tensors."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from onnx import NodeProto, helper

from ...dialects.onnx.registry import mentions
from ...errors import Diagnostic, did_you_mean
from ...ir import Array
from ..tensor_info import info_of
from .columns import Sampler, has_matrix
from .execution import Execution
from .layers import PRODUCTS
from .network import FloatNetwork
from .ranges import Statistics
from .selection import Selection

Sample = Mapping[str, Array]

_NAMED = 3
"""Tensors that a warning names."""


def samples_of(network: FloatNetwork, arrays: Mapping[str, Array]) -> list[Sample]:
    """
    Return the samples in arrays by the names of the inputs, samples along the first axis.

    An input [B, ...] takes an array [N * B, ...], or [N, B, ...]; one without axes an array [N]. Raises Diagnostic for
    an array of another name, type or shape, for different numbers of samples, for none, and for numbers not finite.
    """
    names = [value.name for value in network.inputs]
    unknown = [name for name in arrays if name not in names]
    for name in (*unknown, *(name for name in names if name not in arrays)):
        raise Diagnostic(
            "the calibration data are not of the network's inputs",
            expected=", ".join(names),
            found=", ".join(arrays) or "no arrays",
            remedy=did_you_mean(name, names) if name not in names else f"add {name}",
        )
    parts = {
        value.name: _split(value.name, *_port(network, value.name), arrays[value.name]) for value in network.inputs
    }
    counts = {name: len(part) for name, part in parts.items()}
    if len(set(counts.values())) > 1:
        raise Diagnostic(
            "the calibration data have a different number of samples for each input",
            expected="one number of samples",
            found=", ".join(f"{name}: {count}" for name, count in counts.items()),
            remedy="give each input its samples",
        )
    samples: list[Sample] = []
    for index in range(next(iter(counts.values()), 1)):
        samples.append({name: part[index] for name, part in parts.items()})
    return samples


def _port(network: FloatNetwork, name: str) -> tuple[int, tuple[int, ...]]:
    info = info_of(next(value.type for value in network.inputs if value.name == name))
    assert info is not None
    return info.data_type, tuple(dim for dim in info.shape or () if dim is not None)


def _split(name: str, data_type: int, shape: tuple[int, ...], array: Array) -> Array:
    """Return an array [N, *shape] of the input's type."""
    where, dtype = f'input "{name}"', np.dtype(helper.tensor_dtype_to_np_dtype(data_type))
    if 0 in shape:
        raise Diagnostic(
            "an input has no elements",
            where,
            expected="extents from 1",
            found=str(list(shape)),
            remedy="export the network with samples of at least one element",
        )
    if array.dtype.kind != dtype.kind:
        raise Diagnostic(
            "calibration data of another type than the input",
            where,
            expected=f"{dtype}",
            found=str(array.dtype),
            remedy="convert the array",
        )
    batched = len(shape) > 0 and array.shape[1:] == shape[1:] and array.shape[0] % shape[0] == 0
    if not batched and array.shape[1:] != shape:
        wanted = [f"[N, {str(list(shape))[1:]}" if shape else "[N]"]
        wanted += [f"[N * {shape[0]}, {str(list(shape[1:]))[1:]}"] if shape else []
        raise Diagnostic(
            "calibration data of another shape than the input",
            where,
            expected=" or ".join(wanted),
            found=str(list(array.shape)),
            remedy="put the samples along the first axis",
        )
    if not array.size:
        raise Diagnostic(
            "calibration data without samples",
            where,
            expected="one sample or more",
            found=str(list(array.shape)),
            remedy="put the samples along the first axis",
        )
    with np.errstate(over="ignore"):
        converted = array.astype(dtype)
    if dtype.kind == "f" and not bool(np.isfinite(converted).all()):
        wrong = int(array.size - np.isfinite(converted).sum())
        raise Diagnostic(
            "calibration data that are not finite",
            where,
            expected=f"finite numbers of {dtype}",
            found=f"{wrong} of {array.size} are NaN or inf",
            remedy="leave these samples out",
        )
    return converted.reshape(-1, *shape)


@dataclass(frozen=True)
class Calibration:
    """
    Statistics by group of tensors that share a scale.

    `columns` are sampled operands [K, M] of products, by node; `reaches` are the largest magnitudes of operands of two
    bytes, `operands` those of concatenations.
    """

    statistics: Mapping[str, Statistics]
    columns: Mapping[str, Array]
    reaches: Mapping[str, float]
    operands: Mapping[str, float]


@mentions("Concat")
def calibrate(network: FloatNetwork, selection: Selection, samples: Sequence[Sample]) -> Calibration:
    """
    Run the samples and collect statistics; a warning names the tensors that are 0 in all of them.

    Raises Diagnostic for a tensor that is not finite.
    """
    sources = [name for name in selection.groups if name not in selection.moved]
    inputs = {value.name for value in network.inputs}
    weighted = (layer for layer in selection.layers if layer.weight and layer.node.op_type in PRODUCTS)
    products = [*weighted, *filter(has_matrix, selection.kept)]
    reaches = {name: 0.0 for layer in selection.wide for name in layer.data}
    joins = [node for node in network.nodes if node.op_type == "Concat" and node.output[0] in selection.moved]
    operands = {name: 0.0 for node in joins for name in node.input if name not in network.constants}
    shown = dict.fromkeys((*sources, *reaches, *operands, *(layer.data[0] for layer in products)))
    execution = Execution(network, (name for name in shown if name not in inputs))
    statistics = {group: Statistics() for group in selection.groups.values()}
    samplers = {layer.name: Sampler(network, layer, len(samples)) for layer in products}
    for node in joins:
        _add_constants(network, node, statistics[selection.groups[node.output[0]]], len(samples))
    for sample in samples:
        values = {**sample, **execution.run(sample)}
        for name in sources:
            _check_finite(network, name, values[name])
            statistics[selection.groups[name]].add(values[name])
        for magnitudes in (reaches, operands):
            for name in magnitudes:
                _check_finite(network, name, values[name])
                magnitudes[name] = max(magnitudes[name], float(np.abs(values[name]).max(initial=0.0)))
        for layer in products:
            samplers[layer.name].add(values[layer.data[0]])
    _warn_of_zeros({name: statistics[selection.groups[name]].reach for name in sources} | reaches)
    return Calibration(statistics, {name: sampler.columns() for name, sampler in samplers.items()}, reaches, operands)


def _check_finite(network: FloatNetwork, name: str, array: Array) -> None:
    if bool(np.isfinite(array).all()):
        return
    constants = ((key, value) for key, value in network.constants.items() if value.dtype.kind == "f")
    wrong = next((key for key, value in constants if not bool(np.isfinite(value).all())), None)
    raise Diagnostic(
        "a tensor is not finite for the calibration data",
        where=f'tensor "{name}"',
        expected="finite numbers",
        found="NaN or inf",
        remedy="give other samples" if wrong is None else f'correct the constant "{wrong}", which is not finite',
    )


def _add_constants(network: FloatNetwork, node: NodeProto, statistics: Statistics, count: int) -> None:
    """Add the constant operands of a concatenation, which have the scale of its result, once for each sample."""
    for name in (name for name in node.input if name in network.constants):
        _check_finite(network, name, network.constants[name])
        for _ in range(count):
            statistics.add(network.constants[name])


def _warn_of_zeros(reaches: Mapping[str, float]) -> None:
    """Warn of tensors that are 0 for all samples: samples that tell nothing of them, or a dead branch."""
    zeros = [f'"{name}"' for name, reach in reaches.items() if not reach]
    if not zeros:
        return
    more = f" and {len(zeros) - _NAMED} more" if len(zeros) > _NAMED else ""
    text = "0 for all calibration data, so that the scale is 1: other numbers would be rounded to integers"
    warnings.warn(f"tensor {', '.join(zeros[:_NAMED])}{more}: warning: {text}", stacklevel=2)
