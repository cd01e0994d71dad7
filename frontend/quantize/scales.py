"""Scales of quantised tensors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ...ir import Array
from .calibration import Calibration
from .domains import domains
from .network import FloatNetwork
from .ranges import METHODS
from .selection import Selection

_LOW, _HIGH = -128, 127


@dataclass(frozen=True)
class Scale:
    """Quantisation of a tensor in 8 bits: `(integer - zero) * scale`; `scale` is a number of f32."""

    scale: float
    zero: int

    def quantised(self, array: Array) -> Array:
        """Return numbers after quantisation and dequantisation, f32."""
        return ((self.integers(array) - self.zero) * np.float32(self.scale)).astype(np.float32)

    def integers(self, array: Array) -> Array:
        """Return numbers quantised, halves to even, as floats; NaN is the least integer, as in ONNX Runtime."""
        return np.minimum(np.fmax(np.rint(array / np.float32(self.scale)) + self.zero, _LOW), _HIGH)


_OF_ZEROS = Scale(1.0, 0)
"""Quantisation of a tensor that is 0 for all samples, that of ONNX Runtime's quantiser."""


def scales_of(
    network: FloatNetwork, selection: Selection, calibration: Calibration, *, ranges: str, symmetric: bool
) -> Mapping[str, Scale]:
    """Return the scale of each quantised tensor; outputs of the network keep their full range."""
    full = {selection.groups[name] for name in network.output_names if name in selection.groups}
    shares = {selection.groups[layer.output] for layer in selection.layers if layer.is_softmax and not layer.is_wide}
    steps = 2 * _HIGH if symmetric else _HIGH - _LOW
    reached = {
        group: METHODS["minmax" if group in full or not statistics.reach else ranges](statistics, steps, symmetric)
        for group, statistics in calibration.statistics.items()
    }
    reached |= domains(network, selection, reached, steps)
    by_tensor: dict[str, Scale] = {}
    for group, (low, high) in reached.items():
        if low == high:
            by_tensor[group] = _OF_ZEROS
            continue
        low, high = (min(low, -high), max(high, -low)) if symmetric else (low, high)
        scale = np.float32(max((high - low) / steps, np.finfo(np.float32).tiny))
        # An integer softmax multiplies by the whole reciprocal of its scale, which is rounded where other tensors of
        # the group have steps above 1.
        scale = np.float32(1 / int(1 / scale)) if group in shares and scale <= 1 else scale
        zero = 0 if symmetric else int(np.clip(round(_LOW - low / float(scale)), _LOW, _HIGH))
        by_tensor[group] = Scale(float(scale), zero)
    return {name: by_tensor[group] for name, group in selection.groups.items()}
