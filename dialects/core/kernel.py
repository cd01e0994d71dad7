"""
The one view of a structured kernel that interpreter, tiling, costs and loop generation share.

A kernel is a box of iteration points and, for every operand, an affine map from point to element. It runs in phases:

1. Each *reduction*, in order, folds all points of the box that differ only in the reduced dimensions into accumulators.
2. The *result* computes elements from the inputs and the finished accumulators, at the points that the output map tells
   apart (a softmax's output varies along the dimension that it reduces, a convolution's does not).
3. The *epilogue* (bias, requantisation, activation, residual) turns results and further operands into the output.

A `linalg.generic` is the special case of one reduction, or of a result alone; then the outputs' old elements count as
inputs too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import chain
from math import prod
from typing import TYPE_CHECKING, Any, TypeVar, cast

from xdsl.dialects.builtin import MemRefType, TensorType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap

from ...errors import Diagnostic
from ...ir import shape_of, where
from .analysis.affine_form import Linear, linear
from .nesting import nested_ops

if TYPE_CHECKING:
    from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation


@dataclass(frozen=True)
class Access:
    """
    Access of a kernel to one operand: at iteration point p the element `map(p)`; a scalar operand is itself everywhere.

    `fill` is the value read where the map leaves the operand; None where it never does.
    """

    value: SSAValue
    map: AffineMap
    fill: Attribute | None = None

    @cached_property
    def forms(self) -> tuple[Linear, ...]:
        """Affine form of each result of the map. Raises Diagnostic where one has none."""
        return tuple(linear(expr) for expr in self.map.results)

    @cached_property
    def dims(self) -> frozenset[int]:
        """Dimensions that the element depends on. Raises Diagnostic as `forms`."""
        return frozenset(dim for form in self.forms for dim in form.dims())

    def axis_of(self, dim: int) -> int:
        """Return the first axis whose index depends on a dimension of the iteration space, which one does."""
        return next(axis for axis, form in enumerate(self.forms) if dim in form.dims())


@dataclass(frozen=True)
class Reduction:
    """
    One fold over the reduced dimensions.

    `body` takes the input elements, the accumulators of earlier reductions and its own, and yields its own anew.
    An `initial` of None starts from the output's element as it stands.
    """

    initial: tuple[Attribute | None, ...]
    body: Block


@dataclass(frozen=True)
class Kernel:
    """A structured op in the view of this module's docstring; all shapes are static."""

    bounds: tuple[int, ...]
    reduced: frozenset[int]
    inputs: tuple[Access, ...]
    outputs: tuple[Access, ...]
    reductions: tuple[Reduction, ...] = ()
    result: Block | None = None
    """Takes the input elements and all accumulators; None where the accumulators are the result."""
    extras: tuple[Access, ...] = ()
    epilogue: Block | None = None
    """Takes the results and the elements of `extras`; None where the results are the output."""
    fill_is_neutral: bool = False
    """True if points at which an input is out of bounds leave the accumulators unchanged: loops may skip them."""
    furthest: int | None = None
    """Greatest distance of an element below the largest of its row that matters, as in a softmax; None for any."""
    im2col: bool = False
    """True if loops copy the window of each pixel before they multiply (im2col); the results are the same."""
    narrow_input: bool = False
    """True if the first input's numbers have the width of the second's packed ones, so that loops pack windows."""
    analyses: dict[Callable[[Kernel], Any], Any] = field(
        default_factory=dict[Callable[["Kernel"], Any], Any], init=False, repr=False, compare=False
    )
    """Results of the functions `per_kernel`."""

    @cached_property
    def output_dims(self) -> tuple[int, ...]:
        """The dimensions that the results vary along, in order."""
        used = set[int]().union(*(access.map.used_dims() for access in self.outputs))
        return tuple(d for d in range(len(self.bounds)) if d in used or d not in self.reduced)

    @cached_property
    def loop_names(self) -> tuple[str, ...]:
        """
        A name for each loop: a letter for its role, and a number that counts those of the role from 0.

        In a kernel that reduces, the reduced loops are `k`; of the others those are `m` that only the first input
        varies along, `n` those that only a later one does, `b` those along which both do, and `u` those along which
        none does. A matrix product is `m0 n0 k0`, after its batch `b0 ...`. A convolution over two spatial axes is `m0`
        (batch), `u0` (one group) or `b0` (several), `n0` (features), `m1 m2` (space), `k0` (channels), `k1 k2` (taps).
        In a kernel that reduces nothing, such as an addition, all loops are `p`.
        """
        counts: dict[str, int] = {}
        names: list[str] = []
        used = [access.map.used_dims() for access in self.read]
        for dim in range(len(self.bounds)):
            letter = _letter(dim, self, used)
            names.append(f"{letter}{counts.get(letter, 0)}")
            counts[letter] = counts.get(letter, 0) + 1
        return tuple(names)

    @property
    def read(self) -> tuple[Access, ...]:
        """The inputs without the outputs, which a `linalg.generic` reads too."""
        return tuple(access for access in self.inputs if not is_among(access, self.outputs))

    @cached_property
    def divided_dims(self) -> frozenset[int]:
        """The loops that occur in a division of an access: tiles span these loops and the whole axis."""
        forms = (form for access in (*self.inputs, *self.extras, *self.outputs) for form in access.forms)
        return frozenset(dim for form in forms if form.divides for dim in form.dims())

    @cached_property
    def shared_dims(self) -> frozenset[int]:
        """The loops that index an axis together with another loop of more than one step."""
        shared: set[int] = set()
        for form in chain.from_iterable(access.forms for access in (*self.inputs, *self.outputs)):
            dims = form.dims()
            moving = {dim for dim in dims if self.bounds[dim] > 1}
            shared |= {dim for dim in dims if moving - {dim}}
        return frozenset(shared)

    @cached_property
    def axis_pairs(self) -> tuple[tuple[int, tuple[int, ...]], ...]:
        """
        Per axis of an input or output indexed by several loops, the innermost of these and the others.

        These are parallel loops, and the reduced one of each group where an axis has several groups.
        """
        groups = (
            frozenset[int].intersection(*(access.dims for access in self.inputs)) if self.inputs else frozenset[int]()
        )
        pairs: list[tuple[int, tuple[int, ...]]] = []
        for access in (*self.inputs, *self.outputs):
            for form in (form for form in access.forms if not form.divides):
                terms = sorted((abs(f), cast(int, d)) for d, f in form.terms if self.bounds[cast(int, d)] > 1)
                parallel = [d for _, d in terms if d not in self.reduced or access in self.outputs]
                if len(parallel) > 1:
                    pairs.append((parallel[0], tuple(parallel[1:])))
                elif len(terms) > 1 and parallel and parallel[0] in groups - self.reduced:
                    pairs.append((terms[0][1], tuple(parallel)))
        return tuple(pairs)

    @cached_property
    def identity(self) -> AffineMap:
        """The identity map of the iteration space."""
        return AffineMap.identity(len(self.bounds))

    @property
    def captures(self) -> tuple[SSAValue, ...]:
        """Captured values of the scalar code: scalars, and tables of which it reads elements at computed indices."""
        blocks = [*(reduction.body for reduction in self.reductions), self.result, self.epilogue]
        inner = [op for block in blocks if block is not None for op in nested_ops(block)]
        own = {value for op in inner for value in op.results}
        own |= {value for block in blocks if block is not None for value in block.args}
        own |= {value for op in inner for region in op.regions for block in region.blocks for value in block.args}
        return tuple(dict.fromkeys(value for op in inner for value in op.operands if value not in own))

    @property
    def tables(self) -> tuple[SSAValue, ...]:
        """The tensors or buffers among the captures: any element of them may be read at any point."""
        return tuple(value for value in self.captures if is_shaped(value))

    @property
    def accumulates(self) -> bool:
        """Return whether a reduction starts from the old elements of the outputs."""
        return any(initial is None for reduction in self.reductions for initial in reduction.initial)

    @property
    def points(self) -> int:
        """The number of iteration points of a reduction."""
        return prod(self.bounds)


def _letter(dim: int, kernel: Kernel, used: list[set[int]]) -> str:
    if not kernel.reduced:
        return "p"
    if dim in kernel.reduced:
        return "k"
    first, later = bool(used) and dim in used[0], any(dim in dims for dims in used[1:])
    return {(True, True): "b", (True, False): "m", (False, True): "n", (False, False): "u"}[first, later]


_VIEWS: dict[type[Operation] | str, Callable[[Any], Kernel]] = {}
_REMEMBERED = "tilewright_kernel"
"""
The Python attribute in which an op keeps its view.

The view leads back to the op: in a table, with weak keys too, it would keep the op alive.
"""


@cache
def _view_of(op_class: type[Operation]) -> Callable[[Any], Kernel] | None:
    keys = (key for base in op_class.__mro__ for key in (base, f"{base.__module__}.{base.__qualname__}"))
    return next((_VIEWS[key] for key in keys if key in _VIEWS), None)


def kernel_view(*ops: type[Operation] | str) -> Callable[[Callable[[Any], Kernel]], Callable[[Any], Kernel]]:
    """
    Register a function as the kernel view of these op classes and their subclasses.

    A class whose dialect only the programs that have such ops should load is given by its module and name.
    """

    def register(view: Callable[[Any], Kernel]) -> Callable[[Any], Kernel]:
        _VIEWS.update(dict.fromkeys(ops, view))
        _view_of.cache_clear()
        return view

    return register


def is_kernel(op: Operation) -> bool:
    """Return whether an op is a structured kernel."""
    return _view_of(type(op)) is not None


def kernel_of(op: Operation) -> Kernel:
    """
    Return the kernel view of a structured op.

    Raises Diagnostic for other ops and for dynamic shapes.
    """
    view = _view_of(type(op))
    if view is None:
        raise Diagnostic(f"'{op.name}' is not a structured kernel", where=where(op))
    facts, memoised = _facts_of(op), vars(op).get(_REMEMBERED)
    if memoised is not None and memoised[0] == facts:
        return memoised[1]
    if any(extent < 0 for value in op.operands if is_shaped(value) for extent in shape_of(value)):
        raise Diagnostic(
            f"'{op.name}' has an operand of dynamic shape",
            where=where(op),
            expected="static shapes",
            remedy="give the inputs static shapes",
        )
    kernel = view(op)
    vars(op)[_REMEMBERED] = facts, kernel
    return kernel


def _facts_of(op: Operation) -> tuple[object, ...]:
    """Return the key that an op's view depends on, compared fast by identity."""
    operands = tuple(op.operands)
    blocks = tuple(block for region in op.regions for block in region.blocks)
    return operands, tuple(value.type for value in operands), dict(op.properties), blocks


def used_inputs(kernel: Kernel) -> list[Access]:
    """Return the accesses whose elements the scalar code of a kernel uses."""
    blocks = [reduction.body for reduction in kernel.reductions]
    blocks += [kernel.result] if kernel.result is not None else []
    used: list[Access] = []
    for number, access in enumerate(kernel.inputs):
        if any(block.args[number].uses for block in blocks):
            used.append(access)
    return [*used, *kernel.extras]


def is_among(access: Access, accesses: Iterable[Access]) -> bool:
    """Return whether an access itself is one of these; those of two operands are two, even if they are equal."""
    return any(access is other for other in accesses)


def reads_of(kernel: Kernel) -> list[SSAValue]:
    """Return the buffers that a kernel reads, its outputs included if it accumulates."""
    values = [access.value for access in used_inputs(kernel)]
    values += [access.value for access in kernel.outputs] if kernel.accumulates else []
    return [*values, *kernel.tables]


def is_shaped(value: SSAValue) -> bool:
    """Return whether a value is a tensor or memref."""
    return isinstance(value.type, TensorType | MemRefType)


_Property = TypeVar("_Property")


def per_kernel(analyse: Callable[[Kernel], _Property]) -> Callable[[Kernel], _Property]:
    """Memoise a function of kernels in the kernel: structural comparison costs more than most properties."""

    def remembered(kernel: Kernel) -> _Property:
        if analyse not in kernel.analyses:
            kernel.analyses[analyse] = analyse(kernel)
        return kernel.analyses[analyse]

    return remembered


@kernel_view("xdsl.dialects.linalg.abstract_ops.LinalgStructuredOperation")
def _structured_linalg(op: LinalgStructuredOperation) -> Kernel:
    maps = [attr.data for attr in op.get_indexing_maps()]
    iterators = [str(attr.data) for attr in op.get_iterator_types()]
    reduced = frozenset(d for d, kind in enumerate(iterators) if kind == "reduction")
    accesses = [Access(value, map) for value, map in zip(op.operands, maps, strict=True)]
    inputs, outputs = tuple(accesses[: len(op.inputs)]), tuple(accesses[len(op.inputs) :])
    bounds = bounds_from(accesses, len(iterators), op)
    body = op.body.block
    if reduced:
        initial = (None,) * len(outputs)
        return Kernel(bounds, reduced, inputs, outputs, reductions=(Reduction(initial, body),))
    return Kernel(bounds, reduced, (*inputs, *outputs), outputs, result=body)


def bounds_from(accesses: list[Access], count: int, op: Operation) -> tuple[int, ...]:
    """Return the loop bounds that make every operand covered, from the maps that name a dimension by itself."""
    bounds: dict[int, int] = {}
    for access in accesses:
        if not is_shaped(access.value):
            continue
        for expr, extent in zip(access.map.results, shape_of(access.value), strict=True):
            if isinstance(expr, AffineDimExpr):
                bounds.setdefault(expr.position, extent)
    if missing := [d for d in range(count) if d not in bounds]:
        raise Diagnostic(f"no operand gives the extent of dimension d{missing[0]} of '{op.name}'", where=where(op))
    return tuple(bounds[d] for d in range(count))


def single_block(region: Region | None) -> Block | None:
    """Return the block of a region that has one, else None."""
    return region.block if region is not None and region.blocks else None


def result_types(outputs: tuple[SSAValue, ...] | list[SSAValue]) -> list[Attribute]:
    """Return the result types of an op in destination-passing style: the tensors among its outputs."""
    types: list[Attribute] = [value.type for value in outputs]
    return [type for type in types if isinstance(type, TensorType)]
