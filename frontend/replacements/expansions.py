"""Expansions of ONNX operators without a function body: optimisers, Fourier transforms."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto, helper

from ..site import Site, expands

_TRAINING = "ai.onnx.preview.training"
_ML = "ai.onnx.ml"


# Optimisers


class _Optimiser:
    """The step of an optimiser: tensors come in groups, each as many as there are weights."""

    def __init__(self, site: Site, groups: int):
        self.site = site
        self.count, left = divmod(len(site.node.input) - 2, groups)
        if left or self.count < 1 or len(site.node.output) != self.count * (groups - 1):
            raise site.unsupported(
                f"with {len(site.node.input)} inputs and {len(site.node.output)} outputs",
                f"{groups} tensors for each weight, and {groups - 1} results",
            )
        self.kind = site.kind(2)
        self.rate = site.cast(site.input(0), site.kind(0), self.kind)
        self.turn = site.cast(site.input(1), site.kind(1), self.kind)
        self.started = site.emit("Greater", self.turn, site.number(0, self.kind))

    def tensor(self, group: int, index: int) -> str:
        """Return a tensor of a group: weights, gradients, then the state of the optimiser."""
        return self.site.input(2 + group * self.count + index)

    def give(self, group: int, index: int, value: str) -> None:
        """Set a new weight, or new state of the optimiser."""
        self.site.give(group * self.count + index, value)

    def op(self, op_type: str, *operands: str | float) -> str:
        """Append arithmetic on tensors and numbers."""
        values = [x if isinstance(x, str) else self.site.number(x, self.kind) for x in operands]
        return self.site.emit(op_type, *values)

    def gradient(self, index: int) -> str:
        """Append a gradient with that of the L2 penalty."""
        weight, gradient = self.tensor(0, index), self.tensor(1, index)
        norm = self.site.attribute("norm_coefficient")
        return self.op("Add", self.op("Mul", weight, norm), gradient) if norm else gradient

    def moved(self, old: str, gradient: str, keep: float, take: float | str) -> str:
        """Append keep * old + take * gradient."""
        return self.op("Add", self.op("Mul", old, keep), self.op("Mul", gradient, take))


@expands("Adagrad", _TRAINING)
def _adagrad(site: Site) -> None:
    step = _Optimiser(site, 3)
    decay = step.op("Add", step.op("Mul", step.turn, site.attribute("decay_factor")), 1)
    rate = step.op("Div", step.rate, decay)
    for index in range(step.count):
        gradient = step.gradient(index)
        squares = step.op("Add", step.tensor(2, index), step.op("Mul", gradient, gradient))
        size = step.op("Add", step.op("Sqrt", squares), site.attribute("epsilon"))
        change = step.op("Div", step.op("Mul", rate, gradient), size)
        step.give(0, index, step.op("Sub", step.tensor(0, index), change))
        step.give(1, index, squares)


@expands("Adam", _TRAINING)
def _adam(site: Site) -> None:
    step, alpha, beta = _Optimiser(site, 4), site.attribute("alpha"), site.attribute("beta")
    rests = [step.op("Sub", 1, step.op("Pow", site.number(base, step.kind), step.turn)) for base in (alpha, beta)]
    corrected = step.op("Div", step.op("Mul", step.rate, step.op("Sqrt", rests[1])), rests[0])
    rate = step.op("Where", step.started, corrected, step.rate)
    for index in range(step.count):
        gradient = step.gradient(index)
        mean = step.moved(step.tensor(2, index), gradient, alpha, 1 - alpha)
        squares = step.moved(step.tensor(3, index), step.op("Mul", gradient, gradient), beta, 1 - beta)
        size = step.op("Add", step.op("Sqrt", squares), site.attribute("epsilon"))
        weight = step.op("Sub", step.tensor(0, index), step.op("Div", step.op("Mul", rate, mean), size))
        shrink = site.attribute("norm_coefficient_post")
        step.give(0, index, step.op("Mul", weight, 1 - shrink) if shrink else weight)
        step.give(1, index, mean)
        step.give(2, index, squares)


@expands("Momentum", _TRAINING)
def _momentum(site: Site) -> None:
    step, alpha = _Optimiser(site, 3), site.attribute("alpha")
    take = step.op("Where", step.started, site.attribute("beta"), 1)
    for index in range(step.count):
        gradient = step.gradient(index)
        mean = step.moved(step.tensor(2, index), gradient, alpha, take)
        ahead = step.moved(mean, gradient, alpha, 1) if site.attribute("mode") == "nesterov" else mean
        step.give(0, index, step.op("Sub", step.tensor(0, index), step.op("Mul", step.rate, ahead)))
        step.give(1, index, mean)


# Fourier transforms


def _whole(site: Site, index: int, default: int) -> int:
    """Return the integer value of an input. Raises Diagnostic where it is not constant."""
    if not site.input(index):
        return default
    value = site.value(index)
    if value is None or value.size != 1:
        raise site.unsupported(
            "by lengths or axes that are no constant numbers", "give their values with --input-value"
        )
    return int(value.reshape(-1)[0])


@expands("DFT")
def _dft(site: Site) -> None:
    """
    Multiply by the matrix of the transform: real and imaginary parts are the last axis, of 1 or 2 parts.

    A one-sided inverse takes the first half of a spectrum and gives real numbers.
    """
    shape, inverse, half = site.shape(0), bool(site.attribute("inverse")), bool(site.attribute("onesided"))
    rank, parts = len(shape), shape[-1] if shape else 0
    if rank < 2 or parts not in (1, 2):
        raise site.unsupported(f"of shape {list(shape)}", "1 or 2 parts of each number along the last axis")
    axis = _whole(site, 2, -2)
    if not -rank <= axis < rank:
        raise site.unsupported(f"along axis {axis} of {list(shape)}", "an axis of the input")
    axis %= rank
    length = _whole(site, 1, 2 * (shape[axis] - 1) if inverse and half else shape[axis])
    if axis == rank - 1 or length < 1:
        raise site.unsupported(f"of length {length} along axis {axis}", "a length of at least 1, not along the parts")
    count = min(shape[axis], length // 2 + 1 if inverse and half else length)
    x = site.input(0)
    if count < shape[axis]:
        x = site.emit("Slice", x, site.sizes(0), site.sizes(count), site.sizes(axis))
    matrix = _dft_matrix(count, length, parts, inverse=inverse, half=half)
    order = [*(i for i in range(rank) if i not in (axis, rank - 1)), axis, rank - 1]
    rows = [shape[i] for i in order[:-2]]
    flat = site.reshape(site.emit("Transpose", x, perm=order), *rows, count * parts)
    kind = helper.tensor_dtype_to_np_dtype(site.kind(0))
    product = site.emit("MatMul", flat, site.constant(matrix.reshape(count * parts, -1).astype(kind)))
    split = site.reshape(product, *rows, *matrix.shape[2:])
    site.give(0, site.emit("Transpose", split, perm=[order.index(i) for i in range(rank)]))


def _dft_matrix(points: int, length: int, parts: int, *, inverse: bool, half: bool) -> np.ndarray:
    """Return the transform as [numbers in, parts in, numbers out, parts out], in f64."""
    count = length // 2 + 1 if half and not inverse else length
    # Taken modulo the length first, which keeps the angle exact.
    angle = 2 * np.pi * (np.outer(np.arange(points), np.arange(count)) % length) / length
    real, imaginary = np.cos(angle), np.sin(angle) if inverse else -np.sin(angle)
    matrix = np.stack([np.stack([real, imaginary], -1), np.stack([-imaginary, real], -1)][:parts], 1)
    if inverse and half:
        twice = (np.arange(points) > 0) & (2 * np.arange(points) < length)
        matrix = matrix[..., :1] * np.where(twice, 2, 1)[:, None, None, None]
    return matrix / length if inverse else matrix


@expands("STFT")
def _stft(site: Site) -> None:
    """Transform the frames of a signal [B, N, parts], or [B, N] as PyTorch writes it, each multiplied by the window."""
    window = site.shape(2, 1)[0] if site.input(2) else 0
    length, step = _whole(site, 3, window), _whole(site, 1, 1)
    starts = np.arange(0, site.shape(0, 2, 3)[1] - length + 1, step)
    places = site.constant(starts[:, None] + np.arange(length))
    signal = site.input(0) if len(site.shape(0)) == 3 else site.reshape(site.input(0), *site.shape(0), 1)
    frames = site.emit("Gather", signal, places, axis=1)
    if window:
        frames = site.emit("Mul", frames, site.reshape(site.input(2), window, 1))
    site.give(0, site.emit("DFT", frames, "", site.constant(np.array(2)), onesided=site.attribute("onesided")))


# Operators of ai.onnx.ml


@expands("Binarizer", _ML)
def _binarizer(site: Site) -> None:
    above = site.emit("Greater", site.input(0), site.number(site.attribute("threshold"), site.kind(0)))
    site.give(0, site.cast(above, TensorProto.BOOL, site.kind(0)))


@expands("ArrayFeatureExtractor", _ML)
def _feature_extractor(site: Site) -> None:
    """Pick columns; a vector is one row."""
    places = site.reshape(site.input(1), -1)
    x = site.reshape(site.input(0), 1, -1) if len(site.shape(0)) == 1 else site.input(0)
    site.give(0, site.emit("Gather", x, places, axis=-1))
