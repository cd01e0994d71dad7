"""
Named values: which elements of which values of the whole network the bytes of memory hold, during a walk.

A kernel that is split over instances states what it is a part of by the attribute `hier.values`:

    hier.values = {begin = affine_map<(d0, d1) -> (d1 * 4, 0)>,
                   reads = [["arg0", affine_map<(d0, d1) -> (d0 * 8 + d1)>], unit], writes = [unit, ["%2.v4:1", ...]]}

`begin` maps the coordinates of the instance to the point of the whole kernel's loops at which it begins. For each
operand, `reads` and `writes` have the name of a value, and the map from the loops of the whole kernel, or from the
indices of the operand of another op, to the number of the element; `unit` where nothing is stated. Function arguments
are `arg0`, `arg1`, ..., globals `@name`. The same attribute of a function says which value each buffer holds at the
end.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias, cast

import numpy as np
from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, DictionaryAttr, StringAttr, UnitAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from ...dialects.core.analysis.affine_form import linear
from ...dialects.core.kernel import is_kernel, is_shaped, kernel_of
from ...dialects.core.nesting import nested_ops
from ...dialects.hier.programs import program_of
from ...errors import Diagnostic
from ...ir import Array, element_of, numpy_type, shape_of, where
from .program_point import ProgramPoint
from .regions import Buffer, Memory, Region
from .rules import listed, name_of, refuse

ATTRIBUTE = "hier.values"
DType: TypeAlias = "np.dtype[Any]"


def statement(name: str, element: AffineExpr, loops: int) -> ArrayAttr[Attribute]:
    """Return the entry for an operand: the name of a value, and the number of the element at a point of the loops."""
    return ArrayAttr([StringAttr(name), AffineMapAttr(AffineMap(loops, 0, (element,)))])


def stated_values(
    begin: AffineMap, reads: Sequence[Attribute | None], writes: Sequence[Attribute | None]
) -> DictionaryAttr:
    """Return the attribute of an op, with an entry for each operand, or None."""
    return DictionaryAttr({"begin": AffineMapAttr(begin), "reads": _entries(reads), "writes": _entries(writes)})


def _entries(values: Sequence[Attribute | None]) -> ArrayAttr[Attribute]:
    return ArrayAttr([UnitAttr() if value is None else value for value in values])


def loops_of(op: Operation) -> list[tuple[AffineMap, tuple[int, ...]]] | None:
    """
    Return, for each operand of an op, its access map and the bounds of the loops.

    Those of a kernel, or the indices of the operand of another op. None for a kernel with other accesses.
    """
    if not is_kernel(op):
        shapes = [tuple(shape_of(operand)) if is_shaped(operand) else () for operand in op.operands]
        return [(AffineMap.identity(len(shape)), shape) for shape in shapes]
    kernel = kernel_of(op)
    inputs = kernel.inputs[: len(op.operands) - len(kernel.extras) - len(kernel.outputs)]
    accesses = [*inputs, *kernel.extras, *kernel.outputs]
    if [access.value for access in accesses] != list(op.operands):
        return None
    return [(access.map, tuple(kernel.bounds)) for access in accesses]


def element_table(
    map: AffineMap, bounds: Sequence[int], shape: Sequence[int], element: AffineExpr, begin: Sequence[int]
) -> Array:
    """
    Return, for each element of an operand, the number of the element of the whole value, -1 where none is accessed.

    `map` leads from the kernel's own loops to the operand, `element` from the whole kernel's, whose point `begin`
    is the kernel's first one. Raises ValueError where two points disagree.
    """
    used = set(element.used_dims()).union(*(expr.used_dims() for expr in map.results))
    dims = [dim for dim in sorted(used) if bounds[dim] > 1]
    sizes = [bounds[dim] for dim in dims]
    own: list[Any] = [0] * len(bounds)
    for axis, dim in enumerate(dims):
        own[dim] = np.arange(bounds[dim]).reshape([-1 if other == axis else 1 for other in range(len(dims))])
    whole = np.broadcast_to(element.eval([a + b for a, b in zip(own, begin, strict=True)], []), sizes)
    place, is_inside = np.zeros(sizes, np.int64), np.ones(sizes, np.bool_)
    for expr, size in zip(map.results, shape, strict=True):
        index = expr.eval(own, [])
        place = place * size + index
        is_inside &= np.broadcast_to((0 <= np.asarray(index)) & (np.asarray(index) < size), sizes)
    numbers = np.full(int(np.prod(shape, dtype=np.int64)), -1, np.int64)
    numbers[place[is_inside]] = whole[is_inside]
    if not np.array_equal(numbers[place[is_inside]], whole[is_inside]):
        raise ValueError("two points of the kernel access one element of the operand, and two of the whole value")
    return numbers.reshape(tuple(shape))


@dataclass
class _Entry:
    """Statement about an operand of an op, and the numbers of its bytes where the kernel begins at `first`."""

    operand: int
    name: str
    map: AffineMap
    bounds: tuple[int, ...]
    element: AffineExpr
    first: tuple[int, ...] | None = None
    numbers: Array = field(default_factory=lambda: np.zeros(0, np.int32))
    """By element and byte."""
    misses: Array | None = None
    """The elements that are not accessed, None where all are."""

    def begin(self, op: Operation, begin: tuple[int, ...], base: int, item: int, kind: DType) -> int:
        """Compute the numbers, as far as the point does not only move them; return by how much it does."""
        form = linear(self.element)
        if self.first is not None and not form.divides:
            steps = ((factor, dim) for dim, factor in form.terms if isinstance(dim, int))
            return item * sum(factor * (begin[dim] - self.first[dim]) for factor, dim in steps)
        shape = shape_of(op.operands[self.operand])
        try:
            table = element_table(self.map, self.bounds, shape, self.element, begin)
        except ValueError as error:
            raise _malformed(op, str(error)) from error
        misses = (table < 0)[..., None]
        self.first, self.misses = begin, misses if misses.any() else None
        self.numbers = ((table * item + base)[..., None] + np.arange(item)).astype(kind)
        return 0


@dataclass
class _Stated:
    """Statement of an op."""

    begin: AffineMap
    reads: list[_Entry]
    writes: list[_Entry]


def _malformed(op: Operation, actual: str) -> Diagnostic:
    return Diagnostic(
        f"the attribute {ATTRIBUTE} does not describe this op",
        where=where(op),
        expected="begin, a map from coordinates to loops, reads and writes, for each operand unit or [name, map]",
        found=actual,
    )


def _stated_of(op: Operation) -> _Stated:
    """Return the statement of an op. Raises Diagnostic for one that does not fit."""
    table = cast("dict[str, Attribute]", getattr(op.attributes[ATTRIBUTE], "data", {}))
    begin = table.get("begin")
    loops = loops_of(op)
    if loops is None or not isinstance(begin, AffineMapAttr):
        raise _malformed(op, str(begin))
    sides: list[list[_Entry]] = []
    for name in ("reads", "writes"):
        side = table.get(name)
        if not isinstance(side, ArrayAttr) or len(cast("ArrayAttr[Attribute]", side).data) != len(op.operands):
            raise _malformed(op, f"{name} of another number of operands")
        sides.append([])
        for index, statement in enumerate(cast("ArrayAttr[Any]", side).data):
            if isinstance(statement, UnitAttr):
                continue
            pair = cast("ArrayAttr[Attribute]", statement).data if isinstance(statement, ArrayAttr) else ()
            value, element = pair if len(pair) == 2 else (None, None)
            if not isinstance(value, StringAttr) or not isinstance(element, AffineMapAttr):
                raise _malformed(op, f"{name} of operand {index}")
            map, bounds = loops[index]
            if element.data.num_dims != len(bounds) or len(begin.data.results) not in (0, len(bounds)):
                raise _malformed(op, str(element))
            sides[-1].append(_Entry(index, value.data, map, bounds, element.data.results[0]))
    return _Stated(begin.data, *sides)


class Values:
    """Named values in memory during a walk. Raises Diagnostic where an op reads another value than it states."""

    def __init__(self, function: FuncOp, point: ProgramPoint):
        self._point = point
        self._stated = {op: _stated_of(op) for op in nested_ops(function.body) if ATTRIBUTE in op.attributes}
        self._ends = _ends_of(function)
        self._names = [""]
        self._first = [0, 1]
        """The number of the first byte of each value, and the one after all; 0 is that of bytes of no named value."""
        self._numbers: dict[str, int] = {}
        sizes: dict[str, int] = {}
        for op, stated in self._stated.items():
            for entry in (*stated.reads, *stated.writes):
                size = _last_element(op, stated, entry) * _item(op.operands[entry.operand])
                sizes[entry.name] = max(sizes.get(entry.name, 0), size)
        for name, size in (dict.fromkeys(self._ends.values(), 0) | sizes).items():
            self._name(name, size)
        self._type = np.dtype(np.int32 if self._first[-1] <= np.iinfo(np.int32).max else np.int64)
        self._tables: dict[Memory, Array] = {}
        self._initial: dict[Memory, str] = {}

    @property
    def are_stated(self) -> bool:
        """Return whether an op states what it reads."""
        return bool(self._stated)

    def _name(self, name: str, size: int) -> int:
        """Return the number of the first byte of a value of that size in bytes, at the first call."""
        if name not in self._numbers:
            self._numbers[name] = self._first[-1]
            self._names.append(name)
            self._first.append(self._first[-1] + size)
        return self._numbers[name]

    def begin(self, arguments: Sequence[Any]) -> None:
        """Note the arguments of the function."""
        for index, argument in enumerate(arguments):
            if isinstance(argument, Buffer):
                self._initial[argument.memory] = f"arg{index}"

    def copy(self, source: Region, target: Region) -> None:
        """Note that the elements of a region have been copied to another one, repeated along axes of extent 1."""
        same = source.array.dtype == target.array.dtype and source.array.ndim == target.array.ndim
        if not same or self._point.paths or source.blocks is not None or target.blocks is not None:
            self.forget(target)
            return
        numbers = self._held(source)
        if numbers is None:
            self.forget(target)
            return
        self._of(target)[...] = numbers

    def forget(self, region: Region) -> None:
        """Note that a region holds no named value any more."""
        if region.array.size and (region.memory in self._tables or self._name_of(region.memory) is not None):
            self._of(region)[...] = 0

    def check(self, op: Operation, buffers: Sequence[Any]) -> None:
        """Check that the operands of an op hold the values that it states."""
        stated = self._stated.get(op)
        if stated is None:
            return
        begin = self._begin(op, stated)
        for entry in stated.reads:
            buffer = cast(Buffer, buffers[entry.operand])
            item = buffer.array.itemsize
            moved = entry.begin(op, begin, self._numbers[entry.name], item, self._type)
            numbers = self._held(buffer) if not buffer.by_data else None
            if numbers is None:
                numbers = np.zeros(entry.numbers.shape, self._type)
            wrong = numbers - entry.numbers != moved
            if entry.misses is not None:
                wrong &= ~entry.misses
            if wrong.any():
                at = tuple(int(i) for i in np.argwhere(wrong)[0])
                raise self._wrong(op, entry, at, int(entry.numbers[at]) + moved, int(numbers[at]), item)

    def leave(self, op: Operation, buffers: Sequence[Any], before: Sequence[Array | None]) -> None:
        """Note the values that an op leaves in its operands, of which it has written a part each; see `before`."""
        stated = self._stated.get(op)
        if stated is None or self._point.paths:
            return
        begin = self._begin(op, stated)
        for entry, old in zip(stated.writes, before, strict=True):
            buffer = cast(Buffer, buffers[entry.operand])
            if buffer.by_data or buffer.blocks is not None:
                continue
            moved = entry.begin(op, begin, self._numbers[entry.name], buffer.array.itemsize, self._type)
            numbers = self._of(buffer)
            np.add(entry.numbers, moved, out=numbers)
            if entry.misses is not None:
                np.copyto(numbers, 0 if old is None else old, where=entry.misses)

    def before(self, op: Operation, buffers: Sequence[Any]) -> list[Array | None]:
        """Return the numbers of the operands that an op writes, None for those that it writes all elements of."""
        stated = self._stated.get(op)
        before: list[Array | None] = []
        for entry in stated.writes if stated is not None else ():
            buffer = cast(Buffer, buffers[entry.operand])
            entry.begin(
                op, self._begin(op, cast(_Stated, stated)), self._numbers[entry.name], buffer.array.itemsize, self._type
            )
            numbers = self._held(buffer) if entry.misses is not None else None
            before.append(numbers.copy() if numbers is not None else None)
        return before

    def finish(self, function: FuncOp, memories: Sequence[Memory], arguments: Sequence[Any]) -> None:
        """Check that buffers hold, at the end, the values that the function states."""
        by_name = {memory.name: memory for memory in memories if memory.name.startswith("@")}
        by_name |= {f"arg{n}": argument.memory for n, argument in enumerate(arguments) if isinstance(argument, Buffer)}
        for place, name in self._ends.items():
            memory = by_name.get(place)
            if memory is None:
                continue
            region = Region(memory, memory.array)
            numbers, first = self._held(region), self._numbers[name]
            wanted = first + np.arange(memory.size).reshape(*memory.array.shape, memory.array.itemsize)
            wrong = np.argwhere(wanted != (0 if numbers is None else numbers))
            if not wrong.size:
                continue
            *element, byte = (int(i) for i in wrong[0])
            number = int(numbers[(*element, byte)]) if numbers is not None else 0
            raise refuse(
                "whole-kernel",
                f"the buffer {memory.name} holds another value at the end than the function states",
                function,
                [f"element {listed(element)} of {memory.name}"],
                found=f"{self._text(number, memory.array.itemsize)}, not '{name}'",
                remedy="transfer each part of the value to its place",
            )

    def _begin(self, op: Operation, stated: _Stated) -> tuple[int, ...]:
        """Return the point of the whole kernel's loops at which an op begins."""
        point = self._point.programs.point if self._point.programs is not None else ()
        if not stated.begin.results:
            return (0,) * max((len(entry.bounds) for entry in (*stated.reads, *stated.writes)), default=0)
        if len(point) != stated.begin.num_dims:
            raise _malformed(op, f"a program of {len(point)} coordinates")
        return tuple(expr.eval(point, []) for expr in stated.begin.results)

    def _wrong(
        self, op: Operation, entry: _Entry, at: tuple[int, ...], wanted: int, actual: int, item: int
    ) -> Exception:
        """Return the refusal of an op that reads another byte than it states; `at` is the element and the byte."""
        programs = self._point.programs
        needed = (wanted - self._numbers[entry.name]) // item
        return self._point.refuse(
            "whole-kernel",
            op,
            f"{name_of(op, entry.operand)} of '{op.name}' is not the part of '{entry.name}' that it computes on",
            f"element {listed(at[:-1])}",
            found=f"{self._text(actual, item)}, where element {needed} of '{entry.name}' is needed",
            remedy="bring the part that the instance computes on",
            programs=[programs.names[programs.current]] if programs is not None else [],
        )

    def _text(self, number: int, item: int) -> str:
        """Return the element of a named value for messages."""
        index = bisect_right(self._first, number) - 1
        if not number or index >= len(self._names):
            return "no named value"
        return f"element {(number - self._first[index]) // item} of '{self._names[index]}'"

    # Bytes

    def _name_of(self, memory: Memory) -> str | None:
        """Return the name of what a memory holds at the begin of the program, None where nobody asks for it."""
        name = self._initial.get(memory, memory.name if memory.name.startswith("@") else "")
        return name if memory.initial and name in self._numbers else None

    def _held(self, region: Region) -> Array | None:
        """Return the numbers of the bytes that a region holds, by element and byte; None where it holds no value."""
        if region.memory in self._tables:
            return region.within(self._tables[region.memory], 0)
        name = self._name_of(region.memory)
        if name is None:
            return None
        numbers: Array = np.asarray(self._numbers[name] + region.low, self._type)
        steps = zip((*region.array.shape, region.array.itemsize), (*region.array.strides, 1), strict=True)
        for size, stride in steps:
            numbers = np.add.outer(numbers, np.arange(size, dtype=self._type) * stride)
        return numbers

    def _of(self, region: Region) -> Array:
        """Return the table of the bytes of a region, to be changed."""
        table = self._tables.get(region.memory)
        if table is None:
            name = self._name_of(region.memory)
            table = np.zeros(region.memory.size, self._type)
            if name is not None:
                table[...] = np.arange(self._numbers[name], self._numbers[name] + region.memory.size)
            self._tables[region.memory] = table
        return region.within(table, 0)


def _last_element(op: Operation, stated: _Stated, entry: _Entry) -> int:
    """Return the number of elements of a value up to the last that an op accesses, in any instance."""
    program = program_of(op)
    ends = [(0, a + b - 1) for a, b in zip(program.first, program.extents, strict=True)] if program is not None else []
    if len(ends) < stated.begin.num_dims:
        raise _malformed(op, f"a program of {len(ends)} coordinates")
    begins = [linear(expr).ends(ends.__getitem__)[1] for expr in stated.begin.results] or [0] * len(entry.bounds)
    loops = [(0, n + at - 1) for n, at in zip(entry.bounds, begins, strict=True)]
    return max(0, linear(entry.element).ends(loops.__getitem__)[1]) + 1


def _item(value: SSAValue) -> int:
    """Return the bytes of an element of a buffer."""
    return np.dtype(numpy_type(element_of(value))).itemsize


def _ends_of(function: FuncOp) -> dict[str, str]:
    """Return the values that buffers hold at the end of a function, by buffer."""
    stated = function.attributes.get(ATTRIBUTE)
    if stated is None:
        return {}
    table = cast("dict[str, Attribute]", getattr(stated, "data", {}))
    if not isinstance(stated, DictionaryAttr) or not all(isinstance(value, StringAttr) for value in table.values()):
        raise Diagnostic(
            f"the attribute {ATTRIBUTE} of the function does not name values",
            where=where(function),
            expected='{arg1 = "arg1:1", ...}',
            found=str(stated),
        )
    return {place: cast(StringAttr, name).data for place, name in table.items()}
