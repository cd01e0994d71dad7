"""
Object detection in floats: a small SSD on two scales, 96x96 colour images to boxes after non-maximum suppression.

Input f32 [1, 3, 96, 96]; outputs, as many as there are detections: `boxes` f32 [n, 4] as y1, x1, y2, x2 in parts of the
image, `scores` f32 [n], `classes` i64 [n]. Liu et al., "SSD: Single Shot MultiBox Detector", 2016: default boxes,
offsets from them with variances 0.1 and 0.2, suppression for each class; the features are those of MobileNet.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import onnx
from onnx import TensorProto

from ._float_builder import FloatBuilder, Value

_CLASSES = 4
_RATIOS = (1.0, 2.0, 0.5)
_SCALES = {12: 0.2, 6: 0.45}
"""Cells of a feature map along an axis -> the size of its default boxes, in parts of the image."""
_MOST, _OVERLAP, _SCORE = 10, 0.45, 0.8
_COUNT = -1
"""Stands for the number of detections in shapes, until the model is made."""


class _Detector(FloatBuilder):
    def unit(self, x: Value, channels: int, stride: int = 1) -> Value:
        """Return a depthwise convolution of `x` and one of single points, each normalised."""
        x = self.relu(self.norm(self.conv(x, x.shape[1], 3, stride, 1, group=x.shape[1], bias=False)))
        return self.relu(self.norm(self.conv(x, channels, 1, bias=False)))

    def rows(self, x: Value, width: int) -> Value:
        """Return `x` [1, boxes * width, H, W] as rows [1, boxes, width], those of a cell one after the other."""
        _, channels, height, breadth = x.shape
        moved = self._add("Transpose", [x], (1, height, breadth, channels), {"perm": [0, 2, 3, 1]})
        shape = (1, channels * height * breadth // width, width)
        return self._add("Reshape", [moved], shape, constants={"shape": np.array(shape)})

    def joined(self, values: Sequence[Value]) -> Value:
        """Return rows [1, boxes, width] one after the other."""
        shape = (1, sum(value.shape[1] for value in values), values[0].shape[2])
        return self._add("Concat", values, shape, {"axis": 1})

    def decoded(self, offsets: Value, defaults: np.ndarray) -> Value:
        """Return the corners [1, N, 4] of boxes from offsets [1, N, 4] and default boxes [N, 4], centre and size."""
        half = (1, offsets.shape[1], 2)
        centre, size = (
            self._add(
                "Slice",
                [offsets],
                half,
                constants={"start": np.array([k]), "end": np.array([k + 2]), "axis": np.array([2])},
            )
            for k in (0, 2)
        )
        places, extents = defaults[None, :, :2], defaults[None, :, 2:]
        moved = self._add("Mul", [centre], half, constants={"variance": np.float32(0.1) * extents})
        moved = self._add("Add", [moved], half, constants={"centre": places})
        grown = self._add(
            "Exp", [self._add("Mul", [size], half, constants={"variance": np.array(0.2, np.float32)})], half
        )
        reach = self._add("Mul", [grown], half, constants={"half": extents * np.float32(0.5)})
        corners = [self._add(op, [moved, reach], half) for op in ("Sub", "Add")]
        return self._add("Concat", corners, (1, offsets.shape[1], 4), {"axis": 2})

    def certainties(self, logits: Value) -> Value:
        """Return the scores [1, C, N] of logits [1, N, C]."""
        certain = self._add("Sigmoid", [logits], logits.shape)
        return self._add("Transpose", [certain], (1, logits.shape[2], logits.shape[1]), {"perm": [0, 2, 1]})

    def suppressed(self, boxes: Value, scores: Value) -> Value:
        """Return the rows of batch, class and box [n, 3] that suppression selects."""
        constants = {
            "most": np.array(_MOST),
            "overlap": np.array(_OVERLAP, np.float32),
            "score": np.array(_SCORE, np.float32),
        }
        return self._add("NonMaxSuppression", [boxes, scores], (_COUNT, 3), {}, constants, TensorProto.INT64)

    def column(self, rows: Value, index: int) -> Value:
        """Return a column [n] of rows [n, 3]."""
        return self._add("Gather", [rows], (_COUNT,), {"axis": 1}, {"column": np.array(index)}, TensorProto.INT64)

    def chosen(self, boxes: Value, index: Value) -> Value:
        """Return those of boxes [1, N, 4] at places [n]: [n, 4]."""
        flat = self._add("Squeeze", [boxes], boxes.shape[1:], constants={"axis": np.array([0])})
        return self._add("Gather", [flat, index], (_COUNT, 4), {"axis": 0})

    def heads(self, features: Iterable[Value], width: int) -> Value:
        """Return the predictions [1, N, width] for the default boxes of all features."""
        channels = len(_RATIOS) * width
        return self.joined([self.rows(self.conv(image, channels, 3, 1, 1), width) for image in features])

    def values(self, scores: Value, rows: Value) -> Value:
        """Return the elements [n] of scores [1, C, N] at places [n, 3]."""
        return self._add("GatherND", [scores, rows], (_COUNT,))


def build(seed: int = 0) -> onnx.ModelProto:
    """Return the network with weights from `seed`."""
    b = _Detector(__name__, __doc__, seed)
    x = b.relu(b.norm(b.conv(b.input([3, 96, 96]), 16, 3, 2, 1, bias=False)))
    x = b.unit(b.unit(x, 32, 2), 32)
    near = b.unit(b.unit(x, 64, 2), 64)
    far = b.unit(b.unit(near, 96, 2), 96)
    offsets, logits = b.heads((near, far), 4), b.heads((near, far), _CLASSES)
    boxes = b.decoded(offsets, default_boxes())
    scores = b.certainties(logits)
    rows = b.suppressed(boxes, scores)
    classes, places = b.column(rows, 1), b.column(rows, 2)
    outputs = {"boxes": b.chosen(boxes, places), "scores": b.values(scores, rows), "classes": classes}
    return _counted(b.model(outputs))


def default_boxes() -> np.ndarray:
    """Return the default boxes [N, 4] as centre and size, y before x, in parts of the image; cells in rows."""
    rows: list[tuple[float, float, float, float]] = []
    for cells, scale in _SCALES.items():
        for y, x in np.ndindex(cells, cells):
            rows += [((y + 0.5) / cells, (x + 0.5) / cells, scale / r**0.5, scale * r**0.5) for r in _RATIOS]
    return np.array(rows, np.float32)


def _counted(model: onnx.ModelProto) -> onnx.ModelProto:
    """Return the model with a symbol for the number of detections."""
    for value in (*model.graph.value_info, *model.graph.output):
        for dim in value.type.tensor_type.shape.dim:
            if dim.dim_value == _COUNT:
                dim.dim_param = "detections"
    return model
