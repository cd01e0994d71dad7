"""
Random operators, whose numbers are drawn once, when the network is imported.

ONNX leaves the generator open. Here the numbers of a node are those of NumPy's Philox (Salmon et al., "Parallel random
numbers: as easy as 1, 2, 3", SC 2011) keyed by the bits of its `seed`, or, where it has none, by the CRC of its first
output's name. So they are the same in every run, on every machine, and in the C.
"""

from __future__ import annotations

from collections.abc import Sequence
from zlib import crc32

import numpy as np
from onnx import TensorProto, helper

from ..site import Site, expands
from ..tensors import check_memory

_FLOATS = (TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.DOUBLE, TensorProto.BFLOAT16)


def _generator(site: Site) -> np.random.Generator:
    seed = site.given.get("seed")
    name = next(filter(None, site.node.output))
    key = crc32(name.encode()) if seed is None else int(np.float32(seed).view(np.uint32)) + (1 << 32)
    return np.random.Generator(np.random.Philox(key=key))


def _uniform(site: Site, shape: Sequence[int]) -> np.ndarray:
    """Return numbers from 0 up to 1, of 24 bits each so that no rounding of f32 makes 1 of any."""
    check_memory(f'node "{site.node.name}"', shape, TensorProto.DOUBLE)
    return _generator(site).integers(0, 1 << 24, tuple(shape)) / (1 << 24)


def _normal(site: Site, shape: Sequence[int]) -> np.ndarray:
    check_memory(f'node "{site.node.name}"', shape, TensorProto.DOUBLE)
    return _generator(site).standard_normal(tuple(shape))


def _give(site: Site, numbers: np.ndarray, data_type: int) -> None:
    if data_type not in _FLOATS:
        raise site.unsupported(f"of the element type {data_type}", "a dtype of 1 (float), 10 (float16), 11 or 16")
    kind = helper.tensor_dtype_to_np_dtype(data_type)
    site.give(0, site.constant(numbers.astype(kind)))


def _in_range(site: Site, shape: Sequence[int], data_type: int) -> None:
    low, high = site.attribute("low"), site.attribute("high")
    _give(site, low + (high - low) * _uniform(site, shape), data_type)


def _around_mean(site: Site, shape: Sequence[int], data_type: int) -> None:
    _give(site, site.attribute("mean") + site.attribute("scale") * _normal(site, shape), data_type)


@expands("RandomUniform")
def _random_uniform(site: Site) -> None:
    _in_range(site, site.attribute("shape"), site.attribute("dtype"))


@expands("RandomUniformLike")
def _random_uniform_like(site: Site) -> None:
    _in_range(site, site.shape(0), site.given.get("dtype", site.kind(0)))


@expands("RandomNormal")
def _random_normal(site: Site) -> None:
    _around_mean(site, site.attribute("shape"), site.attribute("dtype"))


@expands("RandomNormalLike")
def _random_normal_like(site: Site) -> None:
    _around_mean(site, site.shape(0), site.given.get("dtype", site.kind(0)))


@expands("Bernoulli")
def _bernoulli(site: Site) -> None:
    """Give 1 with the probability that the input says."""
    kind = site.kind(0)
    drawn = site.constant(_uniform(site, site.shape(0)).astype(helper.tensor_dtype_to_np_dtype(kind)))
    hit = site.emit("Less", drawn, site.input(0))
    site.give(0, site.cast(hit, TensorProto.BOOL, site.given.get("dtype", kind)))


@expands("Multinomial")
def _multinomial(site: Site) -> None:
    """Give for each sample the first class up to which the probabilities sum to more than a random number."""
    batch, classes = site.shape(0, 2)
    count, kind = int(site.attribute("sample_size")), site.kind(0)
    drawn = site.constant(_uniform(site, (batch, count, 1)).astype(helper.tensor_dtype_to_np_dtype(kind)))
    likely = site.emit("Softmax", site.input(0), axis=-1)
    sums = site.emit("CumSum", likely, site.constant(np.array(1)))
    passed = site.emit("LessOrEqual", site.reshape(sums, batch, 1, classes), drawn)
    whole = site.cast(passed, TensorProto.BOOL, TensorProto.INT32)
    chosen = site.emit("ReduceSum", whole, site.sizes(2), keepdims=0)
    limited = site.emit("Min", chosen, site.constant(np.array(classes - 1, np.int32)))
    site.give(0, site.cast(limited, TensorProto.INT32, site.attribute("dtype")))


@expands("Dropout")
def _dropout(site: Site) -> None:
    """Drop random elements in training, and scale the others by 1 / (1 - ratio)."""
    flag = site.value(2)
    if not site.input(2) or (flag is not None and not flag.any()):
        return
    kind, ratio_kind = site.kind(0), site.kind(1) or TensorProto.FLOAT
    ratio = site.input(1) or site.number(0.5, ratio_kind)
    drawn = site.constant(_uniform(site, site.shape(0)).astype(helper.tensor_dtype_to_np_dtype(ratio_kind)))
    kept = site.emit("GreaterOrEqual", drawn, ratio)
    if flag is None:
        kept = site.emit("Or", kept, site.emit("Not", site.input(2)))
        ratio = site.emit("Where", site.input(2), ratio, site.number(0, ratio_kind))
    scale = site.emit("Reciprocal", site.emit("Sub", site.number(1, ratio_kind), ratio))
    larger = site.emit("Mul", site.input(0), site.cast(scale, ratio_kind, kind))
    site.give(0, site.emit("Where", kept, larger, site.number(0, kind)))
    site.give(1, kept)
