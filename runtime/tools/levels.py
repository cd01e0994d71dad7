"""A network at each stage of its lowering: IR, differences, memory maps and values of ops. For notebooks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from html import escape
from itertools import chain
from pathlib import Path
from typing import Any, cast

import numpy as np
from xdsl.dialects import memref
from xdsl.dialects.builtin import IntegerAttr, MemRefType, ModuleOp, StringAttr
from xdsl.ir import Attribute, Operation, SSAValue

from ...compiler import Model, compile_model
from ...dialects.core.nesting import nested_ops
from ...dialects.core.semantics import Value
from ...dialects.core.symbols import symbol_name
from ...dialects.core.syntax.text import print_ir
from ...dialects.hier import GridOp
from ...dialects.hier.sharded import level_name
from ...ir import Array
from ...passes.core.manager import Observer, PassPosition
from ...passes.core.pipeline import Pipeline
from ...passes.memory.views import bytes_of
from ..driver.ir_diff import unified_diff
from ..interpreter import Session, random_inputs
from ..interpreter.limits import EndlessError, RunLimits

ELIDED = 8
"""Elements above which the text of a stage omits a constant."""
_STEPS = 500_000
"""Steps of a run whose values are recorded."""
_ARRAYS: tuple[type[Any], ...] = (np.ndarray, np.generic)
_ENTRIES = ("network", "network_run")
"""Function of a network, and its name in C."""


@dataclass(frozen=True, eq=False)
class LoweringStage:
    """A network after a pass that changed it; the first stage is the network as it is read."""

    name: str
    """The pass, `input` for the first stage."""
    phase: str
    module: ModuleOp
    text: str

    def diff(self, before: LoweringStage) -> str:
        """Return the changes from another stage to this one as a unified difference."""
        return unified_diff(before.text, self.text, self.name)


@dataclass
class _StageObserver(Observer):
    stages: list[LoweringStage] = field(default_factory=list[LoweringStage])

    def before_pipeline(self, pipeline: Pipeline, module: ModuleOp) -> None:
        self._note("input", "graph", module)

    def after_pass(self, place: PassPosition, module: ModuleOp) -> None:
        self._note(place.step.name, place.step.phase, module)

    def _note(self, name: str, phase: str, module: ModuleOp) -> None:
        text = print_ir(module, elide=ELIDED, width=110)
        if not self.stages or text != self.stages[-1].text:
            self.stages.append(LoweringStage(name, phase, module.clone(), text))


def stages_of(network: Path, target: str) -> list[LoweringStage]:
    """
    Return the stages of a network that is compiled for a target, in order.

    Raises Diagnostic for networks and targets that `tilewright compile` refuses.
    """
    observer = _StageObserver()
    compile_model(Model(network), target, observers=[observer])
    return observer.stages


_COLOURS = {"+": "#dafbe1", "-": "#ffebe9", "@": "#ddf4ff"}
"""First character of a line of a difference -> the colour behind it."""


def listing(text: str) -> str:
    """Return IR, or a unified difference, in HTML that scrolls; lines of a difference are coloured."""
    is_diff = text.startswith("--- ")
    lines: list[str] = []
    for line in text.splitlines():
        colour = _COLOURS.get(line[:1], "") if is_diff else ""
        lines.append(f'<span style="background:{colour}">{escape(line)}</span>' if colour else escape(line))
    style = "max-height:32rem;overflow:auto;font-size:12px;line-height:1.4;background:#f6f8fa;color:#1f2328;padding:8px"
    return f'<pre style="{style}">{"<br>".join(lines)}</pre>'


# Memory


@dataclass(frozen=True)
class AddressedBuffer:
    """A buffer with an address: `bytes` from `offset` on in a level, live in the steps `first` to `last`."""

    name: str
    level: str
    offset: int
    bytes: int
    first: int
    last: int


def allocations(module: ModuleOp) -> list[AddressedBuffer]:
    """
    Return the buffers that have addresses, of grids, near memories and arenas.

    A step is the number of an op of the program; the tiles and scratch of a grid are live in its step alone.
    """
    ops = [op for op in nested_ops(module) if not isinstance(op.parent_op(), GridOp)]
    steps = {op: step for step, op in enumerate(ops)}
    rows: list[AddressedBuffer] = []
    for op, step in steps.items():
        if isinstance(op, GridOp):
            rows += _of_grid(op, step)
        elif isinstance(op, memref.AllocOp) and (address := _integer(op.attributes.get("hier.address"))) is not None:
            uses = [steps[user] for user in _users(op.memref) if user in steps]
            rows.append(_row(op.memref, address, step, max(uses, default=step)))
        elif isinstance(op, memref.ViewOp) and isinstance(op.attributes.get("tilewright.lifetime"), StringAttr):
            rows.append(_of_arena(op))
    return rows


def _of_grid(op: GridOp, step: int) -> Iterator[AddressedBuffer]:
    for tile, buffer, operand in zip(op.tiles, op.buffers, op.operands, strict=True):
        if tile.byte_address is not None:
            size = bytes_of(buffer.type) * tile.stage_count
            yield AddressedBuffer(
                f"tile of {_name(operand)}", tile.level_name or "", tile.byte_address, size, step, step
            )
    for scratch in op.scratches:
        if scratch.byte_address is not None:
            size = bytes_of(scratch.type)
            yield AddressedBuffer("scratch", scratch.level_name, scratch.byte_address, size, step, step)


def _of_arena(op: memref.ViewOp) -> AddressedBuffer:
    first, _, last = cast(StringAttr, op.attributes["tilewright.lifetime"]).data.partition("..")
    offset = _integer(cast(Operation, op.byte_shift.owner).properties.get("value")) or 0
    return _row(op.result, offset, int(first), int(last))


def _row(buffer: SSAValue, offset: int, first: int, last: int) -> AddressedBuffer:
    return AddressedBuffer(
        _name(buffer), level_name(buffer.type) or "arena", offset, bytes_of(buffer.type), first, last
    )


def _name(value: SSAValue) -> str:
    return value.name_hint or "buffer"


def _integer(attribute: Attribute | None) -> int | None:
    return cast("IntegerAttr[Any]", attribute).value.data if isinstance(attribute, IntegerAttr) else None


def _users(buffer: SSAValue) -> Iterator[Operation]:
    """Yield the ops that use a buffer, or a view of it."""
    for use in buffer.uses:
        yield use.operation
        for result in use.operation.results:
            if isinstance(result.type, MemRefType):
                yield from _users(result)


def memory_map(rows: Sequence[AddressedBuffer], width: int = 760, height: int = 260) -> str:
    """Return a memory map in HTML: for each level steps of the program to the right, and addresses upwards."""
    levels: dict[str, list[AddressedBuffer]] = {}
    for row in rows:
        levels.setdefault(row.level, []).append(row)
    return "".join(_level_map(name, buffers, width, height) for name, buffers in levels.items())


def _level_map(name: str, rows: Sequence[AddressedBuffer], width: int, height: int) -> str:
    top = max(row.offset + row.bytes for row in rows)
    steps = sorted(set(chain.from_iterable((row.first, row.last) for row in rows)))
    column = width / len(steps)
    boxes: list[str] = []
    for number, row in enumerate(rows):
        x, stop = steps.index(row.first) * column, (steps.index(row.last) + 1) * column
        y, tall = height * (1 - (row.offset + row.bytes) / top), height * row.bytes / top
        line = 'stroke="#333" stroke-width=".3"'
        title = f"{row.name}: {row.bytes:,} bytes from {row.offset:,} on, steps {row.first} to {row.last}"
        boxes.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{stop - x:.1f}" height="{max(tall, 1.5):.1f}" {line}'
            f' fill="hsl({number * 47 % 360} 55% 60%)"><title>{escape(title)}</title></rect>'
        )
        if tall > 12 and (stop - x) > 7 * len(row.name):
            boxes.append(f'<text x="{x + 4:.1f}" y="{y + tall / 2 + 4:.1f}" font-size="11">{escape(row.name)}</text>')
    return (
        f"<figure><figcaption>{escape(name)}: {top:,} bytes, {len(rows)} buffers</figcaption>"
        f'<svg viewBox="0 0 {width} {height}" width="100%" style="background:#eee">{"".join(boxes)}</svg></figure>'
    )


# Values


@dataclass(frozen=True, eq=False)
class OpValues:
    """An op that has run, as text, and its results, or the arrays that it got where it has none."""

    text: str
    arrays: tuple[Array, ...]


@dataclass
class _Recorded(RunLimits):
    rows: dict[Operation, tuple[Array, ...]] = field(default_factory=dict[Operation, "tuple[Array, ...]"])

    def record(self, op: Operation, values: Mapping[SSAValue, Value], results: Sequence[Value]) -> Sequence[Value]:
        seen = results or [values[operand] for operand in op.operands]
        arrays: list[Array] = [np.array(value) for value in seen if isinstance(value, _ARRAYS)]
        if arrays:
            self.rows[op] = tuple(arrays)
        return results


def values_of(stage: LoweringStage, seed: int = 0) -> list[OpValues]:
    """
    Run a stage on random inputs, and return the values of each op where it ran last, in the order of the program.

    A run ends after `_STEPS` steps. Of ops in a loop nest that runs vectorised there are none. Raises Diagnostic where
    the program does not run.
    """
    names = [symbol_name(op) for op in stage.module.body.block.ops]
    function = next((name for name in _ENTRIES if name in names), _ENTRIES[0])
    recorded = _Recorded(_STEPS)
    session = Session(stage.module, function, limits=recorded)
    with suppress(EndlessError):
        session.run(random_inputs(stage.module, seed=seed, function=function))
    ran = [op for op in nested_ops(stage.module) if op in recorded.rows]
    return [OpValues(_line(op), recorded.rows[op]) for op in ran]


def _line(op: Operation) -> str:
    """Return the text of an op on one line, without its regions."""
    return print_ir(op, elide=ELIDED, skip_regions=True, width=0).partition("\n")[0]


_BINS = 24
_SHOWN = 24
"""Numbers of an array that its summary shows."""


def array_summary(array: Array) -> str:
    """Return an array in HTML: shape, least and greatest number, histogram, and the first numbers."""
    shape = "x".join(map(str, (*array.shape, array.dtype)))
    if array.size == 0:
        return f"<p><b>{escape(shape)}</b>, no elements</p>"
    numbers = np.array2string(array.ravel()[:_SHOWN], max_line_width=110, precision=5)
    ends = f"{array.size:,} elements from {array.min():.5g} to {array.max():.5g}"
    return f"<p><b>{escape(shape)}</b>, {ends}</p>{_histogram(array)}<pre>{escape(numbers)}</pre>"


def _histogram(array: Array) -> str:
    """Return a histogram of the finite numbers of an array in SVG, none for a single number."""
    numbers = array.astype(np.float64).ravel()
    numbers = numbers[np.isfinite(numbers)]
    if numbers.size < 2:
        return ""
    counts, edges = np.histogram(numbers, _BINS)
    bars: list[str] = []
    for place, (count, low, high) in enumerate(zip(counts, edges, edges[1:], strict=False)):
        tall = 80 * count / counts.max()
        bars.append(
            f'<rect x="{place * 16}" y="{80 - tall:.1f}" width="15" height="{tall:.1f}" fill="#4477aa">'
            f"<title>{low:.4g} to {high:.4g}: {count:,}</title></rect>"
        )
    return f'<svg viewBox="0 0 {16 * _BINS} 80" width="{16 * _BINS}">{"".join(bars)}</svg>'
