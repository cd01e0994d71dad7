"""ONNX Runtime's quantiser: the measure of what a network loses in bytes."""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from onnx import ModelProto

from tilewright.frontend.importer import model_proto
from tilewright.ir import Array


class _Reader:
    """Calibration data as ONNX Runtime's quantiser takes them."""

    def __init__(self, samples: Sequence[Mapping[str, Array]]):
        self._samples = iter(samples)

    def get_next(self) -> dict[str, Array] | None:
        sample = next(self._samples, None)
        return None if sample is None else dict(sample)


def theirs(
    model: ModelProto,
    samples: Sequence[Mapping[str, Array]],
    method: str = "MinMax",
    *,
    reduced: bool = False,
    form: str = "QDQ",
) -> ModelProto:
    """
    Return the network as ONNX Runtime quantises it: i8, per channel, with weights of 7 bits where `reduced`.

    `form` is QDQ or QOperator.
    """
    from onnxruntime import quantization

    tool: Any = quantization
    logging.getLogger().setLevel(logging.ERROR)
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "f.onnx", Path(folder) / "q.onnx"
        source.write_bytes(model.SerializeToString())
        tool.quantize_static(
            str(source),
            str(target),
            _Reader(samples),
            quant_format=getattr(tool.QuantFormat, form),
            per_channel=True,
            reduce_range=reduced,
            activation_type=tool.QuantType.QInt8,
            weight_type=tool.QuantType.QInt8,
            calibrate_method=getattr(tool.CalibrationMethod, method),
        )
        return model_proto(target)
