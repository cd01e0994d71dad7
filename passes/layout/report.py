"""Report of the transposes of a module: bytes of each, the two demands that it separates, and their least number."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import BlockArgument, Operation, SSAValue

from ...errors import Diagnostic
from ...ir import functions, node_names, where
from .convert import LayoutCandidates, Problem, bytes_of, ends_of, neighbours, nested_blocks
from .labelling import solve
from .orders import Order, composed, identity, relative
from .rules import RESULT, RULES, VIEWS
from .state import is_constant, is_transpose, permutation_of


@dataclass(frozen=True)
class Transpose:
    """A transpose that a network needs, with the demands on both of its sides."""

    op: Operation
    size: int
    """Bytes that it moves."""
    source: str
    target: str


def transposes_of(module: ModuleOp) -> list[Transpose]:
    """Return the transposes of a module in program order. Raises Diagnostic where they are of buffers."""
    for op in module.walk():
        if op.name == "linalg.transpose" and not op.results:
            raise Diagnostic(
                "transposes of buffers have no demands",
                where(op),
                "a module of tensors",
                "a transpose of a memref",
                "stop before bufferize: --stop-after=layout",
            )
    ops = [op for op in module.walk() if is_transpose(op)]
    return [Transpose(op, bytes_of(op.results[0]), *_demands(op)) for op in ops]


def least_transposes(module: ModuleOp) -> int:
    """Return the least number of transposes that the demands of a module leave, whatever layouts other ops have."""
    blocks = [block for function in functions(module) for block in nested_blocks(function.body.block)]
    count = 0
    for block in blocks:
        problem = Problem(LayoutCandidates(block, RULES)).labelling()
        count += len(list(problem.copies(solve(problem))))
    return count


def report(module: ModuleOp) -> Iterator[str]:
    """Yield the lines of the report."""
    transposes = transposes_of(module)
    total = sum(transpose.size for transpose in transposes)
    noun = "transpose" if len(transposes) == 1 else "transposes"
    yield f"{len(transposes)} {noun} of {total:,} bytes, at least {least_transposes(module)} for these demands"
    for index, transpose in enumerate(transposes, 1):
        order = ", ".join(map(str, permutation_of(transpose.op)))
        yield f"{index:3}. {transpose.op.operands[0].type} to [{order}], {transpose.size:,} bytes{_names(transpose.op)}"
        yield f"     from {transpose.source}"
        yield f"     for {transpose.target}"


def _demands(op: Operation) -> tuple[str, str]:
    """
    Return the nearest demands that a transpose separates.

    Without it its operand would have the layout of its result, or its result that of its operand: each side is followed
    through the ops that could, to the first that cannot.
    """
    permutation = permutation_of(op)
    plain = identity(len(permutation))
    return (
        _nearest_demand(op.operands[0], permutation, op),
        _nearest_demand(op.results[0], relative(permutation, plain), op),
    )


def _nearest_demand(value: SSAValue, order: Order, start: Operation) -> str:
    block = start.parent
    assert block is not None
    pending: deque[tuple[SSAValue, Order]] = deque([(value, order)])
    seen: set[tuple[SSAValue, Order]] = set()
    while pending:
        reached, wanted = pending.popleft()
        if (reached, wanted) in seen or is_constant(reached):
            continue
        seen.add((reached, wanted))
        if isinstance(reached, BlockArgument):
            return f"input %{reached.name_hint or reached.index}"
        for op, index in ends_of(reached, block):
            if op is start:
                continue
            if is_transpose(op):
                pending.extend(_across(op, index, wanted))
                continue
            followed = neighbours(op, index, wanted)
            if followed is None:
                return describe(op)
            pending.extend(followed)
    return "no demand"


def _across(op: Operation, index: int, order: Order) -> list[tuple[SSAValue, Order]]:
    if index == RESULT:
        return [(op.operands[0], composed(permutation_of(op), order))]
    return [(op.results[0], relative(permutation_of(op), order))] if index == 0 else []


def describe(op: Operation) -> str:
    """Return an op as text: its name, the properties that state its layout, the ONNX nodes that it implements."""
    if op.name in ("func.return", "scf.yield"):
        return "the results of the function" if op.name == "func.return" else "the results of a region"
    stated = [name for name in ("channels_last", "transpose_a", "transpose_b") if name in op.properties]
    stated += ["which keeps its axes in order"] if isinstance(op, VIEWS) else []
    return f"{op.name}{_names(op)}{''.join(f', {name}' for name in stated)}"


def _names(op: Operation) -> str:
    names = node_names(op)
    return f" '{names[0]}'" if names else ""
