"""
Static modules of a decoder on a paged store: what lies between its attentions.

    embed ─▶ qkv0 ─▶ attention ─▶ ffn0 ─▶ qkv1 ─▶ attention ─▶ .. ─▶ ffn(L-1) ─▶ head

`qkv` is norm, projections and rotation, `ffn` the output projection, residual, norm and network behind attention.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import chain

from xdsl.dialects.builtin import IntegerType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from ...dialects.core.nesting import nested_ops
from ...dialects.paged.ops import AttendOp, BeginOp, PoolUser
from ...ir import element_of
from ..hmp.passes.find_layers import enclosing

KINDS = ("embed", "qkv", "ffn", "head")


class InputOrigin(IntEnum):
    """Greatest input that a value depends on."""

    CONSTANT = 0
    POSITION = 1
    """The position alone: rotations."""
    TOKEN = 2
    """A row of a table that a token selects, or an integer."""
    ACTIVATION = 3


@dataclass(frozen=True)
class DecoderModule:
    """Ops of a module, in program order; `layer` is that of a decoder's layer, None for `embed` and `head`."""

    kind: str
    layer: int | None
    ops: tuple[Operation, ...]

    @property
    def name(self) -> str:
        """The kind and the number of the layer."""
        return self.kind if self.layer is None else f"{self.kind}{self.layer}"


class _Flow:
    """Origin of each value of a function, and the attentions before each activation."""

    def __init__(self, function: FuncOp):
        self.ops = list(function.body.block.ops)
        self.origins: dict[SSAValue, InputOrigin] = {}
        self.segments: dict[Operation, int] = {}
        begin = next(op for op in self.ops if isinstance(op, BeginOp))
        positions = set(_before([begin.position], self.ops))
        for argument in function.body.block.args:
            is_position = argument is begin.position or any(argument in op.operands for op in positions)
            self.origins[argument] = InputOrigin.POSITION if is_position else InputOrigin.TOKEN
        for op in self.ops:
            origin, segment = self._classified(op)
            self.origins |= dict.fromkeys(op.results, origin)
            if origin == InputOrigin.ACTIVATION and op.results and not isinstance(op, PoolUser):
                self.segments[op] = segment

    def _classified(self, op: Operation) -> tuple[InputOrigin, int]:
        if isinstance(op, AttendOp):
            return InputOrigin.ACTIVATION, op.number + 1
        values = list(_operands(op))
        origin = max((self.origins.get(value, InputOrigin.CONSTANT) for value in values), default=InputOrigin.CONSTANT)
        if origin == InputOrigin.TOKEN and not self._is_lookup(op):
            origin = InputOrigin.ACTIVATION
        return origin, max((self._segment_of(value) for value in values), default=0)

    def _is_lookup(self, op: Operation) -> bool:
        """Return whether an op on tokens gives integers, or rows of a constant table."""
        if all(isinstance(element_of(result), IntegerType) for result in op.results):
            return True
        return op.name == "onnx.Gather" and self.origins.get(op.operands[0]) == InputOrigin.CONSTANT

    def _segment_of(self, value: SSAValue) -> int:
        owner = value.owner
        if isinstance(owner, AttendOp):
            return owner.number + 1
        return self.segments.get(owner, 0) if isinstance(owner, Operation) else 0

    def members(self, segment: int) -> list[Operation]:
        """Return the activations behind so many attentions, in program order."""
        return [op for op in self.ops if self.segments.get(op) == segment]

    def lookups(self) -> list[Operation]:
        """Return the ops that look up rows by token or position, without those that feed the begin of the step."""
        begins = [value for op in self.ops if isinstance(op, BeginOp) for value in op.operands]
        beginning = set(_before(begins, self.ops))
        wanted = (InputOrigin.POSITION, InputOrigin.TOKEN)
        ops = [op for op in self.ops if op.results and op not in beginning]
        return [op for op in ops if self.origins[op.results[0]] in wanted]

    def carried(self, members: Collection[Operation], segment: int) -> list[SSAValue]:
        """Return the values of a segment that activations behind further attentions use: the residual stream."""
        carried: list[SSAValue] = []
        for value in chain.from_iterable(op.results for op in members):
            if any(self._segment_at(use.operation) > segment for use in value.uses):
                carried.append(value)
        return carried

    def _segment_at(self, user: Operation) -> int:
        """Return the segment of an op, or of the one that it is nested in; -1 for one that is no activation."""
        op = enclosing(user, self.segments)
        return self.segments[op] if op is not None else -1

    def is_residual_sum(self, op: Operation) -> bool:
        """Return whether an op adds two values that depend on tokens."""
        origins = [self.origins.get(value, InputOrigin.CONSTANT) for value in op.operands]
        return op.name == "onnx.Add" and all(origin >= InputOrigin.TOKEN for origin in origins)


def modules_of(function: FuncOp) -> list[DecoderModule]:
    """
    Return the modules of a function with one step of a paged store, in the order in which they run.

    The ops of all modules, constants, the step's own ops and what feeds its begin are all ops of the function. Modules
    without ops are left out. What depends on the position alone, such as rotations, is part of `embed`.
    """
    flow = _Flow(function)
    last = max((op.number + 1 for op in flow.ops if isinstance(op, AttendOp)), default=0)
    modules = [DecoderModule("embed", None, tuple(flow.lookups()))]
    for segment in range(last + 1):
        members = flow.members(segment)
        before = _first_part(flow, members, segment, is_last=segment == last)
        rest = tuple(op for op in members if op not in before)
        if segment:
            modules.append(DecoderModule("ffn", segment - 1, tuple(op for op in members if op in before)))
        is_head = segment == last
        modules.append(DecoderModule("head" if is_head else "qkv", None if is_head else segment, rest))
    return [module for module in modules if module.ops]


def _first_part(flow: _Flow, members: Sequence[Operation], segment: int, *, is_last: bool) -> set[Operation]:
    """Return the ops of a segment that belong to the layer whose attention is before it."""
    if segment == 0:
        return set()
    if not is_last:
        return set(_before(flow.carried(members, segment), members))
    for op in reversed(members):
        before = set(_before(op.results, members))
        rest = [other for other in members if other not in before]
        if flow.is_residual_sum(op) and rest and _taken(flow, rest) <= set(op.results):
            return before
    return set()


def _taken(flow: _Flow, ops: Sequence[Operation]) -> set[SSAValue]:
    """Return the values that depend on tokens and that ops take from others."""
    own = {value for op in ops for value in op.results}
    used = {value for op in ops for value in _operands(op)} - own
    return {value for value in used if flow.origins.get(value, InputOrigin.CONSTANT) >= InputOrigin.TOKEN}


def _before(values: Sequence[SSAValue], among: Collection[Operation]) -> Iterator[Operation]:
    """Yield the ops of `among` that values depend on."""
    allowed, pending, seen = set(among), [value.owner for value in values], set[Operation]()
    while pending:
        op = pending.pop()
        if isinstance(op, Operation) and op in allowed and op not in seen:
            seen.add(op)
            pending += [value.owner for value in _operands(op)]
            yield op


def _operands(op: Operation) -> Iterator[SSAValue]:
    """Yield the operands of an op and of those in its regions."""
    yield from op.operands
    for region in op.regions:
        for inner in nested_ops(region):
            yield from inner.operands


def constant_ops(function: FuncOp) -> Mapping[Operation, None]:
    """Return the ops of a function that depend on no argument and no attention, in program order."""
    flow = _Flow(function)
    ops = [op for op in flow.ops if op.results]
    return dict.fromkeys(op for op in ops if flow.origins[op.results[0]] == InputOrigin.CONSTANT)
