"""Smoothing of activations: channels balanced by the weights on both sides (SmoothQuant, Xiao et al., 2022)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from onnx import NodeProto

from ...dialects.onnx.facts import Trait, having
from ...dialects.onnx.registry import mentions
from ...ir import Array
from .calibration import Sample
from .equalize import is_constant_conv
from .execution import Execution
from .network import FloatNetwork, attribute

_CLAMPS = having(Trait.HOMOGENEOUS) & having(Trait.ELEMENTWISE)
_LARGEST = 64.0
"""Largest ratio of two factors."""
_SAMPLES = 8
"""Samples from which the ranges of channels are taken."""


@dataclass(frozen=True)
class _Pair:
    """Convolution `first`, the tensor of its channels after a clamp, and the convolutions that alone read them."""

    first: NodeProto
    tensor: str
    readers: Sequence[NodeProto]


def smooth(network: FloatNetwork, samples: Sequence[Sample]) -> int:
    """
    Divide the channels between convolutions by factors, so that in one scale small channels keep more steps.

    `W2 f(W1 x) = (W2 S) f((S^-1 W1) x)` for positive scales S and functions that keep them: the function of the
    network is kept. Factors are the ranges of the channels before depthwise convolutions; before others their square
    roots, divided by those of the ranges of the weights. Returns the number of tensors.
    """
    pairs = list(_pairs(network))
    if not pairs:
        return 0
    ranges = _ranges(network, [pair.tensor for pair in pairs], samples)
    for pair in pairs:
        _divide(network, pair, _factors(network, pair, ranges[pair.tensor]))
    return len(pairs)


def _pairs(network: FloatNetwork) -> Iterator[_Pair]:
    consumers, outputs = network.consumers(), set(network.output_names)
    for node in network.nodes:
        if not is_constant_conv(network, node):
            continue
        name = node.output[0]
        after = consumers[name]
        if len(after) == 1 and after[0].op_type in _CLAMPS and name not in outputs:
            name = after[0].output[0]
        readers = _readers(network, name, consumers, outputs)
        if readers:
            yield _Pair(node, name, readers)


def _readers(
    network: FloatNetwork, name: str, consumers: Mapping[str, Sequence[NodeProto]], outputs: set[str]
) -> Sequence[NodeProto] | None:
    """Return the convolutions that read the channels of a tensor; None where something else does."""
    readers: list[NodeProto] = []
    scaled = [name]
    for tensor in scaled:
        if tensor in outputs:
            return None
        for node in consumers[tensor]:
            if is_constant_conv(network, node) and _by_channel(network, node) is not None:
                readers.append(node)
            elif _keeps_factors(network, node, tensor):
                scaled.append(node.output[0])
            else:
                return None
    # A node that reads the channels twice would have their factors squared.
    return readers if len({id(node) for node in readers}) == len(readers) and len(set(scaled)) == len(scaled) else None


@mentions("Mul")
def _keeps_factors(network: FloatNetwork, node: NodeProto, name: str) -> bool:
    if node.domain:
        return False
    if node.op_type in having(Trait.HOMOGENEOUS):
        return len(node.output) == 1
    same = network.shape(name)[:2] == network.shape(node.output[0])[:2]
    return node.op_type == "Mul" and same and len(network.shape(name)) == len(network.shape(node.output[0]))


def _by_channel(network: FloatNetwork, node: NodeProto) -> Array | None:
    """Return the weights with the input channels first; None for groups of several channels."""
    weight, groups = network.constants[node.input[1]], attribute(node, "group")
    if groups == 1:
        return np.moveaxis(weight, 1, 0)
    return weight if weight.shape[:2] == (groups, 1) else None


def _ranges(network: FloatNetwork, names: Sequence[str], samples: Sequence[Sample]) -> dict[str, Array]:
    """Return the largest magnitude [C] of each channel of tensors."""
    execution = Execution(network, names)
    ranges = {name: np.zeros(network.shape(name)[1]) for name in names}
    for sample in samples[:: -(-len(samples) // _SAMPLES)]:
        for name, value in execution.run(sample).items():
            axes = tuple(axis for axis in range(value.ndim) if axis != 1)
            ranges[name] = np.maximum(ranges[name], np.abs(value).max(axis=axes))
    return ranges


def _factors(network: FloatNetwork, pair: _Pair, ranges: Array) -> Array:
    """Return factors [C] with a mean of 1 in logarithms; 1 for channels that are zero."""
    factors = ranges.astype(np.float64)
    if any(attribute(reader, "group") == 1 for reader in pair.readers):
        weights = [_by_channel(network, reader) for reader in pair.readers if attribute(reader, "group") == 1]
        largest = [np.abs(weight).reshape(len(weight), -1).max(axis=1) for weight in weights if weight is not None]
        relative = np.max([reach / max(float(reach.max()), 1e-30) for reach in largest], axis=0)
        factors = np.sqrt(factors / np.maximum(relative, 1e-30)) * (relative > 0)
    used = factors > 0
    if not used.any() or not np.isfinite(factors).all():
        return np.ones(factors.shape)
    factors = np.where(used, factors / np.exp(np.log(factors[used]).mean()), 1.0)
    return np.clip(factors, _LARGEST**-0.5, _LARGEST**0.5)


def _divide(network: FloatNetwork, pair: _Pair, factors: Array) -> None:
    """Divide the channels of a tensor by factors."""
    for index in range(1, len(pair.first.input)):
        if pair.first.input[index]:
            _scale(network, pair.first, index, 1 / factors, 0)
    for reader in pair.readers:
        _scale(network, reader, 1, factors, 1 if attribute(reader, "group") == 1 else 0)


def _scale(network: FloatNetwork, node: NodeProto, index: int, factor: Array, axis: int) -> None:
    array = network.constants[node.input[index]]
    shape = [-1 if dim == axis else 1 for dim in range(array.ndim)]
    node.input[index] = network.add_constant(
        f"{node.name}.smoothed", (array * factor.reshape(shape)).astype(np.float32)
    )
