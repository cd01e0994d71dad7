"""`--log-actions-to` and `--debug-only`: a line for each pass, fold and rewrite, as mlir-opt logs its actions."""

from __future__ import annotations

import sys
from collections.abc import Collection, Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import TextIO

from xdsl.dialects.builtin import ModuleOp

from ...dialects.core.syntax.text import one_line
from ...errors import Diagnostic
from ...passes.core.actions import reported_to
from ...passes.core.manager import Observer, PassPosition, anchored

_BEGINS = "[thread opt-tool] begins (no breakpoint) Action"
_COMPLETED = "[thread opt-tool] completed"
_PASS = "pass-execution"
_FEW = 8
"""The elements of a constant that the text of an op shows in full."""


@dataclass
class ActionLog(Observer):
    """
    Writes the actions of each pass while it runs.

    With `names` only those whose pass, pattern or kind ('pass-execution', 'fold', 'apply-pattern') is one of them.
    """

    stream: TextIO
    names: Collection[str] = ()
    _pass: str = field(default="", init=False)

    def before_pass(self, place: PassPosition, module: ModuleOp) -> None:
        self._pass = place.step.name
        name = type(place.step.run).__name__
        for op in anchored(module, place.step.anchor):
            text = one_line(op, elide=_FEW)
            what = f"`{_PASS}` running `{name}` on Operation `{op.name}` ({text})"
            self._write(_PASS, "", f"{_BEGINS} {what}")

    def after_rewrite(self, place: PassPosition, module: ModuleOp) -> None:
        self._write(_PASS, "", f"{_COMPLETED} `{_PASS}`")

    def after_failure(self, place: PassPosition, module: ModuleOp, error: Diagnostic) -> None:
        self._write(_PASS, "", f"{_COMPLETED} `{_PASS}`")

    def act(self, kind: str, label: str, op: str) -> None:
        """Write an action within the pass: its kind and label, and the op as it was before."""
        what = f"`{kind} pattern: {label} ({op})`" if label else f"`{kind}` ({op})"
        self._write(kind, label, f"{_BEGINS} {what}")
        self._write(kind, label, f"{_COMPLETED} `{kind}`")

    def _write(self, kind: str, label: str, line: str) -> None:
        if not self.names or not {self._pass, kind, label}.isdisjoint(self.names):
            print(line, file=self.stream)


@contextmanager
def logged_actions(file: str, names: str, *, more: bool) -> Generator[list[Observer]]:
    """
    Yield the observers that log the passes which run in the body: all to a file, and those of `names` to stderr.

    `file` is empty for none and '-' for standard error; with `more` it is continued. `names` are separated by commas.
    Raises Diagnostic where the file cannot be written.
    """
    with ExitStack() as stack:
        logs = [ActionLog(_opened(file, stack, more=more))] if file else []
        logs += [ActionLog(sys.stderr, names.split(","))] if names else []
        for log in logs:
            stack.enter_context(reported_to(log.act))
        yield [*logs]


def _opened(file: str, stack: ExitStack, *, more: bool) -> TextIO:
    if file == "-":
        return sys.stderr
    try:
        return stack.enter_context(open(file, "a" if more else "w", encoding="utf-8", buffering=1))
    except OSError as error:
        message = f"cannot write the log '{file}': {error.strerror}"
        raise Diagnostic(message, remedy="choose another --log-actions-to") from error
