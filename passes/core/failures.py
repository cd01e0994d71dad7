"""Conversion of any exception to a Diagnostic."""

from __future__ import annotations

import traceback

from xdsl.ir import Operation
from xdsl.utils.exceptions import ArgSpecParseError, DiagnosticException, ParseError

from ...dialects.core.verification.notes import current_operation
from ...errors import Diagnostic
from ...locations import where
from ...plugins import author_frames, author_place

_SEVERAL_BLOCKS = "'block' property of Region class is only available for single-block regions."
"""Text of the ValueError of xDSL where a region of one block is asked for, and it has others."""
_OWN = __name__.partition(".")[0]
NO_OPTIMIZER = "mlir-opt is not available"
"""Text of the ValueError of xDSL's passes that run mlir-opt."""


def as_diagnostic(error: BaseException, doing: str) -> Diagnostic:
    """
    Return an exception as a Diagnostic: itself, or its text where xDSL means the user, else an internal error.

    One that passed the code of a plug-in is the plug-in's, with the place in its file.
    `doing` names what was being done: "pass 'cse'". The place is the op about which xDSL raised the error, where known.
    """
    if isinstance(error, Diagnostic):
        return error
    if place := author_place(error):
        return _of_plugin(error, doing, place)
    if isinstance(error, ParseError):
        return Diagnostic(error.msg)
    if isinstance(error, DiagnosticException):
        op = _blamed_op(error)
        message = str(error).strip() or type(error).__name__
        return Diagnostic(message, where=where(op) if op else "", notes=_shown(op))
    if isinstance(error, MemoryError):
        return Diagnostic(f"not enough memory in {doing}", found=str(error), remedy="use a machine with more memory")
    if isinstance(error, OSError) and error.strerror:
        return Diagnostic(f"{doing}: {error.strerror}", where=str(error.filename or ""))
    if isinstance(error, ValueError) and str(error) == _SEVERAL_BLOCKS:
        remedy = "run it on structured control flow, before convert-scf-to-cf"
        return Diagnostic(f"a region is not a single block in {doing}", expected="regions of one block", remedy=remedy)
    if isinstance(error, ValueError) and str(error) == NO_OPTIMIZER:
        return Diagnostic(f"{doing} runs mlir-opt", expected="mlir-opt on the path", remedy="install MLIR's tools")
    text = _text(error)
    if _is_of_upstream_pass(error):
        op = _blamed_op(error)
        message = f"{doing} of xDSL does not support this {'op' if op else 'program'}"
        return Diagnostic(
            message, where=where(op) if op else "", notes=[text, *([current_operation(op)] if op else [])]
        )
    return Diagnostic(
        f"internal error in {doing}: {text}",
        remedy="run with --debug for the traceback, and report it: this is a fault of the tool, not of the input",
    )


def catchable(error: BaseException) -> bool:
    """Return whether an exception is a failure of the program, not an interrupt or exit; the exit of a plug-in is."""
    if isinstance(error, SystemExit):
        return author_place(error) != ""
    return isinstance(error, Exception | ArgSpecParseError)


def _of_plugin(error: BaseException, doing: str, place: str) -> Diagnostic:
    """Return the exception of a plug-in: the text of one that xDSL means for the user, at the op that it is about."""
    text = _text(error)
    if isinstance(error, DiagnosticException) and str(error).strip():
        op = _blamed_op(error)
        notes = [*_shown(op), f"{place} raises {type(error).__name__}"]
        return Diagnostic(str(error).strip(), where=where(op) if op else "", notes=notes)
    remedy = "mend the plug-in; --debug shows the traceback"
    message = f"the plug-in raises an exception in {doing}: {text}"
    return Diagnostic(message, where=place, remedy=remedy, notes=[*_shown(_blamed_op(error)), *author_frames(error)])


def _shown(op: Operation | None) -> list[str]:
    """Return the note that shows an op, if there is one that can be printed: it may be half rewritten."""
    try:
        return [current_operation(op)] if op else []
    except Exception:
        return []


def _text(error: BaseException) -> str:
    """Return the type of an exception and the first line of its text."""
    try:
        text = str(error).strip()
    except Exception:  # the text of a plug-in's exception is code of the plug-in
        text = ""
    return f"{type(error).__name__}: {text}".rstrip(": ").splitlines()[0]


def _is_of_upstream_pass(error: BaseException) -> bool:
    """Return whether a pass of xDSL raised an exception, with nothing of this package between but its corrections."""
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    named = [(str(frame.f_globals.get("__name__")), frame.f_code.co_name) for frame in frames]
    places = [(module.partition(".")[0], function) for module, function in named if ".core.mended" not in module]
    own = max((index for index, (package, _) in enumerate(places) if package == _OWN), default=-1)
    return ("xdsl", "apply") in places[own + 1 :]


def _blamed_op(error: BaseException) -> Operation | None:
    """Return the op whose `emit_error` raised, else the one that a pattern rewrote: xDSL's exceptions carry neither."""
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    for function, parameter in (("emit_error", "self"), ("match_and_rewrite", "op")):
        candidates = [frame.f_locals.get(parameter) for frame in frames if frame.f_code.co_name == function]
        if ops := [op for op in candidates if isinstance(op, Operation)]:
            return ops[-1]
    return None
