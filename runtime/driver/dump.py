"""Printing the IR between passes, with MLIR's flags and banners."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable
from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from ...errors import Diagnostic
from ...passes.core.manager import Observer, PassPosition
from .ir_diff import unified_diff


@dataclass(frozen=True)
class When:
    """Before and after which passes the IR is printed; with `diff` as the difference that the pass makes."""

    before: frozenset[str] = frozenset()
    after: frozenset[str] = frozenset()
    before_all: bool = False
    after_all: bool = False
    after_change: bool = False
    after_failure: bool = False
    diff: bool = False

    def __bool__(self) -> bool:
        return self != When()

    def is_before(self, name: str) -> bool:
        """Return whether the IR is printed before a pass."""
        return self.before_all or name in self.before

    def is_after(self, name: str) -> bool:
        """Return whether the IR is printed after a pass, or after those of its runs that change it."""
        return self.after_all or name in self.after or (self.after_change and not self.after)


Sink = Callable[[PassPosition, Operation, str], None]
"""Writes the dump of an op at a pass."""


def to_stderr(place: PassPosition, op: Operation, text: str) -> None:
    """Print a dump to standard error."""
    print(text, file=sys.stderr)


def the_module(place: PassPosition, module: ModuleOp) -> list[Operation]:
    """Return the module as what to print of a pass, whichever ops the pass runs on."""
    return [module]


@dataclass
class PrintIr(Observer):
    """
    Prints ops under banners such as `// -----// IR Dump After CsePass (cse) //----- //`.

    With `when.after_change` the IR after a pass is printed only where the pass changed it; with no passes named beside
    it, that goes for every pass. `scope` returns the ops to print of a pass, each by itself.
    """

    when: When
    print: Callable[[Operation], str]
    write: Sink = to_stderr
    scope: Callable[[PassPosition, ModuleOp], list[Operation]] = the_module
    is_coloured: bool = False
    _before: dict[Operation, str] = field(default_factory=dict[Operation, str], init=False)
    """Op -> its text before the pass, or after the last one; a digest of it where that suffices to see a change."""

    def before_pass(self, place: PassPosition, module: ModuleOp) -> None:
        is_compared = self.when.after_change and self.when.is_after(place.step.name)
        is_printed = self.when.is_before(place.step.name)
        known, self._before = self._before, {}
        if not is_compared and not is_printed:
            return
        for op in self.scope(place, module):
            text = self.print(op) if is_printed or op not in known else None
            if is_printed:
                self._show("Before", place, op, text or "")
            if is_compared:
                self._before[op] = known[op] if text is None else self._remembered(text)

    def after_pass(self, place: PassPosition, module: ModuleOp) -> None:
        if not self.when.is_after(place.step.name):
            return
        before, self._before = self._before, {}
        for op in self.scope(place, module):
            text = self.print(op)
            if not self.when.after_change:
                self._show("After", place, op, text)
                continue
            self._before[op] = self._remembered(text)
            if before.get(op) != self._before[op] and (shown := self._shown(before.get(op, ""), text, place)):
                self._show("After", place, op, shown)

    def after_failure(self, place: PassPosition, module: ModuleOp, error: Diagnostic) -> None:
        if self.when.after_failure or self.when.after_all or place.step.name in self.when.after:
            for op in self.scope(place, module):
                self._show("After", place, op, self.print(op), " Failed")

    def _remembered(self, text: str) -> str:
        return text if self.when.diff else hashlib.blake2b(text.encode()).hexdigest()

    def _shown(self, before: str, after: str, place: PassPosition) -> str:
        """Return the text of a changed op, or its difference, which is empty where only names of values differ."""
        if not self.when.diff:
            return after
        return unified_diff(before, after, place.step.name, is_coloured=self.is_coloured)

    def _show(self, when: str, place: PassPosition, op: Operation, text: str, suffix: str = "") -> None:
        step = place.step
        banner = f"// -----// IR Dump {when} {type(step.run).__name__}{suffix} ({step.name}) //----- //"
        self.write(place, op, f"{banner}\n{text}\n")
