"""Error of a quantised network per layer: the same tensors in the float network and in the quantised one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, log10, sqrt

import numpy as np

from ...ir import Array
from .calibration import Sample
from .execution import Execution
from .layers import Layer
from .noise import noise_power, signal_power
from .quantize import Result


@dataclass(frozen=True)
class TensorError:
    """
    Error of one tensor over all samples.

    `sqnr` is the ratio of signal to quantisation noise in dB, infinite without noise; `cosine` that of the angle
    between the tensors. `layer` is the node that computes the tensor, "" for inputs and data movement.
    """

    tensor: str
    layer: str
    operator: str
    scale: float
    zero: int
    sqnr: float
    cosine: float


@dataclass
class _Sums:
    """Sums over elements of a tensor `x` and the quantised one `y`."""

    xx: float = 0.0
    yy: float = 0.0
    xy: float = 0.0
    noise: float = 0.0

    def add(self, x: Array, y: Array) -> None:
        a, b = x.reshape(-1).astype(np.float64), y.reshape(-1).astype(np.float64)
        finite = np.isfinite(a) & np.isfinite(b)
        self.xx += signal_power(a[finite])
        self.yy += signal_power(b[finite])
        self.xy += float(a[finite] @ b[finite])
        self.noise += noise_power(a, b)

    @property
    def sqnr(self) -> float:
        if not self.noise:
            return inf
        if self.noise == inf:
            return -inf
        return 10 * log10(self.xx / self.noise) if self.xx else -inf

    @property
    def cosine(self) -> float:
        product = sqrt(self.xx) * sqrt(self.yy)
        return self.xy / product if product else float(self.xx == self.yy)


def measure(result: Result, samples: Sequence[Sample]) -> list[TensorError]:
    """Return the error of each layer's result, then of each output of the network, in order."""
    layers = {layer.output: layer for layer in result.selection.layers}
    outputs = [name for name in result.float_network.output_names if result.float_network.is_float(name)]
    names = dict.fromkeys((*layers, *outputs))
    renamed = {name: result.quantised.tensors.get(name, name) for name in names}
    inputs = {value.name for value in result.float_network.inputs}
    names = {name: None for name in names if name not in inputs}
    real = Execution(result.float_network, names)
    quantised = Execution(result.quantised.network, (renamed[name] for name in names))
    sums = {name: _Sums() for name in names}
    for sample in samples:
        x, y = real.run(sample), quantised.run(sample)
        for name in names:
            sums[name].add(x[name], y[renamed[name]])
    return [_error(name, layers, sums[name], result) for name in names]


def _error(name: str, layers: Mapping[str, Layer], sums: _Sums, result: Result) -> TensorError:
    layer, scale = layers.get(name), result.scales.get(name)
    node = (layer.name, " + ".join(part.op_type for part in (layer.node, *layer.tail))) if layer else ("", "output")
    quantisation = (scale.scale, scale.zero) if scale else (0.0, 0)
    return TensorError(name, *node, *quantisation, sums.sqnr, sums.cosine)
