"""
SSA programs of loop nests: the form of `scf` and `emitc` loops for vectorised execution.

A nest has scalar computations, loads, stores, loops and branches in SSA form, with numbered values. C variables that a
loop or branch assigns become carried values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from xdsl.dialects import memref, scf
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from ...dialects.core.effects import is_pure
from ...dialects.core.semantics import SCALAR_RULES


@dataclass(eq=False)
class ComputeNode:
    """Scalar op."""

    op: Operation
    args: list[int]
    outs: list[int]


@dataclass(eq=False)
class LoadNode:
    """Load of `buffer[indices]`."""

    op: Operation
    buffer: int
    indices: list[int]
    out: int


@dataclass(eq=False)
class StoreNode:
    """Store to `buffer[indices]`."""

    op: Operation
    buffer: int
    indices: list[int]
    value: int


@dataclass(eq=False)
class LoopNode:
    """Counted loop; `args` are the loop-carried values inside, `outs` those after it."""

    op: Operation
    lower: int
    upper: int
    step: int
    index: int
    inits: list[int]
    args: list[int]
    outs: list[int]
    depth: int
    body: list[Node] = field(default_factory=list["Node"])
    yields: list[int] = field(default_factory=list[int])


@dataclass(eq=False)
class BranchNode:
    """Conditional; `outs` are the results of the taken branch."""

    op: Operation
    condition: int
    sides: tuple[list[Node], list[Node]]
    yields: tuple[list[int], list[int]]
    outs: list[int]


Node: TypeAlias = ComputeNode | LoadNode | StoreNode | LoopNode | BranchNode


@dataclass(eq=False)
class ScalarNest:
    """
    Loop nest.

    `inputs` maps numbers to outer values; `types` has each value's IR type. `cells` are the outer C variables that the
    nest assigns; their new values are the loop's `outs`.
    """

    loop: LoopNode
    inputs: dict[int, SSAValue]
    types: list[Attribute]
    depth: int
    cells: list[SSAValue] = field(default_factory=list[SSAValue])
    memo: dict[Any, Any] = field(default_factory=dict[Any, Any])
    """Memoised analysis results."""


class NotANest(Exception):
    """Raised for a loop with an unsupported op."""


class NestBuilder:
    """Builder of a nest from scf; subclasses add ops of other dialects."""

    def __init__(self) -> None:
        self.numbers: dict[SSAValue, int] = {}
        self.inputs: dict[int, SSAValue] = {}
        self.types: list[Attribute] = []
        self.depth = 0
        self.deepest = 0

    def new(self, value: SSAValue) -> int:
        """Number a value that the nest defines."""
        self.numbers[value] = self.fresh(value.type)
        return self.numbers[value]

    def fresh(self, type_: Attribute) -> int:
        """Number a value without an SSA value."""
        self.types.append(type_)
        return len(self.types) - 1

    def use(self, value: SSAValue) -> int:
        """Return a value's number; an outer value becomes an input."""
        if value not in self.numbers:
            self.inputs[self.new(value)] = value
        return self.numbers[value]

    def block(self, block: Block) -> list[Node]:
        """Convert a block without its terminator."""
        return [node for op in block.ops if op is not block.last_op for node in self.node(op)]

    def node(self, op: Operation) -> Iterator[Node]:
        """Convert an op. Raises NotANest for unsupported ops."""
        match op:
            case memref.LoadOp():
                yield LoadNode(op, self.use(op.memref), [self.use(i) for i in op.indices], self.new(op.res))
            case memref.StoreOp():
                yield StoreNode(op, self.use(op.memref), [self.use(i) for i in op.indices], self.use(op.value))
            case scf.ForOp():
                yield self.loop(op)
            case scf.IfOp() if _scalar_results(op):
                yield self.branch(op)
            case _ if type(op) in SCALAR_RULES and is_pure(op) and _scalar_results(op):
                yield ComputeNode(op, list(map(self.use, op.operands)), list(map(self.new, op.results)))
            case _:
                raise NotANest(op.name)

    def loop(self, op: scf.ForOp) -> LoopNode:
        """
        Convert `scf.for`. Raises NotANest for one that carries tensors or buffers: lanes would alias their arrays.
        """
        if not _scalar_results(op):
            raise NotANest(op.name)
        index, *args = op.body.block.args
        bounds = [self.use(value) for value in (op.lb, op.ub, op.step)]
        inits = [self.use(value) for value in op.iter_args]
        loop = LoopNode(
            op, bounds[0], bounds[1], bounds[2], self.new(index), inits, [self.new(arg) for arg in args], [], self.depth
        )
        self.enter(lambda: self._loop_body(loop, op.body))
        loop.outs = [self.new(result) for result in op.results]
        return loop

    def enter(self, body: Callable[[], None]) -> None:
        """Convert a body one loop deeper."""
        self.depth += 1
        self.deepest = max(self.deepest, self.depth)
        body()
        self.depth -= 1

    def _loop_body(self, loop: LoopNode, region: Region) -> None:
        loop.body = self.block(region.block)
        loop.yields = self.terminator(region.block)

    def terminator(self, block: Block) -> list[int]:
        """Return the numbers of the values that a block yields."""
        return [self.use(value) for value in block.last_op.operands] if block.last_op else []

    def branch(self, op: scf.IfOp) -> BranchNode:
        """Convert `scf.if`."""
        condition = self.use(op.cond)
        blocks = [region.block for region in (op.true_region, op.false_region) if region.blocks]
        sides = [(self.block(block), self.terminator(block)) for block in blocks] + [([], [])] * (2 - len(blocks))
        (first, first_yields), (second, second_yields) = sides
        outs = [self.new(result) for result in op.results]
        return BranchNode(op, condition, (first, second), (first_yields, second_yields), outs)


def _scalar_results(op: Operation) -> bool:
    return not any(hasattr(result.type, "get_shape") for result in op.results)


def nest_of(op: scf.ForOp) -> ScalarNest | None:
    """Convert a loop to a nest; None if it has unsupported ops."""
    builder = NestBuilder()
    try:
        loop = builder.loop(op)
    except NotANest:
        return None
    return ScalarNest(loop, builder.inputs, builder.types, builder.deepest)


def nodes_in(nodes: Sequence[Node]) -> Iterator[Node]:
    """Yield nodes and their nested nodes, in order."""
    for node in nodes:
        yield node
        if isinstance(node, LoopNode):
            yield from nodes_in(node.body)
        elif isinstance(node, BranchNode):
            yield from nodes_in([*node.sides[0], *node.sides[1]])


def defined(node: Node) -> list[int]:
    """Return the numbers of the values that a node defines, nested nodes excluded."""
    match node:
        case ComputeNode():
            return node.outs
        case LoadNode():
            return [node.out]
        case StoreNode():
            return []
        case LoopNode():
            return [node.index, *node.args, *node.outs]
        case BranchNode():
            return node.outs


def used(node: Node) -> list[int]:
    """Return the numbers of the values that a node uses, nested nodes excluded."""
    match node:
        case ComputeNode():
            return node.args
        case LoadNode():
            return [node.buffer, *node.indices]
        case StoreNode():
            return [node.buffer, *node.indices, node.value]
        case LoopNode():
            return [node.lower, node.upper, node.step, *node.inits, *node.yields]
        case BranchNode():
            return [node.condition, *node.yields[0], *node.yields[1]]
