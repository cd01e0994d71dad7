"""Generalisation of structured kernels to `linalg.generic`: one per reduction, one for result and epilogue."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from math import prod
from typing import Any, cast

from xdsl.dialects.builtin import AffineMapAttr, IntegerAttr, i64
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.dialects.linalg.ops import GenericOp, IndexOp, YieldOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineMap

from ...dialects.core.analysis.affine_form import Linear, drop_unit_dims
from ...dialects.core.kernel import Access, Kernel, Reduction
from ...errors import Diagnostic
from ...ir import element_of, shape_of
from .scalar import live_ops
from .shapes import Shapes


@dataclass(frozen=True)
class _Operand:
    """Tensor or memref with affine indices."""

    value: SSAValue
    indices: tuple[Linear, ...]

    def dims(self) -> set[int]:
        """Return the dimensions that the indices depend on."""
        return {dim for form in self.indices for dim in form.dims()}

    def plain_dims(self) -> set[int]:
        """Return the dimensions that are an index by themselves."""
        return {dim for dim in self.dims() if _dim(dim) in self.indices}


def _dim(dim: int) -> Linear:
    return Linear(((dim, 1),))


def generalize_kernel(kernel: Kernel, shapes: Shapes) -> SSAValue:
    """
    Emit the standard ops for a kernel with one output, on tensors or memrefs; return the output's new value.

    A kernel that accumulates uses the output as its accumulator. Raises Diagnostic if the output's indices do not
    delinearise its axes.
    """
    return _Generalizer(kernel, shapes).build()


class _Generalizer:
    """Builder of the generics of a kernel."""

    def __init__(self, kernel: Kernel, shapes: Shapes):
        self.kernel = kernel
        self.shapes = shapes
        self.operands: dict[int, _Operand] = {}
        """Inputs by number, padded so that all accesses are in bounds."""
        self.groups: list[list[int]] = []
        """Extents into which each output axis is delinearised."""
        self.output = self.expanded(self.plain(kernel.outputs[0]))

    def build(self) -> SSAValue:
        """Build all generics."""
        kernel = self.kernel
        direct = kernel.result is None and kernel.epilogue is None
        accumulators: list[_Operand] = []
        results: list[_Operand] = []
        for reduction in kernel.reductions:
            last = direct and reduction is kernel.reductions[-1]
            results = self.reduce(reduction, accumulators, self.output if last else None)
            accumulators += results
        if not direct:
            results = [self.finish(accumulators, results)]
        return self.shapes.collapsed(results[0].value, self.groups, kernel.outputs[0].value)

    def plain(self, access: Access) -> _Operand:
        """
        Return an operand without padding; dimensions of bound 1 are dropped unless they are an index by themselves.
        """
        plain = [
            form if len(form.terms) == 1 and form.constant == 0 else drop_unit_dims(form, self.kernel.bounds)
            for form in access.forms
        ]
        return _Operand(access.value, tuple(plain))

    def input(self, number: int) -> _Operand:
        """Return an input, padded so that all accesses are in bounds."""
        if number not in self.operands:
            access = self.kernel.inputs[number]
            operand = self.plain(access)
            padded = operand if access.fill is None else self.padded(operand, access.fill)
            self.operands[number] = self.cut(padded)
        return self.operands[number]

    def cut(self, operand: _Operand) -> _Operand:
        """Return an operand sliced to the bounds of the dimensions that index its axes."""
        extents = shape_of(operand.value)
        reach = {_dim(dim): self.kernel.bounds[dim] for dim in operand.plain_dims()}
        sizes = [reach.get(form, extent) for form, extent in zip(operand.indices, extents, strict=True)]
        if sizes == list(extents):
            return operand
        return replace(operand, value=self.shapes.cut(operand.value, sizes))

    def padded(self, operand: _Operand, fill: Attribute) -> _Operand:
        intervals = [form.interval(self.kernel.bounds) for form in operand.indices]
        low = [max(0, -least) for least, _ in intervals]
        extents = shape_of(operand.value)
        high = [max(0, most + 1 - extent) for (_, most), extent in zip(intervals, extents, strict=True)]
        if not any(low) and not any(high):
            return operand
        indices = tuple(form + shift for form, shift in zip(operand.indices, low, strict=True))
        return _Operand(self.shapes.padded(operand.value, low, high, fill), indices)

    def expanded(self, output: _Operand) -> _Operand:
        """Return the output expanded such that each axis has one dimension (delinearisation)."""
        digits = [
            self.digits(form, extent) for form, extent in zip(output.indices, shape_of(output.value), strict=True)
        ]
        if all(len(dims) <= 1 for dims in digits):
            return output
        self.groups, indices = [], list[Linear]()
        for dims in digits:
            self.groups.append([self.kernel.bounds[dim] for dim in dims] or [1])
            indices += map(_dim, dims) if dims else [Linear()]
        return _Operand(self.shapes.expanded(output.value, self.groups), tuple(indices))

    def digits(self, form: Linear, extent: int) -> list[int]:
        """Return the dimensions that compose an index, most significant digit first."""
        bounds = self.kernel.bounds
        terms = sorted(form.terms, key=lambda term: -term[1])
        dims = [atom for atom, _ in terms if isinstance(atom, int)]
        radices = [bounds[dim] for dim in dims]
        weights = [prod(radices[place + 1 :]) for place in range(len(dims))]
        if form.constant or weights != [factor for _, factor in terms] or prod(radices) != extent:
            raise Diagnostic(
                "the output's indices do not delinearise its axes",
                expected="each axis indexed by one dimension, or by several like the digits of a number",
                found=str(self.kernel.outputs[0].map),
            )
        return dims

    def reduce(self, reduction: Reduction, earlier: Sequence[_Operand], target: _Operand | None) -> list[_Operand]:
        """Emit a reduction, into `target` if given, and return its accumulators."""
        own = [self.start(initial, target) for initial in reduction.initial]
        inputs = [self.input(number) if self.needs(reduction.body, number) else None for number in self.numbers()]
        return self.generic(reduction.body, [*inputs, *earlier], own, self.kernel.reduced)

    def start(self, initial: Attribute | None, target: _Operand | None) -> _Operand:
        """Return the initial accumulator of a reduction step."""
        if initial is None:
            return self.output
        fresh = target or self.accumulator(cast(Any, initial).type)
        return replace(fresh, value=self.shapes.filled(fresh.value, initial))

    def accumulator(self, element: Attribute) -> _Operand:
        """Return a new operand with one element per parallel point, in the output's layout if possible."""
        if not self.output.dims() & self.kernel.reduced:
            return replace(self.output, value=self.shapes.empty(shape_of(self.output.value), element))
        dims = [dim for dim in range(len(self.kernel.bounds)) if dim not in self.kernel.reduced]
        value = self.shapes.empty([self.kernel.bounds[dim] for dim in dims], element)
        return _Operand(value, tuple(_dim(dim) for dim in dims))

    def finish(self, accumulators: Sequence[_Operand], results: Sequence[_Operand]) -> _Operand:
        """Emit result and epilogue in one generic and return the output."""
        kernel = self.kernel
        extras = [self.plain(access) for access in kernel.extras]
        if kernel.result is None:
            block, inputs = cast(Block, kernel.epilogue), [*results, *extras]
        else:
            needed = [self.input(number) if self.needs(kernel.result, number) else None for number in self.numbers()]
            inputs = [*needed, *accumulators, *(extras if kernel.epilogue else [])]
            block = _chained(kernel.result, kernel.epilogue) if kernel.epilogue else kernel.result
        return self.generic(block, inputs, [self.output], frozenset())[0]

    def numbers(self) -> range:
        """Return the numbers of the inputs."""
        return range(len(self.kernel.inputs))

    def needs(self, block: Block, number: int) -> bool:
        """Return whether a body uses one of its arguments."""
        return block.args[number] in live_ops(block)[1]

    def generic(
        self, block: Block, inputs: Sequence[_Operand | None], outputs: Sequence[_Operand], reduced: frozenset[int]
    ) -> list[_Operand]:
        """
        Emit a generic and return its outputs.

        `block` takes the inputs and then, for a reduction, the outputs. An unused input is None. An unread operand
        gives the extent of a dimension that no other operand has.
        """
        ops, used = live_ops(block)
        taken = [
            (arg, operand)
            for arg, operand in zip(block.args, inputs, strict=False)
            if operand is not None and arg in used
        ]
        operands = [*(operand for _, operand in taken), *outputs]
        indices = {op.dim.value.data for op in ops if isinstance(op, IndexOp)}
        dims = sorted({*self.dims_of(operands), *indices})
        plain = set(chain.from_iterable(operand.plain_dims() for operand in operands))
        missing = [dim for dim in dims if dim not in plain]
        if missing:
            window = self.shapes.empty([self.kernel.bounds[dim] for dim in missing], element_of(operands[0].value))
            operands.insert(len(taken), _Operand(window, tuple(_dim(dim) for dim in missing)))
        numbers = {dim: place for place, dim in enumerate(dims)}
        body = Block(arg_types=[element_of(operand.value) for operand in operands])
        values: dict[SSAValue, SSAValue] = dict(zip((arg for arg, _ in taken), body.args, strict=False))
        values |= zip(block.args[len(inputs) :], body.args[len(operands) - len(outputs) :], strict=False)
        body.add_ops(_renumbered(op.clone(values), numbers) for op in ops)
        body.add_op(YieldOp(*(values.get(v, v) for v in cast(Operation, block.last_op).operands)))
        for old, new in zip((arg for arg, _ in taken), body.args, strict=False):
            new.name_hint = old.name_hint
        ins = [operand.value for operand in operands[: len(operands) - len(outputs)]]
        outs = [operand.value for operand in outputs]
        maps = [_map(operand, numbers) for operand in operands]
        iterators = [IteratorTypeAttr.reduction() if dim in reduced else IteratorTypeAttr.parallel() for dim in dims]
        generic = GenericOp(ins, outs, Region(body), maps, iterators, self.shapes.result_types(outs))
        self.shapes.emit(generic)
        return [replace(output, value=value) for output, value in zip(outputs, generic.results or outs, strict=True)]

    def dims_of(self, operands: Sequence[_Operand]) -> list[int]:
        """Return the iteration dimensions of a generic on these operands."""
        return sorted({dim for operand in operands for dim in operand.dims()})


def _renumbered(op: Operation, numbers: dict[int, int]) -> Operation:
    """Renumber the dimensions of a scalar op to those of a generic."""
    if isinstance(op, IndexOp):
        op.properties["dim"] = IntegerAttr(numbers[op.dim.value.data], i64)
    return op


def _map(operand: _Operand, numbers: dict[int, int]) -> AffineMapAttr:
    return AffineMapAttr(AffineMap(len(numbers), 0, tuple(form.expr(numbers) for form in operand.indices)))


def _chained(first: Block, second: Block) -> Block:
    """Compose two bodies: arguments of `first`, then the arguments of `second` after those that `first` yields."""
    yielded = cast(Operation, first.last_op).operands
    extra = second.args[len(yielded) :]
    block = Block(arg_types=[arg.type for arg in (*first.args, *extra)])
    values: dict[SSAValue, SSAValue] = dict(zip((*first.args, *extra), block.args, strict=True))
    block.add_ops(op.clone(values) for op in live_ops(first)[0])
    values |= {arg: values.get(value, value) for arg, value in zip(second.args, yielded, strict=False)}
    block.add_ops(op.clone(values) for op in live_ops(second)[0])
    block.add_op(YieldOp(*(values.get(value, value) for value in cast(Operation, second.last_op).operands)))
    return block
