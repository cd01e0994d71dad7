"""Expansions of operators of ONNX Runtime (com.microsoft) to ai.onnx: activations, products, norms."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ...dialects.onnx.registry import mentions
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


@mentions(*_ACTIVATIONS)
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


@replaces("CDist")
def _distances(site: Site) -> None:
    """Give the distances of the rows of two matrices: |a|^2 - 2 a b + |b|^2, not below 0, and its root."""
    metric, kind = site.attribute("metric"), site.kind(0)
    if metric not in ("euclidean", "sqeuclidean"):
        raise site.unsupported(f"with the metric '{metric}'", "euclidean or sqeuclidean")
    rows, others = site.shape(0, 2)[0], site.shape(1, 2)[0]
    a, b = (site.emit("ReduceSumSquare", site.input(index), site.sizes(1), keepdims=0) for index in (0, 1))
    product = site.emit("MatMul", site.input(0), site.emit("Transpose", site.input(1), perm=[1, 0]))
    twice = site.emit("Mul", product, site.number(-2.0, kind))
    squares = site.sum(twice, site.reshape(a, rows, 1), site.reshape(b, 1, others))
    squares = site.emit("Relu", squares)
    site.give(0, squares if metric == "sqeuclidean" else site.emit("Sqrt", squares))


# Positions


@replaces("RotaryEmbedding")
def _rotary(site: Site) -> None:
    """
    Rotate [B, S, N h] or [B, N, S, h] by positions [B, S], or by those from one number on.

    Without `rotary_embedding_dim` all of a head is rotated, so that the cosines tell its size.
    """
    if site.attribute("is_packed_batching") or site.attribute("scale") != 1.0:
        raise site.unsupported("of a packed batch, or scaled", "a batch of one length, scale = 1")
    shape, rotated = site.shape(0, 3, 4), int(site.attribute("rotary_embedding_dim"))
    half = site.shape(2, 2)[1]
    batch, length = shape[0], shape[-2]
    is_flat, heads = len(shape) == 3, int(site.attribute("num_heads"))
    if half < 1 or (is_flat and rotated and heads < 1):
        raise site.unsupported("of no cosines, or of a part of each head without num_heads", "num_heads of 1 or more")
    heads = (heads if rotated else shape[2] // (2 * half)) if is_flat else shape[1]
    width = shape[-1] // heads if is_flat and heads else shape[-1]
    if (rotated or width) != 2 * half or site.shape(3) != site.shape(2) or (is_flat and heads * width != shape[2]):
        raise site.unsupported(f"of {list(shape)} by {list(site.shape(2))} cosines", "cosines and sines of half a head")
    positions, index_shape = site.input(1), site.shape(1)
    if index_shape != (batch, length):
        if index_shape not in ((), (1,)):
            raise site.unsupported(f"with positions {list(index_shape)}", f"positions [1] or {[batch, length]}")
        places = np.broadcast_to(np.arange(length, dtype=np.int64), (batch, length))
        positions = site.emit("Add", site.constant(np.ascontiguousarray(places)), site.reshape(positions, 1, 1))
    attributes = {"interleaved": int(site.attribute("interleaved")), "rotary_embedding_dim": rotated}
    attributes |= {"num_heads": heads} if is_flat else {}
    site.give(0, site.emit("RotaryEmbedding", site.input(0), site.input(2), site.input(3), positions, **attributes))


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
