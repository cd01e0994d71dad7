"""GroupQueryAttention beside NumPy, as its documentation says, and beside ONNX Runtime."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from tilewright.errors import Diagnostic
from tilewright.frontend.importer import import_model
from tilewright.ir import Array
from tilewright.runtime.interpreter import run_module
from tilewright.test.frontend.replacements.contrib_cases import Case, expected, floats
from tilewright.test.passes.lowering.one_node import lowered

HEADS, GROUPS, WIDTH = 4, 2, 16


@dataclass(frozen=True)
class Step:
    """New tokens of some texts, of which `counts` are in a cache of `past` rows, of `total` rows behind the step."""

    counts: tuple[int, ...]
    new: int
    past: int
    total: int
    attributes: dict[str, Any] = field(default_factory=dict[str, Any])
    is_packed: bool = False
    has_bias: bool = False

    def case(self) -> Case:
        """Return the operator on random numbers; the texts' lengths are inputs, the longest a constant."""
        batch, rotated = len(self.counts), bool(self.attributes.get("do_rotary"))
        longest = max(self.counts) + self.new
        query = [floats(batch, self.new, (HEADS + 2 * GROUPS) * WIDTH), None, None]
        if not self.is_packed:
            query = [floats(batch, self.new, heads * WIDTH) for heads in (HEADS, GROUPS, GROUPS)]
        angles = np.outer(np.arange(24), np.exp(-np.arange(WIDTH // 2))).astype(np.float32)
        inputs: list[Array | None] = [
            *query,
            *(floats(batch, GROUPS, self.past, WIDTH) if self.past else None for _ in range(2)),
            np.array(self.counts, np.int32) + self.new - 1,
            np.array(longest, np.int32),
            *([np.cos(angles), np.sin(angles)] if rotated else [None, None]),
            None,
            floats(1, 1, self.new, longest) if self.has_bias else None,
        ]
        attributes = {"num_heads": HEADS, "kv_num_heads": GROUPS, **self.attributes}
        return Case("GroupQueryAttention", inputs, attributes, ("y", "present_key", "present_value"), (6,))


def rotated(x: Array, position: int, cosines: Array, sines: Array, interleaved: bool) -> Array:
    """Rotate a vector in pairs of neighbours, or of its halves."""
    a, b = (x[::2], x[1::2]) if interleaved else np.split(x, 2)
    real = a * cosines[position] - b * sines[position]
    imaginary = a * sines[position] + b * cosines[position]
    return np.stack([real, imaginary], 1).reshape(-1) if interleaved else np.concatenate([real, imaginary])


def reference(step: Step, case: Case) -> list[Array]:
    """Return results, and caches with no numbers where nothing is said of them, query by query."""
    query, key, value, past_key, past_value, _, _, cosines, sines, _, bias = case.inputs
    assert query is not None
    if key is None or value is None:
        query, key, value = np.split(query, [HEADS * WIDTH, (HEADS + GROUPS) * WIDTH], axis=2)
    window, cap = step.attributes.get("local_window_size", -1), step.attributes.get("softcap", 0.0)
    caches = [np.full((len(step.counts), GROUPS, step.total, WIDTH), np.nan, np.float32) for _ in range(2)]
    y = np.zeros(query.shape, np.float32)

    def turned(x: Array, position: int) -> Array:
        if cosines is None or sines is None:
            return x
        return rotated(x, position, cosines, sines, bool(step.attributes.get("rotary_interleaved")))

    for entry, count in enumerate(step.counts):
        for cache, past in zip(caches, (past_key, past_value), strict=True):
            cache[entry, :, :count] = past[entry, :, :count] if past is not None else cache[entry, :, :count]
        for row in range(step.new):
            heads = key[entry, row].reshape(GROUPS, WIDTH)
            caches[0][entry, :, count + row] = [turned(head, count + row) for head in heads]
            caches[1][entry, :, count + row] = value[entry, row].reshape(GROUPS, WIDTH)
        for row in range(step.new):
            end = count + (row + 1 if step.attributes.get("causal", 1) else step.new)
            first = max(0, end - window) if window > 0 else 0
            for head, vector in enumerate(query[entry, row].reshape(HEADS, WIDTH)):
                keys, values = (cache[entry, head * GROUPS // HEADS, first:end] for cache in caches)
                scores = keys @ turned(vector, count + row) / np.sqrt(WIDTH)
                scores = cap * np.tanh(scores / cap) if cap else scores
                scores = scores + (bias[0, 0, row, first:end] if bias is not None else 0)
                shares = np.exp(scores - scores.max())
                y[entry, row, head * WIDTH : (head + 1) * WIDTH] = shares / shares.sum() @ values
    return [y, *caches]


ROTARY = {"do_rotary": 1}
STEPS = {
    "prompt": Step((0, 0), 4, 0, 4),
    "token": Step((5,), 1, 5, 6, ROTARY),
    "tokens": Step((3,), 3, 3, 6, ROTARY | {"rotary_interleaved": 1}),
    "texts of two lengths": Step((3, 6), 1, 6, 7, ROTARY),
    "a cache with room": Step((2,), 1, 8, 8, ROTARY),
    "window and cap": Step((5,), 2, 5, 7, {"local_window_size": 3, "softcap": 2.0}),
    "both directions": Step((3,), 2, 3, 5, {"causal": 0}),
    "packed": Step((2,), 3, 2, 5, ROTARY, is_packed=True),
    "bias": Step((4,), 1, 4, 5, has_bias=True),
}


@pytest.mark.sample(5)
@pytest.mark.parametrize("name", STEPS)
def test_attention_of_grouped_heads(name: str) -> None:
    step = STEPS[name]
    case = step.case()
    wanted = reference(step, case)
    found = run_module(lowered(case.model, "tensor"), case.feeds)
    for output, theirs, want in zip(case.outputs, expected(case), wanted, strict=True):
        known = ~np.isnan(want)
        for got in (found[output], theirs):
            assert got.shape == want.shape
            np.testing.assert_allclose(got[known], want[known], rtol=2e-5, atol=2e-5, err_msg=output)


@pytest.mark.parametrize(
    ("step", "message"),
    [
        (Step((0,), 4, 0, 4, {"kv_num_heads": 3}), "of 4 and 3 heads"),
        (Step((2,), 2, 2, 4, {"causal": 0, "local_window_size": 2}), "of a window that is not causal"),
        (Step((0,), 4, 6, 6), "of 4 new tokens, 6 in the cache and 4 in all"),
    ],
)
def test_what_is_not_handled(step: Step, message: str) -> None:
    with pytest.raises(Diagnostic, match=message):
        import_model(step.case().model)
