"""Conversion of a quantised model to RequantShift form, and how far that is from the model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log10
from pathlib import Path

import numpy as np
from onnx import ModelProto

from ...errors import Diagnostic
from ...ir import Array
from ...runtime.interpreter import random_inputs, run_module
from ..importer import Shapes, Values, import_model
from .expand_qlinear import expand_qlinear
from .network import check_model, read_network
from .requant_shift import to_requant_shift

_SAMPLES = 4


@dataclass(frozen=True)
class ShiftForm:
    """A model in RequantShift form, operators of layers that have it, what keeps others from it, and the difference."""

    model: ModelProto
    replaced: Sequence[str]
    left: Sequence[str]
    difference: str


def shift_form(model: ModelProto, folder: Path | None, shapes: Shapes = {}, values: Values = {}) -> ShiftForm:
    """
    Convert a model in QDQ or QLinear form.

    Raises Diagnostic for a model that cannot be imported, is not quantised, or has no layer that can be converted.
    """
    network = read_network(model, folder=folder, input_shapes=shapes, input_values=values, is_quantised=True)
    before = network.model()
    expand_qlinear(network)
    replaced, left = to_requant_shift(network)
    if not replaced:
        raise Diagnostic(
            "no layer of the model can be converted",
            expected="constant scales, one for each tensor of activations, around Conv, MatMul, Gemm, Add or means",
            found="; ".join(left[:3]) or "no layer between DequantizeLinear and QuantizeLinear",
            remedy="deploy it in the form that it has",
        )
    converted = network.model()
    check_model(converted)
    return ShiftForm(converted, replaced, left, _difference(before, converted))


def _difference(before: ModelProto, after: ModelProto) -> str:
    """Return as text how far outputs are apart for random inputs: steps of integers, SQNR of floats."""
    modules = import_model(before), import_model(after)
    steps, changed, count, signal, noise = 0, 0, 0, 0.0, 0.0
    for seed in range(_SAMPLES):
        inputs = random_inputs(modules[0], seed)
        for one, other in zip(*(run_module(module, inputs).values() for module in modules), strict=True):
            apart = np.abs(one.astype(np.float64) - other.astype(np.float64))
            if np.issubdtype(one.dtype, np.integer):
                steps, changed = max(steps, int(apart.max(initial=0))), changed + int((apart > 0).sum())
                count += apart.size
            else:
                signal, noise = signal + _power(one), noise + _power(apart)
    parts = [f"{changed} of {count} integers differ, by {steps} at most"] if count else []
    if signal:
        parts.append(f"SQNR {10 * log10(signal / noise):.1f} dB" if noise else "the same floats")
    return f"{'; '.join(parts)}, for {_SAMPLES} random inputs"


def _power(values: Array) -> float:
    return float((values.astype(np.float64) ** 2).sum())
