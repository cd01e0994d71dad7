"""ONNX Runtime's mixture of experts: each token is computed by the few experts that a router chooses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from onnx import TensorProto

from ..site import Site, replaces

_ACTIVATIONS = ("relu", "gelu", "silu", "swiglu", "identity")


@dataclass(frozen=True)
class _ExpertSizes:
    """Numbers of tokens, of experts, of those that compute a token, and of elements of a token and between."""

    tokens: int
    experts: int
    chosen: int
    width: int
    inner: int


@replaces("MoE")
def _experts(site: Site) -> None:
    """
    Sum over the k experts of the largest probability: p_e (W2_e f(W1_e x + b1_e) + b2_e), p = softmax(router).

    Where few of the experts compute, only their weights are read; else all compute every token.
    """
    sizes = _sizes(site)
    x = site.reshape(site.input(0), sizes.tokens, sizes.width)
    shares = site.emit("Softmax", site.input(1), axis=-1)
    best, chosen = site.emit_many("TopK", [shares, site.sizes(sizes.chosen)], 2, axis=-1)
    if site.attribute("normalize_routing_weights"):
        best = site.emit("Div", best, site.emit("ReduceSum", best, site.sizes(1), keepdims=1))
    if sizes.tokens * sizes.chosen <= sizes.experts:
        total = _by_token(site, sizes, x, best, chosen)
    else:
        total = _by_expert(site, sizes, x, best, chosen)
    site.give(0, site.reshape(total, *site.shape(0)))


def _sizes(site: Site) -> _ExpertSizes:
    shape, k, kind = site.shape(0, 2, 3), int(site.attribute("k")), site.attribute("activation_type")
    if kind not in _ACTIVATIONS:
        raise site.unsupported(f"with the activation '{kind}'", "one of " + ", ".join(_ACTIVATIONS))
    if kind == "swiglu" and (site.attribute("swiglu_fusion") != 1 or site.attribute("swiglu_limit_after_activation")):
        raise site.unsupported("with swiglu of another layout", "swiglu_fusion = 1: gate and value interleaved in fc1")
    if site.input(6) or site.input(7) or site.attribute("use_sparse_mixer"):
        raise site.unsupported("with fc3 or a sparse mixer", "experts of two products, fc1 and fc2")
    tokens, width = int(np.prod(shape[:-1])), shape[-1]
    experts, outer, inner = site.shape(2, 3)[0], site.shape(2)[1], site.shape(4, 3)[2]
    parts = 2 if kind == "swiglu" else 1
    wanted = {
        1: (tokens, experts),
        2: (experts, parts * inner, width),
        3: (experts, parts * inner),
        4: (experts, width, inner),
        5: (experts, width),
    }
    for index, dims in wanted.items():
        if site.input(index) and site.shape(index) != dims:
            raise site.misfit(f"input {index}", list(dims), list(site.shape(index)))
    if not 1 <= k <= experts:
        raise site.misfit("the attribute 'k'", f"1 to {experts}, the experts", k)
    return _ExpertSizes(tokens, experts, k, width, outer)


def _by_token(site: Site, sizes: _ExpertSizes, x: str, best: str, chosen: str) -> str:
    """Append the sum over the experts of each token, whose weights are gathered: [T, k, rows, columns]."""
    weights = [site.emit("Gather", site.input(i), chosen, axis=0) if site.input(i) else "" for i in range(2, 6)]
    column = site.reshape(x, sizes.tokens, 1, sizes.width, 1)
    inner = site.reshape(site.emit("MatMul", weights[0], column), sizes.tokens, sizes.chosen, sizes.inner)
    active = site.emit("Unsqueeze", _active(site, site.sum(inner, weights[1])), site.sizes(-1))
    outer = site.reshape(site.emit("MatMul", weights[2], active), sizes.tokens, sizes.chosen, sizes.width)
    scaled = site.emit("Mul", site.sum(outer, weights[3]), site.emit("Unsqueeze", best, site.sizes(-1)))
    return site.emit("ReduceSum", scaled, site.sizes(1), keepdims=0)


def _by_expert(site: Site, sizes: _ExpertSizes, x: str, best: str, chosen: str) -> str:
    """Append the sum over all experts, [E, T, width], of those that are chosen for a token."""
    turned = [site.emit("Transpose", site.input(index), perm=[0, 2, 1]) for index in (2, 4)]
    biases = [site.emit("Unsqueeze", site.input(i), site.sizes(1)) if site.input(i) else "" for i in (3, 5)]
    inner = site.sum(site.emit("MatMul", site.emit("Unsqueeze", x, site.sizes(0)), turned[0]), biases[0])
    outer = site.sum(site.emit("MatMul", _active(site, inner), turned[1]), biases[1])
    numbers = site.constant(np.arange(sizes.experts, dtype=np.int64).reshape(-1, 1, 1))
    hits = site.emit("Equal", site.emit("Unsqueeze", chosen, site.sizes(0)), numbers)
    none = site.number(0.0, site.kind(0))
    # An expert that is not chosen may overflow, and 0 times infinity is no number.
    share = site.emit("ReduceSum", site.emit("Where", hits, best, none), site.sizes(2), keepdims=1)
    is_chosen = site.emit("ReduceMax", site.cast(hits, TensorProto.BOOL, TensorProto.INT32), site.sizes(2), keepdims=1)
    scaled = site.emit(
        "Where", site.cast(is_chosen, TensorProto.INT32, TensorProto.BOOL), site.emit("Mul", outer, share), none
    )
    return site.emit("ReduceSum", scaled, site.sizes(0), keepdims=0)


def _active(site: Site, x: str) -> str:
    """Append the activation of numbers along the last axis; swiglu takes pairs of a gate and a value."""
    kind = site.attribute("activation_type")
    if kind == "swiglu":
        return _gated(site, x)
    if kind == "identity":
        return x
    attributes = {"relu": {}, "gelu": {"approximate": "tanh"}, "silu": {"alpha": 1.0}}[kind]
    return site.emit({"relu": "Relu", "gelu": "Gelu", "silu": "Swish"}[kind], x, **attributes)


def _gated(site: Site, x: str) -> str:
    """Append gate * sigmoid(alpha * gate) * (value + beta), both limited, of interleaved gates and values."""
    kind, limit = site.kind(0), site.given.get("swiglu_limit")
    every = (site.sizes(1 << 31), site.sizes(-1), site.sizes(2))
    gate, value = (site.emit("Slice", x, site.sizes(first), *every) for first in (0, 1))
    if limit is not None:
        top = site.number(limit, kind)
        gate, value = site.emit("Min", gate, top), site.emit("Clip", value, site.number(-limit, kind), top)
    swish = site.emit("Swish", gate, alpha=float(site.attribute("activation_alpha")))
    return site.emit("Mul", swish, site.emit("Add", value, site.number(float(site.attribute("activation_beta")), kind)))
