"""ONNX's backend node tests, each in a process that may hang or crash without harm, and what becomes of them."""

from __future__ import annotations

import pickle
import re
import traceback
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import onnx
from onnx import ModelProto, defs, numpy_helper
from onnx.backend.test.runner import Runner

from tilewright.errors import Diagnostic
from tilewright.runtime.toolchain import cache_folder
from tilewright.runtime.tools.onnx_backend import TilewrightBackend
from tilewright.test.fuzz.isolated import Crash, Hang, run_isolated

VERDICTS = ("pass", "unsupported", "wrong", "fault", "crash", "hang")
"""What a case can come to; a fault is a traceback, or an error that is not the user's: C that does not compile."""


@dataclass(frozen=True)
class Case:
    """A test of ONNX: a model, inputs and the outputs that they must give."""

    name: str
    model: ModelProto
    data: tuple[tuple[list[Any], list[Any]], ...]
    rtol: float
    atol: float
    operator: str
    """The operator that is tested; of an expanded function, the function."""


@dataclass(frozen=True)
class Outcome:
    """Outcome of a case: `reason` groups it with others, `detail` is the whole message."""

    verdict: str
    reason: str = ""
    detail: str = ""


def load_cases() -> list[Case]:
    """Return ONNX's node tests by name; made once for each version of onnx, then read from the cache."""
    path = cache_folder() / f"onnx-node-tests-{onnx.__version__}.pickle"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(pickle.dumps(list(_made())))
    return [Case(name, ModelProto.FromString(data), *rest) for name, data, *rest in pickle.loads(path.read_bytes())]


def _made() -> Iterator[tuple[Any, ...]]:
    from onnx.backend.test.loader import load_model_tests

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cases = load_model_tests(kind="node")
    for case in sorted(cases, key=lambda case: case.name):
        model: Any = case.model
        data = tuple(
            ([_normalised(item) for item in inputs], [_normalised(item) for item in outputs])
            for inputs, outputs in case.data_sets or ()
        )
        yield case.name, model.SerializeToString(), data, case.rtol, case.atol, _operator(case.name, model)


def _normalised(item: Any) -> Any:
    return numpy_helper.to_array(item) if isinstance(item, onnx.TensorProto) else item


_NAMES = {schema.name.lower(): schema.name for schema in defs.get_all_schemas()}
_SPELLED = {
    "bvlc": "Conv",
    "basicconv": "Conv",
    "edgepad": "Pad",
    "reflectpad": "Pad",
    "constantpad": "Pad",
    "wrappad": "Pad",
    "nesterovmomentum": "Momentum",
    "nllloss": "NegativeLogLikelihoodLoss",
    "sce": "SoftmaxCrossEntropyLoss",
    "simplernn": "RNN",
    "dropoutdefault": "Dropout",
    "trainingdropout": "Dropout",
    "hstack": "Concat",
}


def _operator(name: str, model: ModelProto) -> str:
    """Return the operator that a case is about: the one its name begins with, else the model's first."""
    text = name.removeprefix("test_").removeprefix("ai_onnx_ml_").replace("_", "")
    found = [known for known in (*_NAMES, *_SPELLED) if text.startswith(known)]
    used = {node.op_type for node in model.graph.node}
    if len(model.graph.node) == 1 and not found:
        return next(iter(used))
    if len(used) == 1 and "expanded" not in name:
        return next(iter(used))
    if not found:
        return model.graph.node[0].op_type
    best = max(found, key=len)
    return _SPELLED.get(best) or _NAMES[best]


# One case

_RANDOM = re.compile(r"test_bernoulli|test_training_dropout(?!_zero)")
"""Cases whose expected values come from NumPy's generator; ONNX leaves open which it is, and skips them itself."""
_CANCELLING = ("DFT", "STFT")
"""Operators whose expected zeros are the rounding noise of a transform in f32."""


def outcome(case: Case, device: str, level: str, machine: str) -> Outcome:
    """Run a case in this process, compiled for a machine."""
    try:
        prepared = TilewrightBackend.prepare(case.model, device, machine=machine, level=level)
        for inputs, expected in case.data:
            found = prepared.run(inputs)
            _compare(expected, found, case)
    except AssertionError as error:
        if _raised_by_us(error):
            return _fault(error)
        return Outcome("wrong", "", str(error).strip())
    except Diagnostic as error:
        if error.message.startswith(("internal error", "the C compiler failed")) or "does not verify" in error.message:
            return _fault(error)
        return Outcome("unsupported", _reason(error), str(error))
    except Exception as error:
        return _fault(error)
    return Outcome("pass")


def _compare(expected: Sequence[Any], found: Sequence[Any], case: Case) -> None:
    """Raise AssertionError where outputs are not as expected; sequences are compared tensor by tensor."""
    assert len(expected) == len(found), f"{len(found)} outputs, not {len(expected)}"
    if _RANDOM.match(case.name):
        _compare_kinds(expected, found)
        return
    for want, got in zip(expected, found, strict=True):
        if isinstance(want, list):
            assert isinstance(got, list), "a tensor, not a sequence"
            _compare(cast("list[Any]", want), cast("list[Any]", got), case)
        else:
            noise = float(np.finfo(want.dtype).eps * np.abs(want).max()) if case.operator in _CANCELLING else 0.0
            Runner.assert_similar_outputs([want], [got], case.rtol, max(case.atol, noise))


def _compare_kinds(expected: Sequence[Any], found: Sequence[Any]) -> None:
    """Raise AssertionError where outputs are not of the expected types and shapes, or hold what is not finite."""
    for want, got in zip(expected, found, strict=True):
        assert (want.dtype, want.shape) == (got.dtype, got.shape), f"{got.dtype} {got.shape}"
        assert np.isfinite(got).all(), "numbers that are not finite"


def _raised_by_us(error: BaseException) -> bool:
    return any("tilewright" in str(f.f_globals.get("__name__", "")) and f.f_globals["__name__"] != __name__
               for f, _ in traceback.walk_tb(error.__traceback__))  # fmt: skip


def _fault(error: BaseException) -> Outcome:
    cause = error.__cause__ if isinstance(error, Diagnostic) and error.__cause__ else error
    frames = traceback.extract_tb(cause.__traceback__)
    place = f"{'/'.join(frames[-1].filename.split('/')[-2:])}:{frames[-1].lineno}" if frames else ""
    text = (str(cause).splitlines() or [""])[0]
    if isinstance(cause, Diagnostic):
        text, place = cause.message, "; ".join(note for note in cause.notes if "error:" in note)[:160]
    reason = f"{type(cause).__name__}: {_general(text)[:160]} ({_general(place)})"
    return Outcome("fault", reason, "".join(traceback.format_exception(cause)))


def _reason(error: Diagnostic) -> str:
    notes = sorted({re.sub(r'^[^:]*"[^"]*": ', "", note) for note in error.notes})
    whole = "; ".join(notes) if notes else " | ".join(filter(None, (error.message, error.found)))
    return _general(whole)[:200]


def _general(text: str) -> str:
    """Return a message without the names of nodes and tensors, and without sizes."""
    text = re.sub(r'"[^"]*"', "..", text)
    return re.sub(r"\b\d+\b", "N", re.sub(r"\[[^\]]*\]", "[..]", text)).replace("\n", " ")


# Many cases


def run_all(
    cases: Sequence[Case], device: str, level: str, machine: str, jobs: int, seconds: float
) -> Iterator[tuple[Case, Outcome]]:
    """Yield each case with its outcome, as they come; one that takes longer than `seconds` hangs."""

    def run(case: Case) -> Outcome:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return outcome(case, device, level, machine)

    for case, found in run_isolated(cases, run, jobs, seconds):
        if isinstance(found, Crash | Hang):
            yield case, Outcome(type(found).__name__.lower(), str(found))
        else:
            yield case, found
