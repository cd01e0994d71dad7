"""Random forms of ONNX Runtime's operators, by seed: attributes, optional inputs, shapes and types."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np

from tilewright.ir import Array
from tilewright.test.frontend.replacements.contrib_cases import Case

Draw = Callable[[np.random.Generator], Case]
CACHED = ("y", "present_key", "present_value")


def floats(random: np.random.Generator, *shape: int) -> Array:
    return random.standard_normal(shape).astype(np.float32)


def packed(random: np.random.Generator, *shape: int) -> Array:
    return random.integers(0, 256, shape).astype(np.uint8)


def number(random: np.random.Generator, low: int, high: int) -> int:
    return int(random.integers(low, high + 1))


def happens(random: np.random.Generator, chance: float = 0.5) -> bool:
    return bool(random.random() < chance)


def rotary(random: np.random.Generator) -> Case:
    """Rotate flat or split heads, whole or in part, by positions or from one on."""
    batch, heads, length = (number(random, 1, 3) for _ in range(3))
    width, is_flat, is_part = 4 * number(random, 1, 2), happens(random), happens(random, 0.3)
    rotated = width // 2 if is_part else width
    attributes: dict[str, Any] = {"interleaved": number(random, 0, 1)}
    attributes |= {"rotary_embedding_dim": rotated, "num_heads": heads} if is_part else {}
    x = floats(random, batch, length, heads * width) if is_flat else floats(random, batch, heads, length, width)
    positions = random.integers(0, 8, (batch, length)) if happens(random) else np.array([number(random, 0, 4)])
    return Case("RotaryEmbedding", [x, positions, *(floats(random, 8, rotated // 2) for _ in "cs")], attributes)


def gather_packed(random: np.random.Generator) -> Case:
    """Gather rows of 2, 4 or 8 bits in bytes, with indices below zero and outside."""
    bits, width = int(random.choice([2, 4, 8])), int(random.choice([32, 40]))
    blocks = -(-width // 16)
    zeros = packed(random, 6, -(-blocks * bits // 8)) if happens(random) else None
    kind = np.float16 if happens(random, 0.3) else np.float32
    indices = random.integers(-8, 8, (2, 3)).astype(np.int32 if happens(random) else np.int64)
    inputs = [packed(random, 6, width * bits // 8), indices, floats(random, 6, blocks).astype(kind), zeros]
    constants = (0, 2, 3) if happens(random) else ()
    return Case("GatherBlockQuantized", inputs, {"bits": bits, "block_size": 16}, constants=constants)


def gather_typed(random: np.random.Generator) -> Case:
    """Gather integers of 4 bits or floats of 8 bits along any axis, in blocks along any other or the same."""
    name = str(random.choice(["int4", "uint4", "float8_e4m3fn", "float8_e5m2"]))
    axis, along = number(random, 0, 2), number(random, 0, 2)
    shape = [20, 20, 20]
    shape[next(i for i in range(3) if i not in (axis, along))] = 3
    blocks = [-(-size // 16) if i == along else size for i, size in enumerate(shape)]
    kind = getattr(ml_dtypes, name)
    table = random.integers(0, 8, shape).astype(kind)
    zeros = random.integers(0, 8, blocks).astype(kind) if "int" in name and happens(random) else None
    attributes = {"block_size": 16, "gather_axis": axis, "quantize_axis": along}
    constants = (0, 2, 3) if happens(random) else (0, 3)
    inputs = [table, random.integers(0, shape[axis], 4), floats(random, *blocks), zeros]
    return Case("GatherBlockQuantized", inputs, attributes, constants=constants)


def matmul(random: np.random.Generator) -> Case:
    """Multiply by blocks of weights, in order or in groups, with zero points of bytes, of floats or none."""
    in_groups = happens(random)
    bits, depth = 4 if in_groups else int(random.choice([2, 4, 8])), int(random.choice([40, 64]))
    blocks = -(-depth // 16)
    zeros = packed(random, 3, -(-blocks * bits // 8))
    if happens(random) and bits < 8:
        zeros = (random.random((3, blocks)) * 5).astype(np.float32)
    groups = random.integers(0, blocks, depth).astype(np.int32) if in_groups else None
    inputs = [floats(random, 2, depth), packed(random, 3, blocks, 2 * bits), floats(random, 3, blocks)]
    inputs += [zeros if happens(random, 0.8) else None, groups, floats(random, 3) if happens(random) else None]
    attributes = {"K": depth, "N": 3, "bits": bits, "block_size": 16}
    return Case("MatMulNBits", inputs, attributes, constants=(1, 2, 3, 4))


def experts(random: np.random.Generator) -> Case:
    """Mix experts: of each activation, by few or all of them, on packed or dense tokens."""
    count, tokens = number(random, 2, 8), number(random, 1, 5)
    kind = str(random.choice(["relu", "gelu", "silu", "swiglu", "identity"]))
    attributes: dict[str, Any] = {"k": number(random, 1, count), "activation_type": kind}
    attributes["normalize_routing_weights"] = number(random, 0, 1)
    if kind == "swiglu":
        attributes |= {"swiglu_fusion": 1, "activation_alpha": random.random(), "activation_beta": random.random()}
        attributes |= {"swiglu_limit": 0.5} if happens(random) else {}
    rows = 12 if kind == "swiglu" else 6
    x = floats(random, tokens, 4) if happens(random) else floats(random, 1, tokens, 4)
    inputs = [x, floats(random, tokens, count), floats(random, count, rows, 4), floats(random, count, rows)]
    inputs += [floats(random, count, 4, 6), floats(random, count, 4)]
    return Case(
        "MoE", [each if i not in (3, 5) or happens(random) else None for i, each in enumerate(inputs)], attributes
    )


def distances(random: np.random.Generator) -> Case:
    kind = np.float64 if happens(random) else np.float32
    a, b = (floats(random, number(random, 1, 6), 5).astype(kind) for _ in "ab")
    return Case("CDist", [a, b], {"metric": str(random.choice(["euclidean", "sqeuclidean"]))})


def masked(random: np.random.Generator) -> Case:
    """Attend to a cache with room, of several beams, with a mask, an attention bias and a bias of the products."""
    groups, beams, heads = (number(random, 1, 2) for _ in range(3))
    batch, rows, width = groups * beams, number(random, 2, 6), 4
    length = number(random, 0, rows - 1)
    inputs: list[Array | None] = [floats(random, batch, 1, heads * width) for _ in "qkv"]
    mask = np.ones((batch, length + 1), np.int32)
    mask[:, 1:] = random.integers(0, 2, (batch, length))
    inputs.append(mask if happens(random) else None)
    inputs.append(floats(random, 1, int(random.choice([1, heads])), 1, length + 1) if happens(random) else None)
    inputs += [floats(random, batch, heads, rows, width) for _ in "kv"] + [np.array([length], np.int32)]
    origin = random.integers(0, beams, (groups, beams, rows)).astype(np.int32)
    inputs += [np.array([beams], np.int32), origin] if happens(random) else [None, None]
    inputs.append(floats(random, 3 * heads * width) if happens(random) else None)
    attributes: dict[str, Any] = {"num_heads": heads, "past_present_share_buffer": 1}
    attributes |= {"scale": 0.7} if happens(random, 0.3) else {}
    constants = (7,) if happens(random) else ()
    return Case("DecoderMaskedMultiHeadAttention", inputs, attributes, CACHED, constants)


def crossed(random: np.random.Generator) -> Case:
    """Attend to keys and values of another text."""
    keys = [floats(random, 2, 3, 5, 4) for _ in "kv"]
    mask = np.array([[1, 0, 1, 1, 0], [0, 1, 1, 0, 1]], np.int32) if happens(random) else None
    bias = floats(random, 36) if happens(random) else None
    inputs = [floats(random, 2, 1, 12), *keys, mask, *[None] * 6, bias]
    return Case("DecoderMaskedMultiHeadAttention", inputs, {"num_heads": 3})


def grouped(random: np.random.Generator) -> Case:
    """Attend by heads that share keys, with a sink for each head or a smooth softmax, a bias, a window and a cap."""
    batch, groups, past = number(random, 1, 2), number(random, 1, 2), number(random, 0, 4)
    heads, new = groups * number(random, 1, 2), number(random, 1, 3) if past == 0 else 1
    total = past + new
    attributes: dict[str, Any] = {"num_heads": heads, "kv_num_heads": groups}
    for name, value in (("softcap", 2.0), ("local_window_size", 2), ("scale", 0.3), ("do_rotary", 1)):
        attributes |= {name: value} if happens(random, 0.3) else {}
    sink = floats(random, heads) if happens(random) else None
    attributes |= {"smooth_softmax": 1} if sink is None and happens(random) else {}
    bias = floats(random, int(random.choice([1, batch])), int(random.choice([1, heads])), new, total)
    cosines = [floats(random, 8, 8) for _ in "cs"] if "do_rotary" in attributes else [None, None]
    inputs: list[Array | None] = [floats(random, batch, new, count * 16) for count in (heads, groups, groups)]
    inputs += [floats(random, batch, groups, past, 16) if past else None for _ in "kv"]
    inputs += [np.full(batch, total - 1, np.int32), np.array(total, np.int32), *cosines, None]
    inputs += [bias if happens(random, 0.6) else None, sink]
    return Case("GroupQueryAttention", inputs, attributes, CACHED, (6,))


def average(random: np.random.Generator) -> Case:
    """Average windows of bytes, with channels after the batch or last."""
    steps, zeros = ([np.array(each, kind) for each in pair] for pair, kind in (((0.03, 0.02), "f4"), ((9, 240), "u1")))
    padding = {"pads": [1, 0, 0, 1], "count_include_pad": 1} if happens(random) else {}
    attributes = {"kernel_shape": [2, 2], "channels_last": number(random, 0, 1), "strides": [1, 2], **padding}
    return Case("QLinearAveragePool", [packed(random, 1, 4, 5, 6), steps[0], zeros[0], steps[1], zeros[1]], attributes)


def channels_last(random: np.random.Generator) -> Case:
    """Convolve or pool bytes with channels last."""
    x = random.integers(-128, 128, (1, 5, 6, 4)).astype(np.int8)
    if happens(random, 0.4):
        return Case("NhwcMaxPool", [x], {"kernel_shape": [2, 2], "strides": [1, 2], "pads": [0, 1, 1, 0]})
    groups = int(random.choice([1, 2, 4]))
    weights = random.integers(-128, 128, (4, 4 // groups, 3, 3)).astype(np.int8)
    scales = [np.array(value, np.float32) for value in (0.03, [0.01] * 4, 0.7)]
    zeros = [np.array(value, np.int8) for value in (3, -5)]
    inputs: list[Array | None] = [x, scales[0], zeros[0], weights, scales[1], np.zeros(4, np.int8), scales[2], zeros[1]]
    inputs += [random.integers(-900, 900, 4).astype(np.int32)] if happens(random) else []
    attributes = {"channels_last": 1, "group": groups, "pads": [1, 0, 1, 2], "strides": [2, 1]}
    return Case("QLinearConv", inputs, attributes, constants=tuple(range(1, len(inputs))))


DRAWS: tuple[Draw, ...] = (
    rotary,
    gather_packed,
    gather_typed,
    matmul,
    experts,
    distances,
    masked,
    crossed,
    grouped,
    average,
    channels_last,
)


def mutated(case: Case, random: np.random.Generator) -> Case:
    """Return a case with an input of another shape or type or left out, or with another attribute."""
    inputs, attributes = list(case.inputs), dict(case.attributes)
    place = int(random.choice([i for i, each in enumerate(inputs) if each is not None]))
    array, change = inputs[place], number(random, 0, 5)
    assert array is not None
    if change == 0:
        inputs[place] = None
    elif change == 1:
        inputs[place] = np.zeros((), array.dtype)
    elif change == 2:
        inputs[place] = np.zeros([*array.shape, 1], array.dtype)
    elif change == 3 and array.ndim:
        axis = number(random, 0, array.ndim - 1)
        sizes = (0, max(array.shape[axis] - 1, 0), array.shape[axis] + 1)
        shape = [int(random.choice(sizes)) if i == axis else size for i, size in enumerate(array.shape)]
        inputs[place] = np.zeros(shape, array.dtype)
    elif change == 4:
        inputs[place] = array.astype(str(random.choice(["f8", "i1", "i8", "u1", "f2"])))
    elif attributes:
        name = str(random.choice(list(attributes)))
        numbers = {int: (0, -1, 3, 7), float: (0.0, -1.0, 1e30)}
        wrong: dict[type, Any] = {**numbers, str: ("nonsense",), list: ([0], [1, 2, 3])}
        values = wrong[type(attributes[name])]
        attributes[name] = values[number(random, 0, len(values) - 1)]
    return case._replace(inputs=inputs, attributes=attributes)
