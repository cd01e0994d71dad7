"""Runs a random graph here and in ONNX Runtime, and says whether they agree."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, cast

import numpy as np
from onnx import ModelProto, helper, utils

from tilewright.errors import Diagnostic
from tilewright.ir import Array
from tilewright.runtime.tools.onnx_backend import TilewrightBackend
from tilewright.test import onnx_runtime
from tilewright.test.frontend.random_onnx.differences import explained
from tilewright.test.random.networks.builder import Builder, Operator, grow, random_numbers
from tilewright.test.random.networks.operators import elementwise, layers, movement, sizes
from tilewright.test.random.networks.selections import chain

OPERATORS = (*elementwise.OPERATORS, *movement.OPERATORS, *layers.OPERATORS)
"""What graphs are made of."""

KINDS = {"static": 1, "open": 3, "selected": 3}
"""
Kind of graphs -> the inputs that each runs on.

Inputs of `open` graphs have symbolic extents, which other inputs give other values; `selected` graphs have tensors
whose extents depend on data, and run on all inputs as one program.
"""

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


@dataclass(frozen=True)
class Place:
    """A device of `runtime.onnx_backend`, and the machine that networks are compiled for there."""

    device: str = "interpreter"
    machine: str = "host"


def graph_of(seed: int, kind: str = "static") -> ModelProto:
    """Return the graph of a number: one to six nodes or so, nine of selections."""
    random = Random(seed)
    nodes = random.choice((1, 2, 3, 4, 6))
    if kind == "selected":
        return chain(seed, steps=nodes).network()
    if kind == "open":
        return _opened(_random_model(random, (*OPERATORS, *sizes.OPERATORS * 4), nodes), random)
    return _random_model(random, OPERATORS, nodes)


def _random_model(random: Random, operators: Sequence[Operator], nodes: int) -> ModelProto:
    builder = Builder(random)
    for _ in range(random.choice((1, 1, 2))):
        builder.input()
    grow(builder, operators, nodes)
    return builder.model()


def _opened(model: ModelProto, random: Random) -> ModelProto:
    """Give the first axis of each input a symbolic extent, or all axes, equal ones the same; outputs have no shape."""
    last = random.choice((1, 1, 4))
    for value in model.graph.input:
        for dim in value.type.tensor_type.shape.dim[:last]:
            dim.dim_param = f"{_SYMBOL}{dim.dim_value}"
    for value in model.graph.output:
        value.type.tensor_type.ClearField("shape")
    return model


_SYMBOL = "extent_"
"""Symbols are this and the extent for which the graph was made."""


def inputs_of(model: ModelProto, seed: int, turn: int = 0) -> dict[str, Array]:
    """Return the numbers on which a graph runs in a turn, the first at the extents for which it was made."""
    generator = np.random.default_rng([seed, turn] if turn else seed)
    symbols = {dim.dim_param for value in model.graph.input for dim in value.type.tensor_type.shape.dim}
    original = {symbol: int(symbol.removeprefix(_SYMBOL)) for symbol in symbols if symbol.startswith(_SYMBOL)}
    extents = original if turn == 0 else {symbol: int(generator.integers(1, 6)) for symbol in sorted(original)}
    return {
        value.name: random_numbers(
            generator,
            np.dtype(helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type)),
            [extents.get(dim.dim_param, dim.dim_value) for dim in value.type.tensor_type.shape.dim],
        )
        for value in model.graph.input
    }


def compare(model: ModelProto, data: Sequence[Mapping[str, Array]], place: Place) -> Verdict:
    """Return how a graph behaves at a place on inputs in turn, beside ONNX Runtime: the first verdict of a failure."""
    if not model.graph.node:
        return Verdict("skipped", "no nodes")
    run = TilewrightBackend.prepare(model, place.device, machine=place.machine).run
    verdicts: list[Verdict] = []
    for inputs in data:
        verdicts.append(_compare(model, inputs, run))
        if verdicts[-1].kind not in ("equal", "skipped"):
            return verdicts[-1]
    return next((verdict for verdict in verdicts if verdict.kind == "equal"), verdicts[0])


def _compare(model: ModelProto, inputs: Mapping[str, Array], run: Callable[[Any], Sequence[Array]]) -> Verdict:
    try:
        wanted = golden(model, inputs)
    except Exception as error:
        return Verdict("skipped", str(error).splitlines()[0])
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            outputs = run(dict(inputs))
    except Diagnostic as error:
        clear = not error.message.startswith(("internal error", "the C compiler failed"))
        return Verdict("refused" if clear and "does not verify" not in error.message else "fault", str(error))
    except Exception as error:
        return Verdict("fault", f"{type(error).__name__}: {error}")
    for value, want, got in zip(model.graph.output, wanted, outputs, strict=True):
        if text := difference(want, np.asarray(got)):
            return Verdict("differs", f"{value.name}: {text}")
    return Verdict("equal")


def judged(model: ModelProto, seed: int, place: Place, turns: int = 1) -> tuple[Verdict, ModelProto]:
    """Compare a graph; what is not right is cut down, and looked for among the documented differences."""

    def verdict_of(graph: ModelProto) -> Verdict:
        return compare(graph, [inputs_of(graph, seed, turn) for turn in range(turns)], place)

    first = verdict_of(model)
    if first.kind in AGREEMENTS:
        return first, model
    part = shrunk(model, lambda graph: verdict_of(graph).kind == first.kind)
    verdict = verdict_of(part)
    if verdict.kind == "differs" and (name := explained(part, verdict.detail)):
        verdict = Verdict("explained", name)
    return verdict, part


def ours(model: ModelProto, inputs: Mapping[str, Array], place: Place) -> Sequence[Array]:
    """Return the outputs of a graph at a place."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return TilewrightBackend.prepare(model, place.device, machine=place.machine).run(dict(inputs))


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
        wide, computed = want.astype(np.float64), got.astype(np.float64)
        largest = np.max(np.abs(wide), where=np.isfinite(wide), initial=0)
        close = _TOLERANCE[want.dtype.itemsize]
        near = np.isclose(computed, wide, rtol=close, atol=close * max(min(float(largest), 1e3), 0.1), equal_nan=True)
    if near.all():
        return ""
    first = tuple(int(index) for index in np.argwhere(~near)[0])
    return (
        f"{want[first]} expected, {got[first]} found at {list(first)}; {np.count_nonzero(~near)} of {near.size} differ"
    )


def shrunk(model: ModelProto, fails: Callable[[ModelProto], bool]) -> ModelProto:
    """Return the smallest part of a graph, to one value from inputs or inner values, that fails too."""
    inputs = [value.name for value in model.graph.input]
    best = model
    for node in model.graph.node:
        for name in node.output:
            for start in (list(node.input), inputs):
                part = _part(model, start, name)
                if part is None or len(part.graph.node) >= len(best.graph.node):
                    continue
                if fails(part):
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
