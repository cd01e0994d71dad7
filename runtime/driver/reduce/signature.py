"""
Signatures of failures: two failures are the same if their signatures are equal.

An error is its pass and its message with names, numbers and shapes normalised; a crash is its pass, the type of the
exception and the place that raised it; a wrong answer is its pass.
"""

from __future__ import annotations

import re
import sys
import traceback
from dataclasses import dataclass, field

from xdsl.utils.exceptions import DiagnosticException, ParseError, VerifyException

from ....errors import Diagnostic
from ..answers import WrongAnswer

WRONG_ANSWER, CRASH, ERROR, HANG, ENDED = "wrong answer", "crash", "error", "hang", "end of the process"

_LIBRARIES = frozenset({"xdsl", "numpy", "ml_dtypes", "onnx"}) | sys.stdlib_module_names
"""Packages whose frames do not tell one fault from another: every pass calls them."""
_SAID = (VerifyException, ParseError, DiagnosticException)
"""Exceptions that carry a message for the user, as Diagnostic does."""

_QUOTED, _OP_NAME = re.compile(r"'([^']*)'"), re.compile(r"[a-z]\w*\.[\w.]+")
_NORMALISED = (
    (re.compile(r"\b(tensor|memref|vector)<[^<>]*(?:<[^<>]*>[^<>]*)*>"), r"\1<>"),
    (re.compile(r'"[^"]*"'), '"_"'),
    (re.compile(r"[%@^]\w[\w.$-]*"), "%_"),
    (re.compile(r"-?(?<![A-Za-z_])\d+(?:\.\d+)?(?:[eE][-+]?\d+)?"), "0"),
    (re.compile(r"\b([a-z]{1,2})\d+\b"), r"\g<1>0"),
    (re.compile(r"0(?:(?:, ?|x| x | and )0)+"), "0"),
)
"""Pattern -> its stand-in, in this order: types, quoted texts, names of values, numbers, lists of numbers."""


@dataclass(frozen=True)
class FailureSignature:
    """Identity of a failure: the `stage` in which it occurs, its kind, and the facts that do not depend on sizes."""

    stage: str
    """Name of the pass; `-t c` for an output format, empty before the first pass."""
    kind: str
    detail: str = ""
    shown: str = field(default="", compare=False)
    """First line of the error as the user sees it."""

    @property
    def is_in_pass(self) -> bool:
        """Return whether a pass failed, not the verifier before it or the output format after it."""
        return bool(self.stage) and not self.stage.startswith("-t ")


def signature_of(error: BaseException) -> FailureSignature:
    """Return the signature of what a run has raised."""
    stage = error.stage.partition(", pass ")[0] if isinstance(error, Diagnostic) else ""
    shown = _shown(error, stage)
    innermost = error
    while isinstance(innermost, Diagnostic) and isinstance(innermost.__cause__, Exception):
        if isinstance(innermost.__cause__, _SAID):
            break
        innermost = innermost.__cause__
    if isinstance(error, WrongAnswer):
        return FailureSignature(stage, WRONG_ANSWER, shown=shown)
    if isinstance(innermost, (Diagnostic, *_SAID)):
        message = innermost.message if isinstance(innermost, Diagnostic) else str(innermost)
        return FailureSignature(stage, ERROR, normalised(message), shown)
    return FailureSignature(stage, CRASH, f"{type(innermost).__name__} {_place(innermost)}".rstrip(), shown)


def _shown(error: BaseException, stage: str) -> str:
    """Return the first line of an error without the place and the number of the pass, which a reduction changes."""
    message = error.message if isinstance(error, Diagnostic) else f"{type(error).__name__}: {error}"
    return f"error: {f'[{stage}] ' if stage else ''}{message.strip().partition(chr(10))[0]}"


def normalised(message: str) -> str:
    """Return a message without names, numbers and shapes: `'x' has 3 axes` becomes `'_' has 0 axes`."""
    message = _QUOTED.sub(lambda match: match[0] if _OP_NAME.fullmatch(match[1]) else "'_'", message)
    for pattern, stand_in in _NORMALISED:
        message = pattern.sub(stand_in, message)
    return message


def _place(error: BaseException) -> str:
    """Return the places that raised an exception: the innermost, and the innermost outside of libraries."""
    if isinstance(error, RecursionError):
        return ""  # the limit of the stack is reached at any place
    frames = [
        (frame.f_globals.get("__name__", ""), frame.f_code.co_qualname, line)
        for frame, line in traceback.walk_tb(error.__traceback__)
    ]
    own = [frame for frame in frames if frame[0].partition(".")[0] not in _LIBRARIES]
    return " ".join(f"{module}:{name}:{line}" for module, name, line in [*frames[-1:], *own[-1:]])
