"""Runs a random graph here and in ONNX Runtime, and says whether they agree."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, cast

import numpy as np
from onnx import ModelProto, helper, utils

from tilewright.errors import Diagnostic
from tilewright.runtime.tools.onnx_backend import TilewrightBackend
from tilewright.test import onnx_runtime
from tilewright.test.frontend.random_onnx import elementwise, layers, movement
from tilewright.test.frontend.random_onnx.builder import Array, random_model, random_numbers
from tilewright.test.frontend.random_onnx.differences import explained

OPERATORS = (*elementwise.OPERATORS, *movement.OPERATORS, *layers.OPERATORS)
"""What graphs are made of."""

_TOLERANCE = {2: 8e-3, 4: 2e-4, 8: 2e-4}
"""Bytes of a float -> how far numbers may be apart, relative to the largest of the tensor up to their own size."""

AGREEMENTS = ("equal", "refused", "skipped", "explained")


@dataclass(frozen=True)
class Verdict:
    """
    What came of a graph.

    `kind` is equal, refused (by us), skipped (ONNX Runtime has no kernel), explained (a difference that is
    documented), differs or fault; `detail` says more.
    """

    kind: str
    detail: str = ""


def graph_of(seed: int) -> ModelProto:
    """Return the graph of a number: one to six nodes or so."""
    random = Random(seed)
    return random_model(random, OPERATORS, random.choice((1, 2, 3, 4, 6)))


def inputs_of(model: ModelProto, seed: int) -> dict[str, Array]:
    """Return the numbers on which a graph runs."""
    generator = np.random.default_rng(seed)
    return {
        value.name: random_numbers(
            generator,
            np.dtype(helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type)),
            [dim.dim_value for dim in value.type.tensor_type.shape.dim],
        )
        for value in model.graph.input
    }


def compare(model: ModelProto, inputs: Mapping[str, Array], device: str) -> Verdict:
    """Return how a graph behaves on a device of `runtime.onnx_backend`, beside ONNX Runtime."""
    if not model.graph.node:
        return Verdict("skipped", "no nodes")
    try:
        wanted = golden(model, inputs)
    except Exception as error:
        return Verdict("skipped", str(error).splitlines()[0])
    try:
        found = ours(model, inputs, device)
    except Diagnostic as error:
        clear = not error.message.startswith(("internal error", "the C compiler failed"))
        return Verdict("refused" if clear and "does not verify" not in error.message else "fault", str(error))
    except Exception as error:
        return Verdict("fault", f"{type(error).__name__}: {error}")
    for value, want, got in zip(model.graph.output, wanted, found, strict=True):
        if text := difference(want, np.asarray(got)):
            return Verdict("differs", f"{value.name}: {text}")
    return Verdict("equal")


def judged(model: ModelProto, seed: int, device: str) -> tuple[Verdict, ModelProto]:
    """Compare a graph; what is not right is cut down, and looked for among the documented differences."""
    verdict = compare(model, inputs_of(model, seed), device)
    if verdict.kind in AGREEMENTS:
        return verdict, model
    part = shrunk(model, seed, device, verdict.kind)
    verdict = compare(part, inputs_of(part, seed), device)
    if verdict.kind == "differs" and (name := explained(part, verdict.detail)):
        verdict = Verdict("explained", name)
    return verdict, part


def ours(model: ModelProto, inputs: Mapping[str, Array], device: str) -> Sequence[Array]:
    """Return the outputs of a graph on a device of `runtime.onnx_backend`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return TilewrightBackend.prepare(model, device).run(dict(inputs))


def golden(model: ModelProto, inputs: Mapping[str, Array]) -> Sequence[Array]:
    """Return the outputs of a graph in ONNX Runtime, none of its operators fused."""
    session = onnx_runtime.session(model, fused=False, threads=1)
    return cast("Sequence[Array]", session.run(None, dict(inputs)))


def difference(want: Array, got: Array) -> str:
    """Return how arrays differ: integers exactly, floats by what rounding explains."""
    if (got.dtype, got.shape) != (want.dtype, want.shape):
        return f"{got.dtype}{list(got.shape)}, not {want.dtype}{list(want.shape)}"
    if want.dtype.kind != "f":
        near = want == got
    else:
        wide, found = want.astype(np.float64), got.astype(np.float64)
        largest = np.max(np.abs(wide), where=np.isfinite(wide), initial=0)
        close = _TOLERANCE[want.dtype.itemsize]
        near = np.isclose(found, wide, rtol=close, atol=close * max(min(float(largest), 1e3), 0.1), equal_nan=True)
    if near.all():
        return ""
    first = tuple(int(index) for index in np.argwhere(~near)[0])
    return (
        f"{want[first]} expected, {got[first]} found at {list(first)}; {np.count_nonzero(~near)} of {near.size} differ"
    )


def shrunk(model: ModelProto, seed: int, device: str, kind: str) -> ModelProto:
    """Return the smallest part of a graph, to one value from inputs or inner values, that comes to the same kind."""
    inputs = [value.name for value in model.graph.input]
    best = model
    for node in model.graph.node:
        for name in node.output:
            for start in (list(node.input), inputs):
                part = _part(model, start, name)
                if part is None or len(part.graph.node) >= len(best.graph.node):
                    continue
                if compare(part, inputs_of(part, seed), device).kind == kind:
                    best = part
    return best


def _part(model: ModelProto, inputs: Sequence[str], output: str) -> ModelProto | None:
    from onnx import shape_inference

    constants = {tensor.name for tensor in model.graph.initializer}
    known: Any = shape_inference.infer_shapes(model, data_prop=True)
    try:
        return utils.Extractor(known).extract_model([n for n in inputs if n and n not in constants], [output])
    except Exception:
        return None
