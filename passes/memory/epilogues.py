"""Epilogues that transfers compute: the body of the transfer out of partial sums, and the bias that they start from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import (
    AffineMapAttr,
    DenseArrayBase,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    NoneAttr,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from ...dialects.core.analysis.affine_form import linear
from ...dialects.core.analysis.constants import constant_elements
from ...dialects.core.kernel import Access, Kernel
from ...dialects.core.machine.link import Link
from ...dialects.hier import YieldOp
from ...dialects.hier.capabilities import missing, needs_of_repeats
from ...dialects.quant import EntryOp
from ...ir import DenseAttr, array_of, collapsed_shape, dense, element_of, reassociation, shape_of
from ..loops.scalar import live_ops
from .views import VIEWS, reshape


@dataclass(frozen=True, eq=False)
class Bias:
    """
    Operand that the partial sums start from, instead of a summand of the epilogue.

    `value` has the rank of the output, extent 1 along the axes that it is constant along; it may be a detached view of
    an operand. `body` converts an element to the type of the sums, None if it has that type.
    """

    value: SSAValue
    map: AffineMap
    """Element of `value` at a point of the kernel's loops."""
    body: Region | None

    @property
    def view(self) -> Operation | None:
        """The view of the operand, None if it is the operand itself."""
        owner = self.value.owner
        return owner if isinstance(owner, Operation) and owner.parent is None else None

    @property
    def constant_axes(self) -> tuple[int, ...]:
        """Axes along which the bias does not vary."""
        return tuple(axis for axis, expr in enumerate(self.map.results) if not linear(expr).terms)

    @property
    def access(self) -> Access:
        """Access of the kernel's loops to the bias."""
        return Access(self.value, self.map)

    def description(self) -> dict[str, Attribute]:
        """Return the entries of `hier.kernel` for the initial values of the sums."""
        return {"starts": AffineMapAttr(self.map), "operand": DenseArrayBase.from_list(i64, list(shape_of(self.value)))}


@dataclass(frozen=True, eq=False)
class TransferEpilogue:
    """Epilogue that the transfer of a kernel's results computes: `body` maps a sum of type `element` to a result."""

    element: Attribute
    body: Region
    bias: Bias | None = None

    def fault(self, link: Link) -> str:
        """Return why a link out cannot compute the epilogue, empty if it can."""
        return _fault(link, self.body, {})

    def start_fault(self, link: Link) -> str:
        """Return why a link in cannot bring the bias to the sums, empty if it can."""
        if self.bias is None:
            return ""
        needs = needs_of_repeats(self.bias.constant_axes, len(self.bias.map.results))
        return _fault(link, self.bias.body, needs)


def _fault(link: Link, body: Region | None, needs: Mapping[str, str]) -> str:
    lacking = missing(body, needs, link)
    return f"the link '{link.name}' cannot '{lacking[0]}' ({lacking[1]})" if lacking is not None else ""


def transfer_epilogue(kernel: Kernel) -> TransferEpilogue | str:
    """
    Return the epilogue of a reduction as the body of a transfer, or the reason why it is none.

    An operand that the epilogue adds to the sums first is their start. A constant that varies along one axis of the
    results alone is a table, looked up by the element's index. Other operands vary by element: a body has none.
    """
    (reduction,) = kernel.reductions
    if kernel.epilogue is None or reduction.initial[0] is None or not _is_zero(reduction.initial[0]):
        return "its sums have no epilogue, or do not start from zero"
    source = kernel.epilogue
    element = source.args[0].type
    added, extra = _bias_of(kernel, source)
    ops, used = live_ops(source)
    skipped = set[Operation]()
    if added is not None:
        skipped = {added, *(op for value in added.operands if isinstance(op := value.owner, arith.ExtSIOp))}
    tables = dict[SSAValue, _AxisConstant]()
    for position, arg in enumerate(source.args[1:]):
        if arg in used and any(use.operation not in skipped for use in arg.uses):
            table = _table_of(kernel, kernel.extras[position])
            if table is None:
                shape = list(shape_of(kernel.extras[position].value))
                return f"operand {position} of its epilogue, of shape {shape}, varies"
            tables[arg] = table
    rank = len(shape_of(kernel.outputs[0].value))
    block = Block(arg_types=[element, *([IndexType()] * rank if tables else [])])
    mapping: dict[SSAValue, SSAValue] = {source.args[0]: block.args[0]}
    for arg, table in tables.items():
        block.add_op(entry := EntryOp(block.args[1 + table.axis], table.entries))
        mapping[arg] = entry.result
    for op in ops:
        if op in skipped:
            mapping[op.results[0]] = block.args[0]
        elif op.regions or len(op.results) != 1:
            return f"'{op.name}' of its epilogue is no scalar op"
        else:
            block.add_op(op.clone(value_mapper=mapping))
    last = source.last_op
    assert last is not None
    block.add_op(YieldOp(mapping[last.operands[0]]))
    for op in reversed(list(block.ops)):
        if isinstance(op, arith.ConstantOp) and not op.result.uses:
            op.detach()
            op.erase()
    return TransferEpilogue(element, Region(block), None if extra is None else _as_start(kernel, extra, element))


class _AxisConstant(NamedTuple):
    """Constant that varies along one axis of the results: its elements in the order of the axis."""

    axis: int
    entries: DenseAttr


def _table_of(kernel: Kernel, extra: Access) -> _AxisConstant | None:
    """Return an operand of the epilogue as a table, None if it is no constant or varies along more than an axis."""
    shape_and_map = _start_shape(kernel, extra)
    constant = constant_elements(extra.value)
    if shape_and_map is None or constant is None:
        return None
    axes = [axis for axis, expr in enumerate(shape_and_map[1]) if linear(expr).terms]
    if len(axes) != 1:
        return None
    return _AxisConstant(axes[0], dense(array_of(constant).reshape(-1), element_of(extra.value)))


def _bias_of(kernel: Kernel, source: Block) -> tuple[Operation | None, Access | None]:
    """
    Return the addition of an operand to the sums that they may start from, and its access; None if there is none.

    Floats are then added in another order: it is that of the machine's engine anyway.
    """
    uses = list(source.args[0].uses)
    op = uses[0].operation if len(uses) == 1 else None
    if not isinstance(op, arith.AddiOp | arith.AddfOp):
        return None, None
    other = op.rhs if op.lhs is source.args[0] else op.lhs
    inner = other.owner.input if isinstance(other.owner, arith.ExtSIOp) else other
    if inner not in source.args[1:] or len(list(inner.uses)) != 1 or len(list(other.uses)) != 1:
        return None, None
    extra = kernel.extras[source.args.index(inner) - 1]
    return (None, None) if _start_shape(kernel, extra) is None else (op, extra)


def _start_shape(kernel: Kernel, extra: Access) -> tuple[list[int], list[AffineExpr]] | None:
    """
    Return the shape of a start of the sums with the output's rank and its map; None if no reshape gives it that rank.

    Constants and arguments only: a buffer may be resident in a level that no link joins with the sums.
    """
    output = kernel.outputs[0]
    whole, own = shape_of(output.value), shape_of(extra.value)
    if not _is_far(extra.value) or len(own) > len(whole):
        return None
    axes = {expr: axis for axis, expr in enumerate(output.map.results)}
    shape, exprs = [1] * len(whole), [AffineExpr.constant(0)] * len(whole)
    for extent, expr in zip(own, extra.map.results, strict=True):
        form = linear(expr)
        if not form.terms and extent == 1 and not form.constant:
            continue
        axis = axes.get(expr)
        if axis is None or extent != whole[axis]:
            return None
        if any(exprs[later] != AffineExpr.constant(0) for later in range(axis, len(whole))):
            return None
        shape[axis], exprs[axis] = extent, output.map.results[axis]
    collapsed = collapsed_shape(shape, _groups(shape, own))
    return (shape, exprs) if tuple(shape) == own or collapsed == list(own) else None


def _groups(shape: Sequence[int], own: Sequence[int]) -> list[list[int]]:
    """Return the axes of a shape that each axis of a shape of lower rank expands to: the first ones to its first."""
    if not own:
        return []
    lead = len(shape) - len(own) + 1
    return [list(range(lead)), *([axis] for axis in range(lead, len(shape)))]


def _as_start(kernel: Kernel, extra: Access, element: Attribute) -> Bias:
    """Return an operand of the epilogue as the start of the sums."""
    shape_and_map = _start_shape(kernel, extra)
    assert shape_and_map is not None
    shape, exprs = shape_and_map
    body = None
    if (narrow := element_of(extra.value)) != element:
        block = Block(arg_types=[narrow])
        block.add_ops([wide := arith.ExtSIOp(block.args[0], cast(IntegerType, element)), YieldOp(wide.result)])
        body = Region(block)
    value = extra.value
    if tuple(shape) != shape_of(value):
        groups = _groups(shape, shape_of(value))
        value = reshape(extra.value, shape, reassociation(groups)).results[0]
    return Bias(value, AffineMap(len(kernel.bounds), 0, tuple(exprs)), body)


def _is_far(value: SSAValue) -> bool:
    """Return whether a buffer is a constant or an argument in the far level, or a view of one."""
    if not isinstance(cast(MemRefType[Any], value.type).memory_space, NoneAttr):
        return False
    while isinstance(value.owner, VIEWS):
        value = value.owner.operands[0]
    return isinstance(value.owner, Block | memref.GetGlobalOp)


def _is_zero(initial: Attribute) -> bool:
    return isinstance(initial, IntegerAttr | FloatAttr) and not initial.value.data
