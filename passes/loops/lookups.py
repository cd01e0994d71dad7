"""Lookup tables of scalar code, as constants in memory."""

from __future__ import annotations

from typing import Any, cast

from xdsl.dialects import arith, func, memref
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    IndexType,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    StringAttr,
    UnitAttr,
)
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ...dialects.core.nesting import nested_ops
from ...dialects.quant import ENTRIES, EntryOp, LookupOp
from ...ir import symbol_names


def expand_lookups(module: ModuleOp) -> None:
    """Convert the table of each `quant.lookup` and `quant.entry` to a constant, equal ones shared, and load from it."""
    symbols: dict[Any, str] = {}
    taken = symbol_names(module.body.block)
    for function in [op for op in module.body.block.ops if isinstance(op, func.FuncOp) and op.body.blocks]:
        tables: dict[str, SSAValue] = {}
        for op in [op for op in nested_ops(function) if isinstance(op, LookupOp | EntryOp)]:
            _read(op, tables, function, _named(op, symbols, taken, module))


def _named(op: LookupOp | EntryOp, symbols: dict[Any, str], taken: set[str], module: ModuleOp) -> str:
    """Return the symbol of a table's constant."""
    table = cast("DenseIntOrFPElementsAttr[Any]", op.table)
    if table not in symbols:
        number = len(symbols)
        while f"table_{number}" in taken:
            number += 1
        symbols[table] = f"table_{number}"
        taken.add(symbols[table])
        constant = memref.GlobalOp.get(
            StringAttr(symbols[table]),
            MemRefType(table.get_element_type(), table.get_shape()),
            table,
            sym_visibility=StringAttr("private"),
            constant=UnitAttr(),
        )
        constant.location = op.location
        assert module.body.block.first_op is not None
        Rewriter.insert_op(constant, InsertPoint.before(module.body.block.first_op))
    return symbols[table]


def _read(op: LookupOp | EntryOp, tables: dict[str, SSAValue], function: func.FuncOp, name: str) -> None:
    if name not in tables:
        table = cast("DenseIntOrFPElementsAttr[Any]", op.table)
        type = MemRefType(table.get_element_type(), table.get_shape())
        tables[name] = _emit(memref.GetGlobalOp(name, type), op, InsertPoint.at_start(function.body.blocks[0]))
        tables[name].name_hint = "table"
    place = op.index if isinstance(op, EntryOp) else _place(op)
    load = memref.LoadOp.get(tables[name], [place])
    load.location = op.location
    Rewriter.replace_op(op, load)


def _place(op: LookupOp) -> SSAValue:
    """Insert the number of a byte's entry."""
    here = InsertPoint.before(op)
    number = _emit(arith.IndexCastOp(op.x, IndexType()), op, here)
    first = _emit(arith.ConstantOp(IntegerAttr(ENTRIES // 2, IndexType())), op, here)
    return _emit(arith.AddiOp(number, first), op, here)


def _emit(new: Operation, op: Operation, where: InsertPoint) -> SSAValue:
    new.location = op.location
    Rewriter.insert_op(new, where)
    return new.results[0]
