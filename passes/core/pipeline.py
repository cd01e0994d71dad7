"""
Pass pipelines: their passes in order, selecting a part of one, and the text of each.

`<machine>-pipeline` is a pass name that stands for the phases of the machine's `pipeline.txt`; its passes keep the
names of their phases, by which `select` finds them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import TypeAlias, cast

from xdsl.passes import ModulePass

from ...dialects.core.machine.targets import Machine
from ...errors import Diagnostic, did_you_mean
from ...grammar import Item, UsageError, parse_items, point_at
from .options import build, format_spec
from .upstream_names import known_name

Registry: TypeAlias = Mapping[str, Callable[[], type[ModulePass]]]

MODULE = "builtin.module"
ANY = "any"
"""An anchor that stands for every op whose inside uses nothing from around it."""
_SUFFIX = "-pipeline"


@dataclass(frozen=True)
class PipelineStep:
    """
    One pass of a pipeline.

    `anchor` holds the names of the ops to descend through from the module to those that the pass is run on, each alone:
    `("func.func",)` for the functions of the module, `("any",)` for its ops that are isolated from above, empty for the
    module itself.
    """

    name: str
    run: ModulePass
    anchor: tuple[str, ...] = ()
    phase: str = ""

    def __str__(self) -> str:
        return format_spec(self.name, self.run)


@dataclass(frozen=True)
class Pipeline:
    """Passes to run in this order. Its text, which `parse_pipeline` reads again, names no machine and no phase."""

    steps: tuple[PipelineStep, ...]

    def __str__(self) -> str:
        return f"{MODULE}({_text(self.steps, 0)})"

    def select(self, start_at: str = "", stop_after: str = "") -> Pipeline:
        """
        Return the part from `start_at` up to and with `stop_after`, each the name of a phase or a pass, or empty.

        A name that occurs more than once is addressed as `name#2`. Raises UsageError for an unknown or an ambiguous
        name, and where nothing is between the two.
        """
        first = self._find(start_at, "--start-at").start if start_at else 0
        end = self._find(stop_after, "--stop-after").stop if stop_after else len(self.steps)
        if end <= first and self.steps:
            raise UsageError(f"--stop-after={stop_after} comes before --start-at={start_at}: no pass is left to run")
        return Pipeline(self.steps[first:end])

    def with_passes(self, before: Sequence[tuple[str, Pipeline]], after: Sequence[tuple[str, Pipeline]]) -> Pipeline:
        """
        Return the pipeline with those before and after the phases or passes of these names, in order where they meet.

        What is added between two passes of a phase is of that phase. Raises UsageError for an unknown or an ambiguous
        name.
        """
        gaps: dict[int, list[PipelineStep]] = {}
        for name, added in after:
            gaps.setdefault(self._find(name, "--insert-after").stop, []).extend(added.steps)
        for name, added in before:
            gaps.setdefault(self._find(name, "--insert-before").start, []).extend(added.steps)
        steps: list[PipelineStep] = []
        for index in range(len(self.steps) + 1):
            around = {step.phase for step in self.steps[max(index - 1, 0) : index + 1]}
            phase = around.pop() if len(around) == 1 and 0 < index < len(self.steps) else ""
            steps += [replace(step, phase=phase) for step in gaps.get(index, ())]
            steps += self.steps[index : index + 1]
        return Pipeline(tuple(steps))

    def _find(self, text: str, flag: str) -> range:
        """Return the indices of the steps that a name addresses."""
        places = self._places()
        name, mark, number = text.partition("#")
        if name not in places:
            remedy = did_you_mean(name, places) or f"the pipeline has {', '.join(places)}"
            raise UsageError(f"{flag}={text}: the pipeline has no phase or pass '{name}'", remedy=remedy)
        positions = places[name]
        if not mark and len(positions) == 1:
            return positions[0]
        if number.isdecimal() and 1 <= int(number) <= len(positions):
            return positions[int(number) - 1]
        choices = ", ".join(f"{name}#{index}" for index in range(1, len(positions) + 1))
        raise UsageError(f"{flag}={text}: '{name}' occurs {len(positions)} times", expected=choices, found=text)

    def _places(self) -> dict[str, list[range]]:
        """Return the position of each phase and each pass; a phase hides a pass of the same name."""
        phases: dict[str, list[range]] = {}
        passes: dict[str, list[range]] = {}
        for index, step in enumerate(self.steps):
            passes.setdefault(step.name, []).append(range(index, index + 1))
        for phase, run in groupby(range(len(self.steps)), lambda index: self.steps[index].phase):
            indices = list(run)
            if phase:
                phases.setdefault(phase, []).append(range(indices[0], indices[-1] + 1))
        return phases | {name: positions for name, positions in passes.items() if name not in phases}


def described(pipeline: Pipeline) -> str:
    """Return the text of a pipeline with all options, below a line that counts the passes, as mlir-opt dumps it."""
    parts = _parts(pipeline.steps, 0, lambda step: format_spec(step.name, step.run, defaults=True))
    return f"Pass Manager with {len(parts)} passes:\n{MODULE}({','.join(parts)})\n"


def anchor_at(step: PipelineStep, depth: int) -> str:
    """Return the op that a pass descends to at a depth below the module; empty for one that is run above."""
    return step.anchor[depth] if len(step.anchor) > depth else ""


def _text(steps: Iterable[PipelineStep], depth: int) -> str:
    return ",".join(_parts(steps, depth, str))


def _parts(steps: Iterable[PipelineStep], depth: int, spelled: Callable[[PipelineStep], str]) -> list[str]:
    """Return the text of each pass, and of each group of passes that run on nested ops."""
    parts: list[str] = []
    for anchor, group in groupby(steps, lambda step: anchor_at(step, depth)):
        inner = [spelled(step) for step in group] if not anchor else _parts(group, depth + 1, spelled)
        parts += [f"{anchor}({','.join(inner)})"] if anchor else inner
    return parts


def parse_pipeline(text: str, registry: Registry, machines: Mapping[str, Machine] | None = None) -> Pipeline:
    """
    Parse a pipeline in MLIR's grammar, nested or as a flat list, with the passes of `registry`.

    `machines` are those whose `<machine>-pipeline` may be named; by default the discovered ones. Raises UsageError with
    a caret under the text.
    """
    if machines is None:
        from ...dialects.core.machine.targets import machines as discovered

        machines = discovered()
    resolver = _Resolver(registry, {name + _SUFFIX: machine for name, machine in machines.items() if machine.phases})
    items = parse_items(text)
    if len(items) == 1 and items[0].name in (MODULE, ANY) and items[0].children is not None:
        items = items[0].children
    return Pipeline(tuple(resolver.steps(items, _ItemContext(text))))


@dataclass(frozen=True)
class _ItemContext:
    """Position of pipeline items in resolution: their text, anchor and phase, and the named pipelines around them."""

    text: str
    source: str = ""
    anchor: tuple[str, ...] = ()
    phase: str = ""
    inside: tuple[str, ...] = ()


@dataclass
class _Resolver:
    """Finds the passes that the names in a pipeline's text mean."""

    registry: Registry
    named: Mapping[str, Machine]
    anchors: set[str] = field(default_factory=lambda: {MODULE, ANY, "func.func"})

    def steps(self, items: Iterable[Item], scope: _ItemContext) -> list[PipelineStep]:
        return [step for item in items for step in self.expand(item, scope)]

    def expand(self, item: Item, scope: _ItemContext) -> list[PipelineStep]:
        if item.children is not None:
            self.check_anchor(item, scope)
            inner = _ItemContext(scope.text, scope.source, (*scope.anchor, item.name), scope.phase, scope.inside)
            return self.steps(item.children, inner)
        if item.name in self.named:
            return self.expand_named(item, scope)
        name = item.name if item.name in self.registry else known_name(item.name)
        run = cast(ModulePass, build(self.load(item, name, scope), item, scope.text, scope.source))
        return [PipelineStep(name, run, scope.anchor, scope.phase)]

    def expand_named(self, item: Item, scope: _ItemContext) -> list[PipelineStep]:
        """Return the steps of a machine's pipeline."""
        machine = self.named[item.name]
        if item.options:
            raise point_at(scope.text, item.options[0].start, f"'{item.name}' has no options", source=scope.source)
        if item.name in scope.inside:
            raise point_at(scope.text, item.start, f"'{item.name}' contains itself", source=scope.source)
        steps: list[PipelineStep] = []
        for phase in machine.phases:
            source = f"{machine.folder / 'pipeline.txt'}:{phase.line}"
            inside = _ItemContext(phase.text, source, scope.anchor, phase.name, (*scope.inside, item.name))
            steps += self.steps(parse_items(phase.text, source), inside)
        return steps

    def load(self, item: Item, name: str, scope: _ItemContext) -> type[ModulePass]:
        factory = self.registry.get(name)
        if factory is None:
            available = [*self.registry, *self.named]
            remedy = (
                did_you_mean(item.name, available)
                or "opt-tool --list-passes lists the passes; --load-pass FILE.py adds those of a file"
            )
            if item.name == MODULE or "." in item.name:
                remedy = f"an op takes passes in parentheses: {item.name}(canonicalize)"
            raise point_at(scope.text, item.start, f"no pass '{item.name}'", source=scope.source, remedy=remedy)
        try:
            return factory()
        except ImportError as error:
            raise Diagnostic(f"the pass '{item.name}' cannot be loaded: {error}") from error

    def check_anchor(self, item: Item, scope: _ItemContext) -> None:
        """Refuse an anchor that is no op, or no op isolated from above."""
        if item.name in self.anchors:
            return
        from xdsl.traits import IsolatedFromAbove

        from ...dialects.core.syntax.text import new_context

        context = new_context()
        op = context.get_optional_op(item.name)
        if op is None:
            remedy = did_you_mean(item.name, (MODULE, "func.func")) or f"passes run on {MODULE} or func.func"
            raise point_at(scope.text, item.start, f"no op '{item.name}'", source=scope.source, remedy=remedy)
        if not op.has_trait(IsolatedFromAbove):
            message = f"no passes can be run on '{item.name}' alone: its inside uses values from around it"
            raise point_at(scope.text, item.start, message, source=scope.source)
        self.anchors.add(item.name)
