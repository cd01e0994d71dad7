"""Printing the IR between passes, with MLIR's flags and banners."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable
from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp

from ...errors import Diagnostic
from ...passes.core.manager import Observer, PassPosition
from ...passes.core.pipeline import Pipeline


@dataclass(frozen=True)
class When:
    """Before and after which passes the IR is printed."""

    before: frozenset[str] = frozenset()
    after: frozenset[str] = frozenset()
    before_all: bool = False
    after_all: bool = False
    after_change: bool = False
    after_failure: bool = False

    def __bool__(self) -> bool:
        return self != When()


@dataclass
class PrintIr(Observer):
    """
    Prints the module to standard error under banners such as `// -----// IR Dump After CsePass (cse) //----- //`.

    With `when.after_change` the IR after a pass is printed only where the pass changed it; with no passes named beside
    it, that goes for every pass.
    """

    when: When
    print: Callable[[ModuleOp], str]
    _last: bytes = field(default=b"", init=False)

    def before_pipeline(self, pipeline: Pipeline, module: ModuleOp) -> None:
        if self.when.after_change:
            self._last = _digest(self.print(module))

    def before_pass(self, place: PassPosition, module: ModuleOp) -> None:
        if self.when.before_all or place.step.name in self.when.before:
            _show("Before", place, self.print(module))

    def after_pass(self, place: PassPosition, module: ModuleOp) -> None:
        every = self.when.after_all or (self.when.after_change and not self.when.after)
        wanted = every or place.step.name in self.when.after
        if not wanted and not self.when.after_change:
            return
        text = self.print(module)
        if self.when.after_change:
            before, self._last = self._last, _digest(text)
            wanted = wanted and before != self._last
        if wanted:
            _show("After", place, text)

    def after_failure(self, place: PassPosition, module: ModuleOp, error: Diagnostic) -> None:
        if self.when.after_failure or self.when.after_all or place.step.name in self.when.after:
            _show("After", place, self.print(module), " Failed")


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode()).digest()


def _show(when: str, place: PassPosition, text: str, suffix: str = "") -> None:
    step = place.step
    banner = f"// -----// IR Dump {when} {type(step.run).__name__}{suffix} ({step.name}) //----- //"
    print(f"{banner}\n{text}\n", file=sys.stderr)
