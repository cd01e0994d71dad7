"""
Kernels on tiles know the kernel that they are a part of, so that it can be proved that they get the right tiles.

The attribute `hier.kernel` of a kernel on tiles holds the loop bounds of the whole kernel, and its access maps, its
fills and the shapes of its operands, in the order inputs, epilogue operands, outputs. What equals the kernel's own is
left out, here maps and fills:

    nn.matmul ins(%ta, %tb : ...) outs(%tc : ...)
        {accumulator = i32, hier.kernel = {bounds = array<i64: 16, 30, 64>, shapes = [array<i64: 16, 64>, ...]}}

A reduction that starts from an operand says which: `starts` is the map from the loops to its element, on `operand` of
that shape. Broadcast axes have the constant 0.

    hier.kernel = {..., starts = affine_map<(d0, d1, d2) -> (0, d1)>, operand = array<i64: 1, 64>}

Tiles are the right ones if there is one point x of the whole kernel's loops such that each operand's tile begins at
the element that the whole kernel accesses at x. The equations for x are solved one unknown at a time.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, TypeAlias, TypeVar, cast

from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, DenseArrayBase, DictionaryAttr, UnitAttr, i64
from xdsl.ir import Attribute, Operation

from ...dialects.core.analysis.affine_form import Linear, linear
from ...dialects.core.kernel import Access, Kernel, is_shaped
from ...dialects.core.kernel_op import KernelOp
from ...errors import Diagnostic
from ...ir import numbers_of, shape_of, where

ATTRIBUTE = "hier.kernel"

Forms: TypeAlias = "Sequence[Linear]"
"""Where a tile begins, per axis of the operand, as linear forms of the grid point."""
Number = TypeVar("Number", int, Linear)
"""Index where a tile begins: a number at one step, or a linear form of all grid points."""


def describe(whole: Kernel, part: Kernel) -> DictionaryAttr:
    """Return the attribute of `part`, a kernel on tiles of `whole`: the facts of the whole in which they differ."""
    own = _facts(part)
    return DictionaryAttr({name: fact for name, fact in _facts(whole).items() if fact != own[name]})


def _facts(kernel: Kernel) -> dict[str, Attribute]:
    accesses = accesses_of(kernel)
    maps = [AffineMapAttr(access.map) for access in accesses]
    fills = [UnitAttr() if access.fill is None else access.fill for access in accesses]
    shapes = [DenseArrayBase.from_list(i64, list(_shape(access))) for access in accesses]
    return {
        "bounds": DenseArrayBase.from_list(i64, list(kernel.bounds)),
        "maps": ArrayAttr(maps),
        "fills": ArrayAttr(fills),
        "shapes": ArrayAttr(shapes),
    }


def _shape(access: Access) -> tuple[int, ...]:
    return shape_of(access.value) if is_shaped(access.value) else ()


def accesses_of(kernel: Kernel) -> tuple[Access, ...]:
    """Return the accesses of a kernel in the order of its description."""
    return (*kernel.inputs, *kernel.extras, *kernel.outputs)


@dataclass(frozen=True)
class Equation:
    """
    `start[access][axis] + constant = sum of factor * x[dim]` over the terms, to be solved for the dimension `solve`.

    Where that is None, all dimensions are known, and it is a condition.
    """

    access: int
    axis: int
    constant: int
    terms: tuple[tuple[int, int], ...]
    solve: tuple[int, int] | None


@dataclass(frozen=True)
class Mismatch(Generic[Number]):
    """A tile that is not the one which the kernel needs: `access`, its axis, and where it should begin, if known."""

    access: int
    axis: int
    expected: Number | None


@dataclass(frozen=True)
class Part:
    """A kernel on tiles and the description of the whole kernel."""

    op: Operation
    kernel: Kernel
    bounds: tuple[int, ...]
    maps: tuple[tuple[Linear, ...], ...]
    fills: tuple[Attribute, ...]
    shapes: tuple[tuple[int, ...], ...]
    starts: tuple[tuple[Linear, ...], tuple[int, ...]] | None = None
    """Element of the operand that the sums start from, and its shape; None where they start from a constant."""

    @cached_property
    def accesses(self) -> tuple[Access, ...]:
        """The accesses of the kernel on tiles."""
        return accesses_of(self.kernel)

    @cached_property
    def inner(self) -> tuple[tuple[Linear, ...], ...]:
        """The access maps of the kernel on tiles as linear forms."""
        return tuple(access.forms for access in self.accesses)

    def uneven(self) -> tuple[int, int] | None:
        """Return an access, and an axis along which it moves otherwise than the whole kernel does, if there is one."""
        for index, (own, whole) in enumerate(zip(self.inner, self.maps, strict=True)):
            for axis, (a, b) in enumerate(zip(own, whole, strict=True)):
                if is_shaped(self.accesses[index].value) and self._moving(a) != self._moving(b):
                    return index, axis
        return None

    def _moving(self, form: Linear) -> dict[Any, int]:
        return {d: f for d, f in form.terms if not isinstance(d, int) or self.kernel.bounds[d] > 1}

    def keeps_padding(self, access: int, axis: int) -> bool:
        """Return whether a tile is all that there is of its operand along an axis, so that the kernel may leave it."""
        whole = all(self.kernel.bounds[d] == self.bounds[d] for d in self.maps[access][axis].dims())
        return whole and self.shapes[access][axis] == shape_of(self.accesses[access].value)[axis]

    def pads(self, access: int, axis: int) -> bool:
        """Return whether the kernel on tiles fills the padding along an axis by itself."""
        return self.accesses[access].fill is not None and self.keeps_padding(access, axis)

    @cached_property
    def cut_reductions(self) -> tuple[int, ...]:
        """The reduced loops that are cut."""
        return tuple(dim for dim in sorted(self.kernel.reduced) if not self.is_whole(dim))

    @cached_property
    def padded_reductions(self) -> tuple[int, ...]:
        """The reduced loops that the tile is longer than."""
        return tuple(dim for dim in sorted(self.kernel.reduced) if self.kernel.bounds[dim] > self.bounds[dim])

    @property
    def accumulates(self) -> bool:
        """Return whether the kernel adds to what its output holds."""
        return self.kernel.accumulates

    @property
    def initial(self) -> Attribute | None:
        """Initial value of the whole kernel's partial sums, None where it accumulates into its output."""
        reductions = self.op.core().reductions if isinstance(self.op, KernelOp) else self.kernel.reductions
        return reductions[0].initial[0] if len(reductions) == 1 and len(reductions[0].initial) == 1 else None

    def start_fault(
        self, source: Forms, sums: Forms, shape: Sequence[int], repeated: Collection[int], extents: Sequence[int]
    ) -> tuple[int, str] | None:
        """
        Return the first axis along which sums start from another element than the whole kernel's, and why.

        `source` and `sums` say where the tile of the operand and the tile of the output begin, in their whole shapes.
        Along `repeated` axes the tile, of these `extents`, has one element of the operand.
        """
        forms, operand = self.starts or ((), ())
        if tuple(shape) != operand:
            return 0, f"of an operand of {list(shape)}, of {list(operand)} in the whole kernel"
        for axis, form in enumerate(forms):
            if form == Linear():
                if extents[axis] > 1 and axis not in repeated:
                    return axis, "moves, which the whole kernel broadcasts"
                if source[axis] != Linear():
                    return axis, f"begins at {source[axis].constant}, the whole kernel broadcasts element 0"
                continue
            if axis in repeated:
                return axis, "is broadcast, the whole kernel's moves"
            if form != self.maps[-1][axis]:
                return axis, "moves otherwise than the output in the whole kernel, which tiles cannot"
            if source[axis] != sums[axis]:
                return axis, "begins elsewhere than the output's tile"
        return None

    def is_whole(self, dim: int) -> bool:
        """Return whether a tile is as large as the whole kernel along a loop, so that it begins at 0."""
        return self.kernel.bounds[dim] >= self.bounds[dim]

    def equations(self, accesses: Sequence[int], zero: Collection[int] = ()) -> list[Equation]:
        """
        Return the equations of those accesses, in an order in which they can be solved one after the other.

        Loops in `zero` are taken to begin at 0, as those are that are not cut.
        """
        whole = {d for d in range(len(self.bounds)) if self.is_whole(d)} | set(zero)
        solved, pending = set(whole), [(k, axis) for k in accesses for axis in range(len(self.maps[k]))]
        ordered: list[Equation] = []
        while True:
            ready = next(((k, a) for k, a in pending if len(self.maps[k][a].dims() - solved) <= 1), None)
            if ready is None:
                return ordered
            pending.remove(ready)
            ordered.append(self._equation(*ready, solved, whole))

    def _equation(self, access: int, axis: int, solved: set[int], whole: set[int]) -> Equation:
        form, own = self.maps[access][axis], self.inner[access][axis]
        terms = [(dim, factor) for dim, factor in form.terms if isinstance(dim, int)]
        if len(terms) < len(form.terms) and not form.dims() <= whole:
            raise Diagnostic("a division or remainder of an index that is cut cannot be proved", where=where(self.op))
        unknown = [(dim, factor) for dim, factor in terms if dim not in solved]
        solved |= {dim for dim, _ in unknown}
        solved_terms = tuple(
            (dim, factor) for dim, factor in terms if (dim, factor) not in unknown and dim not in whole
        )
        return Equation(access, axis, own.constant - form.constant, solved_terms, unknown[0] if unknown else None)


def part_of(op: Operation, kernel: Kernel) -> Part | None:
    """Return a kernel on tiles with its description; None for a kernel without one."""
    attribute = op.attributes.get(ATTRIBUTE)
    if attribute is None:
        return None
    if not isinstance(attribute, DictionaryAttr):
        raise Diagnostic(f"the attribute {ATTRIBUTE} is not a dictionary", where=where(op), found=str(attribute))
    table: Mapping[str, Attribute] = _facts(kernel) | dict(attribute.data)
    accesses = accesses_of(kernel)
    maps, fills, whole_shapes = (cast("ArrayAttr[Any]", table[name]).data for name in ("maps", "fills", "shapes"))
    bounds = numbers_of(table["bounds"])
    shapes = [(attr.data.num_dims, len(attr.data.results)) for attr in maps]
    expected = [(len(kernel.bounds), len(access.map.results)) for access in accesses]
    operands = tuple(numbers_of(shape) for shape in whole_shapes)
    ranks = [len(_shape(access)) for access in accesses]
    actual = (len(bounds), len(fills), shapes, [len(shape) for shape in operands])
    if actual != (len(kernel.bounds), len(accesses), expected, ranks):
        raise Diagnostic(
            f"the attribute {ATTRIBUTE} does not describe a kernel such as this",
            where=where(op),
            expected=f"{len(kernel.bounds)} bounds and, for each of {len(accesses)} operands, map, fill and shape",
        )
    forms = tuple(tuple(map(linear, attr.data.results)) for attr in maps)
    return Part(op, kernel, bounds, forms, tuple(fills), operands, _starts_of(op, table, len(operands[-1])))


def _starts_of(
    op: Operation, table: Mapping[str, Attribute], rank: int
) -> tuple[tuple[Linear, ...], tuple[int, ...]] | None:
    """Return the operand that the sums of a whole kernel start from, None where its description has none."""
    lead, operand = table.get("starts"), table.get("operand")
    if lead is None and operand is None:
        return None
    if not isinstance(lead, AffineMapAttr) or operand is None or len(lead.data.results) != rank:
        raise Diagnostic(
            f"the attribute {ATTRIBUTE} does not describe what the sums start from",
            where=where(op),
            expected=f"starts, a map to {rank} indices, and operand, the shape of what has them",
        )
    return tuple(linear(expr) for expr in lead.data.results), numbers_of(operand)


def solve(
    equations: Sequence[Equation], starts: Mapping[int, Sequence[Number]]
) -> dict[int, Number] | Mismatch[Number]:
    """
    Return the point x of the whole kernel at which tiles begin, in the loops that are cut, as far as it can be known;
    or the first tile that is not the one which the kernel needs.

    `starts` says, per access, where its tile begins. Accesses that come first pin x, so those that are likely to be
    right should.
    """
    x: dict[int, Number] = {}
    for equation in equations:
        start = starts[equation.access][equation.axis]
        rest = start + equation.constant
        for dim, factor in equation.terms:
            rest = rest + x[dim] * -factor
        if equation.solve is None:
            if rest not in (0, Linear()):
                return Mismatch(equation.access, equation.axis, start + rest * -1)
            continue
        dim, factor = equation.solve
        quotient = _quotient(rest, factor)
        if quotient is None:
            return Mismatch(equation.access, equation.axis, None)
        x[dim] = quotient
    return x


def _quotient(number: Number, factor: int) -> Number | None:
    """Return the exact quotient, None where there is a remainder."""
    if isinstance(number, int):
        return None if number % factor else number // factor
    if number.constant % factor or any(f % factor for _, f in number.terms):
        return None
    return Linear(tuple((a, f // factor) for a, f in number.terms), number.constant // factor)


def output_start(part: Part, access: int, x: Mapping[int, Number], zero: Number) -> tuple[Number, ...] | None:
    """Return the begin of an access's tile in the whole access, None where x is not known enough."""
    start: list[Number] = []
    for form, own in zip(part.maps[access], part.inner[access], strict=True):
        total = zero + (form.constant - own.constant)
        for dim, factor in form.terms:
            if isinstance(dim, int) and dim in x:
                total = total + x[dim] * factor
            elif not isinstance(dim, int) or not part.is_whole(dim):
                return None
        start.append(total)
    return tuple(start)
