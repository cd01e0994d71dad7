"""Expansions of operators of ONNX Runtime (com.microsoft) to ai.onnx: activations, products, norms."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..site import Site, expands, replaces

_ACTIVATIONS = frozenset("Relu Tanh Sigmoid LeakyRelu Clip HardSigmoid Elu Selu Softplus".split())


# Activations


@replaces("BiasGelu")
def _bias_gelu(site: Site) -> None:
    site.give(0, site.emit("Gelu", site.sum(site.input(0), site.input(1))))


@replaces("FastGelu")
def _fast_gelu(site: Site) -> None:
    site.give(0, site.emit("Gelu", site.sum(site.input(0), site.input(1)), approximate="tanh"))


@replaces("QuickGelu")
def _quick_gelu(site: Site) -> None:
    site.give(0, site.emit("Swish", site.input(0), alpha=site.attribute("alpha")))


def _activated(site: Site, x: str, parameters: Iterable[float] = ()) -> str:
    """Append the activation that a fused operator names, of the last attributes of which `parameters` are values."""
    name, values = site.attribute("activation"), list(parameters)
    if not name:
        return x
    if name not in _ACTIVATIONS:
        raise site.unsupported(f"with the activation '{name}'", "one of " + ", ".join(sorted(_ACTIVATIONS)))
    if name == "Clip" and values:
        return site.emit("Clip", x, *(site.number(value, site.kind(0)) for value in values))
    attributes = dict(zip(("alpha", "beta"), values, strict=False))
    return site.emit(name, x, **attributes)


# Products


def _turned(site: Site, index: int, *, matrix: bool, batch: bool) -> str:
    """Append a matrix transposed, or with its first axis moved before the last, or both."""
    x, order = site.input(index), list(range(len(site.shape(index))))
    if len(order) < 2 or not (matrix or batch):
        return x
    if batch:
        order = [*order[1:-1], 0, order[-1]]
    if matrix:
        order[-2:] = [order[-1], order[-2]]
    return site.emit("Transpose", x, perm=order)


@replaces("FusedMatMul")
def _fused_matmul(site: Site) -> None:
    a, b = (
        _turned(site, i, matrix=bool(site.attribute(f"trans{n}")), batch=bool(site.attribute(f"transBatch{n}")))
        for i, n in enumerate("AB")
    )
    product, alpha = site.emit("MatMul", a, b), site.attribute("alpha")
    site.give(0, product if alpha == 1 else site.emit("Mul", product, site.number(alpha, site.kind(0))))


@replaces("FusedGemm")
def _fused_gemm(site: Site) -> None:
    attributes = {name: site.attribute(name) for name in ("alpha", "beta", "transA", "transB")}
    site.give(0, _activated(site, site.emit("Gemm", *filter(None, site.node.input), **attributes)))


@replaces("FusedConv")
def _fused_conv(site: Site) -> None:
    own = {name: value for name, value in site.given.items() if not name.startswith("activation")}
    product = site.emit("Conv", *filter(None, site.node.input[:3]), **own)
    site.give(0, _activated(site, site.sum(product, site.input(3)), site.given.get("activation_params", ())))


@replaces("MatMulNBits")
def _matmul_nbits(site: Site) -> None:
    """
    Take the weights as blocks of small unsigned integers that are scaled: w = (b - zero) * scale, y = x w^T.

    `b` is [N, blocks, block_size * bits / 8] with the first weight of a byte in its lowest bits; so are the zero
    points, [N, blocks * bits / 8], and 1 << (bits - 1) without them.
    """
    bits, block = int(site.attribute("bits")), int(site.attribute("block_size"))
    columns, depth = int(site.attribute("N")), int(site.attribute("K"))
    packed, zeros = site.value(1), site.value(3)
    if bits not in (2, 4, 8) or packed is None or site.input(4) or (site.input(3) and zeros is None):
        what = "with weights that are not constant" if packed is None else "with groups, or of such zero points or bits"
        raise site.unsupported(what, "weights of 2, 4 or 8 bits, in order")
    blocks, kind = -(-depth // block), site.kind(2)
    weights = _unpacked(packed.reshape(columns, -1), bits)[:, : blocks * block].reshape(columns, blocks, block)
    if zeros is None:
        offset = np.array(1 << (bits - 1), np.int16)
    elif zeros.dtype == np.uint8:
        offset = _unpacked(zeros.reshape(columns, -1), bits)[:, :blocks, None].astype(np.int16)
    else:
        raise site.unsupported("with zero points that are floats", "zero points of type uint8")
    centred = weights - offset
    narrow = np.int8 if np.abs(centred).max(initial=0) < 128 else np.int16
    real = site.emit("Cast", site.constant(centred.astype(narrow)), to=kind)
    scaled = site.emit("Mul", real, site.reshape(site.input(2), columns, blocks, 1))
    rows = site.reshape(scaled, columns, blocks * block)
    if blocks * block != depth:
        rows = site.emit("Slice", rows, site.sizes(0), site.sizes(depth), site.sizes(1))
    product = site.emit("MatMul", site.input(0), site.emit("Transpose", rows, perm=[1, 0]))
    site.give(0, site.sum(product, site.input(5)))


def _unpacked(rows: np.ndarray, bits: int) -> np.ndarray:
    """Return the numbers in rows of bytes, those in the lowest bits first."""
    shifts = np.arange(0, 8, bits, dtype=np.uint8)
    return ((rows[..., None] >> shifts) & ((1 << bits) - 1)).reshape(len(rows), -1).astype(np.int16)


# Norms


def _normed(site: Site, x: str, gamma: str, beta: str) -> list[str]:
    """Append a layer norm over the last axis and return it, the mean and the inverse of the deviation."""
    operands = [x, gamma, beta] if beta else [x, gamma]
    return site.emit_many("LayerNormalization", operands, 3, axis=-1, epsilon=site.attribute("epsilon"))


@replaces("SkipLayerNormalization")
def _skip_norm(site: Site) -> None:
    total = site.sum(site.input(0), site.input(1), site.input(4))
    for index, value in enumerate((*_normed(site, total, site.input(2), site.input(3)), total)):
        site.give(index, value)


@replaces("SkipSimplifiedLayerNormalization")
def _skip_rms_norm(site: Site) -> None:
    total = site.sum(site.input(0), site.input(1), site.input(3))
    if site.wants(1) or site.wants(2):
        raise site.unsupported("that gives mean or deviation")
    site.give(0, site.emit("RMSNormalization", total, site.input(2), axis=-1, epsilon=site.attribute("epsilon")))
    site.give(3, total)


@replaces("SimplifiedLayerNormalization")
@expands("SimplifiedLayerNormalization")
def _rms_norm(site: Site) -> None:
    if site.wants(1):
        raise site.unsupported("that gives the deviation")
    attributes = {name: site.attribute(name) for name in ("axis", "epsilon", "stash_type")}
    site.give(0, site.emit("RMSNormalization", site.input(0), site.input(1), **attributes))


@replaces("EmbedLayerNormalization")
def _embed_norm(site: Site) -> None:
    batch, length = site.shape(0, 2)
    places = site.input(8) or site.constant(np.arange(length, dtype=np.int64).reshape(1, length))
    segment = site.emit("Gather", site.input(4), site.input(1)) if site.input(1) and site.input(4) else ""
    words = site.emit("Gather", site.input(2), site.input(0))
    total = site.sum(words, site.emit("Gather", site.input(3), places), segment)
    site.give(0, _normed(site, total, site.input(5), site.input(6))[0])
    site.give(2, total)
    if not site.wants(1):
        return
    if site.input(7):
        site.give(1, site.emit("ReduceSum", site.input(7), site.sizes(1), keepdims=0))
    else:
        site.give(1, site.constant(np.zeros(batch, np.int32)))
