"""Small decoders with caches of an open length, in the forms in which PyTorch's exporters write masks and positions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

import numpy as np
from onnx import ModelProto, numpy_helper, parser

from tilewright.ir import Array
from tilewright.test import onnx_runtime


@dataclass(frozen=True)
class Sizes:
    """Sizes of a decoder: heads that share one of keys and values, their even width, and its vocabulary."""

    heads: int = 2
    head: int = 4
    vocabulary: int = 11

    @classmethod
    def drawn(cls, random: Random) -> Sizes:
        return cls(random.randint(1, 4), 2 * random.randint(1, 4), random.randint(10, 20))


_LENGTHS = {
    "dynamo": """
        new_shape = Shape<start = 1, end = 2>(tokens)
        past_turned = Transpose<perm = [0, 2, 1, 3]>(past_v)
        past_shape = Shape<start = 1, end = 2>(past_turned)
        new = Squeeze(new_shape)
        past = Squeeze(past_shape)
        total = Add(past, new)
        total_shape = Reshape(total, last)
    """,
    "torchscript": """
        one_past = Concat<axis = -2>(past_k)
        past_dims = Shape(one_past)
        past = Gather<axis = 0>(past_dims, two)
        new_dims = Shape(tokens)
        new = Gather<axis = 0>(new_dims, one)
        total = Add(past, new)
        total_shape = Unsqueeze(total, axis_0)
    """,
}

_NUMBERS = """
        counted = Range(zero, new, one)
        rows = Add(counted, past)
        columns = Range(zero, total, one)
        queries = Unsqueeze(rows, axes_013)
        keys_at = Unsqueeze(columns, axes_012)
        causal = LessOrEqual(keys_at, queries)
"""

_MASKS = {
    "inside": """
        seen = Identity(causal)
    """,
    "gathered": """
        given = Cast<to = 9>(attention_mask)
        like = Max(batch, keys_at)
        like_shape = Shape(like)
        batches = Expand(batch, like_shape)
        pair_0 = Unsqueeze(batches, last)
        pair_1 = Unsqueeze(keys_at, last)
        pairs = Concat<axis = -1>(pair_0, pair_1)
        picked = GatherND(given, pairs)
        seen = And(causal, picked)
    """,
    "flattened": """
        given = Cast<to = 9>(attention_mask)
        flat_2d = Flatten<axis = 2>(given)
        flat = Reshape(flat_2d, last)
        starts = Mul(batch, total)
        places = Add(keys_at, starts)
        picked = Gather<axis = 0>(flat, places)
        seen = And(causal, picked)
    """,
    "sliced": """
        one_more = Unsqueeze(past, axis_0)
        triangle_rows = Slice(triangle, one_more, total_shape, axis_2)
        seen = Slice(triangle_rows, axis_0, total_shape, axis_3)
    """,
}

_SHAPES = {
    "dynamo": """
        whole = Concat<axis = 0>(one_d, one_d, new_shape, total_shape)
    """,
    "torchscript": """
        new_1 = Unsqueeze(new, axis_0)
        mixed = Concat<axis = 0>(one_d, last, new_1, total_shape)
        mixed_shape = Shape(mixed)
        ones = ConstantOfShape<value = int64[1] {1}>(mixed_shape)
        minus = Mul(ones, last)
        is_open = Equal(mixed, minus)
        whole = Where(is_open, ones, mixed)
    """,
}

_POSITIONS = {
    "inside": "numbers = Unsqueeze(rows, axis_0)",
    "stated": "numbers = Identity(position_ids)",
    "learned": "numbers = Unsqueeze(rows, axis_0)",
    "table": """
        first_1 = Unsqueeze(past, axis_0)
        learned = Slice(table, first_1, total_shape, axis_0)
    """,
}

_BODY = """
        embedded = Gather(embedding, tokens)
        {embed}
        q = MatMul(x, wq)
        k = MatMul(x, wk)
        v = MatMul(x, wv)
        q_split = Reshape(q, split_q)
        k_split = Reshape(k, split_k)
        v_split = Reshape(v, split_k)
        q_heads = Transpose<perm = [0, 2, 1, 3]>(q_split)
        k_heads = Transpose<perm = [0, 2, 1, 3]>(k_split)
        v_heads = Transpose<perm = [0, 2, 1, 3]>(v_split)
        {rotate}
        present_k = Concat<axis = -2>({first}, k_new)
        present_v = Concat<axis = -2>(past_v, v_heads)
        repeated = Concat<axis = 0>(one_d, one_d, heads_d, total_shape, head_d)
        merged = Concat<axis = 0>(one_d, heads_d, total_shape, head_d)
        k_group = Unsqueeze(present_k, axis_2)
        v_group = Unsqueeze(present_v, axis_2)
        k_wide = Expand(k_group, repeated)
        v_wide = Expand(v_group, repeated)
        k_flat = Reshape(k_wide, merged)
        v_flat = Reshape(v_wide, merged)
        k_turned = Transpose<perm = [0, 1, 3, 2]>(k_flat)
        raw = MatMul(q_new, k_turned)
        seen_whole = Expand(seen, whole)
        bias = Where(seen_whole, nothing, lowest)
        scores = Add(raw, bias)
        shares = Softmax<axis = -1>(scores)
        broken = IsNaN(shares)
        sound = Where(broken, nothing, shares)
        mixed_rows = MatMul(sound, v_flat)
        back = Transpose<perm = [0, 2, 1, 3]>(mixed_rows)
        joined = Reshape(back, join)
        scored = MatMul(joined, wo)
"""

_ROTATE = """
        angle_int = Unsqueeze(numbers, axes_13)
        angle = Cast<to = 1>(angle_int)
        angles = Mul(angle, frequencies)
        cosine = Cos(angles)
        sine = Sin(angles)
        q_cos = Mul(q_heads, cosine)
        q_low = Slice(q_heads, axis_0, half_d, axis_3)
        q_high = Slice(q_heads, half_d, most, axis_3)
        q_minus = Neg(q_high)
        q_turn = Concat<axis = -1>(q_minus, q_low)
        q_sin = Mul(q_turn, sine)
        q_new = Add(q_cos, q_sin)
        k_new = Mul(k_heads, cosine)
"""

_PLAIN = """
        q_new = Identity(q_heads)
        k_new = Identity(k_heads)
"""

FORMS = {
    "dynamo-inside": ("dynamo", "inside", "inside"),
    "dynamo-stated": ("dynamo", "gathered", "stated"),
    "torchscript-inside": ("torchscript", "inside", "inside"),
    "torchscript-stated": ("torchscript", "flattened", "stated"),
    "torchscript-learned": ("torchscript", "flattened", "learned"),
    "dynamo-table": ("dynamo", "sliced", "table"),
}
"""A decoder by name -> the exporter whose arithmetic of shapes it has, its mask, and its positions."""


def decoder(form: str, *, past: str = "past", new: str = "new", extra: str = "", sizes: Sizes = Sizes()) -> ModelProto:
    """
    Return a decoder of one layer with grouped heads: inputs tokens, caches and perhaps mask and positions.

    `past` and `new` are dimensions: names, or numbers in a network of fixed length. `extra` are nodes that give a
    `shift` of the logits.
    """
    exporter, mask, positions = FORMS[form]
    total = f"{past} + {new}" if not past.isdecimal() else str(int(past) + int(new))
    dim = total if total.isdecimal() else "total"
    cache = f"float[1, 1, {past}, {sizes.head}]"
    inputs = [f"int64[1, {new}] tokens", f"{cache} past_k", f"{cache} past_v"]
    inputs += [f"int64[1, {dim}] attention_mask"] if mask in ("gathered", "flattened") else []
    inputs += [f"int64[1, {new}] position_ids"] if positions == "stated" else []
    grown = f"float[1, 1, {dim}, {sizes.head}]"
    learned = "rows_of_table = Gather(table, numbers)\nx = Add(embedded, rows_of_table)"
    embed = {"learned": learned, "table": "x = Add(embedded, learned)"}.get(positions, "x = Identity(embedded)")
    first = "one_past" if exporter == "torchscript" else "past_k"
    body = _BODY.format(embed=embed, rotate=_ROTATE if positions in ("inside", "stated") else _PLAIN, first=first)
    parts = [_LENGTHS[exporter], _NUMBERS, _POSITIONS[positions], _MASKS[mask], _SHAPES[exporter], body]
    parts.append(f"{extra}\nlogits = Add(scored, shift)" if extra else "logits = Identity(scored)")
    outputs = f"float[1, {new}, {sizes.vocabulary}] logits, {grown} present_k, {grown} present_v"
    head = f'<ir_version: 10, opset_import: ["" : 20]>\ndecoder ({", ".join(inputs)}) => ({outputs})'
    model = parser.parse_model("\n".join([head, "{", *parts, "}"]))
    model.graph.initializer.extend(numpy_helper.from_array(value, name) for name, value in _constants(sizes).items())
    return model


def _constants(sizes: Sizes) -> dict[str, Array]:
    random = np.random.RandomState(0)
    heads, head, width = sizes.heads, sizes.head, sizes.heads * sizes.head
    whole = {"zero": 0, "one": 1, "two": 2, "last": [-1], "axis_0": [0], "axis_2": [2], "axis_3": [3], "one_d": [1]}
    whole |= {"two_d": [2], "heads_d": [heads], "head_d": [head], "half_d": [head // 2], "most": [2**63 - 1]}
    whole |= {"axes_013": [0, 1, 3], "axes_012": [0, 1, 2], "axes_13": [1, 3]}
    whole |= {"split_q": [1, -1, heads, head], "split_k": [1, -1, 1, head], "join": [1, -1, width]}
    whole |= {"batch": [[[[0]]]], "axis_1": [1]}
    shapes = {"embedding": (sizes.vocabulary, width), "table": (32, width), "wo": (width, sizes.vocabulary)}
    shapes |= {"wq": (width, width), "wk": (width, head), "wv": (width, head)}
    constants = {name: np.array(value, np.int64) for name, value in whole.items()}
    constants |= {name: random.randn(*shape).astype(np.float32) for name, shape in shapes.items()}
    constants |= {"nothing": np.array(0, np.float32), "lowest": np.array(np.finfo(np.float32).min)}
    constants["frequencies"] = np.array(2 * [0.1**i for i in range(head // 2)], np.float32)
    constants["triangle"] = np.tril(np.ones((1, 1, 32, 32), bool))
    return constants


def one_after_another(
    form: str, tokens: Sequence[int], added: int = 1, extra: str = "", sizes: Sizes = Sizes()
) -> list[Array]:
    """Return the logits of each call of the decoder in ONNX Runtime, whose caches are handed on."""
    model = decoder(form, extra=extra, sizes=sizes)
    session, names = onnx_runtime.session(model), {port.name for port in model.graph.input}
    past_k = past_v = np.zeros((1, 1, 0, sizes.head), np.float32)
    logits: list[Array] = []
    for at in range(0, len(tokens), added):
        inputs = {"tokens": np.array([tokens[at : at + added]]), "past_k": past_k, "past_v": past_v}
        more = {"attention_mask": np.ones((1, at + added), np.int64), "position_ids": np.arange(at, at + added)[None]}
        inputs |= {name: value for name, value in more.items() if name in names}
        scores, past_k, past_v = session.run(["logits", "present_k", "present_v"], inputs)
        logits.append(scores)
    return logits
