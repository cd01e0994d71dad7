"""
Digits, trained: a 64-32-10 perceptron on drawn 8x8 digits, right for 97 % of them.

Input ui8 [1, 64], output i8 [1, 10]: the greatest output is the digit. The images are drawn (`digits`) and the network
is trained in float while it is built, then quantised with one scale per weight row and one per activation tensor.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import onnx

from ._builder import Builder

_FONT = (
    "0E 11 13 15 19 11 0E",
    "04 0C 04 04 04 04 0E",
    "0E 11 01 02 04 08 1F",
    "1F 02 04 02 01 11 0E",
    "02 06 0A 12 1F 02 02",
    "1F 10 1E 01 01 11 0E",
    "06 08 10 1E 11 11 0E",
    "1F 01 02 04 08 08 08",
    "0E 11 11 0E 11 11 0E",
    "0E 11 11 0F 01 02 0C",
)
"""The digits in 7 rows of 5 pixels, one row a hexadecimal number."""

_TRAINING, _STEPS, _RATE, _MOMENTUM = 2000, 300, 0.2, 0.9

_Layer = tuple[np.ndarray, np.ndarray]


def digits(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """
    Return `count` drawn digits, int64 [count, 64] in 0 to 255, and their labels, int64 [count].

    Each is shifted by up to 2 columns and 1 row, of varying ink and paper, and noisy.
    """
    random = np.random.RandomState(seed)
    labels = random.randint(10, size=count)
    images = np.zeros((count, 8, 8))
    glyphs = _glyphs()[labels]
    tops, lefts = random.randint(2, size=count), random.randint(3, size=count)
    for image, glyph, top, left in zip(images, glyphs, tops, lefts, strict=True):
        image[top : top + 7, left : left + 5] = glyph
    ink, paper = random.uniform(90, 200, (count, 1, 1)), random.uniform(0, 60, (count, 1, 1))
    noisy = paper + ink * images + random.normal(0, 30, images.shape)
    return np.clip(np.rint(noisy), 0, 255).astype(np.int64).reshape(count, 64), labels


def build(seed: int = 0) -> onnx.ModelProto:
    """Return the network trained on digits from `seed`."""
    images, hidden, output = _trained(seed)
    activations = _dense(images / 255.0, hidden)
    hidden_scale = activations.max() / 255
    output_scale = np.abs(_dense(np.maximum(activations, 0), output)).max() / 127

    b = Builder(__name__, __doc__, seed)
    x = b.input([64], data=images)
    weight, bias, scale = _quantise(hidden, 1 / 255)
    x = b.requant_with(b.dense_with(x, weight, bias), scale / hidden_scale, np.zeros(32))
    weight, bias, scale = _quantise(output, hidden_scale)
    return b.finish(b.requant_with(b.dense_with(x, weight, bias), scale / output_scale, np.zeros(10), signed=True))


def _glyphs() -> np.ndarray:
    rows = np.array([int(row, 16) for row in " ".join(_FONT).split()]).reshape(len(_FONT), -1)
    return rows[..., None] >> np.arange(4, -1, -1) & 1


def _dense(x: np.ndarray, layer: _Layer) -> np.ndarray:
    weight, bias = layer
    # Not `@`: BLAS rounds as its number of threads has it, and its threads stall each other where cores are busy.
    return np.einsum("nk,mk->nm", x, weight) + bias


@cache
def _trained(seed: int) -> tuple[np.ndarray, _Layer, _Layer]:
    """Return the digits of a seed and both layers after training on them, the slow part of building."""
    images, labels = digits(_TRAINING, seed)
    return images, *_train(images / 255.0, labels, seed)


def _train(x: np.ndarray, labels: np.ndarray, seed: int) -> tuple[_Layer, _Layer]:
    """Return both layers after gradient descent with momentum on the cross entropy of `x` [count, 64]."""
    random = np.random.RandomState(seed)
    parameters = [random.normal(0, 0.18, (32, 64)), np.zeros(32), random.normal(0, 0.25, (10, 32)), np.zeros(10)]
    velocities = [np.zeros_like(parameter) for parameter in parameters]
    wanted = np.eye(10)[labels]
    for _ in range(_STEPS):
        hidden = np.maximum(_dense(x, (parameters[0], parameters[1])), 0)
        logits = _dense(hidden, (parameters[2], parameters[3]))
        likelihood = np.exp(logits - logits.max(axis=1, keepdims=True))
        error = (likelihood / likelihood.sum(axis=1, keepdims=True) - wanted) / len(x)
        back = np.einsum("nm,mk->nk", error, parameters[2]) * (hidden > 0)
        gradients = [
            np.einsum("nm,nk->mk", back, x),
            back.sum(axis=0),
            np.einsum("nm,nk->mk", error, hidden),
            error.sum(axis=0),
        ]
        for parameter, velocity, gradient in zip(parameters, velocities, gradients, strict=True):
            velocity *= _MOMENTUM
            velocity -= _RATE * gradient
            parameter += velocity
    return (parameters[0], parameters[1]), (parameters[2], parameters[3])


def _quantise(layer: _Layer, input_scale: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return int8 weights, int32 bias and the scale of the accumulator, per row, for inputs of `input_scale`."""
    weight, bias = layer
    scale = np.abs(weight).max(axis=1) / 127
    steps = scale * input_scale
    return np.rint(weight / scale[:, None]).astype(np.int64), np.rint(bias / steps).astype(np.int64), steps
