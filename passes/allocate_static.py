"""One static arena in place of allocations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects import arith, func, memref
from xdsl.dialects.builtin import IndexType, IntegerAttr, ModuleOp, StringAttr, UnitAttr, i8, i64
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ..errors import Diagnostic
from ..ir import functions, where
from .core.arena import Lifetime, Placement, place
from .core.base import Pass
from .core.views import buffer_type, bytes_of

_VIEWS = (
    memref.SubviewOp,
    memref.ViewOp,
    memref.CollapseShapeOp,
    memref.ExpandShapeOp,
    memref.ReinterpretCastOp,
    memref.CastOp,
)


def lifetimes(function: func.FuncOp) -> list[tuple[memref.AllocOp, Lifetime]]:
    """Return the allocations of a function with the steps (ops of the body) from first to last use, views included."""
    steps = {op: index for index, op in enumerate(function.body.block.ops)}
    found: list[tuple[memref.AllocOp, Lifetime]] = []
    for op in function.body.walk():
        if isinstance(op, memref.AllocOp):
            used = sorted({steps[_ancestor(user, steps)] for user in _users(op.results[0])})
            first, last = (used[0], used[-1]) if used else (steps[_ancestor(op, steps)],) * 2
            name = op.results[0].name_hint or f"buffer_{len(found)}"
            found.append((op, Lifetime(name, bytes_of(op.results[0].type), first, last)))
    return found


def _ancestor(op: Operation, steps: dict[Operation, int]) -> Operation:
    """Return the op of the function's body that holds `op`."""
    while op not in steps:
        parent = op.parent_op()
        assert parent is not None
        op = parent
    return op


def _users(value: SSAValue) -> list[Operation]:
    """Return the ops that touch a buffer, through views too; making a view is no touch."""
    users: list[Operation] = []
    for use in value.uses:
        if isinstance(use.operation, _VIEWS):
            users += _users(use.operation.results[0])
        elif isinstance(use.operation, func.ReturnOp):
            raise Diagnostic(
                "a buffer that the function returns cannot be static",
                where=where(use.operation),
                remedy="run bufferize",
            )
        else:
            users.append(use.operation)
    return users


def allocate_static(module: ModuleOp, function: func.FuncOp, alignment: int) -> None:
    """Replace the allocations of a function by views of one arena, apart wherever both are needed at once."""
    found = lifetimes(function)
    if not found:
        return
    placement = place([lifetime for _, lifetime in found], alignment)
    symbol = f"{function.sym_name.data}_arena"
    _define(module, symbol, placement, alignment)
    arena = memref.GetGlobalOp(symbol, buffer_type([placement.size], i8))
    first = function.body.block.first_op
    assert first is not None
    Rewriter.insert_op(arena, InsertPoint.before(first))
    for (op, lifetime), offset in zip(found, placement.offsets, strict=True):
        start = arith.ConstantOp(IntegerAttr(offset, IndexType()))
        view = memref.ViewOp(arena.results[0], start.result, [], cast(Any, op.results[0].type))
        view.attributes["tilewright.lifetime"] = StringAttr(f"{lifetime.first}..{lifetime.last}")
        start.location = view.location = op.location
        view.result.name_hint = op.results[0].name_hint
        Rewriter.insert_op(start, InsertPoint.before(op))
        Rewriter.replace_op(op, view)


def _define(module: ModuleOp, symbol: str, placement: Placement, alignment: int) -> None:
    if any(getattr(op, "sym_name", None) == StringAttr(symbol) for op in module.body.block.ops):
        raise Diagnostic(f"the module already has a '{symbol}'", remedy="run allocate-static once, after bufferize")
    kind = buffer_type([placement.size], i8)
    definition = memref.GlobalOp.get(StringAttr(symbol), kind, UnitAttr(), alignment=alignment)
    definition.attributes["tilewright.arena"] = UnitAttr()
    definition.attributes["tilewright.peak"] = IntegerAttr(placement.bound, i64)
    Rewriter.insert_op(
        definition, InsertPoint.before(next(op for op in module.body.block.ops if isinstance(op, func.FuncOp)))
    )


@dataclass(frozen=True)
class AllocateStaticPass(Pass):
    """
    Give every allocation an address in one static arena.

    Buffers that are never needed at the same time share memory. `alignment` is the bytes to which every address is a
    multiple.
    """

    name = "allocate-static"

    alignment: int = 16

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.alignment < 8 or self.alignment & (self.alignment - 1):
            raise Diagnostic(
                f"alignment {self.alignment} is not a power of two of at least 8", remedy="give 8, 16, 32, ..."
            )
        for function in functions(op):
            allocate_static(op, function, self.alignment)
